"""Channels along beams in space: ``l = |Gamma + kappa x o + o'|`` at the Gauss points of the beam, ``L = int l ds``.

With the direction ``t = (Gamma + kappa x o + o') / l`` the tension S adds the resultants ``N = S t``, ``M = S o x t``
to the beam's, and ``S (1 - t t^T) / l`` to their tangent. The change of S with the length is in spatial_elastic.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from pliant.forces.channel import rows
from pliant.forces.channel.fading import NOTED, TENSION, along_of, noted_at, points, power_of, profile_of
from pliant.forces.channel.sums import energy_of, folds_of, pulled, readings_of, travel_of
from pliant.jit import allocating_kernel, kernel
from pliant.kernels.beam_points.spatial import Point, rates, strains
from pliant.kernels.beam_points.spatial_sums import COLUMNS, Tangent, add_point, push_nodes
from pliant.kernels.dyads import outer, skew_product
from pliant.kernels.sums import Instant, Into
from pliant.kernels.tensors import Matrix, scaled, transposed
from pliant.kernels.triples import Vector, cross, dot, minus, plus, times, vector

Arrays, lines, pack, stress_size = rows.Arrays, rows.lines, rows.pack, rows.stress_size
unsymmetric, rubbing = rows.unsymmetric, rows.rubbing


@kernel
def offset(part: rows.Arrays, e: int, g: int) -> Vector:
    """Return o at Gauss point g."""
    return 0.0, part.offset[e, g, 0], part.offset[e, g, 1]


@kernel
def direction(part: rows.Arrays, e: int, g: int, at: Point) -> tuple[float, Vector]:
    """Return l and t at Gauss point g."""
    slope = 0.0, part.offset[e, g, 2], part.offset[e, g, 3]
    way = plus(plus(at.Gamma, cross(at.kappa, offset(part, e, g))), slope)
    size = sqrt(dot(way, way))
    return size, times(1.0 / size, way)


@kernel
def span(part: rows.Arrays, e: int, g: int, q: np.ndarray, v: np.ndarray) -> tuple[float, float]:
    """Return l at Gauss point g, and its rate."""
    at = strains(part, e, g, q)
    size, t = direction(part, e, g, at)
    rate, turning = rates(part, e, g, q, v, at)
    return size, dot(t, plus(rate, cross(turning, offset(part, e, g))))


@kernel
def resultants_of(part: rows.Arrays, e: int, g: int, t: Vector, force: float) -> tuple[Vector, Vector]:
    """Return N and M of a tension."""
    N = times(force, t)
    return N, cross(offset(part, e, g), N)


@kernel
def stiffened(o: Vector, t: Vector, size: float, factor: float) -> Tangent:
    """Return ``factor (1 - t t^T) / l`` as derivatives of N, M by Gamma, kappa: ``d(l t) = dGamma - o x dkappa``."""
    P: Matrix = scaled(-factor / size, outer(t, t, -1.0))
    across = transposed(skew_product(o, P))
    return Tangent(P, across, skew_product(o, across))


@kernel
def inward(part: rows.Arrays, e: int, g: int, q: np.ndarray) -> float:
    """Return the offset over the radius of the bend at Gauss point g."""
    at = strains(part, e, g, q)
    return -cross(at.kappa, offset(part, e, g))[0] / at.Gamma[0]


travel, folds = travel_of(span), folds_of(inward)
energy, readings = energy_of(travel), readings_of(travel)


@kernel
def turning(part: rows.Arrays, e: int, g: int, at: Point) -> tuple[float, Vector, Vector]:
    """Return the rotation of the channel per length at Gauss point g, ``|kappa x t + (1 - t t^T) (kappa x o' +
    o'')/l|``, and its derivatives by Gamma and kappa.
    """
    o, slope = offset(part, e, g), (0.0, part.offset[e, g, 2], part.offset[e, g, 3])
    size, t = direction(part, e, g, at)
    b = plus(cross(at.kappa, slope), (0.0, part.curved[e, g, 0], part.curved[e, g, 1]))
    along, f = dot(t, b), 1.0 / size
    c = plus(cross(at.kappa, t), times(f, minus(b, times(along, t))))
    angle = sqrt(dot(c, c))
    u = times(1.0 / angle, c) if angle > 0.0 else (0.0, 0.0, 0.0)
    w = minus(cross(u, at.kappa), times(along * f, u))
    by_way = times(f, minus(minus(w, times(dot(t, w), t)), times(f * dot(u, b), t)))
    return angle, by_way, plus(plus(cross(t, u), times(f, cross(slope, u))), cross(o, by_way))


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
    _, by_Gamma, by_kappa = turning(part, e, g, at)
    push_nodes(part, e, g, q, at, (times(factor, by_Gamma), times(factor, by_kappa)), nodes, out)


@kernel
def add_gradient(part: rows.Arrays, e: int, g: int, q: np.ndarray, nodes: np.ndarray, out: np.ndarray) -> None:
    """Add Gauss point g's part of L_q to out."""
    at = strains(part, e, g, q)
    _, t = direction(part, e, g, at)
    push_nodes(part, e, g, q, at, resultants_of(part, e, g, t, 1.0), nodes, out)


