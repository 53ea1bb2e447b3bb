"""Bringing the parts of a spatial model together: every body as one rigid frame, moved until the joints close.

Bodies are laid along the joints from the ground with the user's guesses; one without a guess is turned from the global
axes no further than its joint asks. Then the loops are closed (loops.py), and what only closes when beams bend is left
open.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from copy import copy
from typing import Any

import numpy as np

from pliant.errors import PliantWarning
from pliant.joints import Distance, Motion
from pliant.model import Beam, Ground, Marker, Model, rotations
from pliant.model.signals import as_signal
from pliant.system.assembly import Assembly, Frames, held, verdict
from pliant.system.joint_gaps import JointGaps, Tie
from pliant.system.loops import close

RETRIES = 20  # with other directions; beams are left open instead


class SpatialFrames(Frames):
    """One frame a body, beams included with their rest shape. A pose is a row: a point and a quaternion."""

    def __init__(self, model: Model) -> None:
        super().__init__(model)
        self._local: dict[Marker, tuple[np.ndarray, np.ndarray]] = {}

    def local(self, marker: Marker) -> tuple[np.ndarray, np.ndarray]:
        """Point and quaternion of a marker in its body's frame."""
        if marker not in self._local:
            point, turn = marker.point, marker.turn
            if isinstance(marker.body, Beam):
                points, turns = marker.body.rest_pose_in_space([marker.s or 0.0])
                point = points[0] + rotations.rotate(turns[0], point)
                turn = rotations.product(turns[0], turn)
            self._local[marker] = point, turn
        return self._local[marker]

    def point(self, marker: Marker, pose: np.ndarray) -> np.ndarray:
        """Where a marker is."""
        x = pose[self.node(marker)]
        return x[:3] + rotations.rotate(x[3:], self.local(marker)[0])

    def turn(self, marker: Marker, pose: np.ndarray) -> np.ndarray:
        """Quaternion of a marker's axes."""
        return rotations.product(pose[self.node(marker), 3:], self.local(marker)[1])


def assemble(model: Model, length_scale: float, time: float = 0.0) -> Assembly:
    """Close the joints of a spatial model. An open loop is reported, not raised: beams may close it by bending."""
    frames = SpatialFrames(model)
    joints = list(model.joints)
    guess, closing = place(frames, joints, time)
    _warn_unknown_turns(closing)
    loops = SpatialLoops(frames, joints, guess, length_scale, time)
    attempts = RETRIES if loops.free and not model.beams else 1
    pose, gap = close(loops, guess, held(frames.bodies, 6, 3), attempts)
    targets = [_target(joint, frames, guess, pose) for joint in joints]
    closed = {body: (pose[k, :3], pose[k, 3:]) for k, body in enumerate(frames.bodies)}
    return Assembly(closed, targets, *verdict(loops, gap, joints, guess, length_scale))


class SpatialLoops:
    """The conditions of all joints on the poses of all frames."""

    def __init__(
        self, frames: SpatialFrames, joints: Sequence[Any], guess: np.ndarray, length_scale: float, time: float
    ) -> None:
        self.length_scale = length_scale
        self.free = [k for k, body in enumerate(frames.bodies) if body.turn is None]
        self.scale = np.tile([length_scale] * 3 + [1.0] * 3, len(frames.bodies) + 1)
        self.scale[-6:] = 0.0
        measured = [(k, j) for k, j in enumerate(joints) if not (isinstance(j, Distance) and j.length is None)]
        self._gaps = JointGaps([_tie(k, joint, frames, guess, time) for k, joint in measured])
        self.owner = self._gaps.owner

    def gap(self, pose: np.ndarray) -> np.ndarray:
        """All open conditions."""
        return self._gaps.evaluate(pose)

    def jacobian(self, pose: np.ndarray) -> np.ndarray:
        """Their derivatives with respect to the freedoms of all frames, the ground's last."""
        return self._gaps.jacobian(pose)

    def moved(self, pose: np.ndarray, step: np.ndarray) -> np.ndarray:
        """Poses after a step: points in global axes, spins in the frames' own."""
        moves = step.reshape(-1, 6)
        turned = rotations.product(pose[:, 3:], rotations.exponential(moves[:, 3:]))
        return np.hstack([pose[:, :3] + moves[:, :3], turned / np.linalg.norm(turned, axis=1, keepdims=True)])

    def shuffled(self, pose: np.ndarray, generator: np.random.Generator) -> np.ndarray:
        """Poses with other directions where none was guessed."""
        start, random = pose.copy(), generator.normal(size=(len(self.free), 4))
        start[self.free, 3:] = random / np.linalg.norm(random, axis=1, keepdims=True)
        return start

    def without(self, joint: int) -> SpatialLoops:
        """The same without one joint."""
        others = copy(self)
        others._gaps = JointGaps([tie for tie in self._gaps.ties if tie.number != joint])
        others.owner = others._gaps.owner
        return others


