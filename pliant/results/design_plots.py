"""Pictures of designs: what an optimisation tried, and how sure quantities are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

from pliant.errors import OptionError, nearest
from pliant.results import canvas
from pliant.results.result import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MET = 1e-6  # of a bound


class HasRecord(Protocol):
    """What is drawn: an optimum with the record of all designs that were tried."""

    @property
    def record(self) -> Result: ...


def plot_optimum(found: HasRecord, quantity: str | None = None, *, ax: Axes | None = None) -> Axes:
    """A quantity of all designs that were tried, in order: full dots meet the constraints, and the line is the best so
    far. Designs that failed are missing.

    quantity  the goal unless given

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
