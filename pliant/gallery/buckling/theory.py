"""Independent answers: the elastica in closed form, Reissner's beam by shooting, trusses, low arches, flutter.

Reissner's beam has ``r' = R(theta) (1 + N/EA, V/GA)`` and ``M' = -r' x F``. With GA = EA this is ``r' = t + F/EA``, so
that ``M' = -t x F``: its rotations are those of the inextensible elastica, and only places differ, by the integral of
F/EA.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from math import cos, exp, pi, sin, sqrt
from typing import NamedTuple

import numpy as np
from scipy.integrate import solve_ivp
from scipy.linalg import eigvals, null_space
from scipy.optimize import brentq
from scipy.special import ellipe, ellipk, jv

from pliant.model import Section


class Buckled(NamedTuple):
    """A buckled column of length 1 and EI = 1: load, distance of its ends, deflection where it is largest."""

    load: float
    distance: float
    deflection: float


def buckled_column(supports: str, angle: float, *, mode: int = 1, axial_stiffness: float = np.inf) -> Buckled:
    """The elastica in quarter waves, ``L sqrt(P/EI) = n K(k)``, k = sin(angle / 2), angle the largest slope.

    A quarter wave has the height ``2 k / sqrt(P/EI)`` and the base ``(2 E/K - 1)`` of its length. A mode has n quarter
    waves: 2 mode pinned-pinned, 2 mode - 1 clamped-free, 4 in the first mode clamped-clamped, whose height is two.
    """
    n, heights = {
        "pinned-pinned": (2 * mode, 1),
        "clamped-free": (2 * mode - 1, 1),
        "clamped-clamped": (4 * mode, 2),
    }[supports]
    k = sin(angle / 2)
    K, E = ellipk(k * k), ellipe(k * k)
    load = (n * K) ** 2
    return Buckled(load, 2.0 * E / K - 1.0 - load / axial_stiffness, heights * 2.0 * k / sqrt(load))


def column_loads(supports: str, count: int) -> list[float]:
    """Loads at which a straight column of length 1 and EI = 1 branches; tan x = x where a side force takes part."""
    tangents = [brentq(lambda x: np.sin(x) - x * np.cos(x), n * pi, (n + 0.5) * pi) for n in range(1, count + 1)]
    loads = {
        "pinned-pinned": [(n * pi) ** 2 for n in range(1, count + 1)],
        "clamped-free": [((n - 0.5) * pi) ** 2 for n in range(1, count + 1)],
        "clamped-clamped": sorted([(2.0 * n * pi) ** 2 for n in range(1, count + 1)] + [4.0 * x * x for x in tangents]),
        "clamped-pinned": [x * x for x in tangents],
    }
    return [float(load) for load in loads[supports][:count]]


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


@dataclass(frozen=True)
class Chain:
    """Reissner's beam in pieces between two supports, by collocation at Chebyshev's points.

    With N, V the components of F along and across the section and b = 1/EA - 1/GA,
    ``EI theta'' = -V (1 + N b)`` at the inner points of each piece; moment and direction fit at its ends; the integral of
    ``r' = t + N/EA t + V/GA n`` closes the chain. Unknowns: theta at all points, F at the base, the load.
    """

    pieces: tuple[Piece, ...]
    base: tuple[float, float, float]
    tip: tuple[float, float, float]
    clamped: tuple[bool, bool]
    section: Section
    degree: int = 24

    def equations(self, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Residual and its derivatives; one equation fewer than unknowns."""
        EI, EA, GA = self.section.bending_stiffness, self.section.axial_stiffness, self.section.shear_stiffness
        b, n, size = 1.0 / EA - 1.0 / GA, self.degree + 1, z.size
        residual, matrix = np.zeros(size - 1), np.zeros((size - 1, size))
        residual[-2:] = np.subtract(self.base[:2], self.tip[:2])
        force, by_load = -z[-3:-1], np.zeros(2)  # of the rest of the beam on a section; minus the support's
        _, differences, weights = chebyshev(self.degree)
        ends = []
        for k, piece in enumerate(self.pieces):
            here = slice(k * n, k * n + n)
            by_load = by_load - piece.force
            theta, first = z[here], differences * (2.0 / piece.length)
            t, normal = np.array([np.cos(theta), np.sin(theta)]), np.array([-np.sin(theta), np.cos(theta)])
            F = force + z[-1] * by_load
            N, V = F @ t, F @ normal
            inner = slice(k * n + 1, k * n + n - 1)
            curve = EI * first @ first
            by_force = normal * (1.0 + N * b) + t * (V * b)
            residual[inner] = (curve @ theta + V * (1.0 + N * b))[1:-1]
            matrix[inner, here] = (curve + np.diag(V * V * b - N * (1.0 + N * b)))[1:-1]
            matrix[inner, -3:-1], matrix[inner, -1] = -by_force.T[1:-1], (by_load @ by_force)[1:-1]
            share = weights * (piece.length / 2.0)
            residual[-2:] += (t * (1.0 + N / EA) + normal * (V / GA)) @ share
            matrix[-2:, here] = (t * (V * b) + normal * (1.0 + N * b)) * share
            compliance = (t * share) @ t.T / EA + (normal * share) @ normal.T / GA
            matrix[-2:, -3:-1] -= compliance
            matrix[-2:, -1] += compliance @ by_load
            ends.append((here, EI * first, EI * piece.curvature))
        for (before, left, bent), (here, right, rest), piece in zip(ends, ends[1:], self.pieces[1:], strict=False):
            first, last = here.start, before.stop - 1  # direction and moment fit where two pieces meet
            residual[first], matrix[first, [first, last]] = z[first] - z[last] - piece.turn, (1.0, -1.0)
            residual[last] = right[0] @ z[here] - rest - left[-1] @ z[before] + bent
            matrix[last, here], matrix[last, before] = right[0], -left[-1]
        outer = (0, *ends[0], self.clamped[0], self.base[2]), (-1, *ends[-1], self.clamped[1], self.tip[2])
        for place, here, moment, rest, clamped, direction in outer:
            row = here.start if place == 0 else here.stop - 1
            if clamped:
                residual[row], matrix[row, row] = z[row] - direction, 1.0
            else:
                residual[row], matrix[row, here] = moment[place] @ z[here] - rest, moment[place]
        return residual, matrix

    @property
    def at_rest(self) -> np.ndarray:
        """Unknowns of the unstressed shape, its base in the direction given."""
        places = (chebyshev(self.degree)[0] + 1.0) / 2.0
        theta, direction = [], self.base[2]
        for piece in self.pieces:
            theta.append(direction + piece.turn + piece.curvature * piece.length * places)
            direction = theta[-1][-1]
        return np.concatenate([*theta, np.zeros(3)])

    @property
    def scale(self) -> np.ndarray:
        """Sizes in which the unknowns are measured along a path: radians, and forces of 10 EI / L^2."""
        length = sum(piece.length for piece in self.pieces)
        angles = np.full(len(self.pieces) * (self.degree + 1), np.sqrt(len(self.pieces) * (self.degree + 1)))
        return np.concatenate([angles, np.full(3, 10.0 * self.section.bending_stiffness / length**2)])

    def point(self, z: np.ndarray, tangent: np.ndarray) -> Point:
        """The equilibrium across the given tangent from z, by Newton's method."""
        scale, along, size = self.scale, 0.0, np.inf
        for _ in range(15):
            residual, matrix = self.equations(z)
            bordered = np.vstack([matrix * scale, tangent])
            change = np.linalg.solve(bordered, -np.append(residual, along))
            z = z + scale * change
            along += tangent @ change
            last, size = size, float(np.max(np.abs(change)))
            if size < 1e-9 or 0.5 * last < size < 1e-4:  # near a bifurcation rounding errors go sideways
                new = np.linalg.solve(bordered, np.append(np.zeros(residual.size), 1.0))
                return Point(z, new / np.linalg.norm(new), *map(float, np.linalg.slogdet(bordered)))
        raise ArithmeticError("no equilibrium found")

    def path(self, start: np.ndarray | None = None, *, step: float = 0.1, to: float) -> Iterator[Point]:
        """Equilibria from rest (or an equilibrium without load) as the load grows, until its size is beyond `to`; `step` is the largest."""
        growing, largest = np.eye(self.scale.size)[-1], step
        here = self.point(self.at_rest if start is None else start, growing)
        while abs(here.load) < to:
            yield here
            there = self.next(here, step)
            while there is None or there.tangent @ here.tangent < 0.9:
                step /= 2.0
                there = self.next(here, step)
            step = min(largest, 1.3 * step) if there.tangent @ here.tangent > 0.98 else step
            here = there

    def next(self, here: Point, step: float) -> Point | None:
        """The equilibrium at that distance; None where Newton's method fails."""
        try:
            return self.point(here.z + step * self.scale * here.tangent, here.tangent)
        except ArithmeticError:
            return None

    def events(self, start: np.ndarray | None = None, *, step: float = 0.1, to: float) -> Iterator[tuple[str, float]]:
        """Limit points and bifurcations of that path: (kind, load)."""

        def located(a: Point, b: Point, measure: Callable[[Point], float]) -> float:
            def along(s: float) -> Point:
                return self.point(a.z + s * self.scale * a.tangent, a.tangent)

            end = float(((b.z - a.z) / self.scale) @ a.tangent)
            return along(brentq(lambda s: measure(along(s)), 0.0, end, xtol=1e-7 * end)).load

        for a, b in pairwise(self.path(start, step=step, to=to)):
            if a.sign * b.sign < 0.0:
                yield "bifurcation", located(a, b, lambda point, a=a: point.sign * exp(point.logarithm - a.logarithm))
            if a.tangent[-1] * b.tangent[-1] < 0.0:
                yield "limit point", located(a, b, lambda point: float(point.tangent[-1]))


