"""Drives whose rate jumps: a joint that follows one takes an impulse there, which no force of a motion is."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pliant.errors import OptionError, PliantWarning, warn
from pliant.model.signals.base import Signal
from pliant.model.signals.cache import remembered
from pliant.system.system import System

SAMPLES = 1024  # of a motion, between which a rate may jump
LEAST = 0.01  # of the largest rate: smaller jumps are left to the checks of the motion
HALVINGS = 40
KEPT = 64  # answers, for the next motion
ADVICE = "Give a smooth signal: pl.Ramp(..., smooth=True), an Expression without corners, or a spline as a function."


class Kink(NamedTuple):
    """Where the rate of a signal jumps."""

    drive: str
    time: float
    before: float
    after: float

    def __str__(self) -> str:
        return f"the rate of {self.drive!r} jumps from {self.before:.3g} to {self.after:.3g} at t = {self.time:.6g} s"


@remembered(KEPT)
def first_kink(signal: Signal, name: str, begin: float, end: float) -> Kink | None:
    """The first jump of a signal's rate within a motion.

    What the acceleration does not explain of a change of rate, r1 - r0 - h (s0 + s1) / 2, is an eighth in half the
    time, or less, of a rate without jumps; of one that jumps it stays. A Python function is not asked.

    >>> from pliant.model import Ramp
    >>> print(first_kink(Ramp(0.0, 1.0, 0.25, 0.75, smooth=False), "drive", 0.0, 1.0))
    the rate of 'drive' jumps from 0 to 2 at t = 0.25 s
    """
    if signal.opaque:
        return None
    times = np.linspace(begin, end, SAMPLES + 1)
    jump, largest = _unexplained(signal, name, times)
    left, right = times[:-1], times[1:]
    for _ in range(HALVINGS):
        doubtful = jump > LEAST * largest
        if not doubtful.any():
            return None
        left, right = left[doubtful], right[doubtful]
        middle = 0.5 * (left + right)
        halves, _ = _unexplained(signal, name, np.stack([left, middle, right]))
        later, jump = np.argmax(halves, axis=0), np.max(halves, axis=0)
        left, right = np.where(later, middle, left), np.where(later, right, middle)
    return Kink(name, float(right[0]), float(signal.rate(left[0], name)), float(signal.rate(right[0], name)))


def _unexplained(signal: Signal, name: str, times: np.ndarray) -> tuple[np.ndarray, float]:
    """What the acceleration does not explain of the change of rate from each of the times to the next, along their
    first axis; and the largest rate.
    """
    _, rates, seconds = signal.jet(times, name)
    change = np.diff(rates, axis=0) - 0.5 * np.diff(times, axis=0) * (seconds[1:] + seconds[:-1])
    return np.abs(change), float(np.max(np.abs(rates)))


def kinks(system: System, begin: float, end: float) -> list[Kink]:
    """The first jump of the rate of every drive that has one."""
    drives = [system.layout.signals[k] for k in system.driving]
    found = [first_kink(each.signal, each.name, begin, end) for each in drives if not each.constant]
    return [each for each in found if each is not None]


def refuse_kinks(system: System, begin: float, end: float, formulation: str) -> None:
    """Refuse drives whose rate jumps, of formulations that follow the accelerations of drives."""
    for kink in kinks(system, begin, end):
        raise OptionError(
            f"Motion of {system.model.name!r}: {kink}. The formulation {formulation!r} follows the acceleration of a "
            f"drive, which has no such jump. {ADVICE} Or compile with formulation='dae'."
        )


def warn_of_kinks(system: System, begin: float, end: float) -> None:
    """Tell of drives whose rate jumps."""
    for kink in kinks(system, begin, end):
        warn(
            PliantWarning,
            f"Motion of {system.model.name!r}: {kink}. That takes an impulse of the joint: its reaction there is "
            f"nothing but a matter of the steps, and its work is not in the balance. {ADVICE}",
        )
