"""The error that the mesh makes, from a second answer to the same question on one twice as fine.

A mesh of order p is off by ``C h^p``, so the distance d of two answers gives the error of the coarser one,

    e = d 2^p / (2^p - 1)

(L. F. Richardson 1911). All meshes here have at least p = 2, which is assumed: with higher orders the errors are
smaller than reported, by up to a quarter.

States and options of a question, carried over to a finer mesh of the same model.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from inspect import unwrap
from typing import Any

import numpy as np

from pliant._libraries import xarray as xr
from pliant.analyses.common import other_joints, signals_of, state_of, with_warnings
from pliant.analyses.modes.modal import modal
from pliant.analyses.motion.transient import transient
from pliant.analyses.spin import spin_of
from pliant.analyses.state_transfer import carried as carried_over
from pliant.analyses.statics.path import branch, path
from pliant.analyses.statics.statics import statics
from pliant.errors import OptionError, PliantWarning, warn
from pliant.results import Result
from pliant.results.records import Check
from pliant.system.capabilities import Compiled
from pliant.system.compile import refine
from pliant.system.state import State

Given = tuple[tuple[Any, ...], dict[str, Any]]
AS_FUNCTION = (
    "Give a function of the refinement instead, that compiles with so many times as many elements and returns the "
    "result: pl.estimate(lambda k: ...)."
)


def carried(
    question: Callable[..., Result], system: Any, finer: Any, answer: Result, given: tuple[Any, ...], options: Any
) -> Given:
    """Return the arguments of a question on a finer mesh, given its answer on the coarser one."""
    way = _WAYS.get(unwrap(question))  # the public name of an analysis wraps it
    if way is None:
        raise OptionError(
            f"estimate: {getattr(question, '__name__', question)!r} is not statics, modal, path, branch or transient. "
            f"{AS_FUNCTION}"
        )
    return way(system, finer, answer, given, dict(options))


def on_finer(system: Any, finer: Any, source: Any) -> State | None:
    """Return a state of a system on a finer mesh, as a guess (state_transfer.py); None, for the assembled pose, if its
    nodes are not on beams (chains of links).
    """
    coarse, fine = system.observed, finer.observed
    if not coarse.layout.beams:
        return None
    state, nodes = state_of(coarse, source), coarse.observer().nodes("state")
    guess, _ = carried_over(fine, state, {name[6:]: values for name, (_, values) in nodes.items()}, "estimate")
    lam = state.lam if state.lam.size == fine.constraints else guess.lam
    return replace(guess, v=np.zeros_like(guess.v), lam=lam)


def _statics(system: Any, finer: Any, answer: Result, given: Any, options: dict[str, Any]) -> Given:
    return given, {**options, "start": on_finer(system, finer, answer)}


def _modal(system: Any, finer: Any, answer: Result, given: Any, options: dict[str, Any]) -> Given:
    time = float(answer.data["state_time"].values[0])
    at = options.get("at")
    rest = statics(_as_in(finer, at), start=on_finer(system, finer, answer), time=time, spin=spin_of(at))
    return given, {**options, "at": rest}


def _path(system: Any, finer: Any, answer: Result, given: Any, options: dict[str, Any]) -> Given:
    if callable(system):
        raise OptionError(f"estimate: the path is of a function that makes systems. {AS_FUNCTION}")
    begin = answer.provenance.settings["begin"]
    return given, {**options, "begin": begin, "start": on_finer(system, finer, answer.equilibrium(0))}


def _branch(system: Any, finer: Any, answer: Result, given: Any, options: dict[str, Any]) -> Given:
    source, *others = given if given else (options.pop("path"),)
    settings = source.provenance.settings
    if "event" in settings:
        raise OptionError(f"estimate: the path is itself a branch. {AS_FUNCTION}")
    known = {name: settings[name] for name in ("begin", "to", "time", "step")}
    start = on_finer(system, finer, source.equilibrium(0))
    return (path(finer, settings["parameter"], start=start, spin=spin_of(source), **known), *others), options


def _transient(system: Any, finer: Any, answer: Result, given: Any, options: dict[str, Any]) -> Given:
    start = options.get("start")
    if start is None:
        return given, options
    at_rest = isinstance(start, Result) and start.kind in ("statics", "path")
    if not at_rest or other_joints(finer.observed, start):
        raise OptionError(f"estimate: start={start!r:.40} is no rest of this system. {AS_FUNCTION}")
    guess = on_finer(system, finer, start)
    rest = statics(_as_in(finer, start), start=guess, time=0.0 if guess is None else guess.time, spin=spin_of(start))
    return given, {**options, "start": rest}


def _as_in(finer: Any, source: Any) -> Any:
    """Return the system with the signal values of a result."""
    if not isinstance(source, Result):
        return finer
    names = finer.observed.signal_names
    values = {name: value for name, value in signals_of(source).items() if name in names}
    return finer.with_signals(values) if values else finer


_WAYS = {
    unwrap(question): way
    for question, way in (
        (statics, _statics), (modal, _modal), (path, _path), (branch, _branch), (transient, _transient),
    )
}  # fmt: skip


RICHARDSON = 4.0 / 3.0  # 2^p / (2^p - 1) of p = 2
LARGEST = 0.01  # of the range of what moved, of a frequency, of a parameter
SMALLEST_RANGE = 1e-6  # of the size of what is drawn: less is no displacement
ADVICE = "Take more elements, or elements of a higher order."
PLAIN = ("position", "angle", "marker_angle", "line_length", "tension", "reaction")
FREQUENCIES = ("frequency_hz",)
ZERO = 1e-6  # of the highest frequency: lower ones are zero
LEADS = ("time", "point")  # dimensions along which a motion or a path runs


@with_warnings
def estimate(
    question: Callable[..., Result], system: Compiled | None = None, /, *given: object, **options: object
) -> Result:
    """Run an analysis and estimate its mesh error, by repeating it on a mesh twice as fine.

    question  ``pl.statics``, ``pl.modal``, ``pl.path``, ``pl.branch`` or ``pl.transient``, with the system and the
              options that it takes. Or a function of a factor, 1 or 2, that compiles with the number of elements
              multiplied by it and returns a result; then nothing else is given
    options   of the question. Starts, and the path of a branch, are computed again on the finer mesh; for a motion that
              starts from an equilibrium with other joints (a hold that is released), give a function

    The result belongs to the given mesh, with these additional variables, each in the unit of its quantity:

        position_error, angle_error, marker_angle_error, line_length_error, tension_error, reaction_error,
        frequency_hz_error   dimensions as of the variables; for a motion the largest error at any instant, for a path
                             the error at its end
        orientation_error    (body,) rad, in space
        largest_resultant, largest_resultant_error   (flexible, component): the largest resultant in every beam, and its
                                                     error
        event_parameter_error   (event,) of a path

    ``outcome.space_error`` is the largest error of positions (divided by the size of what is drawn) and angles (rad);
    for modes, the largest relative error of a frequency. A check fails if it is more than 1 % of the displacement (of
    an equilibrium from the assembled pose, of a motion or path over its range; for a function, 1 % of the size), if a
    frequency is off by more than 1 %, or an event by more than 1 % of the range of the parameter. For motions give
    ``step=``, so that both meshes have the same steps.

    >>> import pliant as pl
    >>> m = pl.Model("cantilever")
    >>> strip = pl.Section.rectangle(0.02, 0.002, pl.STEEL)
    >>> ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=1.0, section=strip))
    >>> parts = m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Force(beam.at(s=1), y=-5.0))
    >>> rest = pl.estimate(pl.statics, pl.compile(m, elements=10))
    >>> tip = {"marker": "beam/tip", "axis": "y"}
    >>> float(rest.position.sel(tip).round(4)), float(rest.position_error.sel(tip).round(4))
    (-0.4603, 0.0006)
    """
    if system is None:
        if given or options:
            raise OptionError("estimate: without a system the function takes a factor only; leave the options out.")
        coarse, fine = question(1), question(2)
    else:
        finer = refine(system)
        coarse = question(system, *given, **options)
        given, options = carried(question, system, finer, coarse, given, options)
        fine = question(finer, *given, **options)
    for found in (coarse, fine):
        if not isinstance(found, Result) or found.kind != coarse.kind or found.kind not in RANGES:
            raise OptionError(
                f"estimate: the analysis returned {found!r:.60}; it must return a result of statics, modes, a path or "
                "a motion."
            )
    return _with_errors(coarse, differences(coarse, fine), 1.0 if system is None else _displaced(system, coarse))


def differences(one: Result, other: Result) -> dict[str, xr.DataArray]:
    """Return the distance of two answers: the variables of `estimate`, without Richardson's factor."""
    lead = next((name for name in LEADS if name in one.data.sizes), None)
    mine, theirs = (_last(each.data, lead) for each in (one, other))
    if lead == "time" and not np.array_equal(mine["time"], theirs["time"]):
        theirs = theirs.interp(time=mine["time"])
    links = tuple(one.provenance.settings.get("of_the_mesh", ()))
    found = {
        f"{name}_error": _most(_without(abs(mine[name] - theirs[name]), mine[name], links), lead)
        for name in (FREQUENCIES if one.kind == "modes" else PLAIN)
        if name in mine and name in theirs
    }
    if one.kind == "modes":
        return found
    if "orientation" in mine:
        found["orientation_error"] = _most(_turned(mine["orientation"], theirs["orientation"]), lead)
    if mine.sizes.get("section") and theirs.sizes.get("section"):
        largest = [_largest(data, lead) for data in (mine, theirs)]
        found |= {"largest_resultant": largest[0], "largest_resultant_error": abs(largest[0] - largest[1])}
    if "event_parameter" in one.data.variables:
        found["event_parameter_error"] = _events(one.data, other.data)
    return found


