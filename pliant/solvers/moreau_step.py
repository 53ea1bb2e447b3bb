"""Steps with rigid contacts, compiled: the equations stand in moreau.py.

Unknowns that no entry of the matrix joins are apart, and contacts that touch the same of these parts are a cluster,
whose impulses are found by themselves: what a step costs beyond the smooth one grows with what touches.
"""

from __future__ import annotations

import numpy as np

from pliant._jit import kernel, lazy_kernel, linked_kernel
from pliant.joints import rows as joints
from pliant.joints.rows import rubbing
from pliant.kernels.so3 import take_up
from pliant.kernels.sums import Instant, Into
from pliant.kernels.vectors import fill
from pliant.solvers import cones, ldl
from pliant.solvers.balance import add_to_balance
from pliant.solvers.drivers import Signals
from pliant.solvers.moreau_run import ALL, Job, Places, Present, Record, Touching, Work
from pliant.solvers.status import DONE, NOT_CONVERGED, NOT_FINITE, SINGULAR
from pliant.solvers.substitution import backward, forward
from pliant.system import fused
from pliant.system.equations import Equations
from pliant.system.gaps import WIDTH

ITERATIONS, ROUGH = 25, 200  # of Newton; where joints rub, friction and reactions follow each other
QUICK, ROUNDS, SWEEPS = 60, 4, 2000  # sweeps at first; rounds of Newton and these; sweeps in the end
TIGHTEST, LOOSEST = 1e-12, 1e-6  # of the velocities at contacts: the second where two are hardly to be told apart
TIGHT = 1e-9  # of Newton's last step, as a part of the change of velocity in the step
HALVINGS = 4
BOUNCE = 1e-9  # slower than this part of all velocities at contacts is no impact but rounding
NO_IMPULSES, NO_ROOM, LARGE = 100, 101, 102


