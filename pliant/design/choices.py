"""Choices of a design: every combination of discrete values, and the parameters left to search over."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pliant.errors import OptionError
from pliant.model import Model
from pliant.model.parameters import Parameter
from pliant.system.compile import compile, recipe_of, with_parameters


def combined(subject: Any, choices: Mapping[str, Sequence[object]] | None) -> list[tuple[dict[str, object], Any]]:
    """Yield every combination of choices, with the subject made from it."""
    if callable(subject) and not hasattr(subject, "observed"):
        if not choices:
            raise OptionError("optimise: a function is given, but no choices= that are its arguments. Give a Model.")
        made: Callable[..., Any] = subject
    else:
        made = lambda **values: with_parameters(_compiled(subject), **values)  # noqa: E731
    for name, values in (choices or {}).items():
        if isinstance(values, str) or not len(values):
            raise OptionError(f"choices: {name}={values!r:.60}: give a list of values.")
    if not choices:
        return [({}, subject)]
    every = [dict(zip(choices, each, strict=True)) for each in itertools.product(*choices.values())]
    return [(each, made(**each)) for each in every]


def _compiled(subject: Any) -> Any:
    return compile(subject) if isinstance(subject, Model) else subject


def free(subject: Any, over: Sequence[str] | None, choice: Mapping[str, object]) -> Sequence[str] | None:
    """Return the parameters to search over: all except the chosen ones."""
    if not choice:
        return over
    known = recipe_of(_compiled(subject), "optimise").model.parameters if over is None else over
    names = [each.name if isinstance(each, Parameter) else each for each in known]
    if over is not None and (both := [name for name in names if name in choice]):
        raise OptionError(f"{both[0]!r} is in over= and in choices=: its values are either searched or chosen.")
    found = [name for name in names if name not in choice]
    if names and not found:
        raise OptionError("choices: all parameters are chosen, and none is left to search over. Use pl.study.")
    return found
