"""Overlays on a picture: arrows of velocities and forces, a ghost of another shape, colours with a limit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pliant.errors import OptionError, nearest
from pliant.results.drawing import canvas, scene
from pliant.results.drawing.colouring import Quantity, joint_forces, quantities
from pliant.results.drawing.parts import Array
from pliant.results.drawing.pictured import Pictured, result_to_draw
from pliant.results.drawing.view import (
    Angles,
    View,
    draw_clamps,
    draw_faces,
    draw_ground,
    draw_part,
    draw_solids,
    view_of,
)
from pliant.results.result import Result
from pliant.results.schema import format_value
from pliant.results.traces import Trace

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LONGEST = 0.2  # length of an arrow, as a share of the mechanism's extent
ARROWS = {"velocity": ("#6a3d9a", "m/s"), "force": ("#b15928", "N")}
GHOST = "#b0b0b0"
BEYOND = "#d62728"
"""Colour of what is above a limit."""


class Arrows(NamedTuple):
    """Arrows of one kind: their starts and their vectors, (frame, arrow, axis)."""

    kind: str
    places: Array
    vectors: Array

    @property
    def largest(self) -> float:
        """Return the largest length over all frames."""
        return float(np.max(np.linalg.norm(self.vectors, axis=-1), initial=0.0))


def arrows_of(result: Result, kinds: Sequence[str] | str) -> list[Arrows]:
    """Collect velocities of markers, or forces of joints on their marker b.

    >>> from pliant_testing.results.planar import example_motion
    >>> [(each.kind, each.places.shape[-1]) for each in arrows_of(example_motion(), "velocity")]
    [('velocity', 2)]
    """
    found = []
    for kind in [kinds] if isinstance(kinds, str) else kinds:
        if kind not in ARROWS:
            raise OptionError(f"arrows={kind!r} is not known. {nearest(kind, ARROWS)}")
        if kind == "velocity":
            scene.need(result, "velocity", "marker")
            pair: Any = result.data["position"].values, result.data["velocity"].values
        else:
            pair = joint_forces(result)
            if pair is None:
                raise OptionError(f"arrows='force': this {result.kind} result holds no forces of joints.")
        axes = result.data.sizes["axis"]
        found.append(Arrows(kind, *(np.reshape(each, (-1, *each.shape[-2:]))[..., :axes] for each in pair)))
    return found


def draw_arrows(ax: Any, seen: View, arrows: Sequence[Arrows], frames: Sequence[int], extent: float) -> None:
    """Draw arrows of some frames, all of a kind in one scale; the legend gives the longest."""
    for each in arrows:
        colour, units = ARROWS[each.kind]
        if each.largest == 0.0:
            continue
        chosen = [min(frame, len(each.places) - 1) for frame in frames]
        starts = np.concatenate([each.places[frame] for frame in chosen])
        steps = np.concatenate([each.vectors[frame] for frame in chosen]) * (LONGEST * extent / each.largest)
        label = f"{each.kind}, at most {each.largest:.3g} {units}"
        x, d = seen.of(starts), seen.of(steps)
        if seen.angles:
            ax.quiver(*x.T, *d.T, color=colour, linewidth=1.2, arrow_length_ratio=0.25, label=label)
            continue
        ax.quiver(
            *x.T, *d.T, color=colour, angles="xy", scale_units="xy", scale=1.0, width=0.004, zorder=4, label=label
        )
        ax.update_datalim(x + d)


def ghost_of(result: Result, ghost: bool | Pictured) -> tuple[Result, Array] | None:
    """Return the result and shape of the ghost: the start of a motion or a path, or another result, model or system."""
    if ghost is False:
        return None
    if ghost is True:
        if result.kind not in ("motion", "path"):
            raise OptionError(
                f"ghost=True: a {result.kind} result has no other shape. Give the model, the system, or another result."
            )
        return result, result.data["shape"].values[0]
    other = result_to_draw(ghost)
    scene.need(other, "shape")
    if other.data.sizes["axis"] != result.data.sizes["axis"]:
        raise OptionError("ghost: one of the two is planar and the other spatial; give two of the same space.")
    shape = other.data["shape"].values
    return other, shape if shape.ndim == 2 else shape[0]


def draw_ghost(ax: Any, seen: View, ghost: tuple[Result, Array]) -> None:
    """Draw the ghost thin, grey and dashed, behind everything."""
    shaped = [solid for solid in scene.solids(ghost[0]) if solid.kind == "outline"]
    draw_solids(ax, seen, ghost[1], shaped, {solid.name: GHOST for solid in shaped}, 0.5)
    for part in scene.parts(ghost[0]):
        if part.kind != "line" and len(part.weights):
            draw_part(ax, seen, ghost[1], part, color=GHOST, linestyle="--", zorder=0.5)
    ax.plot(*[[]] * len(seen.columns), color=GHOST, linestyle="--", label="ghost")


def ghost_lines(result: Result, ghost: bool | Pictured) -> list[Trace]:
    """Return the ghost as lines without names, for animations."""
    found = ghost_of(result, ghost)
    if found is None:
        return []
    lines = [part.line(found[1]) for part in scene.parts(found[0]) if part.kind != "line" and len(part.weights)]
    shaped = [solid for solid in scene.solids(found[0]) if solid.kind == "outline"]
    lines += [solid.points(found[1])[edge] for solid in shaped for edge in solid.edges]
    return [Trace("", line) for line in lines]


def quantity_of(result: Result, name: str) -> Quantity:
    """Return a quantity along the parts, by its name."""
    known = quantities(result)
    if name not in known:
        raise OptionError(
            f"colour={name!r}: this {result.kind} result has {', '.join(known) or 'nothing to colour by'}, or 'part'. "
            f"{nearest(name, [*known, 'part'])}"
        )
    return known[name]


def draw_coloured(
    ax: Any, seen: View, result: Result, frames: Sequence[int], quantity: Quantity, limit: float | None
) -> None:
    """Draw parts of some frames in the colours of a quantity; values above the limit are red."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.collections import LineCollection
    from matplotlib.colors import LinearSegmentedColormap, Normalize

    if limit is not None and not limit > 0.0:
        raise OptionError(f"limit={limit!r}: give a positive number, in {quantity.units}.")
    signed = quantity.signed and limit is None
    values = quantity.values if quantity.signed and signed else np.abs(quantity.values)
    top = quantity.largest if limit is None else float(limit)
    paints = canvas.VALUES if signed else (canvas.VALUES[1], canvas.VALUES[2] if limit is None else canvas.CLOSE)
    colours = LinearSegmentedColormap.from_list("values", paints).with_extremes(over=BEYOND)
    scale = ScalarMappable(Normalize(-top if signed else 0.0, top), colours)
    kind: Any = import_module("mpl_toolkits.mplot3d.art3d").Line3DCollection if seen.angles else LineCollection
    shapes = result.data["shape"].values
    shapes = shapes if shapes.ndim == 3 else shapes[None]
    for frame in frames:
        here = values[min(frame, len(values) - 1)]
        _colour_solids(ax, seen, result, shapes[frame], here, scale)
        draw_clamps(ax, seen, shapes[frame], scene.clamps(result))
        for part in scene.parts(result):
            own = part.line(here[:, None])[:, 0]
            if np.isnan(own).any():
                draw_part(ax, seen, shapes[frame], part, color=canvas.GREY)
                continue
            line = seen.of(part.line(shapes[frame]))
            ax.plot(*line.T, alpha=0.0)  # for the limits
            pieces = kind(list(np.stack([line[:-1], line[1:]], axis=1)), cmap=colours, norm=scale.norm, linewidth=3.0)
            pieces.set_array(0.5 * (own[:-1] + own[1:]))
            ax.add_collection(pieces)
    above = limit is not None and quantity.largest > top
    label = canvas.label(quantity.name, quantity.units)
    ax.figure.colorbar(scale, ax=ax, label=label, shrink=0.8, extend="max" if above else "neither")
    if above:
        ax.plot(
            *[[]] * len(seen.columns),
            color=BEYOND,
            linewidth=3.0,
            label=f"above {format_value(top, quantity.units, '.3g')}",
        )