def place(frames: SpatialFrames, joints: Sequence[Any], time: float) -> tuple[np.ndarray, list[Any]]:
    """Lay the bodies along the joints, breadth first from the ground, with the guesses given.

    Returns the poses, and the joints that are left to close loops and had no say in any direction.
    """
    count = len(frames.bodies)
    pose = np.zeros((count + 1, 7))
    pose[:, 3] = 1.0
    placed = {count}
    waiting, asked = list(joints), []
    while len(placed) <= count:
        ready = [j for j in waiting if (frames.node(j.a) in placed) != (frames.node(j.b) in placed)]
        k = next(k for k in range(count) if k not in placed)
        if ready:
            known, new = sorted((ready[0].a, ready[0].b), key=lambda marker: frames.node(marker) not in placed)
            k = frames.node(new)
        body = frames.bodies[k]
        if body.turn is not None:
            pose[k, 3:] = body.turn
        else:
            pose[k, 3:], said = _turned(frames, joints, pose, placed, k, time)
            asked += said
        if body.position is not None:
            pose[k, :3] = body.position
        elif ready:
            pose[k, :3] = frames.point(known, pose) - frames.point(new, pose)
        placed.add(k)
        waiting = [joint for joint in waiting if not ready or joint is not ready[0]]
    return pose, [joint for joint in waiting if joint not in asked]


def _turned(
    frames: SpatialFrames, joints: Sequence[Any], pose: np.ndarray, placed: set[int], k: int, time: float
) -> tuple[np.ndarray, list[Any]]:
    """Quaternion of body k from the joints that tie it to bodies already placed, those that lock most first, and these
    joints. Each turns it no further than it asks; one that asks for everything is the only one heard.
    """
    ties = [j for j in joints if {frames.node(j.a), frames.node(j.b)} - placed == {k} and _angles(j)]
    trial, said = pose.copy(), []
    trial[k, 3:] = rotations.IDENTITY
    for joint in sorted(ties, key=_angles, reverse=True):
        _align(frames, joint, trial, k, time)
        said.append(joint)
        if _angles(joint) == 3:
            break
    return trial[k, 3:], said


def _angles(joint: Any) -> float:
    """How many angles a joint locks; a driven one comes after those that are held."""
    if isinstance(joint, Motion):
        return 0.5 if joint.coordinate == "angle" else 0.0
    return float(sum(token.startswith("r") for token in joint.space))


def _align(frames: SpatialFrames, joint: Any, pose: np.ndarray, k: int, time: float) -> None:
    """Turn body k the shortest way until the angles that a joint locks or drives are closed."""
    a, b = _axes(frames, joint, pose)
    sign = 1.0 if frames.node(joint.b) == k else -1.0
    free = [n for n, axis in enumerate("xyz") if f"r{axis}" not in joint.space]
    if isinstance(joint, Motion):
        heading = a.T @ b[:, 0]
        spin = sign * (_value(joint, time) - np.arctan2(heading[1], heading[0])) * a[:, 2]
    elif not free:
        spin = -sign * a @ rotations.logarithm(rotations.quaternion(a.T @ b @ _weld(joint).T))
    elif len(free) == 1:
        spin = -sign * rotations.logarithm(rotations.between(a[:, free[0]], b[:, free[0]]))
    else:
        one, other = a[:, free[0]], b[:, free[1]]
        across = np.cross(one, other) if abs(one @ other) < 1.0 - 1e-12 else a[:, free[1]]
        spin = sign * np.arcsin(np.clip(one @ other, -1.0, 1.0)) * across / np.linalg.norm(across)
    pose[k, 3:] = rotations.product(rotations.exponential(spin), pose[k, 3:])


