"""Lagrange shapes on equally spaced nodes and Gauss rules, on the unit interval."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np


@cache
def gauss(points: int) -> tuple[np.ndarray, np.ndarray]:
    """Return places and weights that integrate polynomials of degree 2 points - 1 over [0, 1]."""
    x, weight = np.polynomial.legendre.leggauss(points)
    return 0.5 * (x + 1), 0.5 * weight


def lagrange(order: int, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return values and slopes (points, order + 1) of the polynomials that are one at node i and zero at the others."""
    node = np.linspace(0, 1, order + 1)
    value = np.ones((len(x), order + 1))
    slope = np.zeros_like(value)
    for i in range(order + 1):
        for k in range(order + 1):
            if k != i:
                slope[:, i] = (slope[:, i] * (x - node[k]) + value[:, i]) / (node[i] - node[k])
                value[:, i] *= (x - node[k]) / (node[i] - node[k])
    return value, slope


@cache
def mass_shares(order: int, *, lumped: bool) -> np.ndarray:
    """Return the integrals of shape_i shape_j over the unit interval; lumped: its row sums on the diagonal."""
    x, weight = gauss(order + 1)
    value, _ = lagrange(order, x)
    consistent: np.ndarray = np.einsum("g,gi,gj->ij", weight, value, value)
    return np.diag(consistent.sum(axis=1)) if lumped else consistent


def tables(orders: Sequence[int]) -> tuple[int, np.ndarray, np.ndarray, np.ndarray]:
    """Return the highest order P and, by order, shapes and slopes of the nodes at the Gauss points and the points'
    weights, (P + 1, P, P + 1), (P + 1, P, P + 1) and (P + 1, P), padded with zeros.
    """
    P = max(orders, default=1)
    shape, slope, weight = np.zeros((P + 1, P, P + 1)), np.zeros((P + 1, P, P + 1)), np.zeros((P + 1, P))
    for p in set(orders):
        weight[p, :p] = gauss(p)[1]
        shape[p, :p, : p + 1], slope[p, :p, : p + 1] = _at_gauss_points(p)
    return P, shape, slope, weight


@cache
def _at_gauss_points(order: int) -> tuple[np.ndarray, np.ndarray]:
    """Return `lagrange` at the Gauss points of elements of this order."""
    return lagrange(order, gauss(order)[0])
