"""What the kernels of a family are given together: an instant, and the sums that they add to."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Instant(NamedTuple):
    """Coordinates, velocities, accelerations and signals."""

    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    u: np.ndarray


class Into(NamedTuple):
    """Sums over all parts: r += forces, s += ck K + cc C + cm M, and w the skew half of that (s the symmetric one)."""

    ck: float
    cc: float
    cm: float
    r: np.ndarray
    s: np.ndarray
    w: np.ndarray


class Along(NamedTuple):
    """A force along a measure x, and its tangent: ``geometric x_qq + stiff x_q x_q^T + late x_q x'_q^T``."""

    force: float
    geometric: float
    stiff: float
    late: float
