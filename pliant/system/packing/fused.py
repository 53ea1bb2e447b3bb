"""Sums over all families of elements and forces of a model, each called by its address.

Every kernel of a family is compiled separately, when a system that needs it is prepared, and called through a table of
addresses: neither the time loop nor another family is compiled again when one family changes.

The arrays of all families are stored in flat arrays (``Parts``), so that all kernels of a kind have one signature. A
family's own named tuple is rebuilt as views, in a few nanoseconds (``kernels/array_views.py``).
"""

from __future__ import annotations

import inspect
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache, cached_property
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numba.core import types
from numba.core.errors import NumbaError

from pliant.errors import ModelError
from pliant.jit import entry_kernel, kernel, linked_kernel, whole_kernel
from pliant.jit.address import address, caller
from pliant.jit.bundle import Bundle
from pliant.kernels.array_views import named_views, view_of
from pliant.kernels.sums import Instant, Into
from pliant.system.packing import catalogue

_F1, _F2 = types.Array(types.float64, 1, "C"), types.Array(types.float64, 2, "C")
_I1, _H1 = types.Array(types.uint32, 1, "C"), types.Array(types.int64, 1, "C")
_D, _B = types.float64, types.boolean
_PAIR: Any = types.Tuple([_D, _D])  # type: ignore[no-untyped-call]
_TYPES = {
    **dict.fromkeys(("q", "v", "a", "u", "dq", "r", "s", "w", "stress"), _F1),
    **dict.fromkeys(("ck", "cc", "cm", "close"), _D),
    "mixed": _B,
    "out": _F2,
    "who": types.Array(types.int64, 2, "C"),
}
FUNCTIONS = {  # kinds of kernels of a family, and their possible arguments, by name
    "add": ("q", "v", "a", "u", "ck", "cc", "cm", "r", "s", "w", "stress", "mixed"),
    "energy": ("q", "v", "u"),
    "power": ("q", "v", "u"),
    "stretch": ("q", "dq", "stress"),
    "pull": ("q", "stress", "r"),
    "resultants": ("q", "v", "u", "out"),
    "readings": ("q", "v", "u", "out"),
    "touching": ("q", "v", "u", "out"),
    "openings": ("q", "close", "who", "out"),
}
TOGETHER = {"now": "Instant(q, v, a, u)", "into": "Into(ck, cc, cm, r, s, w)"}  # names for groups of arguments
ADD, ENERGY, POWER, STRETCH, PULL, RESULTANTS, READINGS, TOUCHING_, OPENINGS = range(len(FUNCTIONS))
COLUMNS = {name: k for k, name in enumerate(FUNCTIONS)}
Packed = tuple[np.ndarray, np.ndarray, np.ndarray]  # numbers, indices and header of `Parts`
NOT_PREPARED, MISSING = 0, -1  # in the place of an address
PLACE, NUMBER = 0, 1  # columns of ``Parts.present``


def _signature(name: str) -> Any:
    returns = _PAIR if name in ("energy", "power") else types.int64 if name == "openings" else types.void
    return returns(_F1, _I1, _H1, types.int64, *(_TYPES[each] for each in FUNCTIONS[name]))


SIGNATURES = {name: _signature(name) for name in FUNCTIONS}
call_add = caller("add", SIGNATURES["add"])
call_pair = caller("energy or power", SIGNATURES["energy"])
call_stretch = caller("stretch or pull", SIGNATURES["stretch"])
call_record = caller("resultants, readings or touching", SIGNATURES["resultants"])
call_openings = caller("openings", SIGNATURES["openings"])


class Span(NamedTuple):
    """A field of the arrays of a family: a number itself, or its place among the numbers or indices of `Parts`."""

    name: str
    of: Any  # np.float64, np.uint32, or int for a number
    first: int
    last: int
    shape: tuple[int, ...]  # filled up with ones


