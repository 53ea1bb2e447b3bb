"""Kernels of a two-node beam in space, made of how its strains depend on the ends: s and psi (_spatial_pair.py).

A family gives four kernels, with ``seen(s)`` computed once for all of them:

    strained(part, e, pair, at)                  strains Gamma, kappa, the rest shape's taken off
    strain_rates(part, e, v, pair, at)           their rates at velocity v: B v
    pushes(part, e, pair, at, N, M)              derivatives of the energy by s and psi: what resultants do there
    curvatures(part, e, pair, at, N, material)   second derivatives of the energy by s, by s and psi, by psi

The energy is ``L/2 (Gamma, kappa).C.(Gamma, kappa)``, C the stiffness of the element, damping Kelvin-Voigt's and alpha.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pliant.elements._spatial_lanes import (
    STRESS,
    add_forces,
    add_tangents,
    keep_pair,
    kept_pair,
    nearest,
    pair_from,
    put_forces,
    put_tangent,
    relate,
    room,
)
from pliant.elements._spatial_pair import Derivatives, add_resultants, hessian, inertia_form, moments, sections
from pliant.elements._sums import power_of
from pliant.jit import flat_kernel, inlined_kernel, kernel
from pliant.kernels.lanes import LANES, one, put, put_one, three
from pliant.kernels.sums import Instant, Into
from pliant.kernels.tensors import Matrix, apply, apply_transposed
from pliant.kernels.triples import Vector, dot, plus, times, vector


@kernel
def block(C: np.ndarray, e: int, row: int, column: int) -> Matrix:
    """A quarter of the stiffness, from a row and a column on."""
    return (
        C[e, row, column],
        C[e, row, column + 1],
        C[e, row, column + 2],
        C[e, row + 1, column],
        C[e, row + 1, column + 1],
        C[e, row + 1, column + 2],
        C[e, row + 2, column],
        C[e, row + 2, column + 1],
        C[e, row + 2, column + 2],
    )


@kernel
def stresses(C: np.ndarray, e: int, Gamma: Vector, kappa: Vector) -> tuple[Vector, Vector]:
    """(N, M) = C (Gamma, kappa)."""
    return stressed(C, e, Gamma, kappa)


@flat_kernel
def stressed(C: np.ndarray, e: int, Gamma: Vector, kappa: Vector) -> tuple[Vector, Vector]:
    """The same, for loops over lanes."""
    across = block(C, e, 0, 3)
    N = plus(apply(block(C, e, 0, 0), Gamma), apply(across, kappa))
    return N, plus(apply_transposed(across, Gamma), apply(block(C, e, 3, 3), kappa))


def kernels(
    seen: Any, strained: Any, strain_rates: Any, pushes: Any, curvatures: Any
) -> tuple[Callable[..., Any], ...]:
    """`add`, `energy`, `power`, `stretch`, `pull` and `resultants` of a family."""

    @inlined_kernel
    def pushed(part: Any, first: int, now: Instant, rows: np.ndarray) -> None:
        """Stresses of elements from ``first`` on, and forces on their freedoms."""
        relate(part, first, now.q, rows)
        for lane in range(LANES):
            e = nearest(part, first, lane)
            pair, beta = pair_from(rows, lane), part.beta[e]
            at = seen(pair.s)
            (gamma, kappa), (rate, turning) = strained(part, e, pair, at), strain_rates(part, e, now.v, pair, at)
            gamma, kappa = plus(gamma, times(beta, rate)), plus(kappa, times(beta, turning))
            N, M = stressed(part.stiffness, e, gamma, kappa)
            put(rows, STRESS, lane, N)
            put(rows, STRESS + 3, lane, M)
            keep_pair(rows, lane, pair)
            put_forces(part, e, pair, pushes(part, e, pair, at, N, M), now, (rows, lane))

    @inlined_kernel
    def stiffened(part: Any, first: int, now: Instant, into: Into, rows: np.ndarray) -> None:
        """Tangents of these forces, with the stresses that are in the rows."""
        ck, cc = into.ck, into.cc
        for lane in range(LANES):
            e = nearest(part, first, lane)
            pair, N, M = kept_pair(rows, lane), three(rows, STRESS, lane), three(rows, STRESS + 3, lane)
            at = seen(pair.s)
            force, moment = pushes(part, e, pair, at, N, M)
            ss, sp, pp = curvatures(part, e, pair, at, times(ck, N), ck + cc * part.beta[e])
            H = hessian(pair, Derivatives(times(ck, force), times(ck, moment), ss, sp, pp))
            put_tangent(part, e, H, now, into, (rows, lane))

    @kernel
    def add(part: Any, now: Instant, into: Into, stress: np.ndarray, mixed: bool) -> None:
        """r += M a + C v + f(q), s += ck K + cc C + cm M, skew halves to w."""
        rows, forces_alone = room(), into.ck == 0.0 and into.cc == 0.0 and into.cm == 0.0
        for first in range(0, part.alpha.size, LANES):
            pushed(part, first, now, rows)
            add_forces(part, first, rows, into.r)
            if forces_alone:
                continue
            if mixed:
                for lane in range(LANES):
                    k = part.stress_start + 6 * nearest(part, first, lane)
                    put(rows, STRESS, lane, vector(stress, k))
                    put(rows, STRESS + 3, lane, vector(stress, k + 3))
            stiffened(part, first, now, into, rows)
            add_tangents(part, first, rows, into.s, into.w)

    @inlined_kernel
    def stored(part: Any, first: int, q: np.ndarray, v: np.ndarray, rows: np.ndarray) -> None:
        """Kinetic and elastic energy of elements from ``first`` on, at the rows of their stresses."""
        relate(part, first, q, rows)
        for lane in range(LANES):
            e, pair = nearest(part, first, lane), pair_from(rows, lane)
            gamma, kappa = strained(part, e, pair, seen(pair.s))
            N, M = stressed(part.stiffness, e, gamma, kappa)
            put_one(rows, STRESS, lane, 0.5 * inertia_form(part, e, v))
            put_one(rows, STRESS + 1, lane, 0.5 * part.length[e] * (dot(N, gamma) + dot(M, kappa)))

    @kernel
    def energy(part: Any, q: np.ndarray, v: np.ndarray) -> tuple[float, float]:
        """Kinetic and elastic energy."""
        rows, kinetic, potential = room(), 0.0, 0.0
        for first in range(0, part.alpha.size, LANES):
            stored(part, first, q, v, rows)
            for lane in range(min(LANES, part.alpha.size - first)):
                kinetic += one(rows, STRESS, lane)
                potential += one(rows, STRESS + 1, lane)
        return kinetic, potential

    @kernel
    def dissipated(part: Any, e: int, q: np.ndarray, v: np.ndarray) -> float:
        pair = sections(q, part.dofs, part.frames, e)
        rate, turning = strain_rates(part, e, v, pair, seen(pair.s))
        N, M = stresses(part.stiffness, e, rate, turning)
        viscous = part.beta[e] * part.length[e] * (dot(N, rate) + dot(M, turning))
        return viscous + part.alpha[e] * inertia_form(part, e, v)

    @kernel
    def stretch(part: Any, q: np.ndarray, dq: np.ndarray, stress: np.ndarray) -> None:
        """stress = C (strain(q) + B(q) dq)."""
        for e in range(part.length.size):
            pair = sections(q, part.dofs, part.frames, e)
            at = seen(pair.s)
            gamma, kappa = strained(part, e, pair, at)
            rate, turning = strain_rates(part, e, dq, pair, at)
            N, M = stresses(part.stiffness, e, plus(gamma, rate), plus(kappa, turning))
            k = part.stress_start + 6 * e
            stress[k], stress[k + 1], stress[k + 2] = N
            stress[k + 3], stress[k + 4], stress[k + 5] = M

    @kernel
    def pull(part: Any, q: np.ndarray, stress: np.ndarray, r: np.ndarray) -> None:
        """r += B(q)^T stress."""
        for e in range(part.length.size):
            k, pair = part.stress_start + 6 * e, sections(q, part.dofs, part.frames, e)
            force, moment = pushes(part, e, pair, seen(pair.s), vector(stress, k), vector(stress, k + 3))
            add_resultants(part.dofs, e, pair, force, moment, r)

    @kernel
    def resultants(part: Any, q: np.ndarray, v: np.ndarray, out: np.ndarray) -> None:
        """N, Vy, Vz in the mean section's frame, T, My, Mz in the frames of the ends, damping included."""
        for e in range(part.length.size):
            pair = sections(q, part.dofs, part.frames, e)
            at, beta = seen(pair.s), part.beta[e]
            gamma, kappa = strained(part, e, pair, at)
            rate, turning = strain_rates(part, e, v, pair, at)
            N, M = stresses(part.stiffness, e, plus(gamma, times(beta, rate)), plus(kappa, times(beta, turning)))
            force, moment = pushes(part, e, pair, at, N, M)
            first, second = moments(pair, force, moment)
            for k in range(2):
                out[2 * e + k, 0], out[2 * e + k, 1], out[2 * e + k, 2] = force
            out[2 * e, 3], out[2 * e, 4], out[2 * e, 5] = times(-1.0, first)
            out[2 * e + 1, 3], out[2 * e + 1, 4], out[2 * e + 1, 5] = second

    return add, energy, power_of(dissipated), stretch, pull, resultants
