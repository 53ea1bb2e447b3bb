"""Plots of the mechanism itself: at rest, at instants, along a path, in its modes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pliant._libraries import xarray as xr
from pliant.errors import OptionError
from pliant.results.drawing import canvas, scene
from pliant.results.drawing.canvas import GREY
from pliant.results.drawing.overlays import (
    arrows_of,
    draw_arrows,
    draw_coloured,
    draw_ghost,
    ghost_of,
    quantity_of,
    viewing_angles,
)
from pliant.results.drawing.parts import colours_of, looks
from pliant.results.drawing.pictured import Pictured, result_to_draw
from pliant.results.drawing.placing import write_names
from pliant.results.drawing.view import (
    Angles,
    View,
    draw_clamps,
    draw_ground,
    draw_part,
    draw_solids,
    draw_traces,
    view_of,
)
from pliant.results.names import JOINT, MARKER, PART, joint_names, open_joints, part_names
from pliant.results.result import Result
from pliant.results.schema import format_value, parameter_label
from pliant.results.traces import traces as traced

OPEN = "#d62728"
"""Colour of joints that cannot be closed."""
SIZES = "viridis"
"""Colours of how far something moves."""
ACROSS, AROUND = 5.0, 1.0  # inches: width of the mechanism, and space of labels and title above and below it
LOWEST, HIGHEST = 2.6, 6.0  # inches

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pliant.results.drawing.scene import Array


def plot_shape(
    result: Pictured,
    *,
    times: Sequence[float] | float | None = None,
    points: Sequence[int] | int | None = None,
    traces: Sequence[str] | str = (),
    arrows: Sequence[str] | str = (),
    ghost: bool | Pictured = False,
    colour: str = "part",
    limit: float | None = None,
    view: Angles = None,
    ax: Axes | None = None,
) -> Axes:
    """Plot the mechanism at rest, or at several instants of a motion (earlier ones fainter) or points of a path.

    `result` may be a model or a compiled system too, before anything is solved: it is drawn as assembled, with the
    names of its parts, and in red the joints that cannot be closed. Of modes the first is drawn (`plot_modes` draws
    several).

    `times` takes the nearest outputs; six instants from first to last by default. `points` are numbers of points, six
    spread over the path by default; they are coloured by the parameter, and dashed where unstable. `traces` are markers
    whose lines over the whole motion or path are drawn. `view` of a spatial result: "3d", "xy", "xz", "yz", or
    (elevation, azimuth) in degrees.

    `arrows`: "velocity" of markers, "force" of joints, or both. `ghost`: True for where a motion or path begins, or a
    model, system or result to be drawn behind, in grey. `colour`: "part", or a quantity such as "strain", "bending
    moment", "tension", of the last instant; what is above the `limit` of it is red.
    """
    result = result_to_draw(result)
    own = ax is None
    parts = scene.parts(result)
    moments = snapshots(result, result.data["shape"], times, points)
    seen = view_of(result, view, ax)
    if ax is None:
        import matplotlib.pyplot as plt

        ax = seen.panels(plt.figure(figsize=(7.5, 5.4), layout="constrained"))[0, 0]
    elif seen.angles is None:
        canvas.axes(ax)
    behind, pointing, frames = ghost_of(result, ghost), arrows_of(result, arrows), _frames(result, times, points)
    if behind is not None:
        draw_ghost(ax, seen, behind)
    if colour != "part":
        draw_coloured(ax, seen, result, frames[-1:], quantity_of(result, colour), limit)
        draw_ground(ax, seen, scene.supports(result))
        canvas.legend(ax, True, below=True)
    elif limit is not None:
        raise OptionError(f"limit={limit!r}: give the quantity that it limits too, such as colour='strain'.")
    elif result.kind == "path":
        _draw_path_shapes(ax, seen, result, scene.points(result, points))
    elif result.kind == "modes":
        _draw_mode(ax, seen, result, scene.mode_displacement(result, int(result.data["mode"].values[0]), None).real)
    else:
        bodies, welds, paints = scene.solids(result), scene.clamps(result), colours_of(parts)
        for label, strength, shape in moments:
            draw_solids(ax, seen, shape, bodies, paints, strength)
            draw_clamps(ax, seen, shape, welds, strength)
            for part, (paint, name) in zip(parts, looks(parts), strict=True):
                entry = name if label == moments[-1][0] else None
                draw_part(ax, seen, shape, part, color=paint, alpha=strength, label=entry)
        draw_ground(ax, seen, scene.supports(result))
        for name, ends in open_joints(result):
            ax.plot(*seen.of(ends).T, color=OPEN, linestyle=":", marker="x", zorder=4, label=f"{name} is open")
        explain_fading(ax, moments, linewidth=2.5)
        canvas.legend(ax, len(parts) + len(moments) > 2 or behind is not None)
    draw_traces(ax, seen, traced(result, traces))
    if pointing:
        shapes = result.data["shape"].values
        draw_arrows(ax, seen, pointing, frames[-1:] if colour != "part" else frames, scene.extent(shapes))
        canvas.legend(ax, True, below=colour != "part" or result.kind == "path")
    seen.frame(ax)
    canvas.title(ax, ", ".join([result.provenance.model, *_instant(result, moments, colour)]))
    if own and seen.angles is None:
        _fit_height(ax)
    if result.kind == "sketch":
        _name_parts(ax, seen, result)
    return ax


def _instant(result: Result, moments: Sequence[tuple[str, float, Array]], colour: str) -> list[str]:
    """Describe in the title which instant of a result one shape shows."""
    if result.kind == "modes":
        return [_mode_title(result, int(result.data["mode"].values[0]))]
    return [moments[-1][0]] if moments[-1][0] and (len(moments) == 1 or colour != "part") else []


def _fit_height(ax: Any) -> None:
    """Make the figure hardly higher than its contents."""
    box = ax.dataLim
    if box.width > 0.0:
        ax.figure.set_figheight(min(max(ACROSS * 1.16 * box.height / box.width + AROUND, LOWEST), HIGHEST))


def _frames(result: Result, times: Any, points: Any) -> list[int]:
    """Return numbers of the instants or points that are drawn; 0 for a result at rest."""
    if "time" in result.data["shape"].dims:
        return scene.instants(result, times)
    return scene.points(result, points) if "point" in result.data["shape"].dims else [0]


def _name_parts(ax: Any, seen: View, result: Result) -> None:
    """Write names of bodies, beams and lines beside them, of joints and markers."""
    shape = result.data["shape"].values
    lines = {part.name: part.line(shape) for part in scene.parts(result) if len(part.weights)}
    looks = {PART: {"color": "black"}} | {key: {"color": GREY} for key in (JOINT, MARKER)}
    write_names(ax, seen, [*part_names(result, shape), *joint_names(result)], lines, looks)


def plot_modes(
    result: Result,
    *,
    modes: Sequence[int] | None = None,
    scale: float | None = None,
    view: Angles = None,
    colour: str = "part",
) -> list[Axes]:
    """Plot mode shapes, one panel each (the first six by default): solid and faint are half a period apart. Return the
    axes of all panels as a list, also if there is only one; their figure is ``[0].figure``.

    `scale` multiplies the modes as computed; by default each is scaled to be visible. `view` as in `plot_shape`;
    default: one from which all of them are visible. `colour`: "part", each part in its own; "size", by the displacement
    relative to the largest.
    """
    import matplotlib.pyplot as plt

    scene.need(result, "mode_shape", "mode")
    if colour not in ("part", "size"):
        raise OptionError(f"colour={colour!r} is not known: give 'part' or 'size'.")
    chosen = [int(mode) for mode in (result.data["mode"].values[:6] if modes is None else modes)]
    if not chosen:
        raise OptionError("no modes to plot; give modes=(1, 2, ...)")
    shapes = [scene.mode_displacement(result, mode, scale).real for mode in chosen]
    seen = view_of(result, view)
    if view is None and seen.angles is not None:
        seen = view_of(result, viewing_angles(shapes, seen.angles))
    columns = min(3, len(chosen))
    rows = -(-len(chosen) // columns)
    height = 4.0 if seen.angles else 3.2
    figure = plt.figure(figsize=(max(4.2 * columns, 5.0), height * rows + 0.4), layout="constrained")
    grid = seen.panels(figure, rows, columns)
    figure.suptitle(f"modes of {result.provenance.model}", parse_math=False)
    for blank in grid.flat[len(chosen) :]:
        blank.set_axis_off()
    panels = list(grid.flat[: len(chosen)])
    for panel, mode, displacement in zip(panels, chosen, shapes, strict=True):
        (_draw_sizes if colour == "size" else _draw_mode)(panel, seen, result, displacement)
        canvas.title(panel, _mode_title(result, mode))
    if colour == "size":
        figure.colorbar(plt.cm.ScalarMappable(cmap=SIZES), ax=panels, label="displacement, of the largest", shrink=0.8)
    return panels


def snapshots(result: Result, array: xr.DataArray, times: Any, points: Any) -> list[tuple[str, float, Array]]:
    """Return label, strength of colour and values of an array at each instant or point; without them only one."""
    for name, dimension, given in (("times", "time", times), ("points", "point", points)):
        if given is not None and dimension not in array.dims:
            raise OptionError(
                f"{array.name} of this {result.kind} result does not depend on {dimension}; leave {name} out"
            )
    if "time" in array.dims:
        indices, dimension, known = scene.instants(result, times), "time", result.data["time"].values
        labels = [f"t = {time} s" for time in canvas.in_few_digits([float(known[i]) for i in indices])]
    elif "point" in array.dims:
        indices, dimension, known = scene.points(result, points), "point", result.data["parameter"].values
        words, units = parameter_label(result.data)
        labels = [f"{words} = {format_value(known[i], units, '.4g')}" for i in indices]
    else:
        return [("", 1.0, array.values)]
    strengths = np.linspace(0.25, 1.0, len(indices)) if len(indices) > 1 else [1.0]
    return [
        (label, float(strength), array.isel({dimension: i}).values)
        for label, i, strength in zip(labels, indices, strengths, strict=True)
    ]


def explain_fading(ax: Axes, moments: Sequence[tuple[str, float, Array]], **style: Any) -> None:
    """Add entries of the legend: the strength of each instant."""
    if len(moments) > 1:
        for label, strength, _ in moments:
            ax.plot([], [], color=GREY, linestyle="-", alpha=strength, label=label, **style)


def explain_dashes(ax: Axes, paths: Sequence[Result]) -> None:
    """Add entries of the legend: solid is stable, dashed is not."""
    unknown = any((path.data["unstable_directions"].values < 0).any() for path in paths)
    ax.plot([], [], color=GREY, linestyle="-", label="stable")
    ax.plot([], [], color=GREY, linestyle="--", label="unstable or not determined" if unknown else "unstable")


def _draw_path_shapes(ax: Any, seen: View, result: Result, points: Sequence[int]) -> None:
    """Draw shapes at points of a path, coloured by the parameter; dashed where unstable."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import ListedColormap, Normalize
    from matplotlib.pyplot import get_cmap

    parameter, stable = result.data["parameter"].values, result.data["stable"].values
    colours = ListedColormap(get_cmap("viridis")(np.linspace(0.0, 0.85, 256)))  # without the yellow lost on white
    scale = ScalarMappable(Normalize(min(parameter[points]), max(parameter[points])), colours)
    bodies, parts, welds = scene.solids(result), scene.parts(result), scene.clamps(result)
    for point in points:
        shape, paint = result.data["shape"].isel(point=point).values, scale.to_rgba(parameter[point])
        draw_solids(ax, seen, shape, bodies, dict.fromkeys([part.name for part in parts], paint))
        draw_clamps(ax, seen, shape, welds)
        for part in parts:
            style = "-" if stable[point] else "--"
            draw_part(ax, seen, shape, part, linestyle=style, color=paint)
    draw_ground(ax, seen, scene.supports(result))
    ax.figure.colorbar(scale, ax=ax, label=canvas.label(*parameter_label(result.data)))
    if not all(stable[points]):
        explain_dashes(ax, [result])
        ax.legend(loc="best")


