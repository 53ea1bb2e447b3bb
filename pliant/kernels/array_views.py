"""Views for kernels: named tuples of arrays that are stored end to end in flat arrays, without bounds checks.

A slice and a reshape cost tens of nanoseconds per call and a third of the compile time; these views cost nothing.
A header has `WORDS` numbers per field: the start and the lengths of an array, or the value of a scalar.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from math import prod
from typing import Any

import numba
import numpy as np
from numba.core import types
from numba.extending import intrinsic

from pliant.jit.arrays import item_size
from pliant.jit.arrays import view as array_view

arrays: Any = importlib.import_module("numba.np.arrayobj")
settings: Any = numba.config


WORDS = 4


def view_of(kind: Any, example: Any) -> Any:
    """Return a function ``view(floats, indices, header, place)`` for kernels that builds a named tuple from arrays.

    kind     the named tuple
    example  an instance, for the types of its fields: float64 and uint32 arrays, integers, booleans
    """
    fields = tuple(_field(value) for value in example)
    if settings.DISABLE_JIT:
        return lambda floats, indices, header, place: named_views(kind, example, floats, indices, header[place:])
    named: Any = types.BaseTuple
    result = named.from_types(fields, kind)

    def view(typing: Any, floats: Any, indices: Any, header: Any, place: Any) -> tuple[Any, Callable[..., Any]]:
        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            stores = [
                arrays.make_array(t)(context, builder, x) for t, x in zip(signature.args, arguments[:3], strict=False)
            ]

            def word(k: int) -> Any:
                at = builder.add(arguments[3], context.get_constant(types.intp, k))
                return builder.load(builder.gep(stores[2].data, [at]))

            values = []
            for k, field in enumerate(fields):
                if isinstance(field, types.Array):
                    store = stores[0 if field.dtype == types.float64 else 1]
                    words = [word(WORDS * k + j) for j in range(1 + field.ndim)]
                    values.append(_array(context, builder, field, store.data, words[0], words[1:]))
                else:
                    values.append(context.cast(builder, word(WORDS * k), types.int64, field))
            return context.make_tuple(builder, result, values)

        return result(floats, indices, header, types.intp), code

    return intrinsic(view)


def named_views(kind: Any, example: Any, floats: np.ndarray, indices: np.ndarray, header: np.ndarray) -> Any:
    """Return the named tuple that the header describes, outside compiled code."""
    words, values = header[: WORDS * len(example)].tolist(), []
    for k, field in enumerate(example):
        first, *shape = words[WORDS * k : WORDS * (k + 1)]
        if isinstance(field, np.ndarray):
            shape = shape[: field.ndim]
            store = floats if field.dtype == np.float64 else indices
            values.append(store[first : first + prod(shape)].reshape(shape))
        else:
            values.append(type(field)(first))
    return kind(*values)


def _field(value: Any) -> Any:
    """Return the Numba type of a field."""
    if isinstance(value, np.ndarray):
        return types.Array(types.float64 if value.dtype == np.float64 else types.uint32, value.ndim, "C")
    return types.boolean if isinstance(value, bool) else types.int64


def _array(context: Any, builder: Any, kind: Any, data: Any, start: Any, shape: list[Any]) -> Any:
    """Return the descriptor of a C-ordered array that does not own its memory."""
    strides = [item_size(context, kind)]
    for length in reversed(shape[1:]):
        strides.insert(0, builder.mul(strides[0], length))
    return array_view(context, builder, kind, builder.gep(data, [start]), shape, strides)
