"""Derivatives of a motion by parameters: repeating the motion, moving its start, and evaluating its variables.

Derivatives of goals of a motion by many parameters: what goals depend on, and the adjoint of the motion.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache, partial
from typing import Any, TypeAlias

import numpy as np

from pliant._libraries import xarray as xr
from pliant.analyses.common import state_of
from pliant.analyses.derivatives import perturbed
from pliant.analyses.motion.goals import Goal
from pliant.analyses.motion.interpolate import resample
from pliant.analyses.motion.transient import planned, pushed
from pliant.errors import OptionError, SingularError, nearest
from pliant.forces.tendon.tensioned import Tensioned
from pliant.model import rotations
from pliant.model.parameters import Parameter
from pliant.results import Result
from pliant.results.lazy_arrays import Pending
from pliant.solvers.derivatives import adjoint as motion_pull
from pliant.solvers.derivatives.implicit import DISPLACEMENT, PLACES, Line, slope
from pliant.solvers.derivatives.replayed_motion import Followed, Replayed, ReplayedLine
from pliant.solvers.derivatives.tangent_motion import Differentiated, MotionLine, Sides
from pliant.solvers.stepping.alpha_stepping import to_rounding
from pliant.solvers.stepping.methods import GeneralizedAlpha, Newmark, Radau5
from pliant.solvers.stepping.motion import Plan
from pliant.system.observation.lazy_arrays import Deferred
from pliant.system.samples import Samples
from pliant.system.state import State

AGREED = 1e-6  # of the largest derivative: what those backwards and forwards in time may differ by
SHIFT = 1e-4  # of the largest: reactions enter linearly
CHEAPER = 8  # parameters a goal, from which on the adjoint is: about what it costs, in derivatives forwards

Seen = Callable[[Any, Samples, Goal], np.ndarray]


def follows(wanted: Mapping[str, Any], parameters: int, adjoint: bool | None) -> bool:
    """Return whether derivatives go backwards: by request, or if that is cheaper."""
    goals = all(isinstance(each, Goal) for each in wanted.values())
    if adjoint and not goals:
        other = next(name for name, each in wanted.items() if not isinstance(each, Goal))
        raise OptionError(f"adjoint=True: {other!r} is no pl.Goal, of which one number of a whole motion is known.")
    return goals and (parameters >= CHEAPER * len(wanted) if adjoint is None else adjoint)


def goal_slopes(
    found: Differentiated,
    goals: Sequence[Goal],
    by: Sequence[motion_pull.FixedStateDerivatives],
    sides: Sequence[Sides],
    sizes: np.ndarray,
    seen: Seen,
) -> motion_pull.AdjointDerivatives:
    """Return (goals, parameters) derivatives; ``seen`` computes one number an instant from system, samples and goal."""
    values = [float(np.sum(_counted(found, goal, seen)(found.system, found.samples))) for goal in goals]
    pulled = motion_pull.pull(found, values, [_gradient(found, goal, seen) for goal in goals], by, sizes)
    if not pulled.error <= AGREED:
        raise OptionError(
            f"sensitivity: the adjoint of the motion of {found.system.model.name!r} differs from derivatives that go "
            f"forwards by {pulled.error:.1e}: the matrices of some part are not its derivatives. Give adjoint=False."
        )
    explicit = [
        [_explicit(found, goal, each(one.part), seen) for each, one in zip(sides, by, strict=True)] for goal in goals
    ]
    return pulled._replace(slopes=pulled.slopes + np.array(explicit))


def _counted(found: Differentiated, goal: Goal, seen: Seen) -> Callable[[Any, Samples], np.ndarray]:
    """Return the values of a goal at every instant with their weights; the instant of the largest does not change."""
    values = seen(found.system, found.samples, goal)
    weights = goal.weights(values, found.samples.time)
    return lambda system, samples: weights * seen(system, samples, goal)


def _explicit(found: Differentiated, goal: Goal, beside: tuple[Sequence[Any], float], seen: Seen) -> float:
    """Return derivatives by a parameter, with the motion held."""
    counted, (systems, step) = _counted(found, goal, seen), beside
    return float(np.sum(slope([counted(system, found.samples) for system in systems], step)))


def _gradient(found: Differentiated, goal: Goal, seen: Seen) -> np.ndarray:
    """Return (instants, 3 n + m) derivatives by q, v, a and lambda. All instants are moved together, since each counts
    by itself; groups of coordinates without effect are left out together.
    """
    system, samples, counted = found.system, found.samples, _counted(found, goal, seen)
    n, m, h = system.freedoms, system.constraints, found.stretches[0].h
    unit, push = DISPLACEMENT / system.weight, SHIFT * (float(np.max(np.abs(samples.lam), initial=0.0)) or 1.0)
    steps = np.concatenate([unit, unit / h, unit / h**2, np.full(m, push)])
    gradient, here = np.zeros((samples.time.size, steps.size)), counted(system, samples)
    groups = [np.arange(k * n, (k + 1) * n) for k in range(3)] + [np.arange(3 * n, 3 * n + m)]
    while groups:
        group = groups.pop()
        if not group.size or np.array_equal(counted(system, _shifted(system, samples, group, steps[group])), here):
            continue
        if group.size > 1:
            groups += np.array_split(group, 2)
            continue
        sides = [counted(system, _shifted(system, samples, group, k * steps[group])) for k in PLACES]
        gradient[:, group[0]] = slope(sides, float(steps[group[0]]))
    return gradient


def _shifted(system: Any, samples: Samples, places: np.ndarray, by: np.ndarray) -> Samples:
    """Return all instants with some of (q, v, a, lambda) moved; rotations in space by a turn in the node's own axes."""
    n, turning, frames = system.freedoms, system.equations.turning, system.equations.frames
    arrays = {name: getattr(samples, name).copy() for name in ("q", "v", "a", "lam")}
    names = ("q", "v", "a", "lam")
    for place, each in zip(places.tolist(), by.tolist(), strict=True):
        block, i = min(place // n, 3), place - n * min(place // n, 3)
        if block == 0 and i < 6 * turning and i % 6 >= 3:
            turn = slice(frames + 4 * (i // 6), frames + 4 * (i // 6) + 4)
            arrays["q"][:, turn] = rotations.product(
                arrays["q"][:, turn], rotations.exponential(each * np.eye(3)[i % 6 - 3])[None]
            )
        else:
            arrays[names[block]][:, i] += each
    return replace(samples, **arrays)


SAME = 1e-8  # lengths of the model, or rad: largest difference of the end of the repeated motion
LEFT = 1e-6  # residual of steps that are solved to rounding, in the same units
SWITCHES = "something may touch, stick or go slack: steps twice as long show the error of derivatives"
COARSE = 0.01  # of the largest derivative of a place: what twice the step may change of it without a note
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
    """Return the contents of a `Sensitivity`: values, derivatives, parameters, errors and notes."""
    _check(run, wanted)
    held, rest = start if isinstance(start, tuple) else (system, start)
    begin = state_of(system.observed, rest, driven=True)
    found = _again(system, run, begin, push)
    values = {
        name: perturbed.labelled(name, each(system, run) if callable(each) else getattr(run, each))
        for name, each in wanted.items()
    }
    if follows(wanted, len(chosen), adjoint):
        if isinstance(found, Differentiated) and (adjoint or not motion_pull.refusal(found) and not _switches(system)):
            return _backwards(run, found, values, chosen, wanted, partial(_begun, held, rest, begin), rest is None)
        if adjoint:
            raise OptionError("adjoint=True: of steps that adapt, and of Radau's, there is no adjoint. Leave it out.")
    wanted = {name: each.held(system, run) if isinstance(each, Goal) else each for name, each in wanted.items()}
    beside = perturbed.sides if any(callable(each) for each in wanted.values()) else perturbed.explicit
    by: dict[str, list[np.ndarray]] = {name: [] for name in wanted}
    errors, notes, switches = {}, list[str](), _switches(system)
    coarser = _coarser(system, found, begin) if switches else None
    if switches and coarser is None:
        notes.append(f"{SWITCHES}, but steps twice as long fail: take smaller ones")

    def line_of(motion: Followed, parameter: Parameter) -> MotionLine | ReplayedLine:
        sides = partial(beside, system, parameter)
        try:
            if isinstance(motion, Replayed):
                return motion.line(sides, partial(_starts, held, rest, begin.time, parameter, sides))
            begun = _begun(held, rest, begin, parameter, *sides(1.0))
            return motion.line(sides, begun, assembled=rest is None)
        except SingularError as error:
            raise OptionError(f"sensitivity: {error}") from error

    for name, parameter in chosen.items():
        line = line_of(found, parameter)
        far = np.nan if switches else 0.0
        if coarser is not None:
            far = _between(found, line, coarser, line_of(coarser, parameter))
        errors[name] = float(np.maximum(line.error, far))
        notes += _kinked(name, line.kinks)
        if far > COARSE:
            notes.append(
                f"by {name}: with twice the step derivatives differ by {far:.1g} of the largest: something touches, "
                "comes off, sticks or goes slack within few steps. Take a smaller step= or accuracy="
            )
        for key, quantity in wanted.items():
            by[key].append(line.derivative(partial(_value, quantity=quantity, run=run, last=found.last)))
    slopes = {name: _with_nan(perturbed.stacked(values[name], each, chosen)) for name, each in by.items()}
    every_note = dict.fromkeys([*notes, *perturbed.idle_notes(slopes, values, chosen)])
    return xr.Dataset(values), xr.Dataset(slopes), chosen, errors, tuple(every_note)


def _switches(system: Any) -> bool:
    """Return whether slopes of forces may jump: something touches, sticks, or goes slack."""
    forces = system.model.forces
    return any(force.unilateral or force.idles or isinstance(force, Tensioned) for force in forces) or system.rubs


def _coarser(system: Any, found: Followed, begin: State) -> Followed | None:
    """Simulate the motion by steps twice as long; None if they fail."""
    plan, time = found.plan, found.samples.time
    if plan.times is not None:
        plan = replace(plan, times=np.union1d(time[::2], time[-1:]))
    else:
        plan = replace(plan, step=2.0 * float(time[-1] - time[0]) / (time.size - 1))
    try:
        with to_rounding():
            coarse: Followed = system.differentiated(begin, plan)
    except OptionError:
        return None
    return coarse


def _between(
    found: Followed,
    line: MotionLine | ReplayedLine,
    coarse: Followed,
    other: MotionLine | ReplayedLine,
) -> float:
    """Return the difference of derivatives of places from those by longer steps, at the ends of these, relative to the
    largest.
    """
    at, unit = coarse.samples.time, found.system.weight
    mine = np.array([np.interp(at, found.samples.time, each) for each in line.q.T]).T
    size = float(np.max(np.abs(line.q) * unit, initial=0.0))
    return float(np.max(np.abs(mine - other.q) * unit, initial=0.0)) / size if size else 0.0


def _backwards(
    run: Result,
    found: Differentiated,
    values: dict[str, xr.DataArray],
    chosen: Mapping[str, Parameter],
    wanted: Mapping[str, Goal],
    begun: Callable[..., np.ndarray],
    assembled: bool,
) -> Made:
    """Return the derivatives of goals, by the adjoint of the motion."""
    motion_pull.only(found)
    sides = [partial(perturbed.explicit, found.system, parameter) for parameter in chosen.values()]
    if not np.array_equal(run.time.values, found.samples.time):
        raise OptionError("adjoint=True: that motion does not keep every step. Leave out every= and times=.")
    try:
        by = [
            motion_pull.differentiate_at_states(found, each, begun(parameter, *each(1.0)), assembled=assembled)
            for each, parameter in zip(sides, chosen.values(), strict=True)
        ]
        sizes = np.array([each.size for each in chosen.values()])
        seen = partial(_instants, run=run, last=found.last)
        pulled = goal_slopes(found, list(wanted.values()), by, sides, sizes, seen)
    except SingularError as error:
        raise OptionError(f"sensitivity: {error}") from error
    slopes = {
        name: perturbed.stacked(values[name], row, chosen) for name, row in zip(wanted, pulled.slopes, strict=True)
    }
    switching = [f"{SWITCHES}, with adjoint=False"] if _switches(found.system) else []
    notes = dict.fromkeys(
        [*switching, *_kinked("all parameters", pulled.kinks), *perturbed.idle_notes(slopes, values, chosen)]
    )
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


def _again(system: Any, run: Result, begin: State, push: Push) -> Followed:
    """Simulate the motion again, with every step solved to rounding, or as before if it then ends elsewhere, ready to
    be differentiated; refuse a motion that ends elsewhere in both ways.
    """
    velocity = None if push is None else pushed(system.observed, push)
    plan = replace(_plan(system, run), velocity=velocity)
    with suppress(OptionError), to_rounding():
        exact: Followed = system.differentiated(begin, plan)
        if _apart(system, exact, run) <= LEFT:
            return exact
    found: Followed = system.differentiated(begin, plan)
    if not _apart(system, found, run) <= (SAME if plan.times is None else run.provenance.settings.get("accuracy", 0.0)):
        steps = "" if plan.times is None else " If steps failed that adapt, give a smaller accuracy=."
        raise OptionError(
            "sensitivity: that motion is not what this system does from there. Give start= and push= as they were "
            f"given to transient, and the system with the same signals.{steps}"
        )
    return found


def _apart(system: Any, found: Followed, run: Result) -> float:
    """Return the distance of the ends of two motions, in lengths of the model or rad."""
    last = (run.state or {}).get("q", np.empty(0))
    if last.size != system.size:
        return np.inf
    return float(np.max(np.abs(system.apart(found.last.q, last) * system.weight), initial=0.0))


def _plan(system: Any, run: Result) -> Plan:
    """Return the options that a motion was computed with."""
    settings = run.provenance.settings
    plan = planned(system, end_time=settings["end_time"], step=settings.get("step"), method=method_of(settings))
    if plan.step is not None and not isinstance(plan.method, Radau5):
        return plan
    if run.time.size != run.outcome.figures.get("steps", 0) + 1:
        raise OptionError(
            "sensitivity: that motion does not keep all of its steps, which are taken again beside it. Leave out "
            "every= and times=, or give a smaller step= where some failed and were taken in parts."
        )
    return replace(plan, times=run.time.values)


def method_of(settings: Mapping[str, Any]) -> Any:
    """Return the method of time stepping in the settings of a motion."""
    name, kept = settings.get("method"), settings.get("constraints")
    if name == "GeneralizedAlpha":
        return GeneralizedAlpha(settings["spectral_radius"], constraints=kept, baumgarte=settings.get("baumgarte"))
    if name == "Newmark":
        return Newmark(*settings["newmark"], constraints=kept, baumgarte=settings.get("baumgarte"))
    return name


def _begun(
    held: Any, rest: Result | None, begin: State, parameter: Parameter, neighbours: Sequence[Any], step: float
) -> np.ndarray:
    """Return q' of the start of a motion: of the assembled pose, or of an equilibrium."""
    if rest is None:
        return np.asarray(slope([held.apart(begin.q, each.initial) for each in neighbours], step))
    return _resting(held, rest, parameter).x[: held.freedoms]


def _resting(held: Any, rest: Result, parameter: Parameter) -> Line:
    """Return the derivative of the equilibrium that a motion starts from."""
    if rest.kind not in ("statics", "path"):
        raise OptionError(f"start: derivatives of a {rest.kind} are not known. Start from statics, or assembled.")
    factored = cache(partial(perturbed.factored, held, rest))
    line = perturbed.tangent(held, parameter, factored, *perturbed.explicit(held, parameter, 1.0))
    if line is None:
        raise OptionError(
            f"start: the equations of {held.model.name!r} do not give the derivative of that equilibrium."
        )
    return line


def _starts(
    held: Any, rest: Result | None, time: float, parameter: Parameter, sides: Callable[[float], Any], part: float
) -> list[State]:
    """Return the starts of neighbouring motions: assembled poses, or equilibria."""
    if rest is None:
        return [each.start() for each in sides(part)[0]]
    line, (neighbours, step) = _resting(held, rest, parameter), perturbed.explicit(held, parameter, part)
    pairs = zip(PLACES, neighbours, strict=True)
    found = (each.find_equilibrium(line.moved(k * step), time=line.state.time, load_steps=1) for k, each in pairs)
    return [replace(each.state, time=time) for each in found]


def _value(system: Any, samples: Samples, *, quantity: Any, run: Result, last: State) -> np.ndarray:
    """Return a variable, or a function of a motion, at the instants of the run. Work and dissipation are sums over
    steps, whose derivatives are unknown.
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
    sums: Any = {"energy": lambda: (*variables["energy"][:2], {"nan_means": SUMS})}
    data = Pending(Deferred(variables) | sums, coords, observer.labelled)
    if not callable(quantity):
        return data.values(quantity)
    return np.asarray(quantity(system, Result(data, "motion", run.outcome, run.provenance)))  # type: ignore[arg-type]


def _with_nan(slopes: xr.DataArray) -> xr.DataArray:
    if not np.any(np.isnan(slopes.values)):
        return slopes
    return slopes.assign_attrs(nan_means=SUMS)


def _kinked(name: str, kinks: np.ndarray) -> list[str]:
    """Name instants without derivative of a motion."""
    if not kinks.size:
        return []
    first = ", ".join(f"{time:.6g}" for time in kinks[:4])
    more = f" and {kinks.size - 4} more" if kinks.size > 4 else ""
    return [
        f"by {name}: forces have a kink at t = {first} s{more} (a contact or stop about to touch, a tendon "
        "about to go slack): derivatives after that are those of neither side"
    ]
