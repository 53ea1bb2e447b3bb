"""Rods in the plane that are fed: their lengths, and the forces on these; see feeding.py.

With H(y) = W_L at the base, Hamilton's equations give the derivatives of the state along the rod:
"""

from __future__ import annotations

import numpy as np

from pliant.elements.beam_fed.planar_stock import free_length
from pliant.elements.rod_ivp.march import March, Rods
from pliant.elements.rod_ivp.slope import AXIAL, BENDING, CURVATURE, MASS, SHEAR, Station, slope
from pliant.jit import kernel
from pliant.kernels.circle import cos_sin

ENDS = LENGTH = PAIR = 6  # freedoms of the ends of a subinterval, then its length; freedoms of guide and carriage


@kernel
def lengthen(rods: Rods, q: np.ndarray, work: March) -> None:
    """Write the lengths of fed rods, with their derivatives."""
    for k in range(rods.length.shape[0]):
        length = free_length(rods, k, q, work.slope[k], work.bend[k])
        for e in range(rods.rod.size):
            if rods.feed[e] == k + 1:
                assembled = 0.0
                for n in range(rods.first_step[e], rods.first_step[e + 1]):
                    assembled += rods.step[n]
                work.longer[e] = rods.share[e, 0] * length / assembled


@kernel
def change(rods: Rods, e: int, dq: np.ndarray, work: March) -> float:
    """Return the change of the length of subinterval e by a step of the freedoms."""
    k, total = rods.feed[e] - 1, 0.0
    for i in range(PAIR):
        total += work.slope[k, i] * dq[rods.pair[k, i]]
    return rods.share[e, 0] * total


@kernel
def felt(section: np.ndarray, load: np.ndarray, y: np.ndarray) -> float:
    """Return H(y)."""
    c, s = cos_sin(y[2])
    N, V, M = y[3] * c + y[4] * s, y[4] * c - y[3] * s, y[5]
    stored = section[AXIAL] * N * N + section[SHEAR] * V * V + section[BENDING] * M * M
    return -0.5 * stored - N - section[CURVATURE] * M - section[MASS] * (load[0] * y[0] + load[1] * y[1])


@kernel
def push(rods: Rods, e: int, K: np.ndarray, work: March, r: np.ndarray, s: np.ndarray, w: np.ndarray) -> None:
    """Add the force of subinterval e on guide and carriage, with its matrix K, after it was shot and condensed."""
    first, k, share, inverse = rods.first_station[e], rods.feed[e] - 1, rods.share[e, 0], work.inverse[e]
    y, dy, column, row = work.begin[e], work.k[0], work.k[1], work.k[2]
    here = Station(rods.section[first], work.load[first], work.past[first])
    slope(here, 0.0, 0.0, False, y, dy)
    eased, own = 0.0, 0.0
    for i in range(3):
        eased += dy[i] * work.trial[e, i]
        column[i] = 0.0
        for j in range(3):
            column[i] += inverse[i, j] * work.passed[e, j]  # B^-1 P_L
        own += dy[i] * column[i]
    for j in range(3):
        row[j], row[j + 3] = dy[j + 3], 0.0
        column[j + 3] = work.passed[e, j + 3]
        for i in range(3):
            row[j] += dy[i] * K[i, j]  # B^-1 A
            row[j + 3] -= dy[i] * inverse[i, j]
            column[j + 3] -= work.transfer[e, j + 3, i + 3] * column[i]
    work.eased[e] = share * eased
    force, n = share * felt(here.section, here.load, y) - work.eased[e], 0
    for i in range(PAIR):
        by = work.slope[k, i]
        r[rods.pair[k, i]] += force * by
        for j in range(ENDS):
            slot = rods.pair_slots[e, n]
            s[slot] += 0.5 * share * by * (row[j] + column[j])
            w[slot] += 0.5 * share * by * (row[j] - column[j])
            n += 1
        for j in range(i + 1):
            bend = work.bend[k, i * (i + 1) // 2 + j]
            s[rods.pair_slots[e, n]] += share * share * own * by * work.slope[k, j] + force * bend
            n += 1
