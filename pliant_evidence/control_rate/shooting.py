"""The continuum Stewart-Gough robot by shooting along its rods, compiled: what a program for one robot takes.

As J. Till, C.E. Bryson, S. Chung, A. Orekhov, D.C. Rucker (ICRA 2015) do it: Runge-Kutta of order 4 along every rod,
which leaves the base along z, free to turn about its axis, so that it is not twisted, and is clamped to the platform:

    p' = R (e_z + K_s^-1 R^T n),   R' = R skew(K_b^-1 R^T m),   n' = 0,   m' = -p' x n

Unknowns of a rod: the force n, the moment (m_x, m_y) at the base, its length. Conditions: the tip's place (3) and
direction (2); the forces and moments of all rods on the platform balance the load (6). Newton by Broyden's updates of
the inverse Jacobian (by differences), kept from pose to pose; poses begin where the last three point to.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pliant.jit import allocating_kernel, kernel
from pliant.linalg import elimination

RODS, OWN = 6, 6
ALL = RODS * OWN
DIFFERENCE = 1e-7
ROUNDS, FRESH = 6, 3  # of Broyden before the Jacobian is made anew, and how often that


class Robot(NamedTuple):
    """Holes (6, 3), anchors (6, 3) in the platform's axes, stiffness (EA, GA, EI) of the rods, points along them."""

    holes: np.ndarray
    anchors: np.ndarray
    stiffness: np.ndarray
    points: int


def guess(robot: Robot, pose: np.ndarray) -> np.ndarray:
    """Return unknowns of flat curves between clamps: ``n = 12 EI d/h^3``, ``m = 6 EI d/h^2``, ``h + 3/5 d^2/h``."""
    tips = pose[:3] + robot.anchors @ pose[3:].reshape(3, 3).T
    (x, y, h), bending = (tips - robot.holes).T, robot.stiffness[2]
    shear, moment = 12.0 * bending / h**3, 6.0 * bending / h**2
    rows = (shear * x, shear * y, np.zeros(RODS), -moment * y, moment * x, h + 0.6 * (x * x + y * y) / h)
    return np.stack(rows, axis=1).ravel()


@kernel
def slope(y: np.ndarray, n: tuple[float, float, float], stiffness: np.ndarray, length: float, out: np.ndarray) -> None:
    """Compute the derivatives of place (3), quaternion (4) and moment (3) by s/L."""
    w, a, b, c = y[3], y[4], y[5], y[6]
    r00, r01, r02 = 1.0 - 2.0 * (b * b + c * c), 2.0 * (a * b - w * c), 2.0 * (a * c + w * b)
    r10, r11, r12 = 2.0 * (a * b + w * c), 1.0 - 2.0 * (a * a + c * c), 2.0 * (b * c - w * a)
    r20, r21, r22 = 2.0 * (a * c - w * b), 2.0 * (b * c + w * a), 1.0 - 2.0 * (a * a + b * b)
    v0 = (r00 * n[0] + r10 * n[1] + r20 * n[2]) / stiffness[1]
    v1 = (r01 * n[0] + r11 * n[1] + r21 * n[2]) / stiffness[1]
    v2 = 1.0 + (r02 * n[0] + r12 * n[1] + r22 * n[2]) / stiffness[0]
    u0 = (r00 * y[7] + r10 * y[8] + r20 * y[9]) / stiffness[2]
    u1 = (r01 * y[7] + r11 * y[8] + r21 * y[9]) / stiffness[2]
    x, z, t = r00 * v0 + r01 * v1 + r02 * v2, r10 * v0 + r11 * v1 + r12 * v2, r20 * v0 + r21 * v1 + r22 * v2
    half = 0.5 * length
    out[0], out[1], out[2] = length * x, length * z, length * t
    out[3], out[4] = -half * (a * u0 + b * u1), half * (w * u0 - c * u1)
    out[5], out[6] = half * (w * u1 + c * u0), half * (a * u1 - b * u0)
    out[7] = -length * (z * n[2] - t * n[1])
    out[8] = -length * (t * n[0] - x * n[2])
    out[9] = -length * (x * n[1] - z * n[0])


