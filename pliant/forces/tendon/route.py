"""Route of a tendon through its guides, in plane or space, with capstan friction.

Piece i has the length l_i and the tension ``S w_i``. At guide j, where the tendon turns by phi_j, friction makes

    w_{j+1} / w_j = exp(-mu phi_j tanh(f_j / v_s + bias)),
    f_j = sum_{i <= j} l_i' - s_j L',    s_j = sum_{i <= j} l_i / L

(Euler, Eytelwein): f_j is the speed at which the evenly stretched tendon slides towards its beginning. With ``sum w_i
l_i = L`` the mean tension is S, and the power lost is ``S sum_j f_j (w_j - w_{j+1})``, not negative without bias.

A point has 3 freedoms in the plane and 6 in space; the data of a piece are the same in both.
"""

from __future__ import annotations

from math import atan2, exp, sqrt, tanh
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pliant.forces import _lines, _spatial_lines
from pliant.forces._lines import chord, turning
from pliant.forces._spatial_lines import bent as bent_in_space
from pliant.forces._spatial_lines import chord as chord_in_space
from pliant.forces._spatial_lines import turning as turning_in_space
from pliant.jit import allocating_kernel, kernel, lazy_allocating_kernel, lazy_kernel
from pliant.kernels.scatter import add_both
from pliant.kernels.sums import Along, Into
from pliant.kernels.triples import Vector, cross, dot

if TYPE_CHECKING:
    from pliant.forces.tendon.pull import Arrays

along, along_in_space = _lines.along, _spatial_lines.along
LENGTH, RATE, WEIGHT, GRADIENT = 0, 1, 2, 3


class Workspace(NamedTuple):
    """Scratch arrays. Per piece: length, rate, weight, gradient, derivative of the rate, lower triangle of the Hessian;
    vectors in the freedoms of all points; change of the weights; gradient of the angle at the end of every piece.
    """

    pieces: np.ndarray
    vectors: np.ndarray
    change: np.ndarray
    bends: np.ndarray


@allocating_kernel
def workspace(part: Arrays) -> Workspace:
    """Allocate scratch arrays for the longest route."""
    f, size = width(part), part.dofs.shape[1]
    pieces = size // f - 1
    columns = GRADIENT + 4 * f + f * (2 * f + 1)
    return Workspace(
        np.empty((pieces, columns)), np.empty((4, size)), np.empty((pieces, size)), np.empty((pieces, 3 * f))
    )


@kernel
def width(part: Arrays) -> int:
    """Return the number of freedoms of a point."""
    return 6 if part.frames.shape[1] > 0 else 3


@kernel
def travel(part: Arrays, e: int, q: np.ndarray, v: np.ndarray) -> tuple[float, float]:
    """Return the length of the whole route and its rate."""
    if width(part) == 6:
        return travel_in_space(part, e, q, v)
    length = rate = 0.0
    for k in range(part.points[e] - 1):
        line = chord(q, part.dofs[e, 3 * k :], part.offsets[e, 2 * k :])
        length += line.length
        rate += along(line.gradient, v, part.dofs[e, 3 * k :])
    return length, rate


@lazy_kernel
def travel_in_space(part: Arrays, e: int, q: np.ndarray, v: np.ndarray) -> tuple[float, float]:
    """Return the length of the whole route and its rate in space."""
    length = rate = 0.0
    for k in range(part.points[e] - 1):
        dofs = part.dofs[e, 6 * k :]
        line = chord_in_space(q, dofs, part.frames[e, k:], part.offsets[e, 3 * k :])
        length += line.length
        rate += along_in_space(line.gradient, v, dofs)
    return length, rate


@kernel
def look(part: Arrays, e: int, k: int, q: np.ndarray, v: np.ndarray, own: np.ndarray) -> None:
    """Write the data of piece k of a route."""
    line = chord(q, part.dofs[e, 3 * k :], part.offsets[e, 2 * k :])
    dofs, swing, n = part.dofs[e, 3 * k :], turning(line, v, part.dofs[e, 3 * k :]), GRADIENT + 12
    own[LENGTH], own[RATE], own[WEIGHT] = line.length, along(line.gradient, v, dofs), 1.0
    for i in range(6):
        own[GRADIENT + i], own[GRADIENT + 6 + i] = line.gradient[i], swing[i]
        for j in range(i + 1):
            own[n] = line.across[i] * line.across[j] / line.length
            n += 1
    own[GRADIENT + 12 + 5] += line.bend_a
    own[GRADIENT + 12 + 20] += line.bend_b


