"""Steadily turning axes: velocities and accelerations of nodes at rest in them.

With the angular velocity Omega and places x from a point of the axis, a node that moves by x', with the spin w in its
own axes R, has in fixed axes

    v = x' + Omega x x,                 a = x'' + 2 Omega x x' + Omega x (Omega x x)
    omega = w + R^T Omega,          omega' = w' + (R^T Omega) x w

(Goldstein, Poole, Safko 2002, section 4.10). In the plane R^T Omega is Omega, and its product with w vanishes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from pliant._libraries import sparse
from pliant.model import rotations
from pliant.model.spin import Spin
from pliant.system.numbering.space import Space
from pliant.system.observation.points import quaternions


@dataclass(frozen=True)
class TurningAxes:
    """All nodes of a configuration q, including the ground, at rest in turning axes."""

    space: Space
    spin: Spin
    q: np.ndarray
    freedoms: int

    @cached_property
    def velocity(self) -> np.ndarray:
        """Return (size,) Omega x x, R^T Omega."""
        return self._pack(self._cross(self._arms), self._turns)

    @cached_property
    def acceleration(self) -> np.ndarray:
        """Return (size,) Omega x (Omega x x), 0."""
        return self._pack(self._cross(self._cross(self._arms)), np.zeros_like(self._turns))

    @cached_property
    def velocity_q(self) -> Any:
        """Return (freedoms, freedoms) derivatives of the velocity by the places: skew(Omega), skew(R^T Omega)."""
        return self._blocks(self._skew, _skew(self._turns) if self.space.quaternions else None)

    @cached_property
    def acceleration_q(self) -> Any:
        """Return (freedoms, freedoms) derivatives of the acceleration by the places: skew(Omega)^2, 0."""
        return self._blocks(self._skew @ self._skew, None)

    @cached_property
    def acceleration_v(self) -> Any:
        """Return (freedoms, freedoms) derivatives of the acceleration by velocities: 2 skew(Omega), skew(R^T Omega)."""
        return self._blocks(2.0 * self._skew, _skew(self._turns) if self.space.quaternions else None)

    def turned_configuration(self, angle: float) -> np.ndarray:
        """Return the configuration with everything, including the ground, turned by an angle."""
        q, axis = self.q.copy(), np.asarray(self.spin.axis)
        nodes, points = self._nodes(q), len(self.space.axes)
        turn = rotations.exponential(angle * axis)
        nodes[:, :points] += (rotations.rotate(turn, self._arms) - self._arms)[:, :points]
        if self.space.quaternions:
            q[self.space.frames(len(nodes) - 1) :] = rotations.product(turn, quaternions(q[None])[0]).ravel()
        else:
            nodes[:, points] += angle
        return q

    def turned_forces(self, r: np.ndarray, angle: float) -> np.ndarray:
        """Return forces on the freedoms with everything turned by an angle; moments are in the axes of their nodes."""
        r, points = r.copy(), len(self.space.axes)
        forces = r.reshape(-1, self.space.width)[:, :points]
        whole = np.pad(forces, ((0, 0), (0, 3 - points)))
        forces[:] = rotations.rotate(rotations.exponential(angle * np.asarray(self.spin.axis)), whole)[:, :points]
        return r

    def split(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return (nodes, modes, 3) displacements and turns of all moving nodes along the axes, from freedoms in
        columns.
        """
        nodes, axes = x.reshape(-1, self.space.width, x.shape[1]).swapaxes(1, 2), len(self.space.axes)
        points, turns = (np.zeros((*nodes.shape[:2], 3), x.dtype) for _ in range(2))
        points[..., :axes] = nodes[..., :axes]
        if self.space.quaternions:
            turns[:] = np.einsum("nij,nmj->nmi", self._rotations, nodes[..., 3:])
        else:
            turns[..., 2] = nodes[..., 2]
        return points, turns

    def join(self, points: np.ndarray, turns: np.ndarray) -> np.ndarray:
        """Return columns of freedoms from displacements and turns along the axes."""
        if self.space.quaternions:
            nodes = np.concatenate([points, np.einsum("nji,nmj->nmi", self._rotations, turns)], axis=2)
        else:
            nodes = np.concatenate([points[..., :2], turns[..., 2:]], axis=2)
        return np.asarray(nodes.swapaxes(1, 2).reshape(-1, points.shape[1]))

    @cached_property
    def _rotations(self) -> np.ndarray:
        """Return (moving nodes, 3, 3) rotation matrices."""
        return rotations.matrix(quaternions(self.q[None])[0, : self.freedoms // self.space.width])

    @cached_property
    def _arms(self) -> np.ndarray:
        """Return (nodes, 3) arms from the point of the axis."""
        places = self._nodes(self.q)[:, : len(self.space.axes)]
        return np.pad(places, ((0, 0), (0, 3 - places.shape[1]))) - np.asarray(self.spin.about)

    @cached_property
    def _turns(self) -> np.ndarray:
        """Return (nodes, 3) R^T Omega; in the plane (nodes, 1)."""
        if not self.space.quaternions:
            return np.full((len(self._arms), 1), self.spin.vector[2])
        return np.asarray(rotations.rotate(rotations.conjugate(quaternions(self.q[None])[0]), self.spin.vector))

    @cached_property
    def _skew(self) -> np.ndarray:
        points = len(self.space.axes)
        return np.asarray(_skew(self.spin.vector)[:points, :points])

    def _cross(self, x: np.ndarray) -> np.ndarray:
        return np.cross(self.spin.vector, x)

    def _nodes(self, q: np.ndarray) -> np.ndarray:
        """Return (nodes, width) a view of the freedoms of all nodes, the ground last."""
        count = q.size // (self.space.width + 4 * self.space.quaternions)
        return q[: count * self.space.width].reshape(count, self.space.width)

    def _pack(self, points: np.ndarray, turns: np.ndarray) -> np.ndarray:
        found = np.zeros(self.q.size)
        nodes = self._nodes(found)
        nodes[:, : len(self.space.axes)] = points[:, : len(self.space.axes)]
        nodes[:, len(self.space.axes) :] = turns
        return found

    def _blocks(self, points: np.ndarray, turns: np.ndarray | None) -> Any:
        """Return a sparse matrix with a block of ``points`` and one of ``turns`` (or none) for every moving node."""
        width, axes, count = self.space.width, len(self.space.axes), self.freedoms // self.space.width
        blocks = np.zeros((count, width, width))
        blocks[:, :axes, :axes] = points
        if turns is not None:
            blocks[:, axes:, axes:] = turns[:count]
        return sparse.bsr_matrix((blocks, np.arange(count), np.arange(count + 1)), shape=2 * (self.freedoms,)).tocsc()


def _skew(x: np.ndarray) -> np.ndarray:
    """Return matrices of cross products, skew(x) y = x x y."""
    return np.cross(x[..., None, :], np.eye(3)).swapaxes(-1, -2)
