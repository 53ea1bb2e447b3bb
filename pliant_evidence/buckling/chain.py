"""Reissner's beam in pieces between two supports, by collocation: an independent answer for frames and arches.

With N, V the components of the section's force F along and across it and b = 1/EA - 1/GA,

    EI theta'' = -V (1 + N b),    r' = t + N/EA t + V/GA n

F is constant in a piece. With GA = EA, b = 0: rotations equal the inextensible elastica's, and only places differ.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from math import cos, exp, pi, sin, sqrt
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq

from pliant.model import Section


class Piece(NamedTuple):
    """A piece of a beam: length, curvature at rest; at its start the direction turns, and a force acts (load 1)."""

    length: float
    curvature: float = 0.0
    turn: float = 0.0
    force: tuple[float, float] = (0.0, 0.0)


class Point(NamedTuple):
    """An equilibrium: unknowns (angles, force at the base, load), tangent of the path, determinant across it.

    The determinant is given as sign and logarithm; it passes zero where another path crosses.
    """

    z: np.ndarray
    tangent: np.ndarray
    sign: float
    logarithm: float

    @property
    def load(self) -> float:
        """Load factor."""
        return float(self.z[-1])


class End(NamedTuple):
    """Range of a piece among the unknowns, its matrix of moments, and the moment that its curvature takes away."""

    here: slice
    moment: np.ndarray
    rest: float


@dataclass(frozen=True)
class Chain:
    """Pieces from a base to a tip (x, y, theta), each clamped or pinned.

    Unknowns: theta at Chebyshev's points of every piece, the support's force at the base, the load.
    """

    pieces: tuple[Piece, ...]
    base: tuple[float, float, float]
    tip: tuple[float, float, float]
    clamped: tuple[bool, bool]
    section: Section
    degree: int = 24

    def equations(self, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return residual and derivatives: balance at inner points, fit at ends, closure; one fewer than unknowns."""
        EI, EA, GA = self.section.bending_stiffness, self.section.axial_stiffness, self.section.shear_stiffness
        b, n = 1.0 / EA - 1.0 / GA, self.degree + 1
        residual, matrix = np.zeros(z.size - 1), np.zeros((z.size - 1, z.size))
        residual[-2:] = np.subtract(self.base[:2], self.tip[:2])
        by_load = np.zeros(2)
        _, differences, weights = chebyshev(self.degree)
        ends = []
        for k, piece in enumerate(self.pieces):
            here, inner = slice(k * n, k * n + n), slice(k * n + 1, k * n + n - 1)
            first, share = differences * (2.0 / piece.length), weights * (piece.length / 2.0)
            curve = EI * first @ first
            by_load = by_load - piece.force
            theta, F = z[here], z[-1] * by_load - z[-3:-1]
            t, normal = np.array([np.cos(theta), np.sin(theta)]), np.array([-np.sin(theta), np.cos(theta)])
            N, V = F @ t, F @ normal
            by_force = normal * (1.0 + N * b) + t * (V * b)
            residual[inner] = (curve @ theta + V * (1.0 + N * b))[1:-1]
            matrix[inner, here] = (curve + np.diag(V * V * b - N * (1.0 + N * b)))[1:-1]
            matrix[inner, -3:-1], matrix[inner, -1] = -by_force.T[1:-1], (by_load @ by_force)[1:-1]
            residual[-2:] += (t * (1.0 + N / EA) + normal * (V / GA)) @ share
            matrix[-2:, here] = (t * (V * b) + normal * (1.0 + N * b)) * share
            compliance = (t * share) @ t.T / EA + (normal * share) @ normal.T / GA
            matrix[-2:, -3:-1] -= compliance
            matrix[-2:, -1] += compliance @ by_load
            ends.append(End(here, EI * first, EI * piece.curvature))
        self._fit(z, ends, residual, matrix)
        return residual, matrix

    def _fit(self, z: np.ndarray, ends: list[End], residual: np.ndarray, matrix: np.ndarray) -> None:
        """Write first and last row of every piece: direction and moment fit between pieces and at the supports."""
        for (a, b), piece in zip(pairwise(ends), self.pieces[1:], strict=True):
            first, last = b.here.start, b.here.start - 1
            residual[first] = z[first] - z[last] - piece.turn
            matrix[first, first], matrix[first, last] = 1.0, -1.0
            residual[last] = b.moment[0] @ z[b.here] - b.rest - a.moment[-1] @ z[a.here] + a.rest
            matrix[last, b.here], matrix[last, a.here] = b.moment[0], -a.moment[-1]
        supports = zip((0, -1), (ends[0], ends[-1]), self.clamped, (self.base[2], self.tip[2]), strict=True)
        for place, (here, moment, rest), clamped, direction in supports:
            row = range(here.start, here.stop)[place]
            if clamped:
                residual[row], matrix[row, row] = z[row] - direction, 1.0
            else:
                residual[row], matrix[row, here] = moment[place] @ z[here] - rest, moment[place]

    @property
    def at_rest(self) -> np.ndarray:
        """Unknowns of the unstressed shape, its base in the direction given."""
        places, theta, direction = (chebyshev(self.degree)[0] + 1.0) / 2.0, [], self.base[2]
        for piece in self.pieces:
            theta.append(direction + piece.turn + piece.curvature * piece.length * places)
            direction = float(theta[-1][-1])
        return np.concatenate([*theta, np.zeros(3)])

    @property
    def scale(self) -> np.ndarray:
        """Sizes in which the unknowns are measured along a path: a radian in the mean, and forces of 10 EI / L^2."""
        length, angles = sum(piece.length for piece in self.pieces), len(self.pieces) * (self.degree + 1)
        force = 10.0 * self.section.bending_stiffness / length**2
        return np.concatenate([np.full(angles, sqrt(angles)), np.full(3, force)])

    def point(self, z: np.ndarray, tangent: np.ndarray) -> Point:
        """Return the equilibrium across the given tangent from z, by Newton's method."""
        scale, along, size = self.scale, 0.0, np.inf
        for _ in range(15):
            residual, matrix = self.equations(z)
            bordered = np.vstack([matrix * scale, tangent])
            change = np.linalg.solve(bordered, -np.append(residual, along))
            z = z + scale * change
            along += float(tangent @ change)
            last, size = size, float(np.max(np.abs(change)))
            if size < 1e-9 or 0.5 * last < size < 1e-4:  # near a bifurcation rounding errors go sideways
                new = np.linalg.solve(bordered, np.append(np.zeros(residual.size), 1.0))
                sign, logarithm = np.linalg.slogdet(bordered)
                return Point(z, new / np.linalg.norm(new), float(sign), float(logarithm))
        raise ArithmeticError("no equilibrium found")

    def path(self, start: np.ndarray | None = None, *, step: float = 0.1, to: float) -> Iterator[Point]:
        """Yield the equilibria as the load grows from zero, in steps of at most `step`, until its size is beyond `to`.

        start  near the shape without load; the unstressed one unless given
        """
        largest, here = step, self.point(self.at_rest if start is None else start, np.eye(self.scale.size)[-1])
        while abs(here.load) < to:
            yield here
            there = self.next(here, step)
            while there is None or there.tangent @ here.tangent < 0.9:
                step /= 2.0
                there = self.next(here, step)
            step = min(largest, 1.3 * step) if there.tangent @ here.tangent > 0.98 else step
            here = there

    def next(self, here: Point, step: float) -> Point | None:
        """Return the equilibrium at that distance; None where Newton's method fails."""
        try:
            return self.point(here.z + step * self.scale * here.tangent, here.tangent)
        except ArithmeticError:
            return None

    def events(self, start: np.ndarray | None = None, *, step: float = 0.1, to: float) -> Iterator[tuple[str, float]]:
        """Yield limit points and bifurcations of that path: (kind, load)."""
        for a, b in pairwise(self.path(start, step=step, to=to)):
            if a.sign * b.sign < 0.0:
                yield "bifurcation", self._located(a, b, lambda p: p.sign * exp(p.logarithm - a.logarithm))  # noqa: B023
            if a.tangent[-1] * b.tangent[-1] < 0.0:
                yield "limit point", self._located(a, b, lambda p: float(p.tangent[-1]))

    def _located(self, a: Point, b: Point, measure: Callable[[Point], float]) -> float:
        """Load between two points of a path where a measure is zero."""

        def along(s: float) -> Point:
            return self.point(a.z + s * self.scale * a.tangent, a.tangent)

        end = float(((b.z - a.z) / self.scale) @ a.tangent)
        return along(float(brentq(lambda s: measure(along(s)), 0.0, end, xtol=1e-7 * end))).load


