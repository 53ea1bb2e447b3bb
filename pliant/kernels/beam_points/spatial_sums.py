"""Forces and Hessian of resultants at a Gauss point of a spatial beam, for the nodes of its element.

``nodes`` is workspace with a row per node: its rotation relative to the point and the derivatives by its spin.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pliant.jit import kernel
from pliant.kernels.beam_points.spatial import Point, by_spin, seen, seen_turn, turning_moment
from pliant.kernels.blocks import add_block, add_diagonal_block, add_transposed, add_vector
from pliant.kernels.dyads import outer, skew_product, symmetric
from pliant.kernels.tensors import Matrix, added, apply, apply_transposed, get, product, put, scaled, transposed
from pliant.kernels.triples import Vector, cross, dot, minus, plus, times, vector

TURN, AXIS, SCALAR, BY_TURN, BY_CHANGE, BY_LENGTH, FORCE, COLUMNS = 0, 9, 12, 13, 22, 31, 37, 46


class Tangent(NamedTuple):
    """Derivatives of the resultants: N by Gamma, N by kappa, M by kappa."""

    stretching: Matrix
    across: Matrix
    bending: Matrix


@kernel
def add_resultants(
    part: Any,
    place: tuple[int, int, int],
    at: Point,
    N: Vector,
    M: Vector,
    turn: tuple[Matrix, Vector],
    r: np.ndarray,
) -> None:
    """Add the forces of N, M at a Gauss point on a node, times its share of the length, to r; the place is (element,
    point, node), the turn is the node's rotation relative to the point.
    """
    (e, g, i), (A, rho) = place, turn
    p, L = part.order[e], part.length[e]
    n, dn, whole = part.shape[p, g, i], part.slope[p, g, i] / L, part.weight[p, g] * L
    moment = apply_transposed(A, plus(times(n, turning_moment(at, N, M)), times(dn, M)))
    add_vector(r, part.dofs, e, 6 * i, whole * dn, apply(at.R, N))
    add_vector(r, part.dofs, e, 6 * i + 3, whole, plus(moment, times(0.5 * n * dot(at.kappa, M), rho)))


@kernel
def push_nodes(
    part: Any, e: int, g: int, q: np.ndarray, at: Point, pushed: tuple[Vector, Vector], nodes: np.ndarray,
    r: np.ndarray,
) -> None:  # fmt: skip
    """Add the forces of N, M at a Gauss point on all nodes to r; store the nodes' rotations relative to it."""
    N, M = pushed
    for i in range(part.order[e] + 1):
        pi, rho = seen(part, e, i, q, at)
        A = seen_turn(pi, rho)
        add_resultants(part, (e, g, i), at, N, M, (A, rho), r)
        put(nodes, i, TURN, A)
        nodes[i, AXIS], nodes[i, AXIS + 1], nodes[i, AXIS + 2] = rho
        nodes[i, SCALAR] = pi


@kernel
def add_point(
    part: Any, e: int, g: int, at: Point, pushed: tuple[Vector, Vector], tangent: Tangent, nodes: np.ndarray,
    s: np.ndarray,
) -> None:  # fmt: skip
    """Add the Hessian of a Gauss point for resultants N, M and their tangent, both times its share of the length.

    Moments of node i are ``A_i^T (n_i m_turn + n_i' m_change) + rho_i (n_i m_a + n_i' m_b)``; the derivatives of these
    four by the spin of every node j come first.
    """
    p, L, slots = part.order[e], part.length[e], part.slots
    (N, M), (stretching, across, bending) = pushed, tangent
    R, Gamma, kappa, k0, bent = at.R, at.Gamma, at.kappa, at.k0, dot(M, at.kappa)
    along = product(product(R, stretching), transposed(R))
    swing = symmetric(N, Gamma, -dot(N, Gamma) - 0.5 * bent)
    couple = times(0.5, plus(cross(Gamma, N), plus(times(2.0 * k0, M), cross(kappa, M))))
    by_turn = turning_moment(at, N, M)
    for j in range(p + 1):
        n, dn = part.shape[p, g, j], part.slope[p, g, j] / L
        A, rho, pi = get(nodes, j, TURN), vector(nodes[j], AXIS), nodes[j, SCALAR]
        sheared, bending_j = by_spin(n, dn, A, rho, at)
        force = added(product(stretching, sheared), product(across, bending_j))
        moment = added(product(transposed(across), sheared), product(bending, bending_j))
        material_turn = added(
            skew_product(Gamma, force), added(scaled(k0, moment), skew_product(times(0.5, kappa), moment))
        )
        turn = added(scaled(n, product(swing, A)), outer(minus(times(0.5 * dn, M), times(n, couple)), rho, 0.0))
        turn = added(turn, skew_product(times(0.5 * dn, M), A))
        put(nodes, j, BY_TURN, added(turn, scaled(-1.0, material_turn)))
        change = added(outer(times(0.5 * n, M), rho, 0.0), skew_product(times(-0.5 * n, M), A))
        put(nodes, j, BY_CHANGE, added(moment, change))
        by_a = apply_transposed(A, minus(times(0.5 * dn, M), times(n, couple)))
        by_a = plus(by_a, plus(times(0.5, apply_transposed(moment, kappa)), times(0.5 * n * bent, rho)))
        by_b = times(0.5 * n, apply_transposed(A, M))
        for axis in range(3):
            nodes[j, BY_LENGTH + axis], nodes[j, BY_LENGTH + 3 + axis] = by_a[axis], by_b[axis]
        put(nodes, j, FORCE, product(R, added(force, skew_product(times(-n, N), A))))
        own = 0.25 * n * pi * bent - 0.5 * dot(rho, plus(times(n, by_turn), times(dn, M)))
        add_diagonal_block(s, slots, e, 6 * j + 3, own, (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0))
    for i in range(p + 1):
        n, dn = part.shape[p, g, i], part.slope[p, g, i] / L
        A, rho = get(nodes, i, TURN), vector(nodes[i], AXIS)
        for j in range(i + 1):
            dn_j = part.slope[p, g, j] / L
            turned = added(scaled(n, get(nodes, j, BY_TURN)), scaled(dn, get(nodes, j, BY_CHANGE)))
            longer = plus(times(n, vector(nodes[j], BY_LENGTH)), times(dn, vector(nodes[j], BY_LENGTH + 3)))
            spins = added(product(transposed(A), turned), outer(rho, longer, 0.0))
            add_transposed(s, slots, e, 6 * i + 3, 6 * j, dn_j, get(nodes, i, FORCE))
            if i == j:
                add_diagonal_block(s, slots, e, 6 * i, dn * dn, along)
                add_diagonal_block(s, slots, e, 6 * i + 3, 1.0, spins)
            else:
                add_block(s, slots, e, 6 * i, 6 * j, dn * dn_j, along)
                add_block(s, slots, e, 6 * i, 6 * j + 3, dn, get(nodes, j, FORCE))
                add_block(s, slots, e, 6 * i + 3, 6 * j + 3, 1.0, spins)
