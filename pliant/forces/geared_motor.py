"""An electric motor with a gear box, driven by its current."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import log, tanh
from typing import ClassVar

from pliant.errors import ModelError
from pliant.forces._law import PointLaw
from pliant.model import checks
from pliant.model.axes import Axial, Axis
from pliant.model.markers import Marker
from pliant.model.parts import Between
from pliant.model.signals.base import SignalLike


@dataclass(frozen=True, eq=False)
class GearedMotor(Axial, Between, PointLaw):
    """Motor and gear box between markers a and b: torque ``T = n K i eta^s`` on the body of b, and its opposite on a's.

    current          i (A), may change in time; cut off at the limits of the motor:
    torque_constant  K (N m/A)
    ratio            n, turns of the rotor per turn of b; not zero, negative if it turns the other way
    largest_current  limit of the drive (A); None: no limit
    stall_current    of the voltage at rest (A), with no_load_speed: at the rotor's speed w the voltage allows ``i <=
                     stall (1 - w / w0)``, and as much in the other direction. None: no limit
    no_load_speed    w0 (rad/s) of the rotor
    efficiency       eta of the gear box: the share of the power that it passes on in either direction: s = 1 if the
                     motor drives, -1 if it is driven, ``tanh(w / speed)`` between: at rest all torque arrives.
                     This is dry friction: for small motions set ``friction="stuck"`` or ``"free"`` (no loss)
    speed            of b, at which 76 % of the loss is reached (rad/s)
    rotor_inertia    J of the rotor about its axis (kg m^2), which acts as ``n^2 J``. It turns with the body of a, n
                     times as fast as b relative to a, and has the gyroscopic moments of this spin (forces/rotor); its
                     mass, and its inertia across the axis, belong to the body that carries it
    axis             in space, axis of rotation, in marker a's axes: "x", "y", "z" or 3 numbers

    >>> from pliant.model import Ground, Link
    >>> crank = Link("crank", length=0.12, mass=1.0)
    >>> GearedMotor("drive", Ground().at(0, 0), crank.at(s=0), 2.0, torque_constant=0.1, ratio=6.0).ratio
    6.0
    """

    units: ClassVar = {
        "current": "A",
        "torque_constant": "N m/A",
        "ratio": "1",
        "largest_current": "A",
        "stall_current": "A",
        "no_load_speed": "rad/s",
        "efficiency": "1",
        "speed": "rad/s",
        "rotor_inertia": "kg m^2",
    }
    measures: ClassVar[tuple[str, ...]] = ("angle",)
    numbers: ClassVar[tuple[str, ...]] = (
        *("torque_constant", "ratio", "largest_current", "stall_current", "no_load_speed", "efficiency", "speed"),
        "rotor_inertia",  # read by forces/rotor
    )
    inputs: ClassVar[tuple[str, ...]] = ("current",)
    rubs_below: ClassVar[str] = "speed"

    name: str
    a: Marker
    b: Marker
    current: SignalLike
    torque_constant: float = field(kw_only=True)
    ratio: float = field(default=1.0, kw_only=True)
    largest_current: float | None = field(default=None, kw_only=True)
    stall_current: float | None = field(default=None, kw_only=True)
    no_load_speed: float | None = field(default=None, kw_only=True)
    efficiency: float = field(default=1.0, kw_only=True)
    speed: float = field(default=1e-2, kw_only=True)
    rotor_inertia: float = field(default=0.0, kw_only=True)
    axis: Axis = field(default="z", kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set_signals("current")
        if checks.number(self.owner, "ratio", self.ratio) == 0.0:
            raise checks.refuse(self.owner, "ratio", self.ratio, "not zero", "A motor without gear has ratio=1.")
        for key in ("torque_constant", "speed"):
            self._set(**{key: checks.positive(self.owner, key, getattr(self, key))})
        self._set(rotor_inertia=checks.not_negative(self.owner, "rotor_inertia", self.rotor_inertia))
        if not 0.0 < checks.number(self.owner, "efficiency", self.efficiency) <= 1.0:
            raise checks.refuse(self.owner, "efficiency", self.efficiency, "above 0 and at most 1")
        if (self.stall_current is None) != (self.no_load_speed is None):
            raise ModelError(
                f"{self.owner}: stall_current = {self.stall_current} and no_load_speed = {self.no_load_speed}: the "
                "line of current over speed has two ends. Give both, or none."
            )
        for key in ("largest_current", "stall_current", "no_load_speed"):
            if getattr(self, key) is not None:
                self._set(**{key: checks.positive(self.owner, key, getattr(self, key))})

    @staticmethod
    def resist(p, x, rate, u, f, f_x, f_rate):  # type: ignore[no-untyped-def]
        """Write f = -T and df/dw; a limit that is not given is NaN, and no current exceeds it."""
        i, i_w, voltage = u[0], 0.0, p[3] * p[1] * rate[0] / p[4]
        if i > p[3] - voltage:
            i, i_w = p[3] - voltage, -p[3] / p[4]
        elif i < -p[3] - voltage:
            i, i_w = -p[3] - voltage, -p[3] / p[4]
        if i > p[2]:
            i, i_w = p[2], 0.0
        elif i < -p[2]:
            i, i_w = -p[2], 0.0
        way = 1.0 if i * p[1] > 0.0 else -1.0
        s = tanh(way * rate[0] / p[6])
        gain = p[1] * p[0] * p[5] ** s
        f[0] = -gain * i
        f_rate[0, 0] = -gain * (p[1] * i_w + i * log(p[5]) * way * (1.0 - s * s) / p[6])

    @staticmethod
    def energy(p, x, u):  # type: ignore[no-untyped-def]
        """Return V = -T phi, at rest."""
        i = u[0]
        if i > p[3]:
            i = p[3]
        elif i < -p[3]:
            i = -p[3]
        if i > p[2]:
            i = p[2]
        elif i < -p[2]:
            i = -p[2]
        return -p[1] * p[0] * i * x[0]
