"""Bringing the parts of a planar model together: every body as one rigid frame, moved until the joints close.

Bodies are laid along the joints from the ground with the user's guesses; then the loops are closed (loops.py).
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from math import cos, sin
from typing import Any

import numpy as np

from pliant.errors import AssemblyError, PliantWarning
from pliant.joints import Distance, Motion
from pliant.joints import rows as kernels
from pliant.model import Beam, Ground, Marker, Model
from pliant.model.signals import as_signal
from pliant.system.joint_rows import Line, lines, pack
from pliant.system.loops import blame, close, size

RETRIES = 40


@dataclass
class Assembly:
    """Pose of every body's frame, the joints' targets, and the largest gap left (zero when closed).

    A pose is (x, y, theta), in space a point and a quaternion. A target is the angle that a joint keeps, in space the
    quaternion of node b in node a's axes; or the length of a distance.
    """

    pose: dict[Any, Any]
    targets: list[Any]
    gap: float
    worst: str


class Frames:
    """One frame a body, beams included with their rest shape."""

    def __init__(self, model: Model) -> None:
        self.bodies = [body for body in (*model.bodies, *model.beams) if not isinstance(body, Ground)]
        self.bodies = list(dict.fromkeys(self.bodies))
        self._number: dict[Any, int] = {body: k for k, body in enumerate(self.bodies)}

    def node(self, marker: Marker) -> int:
        return len(self.bodies) if isinstance(marker.body, Ground) else self._number[marker.body]

    def offset(self, marker: Marker) -> tuple[float, float, float]:
        if not isinstance(marker.body, Beam):
            return marker.x, marker.y, marker.angle
        x, y, theta = marker.body.rest_pose([marker.s or 0.0])[0]
        c, s = cos(theta), sin(theta)
        return (
            float(x + c * marker.x - s * marker.y),
            float(y + s * marker.x + c * marker.y),
            float(theta + marker.angle),
        )

    def dofs(self, nodes: Any, count: int = 1) -> np.ndarray:
        table = np.asarray(nodes, dtype=np.int64).reshape(-1, count, 1)
        return np.ascontiguousarray((3 * table + np.arange(3)).reshape(-1, 3 * count), dtype=np.uint32)


def assemble(model: Model, length_scale: float, time: float = 0.0) -> Assembly:
    """Close the joints of a model. Raises AssemblyError only for what can never close; an open loop of beams is
    reported.
    """
    frames = Frames(model)
    joints = list(model.joints)
    values: list[float] = [1.0, time, 0.0]

    def signal(value: Any, owner: Any, quantity: str) -> int:
        values.append(float(np.asarray(as_signal(value)(np.array([time]))).reshape(-1)[0]))
        return len(values) - 1

    guess, closing = place(model, frames, joints, time)
    _warn_unknown_angles(closing)
    targets = [_target(joint, frames, guess) for joint in joints]
    found: list[Line] = []
    for k, joint in enumerate(joints):
        if not (isinstance(joint, Distance) and joint.length is None):
            found += lines(k, joint, frames, targets[k], signal)
    rows = pack(joints, found, frames, length_scale)
    loops = PlanarLoops(rows, np.array([line.joint for line in found], int), np.array(values), frames, length_scale)
    pose, gap = close(loops, guess, held(frames.bodies, 3, 2), RETRIES if loops.free else 1)
    for k, joint in enumerate(joints):
        if isinstance(joint, Distance) and joint.length is None:
            targets[k] = float(np.hypot(*(_point(frames, pose, joint.b) - _point(frames, pose, joint.a))))
    closed = {body: pose[3 * k : 3 * k + 3] for k, body in enumerate(frames.bodies)}
    return Assembly(closed, targets, *verdict(loops, gap, joints, guess, length_scale))


class PlanarLoops:
    """The rows of all joints on the poses (x, y, theta) of all frames."""

    def __init__(
        self, rows: kernels.Rows, owner: np.ndarray, signals: np.ndarray, frames: Frames, length_scale: float
    ) -> None:
        self.rows, self.owner, self.signals, self.frames = rows, owner, signals, frames
        self.free = [3 * k + 2 for k, body in enumerate(frames.bodies) if body.angle is None]
        self.length_scale = length_scale
        self.scale = np.tile([length_scale, length_scale, 1.0], len(frames.bodies) + 1)
        self.scale[-3:] = 0.0

    def gap(self, pose: np.ndarray) -> np.ndarray:
        """Values of all rows."""
        gap = np.zeros(self.owner.size)
        kernels.residual(self.rows, pose, self.signals, gap)
        return gap

    def jacobian(self, pose: np.ndarray) -> np.ndarray:
        """Their derivatives with respect to all poses, the ground's last."""
        jacobian = np.zeros((self.owner.size, pose.size))
        kernels.jacobian_dense(self.rows, pose, self.signals, jacobian)
        return jacobian

    def moved(self, pose: np.ndarray, step: np.ndarray) -> np.ndarray:
        """Poses after a step."""
        return pose + step

    def shuffled(self, pose: np.ndarray, generator: np.random.Generator) -> np.ndarray:
        """Poses with other angles where none was guessed."""
        start = pose.copy()
        start[self.free] = generator.uniform(-np.pi, np.pi, len(self.free))
        return start

    def without(self, joint: int) -> PlanarLoops:
        """The same without one joint."""
        others = self.owner != joint
        rows = kernels.Rows(*(field[others] for field in self.rows))
        return PlanarLoops(rows, self.owner[others], self.signals, self.frames, self.length_scale)