def _draw_mode(ax: Any, seen: View, result: Result, displacement: Array) -> None:
    base, parts = result.data["shape"].values, scene.parts(result)
    draw_solids(ax, seen, base + displacement, scene.solids(result), colours_of(parts))
    for part, (colour, _) in zip(parts, looks(parts), strict=True):
        ax.plot(*seen.of(part.line(base)).T, color="#aaaaaa", linewidth=1.2, linestyle="--")
        draw_part(ax, seen, base - displacement, part, color=colour, alpha=0.25)
        draw_part(ax, seen, base + displacement, part, color=colour)
    draw_ground(ax, seen, scene.supports(result))
    seen.frame(ax)


def _draw_sizes(ax: Any, seen: View, result: Result, displacement: Array) -> None:
    """Draw a mode, each piece coloured by its displacement."""
    from importlib import import_module

    from matplotlib.collections import LineCollection

    solid: Any = import_module("mpl_toolkits.mplot3d.art3d")  # it has no types

    base, size = result.data["shape"].values, np.linalg.norm(displacement, axis=-1)
    size = size / (float(np.max(size, initial=0.0)) or 1.0)
    for part in scene.parts(result):
        ax.plot(*seen.of(part.line(base)).T, color="#aaaaaa", linewidth=1.2, linestyle="--")
        line, far = seen.of(part.line(base + displacement)), part.line(size[:, None])[:, 0]
        ax.plot(*line.T, alpha=0.0)  # for the limits
        pieces = list(np.stack([line[:-1], line[1:]], axis=1))
        kind = solid.Line3DCollection if line.shape[1] == 3 else LineCollection
        lines = kind(pieces, cmap=SIZES, linewidth=2.5)
        lines.set_array(np.clip(0.5 * (far[:-1] + far[1:]), 0.0, 1.0))
        lines.set_clim(0.0, 1.0)
        ax.add_collection(lines)
    draw_ground(ax, seen, scene.supports(result))
    seen.frame(ax)


def _mode_title(result: Result, mode: int) -> str:
    ratio = float(result.data["damping_ratio"].sel(mode=mode)) if "damping_ratio" in result.data else 0.0
    damping = f", ζ = {100.0 * ratio:.3g} %" if np.isfinite(ratio) and ratio != 0.0 else ""
    return scene.frequency_label(result, mode) + damping