@kernel
def advance(job: Job, signals: Signals, h: float, every: int, behind: int, record: Record) -> tuple[int, int]:
    """Take steps, three rows of signals each: at the start, in the middle, at the end. Returns (status, steps);
    NO_ROOM, LARGE: more touches, or holds together, than there is room for.
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
def keep(now: Present, time: float, h: float, work: Work, record: Record) -> None:
    """Record the present."""
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
    """The configuration after moving with a velocity."""
    fill(out, q)
    for i in range(equations.freedoms):
        out[i] += h * v[i]
    take_up(out, equations.frames, equations.turning)


@linked_kernel
def step(now: Present, places: Places, some: Touching, work: Work, signals: Signals, row: int, h: float) -> int:
    """One step. Returns a status."""
    equations = work.equations
    n, m, rough = equations.freedoms, now.lam.size, equations.rubbing.law.shape[0]
    u, at_end = signals.u[row + 1], signals.u[row + 2]
    move(equations, now.q, now.v, 0.5 * h, work.half)
    touch = close(now, places, some, work, u)
    if touch < 0:
        return NO_ROOM
    count = touch + rough
    if rough > 0:
        surfaces(now, some, work, touch)
    if gather(places, some, n, count) > some.mu.size:
        return LARGE
    for i in range(3 * count):
        some.before[i] = speed(some, i, now.v, n)
    fill(work.v, now.v)
    fill(work.lam, now.lam)
    done = False
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
            done = True
            break
    if not done:
        return NOT_CONVERGED
    take(now, work, u, at_end, signals.rate[row + 1], h)
    remember(now, places, some, work, touch, count)
    kinetic, potential = fused.energy(equations.parts, now.q, now.v, at_end)
    add_to_balance(work.counts, kinetic, potential, now.work)
    return DONE


@linked_kernel
def close(now: Present, places: Places, some: Touching, work: Work, u: np.ndarray) -> int:
    """Conditions of the places whose gap is closed halfway. Returns how many; -1: there is no room."""
    out, count = places.out, 0
    fused.openings(work.equations.parts, Instant(work.half, now.v, now.a, u), places.starts, out)
    for k in range(places.owner.size):
        if not out[k, 0] <= places.closeness:
            for j in range(3):
                now.impulse[k, j] = 0.0
            continue
        if count == some.place.size:
            return -1
        some.place[count], some.ball[count] = k, -1.0
        some.friction[count], some.restitution[count] = places.friction[k], places.restitution[k]
        for j in range(3):
            some.p[3 * count + j] = now.impulse[k, j]
            for i in range(WIDTH):
                some.columns[3 * count + j, i] = places.dofs[k, i]
                some.rates[3 * count + j, i] = out[k, 1 + WIDTH * j + i]
        count += 1
    return count if count + work.equations.rubbing.law.shape[0] <= some.place.size else -1


@lazy_kernel
def surfaces(now: Present, some: Touching, work: Work, touch: int) -> None:
    """Conditions of the joints that rub, after those of the places; some have fewer than three directions."""
    rough, found = work.equations.rubbing, work.scratch.rubbed
    rubbing.rub(rough, work.half, now.v, now.lam, found)
    for e in range(rough.law.shape[0]):
        c = touch + e
        some.place[c], some.friction[c], some.restitution[c] = -1, 1.0, 0.0
        for j in range(3):
            r, i = 3 * c + j, rough.slides[e] + j
            some.p[r] = now.rubbed[3 * e + j]
            for k in range(WIDTH):
                known = i < rough.slides[e + 1] and k < found.along.shape[1]
                some.columns[r, k] = rough.sliding.dofs[i, k] if known else work.equations.freedoms
                some.rates[r, k] = rough.arm[i] * found.along[i, k] if known else 0.0


@kernel
def speed(some: Touching, row: int, v: np.ndarray, n: int) -> float:
    """Of a condition, for velocities."""
    total = 0.0
    for k in range(WIDTH):
        if some.columns[row, k] < n:
            total += some.rates[row, k] * v[some.columns[row, k]]
    return total


@kernel
def root_of(root: np.ndarray, part: int) -> int:
    """The part that stands for the cluster of a part."""
    while root[part] != part:
        root[part] = root[root[part]]
        part = root[part]
    return part


@linked_kernel
def gather(places: Places, some: Touching, n: int, count: int) -> int:
    """Clusters: conditions that touch the same parts, in ``order``; those of part r from ``count[r]`` on. Returns the
    size of the largest.
    """
    root = some.root
    for part in range(root.size):
        root[part] = part
        some.share[part] = 1.0
        some.count[part] = 0
    some.count[root.size] = 0
    for c in range(count):
        first = -1
        for r in range(3 * c, 3 * c + 3):
            for k in range(WIDTH):
                if some.columns[r, k] < n:
                    part = root_of(root, places.part[some.columns[r, k]])
                    first = part if first < 0 else first
                    root[part] = first
        some.cluster[c] = max(first, 0)  # what holds nothing that moves is nobody's
    for c in range(count):
        some.cluster[c] = root_of(root, some.cluster[c])
        some.count[some.cluster[c] + 1] += 1
    for part in range(root.size):
        some.count[part + 1] += some.count[part]
    for c in range(count):
        part = some.cluster[c]
        some.order[some.count[part]] = c
        some.count[part] += 1
    for part in range(root.size, 0, -1):
        some.count[part] = some.count[part - 1]
    some.count[0] = 0
    most = 0
    for part in range(root.size):
        most = max(most, some.count[part + 1] - some.count[part])
    return most


@linked_kernel
def smooth(now: Present, work: Work, u: np.ndarray, at_end: np.ndarray, rate: np.ndarray, h: float) -> bool:
    """Newton's change of v+ and of the multipliers, without contacts; leaves the factors behind. Returns whether it
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
    into = Into(0.25 * h, 0.5, 1.0 / h, x.r, x.s, x.w)
    fused.add(equations.parts, Instant(work.q, work.mean, x.place, u), into, x.stress, mixed)
    joints.velocity(equations.rows, work.ahead, work.v, at_end, rate, x.speed)
    fill(x.push, work.lam)
    if equations.gamma > 0.0:  # the augmented term is that of the speeds, not of the gaps
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


@kernel
def solve(work: Work, x: np.ndarray) -> None:
    """Replace a right side by the solution, with the factors at hand."""
    if work.unsymmetric:
        ldl.solve_lu(work.equations.pattern, work.scratch.s, work.scratch.w, x)
    else:
        ldl.solve(work.equations.pattern, work.scratch.s, work.scratch.factors, x)


