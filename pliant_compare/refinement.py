"""Refinement of one method: meshes twice and four times as fine, steps a half and a quarter as long.

    value = finest mesh at the shortest step + limit of the meshes + limit of the steps

Meshes are refined at the longest step, steps on the coarsest mesh. If the changes are independent, their sum is the
value of the finest mesh at the shortest step; the difference from it is uncertainty. Methods that bound the errors of
their steps themselves are run once more with a hundredth of the error.

The limit and its uncertainty follow from a few meshes or steps, each twice as fine as the one before.

With changes d1, d2 from mesh to mesh the observed order is ``p = log2(d1 / d2)``, and the limit of a course f is ``f +
(f3 - f2) / (2^p - 1)`` (L. F. Richardson 1911). It is accepted if p is near the known order of the elements; then the
added term is its uncertainty: the finest course is within it. Otherwise nothing is added, and the uncertainty is three
times the term of the known order: P. J. Roache's grid convergence index for two meshes (J. Fluids Eng. 116, 1994).
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import log
from time import process_time
from typing import Any, NamedTuple

import numpy as np

import pliant as pl
from pliant.analyses.motion.transient import planned
from pliant.analyses.workflow import Question, Walk
from pliant.errors import ConvergenceError, PliantError, PliantWarning
from pliant.model import Model
from pliant.results.records import Outcome
from pliant.results.result import Result
from pliant.system.capabilities import HasMotion, can
from pliant.system.variants import Variant
from pliant_compare.courses import Course, courses, scales, vector
from pliant_compare.verdicts import COARSE

NEAR = 0.3  # distance from the known order up to which observed orders are accepted
CAUTION = 3.0
LEAST_ORDER = 0.5
RATIO = 2.0


class Limit(NamedTuple):
    """Correction of the finest course, uncertainty of the sum, and the observations.

    changes    largest, from each course to the next
    order      observed; None with too few courses, or changes within the solver's tolerance
    believed   whether changes decrease as expected, or are that small
    """

    added: np.ndarray
    uncertainty: float
    order: float | None
    changes: tuple[float, ...]
    believed: bool


def limit(found: Sequence[np.ndarray], known: float | None, noise: float) -> Limit:
    """Return the limit of courses at the same places, coarse to fine. ``known``: the expected order; ``noise``:
    tolerance of solvers. A single course has no limit: its uncertainty is infinite.

    >>> courses = [np.array([1.16]), np.array([1.04]), np.array([1.01])]
    >>> left, off, order, *_ = limit(courses, 2.0, 1e-9)
    >>> left.round(9), round(off, 9), round(order, 9)
    (array([-0.01]), 0.01, 2.0)
    """
    finest = found[-1]
    changes = tuple(float(np.max(np.abs(b - a))) for a, b in zip(found, found[1:], strict=False))
    nothing = np.zeros_like(finest)
    if not changes:
        return Limit(nothing, np.inf, None, changes, False)
    last = changes[-1]
    if last <= noise:
        return Limit(nothing, noise, None, changes, True)
    order = _observed(changes, noise)
    if order is not None and known is not None and abs(order - known) <= NEAR * known:
        added = (finest - found[-2]) / (RATIO**order - 1.0)
        return Limit(added, max(float(np.max(np.abs(added))), noise), order, changes, True)
    expected = min(known or 1.0, known or 1.0 if order is None else max(order, LEAST_ORDER))
    falls = len(changes) < 2 or last < changes[-2]
    uncertainty = CAUTION * (last / (RATIO**expected - 1.0) if falls else max(changes[-2:]))
    return Limit(nothing, max(uncertainty, noise), order, changes, falls)


def _observed(changes: Sequence[float], noise: float) -> float | None:
    if len(changes) < 2 or min(changes[-2:]) <= noise:
        return None
    return log(changes[-2] / changes[-1]) / log(RATIO)


NOISE = 1e-9  # of the scale: tolerance of solvers, no change
ACCURACIES = 1e-7, 1e-9  # for methods that bound the errors of their steps
MORE_MODES = 4  # factor on the number of modes in space, where some leave the plane
GROWTH = 3.0  # largest ratio of times of consecutive meshes
MORE_MESHES = 2  # in addition to the given levels, if the uncertainty is too large
LONG = 3.0  # s: longer runs are not repeated


@dataclass(frozen=True)
class Ask:
    """One computation: a model, an analysis, signals; ``in_plane``: a planar model, promoted to space."""

    model: Model
    question: Question
    signals: Mapping[str, Any] = field(default_factory=dict)
    everything: bool = False
    in_plane: bool = False

    @property
    def moves(self) -> bool:
        """Return whether its last step is a motion."""
        return self.question.steps[-1] == "simulate"


class Run(NamedTuple):
    """One run: its fineness, its cost (s of processor time), its result."""

    pieces: int
    step: float | None
    seconds: float
    courses: dict[str, Course]
    outcome: Outcome
    result: Result
    warnings: tuple[str, ...]


@dataclass(frozen=True)
class Refined:
    """A method, run several times.

    name    of the method, and whether in space
    meshes  runs on meshes, each twice as fine as the one before, at the longest step
    steps   runs with steps, each half as long, on the coarsest mesh; the first is in `meshes`
    corner  on the finest mesh with the shortest step; None unless both were refined
    order   of the steps; None: the method bounds their errors
    moves   whether it is a motion, which has steps
    notes   refinements that were left out
    """

    name: str
    way: Variant
    meshes: tuple[Run, ...]
    steps: tuple[Run, ...]
    corner: Run | None
    order: float | None
    moves: bool
    notes: tuple[str, ...] = ()

    @property
    def finest(self) -> Run:
        """Return the run on the finest mesh, with the shortest step."""
        return self.corner or (self.steps[-1] if len(self.meshes) == 1 else self.meshes[-1])

    @property
    def runs(self) -> tuple[Run, ...]:
        """Return all runs."""
        return (*self.meshes, *self.steps[1:], *([self.corner] if self.corner else []))

    @property
    def seconds(self) -> float:
        """Return the processor time of all runs."""
        return sum(run.seconds for run in self.runs)

    @cached_property
    def scales(self) -> dict[str, float]:
        """Return the references of differences, by quantity."""
        return scales(self.finest.courses)

    @cached_property
    def names(self) -> list[str]:
        """Return the quantities that every run has, with as many values."""
        known = self.finest.courses
        return [
            name
            for name in known
            if all(name in run.courses and _alike(run.courses[name], known[name]) for run in self.runs)
        ]

    def mesh(self, name: str) -> Limit:
        """Return the limit of finer meshes; rigid bodies have none."""
        return self._limit(self.meshes, name, self.way.order) if self.way.pieces else self._nothing(name)

    def step(self, name: str) -> Limit:
        """Return the limit of shorter steps; equilibria have none."""
        return self._limit(self.steps, name, self.order) if self.moves else self._nothing(name)

    def _limit(self, runs: Sequence[Run], name: str, known: float | None) -> Limit:
        noise = self.scales[name] * max(NOISE, *(_rounding(run.outcome) for run in runs))
        return limit([run.courses[name].values for run in runs], known, noise)

    def _nothing(self, name: str) -> Limit:
        noise = self.scales[name] * max(NOISE, _rounding(self.finest.outcome))
        return Limit(np.zeros_like(self.finest.courses[name].values), noise, None, (), True)

    def estimate(self, name: str) -> tuple[Course, float]:
        """Return the extrapolated course and its uncertainty, common to components of a vector."""
        found = self.finest.courses[name]
        values = found.values + self.mesh(name).added + self.step(name).added
        return found._replace(values=values), self._uncertainties[vector(name)]

    @cached_property
    def _uncertainties(self) -> dict[str, float]:
        """Return the uncertainties by quantity; for vectors the largest of the components."""
        found: dict[str, float] = {}
        for name in self.names:
            mesh, step = self.mesh(name), self.step(name)
            off = mesh.uncertainty + step.uncertainty + self._missed(name)
            found[vector(name)] = max(found.get(vector(name), 0.0), off)
        return found

    def _missed(self, name: str) -> float:
        """Return the deviation of summed independent changes from the finest mesh at the shortest step."""
        if self.corner is None:
            return 0.0 if min(len(self.meshes), len(self.steps)) == 1 else np.inf
        first, mesh, step, both = (
            run.courses[name].values for run in (self.meshes[0], self.meshes[-1], self.steps[-1], self.corner)
        )
        return float(np.max(np.abs(both - (mesh + step - first))))

    @property
    def coarse(self) -> bool:
        """Return whether its meshes leave a quantity too uncertain for a verdict."""
        return any(self.mesh(name).uncertainty > COARSE * self.scales[name] for name in self.names)


def refined(
    ask: Ask, way: Variant, *, name: str, factor: float, levels: int, step: float | None, patience: float
) -> Refined:
    """Run a method on ``levels`` meshes and with as many steps; raise an error of the first run.

    factor    times the pieces that the method begins with
    step      of a motion (s), the longest; for methods with steps of a known order
    patience  s of processor time for a run: longer ones are left out, with a note
    """
    pieces, notes = max(1, round(factor * way.pieces)) if way.pieces else 0, list[str]()
    order = _order(ask, way, pieces) if ask.moves else None
    sizes = _step_sizes(ask, order, step, levels)
    first = _warm(ask, way, pieces, sizes[0])
    steps = (first, *_more(ask, way, [(pieces, size) for size in sizes[1:]], first, patience, notes))
    finer = [(pieces * 2**k, sizes[0]) for k in range(1, levels)] if pieces else []
    meshes = (first, *_more(ask, way, finer, first, patience, notes))
    found = Refined(name, way, meshes, steps, None, order, ask.moves)
    while finer and not notes and found.coarse and len(found.meshes) < levels + MORE_MESHES:
        more = _more(ask, way, [(2 * found.meshes[-1].pieces, sizes[0])], found.meshes[-1], patience, notes)
        found = replace(found, meshes=(*found.meshes, *more))
    if min(len(found.meshes), len(found.steps)) > 1:
        last = found.meshes[-1]._replace(
            seconds=found.meshes[-1].seconds * found.steps[-1].seconds / first.seconds / GROWTH
        )
        both = _more(ask, way, [(last.pieces, sizes[len(found.steps) - 1])], last, patience, notes)
        found = replace(found, corner=both[0] if both else None)
    return replace(found, notes=tuple(dict.fromkeys([*notes, *found.finest.warnings])))


def _warm(ask: Ask, way: Variant, pieces: int, size: Mapping[str, Any]) -> Run:
    """Run first; if kernels may have been compiled, run again, so that the cost is right."""
    run = _run(ask, way, pieces, size)
    return run if run.seconds > LONG else _run(ask, way, pieces, size)


def step_of(ask: Ask, way: Variant, factor: float) -> float:
    """Return the mean step that a motion takes by itself."""
    run = _run(ask, way, max(1, round(factor * way.pieces)) if way.pieces else 0, {})
    return ask.question.time / float(run.outcome.figures["steps"])


def _more(
    ask: Ask,
    way: Variant,
    wanted: Sequence[tuple[int, Mapping[str, Any]]],
    before: Run,
    patience: float,
    notes: list[str],
) -> list[Run]:
    """Run one fineness after another, until one would take too long or fails."""
    found: list[Run] = []
    for pieces, size in wanted:
        finer = f"{pieces} pieces" if pieces != before.pieces else f"{next(iter(size))} {next(iter(size.values())):.3g}"
        if GROWTH * before.seconds > patience:
            notes.append(f"not refined to {finer}: it might take more than {patience:g} s")
            break
        try:
            before = _run(ask, way, pieces, size)
        except PliantError as error:
            notes.append(f"{finer}: {error}")
            break
        found.append(before)
    return found


def _run(ask: Ask, way: Variant, pieces: int, size: Mapping[str, Any]) -> Run:
    """Compile and run once; warnings are kept."""
    compiling = {"formulation": way.formulation, **way.options(pieces)}
    question = replace(ask.question, **{"step": None, "accuracy": None, **size})
    modes = question.modes or 0
    if ask.in_plane:
        question = replace(question, modes=MORE_MODES * modes)
    began = process_time()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        system = pl.compile(ask.model, **compiling)
        system = system.with_signals(ask.signals) if ask.signals else system
        for done in Walk(ask.model, system, question, compiling):
            found = done.found
            _check(found, done.step, question)
    seconds = process_time() - began
    known = courses(found, everything=ask.everything, in_plane=ask.in_plane)
    if found.kind == "modes":
        known = {name: course for name, course in known.items() if int(name.rpartition(":")[2]) <= modes}
    finer = tuple(dict.fromkeys(str(each.message) for each in caught if issubclass(each.category, PliantWarning)))
    return Run(pieces, next(iter(size.values()), None), seconds, known, found.outcome, found, finer)


def _check(found: Result, step: str, question: Question) -> None:
    """Raise for a step that did not come to its end."""
    asked = question.instants if step == "simulate" else None
    if not found.outcome.ok and (step == "path" or (asked and found.data.sizes["time"] != asked)):
        raise ConvergenceError(f"{step}: {found.outcome.message}")


def _order(ask: Ask, way: Variant, pieces: int) -> float | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        system = pl.compile(ask.model, formulation=way.formulation, **way.options(pieces))
    if not can(system, HasMotion):
        return None
    order = planned(system, end_time=ask.question.time).method.order
    return None if order is None else float(order)


def _step_sizes(ask: Ask, order: float | None, step: float | None, levels: int) -> list[dict[str, float]]:
    """Return options of the motion, from the longest step on."""
    if not ask.moves:
        return [{}]
    if order is None:
        return [{"accuracy": accuracy} for accuracy in ACCURACIES]
    return [{"step": float(step or ask.question.time) / 2**k} for k in range(levels)]


def _alike(one: Course, other: Course) -> bool:
    return one.x.shape == other.x.shape and bool(np.allclose(one.x, other.x, rtol=1e-9, atol=1e-12))


def _rounding(outcome: Outcome) -> float:
    """Return the possible rounding error of modes."""
    return max([check.value for check in outcome.checks if check.name == "rounding"], default=0.0)
