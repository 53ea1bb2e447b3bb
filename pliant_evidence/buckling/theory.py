"""Exact answers for the classical problems: the elastica in elliptic integrals, trusses, low arches, flutter.

Beams have length 1 and EI = 1. With GA = EA the rotations of Reissner's beam equal the inextensible elastica's,
and a constant force F moves its tip by F/EA besides (see `chain`).
"""

from __future__ import annotations

from math import cos, pi, sin, sqrt
from typing import NamedTuple

import numpy as np
from scipy.integrate import solve_ivp
from scipy.linalg import eigvals, null_space
from scipy.optimize import brentq, fsolve
from scipy.special import ellipe, ellipk, jv

from pliant_evidence.buckling.chain import chebyshev


def column_loads(supports: str, count: int) -> list[float]:
    """Return loads at which a straight column branches; tan x = x where a side force takes part."""
    tangents = [brentq(lambda x: np.sin(x) - x * np.cos(x), n * pi, (n + 0.5) * pi) for n in range(1, count + 1)]
    loads = {
        "pinned-pinned": [(n * pi) ** 2 for n in range(1, count + 1)],
        "clamped-free": [((n - 0.5) * pi) ** 2 for n in range(1, count + 1)],
        "clamped-clamped": sorted([(2.0 * n * pi) ** 2 for n in range(1, count + 1)] + [4.0 * x * x for x in tangents]),
        "clamped-pinned": [x * x for x in tangents],
    }
    return [float(load) for load in loads[supports][:count]]


class Buckled(NamedTuple):
    """A buckled column: distance of its ends, deflection where that is largest."""

    distance: float
    deflection: float


def buckled_column(supports: str, load: float, *, axial_stiffness: float) -> Buckled:
    """Return the first mode in quarter waves: ``sqrt(P/EI) L = n K(k)``; heights 2 k / sqrt(P/EI), bases 2 E/K - 1.

    n = 2 pinned-pinned, 1 clamped-free, 4 clamped-clamped, where the deflection is two heights.
    """
    quarters, heights = {"pinned-pinned": (2, 1), "clamped-free": (1, 1), "clamped-clamped": (4, 2)}[supports]
    m = float(brentq(lambda m: quarters * ellipk(m) - sqrt(load), 0.0, 1.0 - 1e-12, xtol=1e-15))
    base = 2.0 * ellipe(m) / ellipk(m) - 1.0
    return Buckled(float(base) - load / axial_stiffness, heights * 2.0 * sqrt(m) / sqrt(load))


def buckled_clamped_pinned(load: float, *, axial_stiffness: float) -> Buckled:
    """Solve a beam with a clamped base and a tip guided along x, by shooting: moment and side force at the base.

    ``theta'' = -P sin theta - Q cos theta``; `deflection` belongs to the middle.
    """

    def shot(unknown: np.ndarray) -> np.ndarray:
        moment, side = unknown

        def slope(_: float, state: np.ndarray) -> list[float]:
            theta, bend = state[2:]
            along, across = cos(theta) - load / axial_stiffness, sin(theta) + side / axial_stiffness
            return [along, across, bend, -load * sin(theta) - side * cos(theta)]

        run = solve_ivp(
            slope, (0.0, 1.0), [0.0, 0.0, 0.0, moment], method="DOP853", t_eval=[0.5, 1.0], rtol=1e-12, atol=1e-13
        )
        return np.asarray(run.y)

    k = sqrt(column_loads("clamped-pinned", 1)[0])
    size = 2.5 * sqrt(load / k**2 - 1.0)  # the linear shape theta = a (cos ks + k sin ks - 1), Q = a P
    unknown = fsolve(lambda u: shot(u)[[1, 3], 1], [size * k * k / 4.0, size * load / 4.0], xtol=1e-13)
    end = shot(unknown)
    return Buckled(float(end[0, 1]), abs(float(end[1, 0])))


class Events(NamedTuple):
    """Loads at a limit point and at a bifurcation; None where no such event exists."""

    limit: float | None
    bifurcation: float | None


def truss(height: float) -> Events:
    """Return events of von Mises's truss of springs of stiffness 1, half span 1, pushed down by F = 2 (l0 - l) y / l.

    dF/dy = 0 where ``l^3 = l0``; the apex slips sideways where ``1 + y^2 (1 - l0 / l) = 0``, which is
    ``l^3 - l0 l^2 + l0 = 0`` and has a root if l0^2 > 27/4.
    """
    rest = sqrt(1.0 + height**2)

    def load(length: float) -> float:
        return 2.0 * (rest - length) * sqrt(length**2 - 1.0) / length

    roots = np.roots([1.0, -rest, 0.0, rest])
    sideways = [float(root.real) for root in roots if abs(root.imag) < 1e-9 and 1.0 < root.real < rest]
    return Events(load(rest ** (1.0 / 3.0)), load(max(sideways)) if sideways else None)


