"""Small arrays on the stack: a kernel that is called often makes none on the heap, which costs some 50 ns each."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from numba.core import types
from numba.extending import intrinsic

from pliant.jit.arrays import view

tools: Any = importlib.import_module("numba.core.cgutils")
settings: Any = numba.config


def stack_array(*shape: int) -> Any:
    """A function for kernels that makes an array of float64 of this shape, not filled.

    It is valid as long as the kernel runs that calls it, and one and the same in all turns of a loop: it must not be
    returned.
    """
    if settings.DISABLE_JIT:
        return lambda: np.empty(shape)
    kind: Any = types.Array(types.float64, len(shape), "C")

    def make(typing: Any) -> tuple[Any, Callable[..., Any]]:
        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            count = context.get_constant(types.intp, int(np.prod(shape)))
            data = tools.alloca_once(builder, context.get_data_type(types.float64), size=count)
            lengths = [context.get_constant(types.intp, length) for length in shape]
            steps = [context.get_constant(types.intp, 8 * int(np.prod(shape[k + 1 :]))) for k in range(len(shape))]
            return view(context, builder, kind, data, lengths, steps)

        return kind(), code

    return intrinsic(make)
