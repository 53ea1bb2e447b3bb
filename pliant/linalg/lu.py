"""Sparse A = L D U without pivoting, on the pattern of a symmetric matrix (follower loads, friction).

The matrix is given as A_ij = s + w, A_ji = s - w for unknowns i > j in original numbers; most parts leave w zero. The
order of elimination decides which of the two lies below the diagonal. In the end s holds L, with 1 / D on its diagonal,
and w holds U. Pivots are checked as in ldl.py; a weak one ends the factorisation.
"""

from __future__ import annotations

import numpy as np

from pliant.jit import kernel, lazy_kernel
from pliant.linalg.pattern import Floats, Pattern, close_border, spot
from pliant.linalg.pivot_repair import NOT_FINITE, OK, UNSAFE, WEAK, Workspace
from pliant.linalg.substitution import ONE, beside_border, substitute, without_border


@lazy_kernel
def factor_lu(pattern: Pattern, s: Floats, w: Floats, work: Workspace) -> int:
    """Replace the matrix in s and w by its factors. Returns a status: OK, UNSAFE or NOT_FINITE."""
    size = pattern.order.size
    close_border(pattern, s)
    for i in range(size):
        work.terms[i] = abs(s[i])
    for entry in range(pattern.row.size):
        skew = w[size + entry] if pattern.row[entry] > pattern.column[entry] else -w[size + entry]
        w[size + entry] = s[size + entry] - skew
        s[size + entry] += skew
    for k in range(pattern.width.size):
        members = pattern.members[pattern.head[k] : pattern.head[k + 1]]
        start, width = np.int64(pattern.start[k]), np.int64(pattern.width[k])
        for c in range(width):
            i = members[c]
            if not np.isfinite(work.terms[i]):
                return NOT_FINITE
            if not abs(s[i]) > WEAK * work.terms[i]:
                return UNSAFE
            e = 1.0 / s[i]
            s[i] = e
            for r in range(c + 1, members.size):
                at, j = spot(start, width, r, c), members[r]
                l = s[at] * e
                s[at] = l
                s[j] -= l * w[at]
                work.terms[j] += abs(l * w[at])
            for q in range(c + 1, width):
                l, u = s[spot(start, width, q, c)], w[spot(start, width, q, c)]
                for r in range(q + 1, members.size):
                    at = spot(start, width, r, c)
                    s[at + q - c] -= s[at] * u
                    w[at + q - c] -= l * w[at]
        t = pattern.pairs[k]
        for p in range(width, members.size):
            one = spot(start, width, p, 0)
            for r in range(p + 1, members.size):
                other, lower, upper = spot(start, width, r, 0), 0.0, 0.0
                for c in range(width):
                    lower += s[other + c] * w[one + c]
                    upper += s[one + c] * w[other + c]
                s[pattern.targets[t]] -= lower
                w[pattern.targets[t]] -= upper
                t += ONE
        for r in range(1, members.size):
            for c in range(width if r > width else r):
                w[spot(start, width, r, c)] *= s[members[c]]
    return OK


@kernel
def solve_lu(pattern: Pattern, s: Floats, w: Floats, work: Workspace, b: Floats) -> None:
    """Replace b by A⁻¹ b, with the factors in s and w."""
    if pattern.borders == 0:
        substitute(pattern, s, w, b)
        return
    beside_border(pattern, b, work.whole)
    substitute(pattern, s, w, work.whole)
    without_border(pattern, work.whole, b)
