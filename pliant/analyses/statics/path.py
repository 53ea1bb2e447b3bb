"""Path: equilibria followed as a parameter changes, through limit points and bifurcations, and onto their branches."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import isfinite
from typing import Any

import numpy as np

from pliant.analyses.common import Start, numbers, require, state_of, whole, with_warnings
from pliant.analyses.spin import RATE, turning
from pliant.analyses.statics.path_result import FACTOR, Parameter, event_of, path_result
from pliant.errors import ConvergenceError, Interrupted, OptionError, OtherBranch, PliantWarning, warn
from pliant.forces.state_force.callbacks import watched
from pliant.model import Marker, Spin
from pliant.results import Result
from pliant.results.progress import progress
from pliant.results.schema import EVENT_KINDS
from pliant.solvers.paths.parameter import ModelParameter, PathParameter, SignalParameter, SpinParameter
from pliant.solvers.paths.path import Tracer
from pliant.solvers.paths.points import Event, Goals, Point, Trace
from pliant.system.capabilities import Bendable, HasPaths

Place = tuple[Marker | str, str, float]
Way = tuple[Marker | str, tuple[float, ...]]
Until = Place | str


@with_warnings
@watched()
def path(
    system: HasPaths | Callable[[float], HasPaths],
    parameter: Parameter,
    *,
    to: float | tuple[float, ...],
    begin: float | None = None,
    start: Start = None,
    until: Until | None = None,
    away: bool = False,
    step: float = 0.05,
    most_points: int = 1000,
    spin: Spin | float | None = None,
    time: float = 0.0,
) -> Result:
    """Follow equilibria as a parameter goes from ``begin`` to ``to``; the path may turn back at limit points on the
    way.

    parameter    name of a signal (``system.signal_names``): a load, a drive, the rest length of a tendon; or a mapping
                 from names to values, which are multiplied by the parameter; or "load factor": all loads of the model;
                 or "spin rate" (rad/s)
    system       for any other parameter (material, thickness, length): a function that makes the compiled system at a
                 value; ``parameter`` is then its name, and ``begin`` is needed
    to           value at which the path ends; or several, then it starts towards the first of them and ends at any
    begin        value at which it begins; default: as at ``start`` (a point of such a path, or the system as it is);
                 without a start, the value at which the part exerts no force
    start        Result or state near the first equilibrium; the assembled configuration unless given
    until        (marker, "x", "y" or in space "z", value): the path also ends where a marker reaches that place; or
                 a kind of event, such as "limit point": it ends at the first one
    away         start away from ``to``: continues a path that has turned back at a limit point
    step         longest step, without unit: 1 is the whole range of the parameter, a length scale of the model, or a
                 radian
    most_points  the path ends when it has this many points
    spin         a `Spin`, in the plane also its rate: the path is one of relative equilibria (see `statics`); along
                 "spin rate" it begins at that rate. Critical speeds are bifurcations, or limit points if there is an
                 imbalance; ``stable`` then says whether motions grow

    The result has a dimension ``point`` with the coordinates ``parameter``, ``arclength``, ``stable`` and
    ``unstable_directions``; ``event_kind``, ``event_parameter`` and ``event_point`` list the limit points, bifurcations
    and onsets of flutter on it. Its ``equilibrium(i)`` is one point as a result of statics, to start other analyses.

    >>> import pliant as pl
    >>> from pliant_gallery.examples import column
    >>> system = pl.compile(column(), elements=20)
    >>> straight = pl.path(system, "load/x", to=-6.0)
    >>> straight.event_kind.values.tolist(), straight.event_parameter.values.round(2).tolist()
    (['bifurcation'], [-3.46])
    """
    if not callable(system):
        require(system, HasPaths, "path")
    numbers("time", time, 1, "a finite instant")
    ends = _ends(to)
    along, begin = _along(system, parameter, begin, ends, start, time, spin)
    _span(begin, ends)
    first = along.system(begin)
    given = state_of(first, start)
    found = first.find_equilibrium(given, time=time, load_steps=1)
    if start is not None:
        _warn_if_far(first, given.q, found.state.q)
    tracer = Tracer(along, found.state.q, found.state.lam, begin)
    way = (begin - ends[0]) if away else (ends[0] - begin)
    trace = Trace([tracer.start(found.state.q, found.state.lam, begin, way)])
    kept = _kept(along, parameter, time)
    settings = {"begin": begin, "to": to, "span": along.span, "time": time, "step": step, "kept": kept}
    return _follow(tracer, trace, parameter, ends, until, step, most_points, settings)


@with_warnings
@watched()
def branch(
    system: HasPaths | Callable[[float], HasPaths],
    path: Result,
    event: int = 0,
    *,
    side: int = 1,
    toward: Way | Sequence[Way] | None = None,
    to: float | tuple[float, ...] | None = None,
    until: Until | None = None,
    step: float = 0.05,
    most_points: int = 1000,
) -> Result:
    """Follow the branch that leaves a path at a bifurcation, on one side.

    event   which event of the path; it must be a bifurcation
    side    +1 or -1: along the critical direction or against it (``event_shape``, whose largest entry is positive). If
            the path is itself a branch that has come back to another path: that path, with rising or falling
            parameter
    toward  (marker, (x, y)), in space (marker, (x, y, z)), instead of side: the branch on which that marker moves in
            that direction; a list of them if several parts buckle at once, as equal legs do
    to      as in ``path``; unless given, the branch ends where that path was to end, or where it closes on itself
            Other options as there

    >>> import pliant as pl
    >>> from pliant_gallery.examples import column
    >>> system = pl.compile(column(), elements=20)
    >>> bent = pl.branch(system, pl.path(system, "load/x", to=-6.0), toward=("beam/tip", (0, 1)))
    >>> bent.position.sel(marker="beam/tip").values[-1].round(2)
    array([0.1, 0.4])
    """
    if not callable(system):
        require(system, HasPaths, "branch")
    origin, settings = event_of(path, event), path.provenance.settings
    aimless = to is None and until is None
    to = settings["to"] if to is None else to
    ends = _ends(to)
    begin, time, spin = settings["begin"], settings["time"], settings.get("spin")
    along, _ = _along(system, settings["parameter"], begin, ends, None, time, spin)
    _check_same(along.base, path, "branch")
    _check_signals(_kept(along, settings["parameter"], settings["time"]), settings.get("kept", {}))
    along.span = max(settings["span"], _span(origin.parameter, ends))
    tracer = Tracer(along, origin.point.q, origin.point.lam, origin.point.p)
    if toward is not None:
        side, origin = 1, _turned(tracer, origin, toward)
    elif side not in (1, -1):
        raise OptionError(f"side={side!r}: give 1 or -1, or toward={_way(along.base)}.")
    first = tracer.enter(origin, side)
    if first is None:
        why = (
            f"{origin.multiplicity} directions give way together there, as of a round column, which may buckle to any "
            "side: hold it in a plane (a Planar joint), make its stiffnesses differ a little"
            if origin.multiplicity > 1
            else "Two bifurcations may coincide there; try the other side"
        )
        raise ConvergenceError(
            f"No branch was found at event {event} of the path of {along.base.model.name!r}, at {origin.point.p:g}. "
            f"{why}, or take an imperfection (pl.imperfect)."
        )
    trace = Trace([origin.point, first], may_close=aimless)
    chosen = {**settings, "to": to, "event": event, "side": side, "step": step}
    return _follow(tracer, trace, settings["parameter"], ends, until, step, most_points, chosen)


def imperfect(system: Bendable, path: Result, event: int = 0, *, amplitude: float) -> Bendable:
    """Return the same system with a small imperfection: its unstressed beams are bent along the critical direction of a
    bifurcation.

    amplitude  largest displacement (m); its sign chooses the side

    Its path shows how the bifurcation unfolds. To reach a branch, no imperfection is needed: use ``branch``.

    >>> import pliant as pl
    >>> from pliant_gallery.examples import column
    >>> system = pl.compile(column(), elements=20)
    >>> crooked = pl.imperfect(system, pl.path(system, "load/x", to=-6.0), amplitude=1e-3)
    >>> pl.path(crooked, "load/x", to=-6.0).outcome.bifurcations
    0
    """
    require(system, Bendable, "imperfect")
    numbers("amplitude", amplitude, 1, "a length in m, such as 1e-3")
    if not system.model.beams:
        raise OptionError(f"imperfect: {system.model.name!r} has no beams that could be bent.")
    direction = event_of(path, event).direction
    _check_same(system, path, "imperfect")
    if abs(amplitude) > 0.1 * system.length_scale:
        raise OptionError(
            f"amplitude={amplitude:g} m: an imperfection is small, at most a tenth of the model's size of "
            f"{system.length_scale:g} m."
        )
    shifts = np.where(system.angular, 0.0, direction)
    return system.bent(amplitude / np.max(np.abs(shifts)) * direction)


def _follow(
    tracer: Tracer,
    trace: Trace,
    parameter: Parameter,
    ends: tuple[float, ...],
    until: Until | None,
    step: float,
    most_points: int,
    settings: Mapping[str, Any],
) -> Result:
    whole("most_points", most_points)
    numbers("step", step, 1, "a positive number, such as 0.05")
    if not step > 0.0:
        raise OptionError(f"step={step!r}: give a positive number, such as 0.05.")
    system, first = tracer.parameter.base, trace.points[-1].p
    kind = until if isinstance(until, str) else ""
    if kind and kind not in EVENT_KINDS:
        raise OptionError(f'until={until!r}: give (marker, "x" or "y", value), or one of {", ".join(EVENT_KINDS)}.')
    gauge = None if until is None or isinstance(until, str) else _gauge(system, until)
    barriers = _barriers(system, parameter, ends)
    stopped = False
    with progress(f"path of {system.model.name}", abs(ends[0] - first)) as report:
        try:
            for point in tracer.walk(trace, Goals(ends + barriers, gauge, kind, barriers), step, most_points):
                report(abs(point.p - first))
        except KeyboardInterrupt:
            stopped, trace.message = True, f"was interrupted at {trace.points[-1].p:g}"
    found = path_result(tracer, trace, parameter, settings)
    if stopped:
        raise Interrupted(f"The path {trace.message}. What was computed is in this exception's .result.", found)
    if not trace.reached:
        warn(
            PliantWarning,
            f"The path of {system.model.name!r} {trace.message}; it is at {trace.points[-1].p:g}, {len(trace.points)} "
            "points are in the result.",
        )
    return found


def _along(
    system: HasPaths | Callable[[float], HasPaths],
    parameter: Parameter,
    begin: float | None,
    ends: tuple[float, ...],
    start: Any,
    time: float,
    spin: Any,
) -> tuple[PathParameter, float]:
    """Return the parameter of the path, and where it begins."""
    if begin is not None:
        numbers("begin", begin, 1, "a finite number")
    if spin is not None and callable(system):
        raise OptionError("spin: the systems of a function have their own; let it make system.spinning(...).")
    if parameter == RATE:
        if spin is None:
            raise OptionError(f"parameter={RATE!r}: say about which axis, spin=pl.Spin(0.0, axis=..., about=...).")
        turned = turning(system, spin, "path", time)
        begin = turned.spin.rate if begin is None else float(begin)
        return SpinParameter(turned.at_rate(begin), time, _range(begin, ends)), begin
    system = turning(system, spin, "path", time)
    if callable(system):
        if begin is None:
            raise OptionError("begin: give the value of the parameter at which the path of a function begins.")
        return ModelParameter(system, system(begin), time, _range(begin, ends)), float(begin)
    if parameter == FACTOR:
        parameter = _all_loads(system, time)
    if isinstance(parameter, str):
        k = system.signal_number(parameter)
        u = system.signals(np.array([time]))[0]
        if begin is None and isinstance(start, Result) and start.provenance.settings.get("parameter") == parameter:
            begin = start.provenance.settings.get("value")
        if begin is None:
            begin = float(u[k] if start is not None else system.unloaded(system.start().q, u)[k])
        return SignalParameter(system, {parameter: 1.0}, time, _range(begin, ends)), float(begin)
    if not isinstance(parameter, Mapping) or not parameter:
        raise OptionError(f"parameter={parameter!r}: give the name of a signal, or a mapping from names to values.")
    for name, value in parameter.items():
        numbers(f"parameter: {name!r}", value, 1, "a finite number for every signal")
    if not any(parameter.values()):
        raise OptionError(f"parameter={dict(parameter)!r}: all of it is zero, so nothing would change along the path.")
    begin = 0.0 if begin is None else float(begin)
    return SignalParameter(system, dict(parameter), time, _range(begin, ends)), begin


def _all_loads(system: HasPaths, time: float) -> dict[str, float]:
    """Return the values of all loads of the model, without drives of joints and rest lengths of tendons."""
    u = system.signals(np.array([time]))[0]
    kept = {*system.driving, *system.lengths}
    places = {name: system.signal_number(name) for name in system.signal_names}
    loads = {name: float(u[k]) for name, k in places.items() if k not in kept and u[k] != 0.0}
    if not loads:
        raise OptionError(f"parameter={FACTOR!r}: {system.model.name!r} has no loads to multiply.")
    return loads


def _ends(to: Any) -> tuple[float, ...]:
    values = to if isinstance(to, tuple | list) else (to,)
    numbers("to", values, max(1, len(values)), "a finite number, or several")
    return tuple(float(value) for value in values)


def _range(begin: float, ends: tuple[float, ...]) -> float:
    return max(abs(end - begin) for end in ends) or 1.0


def _span(begin: float, ends: tuple[float, ...]) -> float:
    """Return the range; refuse a path that would end before it begins."""
    span = _range(begin, ends)
    if any(end == begin for end in ends) or not isfinite(span):
        raise OptionError(f"to={ends[0]:g}: the path begins at {begin:g}; give another value to go to.")
    return span


def _warn_if_far(system: HasPaths, given: np.ndarray, found: np.ndarray) -> None:
    """Warn if the path begins elsewhere than at the given start."""
    away = float(np.max(np.abs(system.apart(found, given)) * system.weight, initial=0.0))
    if away > 0.05:
        warn(
            OtherBranch,
            f"The path of {system.model.name!r} begins {away:.2g} (lengths of the model, or rad) away from the start "
            "given, which is no equilibrium there. Look at begin=, and at signals that have other values in the system "
            "(with_signals).",
        )


def _barriers(system: HasPaths, parameter: Parameter, ends: tuple[float, ...]) -> tuple[float, ...]:
    """Return values that a path must not pass: the rest length of a tendon cannot be negative."""
    if not isinstance(parameter, str) or parameter not in system.signal_names:
        return ()
    if system.signal_number(parameter) not in system.lengths:
        return ()
    if min(ends) < 0.0:
        raise OptionError(f"to={min(ends):g}: {parameter} is the rest length of a tendon, which cannot be negative.")
    return () if 0.0 in ends else (0.0,)


def _check_same(system: HasPaths, path: Result, what: str) -> None:
    """Refuse a path of another model, or of other elements."""
    traced, mine = path.provenance, system.settings
    if traced.model != system.model.name or traced.settings.get("elements") != mine.get("elements"):
        raise OptionError(
            f"{what}: the path is of {traced.model!r} with {traced.settings.get('elements')}, the system is "
            f"{system.model.name!r} with {mine.get('elements')}. Give the system that the path was made with."
        )


def _kept(along: PathParameter, parameter: Parameter, time: float) -> dict[str, float]:
    """Return the values of the signals that do not change along a path, by name."""
    system = along.base
    loads = _all_loads(system, time) if parameter == FACTOR else {}
    changing = {parameter, *loads} if isinstance(parameter, str) else set(parameter)
    values = system.named(system.signals(np.array([time]))[0])
    return {name: value for name, value in values.items() if name not in changing}


def _check_signals(mine: Mapping[str, float], theirs: Mapping[str, float]) -> None:
    """Refuse a system with other signal values than the path: it does not have the point to branch off."""
    others = {name: value for name, value in theirs.items() if name in mine and mine[name] != value}
    if others:
        words = [f"{name} = {value:.6g}, the system {mine[name]:.6g}" for name, value in others.items()]
        raise OptionError(
            f"branch: the path has {'; '.join(words)}. Give the system that the path was made with: "
            f"system.with_signals({others!r})."
        )


def _gauge(system: HasPaths, until: Place) -> Callable[[Point], float]:
    """Return the distance of a marker from the place where the path ends, as a function."""
    observer = system.observer()
    try:
        marker, axis, value = until
        at, value = observer.axes.index(axis), float(value)
    except (TypeError, ValueError) as error:
        raise OptionError(f"until={until!r}: give (marker, {' or '.join(map(repr, observer.axes))}, value).") from error
    place = observer.points([observer.find(marker, "until")])
    return lambda point: float(place.position(point.q[None])[0, 0, at]) - value


def _way(system: HasPaths) -> str:
    """Return the form of a direction of a marker, as text."""
    return f"(marker, ({', '.join(system.observer().axes)}))"


def _turned(tracer: Tracer, event: Event, toward: Way | Sequence[Way]) -> Event:
    """Return the event with its critical direction combined such that markers move in given directions; the smallest of
    several solutions. In space two numbers are x and y.
    """
    system = tracer.parameter.base
    wanted: Any = [toward] if isinstance(toward, tuple) else toward
    several = tracer.critical(event.point, event.multiplicity)
    rows = np.array([_moved(system, event.point.q, several, each) for each in wanted])
    share = np.linalg.lstsq(rows, np.ones(len(rows)), rcond=1e-9)[0]
    if np.min(found := rows @ share) < 0.5:
        raise OptionError(
            f"toward={wanted[int(np.argmin(found))]!r}: that marker does not move that way while the others of the "
            f"list move in theirs; {event.multiplicity} direction(s) give way there. Name fewer markers, or other ways."
        )
    return replace(event, direction=share @ several)


def _moved(system: HasPaths, q: np.ndarray, several: np.ndarray, toward: Any) -> np.ndarray:
    """Return the (directions,) motion of a marker in a given direction for each critical direction."""
    observer = system.observer()
    try:
        marker, way = toward
        if len(way) == 2 and len(observer.axes) == 3:
            way = (*way, 0.0)
        numbers("toward", way, len(observer.axes), _way(system))
    except (TypeError, ValueError) as error:
        raise OptionError(f"toward={toward!r}: give {_way(system)}, or a list of such.") from error
    place = observer.points([observer.find(marker, "toward")])
    still = np.broadcast_to(q, (len(several), q.size))
    moved = place.velocity(still, np.pad(several, ((0, 0), (0, system.size - system.freedoms))))[:, 0]
    along = moved @ np.asarray(way, float) / float(np.linalg.norm(way) or 1.0)
    if np.max(np.abs(along)) < 1e-6 * system.length_scale * np.max(np.abs(several)):
        raise OptionError(
            f"toward={toward!r}: the critical direction does not move that marker that way; it moves it by "
            f"({', '.join(f'{x:.2g}' for x in moved[0])}). Choose another marker or direction, or side=+-1."
        )
    return np.asarray(along)
