"""Contacts in plane or space: forces, tangents, energy.

b feels ``F = N n - mu N tanh(|t| / speed) t / |t|`` at the point of contact, a the opposite, where t is the velocity of
sliding; in the residual ``r -= Z^T F`` with ``v = Z v`` of geometry.py. The tangent is exact, one column a freedom: the
change of F, and of the lever arms. Moments are measured in the exponential chart of their node.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import sqrt
from typing import Any, NamedTuple

import numpy as np

from pliant.forces import Contact
from pliant.forces._dry import Dry, alone, changed
from pliant.forces.contact.geometry import Touch, across, distance, sliding, touch, unit
from pliant.forces.contact.law import NormalForce, grip, normal_force, stored
from pliant.jit import kernel
from pliant.kernels.contact_gaps import begin, enter, lie
from pliant.kernels.tensors import apply, apply_transposed, get, product
from pliant.kernels.triples import Vector, cross, dot, minus, plus, times, vector

FINE = 0.05  # of a ball's radius: tolerance of depths between two instants
Twelve = tuple[float, float, float, float, float, float, float, float, float, float, float, float]


class Arrays(NamedTuple):
    """Arrays of balls, one entry a ball."""

    dofs: np.ndarray  # (n, 6), in space (n, 12)
    slots: np.ndarray
    frames: np.ndarray  # (n, 0), in space (n, 2): places of the quaternions
    surface: np.ndarray  # (n, 12) axes of the surface relative to a's node, and its marker
    arm: np.ndarray  # (n, 3) the ball in the axes of b's node
    ball: np.ndarray  # its radius
    shape: np.ndarray  # (n, 3) radius, cosine and sine of the slope
    law: np.ndarray  # (n, 5) stiffness, exponent, damping, friction, speed of friction
    owner: np.ndarray  # number of the contact


class Entry(NamedTuple):
    """A ball and its surface."""

    nodes: tuple[int, int]
    axes: np.ndarray
    origin: Any
    arm: Any
    ball: float
    shape: tuple[float, float, float]
    law: tuple[float, float, float, float, float]
    owner: int


def arrays(layout: Any, entries: Iterable[Entry], frames: Any) -> Arrays:
    """Pack entries; ``frames`` returns the places of the quaternions of pairs of nodes."""
    items = list(entries)
    nodes = [e.nodes for e in items]
    surfaces = [np.concatenate([np.ravel(e.axes), e.origin]) for e in items]
    return Arrays(
        dofs=layout.dofs(nodes, 2),
        slots=np.empty((len(items), 0), np.uint32),
        frames=frames(nodes),
        surface=np.array(surfaces, float).reshape(-1, 12),
        arm=np.array([e.arm for e in items], float).reshape(-1, 3),
        ball=np.array([e.ball for e in items], float),
        shape=np.array([e.shape for e in items], float).reshape(-1, 3),
        law=np.array([e.law for e in items], float).reshape(-1, 5),
        owner=np.array([e.owner for e in items], np.uint32),
    )


def places(part: Arrays) -> int:
    """Return the number of possible places of contact."""
    return int(part.ball.size)


def rubbing(part: Arrays) -> bool:
    """Return whether there is friction, which makes the tangent unsymmetric in motion."""
    return bool(np.any(part.law[:, 3]))


def dry(part: Arrays, layout: Any) -> Iterator[Dry]:
    """Yield the balls of contacts with friction."""
    contacts = layout.forces(Contact)
    for e in map(int, np.flatnonzero(part.law[:, 3])):
        rough = alone(part, e)
        yield Dry(contacts[part.owner[e]], rough, changed(rough, "law", 3, 0.0), always=True)


class Rub(NamedTuple):
    """Sliding of a ball that touches, and the force on it."""

    velocity: Vector
    spin_a: Vector
    spin_b: Vector
    rate: float
    slip: Vector
    normal: NormalForce
    hold: float  # friction is -hold N slip
    stiffening: float  # change of hold with the speed of sliding, divided by it
    force: Vector


@kernel
def rub(part: Arrays, e: int, at: Touch, v: np.ndarray) -> Rub:
    """Return the force on b at its point of contact."""
    velocity, spin_a, spin_b = sliding(part, e, at, v)
    law, n = part.law[e], at.normal
    rate = dot(n, velocity)
    slip, normal = minus(velocity, times(rate, n)), normal_force(law, at.gap, rate)
    hold, stiffening = 0.0, 0.0
    if law[3] != 0.0:
        hold, stiffening = grip(sqrt(dot(slip, slip)), law[4])
    hold, stiffening = law[3] * hold, law[3] * stiffening
    force = plus(times(normal.force, n), times(-hold * normal.force, slip))
    return Rub(velocity, spin_a, spin_b, rate, slip, normal, hold, stiffening, force)


@kernel
def column(at: Touch, x: Rub, j: int, ck: float, cc: float) -> Twelve:
    """Return the residual's change with freedom j, coordinate ck, velocity cc: point and spin of a, then of b."""
    n, F = at.normal, x.force
    shift_a, turn_a = unit(j, 0), apply(at.axes_a, unit(j, 3))
    shift_b, turn_b = unit(j, 6), apply(at.axes_b, unit(j, 9))
    arm_b = times(ck, cross(turn_b, at.from_b))  # changes of lengths and directions
    arm_a = plus(times(ck, minus(shift_b, shift_a)), arm_b)
    way = minus(arm_a, times(ck, cross(turn_a, at.from_a)))
    normal = plus(times(ck, cross(turn_a, n)), apply(at.bend, way))
    down = times(-at.ball, normal)
    reach_a, reach_b = plus(arm_a, down), plus(arm_b, down)
    velocity = minus(  # of velocities
        plus(cross(x.spin_b, reach_b), cross(times(ck, cross(turn_b, x.spin_b)), at.reach_b)),
        plus(cross(x.spin_a, reach_a), cross(times(ck, cross(turn_a, x.spin_a)), at.reach_a)),
    )
    moved = minus(plus(shift_b, cross(turn_b, at.reach_b)), plus(shift_a, cross(turn_a, at.reach_a)))
    velocity = plus(velocity, times(cc, moved))
    rate = dot(normal, x.velocity) + dot(n, velocity)
    slip = minus(velocity, plus(times(rate, n), times(x.rate, normal)))
    N = x.normal.force  # of forces
    dN = x.normal.by_gap * dot(n, way) + x.normal.by_rate * rate
    rubbed = x.hold * dN + x.stiffening * N * dot(x.slip, slip)
    force = plus(times(dN, n), times(N, normal))
    force = minus(force, plus(times(rubbed, x.slip), times(x.hold * N, slip)))
    moment_a, moment_b = cross(at.reach_a, F), cross(F, at.reach_b)
    on_a = plus(cross(reach_a, F), plus(cross(at.reach_a, force), times(0.5 * ck, cross(moment_a, turn_a))))
    on_b = plus(cross(F, reach_b), plus(cross(force, at.reach_b), times(0.5 * ck, cross(moment_b, turn_b))))
    on_a, on_b = apply_transposed(at.axes_a, on_a), apply_transposed(at.axes_b, on_b)
    return (
        force[0], force[1], force[2], on_a[0], on_a[1], on_a[2],
        -force[0], -force[1], -force[2], on_b[0], on_b[1], on_b[2],
    )  # fmt: skip


