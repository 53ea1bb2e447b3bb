"""Forecasts: a model's values of a measurement, and their derivatives by parameters.

    statics   every row an equilibrium, found from the row's previous one; derivatives by the implicit function theorem
              (`pliant.solvers.derivatives.implicit`); perturbed systems are compiled once for all rows
    modes     frequencies by `pl.sensitivity`; damping ratios from its eigenvalues
    motion    by `pl.sensitivity` if possible: equal steps, none of which failed
    response, experiment   central differences of whole analyses

A forecast is a function of the system. Derivatives that the equations do not give are differences; `how` records which.
"""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from copy import copy
from typing import Any

import numpy as np

from pliant.analyses.common import signal_units
from pliant.analyses.derivatives.perturbed import variable_slope
from pliant.analyses.derivatives.sensitivity import sensitivity
from pliant.analyses.modes.linearise import linearise
from pliant.analyses.modes.modal import modal, vibrations
from pliant.analyses.motion.transient import transient
from pliant.analyses.statics.statics import statics
from pliant.analyses.workflow import without
from pliant.errors import OptionError, PliantError, PliantWarning, collect_warnings, nearest
from pliant.model import Table
from pliant.results import Result
from pliant.results.quantities import Quantity, along, place_of
from pliant.results.quantities import quantity as number_of
from pliant.solvers.derivatives import implicit
from pliant.system.capabilities import HasResidual, can
from pliant.system.compile import compile, recipe_of
from pliant_fit.identification.perturbed import Beside, Courses, tangent_line
from pliant_fit.measurements.agreement import check_units, courses_of, places_along
from pliant_fit.measurements.columns import same_kind
from pliant_fit.measurements.measurement import FIND, PARTS, Measurement

EXACT = "on the equations"
DIFFERENCES = "differences"
TIME = "time"
APART = 2.0  # periods of the slowest vibration between rows: more is implausible
SHORT = 0.25  # quantile of adaptive steps that is used as equal step
EARLY = 0.25  # of the measured time: how far a motion is computed beyond it if its shift is unknown


class Forecast(ABC):
    """One measurement as a function of the system."""

    def __init__(self, measurement: Measurement) -> None:
        self.measurement = measurement
        self.units: dict[str, str] = {}
        self.places: dict[str, tuple[str, int]] = {}
        self.moving = False
        self.start: Any = None  # an equilibrium to begin from
        self.how: dict[str, str] = {}  # by parameter: origin of derivatives
        self.warned: list[str] = []
        self.results: list[Result] = []

    @abstractmethod
    def compute(self, system: Any) -> Courses:
        """Compute every quantity at every row (of a motion: at its own instants)."""

    def values(self, system: Any) -> Courses:
        """Compute every quantity at every row, and keep the warnings."""
        with warnings.catch_warnings(), collect_warnings() as names:
            warnings.simplefilter("ignore", PliantWarning)
            found = self.compute(system)
        self.warned = list(names)
        return found

    def slopes(self, beside: Beside, here: Courses) -> dict[str, Courses]:
        """Compute derivatives by every parameter."""
        found = {}
        for name in beside.parameters:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", PliantWarning)
                found[name] = self.slope(beside, name, here)
        return found

    def slope(self, beside: Beside, name: str, here: Courses) -> Courses:
        """Compute the derivative by one parameter: differences by default."""
        self.how[name] = DIFFERENCES
        return beside.difference(name, self.compute, here)

    def judged(self, system: Any) -> list[Result]:
        """Return the analyses of a system, whose outcomes say whether they are right."""
        return self.results

    def finer(self) -> Forecast:
        """Return the forecast for a finer system, starting from the state of this one."""
        found = copy(self)
        found.results, found.warned = [], []
        return found

    def check(self, here: Courses) -> None:
        """Refuse measurements in other units."""
        known = {name: Quantity(name, self.units[name], np.atleast_1d(values)) for name, values in here.items()}
        check_units(self.measurement, known)

    def read(self, result: Result) -> Courses:
        """Return the measured quantities of a result: one value each, or one at every instant. Their places are found
        once; labelled arrays are not made again.
        """
        if not self.places:
            found = courses_of(result, self.measurement)
            self.units = {name: each.units for name, each in found.items()}
            if result.kind == "modes":
                return {name: each.values for name, each in found.items()}
            self.moving = along(result) is not None
            self.places = {name: place_of(result, name) for name in found}
        return {name: _flat(result, word, self.moving)[:, k] for name, (word, k) in self.places.items()}

    def check_signals(self, system: Any) -> None:
        """Refuse signals that the model does not have, and settings in other units."""
        given = self.measurement
        for name in (*given.settings, *(given.begin or {})):
            if name not in system.signal_names:
                hint = nearest(name, system.signal_names)
                raise OptionError(f'"{given.name}": the model has no signal {name!r}. {hint}')
            told, unit = given.told.get(name, ""), signal_units(system, name)
            if told not in ("", "given") and unit is not None and not same_kind(told, unit):
                hint = " A mass weighs: say units={column: 'kgf'} or 'gf'." if same_kind(told, "kg") else ""
                raise OptionError(f'"{given.name}": {name} was set in {told}, but its unit is {unit}.{hint}')

    def signal_values(self, system: Any, row: int) -> Any:
        """Return the system with the settings of a row."""
        settings = {name: float(values[row]) for name, values in self.measurement.settings.items()}
        return system.with_signals(settings) if settings else system


