"""Agreement of computed and measured values: RMS, largest difference, delay, coherence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pliant._spelling import known_as
from pliant.errors import DoubtfulUnits, OptionError, nearest, warn
from pliant.results.quantities import Quantity, along, quantities
from pliant.results.result import Result
from pliant_fit.measurements import columns as c
from pliant_fit.measurements.alignment import delay
from pliant_fit.measurements.measurement import FIND, Measurement

if TYPE_CHECKING:
    from pandas import DataFrame  # type: ignore[import-untyped]

LEAST = 64  # values needed for a coherence
SEGMENTS = 8
SAME = 1e-6  # of the largest value of a signal: tolerance of equal settings


@dataclass(frozen=True)
class Fit:
    """One quantity, in its units: computed less measured.

    rms        root of the mean square
    relative   rms as a part of the measured range; NaN for a single value
    peak       the largest, and ``at`` its place (s, Hz, or number of the row)
    bias       the mean
    delay      s by which the measurement is late; NaN without a motion
    coherence  share of the power that a linear filter of what was computed explains, 0 to 1, averaged over frequencies
               by their power (Welch, 8 pieces); NaN of less than 64 values
    """

    quantity: str
    units: str
    count: int
    rms: float
    relative: float
    peak: float
    at: float
    bias: float
    delay: float
    coherence: float


@dataclass(frozen=True, repr=False)
class Agreement:
    """Agreement of all quantities of a measurement with computed values.

    >>> Agreement("ring", (Fit("angle:arm", "rad", 90, 0.01, 0.02, 0.04, 1.5, 0.0, 0.003, 0.98),)).rms
    {'angle:arm': 0.01}
    """

    name: str
    rows: tuple[Fit, ...]

    @property
    def rms(self) -> dict[str, float]:
        """Return the RMS difference of each quantity."""
        return {row.quantity: row.rms for row in self.rows}

    def row(self, quantity: str) -> Fit:
        """Return the row of a quantity, by its name."""
        for each in self.rows:
            if each.quantity == quantity:
                return each
        raise OptionError(
            f"{self.name}: {quantity!r} was not measured. {nearest(quantity, [r.quantity for r in self.rows])}"
        )

    def table(self) -> DataFrame:
        """Return all rows as a pandas.DataFrame."""
        from pandas import DataFrame

        return DataFrame([vars(row) for row in self.rows]).set_index("quantity")

    def __repr__(self) -> str:
        lines = [f'Agreement with "{self.name}": computed less measured']
        for row in self.rows:
            told = [f"RMS {row.rms:.3g} {row.units}", f"largest {row.peak:.3g}"]
            told += [f"delay {row.delay:.3g} s"] if np.isfinite(row.delay) else []
            told += [f"coherence {row.coherence:.3f}"] if np.isfinite(row.coherence) else []
            lines.append(f"  {row.quantity}: {', '.join(told)}")
        return "\n".join(lines)


def against(measurement: Measurement, result: Result) -> Agreement:
    """Compare a result with a measurement, at the measured places."""
    if measurement.frame is FIND or isinstance(measurement.frame, str):
        raise OptionError(f'"{measurement.name}": its frame is to be found, which identify does; give it to compare.')
    known = courses_of(result, measurement)
    shift = 0.0 if isinstance(measurement.shift, str) else measurement.shift
    check_units(measurement, known)
    rows = []
    values = framed(measurement, measurement.frame)
    for name in measurement.values:
        quantity = known[name]
        x = places_along(result, measurement.name)
        if x.size == 1:
            there = _set_so(measurement, result)
            computed = np.full(int(there.sum()), float(quantity.values[0]))
            rows.append(fit(name, quantity.units, measurement.x[there], values[name][there], computed))
            continue
        wanted = _along(measurement, result) - shift
        inside = (wanted >= x.min() - 1e-9 * np.ptp(x)) & (wanted <= x.max() + 1e-9 * np.ptp(x))
        if not np.any(inside & np.isfinite(values[name])):
            raise OptionError(
                f'"{measurement.name}": it is measured from {wanted[0]:g} to {wanted[-1]:g}, and computed from '
                f"{x.min():g} to {x.max():g}: nothing in common. Give its shift=, or compute longer."
            )
        order = np.argsort(x, kind="stable")
        from scipy.interpolate import PchipInterpolator

        there, first = np.unique(x[order], return_index=True)
        computed = PchipInterpolator(there, quantity.values[order][first])(wanted[inside])
        late = result.kind == "motion"
        found = fit(name, quantity.units, wanted[inside], values[name][inside], computed, moving=late)
        rows.append(found)
    return Agreement(measurement.name, tuple(rows))


def fit(
    name: str, units: str, x: np.ndarray, measured: np.ndarray, computed: np.ndarray, *, moving: bool = False
) -> Fit:
    """Return the figures of one quantity at the same places.

    >>> fit("angle:arm", "rad", np.arange(3.0), np.array([0.0, 1.0, np.nan]), np.array([0.1, 0.9, 5.0])).count
    2
    """
    known = np.isfinite(measured) & np.isfinite(computed)
    x, measured, computed = x[known], measured[known], computed[known]
    apart = computed - measured
    rms, worst, size = float(np.sqrt(np.mean(apart**2))), int(np.argmax(np.abs(apart))), float(np.ptp(measured))
    late, share = np.nan, np.nan
    if moving and x.size > 8 and min(size, float(np.ptp(computed))) > 0.0:
        late = delay(x, measured, x, computed)
        share = _coherence(x, measured, computed)
    return Fit(name, units, x.size, rms, rms / size if size else np.nan, float(apart[worst]), float(x[worst]),
               float(apart.mean()), late, share)  # fmt: skip


def _coherence(x: np.ndarray, measured: np.ndarray, computed: np.ndarray) -> float:
    from scipy.signal import coherence, welch

    if x.size < LEAST:
        return np.nan
    grid = np.linspace(x[0], x[-1], x.size)
    a, b = (np.interp(grid, x, each) for each in (measured, computed))
    options: dict[str, Any] = {"fs": 1.0 / (grid[1] - grid[0]), "nperseg": max(16, 2 * x.size // (SEGMENTS + 1))}
    _, shares = coherence(a, b, **options)
    _, power = welch(a, **options)
    known = np.isfinite(shares)
    return float(np.sum(shares[known] * power[known]) / np.sum(power[known])) if power[known].sum() > 0 else np.nan


def courses_of(result: Result, measurement: Measurement) -> dict[str, Quantity]:
    """Return the measured quantities of a result; unknown ones are refused by name."""
    known = {each.name: each for each in quantities(result)}
    found = {}
    if result.kind == "modes":
        modes = [str(number) for number in result.data["mode"].values]
        known = {
            f"{each.name}:{mode}": Quantity(f"{each.name}:{mode}", each.units, np.atleast_1d(each.values[k]))
            for each in known.values()
            for k, mode in enumerate(modes)
        }
    for name in measurement.values:
        own = known.get(known_as(name, known))
        if own is None:
            hint = nearest(name, known, most=30)
            raise OptionError(f'"{measurement.name}": the {result.kind} has no quantity {name!r}. {hint}')
        found[name] = own._replace(values=np.atleast_1d(np.real(own.values)).astype(float))
    return found


def check_units(measurement: Measurement, known: Mapping[str, Quantity]) -> None:
    """Refuse units of another dimension, and numbers that look as if they were not in SI. Positions are checked
    together, as one of their axes may be small by symmetry; in an unknown frame by how far they spread.
    """
    values = {name: each.values for name, each in known.items()}
    places = [name for name in known if name.startswith("position:")]
    for name, quantity in known.items():
        told = measurement.told.get(name, "")
        if told and told != "given" and not c.same_kind(told, quantity.units):
            raise OptionError(f'"{measurement.name}": {name} was measured in {told}, but its unit is {quantity.units}.')
        same = places if name in places else [name]
        seen, computed = ({each: source[each] for each in same} for source in (measurement.values, values))
        apart = measurement.frame is not None and name in places
        sizes = [_spread(each) if apart else _largest(each) for each in (seen, computed)]
        found = c.doubt(sizes[0], sizes[1], quantity.units)
        if found is None:
            continue
        units, factor = found
        words = (
            f'"{measurement.name}": {name} is up to {sizes[0]:.3g} {quantity.units}, and {sizes[1]:.3g} were computed'
        )
        if told:
            warn(DoubtfulUnits, f"{words}: is it in {units}, not in {told}?")
            continue
        raise OptionError(
            f"{words}: it seems to be in {units}. Give its units, units={{column: {units!r}}}, or a factor, "
            f'"column*{factor:.6g}"; if it is in {quantity.units}, give these units.'
        )


def _largest(columns: Mapping[str, np.ndarray]) -> float:
    return max(float(np.nanmax(np.abs(each))) for each in columns.values())


def _spread(columns: Mapping[str, np.ndarray]) -> float:
    """Return the diagonal of the box around positions of all markers, whose names end with their axes."""
    whole = [
        np.concatenate([each for name, each in columns.items() if name[-1] == axis] or [np.zeros(1)]) for axis in "xyz"
    ]
    return float(np.linalg.norm([np.nanmax(each) - np.nanmin(each) for each in whole]))


def framed(measurement: Measurement, frame: Any) -> dict[str, np.ndarray]:
    """Return the measured values, with positions moved by a homogeneous matrix."""
    if frame is None:
        return measurement.values
    matrix = np.asarray(frame, float)
    markers = markers_of(measurement)
    axes = "xyz"[: matrix.shape[0] - 1]
    if matrix.shape not in ((3, 3), (4, 4)) or not np.allclose(matrix[-1], [*[0.0] * len(axes), 1.0]):
        raise OptionError(
            f'"{measurement.name}": frame={frame!r:.60}: give a homogeneous matrix, (3, 3) or (4, 4), whose last row '
            "is 0 0 1, and 0 before it."
        )
    moved = dict(measurement.values)
    for marker, known in markers.items():
        if "".join(sorted(known)) != axes:
            raise OptionError(
                f'"{measurement.name}": a frame of {len(axes)} axes moves whole points: of {marker} only '
                f"{', '.join(sorted(known))} are measured."
            )
        points = np.stack([measurement.values[f"position:{marker}:{axis}"] for axis in axes], axis=1)
        points = points @ matrix[:-1, :-1].T + matrix[:-1, -1]
        moved |= {f"position:{marker}:{axis}": points[:, k] for k, axis in enumerate(axes)}
    return moved


def markers_of(measurement: Measurement) -> Mapping[str, set[str]]:
    """Return markers with measured positions, and their axes."""
    found: dict[str, set[str]] = {}
    for name in measurement.values:
        word, _, rest = name.partition(":")
        if word == "position":
            marker, _, axis = rest.rpartition(":")
            found.setdefault(marker, set()).add(axis)
    return found


def _set_so(measurement: Measurement, result: Result) -> np.ndarray:
    """Return rows in which signals had the values of an equilibrium; raise without any."""
    known = result.provenance.settings.get("signal_values", {})
    same = np.ones(measurement.x.size, bool)
    for name, given in measurement.settings.items():
        if name in known:
            same &= np.abs(given - known[name]) <= SAME * max(float(np.max(np.abs(given))), abs(known[name]))
    if not same.any():
        told = ", ".join(f"{name} = {known[name]:g}" for name in measurement.settings if name in known)
        raise OptionError(
            f'"{measurement.name}": in no row {told}, as in that equilibrium. Compare with a path, or with the '
            "equilibrium of system.with_signals(...) of a row."
        )
    return same


def places_along(result: Result, name: str) -> np.ndarray:
    """Return the possible places of rows: times of a motion, or values of a path's signal; one for a single state."""
    main = along(result)
    if main in (None, "mode"):
        return np.zeros(1)
    found = np.asarray(result.data["parameter" if main == "point" else main].values, float)
    steps = np.diff(found)
    if result.kind == "path" and np.any(steps > 0.0) and np.any(steps < 0.0):
        raise OptionError(
            f'"{name}": the path turns back, so that rows have no place on it: of one load it has several equilibria. '
            'End it before, such as with until="limit point".'
        )
    return found


def _along(measurement: Measurement, result: Result) -> np.ndarray:
    """Return the places of the rows along a result: times, or values of the signal that a path follows."""
    if result.kind != "path":
        if result.kind == "motion" and measurement.time is None:
            raise OptionError(f'"{measurement.name}": say which column is its time= to compare it with a motion.')
        return measurement.x
    followed = str(result.data["parameter"].attrs.get("name", ""))
    if followed in measurement.settings:
        return measurement.settings[followed]
    if measurement.experiment is not None:
        return measurement.x
    if not measurement.settings:
        raise OptionError(f'"{measurement.name}": the path follows {followed}: give signals={{{followed!r}: column}}.')
    return next(iter(measurement.settings.values()))
