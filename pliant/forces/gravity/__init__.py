"""Weight of everything that has mass."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from pliant.errors import ModelError
from pliant.model.parts import Load
from pliant.model.signals.base import Constant, SignalLike, as_signal

EARTH = -9.81  # m/s^2


@dataclass(frozen=True, eq=False)
class Gravity(Load):
    """Acceleration of gravity (m/s^2), on all bodies, point masses and beams. Signals are allowed.

    Without y and z it is the Earth's: along -y in a planar model, along -z in a spatial one.

    >>> Gravity().y
    Constant(value=-9.81)
    """

    units: ClassVar = {"x": "m/s²", "y": "m/s²", "z": "m/s²"}

    x: SignalLike = 0.0
    y: SignalLike = None  # type: ignore[assignment]  # filled below
    name: str = field(default="", kw_only=True)
    z: SignalLike | None = field(default=None, kw_only=True)
    _down: bool = field(init=False, repr=False, default=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(_down=self.y is None and self.z is None)
        self._set(y=EARTH if self._down else 0.0 if self.y is None else self.y)
        self._set_signals("x", "y", *(() if self.z is None else ("z",)))

    def enter(self, spatial: bool) -> None:
        super().enter(spatial)
        if not spatial and self.z is not None and not self._down:
            raise ModelError(
                f"{self.owner}: z = {self.z} belongs to space, but the model is planar. Give y, or make the model "
                "spatial: Model(name, plane=None)."
            )
        if self._down:
            self._set(y=Constant(0.0 if spatial else EARTH), z=Constant(EARTH) if spatial else None)
        elif spatial:
            self._set(z=as_signal(self.z or 0.0))

    def default_name(self) -> str:
        return "gravity"
