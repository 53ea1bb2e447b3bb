"""A rod in space as an initial-value problem, for references that share nothing with the elements.

In the axes of its sections (x along the rod), with the section force n and moment m in global axes and the weight f,

    x' = R (e_x + K_s^-1 R^T n),   R' = R skew(kappa + K_b^-1 R^T m),   n' = -f,   m' = -x' x n

(S. S. Antman, Nonlinear Problems of Elasticity, chapter 8). Integrated by an explicit Runge-Kutta method of order 8.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.integrate import solve_ivp

import pliant as pl
from pliant.errors import ConvergenceError

DIFFERENCE = 1e-6  # of force times length
CLOSE = 1e-11  # of that: Newton's last change
ROUNDS = 30


@dataclass(frozen=True)
class End:
    """A section: its point, axes as columns, force and moment on it from the rod beyond, in global axes."""

    point: np.ndarray
    axes: np.ndarray
    force: np.ndarray
    moment: np.ndarray


def march(
    base: End, length: float, section: pl.Section, curvature: np.ndarray, gravity: tuple[float, float, float]
) -> End:
    """Return the tip that belongs to a base."""
    ends = (np.asarray(part)[None] for part in (base.point, base.axes, base.force, base.moment))
    point, axes, force, moment = march_all(Ends(*ends), length, section, curvature, gravity)
    return End(point[0], axes[0], force[0], moment[0])


class Ends(NamedTuple):
    """Sections of many rods: points (n, 3), axes (n, 3, 3), forces and moments (n, 3)."""

    point: np.ndarray
    axes: np.ndarray
    force: np.ndarray
    moment: np.ndarray


def march_all(
    base: Ends, length: float, section: pl.Section, curvature: np.ndarray, gravity: tuple[float, float, float]
) -> Ends:
    """Return the tips that belong to the bases of equal rods."""
    flexibility = 1.0 / np.diag(section.stiffness)
    weight = section.mass_per_length * np.array(gravity)
    count = len(base.point)

    def rates(s: float, flat: np.ndarray) -> np.ndarray:
        y = flat.reshape(count, 18)
        axes, force, moment = y[:, 3:12].reshape(count, 3, 3), y[:, 12:15], y[:, 15:]
        back = axes.transpose(0, 2, 1)
        stretch = np.array([1.0, 0.0, 0.0]) + flexibility[:3] * (back @ force[:, :, None])[:, :, 0]
        along = (axes @ stretch[:, :, None])[:, :, 0]
        bend = curvature + flexibility[3:] * (back @ moment[:, :, None])[:, :, 0]
        turning = np.cross(axes, bend[:, None])  # rows of R skew(bend)
        falling = np.broadcast_to(-weight, (count, 3))
        return np.hstack([along, turning.reshape(count, 9), falling, -np.cross(along, force)]).ravel()

    start = np.hstack([base.point, base.axes.reshape(count, 9), base.force, base.moment]).ravel()
    y = solve_ivp(rates, (0.0, length), start, method="DOP853", rtol=1e-11, atol=1e-12).y[:, -1].reshape(count, 18)
    return Ends(y[:, :3], y[:, 3:12].reshape(count, 3, 3), y[:, 12:15], y[:, 15:])


def clamped_tip(
    force: Any, length: float, section: pl.Section, *, curvature: Any = 0.0, moment: Any = 0.0, steps: int = 4,
    guess: Any = 0.0,
) -> End:  # fmt: skip
    """Return the tip of a rod from a clamp in the origin, along x, under a dead force and moment, by shooting.

    Newton finds the moment at the clamp, first near ``guess``, while the loads are raised in steps; the rods of its
    differences are marched at once.
    """
    forces, moments = np.asarray(force, float), moment + np.zeros(3)
    size = max(float(np.max(np.abs(forces))) * length, float(np.max(np.abs(moments))))
    apart, bent = DIFFERENCE * size * np.vstack([np.zeros(3), np.eye(3)]), curvature + np.zeros(3)
    at, clamp = np.zeros((4, 3)), guess + np.zeros(3)
    for share in np.arange(1, steps + 1) / steps:
        for _ in range(ROUNDS):
            base = Ends(at, np.tile(np.eye(3), (4, 1, 1)), np.tile(share * forces, (4, 1)), clamp + apart)
            tips = march_all(base, length, section, bent, (0.0, 0.0, 0.0))
            missed = tips.moment - share * moments
            change = np.linalg.solve((missed[1:] - missed[0]).T / (DIFFERENCE * size), missed[0])
            if np.max(np.abs(change)) <= CLOSE * size:
                break
            clamp = clamp - change
        else:
            raise ConvergenceError("Shooting along a clamped rod found no equilibrium: raise the loads in more steps.")
    return End(*(part[0] for part in tips))
