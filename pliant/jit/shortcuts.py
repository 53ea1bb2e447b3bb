"""Caches for values that numba computes repeatedly while it compiles: two thirds of the time, the same code.

While pliant compiles (numba's lock is held), some of numba's functions are replaced by the functions below and restored
afterwards. They were written for the numba versions in `KNOWN`; with another version nothing is replaced and compiling
takes longer. A test compares the code of kernels compiled with and without them.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numba

KNOWN = ("0.68.",)  # versions of numba

base: Any = importlib.import_module("numba.core.base")
errors: Any = importlib.import_module("numba.core.errors")
flags_of: Any = importlib.import_module("numba.core.targetconfig").ConfigStack.top_or_none
functions: Any = importlib.import_module("numba.core.types.functions")
instructions: Any = importlib.import_module("numba.core.ir")
kinds: Any = importlib.import_module("numba.core.typing.typeof")
llvm_calls: Any = importlib.import_module("llvmlite.binding.ffi")
llvm_types: Any = importlib.import_module("llvmlite.ir.types")

_KINDS = ("code", "errmsg", "filename", "indicate", "highlight", "reset")  # of text in messages
_PLAIN: Any = type("Plain", (errors._DummyColorScheme,), {kind: lambda self, text: text for kind in _KINDS})()
_call_type, _refresh = functions.BaseFunction.get_call_type, base.BaseContext.refresh
_size, _takes_place = llvm_types.Type.get_abi_size, base._has_loc

_signatures: dict[Any, Any] = {}
_sizes: dict[Any, int] = {}
_places: dict[Any, bool] = {}
_leaves: set[type] = set()


def call_type(self: Any, context: Any, arguments: Any, keywords: Any) -> Any:
    """Return the signature of one of numba's own functions, cached by its templates, argument types and flags."""
    flags = flags_of()
    key = id(self), arguments, tuple(keywords.items()), getattr(flags, "words", None)
    if key[-1] is None:
        return _call_type(self, context, arguments, keywords)
    if key not in _signatures:
        _signatures[key] = (
            self,
            _call_type(self, context, arguments, keywords),
        )  # keeps self alive, so that its id stays unique
    return _signatures[key][1]


def variables(self: Any, value: Any) -> list[Any]:
    """Return the variables in an instruction, in order."""
    found: list[Any] = []
    _gather(value, found)
    return found


def _gather(value: Any, found: list[Any]) -> None:
    kind = type(value)
    if kind in _leaves:
        return
    if isinstance(value, instructions.Var):
        found.append(value)
    elif isinstance(value, instructions.Inst):
        found.extend(value.list_vars())
    elif isinstance(value, list | tuple | dict):
        for each in value.values() if isinstance(value, dict) else value:
            _gather(each, found)
    else:
        _leaves.add(kind)


def size(self: Any, target: Any, context: Any = None) -> int:
    """Return the bytes of a type, which LLVM finds by parsing a module; named structures are not cached."""
    text = str(self)
    if "%" in text:
        return int(_size(self, target, context))
    key = text, str(target)
    if key not in _sizes:
        _sizes[key] = _size(self, target, context)
    return _sizes[key]


def takes_place(function: Any) -> bool:
    """Return whether a function of numba takes a source location."""
    if function not in _places:
        _places[function] = _takes_place(function)
    return _places[function]


def refresh(self: Any) -> None:
    """Register new functions; while a kernel is compiled, these are at most intrinsics."""
    global _seen
    count = sum(len(each.functions) for each in self._registries)
    if count != _seen:
        _seen = count
        _refresh(self)


_EXCHANGED: list[tuple[Any, str, Any]] = [
    (functions.BaseFunction, "get_call_type", call_type),
    (instructions.Inst, "_rec_list_vars", variables),
    (llvm_types.Type, "get_abi_size", size),
    (base, "_has_loc", takes_place),
    (base.BaseContext, "refresh", refresh),
    (llvm_calls.lib._lock, "_cblist", []),  # callbacks of every LLVM call
    (errors, "_termcolor_inst", _PLAIN),  # messages of failed attempts, which numba discards
    (functions, "_termcolor", _PLAIN),
    (kinds, "_termcolor", _PLAIN),
]
_exchanged, _seen = False, -1
usable = numba.__version__.startswith(KNOWN)


@contextmanager
def taken() -> Iterator[None]:
    """Replace numba's functions while something is compiled; the compiler's lock is held."""
    global _exchanged, _seen
    if _exchanged or not usable:
        yield
        return
    before = [(owner, name, getattr(owner, name)) for owner, name, _ in _EXCHANGED]
    _exchanged, _seen = True, -1
    for owner, name, ours in _EXCHANGED:
        setattr(owner, name, ours)
    try:
        yield
    finally:
        for owner, name, theirs in before:
            setattr(owner, name, theirs)
        _exchanged = False
