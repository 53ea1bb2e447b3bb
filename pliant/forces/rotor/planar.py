"""Rotors in the plane: ``p = J ((1 - n) w_a + n w_b)``."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pliant.forces.geared_motor import GearedMotor
from pliant.jit import kernel
from pliant.kernels.sums import Instant, Into
from pliant.model.kinds import packs_only

if TYPE_CHECKING:
    from pliant.system.numbering.planar_layout import Layout


class Arrays(NamedTuple):
    """Arrays of rotors, one entry a rotor."""

    dofs: np.ndarray  # (n, 6)
    slots: np.ndarray  # (n, 21)
    inertia: np.ndarray
    ratio: np.ndarray


@packs_only(GearedMotor)
def pack(layout: Layout) -> Arrays:
    """Pack the motors of the model that have a rotor."""
    motors = [motor for motor in layout.forces(GearedMotor) if motor.rotor_inertia]
    return Arrays(
        dofs=layout.dofs([(layout.node(motor.a), layout.node(motor.b)) for motor in motors], 2),
        slots=np.empty((len(motors), 0), np.uint32),
        inertia=np.array([motor.rotor_inertia for motor in motors], float),
        ratio=np.array([motor.ratio for motor in motors], float),
    )


@kernel
def add(part: Arrays, now: Instant, into: Into) -> None:
    """Add inertia forces, and the mass matrix."""
    a, cm, r, s = now.a, into.cm, into.r, into.s
    for e in range(part.inertia.size):
        i, j, slot, n = part.dofs[e, 2], part.dofs[e, 5], part.slots[e], part.ratio[e]
        push = part.inertia[e] * ((1.0 - n) * a[i] + n * a[j])
        r[i] += (1.0 - n) * push
        r[j] += n * push
        s[slot[5]] += cm * part.inertia[e] * (1.0 - n) * (1.0 - n)
        s[slot[17]] += cm * part.inertia[e] * (1.0 - n) * n
        s[slot[20]] += cm * part.inertia[e] * n * n


@kernel
def energy(part: Arrays, v: np.ndarray) -> tuple[float, float]:
    """Return the kinetic energy of the spin."""
    kinetic = 0.0
    for e in range(part.inertia.size):
        spin = (1.0 - part.ratio[e]) * v[part.dofs[e, 2]] + part.ratio[e] * v[part.dofs[e, 5]]
        kinetic += 0.5 * part.inertia[e] * spin * spin
    return kinetic, 0.0
