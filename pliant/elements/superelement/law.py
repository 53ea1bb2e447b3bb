"""Forces and tangents of superelements, in the axes of their floating frame.

Local coordinates of node i are its displacement and its spin, both in the axes of the frame, which is node 0: a change
is ``xi = (R^T dx_i, chi_i = S_i dtheta_i, d eta)`` with ``S_i = R^T R_i`` and ``chi_0`` the turn of the frame. With
``c_i = R^T (x_i - x_0)`` and ``H = q_0 - psi^/2`` (q_0 the scalar of the quaternion of S_i)

    dd_i = dx_i - dx_0 + c_i^ chi_0,   dpsi_i = H (chi_i - chi_0),   together dD = B xi
    f = K (D + beta D') - G g,  g gravity in the axes of the frame,  G = M (motions along the axes)
    force f_i,  moment tau_i = H^T f_psi,  of the frame  g x h - sum (c_i x f_i + tau_i),  h = S + G^T D
    inertia  M (A - w x V) + w' x M V,  of the frame besides  sum V x M V  over all displacements and spins

where S is the first moment of mass about node 0, w its spin, and w' = w along displacements, w - V along a node's own
spin V (Hamel: the variation of a spin is chi' + (w - V) x chi, of a velocity dx' + w x dx, both less chi_0 x V).
In the plane the same is computed with x, y, rz.
"""

from __future__ import annotations

from math import cos, sin
from typing import NamedTuple

import numpy as np

from pliant.elements.superelement.rows import Arrays
from pliant.jit import allocating_kernel, kernel
from pliant.kernels.sums import Instant, Into
from pliant.kernels.tensors import turned


def gyroscopic(part: Arrays) -> bool:
    """Return whether there are superelements: their frame turns, so the tangent is unsymmetric in motion."""
    return bool(part.mass.size)


@kernel
def cross_into(out: np.ndarray, f: float, a: np.ndarray, b: np.ndarray) -> None:
    """Add f a x b to out."""
    out[0] += f * (a[1] * b[2] - a[2] * b[1])
    out[1] += f * (a[2] * b[0] - a[0] * b[2])
    out[2] += f * (a[0] * b[1] - a[1] * b[0])


@kernel
def add_skew(Q: np.ndarray, row: int, column: int, f: float, a: np.ndarray) -> None:
    """Add f skew(a) to a block of Q."""
    Q[row, column + 1] -= f * a[2]
    Q[row, column + 2] += f * a[1]
    Q[row + 1, column] += f * a[2]
    Q[row + 1, column + 2] -= f * a[0]
    Q[row + 2, column] -= f * a[1]
    Q[row + 2, column + 1] += f * a[0]


@kernel
def multiplied(A: np.ndarray, B: np.ndarray, out: np.ndarray, transposed: bool) -> None:
    """Write out = A B, or A^T B."""
    n = out.shape[0]
    for i in range(n):
        for j in range(out.shape[1]):
            total = 0.0
            for k in range(B.shape[0]):
                total += (A[k, i] if transposed else A[i, k]) * B[k, j]
            out[i, j] = total


@kernel
def applied(A: np.ndarray, x: np.ndarray, out: np.ndarray) -> None:
    """Write out = A x."""
    for i in range(A.shape[0]):
        total = 0.0
        for k in range(A.shape[1]):
            total += A[i, k] * x[k]
        out[i] = total


@kernel
def turned_into(R: np.ndarray, x: np.ndarray, out: np.ndarray, transposed: bool) -> None:
    """Write out = R x or R^T x, of three numbers."""
    for i in range(3):
        if transposed:
            out[i] = R[0, i] * x[0] + R[1, i] * x[1] + R[2, i] * x[2]
        else:
            out[i] = R[i, 0] * x[0] + R[i, 1] * x[1] + R[i, 2] * x[2]


