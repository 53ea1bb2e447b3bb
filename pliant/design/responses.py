"""Quantities of analyses as functions of the parameters of a model, with their derivatives.

Every equilibrium starts from the nearest one that is known, on the same branch: if a step of the parameters leaves it,
the step is halved, and the answer reports a branch that still ends.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from pliant.analyses.derivatives.sensitivity import Sensitivity, sensitivity
from pliant.analyses.statics.statics import repeat_statics, statics
from pliant.design.quantities import CRITICAL, Asked, Quantity, mass, quantity
from pliant.errors import (
    AssemblyError,
    ConvergenceError,
    ModelError,
    OptionError,
    PliantError,
    PliantWarning,
    SingularError,
    nearest,
)
from pliant.model import Model
from pliant.model.copies import with_parameters
from pliant.model.parameters import Parameter
from pliant.results import Result
from pliant.results.quantities import REDUCED, place_of, select_labels
from pliant.solvers.derivatives import implicit
from pliant.studies.job import LEFT_BRANCH
from pliant.system.compile import compile, of_model, recipe_of

HALVINGS = 3  # of a step of the parameters, before a branch ends
KEPT = 40  # equilibria to start from
STEP = 1e-3  # relative step of differences of second order, whose error is its square
SLACK = 1e-9  # relative to the size of a parameter: rounding beyond its bounds
NO_MODEL = (
    AssemblyError,
    ConvergenceError,
    SingularError,
    ModelError,
)  # an impossible design, no mistake of the user

BESIDE = "there is no model beside this one; low= and high= of a parameter keep it away from there."

IMPLICIT = "implicit"  # from the equations of the equilibrium, `pl.sensitivity`
NEIGHBOURS = "neighbouring equilibria"  # for a function of system and equilibrium, by `pl.sensitivity`
MOTION = "motion"  # from the equations of its steps, `pl.sensitivity`
EXPLICIT = "explicit"  # from the model alone
DIFFERENCES = "central differences"  # of whole analyses, of second order


Point: TypeAlias = "Sequence[float] | np.ndarray | Mapping[str, float]"


class Answer(NamedTuple):
    """Quantities at one point.

    values   by name: a number or an array each; none if it failed
    units    by name
    system   compiled for these values
    rest     its equilibrium; None if no quantity needs one
    results  of the analysis of each quantity, by name
    left     how the branch of the first equilibrium was left on the way; "" if not
    failed   reason if there are no values; else ""
    """

    x: np.ndarray
    values: dict[str, Any]
    units: dict[str, str]
    system: Any
    rest: Result | None
    results: dict[str, Any]
    left: str = ""
    failed: str = ""

    @property
    def ok(self) -> bool:
        """Return whether everything was computed on the first branch, and every analysis is ok."""
        return not self.failed and not self.left and not self.doubts

    @property
    def doubts(self) -> list[str]:
        """Return the messages of analyses that are not ok."""
        found = {id(each): each for each in (self.rest, *self.results.values()) if isinstance(each, Result)}
        return [f"{each.kind}: {each.outcome.message}" for each in found.values() if not each.outcome.ok]

    @property
    def stable(self) -> bool | None:
        """Return whether the equilibrium is stable; None: without equilibrium, or unknown."""
        return None if self.rest is None else self.rest.outcome.figures.get("stable")


class Slopes(NamedTuple):
    """Derivatives of quantities by parameters, and how each was computed.

    by   name of a quantity: array (..., parameters), in SI units
    how  name of a quantity: `IMPLICIT`, `NEIGHBOURS`, `MOTION`, `EXPLICIT` or `DIFFERENCES`
    why  reason if `pl.sensitivity` was possible but not used; else ""
    """

    by: dict[str, np.ndarray]
    how: dict[str, str]
    why: str = ""


class _Known(NamedTuple):
    x: np.ndarray  # over the sizes of the parameters
    rest: Result
    left: str


@dataclass
class Responses:
    """``responses = Responses(subject, over=["thickness", "length"], of=["mass", "frequency_hz:1", ...])``

    subject  a `Model`, or a compiled system, whose options and signals are kept
    over     names of parameters; default: all of the model
    of       quantities: names, functions of system and equilibrium, or `Quantity`
    start    equilibrium to begin from; default: from `statics`

    ``responses(x)`` is the `Answer` at values x of the parameters (SI units, by name, or in the order of ``over``), its
    equilibrium found from the nearest known one. A design without equilibrium, or that cannot be assembled, is an
    answer with ``failed``; mistakes raise. ``responses.slopes(x)`` are the derivatives there (`Slopes`): by
    `pl.sensitivity` where it has them, otherwise by central differences. Both remember the last point.

    >>> import pliant as pl
    >>> m = pl.Model("strip")
    >>> h = pl.Parameter("h", 2e-3, unit="m")
    >>> strip = pl.Section.rectangle(0.02, h, pl.STEEL)
    >>> ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=0.5, section=strip))
    >>> parts = m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Force(beam.at(s=1), y=-0.01))
    >>> responses = Responses(pl.compile(m, elements=4), of=["mass", "position:beam/tip:y"])
    >>> answer, slopes = responses([2e-3]), responses.slopes([2e-3])
    >>> answer.ok, {name: round(float(v), 6) for name, v in answer.values.items()}
    (True, {'mass': 0.157, 'position:beam/tip:y': -0.000146})
    >>> slopes.how
    {'mass': 'explicit', 'position:beam/tip:y': 'implicit'}
    >>> round(2e-3 * float(slopes.by["position:beam/tip:y"][0]) / answer.values["position:beam/tip:y"], 3)
    -3.0
    """

    subject: Any
    over: Sequence[str] | None = None
    of: Sequence[Asked] = ()
    start: Result | None = None
    evaluations: int = field(default=0, init=False)  # analyses of one point, differences included

    def __post_init__(self) -> None:
        self.system = compile(self.subject) if isinstance(self.subject, Model) else self.subject
        self.model: Model = recipe_of(self.system, "design").model
        self.parameters = choose_parameters(self.model, self.over)
        self.quantities = [quantity(each) for each in self.of]
        _check_names(self.quantities)
        self.sizes = np.array([each.size for each in self.parameters.values()])
        self.at_start = np.array([each.value for each in self.parameters.values()])
        self._known: list[_Known] = []
        self._last: Answer | None = None
        self._slopes: tuple[np.ndarray, Slopes] | None = None
        if self.start is not None:
            self._known.append(_Known(self.at_start / self.sizes, self.start, ""))

    @property
    def names(self) -> list[str]:
        """Return the names of the parameters."""
        return list(self.parameters)

    def __call__(self, x: Point) -> Answer:
        x = self.point(x)
        if self._last is not None and np.array_equal(self._last.x, x):
            return self._last
        self._last = found = self._answer(x)
        return found

    def anywhere(self, x: np.ndarray) -> Answer:
        """Compute the answer at values outside the parameters' bounds too, for tolerances."""
        return self._answer(np.asarray(x, float))

    def system_at(self, x: np.ndarray) -> Any:
        """Return the system with these values, which may be outside the parameters' bounds."""
        pairs = zip(self.parameters.items(), np.asarray(x, float).tolist(), strict=True)
        others = {name: each.beyond(value) for (name, each), value in pairs if value != each.value}
        return of_model(self.system, with_parameters(self.model, others)) if others else self.system

    def point(self, x: Point) -> np.ndarray:
        """Return values of the parameters as an array; refuse values beyond their bounds."""
        if isinstance(x, Mapping):
            if unknown := sorted(set(x) ^ set(self.names)):
                raise OptionError(f"give values of {', '.join(self.names)}, not {', '.join(x)}: {unknown[0]!r}.")
            x = [x[name] for name in self.names]
        found = np.array(x, float)
        if found.shape != self.sizes.shape:
            raise OptionError(f"{x!r:.60}: give {self.sizes.size} values, of {', '.join(self.names)}.")
        for each, value, slack in zip(self.parameters.values(), found.tolist(), SLACK * self.sizes, strict=True):
            if not each.low - slack <= value <= each.high + slack:
                raise OptionError(f"{each.owner}: {value:g} is beyond its bounds, {each.low:g} and {each.high:g}.")
        return found

    def slopes(self, x: Point) -> Slopes:
        """Compute derivatives of all quantities by all parameters at x."""
        x = self.point(x)
        if self._slopes is None or not np.array_equal(self._slopes[0], x):
            self._slopes = x, self._differentiated(self(x))
        return self._slopes[1]

    def slopes_anywhere(self, here: Answer) -> Slopes:
        """Compute derivatives at an answer, which may be outside the parameters' bounds."""
        return self._differentiated(here)

    def _answer(self, x: np.ndarray) -> Answer:
        """Compute everything at a point."""
        self.evaluations += 1
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PliantWarning)
            system, rest, left = None, None, ""
            try:
                system = self.system_at(x)
                if any(each.needs_rest for each in self.quantities):
                    rest, left = self._followed(x, system)
                found = {each.name: each.measured(system, rest) for each in self.quantities}
            except NO_MODEL as error:
                return Answer(x, {}, {}, system, rest, {}, left, str(error) or type(error).__name__)
        values = {name: each[1] for name, each in found.items()}
        lost = [name for name, value in values.items() if not np.all(np.isfinite(value))]
        failed = f"{', '.join(lost)}: not a finite number" if lost else ""
        units = {name: each[2] for name, each in found.items()}
        return Answer(x, values, units, system, rest, {n: each[0] for n, each in found.items()}, left, failed)

    def _followed(self, x: np.ndarray, system: Any) -> tuple[Result, str]:
        """Find the equilibrium at x on the branch of the first, and how that branch was left, if it was."""
        place = x / self.sizes
        if not self._known:
            first = statics(system)
            self._keep(place, first, "")
            return first, ""
        same = [each for each in self._known if not each.left] or self._known
        known = min(same, key=lambda each: float(np.linalg.norm(each.x - place)))
        return self._stepped(known, place, system, HALVINGS)

    def _stepped(self, known: _Known, place: np.ndarray, system: Any, halvings: int) -> tuple[Result, str]:
        """Follow the branch from a known equilibrium to a point, halving the step if it is left."""
        try:
            found = repeat_statics(system, known.rest)
            left = _branch_change(found, known)
        except ConvergenceError as error:
            found, left = None, str(error)
        if found is not None and not left:
            self._keep(place, found, known.left)
            return found, known.left
        if halvings and np.any(place != known.x):
            middle = 0.5 * (known.x + place)
            rest, lost = self._stepped(known, middle, self.system_at(middle * self.sizes), halvings - 1)
            if not lost:
                return self._stepped(_Known(middle, rest, lost), place, system, halvings - 1)
        if found is None:
            raise ConvergenceError(
                f"the branch of the first equilibrium cannot be followed to {self._told(place)}: {left}"
            )
        told = f"on the way to {self._told(place)} {left}"
        self._keep(place, found, told)
        return found, told

    def _told(self, place: np.ndarray) -> str:
        return ", ".join(f"{name} = {x:.6g}" for name, x in zip(self.names, place * self.sizes, strict=True))

    def _keep(self, place: np.ndarray, rest: Result, left: str) -> None:
        self._known = [*self._known[-KEPT:], _Known(place, rest, left)]

    def _differentiated(self, here: Answer) -> Slopes:
        if here.failed:
            raise ConvergenceError(f"there are no derivatives at {self._told(here.x / self.sizes)}: {here.failed}")
        by: dict[str, np.ndarray] = {}
        how: dict[str, str] = {}
        for each in self.quantities:
            if each.of == "mass" and each.analysis is None:
                try:
                    by[each.name], how[each.name] = self._explicit(here.x, mass), EXPLICIT
                except NO_MODEL as error:
                    raise ConvergenceError(f"{each.name}: {BESIDE} {error}") from error
        why = self._by_sensitivity(here, by, how)
        others = [each for each in self.quantities if each.name not in by]
        by |= self._by_differences(here, others)
        how |= {each.name: DIFFERENCES for each in others}
        names = [each.name for each in self.quantities]
        return Slopes({name: by[name] for name in names}, {name: how[name] for name in names}, why)

    def _explicit(self, x: np.ndarray, function: Callable[[Model], float]) -> np.ndarray:
        """Compute derivatives of a function of the model."""

        def at(name: str, value: float) -> float:
            values = dict(zip(self.names, x.tolist(), strict=True)) | {name: value}
            return function(with_parameters(self.model, {n: self.parameters[n].beyond(v) for n, v in values.items()}))

        steps = STEP * self.sizes
        sides = [
            [at(name, value + k * step) for k in implicit.PLACES]
            for name, value, step in zip(self.names, x.tolist(), steps, strict=True)
        ]
        return np.array([implicit.slope(four, step) for four, step in zip(sides, steps, strict=True)])

    def _by_sensitivity(self, here: Answer, by: dict[str, np.ndarray], how: dict[str, str]) -> str:
        """Store the derivatives of `pl.sensitivity`; return the reason if it refuses."""
        why = []
        asked = {each.name: _sensitivity_of(each) for each in self.quantities if each.at_rest}
        modes = max([1, *(int(each.rpartition(":")[2]) for each in asked if _modal(each))])
        jobs: list[tuple[Any, dict[str, Any], dict[str, Any]]] = [(here.rest, asked, {"modes": modes})] if asked else []
        for each in self.quantities:
            at = here.results[each.name]
            if each.analysis is not None and str(each.of).startswith(CRITICAL):
                jobs.append((at, {each.name: "event_parameter"}, {}))
            elif each.analysis is not None and isinstance(at, Result) and at.kind == "motion":
                begun = {"start": here.rest if each.needs_rest else None, "push": at.provenance.settings.get("push")}
                jobs.append((at, {each.name: _of_run(each, at)}, begun))
        for at, wanted, options in jobs:
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", PliantWarning)
                    found = sensitivity(here.system, at, of=wanted, to=self.names, **options)
                if at.kind == "motion" and found.notes:
                    raise OptionError(found.notes[0])
                columns = {each: _column(found, each, self._named(each), self.names) for each in wanted}
            except PliantError as error:
                why.append(str(error))
                continue
            for name, values in columns.items():
                if np.all(np.isfinite(values)):
                    way = NEIGHBOURS if callable(wanted[name]) else IMPLICIT
                    by[name], how[name] = values, MOTION if at.kind == "motion" else way
        return " ".join(why)

    def _named(self, name: str) -> Quantity:
        return next(each for each in self.quantities if each.name == name)

    def _by_differences(self, here: Answer, others: Sequence[Quantity]) -> dict[str, np.ndarray]:
        """Compute central differences of whole analyses; one-sided if the other side has no solution."""
        columns: dict[str, list[np.ndarray]] = {each.name: [] for each in others}
        for k in range(len(self.names) if others else 0):
            sides = []
            for sign in (1.0, -1.0):
                x = here.x.copy()
                x[k] += sign * STEP * self.sizes[k]
                sides.append((x[k], self._answer(x)))
            whole = [(value, each) for value, each in sides if not each.failed]
            if len(whole) < 2:
                whole.append((here.x[k], here))
            if len(whole) < 2:
                raise ConvergenceError(
                    f"{self.names[k]}: no derivatives, since neither side has values: {sides[0][1].failed}"
                )
            (a, first), (b, second) = whole
            for name, column in columns.items():
                column.append((np.asarray(first.values[name]) - np.asarray(second.values[name])) / (a - b))
        return {name: np.stack(column, axis=-1) for name, column in columns.items()}


