"""Moving pictures of a motion, a path or modes: GIF, MP4, or one HTML page with a player that needs no network.

The player inside a notebook, in a frame of its own.

One HTML page with a player that needs no network: what it draws, written into `player.html`.
"""

from __future__ import annotations

import html
import json
import math
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib import resources
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from pliant.errors import FileError, OptionError
from pliant.results.drawing import scene
from pliant.results.drawing.canvas import COLOURS
from pliant.results.drawing.clips import Clip, mode_clips, motion_clip, path_clip, still_clip
from pliant.results.drawing.colouring import Quantity
from pliant.results.drawing.overlays import ghost_lines, viewing_angles
from pliant.results.drawing.parts import Part, colours_of, looks
from pliant.results.drawing.pictured import Pictured, result_to_draw
from pliant.results.drawing.scene import Array
from pliant.results.drawing.solids import Solid
from pliant.results.drawing.view import Angles, View, view_of
from pliant.results.names import joint_names, name_places, open_joints
from pliant.results.progress import progress
from pliant.results.result import Result
from pliant.results.traces import Trace
from pliant.results.traces import traces as traced
from pliant.whole_files import whole_file

COLOURED = ("bending moment", "axial force", "strain", "speed", "tension")
"""Quantities that can be chosen in the player."""

MOST_TRIANGLES = 6_000
"""Of one surface that the player fills."""

RESOLUTION = 20_000
"""Steps of the player's integer coordinates over the extent."""


def write_html(result: Result, clips: list[Clip], view: View, path: Path, traces: list[Trace]) -> None:
    """Write the HTML page with a player."""
    path.write_text(page(result, clips, view, traces), encoding="utf-8")


def page(result: Result, clips: list[Clip], view: View, traces: list[Trace]) -> str:
    """Return the page as text."""
    template = (resources.files("pliant.results.drawing") / "player.html").read_text(encoding="utf-8")
    data = json.dumps(_player_data(result, clips, view, traces), separators=(",", ":"), ensure_ascii=False)
    fields = {"TITLE": html.escape(result.provenance.model), "DATA": data.replace("<", "\\u003c")}
    return re.sub(r"\{\{(TITLE|DATA)\}\}", lambda found: fields[found[1]], template)


def _player_data(result: Result, clips: list[Clip], view: View, traces: list[Trace]) -> dict[str, Any]:
    """Return the drawing as integers: metres = origin + step * coordinate; colours in 1/1000 of the largest."""
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
    """Describe one quantity to colour by, and the stations at which it has values."""
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
    """Return the weights of points as [station, weight, station, weight, ...] for every point."""
    return [
        [number for k in np.flatnonzero(row) for number in (int(stations[k]), float(f"{row[k]:.5g}"))]
        for row in weights
    ]


def _solid(solid: Solid, colours: dict[str, str]) -> dict[str, Any]:
    """Convert a surface for the player; one with very many triangles becomes its edges."""
    return {
        "kind": solid.kind,
        "colour": COLOURS.index(colours[solid.name]) if solid.name in colours else -1,
        "stations": solid.stations.tolist(),
        "points": _pairs(solid.stations, solid.weights),
        "faces": solid.triangles.tolist() if len(solid.triangles) <= MOST_TRIANGLES else [],
        "edges": solid.edges.tolist(),
    }


def _part(part: Part, colour: str) -> dict[str, Any]:
    """Convert a part for the player."""
    return {
        "name": part.name,
        "kind": part.kind,
        "colour": COLOURS.index(colour),
        "stations": part.stations.tolist(),
        "line": _pairs(part.stations, part.weights),
        "dots": part.dots.tolist(),
    }


HEIGHT = 520
"""Of the frame, in pixels."""


