"""Shape of an unstressed beam from its curvature: ``theta' = kappa(s)``, ``(x', y') = (cos theta, sin theta)``.

In space: quaternions ``p' = p kappa / 2`` and points ``x' = R(p) e_x``, with the curvature kappa in the section's axes.
"""

from __future__ import annotations

import numpy as np

from pliant.model import rotations
from pliant.model.rotations import Array

Curvature = float | tuple[float, ...] | tuple[tuple[float, ...], ...]

PANEL_TURN = 0.5  # rad; with 10 Gauss points a panel's error is below 1e-16 of its length
TERMS = 16  # of a quaternion's power series: 0.25^16 / 16! is below 1e-22


def rest_pose(length: float | Array, curvature: float | Array | tuple[float, ...], s: Array) -> Array:
    """(n, 3) of x, y, theta at the places s in [0, 1]; of arcs, each may have a length and a curvature of its own."""
    if isinstance(curvature, tuple):
        return _clothoids(float(length), np.array(curvature), s)
    return _arc(length, curvature, s)


def _arc(length: float | Array, curvature: float | Array, s: Array) -> Array:
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


def rest_pose_in_space(length: float, curvature: Curvature, s: Array) -> tuple[Array, Array]:
    """Points (n, 3) and quaternions (n, 4) at the places s in [0, 1]; exact where the curvature is constant."""
    kappa = np.array(curvature, float)
    if kappa.ndim == 2:
        return _series(length, kappa, s)
    return _helix(np.array([0.0, 0.0, kappa]) if kappa.ndim == 0 else kappa, length * s)


def _helix(kappa: Array, arc: Array) -> tuple[Array, Array]:
    """Constant curvature, k its axis and t = |kappa| l: ``l (e + (1 - cos t)/t k x e + (1 - sin t/t) k x (k x e))``."""
    size = float(np.linalg.norm(kappa))
    axis = kappa / (size or 1.0)
    once = np.array([0.0, axis[2], -axis[1]])  # k x e
    twice = rotations.cross(axis, once)
    half = 0.5 * size * arc
    rise = np.sinc(half / np.pi) * np.sin(half)  # (1 - cos t) / t
    lag = 1.0 - np.sinc(2.0 * half / np.pi)
    points = arc[:, None] * (np.array([1.0, 0.0, 0.0]) + rise[:, None] * once + lag[:, None] * twice)
    return points, rotations.exponential(arc[:, None] * kappa)


def _series(length: float, kappa: Array, s: Array) -> tuple[Array, Array]:
    """Curvature linear between equally spaced places: power series of the quaternions, panel by panel."""
    pieces = len(kappa) - 1
    panels = 1 + int(length / pieces * np.max(np.linalg.norm(kappa, axis=1)) / PANEL_TURN)  # in each piece
    edges = np.linspace(0.0, 1.0, pieces * panels + 1)
    step = length / (pieces * panels)
    at_edges = np.column_stack([np.interp(edges, np.linspace(0.0, 1.0, pieces + 1), column) for column in kappa.T])
    panel = np.clip(np.searchsorted(edges, s, side="right") - 1, 0, len(edges) - 2)
    along = length * s - step * panel
    points, turns = np.empty((s.size, 3)), np.empty((s.size, 4))
    point, turn = np.zeros(3), rotations.IDENTITY
    for k in range(len(edges) - 1):
        mine = np.flatnonzero(panel == k)
        moved, turned = _panel(at_edges[k], (at_edges[k + 1] - at_edges[k]) / step, np.append(along[mine], step))
        moved, turned = point + rotations.rotate(turn, moved), rotations.product(turn, turned)
        points[mine], turns[mine] = moved[:-1], turned[:-1]
        point, turn = moved[-1], turned[-1]
    return points, turns


def _panel(kappa: Array, slope: Array, arc: Array) -> tuple[Array, Array]:
    """From the start of a panel: ``(n + 1) p_(n+1) = (p_n kappa + p_(n-1) slope) / 2``, points by Gauss quadrature."""
    terms, before = [rotations.IDENTITY], np.zeros(4)
    for n in range(TERMS):
        grown = rotations.product(terms[-1], np.append(0.0, kappa)) + rotations.product(before, np.append(0.0, slope))
        before = terms[-1]
        terms.append(0.5 * grown / (n + 1.0))
    nodes, weights = np.polynomial.legendre.leggauss(10)

    def turns(places: Array) -> Array:
        p = np.polynomial.polynomial.polyval(places, np.array(terms))
        return np.moveaxis(p, 0, -1) / np.linalg.norm(p, axis=0)[..., None]

    half = 0.5 * arc[:, None]
    tangents = rotations.rotate(turns(half * (1.0 + nodes)), (1.0, 0.0, 0.0))
    return half * np.einsum("ijk,j->ik", tangents, weights), turns(arc)
