"""Boundary value problems given as plain functions: generalized multiple shooting for anyone's equations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from pliant.analyses.common import numbers, whole
from pliant.elements.rod_ivp import METHODS
from pliant.errors import ConvergenceError, OptionError, SingularError, nearest
from pliant.kernels.runge_kutta import table
from pliant.results import Outcome
from pliant.solvers.nonlinear.ramp import ramp
from pliant.solvers.ode import multiple_shooting

STEP = 0.005
SMALLEST_LOAD_STEP = 2.0**-10


@dataclass(frozen=True)
class Curve:
    """Solution along one link: ends of all steps u (k,), states q there (k, n). Callable: between them it is marched.

    march  state at the end of a step of the same method, from (u, q) to another u
    """

    u: np.ndarray
    q: np.ndarray
    march: Callable[[float, np.ndarray, float], np.ndarray]

    def __call__(self, u: Any) -> np.ndarray:
        """Return the state at u, or at several."""
        places = np.atleast_1d(np.asarray(u, float))
        if not np.all((places >= 0.0) & (places <= 1.0)):
            raise OptionError(f"u={u!r:.60}: a link goes from 0 to 1; give places along it.")
        before = np.clip(np.searchsorted(self.u, places, side="right") - 1, 0, self.u.size - 1)
        found = [
            self.q[k] if at == self.u[k] else self.march(float(self.u[k]), self.q[k], float(at))
            for k, at in zip(before, places, strict=True)
        ]
        return np.array(found).reshape(*np.shape(u), -1)


@dataclass(frozen=True)
class Shot:
    """Solution of a boundary value problem: one curve a link, the parameters found, and how it went."""

    curves: tuple[Curve, ...]
    parameters: np.ndarray
    outcome: Outcome

    def __call__(self, u: Any, link: int = 0) -> np.ndarray:
        """Return the state of a link at u."""
        return self.curves[link](u)


Function: TypeAlias = Callable[..., ArrayLike]
Guess: TypeAlias = ArrayLike | Callable[[float], ArrayLike]


def shoot(
    slopes: Function | Sequence[Function],
    conditions: Function,
    *,
    guess: Guess | Sequence[Guess],
    parameters: Sequence[float] = (),
    subintervals: int = 1,
    order: int | str = 4,
    step: float | None = None,
    tolerance: float = 1e-8,
    jacobian: str = "variational",
    load: bool = False,
) -> Shot:
    """Solve ``q' = f(u, q, p)`` on 0 <= u <= 1 with ``g(q(0), q(1), p) = 0`` by generalized multiple shooting.

    slopes        f(u, q, p), or a list of such functions, one a link; each link has its own states
    conditions    g(q0, q1, p): one value for each state and parameter; with a list of links q0 and q1 are lists
    guess         of the states: one array, values at equally spaced u (rows), or a function of u; a list of these for
                  a list of links
    parameters    guesses of unknown parameters p, found along with the states; each needs one more condition
    subintervals  N of every link; 1 is single shooting
    order         4: classical Runge-Kutta with ``step`` (0.005 unless given); "2/3", "4/5": pairs that adapt their
                  steps to ``tolerance`` (of the size of each state), or take equal ones of ``step``
    jacobian      "variational": exact sensitivities; "differences": differences of integrations, computed once and kept
                  as long as Newton converges
    load          True: f(u, q, p, load) and g(q0, q1, p, load) take a load factor; if Newton fails at 1, it is raised
                  from 0 in adaptive steps

    >>> import numpy as np
    >>> def beam(u, q, p):  # q = (w, slope, moment, shear) of a unit cantilever
    ...     return np.array([q[1], q[2], q[3], 0.0 * q[0]])
    >>> def ends(q0, q1, p):
    ...     return [q0[0], q0[1], q1[2], q1[3] - 1.0]
    >>> round(float(shoot(beam, ends, guess=np.zeros(4))(1.0)[0]), 6)
    -0.333333
    """
    links = tuple(slopes) if isinstance(slopes, Sequence) else (slopes,)
    many = isinstance(slopes, Sequence)
    if order not in METHODS or isinstance(order, bool):
        raise OptionError(f"order={order!r} is not known; it must be one of {', '.join(map(repr, METHODS))}.")
    if jacobian not in ("variational", "differences"):
        raise OptionError(
            f"jacobian={jacobian!r} is not known. {nearest(str(jacobian), ('variational', 'differences'))}"
        )
    whole("subintervals", subintervals)
    for name, value in (("step", step), ("tolerance", tolerance)):
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if value is not None and not (number and 0.0 < value <= 1.0):
            raise OptionError(f"{name}={value!r}: give a number above 0 and at most 1.")
    numbers("parameters", parameters, np.size(parameters), "a finite guess of every unknown parameter")
    p = np.atleast_1d(np.asarray(parameters, float))
    at = multiple_shooting.Unknowns(_nodes(guess if many else [guess], len(links), subintervals), p)
    grids = [_grid(order, step, subintervals) for _ in links]
    adapts = isinstance(order, str) and step is None

    def problem(factor: float) -> multiple_shooting.Problem:
        extra = (factor,) if load else ()
        mine = tuple(_slope(f, k, at.nodes[k].shape[1], extra) for k, f in enumerate(links))

        def closing(q0: list[np.ndarray], q1: list[np.ndarray], p: np.ndarray) -> np.ndarray:
            return np.asarray(conditions(q0, q1, p, *extra) if many else conditions(q0[0], q1[0], p, *extra))

        return replace(plain, slopes=mine, conditions=closing)

    allowed = tolerance if adapts else None
    plain = multiple_shooting.Problem(
        (), lambda q0, q1, p: np.zeros(0), table(order), jacobian == "variational", allowed
    )
    _check(problem(1.0), at)
    plain = multiple_shooting.with_properties(problem(1.0), at)
    found, grids, iterations, load_steps = _follow(problem, grids, at, load)
    method, p, curves = table(order), found.parameters, []
    for f, grid, nodes in zip(problem(1.0).slopes, grids, found.nodes, strict=True):

        def march(u: float, q: np.ndarray, to: float, f: Any = f) -> np.ndarray:
            return np.asarray(multiple_shooting.march(f, method, np.array([u, to]), q, p)[0][-1])

        pieces = [multiple_shooting.march(f, method, ends, nodes[j], p)[0] for j, ends in enumerate(grid)]
        u = np.concatenate([*(ends[:-1] for ends in grid), [1.0]])
        curves.append(Curve(u, np.vstack([*(piece[:-1] for piece in pieces), nodes[-1:]]), march))
    left = problem(1.0).conditions([c.q[0] for c in curves], [c.q[-1] for c in curves], found.parameters)
    figures = {
        "iterations": iterations,
        "load_steps": load_steps,
        "steps": sum(len(ends) - 1 for grid in grids for ends in grid),
        "residual": float(np.max(np.abs(left), initial=0.0)),
    }
    return Shot(tuple(curves), found.parameters, Outcome(True, "solved", figures))


def _slope(f: Callable[..., Any], link: int, size: int, extra: tuple[float, ...]) -> multiple_shooting.Slope:
    def slope(u: float, q: np.ndarray, p: np.ndarray) -> np.ndarray:
        value = np.asarray(f(u, q, p, *extra))
        if value.shape != (size,):
            raise OptionError(
                f"slopes: link {link} has {size} states by its guess, and its function returned an array of shape "
                f"{value.shape}."
            )
        return value

    return slope


def _nodes(guesses: Any, links: int, subintervals: int) -> list[np.ndarray]:
    if len(guesses) != links:
        raise OptionError(f"guess: {len(guesses)} given for {links} links; give one for each, in a list.")
    u = np.linspace(0.0, 1.0, subintervals + 1)
    found = []
    for k, guess in enumerate(guesses):
        values = np.array([guess(float(x)) for x in u], float) if callable(guess) else np.asarray(guess, float)
        if values.ndim == 1:
            values = np.tile(values, (u.size, 1))
        if values.ndim != 2 or not values.size or not np.all(np.isfinite(values)):
            raise OptionError(f"guess of link {k}: give finite numbers, one a state, or rows of them, or a function.")
        places = np.linspace(0.0, 1.0, len(values))
        found.append(np.column_stack([np.interp(u, places, column) for column in values.T]))
    return found


def _grid(order: int | str, step: float | None, subintervals: int) -> list[np.ndarray]:
    u = np.linspace(0.0, 1.0, subintervals + 1)
    part = 0.5 / subintervals if isinstance(order, str) and step is None else (step or STEP)
    count = max(1, ceil(1.0 / (subintervals * part) * (1.0 - 1e-9)))
    return [np.linspace(a, b, count + 1) for a, b in zip(u, u[1:], strict=False)]


def _check(problem: multiple_shooting.Problem, at: multiple_shooting.Unknowns) -> None:
    """Refuse a problem with too few or too many conditions."""
    value = np.asarray(problem.conditions([x[0] for x in at.nodes], [x[-1] for x in at.nodes], at.parameters))
    states, unknown = sum(x.shape[1] for x in at.nodes), at.parameters.size
    if value.shape != (states + unknown,):
        raise OptionError(
            f"conditions: {value.size} given for {states} states and {unknown} parameters; there must be "
            f"{states + unknown}, one for each."
        )


def _follow(
    problem: Callable[[float], multiple_shooting.Problem],
    grids: list[list[np.ndarray]],
    guess: multiple_shooting.Unknowns,
    load: bool,
) -> tuple[multiple_shooting.Unknowns, list[list[np.ndarray]], int, int]:
    """Find the solution at full load, with finer steps as far as needed: from the last solution, or else from the
    guess.
    """
    at, iterations, steps = _climb(problem, grids, guess, load)
    for _ in range(multiple_shooting.ROUNDS):
        finer = multiple_shooting.refine(problem(1.0), grids, at)
        if finer is None:
            return at, grids, iterations, steps
        grids = finer
        try:
            at, count, _ = multiple_shooting.solve(problem(1.0), grids, at)
        except (ConvergenceError, SingularError):
            at, count, steps = _climb(problem, grids, guess, load)
        iterations += count
    raise ConvergenceError("The steps could not meet the tolerance. Give a larger tolerance=, or order=4 with a step=.")


def _climb(
    problem: Callable[[float], multiple_shooting.Problem],
    grids: list[list[np.ndarray]],
    at: multiple_shooting.Unknowns,
    load: bool,
) -> tuple[multiple_shooting.Unknowns, int, int]:
    """Find the solution at full load on these steps: at once, or by raising the load. Return iterations and load steps,
    too.
    """
    iterations = 0
    failed: Exception = ConvergenceError("")

    def advance(at: multiple_shooting.Unknowns, share: float) -> multiple_shooting.Unknowns | None:
        nonlocal iterations, failed
        try:
            found, count, _ = multiple_shooting.solve(problem(share), grids, at)
        except (ConvergenceError, SingularError) as error:
            failed = error
            return None
        iterations += count
        return found

    found, done, steps = ramp(advance, at, smallest=1.0)
    if done < 1.0 and load:
        found, done, steps = ramp(advance, at, smallest=SMALLEST_LOAD_STEP, steps=8)
    if done == 1.0:
        return found, iterations, steps
    if isinstance(failed, SingularError):
        raise failed
    where = f"at {100.0 * done:.3g} % of the load " if load else ""
    also = "" if load else ", or a load factor: load=True"
    raise ConvergenceError(
        f"No solution was found: {where}{failed}. Try more subintervals=, a better guess={also}."
    ) from failed