@dataclass(frozen=True)
class Inline:
    """A page with a player; the last line of a notebook's cell shows it. `page` is the HTML."""

    page: str = field(repr=False)

    def _repr_html_(self) -> str:
        return (
            f'<iframe srcdoc="{html.escape(self.page)}" sandbox="allow-scripts" title="animation" '
            f'style="width:100%; height:{HEIGHT}px; border:1px solid #ddd"></iframe>'
        )


def animate(
    result: Pictured,
    path: str | Path,
    *,
    fps: float = 30.0,
    speed: float = 1.0,
    mode: int | None = None,
    scale: float | None = None,
    view: Angles = None,
    traces: Sequence[str] | str = (),
    ghost: bool | Pictured = False,
    max_frames: int = 600,
    overwrite: bool = True,
) -> Path:
    """Write an animation; the ending of `path` chooses .gif, .mp4 (needs ffmpeg, or the extra `video`) or .html.

    fps         frames a second, lowered where `max_frames` would be passed; linear between outputs
    speed       seconds of motion shown in one second; for modes, how much faster than a period in two seconds; for a
                path, than the whole path in five
    mode        which mode to show; None gives the first, or in HTML all of them to choose from
    scale       factor on the mode as computed; None makes it easy to see
    view        of a spatial result: "3d", "xy", "xz", "yz", or (elevation, azimuth) in degrees; HTML can be turned
    traces      markers whose lines are drawn: coupler curves, the path of a foot
    ghost       True: where a motion or path begins, in grey; or a model, system or result to be drawn behind
    overwrite   whether an older file is replaced; False: it is an error that there is one

    Beams are coloured by their bending moment (in space its magnitude) if the result holds resultants; HTML offers
    other quantities too: axial force, strain, speed, tension of tendons. A model, a system or an equilibrium stands
    still in HTML, and can be turned.

    >>> import tempfile
    >>> from pliant_testing.results.planar import example_motion
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     animate(example_motion(), f"{folder}/motion.html").name
    'motion.html'
    """
    path, result = Path(path), result_to_draw(result)
    if path.exists() and not overwrite:
        raise FileError(f"{path} exists already; give another name or overwrite=True")
    drawn = [*ghost_lines(result, ghost), *traced(result, traces)]
    writers: dict[str, Callable[[Result, list[Clip], View, Path, list[Trace]], None]] = {
        ".gif": _write_gif,
        ".mp4": _write_mp4,
        ".html": write_html,
    }
    ending = path.suffix.lower()
    if ending not in writers:
        raise OptionError(f"an animation cannot be written as {path.name!r}; end the name in .gif, .mp4 or .html")
    if ending == ".gif":  # delays between GIF frames are whole hundredths of a second, and browsers want two at least
        _check(fps=(fps, 0.0))
        fps = 100.0 / max(2, round(100.0 / fps))
    # a page has all modes and all outputs, because it can be slowed down
    clips = _clips(result, fps, speed, mode, scale, max_frames, whole=ending == ".html")
    with whole_file(path) as part:
        writers[ending](result, clips, _requested_view(result, clips, view), part, drawn)
    return path


def show(
    result: Pictured,
    *,
    speed: float = 1.0,
    mode: int | None = None,
    scale: float | None = None,
    view: Angles = None,
    traces: Sequence[str] | str = (),
    ghost: bool | Pictured = False,
    max_frames: int = 300,
) -> Inline:
    """Show the player of `animate` inside a notebook, as the last line of a cell, with the same options. It needs no
    network. A model, a system or an equilibrium stands still in it, and can be turned.

    >>> from pliant_testing.results.planar import example_motion
    >>> show(example_motion())
    Inline()
    """
    result = result_to_draw(result)
    clips = _clips(result, 30.0, speed, mode, scale, max_frames, whole=True)
    drawn = [*ghost_lines(result, ghost), *traced(result, traces)]
    return Inline(page(result, clips, _requested_view(result, clips, view), drawn))


