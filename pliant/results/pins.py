"""Where solid parts turn on each other or on the ground, are welded, or slide, found from a result."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from pliant.results.result import Result

Array = npt.NDArray[np.float64]
Stations = npt.NDArray[np.int64]

WORDS = ("clamp", "pin")  # of the coordinate joint_drawing that dots and squares stand for
TOUCH = 1e-6
"""Stations nearer than this share of the extent are at one place."""


def ground_points(result: Result) -> Array:
    """Points of the ground that carry joints, (n, axis)."""
    if "ground_position" not in result.data.variables:
        return np.empty((0, result.data.sizes["axis"]))
    return np.asarray(result.data["ground_position"].values, dtype=float)


def supports(result: Result) -> dict[str, Array]:
    """The points of the ground where something is held, (n, axis), by how: "pin", "clamp" or "slide"."""
    places = ground_points(result)
    words = result.data["ground_drawing"].values if "ground_drawing" in result.data.coords else None
    if words is None:  # results of older versions
        return {"pin": places}
    return {word: places[words == word] for word in ("pin", "clamp", "slide")}


def clamps_of(result: Result, stations: Stations) -> Stations:
    """Those of some stations that are at welds."""
    shape = np.array(result.data["shape"].values, ndmin=3)[:1]
    near = TOUCH * max(float(np.ptp(shape[0], axis=0).max(initial=0.0)), 1e-12)
    clamped, _ = _joints(result)
    found: list[int] = []
    for station in stations.tolist():
        if _meets(shape[:, station, None], clamped, near) and not _meets(
            shape[:, station, None], shape[:, found], near
        ):
            found.append(station)
    return np.array(found, dtype=np.int64)


def pins_of(result: Result, solids: Sequence[Stations]) -> Stations:
    """Stations of solid parts that stay at a station of another one or at a point of the ground, one at each place.

    Not where parts are welded to each other and nothing turns.
    """
    frames = np.array(result.data["shape"].values, ndmin=3)
    shape = frames[[0, len(frames) // 3, -1]]
    stations = np.concatenate([np.empty(0, np.int64), *solids])
    owner = np.repeat(np.arange(len(solids)), [len(each) for each in solids])
    places = shape[:, stations]
    near = TOUCH * max(float(np.ptp(places, axis=(0, 1)).max(initial=0.0)), 1e-12)
    fixed = np.repeat(ground_points(result)[None], len(shape), axis=0)
    clamped, turning = _joints(result)
    pins: list[int] = []
    for station, mine in zip(stations.tolist(), owner, strict=True):
        here = shape[:, station, None]
        others = np.concatenate([places[:, owner != mine], fixed], axis=1)
        is_stiff = _meets(here[:1], clamped, near) and not _meets(here[:1], turning, near)
        if _meets(here, others, near) and not is_stiff and not _meets(here, shape[:, pins], near):
            pins.append(station)
    return np.array(pins, dtype=np.int64)


def _meets(here: Array, others: Array, near: float) -> bool:
    """Whether one of `others` (frame, place, axis) is where `here` (frame, 1, axis) is, in all frames."""
    return bool((np.linalg.norm(others - here, axis=-1) <= near).all(axis=0).any())


def _joints(result: Result) -> tuple[Array, Array]:
    """Places (1, n, axis) in the first frame of joints that are clamps, and of those that are pins."""
    data, known = result.data, dict[str, Array]()
    for variable, dimension in (("position", "marker"), ("ground_position", "ground")):
        if variable in data.variables:
            places = data[variable].values
            known |= dict(zip(data[dimension].values.tolist(), places if places.ndim == 2 else places[0], strict=True))
    drawn: list[tuple[str, str]] = []
    if {"joint_drawing", "joint_marker"} <= set(data.coords):
        drawn = [*zip(data["joint_drawing"].values.tolist(), data["joint_marker"].values.tolist(), strict=True)]
    found = ([known[marker] for word, marker in drawn if word == wanted and marker in known] for wanted in WORDS)
    clamped, turning = (np.array(places).reshape(1, -1, data.sizes["axis"]) for places in found)
    return clamped, turning
