"""Force and moment at a marker."""

from __future__ import annotations

from dataclasses import dataclass, field

from pliant.model import checks
from pliant.model.markers import Marker
from pliant.model.parts import USE_AT, Load
from pliant.model.signals import SignalLike


@dataclass(frozen=True, eq=False)
class PointLoad(Load, abstract=True):
    """Something that acts at one marker."""

    marker: Marker
    name: str = field(default="", kw_only=True)

    def __post_init__(self) -> None:
        checks.instance(type(self).__name__, "marker", self.marker, Marker, USE_AT)
        super().__post_init__()

    def default_name(self) -> str:
        return f"{type(self).__name__.lower()} {self.marker.label}"


@dataclass(frozen=True, eq=False)
class Force(PointLoad):
    """Force (N) at a marker: along global x and y, or along the marker's turning axes if it is a follower.

    >>> from pliant.model import Link, Sine
    >>> arm = Link("arm", length=1.0, mass=1.0)
    >>> Force(arm.at(s=1), y=Sine(10.0, frequency_hz=2.0)).name
    'force arm/tip'
    """

    x: SignalLike = 0.0
    y: SignalLike = 0.0
    follower: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set_signals("x", "y")
        self._set(follower=checks.flag(self.owner, "follower", self.follower))


@dataclass(frozen=True, eq=False)
class Moment(PointLoad):
    """Moment (N m) on the body of a marker, positive turning left.

    >>> from pliant.model import Link
    >>> Moment(Link("arm", length=1.0, mass=1.0).at(s=0), 2.0).value
    Constant(value=2.0)
    """

    value: SignalLike

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set_signals("value")
