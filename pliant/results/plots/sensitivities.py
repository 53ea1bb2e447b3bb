"""Tornado plot of sensitivities: which parameter changes a quantity most."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

from pliant._libraries import xarray as xr
from pliant.errors import OptionError, nearest
from pliant.results.drawing import canvas

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class HasSensitivities(Protocol):
    """Derivatives and relative derivatives along the dimension ``parameter``."""

    @property
    def relative(self) -> xr.Dataset: ...
    @property
    def derivative(self) -> xr.Dataset: ...


def plot_sensitivity(
    found: HasSensitivities, variable: str, *, relative: bool = True, ax: Axes | None = None, **labels: str | float
) -> Axes:
    """Plot the derivatives of one number by all parameters as bars, the largest on top.

    variable  a variable of the sensitivities
    relative  per cent for a per cent of the parameter; otherwise SI units
    labels    selection of one number: ``marker="beam/tip", axis="y"``, ``mode=1``

    >>> from pliant.analyses.derivatives.sensitivity import Sensitivity
    >>> from pliant.model import Parameter
    >>> slopes = xr.Dataset({"stiffness": ("parameter", [-4.5, 9.0])}, {"parameter": ["length", "height"]})
    >>> given = {"length": Parameter("length", 2.0), "height": Parameter("height", 1.0)}
    >>> axes = plot_sensitivity(Sensitivity(xr.Dataset({"stiffness": 3.0}), slopes, given), "stiffness")
    >>> [label.get_text() for label in axes.get_yticklabels()]  # from below
    ['length', 'height']
    """
    data = found.relative if relative else found.derivative
    if variable not in data:
        raise OptionError(
            f"plot_sensitivity: {variable!r} is not among the variables. {nearest(variable, map(str, data))}"
        )
    array = data[variable].sel(labels)
    if array.dims != ("parameter",):
        others = [str(each) for each in array.dims if each != "parameter"]
        raise OptionError(f"plot_sensitivity: {variable} has several numbers: say which {', '.join(others)}.")
    values = np.real(array.values)
    order = np.argsort(np.abs(np.nan_to_num(values)))
    ax = canvas.axes(ax)
    colours = [canvas.COLOURS[0] if value >= 0.0 else canvas.COLOURS[1] for value in values[order]]
    ax.barh(np.arange(values.size), values[order], color=colours)
    ax.set_yticks(np.arange(values.size), [str(name) for name in array["parameter"].values[order]])
    for place, value in enumerate(values[order]):
        ax.annotate(f" {value:.3g} ", (value, place), va="center", ha="left" if value >= 0.0 else "right")
    ax.margins(x=0.2)
    ax.axvline(0.0, color=canvas.GREY, linewidth=0.8)
    told = ", ".join(str(value) for value in labels.values())
    ax.set_xlabel(
        f"change of {variable} ({told}) in % per % of the parameter"
        if relative
        else f"d {variable} ({told}) / d parameter"
    )
    return ax
