"""Named values that kernels receive as one pointer.

Numba passes a named tuple of arrays by value: seven numbers per array, hundreds for a system, in every call. A `Bundle`
is declared, created and read like a named tuple, but passed as the address of a block of words

    number       itself
    array        address of its data, its shape, its strides
    record       address of its data
    bundle       address of its block

and compiled code loads a field where it uses it. Fields never change (the data they point to may): the loads are marked
as invariant and move out of loops. Kernels cannot create bundles.
"""

from __future__ import annotations

import hashlib
import importlib
from array import array
from collections.abc import Callable, Iterator
from ctypes import c_size_t
from dataclasses import dataclass, fields
from struct import Struct
from typing import Any, ClassVar, Self, dataclass_transform

import numba
import numpy as np
from numba.core import types
from numba.extending import infer_getattr, models, register_model

from pliant._frozen import quick
from pliant.jit.arrays import item_size, view
from pliant.jit.fingerprint import signature_words

extending: Any = importlib.import_module("numba.extending")
templates: Any = importlib.import_module("numba.core.typing.templates")
tools: Any = importlib.import_module("numba.core.cgutils")


class _CachedProperty:
    """A property that is computed once; `functools.cached_property` takes a lock for this in Python 3.11."""

    def __init__(self, find: Callable[[Any], Any]) -> None:
        self.find, self.name = find, find.__name__

    def __get__(self, record: Any, kind: type) -> Any:
        if record is None:
            return self
        found = record.__dict__[self.name] = self.find(record)
        return found


@dataclass_transform(frozen_default=True, eq_default=False)
class Bundle:
    """Base class of bundles: fields are annotated, as in a named tuple.

    >>> class Grid(Bundle):
    ...     points: np.ndarray
    ...     spacing: float
    >>> grid = Grid(np.zeros(3), spacing=0.5)
    >>> grid._replace(spacing=1.0).spacing, len(list(grid))
    (1.0, 2)
    """

    _fields: ClassVar[tuple[str, ...]] = ()
    _types: ClassVar[dict[Any, Any]] = {}  # Numba types of a class by the keys of its fields

    def __init_subclass__(cls) -> None:
        quick(dataclass(frozen=True, eq=False)(cls))
        cls._fields = tuple(each.name for each in fields(cls))  # type: ignore[arg-type]
        cls._types = {}

    def __iter__(self) -> Iterator[Any]:
        return map(vars(self).__getitem__, self._fields)

    def __reduce__(self) -> Any:
        return type(self), tuple(self)

    def _replace(self, **changed: Any) -> Self:
        """Return the bundle with other values of some fields; itself if they are unchanged."""
        if all(getattr(self, name) is value for name, value in changed.items()):
            return self
        return type(self)(**{**dict(zip(self._fields, self, strict=True)), **changed})

    @_CachedProperty
    def _numba_type_(self) -> Any:
        """Numba type of the bundle, found by the keys of its fields, which is faster than numba's typeof."""
        known = self._types
        key = tuple([_key(value) for value in self])
        if key not in known:
            typeof: Any = numba.typeof
            known[key] = BundleType(type(self), tuple(typeof(value) for value in self))
        return known[key]

    @_CachedProperty
    def _block(self) -> array[int]:
        """Words of the fields."""
        words: list[Any] = []
        for value in self:
            if isinstance(value, np.ndarray):
                words.append(_data(value))
                words += value.shape
                words += value.strides
            elif isinstance(value, Bundle):
                words.append(value._address)
            elif isinstance(value, np.void):
                words.append(np.frombuffer(value, np.uint8).ctypes.data)
            else:
                words.append(_bits(value) if isinstance(value, float) else int(value))
        return array("q", words)

    @_CachedProperty
    def _address(self) -> int:
        return self._block.buffer_info()[0]


_FLOAT, _INTEGER = Struct("=d"), Struct("=q")
_WORD, _HEAD = c_size_t.from_address, object.__basicsize__


