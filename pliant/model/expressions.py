"""Formulas of time, read from text and evaluated without running code.

Only a few kinds of syntax are accepted (see FUNCTIONS and NAMES); everything else is refused when the formula is read.
A formula is evaluated together with its first and second time derivative, by Taylor arithmetic on (f, f', f''); where
its value is enough, by functions that were put together once (`values`).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection
from functools import lru_cache
from math import e, pi
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pliant.errors import SignalError, nearest

Array = NDArray[np.float64]
Jet = tuple[Array, Array, Array]  # value, rate, acceleration

LONGEST = 1000  # characters
DEEPEST = 150  # levels of nesting
LARGEST_POWER = 100.0

NAMES = {"pi": pi, "e": e}


def _smoothstep(x: Array) -> Array:
    y = np.clip(x, 0.0, 1.0)
    return np.asarray(y * y * (3.0 - 2.0 * y))


def _smoothstep_slopes(x: Array, _: Array) -> tuple[Array, Array]:
    y = np.clip(x, 0.0, 1.0)
    return 6.0 * y * (1.0 - y), np.where((x > 0.0) & (x < 1.0), 6.0 - 12.0 * y, 0.0)


FUNCTIONS: dict[str, tuple[Callable[[Array], Array], Callable[[Array, Array], tuple[Array, Array]]]] = {
    "sin": (np.sin, lambda x, y: (np.cos(x), -y)),
    "cos": (np.cos, lambda x, y: (-np.sin(x), -y)),
    "tan": (np.tan, lambda x, y: (1.0 + y**2, 2.0 * y * (1.0 + y**2))),
    "tanh": (np.tanh, lambda x, y: (1.0 - y**2, -2.0 * y * (1.0 - y**2))),
    "exp": (np.exp, lambda x, y: (y, y)),
    "log": (np.log, lambda x, y: (1.0 / x, -1.0 / x**2)),
    "sqrt": (np.sqrt, lambda x, y: (0.5 / y, -0.25 / (x * y))),
    "abs": (np.abs, lambda x, y: (np.sign(x), np.zeros_like(x))),
    "step": (lambda x: (x >= 0.0).astype(float), lambda x, y: (np.zeros_like(x), np.zeros_like(x))),
    "smoothstep": (_smoothstep, _smoothstep_slopes),
}
"""Functions of one number, each with its first and second derivative as a function of that number and the value."""

CHOICES = {"min": np.less_equal, "max": np.greater_equal}

COMPARISONS: dict[type[ast.cmpop], Callable[[Array, Array], NDArray[np.bool_]]] = {
    ast.Lt: np.less,
    ast.LtE: np.less_equal,
    ast.Gt: np.greater,
    ast.GtE: np.greater_equal,
    ast.Eq: np.equal,
    ast.NotEq: np.not_equal,
}


OPERATORS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: np.add,
    ast.Sub: np.subtract,
    ast.Mult: np.multiply,
    ast.Div: np.divide,
    ast.Pow: np.power,
}


def parse(text: str, *, names: Collection[str] = ("t",)) -> ast.expr:
    """Read and check a formula of `names`. Raises SignalError that says what is not allowed and what is."""
    if len(text) > LONGEST:
        raise SignalError(f"Expression of {len(text)} characters; at most {LONGEST} are allowed. Use a Table.")
    text = text.strip()
    try:
        tree = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        reason = getattr(error, "msg", None) or str(error)
        raise SignalError(f"Expression {text!r} cannot be read: {reason}. Write it as in Python, t is time.") from None
    _check(tree, text, 0, names)
    return tree


@lru_cache
def may_jump(text: str) -> bool:
    """Whether the value of a formula may change at once: it compares or chooses. Others are continuous."""
    for node in ast.walk(parse(text)):
        match node:
            case ast.Compare() | ast.IfExp() | ast.BoolOp() | ast.UnaryOp(op=ast.Not()):
                return True
            case ast.Call(func=ast.Name(id="step" | "where")):
                return True
    return False


def _check(node: ast.expr, text: str, depth: int, names: Collection[str]) -> None:
    """Refuse everything that `_jet` does not know."""

    def refuse(what: str) -> SignalError:
        return SignalError(
            f"Expression {text!r}: {what}. Allowed are numbers, {', '.join([*names, *NAMES])}, + - * / **, "
            f"comparisons, and/or/not, a if c else b, where(c, a, b), {', '.join([*FUNCTIONS, *CHOICES])}."
        )

    if depth > DEEPEST:
        raise refuse(f"nested deeper than {DEEPEST} levels")
    match node:
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            if not abs(value) < 1e300:
                raise refuse("a number is too large")
        case ast.Name(id=name):
            if name not in names and name not in NAMES:
                raise refuse(f"{name!r} is not known. {nearest(name, [*names, *NAMES, *FUNCTIONS])}")
        case ast.BinOp(op=ast.Add() | ast.Sub() | ast.Mult() | ast.Div()):
            pass
        case ast.BinOp(op=ast.Pow(), right=right):
            if abs(_constant(right) or 0.0) > LARGEST_POWER:
                raise refuse(f"an exponent beyond {LARGEST_POWER:g}")
        case ast.UnaryOp(op=ast.USub() | ast.UAdd() | ast.Not()) | ast.BoolOp() | ast.IfExp():
            pass
        case ast.Compare(ops=ops):
            if not all(type(op) in COMPARISONS for op in ops):
                raise refuse("only < <= > >= == != compare numbers")
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]):
            expected = 3 if name == "where" else 1 if name in FUNCTIONS else len(args) if name in CHOICES else None
            if expected is None:
                raise refuse(f"function {name!r} is not known. {nearest(name, [*FUNCTIONS, *CHOICES, 'where'])}")
            if len(args) != expected or not args:
                raise refuse(f"{name}() takes {expected or 'one or more'} argument(s), got {len(args)}")
        case _:
            raise refuse(f"{ast.get_source_segment(text, node)!r:.60} is not allowed")
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr) and not (isinstance(node, ast.Call) and child is node.func):
            _check(child, text, depth + 1, names)


def _constant(node: ast.expr) -> float | None:
    """Value of a literal number, with its sign; None for anything else."""
    match node:
        case ast.Constant(value=int() | float() as value):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return -value
    return None


def values(text: str, t: Array) -> Array:
    """Values of a formula at the times t."""
    with np.errstate(all="ignore"):
        found = _function(text)(t)
    return np.asarray(found) if np.shape(found) == t.shape else np.full_like(t, found)


@lru_cache
def _function(text: str) -> Callable[[Array], Any]:
    """A formula as a function of time, which gives one number where it does not depend on it."""
    return _made(parse(text))


def _made(node: ast.expr) -> Callable[[Array], Any]:
    match node:
        case ast.Constant(value=int() | float() as value):
            constant = np.float64(value)
            return lambda t: constant
        case ast.Name(id="t"):
            return lambda t: t
        case ast.Name(id=name):
            constant = np.float64(NAMES[name])
            return lambda t: constant
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            f = _made(operand)
            return lambda t: -f(t)
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return _made(operand)
        case ast.BinOp(left=left, op=op, right=right) if type(op) is not ast.Pow or _constant(right) is not None:
            f, g, combine = _made(left), _made(right), OPERATORS[type(op)]
            return lambda t: combine(f(t), g(t))
        case ast.Call(func=ast.Name(id=name), args=[argument]) if name in FUNCTIONS:
            f, function = _made(argument), FUNCTIONS[name][0]
            return lambda t: function(f(t))
        case (
            ast.Call(func=ast.Name(id="where"), args=[test, body, orelse])
            | ast.IfExp(test=test, body=body, orelse=orelse)
        ):
            holds, f, g = _made(test), _made(body), _made(orelse)
            return lambda t: np.where(holds(t) != 0.0, f(t), g(t))
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            f, g, compare = _made(left), _made(right), COMPARISONS[type(op)]
            return lambda t: compare(f(t), g(t)).astype(float)
    return lambda t: _jet(node, t)[0]  # powers of time, chains of comparisons, what else chooses


def evaluate(tree: ast.expr, t: Array) -> Jet:
    """Value, rate and acceleration of a parsed formula at the times t."""
    with np.errstate(all="ignore"):
        return _jet(tree, t)


def _jet(node: ast.expr, t: Array) -> Jet:
    zero = np.zeros_like(t)
    match node:
        case ast.Constant(value=int() | float() as value):
            return zero + value, zero, zero
        case ast.Name(id="t"):
            return t, zero + 1.0, zero
        case ast.Name(id=name):
            return zero + NAMES[name], zero, zero
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            f, f1, f2 = _jet(operand, t)
            return -f, -f1, -f2
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return _jet(operand, t)
        case ast.BinOp(left=left, op=op, right=right):
            return _binary(op, _jet(left, t), _jet(right, t), _constant(right))
        case ast.IfExp(test=test, body=body, orelse=orelse):
            return _select(_holds(test, t), _jet(body, t), _jet(orelse, t))
        case ast.Call(func=ast.Name(id="where"), args=[test, body, orelse]):
            return _select(_holds(test, t), _jet(body, t), _jet(orelse, t))
        case ast.Call(func=ast.Name(id=name), args=args):
            first, *rest = (_jet(arg, t) for arg in args)
            if name in FUNCTIONS:
                return _applied(name, first)
            for other in rest:
                first = _select(CHOICES[name](first[0], other[0]), first, other)
            return first
    return _holds(node, t).astype(float), zero, zero  # a comparison used as a number is 1 or 0


def _holds(node: ast.expr, t: Array) -> NDArray[np.bool_]:
    """Where a condition is true; a number is true where it is not zero."""
    match node:
        case ast.Compare(left=left, ops=ops, comparators=comparators):
            values = [_jet(term, t)[0] for term in (left, *comparators)]
            pairs = zip(ops, values[:-1], values[1:], strict=True)
            return np.logical_and.reduce([COMPARISONS[type(op)](a, b) for op, a, b in pairs])
        case ast.BoolOp(op=op, values=terms):
            combine = np.logical_and if isinstance(op, ast.And) else np.logical_or
            return combine.reduce([_holds(term, t) for term in terms])
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return ~_holds(operand, t)
    return _jet(node, t)[0] != 0.0


def _select(where: NDArray[np.bool_], yes: Jet, no: Jet) -> Jet:
    f, f1, f2 = (np.where(where, a, b) for a, b in zip(yes, no, strict=True))
    return f, f1, f2


def _chain(outer: Jet, inner: Jet) -> Jet:
    """Derivatives of g(u(t)): g' u', g'' u'^2 + g' u''; what does not move has no rate, however steep g is."""
    g, g1, g2 = outer
    _, u1, u2 = inner
    return g, _times(g1, u1), _times(g2, u1**2) + _times(g1, u2)


def _applied(name: str, inner: Jet) -> Jet:
    """A function of one number, of a formula."""
    value, slopes = FUNCTIONS[name]
    y = value(inner[0])
    return _chain((y, *slopes(inner[0], y)), inner)


def _times(slope: Array, change: Array) -> Array:
    return np.where(change == 0.0, 0.0, slope * change)


def _binary(op: ast.operator, a: Jet, b: Jet, exponent: float | None) -> Jet:
    (f, f1, f2), (g, g1, g2) = a, b
    match op:
        case ast.Add():
            return f + g, f1 + g1, f2 + g2
        case ast.Sub():
            return f - g, f1 - g1, f2 - g2
        case ast.Mult():
            return f * g, f1 * g + f * g1, f2 * g + 2.0 * f1 * g1 + f * g2
        case ast.Div():
            h = f / g
            h1 = (f1 - h * g1) / g
            return h, h1, (f2 - 2.0 * h1 * g1 - h * g2) / g
    if exponent is not None or not (np.any(g1) or np.any(g2)):  # x^n
        slope = _times(f ** (g - 1.0), g)
        return _chain((f**g, slope, _times(f ** (g - 2.0), g * (g - 1.0))), a)
    return _applied("exp", _binary(ast.Mult(), b, _applied("log", a), None))  # x^y = exp(y log x)
