"""Drives whose rate jumps: the joint takes an impulse there, which no finite force represents."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pliant.errors import OptionError, PliantWarning, warn
from pliant.model.signals.base import Signal
from pliant.model.signals.cache import cached
from pliant.system.limits.offered import HasSignalFunctions

SAMPLES = 1024  # of a motion, between which a rate is checked for jumps
LEAST = 0.01  # of the largest rate: smaller jumps are left to the checks of the motion
HALVINGS = 40
KEPT = 64  # cached answers, for the next motion
ADVICE = "Give a smooth signal: pl.Ramp(..., smooth=True), an Expression without corners, or a spline as a function."


class Kink(NamedTuple):
    """Instant at which the rate of a signal jumps."""

    drive: str
    time: float
    before: float
    after: float

    def __str__(self) -> str:
        return f"the rate of {self.drive!r} jumps from {self.before:.3g} to {self.after:.3g} at t = {self.time:.6g} s"


@cached(KEPT)
def first_kink(signal: Signal, name: str, begin: float, end: float) -> Kink | None:
    """Return the first jump of a signal's rate within a motion.

    The part of a change of rate that the acceleration does not explain, r1 - r0 - h (s0 + s1) / 2, falls to an eighth
    or less in half the time for a smooth rate; at a jump it stays. Python functions are not checked.

    >>> from pliant.model import Ramp
    >>> print(first_kink(Ramp(0.0, 1.0, 0.25, 0.75, smooth=False), "drive", 0.0, 1.0))
    the rate of 'drive' jumps from 0 to 2 at t = 0.25 s
    """
    if signal.opaque:
        return None
    times = np.linspace(begin, end, SAMPLES + 1)
    jump, largest = _unexplained_change(signal, name, times)
    left, right = times[:-1], times[1:]
    for _ in range(HALVINGS):
        doubtful = jump > LEAST * largest
        if not doubtful.any():
            return None
        left, right = left[doubtful], right[doubtful]
        middle = 0.5 * (left + right)
        halves, _ = _unexplained_change(signal, name, np.stack([left, middle, right]))
        later, jump = np.argmax(halves, axis=0), np.max(halves, axis=0)
        left, right = np.where(later, middle, left), np.where(later, right, middle)
    return Kink(name, float(right[0]), float(signal.rate(left[0], name)), float(signal.rate(right[0], name)))


def _unexplained_change(signal: Signal, name: str, times: np.ndarray) -> tuple[np.ndarray, float]:
    """Return the part of the change of rate between times that the acceleration does not explain, along their first
    axis; and the largest rate.
    """
    _, rates, seconds = signal.jet(times, name)
    change = np.diff(rates, axis=0) - 0.5 * np.diff(times, axis=0) * (seconds[1:] + seconds[:-1])
    return np.abs(change), float(np.max(np.abs(rates)))


def kinks(system: HasSignalFunctions, begin: float, end: float) -> list[Kink]:
    """Return the first jump of the rate of every drive that has one."""
    drives = {k: v for k, v in system.changing.items() if system.signal_number(k) in system.driving}
    found = [first_kink(signal, name, begin, end) for name, signal in drives.items()]
    return [each for each in found if each is not None]


def refuse_kinks(system: HasSignalFunctions, begin: float, end: float, formulation: str) -> None:
    """Refuse drives whose rate jumps, for formulations that use the accelerations of drives."""
    for kink in kinks(system, begin, end):
        raise OptionError(
            f"Motion of {system.model.name!r}: {kink}. The formulation {formulation!r} follows the acceleration of a "
            f"drive, which has no such jump. {ADVICE} Or compile with formulation='dae'."
        )


def warn_of_kinks(system: HasSignalFunctions, begin: float, end: float) -> None:
    """Warn of drives whose rate jumps."""
    for kink in kinks(system, begin, end):
        warn(
            PliantWarning,
            f"Motion of {system.model.name!r}: {kink}. That takes an impulse of the joint: its reaction there is "
            f"nothing but a matter of the steps, and its work is not in the balance. {ADVICE}",
        )
