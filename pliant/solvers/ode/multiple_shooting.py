"""Generalized multiple shooting for any first-order equations along any links (Lan, Lee, Liou 2009, section 2).

    q_i' = f_i(u, q_i, p),   0 <= u <= 1,   i = 1 ... l,        g(q(0), q(1), p) = 0

Every link is cut into N subintervals with unknown states mu_j, ends included, and unknown parameters p. A march over
subinterval j yields ``q(u_{j+1}; mu_j, p)`` with its derivatives X_j, Z_j; Newton's equations are

    d mu_{j+1} - X_j d mu_j - Z_j dp = q(u_{j+1}; mu_j, p) - mu_{j+1},        g_0 d mu_0 + g_1 d mu_N + g_p dp = -g

The inner states are eliminated link by link with orthogonal factors (S.J. Wright, SIAM J. Sci. Stat. Comput. 13, 1992),
which is stable however fast solutions grow along the link, and costs O(N).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Any

import numpy as np

from pliant.errors import ConvergenceError, SingularError
from pliant.kernels.runge_kutta import Table

Array = np.ndarray
Slope = Callable[[float, Array, Array], Array]
"""f(u, q, p) of one link."""
Conditions = Callable[[list[Array], list[Array], Array], Array]
"""g(q(0) of every link, q(1) of every link, p)."""

TOLERANCE = 1e-10  # of Newton's increments, relative to their terms
LIMIT = 50
ROUNDS = 14  # of finer steps
MOST_PARTS = 8
TINY = 1e-40
HALVINGS, STUCK = 8, 3  # of a step without decrease; most such steps
SLOW = 0.3
JOINED, ZERO = 1e-6, 1e-9  # gap of a solution, in sizes of the state; size of a zero part, relative to the largest
WAS = 1e-6  # size of a zero part, relative to its largest value so far


@dataclass(frozen=True)
class Problem:
    """Boundary-value problem with its method."""

    slopes: tuple[Slope, ...]
    conditions: Conditions
    table: Table
    exact: bool  # variational equations; else differences of marches, computed once
    tolerance: float | None  # of a pair's steps; None: fixed steps
    analytic: bool = False  # whether functions take complex arguments


@dataclass
class Unknowns:
    """States at all nodes of every link, (N + 1, n), and parameters."""

    nodes: list[Array]
    parameters: Array

    def moved(self, step: Unknowns, scale: float) -> Unknowns:
        """Return the unknowns after a part of a step."""
        nodes = [a + scale * b for a, b in zip(self.nodes, step.nodes, strict=True)]
        return Unknowns(nodes, self.parameters + scale * step.parameters)

    def largest(self, other: Unknowns) -> Unknowns:
        """Return the larger values of both, part by part."""
        nodes = [np.maximum(a, b) for a, b in zip(self.nodes, other.nodes, strict=True)]
        return Unknowns(nodes, np.maximum(self.parameters, other.parameters))


@dataclass
class ShootingResult:
    """Marches of one link: end states (N, n), derivatives X (N, n, n) and Z (N, n, k)."""

    arrive: Array
    by_state: Array
    by_parameters: Array


def derivative(function: Callable[[Array], Array], x: Array, analytic: bool) -> Array:
    """Return the Jacobian by the complex step, exact to rounding, if the function is analytic, else by differences."""
    columns, sizes = [], 6e-6 * _sizes(x)
    for i in range(x.size):
        move = np.zeros(x.size)
        move[i] = sizes[i]
        if analytic:
            columns.append(np.imag(function(x + 1j * TINY * (move != 0.0))) / TINY)
        else:
            columns.append((np.real(function(x + move)) - np.real(function(x - move))) / (2.0 * sizes[i]))
    return np.column_stack(columns)


def is_analytic(function: Callable[[Array], Array], x: Array) -> bool:
    """Return whether complex values of a function give its real derivative (with |x| and math.sin they do not)."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a function that drops imaginary parts is detected below
            exact = derivative(function, x, True)
    except (TypeError, ValueError):
        return False
    near = derivative(function, x, False)
    return bool(np.max(np.abs(exact - near), initial=0.0) <= 1e-3 * np.max(np.abs(near), initial=0.0))


