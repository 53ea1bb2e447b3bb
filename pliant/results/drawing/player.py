"""One HTML page with a player that needs no network: what it draws, written into `player.html`."""

from __future__ import annotations

import html
import json
import math
import re
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from pliant.results.drawing import scene
from pliant.results.drawing.canvas import COLOURS
from pliant.results.drawing.clips import Clip
from pliant.results.drawing.colouring import Quantity
from pliant.results.drawing.parts import Part, colours_of, looks
from pliant.results.drawing.scene import Array
from pliant.results.drawing.solids import Solid
from pliant.results.drawing.view import View
from pliant.results.names import joint_names, name_places, open_joints
from pliant.results.result import Result
from pliant.results.traces import Trace

COLOURED = ("bending moment", "axial force", "strain", "speed", "tension")
"""Quantities that can be chosen in the player."""

MOST_TRIANGLES = 6_000
"""Of one surface that the player fills."""

RESOLUTION = 20_000
"""Steps of the player's integer coordinates over the extent."""


def write_html(result: Result, clips: list[Clip], view: View, path: Path, traces: list[Trace]) -> None:
    """Write the page."""
    path.write_text(page(result, clips, view, traces), encoding="utf-8")


def page(result: Result, clips: list[Clip], view: View, traces: list[Trace]) -> str:
    """The page as text."""
    template = (resources.files("pliant.results.drawing") / "player.html").read_text(encoding="utf-8")
    data = json.dumps(_player_data(result, clips, view, traces), separators=(",", ":"), ensure_ascii=False)
    fields = {"TITLE": html.escape(result.provenance.model), "DATA": data.replace("<", "\\u003c")}
    return re.sub(r"\{\{(TITLE|DATA)\}\}", lambda found: fields[found[1]], template)


def _player_data(result: Result, clips: list[Clip], view: View, traces: list[Trace]) -> dict[str, Any]:
    """What the player draws, in integers: metres = origin + step * coordinate; colours in 1/1000 of the largest."""
    ground, parts = scene.ground_points(result), scene.parts(result)
    gaps = open_joints(result)
    drawn = [*(trace.places for trace in traces), *(ends for _, ends in gaps)]
    points = np.concatenate([*(clip.frames.reshape(-1, ground.shape[-1]) for clip in clips), ground, *drawn])
    low, high = points.min(axis=0), points.max(axis=0)
    origin = 0.5 * (low + high)
    step = scene.extent(points) / RESOLUTION
    painted = {name: each for name, each in clips[0].quantities.items() if name in COLOURED}

    def integers(points: Array) -> list[list[int]]:
        return np.rint((points - origin) / step).astype(int).reshape(len(points), math.prod(points.shape[1:])).tolist()

    return {
        "model": result.provenance.model,
        "axes": len(origin),
        "view": "xyz"[view.columns[0]] + "xyz"[view.columns[1]] if view.angles is None else view.angles,
        "origin": origin.tolist(),
        "step": step,
        "parts": [_part(part, colour) for part, (colour, _) in zip(parts, looks(parts), strict=True)],
        "named_at": [_pairs(part.stations, row[None])[0] for part, row in name_places(result)],
        "solids": [_solid(each, colours_of(parts)) for each in scene.solids(result)],
        "clamps": scene.clamps(result).tolist(),
        "ground": {word: integers(places) for word, places in scene.supports(result).items()},
        "names": [
            {"text": each.text, "place": integers(each.place[None])[0]}
            for each in (joint_names(result) if result.data["shape"].ndim == 2 else [])
        ],
        "named": result.kind == "sketch",
        "still": result.kind in ("sketch", "statics"),
        "open": [{"name": name, "ends": integers(ends)} for name, ends in gaps],
        "traces": [{"marker": each.marker, "places": integers(each.places)} for each in traces],
        "quantities": [_quantity(each) for each in painted.values()],
        "clips": [
            {
                "label": clip.label,
                "seconds": clip.seconds,
                "times": [float(f"{time:.6g}") for time in clip.times],
                "frames": integers(clip.frames),
                "colours": [_thousandths(each) for each in painted.values()],
                "captions": clip.captions or None,
            }
            for clip in clips
        ],
    }


def _quantity(quantity: Quantity) -> dict[str, Any]:
    """What can be coloured, and at which stations it has values."""
    return {
        "name": quantity.name,
        "units": quantity.units,
        "signed": quantity.signed,
        "largest": quantity.largest,
        "stations": np.flatnonzero(_has_values(quantity)).tolist(),
    }


def _thousandths(quantity: Quantity) -> list[list[int]]:
    values = quantity.values[:, _has_values(quantity)]
    return np.rint(1000.0 * values / quantity.largest).astype(int).tolist()


def _has_values(quantity: Quantity) -> npt.NDArray[np.bool_]:
    return np.asarray(~np.isnan(quantity.values).any(axis=0))


def _pairs(stations: Any, weights: Array) -> list[list[float]]:
    """Weights of points as [station, weight, station, weight, ...] for every point."""
    return [
        [number for k in np.flatnonzero(row) for number in (int(stations[k]), float(f"{row[k]:.5g}"))]
        for row in weights
    ]


def _solid(solid: Solid, colours: dict[str, str]) -> dict[str, Any]:
    """A surface for the player; of one with very many triangles, its edges."""
    return {
        "kind": solid.kind,
        "colour": COLOURS.index(colours[solid.name]) if solid.name in colours else -1,
        "stations": solid.stations.tolist(),
        "points": _pairs(solid.stations, solid.weights),
        "faces": solid.triangles.tolist() if len(solid.triangles) <= MOST_TRIANGLES else [],
        "edges": solid.edges.tolist(),
    }


def _part(part: Part, colour: str) -> dict[str, Any]:
    """A part for the player."""
    return {
        "name": part.name,
        "kind": part.kind,
        "colour": COLOURS.index(colour),
        "stations": part.stations.tolist(),
        "line": _pairs(part.stations, part.weights),
        "dots": part.dots.tolist(),
    }
