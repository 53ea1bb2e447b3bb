"""Lines whose tension follows from stretch and actuator: tendons, through guides or in a channel."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from math import inf, sqrt
from typing import ClassVar

from pliant.errors import ModelError
from pliant.model import checks
from pliant.model.loads import Line
from pliant.model.signals.base import Constant, Signal, SignalLike, as_signal

CHECKS = {
    "force": checks.not_negative,
    "shortening": checks.not_negative,
    "largest_force": checks.positive,
    "slack_force": checks.positive,
}
IN_TIME = {  # signals to use instead
    "force": "One that changes in time is tension=Ramp(...).",
    "shortening": "A tendon that is wound in has rest_length=Ramp(...), from the length of its route to less.",
}
PRETENSIONS = ("rest_length", "force", "shortening")
SHARPNESS = 1e-6  # of the force that stretches the tendon to twice its length: width of its transition to slack


@dataclass(frozen=True, eq=False)
class Tensioned(Line, abstract=True):
    """A massless line that pulls and never pushes, with the tension S(f) of law.py.

    With the length L of its route, ``f = k (L - l0) + T`` (plus a damper's force), from `stiffness`, `rest_length` and
    `tension`.
    """

    units: ClassVar = {
        "stiffness": "N/m",
        "rest_length": "m",
        "force": "N",
        "shortening": "m",
        "tension": "N",
        "largest_force": "N",
        "slack_force": "N",
    }

    one_of: ClassVar[tuple[str, ...]] = PRETENSIONS

    name: str
    _: KW_ONLY
    stiffness: float = 0.0
    rest_length: SignalLike | None = None
    force: float | None = None
    shortening: float | None = None
    tension: SignalLike | None = None
    largest_force: float | None = None
    slack_force: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(stiffness=checks.not_negative(self.owner, "stiffness", self.stiffness))
        self._check_pretension()
        for key, check in CHECKS.items():
            if getattr(self, key) is not None:
                self._set(**{key: check(self.owner, key, getattr(self, key), hint=IN_TIME.get(key, ""))})
        for key in ("rest_length", "tension"):
            if getattr(self, key) is not None:
                self._set_signals(key)
                if isinstance(getattr(self, key), Constant):
                    checks.not_negative(self.owner, key, float(getattr(self, key)))

    @property
    def resistance(self) -> float:
        """Force over its length and, in 1 s, over its rate: the reference of the width of its transition to slack."""
        return self.stiffness

    def _check_pretension(self) -> None:
        """Check that an elastic tendon has one pretension, and a tendon without stiffness a tension."""
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
                f"{self.owner}: it has neither stiffness nor tension and no effect. Give stiffness= (N/m) with "
                "rest_length=, force= or shortening=, or give tension= (N)."
            )

    def slack(self, length: float) -> float:
        """Return the width e of its transition to slack (N), for a route of this length in the assembled pose."""
        if self.slack_force is not None:
            return self.slack_force
        if self.resistance:
            return SHARPNESS * self.resistance * length
        return 10.0 * SHARPNESS * abs(float(as_signal(self.tension)(0.0, self.owner)))

    def rest(self, length: float) -> Signal:
        """Return its rest length, for a route of this length in the assembled pose."""
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
        """Return f at which the tendon has this tension: the inverse of `law.tension`, but never slack."""
        limit = inf if self.largest_force is None else self.largest_force
        if not tension < limit:
            raise checks.refuse(self.owner, "force", tension, f"below largest_force = {limit:g} N")
        if tension == 0.0:
            return 0.0
        if limit == inf:
            return max(0.0, tension - 0.25 * e * e / tension)
        d = 2.0 * tension - limit
        return max(0.0, 0.5 * (limit + d * sqrt((limit * limit + 4.0 * e * e - d * d) / (limit * limit - d * d))))
