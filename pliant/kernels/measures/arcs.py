"""Angles as functions of two numbers x and y with first and second derivatives: outer factors of the chain rule."""

from __future__ import annotations

from math import acos, atan2, pi, sqrt
from typing import NamedTuple

from pliant.jit import kernel

SERIES = 0.02  # 1 - cosine: arc over sine is a series below; both forms are exact to rounding there
CLOSED = 1e-8  # 1 - cosine: two terms are enough below
OPPOSITE = 1e-12  # square of a sine: opposite directions below, whose rotation is not unique
NOWHERE = 1e-12  # square of a radius: the angle is undefined below


class Arc(NamedTuple):
    """f(x, y) and its derivatives."""

    value: float
    x: float
    y: float
    xx: float
    xy: float
    yy: float


@kernel
def direction_angle(c: float, s: float) -> Arc:
    """Return ``atan2(s, c)`` as a function of x = c, y = s, which need not lie on the unit circle."""
    f = 1.0 / max(c * c + s * s, NOWHERE)
    twice = 2.0 * f * f * c * s
    return Arc(atan2(s, c), -f * s, f * c, twice, f * f * (s * s - c * c), -twice)


@kernel
def rotation_part(d: float, n: float) -> Arc:
    """Return ``g(d) n`` with ``g(d) = arccos(d) / sqrt(1 - d^2)`` as a function of x = d, y = n: a component of the
    rotation vector. n is this component of (axis times sine of the angle), d is the cosine of the angle.

    Between opposite directions, any half turn is a shortest rotation: this axis is chosen.
    """
    if d < 0.0 and 1.0 - d * d < OPPOSITE:
        return Arc(pi, 0.0, -1.0, 0.0, 0.0, 0.0)
    g, first, second = arc_over_sine(d)
    return Arc(g * n, first * n, g, second * n, first, 0.0)


@kernel
def arc_over_sine(d: float) -> tuple[float, float, float]:
    """Return ``g = arccos(d) / sqrt(1 - d^2)``, ``g' = (d g - 1) / (1 - d^2)``, ``g'' = (g + 3 d g') / (1 - d^2)``.

    Near d = 1 it is a series in ``y = 1 - d``: ``g = sum a_k y^k``, ``a_k = k / (2 k + 1) a_(k-1)``.
    """
    y = 1.0 - d
    if y < CLOSED:
        return 1.0 + y / 3.0, -1.0 / 3.0 - 4.0 / 15.0 * y, 4.0 / 15.0 + 12.0 / 35.0 * y
    if y < SERIES:
        g, first, second = 0.0, 0.0, 0.0
        a, power, lower, lowest = 1.0, 1.0, 0.0, 0.0  # a_k, y^k, y^(k-1), y^(k-2)
        for k in range(10):
            g += a * power
            first -= k * a * lower
            second += k * (k - 1) * a * lowest
            lowest, lower, power = lower, power, power * y
            a *= (k + 1.0) / (2.0 * k + 3.0)
        return g, first, second
    square = 1.0 - d * d
    g = acos(max(d, -1.0)) / sqrt(square)
    first = (d * g - 1.0) / square
    return g, first, (g + 3.0 * d * first) / square
