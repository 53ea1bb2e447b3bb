"""States and options of a question, carried over to a finer mesh of the same model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from inspect import unwrap
from typing import Any

import numpy as np

from pliant.analyses.common import other_joints, signals_of, state_of
from pliant.analyses.modes.modal import modal
from pliant.analyses.motion.transient import transient
from pliant.analyses.spin import spin_of
from pliant.analyses.state_transfer import carried as carried_over
from pliant.analyses.statics.path import branch, path
from pliant.analyses.statics.statics import statics
from pliant.errors import OptionError
from pliant.results import Result
from pliant.system.state import State

Given = tuple[tuple[Any, ...], dict[str, Any]]
AS_FUNCTION = (
    "Give a function of the refinement instead, that compiles with so many times as many elements and returns the "
    "result: pl.estimate(lambda k: ...)."
)


def carried(
    question: Callable[..., Result], system: Any, finer: Any, answer: Result, given: tuple[Any, ...], options: Any
) -> Given:
    """What the same question takes on a finer mesh, given its answer on the coarser one."""
    way = _WAYS.get(unwrap(question))  # the public name of an analysis wraps it
    if way is None:
        raise OptionError(
            f"estimate: {getattr(question, '__name__', question)!r} is not statics, modal, path, branch or transient. "
            f"{AS_FUNCTION}"
        )
    return way(system, finer, answer, given, dict(options))


def on_finer(system: Any, finer: Any, source: Any) -> State | None:
    """A state of a system on a finer mesh, as a guess (hand_over.py). None, which is the assembled pose, where the
    nodes are not those of beams (chains of links).
    """
    coarse, fine = system.observed, finer.observed
    if not coarse.layout.beams:
        return None
    state, nodes = state_of(coarse, source), coarse.observer().nodes("state")
    guess, _ = carried_over(fine, state, {name[6:]: values for name, (_, values) in nodes.items()}, "estimate")
    lam = state.lam if state.lam.size == fine.constraints else guess.lam
    return replace(guess, v=np.zeros_like(guess.v), lam=lam)


def _statics(system: Any, finer: Any, answer: Result, given: Any, options: dict[str, Any]) -> Given:
    return given, {**options, "start": on_finer(system, finer, answer)}


def _modal(system: Any, finer: Any, answer: Result, given: Any, options: dict[str, Any]) -> Given:
    time = float(answer.data["state_time"].values[0])
    at = options.get("at")
    rest = statics(_as_in(finer, at), start=on_finer(system, finer, answer), time=time, spin=spin_of(at))
    return given, {**options, "at": rest}


def _path(system: Any, finer: Any, answer: Result, given: Any, options: dict[str, Any]) -> Given:
    if callable(system):
        raise OptionError(f"estimate: the path is of a function that makes systems. {AS_FUNCTION}")
    begin = answer.provenance.settings["begin"]
    return given, {**options, "begin": begin, "start": on_finer(system, finer, answer.equilibrium(0))}


def _branch(system: Any, finer: Any, answer: Result, given: Any, options: dict[str, Any]) -> Given:
    source, *others = given if given else (options.pop("path"),)
    asked = source.provenance.settings
    if "event" in asked:
        raise OptionError(f"estimate: the path is itself a branch. {AS_FUNCTION}")
    known = {name: asked[name] for name in ("begin", "to", "time", "step")}
    start = on_finer(system, finer, source.equilibrium(0))
    return (path(finer, asked["parameter"], start=start, spin=spin_of(source), **known), *others), options


def _transient(system: Any, finer: Any, answer: Result, given: Any, options: dict[str, Any]) -> Given:
    start = options.get("start")
    if start is None:
        return given, options
    at_rest = isinstance(start, Result) and start.kind in ("statics", "path")
    if not at_rest or other_joints(finer.observed, start):
        raise OptionError(f"estimate: start={start!r:.40} is no rest of this system. {AS_FUNCTION}")
    guess = on_finer(system, finer, start)
    rest = statics(_as_in(finer, start), start=guess, time=0.0 if guess is None else guess.time, spin=spin_of(start))
    return given, {**options, "start": rest}


def _as_in(finer: Any, source: Any) -> Any:
    """The system with the values of signals at which a result was found."""
    if not isinstance(source, Result):
        return finer
    names = finer.observed.signal_names
    values = {name: value for name, value in signals_of(source).items() if name in names}
    return finer.with_signals(values) if values else finer


_WAYS = {
    unwrap(question): way
    for question, way in (
        (statics, _statics), (modal, _modal), (path, _path), (branch, _branch), (transient, _transient),
    )
}  # fmt: skip
