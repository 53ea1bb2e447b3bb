"""Where names of bodies, joints and markers stand in pictures, and which joints are open."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pliant.results import scene
from pliant.results.result import Result
from pliant.results.scene import Array

PART, JOINT, MARKER = "part", "joint", "marker"
MOST = 16  # names of joints and markers; of more, none could be read
NEAR = 1e-3  # of the extent: there two joints are at one place


class Name(NamedTuple):
    """A name, of what, and where it stands (axis,)."""

    text: str
    kind: str
    place: Array


def part_names(result: Result, shape: Array) -> list[Name]:
    """Of bodies, beams and lines, at their middles in a shape (station, axis)."""
    found = []
    for part in scene.parts(result):
        points = part.line(shape) if len(part.weights) else shape[part.stations]
        found.append(Name(part.name, PART, points.mean(axis=0)))
    return found


def joint_names(result: Result) -> list[Name]:
    """Of the joints of something at rest, those at one place together, and of the markers at which there is none; of
    very many, none.
    """
    data = result.data
    places = dict(zip(data["marker"].values.tolist(), data["position"].values, strict=True))
    own = list(places)
    if "ground" in data.coords:
        places |= dict(zip(data["ground"].values.tolist(), data["ground_position"].values, strict=True))
    near = NEAR * scene.extent(data["shape"].values)
    spots: list[tuple[Array, list[str]]] = []
    labels, at = (data[name].values.tolist() if name in data.coords else [] for name in ("joint_label", "joint_marker"))
    for label, marker in zip(labels, at, strict=True):
        if marker in places:
            _spot(spots, places[marker], near).append(label)
    found = [Name(", ".join(filter(None, texts)), JOINT, place) for place, texts in spots]
    named = [name for name in own if not set("@(") & set(name)]  # not one that only a number names
    bare = [name for name in named if all(np.linalg.norm(places[name] - place) > near for place, _ in spots)]
    names = [*(each for each in found if each.text), *(Name(name, MARKER, places[name]) for name in bare)]
    return names if len(names) <= MOST else []


def _spot(spots: list[tuple[Array, list[str]]], place: Array, near: float) -> list[str]:
    """The names at a place; none yet if nothing is there."""
    for known, texts in spots:
        if np.linalg.norm(known - place) <= near:
            return texts
    spots.append((place, []))
    return spots[-1][1]


def open_joints(result: Result) -> list[tuple[str, Array]]:
    """Joints of a sketch that cannot be closed, and where their two ends are (end, axis)."""
    if "open_ends" not in result.data:
        return []
    names, ends = result.data["open_joint"].values.tolist(), result.data["open_ends"].values
    return list(zip(names, ends, strict=True))
