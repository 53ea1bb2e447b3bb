"""Formulas of time, read from text and evaluated without running code.

Only a few kinds of syntax are accepted (see FUNCTIONS and NAMES); everything else is refused when the formula is read.
A formula becomes a function, built once, of the jet of time (t, 1, 0), by Taylor arithmetic on (f, f', f''). Parts that
do not depend on time stay single numbers, and their zero derivatives (ZERO) cost nothing: from the jet (t, 0, 0) values
alone are computed.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Sequence
from functools import lru_cache, reduce
from math import e, pi
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pliant.errors import SignalError, nearest
from pliant.model.signals.straight_lines import straight

Array = NDArray[np.float64]
Part = Any  # an array, or one number if all are equal
Jet = tuple[Part, Part, Part]  # value, rate, acceleration
Formula = Callable[[Jet], Jet]

ZERO, ONE = np.float64(0.0), np.float64(1.0)  # compared by identity, not by value

LONGEST = 1000  # characters
DEEPEST = 150  # levels of nesting
FEW, BLOCK = 8, 4096  # times, see _evaluated
LARGEST_POWER = 100.0

NAMES = {"pi": pi, "e": e}


def _smoothstep(x: Array) -> Array:
    y = np.clip(x, 0.0, 1.0)
    return y * y * (3.0 - 2.0 * y)


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


def parse(text: str, *, names: Collection[str] = ("t",)) -> ast.expr:
    """Read and check a formula of `names`. SignalError names what is not allowed and what is."""
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
    """Return whether the value of a formula may jump: it compares or chooses. Others are continuous."""
    for node in ast.walk(parse(text)):
        match node:
            case ast.Compare() | ast.IfExp() | ast.BoolOp() | ast.UnaryOp(op=ast.Not()):
                return True
            case ast.Call(func=ast.Name(id="step" | "where")):
                return True
    return False


def _check(node: ast.expr, text: str, depth: int, names: Collection[str]) -> None:
    """Refuse all syntax that `_composed` does not know."""

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
    """Return the value of a literal number, with its sign; None for anything else."""
    match node:
        case ast.Constant(value=int() | float() as value):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return -value
    return None


def values(text: str, t: Array) -> Array:
    """Return the values of a formula at the times t."""
    return _evaluated(text, t, slopes=False)[0]


def evaluate(text: str, t: Array) -> tuple[Array, Array, Array]:
    """Return value, rate and acceleration of a formula at the times t."""
    value, rate, acceleration = _evaluated(text, t, slopes=True)
    return value, rate, acceleration


def _evaluated(text: str, t: Array, *, slopes: bool) -> list[Array]:
    """Return the value, and slopes on request, at the times t. Few times are cached, as motions begin at the same
    instants; many are taken in blocks, which stay in the cache of the processor.
    """
    if t.size <= FEW:
        return [x.copy() for x in _at_few(text, t.tobytes(), t.shape, slopes)]
    if t.size <= BLOCK:
        return _at(text, t, slopes)
    found, times = [np.empty(t.shape) for _ in range(3 if slopes else 1)], t.ravel()
    for k in range(0, t.size, BLOCK):
        for into, x in zip(found, _at(text, times[k : k + BLOCK], slopes), strict=True):
            into.reshape(-1)[k : k + BLOCK] = x
    return found


@lru_cache(maxsize=1024)
def _at_few(text: str, times: bytes, shape: tuple[int, ...], slopes: bool) -> list[Array]:
    return _at(text, np.frombuffer(times).reshape(shape), slopes)


def _at(text: str, t: Array, slopes: bool) -> list[Array]:
    with np.errstate(all="ignore"):
        return [_everywhere(x, t) for x in _straight(text, slopes)(t)]


@lru_cache
def _straight(text: str, slopes: bool) -> Callable[[Array], Sequence[Part]]:
    """Compile a formula to a function of time: its value, and slopes on request."""
    formula = _made(parse(text))
    return straight(lambda t: formula((t, ONE, ZERO)) if slopes else formula((t, ZERO, ZERO))[:1])


def _everywhere(x: Part, t: Array) -> Array:
    return np.asarray(x) if np.shape(x) == t.shape else np.full_like(t, x)


def _made(node: ast.expr) -> Formula:
    """Compile a formula to a function of the jet of time."""
    made = _composed(node)
    if _moves(node):
        return made
    with np.errstate(all="ignore"):
        value = np.float64(made((ZERO, ZERO, ZERO))[0])
    return lambda t: (value, ZERO, ZERO)


def _moves(node: ast.expr) -> bool:
    """Return whether a formula depends on time."""
    return any(isinstance(each, ast.Name) and each.id == "t" for each in ast.walk(node))


def _composed(node: ast.expr) -> Formula:
    match node:
        case ast.Constant(value=int() | float() as value):
            return lambda t: (np.float64(value), ZERO, ZERO)
        case ast.Name(id="t"):
            return lambda t: t
        case ast.Name(id=name):
            return lambda t: (np.float64(NAMES[name]), ZERO, ZERO)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return _negative(_made(operand))
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return _made(operand)
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            return _changing_power(_made(left), _made(right)) if _moves(right) else _power(_made(left), _made(right))
        case ast.BinOp(left=left, op=op, right=right):
            f, g, combine = _made(left), _made(right), OPERATORS[type(op)]
            return lambda t: combine(f(t), g(t))
        case ast.Call(func=ast.Name(id=name), args=[argument]) if name in FUNCTIONS:
            f = _made(argument)
            return lambda t: _applied(name, f(t))
        case (
            ast.Call(func=ast.Name(id="where"), args=[test, body, orelse])
            | ast.IfExp(test=test, body=body, orelse=orelse)
        ):
            holds, f, g = _holding(test), _made(body), _made(orelse)
            return lambda t: _select(holds(t), f(t), g(t))
        case ast.Call(func=ast.Name(id=name), args=args):
            return _chosen(CHOICES[name], [_made(arg) for arg in args])
    holds = _holding(node)  # a comparison used as a number is 1 or 0
    return lambda t: (holds(t).astype(float), ZERO, ZERO)


def _holding(node: ast.expr) -> Callable[[Jet], Any]:
    """Compile a condition to a function: where it is true; a number is true where it is not zero."""
    match node:
        case ast.Compare(left=left, ops=ops, comparators=comparators):
            terms = [_value(term) for term in (left, *comparators)]
            compare = [COMPARISONS[type(op)] for op in ops]
            pairs = list(zip(compare, terms[:-1], terms[1:], strict=True))
            return lambda t: reduce(np.logical_and, [is_so(f(t), g(t)) for is_so, f, g in pairs])
        case ast.BoolOp(op=op, values=conditions):
            combine = np.logical_and if isinstance(op, ast.And) else np.logical_or
            each = [_holding(condition) for condition in conditions]
            return lambda t: reduce(combine, [holds(t) for holds in each])
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            holds = _holding(operand)
            return lambda t: ~holds(t)
    value = _value(node)
    return lambda t: np.not_equal(value(t), 0.0)


def _value(node: ast.expr) -> Callable[[Jet], Part]:
    formula = _made(node)
    return lambda t: formula((t[0], ZERO, ZERO))[0]


def _chosen(better: Callable[[Array, Array], NDArray[np.bool_]], formulas: list[Formula]) -> Formula:
    """Compile the least or the largest of some formulas."""

    def best(t: Jet) -> Jet:
        first, *rest = (f(t) for f in formulas)
        for other in rest:
            first = _select(better(first[0], other[0]), first, other)
        return first

    return best


def _select(where: NDArray[np.bool_], yes: Jet, no: Jet) -> Jet:
    f, f1, f2 = (ZERO if a is b is ZERO else np.where(where, a, b) for a, b in zip(yes, no, strict=True))
    return f, f1, f2


def _plus(a: Part, b: Part) -> Part:
    return b if a is ZERO else a if b is ZERO else a + b


def _minus(a: Part, b: Part) -> Part:
    return a if b is ZERO else -b if a is ZERO else a - b


def _product(a: Part, b: Part) -> Part:
    if a is ZERO or b is ZERO:
        return ZERO
    return b if a is ONE else a if b is ONE else a * b


def _slope(slope: Part, change: Part) -> Part:
    """Multiply slope and change; a constant has no rate, however steep the slope."""
    if isinstance(change, float):  # constant in time
        return _product(slope, change) if change != 0.0 else ZERO
    return np.where(change == 0.0, 0.0, slope * change)


def _negative(f: Formula) -> Formula:
    def negative(t: Jet) -> Jet:
        g, g1, g2 = f(t)
        return -g, _minus(ZERO, g1), _minus(ZERO, g2)

    return negative


def _sum(a: Jet, b: Jet) -> Jet:
    return a[0] + b[0], _plus(a[1], b[1]), _plus(a[2], b[2])


def _difference(a: Jet, b: Jet) -> Jet:
    return a[0] - b[0], _minus(a[1], b[1]), _minus(a[2], b[2])


def _times(a: Jet, b: Jet) -> Jet:
    (f, f1, f2), (g, g1, g2) = a, b
    twice = _product(_product(f1, g1), 2.0)
    return f * g, _plus(_product(f1, g), _product(f, g1)), _plus(_plus(_product(f2, g), twice), _product(f, g2))


def _over(a: Jet, b: Jet) -> Jet:
    (f, f1, f2), (g, g1, g2) = a, b
    h = f / g
    h1 = _quotient(_minus(f1, _product(h, g1)), g)
    twice = _product(_product(h1, g1), 2.0)
    return h, h1, _quotient(_minus(_minus(f2, twice), _product(h, g2)), g)


def _quotient(a: Part, b: Part) -> Part:
    return ZERO if a is ZERO else a / b


OPERATORS: dict[type[ast.operator], Callable[[Jet, Jet], Jet]] = {
    ast.Add: _sum,
    ast.Sub: _difference,
    ast.Mult: _times,
    ast.Div: _over,
}


def _power(base: Formula, exponent: Formula) -> Formula:
    """Compile f^n."""
    n = exponent((ZERO, ZERO, ZERO))[0]
    return lambda t: _raised(base(t), n)


def _raised(a: Jet, n: Part) -> Jet:
    f = a[0]
    if a[1] is a[2] is ZERO:
        return f**n, ZERO, ZERO
    return _chain((f**n, _slope(f ** (n - 1.0), n), _slope(f ** (n - 2.0), n * (n - 1.0))), a)


def _changing_power(base: Formula, exponent: Formula) -> Formula:
    """Compile f^g = exp(g log f), or f^g where g has no slopes: it may be a step."""

    def power(t: Jet) -> Jet:
        g, g1, g2 = exponent((t[0], ONE, ZERO))
        if np.any(g1) or np.any(g2):
            return _applied("exp", _times(exponent(t), _applied("log", base(t))))
        return _raised(base(t), g)

    return power


def _applied(name: str, inner: Jet) -> Jet:
    """Apply a function of one number to a formula."""
    value, slopes = FUNCTIONS[name]
    y = value(inner[0])
    if inner[1] is inner[2] is ZERO:
        return y, ZERO, ZERO
    return _chain((y, *slopes(inner[0], y)), inner)


def _chain(outer: Jet, inner: Jet) -> Jet:
    """Return the derivatives of g(u(t)): g' u', g'' u'^2 + g' u''."""
    g, g1, g2 = outer
    _, u1, u2 = inner
    return g, _slope(g1, u1), _plus(_slope(g2, u1 if u1 is ONE else u1**2), _slope(g1, u2))
