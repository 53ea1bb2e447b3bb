"""Search for an optimum: SciPy's solvers on a scaled problem, and the conditions an optimum satisfies.

    stationary    f_z = sum of l c_z over active constraints and bounds, l >= 0 of inequalities   (Karush-Kuhn-Tucker)
    a minimum     (f - l c)_zz >= 0 along the active constraints

J. Nocedal, S. J. Wright, Numerical Optimization, 2nd ed., 2006, theorems 12.1 and 12.5. The multipliers are found by
least squares, independent of the solver.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pliant.design.problem import FEASIBLE, Problem
from pliant.errors import ConvergenceError, OptionError

METHODS = ("SLSQP", "trust-constr")
ACTIVE = 1e-5  # of the size of a bound: constraints met this closely are active
STATIONARY = 1e-3  # of the goal, for a change of all parameters by their sizes
CURVED = 1e-3  # of the goal: smaller second derivatives are zero
ACCURACY = 1e-9  # of the goal, tolerance of solvers
AWAY = 0.02  # sizes of parameters: step for the curvature
ROUNDS = 4  # restarts of a solver from its end


class Conditions(NamedTuple):
    """Conditions of an optimum, scaled.

    multipliers  of the sides of constraints, then of the lower and the upper bounds of parameters
    residual     of the gradient, less the multipliers' part
    curvature    least second derivative of the Lagrangian along the active constraints; infinite if none is free
    downhill     direction of that curvature
    """

    multipliers: np.ndarray
    residual: float
    curvature: float
    downhill: np.ndarray


def search(problem: Problem, z: np.ndarray, method: str, most: int) -> str:
    """Search from a start for the best reachable design; return the final message of the solver. The designs it tried
    are in the problem.
    """
    said = ""
    for number in range(ROUNDS):  # SLSQP moves the interior points of trust-constr to the boundary
        before = problem.best(problem.start)
        said = _solve(problem, z, METHODS[0] if number else method, most)
        best = problem.best(problem.start)
        if best is None:
            return said
        z = best.x / problem.sizes
        if best.violation > FEASIBLE:
            z = _nearer(problem, z, most)
            again = problem.best(problem.start)
            if again is None or again.violation > FEASIBLE:
                return said
            continue
        if before is not None and best is before:
            break
        found = conditions(problem, z)
        if found.residual <= 0.1 * STATIONARY:
            break
    return said


def _solve(problem: Problem, z: np.ndarray, method: str, most: int) -> str:
    from scipy import optimize

    limits = optimize.Bounds(problem.low, problem.high)
    try:
        if method == "trust-constr":
            inside = np.where(problem.equal, 0.0, np.inf)
            rows = optimize.NonlinearConstraint(problem.c, np.zeros(len(problem.sides)), inside, jac=problem.c_z)
            found = optimize.minimize(
                problem.f,
                z,
                jac=problem.f_z,
                bounds=limits,
                constraints=[rows] if problem.sides else [],
                method=method,
                options={"maxiter": most, "gtol": 1e-7, "xtol": 1e-9},
            )
        else:
            found = optimize.minimize(
                problem.f,
                z,
                jac=problem.f_z,
                bounds=limits,
                constraints=_rows(problem),
                method=method,
                options={"maxiter": most, "ftol": ACCURACY},
            )
    except ConvergenceError as error:
        return f"no derivatives: {error}"
    return str(found.message)


def _rows(problem: Problem) -> list[dict[str, Any]]:
    """Return the constraints in the form of SLSQP."""
    found = []
    for kind, chosen in (("eq", problem.equal), ("ineq", ~problem.equal)):
        if np.any(chosen):
            found.append(
                {
                    "type": kind,
                    "fun": lambda z, chosen=chosen: problem.c(z)[chosen],
                    "jac": lambda z, chosen=chosen: problem.c_z(z)[chosen],
                }
            )
    return found


def _nearer(problem: Problem, z: np.ndarray, most: int) -> np.ndarray:
    """Return the point of least violation of the constraints, by least squares."""
    from scipy import optimize

    def missed(z: np.ndarray) -> np.ndarray:
        c = problem.c(z)
        return np.where(problem.equal, c, np.minimum(c, 0.0))

    def slopes(z: np.ndarray) -> np.ndarray:
        wanted = problem.equal | (problem.c(z) < 0.0)
        return np.where(wanted[:, None], problem.c_z(z), 0.0)

    inside = np.clip(z, problem.low + 1e-9, problem.high - 1e-9)
    try:
        found = optimize.least_squares(
            missed, inside, jac=slopes, bounds=(problem.low, problem.high), max_nfev=most, xtol=1e-12, ftol=1e-14
        )
    except ConvergenceError:
        return z
    return np.asarray(found.x)


def conditions(problem: Problem, z: np.ndarray, *, curved: bool = False) -> Conditions:
    """Compute the conditions of an optimum at a point; ``curved``: of second order too."""
    from scipy import optimize

    gradient, rows, kinds = problem.f_z(z), *_active(problem, z)
    if len(rows):
        limits = optimize.Bounds(np.where(kinds["equal"], -np.inf, 0.0), np.inf)
        found = optimize.lsq_linear(rows.T, gradient, bounds=(limits.lb, limits.ub), tol=1e-14).x
    else:
        found = np.zeros(0)
    left = gradient - rows.T @ found
    whole = np.zeros(len(problem.sides) + 2 * z.size)
    whole[kinds["place"]] = found
    # of the goal itself, whose scaled value at the first design is one
    value = max(1.0, abs(problem.f(z)))
    residual = float(np.max(np.abs(left), initial=0.0)) / value
    if not curved:
        return Conditions(whole, residual, np.inf, np.zeros_like(z))
    strict = np.abs(found) > 1e-6 * max(float(np.max(np.abs(gradient), initial=0.0)), 1e-300)
    least, way = _curvature(problem, z, whole, rows[strict | kinds["equal"]])
    return Conditions(whole, residual, least / value, way)


def _active(problem: Problem, z: np.ndarray) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Return gradients of active constraints and bounds, their places, and which are equations."""
    n, m = z.size, len(problem.sides)
    c = problem.c(z)
    near = np.flatnonzero(problem.equal | (np.abs(c) <= ACTIVE))
    at_low = np.flatnonzero(np.abs(z - problem.low) <= ACTIVE)
    at_high = np.flatnonzero(np.abs(problem.high - z) <= ACTIVE)
    unit = np.eye(n)
    rows = np.concatenate([problem.c_z(z)[near].reshape(-1, n), unit[at_low], -unit[at_high]])
    place = np.concatenate([near, m + at_low, m + n + at_high]).astype(int)
    equal = np.concatenate([problem.equal[near], np.zeros(at_low.size + at_high.size, bool)])
    return rows, {"place": place, "equal": equal}


