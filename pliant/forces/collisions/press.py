"""Forces of items that touch, and their tangents; nearest.py defines the letters.

b feels ``F = N n - mu N tanh(|t| / speed) t / |t|`` at the point of contact, a the opposite, t the velocity of sliding.
For the weight y of a point, with the lever l and + on b, - on a, ``r -= +- y F`` and, for its node's moment,
``r -= +- y l x F``. The tangent is exact. If w changes by delta w at fixed weights, the weights change by

    delta y_c = -(E^T E)^-1 (E^T delta w + delta E^T w)

and so the distance by ``n . delta w``, the normal by ``(1 - n n^T) (delta w + E delta y) / phi``.

Crossing edges of hulls carry a share of this: see crossing.py.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np

from pliant.forces.collisions.crossing import Crossing, crossing, curvature, slope, weight, weight_slope
from pliant.forces.collisions.items import NONE, Arrays
from pliant.forces.collisions.nearest import ENDS, SIGNS, ZERO, Meeting, meet, node_of, terms
from pliant.forces.collisions.sweep import near
from pliant.forces.contact.geometry import across, motion, unit
from pliant.forces.contact.law import NormalForce, grip, normal_force, stored
from pliant.jit import allocating_kernel, kernel
from pliant.kernels.contact_gaps import begin, enter, lie
from pliant.kernels.sums import Into
from pliant.kernels.tensors import apply, apply_transposed
from pliant.kernels.triples import Vector, cross, dot, minus, plus, times

POINTS = 4
NO_REACH = 0.0
CROSSED = 1e-6  # of the radii: how much nearer edges are at their crossing than at their ends


class Slide(NamedTuple):
    """Sliding of two items, and the force on b."""

    velocity: Vector
    rate: float
    slip: Vector
    normal: NormalForce
    hold: float  # friction is -hold N slip
    stiffening: float  # change of hold with the speed of sliding, divided by it
    force: Vector
    speeds: tuple[Vector, Vector, Vector, Vector]  # of the points of contact with each node
    spins: tuple[Vector, Vector, Vector, Vector]


class Change(NamedTuple):
    """Change of a meeting with one freedom."""

    weights: tuple[float, float, float, float]
    lever_a: Vector  # of a and of b, without the rotation of the node itself
    lever_b: Vector
    force: Vector


@kernel
def carried(part: Arrays, pair: np.ndarray, at: Meeting, k: int, v: np.ndarray) -> tuple[Vector, Vector]:
    """Return the velocity of the point of contact with the node of point k, and the node's spin."""
    node = node_of(part, pair[0], pair[1], k)
    velocity, spin = motion(part.dofs.shape[1] == 6, part.base[node], v, at.axes[k])
    return plus(velocity, cross(spin, at.levers[k])), spin


@kernel
def slide(part: Arrays, pair: np.ndarray, at: Meeting, law: np.ndarray, v: np.ndarray) -> Slide:
    """Return the force on b at the point of contact by one of the laws."""
    speed_0, spin_0 = carried(part, pair, at, 0, v)
    speed_1, spin_1 = carried(part, pair, at, 1, v)
    speed_2, spin_2 = carried(part, pair, at, 2, v)
    speed_3, spin_3 = carried(part, pair, at, 3, v)
    y, n = at.weights, at.normal
    on_b, on_a = plus(times(y[2], speed_2), times(y[3], speed_3)), plus(times(y[0], speed_0), times(y[1], speed_1))
    velocity = minus(on_b, on_a)
    rate = dot(n, velocity)
    slip, normal = minus(velocity, times(rate, n)), normal_force(law, at.gap, rate)
    hold, stiffening = 0.0, 0.0
    if law[3] != 0.0:
        hold, stiffening = grip(sqrt(dot(slip, slip)), law[4])
    hold, stiffening = law[3] * hold, law[3] * stiffening
    force = plus(times(normal.force, n), times(-hold * normal.force, slip))
    return Slide(
        velocity, rate, slip, normal, hold, stiffening, force, (speed_0, speed_1, speed_2, speed_3),
        (spin_0, spin_1, spin_2, spin_3),
    )  # fmt: skip


