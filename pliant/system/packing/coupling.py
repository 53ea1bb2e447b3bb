"""Derivatives of forces between freedoms that share no place in the sparse pattern, of families that have such."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from pliant._libraries import sparse
from pliant.system.packing import catalogue, fused
from pliant.system.packing.fused import NUMBER, Parts


def coupled(parts: Parts, freedoms: int, q: np.ndarray, v: np.ndarray, ck: float, cc: float) -> Any:
    """ck times the derivatives by places plus cc times those by velocities, sparse; None if there are none."""
    found = [
        (block.ravel(), np.repeat(dofs, dofs.size), np.tile(dofs, dofs.size))
        for dofs, block in (blocks(parts, q, v, ck, cc) if ck or cc else ())
    ]
    if not found:
        return None
    values, i, j = (np.concatenate(each) for each in zip(*found, strict=True))
    return sparse.csc_matrix((values, (i, j)), shape=(freedoms, freedoms))


def blocks(parts: Parts, q: np.ndarray, v: np.ndarray, ck: float, cc: float) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Freedoms, and the same derivatives between all of them, of every family that has such."""
    names = catalogue.families()
    for row in parts.present:
        name = names[row[NUMBER]]
        family = catalogue.of(name)
        yield from family.coupling(fused.family(parts, name), q, v, ck, cc) if _has(family) else ()


def parted(parts: Parts) -> tuple[Parts, Parts]:
    """The same parts without the families that have such, and these alone."""
    names = catalogue.families()
    far = np.array([_has(catalogue.of(names[row[NUMBER]])) for row in parts.present], bool)
    near, others = (parts._replace(present=parts.present[each], calls=parts.calls[each]) for each in (~far, far))
    return near, others


def _has(family: Any) -> bool:
    return hasattr(family, "coupling")
