"""Fingerprint of a kernel: a hash of everything its machine code is made of, and of nothing else.

A kernel's code comes from its own bytecode and constants and, in turn, from every kernel, intrinsic, constant and named
tuple that it refers to, in whatever file they stand. Comments, places and files do not count: clones and environments
share what they have compiled, and an edit compiles again just the kernels that it reaches.
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
)  # their versions count


@dataclass(frozen=True)
class _Node:
    """One function: hash of its own words and of the words of what it names; the functions among that."""

    digest: str
    functions: tuple[FunctionType, ...]


_nodes: weakref.WeakKeyDictionary[FunctionType, _Node] = weakref.WeakKeyDictionary()


def fingerprint(function: FunctionType) -> str:
    """Hash of a Python function with all that it refers to.

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
    """A type as text, with the names of the fields of named tuples: compiled code finds fields by their places."""
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
    """What a function does, without what it refers to."""
    names = _names(function.__code__)
    home = function.__module__ if "objmode" in names or "objmode_context" in names else ""  # looks there for names
    return f"{home}{function.__name__} {_code(function.__code__, function.__doc__)} {function.__defaults__!r}"


def _code(code: CodeType, doc: str | None = None) -> str:
    """Instructions and constants; a docstring is none of these."""
    constants = [_code(c) if isinstance(c, CodeType) else repr(c) for c in code.co_consts if c is None or c != doc]
    return f"{code.co_code.hex()} {code.co_names} {code.co_varnames} {constants}"


def _names(code: CodeType) -> list[str]:
    inner = [name for each in code.co_consts if isinstance(each, CodeType) for name in _names(each)]
    return list(dict.fromkeys([*code.co_names, *inner]))


def _value(value: Any, names: list[str], functions: list[FunctionType]) -> str:
    """Something that a kernel refers to, in words; the functions in it are added to ``functions``."""
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
    """Of a class, with its module: equal code in a copied folder, or of a kernel that was moved, has other classes."""
    return f"{kind.__module__}.{kind.__qualname__}"


def _foreign(module: str | None) -> bool:
    return (module or "").partition(".")[0] in _LIBRARIES
