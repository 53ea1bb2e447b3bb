"""How numba is made to compile in less time, without another result.

- The garbage collector rests: what a compiler makes is kept, and looking through it again is a tenth of the time.
- Messages of attempts that numba makes and gives up while it finds types are not laid out for a terminal.
- Machine code is made of a kernel when somebody asks where it is: never, of one that only becomes part of others.
"""

from __future__ import annotations

import gc
import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

compiler: Any = importlib.import_module("numba.core.compiler")
codegen: Any = importlib.import_module("numba.core.codegen")
environment: Any = importlib.import_module("numba.core.environment")
errors: Any = importlib.import_module("numba.core.errors")
llvm: Any = importlib.import_module("llvmlite.binding")

_KINDS = ("code", "errmsg", "filename", "indicate", "highlight", "reset")  # of text in messages
_PLAIN: Any = type("Plain", (errors._DummyColorScheme,), {kind: lambda self, text: text for kind in _KINDS})()
_DRAFT = "draft"


@contextmanager
def undisturbed() -> Iterator[None]:
    """While something is compiled; the compiler's lock is held."""
    collecting, colours = gc.isenabled(), errors._termcolor_inst
    gc.disable()
    errors._termcolor_inst = _PLAIN
    try:
        yield
    finally:
        errors._termcolor_inst = colours
        if collecting:
            gc.enable()


class Draft(codegen.JITCodeLibrary):
    """Optimised code of a kernel, which becomes machine code when a place in it is asked for."""

    _emitted = False

    def get_pointer_to_function(self, name: str) -> int:
        """Where a function is; 0 if there is none of this name."""
        self._ensure_finalized()
        if not self._emitted:
            if not any(each.name == name and not each.is_declaration for each in self._final_module.functions):
                return 0
            self._emit()
        return int(super().get_pointer_to_function(name))

    def _emit(self) -> None:
        """Make machine code, and tell it where its constants are and those of the kernels that became part of it."""
        passes, builder = self._codegen._module_pass_manager()
        passes.run(self._final_module, builder)
        super()._finalize_final_module()
        self._emitted = True
        for each in self._final_module.global_variables:
            constants = environment.lookup_environment(each.name)
            if constants is not None:
                self._codegen.set_env(each.name, constants)

    @property
    def codegen(self) -> Any:
        """Whom numba tells of a kernel's constants: this library, which has no place for them while it is a draft."""
        return self

    def set_env(self, name: str, constants: Any) -> None:
        """Tell machine code where constants are."""
        if self._emitted:
            self._codegen.set_env(name, constants)

    def serialize_using_object_code(self) -> Any:
        """What is kept in the cache: machine code if there is any, and what callers take in."""
        if self._emitted:
            return super().serialize_using_object_code()
        return self.name, _DRAFT, self._get_module_for_linking().as_bitcode()

    def _optimize_final_module(self) -> None:
        """The first of numba's two rounds; the second is for machine code."""
        passes, builder = self._codegen._module_pass_manager(
            loop_vectorize=self._codegen._loopvect, slp_vectorize=False, opt=self._codegen._opt_level, cost="cheap"
        )
        passes.run(self._final_module, builder)

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


def library_from(target: Any, kept: Any) -> Any:
    """The code of a kernel as it was kept in the cache."""
    name, kind, data = kept
    if kind != _DRAFT:
        return target.codegen().unserialize_library(kept)
    library = Draft(target.codegen(), name)
    library._final_module = library._shared_module = llvm.parse_bitcode(data)
    library._finalized = True
    return library


class Flags(compiler.Flags):
    """Numba's, which it compares and hashes for every call that it types: in less time."""

    def values(self) -> dict[str, Any]:
        """All of them."""
        return _DEFAULTS | self._values

    def __hash__(self) -> int:
        return _HASH


_DEFAULTS = compiler.Flags().values()
_HASH = hash(compiler.Flags())


class Compiler(compiler.Compiler):
    """Numba's, with code that stays a draft."""

    def define_pipelines(self) -> Any:
        """The passes; the library is chosen here because the function's name is known."""
        state = self.state
        if state.library is None:
            state.library = Draft(state.targetctx.codegen(), state.func_id.func_qualname)
            state.library.enable_object_caching()
        return super().define_pipelines()
