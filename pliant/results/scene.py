"""What there is to draw in a result: parts, instants, mode shapes, moments along beams. Plain arrays, no drawing.

Needs `shape(station, axis)`, with time or point before them for a motion or a path; see the table in `result.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pliant.errors import OptionError, nearest
from pliant.results.result import Result
from pliant.results.schema import events

Array = npt.NDArray[np.float64]

MODE_SHARE = 0.15
"""A mode is drawn with this share of the mechanism's extent as its largest displacement."""


class Part(NamedTuple):
    """One drawn polyline: the stations of a part, which is a "beam", "rigid" or a "line" (a spring or tendon)."""

    name: str
    kind: str
    stations: npt.NDArray[np.int64]


def need(result: Result, variable: str, *dimensions: str) -> None:
    """Raise OptionError unless the result has the variable, with these dimensions."""
    if variable not in result.data.variables:
        names = [str(name) for name in result.data.data_vars]
        raise OptionError(f"this {result.kind} result has no variable {variable!r}. {nearest(variable, names)}")
    missing = [name for name in dimensions if name not in result.data[variable].dims]
    if missing:
        raise OptionError(f"{variable} of this {result.kind} result has no dimension {missing[0]!r}")


def parts(result: Result) -> list[Part]:
    """The parts to draw, in the order in which they appear."""
    need(result, "shape")
    names = result.data["part"].values
    kinds = result.data["part_kind"].values
    found = [(str(name), np.flatnonzero(names == name)) for name in dict.fromkeys(names.tolist())]
    return [Part(name, str(kinds[stations[0]]), stations) for name, stations in found]


def pins(parts: Sequence[Part]) -> npt.NDArray[np.int64]:
    """Stations at the ends of solid parts, where a pin is drawn."""
    ends = [part.stations[[0, -1]] for part in parts if part.kind != "line"]
    return np.concatenate([np.empty(0, np.int64), *ends])


def guides(parts: Sequence[Part]) -> npt.NDArray[np.int64]:
    """Stations at which tendons pass through guides."""
    inner = [part.stations[1:-1] for part in parts if part.kind == "line"]
    return np.concatenate([np.empty(0, np.int64), *inner])


def ground_points(result: Result) -> Array:
    """Points of the ground that carry joints, (n, 2)."""
    if "ground_position" not in result.data.variables:
        return np.empty((0, 2))
    return np.asarray(result.data["ground_position"].values, dtype=float)


def instants(result: Result, times: Sequence[float] | float | None, count: int = 6) -> list[int]:
    """Indices of the output times nearest to `times`; without `times`, of up to `count` times evenly spread."""
    known = result.data["time"].values
    if times is None:
        wanted = np.linspace(known[0], known[-1], min(count, len(known)))
    else:
        wanted = np.atleast_1d(np.asarray(times, dtype=float))
        outside = wanted[~((wanted >= known[0]) & (wanted <= known[-1]))]
        if len(wanted) == 0 or len(outside):
            got = f"{outside[0]:g} s" if len(outside) else "none"
            raise OptionError(f"times must lie between {known[0]:g} and {known[-1]:g} s; got {got}")
    return list(dict.fromkeys(int(np.abs(known - time).argmin()) for time in wanted))


def points(result: Result, chosen: Sequence[int] | int | None, count: int = 6) -> list[int]:
    """Points of a path, counted from the end if negative; without `chosen` up to `count`, evenly spread over it."""
    known = result.data["arclength"].values
    if chosen is None:
        wanted = np.linspace(known[0], known[-1], min(count, len(known)))
        return list(dict.fromkeys(int(np.abs(known - place).argmin()) for place in wanted))
    numbers = np.atleast_1d(np.asarray(chosen))
    whole = numbers.dtype.kind in "iu" and numbers.size > 0
    if not whole or np.any((numbers < -len(known)) | (numbers >= len(known))):
        raise OptionError(f"points={chosen!r}: give whole numbers from 0 to {len(known) - 1}; -1 is the last point")
    return [int(number) % len(known) for number in numbers]


