"""Exact solutions for beams that taper: integrals for deflection and weight, Bessel functions for frequencies, closed
forms for buckling. The thick end is held, s runs from there; x runs from the apex to which the sides point.
"""

from __future__ import annotations

from collections.abc import Callable
from math import cos, log, pi, sin, sqrt

import numpy as np
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.special import iv, jv, kv, yv

Along = Callable[[float], float]


def integral(f: Along) -> float:
    """Integrate a function of s, from base to tip."""
    return float(quad(f, 0.0, 1.0, epsabs=0.0, epsrel=1e-12, limit=200)[0])


def tip_deflection(length: float, EI: Along, GA: Along, force: float) -> float:
    """Return a cantilever's deflection under a force at its tip: ``F int (L - x)^2 / EI dx + F int dx / GA``."""
    bending = length**3 * integral(lambda s: (1.0 - s) ** 2 / EI(s))
    return force * (bending + length * integral(lambda s: 1.0 / GA(s)))


def tip_under_load(length: float, EI: Along, GA: Along, load: Along) -> float:
    """Return a cantilever's deflection under a load per length that changes along it (weight): virtual work."""

    def beyond(s: float, power: int) -> float:
        """Return the force (power 0) or moment (power 1) of what lies beyond s."""
        return float(quad(lambda x: load(x) * (x - s) ** power, s, 1.0, epsabs=0.0, epsrel=1e-12)[0])

    bending = length**4 * integral(lambda s: beyond(s, 1) * (1.0 - s) / EI(s) if s < 1.0 else 0.0)
    return bending + length**2 * integral(lambda s: beyond(s, 0) / GA(s) if s < 1.0 else 0.0)


def pendulum(length: float, line: Along, rotary: Along, gravity: float) -> float:
    """Return the frequency of small swings (rad/s) of a rigid bar about its base: ``sqrt(g int rho A x dx / J)``."""
    first = length**2 * integral(lambda s: line(s) * s)
    second = length**3 * integral(lambda s: line(s) * s**2) + length * integral(rotary)
    return sqrt(gravity * first / second)


def frequencies(degree: int, ratio: float, modes: int) -> list[float]:
    """Return frequencies of a cantilever without shear and rotary inertia, area as x^n, second moment as x^(n + 2), in
    ``sqrt(EI / rho A) / L^2`` of the base; n = 1: a wedge, n = 2: a cone. ``ratio``: of the heights of tip and base.

    ``w = x^(-n/2) C_n(2 sqrt(k x))`` with the Bessel functions J, Y, I, K; 0 < ratio < 1 (G. Kirchhoff 1879; H.H.
    Mabie, C.B. Rogers, J. Acoust. Soc. Am. 51, 1972).
    """
    base = 1.0 / (1.0 - ratio)

    def determinant(omega: float) -> float:
        thick, thin = 2.0 * base * sqrt(omega), 2.0 * base * sqrt(ratio * omega)
        held = [[f(degree + d, thick) for f in (jv, yv, iv, kv)] for d in (0, 1)]  # deflection, slope
        free = [[f(degree + d, thin) for f in (jv, yv, iv, kv)] for d in (2, 1)]  # moment, shear force
        rows = np.array(held + free) * [[1, 1, 1, 1], [-1, -1, 1, -1], [1, 1, 1, 1], [1, 1, 1, -1]]
        return float(np.linalg.det(rows / np.abs(rows).max(axis=0)))

    return _roots(determinant, modes)


def _roots(f: Along, count: int) -> list[float]:
    grid = np.geomspace(1.0, 300.0, 3000)
    values = [f(x) for x in grid]
    changes = [i for i in range(grid.size - 1) if values[i] * values[i + 1] < 0.0]
    return [float(brentq(f, grid[i], grid[i + 1], xtol=1e-13, rtol=1e-13)) for i in changes[:count]]


def buckling_load(degree: int, ratio: float) -> float:
    """Return the critical force at a cantilever's thin tip, second moment as x^2 or x^4, in EI / L^2 of the base;
    ``ratio`` is x of the tip over x of the base.

    ``EI y'' + P y = 0`` with y = 0 at the tip and y' = 0 at the base: ``y = sqrt(x) sin(b ln(x / tip))`` or
    ``y = x sin(a (1 / tip - 1 / x))`` (A.N. Dinnik 1929; S.P. Timoshenko, J.M. Gere, Theory of Elastic Stability,
    2.14).
    """
    base = 1.0 / (1.0 - ratio)
    if degree == 2:
        wave = log(1.0 / ratio)
        b = brentq(lambda b: sin(b * wave) + 2.0 * b * cos(b * wave), 0.5 * pi / wave, pi / wave, xtol=1e-14)
        return float((b**2 + 0.25) / base**2)
    way = (1.0 / ratio - 1.0) / base
    a = brentq(lambda a: sin(a * way) + a / base * cos(a * way), 0.5 * pi / way, pi / way, xtol=1e-14)
    return float(a**2 / base**4)
