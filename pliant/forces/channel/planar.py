"""Channels along beams in the plane: ``L = int l ds``, ``l = |(E1 - theta' o, E2 + o')|`` at Gauss points of the beam.

With the direction t the tension S adds ``N = S t1, V = S t2, M = -S o t1`` to the resultants of the beam, and
``S n n^T / l`` to their tangent, ``n = (-t2, t1, o t2)``. The change of S with the length is in planar_elastic.
"""

from __future__ import annotations

from math import hypot

import numpy as np

from pliant.forces.channel import rows
from pliant.forces.channel.fading import NOTED, TENSION, along_of, noted_at, points, power_of, profile_of
from pliant.forces.channel.sums import energy_of, folds_of, pulled, readings_of, travel_of
from pliant.jit import allocating_kernel, kernel
from pliant.kernels.beam_points.planar import Resultants, Strains, add_resultants, rates, strains
from pliant.kernels.beam_points.planar_sums import note_across, turned
from pliant.kernels.sums import Instant, Into

Arrays, lines, pack, stress_size = rows.Arrays, rows.lines, rows.pack, rows.stress_size
unsymmetric, rubbing = rows.unsymmetric, rows.rubbing


@kernel
def direction(part: rows.Arrays, e: int, g: int, at: Strains) -> tuple[float, float, float]:
    """Return l, t1 and t2 at Gauss point g."""
    one, two = at.E1 - at.turn * part.offset[e, g, 0], at.E2 + part.offset[e, g, 1]
    size = hypot(one, two)
    return size, one / size, two / size


@kernel
def span(part: rows.Arrays, e: int, g: int, q: np.ndarray, v: np.ndarray) -> tuple[float, float]:
    """Return l at Gauss point g, and its rate."""
    at = strains(part, e, g, q)
    size, t1, t2 = direction(part, e, g, at)
    rate1, rate2, turning = rates(part, e, g, v, at)
    return size, t1 * (rate1 - turning * part.offset[e, g, 0]) + t2 * rate2


@kernel
def inward(part: rows.Arrays, e: int, g: int, q: np.ndarray) -> float:
    """Return the offset over the radius of the bend at Gauss point g."""
    at = strains(part, e, g, q)
    return at.turn * part.offset[e, g, 0] / at.E1


travel, folds = travel_of(span), folds_of(inward)
energy, readings = energy_of(travel), readings_of(travel)


@kernel
def resultants_of(part: rows.Arrays, e: int, g: int, t1: float, t2: float, force: float) -> Resultants:
    """Return the resultants of a tension."""
    return Resultants(force * t1, force * t2, -force * part.offset[e, g, 0] * t1)


@kernel
def turning(part: rows.Arrays, e: int, g: int, at: Strains) -> tuple[float, Resultants]:
    """Return the rotation of the channel per length at Gauss point g, and its derivative by E1, E2 and theta'."""
    o, slope, curved = part.offset[e, g, 0], part.offset[e, g, 1], part.curved[e, g, 0]
    one, two = at.E1 - at.turn * o, at.E2 + slope
    square = one * one + two * two
    top = one * curved + two * at.turn * slope
    by_one, by_two = (curved - 2.0 * one * top / square) / square, (at.turn * slope - 2.0 * two * top / square) / square
    angle = at.turn + top / square
    sign = 1.0 if angle > 0.0 else -1.0 if angle < 0.0 else 0.0
    by_turn = 1.0 + two * slope / square - o * by_one
    return sign * angle, Resultants(sign * by_one, sign * by_two, sign * by_turn)


@kernel
def turned_by(part: rows.Arrays, e: int, g: int, q: np.ndarray) -> float:
    """Return the rotation of the channel per length at Gauss point g."""
    return turning(part, e, g, strains(part, e, g, q))[0]


along = along_of(span, turned_by)
power, profile = power_of(travel, along), profile_of(travel, along)


@kernel
def add_turning(
    part: rows.Arrays, e: int, g: int, factor: float, q: np.ndarray, nodes: np.ndarray, out: np.ndarray
) -> None:
    """Add factor times the derivative of the angle turned over the share of Gauss point g to out."""
    at = strains(part, e, g, q)
    _, (N, V, M) = turning(part, e, g, at)
    add_resultants(part, e, g, at, Resultants(factor * N, factor * V, factor * M), out)


