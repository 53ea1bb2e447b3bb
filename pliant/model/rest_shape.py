"""Shape of an unstressed beam from its curvature: ``theta' = kappa(s)``, ``(x', y') = (cos theta, sin theta)``."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

PANEL_TURN = 0.5  # rad; with 10 Gauss points a panel's error is below 1e-16 of its length


def rest_pose(length: float, curvature: float | tuple[float, ...], s: Array) -> Array:
    """(n, 3) of x, y, theta at the places s in [0, 1]."""
    if isinstance(curvature, tuple):
        return _clothoids(length, np.array(curvature), s)
    return _arc(length, curvature, s)


def _arc(length: float, curvature: float, s: Array) -> Array:
    """Circle or line: chord ``l sinc(theta/2)`` in direction ``theta/2``, regular at zero curvature."""
    arc = length * s
    theta = curvature * arc
    chord = arc * np.sinc(theta / (2.0 * np.pi))
    return np.column_stack([chord * np.cos(theta / 2.0), chord * np.sin(theta / 2.0), theta])


def _clothoids(length: float, curvature: Array, s: Array) -> Array:
    """Curvature linear between equally spaced places; Gauss quadrature on panels that turn by half a radian at most."""
    pieces = len(curvature) - 1
    step = length / pieces
    start_angle = np.concatenate([[0.0], np.cumsum(step * (curvature[1:] + curvature[:-1]) / 2.0)])

    def theta(arc: Array) -> Array:
        piece = np.clip((arc / step).astype(int), 0, pieces - 1)
        along = arc - piece * step
        slope = (curvature[piece + 1] - curvature[piece]) / step
        return start_angle[piece] + along * (curvature[piece] + along * slope / 2.0)

    panels = 1 + int(step * np.max(np.abs(curvature)) / PANEL_TURN)  # in each piece
    points, weights = np.polynomial.legendre.leggauss(10)

    def integral(begin: Array, end: Array) -> Array:
        half = (end - begin)[:, None] / 2.0
        angle = theta((begin + end)[:, None] / 2.0 + half * points)
        return np.stack([np.cos(angle), np.sin(angle)], axis=1) @ weights * half

    edges = length * np.linspace(0.0, 1.0, pieces * panels + 1)
    at_edges = np.vstack([np.zeros((1, 2)), np.cumsum(integral(edges[:-1], edges[1:]), axis=0)])
    arc = length * s
    panel = np.clip(np.searchsorted(edges, arc, side="right") - 1, 0, len(edges) - 2)
    return np.column_stack([at_edges[panel] + integral(edges[panel], arc), theta(arc)])