@lazy_kernel
def look_in_space(part: Arrays, e: int, k: int, q: np.ndarray, v: np.ndarray, own: np.ndarray) -> None:
    """Write the data of piece k of a route in space."""
    dofs = part.dofs[e, 6 * k :]
    line = chord_in_space(q, dofs, part.frames[e, k:], part.offsets[e, 3 * k :])
    swing, n = turning_in_space(line, v, dofs), GRADIENT + 24
    own[LENGTH], own[RATE], own[WEIGHT] = line.length, along_in_space(line.gradient, v, dofs), 1.0
    for i in range(12):
        own[GRADIENT + i], own[GRADIENT + 12 + i] = line.gradient[i], swing[i]
        for j in range(i + 1):
            own[n] = bent_in_space(line, i, j)
            n += 1


@kernel
def survey(part: Arrays, e: int, q: np.ndarray, v: np.ndarray, work: Workspace) -> tuple[float, float]:
    """Write the pieces of a route and, in ``vectors``, sums of their gradients. Returns its length and rate."""
    f, length, rate = width(part), 0.0, 0.0
    for i in range(f * part.points[e]):
        work.vectors[0, i] = work.vectors[1, i] = 0.0
    for k in range(part.points[e] - 1):
        own = work.pieces[k]
        if f == 6:
            look_in_space(part, e, k, q, v, own)
        else:
            look(part, e, k, q, v, own)
        length += own[LENGTH]
        rate += own[RATE]
        for i in range(2 * f):
            work.vectors[0, f * k + i] += own[GRADIENT + i]
            work.vectors[1, f * k + i] += own[GRADIENT + 2 * f + i]
    return length, rate


@kernel
def direction(own: np.ndarray, f: int) -> Vector:
    """Return the unit vector along a piece, the gradient of its length by its end."""
    return own[GRADIENT + f], own[GRADIENT + f + 1], own[GRADIENT + f + 2] if f == 6 else 0.0


@kernel
def bend(k: int, f: int, work: Workspace) -> float:
    """Return the angle by which the tendon turns from piece k to the next; write its gradient by their three points.

    With unit vectors d, e along the pieces, ``phi' = -((e - cos phi d) . d' + (d - cos phi e) . e') / sin phi``; d' is
    in the Hessian of the length.
    """
    one, two, gradient = work.pieces[k], work.pieces[k + 1], work.bends[k]
    d, e = direction(one, f), direction(two, f)
    cosine, across = dot(d, e), cross(d, e)
    sine = sqrt(dot(across, across))
    for i in range(3 * f):
        gradient[i] = 0.0
    if sine > 0.0:
        for i in range(3 if f == 6 else 2):
            u, v, row = (e[i] - cosine * d[i]) / sine, (d[i] - cosine * e[i]) / sine, f + i
            for j in range(2 * f):
                low, high = min(row, j), max(row, j)
                place = GRADIENT + 4 * f + (high * (high + 1) >> 1) + low
                gradient[j] -= u * one[place]
                gradient[f + j] -= v * two[place]
    return atan2(sine, cosine)