def _with_errors(coarse: Result, found: dict[str, xr.DataArray], displaced: float) -> Result:
    """Return a result with the errors that follow from a finer one, and their check."""
    for name, error in found.items():
        if name.endswith("_error"):
            found[name] = (RICHARDSON * error).assign_attrs(error.attrs)
    size, check = RANGES[coarse.kind](coarse.data, found, displaced)
    figures = {**coarse.outcome.figures, "space_error": size}
    message = coarse.outcome.message if check.passed else f"{coarse.outcome.message}; {check!r}"
    outcome = replace(coarse.outcome, figures=figures, checks=(*coarse.outcome.checks, check), message=message)
    if not check.passed:
        warn(PliantWarning, f"{coarse.provenance.model!r}: {check!r}. {check.advice}")
    return replace(coarse, data=coarse.data.assign(found), outcome=outcome)


def _displaced(system: Any, answer: Result) -> float:
    """Return the distance of an equilibrium from the assembled pose, in lengths of the model or rad, at most 1."""
    seen, state = system.observed, answer.state
    if state is None:
        return 1.0
    apart = seen.apart(seen.start().q, state["q"]) * seen.weight
    return float(np.clip(np.max(np.abs(apart), initial=0.0), SMALLEST_RANGE, 1.0))


def _last(data: xr.Dataset, lead: str | None) -> xr.Dataset:
    """Return the end of a path; other results unchanged."""
    return data.isel(point=-1, drop=True) if lead == "point" else data


