"""Weight of everything that has mass."""

from __future__ import annotations

from dataclasses import dataclass, field

from pliant.model.parts import Load
from pliant.model.signals import SignalLike


@dataclass(frozen=True, eq=False)
class Gravity(Load):
    """Acceleration of gravity (m/s^2), on all bodies, point masses and beams. Signals are allowed.

    >>> Gravity().y
    Constant(value=-9.81)
    """

    x: SignalLike = 0.0
    y: SignalLike = -9.81
    name: str = field(default="", kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set_signals("x", "y")

    def default_name(self) -> str:
        return "gravity"
