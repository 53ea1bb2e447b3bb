"""The two-link flexible arm as two elasticas with assumed curvatures, by hand; nothing of pliant but its numbers.

A link does not stretch or shear. Its angle at x = s/L is the base's angle plus the integral of a curvature,

    angle(x) = base + sum of a_i psi_i(x),   psi_i' = P_i(2 x - 1),   r(x) = r(0) + L * integral of e(angle),

with Legendre's polynomials P_i, e = (cos, sin), n = (-sin, cos). So ``r' = J q'`` and ``r'' = J q'' - g`` with columns
of J and g that are integrals of ``n psi_i`` and ``e angle'^2``, and d'Alembert's principle is

    (sum of m J^T J + I psi psi^T) q'' = Q + sum of m J^T g - K a - beta K a',   K_ii = EI / (L (2 i + 1)).

Nothing is linearised: deflections may be large, and turning links are stiffened by what pulls them outward.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.polynomial import legendre

from pliant_gallery import flexible_arm as arm

Array = np.ndarray
CURVATURES = 5  # of a link
POINTS = 10  # of Gauss on a link
FREEDOMS = 2 * (1 + CURVATURES)


class Field(NamedTuple):
    """A link at its points, the last one its end: of q (points, freedoms) and of (x, y)."""

    angle: Array  # (points,)
    turn: Array  # (points, freedoms) derivative of the angle
    move: Array  # (points, 2, freedoms) derivative of the place
    pull: Array  # (points, 2) g
    place: Array  # (points, 2)


def _tables() -> tuple[Array, Array, Array]:
    """Return weights on [0, 1], integrals from 0 to every point and to 1, and psi at the points and at 1."""
    x, w = legendre.leggauss(POINTS)
    ends = np.append(x, 1.0)
    basis = np.eye(POINTS)
    values = legendre.legvander(x, POINTS - 1)
    rising = np.array([legendre.legval(ends, legendre.legint(row, lbnd=-1.0)) for row in basis]).T
    integrals = 0.5 * rising @ np.linalg.inv(values)
    return 0.5 * w, integrals, 0.5 * rising[:, :CURVATURES]


WEIGHTS, INTEGRALS, PSI = _tables()
STIFFNESS = arm.SECTION.bending_stiffness / (arm.LENGTH * (2.0 * np.arange(CURVATURES) + 1.0))
SPRINGS = np.tile(np.append(0.0, STIFFNESS), 2)
GAUGE = 0.1  # of a link's length from its root: where strain is read
GAUGED = legendre.legvander(np.array([2.0 * GAUGE - 1.0]), CURVATURES - 1)[0]


def fields(q: Array, v: Array) -> tuple[Field, Field]:
    """Return both links."""
    found: list[Field] = []
    for link in range(2):
        turn = np.zeros((POINTS + 1, FREEDOMS))
        first = link * (1 + CURVATURES)
        turn[:, first], turn[:, first + 1 : first + 1 + CURVATURES] = 1.0, PSI
        angle, rate = turn @ q, turn @ v
        e, n = np.stack([np.cos(angle), np.sin(angle)], axis=1), np.stack([-np.sin(angle), np.cos(angle)], axis=1)
        whole = arm.LENGTH * INTEGRALS
        move = (whole @ (n[:-1, :, None] * turn[:-1, None]).reshape(POINTS, -1)).reshape(-1, 2, FREEDOMS)
        pull, place = whole @ (e * rate[:, None] ** 2)[:-1], whole @ e[:-1]
        if link:
            move, pull, place = move + found[0].move[-1], pull + found[0].pull[-1], place + found[0].place[-1]
        found.append(Field(angle, turn, move, pull, place))
    return found[0], found[1]


def inertia(first: Field, second: Field) -> tuple[Array, Array]:
    """Return the matrix of mass, and what turning pulls with."""
    mass, load = np.zeros((FREEDOMS, FREEDOMS)), np.zeros(FREEDOMS)
    section = arm.SECTION
    ends = ((arm.ELBOW + arm.ROTOR, arm.ELBOW_INERTIA), (arm.PAYLOAD, arm.PAYLOAD_INERTIA))
    for field, (end, turning) in zip((first, second), ends, strict=True):
        m = np.append(section.mass_per_length * arm.LENGTH * WEIGHTS, end)
        i = np.append(section.rotary_inertia * arm.LENGTH * WEIGHTS, turning)
        move = field.move.reshape(-1, FREEDOMS)
        heavy = np.repeat(m, 2)[:, None] * move
        mass += heavy.T @ move + field.turn.T @ (i[:, None] * field.turn)
        load += heavy.T @ field.pull.ravel()
    mass[0, 0] += arm.HUB
    mass[1 + CURVATURES, 1 + CURVATURES] += arm.ROTOR_INERTIA
    return mass, load


def rates(q: Array, v: Array, torques: Array) -> Array:
    """Return q'' under torques of shoulder and elbow."""
    first, second = fields(q, v)
    mass, load = inertia(first, second)
    load[0] += torques[0]
    load[1 + CURVATURES] += torques[1]
    load -= torques[1] * first.turn[-1]  # the elbow's motor pushes back on the end of link 1
    return np.linalg.solve(mass, load - SPRINGS * (q + arm.DAMPING * v))


def readings(q: Array) -> Array:
    """Return encoders of shoulder and elbow (rad), and strains on the surface near both roots."""
    first, _ = fields(q, np.zeros(FREEDOMS))
    base = 1 + CURVATURES
    strains = [0.5 * arm.THICKNESS / arm.LENGTH * (GAUGED @ a) for a in (q[1:base], q[base + 1 :])]
    return np.array([q[0], q[base] - first.angle[-1], *strains])


def payload(q: Array) -> Array:
    """Return the place of the payload (m)."""
    return fields(q, np.zeros(FREEDOMS))[1].place[-1]


def frequencies() -> Array:
    """Return the undamped frequencies of the straight arm (Hz), the two motions without stiffness left out."""
    zero = np.zeros(FREEDOMS)
    mass, _ = inertia(*fields(zero, zero))
    squares = np.sort(np.linalg.eigvals(np.linalg.solve(mass, np.diag(SPRINGS))).real)
    return np.sqrt(squares[2:]) / (2.0 * np.pi)
