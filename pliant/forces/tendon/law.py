"""Tension of a tendon as a smooth function of the force f of its stretch, damping and actuator.

``P(f) = (f + sqrt(f^2 + e^2)) / 2`` pulls and never pushes: f if taut, e^2 / 4|f| if slack, e / 2 in between. With a
largest force F the tension is ``S(f) = P(f) - P(f - F)``, between 0 and F. Both grow with f.
"""

from __future__ import annotations

from math import asinh, inf, sqrt

from pliant.jit import kernel


@kernel
def positive(f: float, e: float) -> tuple[float, float]:
    """Return P(f) and its slope P / sqrt(f^2 + e^2), without cancellation if slack."""
    root = sqrt(f * f + e * e)
    if root == 0.0:
        return 0.0, 0.0
    value = 0.5 * (f + root) if f > 0.0 else 0.5 * e * (e / (root - f))
    return value, value / root


@kernel
def tension(f: float, e: float, largest: float) -> tuple[float, float]:
    """Return S(f) and its slope."""
    value, slope = positive(f, e)
    if largest < inf:
        above, steep = positive(f - largest, e)
        return value - above, slope - steep
    return value, slope


@kernel
def stored(f: float, e: float, largest: float) -> float:
    """Return the integral of S over f; divided by the stiffness, it is the energy of the tendon."""
    total = integral(f, e)
    return total - integral(f - largest, e) if largest < inf else total


@kernel
def integral(f: float, e: float) -> float:
    """Return the integral of P over f, zero at f = 0: ``f P / 2 + e^2 asinh(f / e) / 4``."""
    total = 0.5 * f * positive(f, e)[0]
    return total + 0.25 * e * e * asinh(f / e) if e > 0.0 else total