@kernel
def march(robot: Robot, rod: int, own: np.ndarray, work: np.ndarray) -> None:
    """Compute the tip of a rod in ``work[0]``, by the classical method of Runge and Kutta."""
    y, trial = work[0], work[5]
    n, length = (own[0], own[1], own[2]), own[5]
    y[0], y[1], y[2] = robot.holes[rod, 0], robot.holes[rod, 1], robot.holes[rod, 2]
    y[3], y[4], y[5], y[6] = 1.0, 0.0, 0.0, 0.0
    y[7], y[8], y[9] = own[3], own[4], 0.0
    h = 1.0 / (robot.points - 1)
    for _ in range(robot.points - 1):
        slope(y, n, robot.stiffness, length, work[1])
        for i in range(10):
            trial[i] = y[i] + 0.5 * h * work[1, i]
        slope(trial, n, robot.stiffness, length, work[2])
        for i in range(10):
            trial[i] = y[i] + 0.5 * h * work[2, i]
        slope(trial, n, robot.stiffness, length, work[3])
        for i in range(10):
            trial[i] = y[i] + h * work[3, i]
        slope(trial, n, robot.stiffness, length, work[4])
        for i in range(10):
            y[i] += h / 6.0 * (work[1, i] + 2.0 * (work[2, i] + work[3, i]) + work[4, i])


@kernel
def add_rod(
    robot: Robot, rod: int, own: np.ndarray, pose: np.ndarray, work: np.ndarray, out: np.ndarray, share: np.ndarray
) -> None:
    """Add conditions of a rod (5), and its wrench on the platform (6); the pose is a place and axes as rows (12)."""
    march(robot, rod, own, work)
    y = work[0]
    w, a, b, c = y[3], y[4], y[5], y[6]
    d = 2.0 * (a * c + w * b), 2.0 * (b * c - w * a), 1.0 - 2.0 * (a * a + b * b)
    arm0 = pose[3] * robot.anchors[rod, 0] + pose[4] * robot.anchors[rod, 1] + pose[5] * robot.anchors[rod, 2]
    arm1 = pose[6] * robot.anchors[rod, 0] + pose[7] * robot.anchors[rod, 1] + pose[8] * robot.anchors[rod, 2]
    arm2 = pose[9] * robot.anchors[rod, 0] + pose[10] * robot.anchors[rod, 1] + pose[11] * robot.anchors[rod, 2]
    out[0], out[1], out[2] = y[0] - pose[0] - arm0, y[1] - pose[1] - arm1, y[2] - pose[2] - arm2
    out[3] = d[0] * pose[3] + d[1] * pose[6] + d[2] * pose[9]  # across the platform's x and y
    out[4] = d[0] * pose[4] + d[1] * pose[7] + d[2] * pose[10]
    n0, n1, n2 = own[0], own[1], own[2]
    share[0], share[1], share[2] = n0, n1, n2
    share[3] = y[7] + arm1 * n2 - arm2 * n1
    share[4] = y[8] + arm2 * n0 - arm0 * n2
    share[5] = y[9] + arm0 * n1 - arm1 * n0


@kernel
def residual(
    robot: Robot, x: np.ndarray, pose: np.ndarray, load: np.ndarray, work: np.ndarray, out: np.ndarray
) -> float:
    """Compute all conditions and the length of their vector. ``work`` has a row for shares after `march`'s rows."""
    for k in range(6):
        out[30 + k] = -load[k]
    for rod in range(RODS):
        add_rod(robot, rod, x[OWN * rod : OWN * rod + OWN], pose, work, out[5 * rod : 5 * rod + 5], work[6])
        for k in range(6):
            out[30 + k] += work[6, k]
    total = 0.0
    for k in range(ALL):
        total += out[k] * out[k]
    return np.sqrt(total)


