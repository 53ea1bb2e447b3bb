"""Best rigid motions of beams in space: node i at x_i with section R_i has ``V + omega x x_i`` and spin ``R_i^T omega``.

Elements in space couple the points of their nodes by masses m_ij, and have rotary inertia J_i at every node. Then
B W has the force ``mu_i V + omega x (m x)_i`` and the moment ``J_i R_i^T omega``, mu_i the sum of a row of m; places
count from the first node of the beam.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from pliant._jit import kernel
from pliant.elements._spatial_beams import SpatialLayout
from pliant.errors import ModelError
from pliant.kernels.tensors import (
    Matrix,
    Vector,
    added,
    apply,
    apply_transposed,
    cross,
    dot,
    get,
    minus,
    outer,
    plus,
    product,
    times,
    transposed,
    turned,
    vector,
)
from pliant.model import rotations

ROUNDING = 1e-14  # of the largest moment of inertia: about the axis of a line there is none, and nothing to turn


class Arrays(NamedTuple):
    """One row a node, beam after beam; and, of every beam, where its rows begin."""

    dofs: np.ndarray  # (n, 6)
    slots: np.ndarray
    frames: np.ndarray  # (n, 1)
    first: np.ndarray  # (beams + 1) uint32
    alpha: np.ndarray  # (beams)
    mass: np.ndarray  # (beams)
    share: np.ndarray  # (n) mu
    rotary: np.ndarray  # (n, 9) J
    start: np.ndarray  # (n + 1) uint32: m by rows
    column: np.ndarray  # first freedom of a node, uint32
    value: np.ndarray


def pack(layout: SpatialLayout) -> Arrays:
    """Beams whose alpha is relative to their own motion."""
    mine = [mesh for mesh in layout.beams if mesh.coasts]
    for mesh in mine:
        _check(mesh)
    nodes = np.concatenate([np.zeros(0, np.int64), *(mesh.nodes for mesh in mine)])
    return arrays(layout, nodes, [(mesh.inertia, mesh.alpha) for mesh in mine])


def arrays(layout: SpatialLayout, nodes: np.ndarray, groups: Sequence[tuple[Any, float]]) -> Arrays:
    """Of groups of nodes, one after the other: mass matrix (sparse, 6 n) and alpha of each."""
    from scipy import sparse

    whole = sparse.block_diag([M for M, _ in groups], "csr") if groups else sparse.csr_matrix((0, 0))
    counts = [M.shape[0] // 6 for M, _ in groups]
    points = sparse.csr_matrix(whole[0::6, 0::6]) if groups else whole
    points.eliminate_zeros()
    share = np.asarray(points.sum(axis=1), float).ravel()
    first = np.concatenate([[0], np.cumsum(counts)]).astype(np.uint32)
    spins = [whole[6 * k + 3 : 6 * k + 6, 6 * k + 3 : 6 * k + 6].toarray().ravel() for k in range(len(nodes))]
    dofs = layout.dofs(nodes)
    return Arrays(
        dofs=dofs,
        slots=np.empty((len(nodes), 0), np.uint32),
        frames=layout.frames(nodes),
        first=first,
        alpha=np.array([alpha for _, alpha in groups], float),
        mass=np.array([share[a:b].sum() for a, b in zip(first, first[1:], strict=False)], float),
        share=share,
        rotary=np.array(spins, float).reshape(-1, 9),
        start=points.indptr.astype(np.uint32),
        column=dofs[points.indices, 0].astype(np.uint32),
        value=np.asarray(points.data, float),
    )


def _check(mesh: Any) -> None:
    """Masses of the points that are alike along all axes, inertia of a node's own: nothing else is known here."""
    from scipy import sparse

    M = sparse.csr_matrix(mesh.inertia)
    points, nodes = M[0::6, 0::6], M.shape[0] // 6
    known = sparse.kron(points, sparse.diags([1.0, 1.0, 1.0, 0.0, 0.0, 0.0]), "csr")
    spins = [M[6 * k + 3 : 6 * k + 6, 6 * k + 3 : 6 * k + 6].toarray() for k in range(nodes)]
    known = known + sparse.block_diag([np.pad(J, ((3, 0), (3, 0))) for J in spins], "csr")
    if abs(M - known).max() > 1e-12 * abs(M).max():
        raise ModelError(
            f"{mesh.beam.owner}: the mass of its elements, {mesh.options!r:.60}, couples points with spins, or axes, and "
            'damping relative to the beam is not known for that. Take Rayleigh(..., relative_to="ground").'
        )


@kernel
def carried(part: Arrays, i: int, x: Vector, q: np.ndarray) -> Vector:
    """(m x)_i about a point."""
    total = times(-part.share[i], x)
    for j in range(part.start[i], part.start[i + 1]):
        total = plus(total, times(part.value[j], vector(q, part.column[j])))
    return total


@kernel
def solved(A: Matrix, b: Vector) -> Vector:
    """A^-1 b of a symmetric positive matrix, by Cholesky without roots."""
    l10, l20 = A[3] / A[0], A[6] / A[0]
    d1, c21 = A[4] - l10 * A[3], A[7] - l20 * A[3]
    l21 = c21 / d1
    d2 = A[8] - l20 * A[6] - l21 * c21
    y1 = b[1] - l10 * b[0]
    z = (b[2] - l20 * b[0] - l21 * y1) / d2
    y = y1 / d1 - l21 * z
    return b[0] / A[0] - l10 * y - l20 * z, y, z


