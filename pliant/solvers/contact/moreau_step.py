"""Steps with rigid contacts, compiled: the equations are in moreau.py, the contacts in moreau_contacts.py. The extra
cost over a smooth step grows with the number of active contacts.
"""

from __future__ import annotations

import numpy as np

from pliant.jit import kernel, lazy_kernel, linked_kernel
from pliant.joints import rows as joints
from pliant.joints.rows import rubbing
from pliant.kernels.contact_gaps import ACROSS, GAP, OWNER, PLACE
from pliant.kernels.so3 import take_up
from pliant.kernels.sums import Instant, Into
from pliant.kernels.vectors import fill, more
from pliant.linalg import ldl
from pliant.solvers.contact.moreau_contacts import close, gather, lift, press, solve, speed, surfaces
from pliant.solvers.contact.moreau_run import Job, Places, Record, StepState, Touching, Workspace
from pliant.solvers.stepping.drivers import Signals
from pliant.solvers.stepping.energy_balance import add_to_balance, energy_at_work
from pliant.solvers.stepping.status import DONE, NOT_CONVERGED, NOT_FINITE, SINGULAR
from pliant.system.equations import Equations
from pliant.system.packing import fused

ITERATIONS, ROUGH = 25, 200  # of Newton; with rubbing joints, as friction and reactions depend on each other
TIGHT = 1e-9  # of Newton's last step, as a part of the change of velocity in the step
CLOSINGS, EVEN = 4, 1e-7  # trials to close the energy balance of a step; its tolerance, relative to the energy at work
MADE = 0.01  # a larger change of strained parts is another solution of the step's equations, or none
MOST_SHARE = 0.25  # of the change of forces in a step
STILL = 1e-9  # lengths of the model in a step: no motion
SAME = 1e-6  # of a step: impacts nearer to each other are at one instant
NO_ROOM, LARGE, UNBALANCED = 101, 102, 103


