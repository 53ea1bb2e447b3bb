"""Sleeves around beams: at its Gauss points, ``N = (0, GA Gamma)`` and ``M = (GJ (kappa_x + psi'), EI (kappa - k))``.

The beam's nodes receive N and M, an angle ``W_psi = -EI (kappa - k) . k'`` and its slope ``M_x``. Translation is the
beam's; sections spin by ``w + psi. e_x`` and are round, so that their inertia is constant in the beam's axes:
``J (w. + psi.. e_x) + w x J (w + psi. e_x)`` at every node, and ``J_x (w_x. + psi..)`` on its angle. The inertia of a
driven base is omitted: it belongs to the motor.
"""

from __future__ import annotations

from math import cos, sin

import numpy as np

from pliant.elements.sleeve import rows
from pliant.elements.sleeve.rows import Arrays
from pliant.jit import allocating_kernel, kernel
from pliant.kernels.beam_points.spatial import Point, by_spin, rates, strains
from pliant.kernels.beam_points.spatial_sums import AXIS, COLUMNS, TURN, Tangent, add_point, push_nodes
from pliant.kernels.blocks import add_skew, add_spin, spin_form
from pliant.kernels.sums import Instant, Into
from pliant.kernels.tensors import Matrix, apply_transposed, get
from pliant.kernels.triples import Vector, dot, times, vector

pack = rows.pack
NOTHING = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0


def gyroscopic(part: Arrays) -> bool:
    """Return whether there are spinning sections: their tangent is unsymmetric in motion, symmetric at rest."""
    return bool(np.any(part.spin))


@kernel
def place(part: Arrays, i: int) -> int:
    """Return the place of the angle of node i among the freedoms of an element."""
    return 6 * part.frames.shape[1] + i


def stress_size(part: Arrays) -> int:
    """Return the number of stored resultants, and for every element the angle of its base if driven."""
    return (6 * part.shape.shape[1] + 1) * int(part.length.size)


@kernel
def kept(part: Arrays) -> int:
    """Return the number of stored values of an element: N, M at its Gauss points and the angle of its base."""
    return 6 * part.shape.shape[1] + 1


@kernel
def turned(part: Arrays, e: int, g: int, x: np.ndarray, base: float) -> tuple[float, float]:
    """Return psi and psi' at Gauss point g, for coordinates x or their change, and a driven base."""
    p, angle, slope = part.order[e], 0.0, 0.0
    for i in range(p + 1):
        psi = x[part.dofs[e, place(part, i)]]
        if i == 0 and part.driven[e]:
            psi += base  # relative to its holder, or the beam
        angle += part.shape[p, g, i] * psi
        slope += part.slope[p, g, i] * psi / part.length[e]
    return angle, slope


@kernel
def force(part: Arrays, e: int, at: Point) -> Vector:
    """Return N at a Gauss point."""
    return 0.0, part.stiffness[e, 2] * at.Gamma[1], part.stiffness[e, 2] * at.Gamma[2]


@kernel
def moment(part: Arrays, e: int, at: Point, angle: float, slope: float) -> Vector:
    """Return M at a Gauss point."""
    EI, GJ, k = part.stiffness[e, 0], part.stiffness[e, 1], part.curvature[e]
    return GJ * (at.kappa[0] + slope), EI * (at.kappa[1] + k * sin(angle)), EI * (at.kappa[2] - k * cos(angle))


@kernel
def torque(part: Arrays, e: int, M: Vector, angle: float) -> float:
    """Return W_psi."""
    return part.curvature[e] * (M[1] * cos(angle) + M[2] * sin(angle))


