"""Arrays in compiled code, in a few instructions each.

Numba stores an array's descriptor in memory for every access to an element, and relies on LLVM to remove it again. Here
the descriptor stays a value, with a fourth of the instructions.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from typing import Any, cast

from numba.core import types

ir: Any = importlib.import_module("llvmlite.ir")
lowering: Any = importlib.import_module("numba.core.lowering")
tools: Any = importlib.import_module("numba.core.cgutils")

_NUMBERS = (types.Float, types.Integer, types.Boolean)


def view(context: Any, builder: Any, kind: Any, data: Any, shape: list[Any], strides: list[Any]) -> Any:
    """Return the descriptor of an array that does not own its memory: data pointer, lengths, byte steps."""
    count = shape[0]
    for length in shape[1:]:
        count = builder.mul(count, length, flags=["nsw"])
    model = context.data_model_manager[kind]
    known = {
        "nitems": count,
        "itemsize": item_size(context, kind),
        "data": data,
        "shape": tools.pack_array(builder, shape),
        "strides": tools.pack_array(builder, strides),
    }
    value = ir.Constant(context.get_value_type(kind), None)
    for name, each in known.items():
        value = builder.insert_value(value, each, model.get_field_position(name))
    return value


def item_size(context: Any, kind: Any) -> Any:
    """Return the bytes of an element."""
    return context.get_constant(types.intp, context.get_abi_sizeof(context.get_data_type(kind.dtype)))


def _each(indices: Any) -> tuple[Any, ...]:
    """Return the types of the indices."""
    return tuple(cast("Iterable[Any]", indices)) if isinstance(indices, types.BaseTuple) else (indices,)


class Lower(lowering.Lower):
    """Numba's lowering, except for elements of C-ordered arrays of numbers."""

    def lower_getitem(self, result: Any, expression: Any, array: Any, index: Any, signature: Any) -> Any:
        """Generate code that reads an element."""
        kind, indices = signature.args
        if not self._is_element(array, kind, indices):
            return super().lower_getitem(result, expression, array, index, signature)
        place = self._place(kind, array, self._cast_var(index, indices), indices)
        value = self.context.unpack_value(self.builder, kind.dtype, place, align=None if kind.aligned else 1)
        return self.context.cast(self.builder, value, kind.dtype, result)

    def lower_setitem(self, array: Any, index: Any, value: Any, signature: Any) -> Any:
        """Generate code that writes an element."""
        kind, indices, given = signature.args
        if not self._is_element(array, kind, indices) or not isinstance(given, _NUMBERS):
            return super().lower_setitem(array, index, value, signature)
        place = self._place(kind, array, self._cast_var(index, indices), indices)
        number = self.context.cast(self.builder, self._cast_var(value, given), given, kind.dtype)
        self.context.pack_value(self.builder, kind.dtype, number, place, align=None if kind.aligned else 1)
        return None

    def _is_element(self, array: Any, kind: Any, indices: Any) -> bool:
        """Return whether there is one integer index per dimension of an array of numbers."""
        each = _each(indices)
        return (
            isinstance(kind, types.Array)
            and self.typeof(array.name) == kind
            and (kind.layout, kind.ndim) == ("C", len(each))
            and kind.ndim > 0
            and isinstance(kind.dtype, _NUMBERS)
            and all(isinstance(one, types.Integer) for one in each)
            and not self.context.enable_boundscheck
        )

    def _place(self, kind: Any, array: Any, index: Any, indices: Any) -> Any:
        """Generate the address of an element; negative indices are from the end."""
        builder, context = self.builder, self.context
        position = context.data_model_manager[kind].get_field_position
        value = self.loadvar(array.name)
        numbers = tools.unpack_tuple(builder, index) if isinstance(indices, types.BaseTuple) else [index]
        place = None
        for k, (number, its) in enumerate(zip(numbers, _each(indices), strict=True)):
            wide = context.cast(builder, number, its, types.intp if its.signed else types.uintp)
            length = None
            if its.signed or k:
                length = builder.extract_value(value, [position("shape"), k])
            if its.signed and not (isinstance(wide, ir.Constant) and wide.constant >= 0):
                negative = builder.icmp_signed("<", wide, wide.type(0))
                wide = builder.select(negative, builder.add(wide, length), wide)
            place = wide if place is None else builder.add(builder.mul(place, length), wide)
        return builder.gep(builder.extract_value(value, position("data")), [place])
