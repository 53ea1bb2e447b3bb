"""A subinterval in space as a two-port: from the frames of its ends to the forces on them, and their derivatives.

A march from the base with the wrench w = (N, M) there arrives at a section which the next node must meet. In the axes
of that section the gap is e. If the ends move by (X, theta), and the base with its wrench by w', the section moves by
``B w' + A theta0`` in addition to the motion of the base, so that

    w' = B^-1 (e + (move of the node, seen from the section) - (move with the base) - A theta0)

A given wrench need not close the gap: the forces are then the forces after w', which is exact Newton on all unknowns of
multiple shooting. The tangent is the derivative of forces along global axes and of moments in the axes of the nodes,
less half the skew matrix of the moments (elements/_family.py): symmetric up to the error of the Runge-Kutta method,
unless a load follows the rod.
"""

from __future__ import annotations

from math import cos, isfinite, sin, sqrt
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pliant.elements._spatial_two_node import stresses
from pliant.elements.rod_ivp.frames import (
    ALL,
    BY_WRENCH,
    COLUMN,
    FOLLOWER,
    FORCE,
    FRAME,
    MOMENT,
    PLACE,
    PULL,
    STATE,
    TURN,
    Work,
    length_of,
)
from pliant.elements.rod_ivp.unloaded import march_still
from pliant.jit import kernel
from pliant.kernels.so3 import Four, exponential, logarithm, product, quaternion, rotate
from pliant.kernels.tensors import Matrix, apply, apply_transposed, rotation
from pliant.kernels.tensors import product as turned
from pliant.kernels.triples import Vector, cross, dot, minus, plus, times, vector

if TYPE_CHECKING:
    from pliant.elements.rod_ivp.spatial import Arrays

LIMIT = 25  # steps of Newton for the wrench between two given frames
CLOSED = 1e-9  # in lengths of the subinterval and radians: a gap whose square is rounding
HALVINGS = 8
STIFFENED, STIFFER = 0.1, 0.1  # gap at which a soft axis is stiffened, and factor on its softness
NEAR = 1e-4  # square of an angle up to which a coefficient is its series


class Ends(NamedTuple):
    """Sections R at the ends; the second relative to the first: its place d and quaternion p."""

    first: Matrix
    second: Matrix
    d: Vector
    p: Four


@kernel
def ends(part: Arrays, e: int, q: np.ndarray) -> Ends:
    """Return the ends of subinterval e."""
    one, two = quaternion(q, part.frames[e, 0]), quaternion(q, part.frames[e, 1])
    first = rotation(one[0], one[1], one[2], one[3])
    d = apply_transposed(first, minus(vector(q, part.dofs[e, 6]), vector(q, part.dofs[e, 0])))
    p = product((one[0], -one[1], -one[2], -one[3]), two)
    return Ends(first, rotation(two[0], two[1], two[2], two[3]), d, p)


@kernel
def gather(part: Arrays, e: int, q: np.ndarray, u: np.ndarray, work: Work) -> tuple[Ends, bool]:
    """Return the ends of subinterval e and whether a load has a constant direction; write the loads."""
    first = part.first[e]
    last = first + part.spacing * part.steps[e] + 1
    at, load, steady = ends(part, e, q), work.load[first:last], work.steady[first:last]
    if part.load_rod.size > 0:
        load[:] = 0.0
        steady[:] = 0.0
    work.origin[0], work.origin[1], work.origin[2] = apply_transposed(at.first, vector(q, part.dofs[e, 0]))
    for i in range(3):
        work.base[i] = q[part.dofs[e, i]]
    for i in range(4):
        work.base[3 + i] = q[part.frames[e, 0] + i]
    heavy = False
    for i in range(part.load_rod.size):
        if part.load_rod[i] == part.rod[e]:
            given, kind = part.load_signal[i], part.load_kind[i]
            force = u[given[0]], u[given[1]], u[given[2]]
            if kind != FOLLOWER:
                force, heavy = apply_transposed(at.first, force), True
            for station in range(load.shape[0]):
                factor = part.load_factor[i, first + station]
                for k in range(3):
                    load[station, kind + k] += factor * force[k]
                    if part.load_steady[i]:
                        steady[station, kind + k] += factor * force[k]
    return at, heavy