def _sizes(x: Array) -> Array:
    """Return positive sizes of the parts of x."""
    largest = np.max(np.abs(x), initial=0.0)
    return np.abs(x) + 1e-3 * largest if largest > 0.0 else np.ones(x.size)


def march(
    slope: Slope, table: Table, ends: Array, q: Array, p: Array, exact: bool = False, analytic: bool = False
) -> tuple[Array, Array, Array, Array, Array]:
    """Return states at the ends of all steps, slopes there, X, Z, and the estimated error of every step (rows)."""
    n, k = q.size, p.size
    stages = table.b.size
    states, slopes = np.empty((ends.size, n)), np.empty((ends.size, n))
    errors = np.zeros((ends.size - 1, n))
    X, Z = np.eye(n), np.zeros((n, k))
    states[0], slopes[0] = q, slope(float(ends[0]), q, p)
    for step, (u, d) in enumerate(zip(ends[:-1], np.diff(ends), strict=True)):
        K, KX, KZ = np.empty((stages, n)), np.empty((stages, n, n)), np.empty((stages, n, k))
        for i in range(stages):
            weights = d * table.a[i, :i]
            at, y = float(u + d * table.node[table.place[i]]), states[step] + weights @ K[:i]
            K[i] = slopes[step] if i == 0 else slope(at, y, p)
            if exact:
                by_both = derivative(lambda z, at=at: slope(at, z[:n], z[n:]), np.concatenate([y, p]), analytic)  # type: ignore[misc]
                f_q, f_p = by_both[:, :n], by_both[:, n:]
                KX[i] = f_q @ (X + np.tensordot(weights, KX[:i], 1))
                KZ[i] = f_q @ (Z + np.tensordot(weights, KZ[:i], 1)) + f_p
        states[step + 1] = states[step] + d * table.b @ K
        slopes[step + 1] = slope(float(ends[step + 1]), states[step + 1], p)
        if exact:
            X, Z = X + d * np.tensordot(table.b, KX, 1), Z + d * np.tensordot(table.b, KZ, 1)
        if table.error.size:
            errors[step] = d * table.error @ np.vstack([K, slopes[step + 1]])
    return states, slopes, X, Z, errors


def shoot_all(
    problem: Problem, grids: Sequence[Sequence[Array]], at: Unknowns, sensitive: bool
) -> list[ShootingResult]:
    """March over every subinterval of every link."""
    p = at.parameters
    shots = []
    for slope, grid, nodes in zip(problem.slopes, grids, at.nodes, strict=True):
        n, count = nodes.shape[1], len(grid)
        shot = ShootingResult(np.empty((count, n)), np.empty((count, n, n)), np.empty((count, n, p.size)))
        for j, ends in enumerate(grid):
            found = march(slope, problem.table, ends, nodes[j], p, sensitive and problem.exact, problem.analytic)
            shot.arrive[j], shot.by_state[j], shot.by_parameters[j] = found[0][-1], found[2], found[3]
            if sensitive and not problem.exact:
                joint = np.concatenate([nodes[j], p])
                X = _differences(lambda z, ends=ends, n=n, slope=slope: _end(slope, problem.table, ends, z, n), joint)  # type: ignore[misc]
                shot.by_state[j], shot.by_parameters[j] = X[:, :n], X[:, n:]
        shots.append(shot)
    return shots


def _end(slope: Slope, table: Table, ends: Array, joint: Array, n: int) -> Array:
    return march(slope, table, ends, joint[:n], joint[n:])[0][-1]


def _differences(function: Callable[[Array], Array], x: Array) -> Array:
    """Return the Jacobian by one-sided differences."""
    value, columns = function(x), []
    sizes = 1e-7 * _sizes(x)
    for i in range(x.size):
        moved = x.copy()
        moved[i] += sizes[i]
        columns.append((function(moved) - value) / (moved[i] - x[i]))
    return np.column_stack(columns)


