"""Short plotting functions: a Result in, labelled matplotlib Axes out. Colours are safe for colour-blind readers."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pliant._lazy import guarded
from pliant._libraries import xarray as xr
from pliant.errors import OptionError
from pliant.results.drawing import canvas, scene
from pliant.results.drawing.canvas import COLOURS as COLOURS
from pliant.results.drawing.canvas import GREY as GREY
from pliant.results.drawing.overlays import plot_overlay as plot_overlay
from pliant.results.plots.closed_loops import plot_comparison as plot_comparison
from pliant.results.plots.compliance import plot_compliance as plot_compliance
from pliant.results.plots.designs import plot_optimum as plot_optimum
from pliant.results.plots.designs import plot_uncertainty as plot_uncertainty
from pliant.results.plots.maps import plot_basins as plot_basins
from pliant.results.plots.maps import plot_campbell as plot_campbell
from pliant.results.plots.maps import plot_sweep as plot_sweep
from pliant.results.plots.maps import plot_workspace as plot_workspace
from pliant.results.plots.margins import plot_bode as plot_bode
from pliant.results.plots.margins import plot_nyquist as plot_nyquist
from pliant.results.plots.margins import plot_root_locus as plot_root_locus
from pliant.results.plots.sensitivities import plot_sensitivity as plot_sensitivity
from pliant.results.plots.shapes import explain_dashes, explain_fading, snapshots
from pliant.results.plots.shapes import plot_modes as plot_modes
from pliant.results.plots.shapes import plot_shape as plot_shape
from pliant.results.plots.studies import plot_map as plot_map
from pliant.results.plots.studies import plot_parallel as plot_parallel
from pliant.results.plots.studies import plot_response as plot_response
from pliant.results.result import Result
from pliant.results.schema import events, parameter_label, units_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pliant.results.drawing.scene import Array

MAX_LINES = 14
_LAST = (
    "axis",
    "quaternion",
    "component",
    "wrench",
    "momentum_kind",
    "energy_kind",
)  # dimensions that `component` selects from
_SYMBOLS = {"limit point": "o", "bifurcation": "s", "flutter": "D", "end of flutter": "d"}

Names = str | Sequence[str] | None


def plot_history(
    result: Result,
    variable: str,
    *,
    marker: Names = None,
    body: Names = None,
    joint: Names = None,
    line: Names = None,
    contact: Names = None,
    component: Names = None,
    label: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Plot a variable over time, one curve for each of the selected markers, bodies, joints, lines, contacts and
    components; angles in degrees. Variables ``measured`` and ``applied`` of a controller are drawn sample by sample.

    component  x, y, z of a vector; N, V, M of a resultant; Fx, Fy, M of a reaction; a kind of energy. Without it, those
               with the units of the first are drawn: the forces of a reaction, not its moment
    label      put before the names of the curves, to distinguish results in one picture
    ax         axes to draw in, to which colours and legend go on
    """
    if result.kind == "path":
        raise OptionError("a path has points, not times: use plot_path(result, quantity=...)")
    over = "sample" if "sample" in getattr(result.data.get(variable), "dims", ()) else "time"
    scene.need(result, variable, over)
    array = result.data[variable].transpose(over, ...)
    chosen = {"marker": marker, "body": body, "joint": joint, "line": line, "contact": contact}
    for dimension, names in chosen.items():
        if names is not None:
            array = _choose(array, dimension, names)
    return _draw_history(result, _with_values(array), component, label, ax)


def plot_path(
    *paths: Result,
    quantity: str,
    marker: str | None = None,
    body: str | None = None,
    joint: str | None = None,
    line: str | None = None,
    contact: str | None = None,
    component: str | None = None,
    labels: Sequence[str] | None = None,
    swap: bool = False,
    ax: Axes | None = None,
) -> Axes:
    """Plot a bifurcation diagram: a quantity over the parameter of paths, with limit points and bifurcations.

    quantity  a variable, of which marker, body, joint, line, contact and component choose one number a point, as for a
              history
    labels    names of the paths for the legend
    swap      True: the parameter upwards and the quantity along, as load over deflection

    Stable ranges are solid, unstable ones dashed.
    """
    if not paths:
        raise OptionError("no path to plot; give one or several results of path or branch")
    if labels is not None and (isinstance(labels, str) or len(labels) != len(paths)):
        raise OptionError(f"labels={labels!r}: give one for each of the {len(paths)} paths")
    parameters = dict.fromkeys(canvas.label(*parameter_label(path.data)) for path in paths if path.kind == "path")
    if len(parameters) > 1:
        raise OptionError(f"the paths run over different parameters, {' and '.join(parameters)}; plot them apart")
    names = {"marker": marker, "body": body, "joint": joint, "line": line, "contact": contact}
    curves = [_one_number(path, quantity, names, component) for path in paths]
    axis_labels = [*parameters, curves[0][1]]
    ax = canvas.axes(ax)
    for k, (path, colour) in enumerate(zip(paths, canvas.colours(len(paths)), strict=True)):
        _draw_branch(ax, path, curves[k][0], colour, labels[k] if labels else None, swap)
    if not all(scene.stable_stretches(path).all() for path in paths):
        explain_dashes(ax, paths)
    for kind in dict.fromkeys(kind for path in paths for kind, _, _ in events(path.data)):
        ax.plot([], [], linestyle="", **_symbol(kind, GREY), label=kind)
    xlabel, ylabel = reversed(axis_labels) if swap else axis_labels
    ax.set(xlabel=xlabel, ylabel=ylabel)
    canvas.title(ax, paths[0].provenance.model)
    canvas.legend(ax, bool(ax.get_legend_handles_labels()[0]))
    return ax


