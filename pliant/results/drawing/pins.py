"""Supports and pins of a result: where solid parts turn on each other or on the ground, are welded, or slide."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from pliant.results.result import Result

Array = npt.NDArray[np.float64]
Stations = npt.NDArray[np.int64]

WORDS = ("clamp", "pin")  # values of the coordinate joint_drawing drawn as squares and dots
TOUCH = 1e-6
"""Stations nearer than this share of the extent are at one place."""


def ground_points(result: Result) -> Array:
    """Return the points of the ground that carry joints, (n, axis)."""
    if "ground_position" not in result.data.variables:
        return np.empty((0, result.data.sizes["axis"]))
    return np.asarray(result.data["ground_position"].values, dtype=float)


def supports(result: Result) -> dict[str, Array]:
    """Return the supported points of the ground, (n, axis), by kind: "pin", "clamp" or "slide"."""
    places = ground_points(result)
    words = result.data["ground_drawing"].values if "ground_drawing" in result.data.coords else None
    if words is None:  # results of older versions
        return {"pin": places}
    return {word: places[words == word] for word in ("pin", "clamp", "slide")}


def clamps_of(result: Result, stations: Stations) -> Stations:
    """Return those stations that are at welds, one at each place."""
    shape = np.array(result.data["shape"].values, ndmin=3)[0]
    clamped, _ = _joints(result)
    here = together(np.concatenate([shape[stations], clamped]), TOUCH * _extent(shape))
    return np.asarray(stations[_first_of(here[: len(stations)], np.isin(here[: len(stations)], here[len(stations) :]))])


def pins_of(result: Result, solids: Sequence[Stations]) -> Stations:
    """Return stations of solid parts that stay at a station of another part or of the ground, one per place.

    Welded places at which nothing turns are left out.
    """
    frames = np.array(result.data["shape"].values, ndmin=3)
    shape = frames[[0, len(frames) // 3, -1]]
    stations = np.concatenate([np.empty(0, np.int64), *solids])
    fixed = np.repeat(ground_points(result)[None], len(shape), axis=0)
    owner = np.repeat(np.arange(len(solids) + 1), [*(len(each) for each in solids), fixed.shape[1]])
    places = np.concatenate([shape[:, stations], fixed], axis=1)
    near = TOUCH * _extent(shape[:, stations].reshape(-1, shape.shape[-1]))
    at = together(places.transpose(1, 0, 2).reshape(len(owner), -1), near)
    low, high = np.full(len(owner), len(owner)), np.full(len(owner), -1)
    np.minimum.at(low, at, owner)
    np.maximum.at(high, at, owner)
    clamped, turning = _joints(result)
    here = together(np.concatenate([shape[0, stations], clamped, turning]), near)
    mine, held, turned = np.split(here, np.cumsum([len(stations), len(clamped)]))
    at = at[: len(stations)]
    shared = low[at] < high[at]
    return np.asarray(stations[_first_of(at, shared & ~(np.isin(mine, held) & ~np.isin(mine, turned)))])


def together(points: Array, near: float) -> Stations:
    """Number the places of points (n, coordinate): points nearer than `near` get the same number.

    >>> together(np.array([[0.0, 1.0], [5.0, 1.0], [1e-9, 1.0], [5.0, 2.0]]), 1e-6).tolist()
    [0, 1, 0, 2]
    """
    number = np.zeros(len(points), np.int64)
    for column in points.T if len(points) else ():
        order = np.lexsort((column, number))
        apart = (np.diff(number[order]) != 0) | (np.diff(column[order]) > near)
        number[order] = np.concatenate([[0], np.cumsum(apart)])
    return number


def _first_of(places: Stations, wanted: npt.NDArray[np.bool_]) -> Stations:
    """Return the first wanted station at every place, in their order."""
    among = np.flatnonzero(wanted)
    return np.asarray(among[np.sort(np.unique(places[among], return_index=True)[1])])


def _extent(points: Array) -> float:
    return max(float(np.ptp(points, axis=0).max(initial=0.0)), 1e-12) if len(points) else 1e-12


def _joints(result: Result) -> tuple[Array, Array]:
    """Return the places (n, axis), in the first frame, of clamps and of pins."""
    data, known = result.data, dict[str, Array]()
    for variable, dimension in (("position", "marker"), ("ground_position", "ground")):
        if variable in data.variables:
            places = data[variable].values
            known |= dict(zip(data[dimension].values.tolist(), places if places.ndim == 2 else places[0], strict=True))
    drawn: list[tuple[str, str]] = []
    if {"joint_drawing", "joint_marker"} <= set(data.coords):
        drawn = [*zip(data["joint_drawing"].values.tolist(), data["joint_marker"].values.tolist(), strict=True)]
    found = ([known[marker] for word, marker in drawn if word == wanted and marker in known] for wanted in WORDS)
    clamped, turning = (np.array(places).reshape(-1, data.sizes["axis"]) for places in found)
    return clamped, turning
