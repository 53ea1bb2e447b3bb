"""Damping of the relative motion of several bodies, in proportion to their mass."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from pliant.errors import ModelError
from pliant.model import checks
from pliant.model.bodies.rigid import RigidBody
from pliant.model.markers import Marker
from pliant.model.parts import USE_AT, Load


@dataclass(frozen=True, eq=False)
class RelativeDamping(Load):
    """Damping of rigid bodies relative to their common rigid motion, which has the same momentum and angular momentum:
    ``-rate m v_rel`` at every centre of mass and ``-rate J w_rel``. Its resultant force and moment are zero.

    a, b    markers of two bodies, anywhere on them
    rate    1/s
    others  markers of more bodies

    Beams modelled as chains of links use it instead of Rayleigh's alpha (thesis 5.13, see docs/glossary.md: damping of
    flexible coordinates only).

    >>> from pliant.model import Link
    >>> first, second = (Link(name, length=1.0, mass=1.0) for name in ("first", "second"))
    >>> RelativeDamping("damping", first.at(s=1), second.at(s=0), rate=0.5).rate
    0.5
    """

    units: ClassVar = {"rate": "1/s"}

    name: str
    a: Marker
    b: Marker
    rate: float
    others: tuple[Marker, ...] = field(default=(), kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.others, (tuple, list)):
            raise checks.refuse(self.owner, "others", self.others, "a sequence of markers", USE_AT)
        self._set(others=tuple(self.others))
        for marker in self.markers:
            checks.instance(self.owner, "markers", marker, Marker, USE_AT)
            if not isinstance(marker.body, RigidBody) or not marker.body.mass:
                raise ModelError(
                    f"{self.owner}: {marker.body.owner} is not a rigid body with mass. Leave it out; damp a beam by "
                    "Rayleigh(mass=...)."
                )
        if len(set(self.bodies)) < len(self.bodies):
            raise ModelError(f"{self.owner}: a body is named twice. Name every body once.")
        self._set(rate=checks.not_negative(self.owner, "rate", self.rate))

    @property
    def markers(self) -> tuple[Marker, ...]:
        return (self.a, self.b, *self.others)

    @property
    def bodies(self) -> tuple[RigidBody, ...]:
        """Bodies of its markers."""
        return tuple(marker.body for marker in self.markers if isinstance(marker.body, RigidBody))
