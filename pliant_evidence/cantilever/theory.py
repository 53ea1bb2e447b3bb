"""Exact answers for the cantilever: closed forms, Reissner's beam by shooting, Timoshenko's frequency equation."""

from __future__ import annotations

import numpy as np
from scipy.integrate import solve_ivp
from scipy.linalg import eigh, expm
from scipy.optimize import brentq
from scipy.special import ellipe, ellipeinc, ellipkinc, ellipkm1

from pliant.model import Beam


def bending_deflection(beam: Beam, force: float, load: float) -> float:
    """Return Euler-Bernoulli tip deflection (m) under a tip force (N) and a load per length (N/m); thesis eq. 3.20."""
    return float((force / 3.0 + load * beam.length / 8.0) * beam.length**3 / beam.section.bending_stiffness)


def shear_deflection(beam: Beam, force: float, load: float) -> float:
    """Return what Timoshenko's theory adds to the deflection (m)."""
    return float((force + 0.5 * load * beam.length) * beam.length / beam.section.shear_stiffness)


def large_deflection(beam: Beam, force: float, load: float) -> float:
    """Return the tip deflection (m) of Reissner's beam: the clamp's moment is found such that the tip has none.

    ``theta' = M / EI``, ``r' = R(theta) (1 + N / EA, V / GA)``, ``M' = -(r' x F)``, F(s) the force beyond s.
    """
    section, length = beam.section, beam.length

    def slope(s: float, state: np.ndarray) -> list[float]:
        theta, moment = state[2:]
        down = -force - load * (length - s)
        stretch = 1.0 + down * np.sin(theta) / section.axial_stiffness
        shear = down * np.cos(theta) / section.shear_stiffness
        x = stretch * np.cos(theta) - shear * np.sin(theta)
        y = stretch * np.sin(theta) + shear * np.cos(theta)
        return [x, y, moment / section.bending_stiffness, -x * down]

    def shot(moment: float) -> np.ndarray:
        path = solve_ivp(slope, (0.0, length), [0.0, 0.0, 0.0, moment], method="DOP853", rtol=1e-12, atol=1e-14)
        return np.asarray(path.y[:, -1])

    largest = (force + load * length) * length
    clamp = brentq(lambda moment: shot(moment)[3], -largest, -0.5 * largest, xtol=1e-14 * largest, rtol=1e-14)
    return -float(shot(clamp)[1])


def elastica_tip(load: float) -> tuple[float, float]:
    """Return the tip (x, deflection) of a cantilever of length 1 that neither stretches nor shears, under F L^2 / EI.

    ``sqrt(load) = K(m) - F(t, m)``, m = (1 + sin phi)/2, sin t = 1/sqrt(2 m), phi the angle of the tip (K.E. Bisshopp,
    D.C. Drucker, Large deflection of cantilever beams, Q. Appl. Math. 3, 1945).
    """

    def first(m: float) -> float:
        return float(np.arcsin(np.sqrt(0.5 / m)))

    def shortfall(
        log: float,
    ) -> float:  # in the logarithm of 1 - m: high loads turn the tip to within rounding of 90 deg
        m = 1.0 - np.exp(log)
        return float(ellipkm1(np.exp(log)) - ellipkinc(first(m), m) - root)

    root = np.sqrt(load)
    m = 1.0 - np.exp(brentq(shortfall, np.log(1e-300), np.log(0.5 - 1e-12), xtol=1e-14))
    bent = float(ellipe(m) - ellipeinc(first(m), m))
    return float(np.sqrt(2.0 * (2.0 * m - 1.0)) / root), 1.0 - 2.0 * bent / float(root)


def frequencies(beam: Beam, count: int) -> list[float]:
    """Return lowest frequencies (Hz) of a clamped-free Timoshenko beam: bending from its transfer matrix, and axial.

    State (v, psi, M, Q): ``v' = psi + Q / GA``, ``psi' = M / EI``, ``M' = -Q - rhoI w^2 psi``, ``Q' = -rhoA w^2 v``.
    The tip is free for some M and Q at the clamp where the determinant of that block vanishes.
    """
    section, length = beam.section, beam.length

    def determinant(w: float) -> float:
        slope = np.zeros((4, 4))
        slope[0, 1], slope[0, 3] = 1.0, 1.0 / section.shear_stiffness
        slope[1, 2] = 1.0 / section.bending_stiffness
        slope[2, 1], slope[2, 3] = -section.rotary_inertia * w**2, -1.0
        slope[3, 0] = -section.mass_per_length * w**2
        return float(np.linalg.det(expm(length * slope)[2:, 2:]))

    unit = np.sqrt(section.bending_stiffness / section.mass_per_length) / length**2
    grid = unit * np.linspace(0.1, np.pi * (count + 1), 30 * count) ** 2
    signs = np.sign([determinant(w) for w in grid])
    bending = [brentq(determinant, grid[i], grid[i + 1], rtol=1e-14) for i in np.flatnonzero(np.diff(signs))]
    speed = np.sqrt(section.axial_stiffness / section.mass_per_length)
    axial = [(n - 0.5) * np.pi * speed / length for n in range(1, count + 1)]
    return [float(w) / (2.0 * np.pi) for w in sorted([*bending, *axial])[:count]]


def reduced_element_frequencies(beam: Beam, elements: int, count: int) -> list[float]:
    """Return lowest frequencies (Hz) of a clamped-free beam of two-node elements, from matrices written out here.

    Shear is integrated at one point; u, v and psi are interpolated linearly, in the mass too: the thesis's text.
    """
    section, h = beam.section, beam.length / elements
    slope, mass = np.array([[1.0, -1.0], [-1.0, 1.0]]) / h, np.array([[2.0, 1.0], [1.0, 2.0]]) * h / 6.0
    shear = np.array([-1.0 / h, -0.5, 1.0 / h, -0.5])  # v' - psi at the middle, from (v1, psi1, v2, psi2)
    bent, heavy = section.shear_stiffness * h * np.outer(shear, shear), np.zeros((4, 4))
    bent[1::2, 1::2] += section.bending_stiffness * slope
    heavy[::2, ::2], heavy[1::2, 1::2] = section.mass_per_length * mass, section.rotary_inertia * mass
    axial = section.axial_stiffness * slope, section.mass_per_length * mass
    squares: list[float] = []
    for width, pair in ((2, (bent, heavy)), (1, axial)):
        size = width * (elements + 1)
        whole = np.zeros((2, size, size))
        for e in range(elements):
            place = slice(width * e, width * (e + 2))
            whole[:, place, place] += pair
        K, M = whole[:, width:, width:]
        squares += eigh(K, M, eigvals_only=True).tolist()
    return [float(np.sqrt(square)) / (2.0 * np.pi) for square in sorted(squares)[:count]]
