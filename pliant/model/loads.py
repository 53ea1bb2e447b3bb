"""Base classes of forces with common results: forces along a line, and forces where a gap closes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from pliant.model.formulas import Formula
from pliant.model.markers import Marker
from pliant.model.parts import Load


class Line(Load, abstract=True):
    """Pulls along the line through its markers: a spring, a tendon.

    Results hold its length along its route, the rate of the length, and its tension: negative for a spring that pushes,
    the mean for a tendon with friction. Its kernels return these as `readings`, in this order.
    """

    listed_along: ClassVar[str] = "line"
    results: ClassVar = {"line_length": "m", "line_rate": "m/s", "tension": "N"}

    @property
    def line(self) -> tuple[Marker, ...]:
        return self.markers

    def slack(self, length: float) -> float:
        """Return the width of the transition to slack (N) for a route of this length; 0 if it is never slack."""
        return 0.0

    def acts_on_directions(self, spatial: bool) -> bool:
        return False


class Unilateral(Load, abstract=True):
    """Pushes where a gap closes, with ``k x^p max(0, 1 + d x')``, or as a condition with restitution: contacts, stops.

    Results hold its smallest gap (rad for an angle), and the sums of normal forces (N m for an angle) and of friction
    over its points. Its kernels return these as `touching`.
    """

    units: ClassVar = {
        "stiffness": "N/m",
        "exponent": "1",
        "damping": "s/m",
        "restitution": "1",
    }  # stiffness for exponent 1
    idles: ClassVar[bool] = True
    unilateral: ClassVar[bool] = True
    thin: ClassVar[bool] = False  # whether a step may pass through it, to where it pushes to the other side
    listed_along: ClassVar[str] = "contact"
    results: ClassVar = {"gap": "m", "normal_force": "N", "friction_force": "N"}

    exponent: float

    @property
    def own_units(self) -> Mapping[str, str]:
        """Return the units; the stiffness is in N/m^p."""
        power = self.exponent.value if isinstance(self.exponent, Formula) else self.exponent
        return self.units if power == 1.0 else {**self.units, "stiffness": f"N/m^{power}"}

    def unscalable(self) -> str:
        if self.exponent == 1.0:
            return ""
        return "the units of its stiffness follow from its exponent. Give it in the units of the scaled model."
