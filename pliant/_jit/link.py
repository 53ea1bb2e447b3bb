"""Compiled kernels, and those of them that are called by name, as functions of a C library are.

Numba puts a copy of every callee's code into its caller and optimises it again there: small kernels want that, large
ones pay for it with minutes of compilation. A linked kernel is an outside symbol to its callers: they hold its name and
its types, and none of its code, so that neither is compiled again when the other changes. All that pliant uses of
numba's insides for this is here.
"""

from __future__ import annotations

import ctypes
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
templates: Any = importlib.import_module("numba.core.typing.templates")
outcome: Any = importlib.import_module("numba.core.imputils")


class StaleLink(Exception):
    """A compiled kernel calls one whose types have changed: it has to be compiled again."""


@dataclass(frozen=True)
class Link:
    """What a caller has to know of a linked kernel. Called, it makes sure that the kernel's name is known."""

    module: str
    name: str
    arguments: tuple[Any, ...]
    result: Any
    cell: bool = False  # whether the name is that of a cell that tells where the kernel is

    def __call__(self) -> None:
        """Before a caller is loaded: load the kernel, or compile it; of a lazy one only its cell is needed."""
        kernel = getattr(importlib.import_module(self.module), self.name, None)
        if not isinstance(kernel, LinkedKernel) or isinstance(kernel, LazyKernel) != self.cell:
            raise StaleLink(self.name)
        if kernel.publish(self.arguments) != self.result:
            raise StaleLink(self.name)

    @property
    def symbol(self) -> str:
        """Name under which the code is known to the linker."""
        words = "\n".join(signature_words(each) for each in self.arguments)
        kind = "cell" if self.cell else "kernel"
        return f"pliant {kind}:{self.module}.{self.name}:{hashlib.sha256(words.encode()).hexdigest()[:16]}"

    def call(self, context: Any, builder: Any, function: Any, signature: Any, arguments: Any) -> Any:
        """Code of a call of the function at a place."""
        context.active_code_library._reload_init.add(self)
        convention = context.call_conv
        status, result = convention.call_function(builder, function, self.result, self.arguments, arguments)
        with tools.if_unlikely(builder, status.is_error):
            convention.return_status_propagate(builder, status)
        if self.result == types.void:
            return context.get_dummy_value()
        result = outcome.fix_returning_optional(context, builder, signature, status, result)
        return outcome.impl_ret_new_ref(context, builder, self.result, result)


class Kernel(CPUDispatcher):
    """A kernel that is kept in the cache, if there is one."""

    _cache: Any
    _compiler: Any
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
            kind = context.call_conv.get_function_type(link.result, link.arguments)
            function = tools.get_or_insert_function(builder.module, kind, link.symbol)
            return link.call(context, builder, function, signature, arguments)

        self.targetctx.remove_user_function(made.entry_point)
        self.targetctx._defns[made.entry_point].append(call, link.arguments)

    def publish(self, arguments: tuple[Any, ...]) -> Any:
        """Make the name of a version known to the linker; returns the type of its result."""
        self.compile(arguments)
        made: Any = self.overloads[arguments]
        return made.signature.return_type


class LazyKernel(LinkedKernel):
    """A linked kernel without result that is only there once it was asked for: its callers look up where, in a cell.

    ``compile(types)`` asks for it, and so does a call from Python; a call that comes too early is an error.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._cells: dict[tuple[Any, ...], Any] = {}
        self._calls: dict[tuple[Any, ...], Any] = {}

    def add_overload(self, made: Any) -> None:
        """Put the place of a compiled version into its cell."""
        Kernel.add_overload(self, made)
        self.publish(tuple(made.fndesc.argtypes))
        cell = self._cells[tuple(made.fndesc.argtypes)]
        cell.value = made.library.get_pointer_to_function(made.fndesc.llvm_func_name)

    def publish(self, arguments: tuple[Any, ...]) -> Any:
        """Make the name of a cell known to the linker."""
        if arguments not in self._cells:
            self._cells[arguments] = ctypes.c_int64(0)
            link = self._link(arguments)
            llvm.add_symbol(link.symbol, ctypes.addressof(self._cells[arguments]))
        return types.void

    def _link(self, arguments: tuple[Any, ...]) -> Link:
        return Link(self.__module__, self.py_func.__name__, arguments, types.void, cell=True)

    def get_call_template(self, arguments: Any, keywords: Any) -> Any:
        """How a caller is to be typed: without compiling this kernel."""
        python, arguments = self._compiler.fold_argument_types(arguments, keywords)
        signature = templates.signature(types.void, *arguments)
        template = templates.make_concrete_template(self.py_func.__name__, self.get_overload(signature), [signature])
        return template, python, arguments, {}

    def get_overload(self, signature: Any) -> Any:
        """How a caller is to be compiled: it looks into the cell."""
        arguments = tuple(getattr(signature, "args", signature))
        self.publish(arguments)
        if arguments not in self._calls:
            self._calls[arguments] = _call_of(self._link(arguments))
            self.targetctx._defns[self._calls[arguments]].append(self._calls[arguments], arguments)
        return self._calls[arguments]


def _call_of(link: Link) -> Any:
    """Code of a call by way of a cell."""

    def call(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        known, word = builder.module.globals, context.get_value_type(types.int64)
        cell = known.get(link.symbol) or tools.add_global_variable(builder.module, word, link.symbol)
        place = builder.load(cell)
        with tools.if_unlikely(builder, tools.is_null(builder, place)):
            message = f"the kernel {link.module}.{link.name} is called that was not asked for"
            context.call_conv.return_user_exc(builder, RuntimeError, (message,))
        kind = context.call_conv.get_function_type(link.result, link.arguments)
        return link.call(context, builder, builder.inttoptr(place, kind.as_pointer()), signature, arguments)

    return call
