"""Midpoint rule in momentum form: the differences of its step from generalized-alpha.

Newton's unknown is the configuration q_m halfway, from which ``q_{n+1}`` is as far as ``q_n``. With the mean velocity V
and all forces and joint forces evaluated halfway,

    x_{n+1} - x_n = h V,             M (v_{n+1} - v_n) = h F(q_m, V)
    R_{n+1} = R_n cay(h W),          R_{n+1} J w_{n+1} - R_n J w_n = h R_m N(q_m, V, W),       W = (w_n + w_{n+1}) / 2

and ``g(q_{n+1}) = 0``. Forces between parts have no resultant and no moment about q_m: momentum, linear and angular, is
kept exactly, and so is the energy of a rigid body (J. C. Simo, K. K. Wong, Int. J. Numer. Meth. Eng. 31, 1991, 19-52).

With phi the rotation vector from R_n to R_m, W is 2 tan|phi| / h along it. A vector fixed to a node at p has the mean

    (R_n p + R_{n+1} p) / 2 = R_m P p,      P p = p + (1 - cos|phi|) / |phi|^2  phi x (phi x p)

and the second equation reads ``P m = N`` with ``m = J (w_{n+1} - w_n) / h + W x J W``, which elements add; the sections
of beams share J with their neighbours. Joints use the means of their points and axes: their conditions are products of
two of these, which change over a step exactly as along its mean, so that their forces do no work (O. Gonzalez, Comput.
Meth. Appl. Mech. Eng. 174, 1999, 165-174). A constrained rotation is equal halfway, where both sides have turned alike.
Mass off its node (`PointMass` at an arm) is of second order only.
"""

from __future__ import annotations

from math import atan, cos, sqrt, tan
from typing import TYPE_CHECKING

import numpy as np

from pliant.jit import kernel, lazy_kernel
from pliant.joints import rows as joints
from pliant.joints.rows import spatial as spatial_rows
from pliant.kernels.measures import TURNING
from pliant.kernels.so3 import take_up, turned
from pliant.kernels.sums import Instant, Into
from pliant.kernels.tensors import apply, get
from pliant.kernels.triples import Vector, cross, dot, minus, plus, times, vector
from pliant.linalg import ldl
from pliant.system.equations import Equations, Scratch
from pliant.system.packing import fused

if TYPE_CHECKING:
    from pliant.solvers.stepping.alpha_run import Inputs, Run, State


@lazy_kernel
def predict(equations: Equations, h: float, state: State, old: State, scratch: Scratch) -> None:
    """Predict the state halfway, with the previous acceleration."""
    fused.stretch(equations.parts, old.q, scratch.rest, scratch.stress)
    half = 0.5 * h
    for i in range(equations.freedoms):
        state.a[i] = state.abar[i] = old.a[i]
        state.v[i] = old.v[i] + half * old.a[i]
        state.q[i] = old.q[i] + half * state.v[i]
    for k in range(equations.turning):
        i = 6 * k + 3
        spin = vector(state.v, i)
        size = half * sqrt(dot(spin, spin))
        set_vector(state.q, i, times(half * atan(size) / size if size > 1e-9 else half, spin))
    if equations.turning == 0:
        for i in range(2, equations.freedoms, 3):
            state.q[i] = old.q[i] + atan(half * state.v[i])


@kernel
def set_vector(x: np.ndarray, place: int, v: Vector) -> None:
    """Set three consecutive entries."""
    x[place], x[place + 1], x[place + 2] = v


@lazy_kernel
def turn(equations: Equations, h: float, state: State, old: State) -> None:
    """Compute mean angular velocities, and their accelerations, for the rotation since the last step."""
    half = 0.5 * h
    if equations.turning == 0:
        for i in range(2, equations.freedoms, 3):
            state.v[i] = tan(state.q[i] - old.q[i]) / half
            state.a[i] = state.abar[i] = (state.v[i] - old.v[i]) / half
    for k in range(equations.turning):
        phi = turned(old.q, state.q, equations.frames, k)
        size = sqrt(dot(phi, phi))
        stretch = tan(size) / size if size > 1e-5 else 1.0 + size * size / 3.0
        for j in range(3):
            i = 6 * k + 3 + j
            state.v[i] = stretch * phi[j] / half
            state.a[i] = state.abar[i] = (state.v[i] - old.v[i]) / half


@lazy_kernel
def stress(equations: Equations, state: State, old: State, scratch: Scratch) -> None:
    """Compute the mean of the stresses before and after the step less the stresses of the strains halfway.

    The tangent uses the stresses before: those after would be far off early in Newton's iteration.
    """
    after, beyond = scratch.stress_after, scratch.stress_beyond
    reach(equations, old.q, state.q, scratch.trial)
    fused.stretch(equations.parts, scratch.trial, scratch.rest, after)
    fused.stretch(equations.parts, state.q, scratch.rest, beyond)
    for i in range(after.size):
        beyond[i] = 0.5 * (scratch.stress[i] + after[i]) - beyond[i]


@kernel
def mean(phi: Vector, p: Vector) -> Vector:
    """Return P p."""
    square = dot(phi, phi)
    share = (1.0 - cos(sqrt(square))) / square if square > 1e-8 else 0.5 - square / 24.0
    return plus(p, times(share, cross(phi, cross(phi, p))))


