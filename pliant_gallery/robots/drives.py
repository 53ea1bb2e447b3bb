"""Drives of cranks: a gear box on a separate shaft, and a parallelogram linkage from there to the crank."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from pliant.forces import Stop
from pliant.forces.geared_motor import GearedMotor
from pliant.joints import Motion, Revolute
from pliant.joints.parallelogram import Parallelogram
from pliant.model import Body, Model, checks
from pliant.model.markers import Marker
from pliant_gallery.robots import frames
from pliant_gallery.robots.legs import Site


@dataclass(frozen=True)
class GearedDrive:
    """A geared motor beside the crank's pivot, whose shaft turns the crank through a parallelogram linkage, 1 to 1.

    torque_constant, ratio, rotor_inertia, efficiency    as in `GearedMotor`
    largest_current, stall_current, no_load_speed        its limits; None: none
    offset                    of the shaft from the pivot, against the direction of the crank at the angle zero (m)
    shaft_mass, shaft_radius  kg, m: parts that turn on the shaft, a disc
    lower, upper              hard stops of the crank (rad), where both are given, while the motor gives torque
    stop_stiffness            of them (N m/rad)

    A crank on such a motor has the inertia ``I + n^2 J + m r^2 / 2`` about its pivot.

    >>> GearedDrive(0.1, ratio=6.0, rotor_inertia=5e-5).per_ampere
    0.6000000000000001
    """

    torque_constant: float
    _: KW_ONLY
    ratio: float = 1.0
    rotor_inertia: float = 0.0
    efficiency: float = 1.0
    largest_current: float | None = None
    stall_current: float | None = None
    no_load_speed: float | None = None
    offset: float = 0.06
    shaft_mass: float = 0.05
    shaft_radius: float = 0.02
    lower: float | None = None
    upper: float | None = None
    stop_stiffness: float = 2e3

    def __post_init__(self) -> None:
        if checks.number("GearedDrive", "ratio", self.ratio) == 0.0:
            raise checks.refuse("GearedDrive", "ratio", self.ratio, "not zero", "A motor without gear has ratio=1.")
        for key in ("torque_constant", "offset", "shaft_mass", "shaft_radius", "stop_stiffness"):
            checks.positive("GearedDrive", key, getattr(self, key))
        if (self.lower is None) != (self.upper is None):
            raise checks.refuse("GearedDrive", "lower, upper", (self.lower, self.upper), "both ends, or none")

    @property
    def per_ampere(self) -> float:
        """Return the torque on the crank (N m/A), at rest."""
        return self.ratio * self.torque_constant

    def put_up(self, m: Model, site: Site, crank: Marker, torque: float | None) -> None:
        """Add shaft, bearing, linkage and motor.

        crank   marker on the crank, at its pivot, with the motor's axes at the angle zero
        torque  of the motor on the crank (N m); None: it turns the shaft to the site's angle
        """
        k, turn = site.number, float(np.arctan2(site.frame[1, 0], site.frame[0, 0]))
        place = site.point - self.offset * site.frame[:, 1 if m.spatial else 0]
        disc = 0.5 * self.shaft_mass * self.shaft_radius**2
        axis: dict[str, Any] = {"axis": "x"} if m.spatial else {}
        if m.spatial:
            seat = site.motor.body.at(*place, orientation=site.frame)
            stands = {"inertia": (disc, 0.5 * disc, 0.5 * disc), "orientation": site.frame @ frames.about_x(site.angle)}
        else:
            seat, stands = site.motor.body.at(*place[:2], angle=turn), {"inertia": disc, "angle": turn + site.angle}
        position = tuple(place[: 3 if m.spatial else 2])
        shaft = m.add(Body(f"shaft {k}", mass=self.shaft_mass, position=position, **stands))
        m.add(
            Revolute(seat, shaft.at(), name=f"bearing {k}", **axis),
            Parallelogram(shaft.at(), crank, carrier=seat, offset=0.0, name=f"linkage {k}", **axis),
        )
        if torque is None:
            m.add(Motion(seat, shaft.at(), angle=site.angle, name=f"motor {k}", **axis))
            return
        limits = {key: getattr(self, key) for key in ("largest_current", "stall_current", "no_load_speed")}
        box = {key: getattr(self, key) for key in ("torque_constant", "ratio", "rotor_inertia", "efficiency")}
        m.add(GearedMotor(f"motor {k}", seat, shaft.at(), torque / self.per_ampere, **box, **limits, **axis))
        if self.lower is not None:
            pivot = m.part(f"pivot {k}")
            m.add(Stop(pivot, lower=self.lower, upper=self.upper, stiffness=self.stop_stiffness))
