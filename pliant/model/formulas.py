"""Arithmetic of parameters as small trees; writing them as text, and reading them without running code."""

from __future__ import annotations

import ast
import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import InitVar, dataclass, field, make_dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn, Self, TypeAlias

import numpy as np

from pliant.errors import ModelError
from pliant.model import checks
from pliant.model.signals import expressions
from pliant.units import parse_units

if TYPE_CHECKING:
    from pliant.model.parameters import Parameter

    Number = float  # for type checkers a formula may stand where a number may, though it is no float
    Replaceable = object
else:
    Number = object
    SOURCE = [("_source", InitVar[object], field(default=None, kw_only=True))]
    Replaceable = make_dataclass("Replaceable", SOURCE, init=False, repr=False, eq=False, frozen=True)
    Replaceable._source = property(lambda self: self)  # `dataclasses.replace` passes the original to ``__post_init__``

Exponents: TypeAlias = tuple[Fraction, ...]

SIGN = "="  # first character of a formula in a file

OPERATORS: dict[str, tuple[Callable[..., Any], int]] = {  # and the binding strength of each
    "+": (operator.add, 1),
    "-": (operator.sub, 1),
    "*": (operator.mul, 2),
    "/": (operator.truediv, 2),
    "minus": (operator.neg, 3),
    "**": (operator.pow, 4),
}
FUNCTIONS: dict[str, Any] = {
    name: getattr(np, name) for name in ("sin", "cos", "tan", "tanh", "exp", "log", "sqrt", "abs")
}
UFUNCS = {function: name for name, function in FUNCTIONS.items()} | {
    np.add: "+",
    np.subtract: "-",
    np.multiply: "*",
    np.true_divide: "/",
    np.power: "**",
    np.negative: "minus",
}
SYNTAX: dict[type[ast.AST], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**"}


@dataclass(frozen=True)
class Made:
    """Constructor ("": the class itself) and arguments of a part, section, signal or marker."""

    by: str
    arguments: Mapping[str, Any]

    @cached_property
    def parameters(self) -> dict[str, Parameter]:
        """Return the parameters in the arguments, by name."""
        return collect_parameters(self.arguments.values())

    @cached_property
    def smooth(self) -> bool:
        """Return whether no formula has a slope that may jump."""
        return all(map(smooth, self.arguments.values()))


class Formula(ABC, Number):
    """Arithmetic of parameters: + - * / ** and sin, cos, tan, tanh, exp, log, sqrt, abs of numpy.

    >>> import numpy as np
    >>> from pliant.model import Parameter
    >>> h = Parameter("h", 2.0)
    >>> area = 3 * h**2 + np.sqrt(h - 1)
    >>> area, area.value, list(area.parameters)
    (3 * h ** 2 + sqrt(h - 1), 13.0, ['h'])
    """

    strength: int = 9  # binding strength of its text
    value: float

    @property
    @abstractmethod
    def parameters(self) -> dict[str, Parameter]:
        """Return the parameters that the formula depends on, by name."""

    @abstractmethod
    def computed(self) -> np.float64:
        """Return the value, as numpy computes it."""

    @abstractmethod
    def changed(self, parameters: Mapping[str, Parameter]) -> Formula:
        """Return the formula with other parameters, by name; itself if it depends on none of them."""

    @abstractmethod
    def dimension(self) -> Exponents | None:
        """Return exponents of length, time, mass and current; None if a parameter has no units."""

    def __add__(self, other: Any) -> Any:
        return _applied("+", self, other)

    def __radd__(self, other: Any) -> Any:
        return _applied("+", other, self)

    def __sub__(self, other: Any) -> Any:
        return _applied("-", self, other)

    def __rsub__(self, other: Any) -> Any:
        return _applied("-", other, self)

    def __mul__(self, other: Any) -> Any:
        return _applied("*", self, other)

    def __rmul__(self, other: Any) -> Any:
        return _applied("*", other, self)

    def __truediv__(self, other: Any) -> Any:
        return _applied("/", self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return _applied("/", other, self)

    def __pow__(self, other: Any) -> Any:  # type: ignore[override]
        return _applied("**", self, other)

    def __rpow__(self, other: Any) -> Any:  # type: ignore[override]
        return _applied("**", other, self)

    def __neg__(self) -> Any:
        return _applied("minus", self)

    def __pos__(self) -> Self:
        return self

    def __abs__(self) -> Any:
        return _applied("abs", self)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        """Apply a numpy function; an array and a formula give an array of formulas."""
        if method != "__call__" or options or ufunc not in UFUNCS:
            known = ", ".join(sorted(f"np.{name}" for name in FUNCTIONS))
            raise TypeError(f"np.{ufunc.__name__} of the formula {self} is not known; there are + - * / **, {known}.")
        if any(np.ndim(each) for each in inputs):
            arrays = np.broadcast_arrays(*(np.asarray(each, dtype=object) for each in inputs))
            found = np.empty(arrays[0].shape, dtype=object)
            for place in np.ndindex(*found.shape):
                found[place] = _applied(UFUNCS[ufunc], *(array[place] for array in arrays))
            return found
        return _applied(UFUNCS[ufunc], *inputs)

    def __float__(self) -> NoReturn:
        raise TypeError(
            f"{self} is a parameter of a model and cannot become a float, which would lose it. Compute with np.sin, "
            "np.sqrt and the like instead of math, give it to parts as it is, and take its .value where you need the "
            "number."
        )

    def __bool__(self) -> NoReturn:
        raise TypeError(f"{self} is a parameter of a model: compare its .value.")


class Computed(Formula):
    """An operation on formulas and numbers."""

    def __init__(self, operation: str, *operands: Any) -> None:
        self.operation = operation
        self.operands = operands
        self.strength = 9 if operation in FUNCTIONS else OPERATORS[operation][1]

    @property
    def parameters(self) -> dict[str, Parameter]:
        return collect_parameters(self.operands)

    @property
    def value(self) -> float:  # type: ignore[override]
        """Return the value for the values of its parameters."""
        try:
            with np.errstate(all="raise"):
                found = self.computed()
        except (ArithmeticError, ValueError) as error:
            raise ModelError(
                f"Formula {self}: it has no value for {_describe(self.parameters.values())}: {error}."
            ) from error
        return checks.number("Formula", str(self), found)

    def computed(self) -> np.float64:
        compute = FUNCTIONS.get(self.operation) or OPERATORS[self.operation][0]
        return compute(*(each.computed() if isinstance(each, Formula) else np.float64(each) for each in self.operands))

    def changed(self, parameters: Mapping[str, Parameter]) -> Formula:
        operands = [each.changed(parameters) if isinstance(each, Formula) else each for each in self.operands]
        same = all(new is old for new, old in zip(operands, self.operands, strict=True))
        return self if same else Computed(self.operation, *operands)

    def dimension(self) -> Exponents | None:
        """Return exponents; plain numbers have no units in products, and the units of the other terms in sums."""
        found = [each.dimension() if isinstance(each, Formula) else PURE for each in self.operands]
        if any(each is None for each in found):
            return None
        first: Any = found[0]
        match self.operation:
            case "+" | "-":
                first, second = (_added(each, of) for each, of in zip(self.operands, found, strict=True))
                if first is not None and second is not None and first != second:
                    raise ModelError(f"Formula {self}: its terms have different units. {WITHOUT}")
                return first if first is not None else second
            case "*":
                return tuple(a + b for a, b in zip(first, found[1] or PURE, strict=True))
            case "/":
                return tuple(a - b for a, b in zip(first, found[1] or PURE, strict=True))
            case "**" if not isinstance(self.operands[1], Formula):
                power = Fraction(self.operands[1]).limit_denominator(1000)
                return tuple(power * a for a in first)
            case "sqrt":
                return tuple(a / 2 for a in first)
            case "minus" | "abs":
                return tuple(first)
        if any(each != PURE for each in found):
            raise ModelError(f"Formula {self}: {self.operation} takes pure numbers, not such with units. {WITHOUT}")
        return PURE

    def __str__(self) -> str:
        if self.operation in FUNCTIONS:
            return f"{self.operation}({self.operands[0]!s})"
        strength = self.strength
        if self.operation == "minus":
            return f"-{_within(self.operands[0], strength)}"
        left, right = self.operands
        loose = (
            strength + 1 if self.operation == "**" else strength
        )  # a ** (b ** c) needs no brackets, (a ** b) ** c does
        return f"{_within(left, loose)} {self.operation} {_within(right, strength + (self.operation != '**'))}"

    __repr__ = __str__


class FieldOf(Formula):
    """A number that a part computed from its arguments, kept in its copy. It cannot be saved to a file."""

    def __init__(self, source: Any, key: str) -> None:
        self.source, self.key, self.made = source, key, source.made

    @property
    def parameters(self) -> dict[str, Parameter]:
        return self.made.parameters

    @property
    def value(self) -> float:  # type: ignore[override]
        found: float = getattr(self.source, self.key)
        return found

    def computed(self) -> np.float64:
        return np.float64(self.value)

    def changed(self, parameters: Mapping[str, Parameter]) -> Formula:
        from pliant.model.copies import of_parameters

        again = of_parameters(self.source, parameters)
        return self if again is self.source else FieldOf(again, self.key)

    def dimension(self) -> None:
        return None

    def __str__(self) -> str:
        return f"{self.key} of {getattr(self.source, 'owner', type(self.source).__name__)}"

    __repr__ = __str__


PURE = (Fraction(0),) * 4
WITHOUT = "Give the numbers in it as parameters with units of their own, or the parameters in it no unit."


def in_exponents(units: str) -> Exponents:
    """Return the exponents of length, time, mass and current of units."""
    return tuple(Fraction(each) for each in parse_units(units)[1:5])


def _added(operand: Any, dimension: Any) -> Any:
    """Return the exponents of a term of a sum; None for a plain number, which takes the other term's."""
    return dimension if isinstance(operand, Formula) else None


def _applied(operation: str, *operands: Any) -> Any:
    if not all(isinstance(each, Formula | int | float | np.number) and not isinstance(each, bool) for each in operands):
        return NotImplemented
    return Computed(operation, *(each if isinstance(each, Formula) else _number(each) for each in operands))


def _number(value: Any) -> int | float:
    return int(value) if isinstance(value, int | np.integer) else float(value)


def _within(operand: Any, strength: int) -> str:
    """Return an operand as text, in brackets where they are needed."""
    own = operand.strength if isinstance(operand, Formula) else 9 if operand >= 0 else 0
    return f"({operand!s})" if own < strength else str(operand)


PLAIN = {float, int, str, bool}


def collect_parameters(things: Iterable[Any]) -> dict[str, Parameter]:
    """Return the parameters that things depend on, by name; two with one name that differ are refused."""
    found: dict[str, Parameter] = {}
    for thing in things:
        if type(thing) in PLAIN or getattr(thing, "made", thing) is None:
            continue  # the common case
        for name, parameter in parameters_of(thing).items():
            if found.setdefault(name, parameter) != parameter:
                raise ModelError(
                    f"{parameter.owner}: there are two of this name that differ, {found[name]!r} and {parameter!r}. "
                    "Use one of them everywhere, or another name."
                )
    return found


def parameters_of(thing: Any) -> dict[str, Parameter]:
    """Return the parameters that a formula, part, section, signal or marker, or a sequence of these, depends on."""
    if thing is None or type(thing) in PLAIN:
        return {}
    made: Made | None = getattr(thing, "made", None)
    if isinstance(made, Made):
        return made.parameters
    if isinstance(thing, Formula):
        return thing.parameters
    if isinstance(thing, tuple | list):
        return collect_parameters(thing)
    if isinstance(thing, np.ndarray):
        return collect_parameters(thing.ravel().tolist()) if thing.dtype == object else {}
    return {}


def smooth(thing: Any) -> bool:
    """Return whether no formula in a part, section, signal, marker, or sequence of these has a slope that may jump.

    >>> from pliant.model import Parameter
    >>> h = Parameter("h", 2.0)
    >>> smooth([h**2, 1.0]), smooth([abs(h - 2.0)])
    (True, False)
    """
    if thing is None or type(thing) in PLAIN:
        return True
    made: Made | None = getattr(thing, "made", None)
    if isinstance(made, Made):
        return made.smooth
    if isinstance(thing, Computed):
        return thing.operation != "abs" and smooth(thing.operands)
    if isinstance(thing, np.ndarray) and thing.dtype == object:
        return smooth(thing.ravel().tolist())
    return not isinstance(thing, tuple | list) or all(map(smooth, thing))


def read(text: str, known: Mapping[str, Parameter]) -> Any:
    """Read a formula from its text, "= 2 * thickness", without running code.

    >>> from pliant.model import Parameter
    >>> h = Parameter("h", 2.0)
    >>> read("= (h + 1) / 2 * sqrt(h)", {"h": h})
    (h + 1) / 2 * sqrt(h)
    """
    tree = expressions.parse(text.strip().removeprefix(SIGN), names=known)
    return _formula(tree, known, text)


def _formula(node: ast.expr, known: Mapping[str, Parameter], text: str) -> Any:
    match node:
        case ast.Constant(value=int() | float() as value):
            return value
        case ast.Name(id=name):
            return known[name] if name in known else expressions.NAMES[name]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_formula(operand, known, text)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in SYNTAX:
            a, b = _formula(left, known, text), _formula(right, known, text)
            return OPERATORS[SYNTAX[type(op)]][0](a, b)
        case ast.Call(func=ast.Name(id=name), args=[argument]) if name in FUNCTIONS:
            inner = _formula(argument, known, text)
            return Computed(name, inner) if isinstance(inner, Formula) else float(FUNCTIONS[name](inner))
    raise ModelError(
        f"Formula {text!r}: {ast.unparse(node)!r} is not allowed. Allowed are numbers, parameters, + - * / ** and "
        f"{', '.join(FUNCTIONS)}."
    )


def _describe(parameters: Iterable[Parameter]) -> str:
    return ", ".join(f"{parameter.name} = {parameter.value:g}" for parameter in parameters)
