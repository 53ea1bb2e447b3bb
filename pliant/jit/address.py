"""Calls through the address of a compiled function, in numba's own calling convention.

A caller through an address has no code of its callee: neither is compiled again when the other changes. All use of
numba's internals for this is in this file (numba's own first-class functions do the same).
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numba
from numba.core import types
from numba.core.errors import TypingError
from numba.extending import intrinsic

tools: Any = importlib.import_module("numba.core.cgutils")
PLAIN: bool = numba.config.DISABLE_JIT  # type: ignore[attr-defined]
_functions: list[Any] = []  # of this process: the address of a plain Python function is its number in this list

Signature = Any


def address(kernel: Any, signature: Signature) -> int:
    """Return the address of a kernel's code in this process; compile or load it if necessary.

    Keep the kernel alive as long as the address is used.
    """
    if PLAIN:
        if kernel not in _functions:
            _functions.append(kernel)
        return _functions.index(kernel) + 1
    made = kernel.get_compile_result(signature)
    return int(made.library.get_pointer_to_function(made.fndesc.llvm_func_name))


def caller(name: str, signature: Signature) -> Any:
    """Return a function ``call(address, arguments)`` for kernels that calls the function at an address."""
    if PLAIN:
        return lambda place, arguments: _functions[place - 1](*arguments)

    def call(typing: Any, place: Any, arguments: Any) -> tuple[Any, Callable[..., Any]]:
        _check(name, signature, arguments)

        def code(context: Any, builder: Any, seen: Any, values: Any) -> Any:
            given = [
                value if isinstance(want, types.Array) else context.cast(builder, value, have, want)
                for value, have, want in zip(
                    tools.unpack_tuple(builder, values[1]), seen.args[1], signature.args, strict=True
                )
            ]
            convention = context.call_conv
            kind = convention.get_function_type(signature.return_type, signature.args)
            pointer = builder.inttoptr(values[0], kind.as_pointer())
            status, result = convention.call_function(builder, pointer, signature.return_type, signature.args, given)
            with tools.if_unlikely(builder, status.is_error):
                convention.return_status_propagate(builder, status)
            return context.get_dummy_value() if signature.return_type == types.void else result

        return signature.return_type(types.int64, arguments), code

    call.__name__ = call.__qualname__ = f"call_{name}"
    return intrinsic(call)


def _check(name: str, signature: Signature, given: Any) -> None:
    """Check that arrays have the type and order of the signature: arguments are passed as they lie in memory."""
    if len(given) != len(signature.args):
        raise TypingError(f"{name}: {len(given)} arguments, wanted {len(signature.args)}")
    for have, want in zip(given, signature.args, strict=True):
        if isinstance(want, types.Array) and not _same(have, want):
            raise TypingError(f"{name}: got {have}, wanted {want}")


def _same(have: Any, want: Any) -> bool:
    return isinstance(have, types.Array) and (have.dtype, have.ndim, have.layout) == (want.dtype, want.ndim, "C")
