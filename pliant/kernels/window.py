"""Windows for kernels: part of a flat array seen as one of one, two or three dimensions, unchecked.

A slice and a reshape cost tens of nanoseconds at every call, and a third of all compilation; a window costs nothing.
The caller answers for its bounds.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from numba.core import types
from numba.extending import intrinsic

arrays: Any = importlib.import_module("numba.np.arrayobj")
tools: Any = importlib.import_module("numba.core.cgutils")
settings: Any = numba.config


def _typed(flat: Any, dimensions: int) -> tuple[Any, Callable[..., Any]]:
    """Signature, and the code that fills the structure of a C-ordered array that owns nothing."""
    result = types.Array(flat.dtype, dimensions, "C")

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        source = arrays.make_array(signature.args[0])(context, builder, arguments[0])
        start, *shape = arguments[1:]
        item = context.get_constant(types.intp, context.get_abi_sizeof(context.get_data_type(flat.dtype)))
        strides = [item]
        for length in reversed(shape[1:]):
            strides.insert(0, builder.mul(strides[0], length))
        view = arrays.make_array(result)(context, builder)
        arrays.populate_array(
            view,
            data=builder.gep(source.data, [start]),
            shape=tools.pack_array(builder, shape),
            strides=tools.pack_array(builder, strides),
            itemsize=item,
            meminfo=None,
        )
        return view._getvalue()

    return result(flat, *[types.intp] * (dimensions + 1)), code


def _window(flat: np.ndarray, start: int, *shape: int) -> np.ndarray:
    return flat[start : start + int(np.prod(shape))].reshape(shape)


if settings.DISABLE_JIT:
    window1 = window2 = window3 = _window
else:

    @intrinsic
    def window1(context: Any, flat: Any, start: Any, n: Any) -> Any:
        """n entries from ``start`` on."""
        return _typed(flat, 1)

    @intrinsic
    def window2(context: Any, flat: Any, start: Any, n: Any, m: Any) -> Any:
        """n m entries from ``start`` on, as (n, m)."""
        return _typed(flat, 2)

    @intrinsic
    def window3(context: Any, flat: Any, start: Any, n: Any, m: Any, k: Any) -> Any:
        """n m k entries from ``start`` on, as (n, m, k)."""
        return _typed(flat, 3)
