"""What all tests share: a picture backend without windows, reproducible random examples."""

from __future__ import annotations

import os
import signal

os.environ.setdefault("MPLBACKEND", "Agg")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # two workers on two cores: more threads only wait for each other

import hypothesis
import numpy as np
import pytest

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # started in the background: tests of Ctrl-C need it all the same
    signal.signal(signal.SIGINT, signal.default_int_handler)

hypothesis.settings.register_profile("pliant", deadline=None, derandomize=True, database=None, max_examples=50)
hypothesis.settings.load_profile("pliant")


@pytest.fixture
def rng() -> np.random.Generator:
    """Random numbers, the same in every run."""
    return np.random.default_rng(20261115)
