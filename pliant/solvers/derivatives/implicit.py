"""Derivatives of an equilibrium by numbers in its equations, by the implicit function theorem.

    R(x; p) = 0,  x = (q, lambda)   ->   R_x x' = -R_p

R_x is the tangent with the joints, factorised once. R_p, an explicit function of p, and derivatives along x' are
central differences of fourth order (`Line`). The remainder of ``R_p + R_x x'``, also by differences, corrects x' and
estimates its error, so that an inexact tangent costs no accuracy.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from pliant._libraries import sparse
from pliant.errors import SingularError
from pliant.system.packing.along_derivative import NearbySystems
from pliant.system.state import Matrices, State

PLACES = (-2, -1, 1, 2)
WEIGHTS = (1.0 / 12.0, -2.0 / 3.0, 2.0 / 3.0, -1.0 / 12.0)  # f' h = sum of w f(k h), error h^5 f^(5) / 30
PAIR, HALVES = (-1, 1), (-0.5, 0.5)  # error h^2 f''' / 6
STEP, SMALL, MOVED = 1e-3, 1e-5, 3e-5  # of the size of a parameter; SMALL for pairs, MOVED where a pair moves x
WIDE = (-4, -3, -2, -1.5, -1, -0.5, 0.5, 1, 1.5, 2, 3, 4)  # two differences of eighth order, with a step and its half
EIGHTH = np.array([1 / 280, -4 / 105, 1 / 5, -4 / 5, 4 / 5, -1 / 5, 4 / 105, -1 / 280])  # error h^8 f^(9) / 630
WHOLE, HALF = [0, 1, 2, 4, 7, 9, 10, 11], [2, 3, 4, 5, 6, 7, 8, 9]  # places of each in `WIDE`
FAR = (1e-2, 3e-2, 2e-3, 3e-4, 3e-5)  # of a length, a rad and a parameter's size: wide steps, in order of trial
AGREED = 3e-7  # relative agreement of a derivative with the one by half the step that is accepted
ROUGH = 1e-4  # rounding of a derivative; a larger difference may be a kink
VERY_ROUGH = 1e-3  # rounding of a derivative with a shorter step
CERTAIN = 3.0  # times the distance of two values: with few values rounding is underestimated
DISPLACEMENT = 3e-5  # lengths or rad, along x': stiff axes stiffen bending by DISPLACEMENT^4 EA L^2 / EI there
SHORTEST = 1e-3  # of a step: a kink nearer than this is at the state
LONGER = 10.0  # steps: the stiffness of slender beams has large numbers that cancel, and rounding costs digits
LEAST = 1e-3  # of a value over its parameter: smaller slopes are measured against this
EXACT, ROUNDS = 1e-11, 8  # corrections of x', relative, and how many
EPSILON = float(np.finfo(float).eps)
ROUNDING = 1e-12  # of a stiffness times a length of the model: smaller forces are rounding
LITTLE = 1e-6  # of x': rounding of stiff axes
KINK = 0.1  # of the slope, and of the second difference: smallest jump of the slope


Residuals = Callable[
    [Any, np.ndarray, np.ndarray, np.ndarray], np.ndarray
]  # see `pliant.solvers.derivatives.directional_derivatives`


@dataclass(frozen=True)
class Tangent:
    """Factorised matrix of an equilibrium: displacements over lengths of the model, reactions over stiffness."""

    factors: Any
    unit: np.ndarray  # of displacements
    rows: np.ndarray  # sizes of the rows of G
    size: float  # of the stiffness

    @staticmethod
    def of(matrices: Matrices, unit: np.ndarray, soft: np.ndarray) -> Tangent:
        """Factorise ``[K G^T; G -soft]``; redundant rows are slightly soft, which corrections remove again."""
        stiffness, ties = sparse.coo_array(matrices.stiffness), sparse.coo_array(matrices.ties)
        n, m = unit.size, ties.shape[0]
        softened = stiffness.data * unit[stiffness.row] * unit[stiffness.col]
        size = float(np.max(np.abs(softened), initial=0.0)) or 1.0
        tied = ties.data * unit[ties.col]
        rows = np.sqrt(np.bincount(ties.row, tied * tied, minlength=m))
        rows = np.where(rows > 0.0, rows, 1.0)
        tied = tied / rows[ties.row]
        own = np.arange(n, n + m)
        data = np.concatenate([softened / size, tied, tied, -soft])
        places = [stiffness.row, n + ties.row, ties.col, own], [stiffness.col, ties.col, n + ties.row, own]
        row, column = (np.concatenate(each) for each in places)
        whole = sparse.csc_array((data, (row, column)), shape=(n + m, n + m))
        try:
            return Tangent(sparse.linalg.splu(whole), unit, rows, size)
        except RuntimeError as error:
            raise SingularError("the tangent of this equilibrium is singular: it has no derivatives.") from error

    def solve(self, force: np.ndarray, gap: np.ndarray) -> np.ndarray:
        """Return (..., q', lambda') of ``[K G^T; G 0] x = (force, gap)``, for one or several right-hand sides."""
        found = self.factors.solve(np.concatenate([force * self.unit / self.size, gap / self.rows], axis=-1).T).T
        n = self.unit.size
        if not np.all(np.isfinite(found)):
            raise SingularError("the tangent of this equilibrium is singular: it has no derivatives.")
        return np.concatenate([found[..., :n] * self.unit, found[..., n:] * self.size / self.rows], axis=-1)


@dataclass(frozen=True)
class Line:
    """Tangent of a curve of equilibria by a parameter, at one of them: any quantity Q of system and state has the
    derivative ``Q_p + Q_x x'``.

    neighbours  systems at p + k step, k in `PLACES`; or in `PAIR`, if no derivative of a matrix is wanted, as their
                differences lose most digits
    x           (q', lambda') by the parameter
    error       of x', relative
    missed      residual along x' if system and state change together, as a part of x': R_p of parts with eliminated
                interiors is unknown where these buckle between fixed nodes
    kinked      whether a slope jumps here
    short       part of the usual step along x' without a kink: something hardly touches, or is hardly taut
    """

    system: Any
    state: State
    neighbours: Sequence[Any]
    step: float
    x: np.ndarray
    error: float = 0.0
    missed: float = 0.0
    kinked: bool = False
    short: float = 1.0

    @cached_property
    def step_along(self) -> float:
        """Return the parameter change for which x' moves nothing by more than `DISPLACEMENT`, or a part of it."""
        n = self.system.freedoms
        largest = float(np.max(np.abs(self.x[:n]) * self.system.weight, initial=0.0))
        return self.short * DISPLACEMENT / max(largest, 1e-300)

    def moved(self, way: float) -> State:
        """Return the state along x' for a change of the parameter."""
        n, state = self.system.freedoms, self.state
        q = self.system.moved(state.q, way * self.x[:n])
        return replace(state, q=q, lam=state.lam + way * self.x[n:])

    def residuals(self) -> np.ndarray:
        """Return the residuals at `PLACES` along x', times the step."""
        n, state, system = self.system.freedoms, self.state, self.system
        ways = [k * self.step_along for k in PLACES]
        q = np.array([system.moved(state.q, way * self.x[:n]) for way in ways])
        lam = np.array([state.lam + way * self.x[n:] for way in ways])
        found: np.ndarray = system.residuals(q, lam, state.time)
        return found

    def derivative(self, quantity: Callable[[Any, State], Any], *, longer: float = 1.0) -> Any:
        """Differentiate a quantity that numpy or scipy can add; ``longer`` multiplies the step along x', which reduces
        rounding of smooth quantities.
        """
        total = slope([quantity(system, self.state) for system in self.neighbours], self.step)
        return total + self.along(quantity, longer) if np.any(self.x) else total

    def total(self, quantity: Callable[[Any, State], Any]) -> Any:
        """Differentiate matrix entries in which stiff axes cancel: system and state change together, so that
        unstretched parts stay so; if x' moves much, separately with longer steps.
        """
        if self.step > LONGER * self.step_along:
            return self.derivative(quantity, longer=LONGER)
        states = [self.moved(k * self.step) for k in PLACES]
        return slope([quantity(*each) for each in zip(self.neighbours, states, strict=True)], self.step)

    def far(self, values: Callable[[np.ndarray], np.ndarray], least: float) -> tuple[np.ndarray, float]:
        """Return derivatives of numbers, given for several changes of the parameter, and their error as a part of the
        largest or of ``least``. The steps are long, against rounding of stiff axes. The step is chosen whose numbers
        agree best with half the step: a short one if a force has a kink nearby. Under rounding they may agree by
        chance: the difference from other steps then enters the error.
        """
        unit, tried = min(self.step_along / DISPLACEMENT, self.step / STEP), list[tuple[float, np.ndarray]]()
        for part in FAR:
            by, apart = eighth(values(np.array(WIDE) * part * unit), part * unit)
            missed, better = float(np.max(apart)), min((each[0] for each in tried), default=np.inf)
            tried.append((missed, by))
            best, found = min(tried, key=lambda each: each[0])
            most = max(float(np.max(np.abs(found))), least)
            if best <= AGREED * most:
                return found, best / most
            rounding = part < FAR[0] and missed * part > 0.5 * tried[0][0] * FAR[0]  # grows as the step falls
            enough = best <= (VERY_ROUGH if rounding else ROUGH) * most
            if enough and len(tried) > 1 and (missed < better) == (part == FAR[1]):
                break  # longer steps help against rounding only, shorter ones against curvature and kinks
        nearest = min(float(np.max(np.abs(by - found))) for _, by in tried if by is not found)
        return found, CERTAIN * max(best, nearest) / most

    def balanced(self, tangent: Tangent, residuals: Residuals) -> Line:
        """Return the line with the remainder of a long difference of the equations removed from x', if it is as small
        as rounding: forces of stiff axes then balance, which short differences cannot resolve.
        """
        n, step = self.system.freedoms, FAR[0] * min(self.step_along / DISPLACEMENT, self.step / STEP)
        ways = np.array([WIDE]) * step
        left = eighth(residuals(self.neighbours, self.x[None], ways, ways)[0], step)[0]
        change = -tangent.solve(left[:n], left[n:])
        little = _size(self.system, change) <= LITTLE * _size(self.system, self.x)
        return replace(self, x=self.x + change) if little else self

    def along(self, quantity: Callable[[Any, State], Any], longer: float = 1.0) -> Any:
        """Differentiate a quantity along x' alone."""
        distance = longer * self.step_along
        values = [quantity(self.system, self.moved(k * distance)) for k in PLACES]
        found = slope(values, distance)
        if longer > 1.0 and abs(found - slope(values[1:3], distance)).max() > KINK * abs(found).max():
            return self.along(quantity)
        return found


