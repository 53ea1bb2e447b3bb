"""Dashpots to the ground at points ``r = x + R d`` of nodes in space: force ``-c r'``, moment ``-c_turn w``.

In motion the turning arm adds an unsymmetric stiffness, whose skew half goes to w.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pliant.forces.dashpot import Dashpot
from pliant.jit import kernel
from pliant.kernels.blocks import add_cross_halves, add_diagonal_block, add_halves, add_transposed, add_vector
from pliant.kernels.dyads import outer, product_skew, skew, skew_product, symmetric
from pliant.kernels.tensors import added, apply, apply_transposed, product, transposed, turned
from pliant.kernels.triples import cross, dot, plus, times, vector
from pliant.model.kinds import packs_only

if TYPE_CHECKING:
    from pliant.system.numbering.spatial_layout import SpatialLayout


class Arrays(NamedTuple):
    """Arrays of dashpots, one entry a dashpot."""

    dofs: np.ndarray  # (n, 6)
    slots: np.ndarray
    frames: np.ndarray  # (n, 1)
    arm: np.ndarray  # (n, 3)
    coefficient: np.ndarray  # (n, 4)


@packs_only(Dashpot)
def pack(layout: SpatialLayout) -> Arrays:
    """Pack the dashpots of the model."""
    dashpots = layout.forces(Dashpot)
    nodes = [layout.node(d.marker) for d in dashpots]
    return Arrays(
        dofs=layout.dofs(nodes),
        slots=np.empty((len(dashpots), 0), np.uint32),
        frames=layout.frames(nodes),
        arm=np.array([layout.arm(d.marker) for d in dashpots], float).reshape(-1, 3),
        coefficient=np.array([(d.x, d.y, d.z, d.turn) for d in dashpots], float).reshape(-1, 4),
    )


def gyroscopic(part: Arrays) -> bool:
    """Return whether there are dashpots that turn: their tangent is unsymmetric in motion, symmetric at rest."""
    return bool(np.any(part.arm) or np.any(part.coefficient[:, 3]))


@kernel
def add(
    part: Arrays, q: np.ndarray, v: np.ndarray, ck: float, cc: float, r: np.ndarray, s: np.ndarray, w: np.ndarray
) -> None:
    """Add the resistance, and its derivatives by velocity and by the rotation of the arm.

    With ``S = c R skew(d)`` the force is ``c x' - S w``, its derivatives ``-S`` by w, ``-c R skew(w x d)`` by rotation.
    """
    dofs, slots = part.dofs, part.slots
    for e in range(part.coefficient.shape[0]):
        R, d, first, turn = turned(q, part.frames[e, 0]), vector(part.arm[e], 0), dofs[e, 0], part.coefficient[e, 3]
        spin, c = vector(v, first + 3), vector(part.coefficient[e], 0)
        resisting = c[0], 0.0, 0.0, 0.0, c[1], 0.0, 0.0, 0.0, c[2]
        force = apply(resisting, plus(vector(v, first), apply(R, cross(spin, d))))
        seen, twisting = apply_transposed(R, force), times(turn, spin)
        add_vector(r, dofs, e, 0, 1.0, force)
        add_vector(r, dofs, e, 3, 1.0, plus(cross(d, seen), twisting))
        swing = product(resisting, product_skew(R, d))
        add_diagonal_block(s, slots, e, 0, cc, resisting)
        add_transposed(s, slots, e, 3, 0, -cc, swing)
        add_diagonal_block(s, slots, e, 3, cc, outer(d, (0.0, 0.0, 0.0), turn))
        add_diagonal_block(s, slots, e, 3, -cc, skew_product(d, product(transposed(R), swing)))
        swirling = product(resisting, product_skew(R, cross(spin, d)))
        add_cross_halves(s, w, slots, e, -ck, swirling)
        add_diagonal_block(s, slots, e, 3, ck, symmetric(seen, d, -dot(seen, d)))
        turning = added(skew_product(d, product(transposed(R), swirling)), skew(times(0.5, twisting)))
        add_halves(s, w, slots, e, 3, -ck, turning)


@kernel
def power(part: Arrays, q: np.ndarray, v: np.ndarray) -> tuple[float, float]:
    """Return the power lost in the dashpots."""
    dissipated = 0.0
    for e in range(part.coefficient.shape[0]):
        first, c = part.dofs[e, 0], part.coefficient[e]
        spin = vector(v, first + 3)
        x, y, z = plus(vector(v, first), apply(turned(q, part.frames[e, 0]), cross(spin, vector(part.arm[e], 0))))
        dissipated += c[0] * x * x + c[1] * y * y + c[2] * z * z + c[3] * dot(spin, spin)
    return 0.0, dissipated
