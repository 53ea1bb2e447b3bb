"""Derivatives of forces between freedoms that share no place in the sparse pattern, of families that have such."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from pliant._libraries import sparse
from pliant.kernels.window import WORDS
from pliant.system import catalogue
from pliant.system.fused import NUMBER, PLACE, Parts


def coupled(parts: Parts, freedoms: int, q: np.ndarray, v: np.ndarray, ck: float, cc: float) -> Any:
    """ck times the derivatives by places plus cc times those by velocities, sparse; None if there are none."""
    names, found = list(catalogue.families()), []
    for row in parts.present if ck or cc else ():
        name = names[row[NUMBER]]
        family = catalogue.of(name)
        for dofs, block in family.coupling(arrays(parts, name, row[PLACE]), q, v, ck, cc) if _has(family) else ():
            found.append((block.ravel(), np.repeat(dofs, dofs.size), np.tile(dofs, dofs.size)))
    if not found:
        return None
    values, i, j = (np.concatenate(each) for each in zip(*found, strict=True))
    return sparse.csc_matrix((values, (i, j)), shape=(freedoms, freedoms))


def _has(family: Any) -> bool:
    return hasattr(family, "coupling")


@cache
def _kinds(name: str) -> Any:
    """The named tuple of a family without elements."""
    return catalogue.empty(name)


def arrays(parts: Parts, name: str, place: int) -> Any:
    """The named tuple of a family, out of the flat arrays."""
    kinds, values = _kinds(name), []
    for k, field in enumerate(kinds):
        start, *shape = parts.header[place + WORDS * k : place + WORDS * (k + 1)].tolist()
        if isinstance(field, np.ndarray):
            store = parts.floats if field.dtype == np.float64 else parts.indices
            size = int(np.prod(shape))
            values.append(store[start : start + size].reshape(shape[: field.ndim]))
        else:
            values.append(type(field)(start))
    return type(kinds)(*values)
