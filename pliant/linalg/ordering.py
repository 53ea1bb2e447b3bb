"""Order of elimination: minimum degree on the graph of blocks, each multiplier after the coordinates it ties.

Why this order needs no pivoting: let the matrix be [A Gᵀ; G 0] with A positive definite and G of full rank. Whatever is
eliminated at any moment is then a set S of coordinates and a set T of multipliers tying coordinates of S only, so its
matrix [A_SS G_TSᵀ; G_TS 0] has A_SS positive definite and G_TS of full rank: it is not singular, and no pivot vanishes.

A joint that is alone at one of its nodes (the end of a rod) need not wait for the other: it leaves no freedom of that
node undetermined, so its rows have full rank there, and no other row has entries in those columns. G_TS keeps full
rank. So legs are eliminated to their last joint one by one, and what they leave at the platform has its size only.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pliant.jit import in_python, kernel
from pliant.jit.bundle import Bundle

Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]
MANY = 100  # blocks: of fewer the order is found in Python sooner than its kernel is loaded, or compiled
CLOCK = 1 << 40  # more than there are changes of degrees


class Graph(Bundle):
    """Which blocks are coupled."""

    starts: Integers  #     (blocks + 1) where the neighbours of a block start
    neighbours: Integers  # of block after block, in ascending order
    sizes: Integers  #      (blocks) unknowns
    multiplier: Flags  #    (blocks) multipliers, or coordinates


class Elimination(NamedTuple):
    """Blocks in order of elimination, and the front of each block: what it is coupled to when its turn comes."""

    sequence: Integers
    first: Integers  # (blocks) where the front of a block starts in blocks
    length: Integers  # (blocks) and how many it has
    fronts: Integers  # in ascending order


class _Left(Bundle):
    """What is left of a graph: neighbours of blocks, in a pool, and how many coordinates multipliers wait for; those
    blocks that may be eliminated next, in a heap by their keys: the degree, then for how long it has been that.
    """

    graph: Graph
    first: Integers  #   (blocks) where the neighbours of a block start in the pool
    length: Integers  #  (blocks) how many these are
    room: Integers  #    (blocks) and may be at that place
    waiting: Integers  # (blocks) coordinates that a multiplier waits for
    ties: Integers  #    (blocks) multipliers that tie a block of coordinates; none of one that is gone
    heap: Integers  #    blocks
    at: Integers  #      (blocks) place in the heap, -1 if a block is not there
    key: Integers  #     (blocks)
    work: Integers  #    (2, blocks) lists of blocks
    state: Integers  #   length of the heap, clock, end of what is used of the pool


def eliminate(graph: Graph) -> Elimination:
    """Minimum degree by block.

    The degree counts unknowns; it leaves out multipliers that the block sets free, as they can be eliminated next: as
    the last of the coordinates they wait for, or the first that they have to themselves. That of a multiplier leaves
    out others that are free with it, so that all rows of a joint follow the node that they hold at once. Of
    equal blocks the one that has waited longest comes first: a chain is then eliminated from both ends in turn, two
    recursions that do not wait for each other (a solve takes half the time of one from end to end).
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
    """Multipliers no longer wait for a block. A block that is the last that a multiplier waits for joins those whose
    degree changes; returns how many these are.
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
    """One more among ascending numbers, unless it is there; returns how many there are."""
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
    """List the neighbours of a block n and of the one that is eliminated, without these two; returns how many."""
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
    """Put a block into the heap, or where its degree belongs now."""
    if left.at[block] < 0:
        left.at[block] = left.state[0]
        left.heap[left.state[0]] = block
        left.state[0] += 1
    left.key[block] = _degree(left, pool, block) * CLOCK + left.state[1]
    left.state[1] += 1
    _sink(left, _rise(left, left.at[block]))


@kernel
def _degree(left: _Left, pool: Integers, block: int) -> int:
    """Unknowns that a block is coupled to, without those that it sets free."""
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
    """Take the first block out of the heap."""
    left.at[left.heap[0]] = -1
    left.state[0] -= 1
    if left.state[0] > 0:
        left.heap[0] = left.heap[left.state[0]]
        _sink(left, 0)


@kernel
def _rise(left: _Left, k: int) -> int:
    """Let the block at a place of the heap rise; returns where it is then."""
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
    """Let the block at a place of the heap sink."""
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
