"""The leg without finite elements: the elastica by elliptic integrals, and the whole leg as a boundary value problem.

The leaf is Reissner's beam. ``n`` is the force that the part beyond s exerts on the part before it, ``w`` the weight:

    r' = R(theta) (1 + N / EA, V / GA),  theta' = M / EI,  M' = -(r' x n),  n' = -w,  (N, V) = R(theta)^T n

It is hinged at both ends. The tendon pulls the same ends together with ``T = k (|B - A| - l0)``. The free link is in
balance about its pivot under n, T and its weight. Shooting from A finds theta, n and the free angle. Along the leaf
theta is a polynomial that satisfies the equations at the nodes of Gauss, up to rounding.
"""

from __future__ import annotations

from collections.abc import Callable
from math import atan2, hypot, pi, sin, sqrt
from typing import NamedTuple

import numpy as np
from numpy.polynomial.legendre import leggauss, legvander
from scipy.optimize import brentq, minimize_scalar, root
from scipy.special import ellipe, ellipj, ellipk, elliprd, elliprf

from pliant.errors import ConvergenceError
from pliant_gallery.leg import LEG, LegParameters, tip

NODES = 40
WAY, SHARES = leggauss(NODES)  # along the leaf from -1 to 1


def integrals(places: np.ndarray) -> np.ndarray:
    """Return the (places, nodes) matrix from values at the nodes to integrals from -1 to places of their polynomial.

    The polynomial is ``sum_k c_k P_k``, and the integral of P_k is ``(P_{k+1} - P_{k-1}) / (2 k + 1)``.
    """
    P, k = legvander(places, NODES), np.arange(NODES)
    of_each = np.column_stack([P[:, 0] + P[:, 1], (P[:, 2:] - P[:, :-2]) / (2 * k[1:] + 1)])
    return np.asarray(of_each @ ((k[:, None] + 0.5) * legvander(WAY, NODES - 1).T * SHARES))


INTEGRALS = integrals(WAY)
STEPS = 30


def euler_load(given: LegParameters = LEG) -> float:
    """Return pi^2 EI / L^2 (N), pinned, inextensible, without shear."""
    return float(pi**2 * given.section.bending_stiffness / given.leaf_length**2)


def buckling_load(given: LegParameters = LEG) -> float:
    """Return the buckling load of Reissner's beam: ``P (1 - P / EA + P / GA) = pi^2 EI / L^2`` (N)."""
    softening = 1.0 / given.section.shear_stiffness - 1.0 / given.section.axial_stiffness
    return float(2.0 * euler_load(given) / (1.0 + sqrt(1.0 + 4.0 * softening * euler_load(given))))


class Elastica(NamedTuple):
    """A pinned inextensible leaf, bent to one side: thrust along the chord (N), offset of its middle (m), end angle."""

    load: float
    deflection: float
    end_angle: float  # between tangent and chord (rad)
    chord: float  # m

    def shape(self, length: float, s: np.ndarray) -> np.ndarray:
        """Return points (along, across) the chord at the fractions s of the length, (n, 2) m."""
        modulus = sin(0.5 * self.end_angle)
        quarter = ellipk(modulus**2)
        u = quarter * (2.0 * np.asarray(s) - 1.0)  # argument of Jacobi's functions, zero at the middle
        sn, cn, dn, _ = ellipj(u, modulus**2)
        second = sn * elliprf(cn**2, dn**2, 1.0) - modulus**2 / 3.0 * sn**3 * elliprd(cn**2, dn**2, 1.0)  # E(am u)
        along = 0.5 * self.chord + (2.0 * second - u) * length / (2.0 * quarter)
        return np.stack([along, self.deflection * cn], axis=1)


def elastica(chord: float, given: LegParameters = LEG) -> Elastica:
    """Compute the leaf with its ends `chord` apart, by elliptic integrals of modulus ``k = sin(end angle / 2)``:

    ``P = (2 K / L)^2 EI``, ``chord = L (2 E / K - 1)``, ``deflection = k L / K``.
    """
    length = given.leaf_length
    parameter = brentq(lambda m: 2.0 * ellipe(m) / ellipk(m) - 1.0 - chord / length, 0.0, 1.0 - 1e-12, xtol=1e-15)
    quarter, modulus = ellipk(parameter), sqrt(parameter)
    load = (2.0 * quarter / length) ** 2 * given.section.bending_stiffness
    return Elastica(float(load), float(modulus * length / quarter), 2.0 * float(np.arcsin(modulus)), chord)


