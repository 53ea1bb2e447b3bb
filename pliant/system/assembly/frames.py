"""One rigid frame a body, beams included with their rest shape: the numbering of the assembly."""

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
    """Frames of the bodies of a model, the ground's last. Poses are coordinates as of a system with these nodes."""

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
        """How often loops are tried to be closed, with other directions of what was not guessed."""
        return self.retries

    def node(self, marker: Marker) -> int:
        """Frame of a marker."""
        return len(self.bodies) if isinstance(marker.body, Ground) else self._number[marker.body]

    def dofs(self, nodes: Any, count: int = 1) -> np.ndarray:
        """Freedoms of frames."""
        table, width = np.asarray(nodes, dtype=np.int64).reshape(-1, count, 1), self.space.width
        freedoms = (width * table + np.arange(width)).reshape(-1, width * count)
        return np.ascontiguousarray(freedoms, dtype=np.uint32)

    @abstractmethod
    def frames(self, nodes: Any, count: int = 1) -> np.ndarray:
        """Places of the quaternions of frames; there are none in the plane."""

    @abstractmethod
    def arm(self, marker: Marker) -> Any:
        """Point of a marker in its body's frame."""

    @abstractmethod
    def turn(self, marker: Marker) -> Any:
        """Direction of a marker in its body's frame: an angle, or a quaternion."""

    @abstractmethod
    def place(self, joints: Sequence[Joint], time: float) -> tuple[np.ndarray, list[Joint]]:
        """Lay the bodies along the joints, breadth first from the ground, with the guesses given.

        Returns the poses, and the joints that are left to close loops and had no say in any direction.
        """

    @abstractmethod
    def relative(self, joint: Joint, pose: np.ndarray) -> Any:
        """Quaternion of marker b in marker a's axes; nothing in the plane."""

    @abstractmethod
    def shuffled(self, pose: np.ndarray, generator: np.random.Generator) -> np.ndarray:
        """Poses with other directions where none was guessed."""

    @abstractmethod
    def turned(self, k: int, before: np.ndarray, after: np.ndarray) -> float:
        """By which angle (rad) body k is turned between two poses."""

    @abstractmethod
    def poses(self, pose: np.ndarray) -> dict[Any, Any]:
        """Pose of every body."""


class Laying:
    """Bodies laid along joints from the ground: of the joints that have one end laid, the first given comes next.

    Joints between a third part and each of theirs, as a gear pair is, lay nothing.
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
        """A body has its place now."""
        self.laid.add(body)
        for number in self._at.get(body, []):
            if self._leads[number]:
                heappush(self._ready, number)

    def joints_at(self, body: int) -> list[Joint]:
        """Joints that have a marker on a body, in the order given."""
        return [self._joints[number] for number in self._at.get(body, [])]

    def step(self) -> tuple[int, Marker | None, Marker | None]:
        """The body to lay next, and the markers of the joint along which, the one that is laid first; none if no joint
        leads there. -1 if all are laid.
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
        """Joints along which nothing was laid, but for those that were asked for a direction."""
        leading = (number for number, leads in enumerate(self._leads) if leads and number not in self._used)
        return [self._joints[number] for number in leading if self._joints[number] not in asked]


def _is_between_its_own(joint: Joint, spatial: bool) -> bool:
    """Whether it is between its two markers, not between a third part and each of theirs."""
    return any(term.a is None and term.b is None for condition in joint.conditions(spatial) for term in condition.terms)


def driven_angle(joint: Joint, spatial: bool, time: float) -> float | None:
    """The angle that a joint prescribes; None if none."""
    for condition in joint.conditions(spatial):
        if condition.signal is not None and condition.terms[0].measure == "angle":
            return float(np.asarray(as_signal(condition.signal)(np.array([time]), joint.owner)).reshape(-1)[0])
    return None
