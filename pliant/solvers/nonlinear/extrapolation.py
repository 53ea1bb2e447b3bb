"""Prediction of the next equilibrium of a row: previous increments, extrapolated by the polynomial of the best order.

Increments of rotations are in the axes of their nodes; along a smooth row they change smoothly, like displacements.
"""

from __future__ import annotations

import numpy as np

from pliant.jit import kernel
from pliant.jit.bundle import Bundle
from pliant.kernels.vectors import fill

MOST = 3  # order of the polynomial, and number of stored increments


class Trail(Bundle):
    """Last increments, the latest first."""

    moves: np.ndarray  # (MOST, unknowns) increments
    spans: np.ndarray  # (MOST) their lengths, as parts of a step of the row
    known: np.ndarray  # (2) int64: number of known increments, and the order that predicted the last one best
    factors: np.ndarray  # (MOST) scratch


def trail(unknowns: int) -> Trail:
    """Return an empty history."""
    return Trail(np.zeros((MOST, unknowns)), np.ones(MOST), np.zeros(2, np.int64), np.zeros(MOST))


@kernel
def forget(trail: Trail) -> None:
    """Clear the history, after a corner or a failed step."""
    trail.known[0] = trail.known[1] = 0


@kernel
def weigh(trail: Trail, order: int, span: float) -> None:
    """Compute weights of the increments in the next one, by Lagrange's polynomial through the last ``order`` + 1
    points.
    """
    here = 0.0
    for m in range(MOST):
        trail.factors[m] = 0.0
    for i in range(1, order + 1):
        here -= trail.spans[i - 1]
        weight, other = span / here, 0.0
        for j in range(1, order + 1):
            other -= trail.spans[j - 1]
            if j != i:
                weight *= (span - other) / (here - other)
        for m in range(i):
            trail.factors[m] -= weight


@kernel
def foretell(trail: Trail, span: float, move: np.ndarray) -> None:
    """Predict the next increment, over a span."""
    weigh(trail, trail.known[1], span)
    a, b, c = trail.factors
    for i in range(move.size):
        move[i] = a * trail.moves[0, i] + b * trail.moves[1, i] + c * trail.moves[2, i]


@kernel
def learn(trail: Trail, span: float, move: np.ndarray, weight: np.ndarray) -> None:
    """Store an increment, and choose the order that predicts it best, by freedoms with a weight."""
    known, best, least = trail.known[0], 0, np.inf
    for order in range(known + 1):
        weigh(trail, order, span)
        a, b, c = trail.factors
        off = 0.0
        for i in range(weight.size):
            said = a * trail.moves[0, i] + b * trail.moves[1, i] + c * trail.moves[2, i]
            off = max(off, abs(said - move[i]) * weight[i])
        if off < least:
            best, least = order, off
    for m in range(MOST - 1, 0, -1):
        fill(trail.moves[m], trail.moves[m - 1])
        trail.spans[m] = trail.spans[m - 1]
    fill(trail.moves[0], move)
    trail.spans[0] = span
    trail.known[0] = min(known + 1, MOST)
    trail.known[1] = min(best + 1, MOST) if best == known else best
