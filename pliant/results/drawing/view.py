"""View of a mechanism: along an axis onto a plane, or slantwise, with equal scales."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from pliant.errors import OptionError
from pliant.results.drawing import canvas
from pliant.results.drawing.canvas import FAINT, GREY
from pliant.results.drawing.parts import Array, Part
from pliant.results.result import Result
from pliant.results.schema import is_spatial

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from pliant.results.drawing.solids import Solid
    from pliant.results.traces import Trace

PLANES = {"xy": (0, 1), "xz": (0, 2), "yz": (1, 2)}
SLANTWISE = (22.0, -58.0)
"""Elevation and azimuth of the view "3d", in degrees."""

WIDTHS = {"rigid": 3.5, "chain": 2.0, "beam": 2.0, "line": 1.0}
EDGES = {"outline": 1.2, "edge": 0.7, "rod": 0.7, "tube": 0.7, "rail": 1.0, "wall": 1.0, "stroke": 2.0, "block": 1.0}
MARKS = ("rail", "block", "wall", "stroke")
FACE = 0.35  # strength of the colour of surfaces
INK = "#333333"
LIGHT = np.array([0.35, -0.5, 0.79])  # direction of the light, a unit vector
SHADE = 0.35  # how much darker surfaces are that face away from the light
PLATE = 0.15  # strength of the colour inside a rigid body, relative to its outline
LEAST_SIDE = 0.25  # of the box around something flat, as a share of its longest side
SHORT = 0.3  # share of the longest side: shorter projected sides have one tick

NAMELESS = "#b0b0b0"
"""Colour of lines without a name, as of ghosts."""
ZOOM = 0.85  # share of the box, which leaves room for its labels
WIDER = 1.05  # width of a picture over its height
PAD = 11.0  # points between the numbers of a box and its labels
LETTER = 5.0  # width of one digit in points
TICK, OFFSET, OFFSET_OF_TICK = 4.0, 21.0, 8.0  # points: pad of numbers; what matplotlib adds to pads of labels, numbers
SLIM = 2.2  # up to which ratio of sides pads grow

Angles = str | tuple[float, float] | None


@dataclass(frozen=True)
class View:
    """View: the coordinates that are drawn, and for all three of them elevation and azimuth of the eye, in degrees."""

    columns: tuple[int, ...]
    angles: tuple[float, float] | None = None

    def of(self, points: Array) -> Array:
        """Project points (..., axis) to the drawn coordinates."""
        return points[..., list(self.columns)]

    def panels(self, figure: Figure, rows: int = 1, columns: int = 1) -> np.ndarray[Any, Any]:
        """Make axes for this view, (rows, columns)."""
        import matplotlib as mpl

        kind = {"projection": "3d", "proj_type": "ortho"} if self.angles else {}
        with mpl.rc_context({"grid.color": FAINT, "grid.linewidth": 0.6}):
            grid: np.ndarray[Any, Any] = figure.subplots(rows, columns, squeeze=False, subplot_kw=kind)
        for ax in grid.flat:
            if self.angles is None:
                canvas.axes(ax)
                continue
            ax.view_init(*self.angles)
            for side in (ax.xaxis, ax.yaxis, ax.zaxis):
                side.set_pane_color("#fafafa")
                side.line.set_color("#bbbbbb")
        return grid

    def frame(self, ax: Any) -> None:
        """Label the axes and give them equal scales, with all that has been drawn inside."""
        for side, column in zip("xyz", self.columns, strict=False):
            getattr(ax, f"set_{side}label")(f"{'xyz'[column]} [m]")
        if self.angles is None:
            ax.set_aspect("equal", adjustable="datalim")
            ax.margins(0.08)
            return
        flat, height = ax.xy_dataLim, ax.zz_dataLim
        self.enclose(ax, np.array([[flat.x0, flat.y0, height.x0], [flat.x1, flat.y1, height.x1]]))

    def enclose(self, ax: Any, corners: Array) -> None:
        """Set a box of equal scales around two corners (2, 3); thin boxes are thickened to be visible."""
        from matplotlib.ticker import FixedLocator, Locator, MaxNLocator

        middle, half = corners.mean(axis=0), 0.5 * np.ptp(corners, axis=0)
        half = np.maximum(1.04 * half, LEAST_SIDE * max(half.max(), 1e-12))
        e, a = np.radians(self.angles or (0.0, 0.0))
        towards = np.array([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)])  # the eye
        seen = half * np.sqrt(1.0 - towards**2)
        for side, centre, reach, length in zip("xyz", middle, half, seen, strict=True):
            ax.set(**{f"{side}lim": (centre - reach, centre + reach)})
            ticks: Locator = MaxNLocator(max(1, round(4 * length / half.max() - 0.4)), steps=[1, 2, 2.5, 5, 10])
            if length < SHORT * half.max():  # room for one number
                found = ticks.tick_values(centre - reach, centre + reach)
                ticks = FixedLocator([min(found, key=lambda tick: abs(tick - centre))])
            getattr(ax, f"{side}axis").set_major_locator(ticks)
        numbers = [text for text in ax.zaxis.get_major_formatter().format_ticks(ax.zaxis.get_majorticklocs()) if text]
        for k, wanted in enumerate((PAD, PAD, max(PAD, LETTER * max(map(len, numbers), default=0)))):
            slim = min(half.max() / np.delete(half, k).max(), SLIM)  # matplotlib pads by shares of the other sides
            side = (ax.xaxis, ax.yaxis, ax.zaxis)[k]
            side.labelpad = slim * (OFFSET + wanted) - OFFSET
            side.set_tick_params(pad=slim * (TICK + OFFSET_OF_TICK) - OFFSET_OF_TICK)
        ax.set_box_aspect(half, zoom=ZOOM * self._seen(np.array([4.0, 4.0, 3.0])) / self._seen(half))

    def _seen(self, half: Array) -> float:
        """Return the visible size of a box from the eye, over its diagonal; its width counts less than its height."""
        e, a = np.radians(self.angles or (0.0, 0.0))
        right = np.array([-np.sin(a), np.cos(a), 0.0])
        up = np.array([-np.sin(e) * np.cos(a), -np.sin(e) * np.sin(a), np.cos(e)])
        wide, high = (float(np.abs(way) @ half) for way in (right, up))
        return max(wide / WIDER, high) / float(np.linalg.norm(half))


def view_of(result: Result, view: Angles, ax: Axes | None = None) -> View:
    """Return the requested view of a result if it has that view; `ax` must fit it."""
    in_space = is_spatial(result.data)
    found = _named("3d" if in_space else "xy") if view is None else _named(view)
    if not in_space and found.columns != PLANES["xy"]:
        raise OptionError(f"view={view!r}: this result is planar and seen in 'xy' only; leave view out")
    if ax is not None and (ax.name == "3d") != (found.angles is not None):
        wanted = "projection='3d', or choose view='xy', 'xz' or 'yz'" if found.angles else "no projection, or view='3d'"
        raise OptionError(f"these axes do not fit the view: make them with {wanted}")
    return found


def _named(view: Any) -> View:
    if isinstance(view, str):
        if view in PLANES:
            return View(PLANES[view])
        angles: Any = SLANTWISE if view == "3d" else ()
    else:
        angles = view
    try:
        elevation, azimuth = (float(angle) for angle in angles)
    except (TypeError, ValueError):
        elevation = azimuth = math.nan
    if not (math.isfinite(elevation) and math.isfinite(azimuth)):
        raise OptionError(f"view={view!r}: give 'xy', 'xz', 'yz', '3d', or (elevation, azimuth) in degrees")
    return View((0, 1, 2), (elevation, azimuth))


def draw_part(ax: Any, view: View, shape: Array, part: Part, *, linestyle: str = "-", **style: Any) -> None:
    """Draw a part as a line with pins: rigid parts thick, beams thin; springs and tendons as hair lines with guides."""
    line = view.of(part.line(shape))
    look: dict[str, Any] = {"linewidth": WIDTHS[part.kind], "solid_capstyle": "round", "solid_joinstyle": "round"}
    if len(line) == 1:
        look |= {"marker": "s", "markersize": 5.0}
    ax.plot(*line.T, linestyle=linestyle, **look, **style)
    if part.kind == "rigid" and len(line) > 3 and view.angles is None:
        ax.fill(*line.T, facecolor=style.get("color"), alpha=PLATE * float(style.get("alpha") or 1.0), linewidth=0.0)
    if len(part.dots):
        look = {"markersize": 2.5} if part.kind == "line" else {"markersize": 4.5, "markerfacecolor": "white"}
        style = {**style, "label": None, "linestyle": "", "marker": "o", "zorder": 3}
        ax.plot(*view.of(shape[part.dots]).T, **look, **style)


def draw_solids(
    ax: Any, view: View, shape: Array, solids: Sequence[Solid], colours: Mapping[str, Any], alpha: float = 1.0
) -> list[Any]:
    """Draw shapes and sections in pale colours of their parts; rails, walls, stops in grey. Return what was drawn."""
    drawn = []
    for several in (
        [solids] if view.angles else [[solid] for solid in solids]
    ):  # in space they hide each other, so all are sorted together
        look: list[tuple[Array, Any, Any, float, str]] = []
        for solid in several:
            points = view.of(solid.points(shape))
            colour = GREY if solid.kind in MARKS else colours.get(solid.name, GREY)
            face, edge = pale(colour, FACE * alpha), pale(colour, alpha)
            paint = shade(points[solid.triangles], face) if view.angles else [face] * len(solid.triangles)
            look += [
                (corners, each, each, 0.3, "-") for corners, each in zip(points[solid.triangles], paint, strict=True)
            ]
            style = EDGES[solid.kind], "-." if solid.kind == "rail" else "-"
            look += [(points[[i, j, i]], "none", edge, *style) for i, j in solid.edges]
        drawn += [draw_faces(ax, view, look)] if look else []
    return drawn


def draw_faces(ax: Any, view: View, look: Sequence[tuple[Array, Any, Any, float, str]]) -> Any:
    """Draw triangles (3, axis), each with the colours of its inside and its edges, their width and style."""
    from matplotlib.collections import PolyCollection

    corners, inside, edges, widths, styles = zip(*look, strict=True)
    paint = {"facecolors": inside, "edgecolors": edges, "linewidths": widths, "linestyles": styles}
    points = np.concatenate(corners)
    if view.angles is None:
        flat = PolyCollection(list(corners), zorder=0.8, **paint)  # type: ignore[arg-type]
        ax.add_collection(flat)
        ax.update_datalim(points)
        return flat
    kind: Any = import_module("mpl_toolkits.mplot3d.art3d").Poly3DCollection  # it has no types
    faces = kind(list(corners), **paint)
    ax.add_collection3d(faces)
    ax.auto_scale_xyz(*points.T, had_data=True)
    return faces


def pale(colour: Any, strength: float) -> tuple[float, ...]:
    """Return a colour mixed with white."""
    from matplotlib.colors import to_rgb

    return tuple(1.0 - strength * (1.0 - each) for each in to_rgb(colour))


def shade(corners: Array, colours: Any) -> Array:
    """Return colours (n, 3) of triangles (n, 3, 3), shaded from one colour, or one each: brighter towards the light."""
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    size = np.maximum(np.linalg.norm(normal, axis=1), 1e-300)
    bright = 1.0 - SHADE + SHADE * np.abs(normal @ LIGHT) / size
    return np.asarray(bright[:, None] * np.asarray(colours)[..., :3])


def draw_clamps(ax: Any, view: View, shape: Array, stations: Any, alpha: float = 1.0) -> None:
    """Draw squares at welds."""
    if len(stations):
        ax.plot(
            *view.of(shape[stations]).T,
            linestyle="",
            marker="s",
            markersize=3.5 if view.angles else 4.5,
            color=INK,
            alpha=alpha,
            zorder=3,
        )


def draw_traces(ax: Any, view: View, traces: Sequence[Trace]) -> None:
    """Draw the lines of markers, thin and dashed, with names at their ends."""
    named = [trace.marker for trace in traces if trace.marker]
    colours = dict(zip(named, canvas.colours(len(named)), strict=True)) | {"": NAMELESS}
    for trace in traces:
        line, colour = view.of(trace.places), colours[trace.marker]
        ax.plot(*line.T, linestyle=(0, (4, 2)), linewidth=1.0, color=colour, zorder=1.5)
        ax.text(
            *line[-1], f" {trace.marker}", color=colour, path_effects=canvas.halo(), **canvas.NAME | {"clip_on": False}
        )


def draw_ground(ax: Any, view: View, supports: Mapping[str, Array]) -> None:
    """Draw points of the ground: pins as triangles, their tips there; clamps as crossed squares, smaller in space."""
    from matplotlib.path import Path

    corners = [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5), (-0.5, -0.5)]
    hatch = [(-0.5, 0.0), (0.0, 0.5), (-0.5, -0.5), (0.5, 0.5), (0.0, -0.5), (0.5, 0.0)]
    marks = {
        "pin": Path([(0, 0), (-0.6, -1), (0.6, -1), (0, 0), (-1, -1), (1, -1)], [1, 2, 2, 2, 1, 2]),
        "clamp": Path([*corners, *hatch], [1, 2, 2, 2, 2, *(1, 2) * 3]),
    }
    for word, mark in marks.items():
        points = supports.get(word, np.empty((0, 2)))
        size = (22 if points.shape[-1] == 2 else 15) * (1.0 if word == "pin" else 0.7)
        look = {"color": GREY} if word == "pin" else {"color": GREY, "markerfacecolor": "white"}
        if len(points):
            ax.plot(*view.of(points).T, linestyle="", marker=mark, markersize=size, zorder=1, **look)
