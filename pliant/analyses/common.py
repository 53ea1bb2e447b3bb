"""Functions that analyses share: starts, checks of systems, and results with their provenance."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any, ParamSpec, TypeAlias

import numpy as np

from pliant._frozen import replace
from pliant._libraries import xarray as xr
from pliant.analyses.state_transfer import handed_over, same_nodes
from pliant.errors import CapabilityError, ModelError, OptionError, collect_warnings
from pliant.model import Model
from pliant.model.signals import sizes
from pliant.results import Outcome, Provenance, Result
from pliant.results.lazy_arrays import Pending
from pliant.solvers.stepping.methods import numbers as numbers
from pliant.system.capabilities import (
    QUESTIONS,
    Bendable,
    Compiled,
    HasSpin,
    Linearisable,
    LinearisableInMotion,
    Observed,
    can,
)
from pliant.system.compile import formulations_with, parameter_values
from pliant.system.state import State

Given = ParamSpec("Given")
LINEAR = (Linearisable, LinearisableInMotion, HasSpin, Bendable)  # what asks about small motions


def with_warnings(analysis: Callable[Given, Result]) -> Callable[Given, Result]:
    """Wrap an analysis so that the outcome of its result has the names of its warnings."""

    @functools.wraps(analysis)
    def run(*args: Given.args, **options: Given.kwargs) -> Result:
        with collect_warnings() as names:
            found = analysis(*args, **options)
        return found.judged(replace(found.outcome, warnings=tuple(names))) if names else found

    return run


def require(system: Any, capability: type, analysis: str) -> None:
    """Refuse a system without the capability that an analysis needs, and name the formulations that have it."""
    if not can(system, capability):
        if isinstance(system, Model):
            raise CapabilityError(
                f"{analysis} was given a model. Compile it first: {analysis}(pl.compile(model), ...)."
            )
        got = getattr(system, "formulation", None)
        if got is None:
            raise CapabilityError(
                f"{analysis}: system = {system!r:.80} is not allowed; it must be a compiled system, pl.compile(model)."
            )
        spatial = bool(getattr(getattr(system, "model", None), "spatial", False))
        raise CapabilityError(
            f"{analysis} needs a system that offers {capability.__name__} ({QUESTIONS[capability]}); the formulation "
            f"{got!r} does not. {compile_with(capability, spatial=spatial).capitalize()}."
        )
    if capability in LINEAR:
        model = getattr(getattr(system, "observed", system), "model", None)
        for force in (part for part in getattr(model, "forces", ()) if part.one_sided):
            raise ModelError(f"{analysis}: {force.owner}: {force.one_sided}")


def compile_with(capability: type, *, spatial: bool = False) -> str:
    """Return advice for a system without a capability: the formulations that offer it."""
    names = map(repr, formulations_with(capability, spatial=spatial))
    return f"compile the model with formulation={' or '.join(names)}"


def whole(name: str, value: Any) -> None:
    """Refuse a value that is not a whole number of at least 1."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise OptionError(f"{name}={value!r}: give a whole number of at least 1.")


Start: TypeAlias = Result | State | None
"""Where an analysis begins: a Result (of a path: its end), a State, or the assembled configuration at rest."""


def state_of(system: Observed, source: Start, what: str = "start", *, driven: bool = False) -> State:
    """Return the state of a Result (of a path: its last), a State, or the assembled configuration at rest.

    The state may be of a system with the same coordinates and other joints, as when a hold is released: positions and
    velocities are taken over, accelerations and reactions start anew. Joints that are open in it are refused;
    ``driven``: drives that are elsewhere too. A result with other nodes, of another mesh or formulation, is carried
    over along its parts; see hand_over.py.
    """
    if isinstance(source, Result) and source.kind == "path":
        source = source.equilibrium()
    values = source.state if isinstance(source, Result) else None
    if source is None:
        found = system.start()
    elif isinstance(source, State):
        found = source
    elif values is not None:
        try:
            found = State.read(values)
        except OptionError as error:
            raise OptionError(f"{what}: {error} Start from a result of statics, path or transient.") from error
    else:
        raise OptionError(
            f"{what}={source!r:.60} is not a state: give a Result of statics, path or transient, or leave it out."
        )
    if isinstance(source, Result):
        _check_scales(system, source, what)
    same = same_nodes(system, values)
    if values is not None and same is False:
        return handed_over(system, values, what, moved=bool(_other_parameters(system, source)))
    if found.q.size != system.size:
        others = found.q.size - system.size + system.freedoms
        raise OptionError(
            f"{what}: its state has {others} coordinates and {found.lam.size} constraint rows, the system has "
            f"{system.freedoms} and {system.constraints}. Use a result of the same parts with the same elements."
        )
    if isinstance(source, Result) and not same:
        _check_parts(system, source, what)
    if found.lam.size != system.constraints or other_joints(system, source):
        rest = np.zeros_like(found.q)
        found = State(found.q, found.v, rest, np.zeros(system.constraints), found.time, interior=found.interior)
    _check_joints(system, found, source, what, driven)
    return found


def _check_scales(system: Observed, source: Result, what: str) -> None:
    """Refuse a state in other units than the system has."""
    mine, other = system.model.scales, source.provenance.settings.get("scales")
    if (None if mine is None else asdict(mine)) != other:
        raise OptionError(
            f"{what}: its units are {other or 'SI units'}, the system has {mine or 'SI units'}. Convert it: "
            "result.in_units(scales), or result.scaled(scales)."
        )