def _without(error: xr.DataArray, whole: xr.DataArray, links: tuple[str, ...]) -> xr.DataArray:
    """Return the errors with the labels of the coarser mesh; NaN for stations of meshes, which differ."""
    error = error.reindex_like(whole).assign_attrs(whole.attrs)
    label = next((str(name) for name in ("marker", "body", "joint") if name in error.dims), None)
    if label is None or not links:
        return error
    kept = [not str(name).startswith(links) for name in error[label].values]
    return error.where(xr.DataArray(kept, dims=label)).assign_attrs(whole.attrs, nan_means="a link of a chain")


def _most(error: xr.DataArray, lead: str | None) -> xr.DataArray:
    """Return the largest values over all instants."""
    return error.max(lead, keep_attrs=True) if lead in error.dims else error


def _turned(one: xr.DataArray, other: xr.DataArray) -> xr.DataArray:
    """Return the angle between orientations (rad): 4 asin(|p - q| / 2) of quaternions, the nearer of q and -q."""
    apart = [np.sqrt(((one - sign * other) ** 2).sum("quaternion")) for sign in (1.0, -1.0)]
    turned = xr.apply_ufunc(lambda p, q: 4.0 * np.arcsin(np.minimum(0.5 * np.minimum(p, q), 1.0)), *apart)
    return turned.assign_attrs(units="rad")