@kernel
def add_gradient(part: rows.Arrays, e: int, g: int, q: np.ndarray, nodes: np.ndarray, out: np.ndarray) -> None:
    """Add Gauss point g's part of L_q to out."""
    at = strains(part, e, g, q)
    _, t1, t2 = direction(part, e, g, at)
    add_resultants(part, e, g, at, resultants_of(part, e, g, t1, t2, 1.0), out)


@kernel
def add_hessian(part: rows.Arrays, e: int, g: int, q: np.ndarray, nodes: np.ndarray, s: np.ndarray) -> None:
    """Add Gauss point g's part of L_qq to s; the first row of nodes is scratch."""
    at, share = strains(part, e, g, q), part.weight[part.order[e], g]
    size, t1, t2 = direction(part, e, g, at)
    note_across(part, e, g, at, (-t2, t1, part.offset[e, g, 0] * t2), nodes[0])
    fx, fy, whole = share * (at.c * t1 - at.s * t2), share * (at.s * t1 + at.c * t2), share * part.length[e]
    add_tangent(part, e, g, (whole / size, -fy, fx, whole * (t1 * at.E1 + t2 * at.E2)), nodes[0], s)


@allocating_kernel
def add(part: rows.Arrays, now: Instant, into: Into, stress: np.ndarray, mixed: bool) -> None:
    """Add S L_q to r, and ck S L_qq to s."""
    if part.length.size == 0:
        return
    across, noted = np.empty(part.dofs.shape[1]), np.empty((points(part), NOTED))
    for line in range(part.signals.shape[0]):
        force = pulled(part, line, travel(part, line, now.q, now.v)[0], now.u)[0]
        rough = part.rough[line, 0] != 0.0
        if rough:
            along(part, line, now.q, now.v, force, noted)
        for e in range(part.first[line], part.first[line + 1]):
            for g in range(part.order[e]):
                at = strains(part, e, g, now.q)
                size, t1, t2 = direction(part, e, g, at)
                if rough:
                    force = noted[noted_at(part, line, e, g), TENSION]
                pull = resultants_of(part, e, g, t1, t2, force)
                fx, fy = add_resultants(part, e, g, at, pull, into.r)
                note_across(part, e, g, at, (-t2, t1, part.offset[e, g, 0] * t2), across)
                whole = part.weight[part.order[e], g] * part.length[e]
                if mixed:
                    N, V = stress[rows.place(part, e, g)], stress[rows.place(part, e, g) + 1]
                    stress[rows.place(part, e, g) + 3] = force  # which `stretch` does not receive
                    pull = Resultants(N, V, 0.0)
                    share = part.weight[part.order[e], g]
                    fx, fy = share * (at.c * N - at.s * V), share * (at.s * N + at.c * V)
                bow = whole * (pull.N * at.E1 + pull.V * at.E2)
                add_tangent(
                    part,
                    e,
                    g,
                    (into.ck * whole * force / size, -into.ck * fy, into.ck * fx, into.ck * bow),
                    across,
                    into.s,
                )


@kernel
def add_tangent(
    part: rows.Arrays, e: int, g: int, size: tuple[float, float, float, float], across: np.ndarray, s: np.ndarray
) -> None:
    """Add ``stiff across across^T`` of a Gauss point, and the forces that turn with the section, to s."""
    stiff, by_x, by_y, bow = size
    n = 0
    for row in range(3 * (part.order[e] + 1)):
        for column in range(row + 1):
            value = stiff * across[row] * across[column]
            s[part.slots[e, n]] += value + turned(part, e, g, row, column, (by_x, by_y, bow))
            n += 1


@kernel
def stretch(part: rows.Arrays, q: np.ndarray, dq: np.ndarray, stress: np.ndarray) -> None:
    """Write S t after a step, linear in it."""
    for line in range(part.signals.shape[0]):
        for e in range(part.first[line], part.first[line + 1]):
            for g in range(part.order[e]):
                at = strains(part, e, g, q)
                size, t1, t2 = direction(part, e, g, at)
                rate1, rate2, turning = rates(part, e, g, dq, at)
                turned = (t1 * rate2 - t2 * (rate1 - turning * part.offset[e, g, 0])) / size
                k = rows.place(part, e, g)
                force = stress[k + 3]
                stress[k], stress[k + 1], stress[k + 2] = force * (t1 - t2 * turned), force * (t2 + t1 * turned), 0.0
