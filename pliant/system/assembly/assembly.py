"""Assembly of a model: every body is a rigid frame that moves until the joints close.

Bodies are placed along the joints from the ground with the user's guesses (planar_frames.py, spatial_frames.py); then
the loops are closed (loops.py). Loops that close only when beams bend stay open.

A loop of pinned parts closes in no pose if one part is longer than all others together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NoReturn

import numpy as np

from pliant.errors import AssemblyError, FarFromGuess, PliantWarning, warn
from pliant.joints import Weld
from pliant.joints import rows as kernels
from pliant.model import Ground, Joint, Marker, Model, rotations
from pliant.model.conditions import GUESSED, Condition
from pliant.model.signals.base import as_signal
from pliant.system.assembly.frames import Frames
from pliant.system.assembly.loops import ROUNDING, TOLERANCE, Closed, blame, close, size
from pliant.system.assembly.planar_frames import PlanarFrames
from pliant.system.assembly.spatial_frames import SpatialFrames
from pliant.system.packing.joint_rows import JointConstants, default_constants, joint_constants, pack

SURE = 1.001  # times the reach of the others


def too_long(frames: Frames, joints: Sequence[Joint], open_joint: Joint) -> str:
    """Return a message about the part that is too long for the loop of a joint, and by how much; empty if none is, or
    if the joint closes no loop of joints that hold a point. In a ring of n points no distance of neighbours exceeds the
    sum of all others, in plane and space, for any rotation of the parts.
    """
    spatial = frames.space.quaternions
    pins = [each for each in joints if set(frames.space.axes) <= set(each.locked(spatial))]
    loop = _around(frames, pins, open_joint) if open_joint in pins else []
    if not loop:
        return ""
    spans = [float(np.linalg.norm(np.subtract(frames.arm(a), frames.arm(b)))) for a, b in loop]
    longest = int(np.argmax(spans))
    others = sum(spans) - spans[longest]
    if spans[longest] <= SURE * others:
        return ""
    body: Any = loop[longest][0].body
    bent = "" if body.rigid else f" unless {body.name!r} bends that far"
    return (
        f"No pose closes its loop{bent}: the joints on {body.name!r} are {spans[longest]:.3g} m apart, and the other "
        f"parts reach {others:.3g} m together. Check their lengths and units (m)."
    )


def _around(frames: Frames, pins: Sequence[Joint], closing: Joint) -> list[tuple[Marker, Marker]]:
    """Return the parts of the shortest loop through a joint, each by its two pinned markers; empty without a loop."""
    ways: list[list[Marker]] = [[closing.b]]
    seen = {frames.node(closing.b)}
    while ways:
        way = ways.pop(0)
        here = frames.node(way[-1])
        if here == frames.node(closing.a):
            return list(zip([*way[0::2]], [*way[1::2], closing.a], strict=True))
        for pin in pins:
            for near, far in ((pin.a, pin.b), (pin.b, pin.a)):
                if pin is not closing and frames.node(near) == here and frames.node(far) not in seen:
                    seen.add(frames.node(far))
                    ways.append([*way, near, far])
    return []


EPSILON = float(np.finfo(float).eps)


@dataclass
class Assembly:
    """Poses of all body frames, constants of the joints, and the largest remaining gap (zero if closed), with its joint
    and, if known, the reason why it cannot close.

    A pose is (x, y, theta), in space a point and a quaternion.
    """

    pose: dict[Any, Any]
    kept: list[JointConstants]
    gap: float
    units: str
    worst: str
    why: str
    closed: Closed
    guesses: list[Any]


def assemble(model: Model, length_scale: float, time: float = 0.0, beside: Assembly | None = None) -> Assembly:
    """Close the joints of a model. Report an open loop without raising: beams may close it by bending. ``beside``: an
    assembly of the same parts with nearly the same numbers.
    """
    frames = frames_of(model)
    joints = [*model.joints, *_ties(model)]
    guess, closing = frames.place(joints, time)
    kept = measure(frames, joints, guess)
    _warn_unknown_directions(closing, dict(zip(joints, kept, strict=True)), model.spatial)
    loops = JointLoops.of(frames, joints, kept, length_scale, time)
    guesses = [(each.position, each.angle, each.orientation) for each in frames.bodies]
    closed = beside.closed.beside(loops) if beside is not None and beside.guesses == guesses else None
    closed = closed or close(loops, guess, guess_groups(frames), frames.attempts if frames.free else 1)
    left = verdict(loops, closed.gap, joints, guess)
    if not left[0]:
        _warn_far_from_guess(frames, guess, closed.pose)
    done = _complete(frames, joints, kept, closed.pose)[: len(model.joints)]
    return Assembly(frames.poses(closed.pose), done, *left, closed, guesses)


def reassemble(model: Model, length_scale: float, known: Assembly) -> Assembly | None:
    """Close the joints of a model with nearly the same numbers as an assembly, with its joint constants, by Newton from
    its pose; None if that does not determine the pose.
    """
    frames, ties = frames_of(model), _ties(model)
    kept = [*known.kept, *(default_constants(each, model.spatial) for each in ties)]
    closed = known.closed.beside(JointLoops.of(frames, [*model.joints, *ties], kept, length_scale, 0.0))
    return None if closed is None else replace(known, pose=frames.poses(closed.pose), closed=closed)


def guessed_constants(model: Model, joints: Sequence[Joint]) -> list[JointConstants]:
    """Return the constants of joints before loops are closed."""
    frames, conditions = frames_of(model), (each for joint in joints for each in joint.conditions(model.spatial))
    if any(map(depends_on_pose, conditions)):
        return measure(frames, joints, frames.place([*model.joints, *_ties(model)], 0.0)[0])
    return measure(frames, joints, frames.space.still(len(frames.bodies)))


def depends_on_pose(condition: Condition) -> bool:
    """Return whether the constant of a condition depends on the pose."""
    return isinstance(condition.kept, str)


def frames_of(model: Model) -> Frames:
    """Return the frames of a model, one per body."""
    return SpatialFrames(model) if model.spatial else PlanarFrames(model)


def _ties(model: Model) -> list[Joint]:
    """Return welds for parts that hold several bodies together by their stiffness."""
    kept: dict[str, Any] = {"orientation": (0.0, 0.0, 0.0)} if model.spatial else {"angle": 0.0}
    return [
        Weld(a, b, name=f"{part.name} {k}", **kept) for part in model.forces for k, (a, b) in enumerate(part.ties(), 1)
    ]


def measure(frames: Frames, joints: Sequence[Joint], pose: np.ndarray, *, closed: bool = False) -> list[JointConstants]:
    """Return the constants of the joints in a pose."""
    spatial = frames.space.quaternions
    conditions = {joint: joint.conditions(spatial) for joint in joints}
    told = [joint for joint, own in conditions.items() if any(map(depends_on_pose, own))]
    measured = _measure(frames, told, pose) if told else {}
    turned = {joint for joint, own in conditions.items() if any(each.terms[0].measure == "turned" for each in own)}
    turns = {joint: frames.relative(joint, pose) for joint in turned}
    return [
        joint_constants(joint, own, measured.get(joint, ()), turns.get(joint, rotations.IDENTITY), closed=closed)
        for joint, own in conditions.items()
    ]


def _measure(frames: Frames, joints: Sequence[Joint], pose: np.ndarray) -> dict[Joint, list[float]]:
    """Return the values of joint conditions that depend on the pose; zero for the others."""
    asked = [_pose_dependent(default_constants(joint, frames.space.quaternions)) for joint in joints]
    rows, owner = pack(joints, frames, asked, 1.0, _no_signal)
    values = np.zeros(owner.size)
    kernels.residual(rows, pose, np.zeros(1), values)
    each = iter(values.tolist())
    return {
        joint: [0.0 if value is None else next(each) for value in keeps.values]
        for joint, keeps in zip(joints, asked, strict=True)
    }


def _pose_dependent(keeps: JointConstants) -> JointConstants:
    """Return constants with zero for values that depend on the pose, and none for the others."""
    return keeps._replace(values=tuple(0.0 if depends_on_pose(each) else None for each in keeps.conditions))


def _complete(
    frames: Frames, joints: Sequence[Joint], kept: Sequence[JointConstants], pose: np.ndarray
) -> list[JointConstants]:
    """Return the constants of the joints, completed by values that depend on the closed pose."""
    if not any(value is None for each in kept for value in each.values):
        return list(kept)
    after = measure(frames, joints, pose, closed=True)
    return [
        before._replace(values=tuple(b if a is None else a for a, b in zip(before.values, late.values, strict=True)))
        for before, late in zip(kept, after, strict=True)
    ]


def _no_signal(value: Any, owner: Joint, quantity: str) -> int:
    return 0


@dataclass
class JointLoops:
    """Rows of all joints as functions of the poses of all frames, in lengths of the model and radians."""

    rows: kernels.Rows
    owner: np.ndarray
    signals: np.ndarray
    frames: Frames
    length_scale: float

    @classmethod
    def of(
        cls, frames: Frames, joints: Sequence[Joint], kept: Sequence[JointConstants], length_scale: float, time: float
    ) -> JointLoops:
        """Build the loops of joints at a time."""
        values: list[float] = [0.0]

        def signal(value: Any, owner: Joint, quantity: str) -> int:
            values.append(float(np.asarray(as_signal(value)(np.array([time]), owner.owner)).reshape(-1)[0]))
            return len(values) - 1

        rows, owner = pack(joints, frames, kept, length_scale, signal)
        return cls(rows, owner, np.array(values), frames, length_scale)

    @cached_property
    def free(self) -> np.ndarray:
        """1 for every freedom, 0 for the ground's freedoms."""
        width, count = self.frames.space.width, len(self.frames.bodies)
        return np.where(np.arange(width * (count + 1)) < width * count, 1.0, 0.0)

    @cached_property
    def units(self) -> np.ndarray:
        """Unit of every row: the length scale (m) of lengths, 1 rad of angles."""
        return np.where(kernels.angular(self.rows), 1.0, self.length_scale)

    @cached_property
    def sizes(self) -> np.ndarray:
        """Unit of every freedom: the length scale (m) of lengths, 1 rad of angles."""
        return np.where(self.frames.space.angular(self.free.size), 1.0, self.length_scale)

    def gap(self, pose: np.ndarray) -> np.ndarray:
        """Return the values of all rows."""
        gap = np.zeros(self.owner.size)
        kernels.residual(self.rows, pose, self.signals, gap)
        return gap / self.units

    def rounding(self, pose: np.ndarray) -> float:
        """Return the gap that rounding may leave far from the origin."""
        return max(ROUNDING, 64.0 * EPSILON * size(pose[self._places]) / self.length_scale)

    @cached_property
    def _places(self) -> np.ndarray:
        """Numbers of the freedoms that are positions."""
        return np.flatnonzero(~self.frames.space.angular(self.free.size))

    def jacobian(self, pose: np.ndarray) -> np.ndarray:
        """Return the derivatives of the rows by the freedoms of all frames, the ground's last."""
        jacobian = np.zeros((self.owner.size, pose.size))
        kernels.jacobian_dense(self.rows, pose, self.signals, jacobian)
        return jacobian[:, : self.free.size] * self.sizes / self.units[:, None]

    def moved(self, pose: np.ndarray, step: np.ndarray) -> np.ndarray:
        """Return the poses after a step."""
        return self.frames.space.move(pose, (step * self.sizes)[self.free > 0.0])

    def reach(self, step: np.ndarray) -> float:
        """Return the largest displacement or rotation of a frame, independent of the axes."""
        space = self.frames.space
        table, points = step.reshape(-1, space.width), len(space.axes)
        return max(float(np.max(np.linalg.norm(part, axis=1))) for part in (table[:, :points], table[:, points:]))

    def shuffle(self, pose: np.ndarray, generator: np.random.Generator) -> np.ndarray:
        """Return poses with random directions where no guess is given."""
        return self.frames.shuffle(pose, generator)

    def without(self, joint: int) -> JointLoops:
        """Return the loops without one joint."""
        others = self.owner != joint
        return replace(self, rows=kernels.chosen(self.rows, others), owner=self.owner[others])


