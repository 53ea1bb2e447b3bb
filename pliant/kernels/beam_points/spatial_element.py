"""An element of a beam in space as a function of its nodes' places and quaternions: forces and Hessian.

A node is ``y = (x, P)``, and a Gauss point sees ``Y = sum n_i y_i`` and ``Y' = sum n_i' y_i`` only. With the energy
w(Y, Y') of the point, sums over Gauss points

    f_i = n_i w_Y + n_i' w_Y',    K_ij = n_j (n_i w_YY + n_i' w_Y'Y) + n_j' (n_i w_YY' + n_i' w_Y'Y')

are of numbers times blocks that no node changes. Spins come last, once a node: ``P_i exp(theta/2)`` is ``P_i + G_i
theta - |theta|^2/8 P_i`` with ``G_i theta = P_i (0, theta/2)``, so that forces are ``G_i^T f_i`` and the Hessian is
``G_i^T K_ij G_j``, less ``f_i.P_i/4`` on its diagonal.

Derivatives of w are those of spatial.py: seen from the point, ``dP = P (da, dalpha)`` and ``dP' = P (db, dbeta)``, to
first and second order. Blocks are of eight rows and columns: x, a zero, P.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pliant._jit import allocating_kernel, kernel
from pliant.kernels import so3
from pliant.kernels.beam_points.spatial import Point, measured, quaternion, turning_moment
from pliant.kernels.beam_points.spatial_sums import Tangent
from pliant.kernels.blocks import add_block, add_diagonal_block
from pliant.kernels.dyads import product_skew, skew, skew_product, symmetric
from pliant.kernels.so3 import Four
from pliant.kernels.tensors import Matrix, added, apply, apply_transposed, product, rows, scaled, transposed
from pliant.kernels.triples import Vector, cross, dot, minus, plus, times, vector

ROW, QUATERNION = 8, 4  # numbers of a node, and where its quaternion begins among them
BLOCK = ROW * ROW
VALUE, MIXED, MIXED_BACK, SLOPE = 0, 1, 2, 3  # w_YY, w_YY', w_Y'Y, w_Y'Y'
ONE = 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0

Square = tuple[Four, Four, Four, Four]


class Pushes(NamedTuple):
    """What resultants do at a Gauss point: derivatives of their work by x', P and P'."""

    along: Vector
    turning: Four
    bending: Four


class Element(NamedTuple):
    """Scratch of one element."""

    nodes: np.ndarray  # (P + 1, ROW) y of the nodes
    moves: np.ndarray  # (P + 1, ROW) their rates
    force: np.ndarray  # (P + 1, ROW) f
    other: np.ndarray  # (P + 1, ROW) the same of other resultants
    own: np.ndarray  # (P + 1) f.P of the resultants that are stiffness
    point: np.ndarray  # (4, BLOCK) second derivatives of w
    half: np.ndarray  # (2, BLOCK) of them with the shapes of one node
    K: np.ndarray  # (pairs of nodes, BLOCK), the later first


@allocating_kernel
def element(nodes: int) -> Element:
    """For elements of so many nodes."""
    rows = np.zeros((4, nodes, ROW))
    return Element(
        rows[0], rows[1], rows[2], rows[3], np.zeros(nodes), np.zeros((4, BLOCK)), np.zeros((2, BLOCK)),
        np.zeros((nodes * (nodes + 1) // 2, BLOCK)),
    )  # fmt: skip


@kernel
def four(x: np.ndarray, place: int) -> Four:
    """Four entries of an array."""
    return x[place], x[place + 1], x[place + 2], x[place + 3]


@kernel
def begin(part: Any, e: int, q: np.ndarray, here: Element, stiff: bool) -> None:
    """Read the nodes of element e, and set sums to zero; those of the Hessian only if that is asked for."""
    for i in range(part.order[e] + 1):
        y, k = here.nodes[i], part.dofs[e, 6 * i]
        y[0], y[1], y[2] = q[k], q[k + 1], q[k + 2]
        y[4], y[5], y[6], y[7] = quaternion(part, e, i, q)
        here.own[i] = 0.0
        for c in range(ROW):
            here.force[i, c] = here.other[i, c] = 0.0
    if stiff:
        nodes = part.order[e] + 1
        for k in range(nodes * (nodes + 1) // 2):
            for c in range(here.K.shape[1]):
                here.K[k, c] = 0.0


@kernel
def move(part: Any, e: int, v: np.ndarray, here: Element) -> None:
    """Rates of the nodes of element e at velocity v (or their change over a small step v): x., P (0, w/2)."""
    for i in range(part.order[e] + 1):
        y, k, (w, a, b, c) = here.moves[i], part.dofs[e, 6 * i], four(here.nodes[i], QUATERNION)
        y[0], y[1], y[2] = v[k], v[k + 1], v[k + 2]
        y[4], y[5], y[6], y[7] = so3.product((w, a, b, c), (0.0, 0.5 * v[k + 3], 0.5 * v[k + 4], 0.5 * v[k + 5]))


@kernel
def at_point(part: Any, e: int, g: int, y: np.ndarray) -> tuple[Vector, Four, Four]:
    """x', P, P' of nodes y at Gauss point g of element e, by its length."""
    p, per_length = part.order[e], 1.0 / part.length[e]
    chord = 0.0, 0.0, 0.0
    w = x = z = u = dw = dx = dz = du = 0.0
    for i in range(p + 1):
        n, dn, node = part.shape[p, g, i], per_length * part.slope[p, g, i], y[i]
        chord = plus(chord, times(dn, vector(node, 0)))
        w, x, z, u = w + n * node[4], x + n * node[5], z + n * node[6], u + n * node[7]
        dw, dx, dz, du = dw + dn * node[4], dx + dn * node[5], dz + dn * node[6], du + dn * node[7]
    return chord, (w, x, z, u), (dw, dx, dz, du)


@kernel
def strains_at(part: Any, e: int, g: int, here: Element) -> Point:
    """Section and strain measures at Gauss point g of element e, those of the rest shape not taken off."""
    chord, P, dP = at_point(part, e, g, here.nodes)
    return measured(P, dP, chord)


@kernel
def rates_at(part: Any, e: int, g: int, here: Element, at: Point) -> tuple[Vector, Vector]:
    """Rates of Gamma and kappa of nodes that move: ``R^T x.' + 2 Gamma x alpha`` and ``2 beta - a kappa - 2 k0 alpha +
    kappa x alpha``.
    """
    chord, P, dP = at_point(part, e, g, here.moves)
    back = at.scalar, -at.axis[0], -at.axis[1], -at.axis[2]
    a, x, y, z = so3.product(back, P)
    _, dx, dy, dz = so3.product(back, dP)
    Gamma = plus(apply_transposed(at.R, chord), times(2.0, cross(at.Gamma, (x, y, z))))
    bent = plus(times(-a, at.kappa), minus(times(2.0, (dx, dy, dz)), times(2.0 * at.k0, (x, y, z))))
    return Gamma, plus(bent, cross(at.kappa, (x, y, z)))


@kernel
def pushes(at: Point, N: Vector, M: Vector) -> Pushes:
    """Of resultants N, M: ``R N``, ``P (-M.kappa, 2 m)``, m of `turning_moment`, and ``P (0, 2 M)``, P/|P|^2 for P."""
    x, y, z = times(2.0, turning_moment(at, N, M))
    P = at.scalar, at.axis[0], at.axis[1], at.axis[2]
    turning = so3.product(P, (-dot(M, at.kappa), x, y, z))
    return Pushes(apply(at.R, N), turning, so3.product(P, (0.0, 2.0 * M[0], 2.0 * M[1], 2.0 * M[2])))


@kernel
def add_pushes(part: Any, e: int, g: int, f: float, by: Pushes, force: np.ndarray) -> None:
    """f_i += f (n_i w_Y + n_i' w_Y')"""
    p, per_length = part.order[e], f / part.length[e]
    (x, y, z), P, dP = by
    for i in range(p + 1):
        n, dn, row = f * part.shape[p, g, i], per_length * part.slope[p, g, i], force[i]
        row[0] += dn * x
        row[1] += dn * y
        row[2] += dn * z
        for k in range(4):
            row[4 + k] += n * P[k] + dn * dP[k]


@kernel
def add_own(part: Any, e: int, g: int, by: Pushes, here: Element) -> None:
    """own_i += f_i.P_i of these pushes"""
    p, per_length = part.order[e], 1.0 / part.length[e]
    for i in range(p + 1):
        n, dn, P = part.shape[p, g, i], per_length * part.slope[p, g, i], four(here.nodes[i], QUATERNION)
        for k in range(4):
            here.own[i] += (n * by.turning[k] + dn * by.bending[k]) * P[k]


@kernel
def turned(P: Four, A: Square) -> Square:
    """The matrix with rows A[k], seen from a Gauss point, in global numbers on both sides."""
    a, b, c, d = so3.product(P, A[0]), so3.product(P, A[1]), so3.product(P, A[2]), so3.product(P, A[3])
    w, x = so3.product(P, (a[0], b[0], c[0], d[0])), so3.product(P, (a[1], b[1], c[1], d[1]))
    y, z = so3.product(P, (a[2], b[2], c[2], d[2])), so3.product(P, (a[3], b[3], c[3], d[3]))
    return (w[0], x[0], y[0], z[0]), (w[1], x[1], y[1], z[1]), (w[2], x[2], y[2], z[2]), (w[3], x[3], y[3], z[3])


@kernel
def square(corner: float, right: Vector, below: Vector, A: Matrix) -> Square:
    """``[[corner, right^T], [below, A]]``"""
    return (
        (corner, right[0], right[1], right[2]),
        (below[0], A[0], A[1], A[2]),
        (below[1], A[3], A[4], A[5]),
        (below[2], A[6], A[7], A[8]),
    )


@kernel
def differentiate(at: Point, pushed: tuple[Vector, Vector], tangent: Tangent, here: Element) -> None:
    """Second derivatives of w, of resultants N, M and their tangent, both over a share of the length.

    Strains have the derivatives ``Gamma_x' = 1``, ``Gamma_alpha = 2 skew(Gamma)``, ``kappa_a = -kappa``, ``kappa_alpha
    = skew(kappa) - 2 k0`` and ``kappa_beta = 2``, seen from the point; N_alpha, ... are those of the resultants.
    """
    (N, M), (S, X, D), point = pushed, tangent, here.point
    Gamma, kappa, k0, bent = at.Gamma, at.kappa, at.k0, dot(M, at.kappa)
    P, R, T = (at.scalar, at.axis[0], at.axis[1], at.axis[2]), at.R, transposed(X)
    N_alpha, N_a = added(product_skew(S, times(2.0, Gamma)), bent_by(X, at)), times(-1.0, apply(X, kappa))
    M_alpha, M_a = added(product_skew(T, times(2.0, Gamma)), bent_by(D, at)), times(-1.0, apply(D, kappa))

    swing = symmetric(times(4.0, N), Gamma, -4.0 * dot(N, Gamma) - 2.0 * bent)
    couple = plus(cross(Gamma, N), plus(times(2.0 * k0, M), cross(kappa, M)))
    beside = plus(times(2.0, couple), turning(at, N_a, M_a))
    turns = added(swing, by_turn(at, N_alpha, M_alpha))
    put_square(point, VALUE, turned(P, square(2.0 * bent - dot(kappa, M_a), beside, beside, turns)))

    changes = added(skew(times(2.0, M)), scaled(2.0, by_turn(at, X, D)))
    put_square(point, MIXED, turned(P, square(0.0, times(2.0, minus(M_a, M)), times(-2.0, M), changes)))
    put_places(point, MIXED, P, R, N_a, added(skew(times(2.0, N)), by_turn(at, S, T)))

    nothing = 0.0, 0.0, 0.0
    put_square(point, SLOPE, turned(P, square(0.0, nothing, nothing, scaled(4.0, D))))
    put_places(point, SLOPE, P, R, nothing, scaled(2.0, T))
    along = product(product(R, S), transposed(R))
    for k in range(9):
        point[SLOPE, ROW * (k // 3) + k % 3] = along[k]


@kernel
def bent_by(A: Matrix, at: Point) -> Matrix:
    """``A kappa_alpha``"""
    return added(product_skew(A, at.kappa), scaled(-2.0 * at.k0, A))


@kernel
def by_turn(at: Point, N: Matrix, M: Matrix) -> Matrix:
    """``Gamma_alpha^T N + kappa_alpha^T M``"""
    bent = added(skew_product(at.kappa, M), scaled(2.0 * at.k0, M))
    return scaled(-1.0, added(skew_product(times(2.0, at.Gamma), N), bent))


@kernel
def turning(at: Point, N: Vector, M: Vector) -> Vector:
    """The same of vectors."""
    bent = plus(cross(at.kappa, M), times(2.0 * at.k0, M))
    return times(-1.0, plus(times(2.0, cross(at.Gamma, N)), bent))


@kernel
def put_square(point: np.ndarray, which: int, A: Square) -> None:
    """Derivatives by two quaternions; mixed ones both ways."""
    for i in range(4):
        for j in range(4):
            point[which, ROW * (QUATERNION + i) + QUATERNION + j] = A[i][j]
            if which == MIXED:
                point[MIXED_BACK, ROW * (QUATERNION + j) + QUATERNION + i] = A[i][j]


@kernel
def put_places(point: np.ndarray, which: int, P: Four, R: Matrix, first: Vector, A: Matrix) -> None:
    """Derivatives by a quaternion and x', of which ``[first^T; A]`` is seen from the point; both ways."""
    a, b, c = apply(R, (A[0], A[1], A[2])), apply(R, (A[3], A[4], A[5])), apply(R, (A[6], A[7], A[8]))
    w, back = apply(R, first), MIXED_BACK if which == MIXED else which
    for j in range(3):
        column = so3.product(P, (w[j], a[j], b[j], c[j]))
        for i in range(4):
            point[which, ROW * (QUATERNION + i) + j] = column[i]
            point[back, ROW * j + QUATERNION + i] = column[i]