def _largest(data: xr.Dataset, lead: str | None) -> xr.DataArray:
    """Return the (flexible, component) largest resultants of every beam."""
    sizes = _most(abs(data["resultant"]), lead)
    beams = list(dict.fromkeys(data["beam"].values.tolist()))
    each = [sizes.isel(section=np.flatnonzero(data["beam"].values == name)).max("section") for name in beams]
    return xr.concat(each, dim="flexible").assign_coords(flexible=beams).assign_attrs(data["resultant"].attrs)


def _events(coarse: xr.Dataset, fine: xr.Dataset) -> xr.DataArray:
    """Return the (event,) distance to the corresponding event on the other path; infinite without one."""
    apart = np.full(coarse.sizes["event"], np.nan)
    for kind in np.unique(coarse["event_kind"].values):
        mine, theirs = (np.flatnonzero(data["event_kind"].values == kind) for data in (coarse, fine))
        pairs = min(mine.size, theirs.size)
        values = fine["event_parameter"].values[theirs[:pairs]]
        apart[mine[:pairs]] = np.abs(coarse["event_parameter"].values[mine[:pairs]] - values)
    units = coarse["parameter"].attrs.get("units", "1")
    return xr.DataArray(apart, dims="event", attrs={"units": units, "nan_means": "the finer mesh has no such event"})


def _of_places(data: xr.Dataset, found: dict[str, xr.DataArray], displaced: float) -> tuple[float, Check]:
    """Return the largest error of positions and angles, and whether it is small compared with the displacements: an
    equilibrium from the assembled pose, a motion or path in its range.
    """
    shape = data["shape"]
    others = [name for name in shape.dims if name != "axis"]
    size = float(np.max(shape.max(others).values - shape.min(others).values, initial=0.0)) or 1.0
    angles = [found[name] for name in ("angle_error", "marker_angle_error", "orientation_error") if name in found]
    error = max([float(found["position_error"].max()) / size, *(float(each.max()) for each in angles if each.size)])
    lead = next((name for name in LEADS if name in shape.dims), None)
    if lead is not None:
        moved = float((shape.max(lead) - shape.min(lead)).max()) / size
        displaced = min(max(moved, SMALLEST_RANGE), 1.0)
    share = error / displaced
    events = found.get("event_parameter_error")
    if events is not None and events.size:
        share = max(share, float(events.max(skipna=False)) / (float(np.ptp(data["parameter"].values)) or 1.0))
    return error, Check("error of the mesh", share, LARGEST, "of what moved", ADVICE)


def _of_frequencies(data: xr.Dataset, found: dict[str, xr.DataArray], _: float) -> tuple[float, Check]:
    """Return the largest relative error of a frequency; zeros of rigid motion are left out."""
    values, errors = data["frequency_hz"].values, found["frequency_hz_error"].values
    rigid = values <= ZERO * np.max(values, initial=0.0)
    error = float(np.max(np.where(rigid, 0.0, errors) / np.where(rigid, 1.0, values), initial=0.0))
    return error, Check("error of the mesh", error, LARGEST, "of a frequency", ADVICE)


RANGES = {"statics": _of_places, "path": _of_places, "motion": _of_places, "modes": _of_frequencies}