def truss_in_series(height: float, series: float) -> tuple[float, float]:
    """Return how far the top of a soft spring over the truss is down where it turns back, and forth again.

    ``d = height - y + F(y) / series`` with dd/dy = 0, F' = 2 (l0 / l^3 - 1).
    """
    rest = sqrt(1.0 + height**2)
    y = brentq(lambda y: 2.0 * (rest * (1.0 + y * y) ** -1.5 - 1.0) - series, 0.0, height)
    drop = y - 2.0 * (rest / sqrt(1.0 + y * y) - 1.0) * y / series
    return height - drop, height + drop


def sine_arch(rise: float) -> Events:
    """Load q of the low arch a sin(pi x) under q sin(pi x), in units of 2 r pi^4 EI / L^4; a = 2 r rise.

    With b the amplitude in the same unit ``q = a - b + (a^2 - b^2) b``: a limit point where 3 b^2 = a^2 - 1, and a
    bifurcation into sin 2 pi x where the thrust reaches four times Euler's, a^2 - b^2 = 4.
    """

    def load(b: float) -> float:
        return rise - b + (rise**2 - b**2) * b

    limit = load(sqrt((rise**2 - 1.0) / 3.0)) if rise > 1.0 else None
    return Events(limit, load(sqrt(rise**2 - 4.0)) if rise > 2.0 else None)


def heavy_column() -> float:
    """Return the weight under which a cantilever buckles: ``q = (9/4) j^2``, J_-1/3(j) = 0 (A. G. Greenhill 1881)."""
    return 2.25 * float(brentq(lambda x: jv(-1.0 / 3.0, x), 1.0, 2.5)) ** 2


def pflueger_column() -> float:
    """Return tangential load on a column between pins, which follows and yet buckles it statically (A. Pflueger 1950).

    With u = D^2 v and s = 1 - x it is ``D^2 u + q s u = 0``, u = 0 at both ends: ``q = (9/4) j^2``, J_1/3(j) = 0.
    """
    return 2.25 * float(brentq(lambda x: jv(1.0 / 3.0, x), 2.0, 4.0)) ** 2


def follower_flutter(*, distributed: bool = False) -> float:
    """Return the flutter load of a cantilever pushed along its tangent: at its tip (M. Beck), or evenly (H. Leipholz).

    ``D^4 v + N D^2 v = w^2 v``, N = p or p (1 - x), with v = D v = 0 at the clamp and D^2 v = D^3 v = 0 at the tip. By
    collocation; halved in on where two frequencies meet.
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


def follower_cantilever(force: float, *, axial_stiffness: float) -> tuple[float, float]:
    """Return tip (x, y) of a cantilever under a force that stays across its tip.

    Seen from the tip the force is constant: from there back to the clamp this is an initial-value problem.
    """

    def slope(_: float, state: np.ndarray) -> list[float]:
        theta, bend = state[2:]
        return [cos(theta), sin(theta) - force / axial_stiffness, bend, cos(theta) * force]

    back = solve_ivp(slope, (0.0, 1.0), np.zeros(4), method="DOP853", rtol=1e-12, atol=1e-14).y[:, -1]
    turned = complex(back[0], back[1]) * np.exp(-1j * back[2])
    return float(turned.real), -float(turned.imag)


ZIEGLER_FLUTTER = 3.5 - sqrt(2.0)
"""``2 w^4 - (7 - 2 P) w^2 + 1 = 0`` has a double root: masses 2 and 1, springs and rods 1."""
ZIEGLER_DAMPED = 41.0 / 28.0
"""The limit for equal dampers that vanish: less than without any (Ziegler's paradox); c^2 / 2 is added to it."""
DEAD_PENDULUM = (3.0 - sqrt(5.0)) / 2.0, (3.0 + sqrt(5.0)) / 2.0
"""``P^2 - 3 P + 1 = 0``: the same under a load that keeps its direction."""
RING_PRESSURE, RING_DEAD = 3.0, 4.0
"""Ring, load per length in units of EI / R^3: normal pressure (M. Levy 1884), dead radial load (S. R. Bodner 1958)."""
