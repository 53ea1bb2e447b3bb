"""A traced path as a Result, and its events back from one."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from typing import Any

import numpy as np

from pliant.analyses import checks as _checks
from pliant.analyses import physics
from pliant.analyses.common import result, signal_units
from pliant.analyses.spin import RATE
from pliant.errors import Buckled, OptionError, UnstableEquilibrium, warn
from pliant.linalg import rounding as digits
from pliant.results import Result
from pliant.results.drawing.scene import need
from pliant.results.lazy_arrays import Pending
from pliant.results.records import Check, judged
from pliant.solvers.nonlinear.equilibrium import ROUNDING
from pliant.solvers.paths.parameter import PathParameter, SignalParameter
from pliant.solvers.paths.path import Tracer
from pliant.solvers.paths.points import BIFURCATION, FLUTTER, LIMIT_POINT, Event, Point, Trace
from pliant.system.capabilities import HasPaths, Linearisable, Observer, Turning, can
from pliant.system.observation.lazy_arrays import Deferred
from pliant.system.samples import Samples
from pliant.system.state import State

FACTOR = "load factor"
EVENT_NEEDS = (  # of an event of a path
    "path_q", "path_lam", "parameter", "unstable_directions",
    "event_point", "event_parameter", "event_multiplicity", "event_tangent", "event_direction",
)  # fmt: skip
MOST_TERMS = 10.0  # that a row of a stiffness matrix has of the largest size
Parameter = str | Mapping[str, float]


def path_result(tracer: Tracer, trace: Trace, parameter: Parameter, settings: Mapping[str, Any]) -> Result:
    """Return the points and events of a trace, labelled, with the outcome."""
    along, points, events = tracer.parameter, trace.points, trace.events
    system = along.system(points[-1].p)
    q, lam = np.array([p.q for p in points]), np.array([p.lam for p in points])
    zero = np.zeros_like(q)
    signals = np.array([along.signals(p.p) for p in points])
    samples = Samples(np.arange(len(points), dtype=float), q, zero, zero, lam, signals=signals)
    samples.interior = tracer.equations.insides(samples, [p.p for p in points])
    observer = system.observer()
    seen, coords = _configurations(along, samples, points)
    variables = Deferred(seen) | {"energy": lambda: (("point", "energy_kind"), seen["energy"][1][:, :2])}
    if "line_rate" in variables:
        del variables["line_rate"]
    coords["energy_kind"] = coords["energy_kind"][:2]  # nothing moves: no work, no balance
    attributes = {"name": parameter if isinstance(parameter, str) else FACTOR, "units": _units(system, parameter)}
    unstable = [-1 if p.unstable is None else p.unstable for p in points]
    variables.update(
        {"path_q": (("point", "coordinate"), q), "path_lam": (("point", "row"), lam)} | observer.nodes("path")
    )
    coords.update(
        {
            "point": np.arange(len(points)),
            "parameter": ("point", [p.p for p in points], attributes),
            "arclength": ("point", np.array([p.arclength for p in points])),
            "unstable_directions": ("point", unstable),
            "stable": ("point", [p.stable for p in points]),
        }
    )
    if can(system, Turning):
        coords["growing_motions"] = ("point", [-1 if p.growing is None else p.growing for p in points])
        variables["path_v"] = (("point", "coordinate"), _speeds(along, points))
    _add_events(along, observer, events, variables, coords)
    data = Pending(variables, coords, observer.labelled)
    largest, _ = _checks.of_strain(observer, data.values, samples, brief=False)
    physics.warn_of_slack(system.model, data, "point")
    _warn_of_instability(system.model.name, trace)
    kinds = [event.kind for event in events]
    figures = {
        "points": len(points),
        "limit_points": kinds.count(LIMIT_POINT),
        "bifurcations": kinds.count(BIFURCATION),
        "flutter": kinds.count(FLUTTER),
        "iterations": tracer.iterations,
        "rejected": trace.rejected,
        "residual": max(p.force for p in points) / system.length_scale,
        "force_scale": float(np.max(np.abs(lam), initial=0.0)),
        "constraint_error": max(p.gap for p in points),
        **largest,
    }
    lost = _lost_digits(tracer, trace)
    shift = f"rounding may shift events by {100.0 * lost:.1g} % of the way to them."
    digits.warn(f"path: {system.model.name!r}", lost, shift)
    checks = [
        _checks.of_joints(figures["constraint_error"] / system.length_scale),
        Check("rounding", lost, digits.LIMIT, "of the way to an event", digits.ADVICE),
        *_checks.of_turns(system, q),
        *_checks.of_feeds(system, q),
        *_checks.of_channels(system, q),
        *_checks.of_depths(system, q),
    ]
    outcome = judged(trace.message + _remarks(system, points, kinds), figures, checks, done=trace.reached)
    return result(system, "path", data, outcome, {"parameter": parameter, **settings})


def _warn_of_instability(name: str, trace: Trace) -> None:
    """Warn of a path that ends at an unstable equilibrium, and name the point where it lost its stability."""
    last, points = trace.points[-1], trace.points
    if last.stable or last.unstable is None:
        return
    begun = max((k for k, point in enumerate(points) if point.stable), default=0)
    met = [event for event in trace.events if event.index >= begun]
    if not begun and not met:  # a branch begins at a bifurcation, which is neither
        state = f"is unstable (at its end in {last.unstable} direction(s))"
        warn(UnstableEquilibrium, f"The path of {name!r} {state}. Follow a stable branch (pl.branch).")
        return
    where = f"{met[0].kind} at {met[0].parameter:.6g}" if met else f"between {points[begun].p:.6g} and the next point"
    warn(
        Buckled,
        f"The path of {name!r} loses its stability ({where}) and ends at {last.p:.6g}, unstable in {last.unstable} "
        "direction(s). A real mechanism buckles there: follow its branch (pl.branch), or end the path at that point "
        "(until=).",
    )


def _lost_digits(tracer: Tracer, trace: Trace) -> float:
    """Return how far rounding may shift an event of a path: the rounding error of the stiffness of a critical
    direction, over the largest stiffness of the softest direction on the path. Zero if loads have no potential, or if
    even the largest stiffness in every node is far from it.
    """
    system: Any = tracer.base
    if not (system.conservative and can(system, Linearisable)):
        return 0.0
    first, largest = trace.points[0], max(abs(point.softness) for point in trace.points)
    stiffest = system.balance(_resting(first))[2] / ROUNDING  # N m
    if MOST_TERMS * digits.EPS * stiffest * system.nodes < digits.LIMIT * largest:
        return 0.0
    places = [(event.point, event.direction) for event in trace.events] or [(first, tracer.critical(first, 1)[0])]
    worst = 0.0
    for point, direction in places:
        if not isinstance(tracer.parameter, SignalParameter):  # signals do not change how large the stiffness is
            system = tracer.parameter.system(point.p)
        unit = direction / np.sqrt(tracer.metric @ direction**2)
        worst = max(worst, float(digits.rounding(system.matrices(_resting(point)).stiffness, unit[:, None])[0]))
    return worst / max(largest, 1e-300)


def _resting(point: Point) -> State:
    zero = np.zeros_like(point.q)
    return State(point.q, zero, zero, point.lam)


def _configurations(
    along: PathParameter, samples: Samples, points: list[Point]
) -> tuple[MutableMapping[str, Any], MutableMapping[str, Any]]:
    """Return the labelled variables of every point, observed through the system that belongs to it."""
    if isinstance(along, SignalParameter):
        return along.base.observer().configurations(samples, "point")
    seen = [along.system(p.p).observer().configurations(samples.only(k), "point") for k, p in enumerate(points)]
    variables, coords = seen[-1]
    for name, (dims, *_) in variables.items():
        if dims[0] == "point":
            variables[name] = (dims, np.concatenate([each[name][1] for each, _ in seen]))
    return variables, coords


def _speeds(along: PathParameter, points: list[Point]) -> np.ndarray:
    """Return velocities of relative equilibria in axes that stand still, as in the raw state."""
    systems: list[Any] = [along.system(point.p) for point in points]
    return np.array([system.started(_resting(p)).v for system, p in zip(systems, points, strict=True)])


def _units(system: HasPaths, parameter: Parameter) -> str:
    """Return the units of a signal; a factor has none, units of a user's own parameter are unknown."""
    if parameter == RATE:
        return "rad/s"
    named = isinstance(parameter, str) and parameter in system.signal_names
    return signal_units(system, str(parameter)) or "1" if named else "1"


