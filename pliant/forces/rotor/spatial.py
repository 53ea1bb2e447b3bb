"""Rotors in space. With spins w in the axes of each node, ``e_b = R_b^T R_a e`` and x = w_a in b's axes,

    sigma = (1 - n) e . w_a + n e_b . w_b,   sigma' = (1 - n) e . w_a' + n e_b . w_b' + n (x x e_b) . w_b

For a rotation d of a relative to b, in b's axes, e_b and x turn: ``p`` changes by ``J n (e_b x w_b) . d`` and p' by
``J n (e_b x w_b' + (x x e_b) x w_b) . d``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pliant.forces.geared_motor import GearedMotor
from pliant.jit import kernel
from pliant.kernels.blocks import add_block, add_diagonal_block, add_halves, add_vector
from pliant.kernels.dyads import outer, skew
from pliant.kernels.sums import Instant, Into
from pliant.kernels.tensors import Matrix, added, apply, apply_transposed, product, scaled, transposed, turned
from pliant.kernels.triples import Vector, cross, dot, plus, times, vector
from pliant.model import rotations
from pliant.model.kinds import packs_only

if TYPE_CHECKING:
    from pliant.system.numbering.spatial_layout import SpatialLayout

A, B = 3, 9  # rows of the spins


class Arrays(NamedTuple):
    """Arrays of rotors, one entry a rotor."""

    dofs: np.ndarray  # (n, 12)
    slots: np.ndarray  # (n, 78)
    frames: np.ndarray  # (n, 2)
    axis: np.ndarray  # (n, 3) in the axes of a's node
    inertia: np.ndarray
    ratio: np.ndarray


@packs_only(GearedMotor)
def pack(layout: SpatialLayout) -> Arrays:
    """Pack the motors of the model that have a rotor."""
    motors = [motor for motor in layout.forces(GearedMotor) if motor.rotor_inertia]
    nodes = [(layout.node(motor.a), layout.node(motor.b)) for motor in motors]
    axes = [rotations.rotate(rotations.product(layout.turn(each.a), each.frame_a), (0.0, 0.0, 1.0)) for each in motors]
    return Arrays(
        dofs=layout.dofs(nodes, 2),
        slots=np.empty((len(motors), 0), np.uint32),
        frames=layout.frames(nodes, 2),
        axis=np.array(axes, float).reshape(-1, 3),
        inertia=np.array([motor.rotor_inertia for motor in motors], float),
        ratio=np.array([motor.ratio for motor in motors], float),
    )


def gyroscopic(part: Arrays) -> bool:
    """Return whether there are rotors: their tangent is unsymmetric in motion, symmetric at rest."""
    return bool(part.inertia.size)


@kernel
def axes(part: Arrays, e: int, q: np.ndarray) -> tuple[Matrix, Matrix, Vector, Vector]:
    """Return the rotations of both nodes, and the axis in the axes of each."""
    one, other, axis = turned(q, part.frames[e, 0]), turned(q, part.frames[e, 1]), vector(part.axis[e], 0)
    return one, other, axis, apply_transposed(other, apply(one, axis))


@kernel
def add_cross(s: np.ndarray, w: np.ndarray, slots: np.ndarray, e: int, f: float, ba: Matrix, ab: Matrix) -> None:
    """Add the two blocks between the spins of b and a, whose derivatives are ``ba`` and ``ab``, to s and w."""
    back = transposed(ab)
    add_block(s, slots, e, B, A, 0.5 * f, ba)
    add_block(s, slots, e, B, A, 0.5 * f, back)
    add_block(w, slots, e, B, A, 0.5 * f, ba)
    add_block(w, slots, e, B, A, -0.5 * f, back)


@kernel
def add(part: Arrays, now: Instant, into: Into) -> None:
    """Add inertia forces and their derivatives; the skew half goes to w."""
    q, v, a = now.q, now.v, now.a
    ck, cc, cm, r, s, w = into
    dofs, slots = part.dofs, part.slots
    for e in range(part.inertia.size):
        inertia, n = part.inertia[e], part.ratio[e]
        one, other, axis, seen = axes(part, e, q)
        spin, turn = vector(v, dofs[e, A]), vector(v, dofs[e, B])
        carried, back = apply_transposed(other, apply(one, spin)), apply_transposed(one, apply(other, turn))
        p = inertia * ((1.0 - n) * dot(axis, spin) + n * dot(seen, turn))
        push = (1.0 - n) * dot(axis, vector(a, dofs[e, A])) + n * dot(seen, vector(a, dofs[e, B]))
        push = inertia * (push + n * dot(cross(carried, seen), turn))
        swing = cross(spin, axis)
        on_a, on_b = plus(times((1.0 - n) * push, axis), times(p, swing)), times(n * push, seen)
        add_vector(r, dofs, e, A, 1.0, on_a)
        add_vector(r, dofs, e, B, 1.0, on_b)
        by_a, by_b = times(inertia * (1.0 - n), axis), times(inertia * n, seen)  # of p, and of p' by accelerations
        fast_a, fast_b = times(inertia * n, cross(axis, back)), times(inertia * n, cross(carried, seen))  # p' by spins
        add_diagonal_block(s, slots, e, A, cm * (1.0 - n), outer(axis, by_a, 0.0))
        add_block(s, slots, e, B, A, cm * n, outer(seen, by_a, 0.0))
        add_diagonal_block(s, slots, e, B, cm * n, outer(seen, by_b, 0.0))
        of_a = added(outer(times(1.0 - n, axis), fast_a, 0.0), outer(swing, by_a, 0.0))
        add_halves(s, w, slots, e, A, cc, added(of_a, skew(times(-p, axis))))
        add_halves(s, w, slots, e, B, cc * n, outer(seen, fast_b, 0.0))
        across = added(outer(times(1.0 - n, axis), fast_b, 0.0), outer(swing, by_b, 0.0))
        add_cross(s, w, slots, e, cc, outer(times(n, seen), fast_a, 0.0), across)
        between = product(transposed(other), one)
        slow = times(inertia * n, cross(seen, turn))
        slower = plus(cross(seen, vector(a, dofs[e, B])), cross(cross(carried, seen), turn))
        slower = times(inertia * n, slower)
        on_one = added(outer(times(1.0 - n, axis), slower, 0.0), outer(swing, slow, 0.0))
        on_other = added(outer(times(n, seen), slower, 0.0), skew(times(-n * push, seen)))
        add_halves(s, w, slots, e, A, ck, added(product(on_one, between), skew(times(-0.5, on_a))))
        add_halves(s, w, slots, e, B, -ck, added(on_other, skew(times(0.5, on_b))))
        add_cross(s, w, slots, e, ck, product(on_other, between), scaled(-1.0, on_one))


@kernel
def energy(part: Arrays, q: np.ndarray, v: np.ndarray) -> tuple[float, float]:
    """Return the kinetic energy of the spin."""
    kinetic = 0.0
    for e in range(part.inertia.size):
        _, _, axis, seen = axes(part, e, q)
        along, n = dot(axis, vector(v, part.dofs[e, A])), part.ratio[e]
        spin = (1.0 - n) * along + n * dot(seen, vector(v, part.dofs[e, B]))
        kinetic += 0.5 * part.inertia[e] * spin * spin
    return kinetic, 0.0