def chebyshev(degree: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Points cos(pi (n - j) / n) in [-1, 1], matrix of differences, weights (L. N. Trefethen, Spectral Methods, 2000)."""
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
    """Lee's frame with members of length 1, and a load of -1 along y."""
    pieces = Piece(1.0), Piece(0.2, turn=-pi / 2), Piece(0.8, force=(0.0, -1.0))
    return Chain(pieces, (0.0, 0.0, pi / 2), (1.0, 1.0, 0.0), (False, False), section)


def toggle(length: float, rise: float, section: Section) -> Chain:
    """Williams's toggle, pushed down."""
    slope = float(np.arcsin(rise / length))
    half = length * cos(slope)
    pieces = Piece(length), Piece(length, turn=-2.0 * slope, force=(0.0, -1.0))
    return Chain(pieces, (-half, 0.0, slope), (half, 0.0, -slope), (True, True), section)


def arch(half_angle: float, supports: str, section: Section, *, radius: float = 1.0) -> Chain:
    """Circular arch pushed down at its crown."""
    half = Piece(radius * half_angle, -1.0 / radius)
    x, y = radius * sin(half_angle), radius * cos(half_angle)
    left, right = (each == "clamped" for each in supports.split("-"))
    pieces = half, half._replace(force=(0.0, -1.0))
    return Chain(pieces, (-x, y, half_angle), (x, y, -half_angle), (left, right), section)


def bistable(shortening: float, supports: str, section: Section) -> tuple[Chain, np.ndarray]:
    """Beam of length 1 squeezed between supports and pushed down at its middle, and its bowed shape without load."""
    clamped = supports == "clamped-clamped"
    pieces = Piece(0.5), Piece(0.5, force=(0.0, -1.0))
    chain = Chain(pieces, (0.0, 0.0, 0.0), (1.0 - shortening, 0.0, 0.0), (clamped, clamped), section)
    s = (chebyshev(chain.degree)[0] + 1.0) / 4.0
    s = np.concatenate([s, s + 0.5])
    wave = np.sin(2.0 * pi * s) if clamped else np.cos(pi * s)
    guess = np.concatenate([2.0 * sqrt(shortening) * wave, [(4.0 if clamped else 1.0) * pi**2, 0.0, 0.0]])
    return chain, guess


class Events(NamedTuple):
    """Loads at which something happens; None: it does not."""

    limit: float | None
    bifurcation: float | None


def truss(height: float) -> Events:
    """Von Mises's truss of two springs of stiffness 1 over a half span of 1, pushed down by F = 2 (l0 - l) y / l.

    dF/dy = 0 where ``l^3 = l0``; the apex slips sideways where ``1 + y^2 (1 - l0 / l) = 0``, which is
    ``l^3 - l0 l^2 + l0 = 0`` and has a root if l0^2 > 27/4.
    """
    rest = sqrt(1.0 + height**2)

    def load(length: float) -> float:
        return 2.0 * (rest - length) * sqrt(length**2 - 1.0) / length

    roots = np.roots([1.0, -rest, 0.0, rest])
    sideways = [float(root.real) for root in roots if abs(root.imag) < 1e-9 and 1.0 < root.real < rest]
    return Events(load(rest ** (1.0 / 3.0)), load(max(sideways)) if sideways else None)


def truss_in_series(height: float, series: float) -> list[float]:
    """Drops of the upper end of the spring at which it turns: d = height - y + F(y) / series has dd/dy = 0."""
    rest = sqrt(1.0 + height**2)

    def force(y: float) -> float:
        return 2.0 * (rest / sqrt(1.0 + y * y) - 1.0) * y

    def slope(y: float) -> float:  # of d, with F' = 2 (l0 / l^3 - 1)
        return -1.0 + 2.0 * (rest * (1.0 + y * y) ** -1.5 - 1.0) / series

    if slope(0.0) <= 0.0:
        return []
    y = brentq(slope, 0.0, height)
    return [height - y + force(y) / series, height + y - force(y) / series]


def sine_arch(rise: float) -> Events:
    """Load q of the low arch a sin(pi x) under q sin(pi x), in units of 2 r pi^4 EI / L^4; a = 2 r rise.

    With b the amplitude in the same unit ``q = a - b + (a^2 - b^2) b``: a limit point where 3 b^2 = a^2 - 1, and a
    bifurcation into sin 2 pi x where the thrust reaches four times Euler's, a^2 - b^2 = 4.
    """

    def load(b: float) -> float:
        return rise - b + (rise**2 - b**2) * b

    limit = load(sqrt((rise**2 - 1.0) / 3.0)) if rise > 1.0 else None
    return Events(limit, load(sqrt(rise**2 - 4.0)) if rise > 2.0 else None)


def follower_cantilever(force: float, *, axial_stiffness: float = np.inf) -> tuple[float, float]:
    """Tip (x, y) of a cantilever of length 1 and EI = GA/EA = 1 under a force across its tip that turns with it.

    Seen from the tip the force is constant: from there to the clamp this is an initial-value problem.
    """

    def slope(_: float, state: np.ndarray) -> list[float]:
        x, y, theta, _ = state
        return [cos(theta), sin(theta) - force / axial_stiffness, state[3], cos(theta) * force]

    # s runs from the tip to the clamp: the tip's frame looks back along the beam, moments grow with the arm
    end = solve_ivp(slope, (0.0, 1.0), [0.0, 0.0, 0.0, 0.0], method="DOP853", rtol=1e-12, atol=1e-14).y[:, -1]
    x, y, theta, _ = end
    turned = complex(x, y) * np.exp(-1j * theta)
    return float(turned.real), -float(turned.imag)


def follower_flutter(*, distributed: bool = False) -> float:
    """Flutter load of a cantilever pushed along its tangent (units EI / L^2): Beck's column, or Leipholz's.

    ``D^4 v + N D^2 v = w^2 v``, N = p, or p (1 - x), with v = D v = 0 at the clamp and D^2 v = D^3 v = 0 at the tip,
    where the force turns along. By collocation; halved in on where two frequencies meet.
    """
    x, D, _ = chebyshev(24)
    x, D = (x + 1.0) / 2.0, 2.0 * D
    D2 = D @ D
    push = np.diag(1.0 - x if distributed else np.ones_like(x))
    free = null_space(np.array([np.eye(x.size)[0], D[0], D2[-1], (D2 @ D)[-1]]))
    inner = slice(2, -2)

    def flutters(load: float) -> bool:
        squares = eigvals((D2 @ D2 + load * push @ D2)[inner] @ free, free[inner])
        lowest = squares[np.argsort(np.abs(squares))[:2]]
        return bool(np.max(np.abs(lowest.imag)) > 1e-6)

    low, high = 10.0, 60.0
    while high - low > 1e-7:
        middle = 0.5 * (low + high)
        low, high = (low, middle) if flutters(middle) else (middle, high)
    return high


def heavy_column() -> float:
    """Weight (units EI / L^2) under which a cantilever buckles: ``q = (9/4) j^2``, J_-1/3(j) = 0 (Greenhill 1881)."""
    return 2.25 * float(brentq(lambda x: jv(-1.0 / 3.0, x), 1.0, 2.5)) ** 2


def pflueger_column() -> float:
    """Tangential load (units EI / L^2) on a column between pins: it follows, and yet buckles statically (Pflueger 1950).

    With u = D^2 v and s = 1 - x it is ``D^2 u + q s u = 0``, u = 0 at both ends: ``q = (9/4) j^2``, J_1/3(j) = 0.
    """
    return 2.25 * float(brentq(lambda x: jv(1.0 / 3.0, x), 2.0, 4.0)) ** 2


ZIEGLER_FLUTTER = 3.5 - sqrt(2.0)
"""``2 w^4 - (7 - 2 P) w^2 + 1 = 0`` has a double root: masses 2 and 1, springs and rods 1."""
ZIEGLER_DAMPED = 41.0 / 28.0
"""The limit for equal dampers that vanish (Ziegler's paradox), without the term in the square of the damping."""
DEAD_PENDULUM = ((3.0 - sqrt(5.0)) / 2.0, (3.0 + sqrt(5.0)) / 2.0)
"""``P^2 - 3 P + 1 = 0``: the same under a load that keeps its direction."""
RING_PRESSURE, RING_DEAD = 3.0, 4.0
"""Ring, load per length in units of EI / R^3: normal pressure (M. Levy 1884), dead radial load (S. R. Bodner 1958)."""
