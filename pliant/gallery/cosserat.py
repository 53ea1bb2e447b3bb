"""A rod in space as an initial-value problem, for references that share nothing with the elements.

In the axes of its sections (x along the rod), with the section force n and moment m in global axes and the weight f,

    x' = R (e_x + K_s^-1 R^T n),   R' = R skew(kappa + K_b^-1 R^T m),   n' = -f,   m' = -x' x n

(S. S. Antman, Nonlinear Problems of Elasticity, chapter 8). Integrated by an explicit Runge-Kutta method of order 8.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp

import pliant as pl


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
    """The tip that belongs to a base."""
    flexibility = 1.0 / np.diag(section.stiffness)
    weight = section.mass_per_length * np.array(gravity)

    def rates(s: float, y: np.ndarray) -> np.ndarray:
        axes, force, moment = y[3:12].reshape(3, 3), y[12:15], y[15:]
        along = axes @ (np.array([1.0, 0.0, 0.0]) + flexibility[:3] * (axes.T @ force))
        bend = curvature + flexibility[3:] * (axes.T @ moment)
        turning = np.cross(axes, bend)  # rows of R skew(bend)
        return np.concatenate([along, turning.ravel(), -weight, -np.cross(along, force)])

    start = np.concatenate([base.point, base.axes.ravel(), base.force, base.moment])
    y = solve_ivp(rates, (0.0, length), start, method="DOP853", rtol=1e-11, atol=1e-12).y[:, -1]
    return End(y[:3], y[3:12].reshape(3, 3), y[12:15], y[15:])
