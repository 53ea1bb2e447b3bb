"""What signals do between the steps of a motion, which no step has seen: pulses that were stepped over, aliases.

A method of order 2 takes of a signal u its values at the ends of steps. The integral of u over time that they give,
h (u0 + u1) / 2, compares with a finer one, as a part of its range. What a signal rests at, its median, does not count.
"""

from __future__ import annotations

import numpy as np

from pliant.model.signals import Function, Signal, Table
from pliant.results.records import Check
from pliant.solvers.motion import TimeHistory
from pliant.system.layout import Layout
from pliant.system.system import System

LIMIT = 0.1  # of the range of the integral
PARTS, LOOKS = 3, 16384  # of a step, of a motion
JUST = 1e-7  # of a step: where signals jump at its end, it begins after that, and ends before


def of_signals(system: System, motion: TimeHistory) -> list[Check]:
    """The check of the signal that the steps have seen least of; none where they are not known, or nothing varies."""
    times = steps_of(motion)
    if times is None or not motion.ok:
        return []
    varying = [each for k, each in enumerate(system.layout.signals) if k != Layout.TIME and not each.constant]
    shares = {each.name: unseen(each.signal, times) for each in varying}
    if not shares:
        return []
    name = max(shares, key=lambda each: shares[each])
    advice = f"The signal {name!r} has pulses or vibrations that steps do not see: give a step= that resolves them."
    return [Check("signals between steps", shares[name], LIMIT, "of the integral of a signal", advice)]


def steps_of(motion: TimeHistory) -> np.ndarray | None:
    """Ends of all steps, the start first; None where they were not kept."""
    if motion.local_error is None or motion.time.size < 2:  # methods of high order look within their steps
        return None
    step = motion.used.get("step")
    if step is not None:
        begin, end = float(motion.time[0]), motion.last.time
        return np.asarray(np.linspace(begin, end, max(2, round((end - begin) / step) + 1)))
    return motion.time if motion.time.size == motion.steps + 1 else None


def unseen(signal: Signal, times: np.ndarray) -> float:
    """What steps that end at these times do not see of the integral of a signal. A Python function is not asked.

    >>> from pliant.model import Sine
    >>> round(unseen(Sine(1.0, frequency_hz=10.0), np.linspace(0.0, 1.0, 11)), 2)
    1.0
    >>> round(unseen(Sine(1.0, frequency_hz=10.0), np.linspace(0.0, 1.0, 201)), 2)
    0.01
    """
    if isinstance(getattr(signal, "signal", signal), Function):
        return 0.0
    h = np.diff(times)[:, None]
    places = np.linspace(0.0, 1.0, PARTS + 1)
    places[[0, -1]] = JUST, 1.0 - JUST
    looks = times[:-1, None] + h * places
    knots = np.array(signal.times) if isinstance(signal, Table) else np.empty(0)
    within = knots[(knots > times[0]) & (knots < times[-1])]
    fine: np.ndarray = np.union1d(looks, np.append(np.linspace(times[0], times[-1], LOOKS), within))
    values = signal(fine)
    values = values - np.median(values)
    integral = np.concatenate([[0.0], np.cumsum(0.5 * np.diff(fine) * (values[1:] + values[:-1]))])
    ends = np.interp(looks[:, [0, -1]], fine, values)
    coarse = np.concatenate([[0.0], np.cumsum(0.5 * h[:, 0] * np.sum(ends, axis=1))])
    span = float(np.ptp(integral))
    return float(np.max(np.abs(np.interp(fine, times, coarse) - integral))) / span if span > 0.0 else 0.0