@kernel
def jacobian(robot: Robot, x: np.ndarray, pose: np.ndarray, work: np.ndarray, out: np.ndarray) -> None:
    """Compute the Jacobian by differences, a rod at a time."""
    out[:] = 0.0
    for rod in range(RODS):
        own = x[OWN * rod : OWN * rod + OWN]
        add_rod(robot, rod, own, pose, work, work[7], work[8])
        for j in range(OWN):
            known = own[j]
            own[j] += DIFFERENCE
            add_rod(robot, rod, own, pose, work, work[9], work[6])
            own[j] = known
            for k in range(5):
                out[5 * rod + k, OWN * rod + j] = (work[9, k] - work[7, k]) / DIFFERENCE
            for k in range(6):
                out[30 + k, OWN * rod + j] = (work[6, k] - work[8, k]) / DIFFERENCE


@kernel
def invert(matrix: np.ndarray, inverse: np.ndarray, order: np.ndarray, side: np.ndarray, column: np.ndarray) -> bool:
    """Replace ``inverse`` by the inverse of a matrix, which is factorised."""
    if elimination.factor(matrix, ALL, order) == 0.0:
        return False
    for j in range(ALL):
        for i in range(ALL):
            side[i] = 1.0 if i == j else 0.0
        elimination.solve(matrix, ALL, order, side, column)
        for i in range(ALL):
            inverse[i, j] = column[i]
    return True


@allocating_kernel
def follow(
    robot: Robot, x: np.ndarray, poses: np.ndarray, loads: np.ndarray, tolerance: float, found: np.ndarray
) -> tuple[int, int]:
    """Return unknowns along a row of poses (n, 12) from those near the first; (poses, marches of all rods)."""
    work, r, before = np.zeros((10, 12)), np.zeros(ALL), np.zeros(ALL)
    matrix, inverse = np.zeros((ALL, ALL)), np.zeros((ALL, ALL))
    step, change, row, order = np.zeros(ALL), np.zeros(ALL), np.zeros(ALL), np.zeros(ALL, np.int64)
    marches, known = 0, False
    for k in range(poses.shape[0]):
        for i in range(ALL):
            if k >= 3:
                x[i] = 3.0 * found[k - 1, i] - 3.0 * found[k - 2, i] + found[k - 3, i]
        size = residual(robot, x, poses[k], loads[k], work, r)
        marches += 1
        fresh = 0
        while not size < tolerance:
            if not known or fresh < 0:
                jacobian(robot, x, poses[k], work, matrix)
                marches += OWN + 1
                if not invert(matrix, inverse, order, change, step):
                    return k, marches
                known = True
            for _ in range(ROUNDS):
                for i in range(ALL):
                    total = 0.0
                    for j in range(ALL):
                        total -= inverse[i, j] * r[j]
                    step[i] = total
                    before[i] = r[i]
                for i in range(ALL):
                    x[i] += step[i]
                size = residual(robot, x, poses[k], loads[k], work, r)
                marches += 1
                if size < tolerance or not np.isfinite(size):
                    break
                broyden(inverse, step, r, before, change, row)
            if size < tolerance:
                break
            fresh -= 1
            if fresh < -FRESH or not np.isfinite(size):
                return k, marches
        for i in range(ALL):
            found[k, i] = x[i]
    return poses.shape[0], marches


@kernel
def broyden(
    inverse: np.ndarray, step: np.ndarray, r: np.ndarray, before: np.ndarray, change: np.ndarray, row: np.ndarray
) -> None:
    """Update H += (s - H y) s^T H / (s^T H y), y the change of the residual (C.G. Broyden 1965)."""
    denominator = 0.0
    for i in range(ALL):
        total, other = 0.0, 0.0
        for j in range(ALL):
            total += inverse[i, j] * (r[j] - before[j])
            other += step[j] * inverse[j, i]
        change[i], row[i] = total, other
        denominator += step[i] * total
    if abs(denominator) > 0.0:
        for i in range(ALL):
            for j in range(ALL):
                inverse[i, j] += (step[i] - change[i]) * row[j] / denominator
