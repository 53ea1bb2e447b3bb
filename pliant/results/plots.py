"""Short plotting functions: a Result in, labelled matplotlib Axes out. Colours are safe for colour-blind readers."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from pliant.errors import OptionError, nearest
from pliant.results import scene
from pliant.results.result import Result
from pliant.results.schema import events, parameter_label, units_of, written

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pliant.results.scene import Array

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""Okabe and Ito (2008), Color Universal Design, without the yellow that is lost on white."""

GREY = "#666666"
MAX_LINES = 14
_LAST = ("axis", "component", "wrench", "energy_kind")  # dimensions that `component` selects from
_SYMBOLS = {"limit point": "o", "bifurcation": "s", "flutter": "D"}
_WORDS = {"N": "axial force N", "V": "shear force V", "M": "bending moment M"}

Names = str | Sequence[str] | None


def plot_history(
    result: Result,
    variable: str,
    *,
    marker: Names = None,
    body: Names = None,
    joint: Names = None,
    line: Names = None,
    component: Names = None,
    ax: Axes | None = None,
) -> Axes:
    """A variable over time, one curve for each of the selected markers, bodies, joints, lines and components.

    `component` chooses x, y of a vector; N, V, M of a resultant; Fx, Fy, M of a reaction; a kind of energy. Without it,
    components with the units of the first are drawn: the forces of a reaction, not its moment.
    """
    if result.kind == "path":
        raise OptionError("a path has points, not times: use plot_path(result, quantity=...)")
    scene.need(result, variable, "time")
    array = result.data[variable].transpose("time", ...)
    for dimension, names in (("marker", marker), ("body", body), ("joint", joint), ("line", line)):
        if names is not None:
            array = _choose(array, dimension, names)
    units = units_of(array)
    if array.dims[-1] in _LAST:
        array, units = _choose_component(array, component)
    elif component is not None:
        raise OptionError(f"{variable}({', '.join(map(str, array.dims))}) has no components to choose from")
    labels = _line_labels(array)
    if len(labels) > MAX_LINES:
        raise OptionError(
            f"{variable} has {len(labels)} curves along {', '.join(map(str, array.dims[1:]))}; at most {MAX_LINES} can "
            "be told apart: choose some with marker=, body=, joint=, line= or component="
        )
    ax = _axes(ax)
    for values, label in zip(array.values.reshape(array.sizes["time"], -1).T, labels, strict=True):
        ax.plot(array["time"].values, values, label=label)
    ax.set(xlabel="time [s]", ylabel=_label(variable.replace("_", " "), units))
    common = ", ".join(
        str(array[dim].values[0]) for dim in array.dims[1:] if dim in array.coords and array[dim].size == 1
    )
    _title(ax, common or result.provenance.model)
    _legend(ax, len(labels) > 1)
    return ax


def plot_path(
    *paths: Result,
    quantity: str,
    marker: str | None = None,
    body: str | None = None,
    joint: str | None = None,
    line: str | None = None,
    component: str | None = None,
    labels: Sequence[str] | None = None,
    swap: bool = False,
    ax: Axes | None = None,
) -> Axes:
    """Bifurcation diagram: a quantity over the parameter of one or several paths, with limit points and bifurcations.

    quantity  a variable, of which marker, body, joint, line and component choose one number a point, as for a history
    labels    names of the paths for the legend
    swap      True: the parameter upwards and the quantity along, as load over deflection

    Stable stretches are solid, unstable ones dashed.
    """
    if not paths:
        raise OptionError("no path to plot; give one or several results of path or branch")
    if labels is not None and (isinstance(labels, str) or len(labels) != len(paths)):
        raise OptionError(f"labels={labels!r}: give one for each of the {len(paths)} paths")
    parameters = dict.fromkeys(_label(*parameter_label(path.data)) for path in paths if path.kind == "path")
    if len(parameters) > 1:
        raise OptionError(f"the paths run over different parameters, {' and '.join(parameters)}; plot them apart")
    names = {"marker": marker, "body": body, "joint": joint, "line": line}
    curves = [_one_number(path, quantity, names, component) for path in paths]
    axis_labels = [*parameters, curves[0][1]]
    ax = _axes(ax)
    for k, (path, colour) in enumerate(zip(paths, _cycle(len(paths)), strict=True)):
        _draw_branch(ax, path, curves[k][0], colour, labels[k] if labels else None, swap)
    if not all(scene.stable_stretches(path).all() for path in paths):
        _explain_dashes(ax, paths)
    for kind in dict.fromkeys(kind for path in paths for kind, _, _ in events(path.data)):
        ax.plot([], [], linestyle="", **_symbol(kind, GREY), label=kind)
    xlabel, ylabel = reversed(axis_labels) if swap else axis_labels
    ax.set(xlabel=xlabel, ylabel=ylabel)
    _title(ax, paths[0].provenance.model)
    _legend(ax, bool(ax.get_legend_handles_labels()[0]))
    return ax