def _curvature(problem: Problem, z: np.ndarray, multipliers: np.ndarray, rows: np.ndarray) -> tuple[float, np.ndarray]:
    """Return the least curvature of the Lagrangian along active constraints, by differences of gradients."""
    n, m = z.size, len(problem.sides)
    _, sizes, axes = np.linalg.svd(rows) if len(rows) else (None, np.zeros(0), np.eye(n))
    free = axes[int(np.sum(sizes > 1e-9 * np.max(sizes, initial=1.0))) :]
    if not len(free):
        return np.inf, np.zeros(n)

    def gradient(place: np.ndarray) -> np.ndarray:
        return problem.f_z(place) - multipliers[:m] @ problem.c_z(place)

    columns = []
    here = gradient(z)
    for way in free:
        sides = [each for each in (AWAY * way, -AWAY * way) if np.all(z + each >= problem.low - 1e-12)]
        sides = [each for each in sides if np.all(z + each <= problem.high + 1e-12)]
        if not sides:  # between two bounds
            columns.append(np.zeros(n))
            continue
        try:
            columns.append((gradient(z + sides[0]) - here) / (sides[0] @ way))
        except ConvergenceError:
            return np.inf, np.zeros(n)  # an edge of all designs
    form = np.array(columns) @ free.T
    values, vectors = np.linalg.eigh(0.5 * (form + form.T))
    return float(values[0]), vectors[:, 0] @ free


def check_method(method: str) -> None:
    """Refuse an unknown solver."""
    if method not in METHODS:
        raise OptionError(f"method={method!r}: give {' or '.join(map(repr, METHODS))}.")
