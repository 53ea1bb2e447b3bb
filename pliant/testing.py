"""Checks of parts, ours and strangers': derivatives, energy, frames, plane against space, units.

    from pliant.testing import check_part
    check_part(Magnet, strength=2.0)

Every check fails with an `AssertionError` that names the part, the check, and the numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import MISSING, fields
from typing import Any

import numpy as np

import pliant as pl
from pliant.model.markers import Marker
from pliant.model.parts import Joint, Load, Part

STEP = 1e-6  # of differences, in lengths of the model and radians
CLOSE = 2e-7  # what central differences of rounded numbers may be off, of the largest number compared
SPEED = 0.3  # m/s and rad/s of random motions


def check_part(kind: type[Part], *, seed: int = 0, **arguments: Any) -> None:
    """Check a class of joints or forces by every contract that pliant's own parts keep.

    kind       the class
    arguments  of its fields; markers are made here, numbers that have no default are 1 unless given

    It must be computed in the plane (unless ``spatial_only``) and in space; its residual must be the derivative of its
    energy, its tangent that of its residual, by places and by velocities; supplied and dissipated power must account
    for all of its work; it must not care where the model lies and how it is turned; in the plane it must do what it
    does in space; in other units it must be the same mechanism; and it must survive a file.
    """
    if not issubclass(kind, Joint | Load):
        raise TypeError(f"{kind.__name__}: check_part takes a class of joints or forces.")
    rng = np.random.default_rng(seed)
    spaces = ("spatial",) if kind.spatial_only else ("planar", "spatial")
    for space in spaces:
        model = example(kind, space, arguments)
        system = pl.compile(model)
        for trial in range(3):
            q, v = _random_state(system, rng, 0.2 + 0.3 * trial)
            _check_tangent(kind, space, system, q, v)
            if issubclass(kind, Load):
                _check_work(kind, space, system, q, v)
        _check_frames(kind, space, arguments, rng)
        _check_units(kind, space, model)
        _check_file(kind, space, model)
    if len(spaces) == 2:
        _check_plane_in_space(kind, arguments, rng)


def example(kind: type[Part], space: str, arguments: dict[str, Any]) -> pl.Model:
    """Two free bodies and the part between them."""
    model = pl.Model(f"check {kind.__name__}", plane=None if space == "spatial" else "xy")
    inertia: Any = 0.02 if space == "planar" else (0.01, 0.02, 0.03)
    ground = model.add(pl.Ground())
    first = model.add(pl.Body("first", mass=1.2, inertia=inertia, position=(0.0, 0.0), angle=0.2))
    second = model.add(pl.Body("second", mass=0.7, inertia=inertia, position=(0.4, 0.3), angle=0.5))
    model.add(pl.Spring("tether", ground.at(0.3, -1.0), first.at(), stiffness=3.0, rest_length=0.5))
    joint = issubclass(kind, Joint)
    spots: Iterator[Marker] = iter(
        (first.at(0.05, 0.02), second.at(0.0, 0.0) if joint else second.at(-0.03, 0.04), first.at(-0.1, 0.06))
    )
    given: dict[str, Any] = {}
    for each in fields(kind):  # type: ignore[arg-type]
        if not each.init or each.name in arguments:
            continue
        words = str(each.type)
        if "Marker" in words and each.default is MISSING:
            given[each.name] = next(spots)
        elif each.name == "name":
            given["name"] = "part"
        elif each.default is MISSING and each.default_factory is MISSING:
            given[each.name] = 1.0
    model.add(kind(**given, **arguments))
    return model


def _random_state(system: Any, rng: np.random.Generator, size: float) -> tuple[np.ndarray, np.ndarray]:
    """A pose near the assembled one, and velocities."""
    step, v = np.zeros(system.size), np.zeros(system.size)
    step[: system.freedoms] = size * rng.standard_normal(system.freedoms)
    v[: system.freedoms] = SPEED * rng.standard_normal(system.freedoms)
    return _moved(system, system.initial, step), v


def _moved(system: Any, q: np.ndarray, step: np.ndarray) -> np.ndarray:
    """A pose after an increment of the freedoms; rotations in space are taken up by the frames."""
    from pliant.kernels.so3 import take_up

    moved = q.copy()
    moved[: system.freedoms] += step[: system.freedoms]
    take_up(moved, system.equations.frames, system.equations.turning)
    return moved
