"""Fixtures of all tests: a picture backend without windows, reproducible random examples, no comparison of nothing."""

from __future__ import annotations

import os
import signal

os.environ.setdefault("MPLBACKEND", "Agg")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # two workers on two cores: more threads only wait for each other

from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any

import hypothesis
import numpy as np
import pytest

from pliant.jit.assistant import QUIET
from pliant.model.kinds import KINDS

os.environ.setdefault(QUIET, "1")  # nor do they need help with compiling: a helper for every kernel that is missing
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # started in the background: tests of Ctrl-C need it all the same
    signal.signal(signal.SIGINT, signal.default_int_handler)

hypothesis.settings.register_profile("pliant", deadline=None, derandomize=True, database=None, max_examples=50)
hypothesis.settings.load_profile("pliant")


def of_something(compare: Callable[..., None]) -> Callable[..., None]:
    """Return a comparison of arrays that fails where nothing is compared: an empty array is close to any other."""

    @wraps(compare)
    def compared(actual: Any, desired: Any, *args: Any, **options: Any) -> None:
        assert np.size(actual), "nothing is compared: the array is empty"
        compare(actual, desired, *args, **options)

    return compared


for name in ("assert_allclose", "assert_array_less", "assert_array_almost_equal"):
    setattr(np.testing, name, of_something(getattr(np.testing, name)))


@pytest.fixture
def rng() -> np.random.Generator:
    """Return random numbers that repeat in every run."""
    return np.random.default_rng(20261115)


@pytest.fixture(autouse=True)
def one_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a study without a number of workers start one: the other processor is busy with other tests."""
    monkeypatch.setattr(os, "cpu_count", lambda: 1)


@pytest.fixture(autouse=True)
def no_strange_kinds() -> Iterator[None]:
    """Forget parts that a test or a page of the documentation has defined."""
    known = dict(KINDS)
    yield
    strange = [name for name, kind in KINDS.items() if name not in known and not kind.__module__.startswith("pliant.")]
    for name in strange:
        del KINDS[name]
