"""Ends of the range of an angle phi of _turns.py: ``g = side (phi - end)``, with the force of a contact."""

from __future__ import annotations

from collections.abc import Callable
from math import pi
from typing import Any, NamedTuple

import numpy as np

from pliant.errors import ModelError
from pliant.forces import Stop
from pliant.forces._turns import about, turning
from pliant.forces.contact.law import normal_force, stored
from pliant.jit import kernel
from pliant.kernels.contact_gaps import begin, enter
from pliant.kernels.sums import Along, Instant, Into
from pliant.model.kinds import packs_only


class Arrays(NamedTuple):
    """Arrays of ends, one entry an end of a stop; its freedoms are the rotations of a and b."""

    dofs: np.ndarray  # (n, 2), in space (n, 6)
    slots: np.ndarray
    frames: np.ndarray  # (n, 0), in space (n, 2)
    directions: np.ndarray  # (n, 1, 9) reference of the angle, with the middle of the range
    end: np.ndarray
    side: np.ndarray  # 1 if the angle stays above the end, -1 if below
    law: np.ndarray  # (n, 3) stiffness, exponent, damping
    owner: np.ndarray  # number of the stop


def touches(layout: Any) -> list[Stop]:
    """Return the stops of angles, in the order of their readings."""
    return [stop for stop in layout.forces(Stop) if not stop.slides]


@packs_only(Stop)
def pack(layout: Any) -> Arrays:
    """Pack the stops of the model."""
    for stop in touches(layout):
        if layout.space.quaternions and stop.width >= 2.0 * pi:
            raise ModelError(
                f"{stop.owner}: from lower to upper it is {stop.width:.6g} rad, but in space an angle is known up to "
                "whole turns. Bring them nearer than a turn, or leave one out."
            )
    ends = [(k, stop, *each) for k, stop in enumerate(touches(layout)) for each in stop.ends()]
    nodes = [(layout.node(stop.a), layout.node(stop.b)) for _, stop, _, _ in ends]
    directions = np.zeros((len(ends), 1, 9))
    for e, (_, stop, _, _) in enumerate(ends):
        found = about(layout, stop, stop.a, stop.b, stop.middle)
        directions[e, 0, : len(found)] = found
    return Arrays(
        dofs=turning(layout, nodes),
        slots=np.empty((len(ends), 0), np.uint32),
        frames=layout.frames(nodes, 2),
        directions=directions,
        end=np.array([end for _, _, end, _ in ends], float),
        side=np.array([side for _, _, _, side in ends], float),
        law=np.array([stop.law for _, stop, _, _ in ends], float).reshape(-1, 3),
        owner=np.array([k for k, _, _, _ in ends], np.uint32),
    )


def places(part: Arrays) -> int:
    """Return the number of possible places of contact."""
    return int(part.end.size)


@kernel
def gap(part: Arrays, e: int, angle: float) -> float:
    """Return the distance to end e."""
    return part.side[e] * (angle - part.end[e])


class Kernels(NamedTuple):
    """Kernels of the plane or of space."""

    add: Callable[..., None]
    energy: Callable[..., tuple[float, float]]
    power: Callable[..., tuple[float, float]]
    touching: Callable[..., None]
    openings: Callable[..., int]


def kernels(angle_of: Any, rate_of: Any, spread: Any, gradient: Any) -> Kernels:
    """Build the kernels from an angle's kernels in the plane or in space."""

    @kernel
    def add(part: Arrays, now: Instant, into: Into) -> None:
        """Add moments where an end is exceeded."""
        for e in range(part.end.size):
            angle, at = angle_of(part, e, now.q)
            g, side = gap(part, e, angle), part.side[e]
            if g < 0.0 and part.law[e, 0] != 0.0:
                x = normal_force(part.law[e], g, side * rate_of(part, e, now.v, at))
                force, stiff = -side * x.force, -into.ck * x.by_gap - into.cc * x.by_rate
                spread(part, e, at, now.v, Along(force, into.ck * force, stiff, -into.ck * x.by_rate), into)

    @kernel
    def energy(part: Arrays, q: np.ndarray) -> tuple[float, float]:
        """Return the elastic energy of the stops."""
        potential = 0.0
        for e in range(part.end.size):
            potential += stored(part.law[e], gap(part, e, angle_of(part, e, q)[0]))
        return 0.0, potential

    @kernel
    def power(part: Arrays, q: np.ndarray, v: np.ndarray) -> tuple[float, float]:
        """Return the power lost by damping."""
        dissipated = 0.0
        for e in range(part.end.size):
            angle, at = angle_of(part, e, q)
            g, speed = gap(part, e, angle), part.side[e] * rate_of(part, e, v, at)
            if g < 0.0:
                x = normal_force(part.law[e], g, speed)
                dissipated += (x.elastic - x.force) * speed
        return 0.0, dissipated

    @kernel
    def touching(part: Arrays, q: np.ndarray, v: np.ndarray, out: np.ndarray) -> None:
        """Write the gap of the nearer end (rad), and the moment, for every stop."""
        for e in range(part.end.size):
            angle, at = angle_of(part, e, q)
            g, k = gap(part, e, angle), part.owner[e]
            out[k, 0] = min(out[k, 0], g)
            if g < 0.0:
                out[k, 1] += normal_force(part.law[e], g, part.side[e] * rate_of(part, e, v, at)).force

    @kernel
    def openings(part: Arrays, q: np.ndarray, close: float, who: np.ndarray, out: np.ndarray) -> int:
        """List ends with a gap of at most ``close`` (kernels/contact_gaps.py). Returns how many there are."""
        found = 0
        for e in range(part.end.size):
            angle, at = angle_of(part, e, q)
            g = gap(part, e, angle)
            if not g <= close:
                continue
            if found < out.shape[0]:
                x = gradient(at)
                begin(who[found], out[found], e, part.owner[e], g)
                for i in range(part.dofs.shape[1]):
                    enter(who[found], out[found], i, part.dofs[e, i], (part.side[e] * x[i], 0.0, 0.0))
            found += 1
        return found

    return Kernels(add, energy, power, touching, openings)
