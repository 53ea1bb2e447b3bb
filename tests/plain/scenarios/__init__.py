"""Small computations that together go through all kernels; each returns a few numbers under their names.

A file has a function ``scenarios()`` that yields names and what computes the numbers.
"""

from __future__ import annotations

from typing import Any

import pliant as pl

Numbers = dict[str, Any]
OF_A_MOTION = ("position", "velocity", "reaction", "energy", "resultant", "normal_force")


def last(run: pl.Result) -> Numbers:
    """Return the last state of a motion."""
    return {name: run.data[name].isel(time=-1).values for name in OF_A_MOTION if name in run.data}
