"""Force of a unilateral contact: ``N = k (-g)^p max(0, 1 - d g')`` where the gap g is negative.

(K. Hunt, F. Crossley, Coefficient of restitution interpreted as damping in vibroimpact, J. Appl. Mech. 42, 1975.) Its
elastic part has the potential ``k (-g)^(p + 1) / (p + 1)``; the rest dissipates power, never negative.
"""

from __future__ import annotations

from math import tanh
from typing import NamedTuple

import numpy as np

from pliant.jit import kernel


class NormalForce(NamedTuple):
    """Force, its derivatives by the gap and by its rate, and the elastic part alone."""

    force: float
    by_gap: float
    by_rate: float
    elastic: float


@kernel
def normal_force(law: np.ndarray, gap: float, rate: float) -> NormalForce:
    """Return the normal force of the law (stiffness, exponent, damping, ...) at a gap that is negative."""
    k, p, d = law[0], law[1], law[2]
    slope = k * p * (-gap) ** (p - 1.0)
    elastic = k * (-gap) ** p
    damped = 1.0 - d * rate
    if damped <= 0.0:
        return NormalForce(0.0, 0.0, 0.0, elastic)
    return NormalForce(elastic * damped, -slope * damped, -elastic * d, elastic)


@kernel
def stored(law: np.ndarray, gap: float) -> float:
    """Return the elastic energy."""
    return law[0] * (-gap) ** (law[1] + 1.0) / (law[1] + 1.0) if gap < 0.0 else 0.0


@kernel
def grip(speed: float, unit: float) -> tuple[float, float]:
    """Return ``f = tanh(speed / unit) / speed`` and ``f' / speed``, finite at rest."""
    x = speed / unit
    if x < 1e-2:
        square = x * x
        return (1.0 - square / 3.0 + 2.0 * square * square / 15.0) / unit, (-2.0 / 3.0 + 8.0 * square / 15.0) / unit**3
    t = tanh(x)
    return t / speed, ((1.0 - t * t) / unit - t / speed) / (speed * speed)
