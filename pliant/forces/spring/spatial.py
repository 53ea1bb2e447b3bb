"""Linear spring-damper along the line between two markers in space: ``f = k (l - l0) + c l'``.

Tangent ``k J^T J + f l_qq`` (the geometric part included) and ``c J^T l'_q`` from the damper, whose skew half goes
to w.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pliant._jit import kernel
from pliant.forces import Spring
from pliant.forces._spatial_lines import Chord, add_line, along, chord

if TYPE_CHECKING:
    from pliant.system.spatial_layout import SpatialLayout


class Arrays(NamedTuple):
    """One entry a spring."""

    dofs: np.ndarray  # (n, 12)
    slots: np.ndarray
    frames: np.ndarray  # (n, 2)
    arms: np.ndarray  # (n, 6)
    stiffness: np.ndarray
    rest_length: np.ndarray
    damping: np.ndarray


def pack(layout: SpatialLayout) -> Arrays:
    """Springs of the model."""
    springs = lines(layout)
    ends = [sorted((s.a, s.b), key=layout.node) for s in springs]  # so that its lower triangle is that of the system
    nodes = [(layout.node(a), layout.node(b)) for a, b in ends]
    return Arrays(
        dofs=layout.dofs(nodes, 2),
        slots=np.empty((len(springs), 0), np.uint32),
        frames=layout.frames(nodes, 2),
        arms=np.array([(*layout.arm(a), *layout.arm(b)) for a, b in ends], float).reshape(-1, 6),
        stiffness=np.array([s.stiffness for s in springs], float),
        rest_length=np.array([s.rest_length for s in springs], float),
        damping=np.array([s.damping for s in springs], float),
    )


def lines(layout: SpatialLayout) -> list[Spring]:
    """The springs, in the order of their readings."""
    return layout.forces(Spring)


@kernel
def line_of(part: Arrays, e: int, q: np.ndarray) -> Chord:
    """The line of spring e."""
    return chord(q, part.dofs[e], part.frames[e], part.arms[e])


@kernel
def add(
    part: Arrays,
    q: np.ndarray,
    v: np.ndarray,
    ck: float,
    cc: float,
    r: np.ndarray,
    s: np.ndarray,
    w: np.ndarray,
) -> None:
    """Spring and damper forces with consistent tangents."""
    for e in range(part.stiffness.size):
        line, k, c = line_of(part, e, q), part.stiffness[e], part.damping[e]
        pull = k * (line.length - part.rest_length[e]) + c * along(line.gradient, v, part.dofs[e])
        add_line(line, part.dofs[e], part.slots[e], v, pull, ck * pull, ck * k + cc * c, ck * c, r, s, w)


@kernel
def energy(part: Arrays, q: np.ndarray) -> tuple[float, float]:
    """Elastic energy of the springs."""
    potential = 0.0
    for e in range(part.stiffness.size):
        stretch = line_of(part, e, q).length - part.rest_length[e]
        potential += 0.5 * part.stiffness[e] * stretch * stretch
    return 0.0, potential


@kernel
def power(part: Arrays, q: np.ndarray, v: np.ndarray) -> tuple[float, float]:
    """Power lost in the dampers."""
    dissipated = 0.0
    for e in range(part.stiffness.size):
        if part.damping[e] != 0.0:
            rate = along(line_of(part, e, q).gradient, v, part.dofs[e])
            dissipated += part.damping[e] * rate * rate
    return 0.0, dissipated


@kernel
def readings(part: Arrays, q: np.ndarray, v: np.ndarray, out: np.ndarray) -> None:
    """Length, its rate, and tension (negative where it pushes) of every spring."""
    for e in range(part.stiffness.size):
        line = line_of(part, e, q)
        rate = along(line.gradient, v, part.dofs[e])
        out[e, 0], out[e, 1] = line.length, rate
        out[e, 2] = part.stiffness[e] * (line.length - part.rest_length[e]) + part.damping[e] * rate
