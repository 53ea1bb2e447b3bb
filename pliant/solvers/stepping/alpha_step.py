"""One step of generalized-alpha on the index-3 equations of motion, by Newton.

Newton's increments are compared with the step's own acceleration part ``beta h^2 abar`` (an error dq is an
acceleration error dq / (beta h^2)). The error after the step is estimated from quadratic convergence: with
increments x, then y = C x^2, it is C y^2, or 2 C x y if y was found with the factors of x. If that suffices,
and if C, not measured for long, may have grown too much for it, the next increment uses the present factors.
"""

from __future__ import annotations

import numpy as np

from pliant.jit import kernel, lazy_kernel, linked_kernel
from pliant.joints import rows as joints
from pliant.joints.rows import rubbing
from pliant.kernels.so3 import take_up, turned
from pliant.kernels.sums import Instant, Into
from pliant.kernels.vectors import fill, sizes
from pliant.linalg import ldl
from pliant.solvers.stepping import midpoint
from pliant.solvers.stepping.alpha_run import BAUMGARTE, TIGHTEST, Inputs, Run, State
from pliant.solvers.stepping.alpha_scheme import Coefficients, Scheme, coefficients
from pliant.solvers.stepping.prediction import extrapolate
from pliant.solvers.stepping.status import DONE, NOT_CONVERGED, NOT_FINITE, SINGULAR, WHIRLING
from pliant.system.equations import Equations
from pliant.system.packing import fused

LARGEST_TURN = 1.5  # rad, of a node in space in one step: below a quarter of a turn
TRUSTED = 16.0  # steps after which Newton's quadratic constant may have doubled; it grows with their square


@linked_kernel
def residual(run: Run, rows: joints.Rows, u: np.ndarray, inputs: Inputs, c: Coefficients) -> None:
    """Assemble matrix and right-hand side at the state; the constraint rows hold g, or Baumgarte's blend of g'', g', g.
    ``u`` are the signals of the forces.
    """
    equations, controls, state, scratch = run.equations, run.controls, run.state, run.scratch
    parts, cc, cm = equations.parts, c.velocity, c.acceleration
    r, g, s, w = scratch.r, scratch.g, scratch.s, scratch.w
    r[:] = 0.0
    s[:] = 0.0
    if controls.unsymmetric:
        w[:] = 0.0
    fused.add(parts, Instant(state.q, state.v, state.a, u), Into(1.0, cc, cm, r, s, w), scratch.stress, controls.mixed)
    if controls.mixed:
        fused.pull(parts, state.q, scratch.stress_beyond, r)
    joints.add(rows, state.q, state.lam, u, joints.Saddle(1.0, cm * equations.gamma, r, g, s))
    if equations.rubbing.arm.size > 0:
        rubbing.rub(equations.rubbing, state.q, state.v, state.lam, scratch.rubbed)
        rubbing.push(equations.rubbing, scratch.rubbed, 1.0, r)
        rubbing.damp(equations.rubbing, cc, scratch.rubbed, s)
        rubbing.lean(equations.rubbing, scratch.rubbed, s, w)
    if controls.constraints == BAUMGARTE:
        baumgarte(run, rows, u, inputs, c)
    oppose(run)


@linked_kernel
def residual_alone(run: Run, u: np.ndarray, c: Coefficients) -> None:
    """Assemble the right-hand side alone, for a symmetric matrix whose factors stay: entries of a matrix go to w, which
    is unused then.
    """
    equations, state, scratch, none, mixed = run.equations, run.state, run.scratch, 0.0, False
    r, w = scratch.r, scratch.w
    r[:] = 0.0
    now, into = Instant(state.q, state.v, state.a, u), Into(none, none, none, r, w, w)
    fused.add(equations.parts, now, into, scratch.stress, mixed)
    if equations.gamma == 0.0:
        joints.push(equations.rows, state.q, state.lam, u, r, scratch.g)
    else:
        saddle = joints.Saddle(none, c.acceleration * equations.gamma, r, scratch.g, w)
        joints.add(equations.rows, state.q, state.lam, u, saddle)
    oppose(run)


