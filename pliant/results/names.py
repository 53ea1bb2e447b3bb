"""Where names of bodies, joints and markers stand in pictures, and which joints are open."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pliant.results import scene
from pliant.results.pins import together
from pliant.results.result import Result
from pliant.results.scene import Array

PART, JOINT, MARKER = "part", "joint", "marker"
MOST, MOST_PARTS = 16, 60  # names of joints and markers, and of parts; of more, none could be read
NEAR = 1e-3  # of the extent: there two joints are at one place


class Name(NamedTuple):
    """A name, of what, and where it stands (axis,)."""

    text: str
    kind: str
    place: Array


def part_names(result: Result, shape: Array) -> list[Name]:
    """Of bodies, beams and lines, at their middles in a shape (station, axis); of very many, none."""
    found, parts = [], scene.parts(result)
    for part in parts if len(parts) <= MOST_PARTS else []:
        points = part.line(shape) if len(part.weights) else shape[part.stations]
        found.append(Name(part.name, PART, points.mean(axis=0)))
    return found


def joint_names(result: Result) -> list[Name]:
    """Of the joints of something at rest, those at one place together, and of the markers at which there is none; of
    very many, none.
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
        ("" if name.startswith(f"{kind} ") and " - " in name else name, marker)  # not one that nobody gave
        for name, kind, marker in joints
        if marker in places
    ]
    named = [name for name in own if not set("@(") & set(name)]  # not one that only a number names
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
    """Joints of a sketch that cannot be closed, and where their two ends are (end, axis)."""
    if "open_ends" not in result.data:
        return []
    names, ends = result.data["open_joint"].values.tolist(), result.data["open_ends"].values
    return list(zip(names, ends, strict=True))
