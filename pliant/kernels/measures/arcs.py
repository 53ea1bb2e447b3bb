"""Angles as functions of two numbers x and y, with their first and second derivatives: the chain rule's outer half."""

from __future__ import annotations

from math import acos, atan2, pi, sqrt
from typing import NamedTuple

from pliant.jit import kernel

SERIES = 0.02  # 1 - cosine below which arc over sine is a series: both are exact to rounding there
CLOSED = 1e-8  # the same, below which two of its terms are enough
OPPOSITE = 1e-12  # square of a sine below which two opposite directions have no rotation between them
NOWHERE = 1e-12  # square of a radius at which an angle has no meaning


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
    """``atan2(s, c)`` of x = c, y = s; these are not bound to lie on the unit circle."""
    f = 1.0 / max(c * c + s * s, NOWHERE)
    twice = 2.0 * f * f * c * s
    return Arc(atan2(s, c), -f * s, f * c, twice, f * f * (s * s - c * c), -twice)


@kernel
def rotation_part(d: float, n: float) -> Arc:
    """``g(d) n`` of x = d, y = n with ``g(d) = arccos(d) / sqrt(1 - d^2)``: n is one part of an axis as long as the
    sine of an angle, d is its cosine, and this is that part of the rotation vector.

    Of two opposite directions every rotation by half a turn leads from one to the other: there it is about this axis.
    """
    if d < 0.0 and 1.0 - d * d < OPPOSITE:
        return Arc(pi, 0.0, -1.0, 0.0, 0.0, 0.0)
    g, first, second = arc_over_sine(d)
    return Arc(g * n, first * n, g, second * n, first, 0.0)


@kernel
def arc_over_sine(d: float) -> tuple[float, float, float]:
    """``g = arccos(d) / sqrt(1 - d^2)``, ``g' = (d g - 1) / (1 - d^2)``, ``g'' = (g + 3 d g') / (1 - d^2)``.

    Near d = 1 as a series in ``y = 1 - d``: ``g = sum a_k y^k``, ``a_k = k / (2 k + 1) a_(k-1)``.
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
