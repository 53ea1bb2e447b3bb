"""Target values of constraint rows, for the plane and space."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor

import numpy as np

from pliant.jit import kernel, linked_kernel
from pliant.joints.rows.data import Rows


@kernel
def nearest(period: float, g: float) -> float:
    """Return the value of a row less whole periods, if it has a period: between minus and plus half of it."""
    if period > 0.0:
        return g - period * floor(g / period + 0.5)
    return g


@kernel
def left(rows: Rows, k: int, value: float, u: np.ndarray) -> float:
    """Return the deviation of row k from its target."""
    return nearest(rows.period[k], value - (rows.offset[k] + rows.gain[k] * u[rows.signal[k]]))


@kernel
def begin(rows: Rows, u: np.ndarray, g: np.ndarray) -> None:
    """Initialise the values of the rows without their terms: - offset - gain u."""
    for k in range(rows.offset.size):
        g[k] = -rows.offset[k] - rows.gain[k] * u[rows.signal[k]]


@kernel
def finish(rows: Rows, g: np.ndarray) -> None:
    """Subtract whole periods."""
    for k in range(rows.offset.size):
        g[k] = nearest(rows.period[k], g[k])


@kernel
def follow(rows: Rows, rate: np.ndarray, out: np.ndarray) -> None:
    """Write the part of the rows that signals alone change: - gain u', or - gain u''."""
    for k in range(rows.offset.size):
        out[k] = -rows.gain[k] * rate[rows.signal[k]]


@kernel
def flexibility(slots: np.ndarray, jacobian: Sequence[float], s: np.ndarray) -> float:
    """Estimate how far a term moves under a unit force along it: sum of J_i^2 / A_ii over its unknowns."""
    dump, total = s.size - 1, 0.0
    for i in range(len(jacobian)):
        slot = slots[i * (i + 3) // 2]
        if slot != dump and s[slot] != 0.0:
            total += jacobian[i] * jacobian[i] / abs(s[slot])
    return total


@kernel
def add_products(rows: Rows, p: int, gamma: float, one: Sequence[float], other: Sequence[float], s: np.ndarray) -> None:
    """Add gamma times the products of the gradients of the two terms of pair p to s."""
    t, o, n = rows.pairs[p, 0], rows.pairs[p, 1], len(one)
    stiff = gamma * rows.weight[rows.row[t]] * rows.factor[t] * rows.factor[o]
    for i in range(n):
        for j in range(n):
            twice = 2.0 if rows.dofs[t, i] == rows.dofs[o, j] else 1.0
            s[rows.pair_slots[p, n * i + j]] += twice * stiff * one[i] * other[j]


@linked_kernel
def power(rows: Rows, lam: np.ndarray, rate: np.ndarray) -> float:
    """Return the power that prescribed motions feed in: lambda . g_t."""
    total = 0.0
    for k in range(rows.offset.size):
        total -= lam[k] * rows.gain[k] * rate[rows.signal[k]]
    return total
