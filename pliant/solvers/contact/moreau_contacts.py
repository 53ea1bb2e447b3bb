"""Contacts of a step, compiled: active contacts, their clusters, and their impulses.

Parts are sets of unknowns that no entry of the matrix joins; contacts on the same parts form a cluster, whose impulses
are solved separately.
"""

from __future__ import annotations

import numpy as np

from pliant.jit import kernel, lazy_kernel, linked_kernel
from pliant.joints.rows import rubbing
from pliant.kernels.contact_gaps import FREEDOMS, GAP, OWNER, PLACE, RATES, WIDTH
from pliant.linalg import ldl
from pliant.linalg.substitution import backward, forward
from pliant.solvers.contact import cones
from pliant.solvers.contact.cone_newton import leap
from pliant.solvers.contact.moreau_run import ALL, NOWHERE, Places, StepState, Touching, Workspace
from pliant.solvers.stepping.status import DONE
from pliant.system.packing import fused

FEW, QUICK, ROUNDS, SWEEPS = 6, 60, 6, 2000  # sweeps at first; with one contact; rounds with Newton; last sweeps
TIGHTEST, LOOSEST = 1e-12, 1e-6  # of the velocities at contacts: the second for nearly redundant contacts
HALVINGS = 4
BOUNCE = 1e-9  # relative to all velocities at contacts: a slower impact is rounding
NO_IMPULSES = 100
SHALLOW, LEFT = 10.0, 0.01  # times the gap of a closed contact; remaining part of a depth


@linked_kernel
def close(now: StepState, places: Places, some: Touching, work: Workspace) -> int:
    """Set up conditions of the places whose gap is closed halfway. Returns their number; -1: arrays too small."""
    who, out, n = some.who, some.out, work.equations.freedoms
    count = fused.openings(
        work.equations.parts, work.half, places.closeness, places.starts, places.firsts, who, out
    )  # fmt: skip
    if count + work.equations.rubbing.law.shape[0] > who.shape[0]:
        return -1
    for c in range(count):
        k, owner = who[c, PLACE], who[c, OWNER]
        some.ball[c], some.friction[c], some.restitution[c] = -1.0, places.friction[owner], places.restitution[owner]
        held = now.impulse[k, 3] == work.counts.steps
        width = 0
        for i in range(WIDTH):
            column = who[c, FREEDOMS + i]
            if 0 <= column < n:
                for r in range(3):
                    some.columns[3 * c + r, width] = column
                    some.rates[3 * c + r, width] = out[c, RATES + WIDTH * r + i]
                width += 1
        for r in range(3):
            some.p[3 * c + r] = now.impulse[k, r] if held else 0.0
            some.width[3 * c + r] = width
    return count


@kernel
def enter(some: Touching, row: int, column: int, rate: float) -> None:
    """Add a freedom to a condition."""
    k = some.width[row]
    some.columns[row, k], some.rates[row, k] = column, rate
    some.width[row] = k + 1


@lazy_kernel
def surfaces(now: StepState, some: Touching, work: Workspace, touch: int) -> None:
    """Set up conditions of rubbing joints, after the places; some have fewer than three directions."""
    rough, found = work.equations.rubbing, work.scratch.rubbed
    rubbing.rub(rough, work.half, now.v, now.lam, found)
    for e in range(rough.law.shape[0]):
        c = touch + e
        some.friction[c], some.restitution[c] = 1.0, 0.0
        for j in range(3):
            r, i = 3 * c + j, rough.slides[e] + j
            some.p[r], some.width[r] = now.rubbed[3 * e + j], 0
            for k in range(found.along.shape[1] if i < rough.slides[e + 1] else 0):
                if rough.sliding.dofs[i, k] < work.equations.freedoms:
                    enter(some, r, rough.sliding.dofs[i, k], rough.arm[i] * found.along[i, k])


@kernel
def speed(some: Touching, row: int, v: np.ndarray) -> float:
    """Return the speed of a condition, for velocities v."""
    total = 0.0
    for k in range(some.width[row]):
        total += some.rates[row, k] * v[some.columns[row, k]]
    return total


@kernel
def root_of(root: np.ndarray, part: int) -> int:
    """Return the root part of the cluster of a part."""
    while root[part] != part:
        root[part] = root[root[part]]
        part = root[part]
    return part