def choose_parameters(model: Model, over: Sequence[str] | None) -> dict[str, Parameter]:
    """Return parameters of a model by name."""
    known = model.parameters
    if not known:
        raise OptionError(
            f'{model.name!r} has no parameters. Give one in the place of a number: Parameter("length", 0.3).'
        )
    if isinstance(over, str):
        raise OptionError(f"over={over!r}: give a list of names, over=[{over!r}].")
    names = list(known) if over is None else [each.name if isinstance(each, Parameter) else each for each in over]
    if not names:
        raise OptionError("over: give at least one name of a parameter.")
    for name in names:
        if name not in known:
            raise OptionError(f"over: {model.name!r} has no parameter {name!r}. {nearest(str(name), known)}")
        if names.count(name) > 1:
            raise OptionError(f"over: {name!r} is given twice.")
    return {name: known[name] for name in names}


def _check_names(quantities: Sequence[Quantity]) -> None:
    if not quantities:
        raise OptionError('of: give at least one quantity, such as "mass" or "frequency_hz:1".')
    first: dict[str, Quantity] = {}
    for each in quantities:
        if first.setdefault(each.name, each) is not each:
            raise OptionError(f"two quantities are called {each.name!r}. Give one of them another name=.")


def _branch_change(found: Result, known: _Known) -> str:
    """Describe how an equilibrium left the branch of its start; "" if it did not."""
    for name in LEFT_BRANCH:
        if name in found.outcome.warnings and name not in known.rest.outcome.warnings:
            return f"the branch ends ({name}): {found.outcome.message}"
    before, now = (each.outcome.figures.get("stable") for each in (known.rest, found))
    if before is not None and now is not None and before != now:
        return f"the equilibrium becomes {'stable' if now else 'unstable'}"
    return ""


