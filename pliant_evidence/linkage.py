"""Planar linkages of rigid bars and thin rods by Lagrange's equations, sharing nothing with pliant but numbers.

A member of length L neither stretches nor shears. Its direction at s = L x is a sum of Legendre polynomials,

    theta(x) = sum_k c_k P_k(2 x - 1),    r(x) = r_base + L int_0^x (cos theta, sin theta) dx

one of them for a rigid bar. The c_k of all members are the coordinates q. Kinetic energy is integrated by Gauss's rule
over velocities ``D q'``, D = dr/dq; bending costs ``EI/2 int theta'^2 ds``. Conditions g(q) = 0 close the loops:

    M q'' = Q - sum m_i D_i^T (D_i' q') - J^T lambda,    J q'' = -J' q'

which SciPy integrates (DOP853). Rayleigh's damping is ``-alpha m_i D_i^T u_i``, u the velocity of a member's points
less the velocity of the rigid motion with its momenta, and ``beta EI`` times the rate of its curvature.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.polynomial import legendre
from scipy.integrate import solve_ivp
from scipy.optimize import root

Array = np.ndarray
POINTS = 14  # of Gauss's rule, in every member


@dataclass(frozen=True)
class Member:
    """A bar or a rod; `base` is a place on the ground, or the number of the member at whose tip it is hinged."""

    length: float
    line_density: float  # kg/m
    base: tuple[float, float] | int
    modes: int = 1  # Legendre polynomials of its direction; 1: rigid
    bending: float = 0.0  # N m^2
    rotary: float = 0.0  # kg m
    damping: tuple[float, float] = (0.0, 0.0)  # alpha (1/s), beta (s)


class Tendon(NamedTuple):
    """Spring and damper along the line between the tips of two members."""

    ends: tuple[int, int]
    stiffness: float
    rest_length: float
    damping: float


class Points(NamedTuple):
    """Places r of points, D = dr/dq and the part of r'' that velocities make."""

    r: Array  # (points, 2)
    D: Array  # (points, 2, n)
    h: Array  # (points, 2)


@dataclass(frozen=True)
class Linkage:
    """Members, with what closes their loops: pairs of tips that coincide, tips that stay on the x axis."""

    members: tuple[Member, ...]
    joined: tuple[tuple[int, int], ...] = ()
    sliding: tuple[int, ...] = ()
    gravity: float = 0.0  # m/s^2, along -y
    tendon: Tendon | None = None
    torque: Callable[[float], float] = field(default=lambda _: 0.0)  # N m, at the base of the first member

    @cached_property
    def size(self) -> int:
        """Return the number of coordinates."""
        return sum(member.modes for member in self.members)

    def place(self, number: int) -> slice:
        """Return coordinates of a member."""
        first = sum(member.modes for member in self.members[:number])
        return slice(first, first + self.members[number].modes)

    def points(self, q: Array, v: Array) -> list[Points]:
        """Return Gauss's points of every member and, last, its tip."""
        found: list[Points] = []
        for number, member in enumerate(self.members):
            at, modes, length = self.place(number), member.modes, member.length
            if isinstance(member.base, int):
                base = Points(*(each[-1] for each in found[member.base]))
            else:
                base = Points(np.array(member.base), np.zeros((2, self.size)), np.zeros(2))
            theta, rate = SHAPES[:, :modes] @ q[at], SHAPES[:, :modes] @ v[at]
            along = length * np.stack([np.cos(theta), np.sin(theta)], axis=1)
            turned = np.stack([-along[:, 1:], along[:, :1]], axis=1) * SHAPES[:, None, :modes]
            D = np.empty((POINTS + 1, 2, self.size))
            D[:] = base.D
            D[:, :, at] += (SUMS @ turned.reshape(POINTS, -1)).reshape(POINTS + 1, 2, modes)
            found.append(Points(base.r + SUMS @ along, D, base.h - SUMS @ (along * rate[:, None] ** 2)))
        return found

    def conditions(self, points: list[Points]) -> tuple[Array, Array, Array]:
        """Return g, J and J' q'."""
        parts = [[a[-1] - b[-1] for a, b in zip(points[i], points[j], strict=True)] for i, j in self.joined]
        parts += [[each[-1, 1:] for each in points[i]] for i in self.sliding]
        g, J, h = (np.concatenate([part[k] for part in parts]) for k in range(3))
        return g, J, h

    def forces(self, t: float, q: Array, v: Array) -> tuple[Array, Array, list[Points]]:
        """Compute mass matrix, generalised forces (the velocities' included) and points."""
        found = self.points(q, v)
        M, Q = np.zeros((self.size, self.size)), np.zeros(self.size)
        for number, (member, points) in enumerate(zip(self.members, found, strict=True)):
            at, mass = self.place(number), member.line_density * member.length * WEIGHTS
            flat, load = points.D[:-1].reshape(-1, self.size), -points.h[:-1]
            load[:, 1] -= self.gravity
            alpha, beta = member.damping
            if alpha:
                load -= alpha * flexing(points.r[:-1], (flat @ v).reshape(-1, 2), mass)
            heavy = flat * np.repeat(mass, 2)[:, None]
            M += heavy.T @ flat
            Q += load.ravel() @ heavy
            M[at, at] += member.rotary * member.length * SPREAD[: member.modes, : member.modes]
            bent = member.bending / member.length * CURVED[: member.modes, : member.modes]
            Q[at] -= bent @ (q[at] + beta * v[at])
        if self.tendon is not None:
            a, b = (found[end] for end in self.tendon.ends)
            line, slope = b.r[-1] - a.r[-1], b.D[-1] - a.D[-1]
            length = float(np.hypot(*line))
            rate = line @ (slope @ v) / length
            pull = self.tendon.stiffness * (length - self.tendon.rest_length) + self.tendon.damping * rate
            Q -= pull / length * (line @ slope)
        Q[self.place(0)] += self.torque(t) * (-1.0) ** np.arange(self.members[0].modes)
        return M, Q, found

    def acceleration(self, t: float, q: Array, v: Array) -> Array:
        """Return q''."""
        M, Q, points = self.forces(t, q, v)
        _, J, h = self.conditions(points)
        n = self.size
        table = np.zeros((n + len(h), n + len(h)))
        table[:n, :n], table[:n, n:], table[n:, :n] = M, J.T, J
        return np.asarray(np.linalg.solve(table, np.concatenate([Q, -h]))[:n])

    def motion(self, start: Array, times: Array, *, accuracy: float = 1e-9, method: str = "DOP853") -> Array:
        """Return (coordinates, instants) from rest, by a method of scipy."""

        def slope(t: float, state: Array) -> Array:
            q, v = np.split(state, 2)
            return np.concatenate([v, self.acceleration(t, q, v)])

        state = np.concatenate([start, np.zeros(self.size)])
        span = float(times[0]), float(times[-1])
        run = solve_ivp(slope, span, state, method, times, rtol=accuracy, atol=0.01 * accuracy)
        return np.asarray(run.y[: self.size])

    def closed(self, guess: Array, *, held: tuple[int, ...]) -> Array:
        """Return the guess with closed loops; what is not held must follow from the conditions."""
        free = np.setdiff1d(np.arange(self.size), held)

        def gaps(unknown: Array) -> Array:
            q = guess.copy()
            q[free] = unknown
            return self.conditions(self.points(q, np.zeros(self.size)))[0]

        q = guess.copy()
        q[free] = root(gaps, guess[free], tol=1e-14).x
        return q

    def rest(self, guess: Array, *, held: tuple[int, ...] = ()) -> Array:
        """Return an equilibrium near the guess, with some coordinates held where they are in it."""
        free = np.setdiff1d(np.arange(self.size), held)

        def unbalanced(unknown: Array) -> Array:
            q = guess.copy()
            q[free] = unknown[: free.size]
            _, Q, points = self.forces(0.0, q, np.zeros(self.size))
            g, J, _ = self.conditions(points)
            return np.concatenate([(Q - J.T @ unknown[free.size :])[free], g])

        conditions = 2 * len(self.joined) + len(self.sliding)
        found = root(unbalanced, np.concatenate([guess[free], np.zeros(conditions)]), tol=1e-12)
        if not found.success:
            raise RuntimeError(f"no equilibrium found: {found.message}")
        q = guess.copy()
        q[free] = found.x[: free.size]
        return q

    def tip(self, number: int, q: Array) -> Array:
        """Return (2,) where the tip of a member is."""
        return np.asarray(self.points(q, np.zeros(self.size))[number].r[-1])


