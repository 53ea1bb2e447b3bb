"""Loads along beams that carry them without nodes: weight, forces per length, drag."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from pliant.forces import DistributedLoad, Drag, Gravity


class LoadAlong(NamedTuple):
    """A load along a beam: the beam's number; whether it is per mass or follows the sections; whether it has a
    potential; its signals, one per axis; its factor along the beam.
    """

    beam: int
    per_mass: bool
    follower: bool
    steady: bool
    signals: tuple[int, ...]
    factor: Callable[[float], float]


def loads_along(layout: Any, meshes: Sequence[Any]) -> Iterator[LoadAlong]:
    """Yield all loads along the beams of these meshes."""
    numbers = {mesh.beam: k for k, mesh in enumerate(meshes)}
    for load in (*layout.forces(Gravity), *layout.forces(DistributedLoad)):
        per_mass = isinstance(load, Gravity)
        follower = not per_mass and load.follower
        for number in (numbers[beam] for beam in (numbers if per_mass else [load.beam]) if beam in numbers):
            signals = tuple(layout.signal(getattr(load, axis), load, axis) for axis in layout.space.axes)
            steady = not follower and all(map(layout.is_constant, signals))
            yield LoadAlong(number, per_mass, follower, steady, signals, _whole if per_mass else load.factor)


def drag_along(layout: Any, mesh: Any) -> tuple[float, ...]:
    """Return the drag per length and velocity along the axes of the space."""
    mine = [drag for drag in layout.forces(Drag) if drag.beam is mesh.beam]
    return tuple(sum(getattr(drag, axis) for drag in mine) for axis in layout.space.axes)


def _whole(s: float) -> float:
    """Return the factor of a uniform load."""
    return 1.0
