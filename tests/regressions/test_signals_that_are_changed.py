"""Signals of another package that are changed after a motion: they are examined again."""

from __future__ import annotations

import numpy as np

from pliant.model.signals.base import Signal
from pliant.solvers.stepping.drive_discontinuities import first_kink


class Late(Signal):
    """Rises from an instant on; a class that can be changed, and is compared by what it is, not by what is in it."""

    def __init__(self, begin: float) -> None:
        self.begin = begin

    def _at(self, t: np.ndarray, order: int) -> np.ndarray:
        after = t > self.begin
        return (np.where(after, t - self.begin, 0.0), np.where(after, 1.0, 0.0), np.zeros_like(t))[order]


def test_the_kink_of_a_signal_that_was_changed_is_where_it_is_now() -> None:
    signal, found = Late(0.5), []
    for begin in (0.5, 0.25):
        signal.begin = begin
        kink = first_kink(signal, "drive", 0.0, 1.0)
        assert kink is not None
        found.append(kink.time)
    np.testing.assert_allclose(found, [0.5, 0.25], atol=1e-6)