class Poses(Forecast):
    """Forecast of equilibria, one for every row."""

    def __init__(self, measurement: Measurement) -> None:
        super().__init__(measurement)
        self.rests: list[Result | None] = [None] * measurement.x.size

    def compute(self, system: Any) -> Courses:
        rows = [self._read(*self.rest(system, k, keep=True)) for k in range(len(self.rests))]
        self.results = [each for each in self.rests if each is not None]
        return {name: np.array([row[name] for row in rows]) for name in self.measurement.values}

    def finer(self) -> Poses:
        found = super().finer()
        found.rests = list(self.rests)  # type: ignore[attr-defined]
        return found  # type: ignore[return-value]

    def rest(self, system: Any, row: int, *, keep: bool = False) -> tuple[Any, Result]:
        """Find the equilibrium of a row, from its previous one, or from the row before."""
        there = self.signal_values(system, row)
        start = self.rests[row] or (self.rests[row - 1] if row else self.start)
        try:
            found = statics(there, start=start)
        except PliantError:
            if start is None:
                raise
            found = statics(there)
        if keep:
            self.rests[row] = found
        return there, found

    def _read(self, system: Any, rest: Result) -> dict[str, float]:
        return {name: float(values[0]) for name, values in self.read(rest).items()}

    def slope(self, beside: Beside, name: str, here: Courses) -> Courses:
        if can(beside.system, HasResidual):
            found = self._exact(beside, name)
            if found is not None:
                self.how[name] = EXACT
                return found
        self.how[name] = DIFFERENCES

        def again(system: Any) -> Courses:
            rows = [self._read(*self.rest(system, k)) for k in range(len(self.rests))]
            return {key: np.array([row[key] for row in rows]) for key in self.measurement.values}

        return beside.difference(name, again, here)

    def _exact(self, beside: Beside, name: str) -> Courses | None:
        """Compute derivatives by the implicit function theorem; None if the equations do not give them."""
        step = implicit.STEP * beside.parameters[name].size
        rows = []
        try:
            sides = [beside.at(name, k * step) for k in implicit.PLACES]
        except PliantError:
            return None
        for k, rest in enumerate(self.rests):
            system = self.signal_values(beside.system, k)
            neighbours = [self.signal_values(each, k) for each in sides]
            line = tangent_line(system, rest, neighbours, step, beside.tangents, (id(self), k))
            if line is None:
                return None
            rows.append(self._along(line))
        return {key: np.array([row[key] for row in rows]) for key in self.measurement.values}

    def _along(self, line: implicit.Line) -> dict[str, float]:
        words = {word for word, _ in self.places.values()}
        slopes = {word: np.ravel(variable_slope(line, word)) for word in words}
        return {name: float(slopes[word][k]) for name, (word, k) in self.places.items()}


