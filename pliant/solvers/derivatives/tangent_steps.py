"""Derivatives of a motion by generalized-alpha by a number p in its equations, step by step.

A step solves R(q, v, a, lambda; p) = 0, forces and joints, at its end; v and a follow from q and the state before by
the scheme. So the derivatives x' of the state satisfy, with the derivatives of the state before known,

    R_q q' + R_v v' + R_a a' + R_lambda lambda' = -R_p,
    q' = q_n' + theta' + y,   v' = ... + c_v y,   a' = ... + c_m y

(theta' is the derivative of the scheme for constant abar'; rotations in space: ``R_{n+1} = R_n exp(theta)``, so that q'
= exp(-theta) q_n' + J(theta) theta' + y, with J^-1 y in place of y). R_x x' is a central difference of fourth order
along x'; corrections with the factorised matrix of the step solve for y, so that an inexact matrix costs no accuracy.
R_p is a difference of the same order between systems on both sides of p, at the states of this motion (`residuals`).

Velocities that are projected on the joints: `pliant.solvers.derivatives.projected_velocities`.
"""

from __future__ import annotations

import numpy as np

from pliant.jit import kernel, linked_kernel
from pliant.kernels import charts
from pliant.kernels.so3 import exponential, rotate_back, turned
from pliant.kernels.vectors import fill
from pliant.solvers.derivatives.projected_velocities import project
from pliant.solvers.derivatives.recorded_states import (
    FAR,
    NEAR,
    TINY,
    Course,
    Direction,
    Known,
    Slopes,
    factorise,
    forces,
    load,
    move_along,
    solve_factored,
    step_along,
)
from pliant.solvers.stepping.alpha_run import PROJECTION, Run
from pliant.solvers.stepping.alpha_scheme import Coefficients, coefficients
from pliant.solvers.stepping.status import DONE, NOT_CONVERGED, SINGULAR

PLACES = (  # and weights: of the slope, far less near slope, far second difference less four near ones
    (-2.0, -FAR, -0.25, -0.25),
    (-1.0, -NEAR, 0.5, 1.0),
    (1.0, NEAR, -0.5, 1.0),
    (2.0, FAR, 0.25, -0.25),
)
TRUSTED = 16  # steps for which the rate of the corrections is used without measuring it again
ROUNDS = 20  # corrections of a step, at most
SMOOTH = 1e-10  # of the diagonal times x': difference of slopes without a kink and with little curvature
SHORT = 1e-3  # of a step: tried where slopes differ by more, and used if they then differ by less


@kernel
def residuals(run: Run, course: Course, gamma: float, out: np.ndarray) -> None:
    """Compute (instants, n + m) residuals of the equations of ``run`` at the states of a motion, from the second on."""
    n = run.equations.freedoms
    for k in range(1, out.shape[0]):
        load(run, course, k)
        forces(run, course.u[k], gamma)
        fill(out[k, :n], run.scratch.r)
        fill(out[k, n:], run.scratch.g)


@linked_kernel
def along(
    trial: Run, course: Course, k: int, way: Direction, h: float, gamma: float, diagonal: np.ndarray, part: float
) -> float:
    """Compute R_x x' into ``way.slope``, with a part of the usual step. Returns the difference of near and far slopes,
    and the deviation of second differences from quadratic growth, as a part of the diagonal of the step's matrix times
    x': large at a kink.
    """
    n, by = trial.equations.freedoms, part * step_along(trial.equations.weight, way, h)
    way.slope[:] = 0.0
    way.odd[:] = 0.0
    way.even[:] = 0.0
    for place, weight, odd, even in PLACES:
        move_along(trial, course, k, way, place * by)
        forces(trial, course.u[k], gamma)
        for i in range(n):
            way.slope[i] += weight / by * trial.scratch.r[i]
            way.odd[i] += odd / by * trial.scratch.r[i]
            way.even[i] += even / by * trial.scratch.r[i]
        for j in range(way.lam.size):
            way.slope[n + j] += weight / by * trial.scratch.g[j]
    bent, most = 0.0, TINY
    for i in range(n):
        unit = 1.0 / trial.equations.weight[i]
        size = max(abs(way.q[i]), h * abs(way.v[i]), h * h * abs(way.a[i]))
        bent = max(bent, abs(way.odd[i]) * unit, abs(way.even[i]) * unit)
        most = max(most, abs(diagonal[i]) * size * unit)
    return bent / most


