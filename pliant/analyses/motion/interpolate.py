"""States at instants between steps: quintic Hermite in position, so that velocities and accelerations join."""

from __future__ import annotations

from typing import Any

import numpy as np

from pliant.errors import OptionError
from pliant.model import rotations
from pliant.system.numbering.space import Space
from pliant.system.samples import Samples


def instants(times: Any, begin: float, end: float) -> np.ndarray:
    """Return the instants to report, checked."""
    try:
        wanted = np.asarray(times, float)
    except (TypeError, ValueError):
        wanted = np.empty(0)
    if wanted.ndim != 1 or wanted.size == 0 or not np.all(np.isfinite(wanted)) or np.any(np.diff(wanted) <= 0.0):
        raise OptionError("times: give finite instants that increase.")
    slack = 1e-9 * (end - begin)
    if wanted[0] < begin - slack or wanted[-1] > end + slack:
        raise OptionError(f"times: {wanted[0]:g} to {wanted[-1]:g} s is not within the motion, {begin:g} to {end:g} s.")
    return wanted


def resample(samples: Samples, times: np.ndarray, space: Space) -> Samples:
    """Return the motion at other instants within its span; for a motion that stopped early, up to its end.

    Rotations in space are interpolated as increments from the instant before.
    """
    known = samples.time
    reached = times[times <= known[-1] + 1e-9 * (known[-1] - known[0])]
    times = reached if reached.size else known[:1]
    if known.size == 1:
        return samples
    right = np.clip(np.searchsorted(known, times, side="right"), 1, known.size - 1)
    left = right - 1
    h = (known[right] - known[left])[:, None]
    s = ((times - known[left])[:, None] / h).clip(0.0, 1.0)
    q0, q1, v0, v1, a0, a1 = (x[i] for x in (samples.q, samples.v, samples.a) for i in (left, right))
    # q = q0 + h v0 s + h^2 a0 s^2/2 + c3 s^3 + c4 s^4 + c5 s^5, matched at the right end
    start, q0, q1 = q0, *((q0, q1) if not space.quaternions else _increments(q0, q1))
    d = q1 - q0 - h * v0 - 0.5 * h**2 * a0
    e = h * (v1 - v0) - h**2 * a0
    f = h**2 * (a1 - a0)
    c3, c4, c5 = 10 * d - 4 * e + 0.5 * f, -15 * d + 7 * e - f, 6 * d - 3 * e + 0.5 * f
    q = q0 + h * v0 * s + 0.5 * h**2 * a0 * s**2 + c3 * s**3 + c4 * s**4 + c5 * s**5
    v = v0 + h * a0 * s + (3 * c3 * s**2 + 4 * c4 * s**3 + 5 * c5 * s**4) / h
    a = a0 + (6 * c3 * s + 12 * c4 * s**2 + 20 * c5 * s**3) / h**2
    if space.quaternions:
        q = _turned(start, q)
    between = (None if x is None else x[left] + s * (x[right] - x[left]) for x in (samples.work, samples.interior))
    lam = samples.lam[left] + s * (samples.lam[right] - samples.lam[left])
    work, interior = between
    return Samples(times, q, v, a, lam, work, interior=interior)


def _increments(q0: np.ndarray, q1: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the two ends of every step, with the rotation between them in the rotational freedoms of the second."""
    nodes = q0.shape[1] // 10
    first, second = (q[:, 6 * nodes :].reshape(len(q), nodes, 4) for q in (q0, q1))
    q1 = q1.copy()
    turn = rotations.logarithm(rotations.product(rotations.conjugate(first), second))
    q1[:, : 6 * nodes].reshape(len(q1), nodes, 6)[:, :, 3:] = turn
    return q0, q1


def _turned(start: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Return coordinates whose rotational increments are applied to the orientations at the start of their steps."""
    nodes = q.shape[1] // 10
    q = q.copy()
    six = q[:, : 6 * nodes].reshape(len(q), nodes, 6)
    before = start[:, 6 * nodes :].reshape(len(q), nodes, 4)
    q[:, 6 * nodes :] = rotations.product(before, rotations.exponential(six[:, :, 3:])).reshape(len(q), -1)
    six[:, :, 3:] = 0.0
    return q
