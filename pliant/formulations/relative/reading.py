"""Relative coordinates and velocities at a state of the nodes; constants of pairs from the assembled pose."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pliant.formulations.relative.tree import SLIDE, Tree
from pliant.model import rotations
from pliant.system.state import State
from pliant.system.system import System


class Between(NamedTuple):
    """A pair in a pose: orientations of A and B, point of B, and vector from A to B in the axes of A."""

    a: np.ndarray
    b: np.ndarray
    centre: np.ndarray
    reach: np.ndarray

    @property
    def turn(self) -> np.ndarray:
        """Return the rotation of B in the axes of A."""
        return np.asarray(rotations.product(rotations.conjugate(self.a), self.b))


def pose(system: System, q: np.ndarray, node: int) -> tuple[np.ndarray, np.ndarray]:
    """Return point and quaternion of a node."""
    if system.space.quaternions:
        layout: Any = system.layout
        point, turn = layout.node_pose(node, q)
        return np.asarray(point), np.asarray(turn)
    x, y, angle = q[3 * node : 3 * node + 3]
    return np.array([x, y, 0.0]), np.asarray(rotations.exponential((0.0, 0.0, angle)))


def between(system: System, tree: Tree, q: np.ndarray, j: int) -> Between:
    """Return a pair in a pose of the nodes."""
    sides = []
    for node, arm, turn in (
        (tree.parent[j], tree.inner[j], tree.inner_turn[j]),
        (tree.node[j], tree.outer[j], tree.outer_turn[j]),
    ):
        place, orientation = pose(system, q, int(node))
        sides.append((place + rotations.rotate(orientation, arm), rotations.product(orientation, turn)))
    (at_a, a), (at_b, b) = sides if tree.sense[j] > 0.0 else sides[::-1]
    return Between(a, b, at_b, rotations.rotate(rotations.conjugate(a), at_b - at_a))


def kept(system: System, tree: Tree) -> Tree:
    """Return the tree with constants of its pairs from the assembled pose: translations and rotations that are locked,
    and in the plane the angles between nodes.
    """
    q = system.initial
    found = tree._replace(rest=np.zeros_like(tree.rest), kept=tree.kept.copy(), lean=tree.lean.copy())
    for j in range(tree.node.size):
        here = between(system, tree, q, j)
        freedoms = np.arange(tree.first[j], tree.first[j + 1])
        sliding, turning = freedoms[tree.kind[freedoms] == SLIDE], freedoms[tree.kind[freedoms] != SLIDE]
        if not turning.size:
            found.kept[j] = here.turn
        free = [f for f in sliding if own(tree, j, f)]
        found.rest[j] = here.reach - sum((tree.axis[f] * (tree.axis[f] @ here.reach) for f in free), np.zeros(3))
        for f in set(sliding) - set(free):
            found.rest[j] -= tree.factor[f] * turned(tree, j, here) * tree.axis[f]
        if not system.space.quaternions:
            node, parent = 3 * tree.node[j] + 2, 3 * tree.parent[j] + 2
            found.lean[j] = q[node] - q[parent]
            if turning.size:
                angles = [2.0 * np.arctan2(turn[j, 3], turn[j, 0]) for turn in (tree.inner_turn, tree.outer_turn)]
                found.lean[j] = angles[0] - angles[1]
    return found


def turned(tree: Tree, j: int, here: Between) -> float:
    """Return the angle of a pair about its one axis, at most half a turn."""
    f = next(f for f in range(tree.first[j], tree.first[j + 1]) if tree.kind[f] != SLIDE)
    angle = 2.0 * np.arctan2(here.turn[1:] @ tree.axis[f], here.turn[0])
    return float(angle - 2.0 * np.pi * np.round(angle / (2.0 * np.pi)))


def own(tree: Tree, j: int, f: int) -> bool:
    """Return whether a sliding freedom has its own coordinate; in a screw it shares the angle."""
    others = range(tree.first[j], tree.first[j + 1])
    return not any(g != f and tree.coordinate[g] == tree.coordinate[f] for g in others)


def coordinates(system: System, tree: Tree, q: np.ndarray, size: int) -> np.ndarray:
    """Return Q at a pose of the nodes, with the quaternions of pairs that turn about three axes at its end."""
    found = np.zeros(size)
    found[tree.apart[:, 0]] = q[tree.apart[:, 1]]
    for j in range(tree.node.size):
        here = between(system, tree, q, j)
        turning = [f for f in range(tree.first[j], tree.first[j + 1]) if tree.kind[f] != SLIDE]
        for f in range(tree.first[j], tree.first[j + 1]):
            if tree.kind[f] == SLIDE and own(tree, j, f):
                found[tree.coordinate[f]] = tree.axis[f] @ (here.reach - tree.rest[j])
        if tree.ball[j]:
            found[tree.ball[j] : tree.ball[j] + 4] = here.turn
        elif not system.space.quaternions and turning:
            relative = q[3 * tree.node[j] + 2] - q[3 * tree.parent[j] + 2] - tree.lean[j]
            found[tree.coordinate[turning[0]]] = tree.sense[j] * relative
        elif len(turning) == 1:
            found[tree.coordinate[turning[0]]] = turned(tree, j, here)
        elif turning:
            one, two = turning
            first, second = tree.axis[one], tree.axis[two]
            matrix = rotations.matrix(here.turn)
            across, image = np.cross(first, second), matrix @ second  # R(first, q1) second
            found[tree.coordinate[one]] = np.arctan2(image @ across, image @ second)
            found[tree.coordinate[two]] = np.arctan2(-first @ matrix @ np.cross(second, first), first @ matrix @ first)
    return found


def rates(system: System, tree: Tree, state: State, size: int) -> np.ndarray:
    """Return Q' at a state of the nodes whose velocities the pairs allow."""
    found, q, v = np.zeros(size), state.q, state.v
    found[tree.apart[:, 0]] = v[tree.apart[:, 1]]
    for j in range(tree.node.size):
        here = between(system, tree, q, j)
        (speed_p, spin_p, place_p), (speed_k, spin_k, place_k) = (
            _motion(system, q, v, int(node)) for node in (tree.parent[j], tree.node[j])
        )
        slide = speed_k + np.cross(spin_k, here.centre - place_k) - speed_p - np.cross(spin_p, here.centre - place_p)
        for f in range(tree.first[j], tree.first[j + 1]):
            axis = tree.sense[j] * rotations.rotate(here.b if tree.on_b[f] else here.a, tree.axis[f])
            if tree.kind[f] != SLIDE:
                found[tree.coordinate[f]] = axis @ (spin_k - spin_p)
            elif own(tree, j, f):
                found[tree.coordinate[f]] = axis @ slide
    return found


def _motion(system: System, q: np.ndarray, v: np.ndarray, node: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return velocity, angular velocity and place of a node, in global axes."""
    place, turn = pose(system, q, node)
    if system.space.quaternions:
        return v[6 * node : 6 * node + 3], rotations.rotate(turn, v[6 * node + 3 : 6 * node + 6]), place
    x, y, spin = v[3 * node : 3 * node + 3]
    return np.array([x, y, 0.0]), np.array([0.0, 0.0, spin]), place
