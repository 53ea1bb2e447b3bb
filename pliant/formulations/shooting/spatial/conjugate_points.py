"""How many directions a rod in space that nothing loads is unstable in between its ends, these held.

Its second variation is that of the steps of its march, each with held ends, and that of the sections between them (E.V.
Haynsworth, Linear Algebra Appl. 1, 1968). A step is so short that it has no unstable direction of its own
(spatial_stability.py). Section after section is then eliminated: with all before it free, section k is stiff by

    S = D B^-1 - (D - Q R'^-1 B') (B - R R'^-1 B')^-1

where B is the move of section k by the wrench at the base, D the change of the resultants there, R and Q what a rigid
move of the base does to both, and primes mark section k + 1, which is held. Negative eigenvalues of S, which is
symmetric, are unstable directions: conjugate points between the sections (C.G.J. Jacobi), multiple ones each time.
"""

from __future__ import annotations

from math import pi, sqrt
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pliant.elements.rod_ivp.feeding import lengthen
from pliant.elements.rod_ivp.frames import FORCE, Work, workspace
from pliant.elements.rod_ivp.frozen import take_wrenches
from pliant.elements.rod_ivp.simd import BY_WRENCH, MOVES, SIZE
from pliant.elements.rod_ivp.unloaded import look, march_all
from pliant.jit import allocating_kernel, kernel
from pliant.kernels.triples import cross, dot, minus, plus, vector
from pliant.kernels.vectors import fill
from pliant.linalg import elimination

if TYPE_CHECKING:
    from pliant.elements.rod_ivp.spatial import Arrays

UNKNOWN = -1
ROUNDING = 1e-9  # of the largest entry of its row: a pivot below tells no sign


class Room(NamedTuple):
    """Arrays to work in, (6, 6) unless said otherwise."""

    moves: np.ndarray  # B
    other: np.ndarray  # B - R R'^-1 B'
    force: np.ndarray  # D, and D B^-1
    held: np.ndarray  # D - Q R'^-1 B', and over the other
    stiffness: np.ndarray  # S
    matrix: np.ndarray
    side: np.ndarray  # (6)
    order: np.ndarray  # (6)


@allocating_kernel
def count(part: Arrays, q: np.ndarray, u: np.ndarray, stress: np.ndarray, out: np.ndarray) -> None:
    """Unstable directions between nodes in states at rest, one a row, whose wrenches were kept; UNKNOWN where rods are
    loaded between their ends or steps are too long to tell.
    """
    work, square = workspace(part), (6, 6)
    room = Room(
        np.zeros(square), np.zeros(square), np.zeros(square), np.zeros(square), np.zeros(square), np.zeros(square),
        np.zeros(6), np.zeros(6, np.int64),
    )  # fmt: skip
    for state in range(q.shape[0]):
        out[state] = 0
        lengthen(part, q[state], False, work)
        take_wrenches(part, stress[state], work)
        march_all(part, BY_WRENCH, work)
        for e in range(part.steps.size):
            fill(work.wrench, work.wrenches[e])
            found = within(part, e, work, room) if part.bare[e] else UNKNOWN
            if found == UNKNOWN:
                out[state] = UNKNOWN
                break
            out[state] += found


@kernel
def is_short(part: Arrays, e: int, step: int, work: Work) -> bool:
    """Whether nothing can be unstable in a step of subinterval e; see spatial_stability.py. The moment is linear in the
    place, and the place off the chord by ``kappa h^2/8`` at most.
    """
    k, h = part.first[e] + part.spacing * step, part.step[e] * work.longer[e]
    S, N, M, bent = part.compliance[k], 0.0, 0.0, 0.0
    for i in range(2):
        seen = work.seen[step + i]
        N = max(N, sqrt(dot(vector(seen, FORCE), vector(seen, FORCE))))
        M = max(M, sqrt(dot(vector(seen, FORCE + 3), vector(seen, FORCE + 3))))
        rest = vector(part.rest[k + i * part.spacing], 3)
        bent = max(bent, sqrt(dot(rest, rest)))
    soft, bends = max(S[0, 0], max(S[1, 1], S[2, 2])), max(S[3, 3], max(S[4, 4], S[5, 5]))
    gamma = 1.0 + N * soft
    sag = 0.125 * N * (gamma * h) ** 2  # moment between the ends beyond that on the chord, by a unit curvature
    if sag * bends >= 1.0:
        return False
    M = (M + sag * bent) / (1.0 - sag * bends)
    kappa = bent + M * bends
    if kappa * h >= pi:
        return False
    reach = (h / pi) / (1.0 - kappa * h / pi)
    return (N * (gamma + N * soft) * reach * reach + M * reach) * bends < 1.0