@kernel
def oppose(run: Run) -> None:
    """Set the right-hand side to the negative residual and gaps."""
    scratch, n = run.scratch, run.equations.freedoms
    for i in range(n):
        scratch.step[i] = -scratch.r[i]
    for k in range(scratch.g.size):
        scratch.step[n + k] = -scratch.g[k]


@lazy_kernel
def baumgarte(run: Run, rows: joints.Rows, u: np.ndarray, inputs: Inputs, c: Coefficients) -> None:
    """Assemble g'' + 2 zeta omega g' + omega^2 g = 0 (thesis eq. 5.42 with the term J' v it omits), scaled to a
    position correction.
    """
    controls, state, scratch = run.controls, run.state, run.scratch
    omega, damping = controls.stiffness, 2.0 * controls.damping * controls.stiffness
    joints.bias(rows, state.q, state.v, u, inputs.second, scratch.blend)
    joints.velocity(rows, state.q, state.a, u, scratch.nothing, scratch.speed)
    for k in range(scratch.g.size):
        scratch.blend[k] += scratch.speed[k]
    joints.velocity(rows, state.q, state.v, u, inputs.rate, scratch.speed)
    total = c.acceleration + damping * c.velocity + omega * omega
    for k in range(scratch.g.size):
        value = scratch.blend[k] + damping * scratch.speed[k] + omega * omega * scratch.g[k]
        scratch.g[k] = value / total


@linked_kernel
def predict(run: Run, h: float) -> None:
    """Predict the state by the extrapolated acceleration (prediction.py)."""
    equations, scheme, state, old, scratch = run.equations, run.scheme, run.state, run.old, run.scratch
    beta, gamma = scheme.beta, scheme.gamma
    extrapolate(run)
    for i in range(equations.freedoms):
        ahead = scratch.move[i]
        bar = (old.a[i] + (1.0 - scheme.alpha_f) * ahead - scheme.alpha_m * old.abar[i]) / (1.0 - scheme.alpha_m)
        state.a[i] = old.a[i] + ahead
        state.abar[i] = bar
        state.q[i] = old.q[i] + h * old.v[i] + h * h * ((0.5 - beta) * old.abar[i] + beta * bar)
        state.v[i] = old.v[i] + h * ((1.0 - gamma) * old.abar[i] + gamma * bar)
    if scheme.momentum:
        midpoint.predict(equations, h, state, old, scratch)
    for i in range(equations.frames, equations.frames + 4 * equations.turning):
        state.q[i] = old.q[i]
    take_up(state.q, equations.frames, equations.turning)
    fill(state.lam, old.lam)


@linked_kernel
def correct(run: Run, h: float, c: Coefficients) -> None:
    """Apply Newton's increment in ``scratch.step``."""
    equations, scheme, state, dq = run.equations, run.scheme, run.state, run.scratch.step
    n = equations.freedoms
    for i in range(n):
        state.q[i] += dq[i]
        state.v[i] += c.velocity * dq[i]
        state.abar[i] += c.abar * dq[i]
        state.a[i] += c.acceleration * dq[i]
    if equations.turning > 0:
        take_up(state.q, equations.frames, equations.turning)
        turn(equations, scheme, h, state, run.old)
    if scheme.momentum:
        midpoint.turn(equations, h, state, run.old)
    for k in range(equations.rows.offset.size):
        state.lam[k] += dq[n + k]