def guess_groups(frames: Frames) -> list[list[int]]:
    """Return the freedoms that guesses hold, one group per guess: the direction of a body, then its position."""
    width, points, found = frames.space.width, len(frames.space.axes), []
    for k, body in enumerate(frames.bodies):
        first, last = width * k, width * (k + 1)
        found += [list(range(first + points, last))] if body.directed else []
        found += [list(range(first, first + points))] if body.position is not None else []
    return found


def verdict(
    loops: JointLoops, gap: np.ndarray, joints: Sequence[Joint], guess: np.ndarray
) -> tuple[float, str, str, str]:
    """Return the remaining gap (0 if joints agree within the tolerance), its units, the joint to blame for it and, if
    known, the reason why it cannot close.
    """
    if size(gap) <= TOLERANCE:
        return 0.0, "", "", ""
    gap, row = blame(loops, guess)
    units = "rad" if kernels.angular(loops.rows)[row] else "m"
    worst = joints[loops.owner[row]]
    return float(abs(gap[row]) * loops.units[row]), units, worst.name, too_long(loops.frames, joints, worst)


def _warn_unknown_directions(closing: Sequence[Joint], kept: Mapping[Joint, JointConstants], spatial: bool) -> None:
    """Warn of a clamp that closes a loop without guesses: it keeps the guessed direction, which is then arbitrary,
    unless the parts already lie as the clamp would align them.
    """
    word = "orientation" if spatial else "angle"
    for joint in closing:
        bodies: list[Any] = [marker.body for marker in (joint.a, joint.b) if not isinstance(marker.body, Ground)]
        guessed = any(condition.kept == GUESSED for condition in joint.conditions(spatial))
        unknown = " and ".join(body.name for body in bodies if not body.directed)
        if guessed and unknown and not _aligned(kept[joint]):
            aligned = "(0, 0, 0)" if spatial else "0.0"
            to = f", or {word}={aligned} to the joint, which aligns its two frames" if hasattr(joint, word) else ""
            warn(
                PliantWarning,
                f"{joint.owner} closes a loop, and its {word} is not known: no guess is given to {unknown}. It "
                f"is kept as the parts are laid out; give {word}= to {unknown}{to}.",
            )


