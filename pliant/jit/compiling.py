"""Changes of numba that reduce the compile time and give the same result.

- The garbage collector is off: a compiler keeps its objects, and scanning them takes a tenth of the time.
- Shortcuts apply (shortcuts.py), and passes without effect on a kernel are omitted.
- Machine code is generated when the address of a kernel is needed: never for a kernel that is only inlined.

The target is a processor without gather instructions, so that loops over lanes (kernels/lanes.py) are fast.
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
    """Compile without garbage collection and with shortcuts; the compiler's lock is held."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        with shortcuts.taken():
            yield
    finally:
        if collecting:
            gc.enable()


class Draft(codegen.JITCodeLibrary):
    """Optimised code of a kernel, which becomes machine code when an address in it is needed."""

    _emitted = False

    def get_pointer_to_function(self, name: str) -> int:
        """Return the address of a function; 0 for an unknown name."""
        self._ensure_finalized()
        if not self._emitted:
            if not any(each.name == name and not each.is_declaration for each in self._final_module.functions):
                return 0
            self._emit()
        return int(super().get_pointer_to_function(name))

    def _emit(self) -> None:
        """Generate machine code, and set the addresses of its constants and of the constants of inlined kernels."""
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
        """Receiver of a kernel's constants in numba: this library, which stores none while it is a draft."""
        return self

    def set_env(self, name: str, constants: Any) -> None:
        """Set the address of constants in machine code."""
        if self._emitted:
            self._codegen.set_env(name, constants)

    def serialize_using_object_code(self) -> Any:
        """Return the content for the cache: machine code, if any, and the code for inlining."""
        if self._emitted:
            return super().serialize_using_object_code()
        return self.name, _DRAFT, self._get_module_for_linking().as_bitcode()

    def _optimize_functions(self, module: Any) -> None:
        """Run numba's first round on functions that have code."""
        module.data_layout = self._codegen._data_layout
        for function in module.functions:
            if not function.is_declaration:
                rounds, builder = self._codegen._function_pass_manager()
                rounds.run(function, builder)

    def _optimize_final_module(self) -> None:
        """Run the first of numba's two rounds; the second is for machine code."""
        rounds, builder = self._rounds(
            loop_vectorize=self._codegen._loopvect, slp_vectorize=False, opt=self._codegen._opt_level, cost="cheap"
        )
        rounds.run(self._final_module, builder)

    def _rounds(self, **options: Any) -> Any:
        """Return numba's passes, for a processor without gather instructions."""
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
    """Return this processor for LLVM without instructions that gather numbers from many places: on AMD processors they
    take twice as long as separate reads, contrary to LLVM's cost model.
    """
    triple = llvm.Target.from_triple(llvm.get_process_triple())
    if not triple.name.startswith("x86"):
        return target._tm
    options: dict[str, Any] = {"opt": target._opt_level}
    target._customize_tm_options(options)
    options["features"] += ",+prefer-no-gather"
    return triple.create_target_machine(**options)


def library_from(target: Any, kept: Any) -> Any:
    """Return the code of a kernel from the cache."""
    name, kind, data = kept
    if kind != _DRAFT:
        return target.codegen().unserialize_library(kept)
    library = Draft(target.codegen(), name)
    library._final_module = library._shared_module = llvm.parse_bitcode(data)
    library._finalized = True
    return library


class Flags(compiler.Flags):
    """Numba's flags with fast comparison and hash, which numba needs for every typed call."""

    def values(self) -> dict[str, Any]:
        """Return all flags."""
        return _DEFAULTS | self._values

    @cached_property
    def words(self) -> str:
        """Flags that were set, as text; read when they are complete."""
        return str(sorted(self._values.items(), key=str))

    def __hash__(self) -> int:
        return _HASH


_DEFAULTS = compiler.Flags().values()
_HASH = hash(compiler.Flags())


@machinery.register_pass(mutates_CFG=True, analysis_only=False)
class Lowering(passes.NativeLowering):
    """Lowering from numba's code to LLVM's, with few instructions for arrays."""

    _name = "pliant_lowering"

    @property
    def lowering_class(self) -> Any:
        """The lowering class."""
        return Lower


@machinery.register_pass(mutates_CFG=True, analysis_only=False)
class Rewrites(passes.NopythonRewrites):
    """Rewriting of expressions with whole arrays or lists, if there are any."""

    _name = "pliant_rewrites"

    def run_pass(self, state: Any) -> bool:
        """Run numba's pass if one of the function's expressions is a whole array or a list."""
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
    """Numba's compiler, with code that stays a draft and with the passes that a kernel needs."""

    def define_pipelines(self) -> Any:
        """Return the passes; the library is created here because the function's name is known."""
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
    """Return the names of a function's instructions, and the names that it uses."""
    return {dis.opname[k] for k in set(code.co_code[::2])} | {*code.co_names, *code.co_freevars}
