"""Derivatives of forces between freedoms outside the sparse pattern, for families that have them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from pliant._libraries import sparse
from pliant.system.packing import catalogue, fused
from pliant.system.packing.fused import NUMBER, Parts


def coupling_matrix(parts: Parts, freedoms: int, q: np.ndarray, v: np.ndarray, ck: float, cc: float) -> Any:
    """Return ck times the derivatives by positions plus cc times the derivatives by velocities, sparse; or None."""
    found = [
        (block.ravel(), np.repeat(dofs, dofs.size), np.tile(dofs, dofs.size))
        for dofs, block in (blocks(parts, q, v, ck, cc) if ck or cc else ())
    ]
    if not found:
        return None
    values, i, j = (np.concatenate(each) for each in zip(*found, strict=True))
    return sparse.csc_matrix((values, (i, j)), shape=(freedoms, freedoms))


def blocks(parts: Parts, q: np.ndarray, v: np.ndarray, ck: float, cc: float) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield the freedoms, and these derivatives between all of them, of every family that has them."""
    names = catalogue.families()
    for row in parts.present:
        name = names[row[NUMBER]]
        family = catalogue.of(name)
        yield from family.coupling(fused.family(parts, name), q, v, ck, cc) if _has(family) else ()


def split_coupled(parts: Parts) -> tuple[Parts, Parts]:
    """Return the parts without the families with such coupling, and these families alone."""
    names = catalogue.families()
    far = np.array([_has(catalogue.of(names[row[NUMBER]])) for row in parts.present], bool)
    near, others = (parts._replace(present=parts.present[each], calls=parts.calls[each]) for each in (~far, far))
    return near, others


def _has(family: Any) -> bool:
    return hasattr(family, "coupling")
