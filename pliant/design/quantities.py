"""Quantities of analyses by name, and bounds on them, for designs.

"mass"                         of all bodies and beams (kg)
"position:leaf/tip:y"          any number of the equilibrium, as `pliant.results.quantities` names it
"frequency_hz:1"               of the undamped modes about it
"stiffness:leaf/tip:y"         force over displacement at a marker, other directions free: 1 / compliance
"largest_strain"               of all beams at the equilibrium
a function of system and equilibrium
Quantity("max:reaction:pin:Fx", analysis=partial(pl.transient, end_time=0.2, step=1e-4))
Quantity("critical_load:1", analysis=partial(pl.path, parameter="load/x", to=-50.0))
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from difflib import get_close_matches
from math import inf, isnan
from typing import Any, TypeAlias

import numpy as np

from pliant.errors import ConvergenceError, ModelError, OptionError
from pliant.model import Model
from pliant.model.quantities import in_si_of_its_own, si
from pliant.results import Result
from pliant.results.quantities import number
from pliant.system.capabilities import Compiled

AXES = {False: ("x", "y", "angle"), True: ("x", "y", "z", "angle_x", "angle_y", "angle_z")}
CRITICAL = "critical_load"
OWN = {
    "mass": "mass", "largest_strain": "largest_strain", "frequency_hz": "frequency_hz:1", "frequency": "frequency_hz:1",
    "stiffness": "stiffness:marker:axis", "compliance": "compliance:marker:axis",
}  # fmt: skip
"""What is not a variable of an equilibrium, by its first word, as it is written."""
ALIKE = 0.8  # similarity of two words above which one is the other misspelt
SIGNS = (">=", "<=", "==")

Analysis: TypeAlias = Callable[..., object]


@dataclass(frozen=True, eq=False)
class Quantity:
    """A number, or an array of numbers, computed by an analysis.

    of        its name (see this module), or a function that returns a number or an array: a function of system and
              equilibrium, or with ``analysis`` of its result
    analysis  None: the equilibrium. Or a function of the system, ``partial(pl.transient, end_time=1.0)``, or of system
              and equilibrium, ``lambda system, rest: pl.transient(system, start=rest, end_time=1.0)``
    name      its name in tables; default: ``of``
    unit      SI; default: the unit of the named quantity

    ``Quantity("frequency_hz:1") >= 12.0`` is a `Constraint`.

    >>> Quantity("frequency_hz:1") >= 12.0
    frequency_hz:1 >= 12
    """

    of: str | Callable[..., object]
    analysis: Analysis | None = None
    name: str = ""
    unit: str = ""

    def __post_init__(self) -> None:
        if not (isinstance(self.of, str) and self.of.strip() or callable(self.of)):
            raise OptionError(f'Quantity: {self.of!r:.60} is neither a name ("mass", "angle:crank") nor a function.')
        if self.analysis is not None and not callable(self.analysis):
            hint = "Give a function of the system, such as partial(pl.transient, end_time=1.0)."
            raise OptionError(f"Quantity {self.of!r:.60}: analysis={self.analysis!r:.60} is no function. {hint}")
        if not self.name:
            object.__setattr__(self, "name", self.of if isinstance(self.of, str) else _called(self.of))

    def __ge__(self, value: float | str) -> Constraint:
        return Constraint(self, low=value)  # type: ignore[arg-type]  # made a number

    def __le__(self, value: float | str) -> Constraint:
        return Constraint(self, high=value)  # type: ignore[arg-type]  # made a number

    @property
    def at_rest(self) -> bool:
        """Return whether it is a quantity of the equilibrium."""
        return self.analysis is None and self.of != "mass"

    @property
    def needs_rest(self) -> bool:
        """Return whether it needs the equilibrium."""
        return self.at_rest or self.analysis is not None and places(self.analysis) > 1

    def answered(self, system: Compiled, rest: Result | None) -> object:
        """Return the result of its analysis, or the equilibrium if it has none."""
        if self.analysis is None:
            return rest
        return self.analysis(system, rest) if self.needs_rest else self.analysis(system)

    def measured(self, system: Compiled, rest: Result | None) -> tuple[object, float | np.ndarray, str]:
        """Return the result of its analysis, value and units."""
        if self.of == "mass" and self.analysis is None:
            return rest, mass(system.model), self.unit or "kg"
        answer = self.answered(system, rest)
        if callable(self.of):
            value = self.of(answer) if self.analysis is not None else self.of(system, rest)
            return answer, _plain(value, self.name), self.unit
        found, unit = _named(self.of, system, answer)
        return answer, found, self.unit or unit


@dataclass(frozen=True, eq=False, repr=False)
class Constraint:
    """Bounds on a quantity, in SI units or with units; equal bounds prescribe the value.

    >>> Constraint("stiffness:stage:x", low=100.0, high="0.12 N/mm")
    100 <= stiffness:stage:x <= 120
    """

    quantity: Quantity | str
    low: float = -inf
    high: float = inf
    written: dict[str, object] = field(default_factory=dict, init=False)  # bounds that were given with units

    def __post_init__(self) -> None:
        object.__setattr__(self, "quantity", quantity(self.quantity))
        for name in ("low", "high"):
            given = getattr(self, name)
            value = in_si_of_its_own(repr(self.name), name, given)
            if isinstance(value, bool) or not isinstance(value, int | float | np.number) or isnan(value):
                hint = "Give one in SI units, or one with its units, such as '15 Hz'."
                raise OptionError(f"{self.name!r}: {name}={given!r} is no number. {hint}")
            if value is not given:
                self.written[name] = given
            object.__setattr__(self, name, float(value))
        if self.low > self.high or self.low == inf or self.high == -inf:
            raise OptionError(f"{self!r}: no value is within these bounds. Swap the two.")
        if self.low == -inf and self.high == inf:
            raise OptionError(f"{self.name!r}: give low=, high= or both.")

    def check_units(self, units: str) -> None:
        """Refuse bounds whose units differ from the quantity's, as soon as these are known."""
        for name, given in self.written.items():
            if not units:
                hint = f'Say Quantity(..., unit="N"), or give {name} as a number.'
                raise OptionError(f"{self.name!r}: {name}={given!r}: the units of this quantity are not known. {hint}")
            try:
                si(repr(self.name), name, given, units)
            except ModelError as error:
                raise OptionError(str(error)) from None

    @property
    def name(self) -> str:
        """Return the name of its quantity."""
        return self.quantity.name  # type: ignore[union-attr]

    @property
    def sides(self) -> list[tuple[float, float]]:
        """Return ``sign * (value - bound) >= 0`` for each (sign, bound); an equation has one, which must be zero."""
        if self.low == self.high:
            return [(1.0, self.low)]
        return [(s, bound) for s, bound in ((1.0, self.low), (-1.0, self.high)) if abs(bound) < inf]

    def __bool__(self) -> bool:
        raise OptionError(f"{self!r} is neither true nor false: for two bounds write Constraint(..., low=, high=).")

    def __repr__(self) -> str:
        if self.low == self.high:
            return f"{self.name} == {self.low:g}"
        below = f"{self.low:g} <= " if abs(self.low) < inf else ""
        if below and self.high == inf:
            return f"{self.name} >= {self.low:g}"
        return f"{below}{self.name} <= {self.high:g}"


