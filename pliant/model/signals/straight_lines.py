"""Straight-line programs of array functions: the operations on an array are recorded once, and only these are repeated.
Decisions on the way (zero parts, which function a name stands for) are not made again.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any

OPERATORS = ("add", "sub", "mul", "truediv", "pow", "and", "or")
COMPARISONS = ("lt", "le", "gt", "ge", "eq", "ne")
UNARY = ("neg", "invert")


class Undecided(Exception):
    """The operations of a function depend on the values of its argument."""


class Line:
    """An unknown value: the result of a recorded operation; any operation on it is recorded as another one."""

    __hash__ = object.__hash__

    def __init__(self, steps: list[Step]) -> None:
        self.steps = steps

    def __array_ufunc__(self, function: Any, method: str, *inputs: Any, **named: Any) -> Line:
        if method != "__call__":
            raise Undecided
        return self.step(function, inputs, named)

    def __array_function__(self, function: Any, types: Any, inputs: Any, named: Any) -> Line:
        return self.step(function, inputs, named)

    def astype(self, kind: type) -> Line:
        """Return the value as numbers of another kind."""
        return self.step(operator.methodcaller("astype", kind), (self,), {})

    def step(self, function: Callable[..., Any], inputs: Sequence[Any], named: dict[str, Any]) -> Line:
        """Record an operation; an equal one with equal inputs is recorded once."""
        if named:
            raise Undecided
        for known, given, made in self.steps:
            if known is function and len(given) == len(inputs) and all(map(operator.is_, given, inputs)):
                return made
        found = Line(self.steps)
        self.steps.append((function, inputs, found))
        return found

    def __bool__(self) -> bool:
        raise Undecided


Step = tuple[Callable[..., Any], Sequence[Any], Line]


def _written_down(function: Callable[..., Any], *, turned: bool = False) -> Callable[..., Line]:
    return lambda *given: given[0].step(function, given[::-1] if turned else given, {})


for _name in (*OPERATORS, *COMPARISONS, *UNARY):
    setattr(Line, f"__{_name}__", _written_down(getattr(operator, f"__{_name}__")))
for _name in OPERATORS:
    setattr(Line, f"__r{_name}__", _written_down(getattr(operator, f"__{_name}__"), turned=True))


def straight(function: Callable[[Any], Sequence[Any]]) -> Callable[[Any], Sequence[Any]]:
    """Compile a function from an array to arrays or numbers to a straight-line program; itself if it decides by values.

    >>> import numpy as np
    >>> twice = straight(lambda t: [np.sin(t) + np.sin(t), 3.0])
    >>> [np.round(each, 3).tolist() for each in twice(np.array([0.0, 1.0]))]
    [[0.0, 1.683], 3.0]
    """
    steps: list[Step] = []
    time = Line(steps)
    try:
        found = function(time)
    except Undecided:
        return function
    return _written(time, steps, found)


def _written(time: Line, steps: list[Step], found: Sequence[Any]) -> Callable[[Any], Sequence[Any]]:
    """Write the operations that lead to the results as a Python function; values are released after their last use."""
    needed, leave = {*_lines(found)}, list[set[Line]]()
    for _, inputs, made in reversed(steps):
        fresh = {*_lines(inputs)} - needed if made in needed else set[Line]()
        leave.append(fresh)
        needed |= fresh
    names, known, lines = {time: "t"}, dict[str, Any](), ["def run(t):"]

    def word(value: Any) -> str:
        if isinstance(value, Line):
            return names[value]
        known[f"c{len(known)}"] = value
        return f"c{len(known) - 1}"

    for (function, inputs, made), done in zip(steps, reversed(leave), strict=True):
        if made in needed:
            call = f"{word(function)}({', '.join(map(word, inputs))})"
            names[made] = f"v{len(names)}"
            lines += [f"    {names[made]} = {call}", *(f"    del {names[each]}" for each in done)]
    lines.append(f"    return [{', '.join(map(word, found))}]")
    exec("\n".join(lines), known)
    written: Callable[[Any], Sequence[Any]] = known["run"]
    return written


def _lines(values: Sequence[Any]) -> Iterator[Line]:
    return (each for each in values if isinstance(each, Line))
