"""Force and moment at a marker."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from pliant.errors import ModelError
from pliant.model import checks
from pliant.model.markers import Marker
from pliant.model.parts import USE_AT, Load
from pliant.model.signals.base import Constant, SignalLike, as_signal


@dataclass(frozen=True, eq=False)
class PointLoad(Load, abstract=True):
    """Base class of a load at one marker."""

    marker: Marker
    name: str = field(default="", kw_only=True)

    def __post_init__(self) -> None:
        kind, named = type(self).__name__, isinstance(self.marker, str)
        hint = f"The marker comes first: {kind}(body.at(s=1), ..., name={self.marker!r})." if named else USE_AT
        checks.instance(kind, "marker", self.marker, Marker, hint)
        super().__post_init__()

    def default_name(self) -> str:
        return f"{type(self).__name__.lower()} {self.marker.label}"


@dataclass(frozen=True, eq=False)
class Force(PointLoad):
    """Force (N) at a marker: along global x, y, in space z, or along the marker's turning axes if it is a follower.

    >>> from pliant.model import Link, Sine
    >>> arm = Link("arm", length=1.0, mass=1.0)
    >>> Force(arm.at(s=1), y=Sine(10.0, frequency_hz=2.0)).name
    'force arm/tip'
    """

    units: ClassVar = {"x": "N", "y": "N", "z": "N"}
    in_space: ClassVar[tuple[str, ...]] = ("z",)

    x: SignalLike = 0.0
    y: SignalLike = 0.0
    follower: bool = False
    z: SignalLike = field(default=0.0, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set_signals("x", "y", "z")
        self._set(follower=checks.flag(self.owner, "follower", self.follower))

    def acts_on_directions(self, spatial: bool) -> bool:
        return False


@dataclass(frozen=True, eq=False)
class Moment(PointLoad):
    """Moment (N m) on the body of a marker.

    value     in the plane, positive anticlockwise; z is an alias
    x, y, z   in space, along global axes, or along the marker's turning axes if it is a follower

    Without values the moment is 0, as with a force; its signals can be changed later.

    >>> from pliant.model import Link
    >>> arm = Link("arm", length=1.0, mass=1.0)
    >>> Moment(arm.at(s=0), 2.0).value, Moment(arm.at(s=0), x=1.0).z
    (Constant(value=2.0), Constant(value=0.0))
    """

    units: ClassVar = {"value": "N m", "x": "N m", "y": "N m", "z": "N m"}
    in_space: ClassVar[tuple[str, ...]] = ("x", "y", "z", "follower")

    value: SignalLike | None = None
    x: SignalLike | None = None
    y: SignalLike | None = None
    z: SignalLike | None = None
    follower: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        given = [key for key in "xyz" if getattr(self, key) is not None]
        if self.value is not None and given:
            raise ModelError(
                f"{self.owner}: value and {given[0]} given. Give one value (N m) in the plane, or some of x, y, z in "
                "space."
            )
        if given:
            self._set(**{key: getattr(self, key) if key in given else 0.0 for key in "xyz"})
        self._set_signals(*("xyz" if given else ("value",) if self.value is not None else ()))
        self._set(follower=checks.flag(self.owner, "follower", self.follower))

    def enter(self, spatial: bool) -> None:
        if self.value is None and (self.x is None or not spatial and self._about_z):
            zero = as_signal(0.0)
            about_z = self.z or zero
            words = (
                dict.fromkeys("xyz", zero) if spatial else {"value": about_z, **dict.fromkeys("xyz"), "follower": False}
            )
            self._set(**words)
        elif not spatial and self.value is not None:
            self._set(follower=False)  # turns with the marker about a fixed axis
        super().enter(spatial)
        if spatial and self.value is not None:
            raise ModelError(
                f"{self.owner}: value = {self.value} has no axis, but the model is spatial. Give x=, y= or z= instead."
            )

    @property
    def _about_z(self) -> bool:
        return all(each == Constant(0.0) for each in (self.x, self.y))

    def said_in_space(self) -> dict[str, object]:
        return {"value": None, "z": self._as_given("value")}
