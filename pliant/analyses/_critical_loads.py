"""Derivatives of the loads at which a path turns or branches, by parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from pliant._libraries import xarray as xr
from pliant.errors import OptionError
from pliant.model.parameters import Parameter
from pliant.results import Result
from pliant.solvers import implicit
from pliant.solvers.critical_slopes import Beside, Critical
from pliant.system.state import State

NAME = "event_parameter"
SHORTER = (1.0, 0.1, 0.03, 0.01, 0.003)  # steps of a parameter: insides that are eliminated buckle in longer ones
CLOSE = 1e-5  # of a derivative: how near one by a step is to the next


def critical_loads(
    system: Any,
    path: Result,
    parameters: Mapping[str, Parameter],
    beside: Callable[[Any, Parameter, float], tuple[list[Any], float]],
) -> tuple[xr.DataArray, xr.DataArray]:
    """Critical values of the path's own parameter, and their derivatives by those of the model; NaN where one is an
    imperfection, at which a bifurcation is no longer one. ``beside`` gives the systems at both sides, a part
    of a step away.
    """
    kinds, points = path.raw("event_kind"), path.raw("event_point")
    if kinds is None or points is None or not len(kinds):
        raise OptionError("sensitivity: that path has no limit point and no bifurcation.")
    factors = _factors(path)
    found = np.full((len(parameters), len(kinds)), np.nan)
    for k, (kind, point) in enumerate(zip(kinds.tolist(), points.tolist(), strict=True)):
        if kind not in ("limit point", "bifurcation"):
            continue
        place = path.equilibrium(int(point))
        load = float(place.provenance.settings["value"])
        here = _loaded(system, factors, load)
        critical = Critical(here, State.read(place.state or {}), here.equations.rows.softness)
        step = implicit.STEP * (abs(load) or 1.0)
        along = Beside([_loaded(system, factors, load + n * step) for n in implicit.PLACES], step)
        for row, parameter in enumerate(parameters.values()):
            ask = critical.limit if kind == "limit point" else critical.bifurcation
            values = (ask(along, Beside(*beside(here, parameter, part))) for part in SHORTER)
            found[row, k] = _settled(values, implicit.LEAST * abs(load) / parameter.size, parameter.name)
    loads = getattr(path, NAME)
    meaning = {"nan_means": "flutter, or a parameter that is an imperfection: a bifurcation has no derivative by it"}
    slopes = xr.DataArray(found, dims=("parameter", "event"), coords={"parameter": list(parameters)}, attrs=meaning)
    return loads, slopes


def _settled(values: Iterator[float | None], least: float, name: str) -> float:
    """The first value that the next, by a shorter step, is near to; NaN if there is none."""
    last = np.inf
    for value in values:
        if value is None:
            return np.nan
        if abs(value - last) <= CLOSE * max(abs(value), least):
            return last
        last = value
    raise OptionError(
        f"sensitivity: derivatives of critical loads by {name!r} differ with the step ({last:.4g} by the shortest) "
        'and are not known. Compile the model with formulation="dae", or follow the paths beside this one.'
    )


def _factors(path: Result) -> dict[str, float]:
    """Signals that the path changes, and how much each."""
    named = path.provenance.settings.get("parameter")
    if isinstance(named, str):
        return {named: 1.0}
    if isinstance(named, Mapping):
        return dict(named)
    raise OptionError("sensitivity: that path does not follow signals. Follow a load or drive by its name (pl.path).")


def _loaded(system: Any, factors: Mapping[str, float], value: float) -> Any:
    return system.with_signals({name: factor * value for name, factor in factors.items()})
