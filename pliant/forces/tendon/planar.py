"""Tendons through guides: points p_0 ... p_n, length ``L = sum |p_{i+1} - p_i|``, force ``f = k (L - l0) + c L' + T``.

The tension S(f) of law.py acts along every piece: ``r += S L_q``. Tangent ``S' k L_q L_q^T + S L_qq``, the geometric
part included that thesis eq. 5.48 leaves out, and from the damper ``S' c L_q (L_qq v)^T``, whose skew half goes to w.
"""

from __future__ import annotations

from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pliant._jit import allocating_kernel, kernel
from pliant.forces import Tendon
from pliant.forces.tendon.law import stored, tension
from pliant.kernels.marker import span

if TYPE_CHECKING:
    from pliant.system.layout import Layout


class Arrays(NamedTuple):
    """One entry a tendon. Routes with fewer points than the longest are filled up with the ground."""

    dofs: np.ndarray  # (n, 3 points)
    slots: np.ndarray
    points: np.ndarray  # (n) how many it has
    offsets: np.ndarray  # (n, 2 points)
    signals: np.ndarray  # (n, 2) rest length, tension
    law: np.ndarray  # (n, 4) stiffness, damping, width of the transition to slack, largest force
    steady: np.ndarray  # 1 when rest length and tension are constant in time: it then has a potential


def pack(layout: Layout) -> Arrays:
    """Tendons of the model. A pretension given as force or shortening becomes a rest length here."""
    tendons = lines(layout)
    longest = max((len(t.markers) for t in tendons), default=2)
    count = len(tendons)
    nodes = np.full((count, longest), layout.ground)
    offsets = np.zeros((count, longest, 2))
    signals, law = [], []
    for e, t in enumerate(tendons):
        for p, marker in enumerate(t.markers):
            nodes[e, p] = layout.node(marker)
            offsets[e, p] = layout.offset(marker)[:2]
        length = route_length(layout, t)
        rest = layout.signal(t.rest(length), t, "rest_length") if t.stiffness else layout.ZERO
        signals.append((rest, layout.signal(t.tension if t.tension is not None else 0.0, t, "tension")))
        law.append((t.stiffness, t.damping, t.slack(length), inf if t.largest_force is None else t.largest_force))
    return Arrays(
        dofs=layout.dofs(nodes, longest),
        slots=np.empty((count, 0), np.uint32),
        points=np.array([len(t.markers) for t in tendons], np.uint32),
        offsets=offsets.reshape(count, 2 * longest),
        signals=np.array(signals, np.uint32).reshape(-1, 2),
        law=np.array(law, float).reshape(-1, 4),
        steady=np.array([all(map(layout.is_constant, pair)) for pair in signals], np.uint32),
    )


def lines(layout: Layout) -> list[Tendon]:
    """The tendons, in the order of their readings."""
    return layout.forces(Tendon)


def route_length(layout: Layout, tendon: Tendon, q: np.ndarray | None = None) -> float:
    """Length of the route in a configuration, the assembled one unless given."""
    steps = np.diff([layout.place(marker, q) for marker in tendon.markers], axis=0)
    return float(np.sum(np.hypot(*steps.T)))


def rest_lengths(layout: Layout, q: np.ndarray) -> list[tuple[int, float]]:
    """Signals and their values at which no elastic tendon is stretched in a configuration."""
    elastic = [t for t in lines(layout) if t.stiffness]
    return [(layout.signal(0.0, t, "rest_length"), route_length(layout, t, q)) for t in elastic]


def pretension(layout: Layout) -> None:
    """Rest lengths from the routes in the assembled pose, where the tendons say their force or shortening."""
    for tendon in lines(layout):
        if tendon.stiffness:
            number = layout.signal(0.0, tendon, "rest_length")
            rest = tendon.rest(route_length(layout, tendon))
            layout.signals[number] = replace(layout.signals[number], signal=rest)


@kernel
def route(
    part: Arrays, e: int, q: np.ndarray, gradient: np.ndarray, hessian: np.ndarray, one: np.ndarray, bend: np.ndarray
) -> float:
    """Length, its gradient and its Hessian (lower triangle) in the freedoms of all points; the last two are scratch."""
    points = part.points[e]
    if points == 2:
        return span(q, part.dofs[e], part.offsets[e], gradient, hessian)
    gradient[:] = 0.0
    hessian[:] = 0.0
    length = 0.0
    for k in range(points - 1):
        length += span(q, part.dofs[e, 3 * k :], part.offsets[e, 2 * k :], one, bend)
        n = 0
        for i in range(6):
            row = 3 * k + i
            gradient[row] += one[i]
            start = (row * (row + 1) >> 1) + 3 * k
            for j in range(i + 1):
                hessian[start + j] += bend[n]
                n += 1
    return length


@kernel
def along(x: np.ndarray, y: np.ndarray, dofs: np.ndarray, count: int) -> float:
    """Scalar product of a local vector with a global one."""
    total = 0.0
    for i in range(count):
        total += x[i] * y[dofs[i]]
    return total


