"""Variables of a result that are computed and labelled at first use."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pliant._frozen import quick, replace
from pliant._libraries import xarray as xr

LEAD = "time"


@quick
@dataclass(frozen=True)
class Pending:
    """Contents of a lazy dataset: variables and coordinates as `xarray.Dataset` takes them, by name.

    label  makes the dataset
    rest   True if the dataset is one instant only, without time
    aside  costly variables, computed when requested by name; they are no part of the dataset
    """

    variables: Any  # a mapping that has the operator |
    coords: Mapping[str, Any]
    label: Callable[[Mapping[str, Any], Mapping[str, Any]], xr.Dataset]
    rest: bool = False
    aside: Mapping[str, Any] = field(default_factory=dict)

    def __iter__(self) -> Iterator[str]:
        coords = [name for name in self.coords if not (self.rest and name == LEAD)]
        return iter([*self.variables, *coords])

    def __contains__(self, name: object) -> bool:
        return name in self.variables or name in self.coords and not (self.rest and name == LEAD)

    @staticmethod
    def of(data: xr.Dataset) -> Pending:
        """Wrap an existing dataset."""
        parts = {str(name): (each.dims, each.values, each.attrs) for name, each in data.variables.items()}
        variables = {name: each for name, each in parts.items() if name not in data.coords}
        coords = {name: each for name, each in parts.items() if name in data.coords}
        return Pending(variables, coords, lambda variables, coords: xr.Dataset(variables, coords))

    def attributes(self, name: str) -> Mapping[str, Any]:
        """Return the attributes of a variable or coordinate."""
        given = self.variables[name] if name in self.variables else self.coords[name]
        if isinstance(given, tuple):
            return given[2] if len(given) > 2 else {}
        return getattr(given, "attrs", {})

    def taken(self, dimension: str, place: int, *, without: Collection[str]) -> Pending:
        """Return the data at one place of a dimension, without its labels, without some variables, and without
        coordinates along other dimensions that only these variables have.
        """
        kept = [name for name in self.variables if name not in without]
        lost = {dimension, *without}
        coords = {name: each for name, each in self.coords.items() if lost.isdisjoint(_dimensions(name, each))}
        here: Any = TakenVariables(self.variables, dimension, place, kept)
        return replace(self, variables=ChainMap({}, here), coords=coords)

    def at_rest(self) -> Pending:
        """Return the data without time."""
        return replace(self, rest=True)

    def assign(self, more: Mapping[str, Any]) -> Pending:
        """Return the data with more or replaced variables; labels of a dimension are coordinates, functions are
        variables computed at first use.
        """
        if not more:
            return self
        labels = {k: value for k, value in more.items() if not callable(value) and _dimensions(k, value) == (k,)}
        others: Any = {name: value for name, value in more.items() if name not in labels}
        return replace(self, variables=self.variables | others, coords={**self.coords, **labels})

    def values(self, name: str) -> np.ndarray:
        """Return the values of a variable or coordinate without labels."""
        given = self.variables[name] if name in self.variables else self.coords[name]
        found = np.asarray(given[1] if isinstance(given, tuple) else getattr(given, "values", given))
        return found[0] if self.rest and LEAD in _dimensions(name, given)[:1] else found

    def only(self, name: str) -> xr.Dataset:
        """Return a dataset of one variable or coordinate, with the coordinates along its dimensions."""
        wanted = {name: self.variables[name]} if name in self.variables else {}
        along = set(_dimensions(name, wanted[name] if wanted else self.coords[name]))
        coords = {each: value for each, value in self.coords.items() if along.issuperset(_dimensions(each, value))}
        return self._made(wanted, coords)

    def whole(self) -> xr.Dataset:
        """Return the dataset of everything."""
        return self._made(self.variables, self.coords)

    def _made(self, variables: Mapping[str, Any], coords: Mapping[str, Any]) -> xr.Dataset:
        data = self.label(variables, coords)
        return data.isel({LEAD: 0}, drop=True, missing_dims="ignore") if self.rest else data


@dataclass(frozen=True)
class TakenVariables(Mapping[str, Any]):
    """Variables at one place of a dimension, taken at first use."""

    source: Mapping[str, Any]
    dimension: str
    place: int
    names: Sequence[str]

    def __getitem__(self, name: str) -> Any:
        if name not in self.names:
            raise KeyError(name)
        given = self.source[name]
        along = _dimensions(name, given)
        if self.dimension not in along:
            return given
        values, *attributes = given[1:] if isinstance(given, tuple) else (given.values, given.attrs)
        at = along.index(self.dimension)
        return ((*along[:at], *along[at + 1 :]), np.take(values, self.place, axis=at), *attributes)

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)


def _dimensions(name: str, given: Any) -> tuple[str, ...]:
    """Return the dimensions of one entry of a dataset: an array alone is a coordinate along itself."""
    if isinstance(given, tuple):
        return (given[0],) if isinstance(given[0], str) else tuple(given[0])
    return tuple(str(each) for each in getattr(given, "dims", (name,)))  # xarray objects name them
