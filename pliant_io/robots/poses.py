"""Frames in other frames."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Pose(NamedTuple):
    """A frame in another one: ``x -> R x + p``."""

    R: np.ndarray
    p: np.ndarray

    def __matmul__(self, other: Pose) -> Pose:
        return Pose(self.R @ other.R, self.R @ other.p + self.p)

    def inverse(self) -> Pose:
        """Return the pose of the outer frame in this one."""
        return Pose(self.R.T, -self.R.T @ self.p)


IDENTITY = Pose(np.eye(3), np.zeros(3))