def _modal(name: str) -> bool:
    return name.startswith("frequency_hz:") and name.rpartition(":")[2].isdigit()


def _sensitivity_of(each: Quantity) -> Any:
    """Return the argument of `sensitivity` for a quantity of the equilibrium: a variable of it, or a function."""
    if callable(each.of):
        return partial(_value_of, each)
    word = each.of.partition(":")[0]
    return partial(_value_of, each) if word in ("stiffness", "compliance", "largest_strain") else word


def _value_of(each: Quantity, system: Any, rest: Result) -> Any:
    return each.measured(system, rest)[1]


def _of_run(each: Quantity, known: Result) -> Callable[[Any, Result], Any]:
    """Return a quantity of motions similar to a known one, as a function of system and motion."""
    if callable(each.of):
        return lambda system, run: each.of(run)  # type: ignore[operator]
    how, _, rest = each.of.partition(":")
    word, place = place_of(known, rest if how in REDUCED else each.of)
    reduced: Any = REDUCED.get(how, lambda values: values[-1])
    return lambda system, run: reduced(
        np.asarray(run.raw(word)).reshape(np.asarray(run.raw("time")).size, -1)[:, place]
    )


def _column(found: Sensitivity, name: str, each: Quantity, parameters: Sequence[str]) -> np.ndarray:
    """Return derivatives of one quantity by all parameters."""
    whole = found.derivative[name]
    critical = each.analysis is not None and str(each.of).startswith(CRITICAL)
    functions = ("stiffness:", "compliance:", "largest_strain")
    if callable(each.of) or each.analysis is not None and not critical or each.of.startswith(functions):
        return np.moveaxis(np.asarray(whole.values, float), whole.dims.index("parameter"), -1)
    if critical:
        which = int(each.of.partition(":")[2] or 1) - 1
        return np.array([float(whole.isel(event=which).sel(parameter=p)) for p in parameters])
    entry = select_labels(whole, each.of, along=("parameter",))
    return np.array([float(np.real(entry.sel(parameter=p))) for p in parameters])