@kernel
def add_stiffness(part: Any, e: int, g: int, here: Element) -> None:
    """K_ij += n_j (n_i w_YY + n_i' w_Y'Y) + n_j' (n_i w_YY' + n_i' w_Y'Y'), j up to i"""
    p, per_length, size, pair = part.order[e], 1.0 / part.length[e], here.K.shape[1], 0
    value, mixed, back, slope = here.point[VALUE], here.point[MIXED], here.point[MIXED_BACK], here.point[SLOPE]
    one, other = here.half[0], here.half[1]
    for i in range(p + 1):
        n, dn = part.shape[p, g, i], per_length * part.slope[p, g, i]
        for k in range(size):
            one[k] = n * value[k] + dn * back[k]
            other[k] = n * mixed[k] + dn * slope[k]
        for j in range(i + 1):
            n, dn, K = part.shape[p, g, j], per_length * part.slope[p, g, j], here.K[pair]
            for k in range(size):
                K[k] += n * one[k] + dn * other[k]
            pair += 1


@kernel
def add_point(
    part: Any, e: int, g: int, at: Point, pushed: tuple[Vector, Vector], tangent: Tangent, here: Element
) -> None:
    """Hessian of a Gauss point with the resultants N, M and their tangent, both over its share of the length."""
    add_own(part, e, g, pushes(at, pushed[0], pushed[1]), here)
    differentiate(at, pushed, tangent, here)
    add_stiffness(part, e, g, here)