Asked: TypeAlias = "str | Callable[..., object] | Quantity"


def quantity(given: Asked) -> Quantity:
    """Make a quantity from its name, a function of system and equilibrium, or itself."""
    return given if isinstance(given, Quantity) else Quantity(given)


def constraint(given: Constraint | str) -> Constraint:
    """Read a constraint from text, "frequency_hz:1 >= 12" in SI units or with units, "mass <= 200 g"; or return it.

    >>> constraint("mass <= 200 g"), constraint("stiffness:stage:x == 400")
    (mass <= 0.2, stiffness:stage:x == 400)
    """
    if isinstance(given, Constraint):
        return given
    sign = next((each for each in SIGNS if isinstance(given, str) and each in given), None)
    if sign is None:
        hint = 'Write "mass <= 0.2", pl.Quantity("mass") <= 0.2, or pl.Constraint("mass", high=0.2).'
        raise OptionError(f"subject_to: {given!r:.60} is no constraint. {hint}")
    name, _, bound = given.partition(sign)
    value: Any = bound.strip()
    with suppress(ValueError):
        value = float(bound)
    low, high = (value if sign != "<=" else -inf), (value if sign != ">=" else inf)
    return Constraint(name.strip(), low=low, high=high)


def mass(model: Model) -> float:
    """Return the mass of the whole model (kg).

    >>> import pliant as pl
    >>> m = pl.Model("arm")
    >>> ground, arm = m.add(pl.Ground(), pl.Link("arm", length=1.0, mass=2.0))
    >>> load = m.add(pl.PointMass("load", arm.at(s=1), mass=0.5))
    >>> mass(m)
    2.5
    """
    carriers: list[Any] = [*model.bodies, *model.beams, *model.point_masses]
    return float(sum(each.mass for each in carriers))


