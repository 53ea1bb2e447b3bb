"""How numba is made to compile in less time, without another result.

- The garbage collector rests: what a compiler makes is kept, and looking through it again is a tenth of the time.
- Shortcuts are taken (shortcuts.py), and passes left out that have nothing to do in a kernel.
- Machine code is made of a kernel when somebody asks where it is: never, of one that only becomes part of others.

And for a processor that gathers no numbers, so that loops over lanes (kernels/lanes.py) are quick.
"""

from __future__ import annotations

import dis
import gc
import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, cached_property
from typing import Any

from numba.core import types

from pliant.jit import shortcuts
from pliant.jit.arrays import Lower

compiler: Any = importlib.import_module("numba.core.compiler")
codegen: Any = importlib.import_module("numba.core.codegen")
ir: Any = importlib.import_module("numba.core.ir")
passes: Any = importlib.import_module("numba.core.typed_passes")
environment: Any = importlib.import_module("numba.core.environment")
machinery: Any = importlib.import_module("numba.core.compiler_machinery")
llvm: Any = importlib.import_module("llvmlite.binding")

_DRAFT = "draft"


@contextmanager
def undisturbed() -> Iterator[None]:
    """While something is compiled; the compiler's lock is held."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        with shortcuts.taken():
            yield
    finally:
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
        rounds, builder = self._rounds()
        rounds.run(self._final_module, builder)
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

    def _optimize_functions(self, module: Any) -> None:
        """Numba's first round, on functions that have code."""
        module.data_layout = self._codegen._data_layout
        for function in module.functions:
            if not function.is_declaration:
                rounds, builder = self._codegen._function_pass_manager()
                rounds.run(function, builder)

    def _optimize_final_module(self) -> None:
        """The first of numba's two rounds; the second is for machine code."""
        rounds, builder = self._rounds(
            loop_vectorize=self._codegen._loopvect, slp_vectorize=False, opt=self._codegen._opt_level, cost="cheap"
        )
        rounds.run(self._final_module, builder)

    def _rounds(self, **options: Any) -> Any:
        """Numba's, for a processor that reads scattered numbers one by one."""
        own, self._codegen._tm = self._codegen._tm, _reads_one_by_one(self._codegen)
        try:
            return self._codegen._module_pass_manager(**options)
        finally:
            self._codegen._tm = own

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


@cache
def _reads_one_by_one(target: Any) -> Any:
    """This processor, to LLVM, but for its instructions that gather numbers from many places: on those of AMD they take
    twice as long as reading one number after the other, and LLVM thinks otherwise.
    """
    triple = llvm.Target.from_triple(llvm.get_process_triple())
    if not triple.name.startswith("x86"):
        return target._tm
    options: dict[str, Any] = {"opt": target._opt_level}
    target._customize_tm_options(options)
    options["features"] += ",+prefer-no-gather"
    return triple.create_target_machine(**options)


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

    @cached_property
    def words(self) -> str:
        """Those that were set, in words; asked for when they are complete."""
        return str(sorted(self._values.items(), key=str))

    def __hash__(self) -> int:
        return _HASH


_DEFAULTS = compiler.Flags().values()
_HASH = hash(compiler.Flags())


@machinery.register_pass(mutates_CFG=True, analysis_only=False)
class Lowering(passes.NativeLowering):
    """From numba's code to LLVM's, with few instructions for arrays."""

    _name = "pliant_lowering"

    @property
    def lowering_class(self) -> Any:
        """Who does it."""
        return Lower


@machinery.register_pass(mutates_CFG=True, analysis_only=False)
class Rewrites(passes.NopythonRewrites):
    """Of expressions with whole arrays and of lists, where there are any."""

    _name = "pliant_rewrites"

    def run_pass(self, state: Any) -> bool:
        """Numba's, if one of the function's expressions is a whole array or a list."""
        steps = (each for block in state.func_ir.blocks.values() for each in block.find_insts(ir.Assign))
        if any(getattr(each.value, "op", "") in _MADE and self._whole(state, each.target.name) for each in steps):
            return bool(super().run_pass(state))
        return False

    def _whole(self, state: Any, name: str) -> bool:
        return isinstance(state.typemap[name], types.Array | types.List)


_MADE = ("unary", "binop", "inplace_binop", "call", "build_list")
_CHANGED = {passes.NativeLowering: Lowering, passes.NopythonRewrites: Rewrites}
_ONLY_WITH = {  # passes that have nothing to do in a function without one of these instructions or names
    "InlineClosureLikes": {"MAKE_FUNCTION", "LIST_APPEND", "BUILD_LIST", "reduce", "stencil"},
    "MakeFunctionToJitFunction": {"MAKE_FUNCTION"},
    "WithLifting": {"BEFORE_WITH", "LOAD_SPECIAL"},
    "RewriteDynamicRaises": {"RAISE_VARARGS"},
    "FindLiterallyCalls": {"literally"},
    "LiteralUnroll": {"literal_unroll"},
    "LiteralPropagationSubPipelinePass": {"isinstance", "hasattr"},
}


class Compiler(compiler.Compiler):
    """Numba's, with code that stays a draft and with the passes that a kernel needs."""

    def define_pipelines(self) -> Any:
        """The passes; the library is chosen here because the function's name is known."""
        state = self.state
        if state.library is None:
            state.library = Draft(state.targetctx.codegen(), state.func_id.func_qualname)
            state.library.enable_object_caching()
        pipelines = super().define_pipelines()
        if shortcuts.usable:
            words = _words(state.func_id.code)
            for each in pipelines:
                each.passes = [
                    (_CHANGED.get(step, step), text)
                    for step, text in each.passes
                    if not words.isdisjoint(_ONLY_WITH.get(step.__name__, words))
                ]
        return pipelines


def _words(code: Any) -> set[str]:
    """Names of the instructions of a function, and the names that it uses."""
    return {dis.opname[k] for k in set(code.co_code[::2])} | {*code.co_names, *code.co_freevars}
