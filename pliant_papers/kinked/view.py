"""Exact conversion between the relative coordinates Q and the coordinates of the observed nodes (x, y, theta)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pliant.jit import kernel
from pliant_papers.kinked.recursion import acceleration, outwards, speed
from pliant_papers.kinked.tree import Tree, Work, reach

Triple = tuple[np.ndarray, np.ndarray, np.ndarray]


class Nodes(NamedTuple):
    """Places of the nodes of the observed system on the tree, and the observed node of every node of the tree."""

    node: np.ndarray  # (observed)
    place: np.ndarray  # (observed, 2)
    observed: np.ndarray  # (nodes) observed node with the same section
    back: np.ndarray  # (nodes, 2) place of the tree's node on it


@kernel
def absolute(tree: Tree, nodes: Nodes, q: np.ndarray, v: np.ndarray, a: np.ndarray, work: Work, out: Triple) -> None:
    """Compute coordinates, velocities and accelerations of the observed nodes."""
    x, x1, x2 = out
    outwards(tree, q, v, a, 0.0, 0.0, work, True)
    for k in range(nodes.node.size):
        node = nodes.node[k]
        p, i = tree.frame[node], tree.freedom[node]
        arms = reach(tree, work.pose, q, node, nodes.place[k, 0], nodes.place[k, 1])
        x[3 * k] = work.pose[p, 0] + arms.x + arms.ex + arms.dx
        x[3 * k + 1] = work.pose[p, 1] + arms.y + arms.ey + arms.dy
        x[3 * k + 2] = work.pose[p, 4] + q[i + 2]
        x1[3 * k], x1[3 * k + 1] = speed(arms, work.twist[p], v, i)
        x1[3 * k + 2] = work.twist[p, 2] + v[i + 2]
        x2[3 * k], x2[3 * k + 1] = acceleration(arms, work.twist[p], work.change[p], v, a, i)
        x2[3 * k + 2] = work.change[p, 2] + a[i + 2]


@kernel
def relative(tree: Tree, nodes: Nodes, x: np.ndarray, work: Work, q: np.ndarray) -> None:
    """Compute Q from the coordinates of the observed nodes."""
    pose, n = work.pose, q.size - 3
    for node in range(1, tree.frame.size):
        k, i, twin = tree.frame[node], tree.freedom[node], nodes.observed[node]
        turn = x[3 * twin + 2]
        c, s = np.cos(turn), np.sin(turn)
        px = x[3 * twin] + c * nodes.back[node, 0] - s * nodes.back[node, 1]
        py = x[3 * twin + 1] + s * nodes.back[node, 0] + c * nodes.back[node, 1]
        if i == n:  # the origin of a frame
            parent = tree.start[k]
            before = pose[tree.frame[parent], 4] + q[tree.freedom[parent] + 2]
            pose[k, 0], pose[k, 1], pose[k, 2], pose[k, 3], pose[k, 4] = px, py, c, s, turn
            if tree.joint[k] < n:
                q[tree.joint[k]] = turn - before - tree.offset[k, 2]
        else:
            dx, dy = px - pose[k, 0], py - pose[k, 1]
            q[i] = pose[k, 2] * dx + pose[k, 3] * dy - tree.x[node]
            q[i + 1] = pose[k, 2] * dy - pose[k, 3] * dx
            q[i + 2] = turn - pose[k, 4]
