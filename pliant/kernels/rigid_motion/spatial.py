"""Rigid motions of spatial beams: node i at x_i with section R_i has velocity ``V + omega x x_i``, spin ``R_i^T
omega``.

Elements in space couple the points of their nodes by masses m_ij, and their sections by rotary inertia J_ij. Then B W
has the force ``mu_i V + omega x (m x)_i`` and the moment ``sum_j J_ij R_j^T omega``, with row sums mu_i of m; positions
are relative to the first node of the beam.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from pliant.jit import kernel
from pliant.kernels.blocks import add_diagonal_block, add_vector
from pliant.kernels.dyads import outer
from pliant.kernels.rigid_motion.masses import Bonds, Masses, Table, is_still, without
from pliant.kernels.tensors import Matrix, added, apply, apply_transposed, get, product, transposed, turned
from pliant.kernels.triples import Vector, cross, dot, minus, plus, times, vector

ONES: Matrix = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
ROUNDING = 1e-14  # of the largest moment of inertia: a straight line has none about its axis


class Groups(NamedTuple):
    """Arrays with one row per node, beam after beam, and the first row of every beam."""

    dofs: np.ndarray  # (n, 6)
    slots: np.ndarray
    frames: np.ndarray  # (n, 1)
    first: np.ndarray  # (beams + 1) uint32
    alpha: np.ndarray  # (beams)
    mass: np.ndarray  # (beams)
    share: np.ndarray  # (n) mu
    turning: np.ndarray  # (n, 9) sum of a row of J
    own: np.ndarray  # (n) m_ii
    rotary: np.ndarray  # (n, 9) J_ii
    starts: np.ndarray  # (beams + 1) uint32, of the pairs
    pair: np.ndarray  # (pairs, 2) uint32, rows of two nodes
    between: np.ndarray  # (pairs) m_ij
    shared: np.ndarray  # (pairs, 9) J_ij


def arrays(layout: Any, groups: Sequence[tuple[Any, Masses, float]]) -> Groups:
    """Build the arrays from groups of nodes: their numbers, masses and alpha."""
    bonds, counts = Bonds.of([masses.points for _, masses, _ in groups]), [len(nodes) for nodes, _, _ in groups]
    nodes = np.concatenate([np.zeros(0, np.int64), *(np.asarray(nodes) for nodes, _, _ in groups)])
    first, sections = np.cumsum([0, *counts]), [masses.sections for _, masses, _ in groups]
    own = [each.blocks(np.arange(n)[:, None] + (0, 0)) for each, n in zip(sections, counts, strict=True)]
    between = [
        each.blocks(bonds.pair[a:b].astype(int) - start)
        for each, start, a, b in zip(sections, first, bonds.starts, bonds.starts[1:], strict=False)
    ]
    sums = [_row_sums(each) for each in sections]
    return Groups(
        dofs=layout.dofs(nodes),
        slots=np.empty((len(nodes), 0), np.uint32),
        frames=layout.frames(nodes),
        first=first.astype(np.uint32),
        alpha=np.array([alpha for _, _, alpha in groups], float),
        mass=np.array([masses.points.value.sum() for _, masses, _ in groups], float),
        share=bonds.share,
        turning=np.concatenate([np.zeros((0, 9)), *sums]),
        own=bonds.own,
        rotary=np.concatenate([np.zeros((0, 9)), *own]),
        starts=bonds.starts,
        pair=bonds.pair,
        between=bonds.between,
        shared=np.concatenate([np.zeros((0, 9)), *between]),
    )


def _row_sums(sections: Table) -> np.ndarray:
    """Return the (n, 9) sum of every row of blocks of 3 by 3."""
    rows, columns = sections.row, sections.column % 3
    return np.bincount(3 * rows + columns, sections.value, 3 * sections.size).reshape(-1, 9)


@kernel
def solved(A: Matrix, b: Vector) -> Vector:
    """Return A^-1 b of a symmetric positive matrix, by Cholesky without roots."""
    l10, l20 = A[3] / A[0], A[6] / A[0]
    d1, c21 = A[4] - l10 * A[3], A[7] - l20 * A[3]
    l21 = c21 / d1
    d2 = A[8] - l20 * A[6] - l21 * c21
    y1 = b[1] - l10 * b[0]
    z = (b[2] - l20 * b[0] - l21 * y1) / d2
    y = y1 / d1 - l21 * z
    return b[0] / A[0] - l10 * y - l20 * z, y, z


class Rigid(NamedTuple):
    """Rigid motion of a beam: position and velocity of its first node, angular velocity; twice its energy."""

    place: Vector
    velocity: Vector
    spin: Vector
    energy: float


@kernel
def rigid_motion(part: Groups, b: int, q: np.ndarray, v: np.ndarray) -> Rigid:
    """Return the rigid motion of beam b."""
    first, mass, pair = part.first[b], part.mass[b], part.pair
    place = vector(q, part.dofs[first, 0])
    momentum, spin, moment = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    xx = xy = xz = yy = yz = zz = 0.0
    for i in range(first, part.first[b + 1]):
        k, mu, m = part.dofs[i, 0], part.share[i], part.own[i]
        d, speed, R = minus(vector(q, k), place), vector(v, k), turned(q, part.frames[i, 0])
        A = product(R, get(part.rotary, i, 0))
        momentum = plus(momentum, times(mu, speed))
        moment = plus(moment, times(mu, d))
        spin = plus(spin, plus(times(m, cross(d, speed)), apply(A, vector(v, part.dofs[i, 3]))))
        x, y, z = m * d[0] * d[0], m * d[1] * d[1], m * d[2] * d[2]
        xx += y + z + A[0] * R[0] + A[1] * R[1] + A[2] * R[2]
        yy += x + z + A[3] * R[3] + A[4] * R[4] + A[5] * R[5]
        zz += x + y + A[6] * R[6] + A[7] * R[7] + A[8] * R[8]
        xy += A[3] * R[0] + A[4] * R[1] + A[5] * R[2] - m * d[0] * d[1]
        xz += A[6] * R[0] + A[7] * R[1] + A[8] * R[2] - m * d[0] * d[2]
        yz += A[6] * R[3] + A[7] * R[4] + A[8] * R[5] - m * d[1] * d[2]
    for e in range(part.starts[b], part.starts[b + 1]):
        i, j, m = part.dofs[pair[e, 0], 0], part.dofs[pair[e, 1], 0], part.between[e]
        one, two = minus(vector(q, i), place), minus(vector(q, j), place)
        spin = plus(spin, times(m, plus(cross(one, vector(v, j)), cross(two, vector(v, i)))))
        R, other = turned(q, part.frames[pair[e, 0], 0]), turned(q, part.frames[pair[e, 1], 0])
        J = get(part.shared, e, 0)
        spin = plus(spin, apply(R, apply(J, vector(v, part.dofs[pair[e, 1], 3]))))
        spin = plus(spin, apply(other, apply_transposed(J, vector(v, part.dofs[pair[e, 0], 3]))))
        A = product(product(R, J), transposed(other))
        xx, yy, zz = xx + 2.0 * A[0], yy + 2.0 * A[4], zz + 2.0 * A[8]
        xy, xz, yz = xy + A[1] + A[3], xz + A[2] + A[6], yz + A[5] + A[7]
        x, y, z = 2.0 * m * one[0] * two[0], 2.0 * m * one[1] * two[1], 2.0 * m * one[2] * two[2]
        xx, yy, zz = xx + y + z, yy + x + z, zz + x + y
        xy -= m * (one[0] * two[1] + one[1] * two[0])
        xz -= m * (one[0] * two[2] + one[2] * two[0])
        yz -= m * (one[1] * two[2] + one[2] * two[1])
    c = times(1.0 / mass, moment)
    inertia = added((xx, xy, xz, xy, yy, yz, xz, yz, zz), outer(c, moment, -dot(c, moment)))
    least = ROUNDING * (inertia[0] + inertia[4] + inertia[8])
    inertia = added(inertia, (least, 0.0, 0.0, 0.0, least, 0.0, 0.0, 0.0, least))
    omega = solved(inertia, minus(spin, cross(c, momentum)))
    velocity = minus(times(1.0 / mass, momentum), cross(omega, c))
    return Rigid(place, velocity, omega, dot(velocity, momentum) + dot(omega, spin))


@kernel
def add(part: Groups, q: np.ndarray, v: np.ndarray, cc: float, cm: float, r: np.ndarray, s: np.ndarray) -> None:
    """Subtract alpha B W from r, and Newton's share of alpha from s."""
    dofs, pair, slots = part.dofs, part.pair, part.slots
    for b in range(part.alpha.size):
        rigid, alpha = rigid_motion(part, b, q, v), part.alpha[b]
        less = without(alpha, cc, cm)
        for i in range(part.first[b], part.first[b + 1]):
            R, arm = turned(q, part.frames[i, 0]), minus(vector(q, dofs[i, 0]), rigid.place)
            swing = times(part.own[i], cross(rigid.spin, arm))
            moment = apply(get(part.rotary, i, 0), apply_transposed(R, rigid.spin))
            add_vector(r, dofs, i, 0, -alpha, plus(times(part.share[i], rigid.velocity), swing))
            add_vector(r, dofs, i, 3, -alpha, moment)
            add_diagonal_block(s, slots, i, 0, -less * part.share[i], ONES)
            add_diagonal_block(s, slots, i, 3, -less, get(part.turning, i, 0))
        for e in range(part.starts[b], part.starts[b + 1]):
            i, j, m, J = pair[e, 0], pair[e, 1], part.between[e], get(part.shared, e, 0)
            one, two = minus(vector(q, dofs[i, 0]), rigid.place), minus(vector(q, dofs[j, 0]), rigid.place)
            w = apply_transposed(turned(q, part.frames[i, 0]), rigid.spin)
            x = apply_transposed(turned(q, part.frames[j, 0]), rigid.spin)
            add_vector(r, dofs, i, 0, -alpha * m, cross(rigid.spin, two))
            add_vector(r, dofs, j, 0, -alpha * m, cross(rigid.spin, one))
            add_vector(r, dofs, i, 3, -alpha, apply(J, x))
            add_vector(r, dofs, j, 3, -alpha, apply_transposed(J, w))


