"""Factors of sparse A = L D Lᵀ without pivoting, in place over the storage of pattern.py; right-looking, by panels.

A column with pivot d and entries a_p subtracts a_p a_r / d from every entry (p, r) of its front and keeps l_p = a_p /
d; the diagonal then holds 1 / d. A panel does this for three columns at once: rows of the front are read and written
once, and its three pivots are ratios of products of up to four entries (between 1e-75 and 1e75), so that no division
waits for another. Every pivot is compared with the sum of its absolute terms; weak ones are repaired exactly
(pivot_repair.py).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pliant.jit import inlined_kernel, kernel, linked_kernel
from pliant.linalg import pivot_repair
from pliant.linalg.lu import factor_lu, solve_lu
from pliant.linalg.pattern import Floats, Pattern, analyse, close_border, magnitude, slots, to_csc, triangles
from pliant.linalg.pivot_repair import NOT_FINITE, OK, SINGULAR, UNSAFE, WEAK, Workspace, null_direction, workspace
from pliant.linalg.substitution import ONE, THREE, TWO, beside_border, substitute, without_border

__all__ = [
    "Pattern", "analyse", "magnitude", "slots", "to_csc", "triangles",
    "Workspace", "workspace", "factor", "solve", "factor_lu", "solve_lu", "solve_once", "null_direction",
    "OK", "SINGULAR", "UNSAFE", "NOT_FINITE",
]  # fmt: skip

FOUR, FIVE, SIX, SEVEN, EIGHT, NINE = (np.uint64(n) for n in range(4, 10))
Three = tuple[float, float, float]
Place = tuple[Any, Any, Any, Any]  # of a row: members (one before it), targets, s; and the end of its panel


@linked_kernel
def factor(pattern: Pattern, s: Floats, work: Workspace) -> tuple[int, int]:
    """Replace the matrix in s by its factors. Returns a status and, if OK, the number of negative eigenvalues (exact).

    SINGULAR: see null_direction. UNSAFE: more weak pivots than can be repaired; assemble again and use to_csc with a
    pivoting solver. NOT_FINITE: the matrix holds nan or inf.
    """
    work.repairs[0] = 0
    panel, negatives = 0, -close_border(pattern, s)
    for i in range(work.terms.size):
        work.terms[i] = abs(s[i])
    while panel < pattern.width.size:
        panel, found, weak = _eliminate(pattern, s, work.terms, panel)
        negatives += found
        if weak >= 0:
            status = pivot_repair.strengthen(pattern, s, work, panel, weak)
            if status != OK:
                return status, negatives
    if work.repairs[0] == 0:
        return OK, negatives
    for p in range(work.repairs[0]):
        response = work.responses[p]
        response[:] = 0.0
        response[work.unknowns[p]] = 1.0
        substitute(pattern, s, s, response)
    status, change = pivot_repair.close(work)
    return status, negatives + change


@linked_kernel
def solve(pattern: Pattern, s: Floats, work: Workspace, b: Floats) -> None:
    """Replace b by A⁻¹ b, with the factors in s."""
    if pattern.borders > 0:
        beside_border(pattern, b, work.whole)
        _solve(pattern, s, work, work.whole)
        without_border(pattern, work.whole, b)
    else:
        _solve(pattern, s, work, b)


@kernel
def _solve(pattern: Pattern, s: Floats, work: Workspace, b: Floats) -> None:
    """Replace b, with the unknowns of the border, by A⁻¹ b."""
    substitute(pattern, s, s, b)
    if work.repairs[0] > 0:
        pivot_repair.correct(work, b)


@linked_kernel
def solve_once(pattern: Pattern, s: Floats, w: Floats, work: Workspace, b: Floats, unsymmetric: bool) -> bool:
    """Factorise, with the skew part w if unsymmetric, and replace b by the solution. Returns whether this succeeded."""
    if unsymmetric:
        if factor_lu(pattern, s, w, work) != OK:
            return False
        solve_lu(pattern, s, w, work, b)
        return True
    if factor(pattern, s, work)[0] != OK:
        return False
    solve(pattern, s, work, b)
    return True


@inlined_kernel
def _three_rows(pattern: Pattern, s: Floats, terms: Floats, at: Place, e: Three) -> None:
    """Update three rows of the front and all later rows by a panel with pivots 1 / e: each later row is read once for
    all three, and along a chain all reads come before the first write.
    """
    members, targets = pattern.members, pattern.targets
    f, t, p, end = at
    a0, a1, a2 = s[p], s[p + ONE], s[p + TWO]
    b0, b1, b2 = s[p + THREE], s[p + FOUR], s[p + FIVE]
    c0, c1, c2 = s[p + SIX], s[p + SEVEN], s[p + EIGHT]
    x0, x1, x2 = a0 * e[0], a1 * e[1], a2 * e[2]
    y0, y1, y2 = b0 * e[0], b1 * e[1], b2 * e[2]
    z0, z1, z2 = c0 * e[0], c1 * e[1], c2 * e[2]
    i, j, k = members[f + ONE], members[f + TWO], members[f + THREE]
    s[i] -= x0 * a0 + x1 * a1 + x2 * a2
    s[j] -= y0 * b0 + y1 * b1 + y2 * b2
    s[k] -= z0 * c0 + z1 * c1 + z2 * c2
    terms[i] += abs(x0 * a0) + abs(x1 * a1) + abs(x2 * a2)
    terms[j] += abs(y0 * b0) + abs(y1 * b1) + abs(y2 * b2)
    terms[k] += abs(z0 * c0) + abs(z1 * c1) + abs(z2 * c2)
    later = (end - p) // THREE - THREE  # rows after these three
    u = t + later + TWO
    v = u + later + ONE
    s[targets[t]] -= x0 * b0 + x1 * b1 + x2 * b2
    s[targets[t + ONE]] -= x0 * c0 + x1 * c1 + x2 * c2
    s[targets[u]] -= y0 * c0 + y1 * c1 + y2 * c2
    t, u = t + TWO, u + ONE
    for r in range(p + NINE, end, THREE):
        d0, d1, d2 = s[r], s[r + ONE], s[r + TWO]
        s[targets[t]] -= x0 * d0 + x1 * d1 + x2 * d2
        s[targets[u]] -= y0 * d0 + y1 * d1 + y2 * d2
        s[targets[v]] -= z0 * d0 + z1 * d1 + z2 * d2
        t, u, v = t + ONE, u + ONE, v + ONE
    s[p], s[p + ONE], s[p + TWO] = x0, x1, x2
    s[p + THREE], s[p + FOUR], s[p + FIVE] = y0, y1, y2
    s[p + SIX], s[p + SEVEN], s[p + EIGHT] = z0, z1, z2


@kernel
def _eliminate(pattern: Pattern, s: Floats, terms: Floats, panel: int) -> tuple[int, int, int]:
    """Eliminate this panel and all later ones, up to a weak pivot.

    Returns the panel reached, the number of negative pivots, and the index of the weak pivot in the panel (-1: none,
    all done); this panel itself is unchanged.
    """
    members, targets = pattern.members, pattern.targets
    negatives = 0
    for k in range(panel, pattern.width.size):
        f, t = pattern.head[k], pattern.pairs[k]
        first, end = pattern.start[k], pattern.start[k + 1]
        i = members[f]
        d0 = s[i]
        if not abs(d0) > WEAK * terms[i]:
            return k, negatives, 0
        e0 = 1.0 / d0
        if pattern.width[k] == ONE:
            s[i] = e0
            for p in range(first, end):
                a = s[p]
                l = a * e0
                f += ONE
                j = members[f]
                s[j] -= l * a
                terms[j] += abs(l * a)
                for r in range(p + ONE, end):
                    s[targets[t]] -= l * s[r]
                    t += ONE
                s[p] = l
        else:
            a10, a20, a21 = s[first], s[first + ONE], s[first + TWO]
            two, across = d0 * s[i + ONE] - a10 * a10, d0 * a21 - a20 * a10  # d0 d1, d0 d1 l21
            three = two * (d0 * s[i + TWO] - a20 * a20) - across * across  # d0 two d2: no division waits for another
            e1, e2 = d0 / two, d0 * two / three
            l10, l20, l21 = a10 * e0, a20 * e0, across / two
            d1, d2 = two * e0, three * e0 * (e0 * e1)
            if not abs(d1) > WEAK * (terms[i + ONE] + abs(l10 * a10)):
                return k, negatives, 1
            if not abs(d2) > WEAK * (terms[i + TWO] + abs(l20 * a20) + abs(l21 * l21 * d1)):
                return k, negatives, 2
            negatives += int(d1 < 0.0) + int(d2 < 0.0)
            s[i], s[i + ONE], s[i + TWO] = e0, e1, e2
            s[first], s[first + ONE], s[first + TWO] = l10, l20, l21
            first += THREE
            f += TWO
            for p in range(first, end, THREE):
                s[p + ONE] -= l10 * s[p]
                s[p + TWO] -= l20 * s[p] + l21 * s[p + ONE]
            while end - first >= NINE:
                _three_rows(pattern, s, terms, (f, t, first, end), (e0, e1, e2))
                t += end - first - SIX
                f += THREE
                first += NINE
            for p in range(first, end, THREE):
                a0, a1, a2 = s[p], s[p + ONE], s[p + TWO]
                l0, l1, l2 = a0 * e0, a1 * e1, a2 * e2
                f += ONE
                j = members[f]
                s[j] -= l0 * a0 + l1 * a1 + l2 * a2
                terms[j] += abs(l0 * a0) + abs(l1 * a1) + abs(l2 * a2)
                for r in range(p + THREE, end, THREE):
                    s[targets[t]] -= l0 * s[r] + l1 * s[r + ONE] + l2 * s[r + TWO]
                    t += ONE
                s[p], s[p + ONE], s[p + TWO] = l0, l1, l2
        negatives += int(d0 < 0.0)
    return pattern.width.size, negatives, -1