def stable_stretches(result: Result) -> npt.NDArray[np.bool_]:
    """Whether a path is stable between each of its points and the next.

    An event is neither: there the point on the other side decides.
    """
    stable = result.data["stable"].values.astype(bool)
    at_event = np.zeros(len(stable), dtype=bool)
    at_event[[point for _, _, point in events(result.data)]] = True
    ends, events_at_ends = (stable[:-1], stable[1:]), (at_event[:-1], at_event[1:])
    decided = np.logical_or(ends, events_at_ends).all(axis=0)
    return np.where(np.all(events_at_ends, axis=0), np.all(ends, axis=0), decided)


def extent(points: Array) -> float:
    """The longer side of the box around all points, never zero."""
    flat = points.reshape(-1, points.shape[-1])
    return max(float(np.ptp(flat, axis=0).max()), 1e-12)


def mode_displacement(result: Result, mode: int, scale: float | None) -> npt.NDArray[np.complex128]:
    """Displacement (station, axis) of one mode, scaled to be drawn and turned to have its largest real part at phase 0.

    `scale` multiplies the mode as computed; None makes its largest displacement `MODE_SHARE` of the extent.
    """
    need(result, "mode_shape", "mode")
    known = result.data["mode"].values.tolist()
    if mode not in known:
        raise OptionError(f"mode {mode} is not in this result; it has modes {known[0]} to {known[-1]}")
    field: npt.NDArray[np.complex128] = result.data["mode_shape"].sel(mode=mode).values.astype(np.complex128)
    # the phase that makes sum(Re(e^{i phase} field)^2) largest is minus half the phase of sum(field^2)
    field *= np.exp(-0.5j * np.angle(np.sum(field**2)))
    largest = float(np.sqrt((np.abs(field) ** 2).sum(axis=-1)).max())
    if scale is None:
        scale = MODE_SHARE * extent(result.data["shape"].values) / largest if largest > 0.0 else 1.0
    return field * scale


def frequency_label(result: Result, mode: int) -> str:
    """Name of a mode and its frequency, if the result holds one that is not zero."""
    frequency = float(result.data["frequency_hz"].sel(mode=mode)) if "frequency_hz" in result.data else 0.0
    digits = f"{frequency:.4g}" if frequency < 1e4 else f"{frequency:.0f}"
    return f"mode {mode}: {digits} Hz" if frequency > 0.0 else f"mode {mode}"


def moments(result: Result) -> Array | None:
    """Bending moment at every station, (time, station) or (station,), NaN off beams; None if there are no resultants.

    Linear between sections, constant beyond the first and last section of a beam.
    """
    if "resultant" not in result.data.variables or result.data.sizes["section"] == 0:
        return None
    moment = result.data["resultant"].sel(component="M").values
    values = np.full((*moment.shape[:-1], result.data.sizes["station"]), np.nan)
    beams, section_s, s = (result.data[name].values for name in ("beam", "section_s", "s"))
    for part in parts(result):
        sections = np.flatnonzero(beams == part.name)
        if not len(sections):
            continue
        sections = sections[np.argsort(section_s[sections])]
        weights = _interpolation(section_s[sections], s[part.stations])
        values[..., part.stations] = moment[..., sections] @ weights.T
    return values


def _interpolation(known: Array, wanted: Array) -> Array:
    """Matrix (wanted, known) of linear interpolation, constant beyond the ends."""
    return np.stack([np.interp(wanted, known, row) for row in np.eye(len(known))], axis=1)


def resample(times: Array, values: Array, wanted: Array) -> Array:
    """Values (time, ...) at other times, linear between outputs."""
    after = np.clip(np.searchsorted(times, wanted, side="right"), 1, max(len(times) - 1, 1))
    if len(times) == 1:
        return np.repeat(values, len(wanted), axis=0)
    share = (wanted - times[after - 1]) / (times[after] - times[after - 1])
    share = share.reshape(-1, *([1] * (values.ndim - 1)))
    return values[after - 1] * (1.0 - share) + values[after] * share