@kernel
def guess(part: Arrays, e: int, at: Ends, work: Work) -> None:
    """Set the wrench at the base by linear theory: from the constant strains of the screw between the ends to the
    wrench in the middle, by the stiffness of a subinterval whose moment is linear along it.
    """
    L, k = length_of(part, e, work), part.first[e] + part.spacing * part.steps[e] // 2
    psi = logarithm(at.p)
    y = dot(psi, psi)
    root = sqrt(y)
    f = 1.0 / 12.0 + y / 720.0 if y < NEAR else (1.0 - 0.5 * root * cos(0.5 * root) / sin(0.5 * root)) / y
    swung = cross(psi, at.d)
    gamma = times(1.0 / L, plus(minus(at.d, times(0.5, swung)), times(f, cross(psi, swung))))
    strain = minus(gamma, vector(part.rest[k], 0))
    N, M = stresses(part.stiffness, e, strain, minus(times(1.0 / L, psi), vector(part.rest[k], 3)))
    half = exponential(times(0.5, psi))
    force, moment = rotate(half, N), rotate(half, M)
    work.wrench[0], work.wrench[1], work.wrench[2] = force
    work.wrench[3], work.wrench[4], work.wrench[5] = plus(moment, times(0.5, cross(at.d, force)))


@kernel
def miss(at: Ends, length: float, work: Work) -> float:
    """Write the gap from the section arrived at to the second end, in the axes of that section, to the last column of
    ``solved``. Returns its size, in lengths of the subinterval and radians.
    """
    y, solved = work.y, work.solved
    p = quaternion(y, FRAME)
    across = apply_transposed(rotation(p[0], p[1], p[2], p[3]), minus(at.d, vector(y, PLACE)))
    turn = logarithm(product((p[0], -p[1], -p[2], -p[3]), at.p))
    size = 0.0
    for i in range(3):
        solved[i, 12], solved[i + 3, 12] = across[i], turn[i]
        size = max(size, max(abs(across[i]) / length, abs(turn[i])))
    return size if isfinite(across[0] + across[1] + across[2] + turn[0] + turn[1] + turn[2]) else np.inf


@kernel
def eliminate(work: Work, first: int) -> None:
    """Replace the columns of ``solved`` from ``first`` on by B^-1 times them; B: moves of the tip by the wrench."""
    B, X = work.matrix, work.solved
    for i in range(6):
        for j in range(6):
            B[i, j] = work.y[STATE + COLUMN * j + i]
    for k in range(6):
        pivot = k
        for i in range(k + 1, 6):
            if abs(B[i, k]) > abs(B[pivot, k]):
                pivot = i
        if pivot != k:
            for j in range(k, 6):
                B[k, j], B[pivot, j] = B[pivot, j], B[k, j]
            for j in range(first, X.shape[1]):
                X[k, j], X[pivot, j] = X[pivot, j], X[k, j]
        for i in range(k + 1, 6):
            f = B[i, k] / B[k, k]
            for j in range(k + 1, 6):
                B[i, j] -= f * B[k, j]
            for j in range(first, X.shape[1]):
                X[i, j] -= f * X[k, j]
    for k in range(5, -1, -1):
        for j in range(first, X.shape[1]):
            value = X[k, j]
            for i in range(k + 1, 6):
                value -= B[k, i] * X[i, j]
            X[k, j] = value / B[k, k]


