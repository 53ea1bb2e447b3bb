"""Compiled kernels, and those of them that are called by name, as functions of a C library are.

Numba puts a copy of every callee's code into its caller and optimises it again there: small kernels want that, large
ones pay for it with minutes of compilation. A linked kernel is an outside symbol to its callers: they hold its name and
its types, and none of its code, so that neither is compiled again when the other changes. All that pliant uses of
numba's insides for this is here.
"""

from __future__ import annotations

import hashlib
import importlib
from dataclasses import dataclass
from typing import Any

import llvmlite.binding as llvm
from numba.core import types
from numba.core.registry import CPUDispatcher

from pliant._jit.cache import KernelCache
from pliant._jit.fingerprint import fingerprint, signature_words

tools: Any = importlib.import_module("numba.core.cgutils")
outcome: Any = importlib.import_module("numba.core.imputils")


class StaleLink(Exception):
    """A compiled kernel calls one whose types have changed: it has to be compiled again."""


@dataclass(frozen=True)
class Link:
    """What a caller has to know of a linked kernel. Called, it makes sure that the kernel is there."""

    module: str
    name: str
    arguments: tuple[Any, ...]
    result: Any

    def __call__(self) -> None:
        """Load the kernel, or compile it, before the caller is loaded."""
        kernel = getattr(importlib.import_module(self.module), self.name, None)
        if not isinstance(kernel, LinkedKernel):
            raise StaleLink(self.name)
        kernel.compile(self.arguments)
        made: Any = kernel.overloads[self.arguments]
        if made.signature.return_type != self.result:
            raise StaleLink(self.name)

    @property
    def symbol(self) -> str:
        """Name under which the code is known to the linker."""
        words = "\n".join(signature_words(each) for each in self.arguments)
        return f"pliant:{self.module}.{self.name}:{hashlib.sha256(words.encode()).hexdigest()[:16]}"


class Kernel(CPUDispatcher):
    """A kernel that is kept in the cache, if there is one."""

    _cache: Any
    targetctx: Any

    def compile(self, signature: Any) -> Any:
        """Compile for arguments of some types, or load what was compiled; a claim in the cache ends with it.

        The linker must never take one kernel for another: numba counts them in each process, which does not tell two
        of one name apart that were compiled by different processes. So the name holds the fingerprint.
        """
        self._give_own_name()
        try:
            return super().compile(signature)
        finally:
            if isinstance(self._cache, KernelCache):
                self._cache.release(signature)

    def _give_own_name(self) -> None:
        name, _, known = self.py_func.__qualname__.partition("@")
        if not known:
            own: Any = self.py_func
            own.__qualname__ = f"{name}@{fingerprint(own)[:12]}"


class LinkedKernel(Kernel):
    """A kernel that its callers call by name."""

    is_linked = True

    def add_overload(self, made: Any) -> None:
        """Publish a compiled version, and have callers refer to it instead of copying it."""
        super().add_overload(made)
        description = made.fndesc
        link = Link(self.__module__, self.py_func.__name__, tuple(description.argtypes), description.restype)
        llvm.add_symbol(link.symbol, made.library.get_pointer_to_function(description.llvm_func_name))

        def call(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            context.active_code_library._reload_init.add(link)
            convention = context.call_conv
            kind = convention.get_function_type(link.result, link.arguments)
            function = tools.get_or_insert_function(builder.module, kind, link.symbol)
            status, result = convention.call_function(builder, function, link.result, link.arguments, arguments)
            with tools.if_unlikely(builder, status.is_error):
                convention.return_status_propagate(builder, status)
            if link.result == types.void:
                return context.get_dummy_value()
            result = outcome.fix_returning_optional(context, builder, signature, status, result)
            return outcome.impl_ret_new_ref(context, builder, link.result, result)

        self.targetctx.remove_user_function(made.entry_point)
        self.targetctx._defns[made.entry_point].append(call, link.arguments)
