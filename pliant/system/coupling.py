"""Derivatives of forces between freedoms that share no place in the sparse pattern, of families that have such."""

from __future__ import annotations

from typing import Any

import numpy as np

from pliant._libraries import sparse
from pliant.system import catalogue, fused
from pliant.system.fused import NUMBER, Parts


def coupled(parts: Parts, freedoms: int, q: np.ndarray, v: np.ndarray, ck: float, cc: float) -> Any:
    """ck times the derivatives by places plus cc times those by velocities, sparse; None if there are none."""
    names, found = list(catalogue.families()), []
    for row in parts.present if ck or cc else ():
        name = names[row[NUMBER]]
        family = catalogue.of(name)
        for dofs, block in family.coupling(fused.family(parts, name), q, v, ck, cc) if _has(family) else ():
            found.append((block.ravel(), np.repeat(dofs, dofs.size), np.tile(dofs, dofs.size)))
    if not found:
        return None
    values, i, j = (np.concatenate(each) for each in zip(*found, strict=True))
    return sparse.csc_matrix((values, (i, j)), shape=(freedoms, freedoms))


def _has(family: Any) -> bool:
    return hasattr(family, "coupling")
