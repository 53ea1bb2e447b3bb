"""Tendons through guides: points p_0 ... p_n, length ``L = sum |p_{i+1} - p_i|``, force ``f = k (L - l0) + c L' + T``.

The tension S(f) of law.py acts along every piece: ``r += S L_q``. Tangent ``S' k L_q L_q^T + S L_qq``, the geometric
part included that thesis eq. 5.48 leaves out, and from the damper ``S' c L_q (L_qq v)^T``, whose skew half goes to w.
Guides, and their friction, are in route.py.
"""

from __future__ import annotations

from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pliant._jit import allocating_kernel, kernel
from pliant.forces import Tendon
from pliant.forces._lines import add_line, along, chord
from pliant.forces.tendon.law import stored, tension
from pliant.forces.tendon.route import add_route, rub, rubbing, survey, travel, workspace

if TYPE_CHECKING:
    from pliant.system.layout import Layout

FIRM = 8.0  # how firmly friction holds to an assumed direction: tanh(8) = 1 - 2e-7 of it at rest


class Arrays(NamedTuple):
    """One entry a tendon. Routes with fewer points than the longest are filled up with the ground."""

    dofs: np.ndarray  # (n, 3 points)
    slots: np.ndarray
    points: np.ndarray  # (n) how many it has
    offsets: np.ndarray  # (n, 2 points)
    signals: np.ndarray  # (n, 2) rest length, tension
    law: np.ndarray  # (n, 4) stiffness, damping, width of the transition to slack, largest force
    friction: np.ndarray  # (n, 3) coefficient, speed, bias of the direction of sliding
    steady: np.ndarray  # 1 when rest length and tension are constant in time: it then has a potential


def pack(layout: Layout) -> Arrays:
    """Tendons of the model. A pretension given as force or shortening becomes a rest length here."""
    tendons = lines(layout)
    count, longest = len(tendons), max((len(t.markers) for t in tendons), default=2)
    nodes, offsets = np.full((count, longest), layout.ground), np.zeros((count, longest, 2))
    signals, law = [], []
    for e, t in enumerate(tendons):
        # a straight one begins at its first node, so that its lower triangle is that of the system
        markers = t.markers if t.guides else sorted(t.markers, key=layout.node)
        for p, marker in enumerate(markers):
            nodes[e, p], offsets[e, p] = layout.node(marker), layout.offset(marker)[:2]
        length = route_length(layout, t)
        rest = layout.signal(t.rest(length), t, "rest_length") if t.stiffness else layout.ZERO
        signals.append((rest, layout.signal(0.0 if t.tension is None else t.tension, t, "tension")))
        law.append((t.stiffness, t.damping, t.slack(length), inf if t.largest_force is None else t.largest_force))
    return Arrays(
        dofs=layout.dofs(nodes, longest),
        slots=np.empty((count, 0), np.uint32),
        points=np.array([len(t.markers) for t in tendons], np.uint32),
        offsets=offsets.reshape(count, 2 * longest),
        signals=np.array(signals, np.uint32).reshape(-1, 2),
        law=np.array(law, float).reshape(-1, 4),
        friction=np.array([grip(t) for t in tendons], float).reshape(-1, 3),
        steady=np.array([all(map(layout.is_constant, pair)) for pair in signals], np.uint32),
    )


def lines(layout: Layout) -> list[Tendon]:
    """The tendons, in the order of their readings."""
    return layout.forces(Tendon)


def grip(tendon: Tendon) -> tuple[float, float, float]:
    """Coefficient, speed and bias of its friction ``tanh(slip / speed + bias)``.

    An assumed direction of sliding is left where the tendon slides the other way faster than its friction_speed.
    """
    firm = FIRM if tendon.sliding else 1.0
    return tendon.friction if tendon.guides else 0.0, tendon.friction_speed / firm, FIRM * tendon.sliding


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


def gyroscopic(part: Arrays) -> bool:
    """Friction at guides makes the tangent unsymmetric in motion."""
    return bool(np.any(part.friction[:, 0]))