def plot_energy(result: Result, *, component: Names = None, ax: Axes | None = None) -> Axes:
    """Energies over time; `component` chooses kinds (kinetic, potential, ...), all by default."""
    ax = plot_history(result, "energy", component=component, ax=ax)
    _title(ax, result.provenance.model)
    return ax


def plot_shape(
    result: Result,
    *,
    times: Sequence[float] | float | None = None,
    points: Sequence[int] | int | None = None,
    ax: Axes | None = None,
) -> Axes:
    """The mechanism as it stands, or at several instants of a motion (the earlier the fainter) or points of a path.

    `times` takes the nearest outputs; six instants from first to last by default. `points` are numbers of points, six
    spread over the path by default; they are coloured by the parameter, and dashed where unstable.
    """
    parts = scene.parts(result)
    snapshots = _snapshots(result, "shape", times, points)
    ax = _axes(ax, size=(7.5, 5.4))
    if result.kind == "path":
        _draw_path_shapes(ax, result, scene.points(result, points))
        _frame(ax, result.provenance.model)
        return ax
    for label, strength, shape in snapshots:
        for part, colour in zip(parts, part_colours(parts), strict=True):
            name = part.name if label == snapshots[-1][0] else None
            _draw_part(ax, shape, part, color=colour, alpha=strength, label=name)
    draw_ground(ax, scene.ground_points(result))
    if len(snapshots) > 1:
        for label, strength, _ in snapshots:
            ax.plot([], [], color=GREY, linestyle="-", linewidth=2.5, alpha=strength, label=label)
    _frame(ax, result.provenance.model)
    _legend(ax, len(parts) + len(snapshots) > 2)
    return ax


