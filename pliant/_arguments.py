"""Check of the arguments of a call that failed: which one does not fit its annotation, and what is allowed."""

from __future__ import annotations

import collections.abc
import sys
import types
import typing
from collections.abc import Callable, Iterator
from inspect import Parameter, Signature, signature
from numbers import Complex, Integral, Real
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pliant.errors import OptionError, nearest

NUMBERS: dict[type, type] = {float: Real, int: Integral, complex: Complex}
PLAIN = (types.NoneType, str, Real, dict, list, tuple)  # values of built-in types
ARRAY = {*typing.get_args(ArrayLike)}
LISTS = (collections.abc.Sequence, collections.abc.Iterable, list)
WORDS = {
    float: "a number", int: "a whole number", complex: "a number", str: "text", bool: "True or False", dict: "a dict",
    types.NoneType: "None", PathLike: "a path", np.ndarray: "an array", collections.abc.Callable: "a function",
    collections.abc.Sequence: "a list", collections.abc.Mapping: "a dict", collections.abc.Iterable: "a list",
    tuple: "a tuple", list: "a list",
}  # fmt: skip
SHOWN = 80  # characters of a value, or of arguments


def usage(function: Callable[..., Any]) -> str:
    """Return how to write a call of a function: ``statics(system, start=None, ...)``."""
    words = []
    for each in signature(function).parameters.values():
        star = "*" * (each.kind is Parameter.VAR_POSITIONAL) or "**" * (each.kind is Parameter.VAR_KEYWORD)
        needed = f"{each.name}=" if each.kind is Parameter.KEYWORD_ONLY else f"{star}{each.name}"
        words.append(needed if each.default is Parameter.empty else f"{each.name}={each.default!r}")
    while len(", ".join(words)) > SHOWN:
        words[-2:] = ["..."]
    return f"{function.__name__}({', '.join(words)})"


def misfit(function: Callable[..., Any], given: tuple[Any, ...], named: dict[str, Any]) -> Exception | None:
    """Return the error of a call whose arguments do not fit the function; None if they fit."""
    form = signature(function)
    try:
        bound = form.bind(*given, **named)
    except TypeError as error:
        return TypeError(f"{function.__name__} {_unbound(form, named, error)} It is written {usage(function)}.")
    for argument, value, hint in hints_of(function, form, bound.arguments):
        if not fits(value, hint):
            shown = " ".join(repr(value).split())
            shown = shown if len(shown) <= SHOWN else f"{shown[: SHOWN - 3]}..."
            return OptionError(
                f"{function.__name__}: {argument} = {shown} is not allowed; it must be {words(hint)}. "
                f"It is written {usage(function)}."
            )
    return None


def _unbound(form: Signature, named: dict[str, Any], error: TypeError) -> str:
    """Explain why arguments do not fit a signature: an unknown name with the nearest known one, or Python's words."""
    unknown = [name for name in named if name not in form.parameters]
    if not unknown:
        return f"was called wrongly: {error}."
    return f"got an unexpected keyword argument {unknown[0]!r}. {nearest(unknown[0], form.parameters)}"


def hints_of(
    function: Callable[..., Any], form: Signature, arguments: dict[str, Any]
) -> Iterator[tuple[str, Any, Any]]:
    """Yield name, value and annotation of every argument whose annotation can be evaluated."""
    names = vars(sys.modules[function.__module__])
    for name, value in arguments.items():
        each = form.parameters[name]
        try:
            hint = eval(each.annotation, dict(names)) if isinstance(each.annotation, str) else each.annotation
        except (NameError, AttributeError):  # a class that only type checkers import
            hint = each.annotation
        if each.kind is Parameter.VAR_POSITIONAL:
            yield from ((name, one, hint) for one in value)
        elif each.kind is not Parameter.VAR_KEYWORD:
            yield name, value, hint


def fits(value: Any, hint: Any) -> bool:
    """Return whether a value fits an annotation; True for annotations that cannot be checked.

    >>> fits([1.0, 2], collections.abc.Sequence[float]), fits("abc", float | None), fits({"a": 1}, dict[str, str])
    (True, False, False)
    """
    origin, inside = typing.get_origin(hint), typing.get_args(hint)
    if isinstance(hint, str):
        choices = hint.split(" | ")
        return not all(map(str.isidentifier, choices)) or not isinstance(value, PLAIN) or str(value) in choices
    if hint is Any or hint is Parameter.empty or isinstance(hint, typing.TypeVar):
        return True
    if hint is None:
        return value is None
    if origin in (typing.Union, types.UnionType):
        others = _besides_arrays(inside)
        return any(fits(value, each) for each in others) or (len(others) < len(inside) and _is_table(value))
    if origin is typing.Literal:
        return value in inside
    kind = origin or hint
    if not isinstance(kind, type):
        return True
    if getattr(kind, "_is_protocol", False) and not getattr(kind, "_is_runtime_protocol", False):
        return not isinstance(value, PLAIN)  # cannot be checked at run time
    if isinstance(value, str) and kind in LISTS:  # a word is no list of letters
        return False
    if kind in NUMBERS:
        return isinstance(value, NUMBERS[kind]) and not isinstance(value, bool | np.bool_)
    listed = kind in LISTS and isinstance(value, list | tuple | np.ndarray)
    if not isinstance(value, kind) and not listed:
        return False
    if listed and inside:
        return all(fits(one, inside[0]) for one in (value.tolist() if isinstance(value, np.ndarray) else value))
    if isinstance(value, collections.abc.Mapping) and len(inside) == 2:
        return all(fits(key, inside[0]) and fits(one, inside[1]) for key, one in value.items())
    return True


def _besides_arrays(choices: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the members of a union without the members of numpy's ArrayLike, if all of them are present."""
    return tuple(each for each in choices if each not in ARRAY) if {*choices} >= ARRAY else choices


def _is_table(value: Any) -> bool:
    try:
        return np.asarray(value, float).dtype == float
    except (TypeError, ValueError):
        return False


def words(hint: Any) -> str:
    """Return an annotation in words.

    >>> words(collections.abc.Sequence[str] | None)
    'a list of text or None'
    """
    origin, inside = typing.get_origin(hint), typing.get_args(hint)
    if isinstance(hint, str):
        return hint.replace(" | ", " or ")
    if origin in (typing.Union, types.UnionType):
        others = _besides_arrays(inside)
        array = ["an array of numbers"] if len(others) < len(inside) else []
        return " or ".join(dict.fromkeys([*array, *(words(each) for each in others)]))
    if origin is typing.Literal:
        return " or ".join(map(repr, inside))
    kind = types.NoneType if hint is None else origin or hint
    said = WORDS.get(kind, getattr(kind, "__name__", str(kind)))
    if said == "a list" and inside and inside[0] is not Any:
        return f"a list of {words(inside[0]).removeprefix('a ')}{'s' if inside[0] in (float, int) else ''}"
    if said == "a dict" and len(inside) == 2:
        return f"a dict from {words(inside[0])} to {words(inside[1])}"
    return said