def unsymmetric(part: Arrays) -> bool:
    """Friction acts at rest where a direction of sliding is assumed."""
    return bool(np.any(part.friction[:, 0] * part.friction[:, 2]))


@kernel
def asked(part: Arrays, e: int, length: float, u: np.ndarray) -> float:
    """f without damping: k (L - l0) + T."""
    return part.law[e, 0] * (length - u[part.signals[e, 0]]) + u[part.signals[e, 1]]


@kernel
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
    if part.dofs.shape[1] > 6:
        add_guided(part, q, v, u, ck, cc, r, s, w)
    for e in range(part.points.size):
        if part.points[e] == 2:
            line = chord(q, part.dofs[e], part.offsets[e])
            k, c, rate = part.law[e, 0], part.law[e, 1], along(line.gradient, v, part.dofs[e])
            pull, slope = tension(asked(part, e, line.length, u) + c * rate, part.law[e, 2], part.law[e, 3])
            stiff, late = slope * (ck * k + cc * c), slope * ck * c
            add_line(line, part.dofs[e], part.slots[e], v, pull, ck * pull, stiff, late, r, s, w)


@allocating_kernel
def add_guided(
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
    """Those of the tendons that have guides."""
    work = workspace(part.dofs.shape[1] // 3)
    for e in range(part.points.size):
        if part.points[e] > 2:
            length, rate = survey(part, e, q, v, work)
            k, c, rough = part.law[e, 0], part.law[e, 1], part.friction[e, 0] != 0.0
            pull, slope = tension(asked(part, e, length, u) + c * rate, part.law[e, 2], part.law[e, 3])
            stiff, late = slope * (ck * k + cc * c), slope * ck * c
            if rough:
                rub(part, e, length, rate, ck, cc, work)
            add_route(part, e, pull, stiff, late, ck, rough, work, r, s, w)


@kernel
def energy(part: Arrays, q: np.ndarray, u: np.ndarray) -> tuple[float, float]:
    """Elastic energy, and the potential of a constant tension, of tendons that are not driven."""
    potential = 0.0
    for e in range(part.points.size):
        if part.steady[e]:
            length = travel(part, e, q, q)[0]
            f = asked(part, e, length, u)
            if part.law[e, 0] > 0.0:
                potential += stored(f, part.law[e, 2], part.law[e, 3]) / part.law[e, 0]
            else:
                potential += tension(f, part.law[e, 2], part.law[e, 3])[0] * length
    return 0.0, potential


@kernel
def power(part: Arrays, q: np.ndarray, v: np.ndarray, u: np.ndarray) -> tuple[float, float]:
    """Power of driven tendons, and what all lose: ``(S(f) - S(f without damping)) L'``, not negative, and friction."""
    supplied = dissipated = 0.0
    for e in range(part.points.size):
        c, slack, largest = part.law[e, 1], part.law[e, 2], part.law[e, 3]
        if part.steady[e] and c == 0.0 and part.friction[e, 0] == 0.0:
            continue
        length, rate = travel(part, e, q, v)
        f = asked(part, e, length, u)
        elastic, pull = tension(f, slack, largest)[0], tension(f + c * rate, slack, largest)[0]
        dissipated += (pull - elastic) * rate
        if part.friction[e, 0] != 0.0:
            dissipated += pull * rubbing(part, e, q, v, length, rate)
        if not part.steady[e]:
            supplied -= elastic * rate
    return supplied, dissipated


@kernel
def readings(part: Arrays, q: np.ndarray, v: np.ndarray, u: np.ndarray, out: np.ndarray) -> None:
    """Length, its rate, and (mean) tension of every tendon."""
    for e in range(part.points.size):
        length, rate = travel(part, e, q, v)
        f = asked(part, e, length, u) + part.law[e, 1] * rate
        out[e, 0], out[e, 1], out[e, 2] = length, rate, tension(f, part.law[e, 2], part.law[e, 3])[0]