@allocating_kernel
def placed(part: Arrays, e: int, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return places of the nodes (n, 3) and their frames (2 n, 3, 3): R_i, then S_i^T."""
    n = part.places.shape[1]
    x, R = np.zeros((n, 3)), np.zeros((2 * n, 3, 3))
    for i in range(n):
        if part.frames.shape[1] == 0:  # the plane
            theta = q[part.dofs[e, 3 * i + 2]]
            x[i, 0], x[i, 1] = q[part.dofs[e, 3 * i]], q[part.dofs[e, 3 * i + 1]]
            R[i, 0, 0] = R[i, 1, 1] = cos(theta)
            R[i, 1, 0], R[i, 0, 1], R[i, 2, 2] = sin(theta), -sin(theta), 1.0
        else:
            A = turned(q, part.frames[e, i])
            for a in range(3):
                x[i, a] = q[part.dofs[e, 6 * i + a]]
                for b in range(3):
                    R[i, a, b] = A[3 * a + b]
    for i in range(n):
        for a in range(3):
            for b in range(3):
                R[n + i, b, a] = R[0, 0, a] * R[i, 0, b] + R[0, 1, a] * R[i, 1, b] + R[0, 2, a] * R[i, 2, b]
    return x, R


@allocating_kernel
def shape_of(x: np.ndarray, R: np.ndarray, places: np.ndarray, D: np.ndarray, c: np.ndarray, H: np.ndarray) -> None:
    """Write D, c_i and H_i of nodes at x (n, 3) with frames R (2 n, 3, 3): R_i, then S_i^T."""
    n = x.shape[0]
    for i in range(n):
        turned_into(R[0], x[i] - x[0], c[i], True)
        for a in range(3):
            D[6 * i + a] = c[i, a] - places[i, a]
        S = R[n + i].T
        scalar = 0.5 * np.sqrt(max(1.0 + S[0, 0] + S[1, 1] + S[2, 2], 1e-12))
        psi = D[6 * i + 3 : 6 * i + 6]
        psi[0], psi[1], psi[2] = S[2, 1] - S[1, 2], S[0, 2] - S[2, 0], S[1, 0] - S[0, 1]
        psi *= 0.5 / scalar
        H[i] = 0.0
        for a in range(3):
            H[i, a, a] = scalar
        add_skew(H[i], 0, 0, -0.5, psi)


@kernel
def by_motion(c: np.ndarray, H: np.ndarray, B: np.ndarray) -> None:
    """Write B of the first n nodes of an element; modes are unchanged."""
    for i in range(1, c.shape[0]):
        for a in range(3):
            B[6 * i + a, 6 * i + a] += 1.0
            B[6 * i + a, a] -= 1.0
            for b in range(3):
                B[6 * i + 3 + a, 6 * i + 3 + b] += H[i, a, b]
                B[6 * i + 3 + a, 3 + b] -= H[i, a, b]
        add_skew(B, 6 * i, 3, 1.0, c[i])
    for k in range(6 * c.shape[0], B.shape[0]):
        B[k, k] = 1.0


class Shape(NamedTuple):
    """Strain of a superelement: D, D', forces f; c, H and B; gravity g and h; its energy and its loss."""

    D: np.ndarray
    rate: np.ndarray
    f: np.ndarray
    c: np.ndarray
    H: np.ndarray
    B: np.ndarray
    g: np.ndarray
    h: np.ndarray
    potential: float
    dissipated: float


@allocating_kernel
def local_rates(part: Arrays, e: int, R: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Return velocities or accelerations of the freedoms, in local axes."""
    given, n = np.zeros(part.mass.shape[1]), part.places.shape[1]
    for k in range(part.local.size):
        given[part.local[k]] = v[part.dofs[e, k]]
    found = given.copy()
    for b in range(2 * n):  # translations by the frame, spins by S
        own = R[0] if b % 2 == 0 else R[n + b // 2]
        turned_into(own, given[3 * b : 3 * b + 3], found[3 * b : 3 * b + 3], True)
    return found


@allocating_kernel
def strained(part: Arrays, e: int, q: np.ndarray, u: np.ndarray, x: np.ndarray, R: np.ndarray, V: np.ndarray) -> Shape:
    """Return the strain of element e, whose nodes are at x with frames R."""
    N, n, beta = part.mass.shape[1], x.shape[0], part.beta[e]
    D, c, H, B = np.zeros(N), np.zeros((n, 3)), np.zeros((n, 3, 3)), np.zeros((N, N))
    rate, f, lost, pull, g, h = np.zeros(N), np.zeros(N), np.zeros(N), np.zeros(3), np.zeros(3), np.zeros(3)
    shape_of(x, R, part.places[e], D, c, H)
    for k in range(part.local.size):
        if part.local[k] >= 6 * n:
            D[part.local[k]] = q[part.dofs[e, k]]
    by_motion(c, H, B)
    applied(B, V, rate)
    applied(part.stiffness[e], D, f)
    applied(part.stiffness[e], rate, lost)
    potential, dissipated = 0.5 * np.sum(D * f), beta * np.sum(rate * lost)
    for k in range(part.gravity.shape[0]):
        for a in range(3):
            pull[a] += u[part.gravity[k, a]]
    turned_into(R[0], pull, g, True)
    h[:] = part.first[e]
    for k in range(N):
        f[k] += beta * lost[k]
        for a in range(3):
            f[k] -= part.weight[e, k, a] * g[a]
            h[a] += part.weight[e, k, a] * D[k]
    return Shape(D, rate, f, c, H, B, g, h, potential - np.sum(g * h), dissipated)


@allocating_kernel
def add_elastic(part: Arrays, e: int, into: Into, at: Shape, V: np.ndarray, F: np.ndarray, Q: np.ndarray) -> None:
    """Add forces F and tangent Q of strain and weight."""
    D, f, c, H, B, g, h = at.D, at.f, at.c, at.H, at.B, at.g, at.h
    K, G, N, n, ck = part.stiffness[e], part.weight[e], Q.shape[0], c.shape[0], into.ck
    W, T, moved = np.zeros((N, N)), np.zeros((N, N)), np.zeros((N, N))
    stiff, late = ck + into.cc * part.beta[e], ck * part.beta[e]
    w, y, tau, m = V[3:6], np.zeros(3), np.zeros(3), np.zeros(3)
    cross_into(F[3:6], 1.0, g, h)
    for k in range(6 * n, N):
        F[k] += f[k]
    for i in range(1, n):
        row, push = 6 * i, f[6 * i : 6 * i + 3]
        m[:] = f[row + 3 : row + 6]
        turned_into(H[i], m, tau, True)
        F[row : row + 3] += push
        F[:3] -= push
        F[row + 3 : row + 6] += tau
        F[3:6] -= tau
        cross_into(F[3:6], -1.0, c[i], push)
        # second derivatives: the frame turns the forces, and its moment arms change
        add_skew(Q, row, 3, -ck, push)
        add_skew(Q, 0, 3, ck, push)
        add_skew(Q, 3, row, ck, push)
        add_skew(Q, 3, 0, -ck, push)
        for a in range(3):
            for b in range(3):  # f^ c^ = c f^T - (f . c)
                Q[3 + a, 3 + b] += ck * (c[i, a] * push[b] - (np.sum(c[i] * push) if a == b else 0.0))
        E, psi = np.zeros((6, 3)), D[row + 3 : row + 6]
        add_skew(E, 3, 0, 0.5, m)
        for a in range(3):
            for b in range(3):
                E[a, b] -= (
                    0.25 * m[a] * psi[b]
                    + E[3 + a, 0] * H[i, 0, b]
                    + E[3 + a, 1] * H[i, 1, b]
                    + E[3 + a, 2] * H[i, 2, b]
                )
        for a in range(3):
            for b in range(3):
                Q[row + 3 + a, row + 3 + b] += ck * E[a, b]
                Q[row + 3 + a, 3 + b] -= ck * E[a, b]
                Q[3 + a, row + 3 + b] -= ck * E[a, b]
                Q[3 + a, 3 + b] += ck * E[a, b]
        add_skew(Q, row + 3, row + 3, ck, tau)
        add_skew(Q, row + 3, 3, -ck, tau)
        if late != 0.0:  # derivative of the rates of d and psi by the configuration
            y[:] = V[row + 3 : row + 6] - w
            _add_rates(moved, i, (V, w, y, psi), H[i], B)
    for k in range(N):
        for j in range(N):
            W[k, j] = stiff * B[k, j] + late * moved[k, j]
    multiplied(K, W, T, False)
    for k in range(N):  # f changes with the direction of gravity: -G g^
        T[k, 3] -= ck * (G[k, 1] * g[2] - G[k, 2] * g[1])
        T[k, 4] -= ck * (G[k, 2] * g[0] - G[k, 0] * g[2])
        T[k, 5] -= ck * (G[k, 0] * g[1] - G[k, 1] * g[0])
    multiplied(B, T, W, True)
    Q += W
    for j in range(N):  # of the frame: g^ G^T B - h^ g^
        for k in range(N):
            if B[k, j] != 0.0:
                Q[3, j] += ck * (g[1] * G[k, 2] - g[2] * G[k, 1]) * B[k, j]
                Q[4, j] += ck * (g[2] * G[k, 0] - g[0] * G[k, 2]) * B[k, j]
                Q[5, j] += ck * (g[0] * G[k, 1] - g[1] * G[k, 0]) * B[k, j]
    for a in range(3):
        for b in range(3):  # h^ g^ = g h^T - (h . g)
            Q[3 + a, 3 + b] -= ck * (g[a] * h[b] - (np.sum(g * h) if a == b else 0.0))


@kernel
def _add_rates(
    moved: np.ndarray,
    i: int,
    at: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray],
    H: np.ndarray,
    B: np.ndarray,
) -> None:
    """Add the derivatives of the rates d' and psi' of node i by the configuration."""
    V, w, y, psi = at
    row, frame = 6 * i, V[:3]
    add_skew(moved, row, 3, 1.0, V[row : row + 3])
    add_skew(moved, row, 3, -1.0, frame)
    for j in range(moved.shape[1]):
        moved[row, j] -= w[1] * B[row + 2, j] - w[2] * B[row + 1, j]
        moved[row + 1, j] -= w[2] * B[row, j] - w[0] * B[row + 2, j]
        moved[row + 2, j] -= w[0] * B[row + 1, j] - w[1] * B[row, j]
    spin = V[row + 3 : row + 6]
    for a in range(3):
        for b in range(3):
            entry = -0.25 * y[a] * psi[b]
            for k in range(3):
                # H s^ of the spin, and half y^ H
                s = _skew(spin, k, b)
                entry += -H[a, k] * s + 0.5 * _skew(y, a, k) * H[k, b]
            moved[row + 3 + a, row + 3 + b] += entry
            moved[row + 3 + a, 3 + b] -= entry


@kernel
def _skew(x: np.ndarray, a: int, b: int) -> float:
    """Return an entry of skew(x)."""
    if a == b:
        return 0.0
    value = x[3 - a - b]
    return -value if (b - a) % 3 == 1 else value


@allocating_kernel
def add_inertia(M: np.ndarray, into: Into, n: int, V: np.ndarray, A: np.ndarray, F: np.ndarray, Q: np.ndarray) -> None:
    """Add forces F and tangent Q of inertia."""
    N, ck, cc, w, P = V.size, into.ck, into.cc, V[3:6], np.zeros(V.size)
    applied(M, V, P)
    slowed, push, Y, T = A.copy(), np.zeros(N), np.zeros((N, N)), np.zeros((N, N))
    for b in range(2 * n):
        cross_into(slowed[3 * b : 3 * b + 3], -1.0, w, V[3 * b : 3 * b + 3])
    applied(M, slowed, push)
    W = np.zeros((2 * n, 3))
    for b in range(2 * n):
        W[b] = w
        if b % 2 == 1:
            W[b] -= V[3 * b : 3 * b + 3]
        cross_into(push[3 * b : 3 * b + 3], 1.0, W[b], P[3 * b : 3 * b + 3])
    F += push
    for b in range(2 * n):
        cross_into(F[3:6], 1.0, V[3 * b : 3 * b + 3], P[3 * b : 3 * b + 3])
    Q += into.cm * M
    if ck == 0.0 and cc == 0.0:
        return
    # by velocities: Y = w'^ M - M w^, then columns of w and of the nodes' own spins, and rows of the frame
    for b in range(2 * n):
        if b % 2 == 1:
            add_skew(Y, 3 * b, 3 * b, 1.0, P[3 * b : 3 * b + 3])
        for j in range(N):
            for a in range(3):
                k, l = (a + 1) % 3, (a + 2) % 3
                Y[3 * b + a, j] += W[b, k] * M[3 * b + l, j] - W[b, l] * M[3 * b + k, j]
                Y[j, 3 * b + a] -= M[j, 3 * b + k] * w[l] - M[j, 3 * b + l] * w[k]
    turning = np.zeros((N, 3))
    for b in range(2 * n):
        add_skew(turning, 3 * b, 0, 1.0, V[3 * b : 3 * b + 3])
    sway = np.zeros((N, 3))
    multiplied(M, turning, sway, False)
    for b in range(2 * n):
        add_skew(sway, 3 * b, 0, -1.0, P[3 * b : 3 * b + 3])
    for k in range(N):
        for a in range(3):
            Y[k, 3 + a] += sway[k, a]
    for b in range(2 * n):
        add_skew(Y, 3, 3 * b, -1.0, P[3 * b : 3 * b + 3])
        v = V[3 * b : 3 * b + 3]
        for j in range(N):
            x, y, z = M[3 * b, j], M[3 * b + 1, j], M[3 * b + 2, j]
            Y[3, j] += v[1] * z - v[2] * y
            Y[4, j] += v[2] * x - v[0] * z
            Y[5, j] += v[0] * y - v[1] * x
    Q += cc * Y
    if ck == 0.0:
        return
    # by the configuration: velocities and accelerations are measured in axes that turn
    apparent, hurried = np.zeros((N, N)), np.zeros((N, N))
    for b in range(2 * n):
        add_skew(apparent, 3 * b, 3, 1.0, V[3 * b : 3 * b + 3])
        add_skew(hurried, 3 * b, 3, 1.0, A[3 * b : 3 * b + 3])
        if b % 2 == 1:
            add_skew(apparent, 3 * b, 3 * b, -1.0, V[3 * b : 3 * b + 3])
            add_skew(hurried, 3 * b, 3 * b, -1.0, A[3 * b : 3 * b + 3])
    multiplied(Y, apparent, T, False)
    Q += ck * T
    multiplied(M, hurried, T, False)
    Q += ck * T
    for b in range(2 * n):
        add_skew(Q, 3 * b, 3, -ck, push[3 * b : 3 * b + 3])
        if b % 2 == 1:
            add_skew(Q, 3 * b, 3 * b, ck, push[3 * b : 3 * b + 3])


@allocating_kernel
def scatter(part: Arrays, e: int, R: np.ndarray, F: np.ndarray, Q: np.ndarray, into: Into) -> None:
    """Turn F and Q into the axes of the nodes, and add them; moments are measured in exponential charts."""
    N, n = F.size, R.shape[0] // 2
    L = np.zeros((N, N))
    for k in range(6 * n, N):
        L[k, k] = 1.0
    for b in range(2 * n):
        own = R[0] if b % 2 == 0 else R[n + b // 2]
        L[3 * b : 3 * b + 3, 3 * b : 3 * b + 3] = own
    r, T = np.zeros(N), np.zeros((N, N))
    applied(L, F, r)
    multiplied(L, Q, T, False)
    Lt = np.ascontiguousarray(L.T)
    multiplied(T, Lt, Q, False)
    for i in range(n):
        add_skew(Q, 6 * i + 3, 6 * i + 3, -0.5 * into.ck, r[6 * i + 3 : 6 * i + 6])
    for k in range(part.local.size):
        row = part.local[k]
        into.r[part.dofs[e, k]] += r[row]
        for j in range(k + 1):
            slot, column = part.slots[e, k * (k + 1) // 2 + j], part.local[j]
            into.s[slot] += 0.5 * (Q[row, column] + Q[column, row])
            into.w[slot] += 0.5 * (Q[row, column] - Q[column, row])


@allocating_kernel
def add(part: Arrays, now: Instant, into: Into) -> None:
    """Add M a + f(q) to r, ck K + cc C + cm M to s, and skew halves to w."""
    N, n = part.mass.shape[1], part.places.shape[1]
    for e in range(part.beta.size):
        x, R = placed(part, e, now.q)
        V, F, Q = local_rates(part, e, R, now.v), np.zeros(N), np.zeros((N, N))
        at = strained(part, e, now.q, now.u, x, R, V)
        add_elastic(part, e, into, at, V, F, Q)
        add_inertia(part.mass[e], into, n, V, local_rates(part, e, R, now.a), F, Q)
        scatter(part, e, R, F, Q, into)


@allocating_kernel
def energy(part: Arrays, q: np.ndarray, v: np.ndarray, u: np.ndarray) -> tuple[float, float]:
    """Return kinetic energy, and energy of strain and weight."""
    kinetic, potential, P = 0.0, 0.0, np.zeros(part.mass.shape[1])
    for e in range(part.beta.size):
        x, R = placed(part, e, q)
        V = local_rates(part, e, R, v)
        applied(part.mass[e], V, P)
        kinetic += 0.5 * np.sum(V * P)
        potential += strained(part, e, q, u, x, R, V).potential
    return kinetic, potential


@allocating_kernel
def power(part: Arrays, q: np.ndarray, v: np.ndarray, u: np.ndarray) -> tuple[float, float]:
    """Return the power lost by damping."""
    dissipated = 0.0
    for e in range(part.beta.size):
        x, R = placed(part, e, q)
        dissipated += strained(part, e, q, u, x, R, local_rates(part, e, R, v)).dissipated
    return 0.0, dissipated