@kernel
def place(i: int, width: int) -> int:
    """Return the direction of space, of twelve, of the i-th freedom of two nodes: x, y, angle about z in the plane."""
    if width == 12:
        return i
    return i + (3 if i % 3 == 2 else 0) + (3 if i > 2 else 0)


@kernel
def add(
    part: Arrays, q: np.ndarray, v: np.ndarray, ck: float, cc: float, r: np.ndarray, s: np.ndarray, w: np.ndarray
) -> None:
    """Add forces where gaps are closed, with consistent tangents."""
    width = part.dofs.shape[1]
    for e in range(part.ball.size):
        if part.law[e, 0] == 0.0:
            continue
        at = touch(part, e, q)
        if not at.gap < 0.0:
            continue
        dofs, slots, x = part.dofs[e], part.slots[e], rub(part, e, at, v)
        F = x.force
        on_a, on_b = cross(at.reach_a, F), cross(F, at.reach_b)
        on_a, on_b = apply_transposed(at.axes_a, on_a), apply_transposed(at.axes_b, on_b)
        f = F[0], F[1], F[2], on_a[0], on_a[1], on_a[2], -F[0], -F[1], -F[2], on_b[0], on_b[1], on_b[2]
        for j in range(width):
            r[dofs[j]] += f[place(j, width)]
            if ck == 0.0 and cc == 0.0:
                continue
            change = column(at, x, place(j, width), ck, cc)
            for i in range(width):
                value = change[place(i, width)]
                slot = slots[i * (i + 1) // 2 + j if i >= j else j * (j + 1) // 2 + i]
                if dofs[i] == dofs[j]:
                    s[slot] += value
                else:
                    s[slot] += 0.5 * value
                    w[slot] += 0.5 * value if dofs[i] > dofs[j] else -0.5 * value


@kernel
def energy(part: Arrays, q: np.ndarray) -> tuple[float, float]:
    """Return the elastic energy of closed gaps."""
    potential = 0.0
    for e in range(part.ball.size):
        if part.law[e, 0] != 0.0:
            potential += stored(part.law[e], touch(part, e, q).gap)
    return 0.0, potential


@kernel
def power(part: Arrays, q: np.ndarray, v: np.ndarray) -> tuple[float, float]:
    """Return the power lost by damping and friction."""
    dissipated = 0.0
    for e in range(part.ball.size):
        if part.law[e, 0] == 0.0:
            continue
        at = touch(part, e, q)
        if at.gap < 0.0:
            x = rub(part, e, at, v)
            dissipated += x.normal.elastic * x.rate - dot(x.force, x.velocity)
    return 0.0, dissipated


@kernel
def touching(part: Arrays, q: np.ndarray, v: np.ndarray, out: np.ndarray) -> None:
    """Write the smallest gap and the sums of the normal forces and of the friction on b, for every contact."""
    for e in range(part.ball.size):
        at, k = touch(part, e, q), part.owner[e]
        out[k, 0] = min(out[k, 0], at.gap)
        if at.gap < 0.0:
            x = rub(part, e, at, v)
            out[k, 1] += x.normal.force
            for i in range(3):
                out[k, 2 + i] -= x.hold * x.normal.force * x.slip[i]


@kernel
def openings(part: Arrays, q: np.ndarray, close: float, who: np.ndarray, out: np.ndarray) -> int:
    """List balls whose gap is at most ``close`` (kernels/contact_gaps.py). Returns how many, even beyond the array."""
    width, found = part.dofs.shape[1], 0
    for e in range(part.ball.size):
        at = touch(part, e, q)
        if not at.gap <= close:
            continue
        if found < out.shape[0]:
            n = at.normal
            t, b = across(n)
            begin(who[found], out[found], e, part.owner[e], at.gap)
            lie(out[found], t, b)
            for i in range(width):
                j = place(i, width)
                turn_a, turn_b = apply(at.axes_a, unit(j, 3)), apply(at.axes_b, unit(j, 9))
                x = minus(plus(unit(j, 6), cross(turn_b, at.reach_b)), plus(unit(j, 0), cross(turn_a, at.reach_a)))
                enter(who[found], out[found], i, part.dofs[e, i], (dot(n, x), dot(t, x), dot(b, x)))
        found += 1
    return found


@kernel
def pressed(part: Arrays, e: int, q: np.ndarray) -> tuple[float, float]:
    """Return the normal force of a ball at rest, and its growth with depth."""
    found = normal_force(part.law[e], min(touch(part, e, q).gap, 0.0), 0.0)
    return found.force, -found.by_gap


@kernel
def ball_in_surface(part: Arrays, e: int, q: np.ndarray) -> Vector:
    """Return the centre of a ball in the axes of its surface."""
    at = touch(part, e, q)
    S = product(at.axes_a, get(part.surface, e, 0))
    return apply_transposed(S, minus(at.from_a, apply(at.axes_a, vector(part.surface[e], 9))))


@kernel
def straight(part: Arrays, e: int, q: np.ndarray, then: np.ndarray, ways: np.ndarray) -> bool:
    """Return whether both nodes moved straight, by their velocities at both instants times the interval, ``ways``."""
    half = part.dofs.shape[1] // 2
    for i in range(part.dofs.shape[1]):
        if i % half < half - half // 2:  # position, not rotation
            j = part.dofs[e, i]
            for k in range(ways.shape[0]):
                if not abs(then[j] - q[j] - ways[k, j]) <= FINE * part.ball[e]:
                    return False
    return True


@kernel
def passed(part: Arrays, q: np.ndarray, then: np.ndarray, ways: np.ndarray, out: np.ndarray) -> None:
    """Compute the largest depths of rings in balls between two instants, in halves of their radii, for every contact:
    at both instants, and the excess in between, as if a ball moved straight in the axes of its ring. With ``ways`` (2,
    freedoms) only straight motion counts in between (see forces/collisions/passing.py). A ring beyond the middle of the
    ball pushes to the other side.
    """
    for e in range(part.ball.size):
        ball, k = part.ball[e], part.owner[e]
        if not (part.shape[e, 1] == 0.0 and part.shape[e, 2] == 0.0 and ball > 0.0):
            continue
        first, last = ball_in_surface(part, e, q), ball_in_surface(part, e, then)
        way = minus(last, first)
        ends = min(ball, distance(part.shape[e], first)[0], distance(part.shape[e], last)[0])
        t, low, far = 0.0, ends, sqrt(dot(way, way))
        while t < 1.0 and far > 0.0:
            phi = distance(part.shape[e], plus(first, times(t, way)))[0]
            low = min(low, phi)
            t += (phi - low + FINE * ball) / far
        out[k, 0] = max(out[k, 0], 2.0 * (ball - ends) / ball)
        if straight(part, e, q, then, ways):
            out[k, 1] = max(out[k, 1], 2.0 * (ends - low) / ball)
