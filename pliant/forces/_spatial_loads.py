"""Forces and moments at markers in space, given by signals: the kernel that point, distributed and gravity loads share.

``F = scale (u_x, u_y, u_z)`` at ``r = x + R d`` and a moment of three more signals, in global axes; a follower turns
both with the marker. In the node's frame the moment is ``d x R^T F + m``.

A dead force has the potential ``-F . r``. A moment with a constant direction in space has no potential: its work
depends on the path (H. Ziegler, Principles of Structural Stability, 1968). Measured in the exponential chart of the
node's frame, its tangent is ``-skew(m)/2``, and ``+skew(m)/2`` for a follower: both are skew and go to w.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pliant.forces._loads import NONE, Entry, constant, numbered
from pliant.jit import kernel
from pliant.kernels.blocks import add_cross_halves, add_diagonal_block, add_halves, add_vector
from pliant.kernels.dyads import product_skew, skew, symmetric
from pliant.kernels.tensors import Matrix, apply, apply_transposed, get, turned
from pliant.kernels.triples import Vector, cross, dot, plus, vector
from pliant.model import rotations

if TYPE_CHECKING:
    from pliant.system.numbering.spatial_layout import SpatialLayout


class Arrays(NamedTuple):
    """Arrays of loads, one entry a load."""

    dofs: np.ndarray  # (n, 6)
    slots: np.ndarray
    frames: np.ndarray  # (n, 1)
    arm: np.ndarray  # (n, 3)
    scale: np.ndarray
    signals: np.ndarray  # (n, 6) of force and moment
    follower: np.ndarray
    axes: np.ndarray  # (n, 9) rotation from a follower's axes to the node's
    steady: np.ndarray  # 1 if the load is a dead force, constant in time: it then has a potential


def arrays(layout: SpatialLayout, entries: Iterable[Entry]) -> Arrays:
    """Pack load entries."""
    items = list(entries)
    nodes, none = [e.node for e in items], (NONE,) * 3
    signals = numbered([(*(e.force or none), *(e.moment or none)) for e in items], 6)
    turns = [rotations.IDENTITY if e.turn is None else e.turn for e in items]
    dead = np.array([not e.follower and not e.moment for e in items], bool)
    return Arrays(
        dofs=layout.dofs(nodes),
        slots=np.empty((len(items), 0), np.uint32),
        frames=layout.frames(nodes),
        arm=np.array([e.arm if len(e.arm) else (0.0,) * 3 for e in items], float).reshape(-1, 3),
        scale=np.array([e.scale for e in items], float),
        signals=signals,
        follower=np.array([e.follower for e in items], np.uint32),
        axes=rotations.matrix(turns).reshape(-1, 9) if items else np.zeros((0, 9)),
        steady=(dead & constant(layout, signals)).astype(np.uint32),
    )


def unsymmetric(part: Arrays) -> bool:
    """Return whether there are follower loads or moments, whose stiffness is unsymmetric."""
    return bool(np.any(part.follower) or np.any(part.signals[:, 3:] != NONE))


@kernel
def load_at(part: Arrays, e: int, R: Matrix, u: np.ndarray) -> tuple[Vector, Vector]:
    """Return force and moment of load e in the node's frame."""
    scale, signals = part.scale[e], part.signals[e]
    force = scale * u[signals[0]], scale * u[signals[1]], scale * u[signals[2]]
    moment = scale * u[signals[3]], scale * u[signals[4]], scale * u[signals[5]]
    if part.follower[e]:
        axes = get(part.axes, e, 0)
        return apply(axes, force), apply(axes, moment)
    return apply_transposed(R, force), apply_transposed(R, moment)


@kernel
def add(part: Arrays, q: np.ndarray, u: np.ndarray, ck: float, r: np.ndarray, s: np.ndarray, w: np.ndarray) -> None:
    """Subtract the loads from r and add their stiffness: a dead force turns the arm, a follower turns with it."""
    dofs, slots = part.dofs, part.slots
    for e in range(part.scale.size):
        R, d = turned(q, part.frames[e, 0]), vector(part.arm[e], 0)
        force, moment = load_at(part, e, R, u)
        lever = cross(d, force)
        add_vector(r, dofs, e, 0, -1.0, apply(R, force))
        add_vector(r, dofs, e, 3, -1.0, plus(lever, moment))
        if part.follower[e]:
            add_cross_halves(s, w, slots, e, ck, product_skew(R, force))
            add_halves(s, w, slots, e, 3, 0.5 * ck, skew(plus(lever, moment)))
        else:
            add_diagonal_block(s, slots, e, 3, -ck, symmetric(force, d, -dot(force, d)))
            add_halves(s, w, slots, e, 3, -0.5 * ck, skew(moment))


@kernel
def energy(part: Arrays, q: np.ndarray, u: np.ndarray) -> tuple[float, float]:
    """Return the potential -F . r of the steady dead forces."""
    potential = 0.0
    for e in range(part.scale.size):
        if part.steady[e]:
            R, first = turned(q, part.frames[e, 0]), part.dofs[e, 0]
            force, _ = load_at(part, e, R, u)
            potential -= dot(apply(R, force), vector(q, first)) + dot(force, vector(part.arm[e], 0))
    return 0.0, potential


@kernel
def power(part: Arrays, q: np.ndarray, v: np.ndarray, u: np.ndarray) -> tuple[float, float]:
    """Return the power of the loads that have no potential."""
    supplied = 0.0
    for e in range(part.scale.size):
        if not part.steady[e]:
            R, first = turned(q, part.frames[e, 0]), part.dofs[e, 0]
            force, moment = load_at(part, e, R, u)
            turning = plus(moment, cross(vector(part.arm[e], 0), force))
            supplied += dot(apply(R, force), vector(v, first)) + dot(turning, vector(v, first + 3))
    return supplied, 0.0
