"""The frame of a robot whose pose counts: where it is, how it moves with its node, what a user may ask of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from pliant.analyses.observe import Observer
from pliant.errors import OptionError, nearest
from pliant.formulations.dae.system import System
from pliant.model import Marker, rotations

PLANE_AXES = ("x", "y", "angle")
SPACE_AXES = ("x", "y", "z", "roll", "pitch", "yaw")


@dataclass(frozen=True)
class Target:
    """A pose that is asked for: a point (m), and an orientation as a quaternion, or an angle in the plane."""

    position: np.ndarray
    turn: Any

    def __str__(self) -> str:
        return told(self.position, self.rotation)

    @property
    def rotation(self) -> Any:
        """Rotation vector, or the angle in the plane."""
        return self.turn if np.ndim(self.turn) == 0 else rotations.logarithm(self.turn)


def told(position: np.ndarray, rotation: Any) -> str:
    """A pose in words."""
    place, turned = (", ".join(f"{x:.4g}" for x in np.atleast_1d(part)) for part in (position, rotation))
    return f"position ({place}) m, orientation ({turned}) rad"


@dataclass(frozen=True)
class Effector:
    """A marker of a system, and the first ``task`` components of its pose that are prescribed."""

    system: System
    marker: Marker
    task: int

    @staticmethod
    def named(system: System, platform: Any, motors: int) -> Effector:
        """From a marker, its label or the name of a rigid body; the orientation is free if the motors are too few."""
        known: dict[str, Marker] = {body.name: body.at() for body in system.layout.rigid_bodies}
        label = platform.label if isinstance(platform, Marker) else str(platform)
        if label not in known:
            known |= Observer(system).markers
        if label not in known:
            raise OptionError(f"platform: there is no body or marker {label!r}. {nearest(label, known)}")
        points, width = len(system.space.axes), system.space.width
        if motors not in (points, width):
            raise OptionError(
                f"motors: {motors} were named. Give {width} to hold position and orientation of {label!r}, or {points} "
                "to hold its position and leave its orientation free."
            )
        return Effector(system, known[label], motors)

    @property
    def width(self) -> int:
        """Components of a pose: 3 in the plane, 6 in space."""
        return self.system.space.width

    @property
    def freedoms(self) -> slice:
        """Where the coordinates of its node are."""
        first = self.width * self.system.layout.node(self.marker)
        return slice(first, first + self.width)

    def at(self, q: np.ndarray) -> Target:
        """The pose in a configuration."""
        layout: Any = self.system.layout
        if self.system.space.quaternions:
            return Target(layout.place(self.marker, q), layout.direction(self.marker, q))
        angle = q[self.freedoms.stop - 1] + layout.offset(self.marker)[2]
        return Target(layout.place(self.marker, q), float(angle))

    def motion(self, q: np.ndarray) -> np.ndarray:
        """(width, width) from the node's freedoms to the motion of the frame, rotations about global axes."""
        layout: Any = self.system.layout
        found, point = np.eye(self.width), layout.place(self.marker, q)
        arm = point - q[self.freedoms][: point.size]
        if not self.system.space.quaternions:
            found[:2, 2] = -arm[1], arm[0]
            return found
        axes = rotations.matrix(layout.node_pose(layout.node(self.marker), q)[1])
        found[3:, 3:] = axes
        found[:3, 3:] = np.cross(axes.T, arm).T  # column k: axis k x arm
        return found

    def apart(self, first: Target, second: Target) -> np.ndarray:
        """(width,) motion that leads from one pose to another: a way, and a rotation vector in global axes."""
        if not self.system.space.quaternions:
            turn: Any = [(second.turn - first.turn + np.pi) % (2.0 * np.pi) - np.pi]
        else:
            turn = rotations.logarithm(rotations.product(second.turn, rotations.conjugate(first.turn)))
        return np.concatenate([second.position - first.position, turn])

    def halfway(self, q: np.ndarray, target: Target) -> Target:
        """The pose between a configuration and a pose."""
        now = self.at(q)
        way = 0.5 * self.apart(now, target)
        point = now.position + way[: now.position.size]
        if not self.system.space.quaternions:
            return Target(point, now.turn + float(way[2]))
        return Target(point, rotations.product(rotations.exponential(way[3:]), now.turn))

    def target(self, position: Any, orientation: Any, home: Target) -> Target:
        """What a user asked for, checked."""
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
        if np.ndim(orientation) != 0 or not np.isfinite(orientation):
            raise OptionError(f"orientation={orientation!r}: give an angle (rad).")
        return Target(point, float(orientation))

    @property
    def axes(self) -> tuple[str, ...]:
        """Names of the numbers that a pose may be given by."""
        names = SPACE_AXES if self.system.space.quaternions else PLANE_AXES
        return names[: self.task]

    def from_numbers(self, numbers: Mapping[str, float], home: Target) -> Target:
        """A pose from numbers by name; those left out are the home pose's."""
        names = SPACE_AXES if self.system.space.quaternions else PLANE_AXES
        points = len(self.system.space.axes)
        own = dict(zip(names, [*home.position, *_angles(home)], strict=True)) | numbers
        position = np.array([own[name] for name in names[:points]])
        if not self.system.space.quaternions:
            return Target(position, own["angle"])
        turns = rotations.rotation(z=own["yaw"], y=own["pitch"], x=own["roll"])
        return Target(position, rotations.exponential(turns))


def _angles(pose: Target) -> list[float]:
    """Roll, pitch, yaw of R = Rz(yaw) Ry(pitch) Rx(roll); the angle in the plane."""
    if np.ndim(pose.turn) == 0:
        return [pose.turn]
    r = rotations.matrix(pose.turn)
    return [np.arctan2(r[2, 1], r[2, 2]), np.arctan2(-r[2, 0], np.hypot(r[0, 0], r[1, 0])), np.arctan2(r[1, 0], r[0, 0])]


@dataclass(frozen=True)
class AtPose:
    """The condition that a frame is at a pose, for `reach`."""

    effector: Effector
    target: Target

    def evaluate(self, q: np.ndarray, lam: np.ndarray, u: np.ndarray, freedoms: int) -> tuple[np.ndarray, np.ndarray]:
        """What is missing, and its derivative by (q, lambda); of rotations to first order in what is missing."""
        effector = self.effector
        slope = np.zeros((effector.task, freedoms + lam.size))
        slope[:, effector.freedoms] = effector.motion(q)[: effector.task]
        return effector.apart(self.target, effector.at(q))[: effector.task], slope