def _remarks(system: HasPaths, points: list[Point], kinds: list[str]) -> str:
    """Return remarks on a path without static instability."""
    if system.conservative:
        return ""
    if any(point.unstable is None for point in points):
        return "; stability was not determined: the loads have no potential, and the model is large"
    if FLUTTER in kinds and BIFURCATION not in kinds and LIMIT_POINT not in kinds:
        return "; no static buckling on it, but flutter (from the complex modes)"
    return "; the loads have no potential, so stability is that of the motion (complex modes)"


def _add_events(
    along: PathParameter,
    observer: Observer,
    events: list[Event],
    variables: MutableMapping[str, Any],
    coords: MutableMapping[str, Any],
) -> None:
    n, m, size = observer.system.freedoms, observer.system.constraints, observer.system.size
    q = np.array([event.point.q for event in events]).reshape(-1, size)
    lam = np.array([event.point.lam for event in events]).reshape(len(events), m)
    u = np.array([along.signals(event.point.p) for event in events]).reshape(len(events), 0 if not events else -1)
    direction = np.array([event.direction for event in events]).reshape(-1, n)

    def shape() -> tuple[tuple[str, ...], np.ndarray]:
        zero = np.zeros_like(q)
        states = Samples(np.zeros(len(events)), q, zero, zero, lam, signals=u)
        moved = observer.moves(states, np.pad(direction, ((0, 0), (0, size - n))), np.zeros(len(events)))
        return ("event", "station", "axis"), moved

    tangent = np.array([event.point.tangent for event in events]).reshape(-1, n + m + 1)
    variables.update(
        {
            "event_shape": shape,
            "event_direction": (("event", "freedom"), direction),
            "event_tangent": (("event", "unknown"), tangent),
        }
    )
    coords.update(
        {
            "event_kind": ("event", np.array([event.kind for event in events], dtype=str)),
            "event_parameter": ("event", np.array([event.parameter for event in events], dtype=float)),
            "event_point": ("event", np.array([event.index for event in events], dtype=int)),
            "event_multiplicity": ("event", np.array([event.multiplicity for event in events], dtype=int)),
        }
    )


