"""Tendon: a massless line that pulls, through guides, and can be shortened or driven."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from itertools import pairwise
from typing import ClassVar

from pliant.errors import ModelError
from pliant.forces.tendon.tensioned import Tensioned
from pliant.model import checks
from pliant.model.markers import Marker
from pliant.model.parts import USE_AT


@dataclass(frozen=True, eq=False)
class Tendon(Tensioned):
    """Massless elastic line from marker a to b through `guides`, in this order. It pulls and never pushes.

    guides          markers it slides through, fixed to any bodies
    stiffness       k (N/m) of the whole tendon; 0 if only its `tension` is given
    rest_length     l0 (m), may change in time; or one of
    force             its tension in the assembled pose (N)
      shortening        difference of its route in the assembled pose and its rest length (m)
    tension         T (N), may change in time: force of an actuator, added to the elastic force or alone
    damping         c (N s/m)
    largest_force   upper limit of the tension (N); None: no limit
    friction        Coulomb's coefficient at the guides: the tension falls by exp(friction * angle of the turn)
    friction_speed  sliding at this speed (m/s) has tanh(1) = 76 % of the friction, faster has all of it
    sliding         assumed direction of sliding at rest, or slower than friction_speed: 1 towards a, -1 towards b; 0:
                    no sliding and no friction at rest
    slack_force     e (N), width of the transition to slack; None: 1e-6 of the force that stretches it to twice its
                    length in 1 s, or 1e-5 of its tension at t = 0 if it has no stiffness and damping

    With the length L of its route, ``f = k (L - l0) + c L' + T`` and the tension is ``(f + sqrt(f^2 + e^2)) / 2``: f if
    taut, zero if slack. Its signals are ``<name>/rest_length`` and ``<name>/tension``.

    >>> from pliant.model import Ground, Link
    >>> ground, arm = Ground(), Link("arm", length=0.3, mass=0.2)
    >>> lift = Tendon("lift", arm.at(s=1), ground.at(0, 0.4), guides=[ground.at(0, 0.3)], stiffness=2e3, force=15.0)
    >>> lift.markers
    (<Marker arm/tip>, <Marker ground(0, 0.3)>, <Marker ground(0, 0.4)>)
    """

    units: ClassVar = {**Tensioned.units, "damping": "N s/m", "friction": "1", "friction_speed": "m/s"}
    connects: ClassVar[bool] = True

    a: Marker
    b: Marker
    _: KW_ONLY
    guides: tuple[Marker, ...] = ()
    damping: float = 0.0
    friction: float = 0.0
    friction_speed: float = 1e-3
    sliding: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_route()
        for key in ("damping", "friction"):
            self._set(**{key: checks.not_negative(self.owner, key, getattr(self, key))})
        self._set(friction_speed=checks.positive(self.owner, "friction_speed", self.friction_speed))
        if isinstance(self.sliding, bool) or self.sliding not in (-1, 0, 1):
            raise checks.refuse(
                self.owner, "sliding", self.sliding, "1 (towards a), -1 (towards b) or 0 (nowhere, when at rest)"
            )

    @property
    def resistance(self) -> float:
        return self.stiffness + self.damping

    @property
    def markers(self) -> tuple[Marker, ...]:
        """Markers of the route: a, the guides, b."""
        return (self.a, *self.guides, self.b)

    def unscalable(self) -> str:
        if self.slack_force is not None or not self.damping:
            return ""
        return "its slack_force follows from its damping in 1 s. Give slack_force= (N)."

    def _check_route(self) -> None:
        if isinstance(self.guides, Marker):
            self._set(guides=(self.guides,))
        if not isinstance(self.guides, (tuple, list)):
            raise checks.refuse(self.owner, "guides", self.guides, "a sequence of markers", USE_AT)
        self._set(guides=tuple(self.guides))
        for key in ("a", "b"):
            checks.instance(self.owner, key, getattr(self, key), Marker, USE_AT)
        for k, guide in enumerate(self.guides):
            checks.instance(self.owner, f"guides[{k}]", guide, Marker, USE_AT)
        for one, next_ in pairwise(self.markers):
            if (one.body, one.s, *one.point) == (next_.body, next_.s, *next_.point):
                raise ModelError(
                    f"{self.owner}: {one.label} follows itself on its route, so that piece has no direction. "
                    "Name every point once."
                )
        if len({(marker.body, None if marker.body.rigid else marker.s) for marker in self.markers}) == 1:
            raise ModelError(
                f"{self.owner}: all its markers are on {self.a.body.owner} and cannot move against each other. Lead it "
                f"to another body{'' if self.a.body.rigid else ', or to another place of the beam'}."
            )
