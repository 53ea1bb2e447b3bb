"""Contact with Coulomb friction: impulses p of several contacts, each along a normal and twice across it.

    u = W p + b,    0 <= p_n  ⟂  u_n >= 0,    |p_t| <= mu p_n,    p_t = -mu p_n u_t / |u_t| where it slides

Of a joint that rubs, p and u are along up to three directions, and ``|p| <= ball``, p = -ball u / |u| where it slides:

by projected Gauss-Seidel, contact after contact (M. Jean, The non-smooth contact dynamics method, Comput. Methods Appl.
Mech. Engrg. 177, 1999). W is symmetric and at least semidefinite; contacts that hold the same body more than once share
their impulses as the start of the iteration has it, the velocities u are the same.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from pliant._jit import kernel, lazy_kernel
from pliant._jit.bundle import Bundle

LEAPS = 20
LEAST, SAME = 1e-13, 1e-12  # of W, of the impulses


class Delassus(Bundle):
    """W, of which the rows of contact c are zero but for the columns of its neighbours."""

    W: np.ndarray  # (3 contacts, 3 contacts)
    near: np.ndarray  # (contacts, contacts) neighbours of each, itself among them
    count: np.ndarray  # (contacts) how many


def whole(W: np.ndarray) -> Delassus:
    """All contacts are neighbours."""
    size = len(W) // 3
    return Delassus(W, np.tile(np.arange(size), (size, 1)), np.full(size, size))


@kernel
def velocity(of: Delassus, b: np.ndarray, p: np.ndarray, i: int) -> float:
    """Row i of u."""
    total, c = b[i], i // 3
    for m in range(of.count[c]):
        k = 3 * of.near[c, m]
        total += of.W[i, k] * p[k] + of.W[i, k + 1] * p[k + 1] + of.W[i, k + 2] * p[k + 2]
    return total


@kernel
def hold(of: Delassus, b: np.ndarray, p: np.ndarray, i: int, ball: float) -> float:
    """Improve the impulses of a joint that rubs, from row i on. Returns how much velocities changed."""
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
    """Improve p until no velocity changes by more than ``tolerance`` in a sweep; ``ball`` is negative of contacts.
    Returns the number of sweeps.
    """
    W = of.W
    for sweep in range(1, sweeps + 1):
        change = 0.0
        for c in range(mu.size):
            n, s, t = 3 * c, 3 * c + 1, 3 * c + 2
            if ball[c] >= 0.0:
                change = max(change, hold(of, b, p, n, ball[c]))
                continue
            if W[n, n] > 0.0:
                before = p[n]
                p[n] = max(0.0, before - velocity(of, b, p, n) / W[n, n])
                change = max(change, abs(p[n] - before) * W[n, n])
            middle, half = 0.5 * (W[s, s] + W[t, t]), 0.5 * (W[s, s] - W[t, t])
            stiff = middle + sqrt(half * half + W[s, t] * W[s, t])  # the larger eigenvalue across the normal
            if mu[c] == 0.0 or not stiff > 0.0:
                p[s], p[t] = 0.0, 0.0
                continue
            x, y = p[s] - velocity(of, b, p, s) / stiff, p[t] - velocity(of, b, p, t) / stiff
            size, limit = sqrt(x * x + y * y), mu[c] * p[n]
            if size > limit:
                x, y = x * limit / size, y * limit / size
            change = max(change, stiff * (abs(x - p[s]) + abs(y - p[t])))
            p[s], p[t] = x, y
        if change <= tolerance:
            return sweep
    return sweeps + 1


@lazy_kernel
def leap(of: Delassus, b: np.ndarray, mu: np.ndarray, p: np.ndarray, ball: np.ndarray, A: np.ndarray) -> bool:
    """Improve p by a semismooth Newton method, where sweeps would take long: which contacts are open, stick and slide
    is taken from p - u / W, and with that the impulses are those of linear equations (P. Alart, A. Curnier, Comput.
    Methods Appl. Mech. Engrg. 92, 1991; the direction of sliding is that of before). A has a column more than W.
    Returns whether nothing changed any more; if they cannot be solved, p stays.
    """
    W, size = of.W, b.size
    for _ in range(LEAPS):
        for c in range(mu.size):
            n, s, t = 3 * c, 3 * c + 1, 3 * c + 2
            for i in range(n, n + 3):
                A[i, :size] = 0.0
                for m in range(of.count[c]):
                    for j in range(3 * of.near[c, m], 3 * of.near[c, m] + 3):
                        A[i, j] = W[i, j]
                A[i, i] += LEAST * (W[n, n] + W[s, s] + W[t, t])  # of contacts that share what they carry
                A[i, size] = -b[i]
            stiff = W[s, s] + W[t, t]
            if ball[c] >= 0.0:
                stiff += W[n, n]
                scale = 1.0 / stiff if stiff > 0.0 else 0.0
                x, y = p[s] - scale * velocity(of, b, p, s), p[t] - scale * velocity(of, b, p, t)
                z = p[n] - scale * velocity(of, b, p, n)
                far = sqrt(x * x + y * y + z * z)
                if far > ball[c] or stiff == 0.0:
                    for i in range(n, n + 3):
                        fix(A, i, size)
                    if far > 0.0:
                        A[n, size], A[s, size], A[t, size] = ball[c] * z / far, ball[c] * x / far, ball[c] * y / far
                continue
            normal = p[n] - velocity(of, b, p, n) / W[n, n] if W[n, n] > 0.0 else 0.0
            if not normal > 0.0:
                for i in range(n, n + 3):
                    fix(A, i, size)
                continue
            scale = 1.0 / stiff if stiff > 0.0 else 0.0
            x, y = p[s] - scale * velocity(of, b, p, s), p[t] - scale * velocity(of, b, p, t)
            far = sqrt(x * x + y * y)
            if far >= mu[c] * normal:
                fix(A, s, size)
                fix(A, t, size)
                if far > 0.0:
                    A[s, n], A[t, n] = -mu[c] * x / far, -mu[c] * y / far
        if not eliminated(A, size):
            return False
        change, most = 0.0, 0.0
        for i in range(size):
            change, most = max(change, abs(A[i, size] - p[i])), max(most, abs(A[i, size]))
            p[i] = A[i, size]
        if change <= SAME * most:
            return True
    return False


@kernel
def fix(A: np.ndarray, i: int, size: int) -> None:
    """Make row i say that an impulse is zero."""
    for j in range(size + 1):
        A[i, j] = 0.0
    A[i, i] = 1.0


@kernel
def eliminated(A: np.ndarray, size: int) -> bool:
    """Replace the last column of (A, b) by A^-1 b, with pivots from each column. Returns whether it is finite."""
    for k in range(size):
        best = k
        for i in range(k + 1, size):
            best = i if abs(A[i, k]) > abs(A[best, k]) else best
        if A[best, k] == 0.0:
            return False
        for j in range(k, size + 1 if best != k else 0):
            A[k, j], A[best, j] = A[best, j], A[k, j]
        for i in range(k + 1, size):
            factor = A[i, k] / A[k, k]
            if factor != 0.0:
                for j in range(k + 1, size + 1):
                    A[i, j] -= factor * A[k, j]
    total = 0.0
    for i in range(size - 1, -1, -1):
        for j in range(i + 1, size):
            A[i, size] -= A[i, j] * A[j, size]
        A[i, size] /= A[i, i]
        total += A[i, size]
    return bool(np.isfinite(total))
