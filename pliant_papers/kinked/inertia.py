"""Mass matrix by composite inertias: each frame sums the parts beyond it, each freedom passes its wrench inwards.

The work grows with the freedoms times their depth, not with elements times freedoms squared. (The algorithm is the one
for rigid bodies of Featherstone, Rigid Body Dynamics Algorithms, 2008, ch. 6, with elastic freedoms added.)
"""

from __future__ import annotations

import numpy as np

from pliant.jit import kernel
from pliant_papers.kinked.recursion import N1, N4, POINTS, XI, across, turned
from pliant_papers.kinked.tree import Arms, Tree, Work, reach


@kernel
def mass_matrix(tree: Tree, q: np.ndarray, work: Work, m: np.ndarray) -> None:
    """Write M, both triangles, for the poses in ``work``."""
    m[:] = 0.0
    work.column[:] = 0.0
    work.composite[:] = 0.0
    own, point = work.composite, work.small[1]
    for e in range(tree.length.size):
        spread(tree, e, q, work, m)
    for k in range(tree.start.size):
        for r in range(4):
            for d in range(r):
                own[k, r, d] = own[k, d, r]
    point[:] = 0.0
    for e in range(tree.lump.size):
        arms = reach(tree, work.pose, q, tree.lump[e], tree.inertia[e, 2], tree.inertia[e, 3])
        point[0, 0] = point[1, 1] = tree.inertia[e, 0]
        point[2, 2] = tree.inertia[e, 1]
        carry(tree, arms, tree.lump[e], point, work, m)
    for k in range(tree.start.size - 1, 0, -1):
        node, j, share = tree.start[k], tree.joint[k], tree.share[k]
        first, last, i = tree.beyond[k, 0], tree.beyond[k, 1], tree.freedom[node]
        arms = reach(tree, work.pose, q, node, tree.offset[k, 0], tree.offset[k, 1])
        for d in range(first, last):
            if d != j:
                m[j, d] += work.column[d, 2] + share * work.column[d, 3]
        for r in range(4):
            work.column[j, r] = own[k, r, 2] + share * own[k, r, 3]
        m[j, j] += work.column[j, 2] + share * work.column[j, 3]
        carry(tree, arms, node, own[k], work, m)
        for d in range(first, last):
            wrench = work.column[d]
            about = wrench[2] + arms.dx * wrench[1] - arms.dy * wrench[0]
            m[i, d] += arms.c * wrench[0] + arms.s * wrench[1]
            m[i + 1, d] += arms.c * wrench[1] - arms.s * wrench[0]
            m[i + 2, d] += about + wrench[3]
            wrench[2] = about + arms.x * wrench[1] - arms.y * wrench[0]
            wrench[3] += arms.ex * wrench[1] - arms.ey * wrench[0]
    for i in range(m.shape[0]):
        for j in range(i):
            m[i, j] = m[j, i]


@kernel
def carry(tree: Tree, arms: Arms, node: int, inertia: np.ndarray, work: Work, m: np.ndarray) -> None:
    """Add an inertia at a point fixed to a node to the node's freedoms and its frame: X' I X, X' I B, B' I B.

    X converts the twist of the frame to the point's, B the rates of the node's freedoms.
    """
    i, own = tree.freedom[node], work.composite[tree.frame[node]]
    x2, y2, x3, y3 = -(arms.y + arms.dy), arms.x + arms.dx, -arms.ey, arms.ex
    moved, basis = work.small[0], work.small[2]
    for r in range(4):
        a, b = inertia[r, 0], inertia[r, 1]
        moved[r, 0], moved[r, 1] = a, b
        moved[r, 2], moved[r, 3] = inertia[r, 2] + x2 * a + y2 * b, inertia[r, 3] + x3 * a + y3 * b
        basis[r, 0], basis[r, 1] = arms.c * a + arms.s * b, arms.c * b - arms.s * a
        basis[r, 2] = inertia[r, 2] + inertia[r, 3] + arms.dx * b - arms.dy * a
    for d in range(4):
        a, b = moved[0, d], moved[1, d]
        own[0, d] += a
        own[1, d] += b
        own[2, d] += moved[2, d] + x2 * a + y2 * b
        own[3, d] += moved[3, d] + x3 * a + y3 * b
    for d in range(3):
        a, b, column = basis[0, d], basis[1, d], work.column[i + d]
        column[0] += a
        column[1] += b
        column[2] += basis[2, d] + x2 * a + y2 * b
        column[3] += basis[3, d] + x3 * a + y3 * b
        m[i, i + d] += arms.c * a + arms.s * b
        m[i + 1, i + d] += arms.c * b - arms.s * a
        m[i + 2, i + d] += basis[2, d] + basis[3, d] + arms.dx * b - arms.dy * a


@kernel
def spread(tree: Tree, e: int, q: np.ndarray, work: Work, m: np.ndarray) -> None:
    """Add the inertia of an element."""
    one, two = tree.nodes[e, 0], tree.nodes[e, 1]
    k, i, j = tree.frame[one], tree.freedom[one], tree.freedom[two]
    length, phi = tree.length[e], tree.beam[e, 4]
    c, s, own = work.pose[k, 2], work.pose[k, 3], work.composite[k]
    for g in range(POINTS):
        x, weight, rotary = tree.x[one] + XI[g] * length, tree.mass[e, g], tree.rotary[e, g]
        along, lift, turn = (N1[g], N4[g]), across(g, phi, length), turned(g, phi, length)
        u = along[0] * q[i] + along[1] * q[j]
        w = lift[0] * q[i + 1] + lift[1] * q[i + 2] + lift[2] * q[j + 1] + lift[3] * q[j + 2]
        own[0, 0] += weight
        own[1, 1] += weight
        own[2, 2] += weight * x * x + rotary
        own[2, 3] += weight * x * u
        own[3, 3] += weight * (u * u + w * w)
        own[0, 2] -= weight * s * x
        own[1, 2] += weight * c * x
        own[0, 3] -= weight * (c * w + s * u)
        own[1, 3] += weight * (c * u - s * w)
        for a in range(2):
            d = i if a == 0 else j
            force = weight * along[a]
            work.column[d, 0] += c * force
            work.column[d, 1] += s * force
            work.column[d, 3] -= w * force
            m[d, i] += force * along[0]
            m[d, j] += force * along[1]
        for a in range(4):
            d = i + 1 + a if a < 2 else j - 1 + a
            force, spin = weight * lift[a], rotary * turn[a]
            work.column[d, 0] -= s * force
            work.column[d, 1] += c * force
            work.column[d, 2] += x * force + spin
            work.column[d, 3] += u * force
            for b in range(4):
                m[d, i + 1 + b if b < 2 else j - 1 + b] += force * lift[b] + spin * turn[b]
