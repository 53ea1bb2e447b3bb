"""Remarks on a fit: undetermined combinations, residuals that are not white, outliers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from pliant_fit.identification.fitting import Data, Fitted

RISK = 0.01  # probability of calling white residuals coloured
LEAST = 8  # values of a series that can be assessed
QUIET = 0.3  # of the given noise: smaller residuals do not matter, coloured or not
FAR = 5.0  # standard deviations: an outlier
SHOWN = 0.2  # of the largest part of a combination: smaller parts are not shown
ROUNDING = 1e-8  # of a direction: smaller parts are zero


class Combination(NamedTuple):
    """A change of parameters that the measurements do not determine.

    parts  by name: the change of each, over its size; the largest is 1
    error  standard error of the combination over the sizes: from 1 on it is unknown
    """

    parts: dict[str, float]
    error: float

    @property
    def words(self) -> str:
        """Return the combination in words."""
        if len(self.parts) == 1:
            name = next(iter(self.parts))
            known = f"it is known to {_part(self.error)}"
            return f"{name} cannot be identified: what was measured hardly depends on it ({known})"
        told = ", ".join(f"{name} by {100.0 * value:+.3g} %" for name, value in self.parts.items())
        names = " and ".join([", ".join(list(self.parts)[:-1]), list(self.parts)[-1]])
        return f"{names} cannot be identified together: {told} of their sizes changes nothing that was measured"


def _part(error: float) -> str:
    return f"{100.0 * error:.0f} % of its size" if error < 1e4 else "nothing at all"


def unknown(jac: np.ndarray, names: Sequence[str], spread: float, times: float) -> list[Combination]:
    """Return combinations whose interval is wider than the sizes of their parts, by singular values of the Jacobian.

    spread  s, of the residuals; ``times``: standard errors of half an interval. Parameters at a bound are included:
            undetermined ones drift there

    >>> j = np.array([[10.0, 10.0], [20.0, 20.0]])  # only the sum of the two is seen
    >>> unknown(j, ["E", "h"], 1.0, 2.0)[0].words
    'E and h cannot be identified together: E by +100 %, h by -100 % of their sizes changes nothing that was measured'
    """
    _, s, vt = np.linalg.svd(jac, full_matrices=False)  # there are more values than names
    found = []
    for value, direction in zip(s, vt, strict=True):
        error = spread / value if value > 1e-10 * s[0] else np.inf
        if times * error <= 1.0 and value > 0.0:
            continue
        largest = float(np.max(np.abs(direction)))
        least = max(min(SHOWN * largest, 1.0 / (times * error)), ROUNDING)  # unknown by their size too
        sign = float(np.sign(direction[int(np.argmax(np.abs(direction) >= least))]))
        parts = {
            name: round(sign * float(part) / largest, 6)
            for name, part in zip(names, direction, strict=True)
            if abs(part) >= least
        }
        found.append(Combination(parts, float(error)))
    return found


class Coloured(NamedTuple):
    """Whether residuals depend on each other, and over how many rows of each measurement."""

    found: bool
    reach: list[int]
    worst: float  # autocorrelation of neighbouring rows, or correlation of two quantities in a row
    words: str
    judged: bool = True  # False: too few rows


def colour(fitted: Fitted, data: Data, names: Sequence[str], measurements: Sequence[str]) -> Coloured:
    """Compute correlations rho of neighbouring rows, and of quantities in a row: ``sum n rho^2`` is distributed as chi
    squared if the residuals are white (Box and Pierce 1970, Breusch and Pagan 1980).
    """
    from scipy.stats import chi2

    tables = []
    for block in range(len(measurements)):
        inside = data.block == block
        table = np.full((int(data.row[inside].max()) + 1, int(data.series.max()) + 1), np.nan)
        table[data.row[inside], data.series[inside]] = fitted.r[inside]
        table = table[:, np.any(np.isfinite(table), axis=0)]
        quiet = np.nanmean(table**2, axis=0) < QUIET**2
        tables.append(np.where(quiet, np.nan, table))
    labels = [[names[k] for k in np.unique(data.series[data.block == b])] for b in range(len(measurements))]
    tests: list[tuple[float, int, int, str]] = []
    for block, table in enumerate(tables):
        for k in range(table.shape[1]):
            tests.append((*_correlation(table[1:, k], table[:-1, k]), block, f"{labels[block][k]}, row by row"))
            for other in range(k):
                text = f"{labels[block][k]} and {labels[block][other]}"
                tests.append((*_correlation(table[:, k], table[:, other]), block, text))
    judged = [each for each in tests if each[1] >= LEAST]
    if not judged:
        return Coloured(False, [0] * len(tables), 0.0, "too few rows to judge whether the residuals are white", False)
    worst = max(judged, key=lambda each: abs(each[0]) * np.sqrt(each[1]))
    found = sum(count * rho**2 for rho, count, _, _ in judged) > float(chi2.isf(RISK, len(judged)))
    words = f'residuals of "{measurements[worst[2]]}" are not white: {worst[3]} correlate by {worst[0]:.2f}'
    return Coloured(found, [_reach(table) for table in tables] if found else [0] * len(tables), worst[0], words)


def _correlation(a: np.ndarray, b: np.ndarray) -> tuple[float, int]:
    known = np.isfinite(a) & np.isfinite(b)
    a, b = a[known], b[known]
    size = np.sqrt(np.sum(a**2) * np.sum(b**2))
    return (float(np.sum(a * b) / size), int(a.size)) if size > 0.0 else (0.0, 0)


def _reach(table: np.ndarray) -> int:
    """Return the number of rows until no series is correlated with itself any more."""
    rows = table.shape[0]
    for lag in range(1, rows // 4 + 1):
        pairs = [_correlation(table[lag:, k], table[:-lag, k]) for k in range(table.shape[1])]
        if all(abs(rho) * np.sqrt(max(count, 1)) < 2.0 for rho, count in pairs):
            return lag
    return rows // 4


def far_off(fitted: Fitted, data: Data, names: Sequence[str], measurements: Sequence[str]) -> str:
    """Describe the row farthest off if it is an outlier; else return ""."""
    size = np.abs(fitted.r)
    usual = 1.482602218505602 * float(np.median(size))
    k = int(np.argmax(size))
    if usual == 0.0 or size[k] < FAR * usual or size.size < LEAST:
        return ""
    where = f'row {data.row[k] + 1} of "{measurements[data.block[k]]}", {names[data.series[k]]}'
    return f"{where} is {size[k] / usual:.0f} usual residuals off"
