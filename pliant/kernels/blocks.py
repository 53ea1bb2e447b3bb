"""Add 3 x 3 blocks to the matrices of a spatial system, and rotary inertia.

A node has six freedoms: three of its point, then three of its spin in its own frame. A block is addressed by its first
row and column in the local matrix; ``slots`` are the places of the lower triangle, row by row.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pliant.jit import flat_kernel, inlined_kernel, kernel
from pliant.kernels.dyads import product_skew, skew, skew_product
from pliant.kernels.sums import Instant, Into
from pliant.kernels.tensors import Matrix, added, apply, scaled, transposed
from pliant.kernels.triples import Vector, cross, plus, times, vector


@kernel
def add_vector(r: np.ndarray, dofs: np.ndarray, e: int, row: int, f: float, x: Vector) -> None:
    """Add f x to r in three freedoms of element e."""
    r[dofs[e, row]] += f * x[0]
    r[dofs[e, row + 1]] += f * x[1]
    r[dofs[e, row + 2]] += f * x[2]


@kernel
def add_block(s: np.ndarray, slots: np.ndarray, e: int, row: int, column: int, f: float, A: Matrix) -> None:
    """Add f A to s, at a block below the diagonal."""
    first = row * (row + 1) // 2 + column
    second, third = first + row + 1, first + 2 * row + 3
    s[slots[e, first]] += f * A[0]
    s[slots[e, first + 1]] += f * A[1]
    s[slots[e, first + 2]] += f * A[2]
    s[slots[e, second]] += f * A[3]
    s[slots[e, second + 1]] += f * A[4]
    s[slots[e, second + 2]] += f * A[5]
    s[slots[e, third]] += f * A[6]
    s[slots[e, third + 1]] += f * A[7]
    s[slots[e, third + 2]] += f * A[8]


@kernel
def add_transposed(s: np.ndarray, slots: np.ndarray, e: int, row: int, column: int, f: float, A: Matrix) -> None:
    """Add f A^T to s, at a block below the diagonal."""
    add_block(s, slots, e, row, column, f, transposed(A))


@kernel
def add_diagonal_block(s: np.ndarray, slots: np.ndarray, e: int, row: int, f: float, A: Matrix) -> None:
    """Add the lower triangle of f A to s, at a block on the diagonal."""
    first = row * (row + 3) // 2
    second, third = first + row + 1, first + 2 * row + 3
    s[slots[e, first]] += f * A[0]
    s[slots[e, second]] += f * A[3]
    s[slots[e, second + 1]] += f * A[4]
    s[slots[e, third]] += f * A[6]
    s[slots[e, third + 1]] += f * A[7]
    s[slots[e, third + 2]] += f * A[8]


@kernel
def add_halves(s: np.ndarray, w: np.ndarray, slots: np.ndarray, e: int, row: int, f: float, A: Matrix) -> None:
    """Add f (A + A^T)/2 to s and f (A - A^T)/2 to w, at a block on the diagonal."""
    first = row * (row + 3) // 2
    second, third = first + row + 1, first + 2 * row + 3
    half = 0.5 * f
    s[slots[e, first]] += f * A[0]
    s[slots[e, second + 1]] += f * A[4]
    s[slots[e, third + 2]] += f * A[8]
    s[slots[e, second]] += half * (A[3] + A[1])
    w[slots[e, second]] += half * (A[3] - A[1])
    s[slots[e, third]] += half * (A[6] + A[2])
    w[slots[e, third]] += half * (A[6] - A[2])
    s[slots[e, third + 1]] += half * (A[7] + A[5])
    w[slots[e, third + 1]] += half * (A[7] - A[5])


@inlined_kernel
def add_spin(part: Any, e: int, row: int, J: Matrix, alpha: float, now: Instant, into: Into) -> None:
    """Add the rotary inertia J of the node whose spin begins at this row: ``m = J (w' + alpha w) + w x J w``.

    Its tangent is ``cm J + cc (alpha J + skew(w) J - skew(J w))`` and, as all moments are measured in the exponential
    chart of the node's frame, ``-ck skew(m)/2``: the sum of these halves over all parts vanishes in equilibrium.
    """
    v, a, r, ck, cc, cm = now.v, now.a, into.r, into.ck, into.cc, into.cm
    i, j, k = part.dofs[e, row], part.dofs[e, row + 1], part.dofs[e, row + 2]
    spin = v[i], v[j], v[k]
    swirl = apply(J, spin)
    moment = plus(apply(J, (a[i], a[j], a[k])), plus(times(alpha, swirl), cross(spin, swirl)))
    r[i] += moment[0]
    r[j] += moment[1]
    r[k] += moment[2]
    gyroscopic = added(skew_product(spin, J), skew(times(-1.0, swirl)))
    turning = added(scaled(cc, gyroscopic), skew(times(-0.5 * ck, moment)))
    add_halves(into.s, into.w, part.slots, e, row, 1.0, added(scaled(cm + cc * alpha, J), turning))


@inlined_kernel
def add_shared_spin(
    part: Any, e: int, place: tuple[int, int], J: Vector, alpha: float, now: Instant, into: Into
) -> None:
    """Add the rotary inertia J that couples two nodes with spins w, x at these rows of element e, the later one first.

    The moment on w is ``J (x' + alpha x) + w x J x``, on x likewise; J is constant in the axes of the sections.
    Its tangent is ``(cm + cc alpha + cc skew(w)) J`` by x and ``-cc skew(J x)`` by w, with the half term of `add_spin`.
    """
    v, a, dofs, slots, half = now.v, now.a, part.dofs, part.slots, 0.5 * into.cc
    later, earlier = place
    w, x = vector(v, dofs[e, later]), vector(v, dofs[e, earlier])
    first = shared_moment(J, alpha, w, x, vector(a, dofs[e, earlier]))
    second = shared_moment(J, alpha, x, w, vector(a, dofs[e, later]))
    add_vector(into.r, dofs, e, later, 1.0, first)
    add_vector(into.r, dofs, e, earlier, 1.0, second)
    if into.ck == 0.0 and into.cc == 0.0 and into.cm == 0.0:
        return
    add_skew(into.w, slots, e, later, turned_away(J, x, first, into.cc, into.ck))
    add_skew(into.w, slots, e, earlier, turned_away(J, w, second, into.cc, into.ck))
    tie = shared_spin(J, into.cm + into.cc * alpha, times(half, w), times(half, x))
    add_block(into.s, slots, e, later, earlier, 1.0, tie.even)
    add_block(into.w, slots, e, later, earlier, 1.0, tie.skew)


class Tie(NamedTuple):
    """Symmetric and skew half of the tangent of a shared inertia by the spins of both nodes."""

    even: Matrix
    skew: Matrix


@flat_kernel
def shared_spin(J: Vector, massive: float, w: Vector, x: Vector) -> Tie:
    """Return the block of `add_shared_spin` that couples two nodes with spins w and x times cc/2."""
    diagonal = J[0], 0.0, 0.0, 0.0, J[1], 0.0, 0.0, 0.0, J[2]
    one, two = skew_product(w, diagonal), product_skew(diagonal, x)
    return Tie(added(scaled(massive, diagonal), added(one, scaled(-1.0, two))), added(one, two))


@flat_kernel
def shared_moment(J: Vector, alpha: float, w: Vector, x: Vector, rate: Vector) -> Vector:
    """Return the moment on the node with spin w due to the inertia shared with a node with spin x and rate x'."""
    swirl = J[0] * x[0], J[1] * x[1], J[2] * x[2]
    pushed = J[0] * rate[0], J[1] * rate[1], J[2] * rate[2]
    return plus(pushed, plus(times(alpha, swirl), cross(w, swirl)))


@flat_kernel
def turned_away(J: Vector, x: Vector, moment: Vector, cc: float, ck: float) -> Vector:
    """Return entries (1, 0), (2, 0), (2, 1) of ``-cc skew(J x) - ck/2 skew(moment)``."""
    y = (
        -cc * J[0] * x[0] - 0.5 * ck * moment[0],
        -cc * J[1] * x[1] - 0.5 * ck * moment[1],
        -cc * J[2] * x[2] - 0.5 * ck * moment[2],
    )
    return y[2], -y[1], y[0]


class Spinning(NamedTuple):
    """Moment of a rotary inertia, and its tangent: even half, and entries (1, 0), (2, 0), (2, 1) of the skew half."""

    moment: Vector
    even: Matrix
    skew: Vector


@flat_kernel
def spinning(J: Vector, alpha: float, w: Vector, rate: Vector, ck: float, cc: float, cm: float) -> Spinning:
    """Return the terms of `add_spin` for principal moments of inertia J in the node's axes."""
    x, y, z = J[0] * w[0], J[1] * w[1], J[2] * w[2]
    moment = (
        J[0] * rate[0] + alpha * x + w[1] * z - w[2] * y,
        J[1] * rate[1] + alpha * y + w[2] * x - w[0] * z,
        J[2] * rate[2] + alpha * z + w[0] * y - w[1] * x,
    )
    half, massive = 0.5 * cc, cm + cc * alpha
    xy, xz, yz = half * w[2] * (J[0] - J[1]), half * w[1] * (J[2] - J[0]), half * w[0] * (J[1] - J[2])
    odd = (
        half * w[2] * (J[0] + J[1] - 2.0 * J[2]) - 0.5 * ck * moment[2],
        half * w[1] * (2.0 * J[1] - J[0] - J[2]) + 0.5 * ck * moment[1],
        half * w[0] * (J[1] + J[2] - 2.0 * J[0]) - 0.5 * ck * moment[0],
    )
    return Spinning(moment, (massive * J[0], xy, xz, xy, massive * J[1], yz, xz, yz, massive * J[2]), odd)


@kernel
def add_skew(w: np.ndarray, slots: np.ndarray, e: int, row: int, x: Vector) -> None:
    """Add entries (1, 0), (2, 0), (2, 1) of a skew block on the diagonal to w."""
    second = row * (row + 3) // 2 + row + 1
    third = second + row + 2
    w[slots[e, second]] += x[0]
    w[slots[e, third]] += x[1]
    w[slots[e, third + 1]] += x[2]


@kernel
def spin_form(dofs: np.ndarray, e: int, row: int, J: Matrix, v: np.ndarray) -> float:
    """Return w . J w of the node whose spin begins at a row of element e."""
    spin = v[dofs[e, row]], v[dofs[e, row + 1]], v[dofs[e, row + 2]]
    swirl = apply(J, spin)
    return spin[0] * swirl[0] + spin[1] * swirl[1] + spin[2] * swirl[2]


@kernel
def add_cross_halves(s: np.ndarray, w: np.ndarray, slots: np.ndarray, e: int, f: float, A: Matrix) -> None:
    """Add f A^T/2 to s, -f A^T/2 to w, at spin and point of a node whose force changes with the spin by f A."""
    add_transposed(s, slots, e, 3, 0, 0.5 * f, A)
    add_transposed(w, slots, e, 3, 0, -0.5 * f, A)