class Modes(Forecast):
    """Forecast of frequencies and damping ratios; every row with its settings."""

    def __init__(self, measurement: Measurement) -> None:
        super().__init__(measurement)
        self.count = max(int(name.rpartition(":")[2]) if name[-1].isdigit() else 0 for name in measurement.values)
        self.damped = any(name.startswith("damping_ratio") for name in measurement.values)
        self.rests: list[Any] = [None] * measurement.x.size
        for name in measurement.values:
            if not name.rpartition(":")[2].isdigit():
                raise OptionError(f'"{measurement.name}": {name!r}: which mode? Write {name}:1 for the first.')

    def finer(self) -> Modes:
        found = super().finer()
        found.rests = list(self.rests)  # type: ignore[attr-defined]
        return found  # type: ignore[return-value]

    def compute(self, system: Any) -> Courses:
        rows = []
        self.results = []
        for k in range(len(self.rests)):
            there = self.signal_values(system, k)
            self.rests[k] = statics(there, start=self.rests[k] or self.start)
            found = vibrations(there, at=self.rests[k], modes=self.count, damped=self.damped)
            self.results.append(found)
            rows.append({name: float(values[0]) for name, values in self.read(found).items()})
        return {name: np.array([row[name] for row in rows]) for name in self.measurement.values}

    def slope(self, beside: Beside, name: str, here: Courses) -> Courses:
        word = "eigenvalue" if self.damped else "frequency_hz"
        rows = []
        try:
            for k in range(len(self.rests)):
                system = self.signal_values(beside.system, k)
                found = sensitivity(system, self.rests[k], of=[word], to=[name], modes=self.count)
                rows.append(self._parts(found.value[word].values, found.derivative[word].values[0]))
        except PliantError:
            return super().slope(beside, name, here)
        slopes = {key: np.array([row[key] for row in rows]) for key in self.measurement.values}
        if not all(np.all(np.isfinite(each)) for each in slopes.values()):
            return super().slope(beside, name, here)
        self.how[name] = EXACT
        return slopes

    def _parts(self, values: np.ndarray, slopes: np.ndarray) -> dict[str, float]:
        """Return derivatives of frequencies and damping ratios ``-Re l / |l|`` from derivatives of the eigenvalues."""
        if not self.damped:
            return {f"frequency_hz:{k + 1}": float(each) for k, each in enumerate(slopes)}
        size = np.abs(values)
        grows = np.real(np.conj(values) * slopes) / size
        ratios = -np.real(slopes) / size + np.real(values) * grows / size**2
        found = {f"frequency_hz:{k + 1}": float(each) / (2.0 * np.pi) for k, each in enumerate(grows)}
        return found | {f"damping_ratio:{k + 1}": float(each) for k, each in enumerate(ratios)}


class Moving(Forecast):
    """Forecast of a motion, at its own instants (`instants`); the caller, who has the shift, interpolates the rows."""

    def __init__(self, measurement: Measurement) -> None:
        super().__init__(measurement)
        self.step = measurement.step
        self.instants = np.zeros(0)
        found = isinstance(measurement.shift, str)
        shift = float(measurement.x[0]) if found else float(measurement.shift)
        self.end = float(measurement.x[-1]) - shift
        if self.end <= 0.0:
            raise OptionError(
                f'"{measurement.name}": it ends at {measurement.x[-1]:g} s, before the motion begins, shift={shift:g}.'
            )
        self.begun = 0.0
        self.made: tuple[Any, Result, Any] | None = None
        if found:
            self.end *= 1.0 + EARLY

    def finer(self) -> Moving:
        found = super().finer()
        found.step = 0.5 * self.step  # type: ignore[attr-defined, operator]
        return found  # type: ignore[return-value]

    def judged(self, system: Any) -> list[Result]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PliantWarning)
            return [self._run(system, estimate=None)]

    def _check_time(self, system: Any) -> None:
        """Refuse a time without units whose rows are too far apart for seconds."""
        given = self.measurement
        if TIME in given.told or given.x.size < 2:
            return
        apart = float(np.median(np.diff(given.x)))
        try:
            slowest = modal(system, at=statics(system, start=self.start), modes=1).frequency_hz.values[0]
        except PliantError:
            return
        if apart * slowest > APART:
            raise OptionError(
                f'"{given.name}": its rows are {apart:g} s apart, {apart * slowest:.3g} periods of the slowest '
                f"vibration. Its time seems to be in ms: give its units, units={{{given.time!r}: 'ms'}}; if it is "
                "in s, give 's'."
            )

    def compute(self, system: Any) -> Courses:
        if not self.results:
            self._check_time(system)
        if self.step is None:  # equal steps for all, so that differences are smooth
            taken = np.diff(self._run(system, estimate=False).data["time"].values)
            self.step = float(np.quantile(taken, SHORT))
        run = self._run(system, estimate=False)
        self.instants = np.asarray(run.data["time"].values, float) - self.begun
        self.results = [run]
        return self.read(run)

    def _run(self, system: Any, *, estimate: bool | None) -> Result:
        given = self.measurement
        shift = 0.0 if isinstance(given.shift, str) else given.shift
        tables = {
            name: float(values[0]) if np.ptp(values) == 0.0 else Table(tuple(given.x - shift), tuple(values))
            for name, values in given.settings.items()
        }
        moving = system if not given.release else self._released(system)
        moving = moving.with_signals(tables) if tables else moving
        rest, held = None, system
        if given.begin is not None or given.release:
            held = system.with_signals(dict(given.begin)) if given.begin else system
            rest = statics(held, start=self.start)
        self.begun = 0.0 if rest is None else float(rest.state["time"][0])  # type: ignore[index]
        end, push = self.begun + self.end, dict(given.push) or None
        run = transient(moving, start=rest, end_time=end, step=self.step, push=push, estimate=estimate)
        self.made = moving, run, None if rest is None else (held, rest)
        return run

    def slopes(self, beside: Beside, here: Courses) -> dict[str, Courses]:
        names = list(beside.parameters)
        words = list({word for word, _ in self.places.values()})
        moving, run, start = self.made  # type: ignore[misc]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PliantWarning)
            try:
                found = sensitivity(
                    moving, run, of=words, to=names, start=start, push=dict(self.measurement.push) or None
                )
            except PliantError:
                return super().slopes(beside, here)
        flat = {
            word: found.derivative[word]
            .transpose("parameter", "time", ...)
            .values.reshape(len(names), self.instants.size, -1)
            for word in words
        }
        if found.notes or not all(np.all(np.isfinite(each)) for each in flat.values()):
            return super().slopes(beside, here)
        self.how |= dict.fromkeys(names, EXACT)
        return {
            name: {key: flat[word][k, :, place] for key, (word, place) in self.places.items()}
            for k, name in enumerate(names)
        }

    def _released(self, system: Any) -> Any:
        recipe = recipe_of(system, "identify")
        freed = without(recipe.model, list(self.measurement.release))
        return compile(freed, formulation=recipe.formulation, **recipe.options)