@kernel
def rub(part: Arrays, e: int, length: float, rate: float, ck: float, cc: float, work: Workspace) -> None:
    """Compute the weights of the pieces, and their change ``ck w_q + cc w_v``.

    With ``w_i = L E_i / sum_k l_k E_k`` and ``E_i = exp(g_i)``,
    ``dw_i = w_i (dg_i + dL / L - sum_k w_k (dl_k + l_k dg_k) / L)``.
    """
    f, pieces, change, last = width(part), work.pieces, work.change, part.points[e] - 2
    size = f * part.points[e]
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
        for i in range(2 * f):
            passed[f * k + i] += own[GRADIENT + i]
            passing[f * k + i] += own[GRADIENT + 2 * f + i]
        share, angle = behind / length, bend(k, f, work)
        grip = tanh((behind_rate - share * rate) / speed + bias)
        onset = mu * angle * (1.0 - grip * grip) / speed
        after[WEIGHT] = own[WEIGHT] * exp(-mu * angle * grip)
        stretched += after[WEIGHT] * after[LENGTH]
        for i in range(size):
            by_v = passed[i] - share * gradient[i]
            by_q = passing[i] - share * swing[i] - rate / length * by_v
            change[k + 1, i] = change[k, i] - onset * (ck * by_q + cc * by_v)
        for i in range(3 * f):
            change[k + 1, f * k + i] -= ck * mu * grip * work.bends[k, i]
    mean = passed
    for i in range(size):
        mean[i] = -ck * gradient[i]
    for k in range(last + 1):
        own = pieces[k]
        own[WEIGHT] *= length / stretched
        for i in range(2 * f):
            mean[f * k + i] += ck * own[WEIGHT] * own[GRADIENT + i]
        for i in range(size):
            mean[i] += own[WEIGHT] * own[LENGTH] * change[k, i]
    for k in range(last + 1):
        for i in range(size):
            change[k, i] = pieces[k, WEIGHT] * (change[k, i] - mean[i] / length)


@lazy_allocating_kernel
def rubbing(part: Arrays, e: int, q: np.ndarray, v: np.ndarray) -> float:
    """Return ``sum w_i l_i' - L'``: the power lost in friction, divided by the tension."""
    work = workspace(part)
    length, rate = survey(part, e, q, v, work)
    rub(part, e, length, rate, 0.0, 0.0, work)
    lost = -rate
    for k in range(part.points[e] - 1):
        lost += work.pieces[k, WEIGHT] * work.pieces[k, RATE]
    return lost


@kernel
def add_route(part: Arrays, e: int, pull: Along, rough: bool, work: Workspace, into: Into) -> None:
    """Add force sum w_i J_i to r, with its tangent; and with ``rough`` the tangent of the change of the weights."""
    force, geometric, stiff, late = pull
    r, s, w = into.r, into.s, into.w
    f, pieces, last, dofs, slots = width(part), work.pieces, part.points[e] - 2, part.dofs[e], part.slots[e]
    gradient, swing, working = work.vectors[0], work.vectors[1], work.vectors[2]
    for i in range(f * part.points[e]):
        working[i] = 0.0
    for k in range(last + 1):
        for i in range(2 * f):
            working[f * k + i] += pieces[k, WEIGHT] * pieces[k, GRADIENT + i]
    n = 0
    for i in range(f * part.points[e]):
        r[dofs[i]] += force * working[i]
        for j in range(i + 1):
            lower = working[i] * (stiff * gradient[j] + late * swing[j])
            upper = working[j] * (stiff * gradient[i] + late * swing[i])
            if rough:
                lower += force * reweighted(work, last, f, i, j)
                upper += force * reweighted(work, last, f, j, i)
            add_both(s, w, slots[n], dofs[i], dofs[j], i == j, 0.5 * (lower + upper), 0.5 * (lower - upper))
            n += 1
    for k in range(last + 1):
        bow, row, place = geometric * pieces[k, WEIGHT], f * k, GRADIENT + 4 * f
        for i in range(2 * f):
            n = (row * (row + 1) >> 1) + f * k
            for j in range(i + 1):
                add_both(s, w, slots[n + j], dofs[row], dofs[f * k + j], i == j, bow * pieces[k, place], 0.0)
                place += 1
            row += 1


@kernel
def reweighted(work: Workspace, last: int, f: int, i: int, j: int) -> float:
    """Return sum_k J_k,i dw_k,j: freedom i belongs to a point, where at most two pieces meet."""
    k, own, total = i // f, i % f, 0.0
    if k <= last:
        total += work.pieces[k, GRADIENT + own] * work.change[k, j]
    if k > 0:
        total += work.pieces[k - 1, GRADIENT + f + own] * work.change[k - 1, j]
    return total
