"""Results on uncertain quantities: means, deviations, intervals, shares, probabilities; as text and in a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from pliant._libraries import xarray as xr
from pliant.design.quantities import Constraint
from pliant.design.sampling import Samples
from pliant.errors import FileError, OptionError, nearest
from pliant.results import Outcome, Provenance, Result
from pliant.results.io import load_result

KIND = "uncertainty"
APART = 0.1  # of a standard deviation: larger differences between first order and samples are reported
LEVEL = 0.95
LEAST = 16  # samples on the branch, to check first order
NOTHING = 1e-8  # of a quantity's largest value: smaller scatter is the tolerance of an equilibrium


class Moments(NamedTuple):
    """Mean and standard deviation of a quantity; ``shares`` of its variance, by parameter (first order)."""

    mean: Any
    std: Any
    shares: Mapping[str, Any] = {}


class Probability(NamedTuple):
    """How often an event occurred, and the 95 % interval of its probability (Clopper and Pearson).

    first_order  probability from first order; NaN if unknown
    """

    value: float
    low: float
    high: float
    first_order: float = np.nan


class Indices(NamedTuple):
    """Sobol indices by parameter: of the parameter alone, and with all its interactions."""

    first: Mapping[str, float]
    total: Mapping[str, float]


@dataclass(frozen=True, repr=False)
class Uncertainty:
    """How quantities scatter, as found by `uncertainty`. `print` shows it as text.

    first_order  `Moments` by name of the quantity, from sensitivities at the means
    record       a `Result` with all samples: ``point`` over ``sample`` and ``parameter``, quantities ``q0``, ``q1``,
                 ..., and ``on_branch``; `save` writes it
    indices      Sobol indices by quantity, if requested
    units        by quantity

    >>> import pliant as pl
    >>> from scipy import stats
    >>> found = pl.uncertainty(lambda x, y: x + 2.0 * y, to={"x": stats.norm(1, 0.3), "y": stats.norm(1, 0.2)})
    >>> round(found.first_order["value"].std, 6), {k: round(v, 2) for k, v in found.first_order["value"].shares.items()}
    (0.5, {'x': 0.36, 'y': 0.64})
    >>> low, high = found.interval("value")  # 3 ± 0.98, as well as 256 samples know it
    >>> bool(1.9 < low < 2.2 and 3.8 < high < 4.1), found.snaps.value
    (True, 0.0)
    """

    first_order: Mapping[str, Moments]
    record: Result
    indices: Mapping[str, Indices] = field(default_factory=dict)
    units: Mapping[str, str] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        """Return the names of the quantities."""
        return list(self.first_order)

    @property
    def outcome(self) -> Outcome:
        """Return the outcome of the samples."""
        return self.record.outcome

    @property
    def ok(self) -> bool:
        """Return whether all samples are on the branch of the means, all analyses are ok, and samples and first order
        agree to a tenth of a standard deviation at no fewer than 16 samples. First order alone is not ok, nor is a
        model that has snapped or buckled at the means, unless ``start=`` was given.
        """
        return self.outcome.ok

    def samples(self, name: str) -> np.ndarray:
        """Return values of a quantity (samples, ...) on the branch of the means."""
        if name not in self.first_order:
            raise OptionError(f"{name!r} is no quantity of this. {nearest(name, self.names)}")
        if "sample" not in self.record.data.sizes:
            raise OptionError(f"{name!r} was not sampled: samples=0. Give a power of 2, such as samples=256.")
        found = np.asarray(self.record.data[f"q{self.names.index(name)}"].values, float)
        return found[np.asarray(self.record.data["on_branch"].values, bool)]

    @cached_property
    def sampled(self) -> dict[str, Moments]:
        """Return `Moments` of the samples on the branch of the means, by quantity; empty without samples."""
        if "sample" not in self.record.data.sizes:
            return {}
        values = {name: self.samples(name) for name in self.names}
        return {
            n: Moments(_plain(v.mean(axis=0)), _plain(v.std(axis=0, ddof=1))) for n, v in values.items() if len(v) > 1
        }

    def interval(self, name: str, level: float = LEVEL) -> tuple[float | np.ndarray, float | np.ndarray]:
        """Return the interval that contains a quantity with a given probability: quantiles of the samples or, without
        samples, of the normal distribution of first order.
        """
        from scipy import stats

        tail = 0.5 * (1.0 - level)
        if "sample" not in self.record.data.sizes:
            known, wide = self.first_order[name], stats.norm.ppf(1.0 - tail)
            return known.mean - wide * known.std, known.mean + wide * known.std
        low, high = np.quantile(self.samples(name), [tail, 1.0 - tail], axis=0)
        return _plain(low), _plain(high)

    @property
    def snaps(self) -> Probability:
        """Return the probability that the mechanism leaves the branch of the means, or has no equilibrium."""
        if "sample" not in self.record.data.sizes:
            raise OptionError("snaps: a first-order estimate cannot see other branches. Give samples=256.")
        there = np.asarray(self.record.data["on_branch"].values, bool)
        return Probability(*_counted(int(np.sum(~there)), there.size))

    def probability(self, limit: str) -> Probability:
        """Return the probability that a limit, one of ``limits`` by its text, is met; snapped samples miss it."""
        kept = self.record.provenance.settings["probabilities"]
        if limit not in kept:
            raise OptionError(f"{limit!r} is no limit of this. {nearest(limit, kept)}")
        return Probability(*(np.nan if each is None else each for each in kept[limit]))

    def save(self, path: str | Path, *, overwrite: bool = False) -> Path:
        """Write everything to a netCDF file, which `load_uncertainty` reads."""
        return self.record.save(path, overwrite=overwrite)

    def __repr__(self) -> str:
        lines = [f"{'ok' if self.ok else 'not ok'}: {self.outcome.message}"]
        for name, known in self.first_order.items():
            if np.ndim(known.mean):
                lines.append(f"  {name}: an array of {np.shape(known.mean)}")
                continue
            unit = self.units.get(name, "")
            lines.append(f"  {name}: first order {known.mean:.6g} ± {known.std:.3g} {unit}".rstrip())
            if name in self.sampled:
                low, high = self.interval(name)
                mine = self.sampled[name]
                lines.append(f"    samples {mine.mean:.6g} ± {mine.std:.3g}, 95 % from {low:.6g} to {high:.6g}")
            shares = sorted(known.shares.items(), key=lambda pair: -pair[1])
            lines.append("    variance from " + ", ".join(f"{key} {100.0 * share:.3g} %" for key, share in shares))
            if name in self.indices:
                told = [
                    f"{key} {self.indices[name].first[key]:.3f} ({each:.3f})"
                    for key, each in self.indices[name].total.items()
                ]
                lines.append(f"    Sobol indices, first (total): {', '.join(told)}")
        for text in self.record.provenance.settings["probabilities"]:
            found = self.probability(text)
            lines.append(
                f"  {text}: {100.0 * found.value:.3g} % (from {100.0 * found.low:.3g} to {100.0 * found.high:.3g} %)"
            )
        return "\n".join(lines)


def load_uncertainty(path: str | Path) -> Uncertainty:
    """Read a file of `Uncertainty.save`.

    >>> import tempfile
    >>> import pliant as pl
    >>> found = pl.uncertainty(lambda x: x**2, to={"x": (1.0, 2.0)}, samples=16)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     again = pl.load_uncertainty(found.save(f"{folder}/square.nc"))
    >>> str(again) == str(found)
    True
    """
    record = load_result(path)
    if record.kind != KIND:
        raise FileError(f"{path} is a {record.kind} result, no uncertainty. Read it with pl.load_result.")
    return of_record(record)


def of_record(record: Result) -> Uncertainty:
    """Make the uncertainty from its record."""
    kept = record.provenance.settings
    first = {
        name: Moments(_plain(each["mean"]), _plain(each["std"]), {p: _plain(v) for p, v in each["shares"].items()})
        for name, each in kept["first_order"].items()
    }
    indices = {name: Indices(each["first"], each["total"]) for name, each in kept["indices"].items()}
    return Uncertainty(first, record, indices, kept["units"])


def of_samples(
    model: str,
    spreads: tuple[Mapping[str, float], Mapping[str, float], np.ndarray],
    known: tuple[Mapping[str, np.ndarray], Mapping[str, np.ndarray], Mapping[str, str]],
    drawn: Samples | None,
    shares: Mapping[str, tuple[np.ndarray, np.ndarray]] | None,
    limits: Sequence[Constraint],
    doubts: Sequence[str] = (),
) -> Uncertainty:
    """Make the uncertainty from means, deviations and correlations of the parameters; values, slopes and units of the
    quantities; samples; Sobol indices; limits; messages of analyses at the means that are not ok.
    """
    (means, sigmas, together), (here, slopes, units) = spreads, known
    first = {name: _first(here[name], slopes[name], sigmas, together) for name in here}
    settings: dict[str, Any] = {
        "first_order": {name: {**each._asdict(), "shares": dict(each.shares)} for name, each in first.items()},
        "indices": {
            name: {
                "first": dict(zip(means, a.tolist(), strict=True)),
                "total": dict(zip(means, b.tolist(), strict=True)),
            }
            for name, (a, b) in (shares or {}).items()
        },
        "means": dict(means),
        "sigmas": dict(sigmas),
        "correlations": together.tolist(),
        "units": dict(units),
        "probabilities": {repr(each): list(_kept(each, first[each.name], drawn)) for each in limits},
    }
    data = xr.Dataset({"means": ("parameter", list(means.values()))}, {"parameter": list(means)})
    if drawn is not None:
        data["point"] = (("sample", "parameter"), np.column_stack(list(drawn.points.values())))
        data["on_branch"] = ("sample", np.array([not each for each in drawn.left]))
        for k, (name, values) in enumerate(drawn.values.items()):
            dims = ("sample", *(f"q{k}_{axis}" for axis in range(values.ndim - 1)))
            data[f"q{k}"] = (dims, values, {"long_name": name, "nan_means": "no equilibrium"})
    outcome = _outcome(first, drawn, doubts, slopes, means)
    record = Result(data, KIND, outcome, Provenance(model, "uncertainty", settings))
    return of_record(record)


def _first(value: np.ndarray, slopes: np.ndarray, sigmas: Mapping[str, float], together: np.ndarray) -> Moments:
    """Compute first order: by every parameter dQ/dp sigma, and in total ``g^T C g``. The share of a parameter is its
    part of that sum; it may be negative for correlated parameters.
    """
    parts = np.asarray(slopes) * np.array(list(sigmas.values()))
    own = parts * (parts @ together)
    variance = np.maximum(np.sum(own, axis=-1), 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = np.where(variance[..., None] > 0.0, own / variance[..., None], 0.0)
    by_name = {name: _plain(shares[..., k]) for k, name in enumerate(sigmas)}
    return Moments(_plain(value), _plain(np.sqrt(variance)), by_name)


def _kept(limit: Constraint, first: Moments, drawn: Samples | None) -> tuple[float, float, float, float]:
    """Return the probability that a limit is met: from samples, its interval, from first order."""
    from scipy import stats

    if np.ndim(first.mean):
        raise OptionError(f"limits: {limit.name!r} is an array. Give a number, such as its largest.")
    scatter = stats.norm(first.mean, first.std) if first.std > 0.0 else None
    normal = (
        float(scatter.cdf(limit.high) - scatter.cdf(limit.low))
        if scatter
        else float(limit.low <= first.mean <= limit.high)
    )
    if drawn is None:
        return normal, normal, normal, normal
    values = drawn.values[limit.name]
    good = np.array([not each for each in drawn.left]) & (values >= limit.low) & (values <= limit.high)
    return *_counted(int(good.sum()), values.shape[0]), normal


def _counted(seen: int, total: int) -> tuple[float, float, float]:
    from scipy import stats

    found = stats.binomtest(seen, total).proportion_ci(LEVEL, method="exact")
    return seen / total, float(found.low), float(found.high)


def _outcome(
    first: Mapping[str, Moments],
    drawn: Samples | None,
    doubts: Sequence[str],
    slopes: Mapping[str, np.ndarray],
    means: Mapping[str, float],
) -> Outcome:
    """Make the outcome: first order and samples agree, and all analyses are ok."""
    wrong = [f"at the means: {each}" for each in doubts]
    if drawn is None:
        told = "first order only: without samples it is not checked"
        return Outcome(False, "; ".join([told, *wrong]), {"samples": 0})
    there = np.array([not each for each in drawn.left])
    count, lost = there.size, int(np.sum(~there))
    if unsure := [each for each in drawn.doubts if each]:
        wrong.append(f"{len(unsure)} of {count} samples have analyses that are not ok ({unsure[0]})")
    if lost:
        why = next(each for each in drawn.left if each)
        wrong.append(f"{lost} of {count} samples are not on the branch of the means ({why})")
    if count - lost < LEAST:
        wrong.append(f"{count - lost} samples are too few to check first order: give samples={LEAST} or more")
    moved = np.column_stack([drawn.points[name] - mean for name, mean in means.items()])[there]
    for name, known in first.items():
        values = drawn.values[name][there]
        if len(values) > 1 and (most := _apart(known, values, np.tensordot(moved, slopes[name], (1, -1)))) > APART:
            wrong.append(f"{name}: first order is off by {most:.2g} standard deviations, trust the samples")
    message = "; ".join(wrong) or "first order and samples agree"
    return Outcome(not wrong, message, {"samples": count, "left_branch": lost})


def _apart(known: Moments, values: np.ndarray, changes: np.ndarray) -> float:
    """Return the difference of mean and deviation between samples and first order *at the same samples*, ``Q(mean) + g
    dp``, in standard deviations. The error of few samples, common to both, cancels.
    """
    line = known.mean + changes
    wide = np.maximum(values.std(axis=0, ddof=1), line.std(axis=0, ddof=1))
    means, spreads = (values - line).mean(axis=0), values.std(axis=0, ddof=1) - line.std(axis=0, ddof=1)
    floor = NOTHING * np.max(np.abs(known.mean), initial=0.0)  # a clamped end of a shape does not scatter
    with np.errstate(divide="ignore", invalid="ignore"):
        apart = np.where(wide > floor, np.maximum(np.abs(means), np.abs(spreads)) / wide, 0.0)
    return float(np.nanmax(apart))


def _plain(value: Any) -> Any:
    found = np.asarray(value, float)
    return float(found) if found.ndim == 0 else found
