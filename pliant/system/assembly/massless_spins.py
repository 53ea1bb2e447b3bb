"""Rotations of rigid bodies about axes without inertia, such as that of a slender bar about itself.

Most are held by joints. One that joints leave free, as of a bar between two ball joints, is *idle* where no load turns
it either: any spin is right, and it is kept as it is (elements/rigid/spatial_spinless.py). Where a load turns it,
nothing resists, and the motion is not determined.
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

HELD = 1e-9  # a row whose share is smaller, of 1, does not hold a rotation


class Spin(NamedTuple):
    """A rotation of a body about an axis in its frame."""

    body: RigidBody
    axis: tuple[float, float, float]


def inert(layout: SpatialLayout) -> list[Spin]:
    """All rotations about axes without inertia of the bodies themselves."""
    return [Spin(body, tuple(axis.tolist())) for body in layout.rigid_bodies for axis in layout.inert_axes(body)]


def columns(layout: SpatialLayout, spins: Sequence[Spin]) -> np.ndarray:
    """(freedoms, spins) the rotations as displacements of the freedoms."""
    found = np.zeros((layout.freedoms, len(spins)))
    for column, (body, axis) in zip(found.T, spins, strict=True):
        column[6 * layout.body_node(body) + 3 :][:3] = axis
    return found


def idle(layout: SpatialLayout, rows: Rows, q: np.ndarray, scale: float) -> tuple[Spin, ...]:
    """Rotations about axes without inertia that neither joints nor loads nor attached masses have a share in, here and
    a little further along the motion.
    """
    spins = [spin for spin in inert(layout) if not _loaded(layout, spin)]
    if not spins or not rows.offset.size:
        return tuple(spins)
    u, gap = np.zeros(1), np.zeros(rows.offset.size)
    rows = rows._replace(gain=np.zeros_like(rows.gain), signal=np.zeros_like(rows.signal))
    residual(rows, q, u, gap)
    rows = rows._replace(offset=rows.offset + gap)  # drives are held where they are
    there = dependent_rows.further(rows, q, u, scale, SPACE, layout.freedoms)
    taken = held(layout, spins, rows, q) | held(layout, spins, rows, there)
    return tuple(spin for spin, is_held in zip(spins, taken, strict=True) if not is_held)


def held(layout: SpatialLayout, spins: Sequence[Spin], rows: Rows, q: np.ndarray) -> np.ndarray:
    """(spins) whether joints have a share in rotations, in a pose."""
    if not spins:
        return np.zeros(0, bool)
    jacobian = dependent_rows.scaled_jacobian(rows, q, layout.length_scale, SPACE, layout.freedoms)
    return np.asarray(np.any(np.abs(jacobian @ columns(layout, spins)) > HELD, axis=0))


def _loaded(layout: SpatialLayout, spin: Spin) -> bool:
    """Whether a load or an attached mass has a share in a rotation: by a direction, or at a marker off the axis."""
    for part in (*layout.model.forces, *layout.model.point_masses):
        arms = np.array([layout.arm(marker) for marker in part.markers if marker.body is spin.body])
        if not arms.size:
            continue
        if part.acts_on_directions(True):
            return True
        if np.any(np.abs(np.cross(spin.axis, arms)) > HELD * np.max(np.abs(arms))):
            return True
    return False
