"""Rigid motions of planar beams whose mass couples points with sections, such as beams of cubic deflection.

``T_i = ((1, 0, -y_i), (0, 1, x_i), (0, 0, 1))`` at node i. B = M T has two constant columns and one that is linear in
q, ``A q + M (0, 0, 1)`` with ``A = M dT/dq``; positions are relative to the first node of the beam.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from pliant.jit import kernel
from pliant.kernels.rigid_motion.masses import is_still

QUARTER = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])  # quarter turn


class Groups(NamedTuple):
    """Arrays with one row per node, beam after beam, and the first row of every beam."""

    dofs: np.ndarray  # (n, 3)
    slots: np.ndarray
    first: np.ndarray  # (beams + 1) uint32
    alpha: np.ndarray  # (beams)
    mass: np.ndarray  # (beams)
    shift: np.ndarray  # (3 n, 2) M e_x and M e_y
    turn: np.ndarray  # (3 n) M e_theta
    start: np.ndarray  # (3 n + 1) uint32: A by rows
    column: np.ndarray  # freedoms, uint32
    value: np.ndarray


def arrays(groups: Sequence[tuple[np.ndarray, Any, float]]) -> Groups:
    """Build the arrays from groups of nodes: their freedoms (n, 3), mass matrix (sparse, 3 n) and alpha."""
    counts = [len(dofs) for dofs, _, _ in groups]
    dofs = np.concatenate([np.zeros((0, 3), np.uint32), *(dofs for dofs, _, _ in groups)])
    columns, start, column, value = _by_rows([M for _, M, _ in groups], counts)
    first = np.concatenate([[0], np.cumsum(counts)]).astype(np.uint32)
    whole = [float(columns[3 * a : 3 * b : 3, 0].sum()) for a, b in zip(first, first[1:], strict=False)]
    return Groups(
        dofs=np.ascontiguousarray(dofs, np.uint32),
        slots=np.empty((len(dofs), 0), np.uint32),
        first=first,
        alpha=np.array([alpha for _, _, alpha in groups], float),
        mass=np.array(whole, float),
        shift=np.ascontiguousarray(columns[:, :2]),
        turn=np.ascontiguousarray(columns[:, 2]),
        start=start.astype(np.uint32),
        column=dofs.ravel()[column].astype(np.uint32),
        value=np.asarray(value, float),
    )


def _by_rows(masses: Sequence[Any], counts: Sequence[int]) -> tuple[np.ndarray, ...]:
    """Return M e_x, M e_y, M e_theta of sparse mass matrices with these node counts; A as starts, columns, values."""
    if not masses:
        return np.zeros((0, 3)), np.zeros(1, int), np.zeros(0, int), np.zeros(0)
    from scipy import sparse

    mass = sparse.block_diag(masses, "csr")
    A = sparse.csr_matrix(mass @ sparse.block_diag([sparse.kron(sparse.eye(n), QUARTER) for n in counts], "csr"))
    A.eliminate_zeros()
    return np.asarray(mass @ np.tile(np.eye(3), (sum(counts), 1))), A.indptr, A.indices, A.data


def turning_of(nodes: int) -> np.ndarray:
    """Return dT/dq of the third column: (-y, x, 0) of every node."""
    return np.kron(np.eye(nodes), QUARTER)


@kernel
def turning(part: Groups, k: int, x: float, y: float, q: np.ndarray) -> float:
    """Return row k of the third column of B, about the point (x, y)."""
    total = part.shift[k, 0] * y - part.shift[k, 1] * x + part.turn[k]
    for j in range(part.start[k], part.start[k + 1]):
        total += part.value[j] * q[part.column[j]]
    return total


@kernel
def rigid_motion(part: Groups, b: int, q: np.ndarray, v: np.ndarray) -> tuple[float, float, float, float]:
    """Return the velocity at the first node (2), the angular velocity and twice the energy of beam b."""
    dofs, first, end = part.dofs, part.first[b], part.first[b + 1]
    x, y, mass = q[dofs[first, 0]], q[dofs[first, 1]], part.mass[b]
    px = py = spin = mx = my = inertia = 0.0
    for i in range(first, end):
        dx, dy = q[dofs[i, 0]] - x, q[dofs[i, 1]] - y
        for j in range(3):
            k, speed = 3 * i + j, v[dofs[i, j]]
            column = turning(part, k, x, y, q)
            px += part.shift[k, 0] * speed
            py += part.shift[k, 1] * speed
            spin += column * speed
            rigid = 1.0
            if j == 0:
                rigid = -dy
                my -= column
            elif j == 1:
                rigid = dx
                mx += column
            inertia += rigid * column
    cx, cy = mx / mass, my / mass
    omega = (spin - cx * py + cy * px) / (inertia - cx * mx - cy * my)
    vx, vy = px / mass + cy * omega, py / mass - cx * omega
    return vx, vy, omega, vx * px + vy * py + omega * spin


@kernel
def add(part: Groups, q: np.ndarray, v: np.ndarray, r: np.ndarray) -> None:
    """Subtract alpha B W from r."""
    for b in range(part.alpha.size):
        vx, vy, omega, _ = rigid_motion(part, b, q, v)
        first, dofs, shift = part.first[b], part.dofs, part.shift
        x, y = q[dofs[first, 0]], q[dofs[first, 1]]
        for i in range(first, part.first[b + 1]):
            for j in range(3):
                k = 3 * i + j
                rigid = shift[k, 0] * vx + shift[k, 1] * vy + omega * turning(part, k, x, y, q)
                r[dofs[i, j]] -= part.alpha[b] * rigid


@kernel
def power(part: Groups, q: np.ndarray, v: np.ndarray) -> tuple[float, float]:
    """Return supplied power (zero) and dissipated power, negative: a correction of the losses of the elements."""
    lost = 0.0
    for b in range(part.alpha.size):
        lost -= part.alpha[b] * rigid_motion(part, b, q, v)[3]
    return 0.0, lost


def coupling(part: Groups, q: np.ndarray, v: np.ndarray, ck: float, cc: float) -> Iterator[tuple[np.ndarray, Any]]:
    """Yield every beam's freedoms and ck times the derivative by q plus cc times the derivative by v between them."""
    from scipy import sparse

    if is_still(v, ck, cc):
        return
    whole = sparse.csr_matrix((part.value, part.column, part.start), shape=(part.turn.size, q.size))
    for b, (first, end) in enumerate(zip(part.first.astype(int), part.first[1:].astype(int), strict=False)):
        rows, dofs = slice(3 * first, 3 * end), part.dofs[first:end].ravel()
        columns, A = np.column_stack((part.shift[rows], part.turn[rows])), whole[rows].toarray()[:, dofs]
        yield dofs, -part.alpha[b] * derivatives(columns, A, q[dofs], v[dofs], ck, cc)


