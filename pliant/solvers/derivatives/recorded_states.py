"""Recorded motion for derivatives: states, signals, a direction of states, and moves along it."""

from __future__ import annotations

import numpy as np

from pliant.jit import kernel, linked_kernel
from pliant.jit.bundle import Bundle
from pliant.joints import rows as joints
from pliant.joints.rows import rubbing
from pliant.kernels.so3 import take_up
from pliant.kernels.sums import Instant, Into
from pliant.kernels.vectors import fill
from pliant.linalg import ldl
from pliant.solvers.derivatives.implicit import DISPLACEMENT, WEIGHTS
from pliant.solvers.stepping.alpha_run import Inputs, Run
from pliant.solvers.stepping.alpha_scheme import Coefficients
from pliant.solvers.stepping.alpha_step import residual
from pliant.system.packing import fused

TINY = 1e-200
FAR, NEAR = WEIGHTS[3], WEIGHTS[2]  # of f(2h) - f(-2h), f(h) - f(-h)


class Course(Bundle):
    """Motion with one row per instant: states that steps leave, velocities in the forces, and signals."""

    q: np.ndarray
    v: np.ndarray  # initial velocity of the next step
    pushed: np.ndarray  # velocities in the forces: not yet projected on the joints
    a: np.ndarray
    lam: np.ndarray
    u: np.ndarray
    rate: np.ndarray
    second: np.ndarray
    taken: np.ndarray  # (instants, n + m) projection of the velocities, (dv, mu)
    taken_too: np.ndarray  # increment of the recorded accelerations


class Slopes(Bundle):
    """Derivatives of a motion by a parameter, one row per instant, and the outcome of the corrections."""

    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    lam: np.ndarray
    recorded: np.ndarray  # of recorded accelerations
    reactions: np.ndarray  # of recorded reactions
    bent: np.ndarray  # (instants) difference of slopes from one side to the other, relative
    error: np.ndarray  # (instants) of x', relative


class Known(Bundle):
    """Explicit derivatives by the parameter at every instant, at fixed state."""

    forces: np.ndarray  # (instants, n + m) residual of forces and joints
    projected: np.ndarray  # (instants, 2 n + 3 m) of `projected_velocities.terms`, if velocities are projected


class Direction(Bundle):
    """Direction of states, with work arrays."""

    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    abar: np.ndarray
    lam: np.ndarray
    slope: np.ndarray  # (n + m)
    odd: np.ndarray  # (n + m)
    even: np.ndarray  # (n + m)
    terms: np.ndarray  # (2 n + 3 m)
    more: np.ndarray  # (2 n + 3 m)
    vector: np.ndarray  # (n + m)


@linked_kernel
def forces(run: Run, u: np.ndarray, gamma: float) -> None:
    """Compute the residual at the run's state, in ``scratch.r`` and ``scratch.g``."""
    equations, state, scratch = run.equations, run.state, run.scratch
    scratch.r[:] = 0.0
    into = Into(0.0, 0.0, 0.0, scratch.r, scratch.s, scratch.w)
    fused.add(equations.parts, Instant(state.q, state.v, state.a, u), into, scratch.stress, False)
    joints.add(equations.rows, state.q, state.lam, u, joints.Saddle(0.0, gamma, scratch.r, scratch.g, scratch.s))
    if equations.rubbing.arm.size > 0:
        rubbing.rub(equations.rubbing, state.q, state.v, state.lam, scratch.rubbed)
        rubbing.push(equations.rubbing, scratch.rubbed, 1.0, scratch.r)


@kernel
def load(run: Run, course: Course, k: int) -> None:
    """Load the state of an instant, as forces use it."""
    fill(run.state.q, course.q[k])
    fill(run.state.v, course.pushed[k])
    fill(run.state.a, course.a[k])
    fill(run.state.lam, course.lam[k])


@kernel
def move_along(trial: Run, course: Course, k: int, way: Direction, by: float) -> None:
    """Move the state of an instant along a direction, into the trial's state."""
    equations, state = trial.equations, trial.state
    load(trial, course, k)
    for i in range(equations.freedoms):
        state.q[i] += by * way.q[i]
        state.v[i] += by * way.v[i]
        state.a[i] += by * way.a[i]
    take_up(state.q, equations.frames, equations.turning)
    for i in range(way.lam.size):
        state.lam[i] += by * way.lam[i]


@kernel
def step_along(weight: np.ndarray, way: Direction, h: float) -> float:
    """Return the parameter change for which a direction moves nothing, in a step neither, by more than DISPLACEMENT."""
    most = TINY
    for i in range(weight.size):
        size = max(abs(way.q[i]), h * abs(way.v[i]), h * h * abs(way.a[i]))
        most = max(most, size * weight[i])
    return DISPLACEMENT / most


@kernel
def solve_factored(run: Run, right: np.ndarray) -> None:
    """Solve with the present factors."""
    pattern, scratch = run.equations.pattern, run.scratch
    if run.controls.unsymmetric:
        ldl.solve_lu(pattern, scratch.s, scratch.w, scratch.factors, right)
    else:
        ldl.solve(pattern, scratch.s, scratch.factors, right)


@kernel
def factorise(run: Run, course: Course, k: int, c: Coefficients) -> bool:
    """Factorise the matrix of the step to an instant; ``scratch.step`` is Newton's remainder there, and
    ``scratch.move`` the diagonal.
    """
    load(run, course, k)
    residual(run, run.equations.rows, course.u[k], Inputs(course.u[k], course.rate[k], course.second[k]), c)
    scratch = run.scratch
    for i in range(run.equations.freedoms):
        scratch.move[i] = scratch.s[i]
    return ldl.solve_once(
        run.equations.pattern, scratch.s, scratch.w, scratch.factors, scratch.step, run.controls.unsymmetric
    )
