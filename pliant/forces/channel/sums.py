"""Kernels of channels that sum over their Gauss points, from the length and its rate at one point."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import Any

import numpy as np

from pliant.forces.channel.rows import elements
from pliant.forces.tendon.law import stored, tension
from pliant.jit import allocating_kernel, kernel
from pliant.kernels.beam_points.spatial_sums import COLUMNS
from pliant.kernels.sums import Instant, Into

Pair = Callable[..., tuple[float, float]]


@kernel
def pulled(part: Any, line: int, length: float, u: np.ndarray) -> tuple[float, float, float]:
    """Return tension S, its slope S', and f = k (L - l0) + T."""
    k, slack, largest = part.law[line, 0], part.law[line, 1], part.law[line, 2]
    f = k * (length - u[part.signals[line, 0]]) + u[part.signals[line, 1]]
    force, slope = tension(f, slack, largest)
    return force, slope, f


def travel_of(span: Any) -> Pair:
    """Build the kernel of a channel's length and its rate, from the kernel (part, e, g, q, v) at a Gauss point."""

    @kernel
    def travel(part: Any, line: int, q: np.ndarray, v: np.ndarray) -> tuple[float, float]:
        length = rate = 0.0
        for e in range(part.first[line], part.first[line + 1]):
            p = part.order[e]
            for g in range(p):
                here, change = span(part, e, g, q, v)
                length += part.weight[p, g] * part.length[e] * here
                rate += part.weight[p, g] * part.length[e] * change
        return length, rate

    return travel


def energy_of(travel: Any) -> Pair:
    """Build the kernel of the elastic energy, and the potential of a constant tension, of passive channels."""

    @kernel
    def energy(part: Any, q: np.ndarray, u: np.ndarray) -> tuple[float, float]:
        potential = 0.0
        for line in range(part.signals.shape[0]):
            if part.steady[line]:
                length = travel(part, line, q, q)[0]
                force, _, f = pulled(part, line, length, u)
                k = part.law[line, 0]
                potential += stored(f, part.law[line, 1], part.law[line, 2]) / k if k > 0.0 else force * length
        return 0.0, potential

    return energy


def readings_of(travel: Any) -> Callable[..., None]:
    """Build the kernel of length, its rate and the tension of every channel."""

    @kernel
    def readings(part: Any, q: np.ndarray, v: np.ndarray, u: np.ndarray, out: np.ndarray) -> None:
        for line in range(part.signals.shape[0]):
            length, rate = travel(part, line, q, v)
            out[line, 0], out[line, 1], out[line, 2] = length, rate, pulled(part, line, length, u)[0]

    return readings


def folds_of(inward: Any) -> Callable[..., None]:
    """Build the kernel of the fold of every channel on the inner side of its beam's bend, from the kernel (part, e, g,
    q) -> offset over radius at a Gauss point: from 1 on the channel runs backwards there.
    """

    @kernel
    def folds(part: Any, q: np.ndarray, out: np.ndarray) -> None:
        for line in range(part.signals.shape[0]):
            for e in range(part.first[line], part.first[line + 1]):
                for g in range(part.order[e]):
                    out[line] = max(out[line], inward(part, e, g, q))

    return folds


def stiffening_of(travel: Any, add_gradient: Any) -> Callable[..., None]:
    """Build the kernel ``s += ck S' k L_q L_q^T`` of channels with a stiffness, over all freedoms of their nodes."""

    @allocating_kernel
    def add(part: Any, now: Instant, into: Into) -> None:
        if part.dofs.shape[0] == 0:
            return
        members, gradient, nodes = (
            elements(part, part.slots),
            np.zeros(now.q.size),
            np.empty((part.shape.shape[2], COLUMNS)),
        )
        for line in range(part.signals.shape[0]):
            slope = pulled(part, line, travel(members, line, now.q, now.v)[0], now.u)[1]
            gradient[:] = 0.0
            for e in range(part.first[line], part.first[line + 1]):
                for g in range(part.order[e]):
                    add_gradient(members, e, g, now.q, nodes, gradient)
            add_square(part, line, into.ck * slope * part.law[line, 0], gradient, into.s)

    return add


def joining_of(travel: Any, add_gradient: Any) -> Callable[..., None]:
    """Build that kernel with a border of the matrix, the change of the tension (linalg/pattern.py): ``[0 b; b^T -1]``
    with ``b = (ck S' k)^1/2 L_q``, so that elements of a channel couple to the border and not to each other.
    """

    @allocating_kernel
    def add(part: Any, now: Instant, into: Into) -> None:
        if part.length.size == 0:
            return
        gradient, nodes, width = np.zeros(now.q.size), np.empty((part.shape.shape[2], COLUMNS)), part.dofs.shape[1]
        last = part.slots.shape[1] - 1
        for line in range(part.signals.shape[0]):
            slope = pulled(part, line, travel(part, line, now.q, now.v)[0], now.u)[1]
            stiff = into.ck * slope * part.law[line, 0]
            if stiff == 0.0:
                continue
            first, end, share = part.first[line], part.first[line + 1], sqrt(abs(stiff))
            for e in range(first, end):
                for g in range(part.order[e]):
                    add_gradient(part, e, g, now.q, nodes, gradient)
            for e in range(first, end):
                for i in range(width):
                    into.s[part.slots[e, last - width + i]] += share * gradient[part.dofs[e, i]]
                    gradient[part.dofs[e, i]] = 0.0
            into.s[part.slots[first, last]] = -1.0 if stiff > 0.0 else 1.0

    return add


@kernel
def no_energy(part: Any, q: np.ndarray) -> tuple[float, float]:
    """Return zero: the energy of a channel is counted with its elements."""
    return 0.0, 0.0


@kernel
def add_square(part: Any, line: int, factor: float, gradient: np.ndarray, s: np.ndarray) -> None:
    """Add factor g g^T to s, in the freedoms of a whole channel."""
    n = 0
    for i in range(part.dofs.shape[1]):
        one = factor * gradient[part.dofs[line, i]]
        for j in range(i + 1):
            s[part.slots[line, n]] += one * gradient[part.dofs[line, j]]
            n += 1
