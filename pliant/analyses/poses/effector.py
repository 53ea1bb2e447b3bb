"""The controlled frame of a robot: its place, how it moves with its node, and targets for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from pliant.analyses.poses.pose import without_rounding
from pliant.errors import OptionError
from pliant.kernels import so3
from pliant.model import Marker, rotations
from pliant.model.rotations import Orientation
from pliant.solvers.nonlinear.held_frame import POSE, Frame, lead, see
from pliant.system.capabilities import HasInverse

AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
PLANE_AXES = ("x", "y", "angle")
SPACE_AXES = ("x", "y", "z", "roll", "pitch", "yaw")


@dataclass(frozen=True)
class Target:
    """A requested pose: a point (m), and an orientation as a quaternion, or an angle in the plane."""

    position: np.ndarray
    turn: Any

    def __str__(self) -> str:
        return worded(self.position, self.rotation)

    @property
    def packed(self) -> np.ndarray:
        """Return (POSE,) the pose for compiled code."""
        found = np.zeros(POSE)
        found[: self.position.size] = self.position
        found[3 : 3 + np.size(self.turn)] = self.turn
        return found

    @property
    def rotation(self) -> Any:
        """Return the rotation vector, or the angle in the plane."""
        return self.turn if np.ndim(self.turn) == 0 else rotations.logarithm(self.turn)


class Places(Protocol):
    """Many poses."""

    @property
    def points(self) -> np.ndarray: ...
    @property
    def turns(self) -> np.ndarray: ...


def worded(position: np.ndarray, rotation: Any) -> str:
    """Return a pose as text."""
    place, turned = (", ".join(f"{x:.4g}" for x in without_rounding(part)) for part in (position, rotation))
    return f"position ({place}) m, orientation ({turned}) rad"


@dataclass(frozen=True)
class Effector:
    """A marker of a system, and the first ``task`` components of its pose that are prescribed."""

    system: HasInverse
    marker: Marker
    task: int

    @staticmethod
    def named(system: HasInverse, platform: Marker | str, motors: int) -> Effector:
        """Build the effector from a marker, its label or the name of a rigid body; the orientation is free if the
        motors are too few.
        """
        marker = system.observer().find(platform, "platform")
        points, width = len(system.space.axes), system.space.width
        if motors not in (points, width):
            raise OptionError(
                f"motors: {motors} were named. Give {width} to hold position and orientation of {marker.label!r}, or "
                f"{points} to hold its position and leave its orientation free."
            )
        return Effector(system, marker, motors)

    @property
    def width(self) -> int:
        """Return the number of components of a pose: 3 in the plane, 6 in space."""
        return self.system.space.width

    @cached_property
    def freedoms(self) -> slice:
        """Return the places of the coordinates of its node."""
        first = self.width * self.system.layout.node(self.marker)
        return slice(first, first + self.width)

    @cached_property
    def frame(self) -> int:
        """Return the place of the quaternion of its node."""
        return self.system.space.frames(self.system.nodes) + 4 * self.system.layout.node(self.marker)

    @cached_property
    def arm(self) -> so3.Vector:
        """Return its point in the axes of its node."""
        layout: Any = self.system.layout
        return tuple(float(x) for x in (*layout.arm(self.marker), 0.0)[:3])  # type: ignore[return-value]

    @cached_property
    def turn(self) -> Any:
        """Return its axes relative to its node: a quaternion, or an angle in the plane."""
        layout: Any = self.system.layout
        spatial = self.system.space.quaternions
        return tuple(layout.turn(self.marker).tolist()) if spatial else layout.offset(self.marker)[2]

    @cached_property
    def held(self) -> Frame:
        """Return the frame for compiled code."""
        return self.frame_of_node(self.task)

    def frame_of_node(self, task: int) -> Frame:
        """Return the frame for compiled code, with so many components held."""
        turn = self.turn if self.system.space.quaternions else (self.turn, 0.0, 0.0, 0.0)
        place = self.frame if self.system.space.quaternions else 0
        axes = len(self.system.space.axes)
        return Frame(self.freedoms.start, place, axes, task, np.array(self.arm), np.array(turn, float))

    def at(self, q: np.ndarray) -> Target:
        """Return the pose in a configuration."""
        return self.pose_and_map(q)[0]

    def pose_and_map(self, q: np.ndarray) -> tuple[Target, np.ndarray]:
        """Return the pose, and the (width, width) map from the node's freedoms to the motion of the frame, with
        rotations about global axes.
        """
        pose, motion = np.zeros(POSE), np.zeros((self.width, self.width))
        see(self.held, q, pose, motion)
        turn = pose[3:] if self.system.space.quaternions else float(pose[3])
        return Target(pose[: self.held.axes], turn), motion

    def at_all(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return points and turns in many configurations, one per row."""
        own = q[:, self.freedoms]
        if not self.system.space.quaternions:
            c, s = np.cos(own[:, 2]), np.sin(own[:, 2])
            arm = c * self.arm[0] - s * self.arm[1], s * self.arm[0] + c * self.arm[1]
            return own[:, :2] + np.stack(arm, axis=1), own[:, 2] + self.turn
        frames = q[:, self.frame : self.frame + 4]
        return own[:, :3] + rotations.rotate(frames, self.arm), rotations.product(frames, self.turn)

    def apart(self, first: Target, second: Target) -> np.ndarray:
        """Return the (width,) motion from one pose to another: a displacement, and a rotation vector in global axes."""
        if not self.system.space.quaternions:
            turn: Any = [(second.turn - first.turn + np.pi) % (2.0 * np.pi) - np.pi]
        else:
            w, x, y, z = first.turn.tolist()
            turn = so3.logarithm(so3.product(tuple(second.turn.tolist()), (w, -x, -y, -z)))
        return np.concatenate([second.position - first.position, turn])

    def all_apart(self, first: Places, second: Places) -> np.ndarray:
        """Return the (poses, width) motions of many pairs."""
        if not self.system.space.quaternions:
            turn = ((second.turns - first.turns + np.pi) % (2.0 * np.pi) - np.pi)[:, None]
        else:
            turn = rotations.logarithm(rotations.product(second.turns, rotations.conjugate(first.turns)))
        return np.concatenate([second.points - first.points, turn], axis=1)

    def halfway(self, q: np.ndarray, target: Target) -> Target:
        """Return the pose between a configuration and a pose."""
        now = self.at(q)
        way = 0.5 * self.apart(now, target)
        point = now.position + way[: now.position.size]
        if not self.system.space.quaternions:
            return Target(point, now.turn + float(way[2]))
        return Target(point, rotations.product(rotations.exponential(way[3:]), now.turn))

    def target(self, position: ArrayLike, orientation: Orientation | float | None, home: Target) -> Target:
        """Check a pose given by the user and return it as a target."""
        points = len(self.system.space.axes)
        try:
            point = np.asarray(position, float)
        except (TypeError, ValueError):
            point = np.empty(0)
        if point.shape != (points,) or not np.all(np.isfinite(point)):
            raise OptionError(f"position={position!r}: give {points} finite numbers (m).")
        if orientation is None:
            return Target(point, home.turn)
        if self.task == points:
            raise OptionError(
                f"orientation={orientation!r}: the robot has {points} motors, which hold a position only. Leave it out."
            )
        if self.system.space.quaternions:
            return Target(
                point, rotations.exponential(rotations.orientation("Kinetostatics", "orientation", orientation))
            )
        angle: Any = orientation
        if np.ndim(angle) != 0 or not np.isfinite(angle):
            raise OptionError(f"orientation={orientation!r}: give an angle (rad).")
        return Target(point, float(angle))

    @property
    def axes(self) -> tuple[str, ...]:
        """Return the names of the numbers that a pose may be given by."""
        names = SPACE_AXES if self.system.space.quaternions else PLANE_AXES
        return names[: self.task]

    def from_numbers(self, numbers: Mapping[str, np.ndarray], home: Target) -> tuple[np.ndarray, np.ndarray]:
        """Return points and turns of poses from rows of numbers by name; missing ones as in the home pose."""
        names = SPACE_AXES if self.system.space.quaternions else PLANE_AXES
        points, count = len(self.system.space.axes), len(next(iter(numbers.values())))
        own = dict(zip(names, [*home.position, *_angles(home)], strict=True))
        rows = {name: numbers.get(name, np.full(count, own[name])) for name in names}
        place = np.stack([rows[name] for name in names[:points]], axis=1)
        if not self.system.space.quaternions:
            return place, rows["angle"]
        turns = [
            rotations.exponential(rows[name][:, None] * np.array(axis))
            for name, axis in zip(SPACE_AXES[3:], AXES, strict=True)
        ]
        return place, rotations.product(turns[2], rotations.product(turns[1], turns[0]))


