"""Plots of studies of many runs: maps over two quantities, response curves with quantiles, parallel coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pliant._libraries import xarray as xr
from pliant.errors import OptionError, nearest
from pliant.results.drawing import canvas
from pliant.results.drawing.canvas import COLOURS, GREY
from pliant.results.result import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MARKS = ("status", "stable", "other_branch", "warnings", "reason")
FAILED = 3  # status of a failed run
MOST_LINES = 2000
MAP = "viridis"


def plot_map(
    result: Result, quantity: str, *, x: str | None = None, y: str | None = None, ax: Axes | None = None
) -> Axes:
    """Plot a quantity of a study in colour over two of its parameters: a mesh for a grid, otherwise a dot a run. A
    study over one parameter is drawn as a curve.

    quantity  a number or text of the runs, or "stable" or "status"
    x, y      varied parameters; default: the first two. Other axes of a grid must have one value

    Failed runs are crosses; unstable answers have a ring, answers on another branch a dot.

    >>> import pliant as pl
    >>> found = pl.study(lambda a, b: {"product": a * b}, over={"a": [1.0, 2.0], "b": [0.0, 1.0]}, on="threads")
    >>> plot_map(found, "product").get_ylabel()
    'b'
    """
    data, names = _runs("plot_map", result)
    if len(names) == 1 and y is None:
        return _plot_curve(result, data, quantity, x or names[0], ax)
    x, y = x or names[0], y or (names[1] if len(names) > 1 else "")
    for name in (x, y):
        _one_of("plot_map", name, names)
    values = _of(data, quantity)
    ax = canvas.axes(ax)
    grid = result.data[quantity].squeeze()
    if {str(name) for name in grid.dims} == {x, y} and grid.dtype.kind in "fiub":
        shown = grid.transpose(y, x)
        mesh = ax.pcolormesh(grid[x], grid[y], shown, shading="nearest", cmap=MAP)
        ax.figure.colorbar(mesh, ax=ax, label=_label(data, quantity))
    elif values.dtype.kind in "OUSb":
        for k, word in enumerate(sorted(set(values.astype(str)) - {""})):
            here = values.astype(str) == word
            ax.scatter(data[x][here], data[y][here], s=14, color=COLOURS[k % len(COLOURS)], label=word, zorder=2)
    else:
        dots = ax.scatter(data[x], data[y], c=values, s=14, cmap=MAP, zorder=2)
        ax.figure.colorbar(dots, ax=ax, label=_label(data, quantity))
    _mark(ax, data, x, y)
    ax.set(xlabel=_label(data, x), ylabel=_label(data, y))
    canvas.title(ax, result.provenance.model)
    canvas.legend(ax, bool(ax.get_legend_handles_labels()[1]))
    return ax


def _plot_curve(result: Result, data: xr.Dataset, quantity: str, x: str, ax: Axes | None) -> Axes:
    """Plot a quantity over the only varied parameter; without a line where it is a text, or a run failed."""
    values, order = _of(data, quantity), np.argsort(data[x].values, kind="stable")
    ax = canvas.axes(ax)
    line = "-" if values.dtype.kind in "fiu" else ""
    ax.plot(data[x].values[order], values[order], linestyle=line, marker="o", markersize=4.0, color=COLOURS[0])
    if line:
        _mark(ax, data, x, quantity)
        canvas.legend(ax, True)
    ax.set(xlabel=_label(data, x), ylabel=_label(data, quantity))
    canvas.title(ax, result.provenance.model)
    return ax


def plot_response(
    result: Result,
    quantity: str,
    *,
    x: str | None = None,
    quantiles: Sequence[float] = (0.05, 0.25),
    ax: Axes | None = None,
) -> Axes:
    """Plot the median of a quantity over a varied parameter, or its own dimension (time), with quantile bands.

    x          a varied parameter, by default the first; or a dimension of the quantity, preferred if it has one
    quantiles  bands reach from q to 1 - q

    At every value of x all runs are pooled over the other parameters. If values are all different, as of random
    designs, they are grouped into equally many runs. Failed runs are left out.

    >>> import pliant as pl
    >>> over = {"a": [1.0, 2.0, 3.0], "b": [0.0, 1.0, 2.0]}
    >>> found = pl.study(lambda a, b: {"sum_of": a + b}, over=over, on="threads")
    >>> plot_response(found, "sum_of", x="a").lines[0].get_ydata().tolist()
    [2.0, 3.0, 4.0]
    """
    if any(not 0.0 < q < 0.5 for q in quantiles):
        raise OptionError(f"quantiles={quantiles!r}: give numbers between 0 and 0.5.")
    data, names = _runs("plot_response", result)
    own = [str(name) for name in data[quantity].dims if name != "run"] if quantity in data else []
    x = x or (own or names)[0]
    values = _of(data, quantity)
    if values.dtype.kind not in "fiub":
        raise OptionError(f"plot_response: {quantity!r} is no number. Draw it with plot_map.")
    if x in own:
        if len(own) > 1:
            raise OptionError(f"plot_response: {quantity!r} is over {', '.join(own)}; keep one of them in the study.")
        places, groups = data[x].values, list(values.T)
    else:
        _one_of("plot_response", x, names)
        places, groups = _grouped(np.asarray(data[x].values, float), values)
    ax = canvas.axes(ax)
    spread = [np.nanquantile(groups_at, [0.5, *quantiles, *(1.0 - np.array(quantiles))]) for groups_at in groups]
    table = np.array(spread)
    ax.plot(places, table[:, 0], color=COLOURS[0], linestyle="-", label="median")
    for k, q in enumerate(quantiles):
        low, high = table[:, 1 + k], table[:, 1 + len(quantiles) + k]
        ax.fill_between(places, low, high, color=COLOURS[0], alpha=0.2, linewidth=0.0, label=f"{1 - 2 * q:.0%} of runs")
    ax.set(xlabel=_label(data, x), ylabel=_label(data, quantity))
    canvas.title(ax, result.provenance.model)
    canvas.legend(ax, True)
    return ax


def plot_parallel(
    result: Result, names: Sequence[str] = (), *, colour: str | None = None, ax: Axes | None = None
) -> Axes:
    """Plot every run as a line through its values: one upright axis for each parameter and quantity.

    names   axes in order; default: all numbers of the study
    colour  by which lines are coloured; the last name unless given

    Failed runs are left out. If there are more than 2,000 runs, 2,000 are drawn, evenly chosen.

    >>> import pliant as pl
    >>> found = pl.study(lambda a: {"square": a * a}, over={"a": [1.0, 2.0, 3.0]}, on="threads")
    >>> [label.get_text().splitlines()[0] for label in plot_parallel(found).get_xticklabels()]
    ['a', 'square']
    """
    from matplotlib.cm import ScalarMappable
    from matplotlib.collections import LineCollection
    from matplotlib.colors import Normalize

    data, varied = _runs("plot_parallel", result)
    numbers = [str(k) for k, v in data.data_vars.items() if v.dims == ("run",) and v.dtype.kind == "f"]
    given = list(names) or [*(name for name in varied if data[name].dtype.kind in "fiu"), *numbers]
    for name in given:
        _one_of("plot_parallel", name, [*varied, *numbers])
    table = np.array([np.asarray(data[name].values, float) for name in given])
    table = table[:, (data["status"].values != FAILED) & np.isfinite(table).all(axis=0)]
    if len(given) < 2 or not table.size:
        raise OptionError("plot_parallel: there are no two numbers, or no run that has them all.")
    table = table[:, np.unique(np.linspace(0, table.shape[1] - 1, MOST_LINES).astype(int))]
    low, high = table.min(axis=1), table.max(axis=1)
    heights = (table - low[:, None]) / np.where(high > low, high - low, 1.0)[:, None]
    heights[high == low] = 0.5
    by = given.index(colour) if colour in given else len(given) - 1
    ax = canvas.axes(ax, (max(6.0, 1.6 * len(given)), 4.5))
    norm = Normalize(low[by], high[by])
    lines = np.stack([np.broadcast_to(np.arange(len(given)), heights.T.shape), heights.T], axis=-1)
    ax.add_collection(LineCollection(list(lines), array=table[by], cmap=MAP, norm=norm, linewidths=0.8, alpha=0.7))
    for k in range(len(given)):
        ax.axvline(k, color=GREY, linewidth=0.8)
        for height, value in ((-0.02, low[k]), (1.02, high[k])):
            ax.text(k, height, f"{value:.4g}", ha="center", va="top" if height < 0 else "bottom", fontsize=8)
    ax.set(xlim=(-0.3, len(given) - 0.7), ylim=(-0.12, 1.12), yticks=[])
    ax.set_xticks(range(len(given)), [_label(data, name).replace(" [", "\n[") for name in given], parse_math=False)
    ax.grid(visible=False)
    ax.spines[["left", "bottom"]].set_visible(False)
    ax.figure.colorbar(ScalarMappable(norm, MAP), ax=ax, label=_label(data, given[by]))
    canvas.title(ax, result.provenance.model)
    return ax


def _runs(function: str, result: Result) -> tuple[xr.Dataset, list[str]]:
    """Return the study along "run", and the names of its varied parameters."""
    if result.kind != "study":
        raise OptionError(f"{function}: this is a {result.kind!r} result; give one of study.")
    data = result.data
    grid = [str(name) for name in data["status"].dims if name != "run"]
    if grid:
        data = data.stack(run=grid, create_index=False).transpose("run", ...)
    names = [str(name) for name in data.coords if data[name].dims == ("run",) and name != "run"]
    return data, names


def _one_of(function: str, name: str, names: Sequence[str]) -> None:
    if name not in names:
        raise OptionError(f"{function}: there is no {name!r} in this study. {nearest(name, names)}")


def _of(data: xr.Dataset, quantity: str) -> np.ndarray:
    """Return the values of a quantity, one a run."""
    if quantity not in data.data_vars:
        raise OptionError(f"there is no {quantity!r} in this study. {nearest(quantity, map(str, data.data_vars))}")
    return np.asarray(data[quantity].values)


def _label(data: xr.Dataset, name: str) -> str:
    return canvas.label(name, str(data[name].attrs.get("units", "1")))


def _mark(ax: Axes, data: xr.Dataset, x: str, y: str) -> None:
    """Mark runs that failed, are unstable or on another branch."""
    kinds: dict[str, tuple[Any, dict[str, Any]]] = {
        "failed": (data["status"] == FAILED, {"marker": "x", "color": "#c0392b"}),
        "unstable": (data["stable"] == 0, {"marker": "o", "facecolor": "none", "edgecolor": "#000000", "s": 34}),
        "other branch": (data["other_branch"], {"marker": ".", "color": "#000000", "s": 6}),
    }
    for word, (chosen, style) in kinds.items():
        here = np.asarray(chosen.values, bool)
        if here.any():
            ax.scatter(data[x].values[here], data[y].values[here], label=word, zorder=3, linewidths=0.8, **style)


def _grouped(x: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, list[np.ndarray]]:
    """Group values by x; if hardly any x repeats, into groups of equally many runs."""
    known = np.isfinite(values)
    x, values = x[known], values[known]
    if not x.size:
        raise OptionError("plot_response: no run has this number.")
    places = np.unique(x)
    if places.size <= x.size // 2:
        return places, [values[x == place] for place in places]
    order = np.array_split(np.argsort(x, kind="stable"), max(1, int(np.sqrt(x.size))))
    return np.array([x[group].mean() for group in order]), [values[group] for group in order]
