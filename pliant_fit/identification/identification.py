"""`Identification`: the parameters found, their uncertainty, and the residuals of the measurements."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np

from pliant._libraries import xarray as xr
from pliant.errors import OptionError, nearest
from pliant.model import Model
from pliant.results.records import Outcome, Provenance
from pliant_fit.identification.doubts import Combination
from pliant_fit.measurements.agreement import Agreement
from pliant_fit.measurements.alignment import moved_by

if TYPE_CHECKING:
    from pandas import DataFrame  # type: ignore[import-untyped]


SKEW = 0.1  # relative asymmetry of an interval from which both sides are written


@dataclass(frozen=True)
class Estimate:
    """One identified number, with its uncertainty.

    low, high   95 % confidence interval, longer on one side where the model is not linear; NaN for a number held at its
                bound
    error       standard error
    start       where the search began
    unit        SI
    note        "at its bound", "not identified"; "" otherwise
    of_model    whether it is a parameter of the model; otherwise an offset, shift or frame of a measurement

    >>> Estimate("E", 2.0e11, 1.9e11, 2.1e11, 5e9, 1.5e11, "Pa")
    E = 2e+11 ± 1e+10 Pa
    """

    name: str
    value: float
    low: float
    high: float
    error: float
    start: float
    unit: str = ""
    note: str = ""
    of_model: bool = True

    def __repr__(self) -> str:
        half, lower = 0.5 * (self.high - self.low), self.value - self.low
        told = f" ± {half:.2g}" if isfinite(half) else ""
        if isfinite(half) and abs(half - lower) > SKEW * half:
            told = f" (-{lower:.2g}, +{2.0 * half - lower:.2g})"
        return f"{self.name} = {self.value:.6g}{told} {self.unit}".rstrip() + (f" ({self.note})" if self.note else "")


@dataclass(frozen=True)
class Series:
    """One quantity of one measurement: measured (in our frame) and computed values, at x."""

    measurement: str
    quantity: str
    units: str
    x: np.ndarray
    measured: np.ndarray
    computed: np.ndarray
    along: str
    noise: float
    held_out: bool = False


@dataclass(frozen=True, repr=False)
class Identification:
    """Result of `identify`.

    estimates    parameters by name, then further unknowns of the measurements (offsets, shifts, frames)
    covariance   of all estimates (DataArray, SI units), in their order; NaN for those at a bound
    model        with the identified parameters
    agreement    for each measurement: RMS, largest difference, delay, coherence
    hold_out     the same for measurements that were not fitted
    unknown      combinations of parameters that the measurements do not determine
    derivatives  for each parameter, how derivatives were computed: "on the equations" or "differences"
    series       measured and computed values, for plots
    outcome      `ok`: converged, gradient small, every parameter identified, all analyses at the solution ok, residuals
                 white and not larger than the given noise, and the ``given`` identification ok. Further remarks (a
                 parameter at its bound, outliers) are in `notes`, and by name in ``outcome.warnings``

    >>> from pliant_fit.identification.example import example
    >>> found = example()
    >>> found.values
    {'E': 200000000000.0, 'rho': 7850.0}
    >>> float(found.correlation.sel(parameter="E", other="rho"))
    0.4
    """

    estimates: Mapping[str, Estimate]
    covariance: xr.DataArray
    model: Model
    agreement: Mapping[str, Agreement]
    hold_out: Mapping[str, Agreement]
    unknown: tuple[Combination, ...]
    derivatives: Mapping[str, str]
    series: tuple[Series, ...]
    outcome: Outcome
    provenance: Provenance
    notes: tuple[str, ...] = field(default=())

    @property
    def ok(self) -> bool:
        """Return whether all checks passed; see `outcome`."""
        return self.outcome.ok

    @property
    def values(self) -> dict[str, float]:
        """Return the parameters' values by name: ``model.with_parameters(**found.values)``."""
        return {name: each.value for name, each in self.estimates.items() if each.of_model}

    @property
    def correlation(self) -> xr.DataArray:
        """Return the correlation of all estimates."""
        size = np.sqrt(np.diag(self.covariance.values))
        with np.errstate(divide="ignore", invalid="ignore"):
            return self.covariance.copy(data=self.covariance.values / np.outer(size, size))

    def estimate(self, name: str) -> Estimate:
        """Return one estimate, by name."""
        if name not in self.estimates:
            raise OptionError(f"{name!r} was not identified. {nearest(name, self.estimates)}")
        return self.estimates[name]

    def frame(self, measurement: str) -> np.ndarray:
        """Return the matrix found for a measurement with frame="find", from its axes to ours, in the form it takes."""
        ends = f' of "{measurement}"'
        numbers = [e.value for name, e in self.estimates.items() if name.startswith("frame ") and name.endswith(ends)]
        if not numbers:
            raise OptionError(f'no frame of "{measurement}" was found: it is no measurement with frame="find".')
        return moved_by(np.array(numbers), 2 if len(numbers) == 3 else 3)

    def table(self) -> DataFrame:
        """Return the estimates as a pandas.DataFrame."""
        from pandas import DataFrame

        return DataFrame([vars(each) for each in self.estimates.values()]).set_index("name")

    def to_dataset(self) -> xr.Dataset:
        """Return estimates and covariance as a dataset, along "parameter"."""
        rows = list(self.estimates.values())
        columns = {
            key: ("parameter", [getattr(each, key) for each in rows])
            for key in ("value", "low", "high", "error", "start")
        }
        meaning = {"nan_means": "held at a bound"}
        data = xr.Dataset(columns, {"parameter": [each.name for each in rows]})
        for key in ("low", "high", "error"):
            data[key].attrs.update(meaning)
        data["covariance"] = self.covariance
        data["unit"] = ("parameter", [each.unit for each in rows])
        data["note"] = ("parameter", [each.note for each in rows])
        data.attrs["outcome"] = repr(self.outcome)
        return data

    def __repr__(self) -> str:
        verdict = "ok" if self.ok else "not ok"
        lines = [f"Identification of {self.provenance.model!r}: {verdict}, {self.outcome.message}"]
        lines += [f"  {each!r}" for each in self.estimates.values()]
        lines += [
            f"  {line}"
            for found in (*self.agreement.values(), *self.hold_out.values())
            for line in repr(found).split("\n")
        ]
        return "\n".join([*lines, *(f"  {note}" for note in self.notes)])
