"""Leg of the docking robot PACOMA: two rigid links, a titanium leaf between them, a tendon that buckles the leaf.

    C ===upper link=== B        C (0, 0.4), O (0.15, 0)
                        \\       lower link O-A, q1; upper link C-B, q3 (both from the x axis)
                  tendon | leaf leaf A-B, straight when it is made; the tendon runs beside it from A to B
                        /
         O ==lower link= A

A short tendon bends the leaf to one side: "outward" is +x, away from the ground pivots. While it is pretensioned one
link is held. Table 5.2 gives geometry, material and masses (its O is P_1, ERRATA thesis 10); it gives neither data of
the tendon nor damping: these are ours (ERRATA thesis 18).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import acos, atan2, cos, hypot, sin
from typing import TYPE_CHECKING, Any

import pliant as pl
from pliant.errors import OptionError
from pliant.model.signals.base import SignalLike

if TYPE_CHECKING:
    from pliant.results import Result

HOLDS = ("q3", "q1", None)


@dataclass(frozen=True)
class LegParameters:
    """Data of table 5.2, completed."""

    lower_pivot: tuple[float, float] = (0.150, 0.0)  # O, m
    upper_pivot: tuple[float, float] = (0.0, 0.400)  # C, m
    lower_length: float = 0.12  # m
    leaf_length: float = 0.50  # m
    upper_length: float = 0.19  # m
    leaf_width: float = 0.077  # m
    leaf_thickness: float = 0.0012  # m
    youngs_modulus: float = 120e9  # Pa
    poisson_ratio: float = 0.35
    density: float = 4502.0  # kg/m^3
    lower_mass: float = 1.0  # kg
    upper_mass: float = 1.0  # kg
    gravity: float = 9.81  # m/s^2, along -y
    tendon_stiffness: float = 269.430  # N/m; ours, like all below
    tendon_rest_length: float = 0.169670  # m: 89 N along the straight leaf
    tendon_damping: float = 1500.0  # N s/m; 15 for studies of control
    tendon_pull: float = 0.0  # N added to the tendon's elastic force by an actuator
    damping_ratio: float = 0.01  # of the leaf's first two pinned modes

    @property
    def section(self) -> pl.Section:
        """Return stiffness and mass of the leaf."""
        titanium = pl.Material(
            "titanium of the leaf",
            youngs_modulus=self.youngs_modulus,
            poisson_ratio=self.poisson_ratio,
            density=self.density,
        )
        return pl.Section.rectangle(self.leaf_width, self.leaf_thickness, titanium)

    def straight(self, hold: str | None = "q3") -> tuple[float, float]:
        """Return angles q1, q3 (rad) with a straight leaf, A outward, and the held one at zero (q3 if none is held)."""
        if hold == "q1":
            end = tip(self.lower_pivot, self.lower_length, 0.0)
            return 0.0, _closing(self.upper_pivot, self.upper_length, end, self.leaf_length)
        end = tip(self.upper_pivot, self.upper_length, 0.0)
        return _closing(self.lower_pivot, self.lower_length, end, self.leaf_length, turn=-1.0), 0.0


LEG = LegParameters()
"""First set: the upper link is held level (q3 = 0), the lower one is free."""
LEG_LOWER_HELD = LegParameters(tendon_stiffness=400.678, tendon_rest_length=0.277880)
"""Second set: the lower link is held along x (q1 = 0), the upper one is free."""


def model(parameters: LegParameters = LEG, *, hold: str | None = "q3", motor: SignalLike | None = None) -> pl.Model:
    """Make the leg, assembled with a straight leaf.

    hold   the link that is held at angle zero: "q3" the upper, "q1" the lower, None: the leg is released
    motor  torque (N m) of a motor at the lower pivot, signal "motor/torque"; None: no motor

    Parts: "lower link", "leaf", "upper link", "tendon", "hold", "gravity". Rest length and weight are signals,
    "tendon/rest_length" and "gravity/y", so a path can follow them.

    >>> model()
    <Model "leg": 2 rigid bodies, 1 beam, 5 joints, 2 forces>
    """
    if hold not in HOLDS:
        raise OptionError(f"hold={hold!r}: choose {', '.join(map(repr, HOLDS))}.")
    given = parameters
    q1, q3 = given.straight(hold)
    start, end = tip(given.lower_pivot, given.lower_length, q1), tip(given.upper_pivot, given.upper_length, q3)
    m = pl.Model("leg", plane="xy")
    ground, lower, upper, leaf = m.add(
        pl.Ground(),
        pl.Link("lower link", length=given.lower_length, mass=given.lower_mass, angle=q1),
        pl.Link("upper link", length=given.upper_length, mass=given.upper_mass, angle=q3),
        pl.Beam(
            "leaf",
            length=given.leaf_length,
            section=given.section,
            angle=atan2(end[1] - start[1], end[0] - start[0]),
            damping=pl.Rayleigh.of_modes(given.damping_ratio, "pinned-pinned"),
        ),
    )
    pivots = {
        "q1": (ground.at(*given.lower_pivot), lower.at(s=0)),
        "q3": (ground.at(*given.upper_pivot), upper.at(s=0)),
    }
    m.add(
        pl.Revolute(*pivots["q1"], name="O"),
        pl.Revolute(lower.at(s=1), leaf.at(s=0), name="A"),
        pl.Revolute(leaf.at(s=1), upper.at(s=1), name="B"),
        pl.Revolute(*pivots["q3"], name="C"),
        pl.Tendon(
            "tendon",
            lower.at(s=1),
            upper.at(s=1),
            stiffness=given.tendon_stiffness,
            rest_length=given.tendon_rest_length,
            tension=given.tendon_pull,
            damping=given.tendon_damping,
        ),
        pl.Gravity(y=-given.gravity),
        leaf.at(s=0.5),
    )
    if hold is not None:
        m.add(pl.Motion(*pivots[hold], angle=0.0, name="hold"))
    if motor is not None:
        m.add(pl.Motor("motor", *pivots["q1"], motor))
    return m


def start(system: Any) -> Result | None:
    """Return the equilibrium of a held leg for pictures, bent outward; None if its tendon does not buckle the leaf."""
    from pliant_gallery.leg.stages import outward

    return outward(system)


def tip(base: tuple[float, float], length: float, angle: float) -> tuple[float, float]:
    """Return the far end of a link."""
    return base[0] + length * cos(angle), base[1] + length * sin(angle)


def _closing(
    base: tuple[float, float], length: float, end: tuple[float, float], distance: float, turn: float = 1.0
) -> float:
    """Return the angle of a link on `base` whose tip is at a distance from `end`, on the side of `turn`."""
    x, y = end[0] - base[0], end[1] - base[1]
    reach = hypot(x, y)
    between = acos((length**2 + reach**2 - distance**2) / (2.0 * length * reach))
    return atan2(y, x) + turn * between
