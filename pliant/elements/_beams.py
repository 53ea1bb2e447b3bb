"""From meshes to rows of elements: what every beam family's `pack` begins with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np


class BeamMesh(Protocol):
    """One beam cut into elements (pliant.system.layout makes these)."""

    beam: Any  # model.Beam
    options: Any
    s: np.ndarray  # (nodes) station of each node, 0 to 1
    pose: np.ndarray  # (nodes, 3) unstressed x, y, theta in global axes
    connectivity: np.ndarray  # (elements, order + 1) node numbers
    alpha: float
    beta: float


class Layout(Protocol):
    """What beam families need from the layout of a system."""

    beams: Sequence[Any]
    ground: int

    def dofs(self, nodes: Any, count: int = 1) -> np.ndarray:
        """(n, 3 count) freedoms."""


class Rows(NamedTuple):
    """Elements of several meshes of one order, one row each, in the order of the meshes."""

    dofs: np.ndarray  # (n, 3 (order + 1)) uint32
    pose: np.ndarray  # (n, order + 1, 3)
    length: np.ndarray  # (n) arc length, m
    stiffness: np.ndarray  # (n, 3) EA, GA (with shear factor), EI at the middle of each element
    density: np.ndarray  # (n, 2) mass and rotary inertia per length
    alpha: np.ndarray
    beta: np.ndarray


def rows(meshes: Sequence[BeamMesh], order: int = 1) -> Rows:
    """Gather the elements of meshes whose elements have order + 1 nodes."""
    parts = [_rows(mesh, order) for mesh in meshes] or [_none(order)]
    return Rows(*(np.ascontiguousarray(np.concatenate(column)) for column in zip(*parts, strict=True)))


def empty_slots(n: int) -> np.ndarray:
    """Place of the matrix slots until compile fills them."""
    return np.empty((n, 0), np.uint32)


def per_element(meshes: Sequence[BeamMesh], values: Sequence[float]) -> np.ndarray:
    """One value per mesh, repeated for its elements."""
    return np.repeat(np.array(values, float), np.array([len(mesh.connectivity) for mesh in meshes], int))


def two_node_inertia(meshes: Sequence[BeamMesh], rows: Rows) -> np.ndarray:
    """(n, 4) diagonal and off-diagonal mass, then rotary inertia, of linear interpolation (thesis 3.11) or lumped."""
    share = per_element(meshes, [0.0 if mesh.options.mass == "lumped" else 1 / 6 for mesh in meshes])[:, None]
    whole = rows.density * rows.length[:, None]
    diagonal, across = (0.5 - share) * whole, share * whole
    return np.stack((diagonal[:, 0], across[:, 0], diagonal[:, 1], across[:, 1]), axis=1)


def ends(mesh: BeamMesh) -> np.ndarray:
    """Stations of both ends of every two-node element."""
    return np.stack((mesh.s[:-1], mesh.s[1:]), axis=1).ravel()


def _rows(mesh: BeamMesh, order: int) -> Rows:
    nodes = np.asarray(mesh.connectivity)
    n = len(nodes)
    place = order * np.arange(n)[:, None] + np.arange(order + 1)
    ends = np.asarray(mesh.s)[::order]
    sections = [mesh.beam.section_at(s) for s in 0.5 * (ends[:-1] + ends[1:])]
    return Rows(
        dofs=(3 * nodes[:, :, None] + np.arange(3)).reshape(n, -1).astype(np.uint32),
        pose=np.asarray(mesh.pose, float)[place],
        length=np.diff(ends) * mesh.beam.length,
        stiffness=np.array([(x.axial_stiffness, x.shear_stiffness, x.bending_stiffness) for x in sections]),
        density=np.array([(x.mass_per_length, x.rotary_inertia) for x in sections]),
        alpha=np.full(n, float(mesh.alpha)),
        beta=np.full(n, float(mesh.beta)),
    )


def _none(order: int) -> Rows:
    def zeros(*shape: int) -> np.ndarray:
        return np.zeros((0, *shape))

    dofs = np.zeros((0, 3 * (order + 1)), np.uint32)
    return Rows(dofs, zeros(order + 1, 3), zeros(), zeros(3), zeros(2), zeros(), zeros())
