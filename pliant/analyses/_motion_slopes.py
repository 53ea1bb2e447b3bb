"""Derivatives of a motion by parameters: which motion it was, how its start moves, and what is seen of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Any, TypeAlias

import numpy as np

from pliant._libraries import xarray as xr
from pliant.analyses import _beside
from pliant.analyses._common import state_of
from pliant.analyses._goal_slopes import follows, goal_slopes
from pliant.analyses.goals import Goal
from pliant.analyses.interpolate import resample
from pliant.analyses.transient import planned, pushed
from pliant.errors import OptionError, SingularError, nearest
from pliant.model.parameters import Parameter
from pliant.results import Result
from pliant.results.pending import Pending
from pliant.solvers import motion_pull
from pliant.solvers.implicit import slope
from pliant.solvers.methods import GeneralizedAlpha, Newmark
from pliant.solvers.motion import Plan
from pliant.solvers.motion_line import Differentiated
from pliant.system.deferred import Deferred
from pliant.system.samples import Samples
from pliant.system.state import State

SAME = 1e-8  # lengths of the model, or rad: how far the motion may end from where it ended
SUMS = "of a sum over steps (energy supplied, dissipated) it is not known"
Start: TypeAlias = Result | tuple[Any, Result] | None
Push: TypeAlias = Mapping[str, float | Sequence[float]] | None


Made: TypeAlias = tuple[xr.Dataset, xr.Dataset, Mapping[str, Parameter], dict[str, float], tuple[str, ...]]


def motion_slopes(
    system: Any,
    run: Result,
    chosen: Mapping[str, Parameter],
    wanted: Mapping[str, Any],
    start: Start,
    push: Push,
    adjoint: bool | None,
) -> Made:
    """What a `Sensitivity` is made of: values, derivatives, parameters, errors and notes."""
    _check(run, wanted)
    held, rest = start if isinstance(start, tuple) else (system, start)
    begin = state_of(system.observed, rest, driven=True)
    found = _again(system, run, begin, push)
    values = {
        name: _beside.labelled(name, each(system, run) if callable(each) else getattr(run, each))
        for name, each in wanted.items()
    }
    if follows(wanted, len(chosen), adjoint) and (adjoint or not motion_pull.refused(found)):
        return _backwards(run, found, values, chosen, wanted, partial(_begun, held, rest, begin), rest is None)
    wanted = {name: each.held(system, run) if isinstance(each, Goal) else each for name, each in wanted.items()}
    beside = _beside.sides if any(callable(each) for each in wanted.values()) else _beside.explicit
    by: dict[str, list[np.ndarray]] = {name: [] for name in wanted}
    errors, notes = {}, list[str]()
    for name, parameter in chosen.items():
        sides = partial(beside, system, parameter)
        try:
            begun = _begun(held, rest, begin, parameter, *sides(1.0))
            line = found.line(sides, begun, assembled=rest is None)
        except SingularError as error:
            raise OptionError(f"sensitivity: {error}") from error
        errors[name] = line.error
        notes += _kinked(name, line.kinks)
        for key, quantity in wanted.items():
            by[key].append(line.derivative(partial(_value, quantity=quantity, run=run, last=found.last)))
    slopes = {name: _with_nan(_beside.stacked(values[name], each, chosen)) for name, each in by.items()}
    told = dict.fromkeys([*notes, *_beside.idle(slopes, values, chosen)])
    return xr.Dataset(values), xr.Dataset(slopes), chosen, errors, tuple(told)


def _backwards(
    run: Result,
    found: Differentiated,
    values: dict[str, xr.DataArray],
    chosen: Mapping[str, Parameter],
    wanted: Mapping[str, Goal],
    begun: Callable[..., np.ndarray],
    assembled: bool,
) -> Made:
    """The same of goals, by the adjoint of the motion."""
    motion_pull.only(found)
    sides = [partial(_beside.explicit, found.system, parameter) for parameter in chosen.values()]
    if not np.array_equal(run.time.values, found.samples.time):
        raise OptionError("adjoint=True: that motion does not keep every step. Leave out every= and times=.")
    try:
        by = [
            motion_pull.moved(found, each, begun(parameter, *each(1.0)), assembled=assembled)
            for each, parameter in zip(sides, chosen.values(), strict=True)
        ]
        sizes = np.array([each.size for each in chosen.values()])
        seen = partial(_instants, run=run, last=found.last)
        pulled = goal_slopes(found, list(wanted.values()), by, sides, sizes, seen)
    except SingularError as error:
        raise OptionError(f"sensitivity: {error}") from error
    slopes = {name: _beside.stacked(values[name], row, chosen) for name, row in zip(wanted, pulled.slopes, strict=True)}
    notes = dict.fromkeys([*_kinked("all parameters", pulled.kinks), *_beside.idle(slopes, values, chosen)])
    return xr.Dataset(values), xr.Dataset(slopes), chosen, dict.fromkeys(chosen, pulled.error), tuple(notes)


def _instants(system: Any, samples: Samples, goal: Goal, *, run: Result, last: State) -> np.ndarray:
    return _value(system, samples, quantity=goal.values, run=run, last=last)


def _check(run: Result, wanted: Mapping[str, Any]) -> None:
    for name, quantity in wanted.items():
        if not (callable(quantity) or isinstance(quantity, str) and run.raw(quantity) is not None):
            known = [str(each) for each in run.data.data_vars if not str(each).startswith("state_")]
            hint = nearest(str(quantity), known, most=30)
            raise OptionError(f"of: {name} = {quantity!r:.60} is no variable of that motion, and no function. {hint}")
    if run.raw("applied") is not None:
        raise OptionError("sensitivity: a controller was at work in that motion: give controller=, as to transient.")


def _again(system: Any, run: Result, begin: State, push: Push) -> Differentiated:
    """The motion once more, every step of it, and ready to be differentiated; refused where it ends elsewhere."""
    velocity = None if push is None else pushed(system.observed, push)
    found: Differentiated = system.differentiated(begin, replace(_plan(system, run), velocity=velocity))
    last = (run.state or {}).get("q", np.empty(0))
    apart = system.apart(found.last.q, last) if last.size == system.size else np.full(system.freedoms, np.inf)
    if not np.max(np.abs(apart) * system.weight) <= SAME:
        raise OptionError(
            "sensitivity: that motion is not what this system does from there. Give start= and push= as they were "
            "given to transient, and the system with the same signals."
        )
    return found


def _plan(system: Any, run: Result) -> Plan:
    """The options that a motion was computed with."""
    told = run.provenance.settings
    return planned(system, end_time=told["end_time"], step=told.get("step"), method=method_of(told))


def method_of(told: Mapping[str, Any]) -> Any:
    """The method of time stepping that the settings of a motion tell of."""
    name, kept = told.get("method"), told.get("constraints")
    if name == "GeneralizedAlpha":
        return GeneralizedAlpha(told["spectral_radius"], constraints=kept, baumgarte=told.get("baumgarte"))
    if name == "Newmark":
        return Newmark(*told["newmark"], constraints=kept, baumgarte=told.get("baumgarte"))
    return name


def _begun(
    held: Any, rest: Result | None, begin: State, parameter: Parameter, neighbours: Sequence[Any], step: float
) -> np.ndarray:
    """q' of the state that a motion was given: of the assembled pose, or of an equilibrium."""
    if rest is None:
        return np.asarray(slope([held.apart(begin.q, each.initial) for each in neighbours], step))
    if rest.kind not in ("statics", "path"):
        raise OptionError(f"start: derivatives of a {rest.kind} are not known. Start from statics, or assembled.")
    factored = cache(partial(_beside.factored, held, rest))
    line = _beside.tangent(held, parameter, factored, *_beside.explicit(held, parameter, 1.0))
    if line is None:
        raise OptionError(f"start: the equations of {held.model.name!r} do not tell how that equilibrium moves.")
    return line.x[: held.freedoms]


