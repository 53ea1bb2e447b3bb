"""Derivatives of the loads at which a path turns or branches, by parameters."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from pliant._libraries import xarray as xr
from pliant.analyses.derivatives.perturbed import observed, stacked
from pliant.analyses.modes.modal import modal
from pliant.errors import OptionError, PliantWarning, nearest
from pliant.model.parameters import Parameter
from pliant.results import Result
from pliant.solvers.derivatives import implicit
from pliant.solvers.derivatives.critical_load_derivatives import Critical, Flutter, Perturbed
from pliant.system.state import State

NAME, PREFIX = "event_parameter", "event_"
NONE = "a parameter that is an imperfection: a bifurcation has no derivative by it; places but of limit points"
MODES = 30  # among which the one that flutters is looked for
TURNING = 1e-3  # of an eigenvalue: smaller imaginary parts do not oscillate
MEET = 0.02  # of an eigenvalue: nearer ones are about to meet, where there is no damping
Sides = Callable[[Any, Parameter, float], tuple[list[Any], float]]
SHORTER = (1.0, 0.1, 0.03, 0.01, 0.003)  # steps of a parameter: insides that are eliminated buckle in longer ones
CLOSE = 1e-5  # of a derivative: how near one by a step is to the next


class _Event(NamedTuple):
    """A critical point of a path: its kind, the system there, and states near it along the load."""

    kind: str
    system: Any
    state: State
    along: Perturbed
    critical: Critical | Flutter


def critical_loads(
    system: Any, path: Result, parameters: Mapping[str, Parameter], wanted: Mapping[str, str], beside: Sides
) -> tuple[dict[str, xr.DataArray], dict[str, xr.DataArray]]:
    """Return the requested variables of the events of a path, and their derivatives: values of the path's own
    parameter, and variables in limit points; NaN if a parameter is an imperfection, which turns a bifurcation into
    another event. ``beside`` gives the systems at both sides, a part of a step away.
    """
    kinds, points = path.raw("event_kind"), path.raw("event_point")
    if kinds is None or points is None or not len(kinds):
        raise OptionError("sensitivity: that path has no limit point, no bifurcation and no flutter.")
    values = {name: _value(path, each, points) for name, each in wanted.items()}
    slopes = {name: np.full((len(parameters), *value.shape), np.nan) for name, value in values.items()}
    for k, (kind, point) in enumerate(zip(kinds.tolist(), points.tolist(), strict=True)):
        event = _event(system, path, kind, int(point))
        if event is None:
            continue
        for row, parameter in enumerate(parameters.values()):
            found = _one(event, parameter, wanted, beside)
            for name, slope in found.items():
                slopes[name][row, k] = slope
    return values, {name: _labelled(values[name], slopes[name], parameters) for name in wanted}


def _value(path: Result, name: str, points: np.ndarray) -> xr.DataArray:
    """Return a number of every event, or a variable at all of them."""
    if name == NAME:
        found: xr.DataArray = getattr(path, NAME)
        return found
    variable = name.removeprefix(PREFIX)
    if path.raw(variable) is None:
        known = [str(each) for each in path.data.data_vars if not str(each).startswith(("path_", PREFIX))]
        raise OptionError(f"of: {name!r} is no variable at an event. {nearest(variable, known, most=30)}")
    return getattr(path, variable).isel(point=xr.DataArray(points.astype(int), dims="event"))


def _event(system: Any, path: Result, kind: str, point: int) -> _Event | None:
    if kind not in ("limit point", "bifurcation", "flutter", "end of flutter"):
        return None
    factors, place = _factors(path), path.equilibrium(point)
    load = float(place.provenance.settings["value"])
    here, state = _loaded(system, factors, load), State.read(place.state or {})
    step = implicit.STEP * (abs(load) or 1.0)
    along = Perturbed([_loaded(system, factors, load + n * step) for n in implicit.PLACES], step)
    soft = here.equations.rows.softness
    if "flutter" in kind:
        return _Event(kind, here, state, along, Flutter(here, state, soft, _growing(here, state)))
    return _Event(kind, here, state, along, Critical(here, state, soft))


def _growing(system: Any, state: State) -> complex:
    """Return the eigenvalue that is about to grow: the least damped of oscillating ones; the mean if two meet."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PliantWarning)
        values = np.asarray(modal(system, at=state, modes=MODES, damped=True).eigenvalue.values, complex)
    turning = values[values.imag > TURNING * np.abs(values)]
    if not turning.size:
        raise OptionError(f"sensitivity: no vibration of {system.model.name!r} is found where its flutter begins.")
    first = turning[np.argmin(-turning.real / turning.imag)]
    near = turning[np.abs(turning - first) < MEET * abs(first)]
    return 1j * float(np.mean(near.imag))


def _one(event: _Event, parameter: Parameter, wanted: Mapping[str, str], beside: Sides) -> dict[str, Any]:
    """Return derivatives of the requested variables of an event by a parameter."""
    here, along, critical = event.system, event.along, event.critical
    least = implicit.LEAST * along.step / implicit.STEP / parameter.size
    if isinstance(critical, Flutter):
        slope = critical.slope(along, Perturbed(*beside(here, parameter, 1.0)))
    else:
        ask = critical.limit if event.kind == "limit point" else critical.bifurcation
        values = (ask(along, Perturbed(*beside(here, parameter, part))) for part in SHORTER)
        slope = _settled(values, least, parameter.name)
    found: dict[str, Any] = {name: slope for name, each in wanted.items() if each == NAME}
    if event.kind == "limit point" and isinstance(critical, Critical) and len(found) < len(wanted):
        neighbours = Perturbed(*beside(here, parameter, 1.0))
        x = critical.place(along, neighbours, slope)
        line = implicit.Line(here, event.state, neighbours.systems, neighbours.step, x)
        for name, each in wanted.items():
            if each != NAME:
                seen = partial(observed, name=each.removeprefix(PREFIX))
                by_load = implicit.slope([seen(system, event.state) for system in along.systems], along.step)
                found[name] = line.derivative(seen) + slope * by_load
    return found


def _labelled(value: xr.DataArray, slopes: np.ndarray, parameters: Mapping[str, Parameter]) -> xr.DataArray:
    return stacked(value, list(slopes), parameters).assign_attrs(nan_means=NONE)


def _settled(values: Iterator[float | None], least: float, name: str) -> float:
    """Return the first value confirmed by the next shorter step; NaN without one."""
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
    """Return the signals that the path changes, and their factors."""
    named = path.provenance.settings.get("parameter")
    if isinstance(named, str):
        return {named: 1.0}
    if isinstance(named, Mapping):
        return dict(named)
    raise OptionError("sensitivity: that path does not follow signals. Follow a load or drive by its name (pl.path).")


def _loaded(system: Any, factors: Mapping[str, float], value: float) -> Any:
    return system.with_signals({name: factor * value for name, factor in factors.items()})
