"""Modes of a dynamic stiffness K(omega^2), without missing one.

``K(s) x = 0`` with s = omega^2 is nonlinear in s if the interiors of parts were eliminated. The number of modes below s
is known (Wittrick, Williams 1971),

    J(s) = negative eigenvalues of K(s) + J0(s),    J0: modes below s of the interiors with all nodes fixed

so that mode k is where J passes k. Newton's method for the whole pencil, ``(K(s) - t M(s)) x = 0`` with M = -dK/ds,
converges to s + t quadratically; if a step leaves the interval of the mode, or decreases too slowly, the interval is
halved instead.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np

from pliant.errors import ConvergenceError

TOLERANCE = 1e-11  # relative to s: last step, after which the error is its square, or rounding
ROUNDING = 1e-5  # relative to s: a smaller step that no longer decreases is rounding
ASIDE = 1e-14  # relative to K / M: distance from a mode to evaluate a pencil that is singular there
MASSLESS = 1e-14  # of the largest mass
LIMIT = 80
WIDER = 4.0  # factor to raise s while too few modes are below it


class DynamicStiffness(Protocol):
    """Dynamic stiffness of a vibrating mechanism at its nodes."""

    def stiffness(self, square: float) -> tuple[Any, Any]:
        """Return K(s) and M(s) = -dK/ds of the freedoms, without joints."""

    @property
    def scale(self) -> float:
        """Return a square of the size of the lowest mode of the interiors."""

    def inside(self, square: float) -> int:
        """Return J0(s)."""

    def momenta(self, square: float, x: np.ndarray) -> np.ndarray:
        """Return (freedoms,) forces of inertia over s of a vibration x, with exact resultants."""


class Modes(NamedTuple):
    """Squares omega^2, with vectors x and momenta in columns, and masses x^T M(s) x."""

    squares: np.ndarray
    vectors: np.ndarray
    momenta: np.ndarray
    masses: np.ndarray


class Pencil(NamedTuple):
    """The pencil at s: its eigenvalues t in rising order and vectors, M(s), modes below s at nodes and inside."""

    shifts: np.ndarray
    vectors: np.ndarray
    mass: Any
    negative: int
    inside: int

    @property
    def below(self) -> int:
        """Return J(s)."""
        return self.negative + self.inside

    def place(self, k: int) -> int:
        """Return the index of the eigenvalue that leads to mode k (from 0; rounding may add some); -1: none."""
        found = int(np.searchsorted(self.shifts, 0.0)) + k - self.below
        return found if 0 <= found < self.shifts.size else -1


def pencil(stiffness: np.ndarray, mass: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
    """Compute all t and x of K x = t M x with mass, and the number of negative eigenvalues of K.

    Use 1/t of ``L^T K^-1 L y = y / t`` with M = L L^T: the t next to zero are the most accurate. At a mode an
    eigenvalue of K is rounding; it is counted with the sign of its t, so that count and t agree.
    """
    values, turned = np.linalg.eigh(0.5 * (mass + mass.T))
    heavy = values > MASSLESS * np.max(values, initial=0.0)
    root = turned[:, heavy] * np.sqrt(values[heavy])
    aside = 0.0
    try:
        follow = np.linalg.solve(stiffness, root)
    except np.linalg.LinAlgError:  # singular to the last bit: s is a mode
        aside = ASIDE * float(np.linalg.norm(stiffness) / np.linalg.norm(mass))
        follow = np.linalg.solve(stiffness + aside * mass, root)
    inverse, shapes = np.linalg.eigh(0.5 * (root.T @ follow + follow.T @ root))
    shifts = 1.0 / inverse - aside
    order = np.argsort(shifts)
    curvatures = np.linalg.eigvalsh(stiffness)
    rounding = len(curvatures) * np.finfo(float).eps * np.max(np.abs(curvatures), initial=0.0)
    doubtful = int(np.sum(np.abs(curvatures) <= rounding))
    nearest = shifts[np.argsort(np.abs(shifts))[:doubtful]]
    negative = int(np.sum(curvatures < -rounding)) + int(np.sum(nearest < 0.0))
    return shifts[order], (follow @ shapes)[:, order], negative


def exact_modes(dynamic: DynamicStiffness, basis: np.ndarray, guesses: np.ndarray, first: int, count: int) -> Modes:
    """Compute modes ``first`` to ``count`` on the motions ``basis`` of the joints, from guesses of all squares."""
    known: dict[float, Pencil] = {}

    def at(square: float) -> Pencil:
        if square not in known:
            stiffness, mass = dynamic.stiffness(square)
            k, m = (basis.T @ (matrix @ basis) for matrix in (stiffness, mass))
            try:
                shifts, vectors, negative = pencil(0.5 * (k + k.T), m)
            except np.linalg.LinAlgError as error:
                raise ConvergenceError(
                    f"The modes were not found: marching along the rods ends in no numbers at omega^2 = {square:.3g}. "
                    "Give a smaller step= or more subintervals to compile."
                ) from error
            known[square] = Pencil(shifts, vectors, mass, negative, dynamic.inside(square))
        return known[square]

    guesses = guesses if guesses.size else np.array([dynamic.scale])
    found = [_mode(at, k, float(guesses[min(k, guesses.size - 1)]), known) for k in range(first, count)]
    squares = np.array([square for square, _, _ in found])
    vectors = np.array([basis @ x for _, x, _ in found]).reshape(-1, len(basis)).T
    momenta = [dynamic.momenta(s, x) for s, x in zip(squares, vectors.T, strict=True)]
    masses = [x @ (mass @ x) for x, (_, _, mass) in zip(vectors.T, found, strict=True)]
    return Modes(squares, vectors, np.array(momenta).reshape(-1, len(basis)).T, np.array(masses))


def _mode(
    at: Callable[[float], Pencil], k: int, square: float, known: dict[float, Pencil]
) -> tuple[float, np.ndarray, Any]:
    """Compute mode k (the first is 0): its square, vector, and the mass matrix there."""
    low = max((s for s, found in known.items() if found.below <= k), default=-np.inf)
    high = min((s for s, found in known.items() if found.below > k), default=np.inf)
    size = max(abs(square), 1e-300)
    if not low < square < high:
        square = _point_between(low, high, size)
    before = np.inf
    for _ in range(LIMIT):
        found = at(square)
        low, high = (max(low, square), high) if found.below <= k else (low, min(high, square))
        place = found.place(k)
        shift = float(found.shifts[place]) if place >= 0 else np.nan
        size = max(abs(square), abs(shift) if np.isfinite(shift) else 0.0, size if square == 0.0 else 0.0)
        rounding = abs(shift) <= ROUNDING * size and abs(shift) > 0.5 * before
        if abs(shift) <= TOLERANCE * size or rounding:
            return square + shift, found.vectors[:, place], found.mass
        if high - low <= TOLERANCE * size:
            if at(high).inside > at(low).inside:  # a mode of the interiors, with nodes at rest
                return square, np.zeros(len(found.vectors)), found.mass
            return square, found.vectors[:, int(np.argmin(np.abs(found.shifts)))], found.mass
        slow = abs(shift) > 0.5 * before  # as near a frequency of the interiors, where K(s) has a pole
        before = abs(shift)
        square += shift
        if slow or not low < square < high:
            square = _point_between(low, high, size)
    raise ConvergenceError(
        f"Mode {k + 1} was not found: it lies between omega^2 = {low:.6g} and {high:.6g}. Ask for fewer modes."
    )


def _point_between(low: float, high: float, size: float) -> float:
    """Return a point in an interval that may be unbounded."""
    if np.isfinite(low + high):
        return 0.5 * (low + high)
    if np.isfinite(low):
        return low + WIDER * max(abs(low), size)
    return high - WIDER * max(abs(high), size) if np.isfinite(high) else size