@linked_kernel
def step(run: Run, h: float, before_u: np.ndarray, inputs: Inputs) -> tuple[int, int]:
    """Take one step from ``run.old`` to ``run.state``, by Newton. Returns (status, iterations)."""
    equations, scheme, controls, scratch = run.equations, run.scheme, run.controls, run.scratch
    state, memory, u = run.state, run.memory, inputs.u
    c = coefficients(scheme, h)
    if whirling(equations, h, run.old):
        return WHIRLING, 0
    for i in range(u.size):
        scratch.signals[i] = 0.5 * (before_u[i] + u[i]) if scheme.momentum else u[i]
    predict(run, h)
    before, axes = 0.0, 3 if equations.turning > 0 else 2
    newton = controls.constraints != BAUMGARTE and not scheme.momentum  # it converges quadratically
    again = stale = False  # whether an increment uses the factors of its predecessor, and whether the predecessor did
    for iteration in range(1, controls.max_iterations + 1):
        rows = equations.rows
        if scheme.momentum:
            midpoint.stress(equations, state, run.old, scratch)
            midpoint.average_rows(equations, state, run.old, scratch)
            rows = scratch.averaged
        if again:
            residual_alone(run, scratch.signals, c)
            ldl.solve(equations.pattern, scratch.s, scratch.factors, scratch.step)
        else:
            residual(run, rows, scratch.signals, inputs, c)
            if scheme.momentum:
                midpoint.complete(equations, state, run.old, u, scratch)
            if not ldl.solve_once(
                equations.pattern, scratch.s, scratch.w, scratch.factors, scratch.step, controls.unsymmetric
            ):
                return SINGULAR, iteration
        correct(run, h, c)
        size, motion, place = sizes(scratch.step, state.abar, state.q, equations.weight, axes)
        if not np.isfinite(size):
            return NOT_FINITE, iteration
        floor = 64.0 * 2.2e-16 * max(1.0, place)
        wanted = min(controls.tolerance * scheme.beta * h * h * motion, TIGHTEST)
        target = max(wanted, floor)
        if iteration > 1 and not stale:
            memory.age = 0.0
            contracted = max(size, 4.0 * floor) / before  # rounding makes it no more
            measured = size > 4.0 * floor
            if measured or (contracted < 0.1 and not 0.0 < memory.contraction <= contracted / before):
                memory.contraction = max(contracted / before, 0.5 * memory.contraction)
        doubt = 1.0 + (memory.age / TRUSTED) ** 2
        rate = doubt * memory.contraction * size  # ratio to the next increment, by quadratic convergence
        known = newton and 0.0 < rate < 0.1
        enough = known and rate * size <= wanted  # error after an increment of this size with its own factors
        if again:
            enough = 2.0 * size * size <= wanted * before
        small = size <= target or enough
        if scheme.momentum and iteration > 1 and size < 0.5 * before:  # it converges linearly
            small = small or size * size <= 0.01 * floor * (before - size)
        if small or (iteration > 2 and size > 0.5 * before and size < 1e3 * floor):
            memory.age += 1.0 if small else 0.0  # else increments have reached rounding and fall no further
            if scheme.momentum:
                midpoint.finish(equations, c.acceleration, state, run.old, scratch)
            return DONE, iteration
        if size > 1e3:
            return NOT_CONVERGED, iteration
        stale, again = again, not again and (enough or (known and 2.0 * rate * rate * size <= wanted))
        again = again and not controls.unsymmetric
        before = size
    return NOT_CONVERGED, controls.max_iterations


@kernel
def whirling(equations: Equations, h: float, old: State) -> bool:
    """Return whether a node in space would turn by more than LARGEST_TURN in a step: rotations are unique up to whole
    turns, and rotations between two nodes must stay below half a turn.
    """
    for k in range(equations.turning):
        square = 0.0
        for i in range(6 * k + 3, 6 * k + 6):
            theta = h * (old.v[i] + 0.5 * h * old.a[i])
            square += theta * theta
        if square > LARGEST_TURN * LARGEST_TURN:
            return True
    return False


@lazy_kernel
def turn(equations: Equations, scheme: Scheme, h: float, state: State, old: State) -> None:
    """Compute angular velocities and accelerations for the rotation since the last step.

    ``R_{n+1} = R_n exp(theta)`` with ``theta = h w_n + h^2 ((1/2 - beta) abar_n + beta abar_{n+1})`` in the node's axes
    (Bruls, Cardona, Arnold 2012): theta is known, and gives abar, velocity and acceleration.
    """
    beta, gamma, alpha_m, alpha_f = scheme.beta, scheme.gamma, scheme.alpha_m, scheme.alpha_f
    for k in range(equations.turning):
        theta = turned(old.q, state.q, equations.frames, k)
        for j in range(3):
            i = 6 * k + 3 + j
            bar = (theta[j] - h * old.v[i]) / (beta * h * h) - (0.5 / beta - 1.0) * old.abar[i]
            state.abar[i] = bar
            state.v[i] = old.v[i] + h * ((1.0 - gamma) * old.abar[i] + gamma * bar)
            state.a[i] = ((1.0 - alpha_m) * bar + alpha_m * old.abar[i] - alpha_f * old.a[i]) / (1.0 - alpha_f)