def newton_step(problem: Problem, at: Unknowns, shots: Sequence[ShootingResult]) -> Unknowns:
    """Return Newton's increments: eliminate inner states, solve for ends and parameters, recover inner states."""
    k = at.parameters.size
    sizes = [nodes.shape[1] for nodes in at.nodes]
    total = 2 * sum(sizes) + k
    matrix, right = np.zeros((total, total)), np.zeros(total)
    factors, row, column = [], 0, 0
    for nodes, shot, n in zip(at.nodes, shots, sizes, strict=True):
        first, last, by_p, rest, kept = _eliminate(nodes, shot)
        matrix[row : row + n, column : column + n] = first
        matrix[row : row + n, column + n : column + 2 * n] = last
        matrix[row : row + n, total - k :] = by_p
        right[row : row + n] = rest
        factors.append(kept)
        row, column = row + n, column + 2 * n
    joint = _joint(at)
    value = _conditions(problem, joint, sizes)
    if value.size != total - row:
        raise ValueError(f"{value.size} conditions for {total - row} unknowns")
    matrix[row:], right[row:] = derivative(lambda z: _conditions(problem, z, sizes), joint, problem.analytic), -value
    if not np.all(np.isfinite(matrix)):
        raise FloatingPointError
    scale = np.linalg.norm(matrix, axis=1)
    try:
        if not np.all(scale > 0.0):
            raise np.linalg.LinAlgError
        solved = np.linalg.solve(matrix / scale[:, None], right / scale)
    except np.linalg.LinAlgError as error:
        raise SingularError(
            "The terminal conditions do not determine the solution: one of them says nothing, or repeats another."
        ) from error
    steps, column, dp = [], 0, solved[total - k :]
    for kept, nodes, n in zip(factors, at.nodes, sizes, strict=True):
        step = np.empty_like(nodes)
        step[0], step[-1] = solved[column : column + n], solved[column + n : column + 2 * n]
        for j in range(len(nodes) - 2, 0, -1):
            R, by_first, by_next, by_p, rest = kept[j - 1]
            step[j] = np.linalg.solve(R, rest - by_first @ step[0] - by_next @ step[j + 1] - by_p @ dp)
        steps.append(step)
        column += 2 * n
    return Unknowns(steps, dp)


def _eliminate(nodes: Array, shot: ShootingResult) -> tuple[Any, Any, Any, Any, list[tuple[Any, ...]]]:
    """Return the equations ``first d mu_0 + last d mu_N + by_p dp = rest`` of a link, and data of inner states."""
    n = nodes.shape[1]
    first, last = -shot.by_state[0], np.eye(n)
    by_p, rest = -shot.by_parameters[0], shot.arrive[0] - nodes[1]
    kept = []
    for j in range(1, len(shot.arrive)):
        Q, R = np.linalg.qr(np.vstack([last, -shot.by_state[j]]), mode="complete")
        one = np.hstack([first, np.zeros((n, n)), by_p, rest[:, None]])
        gap = (shot.arrive[j] - nodes[j + 1])[:, None]
        two = np.hstack([np.zeros((n, n)), np.eye(n), -shot.by_parameters[j], gap])
        turned = Q.T @ np.vstack([one, two])
        top, low = turned[:n], turned[n:]
        kept.append((R[:n], top[:, :n], top[:, n : 2 * n], top[:, 2 * n : -1], top[:, -1]))
        first, last, by_p, rest = low[:, :n], low[:, n : 2 * n], low[:, 2 * n : -1], low[:, -1]
    return first, last, by_p, rest, kept


def _joint(at: Unknowns) -> Array:
    """Return both ends of every link, and the parameters."""
    return np.concatenate([*(np.concatenate([nodes[0], nodes[-1]]) for nodes in at.nodes), at.parameters])


