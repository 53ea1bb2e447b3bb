"""A beam as an initial-value problem along its length, marched by Runge-Kutta (used by formulations/shooting)."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

from pliant.elements._options import check_count, check_flag
from pliant.errors import OptionError

__all__ = ["METHODS", "Rod"]

PAIRS = ("2/3", "4/5")
METHODS = ("2/3", 4, "4/5", 8, "gauss")
"""Runge-Kutta methods: Bogacki-Shampine's pair, the classical method, Dormand-Prince's pair, their method of order 8,
and Gauss's implicit method of order 4 (in space only).
"""


@dataclass(frozen=True)
class Rod:
    """Options of the integration of a beam from base to tip by formulation "shooting" (paper: see docs/glossary.md).

    subintervals  N; the states at their ends are unknowns (20 for motion, 1 or 2 for statics with moderate bending)
    runge_kutta   4: classical Runge-Kutta with a fixed step; "2/3", "4/5": pairs whose steps adapt to ``tolerance``
    step          d, as a fraction of the length; 0.005 for the classical method; a pair with a given step does not
                  adapt
    tolerance     largest local error of a step of a pair, relative to the length of the beam, in radians, and relative
                  to its forces
    extensible    False: the length of the axis does not change (n = 6 of the paper)
    shear         False: sections stay normal to the axis (the elastica of the paper's eq. 8)
    linear        True: small displacements and rotations, Timoshenko's equations (the paper's eq. 13)
    parts         number of steps into which every step is divided

    >>> Rod(10, runge_kutta="4/5", tolerance=1e-10).adapts
    True
    """

    subintervals: int = 20
    _: KW_ONLY
    runge_kutta: int | str = 4
    step: float | None = None
    tolerance: float = 1e-8
    extensible: bool = True
    shear: bool = True
    linear: bool = False
    parts: int = 1

    order: ClassVar[int] = 1
    """Number of nodes per subinterval minus one."""
    can_be_fed: ClassVar[bool] = True
    continuous: ClassVar[bool] = True
    """Loads along the beam act on its equations, not on its nodes."""

    def __post_init__(self) -> None:
        check_count("Rod", "subintervals", self.subintervals)
        check_count("Rod", "parts", self.parts)
        if self.runge_kutta not in METHODS or isinstance(self.runge_kutta, bool):
            known = ", ".join(map(repr, METHODS))
            raise OptionError(f"Rod: runge_kutta is {self.runge_kutta!r}; it must be one of {known}.")
        for name, value, top in (("step", self.step, 1.0), ("tolerance", self.tolerance, 0.1)):
            number = isinstance(value, int | float) and not isinstance(value, bool)
            if value is not None and not (number and 0.0 < value <= top):
                raise OptionError(f"Rod: {name} is {value!r}; it must be a number above 0 and at most {top:g}.")
        for name in ("extensible", "shear", "linear"):
            check_flag("Rod", name, getattr(self, name))

    @property
    def elements(self) -> int:
        """Number of pieces between nodes, under the name that the layout uses."""
        return self.subintervals

    @property
    def finite_rotation(self) -> bool:
        """True if it is valid for any rotation."""
        return not self.linear

    @property
    def adapts(self) -> bool:
        """True if the steps follow the tolerance."""
        return self.runge_kutta in PAIRS and self.step is None