@kernel
def times(hessian: np.ndarray, v: np.ndarray, dofs: np.ndarray, count: int, out: np.ndarray) -> None:
    """out = H v for a packed symmetric matrix."""
    out[:count] = 0.0
    n = 0
    for i in range(count):
        for j in range(i + 1):
            out[i] += hessian[n] * v[dofs[j]]
            if i != j:
                out[j] += hessian[n] * v[dofs[i]]
            n += 1


@kernel
def asked(part: Arrays, e: int, length: float, u: np.ndarray) -> float:
    """f without damping: k (L - l0) + T."""
    return part.law[e, 0] * (length - u[part.signals[e, 0]]) + u[part.signals[e, 1]]


@allocating_kernel
def add(
    part: Arrays,
    q: np.ndarray,
    v: np.ndarray,
    u: np.ndarray,
    ck: float,
    cc: float,
    r: np.ndarray,
    s: np.ndarray,
    w: np.ndarray,
) -> None:
    """Tension along every piece, with consistent tangents."""
    size = part.dofs.shape[1]
    gradient, turning, hessian = np.empty(size), np.zeros(size), np.empty(size * (size + 1) // 2)
    one, bend = np.empty(6), np.empty(21)
    for e in range(part.points.size):
        dofs, slots, count = part.dofs[e], part.slots[e], 3 * part.points[e]
        length = route(part, e, q, gradient, hessian, one, bend)
        c = part.law[e, 1]
        f = asked(part, e, length, u)
        if c != 0.0:
            f += c * along(gradient, v, dofs, count)
            times(hessian, v, dofs, count, turning)
        pull, slope = tension(f, part.law[e, 2], part.law[e, 3])
        stiff, late = slope * (ck * part.law[e, 0] + cc * c), 0.5 * ck * slope * c
        n = 0
        for i in range(count):
            r[dofs[i]] += pull * gradient[i]
            for j in range(i + 1):
                lower, upper = gradient[i] * turning[j], gradient[j] * turning[i]
                both = stiff * gradient[i] * gradient[j] + ck * pull * hessian[n] + late * (lower + upper)
                scatter(s, w, slots[n], dofs[i], dofs[j], i == j, both, late * (lower - upper))
                n += 1


@kernel
def scatter(
    s: np.ndarray, w: np.ndarray, slot: int, row: int, column: int, diagonal: bool, both: float, skew: float
) -> None:
    """Add the local entries (i, j) = both + skew and (j, i) = both - skew, i >= j.

    Two points of one node share its freedoms: their entries then meet on the diagonal, where both count.
    """
    if row > column:
        s[slot] += both
        w[slot] += skew
    elif row < column:
        s[slot] += both
        w[slot] -= skew
    else:
        s[slot] += both if diagonal else 2.0 * both


@allocating_kernel
def energy(part: Arrays, q: np.ndarray, u: np.ndarray) -> tuple[float, float]:
    """Elastic energy, and the potential of a constant tension, of tendons that are not driven."""
    size = part.dofs.shape[1]
    gradient, hessian = np.empty(size), np.empty(size * (size + 1) // 2)
    one, bend = np.empty(6), np.empty(21)
    potential = 0.0
    for e in range(part.points.size):
        if part.steady[e]:
            length = route(part, e, q, gradient, hessian, one, bend)
            f = asked(part, e, length, u)
            if part.law[e, 0] > 0.0:
                potential += stored(f, part.law[e, 2], part.law[e, 3]) / part.law[e, 0]
            else:
                potential += tension(f, part.law[e, 2], part.law[e, 3])[0] * length
    return 0.0, potential


@allocating_kernel
def power(part: Arrays, q: np.ndarray, v: np.ndarray, u: np.ndarray) -> tuple[float, float]:
    """Power of driven tendons, and what all lose by damping: ``(S(f) - S(f without damping)) L'``, never negative."""
    size = part.dofs.shape[1]
    gradient, hessian = np.empty(size), np.empty(size * (size + 1) // 2)
    one, bend = np.empty(6), np.empty(21)
    supplied = dissipated = 0.0
    for e in range(part.points.size):
        c, slack, largest = part.law[e, 1], part.law[e, 2], part.law[e, 3]
        if part.steady[e] and c == 0.0:
            continue
        f = asked(part, e, route(part, e, q, gradient, hessian, one, bend), u)
        rate = along(gradient, v, part.dofs[e], 3 * part.points[e])
        elastic = tension(f, slack, largest)[0]
        dissipated += (tension(f + c * rate, slack, largest)[0] - elastic) * rate
        if not part.steady[e]:
            supplied -= elastic * rate
    return supplied, dissipated


@allocating_kernel
def readings(part: Arrays, q: np.ndarray, v: np.ndarray, u: np.ndarray, out: np.ndarray) -> None:
    """Length, its rate, and tension of every tendon."""
    size = part.dofs.shape[1]
    gradient, hessian = np.empty(size), np.empty(size * (size + 1) // 2)
    one, bend = np.empty(6), np.empty(21)
    for e in range(part.points.size):
        length = route(part, e, q, gradient, hessian, one, bend)
        rate = along(gradient, v, part.dofs[e], 3 * part.points[e])
        f = asked(part, e, length, u) + part.law[e, 1] * rate
        out[e, 0], out[e, 1], out[e, 2] = length, rate, tension(f, part.law[e, 2], part.law[e, 3])[0]
