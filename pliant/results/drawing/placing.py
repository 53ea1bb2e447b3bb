"""Placing of names in a picture: beside their parts, apart from each other, off the lines, inside the axes."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np

from pliant.results.drawing import canvas
from pliant.results.drawing.parts import Array
from pliant.results.drawing.view import View
from pliant.results.names import PART, Name

SHARES = (0.5, 0.36, 0.64, 0.22, 0.78)  # of the length of a part: where its name may stand
SIDES = ((1, 1), (-1, 1), (1, -1), (-1, -1), (0, 1), (0, -1), (1, 0), (-1, 0))  # of a place, on which it may stand
GAP = 4.0  # points between a place and its name
STEP = 4.0  # pixels between the points of a line that a name should not cover
COVERED, PIN, FAR = 1.0, 10.0, 0.3  # cost of covering a point of a line, of covering a pin, of the next position
WORSE = 1e3  # cost of covering another name or the edge


def write_names(ax: Any, seen: View, names: Sequence[Name], lines: dict[str, Array], looks: dict[str, Any]) -> None:
    """Write names where they cover least; `lines` (point, axis) by part, `looks` are text styles by kind."""
    ax.figure.draw_without_rendering()  # lays the picture out: sizes are known only then
    drawn = {name: _pixels(ax, seen, line) for name, line in lines.items()}
    covered = np.concatenate([np.empty((0, 2)), *(_filled(line) for line in drawn.values())])
    pins = _pixels(
        ax, seen, np.array([each.place for each in names if each.kind != PART]).reshape(-1, len(seen.columns))
    )
    edge = ax.figure.bbox if seen.angles else ax.bbox
    taken: list[Array] = []
    for each in names:
        size = _size(ax, each.text)
        places = _along(drawn[each.text]) if each.kind == PART and len(drawn.get(each.text, ())) > 1 else None
        if places is None:
            places = _pixels(ax, seen, each.place[None])
        gap = GAP * ax.figure.dpi / 72.0
        middles = np.array([place + np.multiply(side, 0.5 * size + gap) for place in places for side in SIDES])
        boxes = np.stack([middles - 0.5 * size, middles + 0.5 * size], axis=1)  # (possibility, corner, axis)
        cost = FAR * np.arange(len(boxes)) + COVERED * _inside(boxes, covered) + PIN * _inside(boxes, pins)
        cost += WORSE * sum((_overlap(boxes, other) for other in taken), np.zeros(len(boxes)))
        cost += WORSE * ((boxes[:, 0] < edge.min) | (boxes[:, 1] > edge.max)).any(axis=1)
        best = int(np.argmin(cost))
        taken.append(boxes[best])
        _write(ax, seen, each, middles[best], looks[each.kind])


def _write(ax: Any, seen: View, name: Name, middle: Array, look: dict[str, Any]) -> None:
    """Write the text at an offset in points from its place, kept if the picture is turned or resized."""
    from matplotlib.transforms import ScaledTranslation

    away = (middle - _pixels(ax, seen, name.place[None])[0]) / ax.figure.dpi
    beside = ax.transData + ScaledTranslation(float(away[0]), float(away[1]), ax.figure.dpi_scale_trans)
    style = canvas.NAME | {"clip_on": False, "zorder": 5, "path_effects": canvas.halo()} | look
    ax.text(*seen.of(name.place), name.text, transform=beside, ha="center", va="center", **style)


def _pixels(ax: Any, seen: View, points: Array) -> Array:
    """Project points (n, axis) to pixels (n, 2)."""
    flat = seen.of(points) if points.shape[-1] > len(seen.columns) else points
    if seen.angles:
        proj: Any = import_module("mpl_toolkits.mplot3d.proj3d")  # it has no types
        flat = np.column_stack(proj.proj_transform(*flat.T, ax.get_proj())[:2])
    return np.asarray(ax.transData.transform(flat), float)


def _size(ax: Any, text: str) -> Array:
    """Return width and height of a name in pixels."""
    shown = ax.figure.text(0.0, 0.0, text, fontsize=canvas.NAME["fontsize"], parse_math=False)
    box = shown.get_window_extent()
    shown.remove()
    return np.array([box.width, box.height])


def _along(line: Array) -> Array:
    """Return places on a line at shares of its length; on a closed outline, on the first half of the way round."""
    far = np.append(0.0, np.cumsum(np.linalg.norm(np.diff(line, axis=0), axis=1)))
    whole = far[-1] * (0.5 if np.allclose(line[0], line[-1]) else 1.0)
    return np.column_stack([np.interp(np.multiply(SHARES, whole), far, column) for column in line.T])


def _filled(line: Array) -> Array:
    """Return points along a line that are at most a step apart."""
    found = [line[:1]]
    for a, b in zip(line[:-1], line[1:], strict=True):
        count = int(np.linalg.norm(b - a) / STEP) + 1
        found.append(a + (b - a) * (np.arange(1, count + 1) / count)[:, None])
    return np.concatenate(found)


def _inside(boxes: Array, points: Array) -> Array:
    """Return the number of points in each box."""
    within = (points > boxes[:, :1]) & (points < boxes[:, 1:])
    return np.asarray(within.all(axis=2).sum(axis=1), float)


def _overlap(boxes: Array, other: Array) -> Array:
    """Return whether each box overlaps the other one."""
    return np.asarray(((boxes[:, 0] < other[1]) & (boxes[:, 1] > other[0])).all(axis=1), float)
