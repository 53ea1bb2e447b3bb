"""The way of a tendon through its guides, with capstan friction.

Piece i has the length l_i and the tension ``S w_i``. At guide j, where the tendon turns by phi_j, friction makes

    w_{j+1} / w_j = exp(-mu phi_j tanh(f_j / v_s + bias)),
    f_j = sum_{i <= j} l_i' - s_j L',    s_j = sum_{i <= j} l_i / L

(Euler, Eytelwein): f_j is the speed at which the evenly stretched tendon slides towards its beginning. With ``sum w_i
l_i = L`` the mean tension is S, and the power lost is ``S sum_j f_j (w_j - w_{j+1})``, not negative without bias.
"""

from __future__ import annotations

from math import atan2, exp, tanh
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pliant._jit import allocating_kernel, inlined_kernel, kernel
from pliant.forces._lines import Chord, along, chord, turning

if TYPE_CHECKING:
    from pliant.forces.tendon.planar import Arrays

LENGTH, RATE, WEIGHT, GRADIENT, ACROSS, SWING, BENDS, COLUMNS = 0, 1, 2, 3, 9, 15, 21, 23


class Workspace(NamedTuple):
    """Scratch: the columns above of every piece; vectors in the freedoms of all points; change of the weights."""

    pieces: np.ndarray
    vectors: np.ndarray
    change: np.ndarray


@allocating_kernel
def workspace(points: int) -> Workspace:
    """Scratch arrays for routes of so many points."""
    return Workspace(np.empty((points - 1, COLUMNS)), np.empty((4, 3 * points)), np.empty((points - 1, 3 * points)))


@kernel
def piece(part: Arrays, e: int, k: int, q: np.ndarray) -> Chord:
    """Line between points k and k + 1."""
    return chord(q, part.dofs[e, 3 * k :], part.offsets[e, 2 * k :])


@kernel
def travel(part: Arrays, e: int, q: np.ndarray, v: np.ndarray) -> tuple[float, float]:
    """Length of the whole route and its rate."""
    length = rate = 0.0
    for k in range(part.points[e] - 1):
        line = piece(part, e, k, q)
        length += line.length
        rate += along(line.gradient, v, part.dofs[e, 3 * k :])
    return length, rate


@kernel
def turn(ax: float, ay: float, bx: float, by: float) -> float:
    """Angle from one direction to another."""
    return atan2(ax * by - ay * bx, ax * bx + ay * by)


@kernel
def rubbing(part: Arrays, e: int, q: np.ndarray, v: np.ndarray, length: float, rate: float) -> float:
    """``sum w_i l_i' - L'``: power lost in friction, over the tension."""
    friction = part.friction[e]
    weight, stretched, moved = 1.0, 0.0, 0.0  # sums with weights that are not scaled yet
    behind = behind_rate = ex = ey = 0.0
    for k in range(part.points[e] - 1):
        line = piece(part, e, k, q)
        if k > 0:
            slip = behind_rate - behind / length * rate
            angle = turn(ex, ey, line.gradient[3], line.gradient[4])
            weight *= exp(-friction[0] * abs(angle) * tanh(slip / friction[1] + friction[2]))
        ex, ey = line.gradient[3], line.gradient[4]
        speed = along(line.gradient, v, part.dofs[e, 3 * k :])
        stretched += weight * line.length
        moved += weight * speed
        behind += line.length
        behind_rate += speed
    return length / stretched * moved - rate


@kernel
def survey(part: Arrays, e: int, q: np.ndarray, v: np.ndarray, work: Workspace) -> tuple[float, float]:
    """Length and rate of the whole route; columns of its pieces, and in ``vectors`` sums of gradient and swing."""
    length = rate = 0.0
    for i in range(3 * part.points[e]):
        work.vectors[0, i] = work.vectors[1, i] = 0.0
    for k in range(part.points[e] - 1):
        dofs, line, own = part.dofs[e, 3 * k :], piece(part, e, k, q), work.pieces[k]
        own[LENGTH], own[RATE], own[WEIGHT] = line.length, along(line.gradient, v, dofs), 1.0
        own[BENDS], own[BENDS + 1] = line.bend_a, line.bend_b
        length += own[LENGTH]
        rate += own[RATE]
        swing = turning(line, v, dofs)
        for i in range(6):
            own[GRADIENT + i], own[ACROSS + i], own[SWING + i] = line.gradient[i], line.across[i], swing[i]
            work.vectors[0, 3 * k + i] += line.gradient[i]
            work.vectors[1, 3 * k + i] += swing[i]
    return length, rate


