"""Forces and Hessian of an element of a spatial beam as functions of its nodes' positions and quaternions.

A node is ``y = (x, P)``; a Gauss point depends on ``Y = sum n_i y_i`` and ``Y' = sum n_i' y_i`` only. With the energy
w(Y, Y') of the point, the sums over Gauss points

    f_i = n_i w_Y + n_i' w_Y',    K_ij = n_j (n_i w_YY + n_i' w_Y'Y) + n_j' (n_i w_YY' + n_i' w_Y'Y')

are numbers times blocks that do not depend on i and j. Spins come last, once per node: ``P_i exp(theta/2)`` is ``P_i +
G_i theta - |theta|^2/8 P_i`` with ``G_i theta = P_i (0, theta/2)``, so that forces are ``G_i^T f_i`` and the Hessian is
``G_i^T K_ij G_j``, less ``f_i.P_i/4`` on its diagonal.

The derivatives of w are as in spatial.py, relative to the point: ``dP = P (da, dalpha)`` and ``dP' = P (db, dbeta)``,
to first and second order. Blocks have eight rows and columns: x, a zero, P.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pliant.jit import allocating_kernel, kernel
from pliant.kernels import so3
from pliant.kernels.beam_points.spatial import Point, measured, quaternion, turning_moment
from pliant.kernels.beam_points.spatial_sums import Tangent
from pliant.kernels.blocks import add_block, add_diagonal_block
from pliant.kernels.dyads import product_skew, skew, skew_product, symmetric
from pliant.kernels.so3 import Four
from pliant.kernels.tensors import Matrix, added, apply, apply_transposed, product, rows, scaled, transposed
from pliant.kernels.triples import Vector, cross, dot, minus, plus, times, vector

ROW, QUATERNION = 8, 4  # numbers per node, and the place of its quaternion
BLOCK = ROW * ROW
VALUE, MIXED, MIXED_BACK, SLOPE = 0, BLOCK, 2 * BLOCK, 3 * BLOCK  # w_YY, w_YY', w_Y'Y, w_Y'Y'
SIZE, VALUES, FORTH, BACK, SLOPES, OF_NODE, OF_SLOPE = (  # unsigned, so that loops over them are vectorised; the
    np.uint64(each) for each in (BLOCK, VALUE, MIXED, MIXED_BACK, SLOPE, 4 * BLOCK, 5 * BLOCK)
)  # last two: n_i w_YY + n_i' w_Y'Y and n_i w_YY' + n_i' w_Y'Y' of a node i
ONE = 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0

Square = tuple[Four, Four, Four, Four]


class Pushes(NamedTuple):
    """Derivatives of the work of the resultants at a Gauss point by x', P and P'."""

    along: Vector
    turning: Four
    bending: Four


class Element(NamedTuple):
    """Workspace of one element."""

    nodes: np.ndarray  # (P + 1, ROW) y of the nodes
    moves: np.ndarray  # (P + 1, ROW) their rates
    force: np.ndarray  # (P + 1, ROW) f
    other: np.ndarray  # (P + 1, ROW) f of other resultants
    own: np.ndarray  # (P + 1) f.P of the resultants in the Hessian
    point: np.ndarray  # (6 BLOCK) second derivatives of w, and two blocks with the shapes of one node
    K: np.ndarray  # (BLOCK pairs of nodes), the later first


@allocating_kernel
def element(nodes: int) -> Element:
    """Return the workspace of elements with this number of nodes."""
    rows, pairs = np.zeros((4, nodes, ROW)), nodes * (nodes + 1) // 2
    return Element(rows[0], rows[1], rows[2], rows[3], np.zeros(nodes), np.zeros(6 * BLOCK), np.zeros(BLOCK * pairs))


@kernel
def four(x: np.ndarray, place: int) -> Four:
    """Return four entries of an array."""
    return x[place], x[place + 1], x[place + 2], x[place + 3]


@kernel
def begin(part: Any, e: int, q: np.ndarray, here: Element, stiff: bool) -> None:
    """Read the nodes of element e, and set the sums to zero; the Hessian only if ``stiff``."""
    for i in range(part.order[e] + 1):
        y, k = here.nodes[i], part.dofs[e, 6 * i]
        y[0], y[1], y[2] = q[k], q[k + 1], q[k + 2]
        y[4], y[5], y[6], y[7] = quaternion(part, e, i, q)
        here.own[i] = 0.0
        for c in range(ROW):
            here.force[i, c] = here.other[i, c] = 0.0
    if stiff:
        nodes = part.order[e] + 1
        here.K[: BLOCK * (nodes * (nodes + 1) // 2)] = 0.0


@kernel
def move(part: Any, e: int, v: np.ndarray, here: Element) -> None:
    """Store the rates of the nodes of element e at velocity v (or their change over a small step v): x., P (0, w/2)."""
    for i in range(part.order[e] + 1):
        y, k, (w, a, b, c) = here.moves[i], part.dofs[e, 6 * i], four(here.nodes[i], QUATERNION)
        y[0], y[1], y[2] = v[k], v[k + 1], v[k + 2]
        y[4], y[5], y[6], y[7] = so3.product((w, a, b, c), (0.0, 0.5 * v[k + 3], 0.5 * v[k + 4], 0.5 * v[k + 5]))


@kernel
def at_point(part: Any, e: int, g: int, y: np.ndarray) -> tuple[Vector, Four, Four]:
    """Return x', P, P' at Gauss point g of element e from nodes y; derivatives by its length."""
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
    """Return section and strain measures at Gauss point g of element e, including the strains of the rest shape."""
    chord, P, dP = at_point(part, e, g, here.nodes)
    return measured(P, dP, chord)


@kernel
def rates_at(part: Any, e: int, g: int, here: Element, at: Point) -> tuple[Vector, Vector]:
    """Return the rates of Gamma and kappa: ``R^T x.' + 2 Gamma x alpha`` and ``2 beta - a kappa - 2 k0 alpha + kappa x
    alpha``.
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
    """Return ``R N``, ``P (-M.kappa, 2 m)``, m of `turning_moment`, and ``P (0, 2 M)``, with P/|P|^2 for P."""
    x, y, z = times(2.0, turning_moment(at, N, M))
    P = at.scalar, at.axis[0], at.axis[1], at.axis[2]
    turning = so3.product(P, (-dot(M, at.kappa), x, y, z))
    return Pushes(apply(at.R, N), turning, so3.product(P, (0.0, 2.0 * M[0], 2.0 * M[1], 2.0 * M[2])))


