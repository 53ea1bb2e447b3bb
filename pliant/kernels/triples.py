"""Spatial vectors as tuples for kernels: in registers, without memory."""

from __future__ import annotations

import numpy as np

from pliant.jit import kernel

Vector = tuple[float, float, float]


@kernel
def vector(x: np.ndarray, place: int) -> Vector:
    """Return three entries of an array."""
    return x[place], x[place + 1], x[place + 2]


@kernel
def dot(a: Vector, b: Vector) -> float:
    """Return a . b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel
def cross(a: Vector, b: Vector) -> Vector:
    """Return a x b."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@kernel
def times(f: float, a: Vector) -> Vector:
    """Return f a."""
    return f * a[0], f * a[1], f * a[2]


@kernel
def plus(a: Vector, b: Vector) -> Vector:
    """Return a + b."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@kernel
def minus(a: Vector, b: Vector) -> Vector:
    """Return a - b."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]