@allocating_kernel
def add(part: Arrays, now: Instant, into: Into, stress: np.ndarray, mixed: bool) -> None:
    """Add M a + f(q) to r, ck K + cc C + cm M to s, and skew halves to w."""
    if part.length.size == 0:
        return
    nodes = np.empty((part.frames.shape[1], COLUMNS))
    for e in range(part.length.size):
        p, L, base = part.order[e], part.length[e], now.u[part.signal[e]]
        k = part.stress_start + kept(part) * e
        if mixed:
            stress[k + kept(part) - 1] = base  # which `stretch` does not receive
        for g in range(p):
            at, whole = strains(part, e, g, now.q), part.weight[p, g] * L
            angle, slope = turned(part, e, g, now.q, base)
            N, M = force(part, e, at), moment(part, e, at, angle, slope)
            push_nodes(part, e, g, now.q, at, (N, M), nodes, into.r)
            across = torque(part, e, M, angle)
            for i in range(p + 1):
                push = part.shape[p, g, i] * across + part.slope[p, g, i] / L * M[0]
                into.r[part.dofs[e, place(part, i)]] += whole * push
            if mixed:
                N, M = vector(stress, k + 6 * g), vector(stress, k + 6 * g + 3)
            if into.ck != 0.0:
                add_stiffness(part, (e, g), at, (N, M), angle, nodes, into)
        add_inertia(part, e, now, into)


@kernel
def add_stiffness(
    part: Arrays, point: tuple[int, int], at: Point, pushed: tuple[Vector, Vector], angle: float, nodes: np.ndarray,
    into: Into,
) -> None:  # fmt: skip
    """Add the Hessian of a Gauss point (element, point) with the resultants N, M."""
    e, g = point
    EI, GJ, GA, k = part.stiffness[e, 0], part.stiffness[e, 1], part.stiffness[e, 2], part.curvature[e]
    p, L, slots, s = part.order[e], part.length[e], part.slots, into.s
    whole = into.ck * part.weight[p, g] * L
    shearing = 0.0, 0.0, 0.0, 0.0, whole * GA, 0.0, 0.0, 0.0, whole * GA
    bending = whole * GJ, 0.0, 0.0, 0.0, whole * EI, 0.0, 0.0, 0.0, whole * EI
    N, M = times(whole, pushed[0]), times(whole, pushed[1])
    add_point(part, e, g, at, (N, M), Tangent(shearing, NOTHING, bending), nodes, s)
    c, sine = cos(angle), sin(angle)
    tight = k * (pushed[1][2] * c - pushed[1][1] * sine + EI * k)
    for i in range(p + 1):
        row = place(part, i)
        first, n, dn = row * (row + 1) // 2, part.shape[p, g, i], part.slope[p, g, i] / L
        across = dn * GJ, n * EI * k * c, n * EI * k * sine  # M by the angle of node i
        for j in range(p + 1):
            _, bent = by_spin(part.shape[p, g, j], part.slope[p, g, j] / L, get(nodes, j, TURN),
                              vector(nodes[j], AXIS), at)  # fmt: skip
            x = apply_transposed(bent, across)
            for axis in range(3):
                s[slots[e, first + 6 * j + 3 + axis]] += whole * x[axis]
        for j in range(i + 1):
            own = n * part.shape[p, g, j] * tight + dn * part.slope[p, g, j] / L * GJ
            s[slots[e, first + place(part, j)]] += whole * own


@kernel
def inertia(part: Arrays, e: int, i: int) -> Matrix:
    """Return the rotary inertia of node i."""
    x, y = part.spin[e, i, 0], part.spin[e, i, 1]
    return x, 0.0, 0.0, 0.0, y, 0.0, 0.0, 0.0, y


