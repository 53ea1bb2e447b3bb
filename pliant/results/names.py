"""Names of bodies, joints and markers in pictures: their places; and joints that cannot be closed."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pliant.results.drawing import scene
from pliant.results.drawing.parts import Part
from pliant.results.drawing.pins import together
from pliant.results.drawing.scene import Array
from pliant.results.result import Result

PART, JOINT, MARKER = "part", "joint", "marker"
MOST, MOST_PARTS = 16, 60  # names of joints and markers, and of parts: more could not be read
APART, ALONG = 0.08, (0.35, 0.65, 0.2, 0.8)  # distance between names, as a share of the extent; other places on a part
NEAR = 1e-3  # share of the extent below which two joints share one place


class Name(NamedTuple):
    """A name, what it names, and its place (axis,)."""

    text: str
    kind: str
    place: Array


def part_names(result: Result, shape: Array) -> list[Name]:
    """Return names of bodies, beams and lines, on them in a shape (station, axis); none if there are very many."""
    places = name_places(result)
    return [Name(part.name, PART, row @ shape[part.stations]) for part, row in places]


def name_places(result: Result) -> list[tuple[Part, Array]]:
    """Return each part with the weights (station,) of its name's place: its middle, or nearer to an end where another
    name is in the way in the first frame.
    """
    parts = scene.parts(result)
    shape = np.array(result.data["shape"].values, ndmin=3)[0]
    apart, taken = APART * scene.extent(shape), np.empty((0, shape.shape[-1]))
    found: list[tuple[Part, Array]] = []
    for part in parts if len(parts) <= MOST_PARTS else []:
        rows = part.weights if len(part.weights) else np.eye(len(part.stations))
        ways = [rows.mean(axis=0), *(_between(rows, share) for share in ALONG if len(rows) > 1)]
        places = np.array([row @ shape[part.stations] for row in ways])
        near = np.linalg.norm(places[:, None] - taken, axis=-1).min(axis=1, initial=np.inf)
        best = int(np.argmax(near > apart)) if (near > apart).any() else 0
        taken = np.vstack([taken, places[best]])
        found.append((part, ways[best]))
    return found


def _between(rows: Array, share: float) -> Array:
    """Return the row at a share of the way from the first to the last."""
    place = share * (len(rows) - 1)
    before = min(int(place), len(rows) - 2)
    return np.asarray(rows[before] + (place - before) * (rows[before + 1] - rows[before]))


def joint_names(result: Result) -> list[Name]:
    """Return names of the joints of something at rest, one text for joints at one place, and of markers without a
    joint; none if there are very many.
    """
    data = result.data
    if "marker" not in data.coords:
        return []
    places = dict(zip(data["marker"].values.tolist(), data["position"].values, strict=True))
    own = list(places)
    if "ground" in data.coords:
        places |= dict(zip(data["ground"].values.tolist(), data["ground_position"].values, strict=True))
    known = ("joint", "joint_kind", "joint_marker")
    joints = zip(*(data[name].values.tolist() if known[-1] in data.coords else [] for name in known), strict=True)
    labelled = [
        ("" if name.startswith(f"{kind} ") and " - " in name else name, marker)  # not a default name
        for name, kind, marker in joints
        if marker in places
    ]
    named = [name for name in own if not set("@(") & set(name)]  # not a numbered default name
    where = np.array([places[name] for name in [*(marker for _, marker in labelled), *named]])
    spots = together(where, NEAR * scene.extent(data["shape"].values)).tolist() if len(where) else []
    found: dict[int, list[str]] = {}
    for (label, _), spot in zip(labelled, spots[: len(labelled)], strict=True):
        found.setdefault(spot, []).extend([label] if label else [])
    texts = {spot: ", ".join(labels) for spot, labels in found.items()}
    names = [Name(text, JOINT, where[spots.index(spot)]) for spot, text in texts.items() if text]
    bare = zip(named, where[len(labelled) :], spots[len(labelled) :], strict=True)
    names += [Name(name, MARKER, place) for name, place, spot in bare if spot not in texts]
    return names if len(names) <= MOST else []


def open_joints(result: Result) -> list[tuple[str, Array]]:
    """Return joints of a sketch that cannot be closed, with the places of their two ends (end, axis)."""
    if "open_ends" not in result.data:
        return []
    names, ends = result.data["open_joint"].values.tolist(), result.data["open_ends"].values
    return list(zip(names, ends, strict=True))
