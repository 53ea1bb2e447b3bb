"""Rigid frames, one per body, including beams in their rest shape: the numbering of the assembly."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from heapq import heappop, heappush
from typing import Any, ClassVar

import numpy as np

from pliant.model import Ground, Joint, Marker, Model
from pliant.model.signals.base import as_signal
from pliant.system.numbering.space import Space


class Frames(ABC):
    """Frames of the bodies of a model, the ground's last. Poses are coordinates as in a system with these nodes."""

    space: ClassVar[Space]
    retries: ClassVar[int]

    def __init__(self, model: Model) -> None:
        bodies = [body for body in (*model.bodies, *model.beams) if not isinstance(body, Ground)]
        self.bodies: list[Any] = list(dict.fromkeys(bodies))
        self.free = [k for k, body in enumerate(self.bodies) if not body.directed]
        self.flexible = bool(model.beams)
        self._number: dict[Any, int] = {body: k for k, body in enumerate(self.bodies)}

    @property
    def attempts(self) -> int:
        """Number of attempts to close the loops, each with other directions where no guess is given."""
        return self.retries

    def node(self, marker: Marker) -> int:
        """Return the frame of a marker."""
        return len(self.bodies) if isinstance(marker.body, Ground) else self._number[marker.body]

    def dofs(self, nodes: Any, count: int = 1) -> np.ndarray:
        """Return the freedoms of frames."""
        table, width = np.asarray(nodes, dtype=np.int64).reshape(-1, count, 1), self.space.width
        freedoms = (width * table + np.arange(width)).reshape(-1, width * count)
        return np.ascontiguousarray(freedoms, dtype=np.uint32)

    @abstractmethod
    def frames(self, nodes: Any, count: int = 1) -> np.ndarray:
        """Return the places of the quaternions of frames; empty in the plane."""

    @abstractmethod
    def arm(self, marker: Marker) -> Any:
        """Return the point of a marker in its body's frame."""

    @abstractmethod
    def turn(self, marker: Marker) -> Any:
        """Return the direction of a marker in its body's frame: an angle, or a quaternion."""

    @abstractmethod
    def place(self, joints: Sequence[Joint], time: float) -> tuple[np.ndarray, list[Joint]]:
        """Place the bodies along the joints, breadth first from the ground, with the guesses given.

        Return the poses, and the joints that remain to close loops and determined no direction.
        """

    @abstractmethod
    def relative(self, joint: Joint, pose: np.ndarray) -> Any:
        """Return the quaternion of marker b in marker a's axes; the identity in the plane."""

    @abstractmethod
    def shuffle(self, pose: np.ndarray, generator: np.random.Generator) -> np.ndarray:
        """Return poses with random directions where no guess is given."""

    @abstractmethod
    def rotation_angle(self, k: int, before: np.ndarray, after: np.ndarray) -> float:
        """Return the angle (rad) of the rotation of body k between two poses."""

    @abstractmethod
    def poses(self, pose: np.ndarray) -> dict[Any, Any]:
        """Return the pose of every body."""


class PlacementOrder:
    """Order in which bodies are placed along joints from the ground: the first given joint with one placed end is next.

    Joints that refer to a third part, such as a gear pair, place no body.
    """

    def __init__(self, frames: Frames, joints: Sequence[Joint]) -> None:
        self.laid: set[int] = set()
        self._joints, self._node, self._loose = joints, frames.node, iter(range(len(frames.bodies)))
        self._leads = [_is_between_its_own(joint, frames.space.quaternions) for joint in joints]
        self._at: dict[int, list[int]] = {}
        for number, joint in enumerate(joints):
            for marker in (joint.a, joint.b):
                self._at.setdefault(frames.node(marker), []).append(number)
        self._ready: list[int] = []
        self._used: set[int] = set()
        self.lay(len(frames.bodies))

    def lay(self, body: int) -> None:
        """Mark a body as placed."""
        self.laid.add(body)
        for number in self._at.get(body, []):
            if self._leads[number]:
                heappush(self._ready, number)

    def joints_at(self, body: int) -> list[Joint]:
        """Return the joints that have a marker on a body, in the order given."""
        return [self._joints[number] for number in self._at.get(body, [])]

    def step(self) -> tuple[int, Marker | None, Marker | None]:
        """Return the next body, and the two markers of the joint that leads to it, the placed one first; no markers if
        no joint leads there. -1 if all are placed.
        """
        while self._ready:
            number = heappop(self._ready)
            joint = self._joints[number]
            laid = [self._node(marker) in self.laid for marker in (joint.a, joint.b)]
            if laid[0] != laid[1]:
                self._used.add(number)
                base, new = (joint.a, joint.b) if laid[0] else (joint.b, joint.a)
                return self._node(new), base, new
        return next((k for k in self._loose if k not in self.laid), -1), None, None

    def closing(self, asked: Collection[Joint]) -> list[Joint]:
        """Return the joints that placed no body, without the joints that determined a direction."""
        leading = (number for number, leads in enumerate(self._leads) if leads and number not in self._used)
        return [self._joints[number] for number in leading if self._joints[number] not in asked]


def _is_between_its_own(joint: Joint, spatial: bool) -> bool:
    """Return whether a joint acts between its two markers, not between each of them and a third part."""
    return any(term.a is None and term.b is None for condition in joint.conditions(spatial) for term in condition.terms)


def driven_angle(joint: Joint, spatial: bool, time: float) -> float | None:
    """Return the angle that a joint prescribes; None without such a joint."""
    for condition in joint.conditions(spatial):
        if condition.signal is not None and condition.terms[0].measure == "angle":
            return float(np.asarray(as_signal(condition.signal)(np.array([time]), joint.owner)).reshape(-1)[0])
    return None
