"""Coefficients of generalized-alpha, Newmark's family and the midpoint rule."""

from __future__ import annotations

from typing import Any, NamedTuple

from pliant.jit import kernel
from pliant.jit.bundle import Bundle
from pliant.solvers.stepping.methods import Momentum, Newmark, Radau5


class Scheme(Bundle):
    """Coefficients of a method."""

    alpha_m: float
    alpha_f: float
    beta: float
    gamma: float
    momentum: bool = False  # midpoint rule in momentum form instead (see midpoint.py)


class Coefficients(NamedTuple):
    """Derivatives of velocity, algorithmic acceleration and acceleration by Newton's increment dq."""

    velocity: float
    abar: float
    acceleration: float


def scheme(spectral_radius: float) -> Scheme:
    """Return second-order coefficients for a spectral radius (Chung, Hulbert 1993; thesis eq. 5.50)."""
    rho = spectral_radius
    alpha_m, alpha_f = (2.0 * rho - 1.0) / (rho + 1.0), rho / (rho + 1.0)
    return Scheme(alpha_m, alpha_f, 0.25 * (1.0 - alpha_m + alpha_f) ** 2, 0.5 - alpha_m + alpha_f)


def newmark(beta: float = 0.25, gamma: float = 0.5) -> Scheme:
    """Return Newmark's family; the default is the trapezoidal rule."""
    return Scheme(0.0, 0.0, beta, gamma)


def momentum() -> Scheme:
    """Return the midpoint rule in momentum form: increments halfway change velocity and acceleration as in Newmark."""
    return Scheme(0.0, 0.0, 0.25, 0.5, momentum=True)


def scheme_of(method: Any) -> Scheme:
    """Return the coefficients of a method; zeros for Radau."""
    if isinstance(method, Radau5):
        return Scheme(0.0, 0.0, 0.0, 0.0)
    if isinstance(method, Momentum):
        return momentum()
    if isinstance(method, Newmark):
        return newmark(method.beta, method.gamma)
    return scheme(method.spectral_radius)


@kernel
def coefficients(scheme: Scheme, h: float) -> Coefficients:
    """Return the derivatives of velocity and accelerations by q+."""
    cbar = 1.0 / (scheme.beta * h * h)
    cm = cbar * (1.0 - scheme.alpha_m) / (1.0 - scheme.alpha_f)
    return Coefficients(scheme.gamma / (scheme.beta * h), cbar, cm)
