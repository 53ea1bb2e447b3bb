"""The march of a rod in space that nothing loads between its ends, at rest: half of the equations of frames.py are
known then.

Seen from the base, the force n and the moment about the base are the same all along the rod, so that

    m = m0 + n x x,   N = P^T n,   M = P^T m,   x' = P gamma,   P' = P skew(kappa)

is all that is marched: a place and a quaternion. A small change of the wrench at the base by (dn, dm0) moves a section
by dx and turns it by dphi, along and about the axes of the base:

    dx'   = dphi x x' + P S_n P^T (dn + n x dphi)
    dphi' = P S_m P^T (dm0 + dn x x + n x dx + m x dphi)

These six solutions of six numbers each are the columns of frames.py, there in the axes of the section. S_n and S_m are
the diagonal compliances of a section, which may change along the rod.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pliant._jit import kernel
from pliant.elements.rod_ivp.frames import BY_WRENCH, COLUMN, FORCE, FRAME, STATE, STILL, Work, march
from pliant.kernels.tensors import Matrix, apply, apply_transposed, rotation
from pliant.kernels.triples import Vector, cross, plus, vector

if TYPE_CHECKING:
    from pliant.elements.rod_ivp.spatial import Arrays

SIZE = 7  # of a state: place, quaternion
MOVES = 6  # numbers of a section's move; a matrix of them by the wrench follows the state, row by row


@kernel
def march_still(part: Arrays, e: int, columns: int, work: Work) -> None:
    """`frames.march` at rest without sums, by fewer equations where these are all there are."""
    if part.bare[e] and columns <= BY_WRENCH and part.past.shape[0] == 0:
        march_bare(part, e, columns, work)
    else:
        march(part, e, columns, STILL, work)


@kernel
def march_bare(part: Arrays, e: int, columns: int, work: Work) -> None:
    """The same of a subinterval with a diagonal compliance and no loads; ``columns`` are BY_WRENCH or none."""
    start_bare(columns, work)
    for step in range(part.steps[e]):
        step_bare(part, e, step, columns, work)
    unfold(part.steps[e], columns, work)


@kernel
def start_bare(columns: int, work: Work) -> None:
    """The state at the base, in ``work.y``."""
    for i in range(SIZE + MOVES * columns):
        work.y[i] = 0.0
    work.y[FRAME] = 1.0
    look(0, work)


@kernel
def step_bare(part: Arrays, e: int, step: int, columns: int, work: Work) -> None:
    """One step of subinterval e."""
    y, at, k, h = work.y, work.at, work.k, part.step[e] * work.longer[e]
    size, first = SIZE + MOVES * columns, part.first[e] + part.spacing * step
    for i in range(part.b.size):
        for n in range(size):
            at[n] = y[n]
        for j in range(i):
            f = h * part.a[i, j]
            if f != 0.0:
                for n in range(size):
                    at[n] += f * k[j, n]
        slope(part, first + part.place[i], columns, work, k[i])
    for j in range(part.b.size):
        f = h * part.b[j]
        if f != 0.0:
            for n in range(size):
                y[n] += f * k[j, n]
    look(step + 1, work)


@kernel
def about(S: Vector, P: Matrix) -> Matrix:
    """P diag(S) P^T."""
    a, b, c, d, e, f, g, h, i = P
    xx, yy = S[0] * a * a + S[1] * b * b + S[2] * c * c, S[0] * d * d + S[1] * e * e + S[2] * f * f
    xy, xz = S[0] * a * d + S[1] * b * e + S[2] * c * f, S[0] * a * g + S[1] * b * h + S[2] * c * i
    yz, zz = S[0] * d * g + S[1] * e * h + S[2] * f * i, S[0] * g * g + S[1] * h * h + S[2] * i * i
    return xx, xy, xz, xy, yy, yz, xz, yz, zz


@kernel
def times_cross(C: Matrix, v: Vector) -> Matrix:
    """C skew(v)."""
    a, b, c, d, e, f, g, h, i = C
    x, y, z = v
    return (
        b * z - c * y, c * x - a * z, a * y - b * x,
        e * z - f * y, f * x - d * z, d * y - e * x,
        h * z - i * y, i * x - g * z, g * y - h * x,
    )  # fmt: skip


@kernel
def slope(part: Arrays, k: int, columns: int, work: Work, out: np.ndarray) -> None:
    """Derivative of the state at a stage, at station k, and of the moves by the wrench."""
    y, n = work.at, vector(work.wrench, 0)
    S, rest, x = part.compliance[k], part.rest[k], vector(y, 0)
    p0, p1, p2, p3 = y[FRAME], y[FRAME + 1], y[FRAME + 2], y[FRAME + 3]
    P, m = rotation(p0, p1, p2, p3), plus(vector(work.wrench, 3), cross(n, x))
    N, M = apply_transposed(P, n), apply_transposed(P, m)
    soft, bends = (S[0, 0] + work.soft[0], S[1, 1], S[2, 2]), (S[3, 3], S[4, 4], S[5, 5])
    gamma = rest[0] + soft[0] * N[0], rest[1] + soft[1] * N[1], rest[2] + soft[2] * N[2]
    kappa = rest[3] + bends[0] * M[0], rest[4] + bends[1] * M[1], rest[5] + bends[2] * M[2]
    along = apply(P, gamma)
    out[0], out[1], out[2] = along
    a, b, c = 0.5 * kappa[0], 0.5 * kappa[1], 0.5 * kappa[2]
    out[3], out[4] = -a * p1 - b * p2 - c * p3, a * p0 + c * p2 - b * p3
    out[5], out[6] = b * p0 - c * p1 + a * p3, c * p0 + b * p1 - a * p2
    if columns == 0:
        return
    A, B = about(soft, P), about(bends, P)
    G, H, J, K = times_cross(A, n), times_cross(B, m), times_cross(B, n), times_cross(B, x)
    u, v, w = along
    G = G[0], G[1] + w, G[2] - v, G[3] - w, G[4], G[5] + u, G[6] + v, G[7] - u, G[8]
    for j in range(BY_WRENCH):
        i = SIZE + j
        X0, X1, X2, T0, T1, T2 = y[i], y[i + 6], y[i + 12], y[i + 18], y[i + 24], y[i + 30]
        out[i] = G[0] * T0 + G[1] * T1 + G[2] * T2
        out[i + 6] = G[3] * T0 + G[4] * T1 + G[5] * T2
        out[i + 12] = G[6] * T0 + G[7] * T1 + G[8] * T2
        out[i + 18] = H[0] * T0 + H[1] * T1 + H[2] * T2 + J[0] * X0 + J[1] * X1 + J[2] * X2
        out[i + 24] = H[3] * T0 + H[4] * T1 + H[5] * T2 + J[3] * X0 + J[4] * X1 + J[5] * X2
        out[i + 30] = H[6] * T0 + H[7] * T1 + H[8] * T2 + J[6] * X0 + J[7] * X1 + J[8] * X2
    for i in range(3):
        for j in range(3):
            out[SIZE + 6 * i + j] += A[3 * i + j]
            out[SIZE + 6 * i + 18 + j] -= K[3 * i + j]
            out[SIZE + 6 * i + 21 + j] += B[3 * i + j]


@kernel
def look(step: int, work: Work) -> None:
    """Keep the state at the end of a step, with the resultants."""
    y, seen, n = work.y, work.seen[step], vector(work.wrench, 0)
    P = rotation(y[FRAME], y[FRAME + 1], y[FRAME + 2], y[FRAME + 3])
    for i in range(SIZE):
        seen[i] = y[i]
    seen[FORCE], seen[FORCE + 1], seen[FORCE + 2] = apply_transposed(P, n)
    m = plus(vector(work.wrench, 3), cross(n, vector(y, 0)))
    seen[FORCE + 3], seen[FORCE + 4], seen[FORCE + 5] = apply_transposed(P, m)


@kernel
def unfold(step: int, columns: int, work: Work) -> None:
    """The state at the end and its columns as frames.py has them, in ``work.y``."""
    y, moves, n = work.y, work.at, vector(work.wrench, 0)
    for i in range(SIZE + MOVES * columns):
        moves[i] = y[i]
    for i in range(STATE):
        y[i] = work.seen[step, i]
    P, x = rotation(y[FRAME], y[FRAME + 1], y[FRAME + 2], y[FRAME + 3]), vector(y, 0)
    m = plus(vector(work.wrench, 3), cross(n, x))
    for j in range(columns):
        i = SIZE + j
        dx, dphi = (moves[i], moves[i + 6], moves[i + 12]), (moves[i + 18], moves[i + 24], moves[i + 30])
        dn = (1.0 if j == 0 else 0.0), (1.0 if j == 1 else 0.0), (1.0 if j == 2 else 0.0)
        dm = (1.0 if j == 3 else 0.0), (1.0 if j == 4 else 0.0), (1.0 if j == 5 else 0.0)
        turned = plus(plus(dm, cross(dn, x)), plus(cross(n, dx), cross(m, dphi)))
        i = STATE + COLUMN * j
        y[i], y[i + 1], y[i + 2] = apply_transposed(P, dx)
        y[i + 3], y[i + 4], y[i + 5] = apply_transposed(P, dphi)
        y[i + 6], y[i + 7], y[i + 8] = apply_transposed(P, plus(dn, cross(n, dphi)))
        y[i + 9], y[i + 10], y[i + 11] = apply_transposed(P, turned)