def plot_modes(result: Result, *, modes: Sequence[int] | None = None, scale: float | None = None) -> list[Axes]:
    """Mode shapes, one panel each (the first six by default): solid and faint are half a period apart.

    `scale` multiplies the modes as computed; by default each is scaled to be seen.
    """
    import matplotlib.pyplot as plt

    scene.need(result, "mode_shape", "mode")
    chosen = [int(mode) for mode in (result.data["mode"].values[:6] if modes is None else modes)]
    if not chosen:
        raise OptionError("no modes to plot; give modes=(1, 2, ...)")
    columns = min(3, len(chosen))
    rows = -(-len(chosen) // columns)
    size = (max(4.2 * columns, 5.0), 3.2 * rows + 0.4)
    figure, grid = plt.subplots(rows, columns, figsize=size, layout="constrained", squeeze=False)
    figure.suptitle(f"modes of {result.provenance.model}", parse_math=False)
    for blank in grid.flat[len(chosen) :]:
        blank.set_axis_off()
    panels = list(grid.flat[: len(chosen)])
    for panel, mode in zip(panels, chosen, strict=True):
        _draw_mode(panel, result, mode, scale)
    return panels


def plot_resultants(
    result: Result,
    component: str = "M",
    *,
    beam: Names = None,
    times: Sequence[float] | float | None = None,
    points: Sequence[int] | int | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Axial force N, shear force V or bending moment M along beams, at instants of a motion or points of a path
    (fading).
    """
    scene.need(result, "resultant")
    known = result.data["component"].values.tolist()
    if component not in known:
        raise OptionError(f"there is no resultant {component!r}; choose one of {', '.join(known)}")
    beams = list(dict.fromkeys(result.data["beam"].values.tolist()))
    chosen = beams if beam is None else _known(beam, beams, "beam")
    snapshots = _snapshots(result, "resultant", times, points)
    ax = _axes(ax)
    for label, strength, values in snapshots:
        for colour, name in zip(_cycle(len(chosen)), chosen, strict=True):
            sections = np.flatnonzero(result.data["beam"].values == name)
            s = result.data["section_s"].values[sections]
            line_label = name if label == snapshots[-1][0] else None
            line = values[sections, known.index(component)]
            ax.plot(s, line, color=colour, linestyle="-", alpha=strength, label=line_label)
    if len(snapshots) > 1:
        for label, strength, _ in snapshots:
            ax.plot([], [], color=GREY, linestyle="-", alpha=strength, label=label)
    ax.axhline(0.0, color=GREY, linewidth=0.8, zorder=0)
    units = units_of(result.data["resultant"], component)
    ax.set(
        xlabel="s, position along the beam [fraction of its length]",
        ylabel=_label(_WORDS.get(component, component), units),
    )
    ax.set_xlim(0.0, 1.0)
    _title(ax, result.provenance.model if len(chosen) > 1 else f"{result.provenance.model}, {chosen[0]}")
    _legend(ax, len(chosen) + len(snapshots) > 2)
    return ax


def _axes(ax: Axes | None, size: tuple[float, float] = (8.0, 4.5)) -> Axes:
    """Given axes, or new ones; with our colours and a light grid."""
    if ax is None:
        import matplotlib.pyplot as plt

        ax = plt.subplots(figsize=size, layout="constrained")[1]
    from cycler import cycler

    ax.set_prop_cycle(cycler(linestyle=["-", "--"]) * cycler(color=COLOURS))
    ax.grid(color="#dddddd", linewidth=0.6)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def _title(ax: Axes, text: str) -> None:
    ax.set_title(text, parse_math=False)


def _legend(ax: Axes, wanted: bool) -> None:
    if wanted:
        legend = ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0.0, frameon=False)
        for text in legend.get_texts():
            text.set_parse_math(False)


def _label(words: str, units: str) -> str:
    return words if units == "1" else f"{words} [{units}]"


def _known(names: str | Sequence[str], known: Sequence[str], dimension: str) -> list[str]:
    chosen = [names] if isinstance(names, str) else list(names)
    for name in chosen:
        if name not in known:
            raise OptionError(f"there is no {dimension} {name!r} in this result. {nearest(name, known)}")
    return chosen


def _choose(array: xr.DataArray, dimension: str, names: str | Sequence[str]) -> xr.DataArray:
    if dimension not in array.dims:
        raise OptionError(
            f"{array.name}({', '.join(map(str, array.dims))}) has no dimension {dimension!r} to choose from"
        )
    return array.sel({dimension: _known(names, array[dimension].values.tolist(), dimension)})


def _choose_component(array: xr.DataArray, component: Names) -> tuple[xr.DataArray, str]:
    """The wanted components and their common units; by default those with the units of the first."""
    dimension = str(array.dims[-1])
    known = array[dimension].values.tolist()
    if component is None:
        component = [name for name in known if units_of(array, name) == units_of(array, known[0])]
    chosen = _known(component, known, dimension)
    units = dict.fromkeys(units_of(array, name) for name in chosen)
    if len(units) > 1:
        raise OptionError(f"{', '.join(chosen)} of {array.name} have units {' and '.join(units)}; plot them apart")
    return array.sel({dimension: chosen}), next(iter(units))


def _line_labels(array: xr.DataArray) -> list[str]:
    """One label for each curve, from the labels along the dimensions that are longer than one."""
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


def _snapshots(result: Result, variable: str, times: Any, points: Any) -> list[tuple[str, float, Array]]:
    """Label, strength of colour and values of a variable at each instant or point; one, of full strength, without."""
    array = result.data[variable]
    for name, dimension, given in (("times", "time", times), ("points", "point", points)):
        if given is not None and dimension not in array.dims:
            raise OptionError(
                f"{variable} of this {result.kind} result does not depend on {dimension}; leave {name} out"
            )
    if "time" in array.dims:
        indices, dimension, known = scene.instants(result, times), "time", result.data["time"].values
        labels = [f"t = {known[i]:.4g} s" for i in indices]
    elif "point" in array.dims:
        indices, dimension, known = scene.points(result, points), "point", result.data["parameter"].values
        words, units = parameter_label(result.data)
        labels = [f"{words} = {written(known[i], units, '.4g')}" for i in indices]
    else:
        return [("", 1.0, array.values)]
    strengths = np.linspace(0.25, 1.0, len(indices)) if len(indices) > 1 else [1.0]
    return [
        (label, float(strength), array.isel({dimension: i}).values)
        for label, i, strength in zip(labels, indices, strengths, strict=True)
    ]


def _one_number(path: Result, quantity: str, names: dict[str, str | None], component: str | None) -> tuple[Array, str]:
    """A number for every point of a path, and what to write at its axis: "x position of beam/tip [m]"."""
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
    return array.values.reshape(len(array)), _label(" of ".join([words, *owners]), units)


def _draw_branch(ax: Axes, path: Result, values: Array, colour: str, label: str | None, swap: bool) -> None:
    """A path in stretches of equal stability, and its events."""
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


def _explain_dashes(ax: Axes, paths: Sequence[Result]) -> None:
    """Entries of the legend: solid is stable, dashed is not."""
    unknown = any((path.data["unstable_directions"].values < 0).any() for path in paths)
    ax.plot([], [], color=GREY, linestyle="-", label="stable")
    ax.plot([], [], color=GREY, linestyle="--", label="unstable or not determined" if unknown else "unstable")


def _symbol(kind: str, colour: str) -> dict[str, Any]:
    return {"marker": _SYMBOLS[kind], "markersize": 7.0, "color": colour, "markerfacecolor": "white"}


def _draw_path_shapes(ax: Axes, result: Result, points: Sequence[int]) -> None:
    """Shapes at points of a path, coloured by the parameter; dashed where unstable."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import ListedColormap, Normalize
    from matplotlib.pyplot import get_cmap

    parameter, stable = result.data["parameter"].values, result.data["stable"].values
    colours = ListedColormap(get_cmap("viridis")(np.linspace(0.0, 0.85, 256)))  # without the yellow lost on white
    scale = ScalarMappable(Normalize(min(parameter[points]), max(parameter[points])), colours)
    for point in points:
        for part in scene.parts(result):
            style = "-" if stable[point] else "--"
            shape = result.data["shape"].isel(point=point).values
            _draw_part(ax, shape, part, linestyle=style, color=scale.to_rgba(parameter[point]))
    draw_ground(ax, scene.ground_points(result))
    ax.figure.colorbar(scale, ax=ax, label=_label(*parameter_label(result.data)))
    if not all(stable[points]):
        _explain_dashes(ax, [result])
        ax.legend(loc="best")


def _cycle(count: int) -> list[str]:
    return [COLOURS[i % len(COLOURS)] for i in range(count)]


def part_colours(parts: Sequence[scene.Part]) -> list[str]:
    """A colour for every part, the same in all pictures of a result."""
    return _cycle(len(parts))


def _draw_part(ax: Axes, shape: Array, part: scene.Part, *, linestyle: str = "-", **style: Any) -> None:
    """A part as a line with pins at its ends: beams thin, rigid parts thick; springs and tendons hair lines, with dots
    at their guides.
    """
    line = shape[part.stations]
    width = {"rigid": 3.5, "beam": 2.0, "line": 1.0}[part.kind]
    ax.plot(line[:, 0], line[:, 1], linestyle=linestyle, linewidth=width, solid_capstyle="round", **style)
    style = {**style, "label": None, "linestyle": "", "marker": "o"}
    if part.kind == "line":
        ax.plot(*line[1:-1].T, markersize=2.5, **style)
    else:
        ax.plot(*line[[0, -1]].T, markersize=4.5, markerfacecolor="white", **style)


def draw_ground(ax: Axes, points: Array) -> None:
    """Ground pivots: triangles with their tips at the points."""
    from matplotlib.path import Path

    support = Path([(0, 0), (-0.6, -1), (0.6, -1), (0, 0), (-1, -1), (1, -1)], [1, 2, 2, 2, 1, 2])
    ax.plot(points[:, 0], points[:, 1], linestyle="", marker=support, markersize=22, color=GREY, zorder=1)


def _frame(ax: Axes, title: str) -> None:
    ax.set_aspect("equal", adjustable="datalim")
    ax.margins(0.08)
    ax.set(xlabel="x [m]", ylabel="y [m]")
    _title(ax, title)


def _draw_mode(ax: Axes, result: Result, mode: int, scale: float | None) -> None:
    base = result.data["shape"].values
    displacement = scene.mode_displacement(result, mode, scale).real
    _axes(ax)
    parts = scene.parts(result)
    for part, colour in zip(parts, part_colours(parts), strict=True):
        line = base[part.stations]
        ax.plot(line[:, 0], line[:, 1], color="#aaaaaa", linewidth=1.2, linestyle="--")
        _draw_part(ax, base - displacement, part, color=colour, alpha=0.25)
        _draw_part(ax, base + displacement, part, color=colour)
    draw_ground(ax, scene.ground_points(result))
    title = scene.frequency_label(result, mode)
    ratio = float(result.data["damping_ratio"].sel(mode=mode)) if "damping_ratio" in result.data else 0.0
    if np.isfinite(ratio) and ratio != 0.0:
        title += f", ζ = {100.0 * ratio:.3g} %"
    _frame(ax, title)
