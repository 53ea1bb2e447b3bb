"""Conversion of superelements to rows: matrices in the coordinates of space, of which planar nodes have three of six.

The bodies at the interface have equal shares of the mass, and equal rotary inertia about all axes: both are subtracted
here, so that the equations have the given matrix.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pliant.elements._beams import empty_slots
from pliant.elements.superelement import Superelement
from pliant.errors import ModelError
from pliant.model.kinds import packs_only


class Arrays(NamedTuple):
    """One row per superelement, padded with freedoms of the ground; n nodes and k modes at most."""

    dofs: np.ndarray  # (m, W)
    slots: np.ndarray
    frames: np.ndarray  # (m, n) quaternions; none in the plane
    local: np.ndarray  # (W) number of a freedom among the 6 n + k local coordinates
    mass: np.ndarray  # (m, 6 n + k, 6 n + k) without the bodies' mass
    stiffness: np.ndarray
    beta: np.ndarray
    places: np.ndarray  # (m, n, 3) from the first node
    weight: np.ndarray  # (m, 6 n + k, 3) mass times motions along the axes
    first: np.ndarray  # (m, 3) first moment of mass about the first node
    gravity: np.ndarray  # (g, 3) uint32 signals


@packs_only(Superelement)
def pack(layout: Any) -> Arrays:
    """Pack all superelements of a model."""
    found: list[Superelement] = layout.forces(Superelement)
    n = max((len(each.interface) for each in found), default=0)
    k = max((each.modes for each in found), default=0)
    spatial, size, m = layout.space.quaternions, 6 * n + k, len(found)
    axes = [0, 1, 2, 3, 4, 5] if spatial else [0, 1, 5]
    local = np.array([6 * i + axis for i in range(n) for axis in axes] + list(range(6 * n, size)), np.uint32)
    nodes = np.full((m, n), layout.ground)
    modes = np.tile(layout.dofs([layout.ground])[:, :1], (m, k)).astype(np.uint32)
    mass, stiffness = np.zeros((m, size, size)), np.zeros((m, size, size))
    places = np.zeros((m, n, 3))
    for e, part in enumerate(found):
        _check_gravity(layout, part)
        count = len(part.interface)
        nodes[e, :count] = [layout.node(marker) for marker in part.interface]
        modes[e, : part.modes] = layout.own(part) if part.modes else []
        rows = [6 * i + axis for i in range(count) for axis in axes] + [6 * n + j for j in range(part.modes)]
        stiffness[e][np.ix_(rows, rows)] = part.stiffness
        mass[e][np.ix_(rows, rows)] = part.mass
        for i, marker in enumerate(part.interface):
            body: Any = marker.body
            lump = [body.mass] * 3 + [float(np.trace(body.inertia_matrix) / 3.0)] * 3
            _check_lump(part, body, spatial)
            mass[e][range(6 * i, 6 * i + 6), range(6 * i, 6 * i + 6)] -= np.where(np.isin(range(6), axes), lump, 0.0)
        points = np.array(part.places) - np.array(part.places[0])
        places[e, :count, : points.shape[1]] = points
    along = np.zeros((size, 3))
    for i in range(n):
        along[6 * i : 6 * i + 3] = np.eye(3)
    signals = [[*each, layout.ZERO][:3] for each in layout.gravity()]
    return Arrays(
        dofs=np.hstack([layout.dofs(nodes, n), modes]).astype(np.uint32) if n else np.zeros((0, 0), np.uint32),
        slots=empty_slots(m),
        frames=layout.frames(nodes, n) if n else np.zeros((0, 0), np.uint32),
        local=local,
        mass=mass,
        stiffness=stiffness,
        beta=np.array([each.damping for each in found]),
        places=places,
        weight=mass @ along,
        first=np.array([_first_moment(*each, along) for each in zip(mass, places, strict=True)]).reshape(-1, 3),
        gravity=np.array(signals, np.uint32).reshape(-1, 3),
    )


def _first_moment(mass: np.ndarray, places: np.ndarray, along: np.ndarray) -> np.ndarray:
    """Return ``int rho X`` from rotations: ``T^T M (e_k x X)``; nodal masses times places are not equal to it."""
    turned = np.zeros_like(along)
    for i, place in enumerate(places):
        turned[6 * i : 6 * i + 3] = np.cross(np.eye(3), place).T
        turned[6 * i + 3 : 6 * i + 6] = np.eye(3)
    found = along.T @ mass @ turned  # minus skew(S), whose z part the plane has only
    return np.array([found[1, 2], -found[0, 2], found[0, 1]])


def _check_gravity(layout: Any, part: Superelement) -> None:
    if not all(layout.is_constant(each) for row in layout.gravity() for each in row):
        raise ModelError(
            f"{part.owner}: superelements do not support gravity that changes in time. Make it constant, and drive the "
            "parts that they are joined to by a Motion instead."
        )


def _check_lump(part: Superelement, body: Any, spatial: bool) -> None:
    share = part.total_mass / len(part.interface)
    inertia = body.inertia_matrix
    even = not spatial or np.allclose(inertia, inertia[0, 0] * np.eye(3), rtol=1e-9, atol=0.0)
    if abs(body.mass - share) > 1e-6 * share or not even:
        raise ModelError(
            f"{part.owner}: {body.owner} at its interface must have a mass of {share:.9g} kg, an equal share, and the "
            f"same inertia about all axes; both are part of its mass matrix. Its mass is {body.mass:.9g} kg. "
            "`pl.reduced_body` creates such bodies; add other masses with PointMass."
        )
