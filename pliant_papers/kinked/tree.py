"""The arm as flat arrays: frames, their nodes, beam elements between nodes, lumps of mass and loads on nodes.

Every frame starts at a node of an earlier frame and turns with the section there; a rotary joint adds its angle, a kink
a constant. A node lies at ``(x + u, w)`` in its frame and its section is turned by ``phi`` (three freedoms, or none).
With a frame for every element this is eq. 6 of the paper, with one for every link eq. 23. Frame 0 and node 0 are the
ground. Freedoms beyond a joint are numbered after it; nodes without freedoms refer to three zeros at the end of all
coordinates.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pliant.jit import kernel


class Tree(NamedTuple):
    """Arrays of an arm; n freedoms."""

    start: np.ndarray  # (frames) node at which a frame starts
    offset: np.ndarray  # (frames, 3) of its origin from that node, in the axes of the section, and its kink
    joint: np.ndarray  # (frames) freedom of the joint that turns it
    share: np.ndarray  # (frames) 1; 0 for a joint that is locked for bending beyond it (system modes)
    beyond: np.ndarray  # (frames, 2) first freedom that moves with it, its joint included, and the first freedom after
    frame: np.ndarray  # (nodes)
    x: np.ndarray  # (nodes) place at rest along the frame's x axis
    freedom: np.ndarray  # (nodes) first of u, w, phi
    nodes: np.ndarray  # (elements, 2)
    length: np.ndarray  # (elements)
    beam: np.ndarray  # (elements, 5) EA, k11, k12, k22 (see elements/_sections.py), phi = 12 EI / GA l^2
    mass: np.ndarray  # (elements, points) of Gauss, as shares of the element; see recursion.py
    rotary: np.ndarray  # (elements, points) rotary inertia likewise
    lump: np.ndarray  # (lumps) node
    inertia: np.ndarray  # (lumps, 4) mass, moment of inertia, place in the axes of the section
    load: np.ndarray  # (loads) node
    signal: np.ndarray  # (loads, 3) of Fx, Fy, M
    arm: np.ndarray  # (loads, 4) place in the axes of the section, sign, 1 if the force turns with the section
    gravity: np.ndarray  # (2) signals
    spring: np.ndarray  # (n + 3, 3) stiffness, rest angle and damping at joints
    order: np.ndarray  # (3) 1 or 0: terms of third, fourth and mean fourth order in the strain energy


class Work(NamedTuple):
    """Workspace of one evaluation; complex for derivatives by a complex step."""

    pose: np.ndarray  # (frames, 5) origin, cos, sin, angle
    twist: np.ndarray  # (frames, 4) velocity of the origin, angular velocities of the rigid and the elastic part
    change: np.ndarray  # (frames, 4) accelerations likewise; the ground's is minus gravity
    wrench: np.ndarray  # (frames, 4) wrench that does work on the twist
    composite: np.ndarray  # (frames, 4, 4) inertia of everything beyond
    column: np.ndarray  # (n + 3, 4) wrench on the current frame for a unit acceleration of a freedom
    small: np.ndarray  # (3, 4, 4)


class Arms(NamedTuple):
    """A point fixed to a node, from the origin of the node's frame: rigid, elastic and fixed-to-section parts."""

    x: float
    y: float
    ex: float
    ey: float
    dx: float
    dy: float
    c: float
    s: float


def work(tree: Tree, dtype: type = float) -> Work:
    """Allocate the workspace."""
    frames, n = tree.start.size, tree.spring.shape[0]
    shapes = ((frames, 5), (frames, 4), (frames, 4), (frames, 4), (frames, 4, 4), (n, 4), (3, 4, 4))
    return Work(*(np.zeros(shape, dtype) for shape in shapes))


@kernel
def reach(tree: Tree, pose: np.ndarray, q: np.ndarray, node: int, ox: float, oy: float) -> Arms:
    """Return the arms of a point at (ox, oy) in the axes of a node's section."""
    k, i = tree.frame[node], tree.freedom[node]
    c, s, x = pose[k, 2], pose[k, 3], tree.x[node]
    turn = pose[k, 4] + q[i + 2]
    cn, sn = np.cos(turn), np.sin(turn)
    return Arms(
        c * x, s * x, c * q[i] - s * q[i + 1], s * q[i] + c * q[i + 1], cn * ox - sn * oy, sn * ox + cn * oy, c, s
    )