@kernel
def predict(run: Run, course: Course, k: int, h: float, way: Direction) -> None:
    """Predict derivatives at the end of a step for constant abar'; ``way`` holds the derivatives before it."""
    equations, alpha_f = run.equations, run.scheme.alpha_f
    for i in range(equations.freedoms):
        bar = way.abar[i]
        theta = h * way.v[i] + 0.5 * h * h * bar
        way.a[i] = (bar - alpha_f * way.a[i]) / (1.0 - alpha_f)
        way.v[i] += h * bar
        if i >= 6 * equations.turning or i % 6 < 3:
            way.q[i] += theta
        else:
            way.slope[i] = theta
    for node in range(equations.turning):
        i = 6 * node + 3
        theta = turned(course.q[k - 1], course.q[k], equations.frames, node)
        before = rotate_back(exponential(theta), (way.q[i], way.q[i + 1], way.q[i + 2]))
        more = charts.spin(theta, (way.slope[i], way.slope[i + 1], way.slope[i + 2]))
        for j in range(3):
            way.q[i + j] = before[j] + more[j]


@kernel
def correct(run: Run, course: Course, k: int, c: Coefficients, change: np.ndarray, way: Direction) -> None:
    """Apply an increment of q' and lambda'."""
    equations, n = run.equations, run.equations.freedoms
    for i in range(n):
        way.q[i] += change[i]
    for node in range(equations.turning):
        i = 6 * node + 3
        theta = turned(course.q[k - 1], course.q[k], equations.frames, node)
        y = charts.rate(theta, (change[i], change[i + 1], change[i + 2]))
        change[i], change[i + 1], change[i + 2] = y[0], y[1], y[2]
    for i in range(n):
        way.v[i] += c.velocity * change[i]
        way.abar[i] += c.abar * change[i]
        way.a[i] += c.acceleration * change[i]
    for j in range(way.lam.size):
        way.lam[j] += change[n + j]


@kernel
def largest(weight: np.ndarray, x: np.ndarray) -> float:
    """Return the largest displacement, in lengths of the model and radians."""
    most = 0.0
    for i in range(weight.size):
        most = max(most, abs(x[i]) * weight[i])
    return most


@kernel
def propagate(run: Run, trial: Run, course: Course, h: float, known: Known, way: Direction, slopes: Slopes) -> int:
    """Compute the derivatives at all instants, to the run's tolerance, from the first in ``way``. Returns a status."""
    equations, change, weight = run.equations, run.scratch.step, run.equations.weight
    c = coefficients(run.scheme, h)
    gamma, ratio, age = c.acceleration * equations.gamma, 1.0, TRUSTED
    keep(way, way.a, way.lam, slopes, 0)
    for k in range(1, course.q.shape[0]):
        if not factorise(run, course, k, c):
            return SINGULAR
        predict(run, course, k, h, way)
        bent, before, done, part = 0.0, 0.0, False, 1.0
        for count in range(ROUNDS):
            bent = along(trial, course, k, way, h, gamma, run.scratch.move, part)
            if count == 0 and bent > SMOOTH:  # a kink nearby, hidden by the mass of short steps, or curvature
                nearer = along(trial, course, k, way, h, gamma, run.scratch.move, SHORT)
                if nearer < bent:
                    bent, part = nearer, SHORT
                else:
                    along(trial, course, k, way, h, gamma, run.scratch.move, part)
            for i in range(change.size):
                change[i] = -(known.forces[k, i] + way.slope[i])
            solve_factored(run, change)
            size = largest(weight, change)
            correct(run, course, k, c, change, way)
            if count > 0:
                ratio, age = size / max(before, TINY), 0
            left = ratio * size
            target = run.controls.tolerance * max(largest(weight, way.q), h * largest(weight, way.v))
            done = size == 0.0 or (left <= target and (count > 0 or age < TRUSTED))
            if done or (count > 1 and size > 0.5 * before):
                break
            before = size
        age += 1
        slopes.bent[k], slopes.error[k] = bent, left * run.controls.tolerance / max(target, TINY)
        if not np.isfinite(size):
            return NOT_CONVERGED
        if run.controls.constraints == PROJECTION and way.lam.size > 0:
            project(run, trial, course, k, known, way, slopes, h)
        else:
            keep(way, way.a, way.lam, slopes, k)
    return DONE


@kernel
def keep(way: Direction, a: np.ndarray, lam: np.ndarray, slopes: Slopes, k: int) -> None:
    """Record the derivatives of an instant, with the recorded acceleration and reactions."""
    fill(slopes.q[k], way.q)
    fill(slopes.v[k], way.v)
    fill(slopes.a[k], way.a)
    fill(slopes.lam[k], way.lam)
    fill(slopes.recorded[k], a)
    fill(slopes.reactions[k], lam)