@kernel
def rub(part: Arrays, e: int, length: float, rate: float, ck: float, cc: float, work: Workspace) -> None:
    """Weights of the pieces, and their change ``ck w_q + cc w_v``.

    With ``w_i = L E_i / sum_k l_k E_k`` and ``E_i = exp(g_i)``,
    ``dw_i = w_i (dg_i + dL / L - sum_k w_k (dl_k + l_k dg_k) / L)``.
    """
    pieces, change, last, size = work.pieces, work.change, part.points[e] - 2, 3 * part.points[e]
    gradient, swing, passed, passing = work.vectors[0], work.vectors[1], work.vectors[2], work.vectors[3]
    mu, speed, bias = part.friction[e, 0], part.friction[e, 1], part.friction[e, 2]
    for i in range(size):
        change[0, i] = passed[i] = passing[i] = 0.0
    behind = behind_rate = 0.0
    stretched = pieces[0, LENGTH]
    for k in range(last):
        own, after = pieces[k], pieces[k + 1]
        behind += own[LENGTH]
        behind_rate += own[RATE]
        for i in range(6):
            passed[3 * k + i] += own[GRADIENT + i]
            passing[3 * k + i] += own[SWING + i]
        share = behind / length
        angle = turn(own[GRADIENT + 3], own[GRADIENT + 4], after[GRADIENT + 3], after[GRADIENT + 4])
        grip = tanh((behind_rate - share * rate) / speed + bias)
        onset = mu * abs(angle) * (1.0 - grip * grip) / speed
        after[WEIGHT] = own[WEIGHT] * exp(-mu * abs(angle) * grip)
        stretched += after[WEIGHT] * after[LENGTH]
        for i in range(size):
            by_v = passed[i] - share * gradient[i]
            by_q = passing[i] - share * swing[i] - rate / length * by_v
            change[k + 1, i] = change[k, i] - onset * (ck * by_q + cc * by_v)
        bend = ck * mu * grip if angle > 0.0 else -ck * mu * grip
        for i in range(6):
            change[k + 1, 3 * k + i] += bend * own[ACROSS + i] / own[LENGTH]
            change[k + 1, 3 * k + 3 + i] -= bend * after[ACROSS + i] / after[LENGTH]
    mean = passed
    for i in range(size):
        mean[i] = -ck * gradient[i]
    for k in range(last + 1):
        own = pieces[k]
        own[WEIGHT] *= length / stretched
        for i in range(6):
            mean[3 * k + i] += ck * own[WEIGHT] * own[GRADIENT + i]
        for i in range(size):
            mean[i] += own[WEIGHT] * own[LENGTH] * change[k, i]
    for k in range(last + 1):
        for i in range(size):
            change[k, i] = pieces[k, WEIGHT] * (change[k, i] - mean[i] / length)


@kernel
def add_route(
    part: Arrays,
    e: int,
    pull: float,
    stiff: float,
    late: float,
    ck: float,
    rough: bool,
    work: Workspace,
    r: np.ndarray,
    s: np.ndarray,
    w: np.ndarray,
) -> None:
    """r += pull sum w_i J_i, with its tangent: ``stiff`` and ``late`` from the pull, ck times the geometric part, and
    what the change of the weights adds if it is ``rough``.
    """
    pieces, last, dofs, slots = work.pieces, part.points[e] - 2, part.dofs[e], part.slots[e]
    gradient, swing, working = work.vectors[0], work.vectors[1], work.vectors[2]
    for i in range(3 * part.points[e]):
        working[i] = 0.0
    for k in range(last + 1):
        for i in range(6):
            working[3 * k + i] += pieces[k, WEIGHT] * pieces[k, GRADIENT + i]
    n = 0
    for i in range(3 * part.points[e]):
        r[dofs[i]] += pull * working[i]
        for j in range(i + 1):
            lower = working[i] * (stiff * gradient[j] + late * swing[j])
            upper = working[j] * (stiff * gradient[i] + late * swing[i])
            if rough:
                lower += pull * reweighted(work, last, i, j)
                upper += pull * reweighted(work, last, j, i)
            scatter(s, w, slots[n], dofs[i], dofs[j], i == j, 0.5 * (lower + upper), 0.5 * (lower - upper))
            n += 1
    for k in range(last + 1):
        bow, row = ck * pull * pieces[k, WEIGHT] / pieces[k, LENGTH], 3 * k
        for i in range(6):
            n = (row * (row + 1) >> 1) + 3 * k
            for j in range(i + 1):
                bend = bow * pieces[k, ACROSS + i] * pieces[k, ACROSS + j]
                scatter(s, w, slots[n + j], dofs[row], dofs[3 * k + j], i == j, bend, 0.0)
            if i % 3 == 2:
                s[slots[n + i]] += bow * pieces[k, LENGTH] * pieces[k, BENDS + i // 3]
            row += 1


@kernel
def reweighted(work: Workspace, last: int, i: int, j: int) -> float:
    """sum_k J_k,i dw_k,j: freedom i belongs to a point, where two pieces meet at most."""
    k, own, total = i // 3, i % 3, 0.0
    if k <= last:
        total += work.pieces[k, GRADIENT + own] * work.change[k, j]
    if k > 0:
        total += work.pieces[k - 1, GRADIENT + 3 + own] * work.change[k - 1, j]
    return total


@inlined_kernel
def scatter(
    s: np.ndarray, w: np.ndarray, slot: int, row: int, column: int, diagonal: bool, both: float, skew: float
) -> None:
    """Add the local entries (i, j) = both + skew and (j, i) = both - skew, i >= j.

    Two points of one node share its freedoms: their entries then meet on the diagonal, where both count.
    """
    if row == column:
        s[slot] += both if diagonal else 2.0 * both
    else:
        s[slot] += both
        w[slot] += skew if row > column else -skew
