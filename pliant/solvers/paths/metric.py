"""Lengths and angles along a path of equilibria, compiled: directions are (dq, dlambda, dp), and

``a . b = sum of metric dq_a dq_b + dp_a dp_b / span^2``, without the reactions.
"""

from __future__ import annotations

from math import copysign, pi, sqrt

import numpy as np

from pliant.jit import kernel


@kernel
def product_q(metric: np.ndarray, a: np.ndarray, b: np.ndarray) -> float:
    """Return the product of the displacements of two directions."""
    total = 0.0
    for i in range(metric.size):
        total += metric[i] * a[i] * b[i]
    return total


@kernel
def product(metric: np.ndarray, span: float, a: np.ndarray, b: np.ndarray) -> float:
    """Return a . b."""
    return product_q(metric, a, b) + a[-1] * b[-1] / (span * span)


@kernel
def direct(metric: np.ndarray, span: float, forward: np.ndarray, tangent: np.ndarray) -> None:
    """Scale a direction to length one and turn it ``forward``, in place."""
    size = copysign(sqrt(product(metric, span, tangent, tangent)), product(metric, span, tangent, forward))
    for i in range(tangent.size):
        tangent[i] /= size


@kernel
def cosine(metric: np.ndarray, span: float, still: float, a: np.ndarray, b: np.ndarray) -> float:
    """Return the cosine of the angle between two directions of length one, or between their displacements if that angle
    is larger; displacements below ``still`` are not compared.
    """
    whole, first, second = product(metric, span, a, b), sqrt(product_q(metric, a, a)), sqrt(product_q(metric, b, b))
    if max(first, second) <= still:
        return whole
    return min(whole, product_q(metric, a, b) / max(first * second, still * still))


@kernel
def distance_to_guess(
    metric: np.ndarray, span: float, moved: np.ndarray, guess: np.ndarray
) -> tuple[float, float, float]:
    """Return the distance of a step's end from its guess, its displacements alone, and their size."""
    astray, went, meant = 0.0, 0.0, 0.0
    for i in range(metric.size):
        off = moved[i] - guess[i]
        astray += metric[i] * off * off
        went += metric[i] * moved[i] * moved[i]
        meant += metric[i] * guess[i] * guess[i]
    beside = (moved[-1] - guess[-1]) / span
    return sqrt(astray + beside * beside), sqrt(astray), sqrt(max(went, meant))


@kernel
def apply_metric(metric: np.ndarray, x: np.ndarray, y: np.ndarray) -> None:
    """Compute y = W x for displacements x, with zero reactions."""
    for i in range(y.size):
        y[i] = metric[i] * x[i] if i < x.size else 0.0


@kernel
def soften(metric: np.ndarray, y: np.ndarray, x: np.ndarray) -> float:
    """Return mu = (y . x) / (y . y) of K x = mu W x for ``y = K^-1 W x``, and scale x = y to length one."""
    size = product_q(metric, y, y)
    softness = product_q(metric, y, x) / size
    for i in range(x.size):
        x[i] = y[i] / sqrt(size)
    return softness


@kernel
def unwind(x: np.ndarray, angles: np.ndarray) -> None:
    """Remove whole turns from the angles of a direction, in place, if one of them exceeds half a turn."""
    turned = False
    for k in angles:
        turned = turned or abs(x[k]) > pi
    if turned:
        for k in angles:
            x[k] -= 2.0 * pi * np.round(x[k] / (2.0 * pi))