class Posture(NamedTuple):
    """An equilibrium of the leg."""

    q1: float  # rad
    q3: float  # rad
    tension: float  # N
    chord: float  # m, from A to B
    middle: tuple[float, float]  # the leaf's middle (m)
    deflection: float  # of the middle from the chord, outward positive (m)
    axial_strain: float  # largest along the leaf
    unknowns: np.ndarray  # theta (rad), n_x, n_y (N) at A, and the free angle; a guess for a neighbour


def equilibrium(
    given: LegParameters = LEG, *, hold: str = "q3", side: float = 1.0, guess: np.ndarray | None = None
) -> Posture:
    """Find the rest of the bent leg, outward (side +1) or inward (-1); `guess` (a neighbour's unknowns) replaces it."""
    leg = _Leg(given, hold)
    start = leg.first_guess(side) if guess is None else guess
    return leg.posture(_solve(lambda z: leg.residual(z, leg.tension(z[3])), start, leg.scale))


def fold(given: LegParameters = LEG, *, hold: str = "q3", side: float = 1.0) -> float:
    """Return the largest rest length (m) at which the leg can rest bent to a side: the end of a cut-off branch.

    The free angle is given, the tension is computed, and its rest length is largest at the fold.
    """
    leg = _Leg(given, hold)
    known = equilibrium(given, hold=hold, side=side)
    steps = leg.straight + (known.unknowns[3] - leg.straight) * np.geomspace(1.0, 1e-3, 31)
    unknowns, lengths = np.array([*known.unknowns[:3], known.tension]), []
    scale = leg.scale * [1.0, 1.0, 1.0, euler_load(given)]

    def rest_length(free: float) -> float:
        nonlocal unknowns
        unknowns = _solve(lambda z: leg.residual(np.array([*z[:3], free]), z[3]), unknowns, scale)
        return leg.chord(free) - float(unknowns[3]) / given.tendon_stiffness

    for free in steps:  # towards the straight leaf until the rest length falls again
        lengths.append(rest_length(free))
        if len(lengths) > 2 and lengths[-1] < lengths[-2]:
            break
    else:
        raise ConvergenceError("The branch has no fold: without weight it ends at the straight leaf.")
    last = len(lengths) - 1
    between = sorted((steps[last - 2], steps[last]))
    found = minimize_scalar(lambda free: -rest_length(free), bounds=between, method="bounded", options={"xatol": 1e-9})
    return -float(found.fun)


def _solve(residual: Callable[[np.ndarray], np.ndarray], start: np.ndarray, scale: np.ndarray) -> np.ndarray:
    found = root(lambda z: residual(z * scale), start / scale, tol=1e-13)
    if np.abs(residual(found.x * scale)).max() > 1e-9:
        raise ConvergenceError(f"The leg's boundary value problem was not solved: {found.message}")
    return np.asarray(found.x * scale)


