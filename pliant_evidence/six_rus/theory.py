"""Kinetostatics of the 6-RUS by shooting along the rods, sharing nothing with the elements.

Unknowns of every leg: the force on the rod's base (3), the size of the moment there, the two angles of the universal
joint, the motor's angle. Conditions: the tip is at the platform (3) without moment (3); forces and moments on the
platform balance its load (6). With the motors given, every leg stands alone, and the forces at the tips give the load
that the platform needs to stay at a pose. Newton with derivatives by differences; a leg's depend on its own unknowns.
"""

from __future__ import annotations

from math import cos, sin

import numpy as np

from pliant.errors import ConvergenceError
from pliant_evidence import cosserat
from pliant_gallery.robots import frames
from pliant_gallery.six_rus import LEGS, Robot

GRAVITY = (0.0, 0.0, -9.81)
UNKNOWNS = 7  # of a leg; its motor's angle is the last
LEVER, TORQUE = 10.0, 100.0  # scale moments on the platform, and at the tips
DIFFERENCE, MOVE = 1e-6, 1e-4  # of the unknowns, of the pose
LIMIT = 30


def motor_angles(
    robot: Robot,
    point: np.ndarray,
    axes: np.ndarray,
    *,
    ideal: bool,
    force: np.ndarray | tuple[float, float, float] = (0.0, 0.0, 0.0),
    offset: np.ndarray | tuple[float, float, float] = (0.0, 0.0, 0.0),
) -> np.ndarray:
    """Return (6,) angles that hold the weightless platform at a point, with its axes as columns.

    ideal  whether the moment at the base does no work in the universal joint, which makes it normal to both of its
           axes; else it is about z, as the published numbers need
    force, offset  load on the platform, at a place in its axes
    """
    arms = _arms(robot, axes)
    load = np.concatenate([force, np.cross(axes @ offset, force)])
    guess = np.array([_guess(robot, leg, point + arm) for leg, arm in zip(LEGS, arms, strict=True)])

    def residual(values: np.ndarray, slopes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        own, derivative = _misses(values, point + arms), _misses(slopes, 0.0)
        forces, by_force = values[:, 6:], slopes[:, 6:]
        balance = np.concatenate([forces.sum(axis=0), LEVER * np.cross(arms, forces).sum(axis=0)])
        balance -= load * np.repeat([1.0, LEVER], 3)
        whole = np.zeros((6 * 6 + 6, 6 * UNKNOWNS))
        for k in range(6):
            mine = slice(UNKNOWNS * k, UNKNOWNS * (k + 1))
            whole[6 * k : 6 * k + 6, mine] = derivative[k]
            whole[36:39, mine] = by_force[k]
            whole[39:, mine] = LEVER * np.cross(arms[k], by_force[k], axisb=0).T
        return np.concatenate([own.ravel(), balance]), whole

    for _ in range(LIMIT):
        miss, slope = residual(*_shoot(robot, guess, range(UNKNOWNS), ideal))
        step = np.linalg.solve(slope, miss).reshape(6, UNKNOWNS)
        guess = guess - step * min(1.0, 0.3 / np.max(np.abs(step)))
        if np.max(np.abs(step)) < 1e-10:
            return guess[:, -1]
    raise ConvergenceError("Shooting along the rods found no equilibrium.")


def stiffness(robot: Robot, motors: np.ndarray, point: np.ndarray, axes: np.ndarray) -> np.ndarray:
    """Return (6, 6) change of the force and moment that the platform needs with its pose, motors held, joints ideal: by
    central differences. The legs of the poses beside are found by the derivatives of those at the pose itself.
    """
    arms = _arms(robot, axes)
    start = np.array([_guess(robot, leg, point + a, q) for leg, a, q in zip(LEGS, arms, motors, strict=True)])
    for _ in range(LIMIT):
        values, slopes = _shoot(robot, start, range(UNKNOWNS - 1), ideal=True)
        step = np.linalg.solve(_misses(slopes, 0.0), _misses(values, point + arms)[:, :, None])[:, :, 0]
        start[:, :-1] -= step * min(1.0, 0.3 / np.max(np.abs(step)))
        if np.max(np.abs(step)) < 1e-7:
            break
    moves = MOVE * np.concatenate([np.eye(6), -np.eye(6)])
    beside = np.array([_arms(robot, _turned_by(move[3:]) @ axes) for move in moves])
    anchors = point + moves[:, None, :3] + beside
    unknowns, inverse = np.tile(start, (12, 1, 1)), np.linalg.inv(_misses(slopes, 0.0))
    for _ in range(LIMIT):
        tips = _tips(robot, unknowns, ideal=True)
        miss = np.array([_misses(*pair) for pair in zip(tips, anchors, strict=True)])
        step = np.einsum("kij,tkj->tki", inverse, miss)
        unknowns[:, :, :-1] -= step
        if np.max(np.abs(step)) < 1e-11:
            forces = tips[:, :, 6:]
            wrenches = np.hstack([forces.sum(axis=1), np.cross(beside, forces).sum(axis=1)])
            return np.asarray((wrenches[:6] - wrenches[6:]).T / (2.0 * MOVE))
    raise ConvergenceError("Shooting along the rods found no equilibrium at these motors.")


def _misses(values: np.ndarray, anchors: np.ndarray | float) -> np.ndarray:
    """Return the values at tips (legs, 9, ...) that should vanish: away from the anchors, and moment."""
    found = values[:, :6].copy()
    found[:, :3] -= anchors
    found[:, 3:] *= TORQUE
    return found


def _shoot(robot: Robot, unknowns: np.ndarray, varied: range, ideal: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return point, moment and force at the tips, (6, 9), and their derivative by the varied unknowns."""
    trials = [unknowns + way * np.eye(UNKNOWNS)[j] for j in varied for way in (DIFFERENCE, -DIFFERENCE)]
    told = _tips(robot, np.array([unknowns, *trials]), ideal)
    slopes = (told[1::2] - told[2::2]) / (2.0 * DIFFERENCE)
    return told[0], slopes.transpose(1, 2, 0)


def _tips(robot: Robot, unknowns: np.ndarray, ideal: bool) -> np.ndarray:
    """Return (trials, 6, 9) point, moment and force at the tips."""
    bases = [_base(robot, leg, row, ideal) for trial in unknowns for leg, row in zip(LEGS, trial, strict=True)]
    rods = cosserat.Ends(*(np.array(part) for part in zip(*bases, strict=True)))
    curvature = np.array([0.0, robot.rod_curvature, 0.0])
    tips = cosserat.march_all(rods, robot.rod_length, robot.section(), curvature, GRAVITY)
    return np.hstack([tips.point, tips.moment, tips.force]).reshape(len(unknowns), 6, 9)


def _base(robot: Robot, leg: int, row: np.ndarray, ideal: bool) -> tuple[np.ndarray, ...]:
    """Return point, axes, force and moment of a rod's base."""
    fx, fy, fz, size, q2, q3, q = row
    frame = frames.about_z(robot.turn(leg))
    axes = frame @ _turned(q2, q3)
    way = np.array([0.0, 0.0, 1.0])
    if ideal:
        way = np.cross(frame[:, 1], axes[:, 1])
        way /= np.linalg.norm(way)
    point = robot.motor(leg) + robot.crank * frame @ (0.0, cos(q), sin(q))
    return point, axes, np.array([fx, fy, fz]), size * way


def _arms(robot: Robot, axes: np.ndarray) -> np.ndarray:
    """Return (6, 3) from the platform's point to where the rods are tied to it."""
    return np.array([axes @ robot.anchor(leg) for leg in LEGS])


def _turned(q2: float, q3: float) -> np.ndarray:
    """Return Ry(q2) Rx(q3) with the columns ordered as the section's axes: z of the study first."""
    about_y = np.array([[cos(q2), 0.0, sin(q2)], [0.0, 1.0, 0.0], [-sin(q2), 0.0, cos(q2)]])
    about_x = np.array([[1.0, 0.0, 0.0], [0.0, cos(q3), -sin(q3)], [0.0, sin(q3), cos(q3)]])
    return np.asarray((about_y @ about_x)[:, [2, 0, 1]])


def _turned_by(vector: np.ndarray) -> np.ndarray:
    """Return the rotation matrix of a rotation vector (Rodrigues)."""
    angle = np.linalg.norm(vector)
    if angle == 0.0:
        return np.eye(3)
    k = np.cross(np.eye(3), vector / angle)
    return np.asarray(np.eye(3) + sin(angle) * k + (1.0 - cos(angle)) * k @ k)


def _guess(robot: Robot, leg: int, anchor: np.ndarray, motor: float = 0.4) -> np.ndarray:
    """Return an unstressed rod from a motor at some angle towards its place on the platform."""
    frame = frames.about_z(robot.turn(leg))
    tip = robot.motor(leg) + robot.crank * frame @ (0.0, cos(motor), sin(motor))
    bend = robot.rod_length * robot.rod_curvature
    axes = (frame.T @ frames.rod(frame, anchor - tip, bend=bend))[:, [1, 2, 0]]
    q2, q3 = np.arctan2(-axes[2, 0], axes[0, 0]), np.arctan2(-axes[1, 2], axes[1, 1])
    return np.array([0.0, 0.0, 0.1, 0.0, q2, q3, motor])
