"""Slopes of four rods in lanes (kernels/lanes.py) without loads between their ends (unloaded.py). They are multiplied
by the length of a step, which may differ from rod to rod.
"""

from __future__ import annotations

import numpy as np

from pliant.jit import kernel
from pliant.kernels.lanes import LANES, put, put_all, three
from pliant.kernels.tensors import Matrix, apply, apply_transposed, rotation, scaled
from pliant.kernels.triples import Vector, cross, plus, times

SIZE, MOVES, BY_WRENCH = 7, 6, 6  # of a state: place, quaternion; of a move; number of components of the wrench
WHOLE = SIZE + MOVES * BY_WRENCH  # a matrix of moves follows the state, row by row
STAGE, SLOPE, WRENCH, STEP, SOFT, REST = 0, WHOLE, 2 * WHOLE, 2 * WHOLE + 6, 2 * WHOLE + 7, 2 * WHOLE + 13
BY_TURNS, BY_PLACES = REST + 6, REST + 15  # matrices of dx' by dphi, and of dphi' by dx;
TURNS = REST + 24  # of dphi' by dphi
ROWS = REST + 33


@kernel
def about(S: Vector, P: Matrix) -> Matrix:
    """Return P diag(S) P^T."""
    a, b, c, d, e, f, g, h, i = P
    xx, yy = S[0] * a * a + S[1] * b * b + S[2] * c * c, S[0] * d * d + S[1] * e * e + S[2] * f * f
    xy, xz = S[0] * a * d + S[1] * b * e + S[2] * c * f, S[0] * a * g + S[1] * b * h + S[2] * c * i
    yz, zz = S[0] * d * g + S[1] * e * h + S[2] * f * i, S[0] * g * g + S[1] * h * h + S[2] * i * i
    return xx, xy, xz, xy, yy, yz, xz, yz, zz


@kernel
def times_cross(C: Matrix, v: Vector) -> Matrix:
    """Return C skew(v)."""
    a, b, c, d, e, f, g, h, i = C
    x, y, z = v
    return (
        b * z - c * y, c * x - a * z, a * y - b * x,
        e * z - f * y, f * x - d * z, d * y - e * x,
        h * z - i * y, i * x - g * z, g * y - h * x,
    )  # fmt: skip


@kernel
def slope(rows: np.ndarray) -> None:
    """Write the slope of the state at a stage."""
    for lane in range(LANES):
        x, n, h = three(rows, STAGE, lane), three(rows, WRENCH, lane), rows[LANES * STEP + lane]
        p0, (p1, p2, p3) = rows[LANES * (STAGE + 3) + lane], three(rows, STAGE + 4, lane)
        P, m = rotation(p0, p1, p2, p3), plus(three(rows, WRENCH + 3, lane), cross(n, x))
        N, M = apply_transposed(P, n), apply_transposed(P, m)
        soft, bends = three(rows, SOFT, lane), three(rows, SOFT + 3, lane)
        gamma, kappa = three(rows, REST, lane), three(rows, REST + 3, lane)
        gamma = gamma[0] + soft[0] * N[0], gamma[1] + soft[1] * N[1], gamma[2] + soft[2] * N[2]
        kappa = kappa[0] + bends[0] * M[0], kappa[1] + bends[1] * M[1], kappa[2] + bends[2] * M[2]
        put(rows, SLOPE, lane, times(h, apply(P, gamma)))
        a, b, c = times(0.5 * h, kappa)
        rows[LANES * (SLOPE + 3) + lane] = -a * p1 - b * p2 - c * p3
        put(rows, SLOPE + 4, lane, (a * p0 + c * p2 - b * p3, b * p0 - c * p1 + a * p3, c * p0 + b * p1 - a * p2))


@kernel
def moves(rows: np.ndarray) -> None:
    """Write the slope of the moves by the wrench, after `slope`."""
    for lane in range(LANES):
        x, n, h = three(rows, STAGE, lane), three(rows, WRENCH, lane), rows[LANES * STEP + lane]
        p0, (p1, p2, p3) = rows[LANES * (STAGE + 3) + lane], three(rows, STAGE + 4, lane)
        P, m = rotation(p0, p1, p2, p3), plus(three(rows, WRENCH + 3, lane), cross(n, x))
        A, B = about(times(h, three(rows, SOFT, lane)), P), about(times(h, three(rows, SOFT + 3, lane)), P)
        G, K, (u, v, w) = times_cross(A, n), times_cross(B, x), three(rows, SLOPE, lane)
        put_all(rows, BY_TURNS, 3, lane, (
            G[0], G[1] + w, G[2] - v, G[3] - w, G[4], G[5] + u, G[6] + v, G[7] - u, G[8],
        ))  # fmt: skip
        put_all(rows, BY_PLACES, 3, lane, times_cross(B, n))
        put_all(rows, TURNS, 3, lane, times_cross(B, m))
        put_all(rows, SLOPE + SIZE, MOVES, lane, A)
        put_all(rows, SLOPE + SIZE + 18, MOVES, lane, scaled(-1.0, K))
        put_all(rows, SLOPE + SIZE + 21, MOVES, lane, B)
    for j in range(BY_WRENCH):
        for lane in range(LANES):
            at = LANES * (STAGE + SIZE + j) + lane
            X0, X1, X2 = rows[at], rows[at + 6 * LANES], rows[at + 12 * LANES]
            T0, T1, T2 = rows[at + 18 * LANES], rows[at + 24 * LANES], rows[at + 30 * LANES]
            to = LANES * (SLOPE + SIZE + j) + lane
            for i in range(3):
                by, turn = three(rows, BY_TURNS + 3 * i, lane), three(rows, TURNS + 3 * i, lane)
                shift, place = three(rows, BY_PLACES + 3 * i, lane), to + 6 * LANES * i
                pushed = by[0] * T0 + by[1] * T1 + by[2] * T2
                rows[place] = pushed + (rows[place] if j < 3 else 0.0)
                rows[place + 18 * LANES] += (
                    turn[0] * T0 + turn[1] * T1 + turn[2] * T2 + shift[0] * X0 + shift[1] * X1 + shift[2] * X2
                )


@kernel
def following(weights: np.ndarray, stage: int, count: int) -> int:
    """Return the first stage from ``stage`` on, below ``count``, whose weight is not zero."""
    while stage < count and weights[stage] == 0.0:
        stage += 1
    return stage


@kernel
def combine(slopes: np.ndarray, weights: np.ndarray, count: int, size: int, out: np.ndarray) -> None:
    """Write the state at the start of a step, the first row, plus weighted slopes of stages, two at a time."""
    a = following(weights, 0, count)
    b = following(weights, a + 1, count)
    if b < count:
        f, g, k, l = weights[a], weights[b], slopes[a + 1], slopes[b + 1]
        for n in range(size):
            out[n] = slopes[0, n] + f * k[n] + g * l[n]
    else:
        f, k = (weights[a], slopes[a + 1]) if a < count else (0.0, slopes[0])
        for n in range(size):
            out[n] = slopes[0, n] + f * k[n]
    a = following(weights, b + 1, count)
    while a < count:
        b = following(weights, a + 1, count)
        f, k, g, l = weights[a], slopes[a + 1], 0.0, slopes[0]
        if b < count:
            g, l = weights[b], slopes[b + 1]
        for n in range(size):
            out[n] += f * k[n] + g * l[n]
        a = following(weights, b + 1, count)
