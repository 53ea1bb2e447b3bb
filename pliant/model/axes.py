"""Parts that act along or about an axis in space."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from pliant.model import rotations
from pliant.model.bodies.outlines import Track
from pliant.model.markers import Marker
from pliant.model.parts import Part
from pliant.model.rotations import Array

Axis = str | tuple[float, ...]


class Axial(Part, abstract=True):
    """A part with an `axis` in its markers' axes, "x", "y", "z" or 3 numbers: the axis `along` of the part's frame.

    The frame of a letter is the marker's with its axes permuted cyclically; for 3 numbers, turned the shortest way.
    """

    units: ClassVar = {"axis": "1"}
    in_space: ClassVar[tuple[str, ...]] = ("axis",)
    along: ClassVar[str] = "z"

    axis: Axis

    def __post_init__(self) -> None:
        super().__post_init__()
        rotations.unit(self.owner, "axis", self.axis)
        if not isinstance(self.axis, str):
            self._set(axis=tuple(float(value) for value in self.axis))

    @property
    def in_plane_instead(self) -> str:
        """Advise for the plane: a slide follows its first marker; other axes are normal to the plane."""
        if self.along != "x":
            return super().in_plane_instead
        return "Here it slides along marker a's x axis: turn that one, as in ground.at(0, 0, angle=90 * pl.DEG)"

    @property
    def frame_a(self) -> Array:
        """Return the quaternion that takes the axes of the part's frame to marker a's axes."""
        return frame(self.along, self.axis)

    @property
    def frame_b(self) -> Array:
        """Return the quaternion that takes the axes of the part's frame to marker b's axes."""
        return frame(self.along, self.axis)


def frame(along: str, axis: Axis) -> Array:
    """Return the quaternion of the frame whose axis `along` is the given one.

    >>> (rotations.rotate(frame("z", "x"), np.array([0.0, 0.0, 1.0])).round(12) + 0.0).tolist()
    [1.0, 0.0, 0.0]
    """
    if isinstance(axis, str):
        turns = (ord(axis) - ord(along)) % 3
        return rotations.exponential(2.0 * np.pi / 3.0 * turns / np.sqrt(3.0) * np.ones(3))
    return rotations.between(rotations.AXES[along], rotations.unit("axis", "axis", axis))


def part_frame(along: str, axis: Axis, spatial: bool) -> Array:
    """Return the quaternion of the part's frame; in the plane, where `axis` is unused, the frame is the marker's."""
    return frame(along, axis) if spatial else rotations.exponential(np.zeros(3))


def rail(joint: Any, spatial: bool) -> Track:
    """Return the rail in pictures of a joint that slides."""
    return Track("rail", joint.a, part_frame("x", joint.axis, spatial), (joint.b,))


def wall(part: Any, marker: Marker, followers: tuple[Marker, ...], spatial: bool) -> Track:
    """Return the wall in pictures of a contact surface; its normal is the axis."""
    return Track("wall", marker, part_frame("y", part.axis, spatial), followers)