@kernel
def advance(job: Job, signals: Signals, h: float, every: int, behind: int, record: Record) -> tuple[int, int]:
    """Take steps, three rows of signals each: at the start, in the middle, at the end. Returns (status, steps);
    NO_ROOM, LARGE: the arrays are too small for the contacts, or for a cluster.
    """
    now, places, some, work = job.now, job.places, job.some, job.work
    for k in range((signals.time.size - 1) // 2):
        status = step(now, places, some, work, signals, 2 * k, h)
        if status != DONE:
            return status, k
        if (behind + k + 1) % every == 0:
            keep(now, signals.time[2 * k + 2], h, work, record)
    return DONE, (signals.time.size - 1) // 2


@kernel
def keep(now: StepState, time: float, h: float, work: Workspace, record: Record) -> None:
    """Record the present state."""
    m = work.counts.records
    record.time[m] = time
    fill(record.q[m], now.q)
    fill(record.v[m], now.v)
    fill(record.a[m], now.a)
    fill(record.lam[m], now.lam)
    fill(record.work[m], now.work)
    for k in range(now.pressed.shape[0]):
        fill(record.pressed[m, k], now.pressed[k])
    for k in range(now.rubbed.size):
        record.rubbed[m, k] = now.rubbed[k] / max(h, 1e-300)
    work.counts.records += 1


@kernel
def move(equations: Equations, q: np.ndarray, v: np.ndarray, h: float, out: np.ndarray) -> None:
    """Compute the configuration after moving with a velocity."""
    fill(out, q)
    for i in range(equations.freedoms):
        out[i] += h * v[i]
    take_up(out, equations.frames, equations.turning)


@linked_kernel
def step(now: StepState, places: Places, some: Touching, work: Workspace, signals: Signals, row: int, h: float) -> int:
    """Take one step. Returns a status."""
    equations = work.equations
    rough = equations.rubbing.law.shape[0]
    u, at_end = signals.u[row + 1], signals.u[row + 2]
    move(equations, now.q, now.v, 0.5 * h, work.half)
    touch = close(now, places, some, work)
    if touch < 0:
        return NO_ROOM
    count = touch + rough
    if rough > 0:
        surfaces(now, some, work, touch)
    if gather(places, some, count) > some.mu.size:
        return LARGE
    for i in range(3 * count):
        some.before[i] = speed(some, i, now.v)
    status = restart_step(now, places, some, work, signals, row, h, touch)
    if status == DONE and not close_balance(now, places, some, work, signals, row, h, touch):
        status = restart_step(now, places, some, work, signals, row, h, touch)
    if status == DONE:
        off, size = energy_error(now, some, work, signals, row, h, count)
        if abs(off) > MADE * size and strain_work(now, work, u, h) != 0.0:
            status = UNBALANCED
    if status != DONE:
        return status
    lift(places, some, work, touch, h)
    finish_step(now, work, u, at_end, signals.rate[row + 1], h, lost(some, work.v, count))
    remember(now, places, some, work, h, touch, count)
    kinetic, potential = fused.energy(equations.parts, now.q, now.v, at_end)
    add_to_balance(work.counts, kinetic, potential, now.work)
    now.stored[0] = kinetic + potential - now.work[0] + now.work[1]
    return DONE


@kernel
def restart_step(
    now: StepState, places: Places, some: Touching, work: Workspace, signals: Signals, row: int, h: float, touch: int
) -> int:
    """Restart the step by the midpoint rule. Returns a status."""
    fill(work.v, now.v)
    fill(work.lam, now.lam)
    work.share[0] = 0.0
    return newton(now, places, some, work, signals, row, h, touch)


@linked_kernel
def close_balance(
    now: StepState, places: Places, some: Touching, work: Workspace, signals: Signals, row: int, h: float, touch: int
) -> bool:
    """Close the energy balance of a step by the change of forces. Returns whether it improved or was closed already."""
    count, first = touch + work.equations.rubbing.law.shape[0], np.inf
    for _ in range(CLOSINGS):
        off, size = energy_error(now, some, work, signals, row, h, count)
        if not abs(off) > EVEN * size:
            return True
        if not abs(off) < first:
            return False
        first = min(first, abs(off))
        if not close_by_stiffness(now, work, signals.u[row + 1], off, h):
            return work.share[0] == 0.0
        if newton(now, places, some, work, signals, row, h, touch) != DONE:
            return False
    return abs(energy_error(now, some, work, signals, row, h, count)[0]) < first


@linked_kernel
def newton(
    now: StepState, places: Places, some: Touching, work: Workspace, signals: Signals, row: int, h: float, touch: int
) -> int:
    """Compute velocities at the end of a step, multipliers and impulses, from present values. Returns a status."""
    equations, u, at_end = work.equations, signals.u[row + 1], signals.u[row + 2]
    n, m, rough = equations.freedoms, now.lam.size, equations.rubbing.law.shape[0]
    count = touch + rough
    for _ in range(ROUGH if rough > 0 else ITERATIONS):
        if not smooth(now, work, u, at_end, signals.rate[row + 2], h):
            return SINGULAR
        for i in range(n):
            work.change[i] += work.v[i]
        if count > 0:
            status = press(now, places, some, work, touch, count, h)
            if status != DONE:
                return status
        last, motion = 0.0, 0.0
        for i in range(n):
            gone = abs(work.change[i] - work.v[i]) * equations.weight[i]
            last = gone if not gone <= last else last
            motion = max(motion, abs(work.change[i] - now.v[i]) * equations.weight[i])
            work.v[i] = work.change[i]
        for k in range(m):
            work.lam[k] += work.change[n + k]
        work.counts.iterations += 1
        if not np.isfinite(last):
            return NOT_FINITE
        if last <= max(TIGHT * motion, 1e-13 / h):
            return DONE
    return NOT_CONVERGED


@linked_kernel
def energy_error(
    now: StepState, some: Touching, work: Workspace, signals: Signals, row: int, h: float, count: int
) -> tuple[float, float]:
    """Return the energy error of a step, without losses at contacts, and an energy for comparison: the energy at work,
    or of the step; at rest the energy of impulses at rounding velocities.
    """
    equations, u, at_end = work.equations, signals.u[row + 1], signals.u[row + 2]
    ends(now, work, h)
    kinetic, potential = fused.energy(equations.parts, work.ahead, work.v, at_end)
    supplied, dissipated = fused.power(equations.parts, work.q, work.mean, u)
    supplied += joints.power(equations.rows, work.lam, signals.rate[row + 1])
    off = kinetic + potential - now.work[0] + now.work[1] - now.stored[0]
    pressed = 0.0
    for r in range(3 * count):
        pressed += abs(some.p[r])
    size = max(energy_at_work(work.counts), kinetic, STILL * pressed * work.length / h)
    return off + h * (dissipated - supplied) + lost(some, work.v, count), size


@kernel
def ends(now: StepState, work: Workspace, h: float) -> None:
    """Compute the middle and end of the step for the present velocities."""
    for i in range(work.mean.size):
        work.mean[i] = 0.5 * (now.v[i] + work.v[i])
    move(work.equations, now.q, work.mean, 0.5 * h, work.q)
    move(work.equations, now.q, work.mean, h, work.ahead)


@kernel
def lost(some: Touching, v: np.ndarray, count: int) -> float:
    """Return the loss by contacts and dry friction in a step that ends with velocities v."""
    total = 0.0
    for r in range(3 * count):
        total -= 0.5 * some.p[r] * (some.before[r] + speed(some, r, v))
    return total


@lazy_kernel
def forces(work: Workspace, q: np.ndarray, u: np.ndarray, out: np.ndarray) -> None:
    """Compute the forces at rest."""
    x, zero, mixed = work.scratch, 0.0, False
    out[:] = 0.0
    into = Into(zero, zero, zero, out, work.waste, work.waste)
    fused.add(work.equations.parts, Instant(q, work.still, work.still, u), into, x.stress, mixed)


@lazy_kernel
def close_by_stiffness(now: StepState, work: Workspace, u: np.ndarray, off: float, h: float) -> bool:
    """Use the change of forces in the step to close the balance. Returns whether this is possible: without strained
    parts there is no such change, and a large part of it would be another motion.
    """
    taken = strain_work(now, work, u, h)
    if taken == 0.0 or not abs(work.share[0] + off / taken) < MOST_SHARE:
        return False
    work.share[0] += off / taken
    return True


@lazy_kernel
def strain_work(now: StepState, work: Workspace, u: np.ndarray, h: float) -> float:
    """Return the work of the change of forces in the step; zero if nothing is strained."""
    forces(work, now.q, u, work.at_start)
    change(work, u)
    taken = 0.0
    for i in range(work.equations.freedoms):
        taken += h * work.mean[i] * work.stiff[i]
    return taken


@lazy_kernel
def change(work: Workspace, u: np.ndarray) -> None:
    """Compute the change of forces from the start of the step to its end."""
    forces(work, work.ahead, u, work.stiff)
    for i in range(work.stiff.size):
        work.stiff[i] -= work.at_start[i]


@linked_kernel
def smooth(now: StepState, work: Workspace, u: np.ndarray, at_end: np.ndarray, rate: np.ndarray, h: float) -> bool:
    """Compute Newton's change of v+ and of the multipliers, without contacts; keeps the factors. Returns whether it
    could be solved.
    """
    equations, x, mixed = work.equations, work.scratch, False
    n, m = equations.freedoms, now.lam.size
    for i in range(work.mean.size):
        work.mean[i] = 0.5 * (now.v[i] + work.v[i])
        x.place[i] = (work.v[i] - now.v[i]) / h
    move(equations, now.q, work.mean, 0.5 * h, work.q)
    move(equations, now.q, work.mean, h, work.ahead)
    x.r[:] = 0.0
    x.s[:] = 0.0
    x.w[:] = 0.0
    if work.share[0] != 0.0:
        change(work, u)
        for i in range(n):
            x.r[i] = work.share[0] * work.stiff[i]
    into = Into(0.25 * h, 0.5, 1.0 / h, x.r, x.s, x.w)
    fused.add(equations.parts, Instant(work.q, work.mean, x.place, u), into, x.stress, mixed)
    joints.velocity(equations.rows, work.ahead, work.v, at_end, rate, x.speed)
    fill(x.push, work.lam)
    if equations.gamma > 0.0:  # the augmented term belongs to the speeds, not to the gaps
        joints.residual(equations.rows, work.q, u, x.g)
        for k in range(m):
            x.push[k] += equations.gamma / h * equations.rows.weight[k] * (x.speed[k] - x.g[k])
    joints.add(equations.rows, work.q, x.push, u, joints.Saddle(0.25 * h, equations.gamma / h, x.r, x.g, x.s))
    if work.damped:
        rubbing.rub(work.viscous, work.q, work.mean, work.lam, x.rubbed)
        rubbing.push(work.viscous, x.rubbed, 1.0, x.r)
        rubbing.damp(work.viscous, 0.5, x.rubbed, x.s)
    for i in range(n):
        work.change[i] = -x.r[i]
    for k in range(m):
        work.change[n + k] = -x.speed[k]
    return ldl.solve_once(equations.pattern, x.s, x.w, x.factors, work.change, work.unsymmetric)


@linked_kernel
def finish_step(
    now: StepState, work: Workspace, u: np.ndarray, at_end: np.ndarray, rate: np.ndarray, h: float, taken: float
) -> None:
    """Make the end of the step the present state, with joints closed; add the work done without losses at contacts."""
    equations, x = work.equations, work.scratch
    rows, n, m = equations.rows, equations.freedoms, now.lam.size
    supplied, dissipated = fused.power(equations.parts, work.q, work.mean, u)
    now.work[0] += h * (supplied + joints.power(rows, work.lam, rate))
    now.work[1] += h * dissipated
    count_error(now, work, h)
    for i in range(now.v.size):
        now.a[i] = (work.v[i] - now.v[i]) / h
        work.mean[i] = 0.5 * (now.v[i] + work.v[i])
    move(equations, now.q, work.mean, h, work.ahead)
    if work.lifted[0] > 0.0:
        now.work[1] -= put_back(work, at_end, taken)
    opened = 0.0
    for _ in range(ITERATIONS if m > 0 else 0):
        joints.residual(rows, work.ahead, at_end, x.g)
        opened = 0.0
        for k in range(m):
            opened = max(opened, abs(x.g[k]))
        if opened <= 1e-13 * work.length:
            break
        for i in range(n):
            work.change[i] = 0.0
        for k in range(m):
            work.change[n + k] = -x.g[k]
        if equations.gamma > 0.0:
            augment(work, u, h)
        solve(work, work.change)
        move(equations, work.ahead, work.change[:n], 1.0, work.half)
        fill(work.ahead, work.half)
    work.counts.constraint_error = max(work.counts.constraint_error, opened)
    for k in range(m):
        wide = abs(x.g[k]) * equations.weight[0] * rows.weight[k] ** 0.5
        work.counts.opening = max(work.counts.opening, wide)
    fill(now.q, work.ahead)
    fill(now.v, work.v)
    fill(now.lam, work.lam)
    work.counts.steps += 1


@kernel
def count_error(now: StepState, work: Workspace, h: float) -> None:
    """Count the local error of the step, in lengths of the model and radians: ``h^2 |da| / 4`` for a change da of the
    mean acceleration from one step to the next.

    For smooth motion this is three times the error of the midpoint rule. An impact may be anywhere within its step; the
    end of the step has an error of at most ``h |dv|``, half of it on average: the two changes of acceleration, there
    and back, make this half. The first step has none before it.
    """
    if work.counts.steps == 0:
        return
    weight, error = work.equations.weight, 0.0
    for i in range(work.equations.freedoms):
        error = more(error, abs((work.v[i] - now.v[i]) / h - now.a[i]) * weight[i])
    error *= 0.25 * h * h
    work.counts.local_error = max(work.counts.local_error, error)
    work.counts.local_sum += error


@lazy_kernel
def put_back(work: Workspace, u: np.ndarray, taken: float) -> float:
    """Put contacts back on their surface at the end of the step, as far as this returns no more energy than they have
    lost in it. Returns this energy.
    """
    parts, n = work.equations.parts, work.equations.freedoms
    kinetic, potential = fused.energy(parts, work.ahead, work.v, u)
    before, far = kinetic + potential, 1.0
    for _ in range(2):
        move(work.equations, work.ahead, work.change[:n], far, work.half)
        kinetic, potential = fused.energy(parts, work.half, work.v, u)
        given = kinetic + potential - before
        if given <= taken:
            fill(work.ahead, work.half)
            return given
        far = max(0.0, 0.5 * taken / given)
    return 0.0


@lazy_kernel
def augment(work: Workspace, u: np.ndarray, h: float) -> None:
    """Add the augmented term of massless parts to the right side, for conditions with residual x.g."""
    equations, x, none = work.equations, work.scratch, 0.0
    for k in range(x.g.size):
        x.push[k] = -equations.gamma / h * equations.rows.weight[k] * x.g[k]
    x.r[:] = 0.0
    joints.add(equations.rows, work.q, x.push, u, joints.Saddle(none, none, x.r, x.blend, work.waste))
    for i in range(equations.freedoms):
        work.change[i] = x.r[i]


@linked_kernel
def remember(now: StepState, places: Places, some: Touching, work: Workspace, h: float, touch: int, count: int) -> None:
    """Store impulses for the next step and for the record, and losses by contacts and friction."""
    halved = False
    for c in range(count):
        halved = halved or some.share[some.cluster[c]] < 1.0
    now.work[1] += lost(some, now.v, count)
    now.halved[0] += 1 if halved else 0
    for c in range(touch):
        k, pressed = some.who[c, PLACE], now.pressed[some.who[c, OWNER]]
        pressed[1] += some.p[3 * c]
        for j in range(3):
            now.impulse[k, j] = some.p[3 * c + j]
            pressed[2 + j] += some.p[3 * c + 1] * some.out[c, ACROSS + j]
            pressed[2 + j] += some.p[3 * c + 2] * some.out[c, ACROSS + 3 + j]
        if some.p[3 * c] > 0.0:
            held = now.impulse[k, 3] == work.counts.steps - 1
            now.impulse[k, 4] = now.impulse[k, 4] + 1.0 if held else 1.0
            follow(now, places, some, work, h, c)
        else:
            now.impulse[k, 4] = 0.0
        now.impulse[k, 3] = work.counts.steps
    for e in range(count - touch):
        for j in range(3):
            now.rubbed[3 * e + j] = some.p[3 * (touch + e) + j]


@kernel
def follow(now: StepState, places: Places, some: Touching, work: Workspace, h: float, c: int) -> None:
    """Compare a closed contact with the last other one on the same part, if both bounce: impacts within a step of each
    other have an unresolved order, and the motion may depend on it.

    A contact is settled once it has been closed for so many steps that its unresolved bounces have come to rest, ``2 e
    / (1 - e)``: each is e times as long as its predecessor. Impacts at one instant have no order. The energy at stake
    is the stronger impact's; the weaker one's, if that does not bounce.
    """
    k, step = some.who[c, PLACE], float(work.counts.steps)
    e, before = some.restitution[c], some.before[3 * c]
    if (now.impulse[k, 4] - 1.0) * (1.0 - e) > 2.0 * e:
        return
    energy = 0.5 * some.p[3 * c] * max(0.0, -before)
    instant = step + (some.out[c, GAP] / (-before * h) if before < 0.0 else 0.0)
    for i in range(some.width[3 * c]):
        last = now.struck[places.part[some.columns[3 * c, i]]]
        if last[0] != k and last[1] >= step - 1.0 and abs(instant - last[2]) > SAME:
            bounces = (e if energy < last[3] else last[4]) > 0.0  # the weaker one
            counted = max(energy, last[3]) if bounces else min(energy, last[3])
            work.counts.unordered = max(work.counts.unordered, counted)
        last[0], last[1], last[2], last[3], last[4] = k, step, instant, energy, e
