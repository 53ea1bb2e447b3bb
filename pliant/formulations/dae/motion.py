"""Motion in time of a system with multipliers: how each method begins and how its steps are chosen."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from pliant._frozen import replace
from pliant.errors import OptionError
from pliant.solvers.radau import workspace
from pliant.solvers.radau.stepping import RadauStepping
from pliant.solvers.stepping.adaptive_steps import AdaptiveSteps
from pliant.solvers.stepping.alpha_stepping import AlphaStepping
from pliant.solvers.stepping.consistent_start import consistent
from pliant.solvers.stepping.drivers import EqualSteps
from pliant.solvers.stepping.methods import GeneralizedAlpha, Momentum, Moreau, Newmark, Radau5
from pliant.solvers.stepping.motion import Plan, TimeHistory
from pliant.solvers.stepping.stepwise_motion import Pieces
from pliant.system.packing.dry_laws import first_dry
from pliant.system.state import State
from pliant.system.system import System

if TYPE_CHECKING:
    from pliant.solvers.derivatives.replayed_motion import Followed

ACCURACY = 1e-3  # unless it or a step is given
FIRST = 1e-3  # of the duration: first step if none is given


def move(system: System, begin: State, plan: Plan) -> TimeHistory:
    """Compute the motion from a state, made consistent unless it is the end of another motion."""
    plan.refuse("tolerances", why="not an option of the formulation 'dae'. Give accuracy= or step= instead.")
    if isinstance(plan.method, Moreau):
        from pliant.solvers.contact import moreau  # rarely used

        return moreau.move(system, begin, plan)
    if isinstance(plan.method, Momentum) and system.rubs:
        raise OptionError(
            f"scheme='momentum': joints of {system.model.name!r} have friction, which needs their reactions "
            "in the middle of a step. Take method='Moreau', or GeneralizedAlpha."
        )
    if isinstance(plan.method, Momentum) and system.layout.stretches:
        raise OptionError(
            f"scheme='momentum': nodes of {system.layout.stretched.owner} have an additional coordinate, which "
            "this scheme does not support. Take GeneralizedAlpha, or elements=pl.Exact(...)."
        )
    if isinstance(plan.method, Radau5):
        return _by_radau(system, begin, plan)
    if plan.step is None:
        _check_touching(system, plan)
        plan = replace(plan, accuracy=plan.accuracy or ACCURACY)
    first = _first(plan, begin)
    start = _started(system, begin, plan, first)
    driver = EqualSteps if plan.step is not None else AdaptiveSteps
    if isinstance(plan.method, Momentum):
        return driver(AlphaStepping(system, start, plan, first), plan).run()
    with system.working() as scratch:
        scratch.clear()
        return driver(AlphaStepping(system, start, plan, first, scratch), plan).run()


def _by_radau(system: System, begin: State, plan: Plan) -> TimeHistory:
    """Compute the motion by Radau IIA, from velocities that satisfy the joints."""
    dry = first_dry(system)
    if system.rubs or dry is not None:
        who = f"joints of {system.model.name!r} rub" if dry is None else f"{dry.owner} rubs"
        raise OptionError(
            f"method='Radau5': {who}. Its long steps can miss a phase of sticking, and its error estimate does not "
            "show this. Take GeneralizedAlpha."
        )
    first = _first(plan, begin)
    start = consistent(system, begin, time=begin.time, velocity=plan.velocity, step=first)
    with workspace.working(system) as arrays:
        stepping = RadauStepping(system, start, replace(plan, accuracy=plan.accuracy or ACCURACY), first, arrays)
        if plan.step is not None:
            return EqualSteps(stepping, plan).run()
        marks = np.union1d(plan.landmarks, stepping.corners)
        return AdaptiveSteps(stepping, replace(plan, landmarks=marks)).run()


def pieces(system: System, begin: State, plan: Plan, inputs: Sequence[int]) -> Pieces:
    """Compute the motion piece by piece, with some signals set from outside; equal steps only."""
    if isinstance(plan.method, Radau5):
        raise OptionError("method='Radau5': it cannot be continued piece by piece. Take GeneralizedAlpha or Newmark.")
    first = plan.step or 0.0
    return Pieces(system, _started(system, begin, plan, first), plan, inputs)


def differentiated(system: System, begin: State, plan: Plan) -> Followed:
    """Compute the motion and its derivatives: step by step; if ``plan.times`` are the ends of the steps, by repeating
    these steps with perturbed parameters.
    """
    from pliant.solvers.derivatives.replayed_motion import Replayed, stepping_of
    from pliant.solvers.derivatives.tangent_motion import Differentiated, check_end_reached  # rarely used

    name = system.model.name
    if not isinstance(plan.method, GeneralizedAlpha | Newmark | Radau5) or _baumgarte(plan.method):
        raise OptionError(
            f"sensitivity: motions by {plan.method} have no derivatives here. Take method=pl.GeneralizedAlpha(), "
            "pl.Newmark() or pl.Radau5(), with constraints 'position' or 'projection'."
        )
    if begin.abar is not None:
        raise OptionError(
            "sensitivity: the motion continues another, whose derivatives are not known. Compute both in one."
        )
    first = _first(plan, begin)
    begun = partial(consistent, time=begin.time, velocity=plan.velocity, step=first)
    found: Followed
    if plan.times is not None:
        found = Replayed(system, begin, plan, begun)
    else:
        motion = move(system, begin, plan)
        check_end_reached(motion, name)
        found = Differentiated(system, begin, plan, motion, begun)
    time = found.samples.time
    equal = replace(plan, step=first, times=None)
    driver = EqualSteps(stepping_of(system, begun(system, begin), equal, first), equal)
    for place in driver.jumps(time, float(np.diff(time).mean())):
        raise OptionError(
            f"sensitivity: a signal of {name!r} jumps at t = {time[place]:g} s, which derivatives are not "
            "followed through. Let it rise within some steps: pl.Ramp."
        )
    return found


def _baumgarte(method: Any) -> bool:
    return getattr(method, "constraints", None) == "baumgarte"


def _first(plan: Plan, begin: State) -> float:
    """Return the size of the first step."""
    return plan.step if plan.step is not None else FIRST * (plan.end_time - begin.time)


def _started(system: System, begin: State, plan: Plan, first: float) -> State:
    """Return a consistent state to begin with, or the given one if it is the end of another motion."""
    if begin.abar is not None and plan.velocity is None:
        return begin
    return consistent(system, begin, time=begin.time, velocity=plan.velocity, step=first)


def _check_touching(system: System, plan: Plan) -> None:
    """Refuse adaptive steps if contact is detected only in the middle of a step."""
    if isinstance(plan.method, Momentum):
        for part in (force for force in system.model.forces if force.unilateral):
            raise OptionError(
                f"scheme='momentum' with {part.owner}: it looks at forces halfway in a step, and one that adapts may "
                "end inside the surface. Give step=, or take another method."
            )