def derivatives(
    columns: np.ndarray, A: np.ndarray, place: np.ndarray, velocity: np.ndarray, ck: float, cc: float
) -> np.ndarray:
    """Return ck times the derivative of B W by positions plus cc times its derivative by velocities, for a beam at
    ``place``; ``columns``: M e_x, M e_y and M e_theta.
    """
    dx, dy = (place.reshape(-1, 3)[:, :2] - place[:2]).T
    T = np.zeros((place.size, 3))
    T[0::3, 0] = T[1::3, 1] = T[2::3, 2] = 1.0
    T[0::3, 2], T[1::3, 2] = -dy, dx
    base = np.zeros((2, place.size))
    base[0, 0] = base[1, 1] = 1.0  # the first node's position
    A = A + np.outer(columns[:, 0], base[1]) - np.outer(columns[:, 1], base[0])
    D = turning_of(place.size // 3)
    D[0::3] += base[1]
    D[1::3] -= base[0]
    B = np.column_stack((columns[:, :2], A @ place + columns[:, 2]))
    G = T.T @ B
    W = np.linalg.solve(G, B.T @ velocity)
    change = np.zeros((3, place.size))  # of B^T v - G W
    change[:2] = -W[2] * (B[:, :2].T @ D)
    change[2] = velocity @ A - W @ (B.T @ D) - W[2] * (B[:, 2] @ D)
    by_place = W[2] * A + B @ np.linalg.solve(G, change)
    return np.asarray(ck * by_place + cc * B @ np.linalg.solve(G, B.T))
