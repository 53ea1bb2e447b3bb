"""Compilation: the `kernel` decorators, their cache (cache.py) and calls by address (address.py)."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any, TypeVar

import numba

from pliant.jit.cache import cache_folder, cache_root, health
from pliant.jit.link import EntryKernel, Kernel, LazyKernel, LinkedKernel

__all__ = [
    "allocating_kernel",
    "cache_folder",
    "cache_root",
    "entry_kernel",
    "flat_kernel",
    "health",
    "in_python",
    "inlined_kernel",
    "kernel",
    "lazy_allocating_kernel",
    "lazy_kernel",
    "linked_kernel",
    "python_kernel",
    "whole_kernel",
]

F = TypeVar("F", bound=Callable[..., Any])

FLAGS: dict[str, Any] = {
    "nopython": True,
    "boundscheck": None,
    "error_model": "numpy",
    "fastmath": {"contract"},
    "nogil": True,
    "no_cfunc_wrapper": True,
    "no_cpython_wrapper": True,
}


def kernel(function: F) -> F:
    """Compile a module-level function with numba, cached between runs; NUMBA_DISABLE_JIT=1 leaves it plain Python.

    Floating point follows numpy (no ZeroDivisionError); only fused multiply-add is allowed to change rounding. A kernel
    creates no arrays (it is compiled without reference counting, which halves the code); see `allocating_kernel`.
    """
    return _compile(function, _nrt=False)


def allocating_kernel(function: F) -> F:
    """Compile a kernel that creates arrays."""
    return _compile(function, _nrt=True)


def entry_kernel(function: F) -> F:
    """Compile a kernel that is called by its address (see address.py). It creates no arrays itself; its callees may."""
    return _compile(function, kind=EntryKernel, _nrt=False)


def linked_kernel(function: F) -> F:
    """Compile a large kernel that other kernels call by its name instead of copying its code (see link.py)."""
    return _compile(function, kind=LinkedKernel, _nrt=False)


def lazy_kernel(function: F) -> F:
    """Compile a linked kernel at its first call, not with its callers (see link.py): for code that most models do not
    need. Its annotation states the type of its result: None, bool, int, float or two of these.
    """
    return _compile(function, kind=LazyKernel, _nrt=False)


def lazy_allocating_kernel(function: F) -> F:
    """Compile a lazy kernel that creates arrays."""
    return _compile(function, kind=LazyKernel, _nrt=True)


def python_kernel(function: F) -> F:
    """Compile a kernel that calls back into Python and so holds its lock."""
    return _compile(function, _nrt=True, nogil=False)


def inlined_kernel(function: F) -> F:
    """Make a kernel, with one or two callers only, part of its callers: it is not compiled by itself."""
    return _compile(function, _nrt=False, inline="always")


def whole_kernel(made: Any) -> Any:
    """Return the kernel for one caller that inlines it, however large it is: so the many arrays of a family are not
    passed on. Linked kernels are returned unchanged.
    """
    if type(made) is not Kernel:
        return made
    return _compile(made.py_func, **made.targetoptions | {"forceinline": True})


def flat_kernel(function: F) -> F:
    """Compile a kernel that LLVM always inlines: a single call would prevent the vectorisation of a loop over lanes
    (kernels/lanes.py).
    """
    return _compile(function, _nrt=False, forceinline=True)


def in_python(function: F) -> F:
    """Return a kernel as plain Python, with the kernels that its module imports: for work that takes less time than
    loading the kernel or compiling it.
    """
    own: Any = getattr(function, "py_func", function)
    scope = dict(own.__globals__)
    kernels = {name: each.py_func for name, each in scope.items() if isinstance(each, Kernel)}
    scope |= {name: FunctionType(each.__code__, scope, name, each.__defaults__) for name, each in kernels.items()}
    return scope[own.__name__]


def _compile(function: F, *, kind: type[Kernel] = Kernel, **flags: Any) -> F:
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        return function
    made: Any = kind(function, FLAGS | flags)
    made.keep(cache_folder())
    return made
