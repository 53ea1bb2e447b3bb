"""Accelerations of an arm, Q'' = M^-1 (loads - h - V_Q), compiled as stages of Runge-Kutta (see
``solvers/ode/runge_kutta.py``).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pliant.jit import kernel
from pliant.linalg import dense
from pliant.solvers.ode import runge_kutta
from pliant.solvers.ode.runge_kutta import NEWTON, Run, Tolerance, fill, increment, predict, settled
from pliant.solvers.stepping.drivers import Signals
from pliant_papers.kinked.inertia import mass_matrix
from pliant_papers.kinked.recursion import inwards, outwards, speed
from pliant_papers.kinked.strain import strain
from pliant_papers.kinked.tree import Tree, Work, reach


class Workspace(NamedTuple):
    """An arm with the arrays of its evaluation."""

    tree: Tree
    driven: np.ndarray  # (joints, 2) freedom and signal
    work: Work
    still: np.ndarray  # (n + 3) zeros
    r: np.ndarray  # (n + 3)
    m: np.ndarray  # (n + 3, n + 3)
    s: np.ndarray  # (n + 3, n + 3) factors


@kernel
def residual(workspace: Workspace, q: np.ndarray, v: np.ndarray, a: np.ndarray, u: np.ndarray) -> None:
    """Compute r = M a + h + V_Q + dampers - loads; poses and wrenches are left in the workspace."""
    tree, r = workspace.tree, workspace.r
    r[:] = 0.0
    outwards(tree, q, v, a, u[tree.gravity[0]], u[tree.gravity[1]], workspace.work, False)
    inwards(tree, q, v, a, u, workspace.work, r)
    strain(tree, q, r, workspace.s, False)
    for i in range(r.size - 3):
        r[i] += tree.spring[i, 2] * v[i]


@kernel
def hold(workspace: Workspace, n: int, g: float) -> None:
    """Remove rows and columns of driven joints from the matrix to be factorised; add g C at the others."""
    s = workspace.s
    for i in range(n):
        s[i, i] += g * workspace.tree.spring[i, 2]
    for k in range(workspace.driven.shape[0]):
        j = workspace.driven[k, 0]
        for i in range(n):
            s[i, j] = s[j, i] = 0.0
        s[j, j] = 1.0


@kernel
def accelerate(
    workspace: Workspace, q: np.ndarray, v: np.ndarray, u: np.ndarray, second: np.ndarray, a: np.ndarray
) -> bool:
    """Compute Q'' at a state. Returns False if M is singular."""
    n = q.size - 3
    residual(workspace, q, v, workspace.still, u)
    mass_matrix(workspace.tree, q, workspace.work, workspace.m)
    for i in range(n):
        for j in range(i + 1):
            workspace.s[i, j] = workspace.m[i, j]
        a[i] = -workspace.r[i]
    for k in range(workspace.driven.shape[0]):
        j, known = workspace.driven[k, 0], second[workspace.driven[k, 1]]
        for i in range(n):
            a[i] -= workspace.m[i, j] * known
    hold(workspace, n, 0.0)
    for k in range(workspace.driven.shape[0]):
        a[workspace.driven[k, 0]] = second[workspace.driven[k, 1]]
    if not dense.factor(workspace.s, n):
        return False
    dense.solve(workspace.s, n, a)
    return True


@kernel
def add_power(workspace: Workspace, run: Run, stage: int, u: np.ndarray) -> None:
    """Add the powers at a stage: of loads and driven joints, and of dampers."""
    tree, work, q, v = workspace.tree, workspace.work, run.stages.q[stage], run.stages.v[stage]
    supplied, lost = 0.0, 0.0
    if workspace.driven.shape[0] > 0:
        residual(workspace, q, v, run.stages.a[stage], u)
    for e in range(tree.load.size):
        node, signal, arm = tree.load[e], tree.signal[e], tree.arm[e]
        p, i = tree.frame[node], tree.freedom[node]
        arms = reach(tree, work.pose, q, node, arm[0], arm[1])
        vx, vy = speed(arms, work.twist[p], v, i)
        if arm[3] != 0.0:
            turn = work.pose[p, 4] + q[i + 2]
            c, s = np.cos(turn), np.sin(turn)
            vx, vy = c * vx + s * vy, c * vy - s * vx
        supplied += arm[2] * (u[signal[0]] * vx + u[signal[1]] * vy + u[signal[2]] * (work.twist[p, 2] + v[i + 2]))
    for i in range(q.size - 3):
        lost += tree.spring[i, 2] * v[i] * v[i]
    for k in range(workspace.driven.shape[0]):
        supplied += workspace.r[workspace.driven[k, 0]] * v[workspace.driven[k, 0]]
    run.stages.power[stage, 0], run.stages.power[stage, 1] = supplied, lost


@kernel
def evaluate(workspace: Workspace, signals: Signals, row: int, time: float, run: Run, stage: int) -> bool:
    """Compute acceleration and powers at a stage."""
    u, stages = signals.u[row], run.stages
    run.counts.iterations += 1
    found = accelerate(workspace, stages.q[stage], stages.v[stage], u, signals.second[row], stages.a[stage])
    add_power(workspace, run, stage, u)
    return found


@kernel
def linearise(workspace: Workspace, q: np.ndarray, g: float) -> bool:
    """Factorise M + g C + g^2 V_QQ."""
    n = q.size - 3
    outwards(workspace.tree, q, workspace.still, workspace.still, 0.0, 0.0, workspace.work, False)
    mass_matrix(workspace.tree, q, workspace.work, workspace.m)
    workspace.s[:] = 0.0
    strain(workspace.tree, q, workspace.r, workspace.s, True)
    for i in range(n):
        for j in range(i + 1):
            workspace.s[i, j] = workspace.m[i, j] + g * g * workspace.s[i, j]
    hold(workspace, n, g)
    return dense.factor(workspace.s, n)


@kernel
def solve(
    workspace: Workspace, signals: Signals, row: int, time: float, run: Run, stage: int, g: float, tolerance: Tolerance
) -> bool:
    """Solve an implicit stage: Q'' with v = v* + g Q'', q = q* + g v, by Newton with the matrix of the step's start."""
    n, u, second, r = run.q.size - 3, signals.u[row], signals.second[row], workspace.r
    q, v, a = run.stages.q[stage], run.stages.v[stage], run.stages.a[stage]
    fill(a, run.stages.a[stage - 1])
    for k in range(workspace.driven.shape[0]):
        a[workspace.driven[k, 0]] = second[workspace.driven[k, 1]]
    predict(run, stage, g, n)
    if stage == 1 and not linearise(workspace, run.q, g):
        return False
    before = 0.0
    for iteration in range(NEWTON):
        run.counts.iterations += 1
        residual(workspace, q, v, a, u)
        for k in range(workspace.driven.shape[0]):
            r[workspace.driven[k, 0]] = 0.0
        dense.solve(workspace.s, n, r)
        for i in range(n):
            r[i] = -r[i]
        size = increment(r, g, tolerance, run, stage)
        verdict = settled(size, before, iteration)
        if verdict > 0:
            add_power(workspace, run, stage, u)
            return True
        if verdict < 0:
            return False
        before = size
    return False


advance = runge_kutta.advance_of(evaluate, solve, runge_kutta.stays_closed)
