"""Changes of signals between the steps of a motion, which no step samples: pulses that were stepped over, aliases.

A step takes of a signal u its values at some nodes: a method of order 2 at its ends, one of Runge and Kutta at its
stages. The integral of u over time that they give, ``h sum b_i u(t + c_i h)``, compares with a finer one, as a part of
its range. The median of a signal does not count. If steps missed too much, adaptive quadrature by the same nodes
finds the instants at which adaptive steps have to end.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pliant.analyses.checks import Checks, unanswered
from pliant.kernels.sampled_integrals import Looks, count, divide, follow, integrate
from pliant.model.signals.base import Signal, Table
from pliant.model.signals.cache import cached
from pliant.results.records import Check
from pliant.solvers.stepping.motion import ENDS, TimeHistory
from pliant.system.capabilities import Observed, can
from pliant.system.limits.offered import HasSignalFunctions

UNSEEN = "signals between steps"
LIMIT = 0.1  # of the range of the integral
PARTS, LOOKS = 3, 16384  # of a step, of a motion
JUST = 1e-7  # of a step: where signals jump at its end, it begins after that, and ends before
FOUND = 1e-4  # of the range of the integral: by how much halves of a step may see more of it than the whole
ROUNDS = 3  # in which steps are made to see more
SHORTEST = 1e-9  # of the motion: shorter steps are not looked for
KEPT = 8  # sights of signals that the next motion may ask for again, half a megabyte each

Strides = tuple[tuple[float, float, int], ...]  # equal steps: from, to, how many


class SampledIntegral(NamedTuple):
    """The part of the integral of a signal that steps sample.

    share     of its range that they missed, at most
    missed    (steps) by every step
    span      range of the integral
    rest      of the signal, beyond which the integral counts
    integral  instants, and the integral until them
    """

    share: float
    missed: np.ndarray
    span: float
    rest: float
    integral: tuple[np.ndarray, np.ndarray]


SampledIntegrals = dict[str, tuple[Signal, SampledIntegral]]  # by the name of the signal


def sampled_integrals(system: Any, motion: TimeHistory) -> SampledIntegrals:
    """Compare the integrals of the signals that vary with the samples of the steps of a motion."""
    if not (motion.ok and motion.strides):
        return {}
    rule = tuple(map(tuple, motion.rule.tolist()))
    changing = system.changing if can(system, HasSignalFunctions) else {}
    return {name: (signal, _sampled_integral(signal, motion.strides, rule)) for name, signal in changing.items()}


@cached(KEPT)
def _sampled_integral(signal: Signal, strides: Strides, rule: tuple[tuple[float, ...], ...]) -> SampledIntegral:
    return sampled_integral(signal, ends_of(strides), np.array(rule))


def of_signals(system: Observed, found: SampledIntegrals) -> Checks:
    """Check the signal that the steps miss most of; without signals that vary there is nothing to check."""
    if not found:
        known = can(system, HasSignalFunctions)
        return unanswered(UNSEEN, HasSignalFunctions, concerned=system.signal_names and not known)
    shares = {name: sampled.share for name, (_, sampled) in found.items()}
    name = max(shares, key=lambda each: shares[each])
    advice = f"The signal {name!r} has pulses or vibrations that steps do not see: give a step= that resolves them."
    return [Check(UNSEEN, shares[name], LIMIT, "of the integral of a signal", advice)]


def landmarks(found: SampledIntegrals, motion: TimeHistory) -> np.ndarray:
    """Return instants at which steps have to end to sample the parts of signals that they missed; empty if they missed
    little.
    """
    times, marks = steps_of(motion), [np.empty(0)]
    for signal, sampled in found.values():
        if sampled.share > LIMIT:
            marks.append(divided(signal, times, motion.rule, sampled))
    return np.unique(np.concatenate(marks))


def steps_of(motion: TimeHistory) -> np.ndarray:
    """Return the ends of all steps, the start first."""
    return ends_of(motion.strides) if motion.strides else np.empty(0)


def ends_of(strides: Strides) -> np.ndarray:
    """Return the ends of the steps of ranges of equal ones, the start first."""
    ends = [np.linspace(begin, end, count + 1)[1:] if count > 1 else (end,) for begin, end, count in strides]
    return np.concatenate([[strides[0][0]], *ends])


def sampled_integral(signal: Signal, times: np.ndarray, rule: np.ndarray = ENDS) -> SampledIntegral:
    """Compare the integral of a signal with its samples in steps that end at these times, by a quadrature rule.

    >>> from pliant.model import Sine
    >>> round(sampled_integral(Sine(1.0, frequency_hz=10.0), np.linspace(0.0, 1.0, 11)).share, 2)
    1.0
    >>> round(sampled_integral(Sine(1.0, frequency_hz=10.0), np.linspace(0.0, 1.0, 201)).share, 2)
    0.01
    """
    fine = fine_instants(times)
    if isinstance(signal, Table):
        knots = np.array(signal.times)
        fine = np.union1d(fine, knots[(knots > times[0]) & (knots < times[-1])])
    look = Looks(fine, signal(fine))
    rest, integral, missed = float(np.median(look.value)), np.empty(fine.size), np.empty(times.size - 1)
    span = integrate(look, rest, integral)
    off = follow(times, look, rest, integral, inside(rule), np.empty(rule.shape[1]), missed)
    share = off / span if span > 0.0 else 0.0
    return SampledIntegral(share, missed, span, rest, (fine, integral))


def fine_instants(times: np.ndarray) -> np.ndarray:
    """Return ordered instants that cut every step into at least PARTS and the motion into at least LOOKS; instants on
    both sides of the ends of steps replace these ends.
    """
    apart = (times[-1] - times[0]) / LOOKS
    found = np.empty(count(times, PARTS, apart))
    divide(times, PARTS, apart, JUST, found)
    return found


def inside(rule: np.ndarray) -> np.ndarray:
    """Return the rule with ordered nodes inside the step, where a signal that jumps at its ends has inner values."""
    ascending = rule[:, np.argsort(rule[0], kind="stable")]
    return np.stack([np.clip(ascending[0], JUST, 1.0 - JUST), ascending[1]])


def divided(signal: Signal, times: np.ndarray, rule: np.ndarray, sampled: SampledIntegral) -> np.ndarray:
    """Return the ends of the parts of steps that missed something, halved until their samples fit the integral (while
    they are longer than its resolution) and the samples of their halves.
    """
    enough, duration = FOUND * sampled.span, times[-1] - times[0]
    blind = np.flatnonzero(np.abs(sampled.missed) > enough)
    left, right, found = times[blind], times[blind + 1], [times[blind], times[blind + 1]]
    while left.size:
        middle = 0.5 * (left + right)
        whole = quadrature(signal, left, right, rule)
        more = quadrature(signal, left, middle, rule) + quadrature(signal, middle, right, rule)
        known = sampled.rest * (right - left) + np.interp(right, *sampled.integral) - np.interp(left, *sampled.integral)
        coarse = (np.abs(whole - known) > enough) & (LOOKS * (right - left) > duration)
        coarse |= (np.abs(whole - more) > enough) & (right - left > SHORTEST * duration)
        found.append(middle[coarse])
        left, right = np.append(left[coarse], middle[coarse]), np.append(middle[coarse], right[coarse])
    return np.concatenate(found)


def quadrature(signal: Signal, left: np.ndarray, right: np.ndarray, rule: np.ndarray) -> np.ndarray:
    """Return the integrals of a signal from left to right, by the rule of the steps."""
    h = (right - left)[:, None]
    nodes, weights = inside(rule)
    return h[:, 0] * (signal(left[:, None] + h * nodes) @ weights)