@linked_kernel
def gather(places: Places, some: Touching, count: int) -> int:
    """Collect clusters: conditions on the same parts, in ``order``; conditions of part r from ``count[r]`` on. Returns
    the size of the largest.
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
            for k in range(some.width[r]):
                part = root_of(root, places.part[some.columns[r, k]])
                first = part if first < 0 else first
                root[part] = first
        some.cluster[c] = max(first, 0)  # a contact between fixed bodies
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


@kernel
def solve(work: Workspace, x: np.ndarray) -> None:
    """Replace a right side by the solution, with the present factors."""
    if work.unsymmetric:
        ldl.solve_lu(work.equations.pattern, work.scratch.s, work.scratch.w, work.scratch.factors, x)
    else:
        ldl.solve(work.equations.pattern, work.scratch.s, work.scratch.factors, x)


@kernel
def clear(places: Places, some: Touching, row: int) -> None:
    """Clear the response of a condition."""
    x = some.answers[row]
    if some.reach[row, 0] == ALL:
        x[:] = 0.0
    for side in range(2):
        part = some.reach[row, side]
        if part >= 0:
            for k in range(places.first[part], places.first[part + 1]):
                x[places.unknowns[k]] = 0.0
        some.reach[row, side] = NOWHERE


@linked_kernel
def answer(places: Places, some: Touching, work: Workspace, row: int) -> None:
    """Compute velocities and multipliers for a unit impulse of a condition, times h, in the parts that it touches."""
    pattern, x = work.equations.pattern, some.answers[row]
    lower, upper = work.scratch.s, work.scratch.w if work.unsymmetric else work.scratch.s
    one, other = NOWHERE, NOWHERE
    for k in range(some.width[row]):
        x[some.columns[row, k]] += some.rates[row, k]
        part = places.part[some.columns[row, k]]
        if one < 0 or part == one:
            one = part
        else:
            other = part
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
def press(now: StepState, places: Places, some: Touching, work: Workspace, touch: int, count: int, h: float) -> int:
    """Add the effect of the impulses to the change of velocities and multipliers. Returns a status."""
    change = work.change
    for c in range(count):
        for r in range(3 * c, 3 * c + 3):
            clear(places, some, r)
            if r == 3 * c or some.friction[c] > 0.0:
                answer(places, some, work, r)
            some.free[r] = speed(some, r, change)
    if touch < count:
        grip(now, some, work, touch, count, h)
    for part in range(some.root.size):
        first, end = some.count[part], some.count[part + 1]
        if first < end and not settle(some, work, first, end, part, h):
            return NO_IMPULSES
    for r in range(3 * count):
        if some.p[r] != 0.0:
            add(places, some, r, some.p[r] / h, change)
    return DONE


@kernel
def add(places: Places, some: Touching, row: int, factor: float, x: np.ndarray) -> None:
    """Add the response of a condition to x, times a factor."""
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
def grip(now: StepState, some: Touching, work: Workspace, touch: int, count: int, h: float) -> None:
    """Compute the largest impulses of rubbing joints, for known reactions and the speeds at the start of the step."""
    n, found = work.equations.freedoms, work.scratch.rubbed
    for k in range(work.lam.size):
        work.reactions[k] = work.lam[k] + work.change[n + k]
        for r in range(3 * count):
            work.reactions[k] += some.answers[r, n + k] * some.p[r] / h
    rubbing.rub(work.equations.rubbing, work.half, now.v, work.reactions, found)
    for e in range(count - touch):
        some.ball[touch + e] = h * found.limit[e]


@kernel
def share_part(some: Touching, c: int, d: int) -> bool:
    """Return whether an impulse of condition d may move c: both touch one part. Rows of a contact touch equal parts."""
    if some.ball[c] >= 0.0 or some.ball[d] >= 0.0:
        return True
    a, b, x, y = some.reach[3 * c, 0], some.reach[3 * c, 1], some.reach[3 * d, 0], some.reach[3 * d, 1]
    return a == ALL or x == ALL or (a >= 0 and a in (x, y)) or (b >= 0 and b in (x, y))


@linked_kernel
def couple(some: Touching, first: int, end: int, h: float, symmetric: bool) -> None:
    """Assemble the matrix of a cluster."""
    of, scale = some.matrix, 1.0 / h
    for i in range(end - first):
        c = some.order[first + i]
        of.count[i] = 0
        for k in range(i + 1):
            d = some.order[first + k]
            if not share_part(some, c, d):
                continue
            of.near[i, of.count[i]] = k
            of.count[i] += 1
            move(some, c, d, scale, of.W, i, k)
            if k == i:
                continue
            of.near[k, of.count[k]] = i
            of.count[k] += 1
            if symmetric:
                for j in range(3):
                    for l in range(3):
                        of.W[3 * k + l, 3 * i + j] = of.W[3 * i + j, 3 * k + l]
            else:
                move(some, d, c, scale, of.W, k, i)


@kernel
def move(some: Touching, c: int, d: int, scale: float, W: np.ndarray, row: int, column: int) -> None:
    """Compute velocities of condition c for unit impulses of condition d, into their block of the matrix."""
    x, y, z = some.answers[3 * d], some.answers[3 * d + 1], some.answers[3 * d + 2]
    for j in range(3):
        r, along, s, t = 3 * c + j, 0.0, 0.0, 0.0
        for m in range(some.width[r]):
            k, rate = some.columns[r, m], some.rates[r, m]
            along, s, t = along + rate * x[k], s + rate * y[k], t + rate * z[k]
        i, first = 3 * row + j, 3 * column
        W[i, first], W[i, first + 1], W[i, first + 2] = scale * along, scale * s, scale * t


@linked_kernel
def improve(some: Touching, b: np.ndarray, mu: np.ndarray, p: np.ndarray, ball: np.ndarray, tolerance: float) -> bool:
    """Improve the impulses of the present cluster. Returns whether they fit."""
    few = QUICK if mu.size == 1 else FEW
    found = cones.solve(some.matrix, b, mu, p, ball, tolerance, few) <= few
    for _ in range(ROUNDS):
        if found:
            break
        few = few if leap(some.matrix, b, mu, p, ball, some.leap) else QUICK
        found = cones.solve(some.matrix, b, mu, p, ball, tolerance, few) <= few
    return found or cones.solve(some.matrix, b, mu, p, ball, tolerance, SWEEPS) <= SWEEPS


@linked_kernel
def settle(some: Touching, work: Workspace, first: int, end: int, part: int, h: float) -> bool:
    """Compute the impulses of a cluster without creating energy: restitution is halved until they do not. Returns
    whether they were found.
    """
    size = end - first
    of, b, p = some.matrix, some.b[: 3 * size], some.some[: 3 * size]
    mu, ball = some.mu[:size], some.limit[:size]
    fastest = 1e-30
    for i in range(size):
        c = some.order[first + i]
        mu[i], ball[i] = some.friction[c], some.ball[c]
        for j in range(3):
            r = 3 * c + j
            p[3 * i + j] = some.p[r]
            fastest = max(fastest, abs(some.free[r]), abs(some.before[r]))
    couple(some, first, end, h, not work.unsymmetric)
    found = True
    for trial in range(HALVINGS + 1):
        bounced = 0.0
        for i in range(size):
            c = some.order[first + i]
            for j in range(3):
                b[3 * i + j] = some.free[3 * c + j]
            bounce = some.share[part] * some.restitution[c] * min(some.before[3 * c], 0.0)
            b[3 * i] += bounce
            if ball[i] < 0.0:
                b[3 * i] += max(some.before[3 * c], 0.0)
            bounced = min(bounced, bounce)
        found = improve(some, b, mu, p, ball, TIGHTEST * fastest)
        found = found or cones.solve(of, b, mu, p, ball, LOOSEST * fastest, SWEEPS) <= SWEEPS
        if not found:
            break
        gained, moved = 0.0, 0.0
        for i in range(size):
            c = some.order[first + i]
            for j in range(3):
                r, k = 3 * c + j, 3 * i + j
                after = some.free[r] + cones.velocity(of, b, p, k) - b[k]
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
def lift(places: Places, some: Touching, work: Workspace, touch: int, h: float) -> None:
    """Compute the change of coordinates that puts contacts back on their surface, into ``work.change``, if any:
    contacts that close within the step and stay closed continue until its end (V. Acary, Comput. Methods Appl. Mech.
    Engrg. 256, 2013, projected event capturing). Impulses along the normals move them: 0 <= r ⟂ g + W r >= 0.
    """
    work.lifted[0], shallow = 0.0, SHALLOW * places.closeness
    for part in range(some.root.size):
        first, end = some.count[part], some.count[part + 1]
        deep, fastest = False, 0.0
        for i in range(first, end):
            c = some.order[i]
            fastest = max(fastest, abs(some.before[3 * c]))
        for i in range(first, end):
            c = some.order[i]
            if c < touch:
                gap = some.out[c, GAP] + 0.5 * h * speed(some, 3 * c, work.v)
                some.free[3 * c] = gap + max(shallow, -LEFT * gap)
                stays = speed(some, 3 * c, work.v) <= BOUNCE * fastest
                deep = deep or (stays and some.p[3 * c] > 0.0 and some.free[3 * c] < -shallow)
        if deep:
            lift_cluster(places, some, work, first, end, touch, h, fastest)


@lazy_kernel
def lift_cluster(
    places: Places, some: Touching, work: Workspace, first: int, end: int, touch: int, h: float, fastest: float
) -> None:
    """Compute this change for one cluster, whose gaps at the end of the step are ``free``."""
    size, deepest = end - first, 0.0
    b, p, mu, ball = some.b[: 3 * size], some.some[: 3 * size], some.mu[:size], some.limit[:size]
    couple(some, first, end, h, not work.unsymmetric)
    for i in range(size):
        c = some.order[first + i]
        mu[i], ball[i] = 0.0, -1.0 if c < touch else 0.0
        for j in range(3):
            b[3 * i + j], p[3 * i + j] = 0.0, 0.0
        if c < touch:  # rubbing joints have no normal impulse
            b[3 * i] = some.free[3 * c] if speed(some, 3 * c, work.v) <= BOUNCE * fastest else np.inf
        deepest = max(deepest, -b[3 * i])
    if improve(some, b, mu, p, ball, TIGHTEST * deepest):
        if work.lifted[0] == 0.0:
            work.change[:] = 0.0
        work.lifted[0] = 1.0
        for i in range(size):
            if p[3 * i] > 0.0:
                add(places, some, 3 * some.order[first + i], p[3 * i] / h, work.change)