@kernel
def within(part: Arrays, e: int, work: Work, room: Room) -> int:
    """Of subinterval e, which was marched."""
    found = 0
    look(work.passed[e, 0], work.wrench, work.seen[0])
    for step in range(part.steps[e]):
        look(work.passed[e, step + 1], work.wrench, work.seen[step + 1])
        if not is_short(part, e, step, work):
            return UNKNOWN
        if step > 0:
            stiffen(work.passed[e, step], work.passed[e, step + 1], work.wrench, room)
            negatives = negative(room.stiffness)
            if negatives == UNKNOWN:
                return UNKNOWN
            found += negatives
    return found


@kernel
def stiffen(here: np.ndarray, held: np.ndarray, wrench: np.ndarray, room: Room) -> None:
    """S of a section that a march has passed, the next one held."""
    x, y, n, C = vector(here, 0), vector(held, 0), vector(wrench, 0), room.other
    B, m, on = room.moves, plus(vector(wrench, 3), cross(n, x)), minus(x, y)
    for i in range(6):
        for j in range(6):
            B[i, j] = here[SIZE + MOVES * i + j]
    for j in range(6):
        i = SIZE + j
        dx, dphi = (B[0, j], B[1, j], B[2, j]), (held[i + 18], held[i + 24], held[i + 30])
        swung, pulled, spun = cross(dphi, on), cross(dphi, n), cross(dphi, m)
        dn = (1.0 if j == 0 else 0.0), (1.0 if j == 1 else 0.0), (1.0 if j == 2 else 0.0)
        dm = (1.0 if j == 3 else 0.0), (1.0 if j == 4 else 0.0), (1.0 if j == 5 else 0.0)
        dm = plus(dm, plus(cross(dn, x), cross(n, dx)))
        for k in range(3):
            C[k, j], C[k + 3, j] = B[k, j] - held[i + 6 * k] - swung[k], B[k + 3, j] - dphi[k]
            room.force[k, j], room.force[k + 3, j] = dn[k], dm[k]
            room.held[k, j], room.held[k + 3, j] = dn[k] - pulled[k], dm[k] - spun[k]
    divide(room.force, B, room)
    divide(room.held, C, room)
    for i in range(6):
        for j in range(6):
            room.stiffness[i, j] = 0.5 * (room.force[i, j] - room.held[i, j] + room.force[j, i] - room.held[j, i])


@kernel
def divide(D: np.ndarray, B: np.ndarray, room: Room) -> None:
    """D := D B^-1; infinite where B is singular."""
    for i in range(6):
        for j in range(6):
            room.matrix[i, j] = B[j, i]
    if elimination.factor(room.matrix, 6, room.order) == 0.0:
        D[:] = np.inf
        return
    for i in range(6):
        for j in range(6):
            room.side[j] = D[i, j]
        elimination.solve(room.matrix, 6, room.order, room.side, D[i])


@kernel
def negative(S: np.ndarray) -> int:
    """Negative eigenvalues of a symmetric matrix, by its pivots; UNKNOWN where one is next to zero."""
    found = 0
    for k in range(6):
        pivot, own = S[k, k], 0.0
        for j in range(6):
            own = max(own, abs(S[k, j]) * ROUNDING if j != k else 0.0)
        if not abs(pivot) > own:
            return UNKNOWN
        found += int(pivot < 0.0)
        for i in range(k + 1, 6):
            f = S[i, k] / pivot
            for j in range(k + 1, 6):
                S[i, j] -= f * S[k, j]
    return found
