"""Exact repair of weak pivots (Sherman, Morrison, Woodbury).

A pivot that is only rounding error is enlarged by adding delta to its place of the diagonal, A' = A + E Δ Eᵀ. Then

    A⁻¹ = A'⁻¹ + A'⁻¹ E C⁻¹ Eᵀ A'⁻¹,   C = Δ⁻¹ - Eᵀ A'⁻¹ E,   neg(A) = neg(A') + neg(C) - neg(Δ)

(the last from the two Schur complements of [A' E; Eᵀ Δ⁻¹]). C is scaled to |Δ|^½ C |Δ|^½, without units; it is singular
exactly when A is.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pliant.jit import kernel, lazy_kernel
from pliant.jit.bundle import Bundle
from pliant.linalg.pattern import Floats, Indices, Pattern, spot

OK, SINGULAR, UNSAFE, NOT_FINITE = 0, 1, 2, 3  # UNSAFE: too many weak pivots, use a solver that pivots
WEAK = 1e-13  # relative to the terms of a pivot: below, it is rounding error
DEGENERATE = 1e-12  # relative to the largest eigenvalue of C: below, one is rounding error and the matrix is singular
MOST_REPAIRS = 12


class Workspace(Bundle):
    """Workspace of a factorisation, with its repairs."""

    terms: Floats  # (size) sum of the absolute terms that make each pivot
    repairs: NDArray[np.int64]  # (1) number of repaired pivots
    unknowns: Indices  # (MOST_REPAIRS) their unknowns
    delta: Floats  # (MOST_REPAIRS) added numbers
    scale: Floats  # (MOST_REPAIRS) |delta|^½
    responses: Floats  # (MOST_REPAIRS, size) A'⁻¹ E, one row each
    core: Floats  # (MOST_REPAIRS, MOST_REPAIRS) C⁻¹
    capacitance: Floats  # (MOST_REPAIRS, MOST_REPAIRS) C without units, made diagonal
    vectors: Floats  # (MOST_REPAIRS, MOST_REPAIRS) its eigenvectors
    weight: Floats  # (MOST_REPAIRS) share of each response in a solution
    whole: Floats  # (size) a right-hand side with the unknowns of the border, if there is one; else empty


def workspace(pattern: Pattern) -> Workspace:
    """Return a workspace for the factorisation of a pattern."""
    square = (MOST_REPAIRS, MOST_REPAIRS)
    return Workspace(
        terms=np.zeros(pattern.size),
        repairs=np.zeros(1, np.int64),
        unknowns=np.zeros(MOST_REPAIRS, np.uint32),
        delta=np.zeros(MOST_REPAIRS),
        scale=np.zeros(MOST_REPAIRS),
        responses=np.zeros((MOST_REPAIRS, pattern.size)),
        core=np.zeros(square),
        capacitance=np.zeros(square),
        vectors=np.zeros(square),
        weight=np.zeros(MOST_REPAIRS),
        whole=np.zeros(pattern.size if pattern.borders else 0),
    )


def null_direction(work: Workspace) -> Floats:
    """Return x with A x = 0, largest component 1, after a factorisation that ended SINGULAR: for error messages."""
    n = int(work.repairs[0])
    weakest = np.argmin(np.abs(np.diag(work.capacitance)[:n]))
    direction = (work.scale[:n] * work.vectors[:n, weakest]) @ work.responses[:n]
    return np.asarray(direction / direction[np.argmax(np.abs(direction))])


@lazy_kernel
def strengthen(pattern: Pattern, s: Floats, work: Workspace, k: int, c: int) -> int:
    """Add delta to pivot c of panel k, before the panel is eliminated. Returns a status.

    Any delta is exact; rounding is least with a delta of the size of the terms of the pivot and of 2 a_ij² / a_jj.
    """
    members = pattern.members[pattern.head[k] : pattern.head[k + 1]]
    start, width = np.int64(pattern.start[k]), np.int64(pattern.width[k])
    i = members[c]
    delta, total = work.terms[i], abs(s[i])
    for r in range(members.size):
        if r != c:
            a, terms = s[spot(start, width, max(r, c), min(r, c))], work.terms[members[r]]
            total += abs(a)
            if terms > 0.0:
                delta = max(delta, 2.0 * a * a / terms)
    if not np.isfinite(delta + total):
        return NOT_FINITE
    n = work.repairs[0]
    if n == MOST_REPAIRS:
        return UNSAFE
    if delta == 0.0:
        delta = total if total > 0.0 else 1.0
    work.terms[i] += delta
    work.unknowns[n] = i
    work.delta[n] = -delta if pattern.multiplier[i] else delta
    work.scale[n] = np.sqrt(delta)
    s[i] += work.delta[n]
    work.repairs[0] = n + 1
    return OK


@lazy_kernel
def close(work: Workspace) -> tuple[int, int]:
    """Compute C⁻¹ from the responses. Returns a status and the number of negative pivots that the repairs add."""
    n, scale = work.repairs[0], work.scale
    for p in range(n):
        for q in range(n):
            sign = 0.0 if p != q else 1.0 if work.delta[p] > 0.0 else -1.0
            response = 0.5 * (work.responses[p, work.unknowns[q]] + work.responses[q, work.unknowns[p]])
            work.capacitance[p, q] = sign - scale[p] * response * scale[q]
    diagonalise(work.capacitance, work.vectors, n)
    negatives = 0
    largest, smallest = 1.0, np.inf
    for p in range(n):
        value = work.capacitance[p, p]
        if not np.isfinite(value):
            return NOT_FINITE, 0
        negatives += int(value < 0.0) - int(work.delta[p] < 0.0)
        largest, smallest = max(largest, abs(value)), min(smallest, abs(value))
    if smallest < DEGENERATE * largest:
        return SINGULAR, negatives
    for p in range(n):
        for q in range(n):
            total = 0.0
            for r in range(n):
                total += work.vectors[p, r] * work.vectors[q, r] / work.capacitance[r, r]
            work.core[p, q] = scale[p] * total * scale[q]
    return OK, negatives


@lazy_kernel
def correct(work: Workspace, x: Floats) -> None:
    """Add A'⁻¹ E C⁻¹ Eᵀ x to x, where x = A'⁻¹ b."""
    n = work.repairs[0]
    for p in range(n):
        work.weight[p] = 0.0
        for q in range(n):
            work.weight[p] += work.core[p, q] * x[work.unknowns[q]]
    for p in range(n):
        for i in range(x.size):
            x[i] += work.weight[p] * work.responses[p, i]


@kernel
def diagonalise(a: Floats, v: Floats, n: int) -> None:
    """Compute the eigenvalues of the symmetric leading n x n part of a, on its diagonal, and vectors in columns of v.

    Cyclic Jacobi (Golub and Van Loan, Matrix Computations, algorithm 8.5.3); for the few repairs of a factorisation.
    """
    for p in range(n):
        for q in range(n):
            v[p, q] = 1.0 if p == q else 0.0
    for _ in range(10):
        for p in range(n):
            for q in range(p + 1, n):
                if abs(a[p, q]) <= 1e-30 * (abs(a[p, p]) + abs(a[q, q])):
                    continue
                tau = 0.5 * (a[q, q] - a[p, p]) / a[p, q]
                tangent = (1.0 if tau >= 0.0 else -1.0) / (abs(tau) + np.sqrt(1.0 + tau * tau))
                cosine = 1.0 / np.sqrt(1.0 + tangent * tangent)
                sine = tangent * cosine
                for r in range(n):
                    a[r, p], a[r, q] = cosine * a[r, p] - sine * a[r, q], sine * a[r, p] + cosine * a[r, q]
                    v[r, p], v[r, q] = cosine * v[r, p] - sine * v[r, q], sine * v[r, p] + cosine * v[r, q]
                for r in range(n):
                    a[p, r], a[q, r] = cosine * a[p, r] - sine * a[q, r], sine * a[p, r] + cosine * a[q, r]