@kernel
def changed(at: Meeting, x: Slide, k: int, j: int, ck: float, cc: float) -> Change:
    """Return the change with freedom j of point k's node, by moving that point; coordinate ck, velocity cc."""
    shift, turn, n = unit(j, 0), apply(at.axes[k], unit(j, 3)), at.normal
    arm, sign = times(ck, cross(turn, at.arms[k])), SIGNS[k]
    moved = plus(times(ck, shift), arm)
    way = times(sign * at.weights[k], moved)  # of w, at fixed weights
    w = times(at.phi, n)
    one = -dot(at.along_one, way) - sign * at.one[k] * dot(moved, w)
    other = -dot(at.along_other, way) - sign * at.other[k] * dot(moved, w)
    one, other = (
        at.inverse[0] * one + at.inverse[2] * other,
        at.inverse[2] * one + at.inverse[1] * other,
    )
    nearer = dot(n, way)
    if at.flat:
        normal = times(ck, cross(turn, n)) if k < 2 else ZERO
        lever_a = minus(moved if k >= 2 else times(-ck, shift), times(at.ball, normal))
    else:
        all_way = plus(way, plus(times(one, at.along_one), times(other, at.along_other)))
        normal = times(1.0 / at.phi, minus(all_way, times(nearer, n)))
        lever_a = plus(times(nearer, n), times(at.phi - at.ball, normal))
    lever_b = times(-at.ball, normal)
    weights = (
        one * at.one[0] + other * at.other[0],
        one * at.one[1] + other * at.other[1],
        one * at.one[2] + other * at.other[2],
        one * at.one[3] + other * at.other[3],
    )
    velocity = ZERO
    for i in range(POINTS):
        lever = lever_a if i < 2 else lever_b
        if i == k and not (at.flat and k < 2):
            lever = plus(lever, arm)
        by_lever = times(at.weights[i], cross(x.spins[i], lever))
        velocity = plus(velocity, times(SIGNS[i], plus(times(weights[i], x.speeds[i]), by_lever)))
    turned = plus(times(cc, turn), times(ck, cross(turn, x.spins[k])))
    own = plus(times(cc, shift), cross(turned, at.levers[k]))
    velocity = plus(velocity, times(sign * at.weights[k], own))
    rate = dot(normal, x.velocity) + dot(n, velocity)
    slip = minus(velocity, plus(times(rate, n), times(x.rate, normal)))
    N = x.normal.force
    dN = x.normal.by_gap * nearer + x.normal.by_rate * rate
    rubbed = x.hold * dN + x.stiffening * N * dot(x.slip, slip)
    force = plus(times(dN, n), times(N, normal))
    force = minus(force, plus(times(rubbed, x.slip), times(x.hold * N, slip)))
    return Change(weights, lever_a, lever_b, force)


@kernel
def on_point(at: Meeting, x: Slide, by: Change, i: int, k: int, j: int, ck: float) -> tuple[Vector, Vector]:
    """Return the change of point i's share of the residual with freedom j of the node of point k."""
    F, lever, sign = x.force, at.levers[i], -SIGNS[i]
    moved = by.lever_a if i < 2 else by.lever_b
    turn = apply(at.axes[k], unit(j, 3))
    if i == k and not (at.flat and k < 2):
        moved = plus(moved, times(ck, cross(turn, at.arms[k])))
    force = times(sign, plus(times(by.weights[i], F), times(at.weights[i], by.force)))
    moment = plus(cross(moved, F), cross(lever, by.force))
    moment = times(sign, plus(times(by.weights[i], cross(lever, F)), times(at.weights[i], moment)))
    if i == k:
        moment = plus(moment, times(0.5 * ck * sign * at.weights[i], cross(cross(lever, F), turn)))
    return force, apply_transposed(at.axes[i], moment)


@kernel
def freedom(i: int, width: int) -> int:
    """Return the direction of space, of six, of the i-th freedom of a node: x, y, angle about z in the plane."""
    return 5 if width == 3 and i == 2 else i


@kernel
def entry(a: Vector, b: Vector, i: int) -> float:
    """Return the i-th of six numbers."""
    return a[i] if i < 3 else b[i - 3]


@kernel
def acts(at: Meeting, k: int) -> bool:
    """Return whether point k contributes."""
    return at.weights[k] != 0.0 or at.one[k] != 0.0 or at.other[k] != 0.0


