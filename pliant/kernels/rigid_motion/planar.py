"""Rigid motions of planar beams: node i at (x_i, y_i) has the velocity ``(V_x - omega y_i, V_y + omega x_i, omega)``.

Elements couple the points of their nodes by masses m_ij, and the sections by rotary inertia. Then B W has the force
``mu_i V + omega x (m x)_i`` and the moment ``rho_i omega``, with row sums mu_i and rho_i; positions are relative to the
first node of the beam.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from pliant.jit import kernel
from pliant.kernels.rigid_motion import planar_coupled
from pliant.kernels.rigid_motion.masses import Bonds, Masses, is_still, without

ONE = np.uint32(1)


class Groups(NamedTuple):
    """Arrays with one row per node, beam after beam, and the first row of every beam."""

    dofs: np.ndarray  # (n, 3)
    slots: np.ndarray
    first: np.ndarray  # (beams + 1) uint32
    alpha: np.ndarray  # (beams)
    mass: np.ndarray  # (beams)
    share: np.ndarray  # (n) mu
    rotary: np.ndarray  # (n) rho
    own: np.ndarray  # (n) m_ii
    starts: np.ndarray  # (beams + 1) uint32, of the pairs
    pair: np.ndarray  # (pairs, 2) uint32, first freedoms of two nodes
    between: np.ndarray  # (pairs) m_ij


def arrays(groups: Sequence[tuple[np.ndarray, Masses, float]]) -> Groups:
    """Build the arrays from groups of nodes: their freedoms (n, 3), masses and alpha."""
    bonds, counts = Bonds.of([masses.points for _, masses, _ in groups]), [len(dofs) for dofs, _, _ in groups]
    rotary = [masses.sections.sums for _, masses, _ in groups]
    dofs = np.concatenate([np.zeros((0, 3), np.uint32), *(dofs for dofs, _, _ in groups)]).astype(np.uint32)
    return Groups(
        dofs=np.ascontiguousarray(dofs),
        slots=np.empty((len(dofs), 0), np.uint32),
        first=np.cumsum([0, *counts]).astype(np.uint32),
        alpha=np.array([alpha for _, _, alpha in groups], float),
        mass=np.array([masses.points.value.sum() for _, masses, _ in groups], float),
        share=bonds.share,
        rotary=np.concatenate([np.zeros(0), *rotary]),
        own=bonds.own,
        starts=bonds.starts,
        pair=np.ascontiguousarray(dofs[bonds.pair, 0]),
        between=bonds.between,
    )


@kernel
def rigid_motion(part: Groups, b: int, q: np.ndarray, v: np.ndarray) -> tuple[float, float, float, float]:
    """Return the velocity at the first node (2), the angular velocity and twice the energy of beam b."""
    first, mass, dofs, pair = part.first[b], part.mass[b], part.dofs, part.pair
    x, y = q[dofs[first, 0]], q[dofs[first, 1]]
    px = py = spin = sx = sy = inertia = 0.0
    for i in range(first, part.first[b + 1]):
        k, l, t = dofs[i, 0], dofs[i, 1], dofs[i, 2]
        mu, m, rho, dx, dy, vx, vy = part.share[i], part.own[i], part.rotary[i], q[k] - x, q[l] - y, v[k], v[l]
        px += mu * vx
        py += mu * vy
        sx += mu * dx
        sy += mu * dy
        spin += m * (dx * vy - dy * vx) + rho * v[t]
        inertia += m * (dx * dx + dy * dy) + rho
    for e in range(part.starts[b], part.starts[b + 1]):
        i, j, m = pair[e, 0], pair[e, 1], part.between[e]
        ix, iy, jx, jy = q[i] - x, q[i + ONE] - y, q[j] - x, q[j + ONE] - y
        spin += m * (ix * v[j + ONE] - iy * v[j] + jx * v[i + ONE] - jy * v[i])
        inertia += 2.0 * m * (ix * jx + iy * jy)
    cx, cy = sx / mass, sy / mass
    omega = (spin - cx * py + cy * px) / (inertia - cx * sx - cy * sy)
    vx, vy = px / mass + cy * omega, py / mass - cx * omega
    return vx, vy, omega, vx * px + vy * py + omega * spin


@kernel
def add(part: Groups, q: np.ndarray, v: np.ndarray, cc: float, cm: float, r: np.ndarray, s: np.ndarray) -> None:
    """Subtract alpha B W from r, and Newton's share of alpha from s."""
    dofs, pair, slots = part.dofs, part.pair, part.slots
    for b in range(part.alpha.size):
        vx, vy, omega, _ = rigid_motion(part, b, q, v)
        first, vx, vy, omega = part.first[b], part.alpha[b] * vx, part.alpha[b] * vy, part.alpha[b] * omega
        x, y, less = q[dofs[first, 0]], q[dofs[first, 1]], without(part.alpha[b], cc, cm)
        for i in range(first, part.first[b + 1]):
            k, l, mu, m = dofs[i, 0], dofs[i, 1], part.share[i], omega * part.own[i]
            r[k] -= mu * vx - m * (q[l] - y)
            r[l] -= mu * vy + m * (q[k] - x)
            r[dofs[i, 2]] -= part.rotary[i] * omega
            s[slots[i, 0]] -= less * mu
            s[slots[i, 2]] -= less * mu
            s[slots[i, 5]] -= less * part.rotary[i]
        for e in range(part.starts[b], part.starts[b + 1]):
            i, j, m = pair[e, 0], pair[e, 1], omega * part.between[e]
            r[i] += m * (q[j + ONE] - y)
            r[i + ONE] -= m * (q[j] - x)
            r[j] += m * (q[i + ONE] - y)
            r[j + ONE] -= m * (q[i] - x)


@kernel
def power(part: Groups, q: np.ndarray, v: np.ndarray) -> tuple[float, float]:
    """Return supplied power (zero) and dissipated power, negative: a correction of the losses of the elements."""
    kept = 0.0
    for b in range(part.alpha.size):
        kept += part.alpha[b] * rigid_motion(part, b, q, v)[3]
    return 0.0, -kept


def coupling(part: Groups, q: np.ndarray, v: np.ndarray, ck: float, cc: float) -> Iterator[tuple[np.ndarray, Any]]:
    """Yield every beam's freedoms and ck times the derivative by q plus cc times the derivative by v between them."""
    if is_still(v, ck, cc):
        return
    first = part.first.astype(int)
    for b, (begin, end) in enumerate(zip(first, first[1:], strict=False)):
        pairs = slice(part.starts[b], part.starts[b + 1])
        nodes = {int(k): row for row, k in enumerate(part.dofs[begin:end, 0])}
        i, j = ([nodes[int(k)] for k in part.pair[pairs, side]] for side in (0, 1))
        points = np.diag(part.own[begin:end])
        points[i, j] = points[j, i] = part.between[pairs]
        mass = np.zeros((end - begin, 3, end - begin, 3))
        mass[:, 0, :, 0] = mass[:, 1, :, 1] = points
        mass[:, 2, :, 2] = np.diag(part.rotary[begin:end])
        mass = mass.reshape(3 * (end - begin), -1)
        columns = mass @ np.tile(np.eye(3), (end - begin, 1))
        A, dofs = mass @ planar_coupled.turning_of(end - begin), part.dofs[begin:end].ravel()
        yield dofs, -part.alpha[b] * planar_coupled.derivatives(columns, A, q[dofs], v[dofs], ck, cc)
