"""Mechanisms that spin: closed forms, and beams by a program that shares nothing with the elements."""

from __future__ import annotations

from math import atan2, sqrt

import numpy as np
import scipy.linalg
from numpy.polynomial import legendre

TERMS = 16
_SQUARE = legendre.poly2leg([0.25, 0.5, 0.25])  # x^2, of xi = 2 x - 1


def flap(rate: float, hub: float = 0.0, count: int = 3) -> np.ndarray:
    """Return angular frequencies out of the plane of rotation of a uniform inextensible Euler beam of unit length, mass
    per length and bending stiffness, clamped at the radius ``hub``:

        w'''' - (T w')' = omega^2 w,     T = rate^2 (hub (1 - x) + (1 - x^2)/2)

    by Ritz with x^2 P_k(2 x - 1), P_k Legendre's polynomials, whose products are integrated exactly.
    """
    xi, weight = legendre.leggauss(TERMS + 6)
    x, weight = 0.5 * (xi + 1.0), 0.5 * weight
    base = [legendre.legmul(_SQUARE, np.eye(TERMS)[k]) for k in range(TERMS)]
    shapes, slopes, bends = (
        np.array([2.0**n * legendre.legval(xi, legendre.legder(each, n)) for each in base]) for n in range(3)
    )
    tension = rate**2 * (hub * (1.0 - x) + 0.5 * (1.0 - x**2))
    stiffness = (bends * weight) @ bends.T + (slopes * weight * tension) @ slopes.T
    mass = (shapes * weight) @ shapes.T
    return np.asarray(np.sqrt(scipy.linalg.eigh(stiffness, mass, eigvals_only=True)[:count]))


def lag(rate: float, hub: float = 0.0, count: int = 3) -> np.ndarray:
    """Return frequencies in the plane of rotation, where the centrifugal force follows: omega^2 = flap^2 - rate^2."""
    return np.asarray(np.sqrt(flap(rate, hub, count) ** 2 - rate**2))


def stretched(length: float, wave_number: float) -> float:
    """Return length of a rod that spins about its end: x'' + k^2 x = 0 with x(0) = 0, x'(L) = 1, k^2 = rho rate^2/E."""
    return float(np.tan(wave_number * length) / wave_number)


def whirl(rate: float, stiffness: float, across: float, along: float) -> tuple[float, float]:
    """Return angular frequencies (forward, backward) in fixed axes of a disc that tilts on a stiffness (N m/rad), with
    the inertias across and along its axis: ``J_t w^2 - J_p rate w - k = 0``.
    """
    middle = 0.5 * along * rate / across
    root = sqrt(middle**2 + stiffness / across)
    return middle + root, root - middle


def euler(rate: float, about: float, other: float, third: float) -> complex:
    """Return the eigenvalue of a free spin about a principal axis: ``l^2 J2 J3 = -rate^2 (J1 - J2)(J1 - J3)``."""
    square = -(about - other) * (about - third) / (other * third)
    return rate * (complex(sqrt(square)) if square > 0.0 else 1j * sqrt(-square))


def damped_jeffcott(rate: float, frequency: float, inner: float, outer: float) -> np.ndarray:
    """Return eigenvalues in turning axes of a rotor with dampings (1/s) that turn with it and that stand still:
    ``z'' + (2 i rate + inner + outer) z' + (frequency^2 - rate^2 + i rate outer) z = 0``, z = x + i y.
    """
    return np.roots([1.0, 2j * rate + inner + outer, frequency**2 - rate**2 + 1j * rate * outer])


def pendulum_angle(rate: float, length: float, gravity: float) -> float:
    """Return the angle from the vertical of a pendulum on a hub that turns about the vertical: cos = g/(rate^2 L)."""
    cosine = gravity / (rate**2 * length)
    return atan2(sqrt(1.0 - cosine**2), cosine)
