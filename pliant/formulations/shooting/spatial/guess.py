"""Conversion between states of rods and of third-order finite elements that end at the same nodes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from pliant.model import rotations
from pliant.system.state import State
from pliant.system.system import System

if TYPE_CHECKING:
    from pliant.formulations.shooting.spatial.system import SpatialShooting

ORDER = 3  # of the elements


def on_nodes(system: System, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return views of the points (nodes, 3) and quaternions (nodes, 4) of a configuration, without the ground's."""
    nodes = system.layout.ground
    return q[: 6 * nodes].reshape(-1, 6)[:, :3], q[system.space.frames(nodes) :].reshape(-1, 4)[:nodes]


def from_elements(system: SpatialShooting, state: State) -> State:
    """Return the state of the nodes that elements share with the rods."""
    q = system.initial.copy()
    for target, source in zip(on_nodes(system, q), on_nodes(system.mesh, state.q), strict=True):
        bodies = len(system.layout.rigid_bodies)
        target[:bodies] = source[:bodies]
        for rod, mesh in zip(system.layout.beams, system.mesh.layout.beams, strict=True):
            target[rod.nodes] = source[mesh.nodes[::ORDER]]
    still = np.zeros(system.size)
    return State(q, still, still.copy(), state.lam.copy(), state.time)


def to_elements(system: SpatialShooting, state: State) -> State:
    """Return the state of the elements, with inner nodes on the screws from node to node; at rest."""
    start = system.mesh.start()
    if np.array_equal(state.q, system.initial):
        return replace(start, time=state.time)
    q = start.q
    (points, turns), (known, seen) = on_nodes(system.mesh, q), on_nodes(system, state.q)
    bodies = len(system.layout.rigid_bodies)
    points[:bodies], turns[:bodies] = known[:bodies], seen[:bodies]
    for rod, mesh in zip(system.layout.beams, system.mesh.layout.beams, strict=True):
        for k in range(ORDER):
            between = mesh.nodes[k::ORDER]
            points[between], turns[between] = screwed(known[rod.nodes], seen[rod.nodes], k / ORDER)
    return replace(start, time=state.time)


def screwed(points: np.ndarray, turns: np.ndarray, share: float) -> tuple[np.ndarray, np.ndarray]:
    """Return frames at a share of the screw from every frame to the next; all frames if the share is zero."""
    if share == 0.0:
        return points, turns
    back = rotations.conjugate(turns[:-1])
    psi = rotations.logarithm(rotations.product(back, turns[1:]))
    whole = rotations.rotate(back, np.diff(points, axis=0))
    along = np.linalg.solve(_moved(psi), whole[:, :, None])
    place = (share * _moved(share * psi) @ along)[:, :, 0]
    turn = rotations.product(turns[:-1], rotations.exponential(share * psi))
    return points[:-1] + rotations.rotate(turns[:-1], place), turn


def _moved(psi: np.ndarray) -> np.ndarray:
    """Return (n, 3, 3) mean of exp(s psi) over s from 0 to 1."""
    angle = np.linalg.norm(psi, axis=1)[:, None, None]
    skew = rotations.cross(psi[:, None], np.eye(3)).transpose(0, 2, 1)
    half = np.sinc(angle / (2.0 * np.pi))
    lag = np.where(angle > 1e-3, (1.0 - np.sinc(angle / np.pi)) / np.maximum(angle, 1e-300) ** 2, 1.0 / 6.0)
    return np.eye(3) + 0.5 * half**2 * skew + lag * (skew @ skew)
