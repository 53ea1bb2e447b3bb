"""Optima that are known: in closed form, or by a few lines that share no mechanics with pliant."""

from __future__ import annotations

from collections.abc import Callable
from math import exp, pi, sqrt

import numpy as np
from scipy import linalg, optimize

GAUSS = 12
PANELS = 400


def lightest(count: int, least: float) -> tuple[np.ndarray, float]:
    """Return heights h at equal places, linear between, that make a clamped strip of the stiffness of a uniform one (h
    = 1) lightest, and its mass over that one's: ``min int h ds`` with ``int (1 - s)^2 / h^3 ds = 1/3``, by Euler and
    Bernoulli.
    """
    x, weight = np.polynomial.legendre.leggauss(GAUSS)
    edges = np.linspace(0.0, 1.0, count)
    half = 0.5 / (count - 1)
    s = ((edges[:-1] + half)[:, None] + half * x).ravel()
    w = np.tile(half * weight, count - 1)

    def compliance(h: np.ndarray) -> float:
        return float(w @ ((1.0 - s) ** 2 / np.interp(s, edges, h) ** 3)) - 1.0 / 3.0

    def mass(h: np.ndarray) -> float:
        return float(w @ np.interp(s, edges, h))

    found = optimize.minimize(
        mass,
        np.ones(count),
        bounds=[(least, 4.0)] * count,
        constraints=[{"type": "ineq", "fun": lambda h: -compliance(h)}],
        method="SLSQP",
        options={"ftol": 1e-13, "maxiter": 400},
    )
    return found.x, float(found.fun)


SHAPED = 2.0 ** (1.0 / 3.0) * 2.0 / 3.0
"""The same with any shape: h goes with sqrt(1 - s), and the mass is 2^(4/3)/3 of the uniform one's."""

STRONGEST = 4.0 / 3.0
"""Load of the strongest column of a mass, clamped and free, over that of a uniform one with similar sections:
J. B. Keller, The shape of the strongest column, Arch. Rat. Mech. Anal. 5 (1960) 275."""


def strongest(count: int, least: float) -> float:
    """Solve for radii at equal places, linear between: ``P = min int EI t'^2 / int t^2`` over slopes t with t(0) = 0,
    by linear elements.
    """
    s = np.linspace(0.0, 1.0, PANELS + 1)
    middle, h = 0.5 * (s[1:] + s[:-1]), 1.0 / PANELS
    places = np.linspace(0.0, 1.0, count)
    mass = np.zeros((2, PANELS))
    mass[0], mass[1] = 4.0 * h / 6.0, h / 6.0
    mass[0, -1] = 2.0 * h / 6.0

    def load(r: np.ndarray) -> float:
        k = np.interp(middle, places, r) ** 4 / h
        diagonal = k + np.append(k[1:], 0.0)
        form, weight = np.diag(diagonal), np.diag(mass[0])
        for matrix, off in ((form, -k[1:]), (weight, mass[1, :-1])):
            matrix += np.diag(off, 1) + np.diag(off, -1)
        return float(linalg.eigh(form, weight, subset_by_index=[0, 0], eigvals_only=True)[0])

    def volume(r: np.ndarray) -> float:
        a, b = r[:-1], r[1:]
        return float(np.mean((a * a + a * b + b * b) / 3.0))

    uniform = load(np.ones(count))
    found = optimize.minimize(
        lambda r: -load(r) / uniform,
        np.linspace(1.2, 0.6, count),
        bounds=[(least, 4.0)] * count,
        constraints=[{"type": "ineq", "fun": lambda r: 1.0 - volume(r)}],
        method="SLSQP",
        options={"ftol": 1e-10, "maxiter": 200},
    )
    return -float(found.fun)


def quietest(ratio: float) -> tuple[float, float]:
    """Return frequency and damping ratio of the small mass of a tuned damper for the least mean square of the big one
    under white noise: S. H. Crandall, W. D. Mark, Random Vibration in Mechanical Systems, 1963.
    """
    frequency = sqrt(1.0 + 0.5 * ratio) / (1.0 + ratio)
    return frequency, sqrt(ratio * (1.0 + 0.75 * ratio) / (4.0 * (1.0 + ratio) * (1.0 + 0.5 * ratio)))


def den_hartog(ratio: float) -> tuple[float, float]:
    """Return the least resonance: J. P. Den Hartog, Mechanical Vibrations, 4th ed., 1956, section 3.3 (peaks are
    taken to be at the points that damping does not move; the mean of both dampings).
    """
    return 1.0 / (1.0 + ratio), sqrt(3.0 * ratio / (8.0 * (1.0 + ratio) ** 3))


def least_resonance(ratio: float) -> tuple[float, float, float]:
    """Find it without that assumption, by a search on the closed form of the response: frequency and damping ratio,
    and the largest response over the static one.
    """
    rates = np.linspace(0.5, 1.4, 20001)

    def largest(x: np.ndarray) -> float:
        f, z = x
        bottom = (1.0 - rates**2) * (f**2 - rates**2) - ratio * f**2 * rates**2
        spin = 2.0 * z * f * rates
        top = (f**2 - rates**2) ** 2 + spin**2
        return float(np.sqrt(np.max(top / (bottom**2 + spin**2 * (1.0 - (1.0 + ratio) * rates**2) ** 2))))

    tight = {"xatol": 1e-7, "fatol": 1e-10, "maxiter": 2000}
    found = optimize.minimize(largest, den_hartog(ratio), method="Nelder-Mead", options=tight)
    return float(found.x[0]), float(found.x[1]), float(found.fun)


def peak_of_bumper(damping: float) -> float:
    """Return the largest force of ``x'' + 2 d x' + x = 0`` from x = 0 with speed 1, d < 1."""
    root = sqrt(1.0 - damping**2)

    def force(t: float) -> float:
        sine, cosine = np.sin(root * t), np.cos(root * t)
        return float(exp(-damping * t) * ((1.0 - 2.0 * damping**2) / root * sine + 2.0 * damping * cosine))

    places = np.linspace(0.0, pi / root, 400)
    best = places[int(np.argmax([force(t) for t in places]))]
    found = optimize.minimize_scalar(lambda t: -force(t), bounds=(max(best - 0.02, 0.0), best + 0.02), method="bounded")
    return max(-float(found.fun), force(0.0))


def softest_bumper() -> tuple[float, float]:
    """Return the damping ratio of the least peak, and that peak."""
    function: Callable[[float], float] = peak_of_bumper
    found = optimize.minimize_scalar(function, bounds=(0.05, 0.6), method="bounded", options={"xatol": 1e-9})
    return float(found.x), float(found.fun)
