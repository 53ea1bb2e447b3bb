"""March of a rod in space without loads between its ends, at rest: half of the equations of frames.py are then solved.
Several are marched in lanes (simd.py).

Relative to the base, the force n and the moment about the base are constant along the rod, so that

    m = m0 + n x x,   N = P^T n,   M = P^T m,   x' = P gamma,   P' = P skew(kappa)

is the whole march: a place and a quaternion. A small change of the wrench at the base by (dn, dm0) moves a section by
dx and turns it by dphi, along and about the axes of the base:

    dx'   = dphi x x' + P S_n P^T (dn + n x dphi)
    dphi' = P S_m P^T (dm0 + dn x x + n x dx + m x dphi)

These six solutions of six numbers each are the columns of frames.py, there in the axes of the section. S_n and S_m are
the diagonal compliances of a section, which may change along the rod.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pliant.elements.rod_ivp.frames import COLUMN, FORCE, FRAME, STATE, STILL, Work, march
from pliant.elements.rod_ivp.simd import (
    BY_WRENCH,
    MOVES,
    REST,
    SIZE,
    SLOPE,
    SOFT,
    STEP,
    WRENCH,
    combine,
    moves,
    slope,
)
from pliant.jit import kernel
from pliant.kernels.lanes import LANES
from pliant.kernels.tensors import apply_transposed, rotation
from pliant.kernels.triples import cross, plus, vector
from pliant.kernels.vectors import fill

if TYPE_CHECKING:
    from pliant.elements.rod_ivp.spatial import Arrays


@kernel
def march_still(part: Arrays, e: int, columns: int, work: Work) -> None:
    """Run `frames.march` at rest without sums, with fewer equations if they are sufficient."""
    if part.bare[e] and columns <= BY_WRENCH and part.past.shape[0] == 0:
        march_bare(part, e, columns, work)
    else:
        march(part, e, columns, STILL, work)


@kernel
def march_bare(part: Arrays, e: int, columns: int, work: Work) -> None:
    """March a subinterval with a diagonal compliance and no loads; ``columns`` is BY_WRENCH or zero."""
    fill(work.wrenches[e], work.wrench)
    march_abreast(part, e, 1, columns, work)
    for step in range(part.steps[e] + 1):
        look(work.passed[e, step], work.wrench, work.seen[step])
    unfold(part, e, columns, work)


@kernel
def march_all(part: Arrays, columns: int, work: Work) -> None:
    """March all such subintervals, with ``work.wrenches``; write their states to ``work.passed``."""
    e, subintervals = 0, part.steps.size
    while e < subintervals:
        count = 0
        while count < LANES and e + count < subintervals and part.bare[e + count]:
            if part.steps[e + count] != part.steps[e]:
                break
            count += 1
        if count > 0:
            march_abreast(part, e, count, columns, work)
        e += max(count, 1)


@kernel
def march_abreast(part: Arrays, e: int, count: int, columns: int, work: Work) -> None:
    """March subintervals from e on, with equal numbers of steps; unused lanes repeat the first."""
    rows, slopes, stages, size = work.rows, work.slopes, part.b.size, LANES * (SIZE + MOVES * columns)
    uneven = False
    for n in range(size):
        slopes[0, n] = 0.0
    for lane in range(LANES):
        own = e + lane if lane < count else e
        uneven = uneven or not part.even[own]
        slopes[0, LANES * FRAME + lane] = 1.0
        rows[LANES * STEP + lane] = part.step[own] * work.longer[own]
        for i in range(6):
            rows[LANES * (WRENCH + i) + lane] = work.wrenches[own, i]
    pass_by(0, e, count, columns, work)
    give(part, e, count, 0, work)
    for step in range(part.steps[e]):
        for i in range(stages):
            if uneven:
                give(part, e, count, part.spacing * step + part.place[i], work)
            combine(slopes, part.a[i], i, size, rows)
            slope(rows)
            if columns > 0:
                moves(rows)
            fill(slopes[i + 1, :size], rows[LANES * SLOPE :])
        combine(slopes, part.b, stages, size, rows)
        fill(slopes[0, :size], rows)
        pass_by(step + 1, e, count, columns, work)


@kernel
def give(part: Arrays, e: int, count: int, station: int, work: Work) -> None:
    """Copy compliance and rest strains at a station to the lanes."""
    for lane in range(LANES):
        k = part.first[e + lane if lane < count else e] + station
        for i in range(6):
            work.rows[LANES * (SOFT + i) + lane] = part.compliance[k, i, i]
            work.rows[LANES * (REST + i) + lane] = part.rest[k, i]
        work.rows[LANES * SOFT + lane] += work.soft[0]


@kernel
def pass_by(step: int, e: int, count: int, columns: int, work: Work) -> None:
    """Store the states at the end of a step."""
    for lane in range(count):
        here = work.passed[e + lane, step]
        for n in range(SIZE + MOVES * columns):
            here[n] = work.slopes[0, LANES * n + lane]


@kernel
def look(here: np.ndarray, wrench: np.ndarray, seen: np.ndarray) -> None:
    """Write a state in the form of frames.py, with the resultants."""
    n, x = vector(wrench, 0), vector(here, 0)
    P = rotation(here[FRAME], here[FRAME + 1], here[FRAME + 2], here[FRAME + 3])
    for i in range(SIZE):
        seen[i] = here[i]
    seen[FORCE], seen[FORCE + 1], seen[FORCE + 2] = apply_transposed(P, n)
    seen[FORCE + 3], seen[FORCE + 4], seen[FORCE + 5] = apply_transposed(P, plus(vector(wrench, 3), cross(n, x)))


@kernel
def unfold(part: Arrays, e: int, columns: int, work: Work) -> None:
    """Write the end of a march and its columns in the form of frames.py to ``work.y``."""
    y, moved, n = work.y, work.passed[e, part.steps[e]], vector(work.wrench, 0)
    look(moved, work.wrench, y)
    P, x = rotation(y[FRAME], y[FRAME + 1], y[FRAME + 2], y[FRAME + 3]), vector(y, 0)
    m = plus(vector(work.wrench, 3), cross(n, x))
    for j in range(columns):
        i = SIZE + j
        dx, dphi = (moved[i], moved[i + 6], moved[i + 12]), (moved[i + 18], moved[i + 24], moved[i + 30])
        dn = (1.0 if j == 0 else 0.0), (1.0 if j == 1 else 0.0), (1.0 if j == 2 else 0.0)
        dm = (1.0 if j == 3 else 0.0), (1.0 if j == 4 else 0.0), (1.0 if j == 5 else 0.0)
        turned = plus(plus(dm, cross(dn, x)), plus(cross(n, dx), cross(m, dphi)))
        i = STATE + COLUMN * j
        y[i], y[i + 1], y[i + 2] = apply_transposed(P, dx)
        y[i + 3], y[i + 4], y[i + 5] = apply_transposed(P, dphi)
        y[i + 6], y[i + 7], y[i + 8] = apply_transposed(P, plus(dn, cross(n, dphi)))
        y[i + 9], y[i + 10], y[i + 11] = apply_transposed(P, turned)
