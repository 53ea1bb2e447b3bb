"""Equilibrium: where the mechanism rests under the loads and drives of an instant, and whether it is stable there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import numpy as np

from pliant._frozen import replace
from pliant.analyses import checks as _checks
from pliant.analyses import physics
from pliant.analyses.common import Start, numbers, require, result, state_of, whole, with_warnings
from pliant.analyses.spin import spin_of, turning
from pliant.errors import (
    Buckled,
    NeutralEquilibrium,
    OptionError,
    OtherBranch,
    PliantWarning,
    UnstableEquilibrium,
    warn,
)
from pliant.forces.state_force.callbacks import watched
from pliant.linalg import rounding as digits
from pliant.model import Model, Spin
from pliant.results import Result
from pliant.results.lazy_arrays import Pending
from pliant.results.records import Check, judged
from pliant.system.capabilities import Compiled, HasEquilibrium, HasSlip, HasStabilityOption
from pliant.system.packing.joint_friction import Slip
from pliant.system.samples import Samples
from pliant.system.state import Equilibrium

STUCK = "stuck"
FAR = 0.1  # lengths of the model, or rad: an equilibrium that was slid to from further away is far from the start


@with_warnings
@watched()
def statics(
    system: HasEquilibrium,
    *,
    start: Start = None,
    spin: Spin | float | None = None,
    time: float = 0.0,
    load_steps: int = 1,
    friction: str | Mapping[str, Slip] | None = None,
    stability: bool = True,
) -> Result:
    """Find an equilibrium of a system under the loads and prescribed motions at ``time``.

    start       Result or state to start from; the assembled configuration unless given
    spin        a `Spin`, in the plane also its rate (rad/s): a relative equilibrium, in which everything turns with the
                ground. Loads and drives that are not steady then are refused
    load_steps  in how many equal steps the load is applied (more are taken when needed)
    friction    of joints that rub (`Friction`): the equilibrium in which they are about to slip. A mapping from joints
                to the direction of slipping, 1 or -1; 0: the joint does not slip and has no friction. For a Spherical
                the direction is its angular velocity (x, y, z), for a Cylindrical its rates of travel and turn
                (m/s, rad/s), of any size. Friction is then the largest possible, breakaway (F_0 + mu N), with N
                from the reactions. "stuck": contacts with friction that touch at the start stick there, as in a
                grasp. Unless given, friction is left out
    stability   False: the first equilibrium that is found, whether or not it is stable, or parts of it can move freely;
                ``stable`` is None. Under loads without potential this saves most of the time of a large model

    The outcome has the unbalanced force, the error of the joints, and the stability: ``outcome.stable`` and the number
    of ``unstable_directions`` from the inertia of the constrained tangent. An unstable equilibrium is returned, with a
    warning. In a spin ``unstable_directions`` counts the motions that grow. ``falling_directions`` counts directions
    in which the potential minus the kinetic energy of the spin decreases: gyroscopic forces may stabilise these, as
    long as nothing damps them. Positions belong to one instant, velocities to the spin; a motion can start
    from there.

    If loads have no potential (they follow a beam, or are moments about fixed axes in space), unstable directions are
    motions that grow. With more than 700 freedoms at least those among the slowest modes are counted; with more than
    1,500 freedoms ``stable`` is None if none of these grows.

    ``stable`` is also None for beams so thin that rounding hides their stiffness (`pliant.errors.DigitsLost` warns),
    and at the edge of slipping, where friction holds one side. The equilibrium at the edge of slipping is followed from
    the one without friction; if it ends on the way, the mechanism "locks itself", which is refused.

    Contacts that stick have no friction force at the start. From there on they yield along the surface like a spring as
    stiff as their normal force. Where they need more than mu N they would slip: the outcome is not ok then, and names
    the contact. `modal`, `stiffness` and `linearise` about the result keep them stuck.

    >>> import pliant as pl
    >>> m = pl.Model("cantilever")
    >>> strip = pl.Section.rectangle(0.02, 0.002, pl.STEEL)
    >>> ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=1.0, section=strip))
    >>> parts = m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Force(beam.at(s=1), y=-5.0))
    >>> rest = pl.statics(pl.compile(m, elements=20))
    >>> rest.outcome.stable, round(float(rest.position.sel(marker="beam/tip", axis="y")), 3)
    (True, -0.461)
    >>> free = pl.compile(m, elements=20).with_signals({"force beam/tip/y": 0.0})  # it would not turn with the beam
    >>> spun = pl.statics(free, spin=30.0)  # rad/s about the origin
    >>> round(1e6 * float(spun.position.sel(marker="beam/tip", axis="x") - 1.0), 3)  # rho rate^2 L^3/3E, in um
    11.214
    >>> m = pl.Model("pendulum")
    >>> ground, arm = m.add(pl.Ground(), pl.Link("arm", length=1.0, mass=1.0, angle=-90 * pl.DEG))
    >>> pin = m.add(pl.Revolute(ground.at(0, 0), arm.at(s=0), name="pin"))
    >>> parts = m.add(pl.Gravity(), pl.Friction(pin, 0.5, radius=0.1))
    >>> rest = pl.statics(pl.compile(m), friction={"pin": -1})  # about to swing back: sin = mu r / (l / 2)
    >>> round(float(rest.position.sel(marker="arm/tip", axis="x")), 6), round(float(rest.joint_friction[0]), 4)
    (0.1, -0.4905)
    """
    require(system, HasEquilibrium, "statics")
    whole("load_steps", load_steps)
    numbers("time", time, 1, "a finite instant")
    if not isinstance(stability, bool):
        raise OptionError(f"stability={stability!r:.60}: give True or False.")
    if not stability and (friction is not None or spin is not None):
        raise OptionError("stability=False cannot be combined with friction or spin: leave one of them out.")
    if friction == STUCK:
        return _stuck(cast(HasSlip, system), start, spin, time, load_steps)
    if isinstance(friction, str):
        raise OptionError(
            f"friction={friction!r} is not known: give {STUCK!r}, or a mapping from joints to directions."
        )
    if friction is not None:
        return _at_slip(cast(HasSlip, system), friction, start, spin, time, load_steps)
    settings: dict[str, Any] = {"time": time, "load_steps": load_steps}
    if stability:
        system = turning(system, spin, "statics", time)
    else:
        require(system, HasStabilityOption, "statics without stability")
        system, settings = cast(HasStabilityOption, system).without_stability(), settings | {"stability": False}
    found = system.find_equilibrium(state_of(system.observed, start), time=time, load_steps=load_steps)
    return resting(system, found, settings)


def repeat_statics(system: HasEquilibrium, known: Result, start: Start = None) -> Result:
    """Find the equilibrium of another system with the options of a known one: its instant, spin and friction; from
    there, unless another start is given.
    """
    settings = known.provenance.settings
    options = {"friction": settings.get("friction"), "stability": settings.get("stability", True)}
    return statics(
        system, start=known if start is None else start, spin=spin_of(known), time=settings.get("time", 0.0), **options
    )


def _at_slip(
    system: HasSlip, friction: Mapping[str, Slip], start: Start, spin: Any, time: float, load_steps: int
) -> Result:
    """Find the equilibrium at which joints are about to slip."""
    require(system, HasSlip, "statics with friction")
    if not isinstance(friction, Mapping):
        raise OptionError(
            f"friction={friction!r}: give a mapping from joints to the directions they are about to slip in, 1 or -1."
        )
    if spin is not None:
        raise OptionError("friction and spin: give one of them; friction in a steady spin is not computed.")
    if not system.rubs:
        raise OptionError(f"statics: friction is given, but no joint of {system.model.name!r} rubs. Add a Friction.")
    free = system.find_equilibrium(state_of(system.observed, start), time=time, load_steps=load_steps)
    settings = {"time": time, "load_steps": load_steps, "friction": dict(friction)}
    return resting(system, system.at_slip(free, friction), settings)


def _stuck(system: HasSlip, start: Start, spin: Any, time: float, load_steps: int) -> Result:
    """Find the equilibrium in which contacts stick where they touch at the start."""
    require(system, HasSlip, "statics with friction")
    if spin is not None:
        raise OptionError("friction and spin: give one of them; friction in a steady spin is not computed.")
    begin = state_of(system.observed, start)
    touched = begin.q if begin.touched is None else begin.touched
    held, names = system.stuck(touched)
    if not names:
        raise OptionError(
            f"statics: friction={STUCK!r}, but no contact of {system.model.name!r} with friction is pressed together "
            "at the start. Start from a state in which it is: a result of statics or of transient (start=). Contacts "
            "whose exponent is above 1 need some pressure there, as they have no stiffness without."
        )
    begin = replace(begin, q=held.pressed_together(begin.q), touched=None)
    found = held.find_equilibrium(begin, time=time, load_steps=load_steps)
    found = replace(found, state=replace(found.state, touched=touched))
    settings = {"time": time, "load_steps": load_steps, "friction": STUCK}
    return resting(held, found, settings)


def resting(system: Compiled, found: Equilibrium, settings: dict[str, Any], **extra: Any) -> Result:
    """Return the result of an equilibrium, with the values of all signals in its provenance; ``extra``: further
    variables and coordinates.
    """
    seen, count = system.observed, found.unstable_directions
    stable = None if count is None or found.neutral and count == 0 else count == 0
    _warn_of(system.model, found)
    observer = seen.observer()
    u = seen.signals(np.array([found.state.time]))
    samples = replace(Samples.of(found.state), interior=found.interior, signals=u)
    data = Pending(*observer.moving(samples, found.state), observer.labelled).assign(found.own or {})
    largest, strains = _checks.of_strain(observer, data.values, samples, brief=False)
    physics.warn_of_slack(system.model, data, "time")
    figures = {
        "iterations": found.iterations,
        "load_steps": found.load_steps,
        "residual": found.residual,
        "force_scale": found.force_scale,
        "constraint_error": found.constraint_error,
        **largest,
        "stable": stable,
        "unstable_directions": count,
    }
    if found.falling is not None:
        figures["falling_directions"] = found.falling
    checks: _checks.Checks = [
        *_checks.of_turns(seen, samples.q),
        *_checks.of_feeds(seen, samples.q),
        *_checks.of_channels(seen, samples.q),
        *_checks.of_depths(seen, samples.q),
        *_checks.of_sticking(seen, found.state),
    ]
    if failed := next((each for each in checks if isinstance(each, Check) and not each.passed), None):
        warn(PliantWarning, f"Equilibrium of {system.model.name!r}: {failed!r}. {failed.advice}")
    checks = [*_checks.of_equilibrium(found, seen.length_scale), *strains, *checks]
    outcome = judged(_message(found, stable, settings), figures, checks)
    settings = {**settings, "signal_values": seen.named(u[0])}
    return result(system, "statics", data.at_rest().assign(extra), outcome, settings)


def _message(found: Equilibrium, stable: bool | None, settings: dict[str, Any]) -> str:
    """Return the message of the outcome."""
    if found.neutral:
        growing = f"; {found.unstable_directions} motions grow" if found.unstable_directions else ""
        return f"equilibrium found, neutral: {found.neutral} can move without any force changing{growing}"
    stuck = settings.get("friction") == STUCK
    if "friction" in settings and not stuck:
        message = "equilibrium found, at the edge of slipping, stability not determined"
    elif not settings.get("stability", True):
        message = "equilibrium found, stability was not requested"
    elif stable is None:
        message = "equilibrium found, stability not determined"
    elif stable:
        message = "equilibrium found"
    else:
        message = f"equilibrium found, unstable in {_counted(found)} direction(s)"
    if stuck:
        message += ", contacts stick"
    if stable and found.falling:
        message += f", held in {found.falling} direction(s) by gyroscopic forces alone: damping would make it unstable"
    if found.snapped:
        message += f", on another branch: that of the start ends at {100.0 * found.snapped:.3g} % of the load"
    elif found.slid > FAR:
        message += f", after sliding downhill from the start by {found.slid:.2g} (lengths of the model, or rad)"
    return message


def _counted(found: Equilibrium) -> str:
    """Return the number of unstable directions, in words."""
    return ("at least " if found.more else "") + str(found.unstable_directions)


def _warn_of(model: Model, found: Equilibrium) -> None:
    """Warn of an equilibrium that the user may not expect."""
    name = model.name
    if found.neutral:
        warn(
            NeutralEquilibrium,
            f"The equilibrium of {name!r} is neutral: {found.neutral} can move without any force changing. Hold it, or "
            "start from the place it should have (start=)."
            + " Until then it is not known whether the mechanism snaps on the way."
            * bool(found.snapped),
        )
    elif found.lost > 1.0:
        message = "rounding hides whether this equilibrium is stable; its position is not affected."
        digits.warn(f"statics: {name!r}", found.lost, message)
    if found.unstable_directions:
        warn(
            UnstableEquilibrium,
            f"The equilibrium of {name!r} is unstable in {_counted(found)} direction(s). Start from a state "
            "on the side you want (start=), or follow the path from an unloaded state (pl.path) and choose a side "
            "where it branches (pl.branch). An imperfection of 1e-6 of the size of what buckles also chooses a side; "
            "one below 1e-8 may have no effect.",
        )
    if found.snapped and not found.neutral:  # what moves freely cannot be followed: rounding decides where that ends
        warn(
            OtherBranch,
            f"{name!r} snaps: the branch of its start ends at {100.0 * found.snapped:.3g} % of the load (or of the "
            "travel of the drives). The equilibrium found is on another branch, and a motion may come to rest at a "
            "third one. Follow the path (pl.path), or simulate the motion.",
        )
    elif found.left and not model.beams:
        warn(
            OtherBranch,
            f"{name!r} does not stay at the equilibrium next to its start, which is unstable in {found.left} "
            "direction(s). The one found has less energy. Start from the side you want (start=).",
        )
    elif found.left:
        warn(
            Buckled,
            f"{name!r} has buckled: the equilibrium next to its start is unstable in {found.left} direction(s), and "
            "another one was found beside it. Follow the path from an unloaded state (pl.path, pl.branch) to "
            "choose the side.",
        )
    elif found.slid > FAR:
        warn(
            OtherBranch,
            f"The equilibrium of {name!r} is {found.slid:.2g} (lengths of the model, or rad) away from the start and "
            "was found by sliding downhill: another one may be nearer. Start nearer to the one you want (start=), or "
            "follow a path.",
        )
