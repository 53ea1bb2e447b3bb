"""Tendon: a massless line that pulls, through guides, and can be shortened or driven."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from itertools import pairwise
from math import inf, sqrt
from typing import ClassVar

from pliant.errors import ModelError
from pliant.model import checks
from pliant.model.loads import Line
from pliant.model.markers import Marker
from pliant.model.parts import USE_AT
from pliant.model.signals import Constant, Signal, SignalLike, as_signal

CHECKS = {
    "force": checks.not_negative,
    "shortening": checks.not_negative,
    "largest_force": checks.positive,
    "slack_force": checks.positive,
}
PRETENSIONS = ("rest_length", "force", "shortening")
SHARPNESS = 1e-6  # of the force that stretches the tendon to twice its length: width of its transition to slack


@dataclass(frozen=True, eq=False)
class Tendon(Line):
    """Massless elastic line from marker a to b through `guides`, in this order. It pulls and never pushes.

    guides          markers it slides through, fixed to any bodies
    stiffness       k (N/m) of the whole tendon; 0 for one that is given its `tension`
    rest_length     l0 (m), may change in time; or one of
    force             its tension in the assembled pose (N)
    shortening        how much shorter its rest length is than its route in the assembled pose (m)
    tension         T (N), may change in time: what an actuator adds to, or puts in place of, the elastic force
    damping         c (N s/m)
    largest_force   where the tension stays, however much it is stretched (N); None: no limit
    friction        Coulomb's coefficient at the guides: the tension falls by exp(friction * angle of the turn)
    friction_speed  sliding at this speed (m/s) has tanh(1) = 76 % of the friction, faster has all of it
    sliding         which way it is taken to slide at rest, or slower than friction_speed: 1 towards a, -1 towards b; 0
                    neither, so that there is no friction at rest
    slack_force     e (N), width of the transition to slack; None: 1e-6 of what stretches it to twice its length in 1 s,
                    or 1e-5 of its tension at t = 0 if that is all it has

    With the length L of its route, ``f = k (L - l0) + c L' + T`` and the tension is ``(f + sqrt(f^2 + e^2)) / 2``: f
    where it is taut, nothing where it is slack. Its signals are ``<name>/rest_length`` and ``<name>/tension``.

    >>> from pliant.model import Ground, Link
    >>> ground, arm = Ground(), Link("arm", length=0.3, mass=0.2)
    >>> lift = Tendon("lift", arm.at(s=1), ground.at(0, 0.4), guides=[ground.at(0, 0.3)], stiffness=2e3, force=15.0)
    >>> lift.markers
    (<Marker arm/tip>, <Marker ground(0, 0.3)>, <Marker ground(0, 0.4)>)
    """

    units: ClassVar = {
        "stiffness": "N/m",
        "rest_length": "m",
        "force": "N",
        "shortening": "m",
        "tension": "N",
        "damping": "N s/m",
        "largest_force": "N",
        "friction": "1",
        "friction_speed": "m/s",
        "slack_force": "N",
    }
    connects: ClassVar[bool] = True

    name: str
    a: Marker
    b: Marker
    _: KW_ONLY
    guides: tuple[Marker, ...] = ()
    stiffness: float = 0.0
    rest_length: SignalLike | None = None
    force: float | None = None
    shortening: float | None = None
    tension: SignalLike | None = None
    damping: float = 0.0
    largest_force: float | None = None
    friction: float = 0.0
    friction_speed: float = 1e-3
    sliding: int = 0
    slack_force: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_route()
        for key in ("stiffness", "damping", "friction"):
            self._set(**{key: checks.not_negative(self.owner, key, getattr(self, key))})
        self._check_pretension()
        for key, check in CHECKS.items():
            if getattr(self, key) is not None:
                self._set(**{key: check(self.owner, key, getattr(self, key))})
        self._set(friction_speed=checks.positive(self.owner, "friction_speed", self.friction_speed))
        if isinstance(self.sliding, bool) or self.sliding not in (-1, 0, 1):
            raise checks.refuse(
                self.owner, "sliding", self.sliding, "1 (towards a), -1 (towards b) or 0 (nowhere, when at rest)"
            )
        for key in ("rest_length", "tension"):
            if getattr(self, key) is not None:
                self._set_signals(key)
                if isinstance(getattr(self, key), Constant):
                    checks.not_negative(self.owner, key, float(getattr(self, key)))

    @property
    def markers(self) -> tuple[Marker, ...]:
        """Its route: a, the guides, b."""
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

    def _check_pretension(self) -> None:
        """An elastic tendon has a rest length, said in one way; a tendon without stiffness has a tension."""
        given = [key for key in PRETENSIONS if getattr(self, key) is not None]
        if self.stiffness > 0.0 and len(given) != 1:
            got = " and ".join(given) if given else "none of them"
            raise ModelError(
                f"{self.owner}: got {got}; an elastic tendon takes exactly one of rest_length (m), force (N in the "
                "assembled pose) and shortening (m)."
            )
        if self.stiffness == 0.0 and given:
            raise ModelError(
                f"{self.owner}: {given[0]} needs a stiffness, and it is 0. Give stiffness= (N/m), or tension= instead "
                f"of {given[0]}."
            )
        if self.stiffness == 0.0 and self.tension is None:
            raise ModelError(
                f"{self.owner}: it has neither stiffness nor tension and would do nothing. Give stiffness= (N/m) with "
                "rest_length=, force= or shortening=, or give tension= (N)."
            )

    def slack(self, length: float) -> float:
        """Width e of its transition to slack (N), for a route of this length in the assembled pose."""
        if self.slack_force is not None:
            return self.slack_force
        if self.stiffness or self.damping:
            return SHARPNESS * (self.stiffness + self.damping) * length
        return 10.0 * SHARPNESS * abs(float(as_signal(self.tension)(0.0, self.owner)))

    def rest(self, length: float) -> Signal:
        """Its rest length, for a route of this length in the assembled pose."""
        if self.rest_length is not None:
            signal = as_signal(self.rest_length)
            start = float(signal(0.0, self.owner))
            if start < 0.0:
                raise checks.refuse(self.owner, "rest_length at t = 0", start, "zero or positive")
            return signal
        if self.shortening is not None:
            if not self.shortening < length:
                raise checks.refuse(
                    self.owner, "shortening", self.shortening, f"below the length of its route, {length:.6g} m"
                )
            return Constant(length - self.shortening)
        pull, add = self._pull(self.force or 0.0, self.slack(length)), self.tension
        stretch = (pull - (float(as_signal(add)(0.0, self.owner)) if add is not None else 0.0)) / self.stiffness
        if not stretch < length:
            raise ModelError(
                f"{self.owner}: force = {self.force:g} N stretches it by {stretch:.6g} m, but its route is only "
                f"{length:.6g} m long. Give less force, or more stiffness."
            )
        return Constant(length - stretch)

    def _pull(self, tension: float, e: float) -> float:
        """f at which the tendon has this tension: the inverse of `law.tension`, but never slack."""
        limit = inf if self.largest_force is None else self.largest_force
        if not tension < limit:
            raise checks.refuse(self.owner, "force", tension, f"below largest_force = {limit:g} N")
        if tension == 0.0:
            return 0.0
        if limit == inf:
            return max(0.0, tension - 0.25 * e * e / tension)
        d = 2.0 * tension - limit
        return max(0.0, 0.5 * (limit + d * sqrt((limit * limit + 4.0 * e * e - d * d) / (limit * limit - d * d))))