def event_of(path: Result, number: int) -> Event:
    """Return an event of a path, from its result."""
    if not isinstance(path, Result) or path.kind != "path":
        raise OptionError(f"branch was given {path!r:.60} as a path; give a result of pl.path or pl.branch.")
    known = path.raw("event_kind")
    kinds = [] if known is None else known.tolist()
    if not isinstance(number, int) or not -len(kinds) <= number < len(kinds):
        raise OptionError(f"event={number!r}: the path has {len(kinds)} events: {', '.join(kinds) or 'none'}.")
    if kinds[number] != BIFURCATION:
        places = [k for k, kind in enumerate(kinds) if kind == BIFURCATION]
        raise OptionError(
            f"event={number!r} is a {kinds[number]}: only a bifurcation has branches. Bifurcations of this path: "
            f"{', '.join(map(str, places)) or 'none'}."
        )
    data = {name: _raw(path, name) for name in EVENT_NEEDS}
    k = int(data["event_point"][number])
    point = Point(
        q=data["path_q"][k],
        lam=data["path_lam"][k],
        p=float(data["parameter"][k]),
        tangent=data["event_tangent"][number],
        arclength=0.0,
        unstable=int(data["unstable_directions"][k]),
        flutter=0,
        softness=0.0,
        force=0.0,
        gap=0.0,
    )
    parameter, count = (data[name][number].item() for name in ("event_parameter", "event_multiplicity"))
    return Event(BIFURCATION, point, parameter, data["event_direction"][number], count)


def _raw(path: Result, name: str) -> np.ndarray:
    """Return the values of a variable that the path must have."""
    found = path.raw(name)
    if found is None:
        need(path, name)
        raise OptionError(f"branch: the path has no {name!r}.")
    return found