def _conditions(problem: Problem, joint: Array, sizes: Sequence[int]) -> Array:
    starts, tips, column = [], [], 0
    for n in sizes:
        starts.append(joint[column : column + n])
        tips.append(joint[column + n : column + 2 * n])
        column += 2 * n
    return np.atleast_1d(np.asarray(problem.conditions(starts, tips, joint[column:])))


def with_properties(problem: Problem, at: Unknowns) -> Problem:
    """Return the problem with properties of its functions at a guess (half way along each link)."""
    p, sizes = at.parameters, [nodes.shape[1] for nodes in at.nodes]
    functions: list[tuple[Callable[[Array], Array], Array]] = []
    for slope, nodes, n in zip(problem.slopes, at.nodes, sizes, strict=True):
        functions.append((lambda z, f=slope, n=n: f(0.5, z[:n], z[n:]), np.concatenate([nodes[len(nodes) // 2], p])))  # type: ignore[misc]
    functions.append((lambda z: _conditions(problem, z, sizes), _joint(at)))
    return replace(problem, analytic=all(is_analytic(function, x) for function, x in functions))


def solve(problem: Problem, grids: Sequence[Sequence[Array]], at: Unknowns) -> tuple[Unknowns, int, float]:
    """Run Newton on fixed steps, damped if necessary. Returns solution, iterations, last increment."""
    shots, before, size, stuck = None, np.inf, np.inf, 0
    least = _least(at)
    with np.errstate(all="ignore"):
        for iteration in range(1, LIMIT + 1):
            fresh = shots is None or problem.exact or size > SLOW * before
            new = shoot_all(problem, grids, at, fresh)
            if not fresh and shots is not None:
                for one, other in zip(new, shots, strict=True):
                    one.by_state, one.by_parameters = other.by_state, other.by_parameters
            shots = new
            try:
                step = newton_step(problem, at, shots)
            except (FloatingPointError, np.linalg.LinAlgError):
                raise ConvergenceError("a march along a link went out of bounds") from None
            scales = _scales(at, step, shots, least)
            before, size = size, _size(step, scales)
            if not np.isfinite(size):
                raise ConvergenceError("a march along a link went out of bounds")
            scale = 1.0 if size < 1e-3 else _damping(problem, grids, at, step, shots, size, scales)
            at = at.moved(step, scale)
            least = least.largest(_least(at))
            stuck = stuck + 1 if scale <= 0.5**HALVINGS else 0
            if stuck == STUCK:
                raise ConvergenceError(f"Newton comes no nearer (last increment {size:.2g})")
            if scale == 1.0 and (size <= TOLERANCE or (iteration > 4 and size > 0.5 * before and size < 1e-8)):
                if widest_gap(problem, grids, at, least) > JOINED:
                    raise ConvergenceError("solutions grow so fast along a subinterval that rounding hides the gaps")
                if not _conditions_hold(problem, at, least):
                    raise ConvergenceError("Newton came to rest where the terminal conditions are not met")
                return at, iteration, size
    raise ConvergenceError(f"Newton did not converge in {LIMIT} iterations (last increment {size:.2g})")


def widest_gap(problem: Problem, grids: Sequence[Sequence[Array]], at: Unknowns, least: Unknowns) -> float:
    """Return the largest gap between the end of a march and the next node, in sizes of each part of the state."""
    widest = 0.0
    for nodes, shot, floor in zip(at.nodes, shoot_all(problem, grids, at, False), least.nodes, strict=True):
        known, gap = np.max(np.vstack([np.abs(nodes), floor]), axis=0), np.max(np.abs(shot.arrive - nodes[1:]), axis=0)
        parts = np.divide(gap, known, out=np.zeros_like(gap), where=gap != 0.0)
        widest = max(widest, float(np.max(np.where(np.isfinite(parts), parts, np.inf))))
    return widest


def _conditions_hold(problem: Problem, at: Unknowns, least: Unknowns) -> bool:
    """Return whether the terminal conditions hold, relative to their terms."""
    sizes = [nodes.shape[1] for nodes in at.nodes]
    joint = _joint(at)
    floor = np.concatenate([*(np.tile(part[0], 2) for part in least.nodes), least.parameters])
    slopes = np.abs(derivative(lambda z: _conditions(problem, z, sizes), joint, problem.analytic))
    terms = slopes @ np.maximum(np.abs(joint), floor)
    return bool(np.all(np.abs(_conditions(problem, joint, sizes)) <= JOINED * terms))


def _least(at: Unknowns) -> Unknowns:
    """Return sizes, (1, n) of states, below which a part is zero."""
    largest = [np.max(np.abs(nodes), axis=0, keepdims=True) for nodes in at.nodes]
    nodes = [np.maximum(WAS * part, ZERO * np.max(part)) for part in largest]
    return Unknowns(nodes, WAS * np.abs(at.parameters))


def _scales(at: Unknowns, step: Unknowns, shots: Sequence[ShootingResult], least: Unknowns) -> Unknowns:
    """Return sizes, (1, n) of states, of the terms in each part of a state; for parameters, their own."""
    nodes = []
    for here, move, shot, floor in zip(at.nodes, step.nodes, shots, least.nodes, strict=True):
        there = np.abs(here + move)
        terms = np.abs(shot.by_state) @ there[:-1, :, None]
        nodes.append(np.max(np.vstack([terms[:, :, 0], there, floor]), axis=0, keepdims=True))
    return Unknowns(nodes, np.maximum(np.abs(at.parameters) + np.abs(step.parameters), least.parameters))


def _size(step: Unknowns, scales: Unknowns) -> float:
    """Return the largest relative part of a step; NaN is passed on."""
    moves = [*(np.max(np.abs(nodes), axis=0) for nodes in step.nodes), np.abs(step.parameters)]
    known = [*(nodes[0] for nodes in scales.nodes), scales.parameters]
    move, scale = np.concatenate(moves), np.concatenate(known)
    return float(np.max(np.divide(move, scale, out=np.zeros_like(move), where=move != 0.0), initial=0.0))


def _damping(
    problem: Problem,
    grids: Sequence[Sequence[Array]],
    at: Unknowns,
    step: Unknowns,
    shots: Sequence[ShootingResult],
    size: float,
    scales: Unknowns,
) -> float:
    """Return the part of the step after which the next one is smaller (Deuflhard's natural monotonicity)."""
    scale = 1.0
    for _ in range(HALVINGS):
        try:
            trial = at.moved(step, scale)
            there = shoot_all(problem, grids, trial, False)
            for one, other in zip(there, shots, strict=True):
                one.by_state, one.by_parameters = other.by_state, other.by_parameters
            if _size(newton_step(problem, trial, there), scales) < (1.0 - 0.25 * scale) * size:
                return scale
        except (FloatingPointError, np.linalg.LinAlgError, SingularError):
            pass
        scale *= 0.5
    return scale


def refine(problem: Problem, grids: Sequence[Sequence[Array]], at: Unknowns) -> list[list[Array]] | None:
    """Return grids with too large steps divided; None if every estimate is within the tolerance."""
    if problem.tolerance is None:
        return None
    finer, changed = [], False
    for slope, grid, nodes in zip(problem.slopes, grids, at.nodes, strict=True):
        mine = []
        scale = np.max(np.abs(nodes), axis=0)
        scale = np.where(scale > 0.0, scale, np.inf)
        for j, ends in enumerate(grid):
            errors = march(slope, problem.table, ends, nodes[j], at.parameters)[4]
            wrong = np.max(np.abs(errors) / scale, axis=1) / problem.tolerance
            pieces = [ends[:1]]
            for step, size in enumerate(wrong):
                parts = min(MOST_PARTS, ceil(1.1 * size ** (1.0 / problem.table.order))) if size > 1.0 else 1
                changed |= parts > 1
                pieces.append(np.linspace(ends[step], ends[step + 1], parts + 1)[1:])
            mine.append(np.concatenate(pieces))
        finer.append(mine)
    return finer if changed else None
