"""Axes of cranks and rods in space.

A motor turns about x of its frame. At the angle q its crank points along ``(0, cos q, sin q)`` of that frame.
"""

from __future__ import annotations

from math import cos, sin

import numpy as np

Array = np.ndarray

ON_CRANK = ((0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (1.0, 0.0, 0.0))
"""The motor's axes (columns) in those of its crank, whose x runs along it, at the angle zero."""
AS_LEAF = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])
"""Axes of a leaf (columns) in those of the rod in its place: a rod is curved about y, a leaf bends about z."""


def about_x(angle: float) -> Array:
    """Return the rotation about x."""
    return np.array([[1.0, 0.0, 0.0], [0.0, cos(angle), -sin(angle)], [0.0, sin(angle), cos(angle)]])


def about_y(angle: float) -> Array:
    """Return the rotation about y."""
    return np.array([[cos(angle), 0.0, sin(angle)], [0.0, 1.0, 0.0], [-sin(angle), 0.0, cos(angle)]])


def about_z(angle: float) -> Array:
    """Return the rotation about z."""
    return np.array([[cos(angle), -sin(angle), 0.0], [sin(angle), cos(angle), 0.0], [0.0, 0.0, 1.0]])


def crank(frame: Array, angle: float) -> Array:
    """Return the axes of a crank, x along it, turned by an angle about x of its motor."""
    return np.asarray(frame @ about_x(angle) @ np.transpose(ON_CRANK))


def rod(frame: Array, way: Array, *, bend: float = 0.0) -> Array:
    """Return the axes of a rod's base, x along it, for which its unstressed chord has the direction `way`.

    bend  rotation about y from base to tip, at rest (rad)

    ``R0 = R_motor Ry(q2) Rx(q3)``, where z runs along the rod: its chord turns by q3, then by q2 (Rodrigues, Yu,
    Stoeffler, Kumar, ARK 2024).
    """
    chord = np.array([0.0, cos(bend) - 1.0, sin(bend)]) if bend else np.array([0.0, 0.0, 1.0])
    x, y, z = frame.T @ way * np.linalg.norm(chord) / np.linalg.norm(way)
    q3 = np.arctan2(np.hypot(x, z), y) - np.arctan2(chord[2], chord[1])
    q2 = np.arctan2(x, z)
    return np.asarray((frame @ about_y(q2) @ about_x(q3))[:, [2, 0, 1]])
