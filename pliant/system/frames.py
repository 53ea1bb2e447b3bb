"""One rigid frame a body, beams included with their rest shape: the numbering of the assembly."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from pliant.model import Ground, Joint, Marker, Model
from pliant.model.signals import as_signal
from pliant.system.space import Space


class Frames(ABC):
    """Frames of the bodies of a model, the ground's last. Poses are coordinates as of a system with these nodes."""

    space: ClassVar[Space]
    retries: ClassVar[int]

    def __init__(self, model: Model) -> None:
        bodies = [body for body in (*model.bodies, *model.beams) if not isinstance(body, Ground)]
        self.bodies: list[Any] = list(dict.fromkeys(bodies))
        self.free = [k for k, body in enumerate(self.bodies) if body.turn is None]
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
    def poses(self, pose: np.ndarray) -> dict[Any, Any]:
        """Pose of every body."""


def laying(joints: Sequence[Joint], spatial: bool) -> list[Joint]:
    """Joints along which bodies are laid: not those between a third part and each of theirs, as a gear pair is."""
    return [
        joint
        for joint in joints
        if any(term.a is None and term.b is None for each in joint.conditions(spatial) for term in each.terms)
    ]


def driven_angle(joint: Joint, spatial: bool, time: float) -> float | None:
    """The angle that a joint prescribes; None if none."""
    for condition in joint.conditions(spatial):
        if condition.signal is not None and condition.terms[0].measure == "angle":
            return float(np.asarray(as_signal(condition.signal)(np.array([time]), joint.owner)).reshape(-1)[0])
    return None
