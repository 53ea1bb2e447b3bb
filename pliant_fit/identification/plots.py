"""Plots of an identification: the fit over the data, residuals, correlations of the estimates."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pliant.errors import OptionError
from pliant.results.drawing import canvas
from pliant.results.result import Result
from pliant_fit.measurements.agreement import courses_of
from pliant_fit.measurements.measurement import Measurement

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pliant_fit.identification.identification import Identification, Series


def plot_measurement(
    measurement: Measurement, result: Result, *, quantity: str | None = None, ax: Axes | None = None
) -> Axes:
    """Plot measured values as dots, and a result as lines.

    quantity  one of the measurement; default: all with the units of the first

    >>> import pliant as pl
    >>> from pliant_gallery import pendulum
    >>> run = pl.transient(pl.compile(pendulum.model(angle=0.0)), end_time=0.2, step=1e-2)
    >>> seen = {"t": run.time.values, "q": run.angle.values[:, 0]}
    >>> ax = plot_measurement(pl.Measurement(seen, {"angle:bob 1": "q"}, time="t"), run)
    >>> ax.get_ylabel()
    'angle [rad]'
    """
    known = courses_of(result, measurement)
    names = [quantity] if quantity else [n for n in known if known[n].units == next(iter(known.values())).units]
    for name in names:
        if name not in known:
            raise OptionError(f'plot_measurement: "{measurement.name}" has no {name!r}: {", ".join(known)}.')
    ax = canvas.axes(ax)
    shift = 0.0 if isinstance(measurement.shift, str) else measurement.shift
    along = {"motion": ("time", "t [s]"), "path": ("parameter", "parameter")}.get(result.kind)
    for colour, name in zip(canvas.colours(len(names)), names, strict=True):
        if along is None:
            ax.axhline(float(known[name].values[0]), color=colour, label=name)
        else:
            ax.plot(result.data[along[0]].values, known[name].values, color=colour, label=name)
        x = measurement.x - shift
        if result.kind == "path":
            x = next(iter(measurement.settings.values()))
        ax.plot(x, measurement.values[name], "o", color=colour, markersize=3, fillstyle="none")
    ax.set_xlabel("row" if along is None else along[1])
    ax.set_ylabel(canvas.label(names[0].partition(":")[0], known[names[0]].units))
    canvas.legend(ax, True)
    return ax


def plot_fit(
    found: Identification, *, measurement: str | None = None, quantity: str | None = None, ax: Axes | None = None
) -> Axes:
    """Plot measured values as dots, and the fitted model's values as lines.

    measurement  default: the first
    quantity     default: all of its first units

    >>> from pliant_fit.identification.example import example
    >>> plot_fit(example()).get_xlabel()
    'row'
    """
    ax = canvas.axes(ax)
    rows = _chosen(found, measurement, quantity)
    for colour, each in zip(canvas.colours(len(rows)), rows, strict=True):
        ax.plot(each.x, each.computed, "-" if each.along != "row" else "x", color=colour, label=each.quantity)
        ax.plot(each.x, each.measured, "o", color=colour, markersize=3, fillstyle="none")
    ax.set_xlabel(rows[0].along)
    ax.set_ylabel(canvas.label(rows[0].quantity.partition(":")[0], rows[0].units))
    canvas.title(ax, f"{rows[0].measurement}: measured (o) and computed")
    canvas.legend(ax, True)
    return ax


def plot_residuals(
    found: Identification, *, measurement: str | None = None, quantity: str | None = None, ax: Axes | None = None
) -> Axes:
    """Plot computed less measured values, and twice the noise on both sides.

    >>> from pliant_fit.identification.example import example
    >>> plot_residuals(example()).get_ylabel()
    'computed less measured [m]'
    """
    ax = canvas.axes(ax)
    rows = _chosen(found, measurement, quantity)
    for each in rows:
        ax.plot(each.x, each.computed - each.measured, "o-", markersize=3, linewidth=0.6, label=each.quantity)
    if np.isfinite(rows[0].noise):
        ax.axhspan(
            -2.0 * rows[0].noise, 2.0 * rows[0].noise, color=canvas.FAINT, zorder=0, label="2 standard deviations"
        )
    ax.set_xlabel(rows[0].along)
    ax.set_ylabel(canvas.label("computed less measured", rows[0].units))
    canvas.title(ax, rows[0].measurement)
    canvas.legend(ax, True)
    return ax


def plot_correlation(found: Identification, *, ax: Axes | None = None) -> Axes:
    """Plot correlations of all estimates as a chart: near 1 or -1 only a combination of two is known.

    >>> from pliant_fit.identification.example import example
    >>> [text.get_text() for text in plot_correlation(example()).get_xticklabels()]
    ['E', 'rho']
    """
    ax = canvas.axes(ax, (5.5, 4.5))
    names = list(found.estimates)
    values = found.correlation.values
    ax.grid(False)
    ax.imshow(np.nan_to_num(values), cmap="RdBu_r", vmin=-1.0, vmax=1.0)
    ax.set_xticks(range(len(names)), names, rotation=45, ha="right")
    ax.set_yticks(range(len(names)), names)
    for (i, j), value in np.ndenumerate(values):
        dark = bool(abs(value) > 0.6)
        ax.annotate(f"{value:.2f}", (j, i), ha="center", va="center", color="white" if dark else "black", fontsize=9)
    canvas.title(ax, "correlation")
    return ax


def _chosen(found: Identification, measurement: str | None, quantity: str | None) -> list[Series]:
    names = list(dict.fromkeys(each.measurement for each in found.series))
    name = canvas.check_names(measurement or names[0], names, "measurement")[0]
    own = [each for each in found.series if each.measurement == name]
    if quantity is not None:
        canvas.check_names(quantity, [each.quantity for each in own], "quantity")
        return [each for each in own if each.quantity == quantity]
    return [each for each in own if each.units == own[0].units]