@lazy_kernel
def average_rows(equations: Equations, state: State, old: State, scratch: Scratch) -> None:
    """Compute the means of the points and axes of the joints."""
    rows, d, n = equations.rows, scratch.averaged.offsets, scratch.averaged.direction
    for t in range(rows.row.size):
        kind = rows.kind[t]
        for i in range(n.shape[1]):
            n[t, i] = rows.direction[t, i]
        if not joints.in_space(rows):
            one, two = rows.dofs[t, 2], rows.dofs[t, 5]
            first, second = cos(state.q[one] - old.q[one]), cos(state.q[two] - old.q[two])
            for i in range(2):
                d[t, i], d[t, 2 + i] = first * rows.offsets[t, i], second * rows.offsets[t, 2 + i]
                if kind == TURNING:
                    n[t, i] *= first
            continue
        a, b = turned(old.q, state.q, rows.frames[t, 0], 0), turned(old.q, state.q, rows.frames[t, 1], 0)
        set_vector(d[t], 0, mean(a, vector(rows.offsets[t], 0)))
        set_vector(d[t], 3, mean(b, vector(rows.offsets[t], 3)))
        on_a = spatial_rows.ON_A[kind]
        for i in range(on_a + spatial_rows.ON_B[kind]):
            set_vector(n[t], 3 * i, mean(a if i < on_a else b, vector(n[t], 3 * i)))


@lazy_kernel
def complete(equations: Equations, state: State, old: State, u: np.ndarray, scratch: Scratch) -> None:
    """Complete the right-hand side: the rest of the change of angular momentum, and the joints closed at the end of the
    step.

    Its rows are divided by two, as an increment halfway is two at the end: the matrix remains the one at halfway.
    """
    n, step = equations.freedoms, scratch.step
    for pair in range(equations.inertia.shape[0]):
        k, other, J = int(equations.inertia[pair, 0]), int(equations.inertia[pair, 1]), get(equations.inertia, pair, 2)
        i, j = 6 * k + 3, 6 * other + 3
        moment = plus(apply(J, vector(state.a, j)), cross(vector(state.v, i), apply(J, vector(state.v, j))))
        rest = minus(mean(turned(old.q, state.q, equations.frames, k), moment), moment)
        for axis in range(3):
            step[i + axis] -= rest[axis]
    joints.residual(equations.rows, scratch.trial, u, scratch.speed)
    for k in range(scratch.speed.size):
        step[n + k] = -0.5 * scratch.speed[k]


@kernel
def reach(equations: Equations, before: np.ndarray, middle: np.ndarray, after: np.ndarray) -> None:
    """Compute the configuration as far behind the middle as ``before`` is in front of it."""
    for i in range(middle.size):
        after[i] = middle[i]
    for i in range(equations.freedoms):
        after[i] += middle[i] - before[i]
    for k in range(equations.turning):
        set_vector(after, 6 * k + 3, turned(before, middle, equations.frames, k))
    take_up(after, equations.frames, equations.turning)


@lazy_kernel
def finish(equations: Equations, cm: float, state: State, old: State, scratch: Scratch) -> None:
    """Extrapolate from halfway to the end: accelerations and multipliers are known halfway."""
    reach(equations, old.q, state.q, scratch.trial)
    for i in range(scratch.trial.size):
        state.q[i] = scratch.trial[i]
    for i in range(equations.freedoms):
        state.v[i] = 2.0 * state.v[i] - old.v[i]
        state.abar[i] = state.a[i]
        state.a[i] = 1.5 * state.abar[i] - 0.5 * old.abar[i]
    for k in range(state.lam.size):  # the augmented term is part of the multiplier: halfway the joints are open
        push = state.lam[k] + cm * equations.gamma * equations.rows.weight[k] * scratch.g[k]
        state.lambar[k] = push
        state.lam[k] = 1.5 * push - 0.5 * old.lambar[k]


@lazy_kernel
def project(run: Run, inputs: Inputs, h: float) -> bool:
    """Project the velocity on G v + g_t = 0, mass-weighted (thesis eq. 5.44, with weight M): an impulse of the joints
    that keeps momentum, spread over the step. Returns whether it could be solved.

    Massless parts that no joint holds are carried by a little stiffness, others by the augmented term gamma G^T G,
    whose share of the right-hand side comes from the multipliers ``push``.
    """
    equations, controls, state, scratch, u = run.equations, run.controls, run.state, run.scratch, inputs.u
    rows, gamma, r, s, n = equations.rows, equations.gamma, scratch.r, scratch.s, equations.freedoms
    stiff = 0.01 * h * h if controls.carries else 0.0
    s[:] = 0.0
    scratch.w[:] = 0.0
    fused.add(
        equations.parts,
        Instant(state.q, state.v, state.a, u),
        Into(stiff, 0.0, 1.0, r, s, scratch.w),
        scratch.stress,
        controls.mixed,
    )
    joints.residual(rows, state.q, u, scratch.g)
    joints.velocity(rows, state.q, state.v, u, inputs.rate, scratch.speed)
    for k in range(scratch.speed.size):
        scratch.push[k] = -gamma * rows.weight[k] * (scratch.speed[k] + scratch.g[k])
        scratch.step[n + k] = -scratch.speed[k]
    r[:] = 0.0
    joints.add(rows, state.q, scratch.push, u, joints.Saddle(0.0, gamma, r, scratch.g, s))
    for i in range(n):
        scratch.step[i] = r[i]
    if not ldl.solve_once(equations.pattern, s, scratch.w, scratch.factors, scratch.step, controls.unsymmetric):
        return False
    for i in range(n):
        state.v[i] += scratch.step[i]
        state.abar[i] += scratch.step[i] / h
        state.a[i] += 1.5 * scratch.step[i] / h
    for k in range(state.lam.size):
        state.lambar[k] += scratch.step[n + k] / h
        state.lam[k] += 1.5 * scratch.step[n + k] / h
    return True
