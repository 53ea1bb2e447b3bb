"""Plots of studies: vibrations over frequency, Campbell diagrams, basins over two axes, workspaces of robots."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pliant.errors import OptionError
from pliant.results.drawing import canvas
from pliant.results.drawing.canvas import COLOURS
from pliant.results.result import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes

QUANTITIES = ("swing", "highest", "lowest", "mean")
WORKSPACE = ("condition", "limit_margin", "strain", "strain_margin", "softest")
GROWING = 1e-7  # share of an eigenvalue: a smaller real part is rounding
OTHERS = {"elsewhere": "#bbbbbb", "none": "#000000"}


def plot_sweep(result: Result, quantity: str = "swing", *, output: str | None = None, ax: Axes | None = None) -> Axes:
    """Plot a result of `frequency_sweep` over frequency: a colour per amplitude, solid upwards, dashed downwards.

    quantity  "swing", "highest", "lowest" or "mean"
    output    one output; the first by default

    >>> import pliant as pl
    >>> from pliant_gallery.examples import driven_pendulum
    >>> system = pl.compile(driven_pendulum())
    >>> options = {"frequencies_hz": [0.3, 0.4], "amplitudes": [0.1], "outputs": ["angle:arm"]}
    >>> found = pl.frequency_sweep(system, "motor/torque", **options)
    >>> plot_sweep(found).get_xlabel()
    'frequency [Hz]'
    """
    _of_kind("plot_sweep", result, "sweep", "frequency_sweep")
    data = result.data
    canvas.check_names(quantity, QUANTITIES, "quantity")
    known = data["output"].values.tolist()
    name = known[0] if output is None else canvas.check_names(output, known, "output")[0]
    curves, ax = data[quantity].sel(output=name), canvas.axes(ax)
    for k, amplitude in enumerate(data["amplitude"].values):
        for way in data["direction"].values.tolist():
            label = f"{amplitude:g} {data['amplitude'].attrs['units']}, {way}"
            curve, dashes = curves.sel(amplitude=amplitude, direction=way), "-" if way == "up" else "--"
            ax.plot(data["frequency_hz"], curve, label=label, color=COLOURS[k % len(COLOURS)], linestyle=dashes)
    ax.set(xlabel="frequency [Hz]", ylabel=canvas.label(f"{quantity} of {name}", str(curves["output_unit"].values)))
    canvas.title(ax, result.provenance.model)
    canvas.legend(ax, ax.get_legend_handles_labels()[1] != [])
    return ax


def plot_campbell(
    result: Result, *, axes: str = "turning", orders: Sequence[float] = (1.0,), ax: Axes | None = None
) -> Axes:
    """Plot a result of `campbell`: frequencies over the rate of the spin, a colour for every mode.

    axes    "turning" with the mechanism, or "fixed", where each mode has one frequency
    orders  multiples of the rate, drawn dashed; in fixed axes their crossings mark what the spin may excite

    Modes that grow are dotted; critical rates are marked on the abscissa.

    >>> import pliant as pl
    >>> m = pl.Model("arm on a hub")
    >>> ground, arm = m.add(pl.Ground(), pl.Link("arm", length=1.0, mass=1.0, position=(0.1, 0.0)))
    >>> parts = m.add(pl.Revolute(ground.at(0.1, 0), arm.at(s=0)))
    >>> plot_campbell(pl.campbell(pl.compile(m), rates=[1.0, 2.0], modes=1)).get_xlabel()
    'rate of the spin [rad/s]'
    """
    _of_kind("plot_campbell", result, "campbell", "campbell")
    data, ax = result.data, canvas.axes(ax)
    canvas.check_names(axes, ("turning", "fixed"), "axes")
    rates, frequencies = data["rate"].values, data["frequency_hz" if axes == "turning" else "fixed_frequency_hz"].values
    growing = data["eigenvalue"].values.real > GROWING * np.abs(data["eigenvalue"].values)
    for k, colour in enumerate(canvas.colours(frequencies.shape[1])):
        ax.plot(rates, np.where(growing[:, k], np.nan, frequencies[:, k]), color=colour, label=f"mode {k + 1}")
        ax.plot(rates, np.where(growing[:, k], frequencies[:, k], np.nan), color=colour, linestyle=":")
    top = np.nanmax(frequencies, initial=0.0)
    for order in orders:
        ax.plot(rates, order * rates / (2.0 * np.pi), color=canvas.GREY, linestyle="--", linewidth=0.8)
    critical = result.outcome.figures["critical_rates"]
    ax.plot(critical, np.zeros(len(critical)), "k^", clip_on=False, label="critical" if critical else None)
    ax.set(xlabel="rate of the spin [rad/s]", ylabel=f"frequency in {axes} axes [Hz]", ylim=(0.0, 1.05 * top or None))
    canvas.title(ax, result.provenance.model)
    canvas.legend(ax, True)
    return ax


def plot_basins(result: Result, *, ax: Axes | None = None) -> Axes:
    """Plot a result of `basins` over two axes: a colour for every rest, grey for "elsewhere", black for "none".

    Axes of one value are left out. The first of the others is drawn along x.

    >>> import pliant as pl
    >>> from pliant_gallery.examples import lever
    >>> wells = {"right": pl.statics(pl.compile(lever(0.5))), "left": pl.statics(pl.compile(lever(2.6)))}
    >>> released = lambda angle: pl.transient(pl.compile(lever(angle)), end_time=9.0)
    >>> grid = {"angle": [0.1, 1.7], "again": [0.0, 1.0]}
    >>> found = pl.basins(lambda angle, again: released(angle), grid, wells=wells)
    >>> plot_basins(found).get_xlabel()
    'angle'
    """
    from matplotlib.colors import ListedColormap
    from matplotlib.patches import Patch

    _of_kind("plot_basins", result, "basins", "basins")
    well = result.data["well"].squeeze()
    if well.ndim != 2:
        raise OptionError(f"plot_basins: needs a map over two axes, this one is over {', '.join(map(str, well.dims))}.")
    rests = [str(name) for name in result.provenance.settings["wells"]]
    colours = dict(zip(rests, (COLOURS[k % len(COLOURS)] for k in range(len(rests))), strict=True)) | OTHERS
    numbers = np.vectorize(list(colours).index)(well.values)
    x, y = (str(name) for name in well.dims)
    ax = canvas.axes(ax)
    shades = ListedColormap(list(colours.values()))
    ax.pcolormesh(well[x], well[y], numbers.T, cmap=shades, vmin=-0.5, vmax=len(colours) - 0.5, shading="nearest")
    ax.grid(visible=False)
    ax.set(xlabel=x, ylabel=y)
    canvas.title(ax, result.provenance.model)
    found = np.unique(well.values)
    handles = [Patch(color=colour, label=name) for name, colour in colours.items() if name in rests or name in found]
    ax.legend(handles=handles, loc="upper left", bbox_to_anchor=(1.01, 1.0), frameon=False)
    return ax


def plot_workspace(result: Result, quantity: str = "condition", *, ax: Axes | None = None) -> Axes:
    """Plot a result of `Kinetostatics.workspace` over two axes: a quantity in colour where the pose is stable.

    quantity  "condition", "limit_margin", "strain", "strain_margin", "softest" (N/m)

    Unreachable poses are white, unstable ones grey; a line surrounds the usable ones. Axes of one value are left out.
    The first of the others is drawn along x.

    >>> import pliant as pl
    >>> from pliant_gallery.six_rus.kinetostatics import kinetostatics
    >>> found = kinetostatics().workspace({"x": [-0.1, 0.0, 0.1], "z": [0.5, 0.55]})
    >>> plot_workspace(found, "limit_margin").get_xlabel()
    'x [m]'
    """
    from matplotlib.patches import Patch

    _of_kind("plot_workspace", result, "workspace", "Kinetostatics.workspace")
    canvas.check_names(quantity, WORKSPACE, "quantity")
    data = result.data.squeeze()
    values = data[quantity]
    if values.ndim != 2:
        axes = ", ".join(map(str, values.dims)) or "none"
        raise OptionError(f"plot_workspace: needs a grid over two axes, this one is over {axes}.")
    x, y = (str(name) for name in values.dims)
    ax = canvas.axes(ax)
    unstable = np.where(data["reachable"] & ~data["stable"], 1.0, np.nan)
    ax.pcolormesh(data[x], data[y], unstable.T, cmap="Greys", vmin=0.0, vmax=2.0, shading="nearest")
    shown = np.where(data["stable"], values, np.nan)
    mesh = ax.pcolormesh(data[x], data[y], shown.T, cmap="viridis", shading="nearest", norm=_norm(quantity, shown))
    ax.figure.colorbar(mesh, ax=ax, label=canvas.label(quantity.replace("_", " "), str(values.attrs.get("units", "1"))))
    usable = data["usable"].values
    if usable.any() and not usable.all():
        ax.contour(data[x], data[y], usable.T.astype(float), levels=[0.5], colors="#c0392b", linewidths=1.5)
    ax.grid(visible=False)
    ax.set(xlabel=canvas.label(x, _axis_unit(x)), ylabel=canvas.label(y, _axis_unit(y)))
    canvas.title(ax, result.provenance.model)
    if np.any(unstable == 1.0):
        ax.legend(handles=[Patch(color="#969696", label="unstable")], loc="upper right")
    return ax


def _norm(quantity: str, values: np.ndarray) -> Any:
    """Return the scale of colours: logarithmic for condition numbers."""
    from matplotlib.colors import LogNorm

    finite = values[np.isfinite(values)]
    spread = finite.size and finite.min() > 0.0 and finite.max() > 10.0 * finite.min()
    return (
        LogNorm(finite.min(), min(finite.max(), 100.0 * finite.min())) if quantity == "condition" and spread else None
    )


def _axis_unit(name: str) -> str:
    return "m" if name in ("x", "y", "z") else "rad"


def _of_kind(function: str, result: Result, kind: str, maker: str) -> None:
    if result.kind != kind:
        raise OptionError(f"{function}: this is a {result.kind!r} result; give one of {maker}.")
