"""A clamp."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, cast

from pliant.model import checks, rotations
from pliant.model.parts import Joint
from pliant.model.rotations import Orientation


@dataclass(frozen=True, eq=False)
class Weld(Joint):
    """A clamp: position and direction are fixed. Three conditions, ``r_b - r_a = 0`` and ``theta_b - theta_a = angle``.

    angle        of marker b relative to marker a, about z (rad); None: from the guesses of the bodies, or aligned
                 without guesses
    orientation  in space instead of angle, as a rotation; six conditions

    >>> from pliant.model import STEEL, Beam, Ground, Section
    >>> cantilever = Beam("cantilever", length=1.0, section=Section.circle(0.01, STEEL))
    >>> Weld(Ground().at(0, 0), cantilever.at(s=0), angle=0.0).locks
    ('x', 'y', 'z', 'rx', 'ry', 'rz')
    """

    units: ClassVar = {"angle": "rad", "orientation": "rad"}
    in_space: ClassVar[tuple[str, ...]] = ("orientation",)
    locks: ClassVar[tuple[str, ...]] = ("x", "y", "z", "rx", "ry", "rz")
    drawing: ClassVar[str] = "clamp"

    angle: float | None = None
    orientation: Orientation | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.angle is not None:
            self._set(angle=checks.angle(self.owner, "angle", self.angle, hint="Give it in radians, or None."))
        if self.orientation is not None:
            self._set(orientation=rotations.orientation(self.owner, "orientation", self.orientation))
            checks.one_direction(self.owner, self.angle, self.orientation)

    @property
    def kept_angle(self) -> float | None:
        return self.angle

    @property
    def kept_turn(self) -> rotations.Array | None:
        if self.orientation is None and self.angle is None:
            return None
        return rotations.exponential(cast("rotations.Vector | None", self.orientation) or (0.0, 0.0, self.angle or 0.0))
