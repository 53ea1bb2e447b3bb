"""Formulas of time, read from text and evaluated without running code.

Only a few kinds of syntax are accepted (see FUNCTIONS and NAMES); everything else is refused when the formula is read.
A formula is evaluated together with its first and second time derivative, by Taylor arithmetic on (f, f', f'').
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from math import e, pi

import numpy as np
from numpy.typing import NDArray

from pliant.errors import SignalError, nearest

Array = NDArray[np.float64]
Jet = tuple[Array, Array, Array]  # value, rate, acceleration

LONGEST = 1000  # characters
DEEPEST = 150  # levels of nesting
LARGEST_POWER = 100.0

NAMES = {"pi": pi, "e": e}


def _tan(x: Array) -> Jet:
    tan = np.tan(x)
    return tan, 1.0 + tan**2, 2.0 * tan * (1.0 + tan**2)


def _tanh(x: Array) -> Jet:
    tanh = np.tanh(x)
    return tanh, 1.0 - tanh**2, -2.0 * tanh * (1.0 - tanh**2)


def _sqrt(x: Array) -> Jet:
    root = np.sqrt(x)
    return root, 0.5 / root, -0.25 / (x * root)


def _smoothstep(x: Array) -> Jet:
    y = np.clip(x, 0.0, 1.0)
    inside = (x > 0.0) & (x < 1.0)
    return y * y * (3.0 - 2.0 * y), 6.0 * y * (1.0 - y), np.where(inside, 6.0 - 12.0 * y, 0.0)


def _flat(x: Array) -> Array:
    return np.zeros_like(x)


FUNCTIONS: dict[str, Callable[[Array], Jet]] = {
    "sin": lambda x: (np.sin(x), np.cos(x), -np.sin(x)),
    "cos": lambda x: (np.cos(x), -np.sin(x), -np.cos(x)),
    "tan": _tan,
    "tanh": _tanh,
    "exp": lambda x: (np.exp(x), np.exp(x), np.exp(x)),
    "log": lambda x: (np.log(x), 1.0 / x, -1.0 / x**2),
    "sqrt": _sqrt,
    "abs": lambda x: (np.abs(x), np.sign(x), _flat(x)),
    "step": lambda x: ((x >= 0.0).astype(float), _flat(x), _flat(x)),
    "smoothstep": _smoothstep,
}
"""Functions of one number, with first and second derivative."""

CHOICES = {"min": np.less_equal, "max": np.greater_equal}

COMPARISONS: dict[type[ast.cmpop], Callable[[Array, Array], NDArray[np.bool_]]] = {
    ast.Lt: np.less,
    ast.LtE: np.less_equal,
    ast.Gt: np.greater,
    ast.GtE: np.greater_equal,
    ast.Eq: np.equal,
    ast.NotEq: np.not_equal,
}


def parse(text: str) -> ast.expr:
    """Read and check a formula. Raises SignalError that says what is not allowed and what is."""
    if len(text) > LONGEST:
        raise SignalError(f"Expression of {len(text)} characters; at most {LONGEST} are allowed. Use a Table.")
    text = text.strip()
    try:
        tree = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        reason = getattr(error, "msg", None) or str(error)
        raise SignalError(f"Expression {text!r} cannot be read: {reason}. Write it as in Python, t is time.") from None
    _check(tree, text, 0)
    return tree


def may_jump(tree: ast.expr) -> bool:
    """Whether the value of a formula may change at once: it compares or chooses. Others are continuous."""
    for node in ast.walk(tree):
        match node:
            case ast.Compare() | ast.IfExp() | ast.BoolOp() | ast.UnaryOp(op=ast.Not()):
                return True
            case ast.Call(func=ast.Name(id="step" | "where")):
                return True
    return False


def _check(node: ast.expr, text: str, depth: int) -> None:
    """Refuse everything that `_jet` does not know."""

    def refuse(what: str) -> SignalError:
        return SignalError(
            f"Expression {text!r}: {what}. Allowed are numbers, t, {', '.join(NAMES)}, + - * / **, comparisons, "
            f"and/or/not, a if c else b, where(c, a, b), {', '.join([*FUNCTIONS, *CHOICES])}."
        )

    if depth > DEEPEST:
        raise refuse(f"nested deeper than {DEEPEST} levels")
    match node:
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            if not abs(value) < 1e300:
                raise refuse("a number is too large")
        case ast.Name(id=name):
            if name != "t" and name not in NAMES:
                raise refuse(f"{name!r} is not known. {nearest(name, ['t', *NAMES, *FUNCTIONS])}")
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
            _check(child, text, depth + 1)


def _constant(node: ast.expr) -> float | None:
    """Value of a literal number, with its sign; None for anything else."""
    match node:
        case ast.Constant(value=int() | float() as value):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return -value
    return None


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
                return _chain(FUNCTIONS[name](first[0]), first)
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
    log = _chain(FUNCTIONS["log"](f), a)  # x^y = exp(y log x)
    power = _binary(ast.Mult(), b, log, None)
    return _chain(FUNCTIONS["exp"](power[0]), power)
