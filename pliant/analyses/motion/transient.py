"""Motion in time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, TypedDict, Unpack, cast

import numpy as np

from pliant._frozen import replace
from pliant.analyses import checks as _checks
from pliant.analyses import physics
from pliant.analyses.common import Start, numbers, require, result, state_of, whole, with_warnings
from pliant.analyses.motion import between_steps, time_error
from pliant.analyses.motion.interpolate import instants, resample
from pliant.errors import Interrupted, OptionError, PliantWarning, nearest, warn
from pliant.forces.state_force.callbacks import watched
from pliant.model.quantities import si
from pliant.results import Result
from pliant.results.lazy_arrays import LEAD, Pending
from pliant.results.progress import progress
from pliant.results.records import judged
from pliant.solvers.stepping.drive_discontinuities import warn_of_kinks
from pliant.solvers.stepping.methods import ByScipy, Index3, Method, Moreau, Radau5, choose
from pliant.solvers.stepping.motion import KEEP_FEWER, Plan, TimeHistory, failure
from pliant.system.capabilities import HasEquations, HasMotion, HasSampling, Observed, can
from pliant.system.limits.loop_watch import loop_watch
from pliant.system.limits.offered import HasContactDistances, HasSignalFunctions
from pliant.system.samples import Samples
from pliant.system.state import State

if TYPE_CHECKING:
    from pliant.analyses.motion.closed_loop import Controllers
    from pliant.control.controllers.ensemble import Ensemble

ERRORS = ("local_error", "local_sum", "time_error")  # figures of those methods that know them
MOST_NUMBERS = 1e9  # coordinates times instants kept: 8 GB each of positions, velocities and accelerations
PUSHES = {
    3: "an angular velocity, or (vx, vy, angular velocity)",
    6: "an angular velocity in the body's axes (3 numbers), or (vx, vy, vz) and that (6 numbers)",
}
OVERLAP = 1e-6  # of the model's size: a motion that begins further inside a surface is warned about


class MethodWords(TypedDict, total=False):
    """Words of `transient` that stand for a method, or for an option that several methods have."""

    spectral_radius: float | None
    newmark: tuple[float, float] | None
    scheme: str | None
    contact: str | None
    constraints: str | None
    baumgarte: tuple[float, float] | None


class MotionOptions(MethodWords, total=False):
    """Options of the computation of a motion."""

    step: float | None
    accuracy: float | None
    tolerances: tuple[float, float] | None
    method: Method | str | None


@with_warnings
@watched()
def transient(
    system: HasMotion,
    *,
    end_time: float,
    step: float | None = None,
    accuracy: float | None = None,
    tolerances: tuple[float, float] | None = None,
    method: Method | str | None = None,
    start: Start = None,
    push: Mapping[str, float | Sequence[float]] | None = None,
    every: int | None = None,
    times: Sequence[float] | np.ndarray | None = None,
    controller: Controllers | None = None,
    estimate: bool | None = None,
    partial: bool = False,
    **words: Unpack[MethodWords],
) -> Result:
    """Simulate the motion of a system from a state to ``end_time``.

    step        s; length of the equal steps, at most. Unless given, steps are as short as ``accuracy`` needs: equal
                ones if nothing is far faster than the rest, otherwise they adapt
    accuracy    largest error of positions in the whole motion, as a part of the model's size (and in rad), estimated:
                steps are made smaller until it is met. Unless given it is 1e-3 of the range of the motion, which
                of a small motion is far stricter than ``accuracy=1e-3``: give one if the motion takes long. Of the
                formulations "udwadia_kalaba", "kinked" and "relative": largest local error of a step (1e-8)
    tolerances  ("udwadia_kalaba", "kinked", "relative") relative and absolute, of every coordinate and velocity in SI
                units, in place of ``accuracy``
    method      of time stepping, such as ``pl.GeneralizedAlpha(0.8)``, or its name; the formulation's first unless
                given:
                "dae"             `GeneralizedAlpha`; `Radau5` where nothing jumps, strikes or rubs and an accuracy
                                  is given, or too many equal steps would be needed; `Newmark`, `Momentum`,
                                  `Moreau` (rigid contacts)
                "shooting"        `Newmark`, `GeneralizedAlpha`; in space the latter first
                "udwadia_kalaba"  `DOP853`, `RK45`, `RK23`; stiff `SDIRK4`, `TRBDF2`, `Radau`, `BDF`,
                                  `LSODA`
                "kinked"          `SDIRK4` and the others of these
                "relative"        `DOP853`, `RK45`, `RK23`; stiff `SDIRK4`, `TRBDF2`, with beams first
    words       for a method and its options: ``spectral_radius`` (of `GeneralizedAlpha`), ``newmark`` (beta, gamma),
                ``scheme="momentum"``, ``contact="complementarity"`` (`Moreau`), ``constraints``, ``baumgarte``
    start       Result of statics, or of transient to go on from its end; unless given, assembled and at rest.
                It may belong to a model with the same parts and other joints, which are then released
    push        initial velocities by body: rad/s, or (vx, vy, rad/s) of its centre (of a beam: its base); in space
                (wx, wy, wz) in the body's own axes, or these after (vx, vy, vz) in global ones. Everything else
                follows the joints
    every       keep every n-th step, and the last; ``times`` instead gives the instants to report
    controller  sampled controller that sets some signals from some outputs (see ``control``), or a list of several
                with sample times that are multiples of the shortest; the result then has what was ``measured``,
                ``wanted`` and ``applied`` at every ``sample``, and the ``estimate`` (states of the controller then).
                Without ``step=``, each sample is divided into as many equal steps as the error limit needs; steps
                that adapt by themselves ("udwadia_kalaba") end at every sample
    estimate    whether the error of the motion is estimated by a second one. None: yes; of equal steps by one with
                eight times the step if the sum of the local errors is small, else twice (with contacts a third with
                three times the step, too); of steps that bound their own errors by a coarser or finer one. True:
                always by the more expensive one. False: never; then the sum of the local errors is checked
    partial     True: a run that fails or is interrupted returns what it has (``outcome.ok`` False); otherwise a
                failure raises, and Ctrl-C raises ``errors.Interrupted``, which carries the ``result`` so far

    The outcome has the checks of the joints, the energy balance and the error in time, and is ok if all passed; it
    reports steps, Newton iterations (or evaluations) and cut-backs. ``provenance.settings`` has all options, defaults
    included. A run that was stopped keeps the requested instants that it has passed; ``start=`` continues from
    ``state["time"]``, which may be later. ``run.joint_rank``, ``run.joint_margin`` and ``run.joint_projection`` show at
    every instant how far the joints are from being dependent, and how far they are from being closed.

    >>> import pliant as pl
    >>> m = pl.Model("pendulum")
    >>> ground, arm = m.add(pl.Ground(), pl.Link("arm", length=1.0, mass=1.0, angle=0.0))
    >>> parts = m.add(pl.Revolute(ground.at(0, 0), arm.at(s=0)), pl.Gravity())
    >>> run = pl.transient(pl.compile(m), end_time=1.0, step=1e-3, method=pl.GeneralizedAlpha(0.9))
    >>> run.outcome.ok, round(float(run.angle.sel(body="arm")[-1]), 3)
    (True, -3.133)
    """
    require(system, HasMotion, "transient")
    end_time, step = (si("transient", *each, "s") for each in (("end_time", end_time), ("step", step)))
    if every is not None and times is not None:
        raise OptionError("every and times: give one of them; times are the instants to report.")
    for name, value in (("estimate", estimate), ("partial", partial)):
        if not (value is None or isinstance(value, bool | np.bool_)):
            raise OptionError(f"{name}={value!r:.60}: give True or False.")
    plan = planned(
        system, end_time=end_time, step=step, accuracy=accuracy, tolerances=tolerances, method=method,
        every=every, **words,
    )  # fmt: skip
    observed = system.observed
    free = step is None and method is None and controller is None and not any(words.values())
    quicker = time_error.cheapest(system, plan.method) if free else plan.method
    if accuracy is not None:
        plan = replace(plan, method=quicker)
    begin = state_of(observed, start, driven=True)
    if not end_time > begin.time:
        raise OptionError(f"end_time={end_time:g}: it must be later than the start, t = {begin.time:g} s.")
    wanted = None if times is None else instants(times, begin.time, end_time)
    _check_size(observed.size, end_time - begin.time, step, every)
    plan = replace(plan, times=wanted, velocity=None if push is None else pushed(observed, push))
    if start is None and not isinstance(plan.method, Moreau):
        _warn_of_overlap(observed, begin)
    swinging = _swinging(observed, plan.method)
    with progress(f"motion of {system.model.name}", end_time) as report:
        plan = replace(plan, report=report)
        ensemble = None if controller is None else _together(controller)
        motion, seen = _seeing(system, begin, (plan, quicker), ensemble, estimate)
    if can(observed, HasSignalFunctions):
        warn_of_kinks(cast(HasSignalFunctions, observed), begin.time, plan.end_time)
    if not (motion.ok or motion.interrupted or partial):
        raise failure(motion)
    settings = {**system.settings, "end_time": end_time, **motion.used}
    if push is not None:
        settings["push"] = {name: np.asarray(value, float).tolist() for name, value in push.items()}
    try:
        found = _result(motion.system or observed, motion, wanted, settings, swinging, seen)
    except MemoryError as error:
        raise OptionError(
            f"end_time={end_time:g}: {motion.time.size} instants of {observed.size} coordinates are more than memory "
            f"holds. Try {KEEP_FEWER}."
        ) from error
    if motion.interrupted and not partial:
        raise Interrupted(f"The motion {motion.message}. What was computed is in this exception's .result.", found)
    return found


def planned(
    system: HasMotion,
    *,
    end_time: float,
    every: int | None = None,
    **options: Unpack[MotionOptions],
) -> Plan:
    """Check the options of a motion and choose the method for the given words."""
    numbers("end_time", end_time, 1, "a finite instant")
    step, accuracy, tolerances = options.get("step"), options.get("accuracy"), options.get("tolerances")
    words = {name: value for name, value in options.items() if name not in ("step", "accuracy", "tolerances")}
    for name, value in (("step", step), ("accuracy", accuracy)):
        if value is not None:
            numbers(name, value, 1, "a positive, finite number")
            if not value > 0.0:
                raise OptionError(f"{name}={value!r}: give a positive, finite number.")
    if step is not None and accuracy is not None:
        raise OptionError("step and accuracy: give one of them. A fixed step, or an accuracy that the step adapts to.")
    if accuracy is not None and tolerances is not None:
        raise OptionError("accuracy and tolerances: give one of them; both bound the error of a step.")
    whole("every", 1 if every is None else every)
    for name in words:
        if name not in ("method", *MethodWords.__annotations__):
            known = ("step", "accuracy", "tolerances", "method", *MethodWords.__annotations__)
            raise OptionError(f"{name}: not an option of a motion. {nearest(name, known)}")
    return Plan(
        end_time=float(end_time),
        method=choose({"method": None, **words}, system.methods, system.formulation),
        step=step,
        accuracy=accuracy,
        tolerances=tolerances,
        every=1 if every is None else every,
    )


def pushed(system: Observed, push: Mapping[str, float | Sequence[float]]) -> np.ndarray:
    """Return the requested velocities; NaN for the others."""
    velocity, width = np.full(system.size, np.nan), system.space.width
    places = system.body_places()
    if not isinstance(push, Mapping):
        raise OptionError(f"push={push!r}: give a mapping from body to velocity, such as {{{min(places)!r}: 1.0}}.")
    for name, value in push.items():
        if name not in places:
            raise OptionError(f"push: there is no body {name!r}. {nearest(str(name), places)}")
        turns = width - len(system.space.axes)
        count = turns if np.size(value) == turns else width
        numbers(f"push of {name!r}", value, count, PUSHES[width])
        k = places[name]
        velocity[k + width - count : k + width] = value
    return velocity


def _warn_of_overlap(system: Any, begin: State) -> None:
    """Warn of a contact inside of which a motion begins: the bodies would be thrown apart."""
    part, gap = system.deepest(begin.q) if can(system, HasContactDistances) else (None, 0.0)
    if part is not None and gap < -OVERLAP * system.length_scale:
        warn(
            PliantWarning,
            f"{part.owner}: gap = {gap:.3g} at the start: it begins inside its surface and is thrown out. Move the "
            "bodies apart, or start from an equilibrium.",
        )


def _swinging(system: Any, method: Method) -> bool:
    """Return whether reactions may swing from step to step: position constraints with moving drives, or without
    damping, which lets them grow (A. Cardona, M. Geradin 1989); warn of the latter.
    """
    if not (isinstance(method, Index3) and method.constraints == "position" and system.constraints):
        return False
    if method.undamped:
        warn(
            PliantWarning,
            f"constraints='position' with {method}: so little damping lets reactions grow without bound unless the "
            "steps are small. Leave constraints= out, or take 'projection' or a spectral_radius of at most 0.95.",
        )
    known = can(system, HasSignalFunctions)
    return method.undamped or not known or any(system.signal_number(name) in system.driving for name in system.changing)


def _seeing(
    system: Any, begin: State, plans: tuple[Plan, Method], controller: Ensemble | None, estimate: bool | None
) -> tuple[TimeHistory, between_steps.SampledIntegrals]:
    """Simulate the motion, with adaptive steps that end where its signals require it; return also the comparison of
    signals and steps. The plan comes with the method for adaptive steps.
    """
    plan, quicker = plans
    for _ in range(between_steps.ROUNDS + 1):
        motion = _with_error(system, begin, (plan, quicker), controller, estimate)
        seen = between_steps.sampled_integrals(motion.system or system.observed, motion)
        marks = np.empty(0) if "step" in motion.used else between_steps.landmarks(seen, motion)
        if not marks.size:
            break
        plan = replace(plan, landmarks=np.union1d(plan.landmarks, marks))
    return motion, seen


def _with_error(
    system: Any, begin: State, plans: tuple[Plan, Method], controller: Ensemble | None, estimate: bool | None
) -> TimeHistory:
    """Simulate the motion and estimate the error of its steps, or choose steps that keep it within an accuracy."""
    plan, quicker = plans

    def move(*, step: float | None = None, accuracy: float | None = None, **other: Any) -> TimeHistory:
        steps = replace(plan, step=step, accuracy=accuracy, **other)
        if controller is None:
            return system.move(begin, steps)
        from pliant.analyses.motion.closed_loop import ClosedLoop

        loop = ClosedLoop(system, controller, begin.time, plan.end_time, step)
        size = loop.step if plan.method.order else step
        motion = loop.system.move(begin, replace(steps, step=size, sampler=loop.sampler))
        return replace(motion, system=loop.system, loop=loop)

    if controller is not None:
        _check_controller(system, controller, plan)
        if plan.step is None and plan.method.order:
            return time_error.with_samples(move, system.observed, plan, controller.tick)
    if plan.step is not None:
        return time_error.with_equal_steps(move, system.observed, plan, estimate)
    if plan.method.order and estimate is not False:
        return time_error.with_accuracy(move, system.observed, plan, plan.end_time - begin.time, quicker)
    quick = plan.tolerances is None and controller is None and not isinstance(plan.method, ByScipy)
    estimating = estimate or (estimate is None and quick)
    if estimating and plan.method.order is None and not isinstance(plan.method, Moreau):
        return time_error.beside_another(move, system.observed, plan, rough=not estimate and plan.accuracy is None)
    return move(accuracy=plan.accuracy)


def _together(controller: Controllers) -> Ensemble:
    """Return controllers as an ensemble; their modules are imported late, as few motions need them."""
    from pliant.analyses.motion.closed_loop import together

    return together(controller)


def _check_controller(system: Any, controller: Ensemble, plan: Plan) -> None:
    if isinstance(plan.method, Moreau):
        raise OptionError("controller: not with contact='complementarity' (Moreau). Take contact='penalty'.")
    if isinstance(plan.method, Radau5):
        raise OptionError("controller: not with method='Radau5', whose steps are longer than samples. Leave it out.")
    require(system, HasSampling, "transient with a controller")
    drives = [name for name in controller.inputs if name in system.signal_names]
    drives = [name for name in drives if system.signal_number(name) in system.driving]
    if drives and not plan.method.order:
        raise OptionError(
            f"controller: {drives[0]!r} drives a joint, which the formulation {system.formulation!r} cannot let a "
            "controller do. Compile with formulation='dae', or use a Motor or a Tendon."
        )
    if plan.method.order:
        plan.refuse("accuracy", why="a controller needs equal steps; give step= instead, or neither.")


def _result(
    system: Observed,
    motion: TimeHistory,
    times: np.ndarray | None,
    settings: dict[str, Any],
    swinging: bool,
    seen: between_steps.SampledIntegrals,
) -> Result:
    loop = motion.loop
    samples = Samples.along(motion, system.size)
    if times is not None and not np.array_equal(times, motion.time):
        samples = resample(samples, times, system.space)
    observer = system.observer()
    if loop is not None:
        samples = replace(samples, signals=loop.signals(samples.time))
    else:
        samples = replace(samples, signals=system.signals(samples.time))
    looks = motion.looks or motion
    watched = samples if looks is motion and samples.time.size == looks.time.size else Samples.along(looks, system.size)
    samples = samples if watched is samples else replace(samples, between=watched)
    data = Pending(*observer.moving(samples, motion.last), observer.labelled).assign(motion.own)
    if loop is not None:
        data = data.assign(loop.variables())
    if can(system, HasEquations) and system.constraints:
        data = replace(data, aside=loop_watch(cast(HasEquations, system), samples))
    if watched is not samples and loop is not None:
        watched = replace(watched, signals=loop.signals(watched.time))

    @cache
    def at_all_instants() -> Pending:
        return Pending(*observer.moving(watched, motion.last), observer.labelled).assign(looks.own)

    def watched_values(name: str) -> np.ndarray:
        """Return a variable at all instants of the checks; most motions are checked without one."""
        same = watched is samples or (name in data.coords and name != LEAD)
        return (data if same else at_all_instants()).values(name)

    largest, strains = _checks.of_strain(observer, watched_values, watched, brief="resultant" not in looks.own)
    physics.warn_of_slack(system.model, data, "time")
    physics.warn_of_steps(system, motion, data)
    physics.warn_of_waves(system, motion)
    if motion.energy_error is None:
        motion = replace(motion, **_checks.energies(watched_values("energy")))
    figures = {
        "steps": motion.steps,
        motion.counted: motion.iterations,
        "cut_backs": motion.cut_backs,
        "constraint_error": motion.constraint_error,
        "energy_error": motion.energy_error,
        "energy_range": motion.energy_range,
        "energy_at_work": motion.energy_at_work,
        **{name: value for name in ERRORS if (value := getattr(motion, name)) is not None},
        **largest,
    }
    checks: _checks.Checks = [*_checks.of_motion(system, motion, time_error.span(system, motion)), *strains]
    checks += _checks.of_turns(system, watched.q) + _checks.of_feeds(system, watched.q)
    checks += _checks.of_spins(system, watched) + _checks.of_channels(system, watched.q)
    checks += _checks.of_collisions(system, motion, watched)
    checks += [] if loop is None else loop.checks()
    checks += between_steps.of_signals(system, seen) + _checks.with_unknown_error(motion)
    checks += _checks.of_reactions(system, watched) if swinging else []
    outcome = judged(motion.message, figures, checks, done=motion.ok)
    for check in outcome.failed[:1] if motion.ok else ():
        warn(PliantWarning, f"Motion of {system.model.name!r}: {check!r}. {check.advice}")
    return result(system, "motion", data, outcome, settings)


def _check_size(size: int, duration: float, step: float | None, every: int | None) -> None:
    """Refuse a run that does not fit into memory before it begins."""
    kept = 0.0 if step is None else duration / step / (every or 1)
    if kept * size > MOST_NUMBERS:
        raise OptionError(
            f"step={step:g}: {kept:.2g} instants of {size} coordinates would be kept, more than memory holds. "
            "Take a larger step, a shorter time, or keep fewer (every=)."
        )


__all__ = ["State", "transient"]
