"""Results in other units: every variable by what its ``units`` say."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import xarray as xr

from pliant.errors import OptionError
from pliant.results.result import Result

RAW = ("state_", "path_", "event_direction", "event_tangent")


class HasScales(Protocol):
    """Units of length, time and mass (`pliant.model.scales.Scales`)."""

    def of(self, units: str) -> float: ...


def times_scales(result: Result, scales: HasScales, power: int) -> Result:
    """Every variable times (power 1) or divided by (-1) its scale. Raw states, whose units no label tells, are left
    out: the result cannot be gone on from.
    """
    if not hasattr(scales, "of"):
        raise OptionError(f"scales={scales!r}: give pl.Scales(length=, time=, mass=).")
    data = result.data.drop_vars([name for name in result.data.variables if str(name).startswith(RAW)])
    for name in [*data.coords, *data.data_vars]:
        factor = _factor(data[name], scales)
        if np.any(factor != 1.0):
            old = data.variables[name]
            data = (
                data.assign_coords({name: old * factor**power})
                if name in data.coords
                else data.assign({name: old * factor**power})
            )
            data[name].attrs.update(old.attrs)
    return Result(data, result.kind, result.outcome, result.provenance)


def _factor(array: xr.DataArray, scales: HasScales) -> Any:
    """Scale of a variable, or of each of its components."""
    units = str(array.attrs.get("units", "1")).split(", ")
    if array.dtype.kind not in "fc":
        return 1.0
    try:
        factors = np.array([scales.of(unit) for unit in units])
    except OptionError as error:
        raise OptionError(f"{array.name} has no scale. {error}") from error
    return factors[0] if len(units) == 1 else factors
