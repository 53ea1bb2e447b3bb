"""Mass matrices, from their elements, of beams that are damped relative to their own rigid motion."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, partial
from typing import Any

import numpy as np

from pliant.kernels.rigid_motion.masses import Masses, Table
from pliant.kernels.sums import Instant, Into
from pliant.system.observation.lazy_arrays import CachedCall
from pliant.system.packing import catalogue, fused


def set_beam_masses(layout: Any, arrays: Mapping[str, Any]) -> None:
    """Set the mass matrices of meshes with relative damping, from the ``arrays`` of the families of beams."""
    for mesh in layout.beams:
        mesh.inertia = mesh.masses = None
    for name, part in arrays.items():
        mine, row = catalogue.of(name).meshes(layout), 0
        masses = getattr(catalogue.of(name), "alpha_masses", partial(element_masses, name, layout=layout))
        found = CachedCall(partial(masses, part))
        for mesh in mine:
            rows = slice(row, row + len(mesh.connectivity))
            row = rows.stop
            if mesh.relative:
                if "inertia" not in mesh.known:
                    mesh.known["inertia"] = _both(layout, mesh, part.dofs[rows], found()[rows])
                mesh.inertia, mesh.masses = mesh.known["inertia"]


def _both(layout: Any, mesh: Any, dofs: np.ndarray, masses: np.ndarray) -> tuple[Table | None, Masses | None]:
    """Return the mass matrix of a mesh, as a table and as points and sections."""
    table = _assemble(layout, mesh, dofs, masses)
    return table, None if table is None else Masses.of(table, layout.space.width)


def element_masses(name: str, part: Any, *, layout: Any) -> np.ndarray:
    """Return the (elements, k, k) contributions of ``add`` to the matrix for cm = 1."""
    n, k = part.dofs.shape
    pairs = k * (k + 1) // 2
    apart = part._replace(slots=np.arange(n * pairs, dtype=np.uint32).reshape(n, pairs))
    q, stress = layout.assembled, np.zeros(1)
    if hasattr(part, "stress_start"):
        stress = np.zeros(max(1, catalogue.of(name).stress_size(part)))
    s, w, r, still = np.zeros(n * pairs), np.zeros(n * pairs), np.zeros(q.size), np.zeros(q.size)
    u = np.zeros(len(layout.signals))
    fused.add(
        fused.pack({name: apart}, ("add",)), Instant(q, still, still, u), Into(0.0, 0.0, 1.0, r, s, w), stress, False
    )
    found = np.zeros((n, k, k))
    i, j = _below(k)
    found[:, i, j] = found[:, j, i] = s.reshape(n, pairs)
    return found


@cache
def _below(size: int) -> tuple[np.ndarray, ...]:
    """Return rows and columns of a lower triangle."""
    return np.tril_indices(size)


def _assemble(layout: Any, mesh: Any, dofs: np.ndarray, masses: np.ndarray) -> Table | None:
    """Return the mass matrix over the freedoms of the beam's nodes; None without mass."""
    width = layout.space.width
    first, size = width * int(mesh.nodes[0]), width * mesh.nodes.size
    i, j = np.broadcast_arrays(dofs[:, :, None].astype(np.int64) - first, dofs[:, None, :].astype(np.int64) - first)
    own = (i >= 0) & (i < size) & (j >= 0) & (j < size)  # elements of lower order are padded with the ground's freedoms
    matrix = Table.summed(size, i[own], j[own], masses[own])
    return matrix if matrix.diagonal[::width].sum() > 0.0 else None
