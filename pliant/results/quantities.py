"""Numbers of a result by name: "angle:crank", "position:coupler/tip:y", "frequency_hz:1".

A name is a variable and a label for each of its dimensions, apart from the one the result runs along (time of a motion,
point of a path, mode of modes). Places on beams are "leaf@0.5". Names that occur more than once are numbered from the
second on, as where two elements meet and both report their resultants: "leaf@0.5", "leaf@0.5 (2)".
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pliant._libraries import xarray as xr
from pliant._spelling import direction, known_as
from pliant.errors import OptionError, nearest
from pliant.results.result import Result
from pliant.results.schema import KINDS, units_of

if TYPE_CHECKING:
    from pandas import DataFrame  # type: ignore[import-untyped]

RAW = ("state_", "path_", "event_", "mode_", "shape", "ground_position", "strain_per_resultant")
"""Beginnings of variables that are no quantities: raw states, what is drawn, what belongs to events."""


REDUCED: dict[str, Callable[[np.ndarray], Any]] = {"max": np.max, "min": np.min, "mean": np.mean, "range": np.ptp}


WORTHY = ("angle", "tension", "position", "frequency_hz")
SHOWN = {"modes": 3}  # modes shown by default


class Quantity(NamedTuple):
    """One number, or one for each value along the result."""

    name: str
    units: str
    values: np.ndarray


def along(result: Result) -> str | None:
    """Return the dimension a result runs along: time, point, mode, frequency_hz, run; None: a single state."""
    dimension = KINDS[result.kind]
    if dimension is None or result.raw(dimension) is not None:
        return dimension
    return dimension if dimension in result.data.sizes else None


def quantities(result: Result, of: Collection[str] | None = None) -> Iterator[Quantity]:
    """Yield all quantities, or only those in some variables, in the order of the result's variables."""
    main = along(result)
    for key, array in result.data.data_vars.items():
        name = str(key)
        if of is not None and name not in of:
            continue
        if name.startswith(RAW) or array.dtype.kind not in "fciub" or (main is not None and main not in array.dims):
            continue
        yield from split(name, array, main)


def frame(result: Result) -> DataFrame:
    """Return all quantities as columns of a table, a row for each value along the result."""
    import pandas as pd

    main = along(result)
    index = None if main is None else pd.Index(result.data[main].values, name=main)
    return pd.DataFrame({each.name: np.atleast_1d(each.values) for each in quantities(result)}, index)


def quantity(result: Result, name: str) -> Quantity:
    """Return the quantity with that name; the error for an unknown name suggests the nearest."""
    variable = name.partition(":")[0]
    if result.raw(variable) is not None:
        found = list(split(variable, getattr(result, variable), along(result)))
    else:
        found = list(quantities(result))
    known = {each.name: each for each in found}
    if (own := known_as(name, known)) in known:
        return known[own]
    hint = direction(name, map(str, result.data.data_vars)) or nearest(name, known, most=30)
    raise OptionError(f"this {result.kind} result has no quantity {name!r}. {hint}")


def place_of(result: Result, name: str) -> tuple[str, int]:
    """Return the variable of a quantity, and its index in the flattened array (at one instant of a motion): for many
    results of one shape, which are read without labels (`Result.raw`).
    """
    word, main = name.partition(":")[0], along(result)
    array = result.data[word].isel({main: 0}) if main else result.data[word]
    numbers = array.copy(data=np.arange(array.size).reshape(array.shape)).astype(int)
    known = {each.name: each.values for each in split(word, numbers, None)}
    return word, int(known[known_as(name, known)])


def select_labels(array: xr.DataArray, name: str, along: Collection[str] = ()) -> xr.DataArray:
    """Select the labels of a name from its variable, along the dimensions that are kept."""
    others = [str(each) for each in array.dims if each not in along]
    labels = [_labels(array, each) for each in others]
    places = itertools.product(*(range(len(each)) for each in labels))
    word = name.partition(":")[0]
    known = {":".join([word, *(labels[k][i] for k, i in enumerate(place))]): place for place in places}
    if (own := known_as(name, known)) not in known:
        raise OptionError(f"there is no {name!r}. {nearest(name, known, most=30)}")
    return array.isel(dict(zip(others, known[own], strict=True)), drop=True)


def worthy(result: Result) -> list[str]:
    """Return names of a few numbers that summarise a result."""
    count = SHOWN.get(result.kind, 4)
    if result.kind == "modes":
        return [f"frequency_hz:{k}" for k in result.data["mode"].values[:count]]
    return [each.name for word in WORTHY for each in quantities(result) if each.name.partition(":")[0] == word][:count]


def number(result: Result, name: str) -> tuple[float, str]:
    """Return one number and its units: the last value along a motion or path; after "max:", "min:", "mean:" or "range:"
    the statistic of all values; of modes "frequency_hz:1", the number of the mode last.
    """
    how, _, rest = name.partition(":")
    whole = quantity(result, rest if how in REDUCED else _without_mode(result, name))
    if result.kind == "modes" and whole.values.ndim:
        modes = np.asarray(result.raw("mode")).astype(str).tolist()
        label = name.rpartition(":")[2]
        if how not in REDUCED and label not in modes:
            raise OptionError(f"{name!r}: which mode? Write {name}:{modes[0]}; there are {len(modes)} modes.")
        found = REDUCED[how](whole.values) if how in REDUCED else whole.values[modes.index(label)]
    else:
        found = REDUCED.get(how, _last)(np.atleast_1d(whole.values))
    return float(np.real(found)), whole.units


def _last(values: np.ndarray) -> Any:
    return values[-1]


def _without_mode(result: Result, name: str) -> str:
    """Return "frequency_hz" for "frequency_hz:1"."""
    return name.rpartition(":")[0] or name if result.kind == "modes" else name


def split(name: str, array: xr.DataArray, main: str | None) -> Iterator[Quantity]:
    """Yield a variable as single columns, along the dimension ``main`` if it has that."""
    others = [str(dimension) for dimension in array.dims if dimension != main]
    ordered: Any = array.transpose(*([main] if main in array.dims else []), *others).values
    labels = [_labels(array, dimension) for dimension in others]
    mixed = ", " in str(array.attrs.get("units", ""))
    units = [units_of(array, label) for label in labels[-1]] if mixed and labels else []
    for place in itertools.product(*(range(len(each)) for each in labels)):
        if "nan_means" in array.attrs and np.isnan(ordered[(..., *place)]).all():
            continue  # an empty dimension
        words = [name, *(labels[k][i] for k, i in enumerate(place))]
        yield Quantity(":".join(words), units[place[-1]] if units else units_of(array), ordered[(..., *place)])


def _labels(array: xr.DataArray, dimension: str) -> list[str]:
    """Return names along a dimension; places on beams for sections, numbers for dimensions without labels."""
    known: Any = array.coords
    if dimension == "section" and {"beam", "section_s"} <= set(known):
        pairs = zip(known["beam"].values, known["section_s"].values, strict=True)
        names = [f"{beam}@{s:.6g}" for beam, s in pairs]
    elif dimension in known:
        names = [str(label) for label in known[dimension].values]
    else:
        names = [str(number) for number in range(array.sizes[dimension])]
    times: dict[str, int] = {}
    numbered = []
    for label in names:
        times[label] = times.get(label, 0) + 1
        numbered.append(label if times[label] == 1 else f"{label} ({times[label]})")
    return numbered
