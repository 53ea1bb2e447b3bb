"""The state of small motions: an equilibrium, or by request an instant of a motion."""

from __future__ import annotations

from typing import Any

import numpy as np

from pliant._frozen import replace
from pliant.analyses import physics
from pliant.analyses.common import advice, compile_with, other_joints, state_of
from pliant.analyses.state_transfer import same_nodes
from pliant.analyses.statics.statics import statics
from pliant.errors import OptionError
from pliant.results import Result
from pliant.system.capabilities import Linearisable, LinearisableInMotion, Observed, Turning, can
from pliant.system.state import State

STILL = 1e-4  # lengths of the model and rad, a second: slower, about as the Earth turns, is at rest


def equilibrium(system: Linearisable, at: Any) -> State:
    """Return the equilibrium to linearise about; an instant of a motion is refused."""
    state, moving = _point(system, at)
    if moving:
        speed = float(np.max(_speeds(system.observed, state)))
        raise OptionError(
            f"at: {system.model.name!r} moves in that state, or begins to (by {speed:.2g} lengths of the model, or "
            "rad, a second). Small motions about it have no constant coefficients. Take an equilibrium, statics(...), "
            "or a steady spin, statics(..., spin=...). linearise(..., frozen=True) takes the coefficients of that "
            "instant, in axes that do not turn."
        )
    return state


def instant(system: Linearisable, at: Any) -> tuple[State, bool]:
    """Return the state to linearise about, with accelerations and reactions, and whether it is of a motion."""
    state, moving = _point(system, at)
    return (_accelerated(system, state) if moving else state), moving


def _accelerated(system: Any, state: State) -> State:
    """Return a point of a motion with its accelerations and reactions; refused if the formulation has none."""
    if not can(system, LinearisableInMotion):
        raise OptionError(
            f"at: {system.model.name!r} is moving in that state; the formulation {system.formulation!r} is linearised "
            f"about an equilibrium. Start from statics(...), or {compile_with(LinearisableInMotion)}."
        )
    found: State = system.accelerated(state)
    return found


def _point(system: Linearisable, at: Any) -> tuple[State, bool]:
    """Return the state to linearise about, and whether it is an instant of a motion rather than an equilibrium."""
    plant = system.observed
    if isinstance(at, Result) and same_nodes(plant, at.state) is False:
        at = statics(system, start=at)
    different = other_joints(plant, at)
    if different:
        raise OptionError(
            f"at: that state belongs to a model with other joints ({', '.join(different)}), whose reactions it has. "
            "Find the equilibrium of this system first: statics(system, start=...)."
        )
    state = state_of(plant, at, "at", driven=True)
    if can(system, Turning):
        state = replace(state, v=np.zeros_like(state.q), a=np.zeros_like(state.q), abar=None)
    if np.any(_speeds(plant, state) > STILL):
        return state, True
    rest = np.zeros_like(state.q)
    resting = replace(state, v=rest, a=rest, abar=None)
    physics.warn_of_edges(plant, resting)
    unbalanced = _unbalanced(system, resting, at)
    if unbalanced and state.abar is not None:
        return state, True  # it turns round at this instant
    if unbalanced:
        raise OptionError(unbalanced)
    return resting, False


def _speeds(system: Observed, state: State) -> np.ndarray:
    """Return the speed of every freedom, in lengths of the model and rad, per second."""
    return np.asarray(np.abs(state.v[: system.freedoms]) * system.weight)


def _unbalanced(system: Linearisable, state: State, at: Any) -> str:
    """Return the reason why a state is no equilibrium; empty for an equilibrium."""
    seen = system.observed
    unbalanced, loads, rounding = system.balance(state)
    if unbalanced <= max(1e-4 * loads, rounding):
        return ""
    return (
        f"at: that state is no equilibrium of this system: {unbalanced / seen.length_scale:.3g} N is not "
        f"balanced, of {loads / seen.length_scale:.3g} N at work. {advice(seen, at)}"
    )
