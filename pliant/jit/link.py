"""Compiled kernels, and linked kernels, which are called by name like functions of a C library.

Numba copies every callee's code into its caller and optimises it again there: good for small kernels, minutes of
compilation for large ones. A linked kernel is an external symbol to its callers: they have its name and its types, but
not its code, so that neither is compiled again when the other changes. All use of numba's internals for this is here.
"""

from __future__ import annotations

import _thread
import ctypes
import hashlib
import importlib
import inspect
import traceback
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import FunctionType
from typing import Any

import llvmlite.binding as llvm
import llvmlite.ir as llvm_ir
from numba.core import types
from numba.core.registry import CPUDispatcher

from pliant.jit.cache import KernelCache
from pliant.jit.compiling import Compiler, Flags, undisturbed
from pliant.jit.fingerprint import fingerprint, signature_words

tools: Any = importlib.import_module("numba.core.cgutils")
templates: Any = importlib.import_module("numba.core.typing.templates")
outcome: Any = importlib.import_module("numba.core.imputils")
compiler_lock: Any = importlib.import_module("numba.core.compiler_lock").global_compiler_lock


_UniTuple: Any = types.UniTuple
RESULTS = {  # of lazy kernels
    "None": types.void,
    "bool": types.boolean,
    "int": types.int64,
    "float": types.float64,
    "tuple[int, int]": _UniTuple(types.int64, 2),
    "tuple[float, float]": _UniTuple(types.float64, 2),
}


class StaleLink(Exception):
    """A compiled kernel calls a kernel whose types have changed: it has to be compiled again."""


@dataclass(frozen=True)
class Link:
    """A caller's data of a linked kernel. Calling it makes the kernel's name known to the linker."""

    module: str
    name: str
    arguments: tuple[Any, ...]
    result: Any
    cell: bool = False  # whether the symbol is a cell with the address of the kernel

    def __call__(self) -> None:
        """Load or compile the kernel before a caller is loaded; for a lazy kernel create only its cell."""
        kernel = getattr(importlib.import_module(self.module), self.name, None)
        if not isinstance(kernel, LinkedKernel) or isinstance(kernel, LazyKernel) != self.cell:
            raise StaleLink(self.name)
        if kernel.publish(self.arguments) != self.result:
            raise StaleLink(self.name)

    @property
    def symbol(self) -> str:
        """Name of the code for the linker."""
        words = "\n".join(signature_words(each) for each in self.arguments)
        kind = "cell" if self.cell else "kernel"
        return f"pliant {kind}:{self.module}.{self.name}:{hashlib.sha256(words.encode()).hexdigest()[:16]}"

    def call(self, context: Any, builder: Any, function: Any, signature: Any, arguments: Any) -> Any:
        """Generate a call of the function at an address."""
        context.active_code_library._reload_init.add(self)
        convention = context.call_conv
        status, result = convention.call_function(builder, function, self.result, self.arguments, arguments)
        with tools.if_unlikely(builder, status.is_error):
            convention.return_status_propagate(builder, status)
        if self.result == types.void:
            return context.get_dummy_value()
        result = outcome.fix_returning_optional(context, builder, signature, status, result)
        return outcome.impl_ret_new_ref(context, builder, self.result, result)


class CachedKernel(CPUDispatcher):
    """The compiled versions of a function, stored in the cache if there is one."""

    _cache: Any
    _insert: Any
    _compiler: Any
    targetctx: Any

    def __init__(self, function: Any, options: dict[str, Any]) -> None:
        function.__signature__ = inspect.signature(function)  # computed once; numba computes it twice
        super().__init__(function, {}, options, pipeline_class=Compiler)
        self._compiler._customize_flags = Flags

    def compile(self, signature: Any) -> Any:
        """Compile for arguments of these types, or load the compiled code; release the claim in the cache.

        The linker must never confuse two kernels: numba numbers them per process, so two of one name from different
        processes could have the same number. Therefore the name includes the fingerprint.
        """
        self._give_own_name()
        try:
            with compiler_lock, undisturbed():
                return super().compile(signature)
        finally:
            if isinstance(self._cache, KernelCache):
                self._cache.release(signature)

    def _give_own_name(self) -> None:
        name, _, known = self.py_func.__qualname__.partition("@")
        if not known:
            own: Any = self.py_func
            own.__qualname__ = f"{name}@{fingerprint(own)[:12]}"

    def keep(self, folder: Path | None) -> None:
        """Use the cache in a folder."""
        if folder is not None:
            options = [type(self).__name__, *sorted(self.targetoptions.items(), key=str)]
            self._cache = KernelCache(self.py_func, options, folder)


