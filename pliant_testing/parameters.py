"""Contract of parameters: every number of a part may be one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pliant.errors import ModelError
from pliant.model.copies import arguments, of_parameters
from pliant.model.parameters import Parameter
from pliant.model.parts import Part
from pliant.model.signals.base import Constant

CHANGE = 1.1


def check_parameters(owner: str, part: Part) -> None:
    """Check that a part made again with other values of its parameters is the part with these numbers, also after
    `dataclasses.replace`; numbers with few allowed values are left out.
    """
    given = arguments(part)
    for key in part.units:
        value = given[key].value if isinstance(given[key], Constant) else given[key]
        if not isinstance(value, float):
            continue
        other = CHANGE * value or CHANGE - 1.0
        try:
            wanted = type(part)(**given | {key: other})
        except ModelError:
            continue
        parameter = Parameter("number", value, unit=part.units[key])
        named = type(part)(**given | {key: parameter})
        found = of_parameters(named, {"number": parameter.at(other)})
        others: list[Any] = [replace(each, name="renamed") for each in (named, wanted)]  # type: ignore[type-var]
        renamed = of_parameters(others[0], {"number": parameter.at(other)})
        if repr(renamed) != repr(others[1]):
            raise AssertionError(f"{owner}: {key} as a parameter is forgotten by dataclasses.replace: {renamed!r}.")
        if repr(named) != repr(part) or repr(found) != repr(wanted):
            raise AssertionError(
                f"{owner}: {key} as a parameter gives {named!r} and then {found!r}; as a number it gave {part!r} and "
                f"{wanted!r}."
            )