def _check_parts(system: Observed, source: Result, what: str) -> None:
    """Refuse a state whose nodes belong to other parts, although there are as many."""
    bodies, parts, kinds = (source.raw(name) for name in ("body", "part", "part_kind"))
    if bodies is None or parts is None or kinds is None:
        return
    beam_nodes = parts[kinds == "beam"].tolist()
    owners = [name for name in bodies.tolist() if name not in beam_nodes] + beam_nodes
    known = list(system.node_owners())
    if len(known) < len(owners):  # beams are drawn between their nodes too: only the order of parts is known
        known, owners = list(dict.fromkeys(known)), list(dict.fromkeys(owners))
    for node, (mine, other) in enumerate(zip(known, owners, strict=False)):
        if mine != other:
            raise OptionError(
                f"{what}: node {node} belongs to {other!r} in that state and to {mine!r} in the system. Use a result "
                "of the same parts, in the same order, with the same elements."
            )


def other_joints(system: Observed, source: Any) -> list[str]:
    """Return the names of joints that only one of a system and the system of a result has."""
    if not isinstance(source, Result):
        return []
    theirs = source.raw("joint")
    return sorted(set(system.joint_names) ^ set(() if theirs is None else theirs.tolist()))


def _check_joints(system: Observed, state: State, source: Any, what: str, driven: bool) -> None:
    """Refuse a state of another model, in which joints are open; with ``driven``, drives may be elsewhere."""
    open_ = system.widest_opening(state, drives=driven)
    if open_ is None:
        return
    if open_.drive:
        raise OptionError(
            f"{what}: drive {open_.name!r} is {open_.gap:.3g} away from where it should be at t = {state.time:g} s "
            f"in that state. {advice(system, source)}"
        )
    if changed := _other_parameters(system, source):
        if not driven:
            return
        raise OptionError(
            f"{what}: joint {open_.name!r} is open by {open_.gap:.3g} in that state, which was found for {changed}. "
            "Find the equilibrium of this system first: statics(system, start=...)."
        )
    raise OptionError(
        f"{what}: joint {open_.name!r} is open by {open_.gap:.3g} in that state. It is of another model, or "
        "lengths have changed: start from a result of this one."
    )


def _other_parameters(system: Observed, source: Any) -> str:
    """Return the values of parameters in a result that differ from the values of the system."""
    theirs = source.provenance.settings.get("parameters", {}) if isinstance(source, Result) else {}
    mine = parameter_values(system) if theirs else {}
    return ", ".join(f"{name} = {value:g}" for name, value in theirs.items() if mine.get(name, value) != value)


def advice(system: Observed, source: Any) -> str:
    """Return advice for a state that is no equilibrium of the given system."""
    if isinstance(source, Result) and source.kind == "path":
        source = source.equilibrium()
    settings = source.provenance.settings if isinstance(source, Result) else {}
    if settings.get("value") is not None and settings.get("parameter") is not None:
        signals = signals_of(source)
        if set(signals) <= set(system.signal_names):
            return f"It is a point of a path: use system.with_signals({signals!r})."
        return (
            f"It is a point of a path: use the system that was made for {settings['parameter']} = "
            f"{settings['value']!r}."
        )
    return "Find the equilibrium of this system first: statics(system, start=...)."


def values_at(system: Compiled, source: Any, state: State, names: Sequence[str]) -> list[float]:
    """Return the values of signals in a state: as its result has them, or else of the system at its time."""
    known = system.observed.named(system.observed.signals(np.array([state.time]))[0])
    known |= signals_of(source) if isinstance(source, Result) else {}
    return [known[name] for name in names]


def signals_of(source: Result) -> dict[str, float]:
    """Return the values of signals of an equilibrium, by name; of a path, at its last point."""
    settings = (source.equilibrium() if source.kind == "path" else source).provenance.settings
    given = settings.get("signal_values", settings.get("signals", {}))
    known = {name: value for name, value in given.items() if not isinstance(value, str)}
    parameter, value = settings.get("parameter"), settings.get("value")
    if parameter is None or value is None:
        return known
    factors = parameter if isinstance(parameter, Mapping) else {parameter: 1.0}
    return {**known, **{name: factor * value for name, factor in factors.items()}}


def signal_units(system: Observed, name: str) -> str | None:
    """Return the units of a signal of a system, as its part states them; None if unknown."""
    return sizes.units(system.model, name)


def result(
    system: Compiled | Observed, kind: str, data: xr.Dataset | Pending, outcome: Outcome, settings: Mapping[str, Any]
) -> Result:
    """Return a Result with its provenance, and with scales and parameters of the model. User functions are evaluated
    here, while their errors are still reported.
    """
    if isinstance(data, Pending) and any(force.opaque for force in system.model.forces):
        data = data.whole()
    scales = system.model.scales
    units = {} if scales is None else {"scales": asdict(scales)}
    values = parameter_values(system)
    parameters = {"parameters": values} if values else {}
    origin = Provenance(system.model.name, kind, {**system.settings, **parameters, **settings, **units})
    return Result(data, kind, outcome, origin)  # type: ignore[arg-type]
