"""A motion as its derivatives see it: states, signals, a direction of states, and what both are moved by."""

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
from pliant.solvers.derivatives.implicit import STRIDE, WEIGHTS
from pliant.solvers.stepping.alpha_run import Inputs, Run
from pliant.solvers.stepping.alpha_scheme import Coefficients
from pliant.solvers.stepping.alpha_step import residual
from pliant.system.packing import fused

TINY = 1e-200
FAR, NEAR = WEIGHTS[3], WEIGHTS[2]  # of f(2h) - f(-2h), f(h) - f(-h)


class Course(Bundle):
    """A motion, one row an instant: states as steps leave them, what forces are looked at with, and signals."""

    q: np.ndarray
    v: np.ndarray  # that the next step begins with
    pushed: np.ndarray  # velocities that forces are looked at with: not yet projected on the joints
    a: np.ndarray
    lam: np.ndarray
    u: np.ndarray
    rate: np.ndarray
    second: np.ndarray
    taken: np.ndarray  # (instants, n + m) what projected the velocities, (dv, mu)
    taken_too: np.ndarray  # and what was added to recorded accelerations


class Slopes(Bundle):
    """Derivatives of a motion by a parameter, one row an instant, and how the corrections went."""

    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    lam: np.ndarray
    recorded: np.ndarray  # of accelerations as they are recorded
    reactions: np.ndarray  # of reactions as they are recorded
    bent: np.ndarray  # (instants) by how much slopes differ from one side of it to the other, relative
    error: np.ndarray  # (instants) of x', relative


class Known(Bundle):
    """Explicit derivatives by the parameter at every instant, the state held."""

    forces: np.ndarray  # (instants, n + m) what is left of forces and joints
    projected: np.ndarray  # (instants, 2 n + 3 m) of `motion_projection.terms`, where velocities are projected


class Way(Bundle):
    """A direction of states, and arrays to work in."""

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
    """What is left of the equations at the run's state, in ``scratch.r`` and ``scratch.g``."""
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
    """The state of an instant, as forces see it."""
    fill(run.state.q, course.q[k])
    fill(run.state.v, course.pushed[k])
    fill(run.state.a, course.a[k])
    fill(run.state.lam, course.lam[k])


@kernel
def moved(trial: Run, course: Course, k: int, way: Way, by: float) -> None:
    """The state of an instant, moved along a direction, into the trial's."""
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
def stride_of(weight: np.ndarray, way: Way, h: float) -> float:
    """Change of the parameter for which a direction moves nothing by more than STRIDE, in a step neither."""
    most = TINY
    for i in range(weight.size):
        size = max(abs(way.q[i]), h * abs(way.v[i]), h * h * abs(way.a[i]))
        most = max(most, size * weight[i])
    return STRIDE / most


@kernel
def solved(run: Run, right: np.ndarray) -> None:
    """Solve with the factors at hand."""
    pattern, scratch = run.equations.pattern, run.scratch
    if run.controls.unsymmetric:
        ldl.solve_lu(pattern, scratch.s, scratch.w, scratch.factors, right)
    else:
        ldl.solve(pattern, scratch.s, scratch.factors, right)


@kernel
def factored(run: Run, course: Course, k: int, c: Coefficients) -> bool:
    """Factorise the matrix of the step to an instant; ``scratch.step`` is what is left of Newton there, and
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
