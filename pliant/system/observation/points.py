"""Points fixed to nodes: their positions, velocities and accelerations at many instants at once.

Most points are at the node itself; only points ``away`` from it need its orientation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from pliant.model import rotations


class Points(Protocol):
    """Points in the plane or in space; results are (times, points, axes)."""

    node: np.ndarray
    offset: np.ndarray

    def position(self, q: np.ndarray) -> np.ndarray: ...
    def velocity(self, q: np.ndarray, v: np.ndarray) -> np.ndarray: ...
    def acceleration(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray: ...


@dataclass
class _OnNodes:
    """Points fixed to nodes; ``away`` are the points that are not at their node."""

    node: np.ndarray
    offset: np.ndarray

    def __post_init__(self) -> None:
        self.away = np.flatnonzero(self.offset.any(axis=1))


class PlanePoints(_OnNodes):
    """Points of planar nodes (x, y, theta)."""

    def position(self, q: np.ndarray) -> np.ndarray:
        """Return x + R(theta) d."""
        out = self._xy(q)
        out[:, self.away] += self._arm(q)
        return out

    def velocity(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Return x' + theta' x R d."""
        out = self._xy(v)
        out[:, self.away] += self._turn(v) * _quarter(self._arm(q))
        return out

    def acceleration(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
        """Return x'' + theta'' x R d - theta'^2 R d."""
        out, arm = self._xy(a), self._arm(q)
        out[:, self.away] += self._turn(a) * _quarter(arm) - self._turn(v) ** 2 * arm
        return out

    def _xy(self, q: np.ndarray) -> np.ndarray:
        return q.reshape(len(q), q.shape[1] // 3, 3)[:, self.node, :2]

    def _turn(self, q: np.ndarray) -> np.ndarray:
        return q[:, 3 * self.node[self.away] + 2, None]

    def _arm(self, q: np.ndarray) -> np.ndarray:
        if not np.any(self.offset):
            return np.zeros((1, 1, 2))
        c, s = np.cos(self._turn(q)), np.sin(self._turn(q))
        dx, dy = self.offset[self.away, :1], self.offset[self.away, 1:]
        return np.concatenate([c * dx - s * dy, s * dx + c * dy], axis=-1)


class SpacePoints(_OnNodes):
    """Points of spatial nodes, with six freedoms each; their quaternions follow after all freedoms."""

    def position(self, q: np.ndarray) -> np.ndarray:
        """Return x + R d."""
        out = self._six(q)[:, self.node, :3]
        out[:, self.away] += rotations.rotate(self._turns(q), self.offset[self.away])
        return out

    def velocity(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Return x' + R (w x d)."""
        out = self._six(v)[:, self.node, :3]
        spin = self._spin(v)
        out[:, self.away] += rotations.rotate(self._turns(q), np.cross(spin, self.offset[self.away]))
        return out

    def acceleration(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
        """Return x'' + R (w' x d + w x (w x d))."""
        out, arm = self._six(a)[:, self.node, :3], self.offset[self.away]
        spin, speeding = self._spin(v), self._spin(a)
        local = np.cross(speeding, arm) + np.cross(spin, np.cross(spin, arm))
        out[:, self.away] += rotations.rotate(self._turns(q), local)
        return out

    def _six(self, q: np.ndarray) -> np.ndarray:
        nodes = q.shape[1] // 10
        return q[:, : 6 * nodes].reshape(len(q), nodes, 6)

    def _spin(self, v: np.ndarray) -> np.ndarray:
        return self._six(v)[:, self.node[self.away], 3:]

    def _turns(self, q: np.ndarray) -> np.ndarray:
        return quaternions(q)[:, self.node[self.away]]


def quaternions(q: np.ndarray) -> np.ndarray:
    """Return the orientations of all nodes at all instants, (times, nodes, 4)."""
    nodes = q.shape[1] // 10
    return q[:, 6 * nodes :].reshape(len(q), nodes, 4)


def _quarter(arm: np.ndarray) -> np.ndarray:
    return np.stack([-arm[..., 1], arm[..., 0]], axis=-1)
