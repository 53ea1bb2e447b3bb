"""Inverse kinetostatics of the continuum Stewart-Gough robot by shooting along its rods, as its authors do it.

Unknowns of every rod: force (3) and moment (2) at the base, where nothing twists it, and its length. Conditions: the
tip is at the platform (3) and stands square to it (2); forces and moments upon the platform balance its load (6).
Newton, with derivatives by differences; lengths are scaled to one, so that all rods are marched at once.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

from pliant.errors import ConvergenceError
from pliant_gallery.robots import ContinuumStewart

UNKNOWNS, LIMIT = 6, 40
DIFFERENCE, CLOSE = 1e-7, 1e-10


def feeds(robot: ContinuumStewart, point: Any, axes: Any = None, *, force: Any = (0.0, 0.0, 0.0)) -> np.ndarray:
    """Return (6,) free lengths of rods that hold the platform at a point, axes as columns, under a force there."""
    R, p, load = np.eye(3) if axes is None else np.asarray(axes), np.asarray(point, float), np.asarray(force, float)
    arms = robot.anchors() @ R.T
    EI = robot.section().bending_stiffness
    scale = np.array([EI, EI, EI, EI, EI, 1.0])  # of forces (N) and moments (N m), and of lengths
    guess = np.zeros((6, UNKNOWNS))
    x, y, h = (p + arms - robot.holes()).T
    guess[:, 0], guess[:, 1] = 12.0 * x / h**3, 12.0 * y / h**3  # of flat curves between clamps
    guess[:, 3], guess[:, 4] = -6.0 * y / h**2, 6.0 * x / h**2
    guess[:, 5] = h + 0.6 * (x * x + y * y) / h
    for _ in range(LIMIT):
        variants = guess[:, None, :] + DIFFERENCE * np.vstack([np.zeros(UNKNOWNS), np.eye(UNKNOWNS)])
        tips, turns, forces, moments = _march(robot, variants * scale)
        square = turns.transpose(0, 1, 3, 2) @ R  # the platform's z as seen from the rods' tips
        own = np.concatenate([tips - (p + arms)[:, None], square[:, :, :2, 2]], axis=2)
        wrench = np.concatenate([forces, moments + np.cross(arms[:, None], forces)], axis=2) / EI
        slopes, by_wrench = ((x[:, 1:] - x[:, :1]) / DIFFERENCE for x in (own, wrench))
        matrix, miss = np.zeros((36, 36)), np.zeros(36)
        for k in range(6):
            mine = slice(UNKNOWNS * k, UNKNOWNS * (k + 1))
            matrix[5 * k : 5 * k + 5, mine] = slopes[k].T
            matrix[30:, mine] = by_wrench[k].T
            miss[5 * k : 5 * k + 5] = own[k, 0]
        miss[30:] = wrench[:, 0].sum(axis=0) + np.concatenate([load, np.zeros(3)]) / EI
        change = np.linalg.solve(matrix, miss).reshape(6, UNKNOWNS)
        guess = guess - change * min(1.0, 5.0 / float(np.max(np.abs(change))))
        if np.max(np.abs(change[:, 5])) < CLOSE:
            return np.asarray(guess[:, 5])
    raise ConvergenceError("Shooting along the rods found no equilibrium.")


def _march(robot: ContinuumStewart, unknowns: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return tips of rods (6, variants): points, axes (z along the rod), forces and moments upon what is beyond."""
    section = robot.section()
    soft = 1.0 / np.diag(section.stiffness)
    soft = soft[[1, 2, 0, 4, 5, 3]]  # of x, y, z with z along the rod
    shape = unknowns.shape[:2]
    length = unknowns[..., 5].reshape(-1, 1)
    count = length.size

    def rates(s: float, flat: np.ndarray) -> np.ndarray:
        y = flat.reshape(count, 18)
        R, n, m = y[:, 3:12].reshape(count, 3, 3), y[:, 12:15], y[:, 15:]
        stretch = np.array([0.0, 0.0, 1.0]) + soft[:3] * np.einsum("kji,kj->ki", R, n)
        along = np.einsum("kij,kj->ki", R, stretch)
        bend = soft[3:] * np.einsum("kji,kj->ki", R, m)
        turning = np.cross(R, bend[:, None])
        return (length * np.hstack([along, turning.reshape(count, 9), 0.0 * n, -np.cross(along, n)])).ravel()

    start = np.zeros((*shape, 18))
    start[..., :3] = robot.holes()[:, None]
    start[..., [3, 7, 11]] = 1.0
    start[..., 12:15], start[..., 15:17] = unknowns[..., :3], unknowns[..., 3:5]
    found = solve_ivp(rates, (0.0, 1.0), start.ravel(), method="DOP853", rtol=1e-11, atol=1e-12).y[:, -1]
    y = found.reshape(*shape, 18)
    return y[..., :3], y[..., 3:12].reshape(*shape, 3, 3), -y[..., 12:15], -y[..., 15:]
