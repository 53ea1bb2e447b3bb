"""Results in other units, variable by variable according to ``units``."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Protocol

import numpy as np

from pliant._libraries import xarray as xr
from pliant.errors import OptionError
from pliant.results.records import Provenance
from pliant.results.result import Result

RAW = ("state_", "path_", "event_direction", "event_tangent")
MOVING = {"state_q": 0, "state_v": 1, "state_a": 2}  # raw states known node by node: order of the time derivative
SAME = 1e-12  # relative difference of equal scales


class HasScales(Protocol):
    """Units of length, time and mass (`pliant.model.scales.Scales`)."""

    @property
    def length(self) -> float: ...
    @property
    def time(self) -> float: ...
    @property
    def mass(self) -> float: ...
    def of(self, units: str) -> float: ...


def times_scales(result: Result, scales: HasScales, power: int) -> Result:
    """Multiply (power 1) or divide (power -1) every variable by its scale. The raw state has no labels with units: only
    its positions and velocities are kept, enough to continue a motion; reactions are computed again.
    """
    if not hasattr(scales, "of"):
        raise OptionError(f"scales={scales!r}: give pl.Scales(length=, time=, mass=).")
    origin = _converted(result, scales, power)
    raw = [str(name) for name in result.data.variables if str(name).startswith(RAW)]
    state = _state(result, scales, power)
    data = result.data.drop_vars(raw)
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
    return Result(data.assign(state), result.kind, result.outcome, origin)


def _converted(result: Result, scales: HasScales, power: int) -> Provenance:
    """Return the provenance with the new scales; raise if the result has these already, or has others."""
    origin, given = result.provenance, {key: float(getattr(scales, key)) for key in ("length", "time", "mass")}
    known = origin.settings.get("scales")
    if power < 0:
        if known is not None:
            raise OptionError(f"scaled: the result is in units of {known} already.")
        return replace(origin, settings={**origin.settings, "scales": given})
    if known is None:
        raise OptionError("in_units: the result is in SI units: its model was not scaled, or it was converted already.")
    if not all(abs(known[key] - given[key]) <= SAME * given[key] for key in given):
        raise OptionError(f"in_units: the result is in units of {known}, not of {given}.")
    return replace(origin, settings={key: value for key, value in origin.settings.items() if key != "scales"})


def _state(result: Result, scales: HasScales, power: int) -> dict[str, xr.Variable]:
    """Return the positions, velocities and accelerations of nodes from a raw state; the rest has no known units."""
    data, wide = result.data, 10 if result.data.sizes.get("axis") == 3 else 3
    if not {*MOVING, "state_lam", "state_time"} <= set(data.variables) or data["state_q"].size % wide:
        return {}
    nodes = data["state_q"].size // wide
    turns = [False, False, True] * nodes if wide == 3 else [*[False, False, False, True, True, True] * nodes]
    turning = np.array([*turns, *[True] * (data["state_q"].size - len(turns))])
    kept = {name: data.variables[name] for name in data.variables if name in ("state_part", "state_s")}
    for name, derived in MOVING.items():
        factor = np.where(turning, 1.0, scales.length) / scales.time**derived
        kept[name] = data.variables[name] * factor**power
    kept["state_time"] = data.variables["state_time"] * scales.time**power
    kept["state_lam"] = xr.Variable(data.variables["state_lam"].dims, np.zeros(0))
    return {str(name): value for name, value in kept.items()}


def _factor(array: xr.DataArray, scales: HasScales) -> Any:
    """Return the scale of a variable, or of each of its components."""
    units = str(array.attrs.get("units", "1")).split(", ")
    if array.dtype.kind not in "fc":
        return 1.0
    try:
        factors = np.array([scales.of(unit) for unit in units])
    except OptionError as error:
        raise OptionError(f"{array.name} has no scale. {error}") from error
    return factors[0] if len(units) == 1 else factors