def _colour_solids(ax: Any, seen: View, result: Result, shape: Array, values: Array, scale: Any) -> None:
    """Draw surfaces in the colours of values at the stations; grey where there is no value."""
    plain = []
    for solid in scene.solids(result):
        known = solid.points(np.nan_to_num(values)[:, None])[:, 0]
        if np.isnan(values[solid.stations]).any() or not len(solid.triangles):
            plain.append(solid)
            continue
        corners = seen.of(solid.points(shape))[solid.triangles]
        paint = scale.to_rgba(known[solid.triangles].mean(axis=1))
        draw_faces(ax, seen, [(each, colour, colour, 0.3, "-") for each, colour in zip(corners, paint, strict=True)])
    draw_solids(ax, seen, shape, plain, {})


def visible(displacements: Sequence[Array], towards: Array) -> float:
    """Return the smallest share of the displacements (station, axis) that is visible from a direction."""
    seen = [np.linalg.norm(each - np.outer(each @ towards, towards)) for each in displacements]
    whole = [float(np.linalg.norm(each)) or 1.0 for each in displacements]
    return min(float(a) / b for a, b in zip(seen, whole, strict=True))


def viewing_angles(
    displacements: Sequence[Array], angles: tuple[float, float], least: float = 0.8
) -> tuple[float, float]:
    """Return an elevation and azimuth from which all displacements are visible: the given ones if possible.

    >>> across = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    >>> viewing_angles([across], (80.0, -60.0))[0] < 45.0
    True
    """
    if visible(displacements, _towards(*angles)) >= least:
        return angles
    grid = [(e, a) for e in (22.0, 10.0, 35.0, 50.0, 65.0) for a in (angles[1], *np.arange(-170.0, 180.0, 20.0))]
    shares = [visible(displacements, _towards(*each)) for each in grid]
    good = [each for each, share in zip(grid, shares, strict=True) if share >= min(least, max(shares))]
    return good[0]