def flexing(r: Array, v: Array, mass: Array) -> Array:
    """Return (points, 2) velocities less the rigid motion's with the same momentum and angular momentum."""
    total = mass.sum()
    arm, u = r - mass @ r / total, v - mass @ v / total
    spin = mass @ (arm[:, 0] * u[:, 1] - arm[:, 1] * u[:, 0]) / (mass @ (arm**2).sum(axis=1))
    return np.asarray(u - spin * np.stack([-arm[:, 1], arm[:, 0]], axis=1))


def _tables(points: int) -> tuple[Array, Array, Array, Array, Array]:
    """Return Legendre polynomials at Gauss's points of (0, 1), weights, integrals up to them and to 1, of products."""
    x, weights = legendre.leggauss(points)
    shapes = legendre.legvander(x, points - 1)
    by_mode = (np.arange(points)[:, None] + 0.5) * weights * shapes.T  # coefficients from values at the points
    running = np.array([legendre.legval(x, legendre.legint(row, lbnd=-1)) for row in np.eye(points)]).T @ by_mode
    slopes = np.array([legendre.legval(x, legendre.legder(row)) for row in np.eye(points)]).T
    spread, curved = 0.5 * shapes.T @ (weights[:, None] * shapes), 2.0 * slopes.T @ (weights[:, None] * slopes)
    return shapes, 0.5 * weights, 0.5 * np.vstack([running, weights]), spread, curved


SHAPES, WEIGHTS, SUMS, SPREAD, CURVED = _tables(POINTS)
