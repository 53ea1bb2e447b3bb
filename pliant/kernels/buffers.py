"""Small arrays on the stack: heap arrays cost some 50 ns each, too much in a kernel that is called often."""

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
    """Return a function for kernels that creates an uninitialised float64 array of this shape on the stack.

    The array is valid while the calling kernel runs and must not be returned. All iterations of a loop share it.
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