def _towards(elevation: float, azimuth: float) -> Array:
    """Return the unit vector towards the eye."""
    e, a = np.radians((elevation, azimuth))
    return np.array([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)])


def plot_overlay(
    results: Mapping[str, Pictured],
    *,
    time: float | None = None,
    view: Angles = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw several runs, equilibria or models in one picture, each in its own colour, named in the legend.

    `time` takes the nearest output of every motion; the last one, and the last point of a path, unless given.

    >>> from pliant_testing.results.planar import example_motion
    >>> ax = plot_overlay({"first": example_motion(), "second": example_motion()}, time=0.0)
    >>> [entry.get_text() for entry in ax.get_legend().get_texts()]
    ['first', 'second']
    """
    found = {name: result_to_draw(each) for name, each in results.items()}
    if not found:
        raise OptionError("plot_overlay: there is nothing to draw; give {'name': result, ...}.")
    if len({each.data.sizes["axis"] for each in found.values()}) > 1:
        raise OptionError("plot_overlay: some are planar and others spatial; give results of one space.")
    first = next(iter(found.values()))
    seen = view_of(first, view, ax)
    if ax is None:
        import matplotlib.pyplot as plt

        ax = seen.panels(plt.figure(figsize=(7.5, 5.4), layout="constrained"))[0, 0]
    for (name, result), colour in zip(found.items(), canvas.colours(len(found)), strict=True):
        shape = result.data["shape"].values
        if shape.ndim == 3:
            moves = time is not None and result.kind == "motion"
            shape = shape[scene.instants(result, time)[0] if moves else -1]
        parts = scene.parts(result)
        draw_solids(ax, seen, shape, scene.solids(result), dict.fromkeys([part.name for part in parts], colour), 0.8)
        for part in parts:
            draw_part(ax, seen, shape, part, color=colour, alpha=0.8, label=name if part is parts[0] else None)
        draw_ground(ax, seen, scene.supports(result))
    canvas.legend(ax, True)
    seen.frame(ax)
    return ax
