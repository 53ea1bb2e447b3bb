"""Solution with triangular factors over the storage of pattern.py, panel by panel."""

from __future__ import annotations

import numpy as np

from pliant.jit import flat_kernel, kernel, linked_kernel
from pliant.linalg.pattern import Floats, Pattern

ONE, TWO, THREE = np.uint64(1), np.uint64(2), np.uint64(3)  # unsigned indices need no check for negative ones


@linked_kernel
def substitute(pattern: Pattern, lower: Floats, upper: Floats, x: Floats) -> None:
    """Replace x by (L D U)⁻¹ x. L and 1 / D are in `lower`, U in `upper` (one array if U = Lᵀ); unit diagonals."""
    for k in range(pattern.width.size):
        forward(pattern, lower, k, x)
    back(pattern, lower, upper, x)


@kernel
def beside_border(pattern: Pattern, b: Floats, x: Floats) -> None:
    """Copy b to x, with zeros for the unknowns of the border."""
    begin = pattern.order.size - pattern.borders
    for i in range(begin):
        x[i] = b[i]
    for i in range(begin, pattern.order.size):
        x[i] = 0.0


@kernel
def without_border(pattern: Pattern, x: Floats, b: Floats) -> None:
    """Copy x to b, without the unknowns of the border."""
    for i in range(pattern.order.size - pattern.borders):
        b[i] = x[i]


@flat_kernel
def forward(pattern: Pattern, lower: Floats, k: int, x: Floats) -> None:
    """Apply panel k of x := L⁻¹ x: subtract it from later unknowns."""
    members, head = pattern.members, pattern.head
    i, p = members[head[k]], pattern.start[k]
    x0 = x[i]
    if pattern.width[k] == ONE:
        for f in range(head[k] + ONE, head[k + 1]):
            x[members[f]] -= lower[p] * x0
            p += ONE
    else:
        x1 = x[i + ONE] - lower[p] * x0
        x2 = x[i + TWO] - lower[p + ONE] * x0 - lower[p + TWO] * x1
        x[i + ONE], x[i + TWO] = x1, x2
        for f in range(head[k] + THREE, head[k + 1]):
            p += THREE
            x[members[f]] -= lower[p] * x0 + lower[p + ONE] * x1 + lower[p + TWO] * x2


@kernel
def back(pattern: Pattern, lower: Floats, upper: Floats, x: Floats) -> None:
    """Replace x by (D U)⁻¹ x."""
    for k in range(pattern.width.size - 1, -1, -1):
        backward(pattern, lower, upper, k, x)


@kernel
def backward(pattern: Pattern, lower: Floats, upper: Floats, k: int, x: Floats) -> None:
    """Apply panel k of x := (D U)⁻¹ x, after the panels of later unknowns."""
    members, head = pattern.members, pattern.head
    first, f, p = head[k], head[k + 1], pattern.start[k + 1]
    i = members[first]
    x0 = x[i] * lower[i]
    if pattern.width[k] == ONE:
        while f > first + ONE:
            f, p = f - ONE, p - ONE
            x0 -= upper[p] * x[members[f]]
    else:
        x1, x2 = x[i + ONE] * lower[i + ONE], x[i + TWO] * lower[i + TWO]
        while f > first + THREE:
            f, p = f - ONE, p - THREE
            y = x[members[f]]
            x0 -= upper[p] * y
            x1 -= upper[p + ONE] * y
            x2 -= upper[p + TWO] * y
        p -= THREE
        x1 -= upper[p + TWO] * x2
        x0 = x0 - upper[p + ONE] * x2 - upper[p] * x1
        x[i + ONE], x[i + TWO] = x1, x2
    x[i] = x0
