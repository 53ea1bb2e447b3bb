"""Named numbers of a model, and formulas of them, used in place of plain numbers.

    thickness = Parameter("thickness", 1.2e-3, low=0.5e-3, high=3e-3, unit="m")
    Beam("leaf", length=0.3, section=Section.rectangle(10 * thickness, thickness, STEEL))

A formula is a small tree, not a number: an object made from one computes its value and stores the tree (`Made`), so
that it can be made again with other values. `float(p)` is refused, since a number loses its formula.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from keyword import iskeyword
from math import inf
from typing import Any

import numpy as np

from pliant.errors import ModelError, nearest
from pliant.model import checks
from pliant.model.formulas import WITHOUT, Exponents, Formula, in_exponents
from pliant.model.signals import expressions
from pliant.units import exponents

TAKEN = {"t", *expressions.NAMES, *expressions.FUNCTIONS, *expressions.CHOICES, "where"}


@dataclass(frozen=True, repr=False)
class Parameter(Formula):
    """A named number of a model. Use it wherever a part, section, marker or signal takes a number.

    name   a Python identifier; parameters of one model with the same name must be equal
    value  in SI units, or a string with units, "1.2 mm", if `unit` is given
    low    smallest value allowed
    high   largest value allowed
    unit   SI unit, checked wherever the parameter is used; "": not checked
    scale  size of a typical change; default: the magnitude of its value, or of its bounds if the value is zero

    >>> import pliant as pl
    >>> h = pl.Parameter("thickness", "2 mm", low="1 mm", high="4 mm", unit="m")
    >>> m = pl.Model("cantilever")
    >>> strip = pl.Section.rectangle(10 * h, h, pl.STEEL)
    >>> ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=1.0, section=strip))
    >>> parts = m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Force(beam.at(s=1), y=-0.1))
    >>> m.parameters
    {'thickness': Parameter('thickness', 0.002, low=0.001, high=0.004, unit='m')}
    >>> thicker = m.with_parameters(thickness="3 mm")
    >>> round(thicker.part("beam").section.bending_stiffness / beam.section.bending_stiffness, 4)  # 1.5^4
    5.0625
    """

    name: str
    value: float
    low: float = -inf
    high: float = inf
    unit: str = ""
    scale: float | None = None

    def __post_init__(self) -> None:
        named = isinstance(self.name, str) and self.name.isidentifier() and not iskeyword(self.name)
        if not named or self.name in TAKEN:
            hint = f"Formulas use {self.name} already (t is the time). " if named else ""
            allowed = "a name that a Python variable may have, and no word of formulas"
            raise checks.refuse("Parameter", "name", self.name, allowed, f'{hint}Try Parameter("thickness", 1e-3).')
        if self.unit:
            try:
                exponents(str(self.unit))
            except ValueError as error:
                hint = 'Other units belong to the value: Parameter("h", "1.2 mm", unit="m").'
                raise checks.refuse(self.owner, "unit", self.unit, "SI units", hint) from error
        for key in ("value", "low", "high", "scale"):
            self._settle(key)
        if not self.low < self.high:
            raise checks.refuse(self.owner, "low", self.low, f"below high = {self.high!r}", "Swap the two bounds.")
        if not self.low <= self.value <= self.high:
            raise checks.refuse(self.owner, "value", self.value, f"from {self.low!r} to {self.high!r}, its bounds")

    def _settle(self, key: str) -> None:
        from pliant.model.quantities import si_of

        value = getattr(self, key)
        if (
            value is None
            and key == "scale"
            or isinstance(value, float)
            and abs(value) == inf
            and key in ("low", "high")
        ):
            return
        value = si_of(self, key, value)
        check = checks.positive if key == "scale" else checks.number
        hint = (
            f'Give its unit too, such as Parameter({self.name!r}, {value!r}, unit="m").'
            if isinstance(value, str)
            else ""
        )
        object.__setattr__(self, key, check(self.owner, key, value, hint=hint))

    @property
    def owner(self) -> str:
        """Return the name of the parameter in messages."""
        return f'Parameter "{self.name}"'

    @property
    def size(self) -> float:
        """Return the size of a typical change: its scale, its value, or the distance of its bounds."""
        between = self.high - self.low
        return self.scale or abs(self.value) or (between if between < inf else 1.0)

    @property
    def parameters(self) -> dict[str, Parameter]:
        return {self.name: self}

    def computed(self) -> np.float64:
        return np.float64(self.value)

    def changed(self, parameters: Mapping[str, Parameter]) -> Parameter:
        return parameters.get(self.name, self)

    def at(self, value: float | str) -> Parameter:
        """Return the parameter with another value, which may have units of its own."""
        return replace(self, value=value)  # type: ignore[arg-type]  # made a number

    def beyond(self, value: float) -> Parameter:
        """Return the parameter with a value that may be outside its bounds, for differences at a bound."""
        return replace(self, value=value, low=min(self.low, value), high=max(self.high, value))

    def dimension(self) -> Exponents | None:
        return in_exponents(self.unit) if self.unit else None

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        bounds = [f"{key}={getattr(self, key)!r}" for key in ("low", "high") if abs(getattr(self, key)) < inf]
        others = [f"{key}={getattr(self, key)!r}" for key in ("unit", "scale") if getattr(self, key)]
        return f"Parameter({', '.join([repr(self.name), repr(self.value), *bounds, *others])})"


def to_numbers(value: Any, owner: str, argument: str, units: str | None) -> Any:
    """Replace formulas in a value by numbers; refuse formulas with other units."""
    if isinstance(value, Formula):
        _check_units(value, owner, argument, units)
        return 1.0 * value.value  # a new float: `dataclasses.replace` recognises it
    if isinstance(value, tuple | list):
        if not any(isinstance(each, Formula | tuple | list | np.ndarray) for each in value):
            return value
        found = (to_numbers(each, owner, f"{argument}[{i}]", units) for i, each in enumerate(value))
        return type(value)(found) if type(value) in (tuple, list) else value
    if isinstance(value, np.ndarray) and value.dtype == object:
        return to_numbers(value.tolist(), owner, argument, units)
    return value


def _check_units(formula: Formula, owner: str, argument: str, units: str | None) -> None:
    own = formula.dimension()
    if units is not None and own is not None and own != in_exponents(units):
        units_of = {name: parameter.unit for name, parameter in formula.parameters.items()}
        raise checks.refuse(
            owner,
            argument,
            formula,
            "a pure number" if units == "1" else f"in {units}",
            f"It has the units of {', '.join(f'{name} ({unit})' for name, unit in units_of.items())}. {WITHOUT}",
        )


def with_values(known: Mapping[str, Parameter], values: Mapping[str, Any], owner: str) -> dict[str, Parameter]:
    """Return parameters with other values, by name; unknown names are refused."""
    if not known and values:
        raise ModelError(f'{owner} has no parameters. Give one in the place of a number: Parameter("length", 0.3).')
    for name in values:
        if name not in known:
            raise ModelError(f"{owner} has no parameter {name!r}. {nearest(name, known)}")
    return {name: known[name].at(value) for name, value in values.items()}
