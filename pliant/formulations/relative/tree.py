"""A tree of nodes as flat arrays: which node hangs on which, and how it can move against it.

Every moving node hangs on one that is nearer to the ground, by a *pair*: a joint between two rigid bodies or sections
of beams, or a connection of neighbouring nodes on a beam, which locks nothing. A pair has a frame A on the side of
marker a and a frame B on the side of marker b,

    r_B = r_A + R_A t,   R_B = R_A R(rotations)

where t and the rotations are constants plus factors times coordinates Q. A is on the node nearer to the ground (sense
1) or on the other (sense -1). Pairs are numbered from the ground outwards, each before all that hang on it.

Coordinates of pairs that turn about three axes come first, six each: three of t, locked or not, and an increment of the
rotation in the axes of B, whose quaternion follows after all coordinates (kernels/charts.py). Then come all others.
Coordinates that move no node (stretches of nodes, modes of reduced bodies, angles of tubes) come last: they belong to
no pair, and the system has them too.
"""

from __future__ import annotations

import numpy as np

from pliant.jit.bundle import Bundle

SLIDE, TURN = 0, 1


class Tree(Bundle):
    """A tree of the system's nodes, the ground last. Pairs have freedoms, freedoms have coordinates."""

    node: np.ndarray  # (pairs) node that hangs
    parent: np.ndarray  # (pairs) node on which it hangs
    before: np.ndarray  # (pairs) pair by which the parent hangs; -1: the ground
    sense: np.ndarray  # (pairs) 1 or -1
    inner: np.ndarray  # (pairs, 3) arm of the pair's point in the axes of the parent
    outer: np.ndarray  # (pairs, 3) arm in the axes of the node
    inner_turn: np.ndarray  # (pairs, 4) quaternion of the pair's frame in the axes of the parent
    outer_turn: np.ndarray  # (pairs, 4) quaternion in the axes of the node
    rest: np.ndarray  # (pairs, 3) t at zero coordinates
    kept: np.ndarray  # (pairs, 4) quaternion of R(rotations) of a pair that does not turn
    lean: np.ndarray  # (pairs) angle of the node against the parent at zero coordinates, in the plane
    ball: np.ndarray  # (pairs) place of the quaternion of a pair that turns about three axes; 0 for others
    first: np.ndarray  # (pairs + 1) first freedom
    end: np.ndarray  # (pairs) first later pair that does not hang on it
    kind: np.ndarray  # (freedoms) SLIDE or TURN
    axis: np.ndarray  # (freedoms, 3) in the axes of A, or of B with ``on_b``
    on_b: np.ndarray  # (freedoms) whether the axis moves with B
    coordinate: np.ndarray  # (freedoms)
    factor: np.ndarray  # (freedoms)
    apart: np.ndarray  # (apart, 2) coordinates that move no node; their places among the system's freedoms
    entry: np.ndarray  # (entries, 3) entries of sums over parts: place in s, row, column


class Work(Bundle):
    """Workspace of one evaluation, in global axes."""

    place: np.ndarray  # (nodes + 1, 3)
    turn: np.ndarray  # (nodes + 1, 4)
    angle: np.ndarray  # (nodes + 1) in the plane
    speed: np.ndarray  # (nodes + 1, 3) velocities
    spin: np.ndarray  # angular velocities
    push: np.ndarray  # accelerations
    swing: np.ndarray  # angular accelerations
    force: np.ndarray
    moment: np.ndarray
    line: np.ndarray  # (freedoms, 3) axis times factor and sense
    centre: np.ndarray  # (pairs, 3) point of B
    moved: np.ndarray  # (nodes + 1, 3) translation by a unit of a coordinate
    turned: np.ndarray  # rotation by it
    virial: np.ndarray  # (nodes + 1, 9) sum of force x arm over all that hangs on a node
    torque: np.ndarray  # (nodes + 1, 3) sum of moments over all that hangs on a node
    own: np.ndarray  # (apart, 4) value, rate, acceleration and force of each coordinate that moves no node


def work(tree: Tree, nodes: int) -> Work:
    """Return a fresh workspace; the ground is at rest."""
    turn = np.zeros((nodes + 1, 4))
    turn[:, 0] = 1.0
    shapes = {
        "angle": (nodes + 1,),
        "line": (tree.kind.size, 3),
        "centre": (tree.node.size, 3),
        "virial": (nodes + 1, 9),
        "own": (tree.apart.shape[0], 4),
    }
    zeros = {name: np.zeros(shapes.get(name, (nodes + 1, 3))) for name in Work._fields if name != "turn"}
    return Work(turn=turn, **zeros)
