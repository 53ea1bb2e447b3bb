"""Markers: named frames on bodies. Joints, forces and results hold markers and need not know what body is behind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pliant.model import checks

if TYPE_CHECKING:
    from pliant.model.bodies import Carrier

OFF_BODY = "The marker would be off its body: s = 0 is the base, s = 1 the tip; use x and y for a rigid offset."


@dataclass(frozen=True, eq=False, repr=False)
class Marker:
    """A frame fixed to a body: a point and a direction. Made by ``body.at(...)``.

    body   the part that carries it
    x, y   point in the body's frame (m); on a beam, offset from the section at s, in that section's axes
    angle  of the marker's x axis from the body's, or from the beam's tangent (rad)
    s      place along a link or beam, 0 at its base and 1 at its tip; None elsewhere
    name   optional, shown in the label

    >>> from pliant.model import Ground, Link
    >>> crank = Link("crank", length=0.1, mass=0.2)
    >>> crank.at(s=1), crank.at(s=0.25), crank.at(s=1, name="pin"), Ground().at(0.3, 0)
    (<Marker crank/tip>, <Marker crank@0.25>, <Marker crank/pin>, <Marker ground(0.3, 0)>)
    """

    body: Carrier
    x: float = 0.0
    y: float = 0.0
    angle: float = 0.0
    s: float | None = None
    name: str | None = None

    def __post_init__(self) -> None:
        owner = f"Marker on {self.body.owner}"
        for argument in ("x", "y"):
            object.__setattr__(self, argument, checks.number(owner, argument, getattr(self, argument)))
        object.__setattr__(self, "angle", checks.angle(owner, "angle", self.angle))
        if self.s is not None:
            object.__setattr__(self, "s", checks.fraction(owner, "s", self.s, hint=OFF_BODY))
        if self.name is not None:
            checks.name(owner, self.name)

    @property
    def label(self) -> str:
        """Short text that names the place: ``crank/tip``, ``beam@0.5``, ``ground(0.3, 0)``, ``crank/pin``."""
        body = self.body.name
        if self.name is not None:
            return f"{body}/{self.name}"
        offset = f"({self.x + 0.0:.6g}, {self.y + 0.0:.6g})"
        if self.s is None:
            return body + offset
        place = {0.0: f"{body}/base", 1.0: f"{body}/tip"}.get(self.s, f"{body}@{self.s:.6g}")
        on_axis = self.body.rigid or (self.x == 0.0 and self.y == 0.0)
        return place if on_axis else place + offset

    def __repr__(self) -> str:
        return f"<Marker {self.label}>"
