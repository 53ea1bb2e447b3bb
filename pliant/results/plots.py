"""Short plotting functions: a Result in, labelled matplotlib Axes out. Colours are safe for colour-blind readers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from pliant.errors import OptionError, nearest
from pliant.results import scene
from pliant.results.result import Result
from pliant.results.schema import units_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pliant.results.scene import Array

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""Okabe and Ito (2008), Color Universal Design, without the yellow that is lost on white."""

GREY = "#666666"
MAX_LINES = 14
_LAST = ("axis", "component", "wrench", "energy_kind")  # dimensions that `component` selects from
_WORDS = {"N": "axial force N", "V": "shear force V", "M": "bending moment M"}

Names = str | Sequence[str] | None


def plot_history(
    result: Result,
    variable: str,
    *,
    marker: Names = None,
    body: Names = None,
    joint: Names = None,
    component: Names = None,
    ax: Axes | None = None,
) -> Axes:
    """A variable over time, one line for each of the selected markers, bodies, joints and components.

    `component` chooses x, y of a vector; N, V, M of a resultant; Fx, Fy, M of a reaction; a kind of energy. Without it,
    components with the units of the first are drawn: the forces of a reaction, not its moment.
    """
    scene.need(result, variable, "time")
    array = result.data[variable].transpose("time", ...)
    for dimension, names in (("marker", marker), ("body", body), ("joint", joint)):
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
            "be told apart: choose some with marker=, body=, joint= or component="
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


def plot_energy(result: Result, *, component: Names = None, ax: Axes | None = None) -> Axes:
    """Energies over time; `component` chooses kinds (kinetic, potential, ...), all by default."""
    ax = plot_history(result, "energy", component=component, ax=ax)
    _title(ax, result.provenance.model)
    return ax


def plot_shape(result: Result, *, times: Sequence[float] | float | None = None, ax: Axes | None = None) -> Axes:
    """The mechanism as it stands, or at several instants of a motion, the earlier the fainter.

    `times` takes the nearest outputs; six instants from first to last by default.
    """
    parts = scene.parts(result)
    snapshots = _snapshots(result, "shape", times)
    ax = _axes(ax, size=(7.5, 5.4))
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
    ax: Axes | None = None,
) -> Axes:
    """Axial force N, shear force V or bending moment M along beams, at several instants of a motion (fading)."""
    scene.need(result, "resultant")
    known = result.data["component"].values.tolist()
    if component not in known:
        raise OptionError(f"there is no resultant {component!r}; choose one of {', '.join(known)}")
    beams = list(dict.fromkeys(result.data["beam"].values.tolist()))
    chosen = beams if beam is None else _known(beam, beams, "beam")
    snapshots = _snapshots(result, "resultant", times)
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


def _snapshots(result: Result, variable: str, times: Any) -> list[tuple[str, float, Array]]:
    """Label, strength of colour and values of a variable at each instant; one of full strength if there is no time."""
    array = result.data[variable]
    if "time" not in array.dims:
        if times is not None:
            raise OptionError(f"{variable} of this {result.kind} result does not depend on time; leave times out")
        return [("", 1.0, array.values)]
    indices = scene.instants(result, times)
    strengths = np.linspace(0.25, 1.0, len(indices)) if len(indices) > 1 else [1.0]
    known = result.data["time"].values
    return [
        (f"t = {known[i]:.4g} s", float(strength), array.isel(time=i).values)
        for i, strength in zip(indices, strengths, strict=True)
    ]


def _cycle(count: int) -> list[str]:
    return [COLOURS[i % len(COLOURS)] for i in range(count)]


def part_colours(parts: Sequence[scene.Part]) -> list[str]:
    """A colour for every part, the same in all pictures of a result."""
    return _cycle(len(parts))


def _draw_part(ax: Axes, shape: Array, part: scene.Part, **style: Any) -> None:
    """A part as a line with pins at its ends: beams thin, rigid parts thick."""
    line = shape[part.stations]
    width = 2.0 if part.is_beam else 3.5
    ax.plot(line[:, 0], line[:, 1], linestyle="-", linewidth=width, solid_capstyle="round", **style)
    ends = line[[0, -1]]
    style = {**style, "label": None}
    ax.plot(ends[:, 0], ends[:, 1], linestyle="", marker="o", markersize=4.5, markerfacecolor="white", **style)


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
