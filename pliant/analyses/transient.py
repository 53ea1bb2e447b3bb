"""Motion in time."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from pliant.analyses._common import numbers, require, result, state_of, whole
from pliant.analyses.closed_loop import ClosedLoop
from pliant.analyses.interpolate import instants, resample
from pliant.control.controller import Controller
from pliant.errors import Interrupted, OptionError, PliantWarning, nearest
from pliant.forces.state_force.callbacks import watched
from pliant.formulations.dae.motion import Motion, failure
from pliant.results import Outcome, Result
from pliant.results.progress import progress
from pliant.system import gaps
from pliant.system.capabilities import HasMotion
from pliant.system.samples import Samples
from pliant.system.state import State
from pliant.system.system import System

LOCAL_LIMIT = 0.01  # local error of a step above which the message mentions it
ENERGY_LIMIT = 0.01  # part of the energy's range above which the message mentions the error of its balance
ENERGY_WRONG = 0.5  # ... and above which there is a warning, with a method that has numerical damping
ENERGY_SPOILT = 0.1  # ... if a step was too large as well
SCHEMES = ("generalized-alpha", "momentum")
MOST_NUMBERS = 1e9  # coordinates times instants kept: 8 GB each of positions, velocities and accelerations
CONSTRAINTS = ("position", "baumgarte", "projection")
PUSHES = {
    3: "an angular velocity, or (vx, vy, angular velocity)",
    6: "an angular velocity in the body's axes (3 numbers), or (vx, vy, vz) and that (6 numbers)",
}
CONTACTS = ("penalty", "complementarity")
OVERLAP = 1e-6  # of the model's size: a motion that begins further inside a surface is warned about
ODE = ("method", "tolerances")  # options of formulations that give ordinary differential equations


@watched()
def transient(
    system: Any,
    *,
    end_time: float,
    step: float | None = None,
    start: Any = None,
    push: Mapping[str, float | Sequence[float]] | None = None,
    spectral_radius: float | None = None,
    newmark: tuple[float, float] | None = None,
    scheme: str | None = None,
    constraints: str | None = None,
    baumgarte: tuple[float, float] | None = None,
    accuracy: float | None = None,
    method: str | None = None,
    tolerances: tuple[float, float] | None = None,
    every: int | None = None,
    times: Sequence[float] | np.ndarray | None = None,
    controller: Controller | None = None,
    contact: str = "penalty",
    partial: bool = False,
) -> Result:
    """Motion from a state to ``end_time``.

    By generalized-alpha on the index-3 equations; as ordinary differential equations with "udwadia_kalaba" and
    "geometric" (Runge-Kutta of order 8, DOP853, unless "udwadia_kalaba" is given another ``method``).

    step             s; the largest, the steps being equal. Without it the step adapts to ``accuracy``
    start            Result of statics, or of transient to go on from its end; unless given, assembled and at rest.
                     It may be of a model that has the same parts and other joints: what held them is released
    push             initial velocities by body: rad/s, or (vx, vy, rad/s) of its centre (of a beam: its base);
                     everything else follows the joints
    spectral_radius  1: no numerical damping; 0: the most; 0.9 unless given
    newmark          (beta, gamma) instead; (0.25, 0.5) is the trapezoidal rule, and what "shooting" takes unless given
    scheme           "generalized-alpha" unless given; "momentum": midpoint rule that keeps the momentum, linear and
                     angular, of what flies freely, and takes no energy away
    constraints      "position" (index 3, unless given), "projection" (velocities too), "baumgarte" (thesis 5.10);
                     with "udwadia_kalaba" "projection" (unless given), "baumgarte" or "none"
    baumgarte        (omega, zeta) of that; (10 / step, 0.7) unless given
    accuracy         largest local error of a step, as a part of the model's size (and in rad); the step adapts to it
    method           ("udwadia_kalaba") "DOP853" unless given, "RK45", "RK23"; stiff "SDIRK4", "Radau", "BDF", "LSODA";
                     ("kinked") the same, "SDIRK4" unless given
    tolerances       ("udwadia_kalaba", "kinked") relative and absolute, of every coordinate and velocity in SI units,
                     in place of ``accuracy``
    every            keep every n-th step; ``times`` instead gives the instants to report
    controller       sampled controller that sets some signals from some outputs (see ``control``); the result then has
                     what it ``measured`` and ``applied`` at every ``sample``
    contact          "penalty": contacts and stops push with their stiffness; "complementarity" ("dae", with a step):
                     they are rigid, impacts have restitution and friction, by Moreau and Jean's time stepping
    partial          True: a run that fails or is interrupted returns what it has (``outcome.ok`` False); otherwise a
                     failure raises, and Ctrl-C raises ``errors.Interrupted``, which carries the ``result`` so far

    The outcome reports steps, Newton iterations (or evaluations), cut-backs, the joints' largest error and the energy
    balance; ``provenance.settings`` the options with what was taken where none was given. A run that was stopped keeps
    the instants asked for that it has passed; ``start=`` goes on from ``state["time"]``, which may be later than those.

    >>> import pliant as pl
    >>> m = pl.Model("pendulum")
    >>> ground, arm = m.add(pl.Ground(), pl.Link("arm", length=1.0, mass=1.0, angle=0.0))
    >>> parts = m.add(pl.Revolute(ground.at(0, 0), arm.at(s=0)), pl.Gravity())
    >>> run = pl.transient(pl.compile(m), end_time=1.0, step=1e-3)
    >>> run.outcome.ok, round(float(run.angle.sel(body="arm")[-1]), 3)
    (True, -3.133)
    """
    require(system, HasMotion, "transient")
    given: dict[str, Any] = {
        "step": step,
        "spectral_radius": spectral_radius,
        "newmark": newmark,
        "scheme": scheme,
        "constraints": constraints,
        "baumgarte": baumgarte,
        "accuracy": accuracy,
        "method": method,
        "tolerances": tolerances,
        "every": every,
    }
    given = {name: value for name, value in given.items() if value is not None}
    _check_formulation(system, given)
    _check(end_time, **{name: value for name, value in given.items() if name not in ODE})
    _check_touching(system, given)
    if contact != "penalty":
        system = _rigid(system, contact, {**given, "times": times, "controller": controller})
        given["contact"] = contact
    seen = system.observed
    begin = state_of(seen, start, driven=True)
    if not end_time > begin.time:
        raise OptionError(f"end_time={end_time:g}: it must be later than the start, t = {begin.time:g} s.")
    wanted = None if times is None else instants(times, begin.time, end_time)
    _check_size(seen.size, end_time - begin.time, step, every)
    velocity = None if push is None else pushed(seen, push)
    if start is None and contact == "penalty":
        _warn_of_overlap(seen, begin)
    if given.get("spectral_radius", 0.9) > 0.95 and seen.constraints and "constraints" not in given:
        warnings.warn(
            f"spectral_radius={spectral_radius:g} with joints: so close to 1 the reactions may grow without bound "
            "unless the steps are small. Take at most 0.95, or constraints='projection'.",
            PliantWarning,
            stacklevel=3,
        )
    loop = None
    if controller is not None:
        loop = _closed_loop(system, controller, begin.time, end_time, step, accuracy)
        system = seen = loop.system
        given |= {"step": loop.step, "sampler": loop.sampler}
    with progress(f"motion of {system.model.name}", end_time) as report:
        motion = system.move(begin, end_time=end_time, velocity=velocity, times=wanted, report=report, **given)
    if not (motion.ok or motion.interrupted or partial):
        raise failure(motion)
    given.pop("sampler", None)
    settings = {**system.settings, "end_time": end_time, **motion.used, **given}
    found = _result(seen, motion, wanted, settings, loop)
    if motion.interrupted and not partial:
        raise Interrupted(f"The motion {motion.message}. What was computed is in this exception's .result.", found)
    return found


def pushed(system: System, push: Mapping[str, float | Sequence[float]]) -> np.ndarray:
    """Velocities asked for; NaN where nothing is."""
    velocity, width = np.full(system.size, np.nan), system.space.width
    layout = system.layout
    nodes = {body.name: layout.body_node(body) for body in layout.rigid_bodies}
    nodes |= {mesh.beam.name: int(mesh.nodes[0]) for mesh in layout.beams}
    if not isinstance(push, Mapping):
        raise OptionError(f"push={push!r}: give a mapping from body to velocity, such as {{{min(nodes)!r}: 1.0}}.")
    for name, value in push.items():
        if name not in nodes:
            raise OptionError(f"push: there is no body {name!r}. {nearest(str(name), nodes)}")
        turns = width - len(system.space.axes)
        count = turns if np.size(value) == turns else width
        numbers(f"push of {name!r}", value, count, PUSHES[width])
        k = width * nodes[name]
        velocity[k + width - count : k + width] = value
    return velocity


def _rigid(system: Any, contact: Any, given: Mapping[str, Any]) -> System:
    """The system with contacts that are conditions; refuses what their time stepping does not take."""
    if contact not in CONTACTS:
        raise OptionError(f"contact={contact!r} is not known. {nearest(str(contact), CONTACTS)}")
    if getattr(system, "formulation", "") != "dae":
        raise OptionError("contact='complementarity': only with formulation='dae'. Compile the model with that.")
    for name, value in given.items():
        if value is not None and name not in ("step", "every"):
            raise OptionError(
                f"{name}: not with contact='complementarity', which has a time stepping of its own in equal steps. "
                "Leave it out, or take contact='penalty'."
            )
    if given.get("step") is None:
        raise OptionError("contact='complementarity': give its step= (s); impacts are not located within a step.")
    return gaps.hard(system)


def _check_touching(system: Any, given: Mapping[str, Any]) -> None:
    """Refuse steps of any size where only halfway in them it is seen whether something touches."""
    if given.get("scheme") == "momentum" and "step" not in given and isinstance(system, System):
        for part in (force for force in system.model.forces if force.unilateral):
            raise OptionError(
                f"scheme='momentum' with {part.owner}: it looks at forces halfway in a step, and one that adapts may "
                "end inside the surface. Give step=, or take the other scheme."
            )


def _warn_of_overlap(system: System, begin: State) -> None:
    """Tell of a contact that a motion begins inside of: it would be thrown out."""
    part, gap = gaps.deepest(system, begin.q) if isinstance(system, System) else (None, 0.0)
    if part is not None and gap < -OVERLAP * system.length_scale:
        warnings.warn(
            f"{part.owner}: gap = {gap:.3g} at the start: it begins inside its surface and is thrown out. Move the "
            "bodies apart, or start from an equilibrium.",
            PliantWarning,
            stacklevel=4,
        )


def _closed_loop(
    system: Any, controller: Controller, begin: float, end: float, step: float | None, accuracy: float | None
) -> ClosedLoop:
    if not isinstance(controller, Controller):
        raise OptionError(f"controller={controller!r:.60}: give a Controller, as lqg or Controller.proportional make.")
    require(system, System, "transient with a controller")
    if accuracy is not None:
        raise OptionError("accuracy: a controller needs equal steps; give step= instead, or neither.")
    return ClosedLoop(system, controller, begin, end, step)


def _result(
    system: System, motion: Motion, times: np.ndarray | None, settings: dict[str, Any], loop: ClosedLoop | None
) -> Result:
    samples = Samples.along(motion, system.size)
    if times is not None and not np.array_equal(times, motion.time):
        samples = resample(samples, times, system.space)
    observer = system.observer()
    if loop is not None:
        samples = replace(samples, signals=loop.signals(samples.time))
    data = observer.dataset(samples, motion.last)
    if motion.own:
        data = data.assign(motion.own)
    if loop is not None:
        data = data.assign(loop.variables())
    strain = observer.warn_of_ranges(data, samples)
    energy = data["energy"].values  # kinetic, potential, supplied, dissipated, balance
    stored, balance = energy[:, :2], energy[:, 4]
    figures = {
        "steps": motion.steps,
        motion.counted: motion.iterations,
        "cut_backs": motion.cut_backs,
        "constraint_error": motion.constraint_error,
        "energy_error": float(np.max(np.abs(balance))),
        "energy_range": float(np.max(np.ptp(stored, axis=0))),
        **({} if motion.local_error is None else {"local_error": motion.local_error}),
        "largest_strain": strain,
    }
    duration = max(float(motion.time[-1] - motion.time[0]), 1e-100)  # one instant has none
    still = 1e-9 * system.mass * (system.length_scale / duration) ** 2  # of a motion not worth the name
    scale = max(figures["energy_range"], float(np.max(stored[:, 0])), 1e-6 * float(np.max(np.abs(stored))), still)
    message, share = motion.message, figures["energy_error"] / scale
    coarse = motion.local_error is not None and motion.local_error > LOCAL_LIMIT
    if coarse:
        message += f"; a step made a local error of {motion.local_error:.2g} of the model's size: it is too large"
    if share > ENERGY_LIMIT:
        message += f"; the energy balance is off by {100.0 * share:.2g} % of its range"
    wrong = share > (ENERGY_LIMIT if motion.lossless else ENERGY_SPOILT if coarse else ENERGY_WRONG)
    if wrong:
        advice = (
            "Its method keeps energy, so that this motion is not right; try a smaller accuracy=, another method=, or "
            "formulation='dae' where it passes a pose at which joints depend on each other."
            if motion.lossless
            else "The step is too large for this motion; try a smaller step= or accuracy=."
        )
        off = f"the energy balance is off by {100.0 * share:.2g} % of its range"
        warnings.warn(f"Motion of {system.model.name!r}: {off}. {advice}", PliantWarning, stacklevel=4)
    outcome = Outcome(motion.ok and not (wrong and motion.lossless), message, figures)
    return result(system, "motion", data, outcome, settings)


def _check_formulation(system: Any, given: dict[str, Any]) -> None:
    """Refuse options that only other formulations have."""
    for name in ODE:
        if name in given and not hasattr(system, "methods"):
            raise OptionError(
                f"{name}: not an option of the formulation {system.formulation!r}. Leave it out, or compile with "
                "formulation='udwadia_kalaba'."
            )
    if {"accuracy", "tolerances"} <= set(given):
        raise OptionError("accuracy and tolerances: give one of them; both bound the error of a step.")
    ways = getattr(system, "stabilisations", CONSTRAINTS)
    way = given.get("constraints", ways[0])
    if way not in ways:
        raise OptionError(f"constraints={way!r} is not known. {nearest(str(way), ways)}")


def _check_size(size: int, duration: float, step: float | None, every: int | None) -> None:
    """A run that no memory holds is refused before it begins."""
    kept = 0.0 if step is None else duration / step / (every or 1)
    if kept * size > MOST_NUMBERS:
        raise OptionError(
            f"step={step:g}: {kept:.2g} instants of {size} coordinates would be kept, more than memory holds. "
            "Take a larger step, a shorter time, or keep fewer (every=)."
        )


def _check(
    end_time: float,
    *,
    step: float | None = None,
    spectral_radius: float | None = None,
    newmark: tuple[float, float] | None = None,
    scheme: str = SCHEMES[0],
    constraints: str | None = None,
    baumgarte: tuple[float, float] | None = None,
    accuracy: float | None = None,
    every: int = 1,
) -> None:
    numbers("end_time", end_time, 1, "a finite instant")
    for name, value in (("step", step), ("accuracy", accuracy)):
        if value is not None:
            numbers(name, value, 1, "a positive, finite number")
            if not value > 0.0:
                raise OptionError(f"{name}={value!r}: give a positive, finite number.")
    if step is not None and accuracy is not None:
        raise OptionError("step and accuracy: give one of them. A fixed step, or an accuracy that the step adapts to.")
    if spectral_radius is not None:
        numbers("spectral_radius", spectral_radius, 1, "a number between 0 and 1")
        if not 0.0 <= spectral_radius <= 1.0:
            raise OptionError(f"spectral_radius={spectral_radius!r}: it must lie between 0 and 1. Try 0.9.")
        if newmark is not None:
            raise OptionError("spectral_radius and newmark: give one of them; each is a scheme of its own.")
    if newmark is not None:
        numbers("newmark", newmark, 2, "(beta, gamma)")
        if not (newmark[0] > 0.0 and newmark[1] >= 0.5):
            raise OptionError(f"newmark={newmark!r}: beta must be positive and gamma at least 0.5. Try (0.25, 0.5).")
    if scheme not in SCHEMES:
        raise OptionError(f"scheme={scheme!r} is not known. {nearest(str(scheme), SCHEMES)}")
    own = {"spectral_radius": spectral_radius, "newmark": newmark, "constraints": constraints}
    chosen = [name for name, choice in own.items() if choice is not None]
    if scheme == "momentum" and chosen:
        raise OptionError(
            f"{', '.join(chosen)} and scheme='momentum': give one of them; that scheme has no such choice."
        )
    if baumgarte is not None:
        numbers("baumgarte", baumgarte, 2, "(omega, zeta)")
        if constraints != "baumgarte" or not (baumgarte[0] > 0.0 and baumgarte[1] > 0.0):
            raise OptionError(f"baumgarte={baumgarte!r}: give two positive numbers, and constraints='baumgarte'.")
    whole("every", every)


__all__ = ["State", "transient"]
