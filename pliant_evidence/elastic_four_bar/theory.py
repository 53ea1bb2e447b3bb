"""The elastic four-bar by other means than pliant's: slope-deflection, dynamic stiffness, elastica by collocation.

All three take strips that neither stretch nor shear: they are 600 times longer than thick.
"""

from __future__ import annotations

from math import cos, cosh, pi, sin, sinh, sqrt
from typing import NamedTuple

import numpy as np
from scipy.integrate import solve_bvp
from scipy.optimize import brentq

import pliant as pl
from pliant.errors import ConvergenceError
from pliant_gallery.elastic_four_bar import COLUMN, COUPLER, PUSHED, STRIP


def sway_stiffness(section: pl.Section = STRIP) -> float:
    """Return the force on the coupler per small displacement along x (N/m).

    Slope-deflection of a portal with clamped feet: ``24 EI/H^3 (6k + 1)/(6k + 4)``, k = (EI/L) / (EI/H).
    """
    k = COLUMN / COUPLER
    return 24.0 * section.bending_stiffness / COLUMN**3 * (6.0 * k + 1.0) / (6.0 * k + 4.0)


def rayleigh_frequency(section: pl.Section = STRIP) -> float:
    """Return the sway frequency (Hz) by Rayleigh's quotient of the statically swayed shape: a little high.

    Column: cubic with top displacement 1 and top rotation t; coupler: antisymmetric cubic with end rotations t, which
    moves along x with it. ``t = 6/(4 + 6k) / H`` follows from the moments at a corner, ``6/H^2 - 4t/H = 6k t/H``.
    """
    k, rho = COLUMN / COUPLER, section.mass_per_length
    turn = 6.0 / (4.0 + 6.0 * k) / COLUMN
    z = np.linspace(0.0, 1.0, 2001)
    column = (3.0 * z**2 - 2.0 * z**3) + turn * COLUMN * (z**3 - z**2)
    across = turn * COUPLER * (2.0 * z**3 - 3.0 * z**2 + z)
    mass = rho * (2.0 * COLUMN * np.trapezoid(column**2, z) + COUPLER * (1.0 + np.trapezoid(across**2, z)))
    return sqrt(sway_stiffness(section) / mass) / (2.0 * pi)


def sway_frequency(section: pl.Section = STRIP) -> float:
    """Return the first frequency (Hz) of the linear frame, exact for Euler-Bernoulli strips that do not stretch.

    Unknown are the sway X and the rotation t of a corner. A column is a clamped dynamic stiffness; half of the coupler,
    antisymmetric, is pinned at the corner's height and at its middle, and its mass moves along x.
    """
    EI, rho = section.bending_stiffness, section.mass_per_length

    def determinant(w: float) -> float:
        wave = (rho * w**2 / EI) ** 0.25
        b, c = wave * COLUMN, wave * COUPLER / 2.0
        common = EI / COLUMN / (1.0 - cos(b) * cosh(b))
        shear = common * b**3 * (cos(b) * sinh(b) + sin(b) * cosh(b)) / COLUMN**2
        couple = -common * b**2 * sin(b) * sinh(b) / COLUMN
        moment = common * b * (sin(b) * cosh(b) - cos(b) * sinh(b))
        pinned = 2.0 * EI * wave * sin(c) * sinh(c) / (sin(c) * cosh(c) - cos(c) * sinh(c))
        return (shear - 0.5 * rho * COUPLER * w**2) * (moment + pinned) - couple**2

    estimate = 2.0 * pi * rayleigh_frequency(section)
    return brentq(determinant, 0.9 * estimate, 1.001 * estimate, rtol=1e-14) / (2.0 * pi)


class Held(NamedTuple):
    """The frame at rest with J3 displaced."""

    force: float  # N, along x, that holds J3
    corner: np.ndarray  # (2) J3, m
    middle: np.ndarray  # (2) B, m
    energy: float  # J, of bending


def held(displacement: float = PUSHED, section: pl.Section = STRIP) -> Held:
    """Return the elastica of all three strips as one boundary value problem, by collocation (scipy), load by load.

    Per strip ``psi' = L k``, ``k' = L (h sin psi - v cos psi) / EI``, ``(x, y)' = L (cos psi, sin psi)``; the force
    (h, v) is constant, and h jumps by the holding force at J3.
    """
    EI, lengths, angles = section.bending_stiffness, (COLUMN, COUPLER, COLUMN), (pi / 2, 0.0, -pi / 2)
    corners = ((0.0, 0.0), (0.0, COLUMN), (COUPLER, COLUMN))

    def slope(s: np.ndarray, state: np.ndarray, loads: np.ndarray) -> np.ndarray:
        h, v, force = loads
        rates = []
        for i, length in enumerate(lengths):
            psi, bend = state[4 * i : 4 * i + 2]
            along = h - force * (i == 2)
            turning = (along * np.sin(psi) - v * np.cos(psi)) / EI
            rates += [length * bend, length * turning, length * np.cos(psi), length * np.sin(psi)]
        return np.array(rates)

    def ends(a: np.ndarray, b: np.ndarray, loads: np.ndarray, pushed: float) -> np.ndarray:
        corner = np.array([pi / 2, 0.0, 0.0, 0.0])
        clamps = [a[0] - angles[0], a[2], a[3], b[8] - angles[2], b[10] - COUPLER, b[11]]
        return np.array([*clamps, *(b[:4] - a[4:8] - corner), *(b[4:8] - a[8:] - corner), b[6] - COUPLER - pushed])

    s = np.linspace(0.0, 1.0, 41)
    state = np.array([
        row
        for length, angle, (x, y) in zip(lengths, angles, corners, strict=True)
        for row in (angle + 0 * s, 0 * s, x + length * s * cos(angle), y + length * s * sin(angle))
    ])  # fmt: skip
    loads = np.zeros(3)
    for part in np.linspace(0.0, 1.0, 12)[1:]:
        found = solve_bvp(
            slope, lambda a, b, p, pushed=part * displacement: ends(a, b, p, pushed), s, state, loads, tol=1e-10,
            max_nodes=20000,
        )  # fmt: skip
        if not found.success:
            raise ConvergenceError(f"Elastica held at {part * displacement:g} m: {found.message}")
        s, state, loads = found.x, found.y, found.p
    bends = found.sol(np.linspace(0.0, 1.0, 4001))[1::4]
    energy = 0.5 * EI * sum(length * np.trapezoid(k**2, dx=1 / 4000) for length, k in zip(lengths, bends, strict=True))
    return Held(float(loads[2]), state[6:8, -1], found.sol(0.5)[6:8], float(energy))