class _Leg:
    """Residual of the boundary value problem."""

    def __init__(self, given: LegParameters, hold: str) -> None:
        self.given, self.hold, self.section = given, hold, given.section
        self.weight = -given.gravity * self.section.mass_per_length
        self.scale = np.array([1.0, euler_load(given), euler_load(given), 1.0])
        self.straight = given.straight(hold)[0 if hold == "q3" else 1]  # free angle of the straight leg
        self._shape = np.zeros(NODES)  # theta of the leaf computed last: a guess for the next

    def angles(self, free: float) -> tuple[float, float]:
        return (float(free), 0.0) if self.hold == "q3" else (0.0, float(free))

    def ends(self, free: float) -> tuple[np.ndarray, np.ndarray]:
        q1, q3 = self.angles(free)
        given = self.given
        a, b = tip(given.lower_pivot, given.lower_length, q1), tip(given.upper_pivot, given.upper_length, q3)
        return np.array(a), np.array(b)

    def chord(self, free: float) -> float:
        return float(hypot(*np.subtract(*self.ends(free))))

    def tension(self, free: float) -> float:
        return self.given.tendon_stiffness * (self.chord(free) - self.given.tendon_rest_length)

    def leaf(self, unknowns: np.ndarray, places: np.ndarray | None = None) -> np.ndarray:
        """Return states x, y, theta, M at the end of the leaf, or at places (m) along it."""
        first, n_x, n_y, free = unknowns
        EA, GA, EI = (getattr(self.section, f"{kind}_stiffness") for kind in ("axial", "shear", "bending"))
        half, soft = 0.5 * self.given.leaf_length, 1.0 / EA - 1.0 / GA
        n_y = n_y - self.weight * half * (1.0 + WAY)
        twice = half**2 / EI * INTEGRALS @ INTEGRALS  # from M' to theta
        theta, gap = self._shape + (first - self._shape[0]), np.inf
        for _ in range(STEPS):  # Newton; the gap after a small one is its square
            c, s = np.cos(theta), np.sin(theta)
            N, V = c * n_x + s * n_y, c * n_y - s * n_x
            turning = -V * (1.0 + soft * N)  # M'
            if np.max(np.abs(gap)) < 1e-8:
                break
            gap = theta - first - twice @ turning
            theta = theta - np.linalg.solve(np.eye(NODES) - twice * (N + soft * (N**2 - V**2)), gap)
        else:
            raise ConvergenceError("The leaf was not integrated: these forces coil it up.")
        self._shape, stretch, shear = theta, 1.0 + N / EA, V / GA
        curvature = half / EI * INTEGRALS @ turning
        slopes = np.column_stack([c * stretch - s * shear, s * stretch + c * shear, curvature, turning])
        along = SHARES if places is None else integrals(places / half - 1.0)
        return np.asarray([*self.ends(free)[0], first, 0.0] + half * along @ slopes)

    def residual(self, unknowns: np.ndarray, tension: float) -> np.ndarray:
        """Return gap and moment at B, and moment of the free link about its pivot, over length and Euler load."""
        given, force = self.given, unknowns[1:3]
        a, b = self.ends(unknowns[3])
        pull = tension * (b - a) / hypot(*(b - a))
        if self.hold == "q3":
            arm, load, mass = a - given.lower_pivot, force + pull, given.lower_mass
        else:
            tip_force = force - [0.0, self.weight * given.leaf_length]
            arm, load, mass = b - given.upper_pivot, -tip_force - pull, given.upper_mass
        turning = arm[0] * load[1] - arm[1] * load[0] - 0.5 * mass * given.gravity * arm[0]
        x, y, _, moment = self.leaf(unknowns)
        parts = np.array([x - b[0], y - b[1], *(np.array([moment, turning]) / self.scale[1])])
        return parts / given.leaf_length

    def first_guess(self, side: float) -> np.ndarray:
        """Return the weightless inextensible leg: the chord at which the elastica's thrust is the tendon's tension."""
        given = self.given

        def unbalance(chord: float) -> float:
            return given.tendon_stiffness * (chord - given.tendon_rest_length) - elastica(chord, given).load

        bent = elastica(brentq(unbalance, 0.3 * given.leaf_length, (1.0 - 1e-9) * given.leaf_length), given)
        turn = 0.4 * pi if self.hold == "q3" else -0.4 * pi  # shortens the chord
        free = brentq(lambda angle: self.chord(angle) - bent.chord, self.straight, self.straight + turn)
        a, b = self.ends(free)
        direction = atan2(b[1] - a[1], b[0] - a[0])
        thrust = -bent.load * (b - a) / bent.chord
        return np.array([direction - side * bent.end_angle, *thrust, free])

    def posture(self, unknowns: np.ndarray) -> Posture:
        free, length = unknowns[3], self.given.leaf_length
        a, b = self.ends(free)
        places = np.linspace(0.0, length, 101)
        x, y, theta, _ = self.leaf(unknowns, places).T
        axial = unknowns[1] * np.cos(theta) + (unknowns[2] - self.weight * places) * np.sin(theta)
        along, to_middle = (b - a) / hypot(*(b - a)), np.array([x[50], y[50]]) - a
        return Posture(
            *self.angles(free),
            tension=self.tension(free),
            chord=self.chord(free),
            middle=(float(x[50]), float(y[50])),
            deflection=float(along[1] * to_middle[0] - along[0] * to_middle[1]),
            axial_strain=float(np.abs(axial).max() / self.section.axial_stiffness),
            unknowns=unknowns,
        )