@kernel
def power(part: Groups, q: np.ndarray, v: np.ndarray) -> tuple[float, float]:
    """Return supplied power (zero) and dissipated power, negative: a correction of the losses of the elements."""
    kept = 0.0
    for b in range(part.alpha.size):
        kept += part.alpha[b] * rigid_motion(part, b, q, v).energy
    return 0.0, -kept


def coupling(part: Groups, q: np.ndarray, v: np.ndarray, ck: float, cc: float) -> Iterator[tuple[np.ndarray, Any]]:
    """Yield every beam's freedoms and ck times the derivative by q (moments in the exponential charts of their nodes)
    plus cc times the derivative by v between them.
    """
    if is_still(v, ck, cc):
        return
    for b, (first, end) in enumerate(zip(part.first.astype(int), part.first[1:].astype(int), strict=False)):
        dofs, n = part.dofs[first:end].ravel(), end - first
        m, pairs = np.diag(part.own[first:end]), slice(part.starts[b], part.starts[b + 1])
        i, j = part.pair[pairs].astype(int).T - first
        m[i, j] = m[j, i] = part.between[pairs]
        x = q[dofs].reshape(-1, 6)[:, :3] - q[dofs[:3]]
        speed = v[dofs].reshape(-1, 6)
        frame = part.frames[first:end, 0].astype(int)
        R = np.array([_rotation(*q[k : k + 4]) for k in frame])
        J = part.rotary[first:end].reshape(-1, 3, 3)
        M = np.zeros((n, 6, n, 6))
        for k in range(3):
            M[:, k, :, k] = m
        M[np.arange(n), 3:, np.arange(n), 3:] = J
        shared = part.shared[pairs].reshape(-1, 3, 3)
        M[i, 3:, j, 3:], M[j, 3:, i, 3:] = shared, np.transpose(shared, (0, 2, 1))
        T = np.zeros((n, 6, 6))
        T[:, :3, :3], T[:, :3, 3:], T[:, 3:, 3:] = np.eye(3), -_skew(x), np.transpose(R, (0, 2, 1))
        M, T = M.reshape(6 * n, 6 * n), T.reshape(6 * n, 6)
        B = M @ T
        inverse = np.linalg.pinv(T.T @ B, rcond=ROUNDING, hermitian=True)
        W = inverse @ (B.T @ speed.ravel())
        omega = W[3:]
        seen = np.einsum("nji,j->ni", R, omega)
        moved = np.zeros((n, 6, n, 6))  # derivative of T W by position and spin, relative to the first node
        every = np.arange(n)
        moved[every, :3, every, :3] = _skew(omega)
        moved[every, 3:, every, 3:] = _skew(seen)
        moved[:, :3, 0, :3] -= _skew(omega)
        moved = moved.reshape(6 * n, 6 * n)
        left = M @ (speed.ravel() - T @ W)
        turned_back = np.zeros((6, n, 6))  # derivative of T^T f with f fixed
        f = left.reshape(-1, 6)
        turned_back[3:, :, :3] = np.transpose(-_skew(f[:, :3]), (1, 0, 2))
        turned_back[3:, :, 3:] = np.transpose(-R @ _skew(f[:, 3:]), (1, 0, 2))
        turned_back[3:, 0, :3] += _skew(f[:, :3].sum(axis=0))
        by_place = M @ moved + B @ inverse @ (turned_back.reshape(6, -1) - B.T @ moved)
        moment = (B @ W).reshape(-1, 6)[:, 3:]
        half = np.zeros((n, 6, n, 6))
        half[every, 3:, every, 3:] = 0.5 * _skew(moment)
        by_place -= half.reshape(6 * n, 6 * n)
        yield dofs, -part.alpha[b] * (ck * by_place + cc * B @ inverse @ B.T)


def _rotation(w: float, x: float, y: float, z: float) -> np.ndarray:
    """Return the rotation matrix of a unit quaternion."""
    axis = np.array([x, y, z])
    return (2.0 * w * w - 1.0) * np.eye(3) + 2.0 * np.outer(axis, axis) + 2.0 * w * _skew(axis)


def _skew(x: np.ndarray) -> np.ndarray:
    """Return the matrices of cross products."""
    return np.cross(np.eye(3), x[..., None, :])
