"""Linear spring-damper along the line between two markers: ``f = k (l - l0) + c l'``.

Tangent ``k J^T J + f l_qq`` (the geometric part included) and ``c J^T (l_qq v)`` from the damper, whose skew half
goes to w.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pliant._jit import allocating_kernel, kernel
from pliant.forces import Spring
from pliant.kernels.marker import span

if TYPE_CHECKING:
    from pliant.system.layout import Layout


class Arrays(NamedTuple):
    """One entry a spring."""

    dofs: np.ndarray
    slots: np.ndarray
    offsets: np.ndarray  # (n, 4)
    stiffness: np.ndarray
    rest_length: np.ndarray
    damping: np.ndarray


def pack(layout: Layout) -> Arrays:
    """Springs of the model."""
    springs = lines(layout)
    ends = [sorted(s.markers, key=layout.node) for s in springs]  # so that its lower triangle is that of the system
    return Arrays(
        dofs=layout.dofs([(layout.node(a), layout.node(b)) for a, b in ends], 2),
        slots=np.empty((len(springs), 0), np.uint32),
        offsets=np.array([(*layout.offset(a)[:2], *layout.offset(b)[:2]) for a, b in ends], float).reshape(-1, 4),
        stiffness=np.array([s.stiffness for s in springs], float),
        rest_length=np.array([s.rest_length for s in springs], float),
        damping=np.array([s.damping for s in springs], float),
    )


def lines(layout: Layout) -> list[Spring]:
    """The springs, in the order of their readings."""
    return layout.forces(Spring)


@allocating_kernel
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
    count = part.stiffness.size
    if count == 0:
        return
    jacobian, hessian, turning = np.empty(6), np.empty(21), np.empty(6)
    for e in range(count):
        dofs, slots = part.dofs[e], part.slots[e]
        length = span(q, dofs, part.offsets[e], jacobian, hessian)
        speed = 0.0
        for i in range(6):
            speed += jacobian[i] * v[dofs[i]]
        k, c = part.stiffness[e], part.damping[e]
        force = k * (length - part.rest_length[e]) + c * speed
        times(hessian, v, dofs, turning)
        n = 0
        for i in range(6):
            r[dofs[i]] += jacobian[i] * force
            for j in range(i + 1):
                lower, upper = c * jacobian[i] * turning[j], c * jacobian[j] * turning[i]
                both = (ck * k + cc * c) * jacobian[i] * jacobian[j] + ck * force * hessian[n]
                s[slots[n]] += both + 0.5 * ck * (lower + upper)
                w[slots[n]] += 0.5 * ck * (lower - upper)
                n += 1


@kernel
def times(hessian: np.ndarray, v: np.ndarray, dofs: np.ndarray, out: np.ndarray) -> None:
    """out = H v for a packed symmetric 6 x 6."""
    for i in range(6):
        out[i] = 0.0
    n = 0
    for i in range(6):
        for j in range(i + 1):
            out[i] += hessian[n] * v[dofs[j]]
            if i != j:
                out[j] += hessian[n] * v[dofs[i]]
            n += 1


@allocating_kernel
def energy(part: Arrays, q: np.ndarray) -> tuple[float, float]:
    """Elastic energy of the springs."""
    potential = 0.0
    jacobian, hessian = np.empty(6), np.empty(21)
    for e in range(part.stiffness.size):
        stretch = span(q, part.dofs[e], part.offsets[e], jacobian, hessian) - part.rest_length[e]
        potential += 0.5 * part.stiffness[e] * stretch * stretch
    return 0.0, potential


@allocating_kernel
def power(part: Arrays, q: np.ndarray, v: np.ndarray) -> tuple[float, float]:
    """Power lost in the dampers."""
    dissipated = 0.0
    jacobian, hessian = np.empty(6), np.empty(21)
    for e in range(part.stiffness.size):
        if part.damping[e] != 0.0:
            span(q, part.dofs[e], part.offsets[e], jacobian, hessian)
            speed = 0.0
            for i in range(6):
                speed += jacobian[i] * v[part.dofs[e, i]]
            dissipated += part.damping[e] * speed * speed
    return 0.0, dissipated


@allocating_kernel
def readings(part: Arrays, q: np.ndarray, v: np.ndarray, out: np.ndarray) -> None:
    """Length, its rate, and tension (negative where it pushes) of every spring."""
    jacobian, hessian = np.empty(6), np.empty(21)
    for e in range(part.stiffness.size):
        length = span(q, part.dofs[e], part.offsets[e], jacobian, hessian)
        rate = 0.0
        for i in range(6):
            rate += jacobian[i] * v[part.dofs[e, i]]
        out[e, 0], out[e, 1] = length, rate
        out[e, 2] = part.stiffness[e] * (length - part.rest_length[e]) + part.damping[e] * rate
