"""Plots of linear models: frequency responses, errors of a reduction, poles, responses in time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from pliant._libraries import xarray as xr
from pliant.errors import OptionError
from pliant.results.drawing import canvas
from pliant.results.drawing.canvas import GREY

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pliant.control.models.linear_model import LinearModel

Names = str | Sequence[str] | None
STYLES = ("-", "--", ":", "-.")
POINTS = 400
MAX_CURVES = 14


def plot_frequency_response(
    *models: LinearModel, inputs: Names = None, outputs: Names = None, omega: ArrayLike | None = None
) -> list[Axes]:
    """Plot magnitude and phase over frequency (Hz), a curve for every chosen input and output; models by line style.

    omega  rad/s; default: from a tenth of the slowest pole to three times the fastest of the last model
    """
    first, *_ = _checked(models)
    pairs = _pairs(first, inputs, outputs)
    w = _range(models[-1]) if omega is None else np.asarray(omega, float)
    size, phase = canvas.pair()
    for k, model in enumerate(models):
        response = model.frequency_response(w)
        for (given, read), colour in zip(pairs, canvas.colours(len(pairs)), strict=True):
            values = response.sel(input=given, output=read).values
            label = f"{read} / {given}" + (f", model {k + 1}" if len(models) > 1 else "")
            style = {"color": colour, "linestyle": STYLES[k % len(STYLES)]}
            size.loglog(w / (2.0 * np.pi), np.maximum(np.abs(values), 1e-300), label=label, **style)
            phase.semilogx(w / (2.0 * np.pi), np.degrees(np.unwrap(np.angle(values))), **style)
    size.set_ylabel("magnitude [output / input]")
    phase.set(xlabel="frequency [Hz]", ylabel="phase [degrees]")
    canvas.title(size, "frequency response")
    canvas.legend(size, True)
    return [size, phase]


def plot_reduction(model: LinearModel, *, inputs: Names = None, outputs: Names = None) -> list[Axes]:
    """Plot a reduced model beside its full model: magnitudes, and the error relative to the largest magnitude."""
    _checked([model])
    if model.reduction is None:
        raise OptionError("plot_reduction: the model has not been reduced. Give what pl.reduce(...) returned.")
    how, pairs = model.reduction, _pairs(model, inputs, outputs)
    omega = how.response["omega"].values
    mine = model.frequency_response(omega)
    size, wrong = canvas.pair()
    for (given, read), colour in zip(pairs, canvas.colours(len(pairs)), strict=True):
        pick, hertz = {"input": given, "output": read}, omega / (2.0 * np.pi)
        size.loglog(hertz, np.abs(how.response.sel(pick)), color=colour, label=f"{read} / {given}")
        size.loglog(hertz, np.abs(mine.sel(pick)), color=GREY, linestyle="--")
        wrong.loglog(hertz, np.maximum(how.error.sel(pick), 1e-16), color=colour)
    size.plot([], [], color=GREY, linestyle="--", label=f"{len(model.A)} states, {how.method}")
    size.set_ylabel("magnitude [output / input]")
    wrong.set(xlabel="frequency [Hz]", ylabel="error, relative")
    canvas.title(size, f"reduction to {len(model.A)} states")
    canvas.legend(size, True)
    return [size, wrong]


def plot_poles(*models: LinearModel, slowest: int | None = None, ax: Axes | None = None) -> Axes:
    """Plot poles in the complex plane (1/s), the ``slowest`` of each model if given; right of the line motions grow."""
    _checked(models)
    ax = canvas.axes(ax, (6.5, 5.0))
    for k, (model, colour) in enumerate(zip(models, canvas.colours(len(models)), strict=True)):
        values = model.rates(slowest)
        label = f"model {k + 1}" if len(models) > 1 else None
        ax.plot(values.real, values.imag, "x" if k % 2 == 0 else "+", color=colour, markersize=8, label=label)
    ax.axvline(0.0, color=GREY, linewidth=0.8)
    ax.set(xlabel="real part [1/s]", ylabel="imaginary part [rad/s]")
    canvas.title(ax, "poles")
    canvas.legend(ax, len(models) > 1)
    return ax


def plot_response(response: xr.DataArray, *, ax: Axes | None = None) -> Axes:
    """Plot a result of `step_response` or `impulse_response`, a curve for every input and output."""
    if not isinstance(response, xr.DataArray) or set(response.dims) != {"output", "input", "time"}:
        raise OptionError("plot_response: give what step_response() or impulse_response() of a model returned.")
    ax = canvas.axes(ax)
    pairs = [(given, read) for given in response["input"].values for read in response["output"].values]
    for (given, read), colour in zip(pairs, canvas.colours(len(pairs)), strict=True):
        ax.plot(response["time"], response.sel(input=given, output=read), color=colour, label=f"{read} / {given}")
    ax.set(xlabel="time [s]", ylabel="deviation [output / input]")
    canvas.title(ax, "response in time")
    canvas.legend(ax, True)
    return ax


def _checked(models: Sequence[LinearModel]) -> Sequence[LinearModel]:
    if not models or not all(hasattr(model, "frequency_response") for model in models):
        raise OptionError("Give at least one LinearModel, as linearise or reduce returns.")
    return models


def _pairs(model: LinearModel, inputs: Names, outputs: Names) -> list[tuple[str, str]]:
    given = canvas.check_names(model.input_names if inputs is None else inputs, model.input_names, "input")
    read = canvas.check_names(model.output_names if outputs is None else outputs, model.output_names, "output")
    pairs = [(a, b) for a in given for b in read]
    if len(pairs) > MAX_CURVES:
        raise OptionError(
            f"{len(pairs)} curves would be drawn; choose some by inputs= and outputs= ({MAX_CURVES} most)."
        )
    return pairs


def _range(model: LinearModel) -> np.ndarray:
    """Return frequencies (rad/s) that cover a model's poles."""
    size = np.abs(model.rates(None if "A" in model.__dict__ else 10))
    size = size[size > 1e-9 * np.max(size, initial=0.0)]
    high = 3.0 * np.max(size, initial=1.0)
    if model.sample_time is not None:
        high = min(high, np.pi / model.sample_time)
    return np.geomspace(0.1 * np.min(size, initial=10.0), high, POINTS)