def _requested_view(result: Result, clips: list[Clip], view: Angles) -> View:
    """Return the requested view; by default, for modes, one from which they are visible."""
    found = view_of(result, view)
    if view is not None or found.angles is None or result.kind != "modes":
        return found
    moved = [np.ptp(clip.frames, axis=0) for clip in clips]  # range of every station along every axis
    return view_of(result, viewing_angles(moved, found.angles))


def _clips(
    result: Result, fps: float, speed: float, mode: int | None, scale: float | None, max_frames: int, *, whole: bool
) -> list[Clip]:
    """Return the clips to show; `whole`: all modes and all outputs."""
    _check(fps=(fps, 0.0), speed=(speed, 0.0), max_frames=(max_frames, 1.0))
    if result.kind in ("sketch", "statics"):
        if not whole:
            raise OptionError(f"nothing moves in a {result.kind} result: write .html, or use plots.plot_shape.")
        return [still_clip(result)]
    if result.kind == "modes":
        return mode_clips(result, mode=mode, scale=scale, speed=speed, all_modes=whole)
    clip = path_clip if result.kind == "path" else motion_clip
    return [clip(result, fps=fps, speed=speed, max_frames=max_frames, every_output=whole)]


def _check(**given: tuple[float, float]) -> None:
    """Refuse options that are not finite or not above their bound."""
    for name, (value, least) in given.items():
        if not (math.isfinite(value) and value > least):
            raise OptionError(f"{name} of an animation must be finite and above {least:g}; got {value}")


def _write_gif(result: Result, clips: list[Clip], view: View, path: Path, drawn: list[Trace]) -> None:
    from PIL import Image

    pictures = (Image.fromarray(frame[..., :3]).quantize(64) for frame in _pictures(result, clips[0], view, drawn))
    first = next(pictures)
    delay = 10 * max(2, round(100.0 / clips[0].rate))  # milliseconds
    first.save(path, format="GIF", save_all=True, append_images=pictures, duration=delay, loop=0)


def _write_mp4(result: Result, clips: list[Clip], view: View, path: Path, drawn: list[Trace]) -> None:
    program = _ffmpeg()
    pictures = _pictures(result, clips[0], view, drawn)
    first = next(pictures)
    size = f"{first.shape[1]}x{first.shape[0]}"
    command = [program, "-y", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgba", "-s", size]
    command += ["-r", f"{clips[0].rate:.6f}", "-i", "-", "-pix_fmt", "yuv420p", "-movflags", "+faststart", str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        try:
            for picture in chain([first], pictures):
                process.stdin.write(picture.tobytes())  # type: ignore[union-attr]
        except OSError:  # a broken pipe; on Windows an invalid argument
            pass  # ffmpeg ended early and says why below
        message = process.communicate()[1].decode(errors="replace").strip()
    if process.returncode != 0:
        raise FileError(f"ffmpeg could not write the animation: {message or process.returncode}")


def _ffmpeg() -> str:
    """Return the program ffmpeg of the machine, or the one that comes with imageio-ffmpeg."""
    program = shutil.which("ffmpeg")
    if program is not None:
        return program
    try:
        from imageio_ffmpeg import get_ffmpeg_exe

        return str(get_ffmpeg_exe())
    except (ImportError, RuntimeError) as error:
        raise FileError(
            "an MP4 animation needs the program ffmpeg, which was not found; install it with pip install "
            "'pliant[video]', or write .gif or .html"
        ) from error


def _pictures(result: Result, clip: Clip, view: View, drawn: list[Trace]) -> Iterator[npt.NDArray[np.uint8]]:
    """Yield every frame as an image (height, width, 4)."""
    from pliant.results.drawing.painter import Painter

    painter = Painter(result, clip.frames, clip.moment, view, drawn)
    times = clip.times[:-1] if clip.loops else clip.times
    with progress("drawing", len(times)) as report:
        for index, time in enumerate(times):
            caption = clip.captions[index] if clip.captions else clip.label or f"t = {time:.3f} s"
            yield painter.paint(index, caption)
            report(index + 1)