class Responding(Forecast):
    """Forecast of a frequency response of the linear model about the equilibrium."""

    def __init__(self, measurement: Measurement) -> None:
        super().__init__(measurement)
        for name in measurement.values:
            if name.partition(":")[0] not in PARTS:
                raise OptionError(
                    f'"{measurement.name}": {name!r}: of a frequency response say what was measured, '
                    f"{', '.join(f'{each}:...' for each in PARTS)}."
                )
        self.outputs = list(dict.fromkeys(name.partition(":")[2] for name in measurement.values))
        self.rest: Any = None

    def compute(self, system: Any) -> Courses:
        there = self.signal_values(system, 0)
        self.rest = statics(there, start=self.rest or self.start)
        plant = linearise(there, at=self.rest, inputs=[self.measurement.drive], outputs=self.outputs)
        response = plant.frequency_response(2.0 * np.pi * self.measurement.x).values[:, 0, :]
        found = {}
        for name in self.measurement.values:
            part, _, output = name.partition(":")
            self.units[name] = "rad" if part == "phase" else number_of(self.rest, output).units + " / input"
            found[name] = PARTS[part](response[self.outputs.index(output)])
        self.results = [self.rest]
        return found

    def check(self, here: Courses) -> None:
        """Accept any units: a response has units of output over input, which files do not give."""


class Asked(Forecast):
    """Forecast by the user's own function of the system."""

    def compute(self, system: Any) -> Courses:
        found = self.measurement.experiment(system)  # type: ignore[misc]
        if not isinstance(found, Result):
            raise OptionError(f'"{self.measurement.name}": experiment returned {found!r:.60}, which is no Result.')
        self.results = [found]
        given, named = self.measurement, self.read(found)
        at = places_along(found, given.name)
        if at.size == 1:
            return {name: np.full(given.x.size, values[0]) for name, values in named.items()}
        if given.time is None:
            raise OptionError(f'"{given.name}": say which column is its time=, along the {found.kind}.')
        x = given.x - (0.0 if isinstance(given.shift, str) else given.shift)
        self._check_places(found, at, x)
        order = np.argsort(at)
        return {name: np.interp(x, at[order], values[order]) for name, values in named.items()}

    def _check_places(self, found: Result, at: np.ndarray, x: np.ndarray) -> None:
        """Refuse rows in other units than the result's coordinate, and rows beyond its ends."""
        given, units = self.measurement, str(found.data["parameter"].units) if found.kind == "path" else "s"
        told = given.told.get(TIME, "")
        if told and not same_kind(told, units):
            raise OptionError(f'"{given.name}": the column {given.time!r} is in {told}, the {found.kind} in {units}.')
        least = 1e-9 * float(np.ptp(at))
        if np.min(x) < np.min(at) - least or np.max(x) > np.max(at) + least:
            raise OptionError(
                f'"{given.name}": its rows are from {np.min(x):g} to {np.max(x):g} {units}, the {found.kind} goes from '
                f"{np.min(at):g} to {np.max(at):g}. Let the experiment go further, or leave rows out (rows=)."
            )


KINDS: dict[str, type[Forecast]] = {"statics": Poses, "modes": Modes, "motion": Moving, "response": Responding}


def forecast(measurement: Measurement, start: Result | None = None) -> Forecast:
    """Return the forecast of a measurement, whose first equilibrium is found from ``start``."""
    if measurement.experiment is not None and measurement.shift == FIND:
        raise OptionError(f'"{measurement.name}": with experiment= the shift cannot be found: give it in seconds.')
    kind = Asked if measurement.experiment is not None else KINDS[measurement.kind]
    found = kind(measurement)
    found.start = start
    return found


def _flat(result: Result, word: str, moving: bool) -> np.ndarray:
    """Return a variable with one row for every instant."""
    values = np.real(np.asarray(result.raw(word)))
    return values.reshape(values.shape[0] if moving else 1, -1)