def held(bodies: Sequence[Any], width: int, points: int) -> list[list[int]]:
    """Freedoms that guesses hold, one group a guess: the direction of a body, then its position."""
    found = []
    for k, body in enumerate(bodies):
        first, last = width * k, width * (k + 1)
        found += [list(range(first + points, last))] if body.turn is not None else []
        found += [list(range(first, first + points))] if body.position is not None else []
    return found


def verdict(loops: Any, gap: np.ndarray, joints: Sequence[Any], guess: np.ndarray, scale: float) -> tuple[float, str]:
    """The gap that is left, 0 for rounding, and the joint to blame for it."""
    if size(gap) <= 1e-9 * scale:
        return 0.0, ""
    return blame(loops, [joint.name for joint in joints], guess)


def _warn_unknown_angles(closing: Sequence[Any]) -> None:
    """A clamp that closes a loop keeps the angle of the guesses: without guesses that angle is an accident."""
    for joint in closing:
        bodies = [marker.body for marker in (joint.a, joint.b) if not isinstance(marker.body, Ground)]
        if joint.locks[2] and getattr(joint, "angle", None) is None and any(body.angle is None for body in bodies):
            warnings.warn(
                f"{joint.owner} closes a loop, and its angle is not known: one of its bodies has no angle guess. The "
                "angle they happen to be laid at is kept; give angle= to the joint or to the bodies.",
                PliantWarning,
                stacklevel=6,
            )


def place(model: Model, frames: Frames, joints: Sequence[Any], time: float) -> tuple[np.ndarray, list[Any]]:
    """Lay the bodies along the joints, breadth first from the ground, with the guesses given.

    Returns the poses, and the joints that are left to close loops and had no say in any angle.
    """
    count = len(frames.bodies)
    pose = np.zeros(3 * count + 3)
    placed = {count}
    waiting = list(joints)
    asked: list[Any] = []
    while True:
        ready = [j for j in waiting if (frames.node(j.a) in placed) != (frames.node(j.b) in placed)]
        if not ready:
            loose = [k for k in range(count) if k not in placed]
            if not loose:
                return pose, [joint for joint in waiting if joint not in asked]
            body = frames.bodies[loose[0]]
            pose[3 * loose[0] : 3 * loose[0] + 3] = (*(body.position or (0.0, 0.0)), body.angle or 0.0)
            placed.add(loose[0])
            continue
        joint = ready[0]
        known, new = (joint.a, joint.b) if frames.node(joint.a) in placed else (joint.b, joint.a)
        k = frames.node(new)
        body = frames.bodies[k]
        angle = body.angle
        if angle is None:
            angle, clamp = _turned(frames, joints, pose, placed, k, time)
            asked.append(clamp)
        x, y, _ = frames.offset(new)
        base = _point(frames, pose, known) - (cos(angle) * x - sin(angle) * y, sin(angle) * x + cos(angle) * y)
        pose[3 * k : 3 * k + 3] = (*(base if body.position is None else body.position), angle)
        placed.add(k)
        waiting.remove(joint)


def _turned(
    frames: Frames, joints: Sequence[Any], pose: np.ndarray, placed: set[int], k: int, time: float
) -> tuple[float, Any]:
    """Angle of body k from a joint that ties it to the angle of a body already placed, and that joint; else 0, None."""
    for joint in joints:
        for known, new, sign in ((joint.a, joint.b, 1.0), (joint.b, joint.a, -1.0)):
            if _turns(joint) and frames.node(new) == k and frames.node(known) in placed:
                turn = pose[3 * frames.node(known) + 2] + frames.offset(known)[2] - frames.offset(new)[2]
                return float(turn + sign * _relative(joint, time)), joint
    return 0.0, None


def _turns(joint: Any) -> bool:
    return bool(joint.locks[2]) or (isinstance(joint, Motion) and joint.coordinate == "angle")


def _relative(joint: Any, time: float) -> float:
    if isinstance(joint, Motion):
        return float(np.asarray(as_signal(joint.value)(np.array([time]))).reshape(-1)[0])
    return float(getattr(joint, "angle", None) or 0.0)


def _target(joint: Any, frames: Frames, pose: np.ndarray) -> float:
    """Relative angle a joint keeps (as guessed unless given), or the length of a distance joint."""
    if isinstance(joint, Distance):
        return float(joint.length or 0.0)
    if isinstance(joint, Motion) or not joint.locks[2]:
        return 0.0
    given = getattr(joint, "angle", None)
    if given is not None:
        return float(given)
    a, b = (pose[3 * frames.node(m) + 2] + frames.offset(m)[2] for m in (joint.a, joint.b))
    return float(b - a)


def _point(frames: Frames, pose: np.ndarray, marker: Marker) -> np.ndarray:
    k = 3 * frames.node(marker)
    x, y, _ = frames.offset(marker)
    c, s = cos(pose[k + 2]), sin(pose[k + 2])
    return np.array([pose[k] + c * x - s * y, pose[k + 1] + s * x + c * y])


def refuse(assembly: Assembly) -> None:
    """Raise for a loop that cannot close."""
    raise AssemblyError(
        f"Joint {assembly.worst!r} cannot be closed: {assembly.gap:.3g} m (or rad) remain. "
        "Check the lengths and the ground points of its loop, or give better angle guesses."
    )
