"""Contact with Coulomb friction: impulses p of several contacts, each along a normal and two tangents.

    u = W p + b,    0 <= p_n  ⟂  u_n >= 0,    |p_t| <= mu p_n,    p_t = -mu p_n u_t / |u_t| if it slides

For a rubbing joint, p and u have up to three directions, and ``|p| <= ball``, p = -ball u / |u| if it slides.

The method is projected Gauss-Seidel, contact after contact (M. Jean, The non-smooth contact dynamics method, Comput.
Methods Appl. Mech. Engrg. 177, 1999). W is symmetric and at least semidefinite; redundant contacts of a body share
their impulses as in the initial guess, and the velocities u are unique.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from pliant.jit import kernel
from pliant.jit.bundle import Bundle


class Delassus(Bundle):
    """Matrix W; the rows of contact c are zero except in the columns of its neighbours."""

    W: np.ndarray  # (3 contacts, 3 contacts)
    near: np.ndarray  # (contacts, contacts) neighbours of each, including itself
    count: np.ndarray  # (contacts) number of neighbours


def whole(W: np.ndarray) -> Delassus:
    """Return W with all contacts as neighbours."""
    size = len(W) // 3
    return Delassus(W, np.tile(np.arange(size), (size, 1)), np.full(size, size))


@kernel
def velocity(of: Delassus, b: np.ndarray, p: np.ndarray, i: int) -> float:
    """Return row i of u."""
    total, c = b[i], i // 3
    for m in range(of.count[c]):
        k = 3 * of.near[c, m]
        total += of.W[i, k] * p[k] + of.W[i, k + 1] * p[k + 1] + of.W[i, k + 2] * p[k + 2]
    return total


@kernel
def across(of: Delassus, b: np.ndarray, p: np.ndarray, i: int) -> tuple[float, float]:
    """Return rows i and i + 1 of u, in one pass."""
    one, other, c, W = b[i], b[i + 1], i // 3, of.W
    for m in range(of.count[c]):
        k = 3 * of.near[c, m]
        x, y, z = p[k], p[k + 1], p[k + 2]
        one += W[i, k] * x + W[i, k + 1] * y + W[i, k + 2] * z
        other += W[i + 1, k] * x + W[i + 1, k + 1] * y + W[i + 1, k + 2] * z
    return one, other


@kernel
def improve_joint(of: Delassus, b: np.ndarray, p: np.ndarray, i: int, ball: float) -> float:
    """Improve the impulses of a rubbing joint, from row i on. Returns the change of velocities."""
    W = of.W
    stiff = W[i, i] + W[i + 1, i + 1] + W[i + 2, i + 2]
    if not stiff > 0.0:
        p[i], p[i + 1], p[i + 2] = 0.0, 0.0, 0.0
        return 0.0
    x = p[i] - velocity(of, b, p, i) / stiff
    y = p[i + 1] - velocity(of, b, p, i + 1) / stiff
    z = p[i + 2] - velocity(of, b, p, i + 2) / stiff
    size = sqrt(x * x + y * y + z * z)
    if size > ball:
        x, y, z = x * ball / size, y * ball / size, z * ball / size
    change = stiff * (abs(x - p[i]) + abs(y - p[i + 1]) + abs(z - p[i + 2]))
    p[i], p[i + 1], p[i + 2] = x, y, z
    return change


@kernel
def solve(
    of: Delassus, b: np.ndarray, mu: np.ndarray, p: np.ndarray, ball: np.ndarray, tolerance: float, sweeps: int
) -> int:
    """Improve p until no velocity changes by more than ``tolerance`` in a sweep; ``ball`` is negative for contacts.
    Returns the number of sweeps.
    """
    W = of.W
    for sweep in range(1, sweeps + 1):
        change = 0.0
        for c in range(mu.size):
            n, s, t = 3 * c, 3 * c + 1, 3 * c + 2
            if ball[c] >= 0.0:
                change = max(change, improve_joint(of, b, p, n, ball[c]))
                continue
            if W[n, n] > 0.0:
                before = p[n]
                p[n] = max(0.0, before - velocity(of, b, p, n) / W[n, n])
                change = max(change, abs(p[n] - before) * W[n, n])
            middle, half = 0.5 * (W[s, s] + W[t, t]), 0.5 * (W[s, s] - W[t, t])
            stiff = middle + sqrt(half * half + W[s, t] * W[s, t])  # the larger tangential eigenvalue
            if mu[c] == 0.0 or not stiff > 0.0:
                p[s], p[t] = 0.0, 0.0
                continue
            along, beside = across(of, b, p, s)
            x, y = p[s] - along / stiff, p[t] - beside / stiff
            size, limit = sqrt(x * x + y * y), mu[c] * p[n]
            if size > limit:
                x, y = x * limit / size, y * limit / size
            change = max(change, stiff * (abs(x - p[s]) + abs(y - p[t])))
            p[s], p[t] = x, y
        if change <= tolerance:
            return sweep
    return sweeps + 1
