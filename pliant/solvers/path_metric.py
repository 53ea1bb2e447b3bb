"""Lengths and angles along a path of equilibria, compiled: directions are (dq, dlambda, dp), and

``a . b = sum of metric dq_a dq_b + dp_a dp_b / span^2``, of which reactions are no part.
"""

from __future__ import annotations

from math import copysign, sqrt

import numpy as np

from pliant._jit import kernel


@kernel
def shared(metric: np.ndarray, a: np.ndarray, b: np.ndarray) -> float:
    """Product of the displacements of two directions."""
    total = 0.0
    for i in range(metric.size):
        total += metric[i] * a[i] * b[i]
    return total


@kernel
def product(metric: np.ndarray, span: float, a: np.ndarray, b: np.ndarray) -> float:
    """a . b"""
    return shared(metric, a, b) + a[-1] * b[-1] / (span * span)


@kernel
def direct(metric: np.ndarray, span: float, forward: np.ndarray, tangent: np.ndarray) -> None:
    """Make a direction one of length one that goes ``forward``, in place."""
    size = copysign(sqrt(product(metric, span, tangent, tangent)), product(metric, span, tangent, forward))
    for i in range(tangent.size):
        tangent[i] /= size


@kernel
def cosine(metric: np.ndarray, span: float, still: float, a: np.ndarray, b: np.ndarray) -> float:
    """Of the angle between two directions of length one, or between their displacements if that is larger; those below
    ``still`` are not compared.
    """
    whole, first, second = product(metric, span, a, b), sqrt(shared(metric, a, a)), sqrt(shared(metric, b, b))
    if max(first, second) <= still:
        return whole
    return min(whole, shared(metric, a, b) / max(first * second, still * still))


@kernel
def missed(metric: np.ndarray, span: float, moved: np.ndarray, guess: np.ndarray) -> tuple[float, float, float]:
    """How far a step came to lie from its guess, that of its displacements alone, and how far these went."""
    astray, went, meant = 0.0, 0.0, 0.0
    for i in range(metric.size):
        off = moved[i] - guess[i]
        astray += metric[i] * off * off
        went += metric[i] * moved[i] * moved[i]
        meant += metric[i] * guess[i] * guess[i]
    beside = (moved[-1] - guess[-1]) / span
    return sqrt(astray + beside * beside), sqrt(astray), sqrt(max(went, meant))
