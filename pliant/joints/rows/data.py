"""The constraint rows of all joints as flat arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pliant.jit.bundle import Bundle
from pliant.kernels.measures import ANGLE


class Rows(Bundle):
    """Every row is ``g = sum_t factor_t x_t(q) - offset - gain u``, each measure x_t between two nodes. A row with a
    period is known up to whole periods and takes the nearest: many turns need no memory.

    `slots`, `jacobian_slots`, `pair_slots` and `diagonal` are filled by compile. A term has 6 freedoms, 4 offsets and 2
    numbers of direction in the plane; 12, 6 and 9 in space. The terms of a row are consecutive.
    """

    # per term
    row: np.ndarray  # its row
    kind: np.ndarray  # its measure, see kernels/measures
    factor: np.ndarray
    dofs: np.ndarray  # (terms, 6 or 12) of nodes a and b
    frames: np.ndarray  # (terms, 0 or 2) places of their quaternions
    offsets: np.ndarray  # (terms, 4 or 6) arms d_a, d_b of the markers in their nodes' frames
    direction: np.ndarray  # (terms, 2) n; (terms, 9) n, or m kept, or z_a (c x z)_a z_b, or e_a e_b
    acts_on_b: np.ndarray  # 1 if the term's marker b is the joint's
    slots: np.ndarray  # (terms, 21 or 78)
    jacobian_slots: np.ndarray  # (terms, 6 or 12)
    # per row
    offset: np.ndarray
    gain: np.ndarray
    signal: np.ndarray
    period: np.ndarray  # 0 for none
    weight: np.ndarray  # scale of the augmented term: 1 for lengths, (length scale)^2 for angles
    softness: np.ndarray  # matrix-only compliance of redundant rows, relative; else 0
    diagonal: np.ndarray
    # per pair of terms of one row
    pairs: np.ndarray  # (pairs, 2) their numbers
    pair_slots: np.ndarray  # (pairs, 36 or 144)


OF_ROWS = ("offset", "gain", "signal", "period", "weight", "softness", "diagonal")
OF_TERMS = ("kind", "factor", "dofs", "frames", "offsets", "direction", "acts_on_b", "slots", "jacobian_slots")


class Saddle(NamedTuple):
    """Output of the rows: r += G^T (lambda + gamma g), g, s += ck (lambda g)_qq + gamma G^T G, G."""

    ck: float
    gamma: float
    r: np.ndarray
    g: np.ndarray
    s: np.ndarray


def angular(rows: Rows) -> np.ndarray:
    """Return (rows,) which rows are angles, by their first terms; the others are lengths."""
    first = np.searchsorted(rows.row, np.arange(rows.offset.size))
    return np.asarray(rows.kind[first] >= ANGLE)


def chosen(rows: Rows, which: np.ndarray) -> Rows:
    """Return some of the rows, given by rising numbers or a mask."""
    numbers = np.arange(rows.offset.size)[which]
    terms = np.flatnonzero(np.isin(rows.row, numbers))
    place = np.full(rows.row.size, -1)
    place[terms] = np.arange(terms.size)
    kept = np.all(place[rows.pairs.astype(int)] >= 0, axis=1)
    return Rows(
        row=np.searchsorted(numbers, rows.row[terms]).astype(np.uint32),
        pairs=place[rows.pairs.astype(int)[kept]].astype(np.uint32),
        pair_slots=np.ascontiguousarray(rows.pair_slots[kept]),
        **{name: np.ascontiguousarray(getattr(rows, name)[terms]) for name in OF_TERMS},
        **{name: np.ascontiguousarray(getattr(rows, name)[numbers]) for name in OF_ROWS},
    )
