"""Order of elimination: minimum degree on the graph of blocks, each multiplier after the coordinates it constrains.

This order needs no pivoting. Let the matrix be [A Gᵀ; G 0] with A positive definite and G of full rank. At any moment
the eliminated unknowns are a set S of coordinates and a set T of multipliers that constrain coordinates of S only.
Their matrix [A_SS G_TSᵀ; G_TS 0] has A_SS positive definite and G_TS of full rank: it is regular, and no pivot
vanishes.

A joint that is alone at one of its nodes (the end of a rod) need not wait for the other: it determines all freedoms of
this node, so its rows have full rank there, and no other row has entries in those columns. G_TS keeps full rank. So
legs are eliminated to their last joint one by one, and only the size of the platform remains.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pliant.jit import in_python, kernel
from pliant.jit.bundle import Bundle

Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]
MANY = 100  # blocks: for fewer the order is found in Python sooner than its kernel is loaded or compiled
CLOCK = 1 << 40  # more than there are changes of degrees


class Graph(Bundle):
    """Graph of coupled blocks."""

    starts: Integers  #     (blocks + 1) where the neighbours of a block start
    neighbours: Integers  # of block after block, in ascending order
    sizes: Integers  #      (blocks) unknowns
    multiplier: Flags  # (blocks) True for multipliers, False for coordinates


class Elimination(NamedTuple):
    """Blocks in order of elimination, and the front of each block: the blocks coupled to it at its elimination."""

    sequence: Integers
    first: Integers  # (blocks) where the front of a block starts in blocks
    length: Integers  # (blocks) number of blocks in the front
    fronts: Integers  # in ascending order


class _Left(Bundle):
    """Remaining graph: neighbours of blocks, in a pool, and the number of coordinates each multiplier waits for; the
    blocks that may be eliminated next are in a heap, ordered by degree, then by the age of this degree.
    """

    graph: Graph
    first: Integers  #   (blocks) where the neighbours of a block start in the pool
    length: Integers  # (blocks) number of neighbours
    room: Integers  # (blocks) capacity for neighbours at that place
    waiting: Integers  # (blocks) coordinates that a multiplier waits for
    ties: Integers  # (blocks) remaining multipliers that constrain a block of coordinates
    heap: Integers  #    blocks
    at: Integers  # (blocks) place in the heap, -1 if a block is not in it
    key: Integers  #     (blocks)
    work: Integers  #    (2, blocks) lists of blocks
    state: Integers  # length of the heap, clock, used length of the pool


def eliminate(graph: Graph) -> Elimination:
    """Order blocks by minimum degree.

    The degree counts unknowns. It leaves out multipliers that the block releases, as they can be eliminated next: after
    the last coordinate they wait for, or the first one that only they constrain. The degree of a multiplier leaves out
    others that are released with it, so that all rows of a joint follow the node that they constrain at once. Of equal
    blocks the one that has waited longest comes first: a chain is then eliminated from both ends in turn, by two
    independent recursions (a solve takes half the time of one from end to end).
    """
    blocks, pool = graph.sizes.size, graph.neighbours
    length = np.diff(graph.starts)
    owner = np.repeat(np.arange(blocks), length)
    ties = np.bincount(owner[graph.multiplier[pool] & ~graph.multiplier[owner]], minlength=blocks)
    waiting = np.bincount(owner[~graph.multiplier[pool] & graph.multiplier[owner]], minlength=blocks)
    lists, state = np.empty((5, blocks), np.int64), np.array([0, 0, pool.size])
    left = _Left(
        graph, graph.starts[:-1].copy(), length, length.copy(), waiting, ties,
        lists[0], np.full(blocks, -1), lists[1], lists[2:4], state,
    )  # fmt: skip
    run = _eliminate if blocks > MANY else in_python(_eliminate)
    sequence, turn = lists[4], 0
    while turn < blocks:
        pool = np.append(pool, np.empty(pool.size, np.int64))
        turn = run(left, pool, sequence, turn)
    return Elimination(sequence, left.first, left.length, pool)


@kernel
def _eliminate(left: _Left, pool: Integers, sequence: Integers, turn: int) -> int:
    """Eliminate block after block, from a turn on; returns the turn for which the pool is too small."""
    graph, changed, merged, state = left.graph, left.work[0], left.work[1], left.state
    if turn == 0:
        for block in range(graph.sizes.size):
            if left.waiting[block] == 0:
                _enter(left, pool, block)
    while turn < graph.sizes.size:
        block = left.heap[0]
        first, count, need = left.first[block], left.length[block], 0
        for k in range(count):
            changed[k] = pool[first + k]
            need += 2 * (count + left.length[changed[k]])
        if state[2] + need > pool.size:
            return turn
        sequence[turn] = block
        turn += 1
        _leave(left)
        several = _release(left, block, count)
        for k in range(count):
            n = pool[first + k]
            union = _union(left, pool, n, block)
            if union > left.room[n]:
                left.first[n], left.room[n] = state[2], 2 * union
                state[2] += 2 * union
            left.length[n] = union
            for j in range(union):
                pool[left.first[n] + j] = merged[j]
        for k in range(several):
            if left.waiting[changed[k]] == 0:
                _enter(left, pool, changed[k])
    return turn


@kernel
def _release(left: _Left, block: int, count: int) -> int:
    """Release multipliers from waiting for a block. A block that is the last one of a multiplier joins the list of
    blocks whose degree changes; returns the length of this list.
    """
    graph = left.graph
    if left.ties[block] == 0:
        return count
    begin, end, alone = graph.starts[block], graph.starts[block + 1], left.ties[block] == 1
    left.ties[block] = 0
    for k in range(begin, end):
        m = graph.neighbours[k]
        if left.waiting[m] > 0:
            left.waiting[m] = 0 if alone else left.waiting[m] - 1
    for k in range(begin, end):
        m = graph.neighbours[k]
        if left.waiting[m] == 1:
            for j in range(graph.starts[m], graph.starts[m + 1]):
                if left.ties[graph.neighbours[j]] > 0:
                    count = _insert(left.work[0], count, graph.neighbours[j])
    return count


@kernel
def _insert(numbers: Integers, count: int, one: int) -> int:
    """Insert a number into an ascending list, unless it is there; returns the length."""
    k = count
    while k > 0 and numbers[k - 1] > one:
        k -= 1
    if k > 0 and numbers[k - 1] == one:
        return count
    for j in range(count, k, -1):
        numbers[j] = numbers[j - 1]
    numbers[k] = one
    return count + 1


@kernel
def _union(left: _Left, pool: Integers, n: int, block: int) -> int:
    """List the neighbours of a block n and of the eliminated block, without these two; returns their number."""
    i, j, found = left.first[n], left.first[block], 0
    i_end, j_end = i + left.length[n], j + left.length[block]
    while i < i_end or j < j_end:
        if j == j_end or (i < i_end and pool[i] < pool[j]):
            one = pool[i]
            i += 1
        else:
            one = pool[j]
            if i < i_end and pool[i] == one:
                i += 1
            j += 1
        if one != n and one != block:
            left.work[1, found] = one
            found += 1
    return found


@kernel
def _enter(left: _Left, pool: Integers, block: int) -> None:
    """Insert a block into the heap, or move it to the place of its present degree."""
    if left.at[block] < 0:
        left.at[block] = left.state[0]
        left.heap[left.state[0]] = block
        left.state[0] += 1
    left.key[block] = _degree(left, pool, block) * CLOCK + left.state[1]
    left.state[1] += 1
    _sink(left, _rise(left, left.at[block]))


@kernel
def _degree(left: _Left, pool: Integers, block: int) -> int:
    """Return the number of unknowns that a block is coupled to, without those that it releases."""
    graph, degree = left.graph, 0
    for k in range(left.first[block], left.first[block] + left.length[block]):
        n = pool[k]
        if left.waiting[n] > 0 or not (graph.multiplier[block] and graph.multiplier[n]):
            degree += graph.sizes[n]
    if left.ties[block] > 0:
        for k in range(graph.starts[block], graph.starts[block + 1]):
            m = graph.neighbours[k]
            if left.waiting[m] == 1 or (left.waiting[m] > 0 and left.ties[block] == 1):
                degree -= graph.sizes[m]
    return degree


@kernel
def _leave(left: _Left) -> None:
    """Remove the first block from the heap."""
    left.at[left.heap[0]] = -1
    left.state[0] -= 1
    if left.state[0] > 0:
        left.heap[0] = left.heap[left.state[0]]
        _sink(left, 0)


@kernel
def _rise(left: _Left, k: int) -> int:
    """Move the block at place k of the heap up to its place; returns this place."""
    heap, key, block = left.heap, left.key, left.heap[k]
    while k > 0 and key[heap[(k - 1) >> 1]] > key[block]:
        heap[k] = heap[(k - 1) >> 1]
        left.at[heap[k]] = k
        k = (k - 1) >> 1
    heap[k] = block
    left.at[block] = k
    return k


@kernel
def _sink(left: _Left, k: int) -> None:
    """Move the block at place k of the heap down to its place."""
    heap, key, block, count = left.heap, left.key, left.heap[k], left.state[0]
    while 2 * k + 1 < count:
        below = 2 * k + 1
        if below + 1 < count and key[heap[below + 1]] < key[heap[below]]:
            below += 1
        if key[heap[below]] > key[block]:
            break
        heap[k] = heap[below]
        left.at[heap[k]] = k
        k = below
    heap[k] = block
    left.at[block] = k
