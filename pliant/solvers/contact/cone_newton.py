"""Impulses of contacts (cones.py) by a semismooth Newton method, if Gauss-Seidel sweeps would take long.

The sets of open, sticking and sliding contacts follow from p - u / W, and then the impulses solve linear equations (P.
Alart, A. Curnier, Comput. Methods Appl. Mech. Engrg. 92, 1991; with the previous direction of sliding). Unknown are the
normal impulses of closed contacts, and the tangential ones of sticking contacts: open contacts cost nothing, and
sliding contacts have friction by their normal impulse.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from pliant.jit import kernel, lazy_kernel
from pliant.jit.bundle import Bundle
from pliant.solvers.contact.cones import Delassus, across, velocity

LEAPS = 20
LEAST, SAME = 1e-13, 1e-12  # of W, of the impulses
WORTH = 3000  # times the blocks of W: the cube of the unknowns up to which an iteration is cheaper than sweeps
KNOWN = -1


class Leap(Bundle):
    """Workspace of the Newton iteration; an impulse is unknown, or ``fixed`` plus ``way`` times its normal impulse."""

    A: np.ndarray  # (rows, rows + 1)
    rows: np.ndarray  # (rows) of the unknowns
    column: np.ndarray  # (rows) of A, or KNOWN
    fixed: np.ndarray  # (rows)
    way: np.ndarray  # (rows)
    before: np.ndarray  # (rows, 3) column, fixed and way of the previous iteration


def leap_workspace(rows: int) -> Leap:
    """Return a workspace for ``rows`` rows."""
    numbers, whole = np.zeros((2, rows)), np.zeros((2, rows), np.int64)
    A, before = np.zeros((rows, rows + 1)), np.zeros((rows, 3))
    return Leap(A, whole[0].copy(), whole[1].copy(), numbers[0].copy(), numbers[1].copy(), before)


@lazy_kernel
def leap(of: Delassus, b: np.ndarray, mu: np.ndarray, p: np.ndarray, ball: np.ndarray, at: Leap) -> bool:
    """Solve by Newton on the active set; stop when the set repeats. Returns whether it converged; if the equations are
    singular or too many, p is unchanged.
    """
    blocks = 0
    for c in range(mu.size):
        blocks += of.count[c]
    most = 0.0
    for turn in range(LEAPS):
        count = sort(of, b, mu, p, ball, at)
        if repeats(at, b.size, SAME * most) and turn > 0:  # p solves these equations
            return True
        if count * count * count > WORTH * blocks:
            return False
        enter(of, b, at, count)
        if not eliminate(at.A, count):
            return False
        change, most = 0.0, 0.0  # of the impulses
        for i in range(b.size):
            k = i - i % 3
            new = at.A[at.column[i], count] if at.column[i] != KNOWN else at.fixed[i]
            if at.way[i] != 0.0:
                new += at.way[i] * at.A[at.column[k], count]
            change, most = max(change, abs(new - p[i])), max(most, abs(new))
            p[i] = new
        if change <= SAME * most:
            return True
    return False


@kernel
def sort(of: Delassus, b: np.ndarray, mu: np.ndarray, p: np.ndarray, ball: np.ndarray, at: Leap) -> int:
    """Select the unknown impulses for p. Returns their number."""
    W, count = of.W, 0
    for c in range(mu.size):
        n, s, t = 3 * c, 3 * c + 1, 3 * c + 2
        for i in range(n, n + 3):
            at.column[i], at.fixed[i], at.way[i] = KNOWN, 0.0, 0.0
        stiff, limit, z = W[s, s] + W[t, t], 0.0, 0.0
        if ball[c] >= 0.0:
            stiff += W[n, n]
            limit = ball[c]
        elif W[n, n] > 0.0:
            limit = p[n] - velocity(of, b, p, n) / W[n, n]
        if not limit > 0.0 and ball[c] < 0.0:
            continue
        scale = 1.0 / stiff if stiff > 0.0 else 0.0
        along, beside = across(of, b, p, s)
        x, y = p[s] - scale * along, p[t] - scale * beside
        if ball[c] >= 0.0:
            z = p[n] - scale * velocity(of, b, p, n)
        else:
            limit *= mu[c]
        far = sqrt(x * x + y * y + z * z)
        held = stiff > 0.0 and far < limit
        for i in range(n, n + 3):
            if W[i, i] > 0.0 and (held or (i == n and ball[c] < 0.0)):
                at.rows[count], at.column[i] = i, count
                count += 1
        if not held and far > 0.0:
            if ball[c] >= 0.0:
                at.fixed[n], at.fixed[s], at.fixed[t] = limit * z / far, limit * x / far, limit * y / far
            else:
                at.way[s], at.way[t] = mu[c] * x / far, mu[c] * y / far
    return count


@kernel
def repeats(at: Leap, size: int, little: float) -> bool:
    """Return whether unknowns and directions repeat the last iteration, and fixed values do within ``little``."""
    same = True
    for i in range(size):
        column, fixed, way = float(at.column[i]), at.fixed[i], at.way[i]
        old = at.before[i]
        same = same and column == old[0] and abs(fixed - old[1]) <= little and abs(way - old[2]) <= SAME
        old[0], old[1], old[2] = column, fixed, way
    return same


@kernel
def enter(of: Delassus, b: np.ndarray, at: Leap, count: int) -> None:
    """Assemble the equations of the unknowns: u = 0."""
    for row in range(count):
        i = at.rows[row]
        c, n = i // 3, i - i % 3
        at.A[row, :count] = 0.0
        right = -b[i]
        for m in range(of.count[c]):
            first = 3 * of.near[c, m]
            for j in range(first, first + 3):
                if at.column[j] != KNOWN:
                    at.A[row, at.column[j]] += of.W[i, j]
                elif at.way[j] != 0.0:
                    at.A[row, at.column[first]] += of.W[i, j] * at.way[j]
                right -= of.W[i, j] * at.fixed[j]
        at.A[row, row] += LEAST * (of.W[n, n] + of.W[n + 1, n + 1] + of.W[n + 2, n + 2])  # for redundant contacts
        at.A[row, count] = right


@kernel
def eliminate(A: np.ndarray, size: int) -> bool:
    """Replace the last column of (A, b) by A^-1 b, with pivots from each column. Returns whether it is finite."""
    for k in range(size):
        best = k
        for i in range(k + 1, size):
            best = i if abs(A[i, k]) > abs(A[best, k]) else best
        if A[best, k] == 0.0:
            return False
        for j in range(k, size + 1 if best != k else 0):
            A[k, j], A[best, j] = A[best, j], A[k, j]
        inverse = 1.0 / A[k, k]
        for i in range(k + 1, size):
            factor = A[i, k] * inverse
            if factor != 0.0:
                for j in range(k + 1, size + 1):
                    A[i, j] -= factor * A[k, j]
    total = 0.0
    for k in range(size - 1, -1, -1):
        A[k, size] /= A[k, k]
        x = A[k, size]
        for i in range(k):  # no iteration waits for the previous one
            A[i, size] -= A[i, k] * x
        total += x
    return bool(np.isfinite(total))
