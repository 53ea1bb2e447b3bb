"""The chord of an element seen from its mean section: length, the two angles between them, and their derivatives."""

from __future__ import annotations

from math import atan2, sqrt
from typing import NamedTuple

from pliant.jit import kernel
from pliant.kernels.triples import Vector, times


class Chord(NamedTuple):
    """Chord s, its length, f, its derivatives -1/l^2, k (y, z), and k' with k_(y, z) = k' (y, z)."""

    s: Vector
    length: float
    f: float
    k: float
    slope: float


@kernel
def chord(s: Vector) -> Chord:
    """Angles of the chord to the mean section; for small ones ``x f = 1 - u/3 + u^2/5 - ...``, ``u = rho^2/x^2``."""
    x, square = s[0], s[1] * s[1] + s[2] * s[2]
    length = sqrt(x * x + square)
    u = square / (x * x)
    if x > 0.0 and u < 0.01:
        c = 1.0 / x
        f = c * (1.0 - u * (1 / 3 - u * (1 / 5 - u * (1 / 7 - u * (1 / 9 - u * (1 / 11 - u * (1 / 13 - u / 15)))))))
        k = 2 / 3 - u * (4 / 5 - u * (6 / 7 - u * (8 / 9 - u * (10 / 11 - u * (12 / 13 - u * 14 / 15)))))
        slope = 8 / 5 - u * (24 / 7 - u * (48 / 9 - u * (80 / 11 - u * (120 / 13 - u * 168 / 15))))
        return Chord(s, length, f, -c * c * c * k, c * c * c * c * c * slope)
    rho, inverse = sqrt(square), 1.0 / (length * length)
    f = atan2(rho, x) / rho
    k = (x * inverse - f) / square
    return Chord(s, length, f, k, -(2.0 * x * inverse * inverse + 3.0 * k) / square)


@kernel
def by_chord(at: Chord) -> tuple[Vector, Vector, Vector]:
    """Derivatives of l and of both angles gamma by s."""
    y, z, inverse = at.s[1], at.s[2], 1.0 / (at.length * at.length)
    mixed = at.k * y * z
    return (
        times(1.0 / at.length, at.s),
        (-y * inverse, at.f + at.k * y * y, mixed),
        (-z * inverse, mixed, at.f + at.k * z * z),
    )
