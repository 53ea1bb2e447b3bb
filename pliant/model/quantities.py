"""Values with units from users: "300 mm", ("20 mm", "-4 cm"), or a quantity of pint. They are kept in SI."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from fractions import Fraction
from math import inf
from typing import Any, ParamSpec, TypeVar

from pliant.errors import ModelError
from pliant.model.checks import refuse
from pliant.model.formulas import FieldOf, Made, collect_parameters
from pliant.model.parameters import Parameter, to_numbers
from pliant.units import ParsedUnits, parse_units

P = ParamSpec("P")
R = TypeVar("R")

NUMBERS = {float, int}
LONGEST = 80  # longest value with units, in characters
WITH_UNITS = re.compile(r"\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?)\s*((?:[^\W\d_]|[°%]|1\s*/).*)")


def si(owner: str, argument: str, value: Any, units: str) -> Any:
    """Convert a value given with units to SI, also inside a sequence. Anything else is returned unchanged.

    >>> si('Link "crank"', "length", "300 mm", "m"), si("Marker", "angle", ("30 deg", 0.1), "rad")
    (0.3, (0.5235987755982988, 0.1))
    """
    if isinstance(value, str):
        match = WITH_UNITS.fullmatch(value) if len(value) <= LONGEST else None
        return value if match is None else _converted(owner, argument, value, match, units)
    if isinstance(value, (list, tuple)):
        if any(isinstance(each, (str, list, tuple)) or hasattr(each, "magnitude") for each in value):
            found = (si(owner, f"{argument}[{i}]", each, units) for i, each in enumerate(value))
            return type(value)(found) if type(value) in (list, tuple) else value
        return value
    if hasattr(value, "magnitude") and hasattr(value, "to"):
        return _of_pint(owner, argument, value, units)
    return value


def si_of(parameter: Parameter, argument: str, value: Any) -> Any:
    """Convert values of a parameter that have units to its SI unit.

    >>> si_of(Parameter("h", 1e-3, unit="m"), "low", ["0.5 mm", 2e-3])
    [0.0005, 0.002]
    """
    return si(parameter.owner, argument, value, parameter.unit) if parameter.unit else value


def in_si_of_its_own(owner: str, argument: str, value: Any) -> Any:
    """Convert a value given with units to SI, whatever its dimension. Anything else is returned unchanged.

    >>> in_si_of_its_own("Ramp", "end", "90 deg"), in_si_of_its_own("Ramp", "end", 2.0)
    (1.5707963267948966, 2.0)
    """
    if isinstance(value, (list, tuple)):
        return [in_si_of_its_own(owner, f"{argument}[{i}]", each) for i, each in enumerate(value)]
    if isinstance(value, str) and len(value) <= LONGEST and (match := WITH_UNITS.fullmatch(value)):
        try:
            return _times(match[1], parse_units(match[2]))
        except ValueError as error:
            raise _refused(owner, argument, value, "SI units", f"{str(error)[:1].upper()}{str(error)[1:]}.") from error
    return value.to_base_units().magnitude if hasattr(value, "to_base_units") else value


def takes(**units: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Decorate a function whose arguments may be given with units; it receives them in the SI units stated here.

    A function that makes a part, section or marker also takes parameters; the object stores their formulas.

    >>> @takes(width="m")
    ... def area(width: float) -> float:
    ...     return width**2
    >>> area("20 mm"), area(0.02)
    (0.0004, 0.0004)
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        known = inspect.signature(function)
        words = (each.replace(annotation=each.empty) for each in known.parameters.values())
        written = inspect.Signature([each for each in words if each.name not in ("self", "cls")])

        def bind(args: Any, kwargs: Any) -> inspect.BoundArguments:
            try:
                return known.bind(*args, **kwargs)
            except TypeError as error:
                name = function.__qualname__
                raise TypeError(f"{name}: {error}. It is written {function.__name__}{written}.") from None

        @functools.wraps(function)
        def converted(*args: P.args, **kwargs: P.kwargs) -> R:
            if all(map(_is_plain, args)) and all(map(_is_plain, kwargs.values())):
                try:
                    return function(*args, **kwargs)
                except TypeError:
                    bind(args, kwargs)  # raises, naming the wrong argument
                    raise
            name, bound = function.__qualname__, bind(args, kwargs)
            given = dict(bound.arguments)
            depends = bool(collect_parameters(given.values()))
            for key, value in given.items():
                value = to_numbers(value, name, key, units.get(key)) if depends else value
                bound.arguments[key] = si(name, key, value, units[key]) if key in units else value
            made = function(*bound.args, **bound.kwargs)
            if depends:
                given = {key: value for key, value in given.items() if key not in ("self", "cls")}
                object.__setattr__(made, "made", Made(function.__name__, given))
            return made

        converted.makes = True  # type: ignore[attr-defined]
        return converted

    return decorate


def _is_plain(given: Any) -> bool:
    """Return whether there is nothing to convert: a number, or an object that depends on no parameter."""
    return type(given) in NUMBERS or getattr(given, "made", given) is None


def first_in_si(check: Callable[[Any], None]) -> Callable[[Any], None]:
    """Wrap ``__post_init__`` of a kind so that it finds its fields, and its bases theirs, as numbers in the declared SI
    units.
    """

    @functools.wraps(check)
    def converted(self: Any, source: Any = None) -> None:
        if type(self).__post_init__ is converted:
            remember(self, source)
            in_si(self, self.own_units)
        check(self)

    return converted


def remember(thing: Any, source: Any = None) -> None:
    """Replace parameters among the fields of a frozen dataclass by numbers, and keep their formulas.

    source  object that `dataclasses.replace` was called with: equal fields keep its formulas
    """
    if thing.made is not None:
        return
    given = {key: getattr(thing, key) for key in _arguments(type(thing))}  # type: ignore[arg-type]
    made = Made("", given)
    if source is not None and source.made is not None:
        before = source.made
        new = {key: value for key, value in given.items() if value is not getattr(source, key)}
        if before.by:
            made = Made("replaced", {**(before.arguments if before.by == "replaced" else {"of": source}), **new})
        else:
            given |= {key: value for key, value in before.arguments.items() if key != "name"} | new
            given |= _filled(source, {key for key in given if given[key] is None} - new.keys(), given)
    if collect_parameters(made.arguments.values()):
        object.__setattr__(thing, "made", made)
        units = thing.own_units
        for key, value in given.items():
            object.__setattr__(thing, key, to_numbers(value, _owner(thing), key, units.get(key)))


def _filled(source: Any, left_out: set[str], given: Mapping[str, Any]) -> dict[str, Any]:
    """Find the fields left out of ``source`` that the given arguments would change."""
    held = {key: getattr(source, key) for key in left_out if getattr(source, key) is not None}
    try:
        again = type(source)(**given) if held else source
    except ModelError:
        again = None
    found = {key: value for key, value in held.items() if repr(getattr(again, key, None)) != repr(value)}
    return {key: FieldOf(source, key) if isinstance(value, float) else value for key, value in found.items()}


@functools.cache
def _arguments(kind: type) -> tuple[str, ...]:
    """Return the fields of a dataclass that are arguments; none for another class."""
    return tuple(each.name for each in fields(kind) if each.init) if is_dataclass(kind) else ()


def in_si(thing: Any, units: Mapping[str, str]) -> None:
    """Convert the fields of a frozen dataclass that were given with units to numbers."""
    for key, text in units.items():
        given = getattr(thing, key)
        if not isinstance(given, (int, float)) and given is not None:
            object.__setattr__(thing, key, si(_owner(thing), key, given, text))


def _owner(thing: Any) -> str:
    name = getattr(thing, "name", None)
    return f'{type(thing).__name__} "{name}"' if name else type(thing).__name__


def _converted(owner: str, argument: str, value: str, match: re.Match[str], units: str) -> float:
    wanted = parse_units(units)
    try:
        given = parse_units(match[2])
    except ValueError as error:
        raise _refused(owner, argument, value, units, f"{str(error)[:1].upper()}{str(error)[1:]}.") from error
    _check_dimension(owner, argument, value, given, wanted, units)
    if "Hz" in match[2] and wanted.angle:
        raise _refused(owner, argument, value, units, "A frequency in Hz is not an angular speed: say rad/s or rpm.")
    return _times(match[1], given)


def _times(number: str, given: ParsedUnits) -> float:
    """Multiply by the factor to SI; infinite, which parts refuse, if too large for a number."""
    try:
        return float(Fraction(number) * given.factor)
    except OverflowError:
        return -inf if number.startswith("-") else inf


def _check_dimension(
    owner: str, argument: str, value: object, given: ParsedUnits, wanted: ParsedUnits, units: str
) -> None:
    """Check the dimension; an angle may be left out, as in "2 N m" for N m/rad, but not added."""
    if given[1:5] != wanted[1:5] or given.angle not in (wanted.angle, 0):
        raise _refused(owner, argument, value, units, "Its units measure something else.")


def _of_pint(owner: str, argument: str, value: Any, units: str) -> Any:
    """Return the SI magnitude of a quantity of pint. pint equates Hz with rad/s, which would be wrong by 2 pi."""
    if parse_units(units).angle and "hertz" in str(value.units):
        raise _refused(owner, argument, value, units, "A frequency in Hz is not an angular speed: say rad/s or rpm.")
    try:
        return value.to("" if units == "1" else units).magnitude
    except Exception as error:  # whatever pint raises
        raise _refused(owner, argument, value, units, f"{type(error).__name__}: {error}.") from error


def _refused(owner: str, argument: str, value: object, units: str, hint: str) -> Exception:
    allowed = "a pure number" if units == "1" else f"a number in {units}, or one with units that can be turned into it"
    return refuse(owner, argument, value, allowed, hint)
