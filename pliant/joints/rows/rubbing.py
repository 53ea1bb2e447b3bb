"""Friction of joints, with the normal force from their own multipliers.

A joint that carries the force R across its axis, R_a along it and the moment M bears on the ends of a pin or guide of
length l with ``R/2 + e x M / l`` and ``R/2 - e x M / l``, e its axis; in the plane these sum to max(|R|, 2 |M| / l).

    N = |R/2 + e x M / l| + |R/2 - e x M / l| + climb |R_a|
    L = (F_0 + mu N) (1 + rise exp(-(x / x_s)^2)),    F = L tanh(x / x_0) + c x,    f = F x_i / x

x_i are the speeds of the surface in one to three directions, x their norm, f the resisting forces; L is the largest
force at rest.
"""

from __future__ import annotations

from math import exp, sqrt, tanh

import numpy as np

from pliant.jit import inlined_kernel, kernel, lazy_kernel
from pliant.jit.bundle import Bundle
from pliant.joints.rows import planar, spatial
from pliant.joints.rows.data import Rows
from pliant.kernels.measures import ANGLE
from pliant.kernels.so3 import quaternion, rotate, rotate_back
from pliant.kernels.triples import Vector, cross, dot, minus, plus, times, vector

NONE = 0.0, 0.0, 0.0
COEFFICIENT, CONSTANT, RISE, STRIBECK, VISCOUS, SPEED, LEVER, CLIMB = range(8)  # columns of the law


class Rubbing(Bundle):
    """Joints with friction: their speeds, as rows of one term each, and the rows of their reactions."""

    sliding: Rows
    normal: Rows  # rows of the reactions
    slides: np.ndarray  # (joints + 1) where the speeds of each begin
    presses: np.ndarray  # (joints + 1) where the terms of its reaction begin
    number: np.ndarray  # (rows of normal) their places among all multipliers
    axis: np.ndarray  # (joints, 3) e in the frame of node a
    arm: np.ndarray  # (speeds) of the surface, over the rates
    spins: np.ndarray  # (speeds) 1 where it is the angular velocity along the direction of a place
    law: np.ndarray  # (joints, 8)


class Rubbed(Bundle):
    """Friction of a Rubbing at an instant: gradients, speeds, forces."""

    along: np.ndarray  # (speeds, freedoms) gradients of the speeds
    across: np.ndarray  # (terms, freedoms) of the reactions
    press: np.ndarray  # (terms) dN / d lambda of the term's row
    speed: np.ndarray  # (speeds) x_i
    force: np.ndarray  # (speeds) f
    slope: np.ndarray  # (joints, 3) F', F / x, dF/dN
    limit: np.ndarray  # (joints) L
    lost: np.ndarray  # (1) power


@inlined_kernel
def reaction(rubbing: Rubbing, e: int, t: int, q: np.ndarray, across: np.ndarray) -> tuple[Vector, Vector]:
    """Return the force and ``e x M / l`` of a unit multiplier of term t of joint e, in global axes."""
    normal, lever = rubbing.normal, rubbing.law[e, LEVER]
    x, turning = across[t], normal.kind[t] >= ANGLE
    if normal.frames.shape[1] == 0:
        c, s = np.cos(q[normal.dofs[t, 2]]), np.sin(q[normal.dofs[t, 2]])
        axis = c * rubbing.axis[e, 0] - s * rubbing.axis[e, 1], s * rubbing.axis[e, 0] + c * rubbing.axis[e, 1], 0.0
        moment = 0.0, 0.0, x[5] if turning else 0.0
        return (x[3], x[4], 0.0), times(lever, cross(axis, moment))
    pa, pb = quaternion(q, normal.frames[t, 0]), quaternion(q, normal.frames[t, 1])
    moment = rotate(pb, vector(x, 9)) if turning else NONE
    return vector(x, 6), times(lever, cross(rotate(pa, vector(rubbing.axis[e], 0)), moment))


@inlined_kernel
def axis_of(rubbing: Rubbing, e: int, q: np.ndarray) -> Vector:
    """Return the axis of a joint in space, in global axes; zero in the plane, where nothing acts along it."""
    normal = rubbing.normal
    if normal.frames.shape[1] == 0:
        return NONE
    return rotate(quaternion(q, normal.frames[rubbing.presses[e], 0]), vector(rubbing.axis[e], 0))


@kernel
def unit(x: Vector) -> tuple[float, Vector]:
    """Return norm and direction of a vector; the direction of a zero vector is zero."""
    size = sqrt(dot(x, x))
    return size, times(1.0 / size, x) if size > 0.0 else NONE


@kernel
def press(rubbing: Rubbing, e: int, q: np.ndarray, lam: np.ndarray, out: Rubbed) -> float:
    """Return N of joint e and write its derivatives by the multipliers of its terms."""
    axis, number, row = axis_of(rubbing, e, q), rubbing.number, rubbing.normal.row
    force, couple = NONE, NONE
    for t in range(rubbing.presses[e], rubbing.presses[e + 1]):
        one, other = reaction(rubbing, e, t, q, out.across)
        force = plus(force, times(lam[number[row[t]]], one))
        couple = plus(couple, times(lam[number[row[t]]], other))
    climb, along = rubbing.law[e, CLIMB], dot(axis, force)
    half = times(0.5, minus(force, times(along, axis)))
    (size, first), (other_size, last) = unit(plus(half, couple)), unit(minus(half, couple))
    for t in range(rubbing.presses[e], rubbing.presses[e + 1]):
        one, other = reaction(rubbing, e, t, q, out.across)
        part = times(0.5, minus(one, times(dot(axis, one), axis)))
        out.press[t] = dot(first, plus(part, other)) + dot(last, minus(part, other))
        out.press[t] += climb * np.sign(along) * dot(axis, one)
    return size + other_size + climb * abs(along)