def _aligned(kept: JointConstants) -> bool:
    """Return whether a joint's constants are zero: it keeps its two frames aligned."""
    own = zip(kept.conditions, kept.values, strict=True)
    angles = [value for each, value in own if each.kept == GUESSED and value is not None]
    turned = np.linalg.norm(np.asarray(kept.turn)[1:])  # the sine of half the angle
    return bool(turned <= TOLERANCE and np.all(np.abs(np.sin(0.5 * np.array(angles))) <= TOLERANCE))


def _warn_far_from_guess(frames: Frames, guess: np.ndarray, pose: np.ndarray) -> None:
    """Warn of a given direction that joints changed by a quarter turn or more: it was probably meant differently."""
    turned = "axis= of a joint counts in the axes of both markers, so turn the other marker (orientation=) instead"
    advice = turned if frames.space.quaternions else "angle= is global"
    for k, body in enumerate(frames.bodies):
        angle = frames.rotation_angle(k, guess, pose) if body.directed else 0.0
        if angle > 0.5 * np.pi:
            warn(
                FarFromGuess,
                f"{body.name!r}: its joints turn it {np.degrees(angle):.0f}° away from the direction given. Look at "
                f"plot_shape of the model; {advice}. Without a direction of its own the part is laid along its joints.",
            )


def refuse(assembly: Assembly) -> NoReturn:
    """Raise for a loop that cannot close."""
    raise AssemblyError(
        f"Joint {assembly.worst!r} cannot be closed: {assembly.gap:.3g} {assembly.units} remain. "
        + (assembly.why or "Check the lengths and the ground points of its loop, or give better angle guesses.")
    )
