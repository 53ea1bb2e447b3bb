"""Lines of a picture: how each part of a result is drawn through its stations, and where dots are set on it.

A line is a weighted sum of station positions, in the plane and in space alike: curves through the nodes of beams,
outlines of rigid bodies around their markers, straight lines otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pliant.results.drawing import canvas
from pliant.results.drawing.canvas import COLOURS
from pliant.results.drawing.pins import TOUCH, pins_of
from pliant.results.result import Result
from pliant.results.schema import LINE_KINDS

Array = npt.NDArray[np.float64]
Stations = npt.NDArray[np.int64]

CURVE_POINTS = 48
"""Beams are drawn through at least so many points, and in at least `PIECES` straight pieces from node to node."""

PIECES = 4

_LINK_OF_CHAIN = re.compile(r"(.+)\.\d+")


class Part(NamedTuple):
    """One drawn line. A "chain" is a beam of rigid links, named "beam", "beam.2", ...; a "line" a spring or tendon. The
    line of a body that has a shape (`solids`) has no points.
    """

    name: str
    kind: str
    """"beam", "chain", "rigid" or "line"."""
    stations: Stations
    weights: Array
    """(point, station): the drawn points are ``weights @ positions``."""
    dots: Stations
    """Stations with a dot: pins of solid parts, guides of tendons."""

    def line(self, values: Array) -> Array:
        """Return points (..., point, axis) of the line, from values (..., station, axis) at all stations."""
        return self.weights @ values[..., self.stations, :]


def parts(result: Result) -> list[Part]:
    """Return the parts to draw, in the order in which they appear."""
    kinds, s, names = (result.data[name].values for name in ("part_kind", "s", "part"))
    found, drawn = _stations(result), []
    shaped = set(names[kinds == "outline"].tolist())
    first = np.array(result.data["shape"].values, ndmin=3)[0]
    pins = pins_of(result, [stations for stations in found.values() if kinds[stations[0]] != "line"])
    for name, stations in found.items():
        kind = str(kinds[stations[0]])
        if kind == "rigid" and len({*names[stations].tolist()}) > 1:
            kind = "chain"
        dots = stations[1:-1] if kind == "line" else stations[np.isin(stations, pins)]
        weights = _weights(kind, s[stations], first[stations])
        drawn.append(Part(name, kind, stations, weights[: 0 if name in shaped else None], dots))
    return drawn


def looks(parts: Sequence[Part]) -> list[tuple[str, str | None]]:
    """Return the colour of every part and its entry in the legend (None: no entry).

    If there are more parts than colours, names that differ only in a number look alike: "leg 1 ... leg 6".
    """
    stems = [part.name if len(parts) <= len(COLOURS) else re.sub(r"\d+", "#", part.name) for part in parts]
    families = {stem: [p.name for p, own in zip(parts, stems, strict=True) if own == stem] for stem in stems}
    colours = dict(zip(families, canvas.colours(len(families)), strict=True))
    entries = {names[0]: " ... ".join(dict.fromkeys([names[0], names[-1]])) for names in families.values()}
    return [(colours[stem], entries.get(part.name)) for part, stem in zip(parts, stems, strict=True)]


def colours_of(parts: Sequence[Part]) -> dict[str, str]:
    """Return the colour of every part, by name."""
    return {part.name: colour for part, (colour, _) in zip(parts, looks(parts), strict=True)}


def _stations(result: Result) -> dict[str, Stations]:
    """Collect the stations of every part; a chain joins its links, each without the point where the next begins."""
    names, kinds = result.data["part"].values, result.data["part_kind"].values
    is_line = np.isin(kinds, LINE_KINDS)
    found: dict[str, Stations] = {}
    chains: set[str] = set()
    own: dict[str, list[int]] = {}
    for station in np.flatnonzero(is_line).tolist():
        own.setdefault(str(names[station]), []).append(station)
    for name, listed in own.items():
        mine = np.array(listed)
        link = _LINK_OF_CHAIN.fullmatch(name)
        if link and link[1] in found and kinds[mine[0]] == kinds[found[link[1]][0]] == "rigid":
            before = found[link[1]] if link[1] in chains else found[link[1]][:2]  # both ends; carried parts are omitted
            found[link[1]] = np.concatenate([before[:-1], mine[:2]])
            chains.add(link[1])
        else:
            found[name] = mine
    return found


def _weights(kind: str, s: Array, places: Array) -> Array:
    """Return weights (point, station) of the line through stations at `s`, which are at `places` in the first frame."""
    count = len(s)
    if kind == "beam" and count > 2 and np.all(np.diff(s) > 0.0):
        return _curve(s)
    if kind == "rigid" and count > 2:
        return np.eye(count)[_outline(places)]
    return np.eye(count)


def _outline(places: Array) -> list[int]:
    """Return the order in which a rigid body is drawn through its markers: along a line, or around the outer ones in
    the plane of largest spread; the line goes to each inner marker and back from the nearest corner.
    """
    from scipy.spatial import ConvexHull

    _, spread, axes = np.linalg.svd(places - places.mean(axis=0), full_matrices=False)
    flat = (places - places.mean(axis=0)) @ axes[:2].T
    if spread[1] <= TOUCH * spread[0]:
        return [int(k) for k in np.argsort(flat[:, 0], kind="stable")]
    corners = [int(k) for k in ConvexHull(flat).vertices]
    around = [*corners, corners[0]]
    for inner in set(range(len(places))) - set(corners):
        nearest = min(corners, key=lambda corner: float(np.linalg.norm(flat[corner] - flat[inner])))
        if np.linalg.norm(flat[nearest] - flat[inner]) > TOUCH * spread[0]:
            at = around.index(nearest)
            around[at : at + 1] = [nearest, inner, nearest]
    return around


def _curve(s: Array) -> Array:
    """Return cubic pieces between neighbours, with slopes of parabolas through three points: smooth, kinks local."""
    from scipy.interpolate import CubicHermiteSpline

    pieces = max(PIECES, -(-CURVE_POINTS // (len(s) - 1)))
    steps = np.arange(pieces) / pieces
    fine = np.append((s[:-1, None] + np.diff(s)[:, None] * steps).ravel(), s[-1])
    known = np.eye(len(s))
    return np.asarray(CubicHermiteSpline(s, known, np.gradient(known, s, axis=0, edge_order=2))(fine))