@kernel
def add_pushes(part: Any, e: int, g: int, f: float, by: Pushes, force: np.ndarray) -> None:
    """Add f (n_i w_Y + n_i' w_Y') to f_i."""
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
    """Add f_i.P_i of these derivatives to own_i."""
    p, per_length = part.order[e], 1.0 / part.length[e]
    for i in range(p + 1):
        n, dn, P = part.shape[p, g, i], per_length * part.slope[p, g, i], four(here.nodes[i], QUATERNION)
        for k in range(4):
            here.own[i] += (n * by.turning[k] + dn * by.bending[k]) * P[k]


@kernel
def turned(P: Four, A: Square) -> Square:
    """Return the matrix with rows A[k], given relative to a Gauss point, in global coordinates on both sides."""
    a, b, c, d = so3.product(P, A[0]), so3.product(P, A[1]), so3.product(P, A[2]), so3.product(P, A[3])
    w, x = so3.product(P, (a[0], b[0], c[0], d[0])), so3.product(P, (a[1], b[1], c[1], d[1]))
    y, z = so3.product(P, (a[2], b[2], c[2], d[2])), so3.product(P, (a[3], b[3], c[3], d[3]))
    return (w[0], x[0], y[0], z[0]), (w[1], x[1], y[1], z[1]), (w[2], x[2], y[2], z[2]), (w[3], x[3], y[3], z[3])


@kernel
def led(P: Four, x: Vector) -> Four:
    """Return ``P (0, x)``."""
    w, a, b, c = P
    return (
        -a * x[0] - b * x[1] - c * x[2],
        w * x[0] + b * x[2] - c * x[1],
        w * x[1] + c * x[0] - a * x[2],
        w * x[2] + a * x[1] - b * x[0],
    )


@kernel
def turned_axes(P: Four, A: Matrix) -> Square:
    """Return `turned` for ``[[0, 0], [0, A]]``."""
    a, b, c = led(P, (A[0], A[1], A[2])), led(P, (A[3], A[4], A[5])), led(P, (A[6], A[7], A[8]))
    w, x = led(P, (a[0], b[0], c[0])), led(P, (a[1], b[1], c[1]))
    y, z = led(P, (a[2], b[2], c[2])), led(P, (a[3], b[3], c[3]))
    return (w[0], x[0], y[0], z[0]), (w[1], x[1], y[1], z[1]), (w[2], x[2], y[2], z[2]), (w[3], x[3], y[3], z[3])


