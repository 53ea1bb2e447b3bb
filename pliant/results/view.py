"""From where a mechanism is looked at: along an axis onto a plane, or slantwise, with equal scales."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pliant.errors import OptionError
from pliant.results import canvas
from pliant.results.canvas import FAINT, GREY
from pliant.results.parts import Array, Part
from pliant.results.result import Result
from pliant.results.schema import is_spatial

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from pliant.results.traces import Trace

PLANES = {"xy": (0, 1), "xz": (0, 2), "yz": (1, 2)}
SLANTWISE = (22.0, -58.0)
"""Elevation and azimuth of the view "3d", in degrees."""

WIDTHS = {"rigid": 3.5, "chain": 2.0, "beam": 2.0, "line": 1.0}
PLATE = 0.15  # how strong the inside of a rigid body is coloured, of its outline
LEAST_SIDE = 0.25  # of the box around something flat, as a share of its longest side

NAMELESS = "#b0b0b0"
"""Colour of lines without a name, as of ghosts."""
ZOOM = 0.8  # of the box, which leaves room for its labels
PAD = 9.0  # points between the numbers of a box and its labels

Angles = str | tuple[float, float] | None


@dataclass(frozen=True)
class View:
    """The coordinates that are drawn, and for all three of them elevation and azimuth of the eye, in degrees."""

    columns: tuple[int, ...]
    angles: tuple[float, float] | None = None

    def of(self, points: Array) -> Array:
        """Coordinates of points (..., axis) as they are drawn."""
        return points[..., list(self.columns)]

    def panels(self, figure: Figure, rows: int = 1, columns: int = 1) -> np.ndarray[Any, Any]:
        """Axes for this view, (rows, columns)."""
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
            getattr(ax, f"set_{side}label")(f"{'xyz'[column]} [m]", labelpad=PAD if self.angles else None)
        if self.angles is None:
            ax.set_aspect("equal", adjustable="datalim")
            ax.margins(0.08)
            return
        flat, height = ax.xy_dataLim, ax.zz_dataLim
        self.enclose(ax, np.array([[flat.x0, flat.y0, height.x0], [flat.x1, flat.y1, height.x1]]))

    def enclose(self, ax: Any, corners: Array) -> None:
        """A box of equal scales around two corners (2, 3); thin ones are made thicker, so that they can be seen."""
        from matplotlib.ticker import MaxNLocator

        middle, half = corners.mean(axis=0), 0.5 * np.ptp(corners, axis=0)
        half = np.maximum(1.04 * half, LEAST_SIDE * max(half.max(), 1e-12))
        e, a = np.radians(self.angles or (0.0, 0.0))
        towards = np.array([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)])  # the eye
        seen = half * np.sqrt(1.0 - towards**2)
        for side, centre, reach, length in zip("xyz", middle, half, seen, strict=True):
            ax.set(**{f"{side}lim": (centre - reach, centre + reach)})
            ticks = MaxNLocator(max(1, round(5 * length / half.max())), steps=[1, 2, 2.5, 5, 10])
            getattr(ax, f"{side}axis").set_major_locator(ticks)
        ax.set_box_aspect(half, zoom=ZOOM)


def view_of(result: Result, view: Angles, ax: Axes | None = None) -> View:
    """The view that was asked for, of a result that has such; `ax` must be made for it."""
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
    """A part as a line with pins: rigid parts thick, beams thin; springs and tendons as hair lines with guides."""
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


def draw_traces(ax: Any, view: View, traces: Sequence[Trace]) -> None:
    """Lines that markers draw, thin and dashed, with their names at the ends."""
    named = [trace.marker for trace in traces if trace.marker]
    colours = dict(zip(named, canvas.colours(len(named)), strict=True)) | {"": NAMELESS}
    for trace in traces:
        line, colour = view.of(trace.places), colours[trace.marker]
        ax.plot(*line.T, linestyle=(0, (4, 2)), linewidth=1.0, color=colour, zorder=1.5)
        ax.text(*line[-1], f" {trace.marker}", color=colour, fontsize=7, parse_math=False, clip_on=True)


def draw_ground(ax: Any, view: View, points: Array) -> None:
    """Points of the ground: triangles with their tips there, smaller in space."""
    from matplotlib.path import Path

    support = Path([(0, 0), (-0.6, -1), (0.6, -1), (0, 0), (-1, -1), (1, -1)], [1, 2, 2, 2, 1, 2])
    size = 22 if points.shape[-1] == 2 else 15
    ax.plot(*view.of(points).T, linestyle="", marker=support, markersize=size, color=GREY, zorder=1)
