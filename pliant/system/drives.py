"""Prescribed angles in space: their rows vanish where a joint is at its angle, and half a turn away from it too."""

from __future__ import annotations

from math import pi
from typing import TYPE_CHECKING

import numpy as np

from pliant.joints import rows as joints

if TYPE_CHECKING:
    from pliant.system.system import System


def ahead(system: System, q: np.ndarray, u: np.ndarray) -> np.ndarray:
    """(constraints,) by how much joints are open or ahead of their drives; angles in space by the short way (rad).

    The row of such an angle is ``sin(angle - u)``, and a quarter turn further ``-cos(angle - u)``.
    """
    rows = system.equations.rows
    gap, quarter = np.zeros(system.constraints), np.zeros(system.constraints)
    joints.residual(rows, q, u, gap)
    turning = rows.kind == joints.HEADING
    if turning.any():
        joints.residual(rows._replace(offset=rows.offset + 0.5 * pi), q, u, quarter)
    return np.where(turning, np.arctan2(gap, -quarter), gap)


def turned_over(system: System, q: np.ndarray, u: np.ndarray) -> bool:
    """Whether a joint is nearer to the opposite of its prescribed angle."""
    turning = system.equations.rows.kind == joints.HEADING
    return bool(turning.any() and np.any(np.abs(ahead(system, q, u)[turning]) > 0.5 * pi))
