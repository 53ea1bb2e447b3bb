"""Plots of closed loops: a motion under a controller beside the prediction of the linear design."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from pliant._libraries import xarray as xr
from pliant.errors import OptionError
from pliant.results.drawing import canvas
from pliant.results.drawing.canvas import COLOURS
from pliant.results.result import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_comparison(
    run: Result, prediction: xr.Dataset, *, outputs: str | Sequence[str], axes: Sequence[Axes] | None = None
) -> list[Axes]:
    """Plot outputs above and inputs below: the motion solid, the result of `control.comparison.predict` dashed.

    outputs  names of the linear model's outputs, such as "angle:upper link"; those in one picture share an axis
    axes     two, for outputs and inputs; new ones unless given

    >>> import pliant as pl
    >>> from pliant_gallery.examples import driven_pendulum
    >>> system = pl.compile(driven_pendulum())
    >>> rest = pl.statics(system)
    >>> plant = pl.linearise(system, at=rest, inputs=["motor/torque"], outputs=["angle:arm", "angular_velocity:arm"])
    >>> gain = pl.lqr(plant, outputs={"angle:arm": 100.0}, inputs={"motor/torque": 1.0}, sample_time=0.01)
    >>> controller = pl.state_feedback(gain, outputs=["angle:arm", "angular_velocity:arm"])
    >>> pushed = pl.transient(system, start=rest, push={"arm": 0.1}, end_time=0.1, step=1e-2)
    >>> run = pl.transient(system, start=pushed, end_time=1.0, step=1e-2, controller=controller)
    >>> linear = pl.predict(controller, plant, start=pushed, end_time=1.0)
    >>> len(plot_comparison(run, linear, outputs="angle:arm"))
    2
    """
    if "applied" not in run.data or not {"y", "u"} <= set(prediction):
        raise OptionError("plot_comparison: give a motion with a controller, and what predict or simulate returned.")
    names = canvas.check_names(outputs, prediction["output"].values.tolist(), "output")
    above, below = canvas.pair() if axes is None else axes
    colours = [COLOURS[k % len(COLOURS)] for k in range(max(len(names), run.data.sizes["input"]))]
    for name, colour in zip(names, colours, strict=False):
        above.plot(*_history(run, name), color=colour, label=name)
        above.plot(prediction["time"], prediction["y"].sel(output=name), color=colour, linestyle="--", label="linear")
    for name, colour in zip(run.data["input"].values.tolist(), colours, strict=False):
        applied = run.data["applied"].sel(input=name)
        below.step(run.data["sample"], applied, where="post", color=colour, label=name)
        below.step(prediction["time"], prediction["u"].sel(input=name), where="post", color=colour, linestyle="--")
    above.set_ylabel("outputs")
    below.set(xlabel="time [s]", ylabel="inputs")
    canvas.title(above, run.provenance.model)
    for ax in (above, below):
        canvas.legend(ax, True)
    return [above, below]


def _history(run: Result, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return times and values of an output: of the motion, or as the controller read it."""
    variable, label, *component = name.split(":")
    if variable in run.data and label in run.data[variable][run.data[variable].dims[1]].values:
        array = run.data[variable]
        places = zip(array.dims[1:], (label, *component), strict=True)
        return run.data["time"].values, array.sel(dict(places)).values
    if name in run.data["output"].values:
        return run.data["sample"].values, run.data["measured"].sel(output=name).values
    raise OptionError(
        f"plot_comparison: the motion does not hold {name!r}. Let the controller read it, or leave it out."
    )
