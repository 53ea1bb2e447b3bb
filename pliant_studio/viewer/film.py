"""Film: a result as frames for the viewer: shapes, colouring quantities, forces of joints, captions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pliant.errors import OptionError
from pliant.results.drawing import scene
from pliant.results.drawing.clips import mode_clips, motion_clip, path_clip
from pliant.results.drawing.colouring import Quantity, joint_forces, quantities
from pliant.results.drawing.parts import Array
from pliant.results.names import open_joints
from pliant.results.result import Result

FPS = 30.0
MOST_FRAMES = 900


@dataclass(frozen=True)
class Film:
    """Frames evenly spread over `seconds`; a result at rest has one."""

    result: Result
    label: str
    seconds: float
    times: Array
    frames: Array
    quantities: Mapping[str, Quantity]
    captions: tuple[str, ...]
    forces: tuple[Array, Array] | None
    """places and forces of joints, (frame, joint, axis)"""
    velocities: tuple[Array, Array] | None = None
    """places and velocities of markers, (frame, marker, axis)"""
    rest: Array | None = None
    """(station, axis) that it is compared with: the beginning, or the equilibrium that modes swing about"""

    @cached_property
    def box(self) -> tuple[Array, Array]:
        """Return the corners (axis,) of all frames and of the ground."""
        gaps = [ends for _, ends in open_joints(self.result)]
        shown = self.frames.reshape(-1, self.frames.shape[-1])
        points = np.concatenate([shown, scene.ground_points(self.result), *gaps])
        return points.min(axis=0), points.max(axis=0)

    @property
    def largest_force(self) -> float:
        """Return the largest force of all joints in all frames."""
        return 0.0 if self.forces is None else float(np.linalg.norm(self.forces[1], axis=-1).max(initial=0.0))

    @property
    def largest_velocity(self) -> float:
        """Return the largest velocity of all markers in all frames."""
        return 0.0 if self.velocities is None else float(np.linalg.norm(self.velocities[1], axis=-1).max(initial=0.0))

    def frame_at(self, seconds: float) -> int:
        """Return the frame at a playing time; after the end the last one; modes repeat."""
        share = seconds / self.seconds
        place = share % 1.0 if self.result.kind == "modes" else min(share, 1.0)
        return round(place * (len(self.frames) - 1))


def films(result: Result, label: str = "") -> list[Film]:
    """Return all films of a result: one, or one for every mode."""
    scene.need(result, "shape")
    label = label or result.provenance.model
    if result.kind == "modes":
        clips = mode_clips(result, mode=None, scale=None, speed=1.0, all_modes=True)
        rest = result.data["shape"].values
        return [
            Film(result, label, clip.seconds, clip.times, clip.frames, {}, (clip.label,), None, rest=rest)
            for clip in clips
        ]
    if result.kind in ("statics", "sketch"):
        return [_still(result, label)]
    if result.kind not in ("motion", "path"):
        raise OptionError(f"a {result.kind} result cannot be viewed; it has no shapes. Use pl.plots")
    if result.data.sizes["time" if result.kind == "motion" else "point"] < 2:
        raise OptionError(f"{label}: a {result.kind} of one instant cannot be played; it ended where it began")
    cut = motion_clip if result.kind == "motion" else path_clip
    clip = cut(result, fps=FPS, speed=1.0, max_frames=MOST_FRAMES, every_output=result.kind == "path")
    captions = clip.captions or tuple(f"t = {time:.3f} s" for time in clip.times)
    return [
        Film(
            result,
            label,
            clip.seconds,
            clip.times,
            clip.frames,
            clip.quantities,
            captions,
            _at_times(result, joint_forces(result), clip.times),
            _at_times(result, _velocities(result), clip.times),
            clip.frames[0],
        )
    ]


def _velocities(result: Result) -> tuple[Array, Array] | None:
    """Return positions and velocities of markers, (instant, marker, axis); None for a result at rest."""
    data = result.data
    if result.kind != "motion" or not {"velocity", "position"} <= set(data.variables):
        return None
    return data["position"].values, data["velocity"].values


def _still(result: Result, label: str) -> Film:
    stable = result.outcome.figures.get("stable")
    words = {None: "equilibrium", True: "equilibrium, stable", False: "equilibrium, unstable"}[stable]
    shape = result.data["shape"].values[None]
    if result.kind == "sketch":  # nothing is solved: it has no forces
        return Film(result, label, 1.0, np.zeros(1), shape, {}, (result.outcome.message,), None)
    return Film(result, label, 1.0, np.zeros(1), shape, quantities(result), (words,), joint_forces(result))


def _at_times(result: Result, found: tuple[Array, Array] | None, wanted: Array) -> tuple[Array, Array] | None:
    """Interpolate positions and arrows to the times of frames; along a path, to its arclengths."""
    if found is None:
        return None
    known = result.data["time" if result.kind == "motion" else "arclength"].values
    if result.kind == "path":  # equal arclengths, at events, would divide by zero
        known = np.maximum.accumulate(known + 1e-12 * np.arange(len(known)) * max(float(known[-1]), 1e-300))
    places, arrows = (scene.resample(known, values, np.clip(wanted, known[0], known[-1])) for values in found)
    return places, arrows