@kernel
def add_inertia(part: Arrays, e: int, now: Instant, into: Into) -> None:
    """Add mass and rotary inertia of element e."""
    dofs, slots = part.dofs, part.slots
    for i in range(part.order[e] + 1):
        add_spin(part, e, 6 * i + 3, inertia(part, e, i), 0.0, now, into)
        add_own_spin(part, e, i, now, into)
        for j in range(part.order[e] + 1):
            mass = part.mass[e, i, j]
            for k in range(3):
                row, column = 6 * i + k, 6 * j + k
                into.r[dofs[e, row]] += mass * now.a[dofs[e, column]]
                if j <= i:
                    into.s[slots[e, row * (row + 1) // 2 + column]] += into.cm * mass


@kernel
def add_own_spin(part: Arrays, e: int, i: int, now: Instant, into: Into) -> None:
    """Add the inertia of the angle of node i on its spin, and on the angle: see the module docstring."""
    row, spin = place(part, i), 6 * i + 3
    dof, at, J = part.dofs[e, row], part.dofs[e, spin], part.spin[e, i, 0]
    swirl, push, w = J * now.v[dof], J * now.a[dof], vector(now.v, at)
    m = push, swirl * w[2], -swirl * w[1]
    for k in range(3):
        into.r[at + k] += m[k]
    into.r[dof] += push + J * now.a[at]
    half, first = 0.5 * into.ck, row * (row + 1) // 2
    add_skew(into.w, part.slots, e, spin, (-half * m[2], half * m[1], -half * m[0] - into.cc * swirl))
    into.s[part.slots[e, first + spin]] += into.cm * J
    into.s[part.slots[e, first + row]] += into.cm * J
    for k in range(1, 3):
        late = 0.5 * into.cc * J * (w[2] if k == 1 else -w[1])
        into.s[part.slots[e, first + spin + k]] += late
        into.w[part.slots[e, first + spin + k]] -= late


@kernel
def energy(part: Arrays, q: np.ndarray, v: np.ndarray, u: np.ndarray) -> tuple[float, float]:
    """Return kinetic energy, and elastic energy of sleeves that are not driven."""
    kinetic, potential = 0.0, 0.0
    for e in range(part.length.size):
        p = part.order[e]
        for i in range(p + 1):
            J, own = part.spin[e, i, 0], v[part.dofs[e, place(part, i)]]
            kinetic += 0.5 * spin_form(part.dofs, e, 6 * i + 3, inertia(part, e, i), v)
            kinetic += J * own * (v[part.dofs[e, 6 * i + 3]] + 0.5 * own)
            for j in range(p + 1):
                kinetic += (
                    0.5 * part.mass[e, i, j] * dot(vector(v, part.dofs[e, 6 * i]), vector(v, part.dofs[e, 6 * j]))
                )
        for g in range(p if part.steady[e] else 0):
            at = strains(part, e, g, q)
            angle, slope = turned(part, e, g, q, u[part.signal[e]])
            k, M = part.curvature[e], moment(part, e, at, angle, slope)
            strained = M[0] * (at.kappa[0] + slope) + dot(force(part, e, at), at.Gamma)
            strained += M[1] * (at.kappa[1] + k * sin(angle)) + M[2] * (at.kappa[2] - k * cos(angle))
            potential += 0.5 * part.weight[p, g] * part.length[e] * strained
    return kinetic, potential


@kernel
def power(part: Arrays, q: np.ndarray, v: np.ndarray, u: np.ndarray) -> tuple[float, float]:
    """Return the power of driven sleeves; there are no losses."""
    supplied = 0.0
    for e in range(part.length.size):
        p, L = part.order[e], part.length[e]
        for g in range(0 if part.steady[e] else p):
            at = strains(part, e, g, q)
            angle, slope = turned(part, e, g, q, u[part.signal[e]])
            M = moment(part, e, at, angle, slope)
            rate, turning = rates(part, e, g, q, v, at)
            across, gained = torque(part, e, M, angle), dot(force(part, e, at), rate) + dot(M, turning)
            for i in range(p + 1):
                push = part.shape[p, g, i] * across + part.slope[p, g, i] / L * M[0]
                gained += push * v[part.dofs[e, place(part, i)]]
            supplied -= part.weight[p, g] * L * gained
    return supplied, 0.0


@kernel
def stretch(part: Arrays, q: np.ndarray, dq: np.ndarray, stress: np.ndarray) -> None:
    """Write N and M after a step, linear in it."""
    for e in range(part.length.size):
        EI, GJ, GA, k = part.stiffness[e, 0], part.stiffness[e, 1], part.stiffness[e, 2], part.curvature[e]
        first = part.stress_start + kept(part) * e
        for g in range(part.order[e]):
            at = strains(part, e, g, q)
            rate, turning = rates(part, e, g, q, dq, at)
            angle, slope = turned(part, e, g, q, stress[first + kept(part) - 1])
            more, steeper = turned(part, e, g, dq, 0.0)
            M, n = moment(part, e, at, angle, slope), first + 6 * g
            stress[n], stress[n + 1], stress[n + 2] = 0.0, GA * (at.Gamma[1] + rate[1]), GA * (at.Gamma[2] + rate[2])
            stress[n + 3] = M[0] + GJ * (turning[0] + steeper)
            stress[n + 4] = M[1] + EI * (turning[1] + k * cos(angle) * more)
            stress[n + 5] = M[2] + EI * (turning[2] + k * sin(angle) * more)