@linked_kernel
def answer(places: Places, some: Touching, work: Work, row: int) -> None:
    """Velocities and multipliers for a unit impulse of a condition, times h, in the parts that it touches."""
    pattern, n, x = work.equations.pattern, work.equations.freedoms, some.answers[row]
    lower, upper = work.scratch.s, work.scratch.w if work.unsymmetric else work.scratch.s
    one, other = -1, -1
    for k in range(WIDTH):
        if some.columns[row, k] < n:
            part = places.part[some.columns[row, k]]
            if one < 0 or part == one:
                one = part
            else:
                other = part
    x[:] = 0.0
    for k in range(WIDTH):
        if some.columns[row, k] < n:
            x[some.columns[row, k]] += some.rates[row, k]
    some.reach[row, 0], some.reach[row, 1] = one, other
    if work.scratch.factors.repairs[0] > 0 and not work.unsymmetric:
        some.reach[row, 0] = ALL
        solve(work, x)
        return
    for part in (one, other):
        if part >= 0:
            for k in range(places.begin[part], places.begin[part + 1]):
                forward(pattern, lower, places.panels[k], x)
            for k in range(places.begin[part + 1] - 1, places.begin[part] - 1, -1):
                backward(pattern, lower, upper, places.panels[k], x)


@linked_kernel
def press(now: Present, places: Places, some: Touching, work: Work, touch: int, count: int, h: float) -> int:
    """Add what the impulses do to the change of velocities and multipliers. Returns a status."""
    n, change = work.equations.freedoms, work.change
    for c in range(count):
        for r in range(3 * c, 3 * c + 3):
            if r == 3 * c or some.friction[c] > 0.0:
                answer(places, some, work, r)
            else:
                some.answers[r, :] = 0.0
                some.reach[r, 0], some.reach[r, 1] = -1, -1
            some.free[r] = speed(some, r, change, n)
    if touch < count:
        grip(now, some, work, touch, count, h)
    for part in range(some.root.size):
        first, end = some.count[part], some.count[part + 1]
        if first < end and not settle(some, n, first, end, part, h):
            return NO_IMPULSES
    for r in range(3 * count):
        if some.p[r] != 0.0:
            add(places, some, r, some.p[r] / h, change)
    return DONE


@kernel
def add(places: Places, some: Touching, row: int, factor: float, x: np.ndarray) -> None:
    """x += what a condition does, times a factor."""
    if some.reach[row, 0] == ALL:
        for i in range(x.size):
            x[i] += factor * some.answers[row, i]
        return
    for side in range(2):
        part = some.reach[row, side]
        if part >= 0:
            for k in range(places.first[part], places.first[part + 1]):
                x[places.unknowns[k]] += factor * some.answers[row, places.unknowns[k]]


@lazy_kernel
def grip(now: Present, some: Touching, work: Work, touch: int, count: int, h: float) -> None:
    """Largest impulses of the joints that rub, for the reactions known and at the speeds of the step's start."""
    n, found = work.equations.freedoms, work.scratch.rubbed
    for k in range(work.lam.size):
        work.reactions[k] = work.lam[k] + work.change[n + k]
        for r in range(3 * count):
            work.reactions[k] += some.answers[r, n + k] * some.p[r] / h
    rubbing.rub(work.equations.rubbing, work.half, now.v, work.reactions, found)
    for e in range(count - touch):
        some.ball[touch + e] = h * found.limit[e]