@lazy_kernel
def rub(rubbing: Rubbing, q: np.ndarray, v: np.ndarray, lam: np.ndarray, out: Rubbed) -> float:
    """Compute the friction of all joints. Returns its relative change since the last evaluation."""
    sliding, along = rubbing.sliding, out.along
    if sliding.frames.shape[1] == 0:
        planar.gradients(sliding, q, along)
        planar.gradients(rubbing.normal, q, out.across)
    else:
        spatial.gradients(sliding, q, along)
        spatial.gradients(rubbing.normal, q, out.across)
        for i in range(rubbing.spins.size):
            if rubbing.spins[i] != 0:
                spin(sliding, i, q, along[i])
    change, largest = 0.0, 0.0
    out.lost[0] = 0.0
    for e in range(rubbing.law.shape[0]):
        law, square = rubbing.law[e], 0.0
        for i in range(rubbing.slides[e], rubbing.slides[e + 1]):
            x = 0.0
            for j in range(along.shape[1]):
                x += along[i, j] * v[sliding.dofs[i, j]]
            out.speed[i] = rubbing.arm[i] * x
            square += out.speed[i] * out.speed[i]
        x, normal = sqrt(square), press(rubbing, e, q, lam, out)
        more = law[RISE] * exp(-((x / law[STRIBECK]) ** 2))
        grip, side = law[CONSTANT] + law[COEFFICIENT] * normal, tanh(x / law[SPEED])
        steep = (1.0 - side * side) / law[SPEED]
        out.limit[e] = grip * (1.0 + more)
        out.slope[e, 0] = out.limit[e] * steep - 2.0 * grip * more * side * x / law[STRIBECK] ** 2 + law[VISCOUS]
        out.slope[e, 1] = (out.limit[e] * side / x if x > 0.0 else out.limit[e] / law[SPEED]) + law[VISCOUS]
        out.slope[e, 2] = law[COEFFICIENT] * (1.0 + more) * side
        for i in range(rubbing.slides[e], rubbing.slides[e + 1]):
            force = out.slope[e, 1] * out.speed[i]
            change, largest = max(change, abs(force - out.force[i])), max(largest, abs(force))
            out.force[i] = force
            out.lost[0] += force * out.speed[i]
    return change / largest if largest > 0.0 else 0.0


@kernel
def spin(sliding: Rows, i: int, q: np.ndarray, out: np.ndarray) -> None:
    """Write the gradient of the angular velocity of b against a along a direction."""
    n = vector(sliding.direction[i], 0)
    a, b = rotate_back(quaternion(q, sliding.frames[i, 0]), n), rotate_back(quaternion(q, sliding.frames[i, 1]), n)
    for j in range(3):
        out[j], out[3 + j], out[6 + j], out[9 + j] = 0.0, -a[j], 0.0, b[j]


@kernel
def push(rubbing: Rubbing, out: Rubbed, sign: float, r: np.ndarray) -> None:
    """Add sign times the friction force in the equations of motion to r."""
    for i in range(rubbing.arm.size):
        for j in range(out.along.shape[1]):
            r[rubbing.sliding.dofs[i, j]] += sign * out.force[i] * rubbing.arm[i] * out.along[i, j]


@lazy_kernel
def damp(rubbing: Rubbing, cc: float, out: Rubbed, s: np.ndarray) -> None:
    """Add cc times the derivative of the friction by velocities to s."""
    for e in range(rubbing.law.shape[0]):
        first, square = rubbing.slides[e], 0.0
        for i in range(first, rubbing.slides[e + 1]):
            square += out.speed[i] * out.speed[i]
        excess = (out.slope[e, 0] - out.slope[e, 1]) / square if square > 0.0 else 0.0
        for i in range(first, rubbing.slides[e + 1]):
            for k in range(first, i + 1):
                c = excess * out.speed[i] * out.speed[k] + (out.slope[e, 1] if i == k else 0.0)
                c *= cc * rubbing.arm[i] * rubbing.arm[k]
                add_product(s, rubbing.sliding.slots[i], c if i > k else 0.5 * c, out.along[i], out.along[k])


@kernel
def add_product(s: np.ndarray, slots: np.ndarray, c: float, one: np.ndarray, other: np.ndarray) -> None:
    """Add c (one other^T + other one^T) to s, at the places of a lower triangle."""
    n = 0
    for i in range(one.size):
        for j in range(i + 1):
            s[slots[n]] += c * (one[i] * other[j] + other[i] * one[j])
            n += 1


@lazy_kernel
def lean(rubbing: Rubbing, out: Rubbed, s: np.ndarray, w: np.ndarray) -> None:
    """Add the derivative of the friction by multipliers, which has no transpose, to (s, w)."""
    slots = rubbing.normal.jacobian_slots
    for e in range(rubbing.law.shape[0]):
        square = 0.0
        for i in range(rubbing.slides[e], rubbing.slides[e + 1]):
            square += out.speed[i] * out.speed[i]
        if square == 0.0:
            continue
        for i in range(rubbing.slides[e], rubbing.slides[e + 1]):
            c = 0.5 * out.slope[e, 2] * out.speed[i] / sqrt(square) * rubbing.arm[i]
            for t in range(rubbing.presses[e], rubbing.presses[e + 1]):
                for j in range(out.along.shape[1]):
                    x = c * out.press[t] * out.along[i, j]
                    s[slots[t, j]] += x
                    w[slots[t, j]] -= x