@kernel
def close(part: Arrays, e: int, at: Ends, columns: int, known: bool, work: Work) -> bool:
    """Find the wrench with which a march meets the second end, and march with it. Returns False if none was found.

    Newton starts from the given wrench, if it is approximately known, or from `guess` with an axis that is soft at
    first: otherwise the axial force of a thin rod would respond to the square of a bending error. A step that does not
    bring the tip nearer is halved.
    """
    L, w, soft = length_of(part, e, work), work.wrench, work.soft
    own = part.compliance[part.first[e], 0, 0]
    soft[0] = 0.0
    if not known:
        soft[0] = part.soft[e]
        guess(part, e, at, work)
    march_still(part, e, columns, work)
    gap = miss(at, L, work)
    for _ in range(LIMIT):
        if soft[0] == 0.0 and gap < CLOSED:
            return True
        eliminate(work, 12)
        for i in range(6):
            work.solved[i, 0] = work.solved[i, 12]
            w[i] += work.solved[i, 0]
        if soft[0] > 0.0 and gap < STIFFENED:
            soft[0] = STIFFER * soft[0] if STIFFER * soft[0] > own else 0.0
        march_still(part, e, columns, work)
        before, gap, share = gap, miss(at, L, work), 1.0
        for _ in range(HALVINGS):
            if gap < max(before, STIFFENED if soft[0] > 0.0 else CLOSED):
                break
            share *= 0.5
            for i in range(6):
                w[i] -= share * work.solved[i, 0]
            march_still(part, e, columns, work)
            gap = miss(at, L, work)
        if not isfinite(gap):
            return False
    return False


@kernel
def condense(part: Arrays, e: int, at: Ends, heavy: bool, work: Work) -> None:
    """Compute ``solved`` and ``tip`` from a march of subinterval e.

    The freedoms are moves of the first end along global axes and about its own, then of the second.
    """
    y, X = work.y, work.solved
    miss(at, length_of(part, e, work), work)
    p = quaternion(y, FRAME)
    P, x = rotation(p[0], p[1], p[2], p[3]), vector(y, PLACE)
    seen = turned(at.first, P)  # from the section arrived at to global axes
    w0, w1, w2, w3 = product((p[0], -p[1], -p[2], -p[3]), at.p)
    node = rotation(w0, w1, w2, w3)
    for i in range(3):
        axis = (1.0 if i == 0 else 0.0), (1.0 if i == 1 else 0.0), (1.0 if i == 2 else 0.0)
        swing = apply_transposed(P, cross(axis, x))
        for k in range(3):
            X[k, i], X[k, i + 6] = -seen[3 * i + k], seen[3 * i + k]
            X[k + 3, i], X[k + 3, i + 6] = 0.0, 0.0
            X[k, i + 9], X[k + 3, i + 9] = 0.0, node[3 * k + i]
            column = STATE + COLUMN * (BY_WRENCH + i)
            X[k, i + 3] = -y[column + k] if heavy else -swing[k]
            X[k + 3, i + 3] = -y[column + TURN + k] if heavy else -P[3 * i + k]
    pass_tip(part, e, work)
    eliminate(work, 0)
    for i in range(6):
        for j in range(12):
            turned_over = heavy and 3 <= j < 6
            work.tip[i, j] = y[STATE + COLUMN * (BY_WRENCH + j - 3) + PULL + i] if turned_over else 0.0
    add_by_wrench(work)


@kernel
def pass_tip(part: Arrays, e: int, work: Work) -> None:
    """Write the column of ``solved`` for the length: the motion past the second end of a longer rod."""
    if part.feed[e] == 0:
        return
    k = part.first[e] + part.spacing * part.steps[e]
    gamma, kappa = stresses(part.compliance, k, vector(work.y, FORCE), vector(work.y, MOMENT))
    for i in range(3):
        work.solved[i, 13] = -gamma[i] - part.rest[k, i]
        work.solved[i + 3, 13] = -kappa[i] - part.rest[k, i + 3]


