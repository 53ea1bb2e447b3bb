"""Moving pictures of a motion, a path or modes: GIF, MP4, or one HTML page with a player that needs no network."""

from __future__ import annotations

import html
import json
import math
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import resources
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from pliant.errors import FileError, OptionError
from pliant.results import scene
from pliant.results.io import written_whole
from pliant.results.progress import progress
from pliant.results.result import Result
from pliant.results.scene import Array
from pliant.results.schema import parameter_label, written

MODE_SECONDS = 2.0
"""One period of a mode is shown in this time, whatever its frequency."""

MODE_FRAMES = 50

PATH_SECONDS = 5.0
"""A path is walked along in this time."""

_RESOLUTION = 20_000  # steps of the HTML player's integer coordinates over the extent


@dataclass(frozen=True)
class Clip:
    """Frames evenly spread over `seconds` of playing time."""

    label: str
    seconds: float
    times: Array
    frames: Array
    """(frame, station, axis)"""
    moment: Array | None
    """(frame, station), NaN off beams"""
    loops: bool = False
    """The last frame is the first again."""
    captions: tuple[str, ...] = ()
    """What is written in each frame; unless given, the label or the time."""

    @property
    def rate(self) -> float:
        """Frames a second."""
        return (len(self.times) - 1) / self.seconds


def animate(
    result: Result,
    path: str | Path,
    *,
    fps: float = 30.0,
    speed: float = 1.0,
    mode: int | None = None,
    scale: float | None = None,
    max_frames: int = 600,
) -> Path:
    """Write an animation; the ending of `path` chooses .gif, .mp4 (needs ffmpeg) or .html. An older file is replaced.

    fps         frames a second, lowered where `max_frames` would be passed; linear between outputs
    speed       seconds of motion shown in one second; for modes, how much faster than a period in two seconds; for a
                path, than the whole in five
    mode        which mode to show; None gives the first, or in HTML all of them to choose from
    scale       factor on the mode as computed; None makes it easy to see

    Beams are coloured by their bending moment where the result holds resultants.
    """
    path = Path(path)
    writers: dict[str, Callable[[Result, list[Clip], Path], None]] = {
        ".gif": _write_gif,
        ".mp4": _write_mp4,
        ".html": _write_html,
    }
    ending = path.suffix.lower()
    if ending not in writers:
        raise OptionError(f"an animation cannot be written as {path.name!r}; end the name in .gif, .mp4 or .html")
    for name, value, least in (("fps", fps, 0.0), ("speed", speed, 0.0), ("max_frames", max_frames, 1.0)):
        if not (math.isfinite(value) and value > least):
            raise OptionError(f"{name} of an animation must be finite and above {least:g}; got {value}")
    if ending == ".gif":  # delays between GIF frames are whole hundredths of a second, and browsers want two at least
        fps = 100.0 / max(2, round(100.0 / fps))
    if result.kind == "modes":
        clips = mode_clips(result, mode=mode, scale=scale, speed=speed, all_modes=ending == ".html")
    else:
        clip = path_clip if result.kind == "path" else motion_clip
        every_output = ending == ".html"  # the player can be slowed down
        clips = [clip(result, fps=fps, speed=speed, max_frames=max_frames, every_output=every_output)]
    with written_whole(path) as part:
        writers[ending](result, clips, part)
    return path


def motion_clip(result: Result, *, fps: float, speed: float, max_frames: int, every_output: bool = False) -> Clip:
    """The whole motion, in frames evenly spread over time; `every_output` wants as many as there are outputs."""
    scene.need(result, "shape", "time")
    known = result.data["time"].values
    if len(known) < 2:
        raise OptionError(f"a motion of {len(known)} output time cannot be animated; use plots.plot_shape")
    seconds = float(known[-1] - known[0]) / speed
    count = min(max(round(seconds * fps) + 1, len(known) if every_output else 2), max_frames)
    times = np.linspace(known[0], known[-1], count)
    frames = scene.resample(known, result.data["shape"].values, times)
    moment = scene.moments(result)
    return Clip("", seconds, times, frames, None if moment is None else scene.resample(known, moment, times))


def path_clip(result: Result, *, fps: float, speed: float, max_frames: int, every_output: bool = False) -> Clip:
    """A walk along a path, in frames evenly spread over its length; captions tell parameter and stability."""
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
        f"{words} = {written(value, units, '#.4g')}, {'stable' if safe else 'unstable'}"
        for value, safe in zip(parameter, stable, strict=True)
    )
    moment = scene.moments(result)
    return Clip(
        "",
        seconds,
        places,
        scene.resample(known, result.data["shape"].values, wanted),
        None if moment is None else scene.resample(known, moment, wanted),
        captions=captions,
    )


