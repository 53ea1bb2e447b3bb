"""A law between two nodes: its forces on measures, spread over the freedoms of the nodes; for plane and space.

With measures x(q), gradients x_q, Hessians x_qq and the law's force f(x, x', u),

    r   +=  f_k x_k,q
    s   +=  ck (f_k x_k,qq + f_k,l x_k,q x_l,q^T + f_k,l' x_k,q x'_l,q^T) + cc f_k,l' x_k,q x_l,q^T

(f_k,l by measure l, f_k,l' by its rate); the skew half goes to w.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pliant.jit import allocating_kernel, linked_kernel
from pliant.kernels.scatter import add_both
from pliant.kernels.sums import Into


class Arrays(NamedTuple):
    """Arrays of a law, one entry a part; all parts have the same kinds of measures."""

    dofs: np.ndarray  # (n, 6 or 12) of nodes a and b; for the angle alone (n, 2 or 6) rotations
    slots: np.ndarray
    frames: np.ndarray  # (n, 2) places of their quaternions, in space
    arms: np.ndarray  # (n, 4 or 6) of the markers on their nodes
    kinds: np.ndarray  # (measures,)
    directions: np.ndarray  # (n, measures, 9) direction, axis or reference of a measure, in the axes of the nodes
    numbers: np.ndarray  # (n, numbers) p of the law
    inputs: np.ndarray  # (n, inputs) signals
    steady: np.ndarray  # (n,) 1 if the signals never change


class Measured(NamedTuple):
    """Measures of one part: value, rate, gradient, Hessian (lower triangle), and the derivative of the rate."""

    x: np.ndarray
    rate: np.ndarray
    gradient: np.ndarray
    hessian: np.ndarray
    swing: np.ndarray


class Response(NamedTuple):
    """Output of a law: force, and its derivatives by measures and by their rates."""

    f: np.ndarray
    f_x: np.ndarray
    f_rate: np.ndarray
    change: np.ndarray  # (measures, freedoms) of the force, by the freedoms


@allocating_kernel
def measured(part: Arrays) -> Measured:
    """Allocate the measures of one part."""
    m, n = part.kinds.size, part.dofs.shape[1]
    return Measured(np.zeros(m), np.zeros(m), np.zeros((m, n)), np.zeros((m, n * (n + 1) // 2)), np.zeros((m, n)))


@allocating_kernel
def response(part: Arrays) -> Response:
    """Allocate the output of the law."""
    m, n = part.kinds.size, part.dofs.shape[1]
    return Response(np.zeros(m), np.zeros((m, m)), np.zeros((m, m)), np.zeros((m, n)))


@linked_kernel
def take_in(part: Arrays, e: int, v: np.ndarray, at: Measured) -> None:
    """Compute rates, and Hessians times velocity."""
    for k in range(part.kinds.size):
        at.rate[k] = 0.0
        for i in range(part.dofs.shape[1]):
            at.rate[k] += at.gradient[k, i] * v[part.dofs[e, i]]
            at.swing[k, i] = 0.0
        n = 0
        for i in range(part.dofs.shape[1]):
            for j in range(i + 1):
                at.swing[k, i] += at.hessian[k, n] * v[part.dofs[e, j]]
                if j < i:
                    at.swing[k, j] += at.hessian[k, n] * v[part.dofs[e, i]]
                n += 1


@linked_kernel
def spread(part: Arrays, e: int, at: Measured, law: Response, into: Into) -> None:
    """Add the forces and tangents of part e by the equations above."""
    ck, cc, r, s, w = into.ck, into.cc, into.r, into.s, into.w
    dofs, slots, x, change, n, m = part.dofs, part.slots, at.gradient, law.change, 0, part.kinds.size
    change[:] = 0.0
    for k in range(m):
        for l in range(m):
            stiff, late = ck * law.f_x[k, l] + cc * law.f_rate[k, l], ck * law.f_rate[k, l]
            if stiff != 0.0 or late != 0.0:
                for j in range(dofs.shape[1]):
                    change[k, j] += stiff * x[l, j] + late * at.swing[l, j]
    for i in range(dofs.shape[1]):
        for k in range(m):
            r[dofs[e, i]] += law.f[k] * x[k, i]
        for j in range(i + 1):
            geometric, lower, upper = 0.0, 0.0, 0.0
            for k in range(m):
                geometric += law.f[k] * at.hessian[k, n]
                lower += x[k, i] * change[k, j]
                upper += x[k, j] * change[k, i]
            both = ck * geometric + 0.5 * (lower + upper)
            add_both(s, w, slots[e, n], dofs[e, i], dofs[e, j], i == j, both, 0.5 * (lower - upper))
            n += 1