class Rigid(NamedTuple):
    """The best rigid motion of a beam: where its first node is, velocity there, angular velocity; twice its energy."""

    place: Vector
    velocity: Vector
    spin: Vector
    energy: float


@kernel
def rigid_motion(part: Arrays, b: int, q: np.ndarray, v: np.ndarray) -> Rigid:
    """Of beam b."""
    first, mass = part.first[b], part.mass[b]
    place = vector(q, part.dofs[first, 0])
    momentum, spin, moment = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    inertia = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for i in range(first, part.first[b + 1]):
        k = part.dofs[i, 0]
        arm, speed, turn = minus(vector(q, k), place), vector(v, k), vector(v, k + 3)
        weight, R, J = carried(part, i, place, q), turned(q, part.frames[i, 0]), get(part.rotary, i, 0)
        momentum = plus(momentum, times(part.share[i], speed))
        moment = plus(moment, weight)
        spin = plus(spin, plus(cross(weight, speed), apply(R, apply(J, turn))))
        inertia = added(inertia, outer(times(-1.0, weight), arm, dot(arm, weight)))
        inertia = added(inertia, product(product(R, J), transposed(R)))
    centre = times(1.0 / mass, moment)
    inertia = added(inertia, outer(centre, moment, -dot(centre, moment)))
    least = ROUNDING * (inertia[0] + inertia[4] + inertia[8])
    inertia = added(inertia, (least, 0.0, 0.0, 0.0, least, 0.0, 0.0, 0.0, least))
    omega = solved(inertia, minus(spin, cross(centre, momentum)))
    velocity = minus(times(1.0 / mass, momentum), cross(omega, centre))
    return Rigid(place, velocity, omega, dot(velocity, momentum) + dot(omega, spin))


@kernel
def add(part: Arrays, q: np.ndarray, v: np.ndarray, r: np.ndarray) -> None:
    """r -= alpha B W."""
    for b in range(part.alpha.size):
        rigid, alpha = rigid_motion(part, b, q, v), part.alpha[b]
        for i in range(part.first[b], part.first[b + 1]):
            k, R = part.dofs[i, 0], turned(q, part.frames[i, 0])
            swing = cross(rigid.spin, carried(part, i, rigid.place, q))
            force = plus(times(part.share[i], rigid.velocity), swing)
            moment = apply(get(part.rotary, i, 0), apply_transposed(R, rigid.spin))
            for j in range(3):
                r[k + j] -= alpha * force[j]
                r[k + 3 + j] -= alpha * moment[j]


@kernel
def power(part: Arrays, q: np.ndarray, v: np.ndarray) -> tuple[float, float]:
    """Supplied (none) and dissipated power: what elements count as lost and is not."""
    kept = 0.0
    for b in range(part.alpha.size):
        kept += part.alpha[b] * rigid_motion(part, b, q, v).energy
    return 0.0, -kept


def coupling(part: Arrays, q: np.ndarray, v: np.ndarray, ck: float, cc: float) -> Iterator[tuple[np.ndarray, Any]]:
    """Freedoms of every beam, and between all of them ck times the derivative by q (moments in the exponential charts
    of their nodes) plus cc times that by v.
    """
    from scipy import sparse

    whole = sparse.csr_matrix((part.value, part.column // 6, part.start), shape=(part.share.size, q.size))
    for b, (first, end) in enumerate(zip(part.first.astype(int), part.first[1:].astype(int), strict=False)):
        dofs, n = part.dofs[first:end].ravel(), end - first
        nodes = part.dofs[first:end, 0].astype(int) // 6
        m = whole[first:end].toarray()[:, nodes]
        x = q[dofs].reshape(-1, 6)[:, :3] - q[dofs[:3]]
        speed = v[dofs].reshape(-1, 6)
        frame = part.frames[first:end, 0].astype(int)
        R = np.array([rotations.matrix(q[k : k + 4]) for k in frame])
        J = part.rotary[first:end].reshape(-1, 3, 3)
        M = np.zeros((n, 6, n, 6))
        for k in range(3):
            M[:, k, :, k] = m
        M[np.arange(n), 3:, np.arange(n), 3:] = J
        T = np.zeros((n, 6, 6))
        T[:, :3, :3], T[:, :3, 3:], T[:, 3:, 3:] = np.eye(3), -_skew(x), np.transpose(R, (0, 2, 1))
        M, T = M.reshape(6 * n, 6 * n), T.reshape(6 * n, 6)
        B = M @ T
        inverse = np.linalg.pinv(T.T @ B, rcond=ROUNDING, hermitian=True)
        W = inverse @ (B.T @ speed.ravel())
        V, omega = W[:3], W[3:]
        seen = np.einsum("nji,j->ni", R, omega)
        moved = np.zeros((n, 6, n, 6))  # of T W, by place and spin; places count from the first node's
        every = np.arange(n)
        moved[every, :3, every, :3] = _skew(omega)
        moved[every, 3:, every, 3:] = _skew(seen)
        moved[:, :3, 0, :3] -= _skew(omega)
        moved = moved.reshape(6 * n, 6 * n)
        left = M @ (speed.ravel() - T @ W)
        turned_back = np.zeros((6, n, 6))  # of T^T f with f fixed
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


def _skew(x: np.ndarray) -> np.ndarray:
    """Matrices of cross products."""
    return np.cross(np.eye(3), x[..., None, :])