@kernel
def slot_of(part: Arrays, one: int, i: int, other: int, j: int) -> int:
    """Return the place in the matrix of freedom i of a node and j of another."""
    half = part.dofs.shape[1] // 2
    if one == other:
        low, high = min(i, j), max(i, j)
    elif one < other:
        low, high = i, half + j
    else:
        low, high = j, half + i
    return part.slots[part.row[one, other], high * (high + 1) // 2 + low]


@kernel
def stiffen(part: Arrays, pair: np.ndarray, at: Meeting, x: Slide, share: float, into: Into) -> None:
    """Add a share of the tangent of one meeting."""
    width = part.dofs.shape[1] // 2
    for k in range(POINTS):
        column = node_of(part, pair[0], pair[1], k)
        if not acts(at, k) or part.row[column, column] == NONE:
            continue
        for j in range(width):
            by = changed(at, x, k, freedom(j, width), into.ck, into.cc)
            for i in range(POINTS):
                node = node_of(part, pair[0], pair[1], i)
                if not acts(at, i) or part.row[node, node] == NONE:
                    continue
                force, moment = on_point(at, x, by, i, k, freedom(j, width), into.ck)
                for m in range(width):
                    value = share * entry(force, moment, freedom(m, width))
                    enter_tangent(part, node, m, column, j, value, into)


@kernel
def enter_tangent(part: Arrays, node: int, m: int, column: int, j: int, value: float, into: Into) -> None:
    """Add a change of the residual of freedom m of a node with freedom j of another."""
    slot = slot_of(part, node, m, column, j)
    here, there = part.base[node] + m, part.base[column] + j
    if here == there:
        into.s[slot] += value
    else:
        into.s[slot] += 0.5 * value
        into.w[slot] += 0.5 * value if here > there else -0.5 * value


@kernel
def note(at: Meeting, x: Slide, width: int, share: float, out: np.ndarray) -> None:
    """Add a share of the residual of the nodes of four points (4, width)."""
    for i in range(POINTS):
        moment = apply_transposed(at.axes[i], cross(at.levers[i], x.force))
        for m in range(width):
            out[i, m] -= share * SIGNS[i] * at.weights[i] * entry(x.force, moment, freedom(m, width))


@kernel
def push(part: Arrays, pair: np.ndarray, at: Meeting, share: float, law: np.ndarray, v: np.ndarray, into: Into) -> None:
    """Add a share of the force of one meeting by one of the laws, and of its tangent."""
    x, width = slide(part, pair, at, law, v), part.dofs.shape[1] // 2
    for i in range(POINTS):
        node, weight = part.base[node_of(part, pair[0], pair[1], i)], -share * SIGNS[i] * at.weights[i]
        moment = apply_transposed(at.axes[i], cross(at.levers[i], x.force))
        for m in range(width):
            into.r[node + m] += weight * entry(x.force, moment, freedom(m, width))
    if into.ck != 0.0 or into.cc != 0.0:
        stiffen(part, pair, at, x, share, into)


@kernel
def bind(
    part: Arrays, pair: np.ndarray, shared: Crossing, q: np.ndarray, v: np.ndarray, felt: np.ndarray, into: Into
) -> None:
    """Add the tangent of crossing edges by changes of their weights: ``felt`` (6, 4, width) is scratch."""
    a, b, width = pair[0], pair[1], part.dofs.shape[1] // 2
    law, elastic, rubbed = part.law[part.owner[a]], part.elastic[part.owner[a]], 1 + ENDS
    felt[:] = 0.0
    for k in range(1 + ENDS):
        at = meet(part, a, b, q, k)
        if at.gap < 0.0:
            x = slide(part, pair, at, elastic, v)
            note(at, x, width, 1.0, felt[k])
            if k == 0:
                note(at, x, width, -1.0, felt[rubbed])
                note(at, slide(part, pair, at, law, v), width, 1.0, felt[rubbed])
    for i in range(POINTS):
        node = node_of(part, a, b, i)
        for m in range(width if part.row[node, node] != NONE else 0):
            for l in range(1 + ENDS):
                change = weight_slope(shared, l) * felt[rubbed, i, m]
                for k in range(1 + ENDS):
                    change += curvature(shared, k, l) * felt[k, i, m]
                for j in range(POINTS):
                    column = node_of(part, a, b, j)
                    for n in range(width if part.row[column, column] != NONE else 0):
                        if felt[l, j, n] != 0.0:
                            enter_tangent(part, node, m, column, n, into.ck * change * felt[l, j, n], into)


@allocating_kernel
def add(
    part: Arrays, q: np.ndarray, v: np.ndarray, ck: float, cc: float, r: np.ndarray, s: np.ndarray, w: np.ndarray
) -> None:
    """Add forces where gaps are closed, with consistent tangents."""
    if not np.any(part.law[:, 0]):
        return
    pairs, into, felt = near(part, q, NO_REACH), Into(ck, cc, 0.0, r, s, w), np.empty((2 + ENDS, POINTS, 6))
    for e in range(pairs.shape[0]):
        a, b = pairs[e, 0], pairs[e, 1]
        law, elastic, shared = part.law[part.owner[a]], part.elastic[part.owner[a]], crossing(part, a, b, q)
        for term in range(terms(part, a, b)):
            at = meet(part, a, b, q, term)
            if not at.gap < 0.0:
                continue
            if weight(shared, term) != 0.0:
                push(part, pairs[e], at, weight(shared, term), law, v, into)
            if slope(shared, term) != 0.0:
                push(part, pairs[e], at, slope(shared, term), elastic, v, into)
        if ck != 0.0 and max(shared.ends) > 0.0:
            bind(part, pairs[e], shared, q, v, felt, into)


@allocating_kernel
def energy(part: Arrays, q: np.ndarray) -> tuple[float, float]:
    """Return the elastic energy of closed gaps."""
    potential = 0.0
    if not np.any(part.law[:, 0]):
        return 0.0, potential
    pairs = near(part, q, NO_REACH)
    for e in range(pairs.shape[0]):
        a, b = pairs[e, 0], pairs[e, 1]
        shared = crossing(part, a, b, q)
        potential += weight(shared, 0) * stored(part.law[part.owner[a]], meet(part, a, b, q, 0).gap)
    return 0.0, potential


@allocating_kernel
def power(part: Arrays, q: np.ndarray, v: np.ndarray) -> tuple[float, float]:
    """Return the power lost by damping and friction."""
    dissipated = 0.0
    if not np.any(part.law[:, 0]):
        return 0.0, dissipated
    pairs = near(part, q, NO_REACH)
    for e in range(pairs.shape[0]):
        a, b = pairs[e, 0], pairs[e, 1]
        at = meet(part, a, b, q, 0)
        if at.gap < 0.0:
            x = slide(part, pairs[e], at, part.law[part.owner[a]], v)
            dissipated += weight(crossing(part, a, b, q), 0) * (x.normal.elastic * x.rate - dot(x.force, x.velocity))
    return 0.0, dissipated


@allocating_kernel
def touching(part: Arrays, q: np.ndarray, v: np.ndarray, out: np.ndarray) -> None:
    """Write for every part the smallest gap, and the sums of normal and friction forces on the second of pairs."""
    pairs = near(part, q, np.inf)
    for e in range(pairs.shape[0]):
        a, b = pairs[e, 0], pairs[e, 1]
        k, shared = part.owner[a], crossing(part, a, b, q)
        for term in range(terms(part, a, b)):
            at = meet(part, a, b, q, term)
            out[k, 0] = min(out[k, 0], at.gap)
            if at.gap < 0.0:
                x = slide(part, pairs[e], at, part.law[k], v)
                out[k, 1] += weight(shared, term) * x.normal.force + slope(shared, term) * x.normal.elastic
                for i in range(3):
                    out[k, 2 + i] -= weight(shared, term) * x.hold * x.normal.force * x.slip[i]


@allocating_kernel
def openings(part: Arrays, q: np.ndarray, close: float, who: np.ndarray, out: np.ndarray) -> int:
    """List places whose gap is at most ``close`` (kernels/contact_gaps.py). Returns how many, even beyond the array."""
    width, pairs, found = part.dofs.shape[1] // 2, near(part, q, close), 0
    for e in range(pairs.shape[0]):
        a, b = pairs[e, 0], pairs[e, 1]
        at = meet(part, a, b, q, 0)
        if not at.gap <= close or not crosses(part, a, b, q, at.gap):
            continue
        if found < out.shape[0]:
            n = at.normal
            t, s = across(n)
            begin(who[found], out[found], a * part.kind.size + b, part.owner[a], at.gap)
            lie(out[found], t, s)
            for k in range(POINTS):
                first, y = part.base[node_of(part, a, b, k)], SIGNS[k] * at.weights[k]
                for m in range(width):
                    j = freedom(m, width)
                    moved = plus(unit(j, 0), cross(apply(at.axes[k], unit(j, 3)), at.levers[k]))
                    rates = y * dot(n, moved), y * dot(t, moved), y * dot(s, moved)
                    enter(who[found], out[found], k * width + m, first + m, rates)
        found += 1
    return found


@kernel
def pressed(part: Arrays, place: int, q: np.ndarray) -> tuple[float, float]:
    """Return the normal force of a place at rest that its friction uses, and its growth with depth."""
    a, b = place // part.kind.size, place % part.kind.size
    share = weight(crossing(part, a, b, q), 0)
    found = normal_force(part.law[part.owner[a]], min(meet(part, a, b, q, 0).gap, 0.0), 0.0)
    return share * found.force, -share * found.by_gap


@kernel
def crosses(part: Arrays, a: int, b: int, q: np.ndarray, gap: float) -> bool:
    """Return whether edges cross at a place: nearer than at their ends, which are separate places."""
    for end in range(1, terms(part, a, b)):
        if not meet(part, a, b, q, end).gap - gap > CROSSED * (part.radius[a] + part.radius[b]):
            return False
    return True
