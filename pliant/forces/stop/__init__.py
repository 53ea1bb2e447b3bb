"""Hard stops of joints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import KW_ONLY, dataclass
from math import pi
from operator import attrgetter
from typing import Any, ClassVar

import numpy as np

from pliant.errors import ModelError
from pliant.forces.contact import check_law
from pliant.model import checks
from pliant.model.axes import part_frame
from pliant.model.bodies.outlines import Stroke
from pliant.model.kinds import kinds_of
from pliant.model.loads import Unilateral
from pliant.model.markers import Marker
from pliant.model.parts import Joint


@dataclass(frozen=True, eq=False)
class Stop(Unilateral):
    """End stops of a joint: for the angle of a Revolute (rad), or the travel of a Prismatic, Slider or Cylindrical (m).

    joint         the angle is measured from marker a to marker b, the travel of b along the joint's axis on a
    lower, upper  positions of the stops; None: no stop on that side
    stiffness     k (N/m or N m/rad); at a distance x beyond an end it pushes back with ``k x^p max(0, 1 + d x')``
    exponent      p, at least 1
    damping       d (s/m or s/rad)
    restitution   e, between 0 and 1, of ``transient(contact="complementarity")``

    In space an angle is known up to whole turns: the two stops must be less than a turn apart, and a single stop may be
    exceeded by less than a quarter turn.

    >>> from pliant.joints import Revolute
    >>> from pliant.model import Ground, Link
    >>> hinge = Revolute(Ground().at(0, 0), Link("arm", length=0.5, mass=1.0).at(s=0), name="hinge")
    >>> Stop(hinge, lower=-1.0, upper=1.0, stiffness=1e4).name
    'stop hinge'
    """

    units: ClassVar = {"lower": "m", "upper": "m"}  # of a travel
    also_computed_in: ClassVar = ("pliant.forces.contact",)  # of joints that slide

    joint: Joint
    _: KW_ONLY
    lower: float | None = None
    upper: float | None = None
    stiffness: float
    exponent: float = 1.0
    damping: float = 0.0
    restitution: float = 0.0
    name: str = ""

    def __post_init__(self) -> None:
        if not getattr(self.joint, "stoppable", ""):
            known = ", ".join(kind.__name__ for kind in kinds_of(Joint) if kind.stoppable)
            raise checks.refuse("Stop", "joint", self.joint, f"a {known}", "Others have no single coordinate.")
        super().__post_init__()
        check_law(self)
        for key in ("lower", "upper"):
            if getattr(self, key) is not None:
                self._set(**{key: checks.number(self.owner, key, getattr(self, key))})
        if self.lower is None and self.upper is None:
            raise ModelError(f"{self.owner}: it has neither lower nor upper and no effect. Give one of them.")
        if self.lower is not None and self.upper is not None and not self.lower < self.upper:
            raise checks.refuse(self.owner, "lower", self.lower, f"below upper = {self.upper:g}")

    @property
    def own_units(self) -> Mapping[str, str]:
        """Units of a travel, or of an angle."""
        found = super().own_units
        if getattr(self.joint, "stoppable", "") != "angle":
            return found
        angle = {"lower": "rad", "upper": "rad", "damping": "s/rad"}
        return {**found, **angle, "stiffness": found["stiffness"].replace("N/m", "N m/rad")}

    def unscalable(self) -> str:
        turning = "" if self.slides else "it stops an angle. Give it in the units of the scaled model."
        return super().unscalable() or turning

    def default_name(self) -> str:
        return f"stop {self.joint.name}"

    @property
    def has_default_name(self) -> bool:
        return self.name == self.default_name()

    @property
    def slides(self) -> bool:
        """True if it stops a travel, False for an angle."""
        return self.joint.stoppable == "travel"

    markers = property(attrgetter("joint.markers"), doc="Markers of its joint.")
    a = property(attrgetter("joint.a"), doc="Marker a of its joint.")
    b = property(attrgetter("joint.b"), doc="Marker b of its joint.")
    frame_a = property(attrgetter("joint.frame_a"), doc="Quaternion from the joint's axes to marker a's.")
    frame_b = property(attrgetter("joint.frame_b"), doc="Quaternion from the joint's axes to marker b's.")

    @property
    def law(self) -> tuple[float, float, float]:
        """Stiffness, exponent, damping."""
        return self.stiffness, self.exponent, self.damping

    @property
    def middle(self) -> float:
        """Middle of the allowed range; with one end only, a quarter of a turn from it."""
        return float(np.mean([end + (0.0 if self.width else 0.5 * pi * side) for end, side in self.ends()]))

    @property
    def width(self) -> float:
        """Width of the allowed range; 0 with one end only."""
        return 0.0 if self.lower is None or self.upper is None else self.upper - self.lower

    def ends(self) -> Iterator[tuple[float, float]]:
        """Yield the positions of the ends, and the sign of the side that is allowed."""
        if self.lower is not None:
            yield self.lower, 1.0
        if self.upper is not None:
            yield self.upper, -1.0

    def walls(self, axes: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield the planes that stop a travel, in the joint's axes on a: axes, the normal last, and place."""
        k = "xyz".index(getattr(self.joint, "along", "x"))
        i, j = (k + 1) % 3, (k + 2) % 3
        for end, side in self.ends():
            order = [i, j, k] if side > 0.0 else [j, i, k]
            yield axes[:, order] * (1.0, 1.0, side), end * axes[:, k]

    def strokes(self, spatial: bool, size: float) -> list[Stroke]:
        """Return the drawn ends: of a travel a bar across, of an angle the direction of marker b's x axis there."""
        turn = part_frame("x" if self.slides else "z", getattr(self.joint, "axis", "z"), spatial)
        ways = np.array([(0.0, -size, 0.0), (0.0, size, 0.0)])
        found = []
        for end, _ in self.ends():
            out = np.array([np.cos(end), np.sin(end), 0.0])
            points = ways + [end, 0.0, 0.0] if self.slides else np.outer((0.5 * size, 2.0 * size), out)
            found.append(Stroke(self.a, turn, points))
        return found
