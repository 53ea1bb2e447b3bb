"""Threads of linear algebra: one where processes or contenders share the processors, else they wait for each other."""

from __future__ import annotations

import os

ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")


def take_one() -> None:
    """One thread for this process, unless its user says otherwise; numpy must not have been imported before."""
    for name, count in ONE_THREAD.items():
        os.environ.setdefault(name, count)
