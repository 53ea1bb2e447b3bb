"""The one way pliant compiles: the `kernel` decorators, their cache (cache.py) and calls by address (address.py)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba

from pliant._jit.cache import KernelCache, cache_folder, cache_root
from pliant._jit.link import Kernel, LazyKernel, LinkedKernel

__all__ = [
    "allocating_kernel",
    "ask",
    "cache_folder",
    "cache_root",
    "entry_kernel",
    "inlined_kernel",
    "kernel",
    "lazy_kernel",
    "linked_kernel",
    "python_kernel",
]

F = TypeVar("F", bound=Callable[..., Any])

FLAGS: dict[str, Any] = {"error_model": "numpy", "fastmath": {"contract"}, "nogil": True, "no_cfunc_wrapper": True}


def kernel(function: F) -> F:
    """Compile a module-level function with numba, cached between runs; NUMBA_DISABLE_JIT=1 leaves it plain Python.

    Floating point follows numpy (no ZeroDivisionError); only fused multiply-add is allowed to change rounding. A kernel
    makes no arrays (it is compiled without reference counting, which halves the code); see `allocating_kernel`.
    """
    return _compile(function, _nrt=False)


def allocating_kernel(function: F) -> F:
    """A kernel that makes arrays."""
    return _compile(function, _nrt=True)


def linked_kernel(function: F) -> F:
    """A large kernel that other kernels call by its name instead of taking in its code (see link.py)."""
    return _compile(function, kind=LinkedKernel, _nrt=False)


def lazy_kernel(function: F) -> F:
    """A linked kernel without result that is compiled when it is asked for, not when its callers are (see link.py)."""
    return _compile(function, kind=LazyKernel, _nrt=False)


def python_kernel(function: F) -> F:
    """A kernel that calls back into Python and so holds its lock."""
    return _compile(function, _nrt=True, nogil=False)


def inlined_kernel(function: F) -> F:
    """A kernel that is called from one or two places only and becomes part of its callers: not compiled by itself."""
    return _compile(function, _nrt=False, inline="always")


def entry_kernel(function: F, *, allocates: bool = True) -> F:
    """A kernel that is only called by its address: Python cannot call it, which saves a third of its compilation."""
    return _compile(function, _nrt=allocates, no_cpython_wrapper=True)


def _compile(function: F, *, kind: type[Kernel] = Kernel, **flags: Any) -> F:
    made: Any = numba.njit(**(FLAGS | flags))(function)
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        return function
    made = kind(function, made.locals, made.targetoptions, pipeline_class=made._compiler.pipeline_class)
    folder = cache_folder()
    if folder is not None:
        made._cache = KernelCache(function, sorted(made.targetoptions.items(), key=str), folder)
    return made


def ask(kernel: Any, arguments: tuple[Any, ...]) -> None:
    """Have a lazy kernel compiled, or loaded, for some arguments, given as such or by their types."""
    typeof: Any = numba.typeof
    if isinstance(kernel, Kernel):
        kernel.compile(tuple(each if isinstance(each, numba.types.Type) else typeof(each) for each in arguments))
