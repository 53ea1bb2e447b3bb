"""Rods in space that are fed (elements/beam_fed): their lengths, and the forces on these.

A uniform rod has the same equations everywhere, and its second end is reached after a march of length L: a change dL
moves it by ``(gamma, kappa) dL``, which is one more column of two_port.py. The force on L is the Hamiltonian of the
equations, constant along a subinterval; at its base, with the wrench w = (N, M) there,

    W_L = -w.S w/2 - w.(rest strains) - rho g.x

So forces on the ends and on the length, and their derivatives, are exact. Material that passes a section moves by
(gamma, kappa) in addition to the motion of the section. Rods are fed at rest: their small motions are about rest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pliant.elements._spatial_two_node import stresses
from pliant.elements.beam_fed.spatial_stock import free_length, length_along
from pliant.elements.beam_fed.sums import along
from pliant.elements.rod_ivp.frames import COLUMN, FORCE, FRAME, MOMENT, PULL, STATE, WEIGHT, Work
from pliant.elements.rod_ivp.two_port import Ends
from pliant.jit import kernel
from pliant.kernels.sums import Instant, Into
from pliant.kernels.tensors import apply, apply_transposed, rotation
from pliant.kernels.triples import cross, dot, minus, plus, times, vector

if TYPE_CHECKING:
    from pliant.elements.rod_ivp.spatial import Arrays

ENDS = LENGTH = PAIR = 12  # freedoms of the ends of a subinterval, then its length; freedoms of guide and carriage


@kernel
def lengthen(part: Arrays, q: np.ndarray, bent: bool, work: Work) -> None:
    """Write the lengths of fed rods with their derivatives: second ones if a matrix is needed."""
    for k in range(part.length.shape[0]):
        if bent:
            length = free_length(part, k, q, work.slope[k], work.bend[k])
        else:
            length = length_along(part, k, q, work.slope[k])
        for e in range(part.steps.size):
            if part.feed[e] == k + 1:
                work.longer[e] = part.share[e, 0] * length / (part.steps[e] * part.step[e])


@kernel
def rate_of(part: Arrays, e: int, v: np.ndarray, work: Work) -> float:
    """Return the rate of the length of the rod of subinterval e, or its change by a step."""
    k = part.feed[e]
    return along(part.pair, k - 1, work.slope[k - 1], v) if k > 0 else 0.0


@kernel
def push(part: Arrays, e: int, at: Ends, into: Into, work: Work) -> None:
    """Add W_L on guide and carriage to r, with its derivatives, for subinterval e after it was condensed."""
    T, X, y, k, share = work.stiffness, work.solved, work.y, part.first[e], part.share[e, 0]
    N, M = vector(work.wrench, 0), vector(work.wrench, 3)
    stretched, bent = stresses(part.compliance, k, N, M)
    gamma, kappa = plus(vector(part.rest[k], 0), stretched), plus(vector(part.rest[k], 3), bent)
    weight = times(part.inertia[k, 0], vector(work.load[k], WEIGHT))
    felt = -0.5 * (dot(N, plus(gamma, vector(part.rest[k], 0))) + dot(M, plus(kappa, vector(part.rest[k], 3))))
    felt -= dot(weight, vector(work.origin, 0))
    if into.ck != 0.0:
        pulled = apply(at.first, weight)
        for j in range(ENDS + 1):
            c = j if j < ENDS else 13
            change = 0.0
            for i in range(3):
                change -= gamma[i] * X[i, c] + kappa[i] * X[i + 3, c]
            if j < 3:
                change -= pulled[j]
            T[LENGTH, j] = share * (share if j == LENGTH else 1.0) * change
        force, moment = passed(part, e, work)
        for i in range(6):
            change = force[i] if i < 3 else moment[i - 3]
            for c in range(6):
                change += y[STATE + COLUMN * c + PULL + i] * X[c, 13]
            work.tip[i, 0] = change
        base = apply(at.first, vector(X[:3, 13], 0))
        tip = apply(at.second, (work.tip[0, 0], work.tip[1, 0], work.tip[2, 0]))
        for i in range(3):
            T[i, LENGTH], T[i + 3, LENGTH] = -share * base[i], -share * X[i + 3, 13]
            T[i + 6, LENGTH], T[i + 9, LENGTH] = share * tip[i], share * work.tip[i + 3, 0]
    spread(part, e, share * felt, into.ck, T, into, work)


@kernel
def passed(part: Arrays, e: int, work: Work) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
    """Return N' and M' at the second end."""
    y, k = work.y, part.first[e] + part.spacing * part.steps[e]
    N, M = vector(y, FORCE), vector(y, MOMENT)
    stretched, bent = stresses(part.compliance, k, N, M)
    gamma, kappa = plus(vector(part.rest[k], 0), stretched), plus(vector(part.rest[k], 3), bent)
    P = rotation(y[FRAME], y[FRAME + 1], y[FRAME + 2], y[FRAME + 3])
    dead = apply_transposed(P, times(part.inertia[k, 0], vector(work.load[k], WEIGHT)))
    return minus(cross(N, kappa), dead), plus(cross(M, kappa), cross(N, gamma))


@kernel
def push_mass(part: Arrays, e: int, now: Instant, into: Into, work: Work) -> None:
    """Add the inertia that ends and length share, in addition to the inertia of the ends alone."""
    M, faster, felt = work.inertia, rate_of(part, e, now.a, work), 0.0
    for i in range(ENDS):
        into.r[part.dofs[e, i]] += M[i, LENGTH] * faster
        felt += M[LENGTH, i] * now.a[part.dofs[e, i]]
    spread(part, e, felt + M[LENGTH, LENGTH] * faster, into.cm, M, into, work)


@kernel
def spread(part: Arrays, e: int, felt: float, factor: float, T: np.ndarray, into: Into, work: Work) -> None:
    """Add a force on the length, and the last row and column of a matrix, to guide and carriage."""
    k, n = part.feed[e] - 1, 0
    slope, bend = work.slope[k], work.bend[k]
    for i in range(PAIR):
        into.r[part.dofs[e, ENDS + i]] += felt * slope[i]
        if factor == 0.0 and into.ck == 0.0:
            continue
        row = (ENDS + i) * (ENDS + i + 1) // 2
        for j in range(ENDS):
            slot = part.slots[e, row + j]
            into.s[slot] += 0.5 * factor * slope[i] * (T[LENGTH, j] + T[j, LENGTH])
            into.w[slot] += 0.5 * factor * slope[i] * (T[LENGTH, j] - T[j, LENGTH])
        for j in range(i + 1):
            slot = part.slots[e, row + ENDS + j]
            into.s[slot] += factor * slope[i] * T[LENGTH, LENGTH] * slope[j] + into.ck * felt * bend[n]
            n += 1