def places(function: Analysis) -> int:
    """Return the number of positional arguments without defaults of a function."""
    try:
        given = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return 1
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return sum(each.kind in positional and each.default is inspect.Parameter.empty for each in given)


def _called(function: Callable[..., object]) -> str:
    name = getattr(getattr(function, "func", function), "__name__", type(function).__name__)
    return "function" if name == "<lambda>" else str(name)


def _plain(value: Any, name: str) -> float | np.ndarray:
    try:
        found = np.asarray(value, float)
    except (TypeError, ValueError):
        raise OptionError(f"{name}: its function gave {value!r:.60}. It must give a number or an array.") from None
    return float(found) if found.ndim == 0 else found


def _named(name: str, system: Any, answer: object) -> tuple[float, str]:
    """Return a number by its name, and its units."""
    if not isinstance(answer, Result):
        raise OptionError(
            f"{name!r}: its analysis returns {answer!r:.60}, no Result. Give a function instead of a name."
        )
    word, _, rest = name.partition(":")
    if answer.kind == "path" and word == CRITICAL:
        return _critical(answer, rest)
    if answer.kind == "statics":
        if name == "largest_strain":
            return float(answer.outcome.largest_strain), "1"
        if word in ("stiffness", "compliance"):
            return _stiffness(name, system, answer)
        if word == "frequency_hz":
            from pliant.analyses.modes.modal import modal

            answer = modal(system, at=answer, modes=_count(name, rest))
        elif close := get_close_matches(word, OWN, n=1, cutoff=ALIKE):
            raise OptionError(f"{name!r} is no quantity. Did you mean {OWN[close[0]]}?")
    return number(answer, name)


def _count(name: str, text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise OptionError(f"{name!r}: which mode? Write frequency_hz:1 for the first.")
    return int(text)


def _stiffness(name: str, system: Any, rest: Result) -> tuple[float, str]:
    from pliant.analyses.statics.stiffness import stiffness

    word, _, place = name.partition(":")
    marker, _, axis = place.rpartition(":")
    axes = AXES[system.model.spatial]
    if not marker or axis not in axes:
        raise OptionError(f"{name!r}: write {word}:marker:axis, the axis one of {', '.join(axes)}.")
    k = axes.index(axis)
    compliance = float(stiffness(system, marker=marker, at=rest).compliance[k, k])
    turning = axis.startswith("angle")
    if word == "compliance":
        return compliance, "rad/(N m)" if turning else "m/N"
    return 1.0 / compliance, "N m/rad" if turning else "N/m"


def _critical(path: Result, which: str) -> tuple[float, str]:
    """Return the load of an event of a path, by default the first."""
    count = _count(f"{CRITICAL}:{which}", which) if which else 1
    loads = np.asarray(path.data["event_parameter"].values) if "event_parameter" in path.data.variables else np.zeros(0)
    if loads.size < count:
        raise ConvergenceError(
            f"{CRITICAL}: the path passes {loads.size} limit points and bifurcations, number {count} does not exist. "
            "Let it go further (to=)."
        )
    return float(loads[count - 1]), str(path.data["parameter"].attrs.get("units", ""))
