"""Tendons that slide through many guides with friction, in plane or space: guides one by one (route.py has the law).

Piece i has the tension ``T_i = S w_i``. Its change tau_i, and the sum beta_i of the changes of sliding up to it, are
unknowns of a border of the matrix (linalg/pattern.py). With ck and cc of the tangent, a guide j between its pieces has

    r += J_i tau_i,   -beta_{j+1} + beta_j + ck (l'_q - L'/L l_q) + cc l_q = 0,
    -tau_{j+1} + T_{j+1}/T_j tau_j - T_{j+1} (mu grip ck phi_q + mu phi grip' (beta_j - s_j beta_n)) = 0

and ``sum (l_i tau_i + ck T_i l_q) = ck S L_q + L S_q`` closes the tendon: each couples the neighbours of a guide, tau_0
and beta_n, and all together they are the tangent of route.py.
"""

from __future__ import annotations

from math import exp, tanh
from typing import NamedTuple

import numpy as np

from pliant.forces.tendon import pull
from pliant.forces.tendon.law import tension
from pliant.forces.tendon.pull import undamped_force
from pliant.forces.tendon.route import GRADIENT, LENGTH, RATE, WEIGHT, Workspace, bend, survey, width
from pliant.jit import allocating_kernel, inlined_kernel, kernel
from pliant.kernels.sums import Instant, Into

SHARE, GRIP, ONSET = 0, 1, 2  # columns of the workspace of guides
BEFORE, AFTER, FIRST, PASSED, PASSING, ALL = range(6)  # of the border: tau_j, tau_j+1, tau_0, beta_j, beta_j+1, beta_n


class Arrays(NamedTuple):
    """Guides, a row each with the points beside it, tendon after tendon; the rest as in pull.py, a row a tendon."""

    dofs: np.ndarray  # (n, 9), in space (n, 18)
    slots: np.ndarray  # with the border's rows last
    border: np.ndarray  # (n, 6)
    first: np.ndarray  # (tendons + 1) where the guides of each begin
    members: np.ndarray  # the freedoms of whole tendons
    frames: np.ndarray
    points: np.ndarray
    offsets: np.ndarray
    signals: np.ndarray
    law: np.ndarray
    friction: np.ndarray
    steady: np.ndarray


def unsymmetric(part: Arrays) -> bool:
    """Return whether there are tendons: their friction acts at rest."""
    return bool(len(part.points))


@allocating_kernel
def whole(part: Arrays) -> pull.Arrays:
    """Return the tendons as arrays for the kernels of routes."""
    return pull.Arrays(
        part.members, part.slots, part.frames, part.points, part.offsets, part.signals, part.law, part.friction,
        part.steady,
    )  # fmt: skip


@allocating_kernel
def add(part: Arrays, now: Instant, into: Into) -> None:
    """Add the tensions along every piece, with consistent tangents."""
    if part.points.size == 0:
        return
    route = whole(part)
    f, pieces = width(route), part.members.shape[1] // width(route) - 1
    work = Workspace(
        np.empty((pieces, GRADIENT + 4 * f + f * (2 * f + 1))), np.empty((4, part.members.shape[1])),
        np.empty((1, 1)), np.empty((pieces, 3 * f)),
    )  # fmt: skip
    guides = np.empty((pieces, 3))
    for e in range(part.points.size):
        length, rate = survey(route, e, now.q, now.v, work)
        c = part.law[e, 1]
        force, slope = tension(undamped_force(route, e, length, now.u) + c * rate, part.law[e, 2], part.law[e, 3])
        fade(route, e, length, rate, work, guides)
        for k in range(part.points[e] - 1):
            for i in range(2 * f):
                into.r[part.members[e, f * k + i]] += force * work.pieces[k, WEIGHT] * work.pieces[k, GRADIENT + i]
        if into.ck != 0.0 or into.cc != 0.0:
            stiff = slope * (into.ck * part.law[e, 0] + into.cc * c), slope * into.ck * c
            join(part, e, (length, rate, force), stiff, work, guides, into)


@kernel
def fade(part: pull.Arrays, e: int, length: float, rate: float, work: Workspace, guides: np.ndarray) -> None:
    """Compute weights of the pieces; share, grip and onset of friction of every guide; gradients of the angles."""
    f, pieces, last = width(part), work.pieces, part.points[e] - 2
    mu, speed, bias = part.friction[e, 0], part.friction[e, 1], part.friction[e, 2]
    behind = behind_rate = 0.0
    stretched = pieces[0, LENGTH]
    for k in range(last):
        own, after = pieces[k], pieces[k + 1]
        behind += own[LENGTH]
        behind_rate += own[RATE]
        share, angle = behind / length, bend(k, f, work)
        grip = tanh((behind_rate - share * rate) / speed + bias)
        guides[k, SHARE], guides[k, GRIP] = share, mu * grip
        guides[k, ONSET] = mu * angle * (1.0 - grip * grip) / speed
        after[WEIGHT] = own[WEIGHT] * exp(-mu * angle * grip)
        stretched += after[WEIGHT] * after[LENGTH]
    for k in range(last + 1):
        pieces[k, WEIGHT] *= length / stretched


