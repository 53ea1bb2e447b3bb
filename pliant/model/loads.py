"""Forces of one manner, and what results hold of them: along a line, and where a gap closes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from pliant.model.formulas import Formula
from pliant.model.markers import Marker
from pliant.model.parts import Load


class Line(Load, abstract=True):
    """Pulls along the line through its markers: a spring, a tendon.

    Results hold its length along its route, the rate of that, and its tension: negative where a spring pushes, the mean
    of a tendon with friction. Its kernels tell these as `readings`, in this order.
    """

    listed_along: ClassVar[str] = "line"
    results: ClassVar = {"line_length": "m", "line_rate": "m/s", "tension": "N"}

    @property
    def line(self) -> tuple[Marker, ...]:
        return self.markers

    def slack(self, length: float) -> float:
        """Width of its transition to slack (N), for a route of this length; 0 of a line that is never slack."""
        return 0.0

    def acts_on_directions(self, spatial: bool) -> bool:
        return False


class Unilateral(Load, abstract=True):
    """Pushes where a gap closes, with ``k x^p max(0, 1 + d x')``, or as a condition with restitution: contacts, stops.

    Results hold its smallest gap (rad of an angle), and the sums of its points' normal forces (N m of an angle) and of
    friction. Its kernels tell these as `touching`.
    """

    units: ClassVar = {"stiffness": "N/m", "exponent": "1", "damping": "s/m", "restitution": "1"}  # of exponent 1
    idles: ClassVar[bool] = True
    unilateral: ClassVar[bool] = True
    thin: ClassVar[bool] = False  # whether a step may lead through it, to where it pushes to the other side
    listed_along: ClassVar[str] = "contact"
    results: ClassVar = {"gap": "m", "normal_force": "N", "friction_force": "N"}

    exponent: float

    @property
    def own_units(self) -> Mapping[str, str]:
        """Its stiffness is N/m^p."""
        power = self.exponent.value if isinstance(self.exponent, Formula) else self.exponent
        return self.units if power == 1.0 else {**self.units, "stiffness": f"N/m^{power}"}

    def unscalable(self) -> str:
        if self.exponent == 1.0:
            return ""
        return "the units of its stiffness follow from its exponent. Give it in the units of the scaled model."
