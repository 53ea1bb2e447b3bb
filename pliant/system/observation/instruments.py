"""Readings of instruments on a mechanism, from coordinates: angles of pins, accelerometers, gyros.

joint_angle    turn of marker b against marker a about the axis of a pin; in space from -pi to pi
joint_rate     its rate, axis . (w_b - w_a)
acceleration   of a marker, in global axes
accelerometer  A^T (r'' - g), in the marker's axes A: specific force of a proof mass; -g at rest
gyro           A^T w, in the marker's axes; in the plane the angular velocity
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pliant.forces import Gravity
from pliant.model import rotations
from pliant.system.observation.points import quaternions

if TYPE_CHECKING:
    from pliant.model.markers import Marker
    from pliant.model.parts import Joint
    from pliant.system.system import System

OF_PINS = ("joint_angle", "joint_rate")
OF_MARKERS = ("acceleration", "accelerometer", "gyro")


def pins(system: System) -> list[Joint]:
    """Return the joints that have an angle."""
    return [rows.joint for rows in system.joints if rows.joint.stoppable == "angle"]


def pin_values(system: System, variable: str, samples: Any) -> np.ndarray:
    """Return the (times, pins, 1) angles or rates."""
    found = [pin_value(system, joint, variable, samples) for joint in pins(system)]
    return np.stack(found, axis=1)[:, :, None] if found else np.zeros((len(samples.q), 0, 1))


def pin_value(system: System, joint: Joint, variable: str, samples: Any) -> np.ndarray:
    """Return the (times,) angle or rate of b from a about the joint's axis; angles in space between -pi and pi."""
    read = _in_space if system.space.quaternions else _in_plane
    return read(system, joint, variable, samples)


def marker_values(
    system: System, variable: str, samples: Any, u: np.ndarray, markers: list[Marker], points: Any
) -> np.ndarray:
    """Return the (times, markers, components) readings of instruments at markers."""
    if variable == "gyro":
        return spins(system, markers, samples)
    found = points.acceleration(samples.q, samples.v, samples.a)
    if variable == "acceleration":
        return np.asarray(found)
    return _in_axes(system, markers, samples.q, found - _gravity(system, u)[:, None])


def _gravity(system: System, u: np.ndarray) -> np.ndarray:
    """Return the (times, axes) acceleration of free fall."""
    out = np.zeros((len(u), len(system.space.axes)))
    for force in system.model.forces:
        if isinstance(force, Gravity):
            for k, axis in enumerate(system.space.axes):
                out[:, k] += u[:, system.signal_number(f"{force.name}/{axis}")]
    return out


def turn(system: System, marker: Marker, q: np.ndarray) -> np.ndarray:
    """Return the orientation of a marker: (times,) angles, in space (times, 4) quaternions."""
    node = system.layout.node(marker)
    if not system.space.quaternions:
        return np.asarray(q[:, 3 * node + 2] + system.layout.turn(marker))
    return np.asarray(rotations.product(quaternions(q)[:, node], system.layout.turn(marker)))


def _in_axes(system: System, markers: list[Marker], q: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """Return vectors (times, markers, axes) in the axes of their markers."""
    out = np.empty_like(vectors)
    for k, marker in enumerate(markers):
        turned, vector = turn(system, marker, q), vectors[:, k]
        if system.space.quaternions:
            out[:, k] = rotations.rotate(rotations.conjugate(turned), vector)
        else:
            c, s = np.cos(turned), np.sin(turned)
            out[:, k] = np.stack([c * vector[:, 0] + s * vector[:, 1], c * vector[:, 1] - s * vector[:, 0]], axis=1)
    return out


def spins(system: System, markers: list[Marker], samples: Any) -> np.ndarray:
    """Return the (times, markers, 1 or 3) angular velocities in the axes of their markers."""
    nodes = [system.layout.node(marker) for marker in markers]
    if not system.space.quaternions:
        return np.asarray(samples.v[:, [3 * node + 2 for node in nodes], None])
    own = np.stack([samples.v[:, 6 * node + 3 : 6 * node + 6] for node in nodes], axis=1)  # in the node's axes
    return np.stack(
        [
            rotations.rotate(rotations.conjugate(system.layout.turn(marker)), own[:, k])
            for k, marker in enumerate(markers)
        ],
        axis=1,
    )


def _in_plane(system: System, joint: Any, variable: str, samples: Any) -> np.ndarray:
    a, b = joint.a, joint.b
    if variable == "joint_angle":
        return turn(system, b, samples.q) - turn(system, a, samples.q)
    return np.asarray(np.subtract(*(spins(system, [marker], samples)[:, 0, 0] for marker in (b, a))))


def _in_space(system: System, joint: Any, variable: str, samples: Any) -> np.ndarray:
    axis = rotations.rotate(joint.frame_a, rotations.AXES["z"])
    one, two = (turn(system, marker, samples.q) for marker in (joint.a, joint.b))
    if variable == "joint_angle":
        apart = rotations.product(rotations.conjugate(one), two)
        angle = 2.0 * np.arctan2(apart[:, 1:] @ axis, apart[:, 0])
        return np.asarray(np.arctan2(np.sin(angle), np.cos(angle)))
    first, second = (spins(system, [marker], samples)[:, 0] for marker in (joint.a, joint.b))
    there = rotations.rotate(rotations.conjugate(two), rotations.rotate(one, first))  # w_a in the axes of b
    return np.asarray((second - there) @ axis)
