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

from pliant._jit import kernel
from pliant.elements._spatial_pair import (
    Derivatives,
    Inertia,
    add_forces,
    add_resultants,
    add_second_mass,
    add_tangent,
    inertia_form,
    moments,
    sections,
)
from pliant.elements._sums import energy_of, power_of
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
    across = block(C, e, 0, 3)
    N = plus(apply(block(C, e, 0, 0), Gamma), apply(across, kappa))
    return N, plus(apply_transposed(across, Gamma), apply(block(C, e, 3, 3), kappa))


def kernels(
    seen: Any, strained: Any, strain_rates: Any, pushes: Any, curvatures: Any
) -> tuple[Callable[..., Any], ...]:
    """`add`, `energy`, `power`, `stretch`, `pull` and `resultants` of a family."""

    @kernel
    def add(part: Any, now: Instant, into: Into, stress: np.ndarray, mixed: bool) -> None:
        """r += M a + C v + f(q), s += ck K + cc C + cm M, skew halves to w."""
        C, mass, ck, cc, cm = part.stiffness, part.mass, into.ck, into.cc, into.cm
        for e in range(part.length.size):
            pair, beta = sections(now.q, part.dofs, part.frames, e), part.beta[e]
            at = seen(pair.s)
            gamma, kappa = strained(part, e, pair, at)
            if part.damped:
                rate, turning = strain_rates(part, e, now.v, pair, at)
                gamma, kappa = plus(gamma, times(beta, rate)), plus(kappa, times(beta, turning))
            N, M = stresses(C, e, gamma, kappa)
            force, moment = pushes(part, e, pair, at, N, M)
            even1, even2 = add_forces(part, e, pair, force, moment, now, into)
            if ck == 0.0 and cc == 0.0 and cm == 0.0:
                continue  # only forces are wanted
            if mixed:
                k = part.stress_start + 6 * e
                N, M = vector(stress, k), vector(stress, k + 3)
                force, moment = pushes(part, e, pair, at, N, M)
            ss, sp, pp = curvatures(part, e, pair, at, times(ck, N), ck + cc * beta)
            W = Derivatives(times(ck, force), times(ck, moment), ss, sp, pp)
            massive = cm + cc * part.alpha[e]
            inertia = Inertia(massive * mass[e, 0], massive * mass[e, 2], even1, even2)
            add_tangent(part.slots, e, pair, W, part.coupled, inertia, into.s)
            add_second_mass(part.slots, e, mass, massive, into.s)

    @kernel
    def energy(part: Any, e: int, q: np.ndarray, v: np.ndarray) -> tuple[float, float]:
        pair = sections(q, part.dofs, part.frames, e)
        gamma, kappa = strained(part, e, pair, seen(pair.s))
        N, M = stresses(part.stiffness, e, gamma, kappa)
        return 0.5 * inertia_form(part, e, v), 0.5 * part.length[e] * (dot(N, gamma) + dot(M, kappa))

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

    return add, energy_of(energy), power_of(dissipated), stretch, pull, resultants