def _angles(pose: Target) -> list[float]:
    """Return roll, pitch, yaw of R = Rz(yaw) Ry(pitch) Rx(roll); the angle in the plane."""
    if np.ndim(pose.turn) == 0:
        return [pose.turn]
    r = rotations.matrix(pose.turn)
    return [
        np.arctan2(r[2, 1], r[2, 2]),
        np.arctan2(-r[2, 0], np.hypot(r[0, 0], r[1, 0])),
        np.arctan2(r[1, 0], r[0, 0]),
    ]


class AtPose:
    """The condition that a frame is at a pose, for `reach`."""

    def __init__(self, effector: Effector, target: Target) -> None:
        self.effector, self.frame, self.target = effector, effector.held, target.packed
        self.pose, self.way, self.motion = np.zeros(POSE), np.zeros(effector.width), np.zeros((effector.width,) * 2)

    def evaluate(self, q: np.ndarray, lam: np.ndarray, u: np.ndarray, freedoms: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the error of the pose, and its derivative by (q, lambda); for rotations to first order in the
        error.
        """
        task = self.frame.task
        see(self.frame, q, self.pose, self.motion)
        lead(self.frame.axes, self.target, self.pose, self.way)
        slope = np.zeros((task, freedoms + lam.size))
        slope[:, self.effector.freedoms] = self.motion[:task]
        return self.way[:task].copy(), slope