@linked_kernel
def settle(some: Touching, n: int, first: int, end: int, part: int, h: float) -> bool:
    """Impulses of a cluster, which create no energy: restitution is halved until they do not. Returns whether they were
    found.
    """
    size = end - first
    W, b, p = some.W, some.b[: 3 * size], some.some[: 3 * size]
    mu, ball = some.mu[:size], some.limit[:size]
    fastest = 1e-30
    for i in range(size):
        c = some.order[first + i]
        mu[i], ball[i] = some.friction[c], some.ball[c]
        for j in range(3):
            r = 3 * c + j
            p[3 * i + j] = some.p[r]
            fastest = max(fastest, abs(some.free[r]), abs(some.before[r]))
            for k in range(size):
                other = 3 * some.order[first + k]
                for l in range(3):
                    W[3 * i + j, 3 * k + l] = speed(some, r, some.answers[other + l], n) / h
    found = True
    for trial in range(HALVINGS + 1):
        bounced = 0.0
        for i in range(size):
            c = some.order[first + i]
            for j in range(3):
                b[3 * i + j] = some.free[3 * c + j]
            bounce = some.share[part] * some.restitution[c] * min(some.before[3 * c], 0.0)
            b[3 * i] += bounce
            bounced = min(bounced, bounce)
        found = cones.solve(W, b, mu, p, ball, TIGHTEST * fastest, QUICK) <= QUICK
        for _ in range(0 if found else ROUNDS):
            cones.leap(W, b, mu, p, ball, some.dense)
            found = cones.solve(W, b, mu, p, ball, TIGHTEST * fastest, QUICK) <= QUICK
            if found:
                break
        found = found or cones.solve(W, b, mu, p, ball, TIGHTEST * fastest, SWEEPS) <= SWEEPS
        found = found or cones.solve(W, b, mu, p, ball, LOOSEST * fastest, SWEEPS) <= SWEEPS
        if not found:
            break
        gained, moved = 0.0, 0.0
        for i in range(size):
            c = some.order[first + i]
            for j in range(3):
                r, k = 3 * c + j, 3 * i + j
                after = some.free[r]
                for l in range(3 * size):
                    after += W[k, l] * p[l]
                gained += 0.5 * p[k] * (some.before[r] + after)
                moved += abs(p[k]) * abs(some.before[r])
        if gained <= 1e-12 * moved or not bounced < -BOUNCE * fastest:
            break
        some.share[part] = 0.5 * some.share[part] if trial < HALVINGS - 1 else 0.0
    for i in range(size):
        for j in range(3):
            some.p[3 * some.order[first + i] + j] = p[3 * i + j]
    return found


@linked_kernel
def take(now: Present, work: Work, u: np.ndarray, at_end: np.ndarray, rate: np.ndarray, h: float) -> None:
    """The end of the step becomes the present, with its joints closed; the work done is summed."""
    equations, x = work.equations, work.scratch
    rows, n, m = equations.rows, equations.freedoms, now.lam.size
    supplied, dissipated = fused.power(equations.parts, work.q, work.mean, u)
    now.work[0] += h * (supplied + joints.power(rows, work.lam, rate))
    now.work[1] += h * dissipated
    for i in range(now.v.size):
        now.a[i] = (work.v[i] - now.v[i]) / h
        work.mean[i] = 0.5 * (now.v[i] + work.v[i])
    move(equations, now.q, work.mean, h, work.ahead)
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


@lazy_kernel
def augment(work: Work, u: np.ndarray, h: float) -> None:
    """What the augmented term of parts without mass puts on the right side, for conditions that are off by x.g."""
    equations, x, none = work.equations, work.scratch, 0.0
    for k in range(x.g.size):
        x.push[k] = -equations.gamma / h * equations.rows.weight[k] * x.g[k]
    x.r[:] = 0.0
    joints.add(equations.rows, work.q, x.push, u, joints.Saddle(none, none, x.r, x.blend, work.waste))
    for i in range(equations.freedoms):
        work.change[i] = x.r[i]


@linked_kernel
def remember(now: Present, places: Places, some: Touching, work: Work, touch: int, count: int) -> None:
    """Impulses for the next step and for the record; what contacts and friction have taken away."""
    n, lost, halved = work.equations.freedoms, 0.0, False
    for c in range(count):
        halved = halved or some.share[some.cluster[c]] < 1.0
        for r in range(3 * c, 3 * c + 3):
            lost -= 0.5 * some.p[r] * (some.before[r] + speed(some, r, now.v, n))
    now.work[1] += lost
    now.halved[0] += 1 if halved else 0
    for c in range(touch):
        k = some.place[c]
        pressed, across = now.pressed[places.owner[k]], places.across[k]
        pressed[1] += some.p[3 * c]
        for j in range(3):
            now.impulse[k, j] = some.p[3 * c + j]
        for i in range(places.axes):
            for j in range(1, 3):
                pressed[2 + i] += some.p[3 * c + j] * some.rates[3 * c + j, across + i]
    for e in range(count - touch):
        for j in range(3):
            now.rubbed[3 * e + j] = some.p[3 * (touch + e) + j]