def chebyshev(degree: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return points from -1 to 1, differences, weights (L. N. Trefethen, Spectral Methods in MATLAB, 2000)."""
    j = np.arange(degree + 1)
    points = -np.cos(pi * j / degree)
    c = np.where((j == 0) | (j == degree), 2.0, 1.0) * (-1.0) ** j
    apart = points[:, None] - points[None, :] + np.eye(degree + 1)
    differences = np.outer(c, 1.0 / c) / apart
    differences -= np.diag(differences.sum(axis=1))
    powers = np.polynomial.chebyshev.chebvander(points, degree)
    integrals = np.where(j % 2 == 0, 2.0 / (1.0 - j.astype(float) ** 2 + (j == 1)), 0.0)
    return points, differences, np.linalg.solve(powers.T, integrals)


def lee_frame(section: Section) -> Chain:
    """Return Lee's frame with members of length 1, pushed down."""
    pieces = Piece(1.0), Piece(0.2, turn=-pi / 2), Piece(0.8, force=(0.0, -1.0))
    return Chain(pieces, (0.0, 0.0, pi / 2), (1.0, 1.0, 0.0), (False, False), section)


def toggle(length: float, rise: float, section: Section) -> Chain:
    """Return Williams's toggle, pushed down."""
    slope = float(np.arcsin(rise / length))
    half = length * cos(slope)
    pieces = Piece(length), Piece(length, turn=-2.0 * slope, force=(0.0, -1.0))
    return Chain(pieces, (-half, 0.0, slope), (half, 0.0, -slope), (True, True), section)


def arch(half_angle: float, supports: str, section: Section, *, radius: float = 1.0) -> Chain:
    """Return the circular arch pushed down at its crown."""
    half = Piece(radius * half_angle, -1.0 / radius)
    x, y = radius * sin(half_angle), radius * cos(half_angle)
    left, right = (each == "clamped" for each in supports.split("-"))
    pieces = half, half._replace(force=(0.0, -1.0))
    return Chain(pieces, (-x, y, half_angle), (x, y, -half_angle), (left, right), section)


def bistable(shortening: float, supports: str, section: Section) -> tuple[Chain, np.ndarray]:
    """Return beam of length 1 squeezed between supports and pushed down at its middle, and nearly its bowed shape."""
    clamped = supports == "clamped-clamped"
    pieces = Piece(0.5), Piece(0.5, force=(0.0, -1.0))
    chain = Chain(pieces, (0.0, 0.0, 0.0), (1.0 - shortening, 0.0, 0.0), (clamped, clamped), section)
    s = (chebyshev(chain.degree)[0] + 1.0) / 4.0
    s = np.concatenate([s, s + 0.5])
    wave = np.sin(2.0 * pi * s) if clamped else np.cos(pi * s)
    return chain, np.concatenate([2.0 * sqrt(shortening) * wave, [(4.0 if clamped else 1.0) * pi**2, 0.0, 0.0]])
