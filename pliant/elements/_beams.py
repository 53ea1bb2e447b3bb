"""Conversion of meshes to rows of elements, shared by the `pack` of all beam families."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from operator import attrgetter
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np

from pliant.elements import _sections

T = TypeVar("T")
INERTIAS = "mass_per_length", "rotary_inertia"
stiffnesses = attrgetter("axial_stiffness", "shear_stiffness", "bending_stiffness")


class Stiffness(NamedTuple):
    """Stiffnesses of an element's sections."""

    axial_stiffness: float
    shear_stiffness: float
    bending_stiffness: float


class BeamMesh(Protocol):
    """One beam divided into elements (built by pliant.system.numbering.planar_layout)."""

    beam: Any  # model.Beam
    options: Any
    s: np.ndarray  # (nodes) station of each node, 0 to 1
    pose: np.ndarray  # (nodes, 3) unstressed x, y, theta in global axes
    connectivity: np.ndarray  # (elements, order + 1) node numbers
    alpha: float
    beta: float


class Layout(Protocol):
    """Methods of a system's layout that beam families need."""

    beams: Sequence[Any]
    ground: int

    def dofs(self, nodes: Any, count: int = 1) -> np.ndarray:
        """Return (n, 3 count) freedoms."""


class Rows(NamedTuple):
    """Elements of several meshes of one order, one row each, in the order of the meshes."""

    dofs: np.ndarray  # (n, 3 (order + 1)) uint32
    pose: np.ndarray  # (n, order + 1, 3)
    length: np.ndarray  # (n) arc length, m
    stiffness: np.ndarray  # (n, 3) EA, GA (with shear factor), EI of a uniform element that bends equally
    inertia: np.ndarray  # (n, 2, order + 1, order + 1) matrices of mass and of rotary inertia
    alpha: np.ndarray
    beta: np.ndarray

    @property
    def damped(self) -> bool:
        """True if any alpha or beta is not zero."""
        return bool(np.any(self.alpha) or np.any(self.beta))


def meshes_of(
    kind: type, fits: Callable[[Any], bool] = lambda options: True, *, hyperelastic: bool = False
) -> Callable[[Any], list[Any]]:
    """Build the function `meshes` of a family: beams of a layout whose options are of a kind, and fit; either those
    with or those without a section law of large strains.
    """

    def meshes(layout: Any) -> list[Any]:
        mine = (mesh for mesh in layout.beams if isinstance(mesh.options, kind) and fits(mesh.options))
        return [mesh for mesh in mine if mesh.beam.section.hyperelastic == hyperelastic]

    return meshes


def rest_size(part: Any) -> int:
    """Return the `stress_size` of a family with as many stresses as strains of the rest shape."""
    return int(part.rest.size)


def rows(meshes: Sequence[BeamMesh], order: int = 1) -> Rows:
    """Gather the elements of meshes whose elements have order + 1 nodes."""
    return Rows(*once_of(meshes, order, partial(gathered, order=order))) if meshes else _none(order)


def once_of(
    meshes: Sequence[Any], key: Any, make: Callable[[Sequence[Any]], tuple[np.ndarray, ...]]
) -> list[np.ndarray]:
    """Return columns with a row for every element of meshes, one mesh below the other, computed together for all meshes
    that have not stored theirs.
    """
    known = [getattr(mesh, "known", {}) for mesh in meshes]
    missing = [k for k, each in enumerate(known) if key not in each]
    if missing:
        made, end = make([meshes[k] for k in missing]), 0
        for k in missing:
            start, end = end, end + len(meshes[k].connectivity)
            known[k][key] = tuple(column[start:end] for column in made)
    parts = [each[key] for each in known]
    return [np.ascontiguousarray(np.concatenate(column)) for column in zip(*parts, strict=True)]


def once(mesh: Any, key: Any, make: Callable[[], T]) -> T:
    """Return a result for a mesh, computed once if the mesh can store it (`system.numbering.BeamMesh.known`)."""
    known: dict[Any, T] = getattr(mesh, "known", {})
    if key not in known:
        known[key] = make()
    return known[key]


def empty_slots(n: int) -> np.ndarray:
    """Return empty matrix slots, which compile fills."""
    return np.empty((n, 0), np.uint32)


def per_element(meshes: Sequence[BeamMesh], values: Sequence[float]) -> np.ndarray:
    """Return one value per mesh, repeated for its elements."""
    return np.repeat(np.array(values, float), np.array([len(mesh.connectivity) for mesh in meshes], int))


def two_node(rows: Rows) -> dict[str, Any]:
    """Return the arrays that all families of two-node beams share, by name."""
    return {
        "dofs": rows.dofs,
        "slots": empty_slots(len(rows.length)),
        "length": rows.length,
        "inertia": two_node_inertia(rows),
        "alpha": rows.alpha,
        "beta": rows.beta,
        "damped": rows.damped,
    }


def two_node_inertia(rows: Rows) -> np.ndarray:
    """Return (n, 6) mass of the first and second end and their coupling, then rotary inertia; see kernels.scatter."""
    return np.ascontiguousarray(rows.inertia[:, :, [0, 1, 0], [0, 1, 1]].reshape(-1, 6))


def ends(mesh: BeamMesh) -> np.ndarray:
    """Return the stations of both ends of every two-node element."""
    return np.stack((mesh.s[:-1], mesh.s[1:]), axis=1).ravel()


def gathered(meshes: Sequence[BeamMesh], order: int) -> Rows:
    """Return `rows` of one mesh or more, without storing them."""
    nodes = np.concatenate([mesh.connectivity for mesh in meshes])
    n = len(nodes)
    starts = np.cumsum([0] + [len(mesh.pose) for mesh in meshes])
    first = np.repeat(starts[:-1], [len(mesh.connectivity) for mesh in meshes])
    within = np.concatenate([mesh.connectivity - mesh.connectivity[0, 0] for mesh in meshes])
    return Rows(
        dofs=(3 * nodes[:, :, None] + np.arange(3)).reshape(n, -1).astype(np.uint32),
        pose=np.concatenate([mesh.pose for mesh in meshes])[first[:, None] + within],
        length=_sections.lengths(meshes, order),
        stiffness=_sections.stiffness(meshes, order, stiffnesses, points=1)[:, 0],
        inertia=np.stack([_sections.inertia_matrices(meshes, order, attrgetter(name)) for name in INERTIAS], axis=1),
        alpha=per_element(meshes, [mesh.alpha for mesh in meshes]),
        beta=per_element(meshes, [mesh.beta for mesh in meshes]),
    )


def _none(order: int) -> Rows:
    def zeros(*shape: int) -> np.ndarray:
        return np.zeros((0, *shape))

    dofs = np.zeros((0, 3 * (order + 1)), np.uint32)
    return Rows(dofs, zeros(order + 1, 3), zeros(), zeros(3), zeros(2, order + 1, order + 1), zeros(), zeros())
