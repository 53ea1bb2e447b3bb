"""Torsional spring-damper between two markers: moment ``k (phi - phi0) + c phi'`` with phi the angle of b relative to
a.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pliant._jit import kernel
from pliant.forces import TorsionSpring

if TYPE_CHECKING:
    from pliant.system.layout import Layout


class Arrays(NamedTuple):
    """One entry a spring; its two freedoms are the angles of a and b."""

    dofs: np.ndarray
    slots: np.ndarray
    stiffness: np.ndarray
    rest_angle: np.ndarray  # in node angles: marker angles are taken in
    damping: np.ndarray


def pack(layout: Layout) -> Arrays:
    """Torsional springs of the model, and those that hold the angle of bodies without inertia that nothing turns."""
    springs = layout.forces(TorsionSpring)
    held = layout.spinless()
    pairs = layout.dofs(
        [(layout.node(s.a), layout.node(s.b)) for s in springs] + [(layout.ground, node) for node in held], 2
    )
    rest = [s.rest_angle - layout.offset(s.b)[2] + layout.offset(s.a)[2] for s in springs]
    return Arrays(
        dofs=np.ascontiguousarray(pairs[:, [2, 5]]),
        slots=np.empty((len(pairs), 0), np.uint32),
        stiffness=np.array([s.stiffness for s in springs] + [1.0] * len(held), float),
        rest_angle=np.array([*rest, *held.values()], float),
        damping=np.array([s.damping for s in springs] + [0.0] * len(held), float),
    )


@kernel
def add(part: Arrays, q: np.ndarray, v: np.ndarray, ck: float, cc: float, r: np.ndarray, s: np.ndarray) -> None:
    """Moments on a and b."""
    for e in range(part.stiffness.size):
        a, b = part.dofs[e, 0], part.dofs[e, 1]
        k, c = part.stiffness[e], part.damping[e]
        moment = k * (q[b] - q[a] - part.rest_angle[e]) + c * (v[b] - v[a])
        stiff = ck * k + cc * c
        r[a] -= moment
        r[b] += moment
        s[part.slots[e, 0]] += stiff
        s[part.slots[e, 1]] -= stiff
        s[part.slots[e, 2]] += stiff


@kernel
def energy(part: Arrays, q: np.ndarray) -> tuple[float, float]:
    """Elastic energy of the springs."""
    potential = 0.0
    for e in range(part.stiffness.size):
        twist = q[part.dofs[e, 1]] - q[part.dofs[e, 0]] - part.rest_angle[e]
        potential += 0.5 * part.stiffness[e] * twist * twist
    return 0.0, potential


@kernel
def power(part: Arrays, v: np.ndarray) -> tuple[float, float]:
    """Power lost in the dampers."""
    dissipated = 0.0
    for e in range(part.stiffness.size):
        speed = v[part.dofs[e, 1]] - v[part.dofs[e, 0]]
        dissipated += part.damping[e] * speed * speed
    return 0.0, dissipated
