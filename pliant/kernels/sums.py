"""Common arguments of family kernels: an instant, and the sums to which they add."""

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
    """Sums over all parts: r += forces, s += symmetric half of ck K + cc C + cm M, w += its skew half."""

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
