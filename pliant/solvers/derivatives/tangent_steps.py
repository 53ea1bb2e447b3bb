"""How a motion by generalized-alpha follows a number p that its equations are made of, step by step.

A step solves R(q, v, a, lambda; p) = 0, forces and joints, at its end, v and a being what the scheme makes of q and of
the state before. So the derivatives x' of the state obey, with those of the state before known,

    R_q q' + R_v v' + R_a a' + R_lambda lambda' = -R_p,
    q' = q_n' + theta' + y,   v' = ... + c_v y,   a' = ... + c_m y

(theta' is the scheme's own with abar' as before; rotations in space: ``R_{n+1} = R_n exp(theta)``, so that q' =
exp(-theta) q_n' + J(theta) theta' + y, and J^-1 y in the place of y). R_x x' is a central difference of fourth order
along x'; the matrix of the step, factorised, gives y, until nothing is left: what it lacks costs no accuracy. R_p is a
difference of the same order between systems at both sides of p, at the states of this motion (`residuals`).

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
    Known,
    Slopes,
    Way,
    factored,
    forces,
    load,
    moved,
    solved,
    stride_of,
)
from pliant.solvers.stepping.alpha_run import PROJECTION, Run
from pliant.solvers.stepping.alpha_scheme import Coefficients, coefficients
from pliant.solvers.stepping.status import DONE, NOT_CONVERGED, SINGULAR

PLACES = (  # and their weights: of the slope, of far less near slope, of far second difference less four near ones
    (-2.0, -FAR, -0.25, -0.25),
    (-1.0, -NEAR, 0.5, 1.0),
    (1.0, NEAR, -0.5, 1.0),
    (2.0, FAR, 0.25, -0.25),
)
TRUSTED = 16  # steps for which the rate of the corrections is used without measuring it again
ROUNDS = 20  # corrections of a step, at most
SMOOTH = 1e-10  # of what the diagonal makes of x': what slopes differ by where nothing has a kink, and hardly curvature
SHORT = 1e-3  # of a stride: tried where they differ by more, and taken where they then differ by less


@kernel
def residuals(run: Run, course: Course, gamma: float, out: np.ndarray) -> None:
    """(instants, n + m) what is left of the equations of ``run`` at the states of a motion, from the second on."""
    n = run.equations.freedoms
    for k in range(1, out.shape[0]):
        load(run, course, k)
        forces(run, course.u[k], gamma)
        fill(out[k, :n], run.scratch.r)
        fill(out[k, n:], run.scratch.g)


@linked_kernel
def along(
    trial: Run, course: Course, k: int, way: Way, h: float, gamma: float, diagonal: np.ndarray, part: float
) -> float:
    """R_x x' in ``way.slope``, by a part of the usual stride. Returns how far slopes differ from near to far, and
    second differences from growing with the square of the stride, as a part of what the diagonal of the step's matrix
    makes of x': much at a kink.
    """
    n, by = trial.equations.freedoms, part * stride_of(trial.equations.weight, way, h)
    way.slope[:] = 0.0
    way.odd[:] = 0.0
    way.even[:] = 0.0
    for place, weight, odd, even in PLACES:
        moved(trial, course, k, way, place * by)
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
def predicted(run: Run, course: Course, k: int, h: float, way: Way) -> None:
    """Derivatives at the end of a step if abar' stays: those before it are in ``way``."""
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
def corrected(run: Run, course: Course, k: int, c: Coefficients, change: np.ndarray, way: Way) -> None:
    """Take an increment of q' and lambda'."""
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
    """Of displacements, in lengths of the model and radians."""
    most = 0.0
    for i in range(weight.size):
        most = max(most, abs(x[i]) * weight[i])
    return most


@kernel
def propagate(run: Run, trial: Run, course: Course, h: float, known: Known, way: Way, slopes: Slopes) -> int:
    """Derivatives of all instants, to the run's tolerance; those of the first are in ``way``. Returns a status."""
    equations, change, weight = run.equations, run.scratch.step, run.equations.weight
    c = coefficients(run.scheme, h)
    gamma, ratio, age = c.acceleration * equations.gamma, 1.0, TRUSTED
    keep(way, way.a, way.lam, slopes, 0)
    for k in range(1, course.q.shape[0]):
        if not factored(run, course, k, c):
            return SINGULAR
        predicted(run, course, k, h, way)
        bent, before, done, part = 0.0, 0.0, False, 1.0
        for count in range(ROUNDS):
            bent = along(trial, course, k, way, h, gamma, run.scratch.move, part)
            if count == 0 and bent > SMOOTH:  # a kink nearby, which the mass of short steps hides, or curvature
                nearer = along(trial, course, k, way, h, gamma, run.scratch.move, SHORT)
                if nearer < bent:
                    bent, part = nearer, SHORT
                else:
                    along(trial, course, k, way, h, gamma, run.scratch.move, part)
            for i in range(change.size):
                change[i] = -(known.forces[k, i] + way.slope[i])
            solved(run, change)
            size = largest(weight, change)
            corrected(run, course, k, c, change, way)
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
def keep(way: Way, a: np.ndarray, lam: np.ndarray, slopes: Slopes, k: int) -> None:
    """Record the derivatives of an instant, those of acceleration and reactions as they are recorded."""
    fill(slopes.q[k], way.q)
    fill(slopes.v[k], way.v)
    fill(slopes.a[k], way.a)
    fill(slopes.lam[k], way.lam)
    fill(slopes.recorded[k], a)
    fill(slopes.reactions[k], lam)
