"""Fingerprint of a kernel: a hash of everything that its machine code depends on, and of nothing else.

A kernel's code depends on its own bytecode and constants and, recursively, on every kernel, intrinsic, constant and
named tuple that it refers to, in any file. Comments, docstrings and paths do not matter: clones and environments share
compiled kernels, and an edit recompiles only the kernels that depend on it.
"""

from __future__ import annotations

import hashlib
import weakref
from collections.abc import Iterable
from dataclasses import dataclass
from types import CodeType, FunctionType, ModuleType
from typing import Any, cast

import numpy as np
from numba.core import types
from numba.core.dispatcher import Dispatcher
from numba.extending import _Intrinsic

_LIBRARIES = (
    "numpy",
    "math",
    "cmath",
    "numba",
    "llvmlite",
    "builtins",
    "typing",
    "collections",
)  # their versions are part of the key


@dataclass(frozen=True)
class _Node:
    """One function: hash of its own text and of the values that it refers to; the functions among these."""

    digest: str
    functions: tuple[FunctionType, ...]


_nodes: weakref.WeakKeyDictionary[FunctionType, _Node] = weakref.WeakKeyDictionary()


def fingerprint(function: FunctionType) -> str:
    """Return the hash of a Python function with all that it refers to.

    >>> def one(): return 1
    >>> def two(): return one() + 1
    >>> before = fingerprint(FunctionType(two.__code__, {"one": one}))
    >>> def one(): return 2
    >>> fingerprint(FunctionType(two.__code__, {"one": one})) == before
    False
    """
    reached, ahead = {function}, [function]
    while ahead:
        for each in _node(ahead.pop()).functions:
            if each not in reached:
                reached.add(each)
                ahead.append(each)
    words = [_node(function).digest, *sorted(_node(each).digest for each in reached)]
    return hashlib.sha256(" ".join(words).encode()).hexdigest()


def signature_words(kind: Any) -> str:
    """Return a type as text, with the field names of named tuples: compiled code finds fields by position."""
    if isinstance(kind, types.NamedTuple | types.NamedUniTuple):
        inner = (f"{name}: {signature_words(each)}" for name, each in zip(kind.fields, kind, strict=True))
        return f"{_class_name(kind.instance_class)}({', '.join(inner)})"
    if isinstance(kind, types.BaseTuple):
        inner = (signature_words(each) for each in cast("Iterable[Any]", kind))
        return f"({', '.join(inner)})"
    return str(kind)


def _node(function: FunctionType) -> _Node:
    if function not in _nodes:
        names = _names(function.__code__)
        functions: list[FunctionType] = []
        words = [_own(function)]
        cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
        named = {name: function.__globals__[name] for name in names if name in function.__globals__}
        for name, value in (named | {name: cell.cell_contents for name, cell in cells}).items():
            words.append(f"{name} = {_value(value, names, functions)}")
        digest = hashlib.sha256("\n".join(words).encode()).hexdigest()
        _nodes[function] = _Node(digest, tuple(functions))
    return _nodes[function]


def _own(function: FunctionType) -> str:
    """Return a function's own code as text, without the values that it refers to."""
    names = _names(function.__code__)
    home = (
        function.__module__ if "objmode" in names or "objmode_context" in names else ""
    )  # objmode looks up names in this module
    return f"{home}{function.__name__} {_code(function.__code__, function.__doc__)} {function.__defaults__!r}"


def _code(code: CodeType, doc: str | None = None) -> str:
    """Return instructions and constants as text, without the docstring."""
    constants = [_code(c) if isinstance(c, CodeType) else repr(c) for c in code.co_consts if c is None or c != doc]
    return f"{code.co_code.hex()} {code.co_names} {code.co_varnames} {constants}"


def _names(code: CodeType) -> list[str]:
    inner = [name for each in code.co_consts if isinstance(each, CodeType) for name in _names(each)]
    return list(dict.fromkeys([*code.co_names, *inner]))


def _value(value: Any, names: list[str], functions: list[FunctionType]) -> str:
    """Return a value that a kernel refers to as text; append the functions in it to ``functions``."""
    if getattr(value, "is_linked", False):
        return f"{type(value).__name__} {value.__module__}.{value.__name__}"
    if isinstance(value, Dispatcher):
        functions.append(value.py_func)
        return f"kernel {sorted(value.targetoptions.items(), key=str)} {_own(value.py_func)}"
    if isinstance(value, _Intrinsic):
        functions.append(value._defn)
        return f"intrinsic {_own(value._defn)}"
    if isinstance(value, FunctionType) and not _foreign(value.__module__):
        functions.append(value)
        return f"function {_own(value)}"
    if isinstance(value, ModuleType):
        used = [] if _foreign(value.__name__) else [name for name in names if name in vars(value)]
        return f"{value.__name__} {[(name, _value(vars(value)[name], names, functions)) for name in used]}"
    if isinstance(value, type):
        return f"{_class_name(value)} {getattr(value, '_fields', '')}"
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {value.shape} {value.tobytes().hex()}"
    if isinstance(value, tuple | list):
        return f"({', '.join(_value(each, names, functions) for each in value)})"
    if isinstance(value, types.Type):
        return signature_words(value)
    if isinstance(value, bool | int | float | complex | str | bytes | np.generic | None):
        return repr(value)
    return f"{type(value).__module__}.{type(value).__qualname__} {getattr(value, '__name__', '')}"


def _class_name(kind: type) -> str:
    """Return a class's name with its module: copied or moved kernels have other classes, though equal code."""
    return f"{kind.__module__}.{kind.__qualname__}"


def _foreign(module: str | None) -> bool:
    return (module or "").partition(".")[0] in _LIBRARIES
