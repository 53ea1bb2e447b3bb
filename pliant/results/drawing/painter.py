"""Frames of an animation, drawn by matplotlib without a window: the still part once, then the moving parts over it."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import LineCollection
from matplotlib.colors import LinearSegmentedColormap, Normalize
from matplotlib.figure import Figure
from mpl_toolkits.mplot3d.art3d import Line3DCollection  # type: ignore[import-untyped]

from pliant.results.drawing import canvas, scene
from pliant.results.drawing.colouring import Quantity
from pliant.results.drawing.parts import Part, colours_of, looks
from pliant.results.drawing.scene import Array
from pliant.results.drawing.view import View, draw_ground, draw_solids, draw_traces
from pliant.results.result import Result
from pliant.results.traces import Trace

INK = "#333333"
WIDTHS = {"rigid": 4.5, "chain": 2.5, "beam": 2.5, "line": 1.3}
SIZE = (7.2, 5.4)  # inches at 100 dots each: even numbers of pixels, as video needs


class Painter:
    """Painter of `frames` (frame, station, axis), one after another: beams coloured by `moment`, over the lines that
    markers draw.
    """

    def __init__(self, result: Result, frames: Array, moment: Quantity | None, view: View, traces: list[Trace]) -> None:
        self.frames = frames
        self.view = view
        self.parts = scene.parts(result)
        self.figure = Figure(figsize=SIZE, dpi=100, layout="constrained")
        self.canvas = FigureCanvasAgg(self.figure)
        self.axes: Any = view.panels(self.figure)[0, 0]
        largest = 0.0 if moment is None else moment.largest
        self.moment = moment.values if moment is not None and largest > 0.0 else None
        self.solids, self.welds = scene.solids(result), scene.clamps(result)
        self.colours = colours_of(self.parts)
        self.lines = self._make_lines(largest, result)
        none: list[list[float]] = [[]] * len(view.columns)
        (self.pins,) = self.axes.plot(*none, "o", color=INK, markerfacecolor="white", markersize=5)
        (self.clamps,) = self.axes.plot(*none, "s", color=INK, markersize=4)
        (self.guides,) = self.axes.plot(*none, "o", color=INK, markersize=2.5)
        write = self.axes.text2D if view.angles else self.axes.text
        self.caption = write(0.02, 0.97, "", transform=self.axes.transAxes, va="top")
        self.moving = [*self.lines, self.guides, self.clamps, self.pins, self.caption]
        for artist in self.moving:
            artist.set_animated(True)
        ground = scene.ground_points(result)
        draw_ground(self.axes, view, scene.supports(result))
        draw_traces(self.axes, view, traces)
        places = [frames.reshape(-1, frames.shape[-1]), ground, *(trace.places for trace in traces)]
        self._fit(result.provenance.model, view.of(np.concatenate(places)))
        self.still = self.canvas.copy_from_bbox(self.figure.bbox)  # type: ignore[no-untyped-call]

    def paint(self, index: int, caption: str) -> npt.NDArray[np.uint8]:
        """Draw one frame; return its image (height, width, 4)."""
        shape = self.frames[index]
        for part, line in zip(self.parts, self.lines, strict=True):
            points = self.view.of(part.line(shape))
            line.set_segments(list(np.stack([points[:-1], points[1:]], axis=1)))
            if self._is_coloured(part):
                moment = part.line(self.moment[index, :, None])[:, 0]  # type: ignore[index]
                line.set_array(0.5 * (moment[:-1] + moment[1:]))
        pins, guides = ([k for p in self.parts if (p.kind == "line") is of for k in p.dots] for of in (False, True))
        for dots, stations in ((self.pins, pins), (self.guides, guides), (self.clamps, self.welds)):
            places = self.view.of(shape[stations]).T
            (dots.set_data_3d if self.view.angles else dots.set_data)(*places)
        self.caption.set_text(caption)
        self.canvas.restore_region(self.still)  # type: ignore[no-untyped-call]
        for faces in draw_solids(self.axes, self.view, shape, self.solids, self.colours):
            if self.view.angles:
                faces.do_3d_projection()
            self.axes.draw_artist(faces)
            faces.remove()
        for artist in self.moving:
            if self.view.angles and artist in self.lines:
                artist.do_3d_projection()
            self.axes.draw_artist(artist)
        return np.array(self.canvas.buffer_rgba())  # type: ignore[no-untyped-call]

    def _make_lines(self, largest_moment: float, result: Result) -> list[Any]:
        kind = Line3DCollection if self.view.angles else LineCollection
        is_signed = self.frames.shape[-1] == 2  # in space it is a magnitude
        norm = Normalize(-largest_moment if is_signed else 0.0, largest_moment)
        colours = LinearSegmentedColormap.from_list("moment", canvas.VALUES if is_signed else canvas.VALUES[1:])
        lines: list[Any] = []
        for part, (colour, _) in zip(self.parts, looks(self.parts), strict=True):
            line = kind([], linewidths=WIDTHS[part.kind], capstyle="round")
            if self._is_coloured(part):
                line.set(cmap=colours, norm=norm)
            else:
                line.set_color(colour if self.moment is None else INK if part.kind == "line" else canvas.GREY)
            self.axes.add_collection(line, autolim=False)
            lines.append(line)
        scale = next((line for part, line in zip(self.parts, lines, strict=True) if self._is_coloured(part)), None)
        if scale is not None:
            label = canvas.label(*scene.resultant_label(result, "M"))
            self.figure.colorbar(scale, ax=self.axes, label=label, shrink=0.8)
        return lines

    def _is_coloured(self, part: Part) -> bool:
        return self.moment is not None and not np.isnan(self.moment[0, part.stations]).any()

    def _fit(self, title: str, points: Array) -> None:
        """Lay out once, then widen the limits so that all points fit with equal scales, and draw what does not move."""
        low, high = points.min(axis=0), points.max(axis=0)
        self.axes.set_title(title, parse_math=False)
        self.view.frame(self.axes)
        if self.view.angles:
            self.view.enclose(self.axes, np.stack([low, high]))
            self.figure.draw_without_rendering()
        else:
            self._fit_plane(low, high, 0.1 * scene.extent(points))
        self.figure.set_layout_engine("none")
        self.canvas.draw()  # type: ignore[no-untyped-call]

    def _fit_plane(self, low: Array, high: Array, margin: float) -> None:
        self.axes.set(aspect="auto", xlim=(-1.0, 1.0), ylim=(-1.0, 1.0))
        middle = 0.5 * (low + high)
        for _ in range(2):  # tick labels need space too: the box settles in the second pass
            self.figure.draw_without_rendering()
            box = np.array([self.axes.bbox.width, self.axes.bbox.height])
            half = 0.5 * box * np.max((high - low + 2.0 * margin) / box)
            self.axes.set(xlim=middle[0] + [-half[0], half[0]], ylim=middle[1] + [-half[1], half[1]])