@kernel
def add_hessian(part: rows.Arrays, e: int, g: int, q: np.ndarray, nodes: np.ndarray, s: np.ndarray) -> None:
    """Add Gauss point g's part of L_qq to s; `add_gradient` has stored the rotations of the nodes."""
    at, whole = strains(part, e, g, q), part.weight[part.order[e], g] * part.length[e]
    size, t = direction(part, e, g, at)
    tangent = stiffened(offset(part, e, g), t, size, whole)
    add_point(part, e, g, at, resultants_of(part, e, g, t, whole), tangent, nodes, s)


@allocating_kernel
def add(part: rows.Arrays, now: Instant, into: Into, stress: np.ndarray, mixed: bool) -> None:
    """Add S L_q to r, and ck S L_qq to s."""
    if part.length.size == 0:
        return
    nodes, noted = np.empty((part.shape.shape[2], COLUMNS)), np.empty((points(part), NOTED))
    for line in range(part.signals.shape[0]):
        force = pulled(part, line, travel(part, line, now.q, now.v)[0], now.u)[0]
        rough = part.rough[line, 0] != 0.0
        if rough:
            along(part, line, now.q, now.v, force, noted)
        for e in range(part.first[line], part.first[line + 1]):
            p = part.order[e]
            for g in range(p):
                at = strains(part, e, g, now.q)
                size, t = direction(part, e, g, at)
                if rough:
                    force = noted[noted_at(part, line, e, g), TENSION]
                N, M = resultants_of(part, e, g, t, force)
                push_nodes(part, e, g, now.q, at, (N, M), nodes, into.r)
                whole = into.ck * part.weight[p, g] * part.length[e]
                tangent = stiffened(offset(part, e, g), t, size, whole * force)
                if mixed:
                    N = vector(stress, rows.place(part, e, g))
                    stress[rows.place(part, e, g) + 3] = force  # which `stretch` does not receive
                    M = cross(offset(part, e, g), N)
                add_point(part, e, g, at, (times(whole, N), times(whole, M)), tangent, nodes, into.s)


@kernel
def stretch(part: rows.Arrays, q: np.ndarray, dq: np.ndarray, stress: np.ndarray) -> None:
    """Write S t after a step, linear in it: ``t + (1 - t t^T) d / l`` with the change d of l t."""
    for line in range(part.signals.shape[0]):
        for e in range(part.first[line], part.first[line + 1]):
            for g in range(part.order[e]):
                at = strains(part, e, g, q)
                size, t = direction(part, e, g, at)
                rate, turning = rates(part, e, g, q, dq, at)
                change = plus(rate, cross(turning, offset(part, e, g)))
                after = plus(t, times(1.0 / size, minus(change, times(dot(t, change), t))))
                k = rows.place(part, e, g)
                force = stress[k + 3]
                stress[k], stress[k + 1], stress[k + 2] = times(force, after)