def slope(values: Sequence[Any], step: float) -> Any:
    """Return the derivative from values at `PLACES`, or at a `PAIR`, times a step."""
    weights = HALVES if len(values) == len(PAIR) else WEIGHTS
    if isinstance(values[0], np.ndarray):
        return np.tensordot(weights, np.asarray(values), 1) / step
    if _alike(values):
        data = sum(weight / step * value.data for weight, value in zip(weights, values, strict=True))
        return type(values[0])((data, values[0].indices, values[0].indptr), shape=values[0].shape)
    return sum(weight / step * value for weight, value in zip(weights, values, strict=True))


def eighth(values: np.ndarray, step: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the derivative from values at `WIDE` times a step, and its difference from half the step."""
    found = np.tensordot(EIGHTH, values[WHOLE], 1) / step
    return found, np.abs(2.0 * np.tensordot(EIGHTH, values[HALF], 1) / step - found)


def _alike(values: Sequence[Any]) -> bool:
    """Return whether the values are sparse matrices with the same pattern."""
    if any(getattr(each, "format", "") not in ("csc", "csr") for each in values):
        return False
    first, *others = ((each.indptr, each.indices) for each in values)
    return all(np.array_equal(a, b) for each in others for a, b in zip(first, each, strict=True))


def places(neighbours: Sequence[Any]) -> tuple[int, ...]:
    """Return the places of perturbed systems, in steps."""
    return PAIR if len(neighbours) == len(PAIR) else PLACES


def line(system: Any, state: State, tangent: Tangent, neighbours: Sequence[Any], step: float) -> Line:
    """Compute the tangent of the curve through an equilibrium, from systems at p + k step."""
    n = system.freedoms
    before = system.residual(state)
    values: Any = [each.residual(state) for each in neighbours]
    by_parameter, kinked = slope(values, step), bool(_jumps(values, before, tangent))
    if isinstance(neighbours, NearbySystems):  # numbers may have a kink themselves
        kinked = kinked or bool(_jumps([each.residual(state) for each in neighbours.both()], before, tangent))
    found = Line(system, state, neighbours, step, -tangent.solve(by_parameter[:n], by_parameter[n:]), kinked=kinked)
    last = np.inf
    for _ in range(ROUNDS):
        values = found.residuals()
        while found.short > SHORTEST and _jumps(values, before, tangent):
            found = replace(found, short=0.1 * found.short)
            values = found.residuals()
        left = by_parameter + (slope(values, found.step_along) if np.any(found.x) else 0.0)
        change = -tangent.solve(left[:n], left[n:])
        error = float(_size(system, change)) / max(float(_size(system, found.x)), 1e-300) if np.any(change) else 0.0
        found = replace(found, kinked=found.kinked or bool(_jumps(values, before, tangent)))
        if error >= last or bool(_is_rounding(left, found.step_along, tangent)):
            found = replace(found, error=min(error, last))
            break
        found, last = replace(found, x=found.x + change, error=error), error
        if error <= EXACT:
            break
    if not np.any(found.x) or len(neighbours) == len(PAIR):
        return found
    left = slope([each.residual(found.moved(k * step)) for k, each in zip(PLACES, neighbours, strict=True)], step)
    most = max(float(_size(system, found.x)), LEAST * STEP / step)
    return replace(found, missed=float(_size(system, tangent.solve(left[:n], left[n:]))) / most)


def lines(
    system: Any, state: State, tangent: Tangent, drawn: Sequence[NearbySystems], residuals: Residuals
) -> list[Line | None]:
    """Compute the tangents for several parameters with perturbed numbers; None where a slope may jump: `line` examines
    these with shorter steps.
    """
    n, before, count = system.freedoms, system.residual(state), len(drawn)
    steps, none = np.array([each.step for each in drawn]), np.zeros((1, 4))
    here, ways = np.zeros((1, n + system.constraints)), np.outer(steps, PLACES)
    values = np.array([residuals(each, here, way[None], none)[0] for each, way in zip(drawn, ways, strict=True)])
    by_parameter = np.einsum("k,pki,p->pi", WEIGHTS, values, 1.0 / steps)
    plain = ~(_jumps(values, before, tangent) | [each.bent for each in drawn])
    x = -tangent.solve(by_parameter[:, :n], by_parameter[:, n:])
    error, last, active = np.zeros(count), np.full(count, np.inf), np.ones(count, bool)
    for _ in range(ROUNDS):
        distances = DISPLACEMENT / np.maximum(_size(system, x), 1e-300)
        values = residuals(drawn[0], x, np.zeros((count, 4)), np.outer(distances, PLACES))
        plain &= ~_jumps(values, before, tangent)
        left = by_parameter + np.einsum("k,pki,p->pi", WEIGHTS, values, 1.0 / distances)
        change = -tangent.solve(left[:, :n], left[:, n:])
        apart = _size(system, change) / np.maximum(_size(system, x), 1e-300)
        stays = (apart >= last) | _is_rounding(left, distances, tangent)
        error[active] = np.where(stays, np.minimum(apart, last), apart)[active]
        active &= ~stays
        x[active] += change[active]
        last[active] = apart[active]
        active &= apart > EXACT
        if not np.any(active):
            break
    places = [(each, one[None], way[None]) for each, one, way in zip(drawn, x, ways, strict=True)]
    values = np.array([residuals(each, one, way, way)[0] for each, one, way in places])
    left = np.einsum("k,pki,p->pi", WEIGHTS, values, 1.0 / steps)
    missed = _size(system, tangent.solve(left[:, :n], left[:, n:])) / np.maximum(_size(system, x), LEAST * STEP / steps)
    known = zip(drawn, x, error.tolist(), missed.tolist(), (plain & np.isfinite(missed)).tolist(), strict=True)
    return [Line(system, state, each, each.step, *rest) if good else None for each, *rest, good in known]


def _size(system: Any, x: np.ndarray) -> np.ndarray:
    return np.asarray(np.max(np.abs(x[..., : system.freedoms]) * system.weight, axis=-1, initial=0.0))


def _is_rounding(left: np.ndarray, distance: np.ndarray | float, tangent: Tangent) -> np.ndarray:
    """Return whether a remainder of the equations is mere rounding of their stiffest part in a difference: as a
    correction it would change forces of beams with stiff axes, whose tangent has more digits.
    """
    n = tangent.unit.size
    force, gap = left[..., :n] * tangent.unit / tangent.size, left[..., n:] / tangent.rows
    most = np.max(np.abs(np.concatenate([force, gap], axis=-1)), axis=-1, initial=0.0)
    return np.asarray(most <= EPSILON / distance)


def _jumps(values: Any, here: np.ndarray, tangent: Tangent) -> np.ndarray:
    """Return whether the slope of some force jumps: a second difference that grows as the step, not as its square; for
    a pair, whose steps are small, any second difference. Values are (..., places, rows).
    """
    values, n, unit = np.asarray(values), tangent.unit.size, tangent.unit
    count = values.shape[-2]
    low, high = values[..., count // 2 - 1, :n], values[..., count // 2, :n]
    near = high - 2.0 * here[:n] + low
    twice = 0.0 * near if count == len(PAIR) else values[..., -1, :n] - 2.0 * here[:n] + values[..., 0, :n]
    bend, first = np.abs(4.0 * near - twice) * unit, np.abs(high - low) * unit
    sharp = np.where(bend > KINK * np.abs(near) * unit, bend, 0.0)
    least = np.maximum(KINK * np.max(first, axis=-1, initial=0.0), ROUNDING * tangent.size)
    return np.asarray(np.max(sharp, axis=-1, initial=0.0) > least)
