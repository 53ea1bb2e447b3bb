"""Kernels of beams that are fed, in plane and space: their lengths, and matrices of elements spread over freedoms."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pliant.elements.beam_fed.rows import Arrays, Stock
from pliant.jit import allocating_kernel, inlined_kernel, kernel
from pliant.kernels.beam_points.spatial_sums import COLUMNS
from pliant.kernels.sums import Into


class Points(NamedTuple):
    """Elements with their current lengths, as arguments of the kernels of Gauss points."""

    dofs: np.ndarray
    slots: np.ndarray
    frames: np.ndarray
    order: np.ndarray
    length: np.ndarray  # (n)
    shape: np.ndarray
    slope: np.ndarray
    weight: np.ndarray


class Work(NamedTuple):
    """Scratch of one call."""

    lengths: np.ndarray  # of the elements
    slope: np.ndarray  # l_q and l_qq, by guide and carriage
    bend: np.ndarray
    table: np.ndarray  # of a Gauss point: strains by the freedoms, or a row a node
    column: np.ndarray  # W_ql of an element
    strain: np.ndarray  # of its Gauss points, one row each, and d of one of them (damping.py)
    drift: np.ndarray
    T: np.ndarray  # matrix of an element, in its freedoms and l


class Behind(NamedTuple):
    """Scratch of a stock: l_q, l_qq, and a matrix in the freedoms of the first node and l."""

    slope: np.ndarray
    bend: np.ndarray
    T: np.ndarray


@allocating_kernel
def behind(part: Stock) -> Behind:
    """Allocate the scratch of a stock."""
    pair = part.pair.shape[1]
    node = part.dofs.shape[1] - pair + 1
    return Behind(np.empty(pair), np.empty(part.triangle.shape[1]), np.empty((node, node)))


@allocating_kernel
def work_of(part: Arrays) -> Work:
    """Allocate the scratch of one call."""
    nodes, pair = part.dofs.shape[1] - part.pair.shape[1], part.pair.shape[1]
    return Work(
        np.empty(part.share.size),
        np.empty(pair),
        np.empty(part.triangle.shape[1]),
        np.empty((3 + part.shape.shape[2], nodes + COLUMNS)),
        np.empty(nodes),
        np.empty((part.shape.shape[1], part.rest.shape[1])),
        np.empty(part.rest.shape[1]),
        np.empty((nodes + 1, nodes + 1)),
    )


@inlined_kernel
def points(part: Arrays, dofs: np.ndarray, lengths: np.ndarray) -> Points:
    """Return the elements with these freedoms and lengths; inlined, as some callers count references to arrays."""
    return Points(dofs, part.slots, part.frames, part.order, lengths, part.shape, part.slope, part.weight)


@kernel
def lengthen(part: Arrays, beam: int, length: float, lengths: np.ndarray) -> None:
    """Write the lengths of the elements of a beam."""
    for e in range(part.first[beam], part.first[beam + 1]):
        lengths[e] = part.share[e] * length


@kernel
def along(pair: np.ndarray, beam: int, slope: np.ndarray, x: np.ndarray) -> float:
    """Return ``l_q x`` of a vector of all freedoms."""
    total = 0.0
    for k in range(pair.shape[1]):
        total += slope[k] * x[pair[beam, k]]
    return total


@kernel
def bow(pair: np.ndarray, beam: int, bend: np.ndarray, v: np.ndarray) -> float:
    """Return ``v . l_qq v``; bend is the lower triangle of l_qq."""
    total, n = 0.0, 0
    for i in range(pair.shape[1]):
        for j in range(i + 1):
            both = bend[n] * v[pair[beam, i]] * v[pair[beam, j]]
            total += both if i == j else 2.0 * both
            n += 1
    return total


@kernel
def clear(size: tuple[int, int], T: np.ndarray) -> None:
    """Set the entries of T that `spread` reads to zero."""
    among, nodes = size
    for i in range(among):
        for j in range(among):
            T[i, j] = 0.0
    for i in range(nodes + 1):
        T[i, nodes] = T[nodes, i] = 0.0


@kernel
def spread(part: Arrays | Stock, e: int, size: tuple[int, int], slope: np.ndarray, T: np.ndarray, into: Into) -> None:
    """Add the matrix T of element e to the places of its freedoms and of the pair. Its size: the number of first node
    freedoms coupled with each other, and the number coupled with l; then l. If not all nodes are coupled, nothing
    moves, and T is symmetric.
    """
    s, w, slots, count, (among, nodes) = into.s, into.w, part.slots, slope.size, size
    first, dump = part.dofs.shape[1] - count, s.size - 1
    for i in range(among):
        for j in range(i + 1):
            k = slots[e, i * (i + 1) // 2 + j]
            s[k] += 0.5 * (T[i, j] + T[j, i])
            w[k] += 0.5 * (T[i, j] - T[j, i])
    for i in range(count):
        row = (first + i) * (first + i + 1) // 2
        if slope[i] == 0.0 or slots[e, row + first + i] == dump:  # of the ground
            continue
        for j in range(nodes):
            s[slots[e, row + j]] += 0.5 * slope[i] * (T[nodes, j] + T[j, nodes])
        if among == nodes:
            for j in range(nodes):
                w[slots[e, row + j]] += 0.5 * slope[i] * (T[nodes, j] - T[j, nodes])
        for j in range(i + 1):
            s[slots[e, row + first + j]] += slope[i] * T[nodes, nodes] * slope[j]


@kernel
def push(part: Arrays | Stock, beam: int, force: float, slope: np.ndarray, bend: np.ndarray, into: Into) -> None:
    """Add force l_q to r, and ck force l_qq to s, for a whole beam."""
    e, count, n = part.first[beam], slope.size, 0
    first = part.dofs.shape[1] - count
    for i in range(count):
        into.r[part.pair[beam, i]] += force * slope[i]
        row = (first + i) * (first + i + 1) // 2 + first
        for j in range(i + 1):
            into.s[part.slots[e, row + j]] += into.ck * force * bend[n]
            n += 1