@kernel
def condense_in_motion(at: Ends, length: float, work: Work) -> None:
    """Compute ``solved`` and ``tip`` of a rod in motion, whose forces also change with moves of its base."""
    y, X, R = work.y, work.solved, at.first
    miss(at, length, work)
    p = quaternion(y, FRAME)
    P = rotation(p[0], p[1], p[2], p[3])
    seen = turned(R, P)
    w0, w1, w2, w3 = product((p[0], -p[1], -p[2], -p[3]), at.p)
    node = rotation(w0, w1, w2, w3)
    for i in range(3):
        turn = STATE + COLUMN * (BY_WRENCH + i)
        for k in range(6):
            moved, pull = 0.0, 0.0
            for j in range(3):
                column = STATE + COLUMN * (ALL + j)
                moved += R[3 * i + j] * y[column + k]
                pull += R[3 * i + j] * y[column + PULL + k]
            X[k, i], work.tip[k, i] = -moved, pull
            X[k, i + 3], work.tip[k, i + 3] = -y[turn + k], y[turn + PULL + k]
            X[k, i + 6], work.tip[k, i + 6] = (seen[3 * i + k] if k < 3 else 0.0), 0.0
            X[k, i + 9], work.tip[k, i + 9] = (0.0 if k < 3 else node[3 * (k - 3) + i]), 0.0
    eliminate(work, 0)
    add_by_wrench(work)


@kernel
def add_by_wrench(work: Work) -> None:
    """Add the effect of the wrench at the base on the tip, for moves of the ends."""
    for i in range(6):
        for j in range(12):
            for k in range(6):
                work.tip[i, j] += work.y[STATE + COLUMN * k + PULL + i] * work.solved[k, j]


@kernel
def advance(work: Work) -> None:
    """Compute the wrench at base and tip after the gap is closed, in ``wrench`` and ``y``, to first order."""
    y, X = work.y, work.solved
    for i in range(6):
        change = 0.0
        for k in range(6):
            change += y[STATE + COLUMN * k + PULL + i] * X[k, 12]
        y[FORCE + i] += change
        work.wrench[i] += X[i, 12]


@kernel
def stiffen(at: Ends, work: Work) -> None:
    """Compute the tangent of the forces on the ends, from the output of `condense`."""
    K, X, tip, y, w = work.stiffness, work.solved, work.tip, work.y, work.wrench
    for j in range(12):
        base, force = (X[0, j], X[1, j], X[2, j]), (tip[0, j], tip[1, j], tip[2, j])
        if 3 <= j < 6:
            base = plus(base, spun(j - 3, vector(w, 0)))
        if j >= 9:
            force = plus(force, spun(j - 9, vector(y, FORCE)))
        pulled, pushed = apply(at.first, base), apply(at.second, force)
        for i in range(3):
            K[i, j], K[i + 3, j], K[i + 6, j], K[i + 9, j] = -pulled[i], -X[i + 3, j], pushed[i], tip[i + 3, j]
    for i in range(3):
        half, other = times(0.5, spun(i, vector(w, 3))), times(0.5, spun(i, vector(y, MOMENT)))
        for k in range(3):
            K[k + 3, i + 3] -= half[k]
            K[k + 9, i + 9] += other[k]


@kernel
def spun(axis: int, x: Vector) -> Vector:
    """Return a unit vector along an axis, times x."""
    if axis == 0:
        return 0.0, -x[2], x[1]
    if axis == 1:
        return x[2], 0.0, -x[0]
    return -x[1], x[0], 0.0


@kernel
def carry(at: Ends, summed: np.ndarray, share: tuple[float, float], work: Work, out: np.ndarray) -> None:
    """Write a sum of `march` (its lower triangle) in moves of the ends; for fed rods, also in the length of the whole
    rod, with the subinterval's share and the share that passes its base.
    """
    lead, X, size = work.lead, work.solved, summed.shape[0]
    for j in range(12):
        for i in range(6):
            lead[i, j], lead[i + 6, j] = 0.0, X[i, j]
    for i in range(3):
        lead[i + 3, i + 3] = 1.0
        for j in range(3):
            lead[i, j] = at.first[3 * j + i]
    if size > 12:
        for i in range(12):
            lead[i, 12] = share[0] * X[i - 6, 13] if i >= 6 else 0.0
            lead[12, i] = 0.0
        lead[12, 12] = share[1]
    for i in range(size):
        for j in range(size):
            value = 0.0
            for k in range(size):
                value += (summed[i, k] if i >= k else summed[k, i]) * lead[k, j]
            work.stiffness[i, j] = value
    for i in range(size):
        for j in range(i + 1):
            value = 0.0
            for k in range(size):
                value += lead[k, i] * work.stiffness[k, j]
            out[i, j] = value
            out[j, i] = value