@inlined_kernel
def enter(part: Arrays, row: int, into: Into, at: tuple[int, int], x: float) -> None:
    """Add x to an entry of the matrix, by the places of its row and column among the unknowns of a guide."""
    i, j = at
    n, high, low = part.dofs.shape[1], max(i, j), min(i, j)
    one = part.dofs[row, i] if i < n else part.border[row, i - n]
    other = part.dofs[row, j] if j < n else part.border[row, j - n]
    slot = part.slots[row, (high * (high + 1) >> 1) + low]
    if (i < n) == (j < n) and one == other:
        into.s[slot] += x
    else:
        into.s[slot] += 0.5 * x
        below = one > other if (i < n) == (j < n) else j < n
        into.w[slot] += 0.5 * x if below else -0.5 * x


@kernel
def join(
    part: Arrays, e: int, pulled: tuple[float, float, float], stiff: tuple[float, float], work: Workspace,
    guides: np.ndarray, into: Into,
) -> None:  # fmt: skip
    """Add the tangent: guides with the pieces after them, and the first piece."""
    force, begin, last, n = pulled[2], part.first[e], part.points[e] - 2, part.dofs.shape[1]
    f, pieces, ck = n // 3, work.pieces, into.ck
    piece(part, begin, (0, 0), pulled, stiff, work, into)
    enter(part, begin, into, (n + PASSED, n + PASSED), -1.0)
    for k in range(last):
        row, after = begin + k, force * pieces[k + 1, WEIGHT]
        piece(part, row, (k + 1, 1), pulled, stiff, work, into)
        tau, beta = n + AFTER, n + PASSING
        enter(part, row, into, (beta, beta), -1.0)
        enter(part, row, into, (beta, n + PASSED), 1.0)
        enter(part, row, into, (tau, tau), -1.0)
        enter(part, row, into, (tau, n + BEFORE), pieces[k + 1, WEIGHT] / pieces[k, WEIGHT])
        enter(part, row, into, (tau, n + PASSED), -after * guides[k, ONSET])
        enter(part, row, into, (tau, n + ALL), after * guides[k, ONSET] * guides[k, SHARE])
        for i in range(3 * f):
            enter(part, row, into, (tau, i), -after * ck * guides[k, GRIP] * work.bends[k, i])


@kernel
def piece(
    part: Arrays, row: int, which: tuple[int, int], pulled: tuple[float, float, float], stiff: tuple[float, float],
    work: Workspace, into: Into,
) -> None:  # fmt: skip
    """Add piece k, before (0) or after (1) the guide of a row: its stiffness, and its share of the border."""
    k, side = which
    length, rate, force = pulled
    n, own, ck, cc = part.dofs.shape[1], work.pieces[k], into.ck, into.cc
    f = n // 3
    start, tau, beta = f * side, n + BEFORE + side, n + PASSED + side
    place = GRADIENT + 4 * f
    for i in range(2 * f):
        gradient, swing = own[GRADIENT + i], own[GRADIENT + 2 * f + i]
        for j in range(i + 1):
            bow = ck * force * own[WEIGHT] * own[place]
            place += 1
            enter(part, row, into, (start + i, start + j), bow)
            if i != j:
                enter(part, row, into, (start + j, start + i), bow)
        enter(part, row, into, (start + i, tau), gradient)
        enter(part, row, into, (beta, start + i), ck * (swing - rate / length * gradient) + cc * gradient)
        close = ck * force * (1.0 - own[WEIGHT]) / length * gradient + stiff[0] * gradient + stiff[1] * swing
        enter(part, row, into, (n + FIRST, start + i), close)
    enter(part, row, into, (n + FIRST, tau), -own[LENGTH] / length)


@allocating_kernel
def energy(part: Arrays, q: np.ndarray, u: np.ndarray) -> tuple[float, float]:
    """Return the elastic energy, and the potential of a constant tension, of tendons that are not driven."""
    return pull.energy(whole(part), q, u)


@allocating_kernel
def power(part: Arrays, q: np.ndarray, v: np.ndarray, u: np.ndarray) -> tuple[float, float]:
    """Return the power of driven tendons, and all losses."""
    return pull.power(whole(part), q, v, u)


@allocating_kernel
def readings(part: Arrays, q: np.ndarray, v: np.ndarray, u: np.ndarray, out: np.ndarray) -> None:
    """Write length, its rate, and (mean) tension of every tendon."""
    pull.readings(whole(part), q, v, u, out)