def _value(system: Any, samples: Samples, *, quantity: Any, run: Result, last: State) -> np.ndarray:
    """A variable, or what a function makes of a motion, at the instants of the run. What is supplied and dissipated is
    a sum over steps, of which derivatives are not known.
    """
    times = run.time.values
    kept = np.searchsorted(samples.time, times).clip(0, samples.time.size - 1)
    arrays = {key: getattr(samples, key)[kept] for key in ("time", "q", "v", "a", "lam")}
    if not np.allclose(arrays["time"], times, rtol=0.0, atol=1e-9 * np.ptp(samples.time)):
        seen = resample(replace(samples, work=None), times, system.space)
        arrays = {key: getattr(seen, key) for key in arrays}
    seen = Samples(**arrays, work=np.full((times.size, 2), np.nan))
    observer = system.observed.observer()
    variables, coords = observer.moving(seen, last)
    told: Any = {"energy": lambda: (*variables["energy"][:2], {"nan_means": SUMS})}
    data = Pending(Deferred(variables) | told, coords, observer.labelled)
    if not callable(quantity):
        return data.values(quantity)
    return np.asarray(quantity(system, Result(data, "motion", run.outcome, run.provenance)))  # type: ignore[arg-type]


def _with_nan(slopes: xr.DataArray) -> xr.DataArray:
    if not np.any(np.isnan(slopes.values)):
        return slopes
    return slopes.assign_attrs(nan_means=SUMS)


def _kinked(name: str, kinks: np.ndarray) -> list[str]:
    """Where a motion has no derivative."""
    if not kinks.size:
        return []
    first = ", ".join(f"{time:.6g}" for time in kinks[:4])
    more = f" and {kinks.size - 4} more" if kinks.size > 4 else ""
    return [
        f"by {name}: forces have a kink at t = {first} s{more} (a contact or stop about to touch, a tendon "
        "about to go slack): derivatives after that are those of neither side"
    ]
