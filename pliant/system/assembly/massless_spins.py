"""Rotations of rigid bodies about axes without inertia, such as a slender bar about its own axis.

Joints hold most of them. A free one, as for a bar between two ball joints, is *idle* if no load acts on it: any spin is
valid, and it is left constant (elements/rigid/spatial_spinless.py). With a load, nothing resists it, and the motion is
not determined.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pliant.joints.rows import Rows, residual
from pliant.model.bodies.rigid import RigidBody
from pliant.system.assembly import dependent_rows
from pliant.system.numbering.space import SPACE

if TYPE_CHECKING:
    from pliant.system.numbering.spatial_layout import SpatialLayout

HELD = 1e-9  # a row with a smaller share (of 1) does not hold a rotation


class Spin(NamedTuple):
    """A rotation of a body about an axis in its frame."""

    body: RigidBody
    axis: tuple[float, float, float]


def inert_spins(layout: SpatialLayout) -> list[Spin]:
    """Return all rotations about axes without inertia of the bodies themselves."""
    return [Spin(body, tuple(axis.tolist())) for body in layout.rigid_bodies for axis in layout.inert_axes(body)]


def columns(layout: SpatialLayout, spins: Sequence[Spin]) -> np.ndarray:
    """Return the (freedoms, spins) displacements of the freedoms by the rotations."""
    found = np.zeros((layout.freedoms, len(spins)))
    for column, (body, axis) in zip(found.T, spins, strict=True):
        column[6 * layout.body_node(body) + 3 :][:3] = axis
    return found


def idle_spins(layout: SpatialLayout, rows: Rows, q: np.ndarray, scale: float) -> tuple[Spin, ...]:
    """Return the rotations without inertia, joints, loads and attached masses, here and a little further along the
    motion.
    """
    spins = [spin for spin in inert_spins(layout) if not _is_loaded(layout, spin)]
    if not spins or not rows.offset.size:
        return tuple(spins)
    u, gap = np.zeros(1), np.zeros(rows.offset.size)
    rows = rows._replace(gain=np.zeros_like(rows.gain), signal=np.zeros_like(rows.signal))
    residual(rows, q, u, gap)
    rows = rows._replace(offset=rows.offset + gap)  # drives are held where they are
    there = dependent_rows.pose_further(rows, q, u, scale, SPACE, layout.freedoms)
    taken = are_held(layout, spins, rows, q) | are_held(layout, spins, rows, there)
    return tuple(spin for spin, is_held in zip(spins, taken, strict=True) if not is_held)


def are_held(layout: SpatialLayout, spins: Sequence[Spin], rows: Rows, q: np.ndarray) -> np.ndarray:
    """Return (spins) whether joints resist each rotation in a pose."""
    if not spins:
        return np.zeros(0, bool)
    jacobian = dependent_rows.scaled_jacobian(rows, q, layout.length_scale, SPACE, layout.freedoms)
    return np.asarray(np.any(np.abs(jacobian @ columns(layout, spins)) > HELD, axis=0))


def _is_loaded(layout: SpatialLayout, spin: Spin) -> bool:
    """Return whether a load or an attached mass acts on a rotation: by a direction, or at a marker off the axis."""
    for part in (*layout.model.forces, *layout.model.point_masses):
        arms = np.array([layout.arm(marker) for marker in part.markers if marker.body is spin.body])
        if not arms.size:
            continue
        if part.acts_on_directions(True):
            return True
        if np.any(np.abs(np.cross(spin.axis, arms)) > HELD * np.max(np.abs(arms))):
            return True
    return False