@kernel
def square(corner: float, right: Vector, below: Vector, A: Matrix) -> Square:
    """Return ``[[corner, right^T], [below, A]]``."""
    return (
        (corner, right[0], right[1], right[2]),
        (below[0], A[0], A[1], A[2]),
        (below[1], A[3], A[4], A[5]),
        (below[2], A[6], A[7], A[8]),
    )


@kernel
def differentiate(at: Point, pushed: tuple[Vector, Vector], tangent: Tangent, coupled: bool, here: Element) -> None:
    """Compute the second derivatives of w for resultants N, M and their tangent, times a share of the length.

    Strains have the derivatives ``Gamma_x' = 1``, ``Gamma_alpha = 2 skew(Gamma)``, ``kappa_a = -kappa``, ``kappa_alpha
    = skew(kappa) - 2 k0`` and ``kappa_beta = 2`` relative to the point; N_alpha, ... are derivatives of the resultants.
    Unless ``coupled``, terms of the tangent of N by kappa are omitted.
    """
    (N, M), (S, X, D), point = pushed, tangent, here.point
    Gamma, kappa, k0, bent = at.Gamma, at.kappa, at.k0, dot(M, at.kappa)
    P, R = (at.scalar, at.axis[0], at.axis[1], at.axis[2]), at.R
    N_alpha, M_alpha, M_a = product_skew(S, times(2.0, Gamma)), bent_by(D, at), times(-1.0, apply(D, kappa))
    if coupled:
        N_alpha = added(N_alpha, bent_by(X, at))
        M_alpha = added(M_alpha, product_skew(transposed(X), times(2.0, Gamma)))

    swing = symmetric(times(4.0, N), Gamma, -4.0 * dot(N, Gamma) - 2.0 * bent)
    turns = added(swing, added(sheared(at, N_alpha), turned_over(at, M_alpha)))
    couple = plus(cross(Gamma, N), plus(times(2.0 * k0, M), cross(kappa, M)))
    beside = minus(times(2.0, couple), plus(cross(kappa, M_a), times(2.0 * k0, M_a)))
    changes = added(skew(times(2.0, M)), turned_over(at, scaled(2.0, D)))
    pulled, N_a = added(skew(times(2.0, N)), sheared(at, S)), (0.0, 0.0, 0.0)
    if coupled:
        N_a = times(-1.0, apply(X, kappa))
        beside = minus(beside, times(2.0, cross(Gamma, N_a)))
        changes, pulled = added(changes, sheared(at, scaled(2.0, X))), added(pulled, turned_over(at, transposed(X)))
        put_places(point, SLOPE, P, R, (0.0, 0.0, 0.0), scaled(2.0, transposed(X)))

    put_square(point, VALUE, turned(P, square(2.0 * bent - dot(kappa, M_a), beside, beside, turns)))
    mixed = turned(P, square(0.0, times(2.0, minus(M_a, M)), times(-2.0, M), changes))
    put_square(point, MIXED, mixed)
    put_transposed(point, MIXED_BACK, mixed)
    put_places(point, MIXED, P, R, N_a, pulled)
    put_square(point, SLOPE, turned_axes(P, scaled(4.0, D)))
    along = product(product(R, S), transposed(R))
    for k in range(9):
        point[SLOPE + ROW * (k // 3) + k % 3] = along[k]


@kernel
def bent_by(A: Matrix, at: Point) -> Matrix:
    """Return ``A kappa_alpha``."""
    return added(product_skew(A, at.kappa), scaled(-2.0 * at.k0, A))


@kernel
def sheared(at: Point, N: Matrix) -> Matrix:
    """Return ``Gamma_alpha^T N``."""
    return skew_product(times(-2.0, at.Gamma), N)


@kernel
def turned_over(at: Point, M: Matrix) -> Matrix:
    """Return ``kappa_alpha^T M``."""
    return added(skew_product(times(-1.0, at.kappa), M), scaled(-2.0 * at.k0, M))


@kernel
def put_four(point: np.ndarray, place: int, step: int, x: Four) -> None:
    """Store four entries from a place on."""
    point[place], point[place + step], point[place + 2 * step], point[place + 3 * step] = x


@kernel
def put_square(point: np.ndarray, block: int, A: Square) -> None:
    """Store a matrix among the derivatives by two quaternions."""
    put_four(point, block + 36, 1, A[0])
    put_four(point, block + 44, 1, A[1])
    put_four(point, block + 52, 1, A[2])
    put_four(point, block + 60, 1, A[3])


@kernel
def put_transposed(point: np.ndarray, block: int, A: Square) -> None:
    """Store a transposed matrix among the derivatives by two quaternions."""
    put_four(point, block + 36, ROW, A[0])
    put_four(point, block + 37, ROW, A[1])
    put_four(point, block + 38, ROW, A[2])
    put_four(point, block + 39, ROW, A[3])


@kernel
def put_places(point: np.ndarray, block: int, P: Four, R: Matrix, first: Vector, A: Matrix) -> None:
    """Store both derivatives by a quaternion and x', given ``[first^T; A]`` relative to the point."""
    a, b, c = apply(R, (A[0], A[1], A[2])), apply(R, (A[3], A[4], A[5])), apply(R, (A[6], A[7], A[8]))
    w, back = apply(R, first), MIXED_BACK if block == MIXED else block
    for j in range(3):
        column = so3.product(P, (w[j], a[j], b[j], c[j]))
        put_four(point, block + 32 + j, ROW, column)
        put_four(point, back + ROW * j + QUATERNION, 1, column)


@kernel
def add_stiffness(part: Any, e: int, g: int, here: Element) -> None:
    """Add n_j (n_i w_YY + n_i' w_Y'Y) + n_j' (n_i w_YY' + n_i' w_Y'Y') to K_ij, j up to i."""
    p, per_length, point, K, at = part.order[e], 1.0 / part.length[e], here.point, here.K, VALUES
    for i in range(p + 1):
        n, dn = part.shape[p, g, i], per_length * part.slope[p, g, i]
        for k in range(SIZE):
            point[OF_NODE + k] = n * point[VALUES + k] + dn * point[BACK + k]
        for k in range(SIZE):
            point[OF_SLOPE + k] = n * point[FORTH + k] + dn * point[SLOPES + k]
        for j in range(i + 1):
            n, dn = part.shape[p, g, j], per_length * part.slope[p, g, j]
            for k in range(SIZE):
                K[at + k] = K[at + k] + n * point[OF_NODE + k] + dn * point[OF_SLOPE + k]
            at += SIZE


@kernel
def couples(C: np.ndarray) -> bool:
    """Return whether any stiffness (n, 6, 6) couples forces with curvatures."""
    for k in range(C.shape[0]):
        for i in range(3):
            for j in range(3):
                if C[k, i, 3 + j] != 0.0:
                    return True
    return False


@kernel
def add_point(
    part: Any, place: tuple[int, int], at: Point, pushed: tuple[Vector, Vector], tangent: Tangent, coupled: bool,
    here: Element,
) -> None:  # fmt: skip
    """Add the Hessian of a Gauss point (element, point) for resultants N, M and their tangent, both times its share of
    the length; ``coupled``: whether a section couples N with kappa.
    """
    e, g = place
    add_own(part, e, g, pushes(at, pushed[0], pushed[1]), here)
    differentiate(at, pushed, tangent, coupled, here)
    add_stiffness(part, e, g, here)


@kernel
def spun(P: Four, f: Four) -> Vector:
    """Return ``G^T f``: half the axis of ``conj(P) f``."""
    w, a, b, c = 0.5 * P[0], 0.5 * P[1], 0.5 * P[2], 0.5 * P[3]
    return (
        w * f[1] - a * f[0] - b * f[3] + c * f[2],
        w * f[2] - b * f[0] - c * f[1] + a * f[3],
        w * f[3] - c * f[0] - a * f[2] + b * f[1],
    )


@kernel
def spread_force(dofs: np.ndarray, e: int, nodes: int, here: Element, force: np.ndarray, r: np.ndarray) -> None:
    """Add the forces and moments on the nodes of element e to r."""
    for i in range(nodes):
        k, f = dofs[e, 6 * i], force[i]
        moment = spun(four(here.nodes[i], QUATERNION), four(f, QUATERNION))
        for c in range(3):
            r[k + c] += f[c]
            r[k + 3 + c] += moment[c]


@kernel
def spread_stiffness(slots: np.ndarray, e: int, nodes: int, here: Element, s: np.ndarray) -> None:
    """Add the Hessian of element e to s."""
    pair = 0
    for i in range(nodes):
        for j in range(i + 1):
            P, Q = four(here.nodes[i], QUATERNION), four(here.nodes[j], QUATERNION)
            K = here.K[BLOCK * pair : BLOCK * pair + BLOCK]
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
    """Return four entries of a column of a block."""
    return K[k], K[k + ROW], K[k + 2 * ROW], K[k + 3 * ROW]
