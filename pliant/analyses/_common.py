"""What the analyses share: where to start from, and wrapping up a result."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr

from pliant.errors import CapabilityError, OptionError
from pliant.formulations.dae.system import State, System
from pliant.joints import rows as joints
from pliant.model import Model
from pliant.results import Outcome, Provenance, Result


def require(system: Any, capability: type, analysis: str) -> None:
    """Refuse a system that cannot do what an analysis asks of it."""
    if not isinstance(system, capability):
        if isinstance(system, Model):
            raise CapabilityError(
                f"{analysis} was given a model. Compile it first: {analysis}(pl.compile(model), ...)."
            )
        got = getattr(system, "formulation", type(system).__name__)
        raise CapabilityError(
            f"{analysis} needs a system that offers {capability.__name__}; the formulation {got!r} does not. "
            "Compile the model with formulation='dae'."
        )


def whole(name: str, value: Any) -> None:
    """Refuse what is not a whole number of at least 1."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise OptionError(f"{name}={value!r}: give a whole number of at least 1.")


def numbers(name: str, values: Any, count: int, example: str) -> None:
    """Refuse what is not so many finite numbers."""
    try:
        array = np.asarray(values)
    except ValueError:  # ragged
        array = np.empty(0)
    if array.size != count or array.dtype.kind not in "iuf" or not np.all(np.isfinite(array)):
        raise OptionError(f"{name}={values!r}: give {example}.")


def state_of(system: System, source: Any, what: str = "start") -> State:
    """State from a Result, a State, or nothing (the assembled configuration at rest)."""
    if source is None:
        return system.start()
    if isinstance(source, State):
        found = source
    elif isinstance(source, Result) and source.state is not None:
        values = source.state
        scalars = ("time", "contraction", "contraction_age")
        time, *contraction = (float(np.asarray(values[name]).reshape(-1)[0]) for name in scalars)
        abar = values.get("abar")
        q, v, a, lam = (np.array(values[name]) for name in ("q", "v", "a", "lam"))
        found = State(q, v, a, lam, time, None if abar is None else np.array(abar), *contraction)
    else:
        raise OptionError(
            f"{what}={source!r:.60} is not a state: give a Result of statics or transient, or leave it out."
        )
    if found.q.size != system.freedoms + 3 or found.lam.size != system.constraints:
        raise OptionError(
            f"{what}: its state has {found.q.size - 3} coordinates and {found.lam.size} constraint rows, the system "
            f"has {system.freedoms} and {system.constraints}. Use a result of the same model with the same elements."
        )
    _check_joints(system, found, what)
    return found


def _check_joints(system: System, state: State, what: str) -> None:
    """Refuse a state in which the joints are open: it belongs to another model. Drives may have moved on."""
    rows, gap = system.equations.rows, np.zeros(system.constraints)
    joints.residual(rows, state.q, system.signals(np.array([state.time]))[0], gap)
    wide = np.where(rows.gain == 0.0, np.abs(gap) / np.sqrt(rows.weight), 0.0)
    if np.max(wide, initial=0.0) > 1e-4 * system.length_scale:
        worst = int(np.argmax(wide))
        name = next(each.joint.name for each in system.joints if each.first <= worst < each.first + each.count)
        raise OptionError(
            f"{what}: joint {name!r} is open by {abs(gap[worst]):.3g} in that state. It is of another model, or "
            "lengths have changed: start from a result of this one."
        )


def result(system: Any, kind: str, data: xr.Dataset, outcome: Outcome, settings: Mapping[str, Any]) -> Result:
    """A Result with its provenance."""
    origin = Provenance(system.model.name, kind, {**system.settings, **settings})
    return Result(data, kind, outcome, origin)