def mode_clips(result: Result, *, mode: int | None, scale: float | None, speed: float, all_modes: bool) -> list[Clip]:
    """One period of each mode: equilibrium shape plus Re(displacement e^{i phase})."""
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
        clips.append(Clip(label, MODE_SECONDS / speed, times, frames, None, loops=True))
    return clips


def _write_gif(result: Result, clips: list[Clip], path: Path) -> None:
    from PIL import Image

    pictures = (Image.fromarray(frame[..., :3]).quantize(64) for frame in _pictures(result, clips[0]))
    first = next(pictures)
    delay = 10 * max(2, round(100.0 / clips[0].rate))  # milliseconds
    first.save(path, format="GIF", save_all=True, append_images=pictures, duration=delay, loop=0)


def _write_mp4(result: Result, clips: list[Clip], path: Path) -> None:
    program = shutil.which("ffmpeg")
    if program is None:
        raise FileError(
            "an MP4 animation needs the program ffmpeg, which was not found; install it, or write .gif or .html"
        )
    pictures = _pictures(result, clips[0])
    first = next(pictures)
    size = f"{first.shape[1]}x{first.shape[0]}"
    command = [program, "-y", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgba", "-s", size]
    command += ["-r", f"{clips[0].rate:.6f}", "-i", "-", "-pix_fmt", "yuv420p", "-movflags", "+faststart", str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        try:
            for picture in chain([first], pictures):
                process.stdin.write(picture.tobytes())  # type: ignore[union-attr]
        except BrokenPipeError:
            pass  # ffmpeg ended early and says why below
        message = process.communicate()[1].decode(errors="replace").strip()
    if process.returncode != 0:
        raise FileError(f"ffmpeg could not write the animation: {message or process.returncode}")


def _pictures(result: Result, clip: Clip) -> Iterator[npt.NDArray[np.uint8]]:
    """Every frame as an image (height, width, 4)."""
    from pliant.results.painter import Painter

    painter = Painter(result, clip.frames, clip.moment)
    times = clip.times[:-1] if clip.loops else clip.times
    with progress("drawing", len(times)) as report:
        for index, time in enumerate(times):
            caption = clip.captions[index] if clip.captions else clip.label or f"t = {time:.3f} s"
            yield painter.paint(index, caption)
            report(index + 1)


def _write_html(result: Result, clips: list[Clip], path: Path) -> None:
    template = (resources.files("pliant.results") / "player.html").read_text(encoding="utf-8")
    data = json.dumps(_player_data(result, clips), separators=(",", ":"), ensure_ascii=False)
    fields = {"TITLE": html.escape(result.provenance.model), "DATA": data.replace("<", "\\u003c")}
    page = re.sub(r"\{\{(TITLE|DATA)\}\}", lambda found: fields[found[1]], template)
    path.write_text(page, encoding="utf-8")


def _player_data(result: Result, clips: list[Clip]) -> dict[str, Any]:
    """What the player draws, in integers: metres = origin + step * coordinate; moments in 1/1000 of the largest."""
    ground = scene.ground_points(result)
    points = np.concatenate([*(clip.frames.reshape(-1, 2) for clip in clips), ground])
    low, high = points.min(axis=0), points.max(axis=0)
    origin = 0.5 * (low + high)
    step = scene.extent(points) / _RESOLUTION
    largest = max((float(np.nanmax(np.abs(clip.moment))) for clip in clips if clip.moment is not None), default=0.0)

    def integers(points: Array) -> list[list[int]]:
        return np.rint((points - origin) / step).astype(int).reshape(len(points), math.prod(points.shape[1:])).tolist()

    def moments(values: Array | None) -> list[list[int]] | None:
        if values is None or largest == 0.0:
            return None
        return np.rint(1000.0 * np.nan_to_num(values) / largest).astype(int).tolist()

    return {
        "model": result.provenance.model,
        "origin": origin.tolist(),
        "step": step,
        "parts": [{"name": p.name, "kind": p.kind, "stations": p.stations.tolist()} for p in scene.parts(result)],
        "ground": integers(ground),
        "largestMoment": largest,
        "clips": [
            {
                "label": clip.label,
                "seconds": clip.seconds,
                "times": [float(f"{time:.6g}") for time in clip.times],
                "frames": integers(clip.frames),
                "moments": moments(clip.moment),
                "captions": clip.captions or None,
            }
            for clip in clips
        ],
    }
