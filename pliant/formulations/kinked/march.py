"""Time stepping in compiled code: Q'' = M^-1 (loads - h - V_Q), explicit or diagonally implicit Runge-Kutta."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pliant._jit import kernel
from pliant.formulations.dae.generalized_alpha import fill
from pliant.formulations.kinked.inertia import mass_matrix
from pliant.formulations.kinked.recursion import inwards, outwards, speed
from pliant.formulations.kinked.strain import strain
from pliant.formulations.kinked.tree import Tree, Work, reach
from pliant.solvers import dense
from pliant.solvers.runge_kutta import Record, Table, Tolerance, between, combine, error, grown, keep, shrunk

DONE, SINGULAR, TOO_SMALL, COARSE = 0, 1, 2, 3
NEWTON, SOLVED = 10, 0.01  # iterations; what they may leave, of the error allowed


class Room(NamedTuple):
    """An arm with what its evaluation needs."""

    tree: Tree
    driven: np.ndarray  # (joints, 2) freedom and signal
    work: Work
    still: np.ndarray  # (n + 3) zeros
    r: np.ndarray  # (n + 3)
    m: np.ndarray  # (n + 3, n + 3)
    s: np.ndarray  # (n + 3, n + 3) factors


class Run(NamedTuple):
    """Everything that one step hands to the next."""

    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    spent: np.ndarray  # (2) energy supplied and dissipated
    clock: np.ndarray  # time, step, error of the last step
    counts: np.ndarray  # evaluations, steps, rejected, records
    place: np.ndarray  # (stages + 1 + those within, n + 3)
    speed: np.ndarray
    push: np.ndarray
    power: np.ndarray  # (stages + 1, 2)


class Signals(NamedTuple):
    """Signals and their second derivatives at the stages of steps of equal size; one row if none of them changes."""

    u: np.ndarray
    second: np.ndarray


@kernel
def residual(room: Room, q: np.ndarray, v: np.ndarray, a: np.ndarray, u: np.ndarray) -> None:
    """r = M a + h + V_Q + dampers - loads; poses and wrenches are left in the room."""
    tree, r = room.tree, room.r
    r[:] = 0.0
    outwards(tree, q, v, a, u[tree.gravity[0]], u[tree.gravity[1]], room.work, False)
    inwards(tree, q, v, a, u, room.work, r)
    strain(tree, q, r, room.s, False)
    for i in range(r.size - 3):
        r[i] += tree.spring[i, 2] * v[i]


@kernel
def hold(room: Room, n: int, g: float) -> None:
    """Rows and columns of driven joints out of the matrix to be factorised; M + g C at the others."""
    s = room.s
    for i in range(n):
        s[i, i] += g * room.tree.spring[i, 2]
    for k in range(room.driven.shape[0]):
        j = room.driven[k, 0]
        for i in range(n):
            s[i, j] = s[j, i] = 0.0
        s[j, j] = 1.0


@kernel
def accelerate(room: Room, q: np.ndarray, v: np.ndarray, u: np.ndarray, second: np.ndarray, a: np.ndarray) -> bool:
    """Q'' at a state. False if M is singular."""
    n = q.size - 3
    residual(room, q, v, room.still, u)
    mass_matrix(room.tree, q, room.work, room.m)
    for i in range(n):
        for j in range(i + 1):
            room.s[i, j] = room.m[i, j]
        a[i] = -room.r[i]
    for k in range(room.driven.shape[0]):
        j, known = room.driven[k, 0], second[room.driven[k, 1]]
        for i in range(n):
            a[i] -= room.m[i, j] * known
    hold(room, n, 0.0)
    for k in range(room.driven.shape[0]):
        a[room.driven[k, 0]] = second[room.driven[k, 1]]
    if not dense.factor(room.s, n):
        return False
    dense.solve(room.s, n, a)
    return True


@kernel
def spend(room: Room, run: Run, stage: int, u: np.ndarray) -> None:
    """Powers at a stage: of loads and driven joints, and what dampers take."""
    tree, work, q, v = room.tree, room.work, run.place[stage], run.speed[stage]
    supplied, lost = 0.0, 0.0
    if room.driven.shape[0] > 0:
        residual(room, q, v, run.push[stage], u)
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
    for k in range(room.driven.shape[0]):
        supplied += room.r[room.driven[k, 0]] * v[room.driven[k, 0]]
    run.power[stage, 0], run.power[stage, 1] = supplied, lost


@kernel
def evaluate(room: Room, run: Run, stage: int, u: np.ndarray, second: np.ndarray) -> bool:
    """Acceleration and powers at a stage."""
    run.counts[0] += 1
    found = accelerate(room, run.place[stage], run.speed[stage], u, second, run.push[stage])
    spend(room, run, stage, u)
    return found


@kernel
def solve(room: Room, run: Run, stage: int, u: np.ndarray, second: np.ndarray, g: float, tolerance: Tolerance) -> bool:
    """An implicit stage: Q'' with v = v* + g Q'' and q = q* + g v, by Newton with M + g C + g^2 V_QQ of the start."""
    n, q, v, a, r = run.q.size - 3, run.place[stage], run.speed[stage], run.push[stage], room.r
    fill(a, run.push[stage - 1])
    for k in range(room.driven.shape[0]):
        a[room.driven[k, 0]] = second[room.driven[k, 1]]
    for i in range(n):
        v[i] += g * a[i]
        q[i] += g * v[i]
    if stage == 1:
        outwards(room.tree, run.q, room.still, room.still, 0.0, 0.0, room.work, False)
        mass_matrix(room.tree, run.q, room.work, room.m)
        room.s[:] = 0.0
        strain(room.tree, run.q, r, room.s, True)
        for i in range(n):
            for j in range(i + 1):
                room.s[i, j] = room.m[i, j] + g * g * room.s[i, j]
        hold(room, n, g)
        if not dense.factor(room.s, n):
            return False
    before = 0.0
    for iteration in range(NEWTON):
        run.counts[0] += 1
        residual(room, q, v, a, u)
        for k in range(room.driven.shape[0]):
            r[room.driven[k, 0]] = 0.0
        dense.solve(room.s, n, r)
        size = 0.0
        for i in range(n):
            a[i] -= r[i]
            v[i] -= g * r[i]
            q[i] -= g * g * r[i]
            place = tolerance.place[i] + tolerance.part * abs(q[i])
            pace = tolerance.pace[i] + tolerance.part * abs(v[i])
            here = max(abs(g * g * r[i]) / place, abs(g * r[i]) / pace)
            if not here <= size:
                size = here
        if not np.isfinite(size):
            return False
        rate = size / before if iteration > 0 else 0.5
        if iteration > 1 and rate > 0.9:
            return False
        if size * min(1.0, rate / max(1.0 - rate, 0.1)) <= SOLVED:
            spend(room, run, stage, u)
            return True
        before = size
    return False


@kernel
def march(
    room: Room,
    table: Table,
    tolerance: Tolerance,
    signals: Signals,
    steps: int,
    end: float,
    smallest: float,
    wanted: np.ndarray,
    every: int,
    run: Run,
    record: Record,
) -> tuple[int, int]:
    """Up to ``steps`` steps of one size, or to ``end``. Returns a status and how many ``wanted`` were recorded.

    A step that is too coarse ends it (COARSE). What the next step should be is left in the clock. Without instants
    wanted, every ``every``-th step is recorded, and the last.
    """
    n, last, inner = run.q.size - 3, table.c.size, table.inner_c.size
    steady, stride = signals.u.shape[0] == 1, last + inner  # rows of signals a step
    h, factor, passed = run.clock[1], np.inf, 0
    for taken in range(steps):
        time = run.clock[0]
        final = h >= (end - time) * (1.0 - 1e-12)
        if final:
            h = end - time
        fill(run.place[0], run.q)
        fill(run.speed[0], run.v)
        fill(run.push[0], run.a)
        fine = True
        for stage in range(1, last + 1):
            combine(table, stage, h, run, n)
            row = 0 if steady else taken * stride + (stage if stage < last else stride)
            u, second = signals.u[row], signals.second[row]
            if table.gamma == 0.0 or stage == last:
                fine = evaluate(room, run, stage, u, second)
            else:
                fine = solve(room, run, stage, u, second, table.gamma * h, tolerance)
            if not fine:
                break
        size = error(table, tolerance, h, run, n) if fine else np.inf
        if not size <= 1.0:
            run.counts[2] += 1
            run.clock[1] = h * shrunk(table, size)
            if run.clock[1] < smallest:
                return (TOO_SMALL if fine else SINGULAR), passed
            return COARSE, passed
        supplied, lost = run.spent[0], run.spent[1]
        for j in range(last):
            supplied += h * table.b[j] * run.power[j, 0]
            lost += h * table.b[j] * run.power[j, 1]
        now = end if final else time + h
        if passed < wanted.size and wanted[passed] <= now:
            for k in range(inner):
                combine(table, last + 1 + k, h, run, n)
                row = 0 if steady else taken * stride + last + k
                if not evaluate(room, run, last + 1 + k, signals.u[row], signals.second[row]):
                    return SINGULAR, passed
        while passed < wanted.size and wanted[passed] <= now:
            between(table, run, record, wanted[passed], h, supplied, lost, last)
            passed += 1
        run.counts[1] += 1
        fill(run.q, run.place[last])
        fill(run.v, run.speed[last])
        fill(run.a, run.push[last])
        fill(run.power[0], run.power[last])
        run.spent[0], run.spent[1] = supplied, lost
        if wanted.size == 0 and (run.counts[1] % every == 0 or final):
            keep(run, record, now, run.q, run.v, supplied, lost)
        factor = min(factor, grown(table, size, run.clock))
        run.clock[0] = now
        if final:
            return DONE, passed
    run.clock[1] = h * factor
    return DONE, passed