class Kernel(CachedKernel):
    """A kernel for other kernels. The wrapper for calls from Python takes a fifth of the compile time: it is compiled
    only for kernels that Python calls, by a twin.
    """

    def add_overload(self, made: Any) -> None:
        """Add a compiled version, which Python cannot call."""
        self.overloads[tuple(made.signature.args)] = made

    def get_call_template(self, arguments: Any, keywords: Any) -> Any:
        """Return how to type a call. A constant is typed like other numbers, without a version of its own."""
        unliteral: Any = types.unliteral
        return super().get_call_template(
            tuple(unliteral(each) for each in arguments), {name: unliteral(each) for name, each in keywords.items()}
        )

    def _compile_for_args(self, *arguments: Any, **named: Any) -> Any:
        """Compile for a call from Python with new types."""
        known = set(self._twin.overloads)
        made = self._twin._compile_for_args(*arguments, **named)
        for kinds in set(self._twin.overloads) - known:
            self._insert([each._code for each in kinds], self._twin.overloads[kinds].entry_point, False)
        return made

    @cached_property
    def _twin(self) -> Any:
        """A kernel that only Python calls."""
        options = {**self.targetoptions, "no_cpython_wrapper": False}
        twin = CachedKernel(self._twin_function(), options)
        twin.keep(self._cache.folder if isinstance(self._cache, KernelCache) else None)
        return twin

    def _twin_function(self) -> Any:
        own: Any = self.py_func
        twin = FunctionType(own.__code__, own.__globals__, own.__name__, own.__defaults__, own.__closure__)
        twin.__module__, twin.__doc__ = own.__module__, own.__doc__
        twin.__qualname__ = f"{own.__qualname__.partition('@')[0]} for Python"
        return twin


class EntryKernel(Kernel):
    """A kernel that is called by its address."""

    def add_overload(self, made: Any) -> None:
        """Add a compiled version, with machine code."""
        super().add_overload(made)
        made.library.get_pointer_to_function(made.fndesc.llvm_func_name)


class LinkedKernel(Kernel):
    """A kernel that its callers call by name."""

    is_linked = True

    def add_overload(self, made: Any) -> None:
        """Publish a compiled version, so that callers refer to it instead of copying it."""
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
        """Make the name of a version known to the linker; return the type of its result."""
        self.compile(arguments)
        made: Any = self.overloads[arguments]
        return made.signature.return_type

    def _compile_for_args(self, *arguments: Any, **named: Any) -> Any:
        """Compile for a call from Python with new types."""
        self.compile(tuple(self.typeof_pyval(each) for each in arguments))
        return super()._compile_for_args(*arguments, **named)

    def _twin_function(self) -> Any:
        """Return a function that only calls this kernel, so that nothing is compiled twice."""
        own: Any = self.py_func
        names = ", ".join(inspect.signature(own).parameters)
        scope: dict[str, Any] = {"__name__": own.__module__, "kernel": self}
        exec(f"def {own.__name__}({names}):\n    return kernel({names})\n", scope)
        twin = scope[own.__name__]
        twin.__qualname__ = f"{own.__qualname__.partition('@')[0]} for Python"
        return twin