def plot_energy(result: Result, *, component: Names = None, label: str | None = None, ax: Axes | None = None) -> Axes:
    """Plot the change of energies since the start; `component` chooses kinds (kinetic, ...), all by default."""
    scene.need(result, "energy", "time")
    array = result.data["energy"].transpose("time", ...)
    change = (array - array.isel(time=0, drop=True)).assign_attrs(array.attrs)
    ax = _draw_history(result, change, component, label, ax)
    ax.set_ylabel("energy, change since the start [J]")
    canvas.title(ax, result.provenance.model)
    return ax


def plot_resultants(
    result: Result,
    component: str = "M",
    *,
    beam: Names = None,
    times: Sequence[float] | float | None = None,
    points: Sequence[int] | int | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Plot axial force N, shear force V or bending moment M along beams, at instants of a motion or points of a path
    (fading). In space N, Vy, Vz, the torque T, My, Mz, and the magnitudes V and M.
    """
    array = scene.resultant(result, component)
    beams = list(dict.fromkeys(result.data["beam"].values.tolist()))
    chosen = beams if beam is None else canvas.check_names(beam, beams, "beam")
    moments = snapshots(result, array.rename("resultant"), times, points)
    ax = canvas.axes(ax)
    for when, strength, values in moments:
        for colour, name in zip(canvas.colours(len(chosen)), chosen, strict=True):
            sections = np.flatnonzero(result.data["beam"].values == name)
            s = result.data["section_s"].values[sections]
            line_label = name if when == moments[-1][0] else None
            ax.plot(s, values[sections], color=colour, linestyle="-", alpha=strength, label=line_label)
    explain_fading(ax, moments)
    ax.axhline(0.0, color=GREY, linewidth=0.8, zorder=0)
    ax.set(
        xlabel="s, position along the beam [fraction of its length]",
        ylabel=canvas.label(*scene.resultant_label(result, component)),
    )
    ax.set_xlim(0.0, 1.0)
    canvas.title(ax, result.provenance.model if len(chosen) > 1 else f"{result.provenance.model}, {chosen[0]}")
    canvas.legend(ax, len(chosen) + len(moments) > 2)
    return ax


def _draw_history(result: Result, array: xr.DataArray, component: Names, label: str | None, ax: Axes | None) -> Axes:
    """Add curves of an array (time or sample, ...) to the axes."""
    units = units_of(array)
    if array.dims[-1] in _LAST:
        array, units = _choose_component(array, component)
    elif component is not None:
        raise OptionError(f"{array.name}({', '.join(map(str, array.dims))}) has no components to choose from")
    labels = _line_labels(array)
    if len(labels) > MAX_LINES:
        raise OptionError(
            f"{array.name} has {len(labels)} curves along {', '.join(map(str, array.dims[1:]))}; at most {MAX_LINES} "
            "can be distinguished: choose some with marker=, body=, joint=, line= or component="
        )
    ax = canvas.axes(ax)
    there = ax.get_legend_handles_labels()[1]
    common = ", ".join(
        str(array[dim].values[0]) for dim in array.dims[1:] if dim in array.coords and array[dim].size == 1
    )
    if label is None and (labels == [""] or not set(labels).isdisjoint(there)):
        label = common or (str(array.name) if labels == [""] else None)
    words, (drawn, units) = str(array.name).replace("_", " "), canvas.display_units(array.values, units)
    instants = array[array.dims[0]]
    style: Any = "steps-post" if instants.name == "sample" else "default"
    for values, name in zip(drawn.reshape(len(instants), -1).T, labels, strict=True):
        ax.plot(instants.values, values, label=f"{label or ''} {name}".strip(), drawstyle=style)
    ax.set(xlabel="time [s]", ylabel=canvas.label(words, units))
    canvas.title(ax, result.provenance.model if there else common or result.provenance.model)
    canvas.legend(ax, len(there) + len(labels) > 1)
    return ax


def _choose(array: xr.DataArray, dimension: str, names: str | Sequence[str]) -> xr.DataArray:
    if dimension not in array.dims:
        raise OptionError(
            f"{array.name}({', '.join(map(str, array.dims))}) has no dimension {dimension!r} to choose from"
        )
    chosen = canvas.check_names(names, array[dimension].values.tolist(), dimension)
    if dimension != array.dims[-1]:
        return array.sel({dimension: chosen})
    return array.sel({dimension: chosen}).assign_attrs(units=_common_units(array, chosen))


def _with_values(array: xr.DataArray) -> xr.DataArray:
    """Leave out labels without any values, such as joints without a drive; the others have common units."""
    last = str(array.dims[-1])
    if "nan_means" not in array.attrs or last not in array.coords:
        return array
    there = ~np.isnan(array.values).reshape(-1, array.sizes[last]).all(axis=0)
    return _choose(array, last, array[last].values[there].tolist()) if there.any() else array


def _choose_component(array: xr.DataArray, component: Names) -> tuple[xr.DataArray, str]:
    """Return the wanted components and their common units; by default all with the units of the first."""
    dimension = str(array.dims[-1])
    known = array[dimension].values.tolist()
    if component is None:
        component = [name for name in known if units_of(array, name) == units_of(array, known[0])]
    chosen = canvas.check_names(component, known, dimension)
    return array.sel({dimension: chosen}), _common_units(array, chosen)


def _common_units(array: xr.DataArray, chosen: Sequence[str]) -> str:
    """Return the units of some labels along the last dimension; raise if they differ."""
    units = dict.fromkeys(units_of(array, name) for name in chosen)
    if len(units) > 1:
        raise OptionError(f"{', '.join(chosen)} of {array.name} have units {' and '.join(units)}; plot them apart")
    return next(iter(units))


def _line_labels(array: xr.DataArray) -> list[str]:
    """Return one label for each curve, from the labels along dimensions longer than one."""
    names = [_labels_along(array, str(dim)) if array.sizes[dim] > 1 else [""] for dim in array.dims[1:]]
    labels = [""]
    for along in names:
        labels = [f"{label} {name}".strip() for label in labels for name in along]
    return labels


def _labels_along(array: xr.DataArray, dimension: str) -> list[str]:
    if dimension == "section":
        return [f"{b} s={s:.3g}" for b, s in zip(array["beam"].values, array["section_s"].values, strict=True)]
    values = array[dimension].values if dimension in array.coords else range(array.sizes[dimension])
    return [str(value) for value in values]


def _one_number(path: Result, quantity: str, names: dict[str, str | None], component: str | None) -> tuple[Array, str]:
    """Return one number for every point of a path, and the text at its axis: "x position of beam/tip [m]"."""
    scene.need(path, quantity, "point")
    array = path.data[quantity].transpose("point", ...)
    for dimension, name in names.items():
        if name is not None:
            array = _choose(array, dimension, name)
    units = units_of(array)
    if array.dims[-1] in _LAST and component is not None:
        array, units = _choose_component(array, component)
    choices = [str(dim) for dim in array.dims[1:] if array.sizes[dim] > 1]
    if choices:
        known = ", ".join(_labels_along(array, choices[0])[:MAX_LINES])
        raise OptionError(f"{quantity} has several values a point, along {choices[0]}: choose one of {known}")
    last = array.dims[-1] in _LAST
    labels = [_labels_along(array, str(dim))[0] for dim in array.dims[1:]]
    words = " ".join([*(labels[-1:] if last else []), quantity.replace("_", " ")])
    owners = labels[:-1] if last else labels
    values, units = canvas.display_units(array.values.reshape(len(array)), units)
    return values, canvas.label(" of ".join([words, *owners]), units)


def _draw_branch(ax: Axes, path: Result, values: Array, colour: str, label: str | None, swap: bool) -> None:
    """Draw a path in ranges of equal stability, and its events."""
    parameter, stable = path.data["parameter"].values, scene.stable_stretches(path)
    x, y = (values, parameter) if swap else (parameter, values)
    starts = [0, *(np.flatnonzero(np.diff(stable)) + 1).tolist(), len(stable)]
    for first, last in itertools.pairwise(starts):
        style = "-" if stable[first:last].all() else "--"
        ax.plot(x[first : last + 1], y[first : last + 1], color=colour, linestyle=style, label=label)
        label = None
    if len(x) == 1:
        ax.plot(x, y, color=colour, marker=".")
    for kind, _, point in events(path.data):
        ax.plot(x[point], y[point], linestyle="", zorder=3, **_symbol(kind, colour))


def _symbol(kind: str, colour: str) -> dict[str, Any]:
    return {"marker": _SYMBOLS[kind], "markersize": 7.0, "color": colour, "markerfacecolor": "white"}


for _name in [each for each in globals() if each.startswith("plot_")]:
    globals()[_name] = guarded(globals()[_name], __name__, _name)