def _axes(frames: SpatialFrames, joint: Any, pose: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Axes of a joint's frames on a and on b, as columns, global."""
    turns = zip((joint.a, joint.b), (joint.frame_a, joint.frame_b), strict=True)
    a, b = (rotations.matrix(rotations.product(frames.turn(marker, pose), turn)) for marker, turn in turns)
    return a, b


def _tie(number: int, joint: Any, frames: SpatialFrames, guess: np.ndarray, time: float) -> Tie:
    (arm_a, turn_a), (arm_b, turn_b) = frames.local(joint.a), frames.local(joint.b)
    turns = rotations.product(turn_a, joint.frame_a), rotations.product(turn_b, joint.frame_b)
    nodes = frames.node(joint.a), frames.node(joint.b)
    return Tie(number, joint, nodes, (arm_a, arm_b), turns, _kept(frames, joint, guess, time))


def _keeps(joint: Any) -> bool:
    """Whether a joint lets b not turn at all."""
    return {"rx", "ry", "rz"} <= set(joint.space)


def _weld(joint: Any) -> np.ndarray:
    """Axes of b seen from those of a, as a clamp says, or aligned."""
    turn = getattr(joint, "turn", None)
    return np.eye(3) if turn is None else rotations.matrix(turn)


def _value(joint: Any, time: float) -> float:
    return float(np.asarray(as_signal(joint.value)(np.array([time]), joint.owner)).reshape(-1)[0])


def _kept(frames: SpatialFrames, joint: Any, guess: np.ndarray, time: float) -> Any:
    """What a joint is to keep: a length, the value of a drive, or the quaternion of its axes on b in those on a."""
    if isinstance(joint, Distance):
        return joint.length
    if isinstance(joint, Motion):
        return _value(joint, time)
    if not _keeps(joint):
        return None
    return rotations.product(
        rotations.conjugate(joint.frame_a), rotations.product(_relative(frames, joint, guess), joint.frame_b)
    )


def _relative(frames: SpatialFrames, joint: Any, guess: np.ndarray) -> np.ndarray:
    """Quaternion of marker b in marker a's axes, as a clamp says, or as guessed."""
    said = getattr(joint, "turn", None)
    if said is not None:
        return np.asarray(said)
    return rotations.product(rotations.conjugate(frames.turn(joint.a, guess)), frames.turn(joint.b, guess))


def _target(joint: Any, frames: SpatialFrames, guess: np.ndarray, pose: np.ndarray) -> Any:
    """Quaternion of node b in node a's axes that a joint keeps, or the length of a distance."""
    if isinstance(joint, Distance):
        apart = frames.point(joint.b, pose) - frames.point(joint.a, pose)
        return float(np.linalg.norm(apart)) if joint.length is None else joint.length
    kept = _relative(frames, joint, guess)
    return rotations.product(rotations.product(joint.a.turn, kept), rotations.conjugate(joint.b.turn))


def _warn_unknown_turns(closing: Sequence[Any]) -> None:
    """A clamp that closes a loop keeps the direction of the guesses: without guesses that one is an accident."""
    for joint in closing:
        bodies = [marker.body for marker in (joint.a, joint.b) if not isinstance(marker.body, Ground)]
        if _keeps(joint) and getattr(joint, "turn", None) is None and any(body.turn is None for body in bodies):
            warnings.warn(
                f"{joint.owner} closes a loop, and its orientation is not known: one of its bodies has no guess. The "
                "one they happen to be laid at is kept; give orientation= to the joint or to the bodies.",
                PliantWarning,
                stacklevel=6,
            )
