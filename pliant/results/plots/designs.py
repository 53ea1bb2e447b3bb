"""Plots of designs: the designs an optimisation tried, and the uncertainty of quantities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from pliant.errors import OptionError, nearest
from pliant.results.drawing import canvas
from pliant.results.result import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BINS = 40
MET = 1e-6  # tolerance of a constraint, relative to its bound


class HasRecord(Protocol):
    """An optimum with the record of all designs that were tried."""

    @property
    def record(self) -> Result: ...


class HasSamples(Protocol):
    """First order and samples of uncertain quantities."""

    @property
    def names(self) -> list[str]: ...
    @property
    def units(self) -> Mapping[str, str]: ...
    @property
    def first_order(self) -> Mapping[str, Any]: ...
    def samples(self, name: str) -> np.ndarray: ...
    def interval(self, name: str, level: float = 0.95) -> tuple[Any, Any]: ...


def plot_uncertainty(
    found: HasSamples,
    quantity: str | None = None,
    *,
    x: Sequence[float] | np.ndarray | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Plot the scatter of a quantity: samples of a number as bars with first order as a bell, of an array the band of
    95 % of the samples.

    quantity  the first by default
    x         what an array runs along

    >>> import pliant as pl
    >>> found = pl.uncertainty(lambda k: 1.0 / k, to={"k": (1.0, 2.0)}, samples=64)
    >>> pl.plot_uncertainty(found).get_xlabel()
    'value'
    """
    name = found.names[0] if quantity is None else quantity
    values = found.samples(name)
    known, (low, high) = found.first_order[name], found.interval(name)
    ax = canvas.axes(ax)
    label = f"{name} ({found.units[name]})" if found.units.get(name) else name
    if values.ndim == 1:
        ax.hist(values, bins=min(BINS, max(8, values.size // 12)), density=True, color=canvas.FAINT, label="samples")
        if known.std > 0.0:
            place = known.mean + known.std * np.linspace(-4.0, 4.0, 200)
            bell = np.exp(-0.5 * ((place - known.mean) / known.std) ** 2) / (known.std * np.sqrt(2.0 * np.pi))
            ax.plot(place, bell, label="first order")
        for edge, said in ((low, "95 % of the samples"), (high, None)):
            ax.axvline(edge, color=canvas.GREY, linestyle=":", label=said)
        ax.set_xlabel(label)
        ax.set_ylabel("density")
    elif values.ndim == 2:
        along = np.arange(values.shape[1]) if x is None else np.asarray(x, float)
        ax.fill_between(along, low, high, color=canvas.COLOURS[5], alpha=0.4, label="95 % of the samples")
        ax.plot(along, np.median(values, axis=0), color=canvas.COLOURS[0], label="median")
        ax.plot(along, known.mean, "--", color=canvas.COLOURS[1], label="at the means")
        ax.set_ylabel(label)
    else:
        raise OptionError(f"plot_uncertainty: {name} has {values.ndim - 1} dimensions; one at most can be drawn.")
    ax.legend()
    return ax


def plot_optimum(found: HasRecord, quantity: str | None = None, *, ax: Axes | None = None) -> Axes:
    """Plot a quantity of all designs that were tried, in order: full dots meet the constraints, the line is the best so
    far. Failed designs are missing.

    quantity  the goal by default

    >>> import pliant as pl
    >>> m = pl.Model("strip")
    >>> h = pl.Parameter("h", 2e-3, low=1e-3, high=4e-3, unit="m")
    >>> ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=0.5, section=pl.Section.rectangle(0.02, h, pl.STEEL)))
    >>> weld = m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)))
    >>> found = pl.optimise(m, minimise="mass", subject_to=["frequency_hz:1 >= 5"], over=["h"])
    >>> pl.plot_optimum(found).get_ylabel()
    'mass (kg)'
    """
    data, kept = found.record.data, found.record.provenance.settings
    names = [str(each) for each in data["quantity"].values]
    name = kept["goal"] if quantity is None else quantity
    if name not in names:
        raise OptionError(f"plot_optimum: {name!r} is no goal and no constraint of this search. {nearest(name, names)}")
    values = np.asarray(data["response"].sel(quantity=name).values, float)
    missed = np.asarray(data["violation"].values, float)
    number, met = np.arange(values.size), missed <= MET
    ax = canvas.axes(ax)
    ax.plot(number[met], values[met], "o", color=canvas.COLOURS[0], label="meets the constraints")
    if np.any(~met & np.isfinite(values)):
        ax.plot(number[~met], values[~met], "o", color=canvas.COLOURS[1], fillstyle="none", label="does not")
    if np.any(met):
        goal = kept["sign"] * np.asarray(data["response"].sel(quantity=kept["goal"]).values, float)
        best = np.minimum.accumulate(np.where(met, goal, np.inf))
        leaders = [int(np.flatnonzero(goal == each)[0]) for each in best[np.isfinite(best)]]
        ax.step(number[np.isfinite(best)], values[leaders], where="post", color=canvas.GREY, label="best so far")
    for bound in kept["constraints"].get(name, []):
        ax.axhline(bound, color=canvas.GREY, linestyle=":", linewidth=0.8)
    ax.set_xlabel("design")
    ax.set_ylabel(f"{name} ({kept['units'][name]})" if kept["units"][name] else name)
    ax.legend()
    return ax
