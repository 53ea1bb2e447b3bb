"""Task of an identification: measurements and a model as one vector of differences; parameters and further unknowns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from pliant.errors import OptionError, PliantError
from pliant.model.copies import with_parameters
from pliant.model.parameters import Parameter
from pliant.results import Result
from pliant.system.compile import of_model, recipe_of, refine
from pliant_fit.identification.fitting import Data, Noise
from pliant_fit.identification.forecasts import Forecast, Moving, forecast
from pliant_fit.identification.perturbed import Beside, Courses
from pliant_fit.measurements.agreement import framed, markers_of
from pliant_fit.measurements.alignment import delays, moved_by, numbers_of, rigid
from pliant_fit.measurements.measurement import FIND, Measurement

FEW = 4  # values of a group needed to estimate its noise separately
TURN = 2.0 * np.pi
NUDGE = 1e-6  # of a size: step of differences of explicit functions


class Free(NamedTuple):
    """An unknown number of a measurement."""

    name: str
    kind: str  # "offset", "shift", "frame"
    block: int
    detail: str
    start: float
    size: float
    unit: str


class Here(NamedTuple):
    """Values at one point of the search."""

    x: np.ndarray
    system: Any
    courses: list[Courses]


class Task:
    """Differences, computed less measured, of all measurements as functions of parameters and further unknowns."""

    def __init__(
        self,
        system: Any,
        parameters: Mapping[str, Parameter],
        measurements: Sequence[Measurement],
        start: Result | None = None,
    ) -> None:
        self.system, self.parameters, self.measurements = system, dict(parameters), list(measurements)
        self.rest = start
        self.forecasts: list[Forecast] = [forecast(each, start) for each in measurements]
        for each in self.forecasts:
            each.check_signals(system)
        self.start = np.array([each.value for each in parameters.values()])
        self._here: Here | None = None
        self._slopes: tuple[np.ndarray, list[dict[str, Courses]]] | None = None
        first = self.at(self.start)
        for each, courses in zip(self.forecasts, first.courses, strict=True):
            each.check(courses)
        self.likely = [self._likely_shifts(k, first) for k in range(len(self.measurements))]
        self.shifts = [each[0] for each in self.likely]
        self.frames = [self._first_frame(k, first) for k in range(len(self.measurements))]
        self.free = [each for k in range(len(self.measurements)) for each in self._free(k)]
        self.names = [*self.parameters, *(each.name for each in self.free)]
        self.sizes = np.array([*(_size(each) for each in parameters.values()), *(each.size for each in self.free)])
        self.quantities = list(dict.fromkeys(name for each in measurements for name in each.values))
        self.data, self.noise = self._described()

    @property
    def first(self) -> np.ndarray:
        """Return the start of the search, over the sizes."""
        return np.array([*self.start, *(each.start for each in self.free)]) / self.sizes

    @property
    def firsts(self) -> list[np.ndarray]:
        """Return all possible starts: several if a vibration may have begun in any of several periods."""
        found = [self.first]
        for k, each in enumerate(self.free):
            if each.kind == "shift":
                there = len(self.parameters) + k
                found += [_replaced(self.first, there, other / each.size) for other in self.likely[each.block][1:]]
        return found

    @property
    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the bounds of all unknowns, over the sizes."""
        none = np.full(len(self.free), np.inf)
        low = np.array([each.low for each in self.parameters.values()])
        high = np.array([each.high for each in self.parameters.values()])
        return np.concatenate([low, -none]) / self.sizes, np.concatenate([high, none]) / self.sizes

    def at(self, x: np.ndarray) -> Here:
        """Compute the model for these values of the parameters."""
        x = x[: self.start.size]
        if self._here is None or not np.array_equal(self._here.x, x):
            system = self._system(x)
            self._here = Here(x.copy(), system, [each.values(system) for each in self.forecasts])
        return self._here

    def _system(self, x: np.ndarray) -> Any:
        pairs = zip(self.parameters.values(), x.tolist(), strict=True)
        others = {each.name: each.beyond(value) for each, value in pairs if value != each.value}
        model = recipe_of(self.system, "identify").model
        return of_model(self.system, with_parameters(model, others)) if others else self.system

    def difference(self, u: np.ndarray) -> np.ndarray:
        """Compute the differences of all known values; infinite for an impossible model."""
        x = u * self.sizes
        try:
            here = self.at(x)
        except PliantError:
            if np.array_equal(x[: self.start.size], self.start):
                raise
            return np.full(self.data.group.size, np.inf)
        return self._differences(here.courses, x)

    def finer(self, u: np.ndarray) -> np.ndarray:
        """Compute the differences with mesh and steps of motions twice as fine."""
        x = u * self.sizes
        here, coarse = self.at(x), self.forecasts
        system = refine(here.system) if here.system.model.beams else here.system
        fine = [each.finer() for each in coarse]
        courses = [each.values(system) for each in fine]
        try:
            self.forecasts = fine
            return self._differences(courses, x)
        finally:
            self.forecasts = coarse

    def _differences(self, courses: Sequence[Courses], x: np.ndarray) -> np.ndarray:
        parts = []
        for block, measurement in enumerate(self.measurements):
            measured = framed(measurement, self.frame(block, x))
            rows = self.rows(block, courses[block], self.shift(block, x))[0]
            for name in measurement.values:
                apart = rows[name] + self.offset(block, name, x) - measured[name]
                if name.startswith("phase:"):
                    apart = apart - TURN * np.round(apart / TURN)
                parts.append(apart[np.isfinite(measurement.values[name])])
        return np.concatenate(parts)

    def derivative(self, u: np.ndarray) -> np.ndarray:
        """Compute derivatives of the differences by all unknowns, over the sizes."""
        x = u * self.sizes
        here = self.at(x)
        slopes = self._by_parameters(here)
        columns = []
        for name in self.parameters:
            parts = []
            for block, measurement in enumerate(self.measurements):
                rows = self.rows(block, slopes[block][name], self.shift(block, x))[0]
                parts += [rows[q][np.isfinite(measurement.values[q])] for q in measurement.values]
            columns.append(np.concatenate(parts))
        for k in range(len(self.free)):
            there = len(self.parameters) + k
            sides = []
            for sign in (1.0, -1.0):
                other = x.copy()
                other[there] += sign * NUDGE * self.sizes[there]
                sides.append(self._differences(here.courses, other))
            columns.append((sides[0] - sides[1]) / (2.0 * NUDGE * self.sizes[there]))
        return np.stack(columns, axis=1) * self.sizes

    def _by_parameters(self, here: Here) -> list[dict[str, Courses]]:
        if self._slopes is None or not np.array_equal(self._slopes[0], here.x):
            pairs = zip(self.parameters.items(), here.x.tolist(), strict=True)
            beside = Beside(here.system, {name: each.beyond(value) for (name, each), value in pairs})
            found = [each.slopes(beside, courses) for each, courses in zip(self.forecasts, here.courses, strict=True)]
            self._slopes = here.x.copy(), found
        return self._slopes[1]

    def rows(self, block: int, courses: Courses, shift: float) -> tuple[Courses, np.ndarray]:
        """Return courses at the rows of a measurement, and the places of the rows."""
        each, measurement = self.forecasts[block], self.measurements[block]
        if not isinstance(each, Moving):
            return courses, measurement.x
        from scipy.interpolate import CubicSpline

        at = np.clip(measurement.x - shift, 0.0, each.instants[-1])
        return {name: CubicSpline(each.instants, values)(at) for name, values in courses.items()}, measurement.x

    def shift(self, block: int, x: np.ndarray) -> float:
        """Return the shift of a measurement (s)."""
        return self._sought(block, "shift", "", x, self.shifts[block])

    def offset(self, block: int, name: str, x: np.ndarray) -> float:
        """Return the offset of a quantity."""
        return self._sought(block, "offset", name, x, 0.0)

    def frame(self, block: int, x: np.ndarray) -> Any:
        """Return the matrix from the axes of a measurement to ours."""
        if not isinstance(self.measurements[block].frame, str):
            return self.measurements[block].frame
        values = [x[len(self.parameters) + k] for k, e in enumerate(self.free) if (e.block, e.kind) == (block, "frame")]
        return moved_by(np.array(values), len(self.frames[block]) - 1)

    def _sought(self, block: int, kind: str, detail: str, x: np.ndarray, otherwise: float) -> float:
        for k, each in enumerate(self.free):
            if (each.block, each.kind, each.detail) == (block, kind, detail):
                return float(x[len(self.parameters) + k])
        return otherwise

    def _likely_shifts(self, block: int, here: Here) -> list[float]:
        measurement = self.measurements[block]
        if measurement.shift != FIND:
            return [float(measurement.shift)]
        each = self.forecasts[block]
        name = max(measurement.values, key=lambda key: np.nanstd(measurement.values[key]))
        return delays(measurement.x, measurement.values[name], each.instants, here.courses[block][name])  # type: ignore[attr-defined]

    def _first_frame(self, block: int, here: Here) -> Any:
        measurement = self.measurements[block]
        if not isinstance(measurement.frame, str):
            return measurement.frame
        if measurement.frame != FIND:
            raise OptionError(f'"{measurement.name}": frame={measurement.frame!r}: give a matrix, or "find".')
        axes = "xyz" if self.system.model.spatial else "xy"
        markers = markers_of(measurement)
        whole = [marker for marker, known in markers.items() if known == set(axes)]
        if not whole or len(whole) < len(markers):
            raise OptionError(f'"{measurement.name}": to find its frame, measure {", ".join(axes)} of every marker.')
        rows = self.rows(block, here.courses[block], self.shifts[block])[0]
        points = [
            np.concatenate([np.stack([source[f"position:{m}:{a}"] for a in axes], axis=1) for m in whole])
            for source in (measurement.values, rows)
        ]
        return rigid(points[0], points[1])

    def _free(self, block: int) -> list[Free]:
        measurement, each = self.measurements[block], self.forecasts[block]
        called = f' of "{measurement.name}"'
        found = []
        for name in measurement.offset:
            size = float(np.nanmax(np.abs(measurement.values[name]))) or 1.0
            text = f"offset of {name}" + (called if len(self.measurements) > 1 else "")
            found.append(Free(text, "offset", block, name, 0.0, size, each.units[name]))
        if measurement.shift == FIND:
            size = 0.01 * float(np.ptp(measurement.x))
            found.append(Free(f"shift{called}", "shift", block, "", self.shifts[block], size, "s"))
        if isinstance(measurement.frame, str):
            spatial = self.system.model.spatial
            size = max(float(np.nanmax(np.abs(values))) for values in measurement.values.values())
            words = [("x", "m"), ("y", "m"), ("z", "m")] if spatial else [("x", "m"), ("y", "m")]
            words += [("turn x", "rad"), ("turn y", "rad"), ("turn z", "rad")] if spatial else [("turn", "rad")]
            found += [
                Free(f"frame {word}{called}", "frame", block, word, first, size if unit == "m" else 1.0, unit)
                for (word, unit), first in zip(words, numbers_of(self.frames[block]).tolist(), strict=True)
            ]
        return found

    def _described(self) -> tuple[Data, Noise]:
        """Return groups of equal noise: quantities of a measurement in the same units, or each with its given noise."""
        groups: dict[tuple[object, ...], int] = {}
        given: list[float] = []
        sizes: list[float] = []
        columns: list[list[np.ndarray]] = [[], [], [], []]
        for block, measurement in enumerate(self.measurements):
            for name, values in measurement.values.items():
                noise, units = measurement.noise(name), self.forecasts[block].units[name]
                key = (block, name) if noise is not None or measurement.relative(name) else (block, units)
                known = np.flatnonzero(np.isfinite(values))
                if key not in groups:
                    groups[key] = len(groups)
                    given.append(np.nan if noise is None else noise)
                    sizes.append(0.0)
                own = values[known]
                size = float(np.ptp(own)) or float(np.max(np.abs(own))) or 1.0
                size = 1.0 if measurement.relative(name) else size
                sizes[groups[key]] = max(sizes[groups[key]], size)
                for column, value in zip(columns, (groups[key], self.quantities.index(name), block), strict=False):
                    column.append(np.full(known.size, value))
                columns[3].append(known)
        unit = [
            measurement.unit(name)[np.isfinite(values)]
            for measurement in self.measurements
            for name, values in measurement.values.items()
        ]
        group, quantity, block_of, row = (np.concatenate(column) for column in columns)
        data = Data(group, quantity, block_of, row, np.concatenate(unit))
        self._check_groups(data, np.array(given), groups)
        return data, Noise(np.array(given), np.array(sizes))

    def _check_groups(self, data: Data, given: np.ndarray, groups: Mapping[tuple[object, ...], int]) -> None:
        sought = len(self.names)
        if data.group.size < sought:
            raise OptionError(
                f"identify: {data.group.size} values were measured for {sought} unknown numbers "
                f"({', '.join(self.names)}). Measure more, or identify fewer."
            )
        if data.group.size == sought and np.any(np.isnan(given)):
            raise OptionError(
                f"identify: {sought} values were measured for as many parameters: the noise cannot be estimated. Give "
                "error=."
            )
        for key, group in groups.items():
            count = int(np.sum(data.group == group))
            if np.isnan(given[group]) and count < FEW and len(groups) > 1:
                name = self.measurements[int(str(key[0]))].name
                raise OptionError(
                    f'"{name}": its noise cannot be estimated from {count} values beside other measurements. Give '
                    "error=, the standard deviation in SI units."
                )


def _replaced(values: np.ndarray, place: int, value: float) -> np.ndarray:
    found = values.copy()
    found[place] = value
    return found


def _size(parameter: Parameter) -> float:
    """Return the size of a typical change; half the distance of its bounds if that is less."""
    if parameter.value == 0.0 and parameter.scale is None and not np.isfinite(parameter.high - parameter.low):
        raise OptionError(
            f"{parameter.owner}: its value is 0, so that its size is not known. Give it a scale=, or bounds."
        )
    return min(parameter.size, 0.5 * (parameter.high - parameter.low))
