"""Plane and space: coordinates of nodes.

A planar node has (x, y, theta). A spatial one has six freedoms, its point in global axes and a rotation increment in
its own axes, and its orientation as a quaternion that follows after the freedoms of all nodes (kernels/so3.py). State
arrays (q, v, a) hold the freedoms of the moving nodes, then the ground's, then, in space, the quaternions.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pliant.kernels import so3


@dataclass(frozen=True)
class Space:
    """Freedoms of a node: its point along ``axes``, then rotations; ``wrench`` names the conjugate loads."""

    axes: tuple[str, ...]
    wrench: tuple[str, ...]
    resultants: tuple[str, ...]
    quaternions: bool

    @property
    def width(self) -> int:
        """Number of freedoms of a node."""
        return len(self.wrench)

    def size(self, nodes: int) -> int:
        """Return the length of the state arrays of a system with this number of moving nodes."""
        return (nodes + 1) * (self.width + 4 * self.quaternions)

    def frames(self, nodes: int) -> int:
        """Return where the quaternions start."""
        return (nodes + 1) * self.width

    def angular(self, count: int) -> np.ndarray:
        """Return which of the first ``count`` freedoms are rotations."""
        return np.arange(count) % self.width >= len(self.axes)

    def move(self, q: np.ndarray, increment: np.ndarray, nodes: int | None = None) -> np.ndarray:
        """Return the configuration after an increment of the freedoms of ``nodes`` moving nodes, and others; None: only
        of nodes.
        """
        moved, n = q.copy(), increment.size
        moved[:n] += increment
        if self.quaternions:
            so3.take_up(moved, self._frames_in(q), n // self.width if nodes is None else nodes)
        return moved

    def apart(self, before: np.ndarray, after: np.ndarray, count: int, nodes: int) -> np.ndarray:
        """Return the increment of the first ``count`` freedoms, with ``nodes`` moving nodes first, from one
        configuration to another.
        """
        if not self.quaternions:
            return np.asarray(after[:count] - before[:count])
        increment = np.zeros(count)
        so3.apart(before, after, self._frames_in(before), nodes, increment)
        return increment

    def _frames_in(self, q: np.ndarray) -> int:
        """Return where the quaternions start in a spatial state array."""
        return q.size // (self.width + 4) * self.width

    def still(self, nodes: int) -> np.ndarray:
        """Return the state array of nodes at the origin, without rotation."""
        q = np.zeros(self.size(nodes))
        if self.quaternions:
            q[self.frames(nodes) :: 4] = 1.0
        return q


PLANE = Space(("x", "y"), ("Fx", "Fy", "M"), ("N", "V", "M"), False)
SPACE = Space(("x", "y", "z"), ("Fx", "Fy", "Fz", "Mx", "My", "Mz"), ("N", "Vy", "Vz", "T", "My", "Mz"), True)