@kernel
def spun(P: Four, f: Four) -> Vector:
    """``G^T f``: half the axis of ``conj(P) f``"""
    w, a, b, c = 0.5 * P[0], 0.5 * P[1], 0.5 * P[2], 0.5 * P[3]
    return (
        w * f[1] - a * f[0] - b * f[3] + c * f[2],
        w * f[2] - b * f[0] - c * f[1] + a * f[3],
        w * f[3] - c * f[0] - a * f[2] + b * f[1],
    )


@kernel
def spread_force(dofs: np.ndarray, e: int, nodes: int, here: Element, force: np.ndarray, r: np.ndarray) -> None:
    """r += forces and moments on the nodes of element e"""
    for i in range(nodes):
        k, f = dofs[e, 6 * i], force[i]
        moment = spun(four(here.nodes[i], QUATERNION), four(f, QUATERNION))
        for c in range(3):
            r[k + c] += f[c]
            r[k + 3 + c] += moment[c]


@kernel
def spread_stiffness(slots: np.ndarray, e: int, nodes: int, here: Element, s: np.ndarray) -> None:
    """s += Hessian of element e"""
    pair = 0
    for i in range(nodes):
        for j in range(i + 1):
            P, Q, K = four(here.nodes[i], QUATERNION), four(here.nodes[j], QUATERNION), here.K[pair]
            a, b, c, d = spun(Q, four(K, 36)), spun(Q, four(K, 44)), spun(Q, four(K, 52)), spun(Q, four(K, 60))
            places = rows(vector(K, 0), vector(K, 8), vector(K, 16))
            left = rows(spun(P, across(K, 32)), spun(P, across(K, 33)), spun(P, across(K, 34)))
            x, y, z = (a[0], b[0], c[0], d[0]), (a[1], b[1], c[1], d[1]), (a[2], b[2], c[2], d[2])
            spins = transposed(rows(spun(P, x), spun(P, y), spun(P, z)))
            add_block(s, slots, e, 6 * i + 3, 6 * j, 1.0, transposed(left))
            if i == j:
                add_diagonal_block(s, slots, e, 6 * i, 1.0, places)
                add_diagonal_block(s, slots, e, 6 * i + 3, 1.0, spins)
                add_diagonal_block(s, slots, e, 6 * i + 3, -0.25 * here.own[i], ONE)
            else:
                right = rows(spun(Q, four(K, 4)), spun(Q, four(K, 12)), spun(Q, four(K, 20)))
                add_block(s, slots, e, 6 * i, 6 * j, 1.0, places)
                add_block(s, slots, e, 6 * i, 6 * j + 3, 1.0, right)
                add_block(s, slots, e, 6 * i + 3, 6 * j + 3, 1.0, spins)
            pair += 1


@kernel
def across(K: np.ndarray, k: int) -> Four:
    """Four entries of a column of a block."""
    return K[k], K[k + ROW], K[k + 2 * ROW], K[k + 3 * ROW]
