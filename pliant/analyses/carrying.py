"""States and options of a question, carried over to a finer mesh of the same model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.interpolate import CubicSpline

from pliant.analyses._common import other_joints, signals_of, state_of
from pliant.analyses.modal import modal
from pliant.analyses.path import branch, path
from pliant.analyses.statics import statics
from pliant.analyses.transient import transient
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
    if question not in _WAYS:
        raise OptionError(
            f"estimate: {getattr(question, '__name__', question)!r} is not statics, modal, path, branch or transient. "
            f"{AS_FUNCTION}"
        )
    return _WAYS[question](system, finer, answer, given, dict(options))


def on_finer(system: Any, finer: Any, source: Any) -> State | None:
    """A state of a system on a finer mesh, as a guess: splines along the beams. None, which is the assembled pose,
    where the nodes are not those of beams (chains of links), or do not tell what is between them (rods).
    """
    coarse, fine = system.observed, finer.observed
    state = state_of(coarse, source)
    if not coarse.layout.beams or state.interior is not None:
        return None
    blocks = [*_blocks(coarse, state.q)], [*_blocks(fine, fine.start().q)]
    for mine, theirs in zip(*blocks, strict=True):
        rigid = len(coarse.layout.rigid_bodies)
        theirs[:rigid] = mine[:rigid]
        for old, new in zip(coarse.layout.beams, fine.layout.beams, strict=True):
            theirs[new.nodes] = CubicSpline(old.s, mine[old.nodes])(new.s)
    q = np.concatenate([block.ravel() for block in blocks[1]])
    still = np.zeros_like(q)
    lam = state.lam if state.lam.size == fine.constraints else np.zeros(fine.constraints)
    return State(fine.moved(q, np.zeros(fine.freedoms)), still, still.copy(), lam, state.time)


def _blocks(system: Any, q: np.ndarray) -> list[np.ndarray]:
    """Coordinates by node: (nodes, 3), in space (nodes, 6) and (nodes, 4); quaternions that follow each other do not
    change their sign.
    """
    width, nodes = system.space.width, system.nodes + 1
    first, turns = q[: width * nodes].reshape(nodes, width).copy(), q[width * nodes :].reshape(-1, 4).copy()
    if not turns.size:
        return [first]
    for mesh in system.layout.beams:
        for before, node in zip(mesh.nodes[:-1], mesh.nodes[1:], strict=True):
            turns[node] *= 1.0 if turns[before] @ turns[node] >= 0.0 else -1.0
    return [first, turns]


def _statics(system: Any, finer: Any, answer: Result, given: Any, options: dict[str, Any]) -> Given:
    return given, {**options, "start": on_finer(system, finer, answer)}


def _modal(system: Any, finer: Any, answer: Result, given: Any, options: dict[str, Any]) -> Given:
    time = float(answer.data["state_time"].values[0])
    rest = statics(_as_in(finer, options.get("at")), start=on_finer(system, finer, answer), time=time)
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
    return (path(finer, asked["parameter"], start=start, **known), *others), options


def _transient(system: Any, finer: Any, answer: Result, given: Any, options: dict[str, Any]) -> Given:
    start = options.get("start")
    if start is None:
        return given, options
    at_rest = isinstance(start, Result) and start.kind in ("statics", "path")
    if not at_rest or other_joints(finer.observed, start):
        raise OptionError(f"estimate: start={start!r:.40} is no rest of this system. {AS_FUNCTION}")
    guess = on_finer(system, finer, start)
    rest = statics(_as_in(finer, start), start=guess, time=0.0 if guess is None else guess.time)
    return given, {**options, "start": rest}


def _as_in(finer: Any, source: Any) -> Any:
    """The system with the values of signals at which a result was found."""
    if not isinstance(source, Result):
        return finer
    names = finer.observed.signal_names
    values = {name: value for name, value in signals_of(source).items() if name in names}
    return finer.with_signals(values) if values else finer


_WAYS = {statics: _statics, modal: _modal, path: _path, branch: _branch, transient: _transient}
