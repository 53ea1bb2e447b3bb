"""Inverse kinetostatics of the 6-RUS by shooting along the rods, sharing nothing with the elements.

Unknowns of every leg: the force on the rod's base (3), the size of the moment there, the two angles of the universal
joint, the motor's angle. Conditions: the tip is at the platform (3) without moment (3); forces and moments on the
platform balance.
"""

from __future__ import annotations

from math import cos, sin

import numpy as np
from scipy.optimize import fsolve

from pliant.gallery import cosserat
from pliant.gallery.six_rus import LEGS, Robot, _about_z, _rod

GRAVITY = (0.0, 0.0, -9.81)
UNKNOWNS = 7  # of a leg


def motor_angles(robot: Robot, point: np.ndarray, axes: np.ndarray, *, ideal: bool) -> np.ndarray:
    """(6,) angles that hold the weightless platform at a point, with its axes as columns.

    ideal  whether the moment at the base does no work in the universal joint, which makes it normal to both of its
           axes; else it is about z, as the published numbers need
    """
    frames = {leg: _about_z(robot.turn(leg)) for leg in LEGS}
    anchors = {leg: axes @ robot.anchor(leg) for leg in LEGS}

    def residual(unknowns: np.ndarray) -> np.ndarray:
        found, force, moment = [], np.zeros(3), np.zeros(3)
        for leg, (fx, fy, fz, size, q2, q3, q) in zip(LEGS, unknowns.reshape(6, UNKNOWNS), strict=True):
            rod = frames[leg] @ _turned(q2, q3)
            base = robot.motor(leg) + robot.crank * frames[leg] @ (0.0, cos(q), sin(q))
            way = np.array([0.0, 0.0, 1.0])
            if ideal:
                way = np.cross(frames[leg][:, 1], rod[:, 1])
                way /= np.linalg.norm(way)
            start = cosserat.End(base, rod, np.array([fx, fy, fz]), size * way)
            curvature = np.array([0.0, robot.rod_curvature, 0.0])
            tip = cosserat.march(start, robot.rod_length, robot.section(), curvature, GRAVITY)
            found += [tip.point - point - anchors[leg], 100.0 * tip.moment]
            force += tip.force
            moment += np.cross(anchors[leg], tip.force)
        return np.concatenate([*found, force, 10.0 * moment])

    guess = np.concatenate([_guess(robot, leg, point + anchors[leg]) for leg in LEGS])
    return np.asarray(fsolve(residual, guess, xtol=1e-12)[UNKNOWNS - 1 :: UNKNOWNS])


def _turned(q2: float, q3: float) -> np.ndarray:
    """Ry(q2) Rx(q3) with the columns ordered as the section's axes: z of the study first."""
    about_y = np.array([[cos(q2), 0.0, sin(q2)], [0.0, 1.0, 0.0], [-sin(q2), 0.0, cos(q2)]])
    about_x = np.array([[1.0, 0.0, 0.0], [0.0, cos(q3), -sin(q3)], [0.0, sin(q3), cos(q3)]])
    return np.asarray((about_y @ about_x)[:, [2, 0, 1]])


def _guess(robot: Robot, leg: int, anchor: np.ndarray, motor: float = 0.4) -> np.ndarray:
    """An unstressed rod from a motor at some angle towards its place on the platform."""
    frame = _about_z(robot.turn(leg))
    tip = robot.motor(leg) + robot.crank * frame @ (0.0, cos(motor), sin(motor))
    axes = (frame.T @ _rod(robot, frame, anchor - tip))[:, [1, 2, 0]]
    q2, q3 = np.arctan2(-axes[2, 0], axes[0, 0]), np.arctan2(-axes[1, 2], axes[1, 1])
    return np.array([0.0, 0.0, 0.1, 0.0, q2, q3, motor])