class LazyKernel(LinkedKernel):
    """A linked kernel that is compiled at its first call: its callers read its address from a cell.

    Its callers are compiled before it, so its annotation states the type of its result (`RESULTS`).
    """

    def __init__(self, function: Any, options: dict[str, Any]) -> None:
        super().__init__(function, options)
        self._cells: dict[tuple[Any, ...], Any] = {}
        self._calls: dict[tuple[Any, ...], Any] = {}

    @property
    def result(self) -> Any:
        """Type of the result, as annotated."""
        return RESULTS[self.py_func.__annotations__["return"]]

    def add_overload(self, made: Any) -> None:
        """Store the address of a compiled version in its cell."""
        if made.signature.return_type != self.result:
            raise TypeError(f"{self.py_func.__name__} states that it returns {self.result}: {made.signature}")
        Kernel.add_overload(self, made)
        self.publish(tuple(made.fndesc.argtypes))
        cell = self._cells[tuple(made.fndesc.argtypes)]
        cell.value = made.library.get_pointer_to_function(made.fndesc.llvm_func_name)

    def publish(self, arguments: tuple[Any, ...]) -> Any:
        """Make the name of a cell known to the linker."""
        if arguments not in self._cells:
            cell = self._cells[arguments] = ctypes.c_int64(0)
            _empty[ctypes.addressof(cell)] = (self, arguments)
            llvm.add_symbol(self._link(arguments).symbol, ctypes.addressof(cell))
        return self.result

    def _link(self, arguments: tuple[Any, ...]) -> Link:
        return Link(self.__module__, self.py_func.__name__, arguments, self.result, cell=True)

    def get_call_template(self, arguments: Any, keywords: Any) -> Any:
        """Return how to type a call, without compiling this kernel."""
        unliteral: Any = types.unliteral
        python, arguments = self._compiler.fold_argument_types(arguments, keywords)
        arguments = tuple(unliteral(each) for each in arguments)
        signature = templates.signature(self.result, *arguments)
        template = templates.make_concrete_template(self.py_func.__name__, self.get_overload(signature), [signature])
        return template, python, arguments, {}

    def get_overload(self, signature: Any) -> Any:
        """Return the code of a call, which reads the address from the cell."""
        arguments = tuple(getattr(signature, "args", signature))
        self.publish(arguments)
        if arguments not in self._calls:
            self._calls[arguments] = _call_of(self._link(arguments))
            self.targetctx._defns[self._calls[arguments]].append(self._calls[arguments], arguments)
        return self._calls[arguments]


_empty: dict[int, tuple[LazyKernel, tuple[Any, ...]]] = {}  # kernel and arguments of every cell of this process


def _fill(place: int) -> None:
    """Compile the kernel of an empty cell; called by compiled code, which raises an error if it stays empty."""
    kernel, arguments = _empty[place]
    try:
        kernel.compile(arguments)
    except KeyboardInterrupt:
        _thread.interrupt_main()
    except Exception:
        traceback.print_exc()


_filler = ctypes.CFUNCTYPE(None, ctypes.c_int64)(_fill)
_FILLER = "pliant fill"
llvm.add_symbol(_FILLER, ctypes.cast(_filler, ctypes.c_void_p).value)


def _call_of(link: Link) -> Any:
    """Return a generator of calls through a cell."""

    def call(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        known, word = builder.module.globals, context.get_value_type(types.int64)
        cell = known.get(link.symbol) or tools.add_global_variable(builder.module, word, link.symbol)
        with tools.if_unlikely(builder, tools.is_null(builder, builder.load(cell))):
            kind = llvm_ir.FunctionType(llvm_ir.VoidType(), [word])
            fill = tools.get_or_insert_function(builder.module, kind, _FILLER)
            builder.call(fill, [builder.ptrtoint(cell, word)])
        place = builder.load(cell)
        with tools.if_unlikely(builder, tools.is_null(builder, place)):
            message = f"the kernel {link.module}.{link.name} could not be compiled"
            context.call_conv.return_user_exc(builder, RuntimeError, (message,))
        kind = context.call_conv.get_function_type(link.result, link.arguments)
        return link.call(context, builder, builder.inttoptr(place, kind.as_pointer()), signature, arguments)

    return call
