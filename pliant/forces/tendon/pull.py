"""Tendons in plane or space: points p_0 ... p_n, length ``L = sum |p_{i+1} - p_i|``, ``f = k (L - l0) + c L' + T``.

The tension S(f) of law.py acts along every piece: ``r += S L_q``. The tangent is ``S' k L_q L_q^T + S L_qq``, with the
geometric part that thesis eq. 5.48 omits, plus ``S' c L_q (L')_q^T`` of the damper, whose skew half goes to w. Guides,
and their friction, are in route.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from pliant.forces import _spatial_lines
from pliant.forces._dry import Dry, alone, changed
from pliant.forces._lines import add_line, chord
from pliant.forces.tendon.law import stored, tension
from pliant.forces.tendon.route import add_route, rub, rubbing, survey, travel, width, workspace
from pliant.jit import kernel, lazy_allocating_kernel, lazy_kernel
from pliant.kernels.sums import Along, Instant, Into

add_line_in_space, chord_in_space = _spatial_lines.add_line, _spatial_lines.chord


class Arrays(NamedTuple):
    """Arrays of tendons, one entry a tendon. Routes with fewer points than the longest are padded with the ground."""

    dofs: np.ndarray  # (n, 3 points), in space (n, 6 points)
    slots: np.ndarray
    frames: np.ndarray  # (n, 0), in space (n, points): places of the quaternions
    points: np.ndarray  # (n) number of points
    offsets: np.ndarray  # (n, 2 points), in space (n, 3 points)
    signals: np.ndarray  # (n, 2) rest length, tension
    law: np.ndarray  # (n, 4) stiffness, damping, width of the transition to slack, largest force
    friction: np.ndarray  # (n, 3) coefficient, speed, bias of the direction of sliding
    steady: np.ndarray  # 1 if rest length and tension are constant in time: it then has a potential


def gyroscopic(part: Arrays) -> bool:
    """Return whether there is friction at guides: it makes the tangent unsymmetric in motion."""
    return bool(np.any(part.friction[:, 0]))


def unsymmetric(part: Arrays) -> bool:
    """Return whether a direction of sliding is assumed: friction then acts at rest."""
    return bool(np.any(part.friction[:, 0] * part.friction[:, 2]))


def dry(part: Arrays, layout: Any) -> Iterator[Dry]:
    """Yield tendons with friction at guides, except those with an assumed direction of sliding, which do not stick."""
    from pliant.forces.tendon.planar import lines

    for e, tendon in enumerate(lines(layout)):
        if part.friction[e, 0] and not part.friction[e, 2]:
            rough = alone(part, e)
            yield Dry(tendon, rough, changed(rough, "friction", 0, 0.0), always=True, locks=False)


@kernel
def undamped_force(part: Any, e: int, length: float, u: np.ndarray) -> float:
    """Return f without damping: k (L - l0) + T."""
    return part.law[e, 0] * (length - u[part.signals[e, 0]]) + u[part.signals[e, 1]]


@kernel
def potential(part: Any, e: int, length: float, u: np.ndarray) -> float:
    """Return the elastic energy of a tendon, or the potential of a constant tension."""
    f, k, slack, largest = undamped_force(part, e, length, u), part.law[e, 0], part.law[e, 2], part.law[e, 3]
    return stored(f, slack, largest) / k if k > 0.0 else tension(f, slack, largest)[0] * length


@kernel
def add(part: Arrays, now: Instant, into: Into) -> None:
    """Add the tension along every piece, with consistent tangents."""
    f, q, v, ck, cc = width(part), now.q, now.v, into.ck, into.cc
    if part.dofs.shape[1] > 2 * f:
        add_guided(part, now, into)
    for e in range(part.points.size):
        if part.points[e] == 2:
            dofs, slots, k, c = part.dofs[e], part.slots[e], part.law[e, 0], part.law[e, 1]
            length, rate = travel(part, e, q, v)
            force, slope = tension(undamped_force(part, e, length, now.u) + c * rate, part.law[e, 2], part.law[e, 3])
            pull = Along(force, ck * force, slope * (ck * k + cc * c), slope * ck * c)
            if f == 6:
                add_in_space(part, e, now, pull, into)
            else:
                add_line(chord(q, dofs, part.offsets[e]), dofs, slots, v, pull, into)


@lazy_kernel
def add_in_space(part: Arrays, e: int, now: Instant, pull: Along, into: Into) -> None:
    """Add a tendon without guides, in space."""
    dofs = part.dofs[e]
    line = chord_in_space(now.q, dofs, part.frames[e], part.offsets[e])
    add_line_in_space(line, dofs, part.slots[e], now.v, pull, into)


@lazy_allocating_kernel
def add_guided(part: Arrays, now: Instant, into: Into) -> None:
    """Add the tensions of the tendons with guides."""
    work, ck, cc = workspace(part), into.ck, into.cc
    for e in range(part.points.size):
        if part.points[e] > 2:
            length, rate = survey(part, e, now.q, now.v, work)
            k, c, rough = part.law[e, 0], part.law[e, 1], part.friction[e, 0] != 0.0
            force, slope = tension(undamped_force(part, e, length, now.u) + c * rate, part.law[e, 2], part.law[e, 3])
            if rough:
                rub(part, e, length, rate, ck, cc, work)
            pull = Along(force, ck * force, slope * (ck * k + cc * c), slope * ck * c)
            add_route(part, e, pull, rough, work, into)


@kernel
def energy(part: Arrays, q: np.ndarray, u: np.ndarray) -> tuple[float, float]:
    """Return the elastic energy, and the potential of a constant tension, of tendons that are not driven."""
    total = 0.0
    for e in range(part.points.size):
        if part.steady[e]:
            total += potential(part, e, travel(part, e, q, q)[0], u)
    return 0.0, total


@kernel
def power(part: Arrays, q: np.ndarray, v: np.ndarray, u: np.ndarray) -> tuple[float, float]:
    """Return the power of driven tendons, and losses: ``(S(f) - S(f without damping)) L'``, and friction."""
    supplied = dissipated = 0.0
    for e in range(part.points.size):
        c, slack, largest = part.law[e, 1], part.law[e, 2], part.law[e, 3]
        if part.steady[e] and c == 0.0 and part.friction[e, 0] == 0.0:
            continue
        length, rate = travel(part, e, q, v)
        f = undamped_force(part, e, length, u)
        elastic, pull = tension(f, slack, largest)[0], tension(f + c * rate, slack, largest)[0]
        dissipated += (pull - elastic) * rate
        if part.friction[e, 0] != 0.0:
            dissipated += pull * rubbing(part, e, q, v)
        if not part.steady[e]:
            supplied -= elastic * rate
    return supplied, dissipated


@kernel
def readings(part: Arrays, q: np.ndarray, v: np.ndarray, u: np.ndarray, out: np.ndarray) -> None:
    """Write length, its rate, and (mean) tension of every tendon."""
    for e in range(part.points.size):
        length, rate = travel(part, e, q, v)
        f = undamped_force(part, e, length, u) + part.law[e, 1] * rate
        out[e, 0], out[e, 1], out[e, 2] = length, rate, tension(f, part.law[e, 2], part.law[e, 3])[0]
