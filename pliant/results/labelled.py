"""Labelled arrays whose errors name the labels that exist."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr

from pliant._spelling import known_as
from pliant.errors import LabelError, nearest

SHOWN = 12
"""Labels that a message lists, when none is like the one asked for."""


class DataArray(xr.DataArray):  # type: ignore[no-untyped-call]
    """xarray's DataArray, with named errors in `sel` and `loc`.

    >>> import pliant as pl
    >>> from pliant_testing.results.planar import example_motion
    >>> example_motion().position.sel(marker="beam/tpi")
    Traceback (most recent call last):
        ...
    pliant.errors.LabelError: position has no marker 'beam/tpi'. Did you mean beam/tip?
    """

    __slots__ = ()

    def sel(self, indexers: Mapping[Any, Any] | None = None, *args: Any, **kwargs: Any) -> DataArray:
        """Select as xarray does, with the units of the selected components; LabelError names an unknown label and the
        nearest ones.
        """
        try:
            places = None if indexers or args else _places(self, kwargs)
            found = super().sel(indexers, *args, **kwargs) if places is None else self.isel(places)
            return _in_its_units(self, found)
        except KeyError:
            wanted = {**(indexers or {}), **kwargs}
            if (respelled := _respell(self, wanted)) is not None:
                return self.sel(None, *args, **respelled)
            why = _unknown(self, wanted)
            if why is None:
                raise
            raise LabelError(why) from None


def _places(array: xr.DataArray, wanted: Mapping[str, Any]) -> dict[str, int] | None:
    """Return the places of labels that are names along their dimensions (the common case); None: xarray must decide."""
    indexes = array.xindexes
    if not all(type(label) is str and along in indexes for along, label in wanted.items()):
        return None
    places = {along: indexes[along].to_pandas_index().get_loc(label) for along, label in wanted.items()}
    return places if all(type(place) is int for place in places.values()) else None


def labelled(array: xr.DataArray) -> xr.DataArray:
    """Return the array with named errors, without copying."""
    array.__class__ = DataArray
    return array


def _in_its_units(whole: xr.DataArray, found: DataArray) -> DataArray:
    """Set the units of the selected components, if components have different units ("N, N, N m")."""
    units = str(whole.attrs.get("units", "")).split(", ")
    last = whole.dims[-1] if whole.dims else ""
    if len(units) > 1 and last in found.coords and len(units) == whole.sizes[last]:
        known = whole[last].values.tolist()
        chosen = [units[known.index(label)] for label in np.atleast_1d(found[last].values).tolist()]
        found.attrs["units"] = ", ".join(chosen)
    return found


def select(data: xr.Dataset, wanted: dict[str, Any]) -> xr.Dataset:
    """Return ``data.sel(**wanted)`` with named errors."""
    try:
        return data.sel(**wanted)
    except KeyError:
        if (respelled := _respell(data, wanted)) is not None:
            return select(data, respelled)
        why = _unknown(data, wanted)
        if why is None:
            raise
        raise LabelError(why.replace("this array", "this result", 1)) from None


def _respell(array: xr.DataArray | xr.Dataset, wanted: dict[Any, Any]) -> dict[Any, Any] | None:
    """Respell labels as the coordinates of the array spell them; None if that changes nothing."""
    found = dict(wanted)
    for along, label in wanted.items():
        if along in array.coords and array.coords[along].dtype.kind in "UO":
            known = [str(each) for each in array.coords[along].values.reshape(-1)]
            if isinstance(label, str):
                found[along] = known_as(label, known)
            elif isinstance(label, list | tuple):
                found[along] = [known_as(str(each), known) for each in label]
    return found if found != wanted else None


def _unknown(array: xr.DataArray | xr.Dataset, wanted: dict[Any, Any]) -> str | None:
    """Describe the first requested label that the array does not have."""
    name = getattr(array, "name", None) or "this array"
    for along, labels in wanted.items():
        if along in ("method", "tolerance", "drop"):
            continue
        if along not in array.dims and along not in array.coords:
            return f"{name} has no dimension {along!r}. {nearest(str(along), map(str, array.dims))}"
        if isinstance(labels, slice) or along not in array.coords:
            continue
        known = list(dict.fromkeys(array.coords[along].values.reshape(-1).tolist()))
        for label in np.atleast_1d(np.asarray(labels)).reshape(-1).tolist():
            if label not in known:
                return f"{name} has no {along} {label!r}. {_instead(along, label, known)}"
    return None


def _instead(along: Any, label: Any, known: list[Any]) -> str:
    if not known:
        return f"It has no {along} at all."
    if isinstance(known[0], int | float):
        return f'They go from {known[0]!r} to {known[-1]!r}; method="nearest" takes the nearest.'
    words = [str(each) for each in known]
    close = nearest(str(label), words)
    more = f"{', '.join(words[:SHOWN])}, and {len(words) - SHOWN} more"
    return close if close.startswith("Did") or len(words) <= SHOWN else f"There are {more}."
