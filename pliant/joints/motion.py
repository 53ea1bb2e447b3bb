"""A prescribed motion."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

from pliant.errors import ModelError
from pliant.model.parts import Joint
from pliant.model.signals import SignalLike


@dataclass(frozen=True, eq=False)
class Motion(Joint):
    """Drives one coordinate of marker b in marker a's frame as a given function of time. One condition.

    angle  theta_b - theta_a (rad), or
    x, y   of b's point along a's x or y axis (m); give exactly one

    It drives that coordinate only: a pin with a driven angle is a Revolute and a Motion.

    >>> from pliant.model import Ground, Link, Ramp
    >>> drive = Motion(Ground().at(0, 0), Link("crank", length=0.1, mass=0.2).at(s=0), angle=Ramp(0.0, 6.28, 0.0, 2.0))
    >>> drive.coordinate, drive.value
    ('angle', Ramp(start=0.0, end=6.28, t0=0.0, t1=2.0, smooth=True))
    """

    _: KW_ONLY
    angle: SignalLike | None = None
    x: SignalLike | None = None
    y: SignalLike | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        given = [key for key in COORDINATES if getattr(self, key) is not None]
        if len(given) != 1:
            raise ModelError(
                f"{self.owner}: {' and '.join(given) or 'no coordinate'} given; a Motion drives exactly one of "
                f"{', '.join(COORDINATES)}. Add one Motion for each driven coordinate."
            )
        self._set_signals(given[0])

    @property
    def coordinate(self) -> str:
        """The driven coordinate: "angle", "x" or "y"."""
        return next(key for key in COORDINATES if getattr(self, key) is not None)

    @property
    def value(self) -> SignalLike:
        """The signal that the coordinate follows."""
        return getattr(self, self.coordinate)


COORDINATES = ("x", "y", "angle")