class Parts(Bundle):
    """Present families: their floats, their indices, start and lengths of each array, and their kernels.

    ``calls`` has an address for every family and function, NOT_PREPARED (see `prepare`) or MISSING. Addresses and
    numbers of families are valid in this process only: copied or sent parts contain the families' names (`unpack`).
    """

    floats: np.ndarray
    indices: np.ndarray
    header: np.ndarray
    present: np.ndarray  # (families, 2) place in the header, number of the family
    calls: np.ndarray  # (families, functions)

    @cached_property
    def known(self) -> dict[str, Any]:
        """Cache of arrays of families, by name."""
        return {}

    @cached_property
    def spans(self) -> dict[str, list[Span]]:
        """Places of the fields of the arrays of every family."""
        places, header = self.present[:, PLACE].tolist(), self.header.reshape(-1, 4).tolist()
        return {name: _spans(name, header[place // 4 :]) for name, place in zip(names(self), places, strict=True)}

    def __reduce__(self) -> Any:
        known = catalogue.families()
        prepared = np.any((self.calls != MISSING) & (self.calls != NOT_PREPARED), axis=0)
        functions = [name for name, ready in zip(FUNCTIONS, prepared, strict=True) if ready]
        names = [(known[number], place) for place, number in self.present.tolist()]
        return unpack, (tuple(self)[:3], names, functions)


class History(NamedTuple):
    """Coordinates, velocities and signals at several instants, one row each."""

    q: np.ndarray
    v: np.ndarray
    u: np.ndarray


def pack(arrays: Mapping[str, Any], functions: Collection[str] = ("add", "energy", "power", "stretch")) -> Parts:
    """Concatenate the arrays of all families that have elements, and prepare these functions."""
    floats, indices = [np.empty(0)], [np.empty(0, np.uint32)]
    filled = {True: 0, False: 0}  # lengths of the floats and of the indices
    header: list[int] = []
    names: list[tuple[str, int]] = []
    for name, part in arrays.items():
        if len(part.dofs):
            names.append((name, len(header)))
            for field in part:
                if isinstance(field, np.ndarray):
                    real = field.dtype == np.float64
                    header += [filled[real], *field.shape, *[1] * (3 - field.ndim)]
                    filled[real] += field.size
                    (floats if real else indices).append(field.ravel())
                else:
                    header += [int(field), 0, 0, 0]
    data = (
        np.concatenate(floats),
        np.concatenate(indices).astype(np.uint32),
        np.array(header, np.int64),
    )
    return unpack(data, names, functions)


def names(parts: Parts) -> list[str]:
    """Return the names of the families present, in their order."""
    known = catalogue.families()
    return [known[number] for number in parts.present[:, NUMBER].tolist()]


def refill(parts: Parts, arrays: Mapping[str, Any]) -> Parts | None:
    """Return the parts with the numbers of other arrays of some families, except for the places of matrix entries
    (slots); None if more than numbers differs.
    """
    floats = parts.floats.copy()
    if not arrays.keys() <= parts.spans.keys():
        return None
    for family, part in arrays.items():
        for (name, of, first, last, shape), field in zip(parts.spans[family], part, strict=True):
            if of is int:
                if int(field) != first and name != "stress_start":
                    return None
            elif of is np.float64:
                if shape != _fill_up(field.shape):
                    return None
                floats[first:last] = field.ravel()
            elif name != "slots" and not np.array_equal(field.ravel(), parts.indices[first:last]):
                return None
    return parts._replace(floats=floats)


def floats_of(parts: Parts, name: str) -> slice:
    """Return the slice of the numbers of a family."""
    real = [each for each in parts.spans[name] if each.of is np.float64]
    return slice(real[0].first, real[-1].last) if real else slice(0)


def _spans(name: str, header: Sequence[Sequence[int]]) -> list[Span]:
    """Return the spans of a family whose header begins here."""
    found = []
    for (field, value), (first, *shape) in zip(catalogue.empty(name)._asdict().items(), header, strict=False):
        of = value.dtype.type if isinstance(value, np.ndarray) else int
        found.append(Span(field, of, first, first + prod(shape), tuple(shape)))
    return found


def _fill_up(shape: tuple[int, ...]) -> tuple[int, ...]:
    return shape + (1,) * (3 - len(shape))


def unpack(data: Packed, names: list[tuple[str, int]], functions: Iterable[str]) -> Parts:
    """Return parts of families with these names and places in the header, with functions prepared, in this process."""
    known, present, calls = catalogue.families(), [], []
    for name, place in names:
        if name not in known:
            raise ModelError(
                f"This system has parts of the family {name!r}, which is not loaded in this process. Import the "
                "package that defines it before the system is loaded."
            )
        present.append([place, known.index(name)])
        calls.append(_placeholders(name))
    table = np.array(present, np.int64).reshape(-1, 2)
    floats, indices, header = data
    parts = Parts(floats, indices, header, table, np.array(calls, np.int64).reshape(-1, len(FUNCTIONS)))
    prepare(parts, functions)
    return parts


@cache
def _placeholders(name: str) -> tuple[int, ...]:
    """Return placeholders of the addresses of a family's functions."""
    family = catalogue.of(name)
    return tuple(NOT_PREPARED if hasattr(family, function) else MISSING for function in FUNCTIONS)


def prepare(parts: Parts, functions: Iterable[str]) -> None:
    """Compile or load the kernels that these functions need of the families present."""
    known, numbers = catalogue.families(), parts.present[:, NUMBER].tolist()
    for function in functions:
        column = COLUMNS[function]
        for row, call in enumerate(parts.calls[:, column].tolist()):
            if call == NOT_PREPARED:
                parts.calls[row, column] = _compile(known[numbers[row]], function)


def family(parts: Parts, name: str) -> Any:
    """Return the arrays of a present family, as views of the parts."""
    if name not in parts.known:
        row = parts.present[:, NUMBER].tolist().index(catalogue.families().index(name))
        header = parts.header[parts.present[row, PLACE] :]
        parts.known[name] = named_views(
            catalogue.of(name).Arrays, catalogue.empty(name), parts.floats, parts.indices, header
        )
    return parts.known[name]


def present(parts: Parts) -> dict[str, Any]:
    """Return the arrays of all present families by name."""
    known = catalogue.families()
    return {known[number]: family(parts, known[number]) for number in parts.present[:, NUMBER].tolist()}


@cache
def _compile(name: str, function: str) -> int:
    """Return the address of a kernel of a family; ModelError if it cannot be compiled."""
    try:
        return address(entry(name, function), SIGNATURES[function])
    except NumbaError as error:
        family = catalogue.of(name).__name__
        raise ModelError(
            f"{family}: its kernel {function!r} cannot be compiled. Kernels, and the functions of a law, are of "
            f"numbers, arrays and loops (docs/extending.md).\n{str(error).strip()}"
        ) from error


@cache
def entry(name: str, function: str) -> Any:
    """Return a kernel of a family with the common signature of its kind."""
    family = catalogue.of(name)
    inner = whole_kernel(getattr(family, function))
    names = list(inspect.signature(getattr(inner, "py_func", inner)).parameters)[1:]
    asked = [TOGETHER.get(each, each) for each in names]
    offered = ("floats", "indices", "header", "place", *FUNCTIONS[function])
    text = f"def {name}_{function}({', '.join(offered)}):\n"
    text += f"    return inner(view(floats, indices, header, place), {', '.join(asked)})\n"
    view = view_of(family.Arrays, catalogue.empty(name))
    scope: dict[str, Any] = {"__name__": __name__, "inner": inner, "view": view, "Instant": Instant, "Into": Into}
    exec(text, scope)
    return entry_kernel(scope[f"{name}_{function}"])


@kernel
def _known(parts: Parts, k: int, function: int) -> bool:
    """Return whether family k has a function; a function that was not prepared is an error of the caller."""
    if parts.calls[k, function] == NOT_PREPARED:
        raise RuntimeError("a kernel is called that was not prepared")
    return parts.calls[k, function] != MISSING


@linked_kernel
def add(parts: Parts, now: Instant, into: Into, stress: np.ndarray, mixed: bool) -> None:
    """Add M a + internal force to r and ck K + cc C + cm M to s (w: the skew half), for all families."""
    f, i, h = parts.floats, parts.indices, parts.header
    q, v, a, u = now
    ck, cc, cm, r, s, w = into
    for k in range(parts.calls.shape[0]):
        if _known(parts, k, ADD):
            place = parts.present[k, PLACE]
            call_add(parts.calls[k, ADD], (f, i, h, place, q, v, a, u, ck, cc, cm, r, s, w, stress, mixed))


@linked_kernel
def _pair(parts: Parts, function: int, q: np.ndarray, v: np.ndarray, u: np.ndarray) -> tuple[float, float]:
    """Return the sum of a function with two values."""
    f, i, h, first, second = parts.floats, parts.indices, parts.header, 0.0, 0.0
    for k in range(parts.calls.shape[0]):
        if _known(parts, k, function):
            x, y = call_pair(parts.calls[k, function], (f, i, h, parts.present[k, PLACE], q, v, u))
            first += x
            second += y
    return first, second


@kernel
def energy(parts: Parts, q: np.ndarray, v: np.ndarray, u: np.ndarray) -> tuple[float, float]:
    """Return kinetic and potential energy."""
    return _pair(parts, ENERGY, q, v, u)


@kernel
def power(parts: Parts, q: np.ndarray, v: np.ndarray, u: np.ndarray) -> tuple[float, float]:
    """Return supplied and dissipated power."""
    return _pair(parts, POWER, q, v, u)


@linked_kernel
def _three(parts: Parts, function: int, x: np.ndarray, y: np.ndarray, z: np.ndarray) -> None:
    """Call a function of three arrays."""
    f, i, h = parts.floats, parts.indices, parts.header
    for k in range(parts.calls.shape[0]):
        if _known(parts, k, function):
            call_stretch(parts.calls[k, function], (f, i, h, parts.present[k, PLACE], x, y, z))


@kernel
def stretch(parts: Parts, q: np.ndarray, dq: np.ndarray, stress: np.ndarray) -> None:
    """Compute the stresses after a step dq, for mixed integration points."""
    _three(parts, STRETCH, q, dq, stress)


@kernel
def pull(parts: Parts, q: np.ndarray, stress: np.ndarray, r: np.ndarray) -> None:
    """Add B(q)^T stress, the forces of given stresses, to r."""
    _three(parts, PULL, q, stress, r)


@linked_kernel
def _record(parts: Parts, function: int, x: History, starts: np.ndarray, out: np.ndarray) -> None:
    """Store the rows of every family at every instant; ``starts``: first row by the number of the family."""
    f, i, h = parts.floats, parts.indices, parts.header
    for k in range(parts.calls.shape[0]):
        if _known(parts, k, function):
            place, number = parts.present[k, PLACE], parts.present[k, NUMBER]
            for t in range(x.q.shape[0]):
                rows = out[t, starts[number] : starts[number + 1]]
                call_record(parts.calls[k, function], (f, i, h, place, x.q[t], x.v[t], x.u[t], rows))


@kernel
def resultants(parts: Parts, x: History, starts: np.ndarray, out: np.ndarray) -> None:
    """Store N, V, M (in space N, Vy, Vz, T, My, Mz) at the stations of all beams, at every instant."""
    _record(parts, RESULTANTS, x, starts, out)


@kernel
def largest_resultants(
    parts: Parts, x: History, starts: np.ndarray, now: np.ndarray, flat: np.ndarray, largest: np.ndarray
) -> None:
    """Update ``largest`` with the largest size of each resultant at all instants; NaN if one is NaN. ``now`` is
    workspace for an instant; ``flat`` is its flat view.
    """
    f, i, h = parts.floats, parts.indices, parts.header
    for k in range(parts.calls.shape[0]):
        if _known(parts, k, RESULTANTS):
            place, number = parts.present[k, PLACE], parts.present[k, NUMBER]
            rows, width = now[starts[number] : starts[number + 1]], now.shape[1]
            sizes = flat[width * starts[number] : width * starts[number + 1]]
            most = largest[width * starts[number] : width * starts[number + 1]]
            for t in range(x.q.shape[0]):
                sizes[:] = 0.0
                call_record(parts.calls[k, RESULTANTS], (f, i, h, place, x.q[t], x.v[t], x.u[t], rows))
                for s in range(sizes.size):
                    size, before = abs(sizes[s]), most[s]
                    most[s] = before if size <= before or before != before else size


@kernel
def touching(parts: Parts, x: History, starts: np.ndarray, out: np.ndarray) -> None:
    """Store gap, normal force and friction (3) of contacts and stops, at every instant."""
    _record(parts, TOUCHING_, x, starts, out)


@kernel
def readings(parts: Parts, x: History, starts: np.ndarray, out: np.ndarray) -> None:
    """Store length, rate and tension of springs and tendons, at every instant."""
    _record(parts, READINGS, x, starts, out)


@linked_kernel
def openings(
    parts: Parts, q: np.ndarray, close: float, starts: np.ndarray, firsts: np.ndarray, who: np.ndarray, out: np.ndarray
) -> int:
    """Store the places whose gap is at most ``close``, one row each (kernels/contact_gaps.py), as far as the arrays
    extend; numbers of places and owners start at the offsets of the family. Return the number of places.
    """
    f, i, h, count = parts.floats, parts.indices, parts.header, 0
    for k in range(parts.calls.shape[0]):
        if _known(parts, k, OPENINGS):
            place, number, first = parts.present[k, PLACE], parts.present[k, NUMBER], min(count, who.shape[0])
            rows = f, i, h, place, q, close, who[first:], out[first:]
            count += call_openings(parts.calls[k, OPENINGS], rows)
            for row in range(first, min(count, who.shape[0])):
                who[row, 0] += starts[number]
                who[row, 1] += firsts[number]
    return count
