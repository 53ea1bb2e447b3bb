"""A clamp."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pliant.model import checks
from pliant.model.parts import Joint


@dataclass(frozen=True, eq=False)
class Weld(Joint):
    """A clamp: point and direction are held. Three conditions, ``r_b - r_a = 0`` and ``theta_b - theta_a = angle``.

    angle  of marker b from marker a (rad); None: what the guesses of the bodies give, or aligned without guesses

    >>> from pliant.model import STEEL, Beam, Ground, Section
    >>> cantilever = Beam("cantilever", length=1.0, section=Section.circle(0.01, STEEL))
    >>> Weld(Ground().at(0, 0), cantilever.at(s=0), angle=0.0).locks
    (True, True, True)
    """

    locks: ClassVar[tuple[bool, bool, bool]] = (True, True, True)
    space: ClassVar[tuple[str, ...]] = ("x", "y", "z", "rx", "ry", "rz")

    angle: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.angle is not None:
            self._set(angle=checks.angle(self.owner, "angle", self.angle, hint="Give it in radians, or None."))
