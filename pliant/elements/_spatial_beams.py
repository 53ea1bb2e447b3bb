"""Conversion of meshes in space to rows of elements, shared by the `pack` of all spatial beam families."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from operator import attrgetter
from typing import Any, NamedTuple, Protocol

import numpy as np

from pliant.elements import _sections
from pliant.elements._beams import empty_slots, once
from pliant.model import rotations


class SpatialMesh(Protocol):
    """One beam in space divided into elements (built by pliant.system.numbering.spatial_layout)."""

    beam: Any  # model.Beam
    options: Any
    s: np.ndarray  # (nodes) station of each node, 0 to 1
    pose: np.ndarray  # (nodes, 3) unstressed places in global axes
    turn: np.ndarray  # (nodes, 4) unstressed sections, quaternions from section to global axes
    connectivity: np.ndarray  # (elements, order + 1) node numbers
    alpha: float
    beta: float


class SpatialLayout(Protocol):
    """Methods of a spatial system's layout that beam families need."""

    beams: Sequence[Any]
    ground: int

    def dofs(self, nodes: Any, count: int = 1) -> np.ndarray:
        """Return (n, 6 count) freedoms."""

    def frames(self, nodes: Any, count: int = 1) -> np.ndarray:
        """Return (n, count) places of quaternions in q."""

    def loads_along(self, meshes: Sequence[Any]) -> Sequence[Any]:
        """Return the loads along beams whose elements integrate them (system/numbering/loads_along.py)."""

    def drag_along(self, mesh: Any) -> tuple[float, ...]:
        """Return the drag of a beam per length and velocity along the global axes."""


class SpatialRows(NamedTuple):
    """Elements of several meshes of one order, one row each, in the order of the meshes."""

    nodes: np.ndarray  # (n, order + 1)
    place: np.ndarray  # (n, order + 1, 3)
    turn: np.ndarray  # (n, order + 1, 4) with equal signs within an element
    length: np.ndarray  # (n) arc length, m
    stiffness: np.ndarray  # (n, 6, 6) of a uniform element that bends equally
    mass: np.ndarray  # (n, order + 1, order + 1) mass matrix
    rotary: np.ndarray  # (n, order + 1, order + 1, 3) matrices of rotary inertia about x, y, z of the section
    alpha: np.ndarray
    beta: np.ndarray

    @property
    def damped(self) -> bool:
        """True if any alpha or beta is not zero."""
        return bool(np.any(self.alpha) or np.any(self.beta))


def rows(meshes: Sequence[SpatialMesh], order: int = 1) -> SpatialRows:
    """Gather the elements of meshes whose elements have order + 1 nodes."""
    parts = [once(mesh, order, partial(_rows, mesh, order)) for mesh in meshes] or [_none(order)]
    return SpatialRows(*(np.ascontiguousarray(np.concatenate(column)) for column in zip(*parts, strict=True)))


def two_node(layout: SpatialLayout, rows: SpatialRows) -> dict[str, Any]:
    """Return the arrays that all families of two-node beams share, by name."""
    mass, rotary = two_node_inertia(rows)
    return {
        "dofs": layout.dofs(rows.nodes, 2),
        "slots": empty_slots(len(rows.length)),
        "frames": layout.frames(rows.nodes, 2),
        "length": rows.length,
        "mass": mass,
        "rotary": rotary,
        "alpha": rows.alpha,
        "beta": rows.beta,
        "damped": rows.damped,
    }


def seen_ends(rows: SpatialRows) -> tuple[np.ndarray, np.ndarray]:
    """Return (n, 3) the vector between the ends of unstressed two-node elements, in the mean section, and (n, 3) the
    rotation vector from the first to the second.
    """
    first, second = rows.turn[:, 0], rows.turn[:, -1]
    mean = rotations.conjugate(first + second) / np.linalg.norm(first + second, axis=1, keepdims=True)
    relative = rotations.product(rotations.conjugate(first), second)
    return rotations.rotate(mean, rows.place[:, -1] - rows.place[:, 0]), rotations.logarithm(relative)


def two_node_inertia(rows: SpatialRows) -> tuple[np.ndarray, np.ndarray]:
    """Return (n, 3) mass of the ends of two-node elements and their coupling; (n, 9) their rotary inertia."""
    own, other = [0, 1, 0], [0, 1, 1]
    mass, rotary = np.ascontiguousarray(rows.mass[:, own, other]), rows.rotary[:, own, other]
    return mass, np.ascontiguousarray(rotary.reshape(-1, 9))


def gyroscopic(part: Any) -> bool:
    """Return whether sections have rotary inertia: their tangent is unsymmetric in motion, symmetric at rest."""
    return bool(np.any(part.rotary))


def _rows(mesh: SpatialMesh, order: int) -> SpatialRows:
    nodes = np.asarray(mesh.connectivity)
    n = len(nodes)
    place = order * np.arange(n)[:, None] + np.arange(order + 1)
    turn = np.asarray(mesh.turn, float)[place]
    length = _sections.lengths([mesh], order)
    apart = _sections.eccentric(mesh, order)
    rotary = [_sections.inertia_matrices([mesh], order, _rotary(axis), apart=apart) for axis in range(3)]
    return SpatialRows(
        nodes=nodes,
        place=np.asarray(mesh.pose, float)[place],
        turn=np.where(np.sum(turn * turn[:, :1], axis=2, keepdims=True) < 0.0, -turn, turn),
        length=length,
        stiffness=_sections.stiffness([mesh], order, attrgetter("stiffness"), points=1)[:, 0],
        mass=_sections.inertia_matrices([mesh], order, attrgetter("mass_per_length"), apart=apart),
        rotary=np.stack(rotary, axis=3),
        alpha=np.full(n, float(mesh.alpha)),
        beta=np.full(n, float(mesh.beta)),
    )


def _rotary(axis: int) -> _sections.Pick:
    return lambda section: section.rotary_about_axis[axis, axis]


def _none(order: int) -> SpatialRows:
    def zeros(*shape: int) -> np.ndarray:
        return np.zeros((0, *shape))

    c = order + 1
    nodes = np.zeros((0, c), np.int64)
    return SpatialRows(
        nodes, zeros(c, 3), zeros(c, 4), zeros(), zeros(6, 6), zeros(c, c), zeros(c, c, 3), zeros(), zeros()
    )
