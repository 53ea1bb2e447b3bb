"""Contents of a picture: parts, instants, mode shapes, moments along beams. Plain arrays, no drawing.

Needs `shape(station, axis)`, with time or point before them for a motion or a path; see the table in `result.py`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from pliant._libraries import xarray as xr
from pliant.errors import OptionError, nearest
from pliant.results.drawing.parts import Array, Part
from pliant.results.drawing.parts import parts as _parts
from pliant.results.drawing.pins import clamps_of
from pliant.results.drawing.pins import ground_points as ground_points
from pliant.results.drawing.pins import supports as supports
from pliant.results.drawing.solids import Solid
from pliant.results.drawing.solids import solids as _solids
from pliant.results.result import Result
from pliant.results.schema import events, units_of

MODE_SHARE = 0.15
"""A mode is drawn with this share of the mechanism's extent as its largest displacement."""

MAGNITUDES = {"V": ("Vy", "Vz"), "M": ("My", "Mz")}
"""Resultants in space that are put together of two components."""

WORDS = {"N": "axial force", "V": "shear force", "T": "torque", "M": "bending moment"}
"""What a resultant is, by its first letter."""


def need(result: Result, variable: str, *dimensions: str) -> None:
    """Raise OptionError unless the result has the variable, with these dimensions."""
    if variable not in result.data.variables:
        names = [str(name) for name in result.data.data_vars]
        raise OptionError(f"this {result.kind} result has no variable {variable!r}. {nearest(variable, names)}")
    missing = [name for name in dimensions if name not in result.data[variable].dims]
    if missing:
        raise OptionError(f"{variable} of this {result.kind} result has no dimension {missing[0]!r}")


def parts(result: Result) -> list[Part]:
    """Return the parts to draw, in the order in which they appear."""
    need(result, "shape")
    return _parts(result)


def solids(result: Result) -> list[Solid]:
    """Return shapes of bodies, sections of beams, rails, walls and stops."""
    return _solids(result, parts(result))


def clamps(result: Result) -> npt.NDArray[np.int64]:
    """Return the stations at which parts are welded."""
    mine = [part.stations for part in parts(result) if part.kind != "line"]
    return clamps_of(result, np.concatenate([np.empty(0, np.int64), *mine]))


def instants(result: Result, times: Sequence[float] | float | None, count: int = 6) -> list[int]:
    """Return indices of the output times nearest to `times`; without `times`, of up to `count` times evenly spread."""
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
    """Return points of a path, counted from the end if negative; without `chosen` up to `count`, evenly spread."""
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
    """Return whether a path is stable between each of its points and the next.

    An event is neither stable nor unstable: the point on the other side decides.
    """
    stable = result.data["stable"].values.astype(bool)
    at_event = np.zeros(len(stable), dtype=bool)
    at_event[[point for _, _, point in events(result.data)]] = True
    ends, events_at_ends = (stable[:-1], stable[1:]), (at_event[:-1], at_event[1:])
    decided = np.logical_or(ends, events_at_ends).all(axis=0)
    return np.where(np.all(events_at_ends, axis=0), np.all(ends, axis=0), decided)


def extent(points: Array) -> float:
    """Return the longer side of the box around all points, never zero."""
    flat = points.reshape(-1, points.shape[-1])
    return max(float(np.ptp(flat, axis=0).max()), 1e-12)


def mode_displacement(result: Result, mode: int, scale: float | None) -> npt.NDArray[np.complex128]:
    """Return the displacement (station, axis) of one mode, scaled for drawing, with its largest real part at phase 0.

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
    """Return the name of a mode, with its frequency if the result holds one above zero."""
    frequency = float(result.data["frequency_hz"].sel(mode=mode)) if "frequency_hz" in result.data else 0.0
    digits = f"{frequency:.4g}" if frequency < 1e4 else f"{frequency:.0f}"
    return f"mode {mode}: {digits} Hz" if frequency > 0.0 else f"mode {mode}"


def resultant(result: Result, component: str) -> xr.DataArray:
    """Return a component of the section resultants; in space "V" and "M" are magnitudes of shear force and moment."""
    need(result, "resultant")
    array = result.data["resultant"]
    known = array["component"].values.tolist()
    if component in known:
        return array.sel(component=component, drop=True)
    magnitudes = {name: pair for name, pair in MAGNITUDES.items() if set(pair) <= set(known)}
    if component not in magnitudes:
        choices = ", ".join([*known, *magnitudes])
        raise OptionError(f"there is no resultant {component!r}; choose one of {choices}")
    first, second = (array.sel(component=name, drop=True) for name in magnitudes[component])
    return xr.DataArray(np.hypot(first, second))


def resultant_label(result: Result, component: str) -> tuple[str, str]:
    """Return words for a component of the section resultants, and its units."""
    array = result.data["resultant"]
    is_magnitude = component not in array["component"].values
    units = units_of(array, MAGNITUDES[component][0] if is_magnitude else component)
    return f"{WORDS.get(component[0], 'resultant')} {f'|{component}|' if is_magnitude else component}", units


def moments(result: Result) -> Array | None:
    """Return the bending moment at every station, in space its magnitude; see `along_beams`."""
    return along_beams(result, "M")


def along_beams(result: Result, component: str) -> Array | None:
    """Return a resultant at every station, (time, station) or (station,), NaN off beams; None without resultants.

    Linear between sections, constant beyond the first and last section of a beam.
    """
    if "resultant" not in result.data.variables or result.data.sizes["section"] == 0:
        return None
    known = resultant(result, component).values
    values = np.full((*known.shape[:-1], result.data.sizes["station"]), np.nan)
    beams, section_s, s = (result.data[name].values for name in ("beam", "section_s", "s"))
    for name in dict.fromkeys(beams.tolist()):
        sections, stations = np.flatnonzero(beams == name), np.flatnonzero(result.data["part"].values == name)
        sections = sections[np.argsort(section_s[sections])]
        weights = _interpolation(section_s[sections], s[stations])
        values[..., stations] = known[..., sections] @ weights.T
    return values


def _interpolation(known: Array, wanted: Array) -> Array:
    """Return the matrix (wanted, known) of linear interpolation, constant beyond the ends."""
    return np.stack([np.interp(wanted, known, row) for row in np.eye(len(known))], axis=1)


def resample(times: Array, values: Array, wanted: Array) -> Array:
    """Interpolate values (time, ...) linearly to other times."""
    after = np.clip(np.searchsorted(times, wanted, side="right"), 1, max(len(times) - 1, 1))
    if len(times) == 1:
        return np.repeat(values, len(wanted), axis=0)
    share = (wanted - times[after - 1]) / (times[after] - times[after - 1])
    share = share.reshape(-1, *([1] * (values.ndim - 1)))
    return values[after - 1] * (1.0 - share) + values[after] * share