def _data(values: np.ndarray) -> int:
    """Return the address of an array's data: its first member in C, as in numpy's headers for compiled code.
    ``values.ctypes.data`` takes ten times as long, and a call needs some hundred addresses.
    """
    return _WORD(id(values) + _HEAD).value


def _bits(value: float) -> int:
    """Return a floating-point number as an integer of the same bits."""
    found: int = _INTEGER.unpack(_FLOAT.pack(value))[0]
    return found


def _key(value: Any) -> Any:
    """Return a key that is equal for values of one Numba type."""
    if isinstance(value, np.ndarray):
        return value.dtype, value.ndim, value.flags.num
    if isinstance(value, Bundle):
        return value._numba_type_
    return value.dtype if isinstance(value, np.void) else type(value)


class BundleType(types.Type):
    """Numba's type of a bundle: its class and the types of its fields."""

    def __init__(self, kind: type[Bundle], members: tuple[Any, ...]) -> None:
        self.kind, self.members = kind, members
        words = ", ".join(f"{name}: {signature_words(each)}" for name, each in zip(kind._fields, members, strict=True))
        digest = hashlib.sha256(words.encode()).hexdigest()[:16]
        super().__init__(name=f"{kind.__module__}.{kind.__qualname__}:{digest}")

    def place(self, name: str) -> tuple[int, Any]:
        """Return the first word of a field and its type."""
        word = 0
        for each, kind in zip(self.kind._fields, self.members, strict=True):
            if each == name:
                return word, kind
            word += 1 + 2 * kind.ndim if isinstance(kind, types.Array) else 1
        raise AttributeError(name)


@register_model(BundleType)
class _Model(models.OpaqueModel):
    """Data model: a pointer to the block."""


@infer_getattr
class _Attributes(templates.AttributeTemplate):
    """Types of the fields."""

    key = BundleType

    def generic_resolve(self, bundle: BundleType, name: str) -> Any:
        """Return the type of a field; None for an unknown name."""
        return bundle.place(name)[1] if name in bundle.kind._fields else None


@extending.lower_getattr_generic(BundleType)
def _load(context: Any, builder: Any, bundle: BundleType, block: Any, name: str) -> Any:
    """Generate code that reads a field."""
    first, kind = bundle.place(name)
    word = context.get_value_type(types.intp)
    words = builder.bitcast(block, word.as_pointer())

    def load(k: int) -> Any:
        value = builder.load(builder.gep(words, [context.get_constant(types.intp, first + k)]))
        value.set_metadata("invariant.load", builder.module.add_metadata([]))
        return value

    if isinstance(kind, types.Array):
        return _array(context, builder, kind, [load(k) for k in range(1 + 2 * kind.ndim)])
    if isinstance(kind, BundleType | types.Record):
        return builder.inttoptr(load(0), context.get_value_type(kind))
    if isinstance(kind, types.Float):
        return builder.bitcast(load(0), context.get_value_type(kind))
    return context.cast(builder, load(0), types.intp, kind)


def _array(context: Any, builder: Any, kind: Any, words: list[Any]) -> Any:
    """Return the descriptor of an array that does not own its memory."""
    strides = words[1 + kind.ndim :]
    if kind.layout == "C":
        strides[-1:] = [item_size(context, kind)]
    data = builder.inttoptr(words[0], context.get_data_type(kind.dtype).as_pointer())
    return view(context, builder, kind, data, words[1 : 1 + kind.ndim], strides)


@extending.unbox(BundleType)
def _unbox(kind: BundleType, value: Any, c: Any) -> Any:
    """Generate code that reads the address of a bundle."""
    number = c.pyapi.object_getattr_string(value, "_address")
    place = c.pyapi.long_as_longlong(number)
    c.pyapi.decref(number)
    pointer = c.builder.inttoptr(place, c.context.get_value_type(kind))
    return extending.NativeValue(pointer, is_error=tools.is_not_null(c.builder, c.pyapi.err_occurred()))
