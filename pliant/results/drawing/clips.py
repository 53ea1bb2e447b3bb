"""Frames of an animation: of a motion, of a walk along a path, of one period of a mode."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from pliant.errors import OptionError
from pliant.results.drawing import scene
from pliant.results.drawing.colouring import Quantity, quantities
from pliant.results.drawing.scene import Array
from pliant.results.result import Result
from pliant.results.schema import format_value, parameter_label

MODE_SECONDS = 2.0
"""One period of a mode is shown in this time, whatever its frequency."""

MODE_FRAMES = 50

PATH_SECONDS = 5.0
"""A path is walked along in this time."""


@dataclass(frozen=True)
class Clip:
    """Frames evenly spread over `seconds` of playing time."""

    label: str
    seconds: float
    times: Array
    frames: Array
    """(frame, station, axis)"""
    quantities: Mapping[str, Quantity] = field(default_factory=dict)
    """What parts can be coloured by, by name"""
    loops: bool = False
    """The last frame is the first again."""
    captions: tuple[str, ...] = ()
    """What is written in each frame; unless given, the label or the time."""

    @property
    def moment(self) -> Quantity | None:
        """Return the bending moment (frame, station), NaN off beams; None without beams."""
        return self.quantities.get("bending moment")

    @property
    def rate(self) -> float:
        """Return the number of frames a second."""
        return (len(self.times) - 1) / self.seconds


def still_clip(result: Result) -> Clip:
    """Make a clip of something at rest (an equilibrium, or a model as assembled): two equal frames."""
    scene.need(result, "shape")
    found = result.outcome.figures.get("stable")
    stable = "" if found is None else ", stable" if found else ", unstable"
    words = result.outcome.message if result.kind == "sketch" else f"equilibrium{stable}"
    known = {} if result.kind == "sketch" else quantities(result)  # nothing is solved in a sketch
    twice = {name: each.at(np.repeat(each.values, 2, axis=0)) for name, each in known.items()}
    frames = np.repeat(result.data["shape"].values[None], 2, axis=0)
    return Clip("", 1.0, np.array([0.0, 1.0]), frames, twice, captions=(words, words))


def motion_clip(result: Result, *, fps: float, speed: float, max_frames: int, every_output: bool = False) -> Clip:
    """Make a clip of the whole motion, frames evenly spread over time; `every_output`: one frame for each output."""
    scene.need(result, "shape", "time")
    known = result.data["time"].values
    if len(known) < 2:
        raise OptionError(f"a motion of {len(known)} output time cannot be animated; use plots.plot_shape")
    seconds = float(known[-1] - known[0]) / speed
    count = min(max(round(seconds * fps) + 1, len(known) if every_output else 2), max_frames)
    times = np.linspace(known[0], known[-1], count)
    frames = scene.resample(known, result.data["shape"].values, times)
    return Clip("", seconds, times, frames, _resampled(result, known, times))


def path_clip(result: Result, *, fps: float, speed: float, max_frames: int, every_output: bool = False) -> Clip:
    """Make a clip of a walk along a path, frames evenly spread; captions name parameter and stability."""
    scene.need(result, "shape", "point")
    arclength, count = result.data["arclength"].values, result.data.sizes["point"]
    if count < 2:
        raise OptionError(f"a path of {count} point cannot be animated; use plots.plot_shape")
    seconds = PATH_SECONDS / speed
    frames = min(max(round(seconds * fps) + 1, count if every_output else 2), max_frames)
    places = np.linspace(arclength[0], arclength[-1], frames)
    known = np.arange(count, dtype=float)
    wanted = np.interp(places, arclength, known)
    words, units = parameter_label(result.data)
    parameter = scene.resample(known, result.data["parameter"].values, wanted)
    stable = scene.stable_stretches(result)[np.minimum(wanted.astype(int), count - 2)]
    captions = tuple(
        f"{words} = {format_value(value, units, '#.4g')}, {'stable' if safe else 'unstable'}"
        for value, safe in zip(parameter, stable, strict=True)
    )
    shapes = scene.resample(known, result.data["shape"].values, wanted)
    return Clip("", seconds, places, shapes, _resampled(result, known, wanted), captions=captions)


def mode_clips(result: Result, *, mode: int | None, scale: float | None, speed: float, all_modes: bool) -> list[Clip]:
    """Make a clip of one period of each mode: equilibrium shape plus Re(displacement e^{i phase})."""
    scene.need(result, "mode_shape", "mode")
    known = [int(number) for number in result.data["mode"].values]
    chosen = [mode] if mode is not None else known if all_modes else known[:1]
    phase = np.linspace(0.0, 2.0 * np.pi, MODE_FRAMES + 1)
    clips = []
    for number in chosen:
        field = scene.mode_displacement(result, number, scale)
        frames = result.data["shape"].values + (np.exp(1j * phase)[:, None, None] * field).real
        frequency = float(result.data["frequency_hz"].sel(mode=number)) if "frequency_hz" in result.data else 0.0
        label = scene.frequency_label(result, number)
        times = phase / (2.0 * np.pi * frequency) if frequency > 0.0 else phase
        clips.append(Clip(label, MODE_SECONDS / speed, times, frames, loops=True))
    return clips


def _resampled(result: Result, known: Array, wanted: Array) -> dict[str, Quantity]:
    found = quantities(result)
    return {name: each.at(scene.resample(known, each.values, wanted)) for name, each in found.items()}
