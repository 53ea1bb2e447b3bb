"""Prediction of the next equilibrium of a row: previous increments, extrapolated by the polynomial of the best order.

Increments of rotations are in the axes of their nodes; along a smooth row they change smoothly, like displacements.
"""

from __future__ import annotations

import numpy as np

from pliant.jit import kernel
from pliant.jit.bundle import Bundle
from pliant.kernels.vectors import fill

MOST = 3  # order of the polynomial, and number of stored increments


class History(Bundle):
    """Last increments, the latest first."""

    moves: np.ndarray  # (MOST, unknowns) increments
    spans: np.ndarray  # (MOST) their lengths, as parts of a step of the row
    known: np.ndarray  # (2) int64: number of known increments, and the order that predicted the last one best
    factors: np.ndarray  # (MOST) scratch


def new_history(unknowns: int) -> History:
    """Return an empty history."""
    return History(np.zeros((MOST, unknowns)), np.ones(MOST), np.zeros(2, np.int64), np.zeros(MOST))


@kernel
def reset(history: History) -> None:
    """Clear the history, after a corner or a failed step."""
    history.known[0] = history.known[1] = 0


@kernel
def set_weights(history: History, order: int, span: float) -> None:
    """Compute weights of the increments in the next one, by Lagrange's polynomial through ``order`` + 1 points."""
    here = 0.0
    for m in range(MOST):
        history.factors[m] = 0.0
    for i in range(1, order + 1):
        here -= history.spans[i - 1]
        weight, other = span / here, 0.0
        for j in range(1, order + 1):
            other -= history.spans[j - 1]
            if j != i:
                weight *= (span - other) / (here - other)
        for m in range(i):
            history.factors[m] -= weight


@kernel
def extrapolate(history: History, span: float, move: np.ndarray) -> None:
    """Predict the next increment, over a span."""
    set_weights(history, history.known[1], span)
    a, b, c = history.factors
    for i in range(move.size):
        move[i] = a * history.moves[0, i] + b * history.moves[1, i] + c * history.moves[2, i]


@kernel
def update(history: History, span: float, move: np.ndarray, weight: np.ndarray) -> None:
    """Store an increment, and choose the order that predicts it best, by freedoms with a weight."""
    known, best, least = history.known[0], 0, np.inf
    for order in range(known + 1):
        set_weights(history, order, span)
        a, b, c = history.factors
        off = 0.0
        for i in range(weight.size):
            said = a * history.moves[0, i] + b * history.moves[1, i] + c * history.moves[2, i]
            off = max(off, abs(said - move[i]) * weight[i])
        if off < least:
            best, least = order, off
    for m in range(MOST - 1, 0, -1):
        fill(history.moves[m], history.moves[m - 1])
        history.spans[m] = history.spans[m - 1]
    fill(history.moves[0], move)
    history.spans[0] = span
    history.known[0] = min(known + 1, MOST)
    history.known[1] = min(best + 1, MOST) if best == known else best
