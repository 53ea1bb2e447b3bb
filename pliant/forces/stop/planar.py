"""Stops of angles in the plane: ``g = side (theta_b - theta_a - end)``, pushed back as a contact is."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pliant._jit import kernel
from pliant.forces import Stop
from pliant.forces.contact.law import push, stored

if TYPE_CHECKING:
    from pliant.system.layout import Layout


class Arrays(NamedTuple):
    """One entry an end of a stop; its freedoms are the angles of a and b."""

    dofs: np.ndarray  # (n, 2)
    slots: np.ndarray
    end: np.ndarray
    side: np.ndarray  # 1 where the angle stays above the end, -1 where below
    law: np.ndarray  # (n, 3) stiffness, exponent, damping
    owner: np.ndarray  # number of the stop


def touches(layout: Layout) -> list[Stop]:
    """Stops of angles, in the order of their readings."""
    return [stop for stop in layout.forces(Stop) if not stop.slides]


def pack(layout: Layout) -> Arrays:
    """Stops of the model."""
    ends = [(k, stop, *each) for k, stop in enumerate(touches(layout)) for each in stop.ends()]
    pairs = layout.dofs([(layout.node(stop.a), layout.node(stop.b)) for _, stop, _, _ in ends], 2)
    zero = [layout.offset(stop.a)[2] - layout.offset(stop.b)[2] for _, stop, _, _ in ends]
    return Arrays(
        dofs=np.ascontiguousarray(pairs[:, [2, 5]]),
        slots=np.empty((len(ends), 0), np.uint32),
        end=np.array([end for _, _, end, _ in ends], float) + np.array(zero, float),
        side=np.array([side for _, _, _, side in ends], float),
        law=np.array([stop.law for _, stop, _, _ in ends], float).reshape(-1, 3),
        owner=np.array([k for k, _, _, _ in ends], np.uint32),
    )


@kernel
def gap(part: Arrays, e: int, q: np.ndarray) -> float:
    """How far end e is."""
    return part.side[e] * (q[part.dofs[e, 1]] - q[part.dofs[e, 0]] - part.end[e])


@kernel
def rate(part: Arrays, e: int, v: np.ndarray) -> float:
    """Its change."""
    return part.side[e] * (v[part.dofs[e, 1]] - v[part.dofs[e, 0]])


@kernel
def add(part: Arrays, q: np.ndarray, v: np.ndarray, ck: float, cc: float, r: np.ndarray, s: np.ndarray) -> None:
    """Moments where an end is passed."""
    for e in range(part.end.size):
        g, a, b = gap(part, e, q), part.dofs[e, 0], part.dofs[e, 1]
        if g < 0.0 and part.law[e, 0] != 0.0:
            x = push(part.law[e], g, rate(part, e, v))
            r[a] += part.side[e] * x.force
            r[b] -= part.side[e] * x.force
            stiff = -ck * x.by_gap - cc * x.by_rate
            s[part.slots[e, 0]] += stiff
            s[part.slots[e, 1]] -= stiff
            s[part.slots[e, 2]] += stiff


@kernel
def energy(part: Arrays, q: np.ndarray) -> tuple[float, float]:
    """Elastic energy of the stops."""
    potential = 0.0
    for e in range(part.end.size):
        potential += stored(part.law[e], gap(part, e, q))
    return 0.0, potential


@kernel
def power(part: Arrays, q: np.ndarray, v: np.ndarray) -> tuple[float, float]:
    """Power lost by damping."""
    dissipated = 0.0
    for e in range(part.end.size):
        g, speed = gap(part, e, q), rate(part, e, v)
        if g < 0.0:
            x = push(part.law[e], g, speed)
            dissipated += (x.elastic - x.force) * speed
    return 0.0, dissipated


@kernel
def touching(part: Arrays, q: np.ndarray, v: np.ndarray, out: np.ndarray) -> None:
    """Of every stop the gap of the nearer end (rad), and the moment."""
    for e in range(part.end.size):
        g, k = gap(part, e, q), part.owner[e]
        out[k, 0] = min(out[k, 0], g)
        if g < 0.0:
            out[k, 1] += push(part.law[e], g, rate(part, e, v)).force


@kernel
def survey(part: Arrays, q: np.ndarray, gaps: np.ndarray, rows: np.ndarray) -> None:
    """Gaps of all ends, and (n, 1, 2) their rates by the freedoms."""
    for e in range(part.end.size):
        gaps[e] = gap(part, e, q)
        rows[e, 0, 0], rows[e, 0, 1] = -part.side[e], part.side[e]
