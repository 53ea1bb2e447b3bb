"""Sparse pattern of the matrix of a system, and the places of all entries in it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from pliant.joints import rows as kernels
from pliant.linalg import ldl
from pliant.system.numbering.planar_layout import Layout


def pattern_of(
    layout: Layout, arrays: dict[str, Any], rows: kernels.Rows, owners: np.ndarray
) -> tuple[dict[str, Any], kernels.Rows, Any]:
    """Return arrays of families and rows with the places of their entries, and the symbolic factorisation."""
    n, m, borders = layout.freedoms, rows.offset.size, len(layout.borders)
    size = n + m + borders
    multipliers = n + np.arange(m, dtype=np.int64)
    freedoms = np.where(rows.dofs < n, rows.dofs, size).astype(np.int64)
    of_terms = multipliers[rows.row][:, None]
    cliques = [_unknowns(part, n, size, borders) for part in arrays.values() if part.dofs.shape[0]]
    cliques.append(np.hstack([freedoms, of_terms]))
    for k in np.unique(rows.row[rows.pairs[:, 0]]):  # a row with several terms couples the freedoms of all terms
        cliques.append(np.append(np.unique(freedoms[rows.row == k]), multipliers[k])[None])
    own = layout.ground + len(owners) + np.arange(borders)
    blocks = np.unique(np.concatenate([layout.freedom_nodes, layout.ground + owners, own]), return_inverse=True)[1]
    tying = (np.arange(size) >= n) & (np.arange(size) < n + m)
    pattern = ldl.analyse(size, cliques, tying, blocks, borders)

    one, other = freedoms[rows.pairs[:, 0]][:, :, None], freedoms[rows.pairs[:, 1]][:, None, :]
    rows = rows._replace(
        slots=ldl.triangles(pattern, n, rows.dofs),
        jacobian_slots=ldl.slots(pattern, np.broadcast_to(of_terms, rows.dofs.shape), freedoms),
        diagonal=ldl.slots(pattern, multipliers, multipliers),
        pair_slots=ldl.slots(pattern, one, other).reshape(len(rows.pairs), rows.dofs.shape[1] ** 2),
    )
    return placed_in(pattern, n, arrays), rows, pattern


def placed_in(pattern: ldl.Pattern, freedoms: int, arrays: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arrays of families with the places of their entries."""
    size = pattern.size
    return {
        name: part._replace(
            slots=ldl.triangles(pattern, size, _unknowns(part, freedoms, size, pattern.borders))
            if hasattr(part, "border")
            else ldl.triangles(pattern, freedoms, part.dofs)
        )
        for name, part in arrays.items()
    }


def _unknowns(part: Any, freedoms: int, size: int, borders: int) -> np.ndarray:
    """Return the unknowns of a family's elements (the total number for the ground's), its border after the freedoms."""
    found = np.where(part.dofs < freedoms, part.dofs, size).astype(np.int64)
    return np.hstack([found, size - borders + part.border.astype(np.int64)]) if hasattr(part, "border") else found
