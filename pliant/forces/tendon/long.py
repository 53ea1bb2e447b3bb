"""Tendons through many guides without friction, in plane or space: pieces one by one, joined by the tension.

All pieces have the tension S(f) of law.py. With the gradient ``g = L_q`` and ``z = S' ((ck k + cc c) g + ck c (L')_q)``
the tangent is ``g z^T`` plus the tangents of the pieces. It couples all guides. With one more unknown, the change of
the tension as a border of the matrix (linalg/pattern.py), every piece couples only its two ends and the border:

    [0 a g; z^T / a -1],  which stands for g z^T,   a^2 = |z| / |g|
"""

from __future__ import annotations

from math import sqrt
from typing import Any, NamedTuple

import numpy as np

from pliant.forces import _lines, _spatial_lines
from pliant.forces.tendon.law import tension
from pliant.forces.tendon.pull import potential, undamped_force
from pliant.jit import kernel, lazy_kernel
from pliant.kernels.sums import Along, Instant, Into

chord, along, turning, add_line = _lines.chord, _lines.along, _lines.turning, _lines.add_line
chord_in_space, along_in_space = _spatial_lines.chord, _spatial_lines.along
turning_in_space, add_line_in_space = _spatial_lines.turning, _spatial_lines.add_line


class Arrays(NamedTuple):
    """Pieces between neighbouring points, a row each, tendon after tendon, and the laws of the tendons."""

    dofs: np.ndarray  # (n, 6), in space (n, 12)
    slots: np.ndarray  # with the border's row last
    frames: np.ndarray  # (n, 0), in space (n, 2): places of the quaternions
    border: np.ndarray  # (n, 1) of the piece's tendon
    offsets: np.ndarray  # (n, 4), in space (n, 6)
    first: np.ndarray  # (tendons + 1) where the pieces of each begin
    signals: np.ndarray  # (tendons, 2) rest length, tension
    law: np.ndarray  # (tendons, 4) stiffness, damping, width of the transition to slack, largest force
    steady: np.ndarray  # (tendons) 1 if rest length and tension are constant in time: it then has a potential


@kernel
def span(part: Arrays, p: int, q: np.ndarray, v: np.ndarray) -> tuple[float, float]:
    """Return the length of a piece and its rate."""
    if part.frames.shape[1] > 0:
        return span_in_space(part, p, q, v)
    line = chord(q, part.dofs[p], part.offsets[p])
    return line.length, along(line.gradient, v, part.dofs[p])


@lazy_kernel
def span_in_space(part: Arrays, p: int, q: np.ndarray, v: np.ndarray) -> tuple[float, float]:
    """Return the length of a piece and its rate in space."""
    line = chord_in_space(q, part.dofs[p], part.frames[p], part.offsets[p])
    return line.length, along_in_space(line.gradient, v, part.dofs[p])


@kernel
def travel(part: Arrays, e: int, q: np.ndarray, v: np.ndarray) -> tuple[float, float]:
    """Return the length of the whole route and its rate."""
    length = rate = 0.0
    for p in range(part.first[e], part.first[e + 1]):
        here, change = span(part, p, q, v)
        length += here
        rate += change
    return length, rate


@kernel
def fixed(part: Arrays, p: int) -> bool:
    """Return whether both ends of a piece are on one body: its length is constant."""
    return part.dofs[p, 0] == part.dofs[p, part.dofs.shape[1] // 2]


@kernel
def add(part: Arrays, now: Instant, into: Into) -> None:
    """Add the tension along every piece, with consistent tangents."""
    ck, cc = into.ck, into.cc
    for e in range(part.signals.shape[0]):
        k, c = part.law[e, 0], part.law[e, 1]
        length, rate = travel(part, e, now.q, now.v)
        force, slope = tension(undamped_force(part, e, length, now.u) + c * rate, part.law[e, 2], part.law[e, 3])
        stiff, late = slope * (ck * k + cc * c), slope * ck * c
        share = scale(part, e, now, stiff, late) if late != 0.0 else sqrt(abs(stiff))
        pull, sign = Along(force, ck * force, 0.0, 0.0), -1.0 if stiff < 0.0 else 1.0
        for p in range(part.first[e], part.first[e + 1]):
            if part.frames.shape[1] > 0:
                add_in_space(part, p, now, pull, (share, sign * stiff, sign * late), into)
            elif not fixed(part, p):
                line = chord(now.q, part.dofs[p], part.offsets[p])
                add_line(line, part.dofs[p], part.slots[p], now.v, pull, into)
                swing = turning(line, now.v, part.dofs[p])
                join(part.slots[p], line.gradient, swing, (share, sign * stiff, sign * late), into)
        if share > 0.0:
            into.s[part.slots[part.first[e], part.slots.shape[1] - 1]] = -sign


@lazy_kernel
def add_in_space(part: Arrays, p: int, now: Instant, pull: Along, size: tuple[float, float, float], into: Into) -> None:
    """Add one piece, in space."""
    if not fixed(part, p):
        line = chord_in_space(now.q, part.dofs[p], part.frames[p], part.offsets[p])
        add_line_in_space(line, part.dofs[p], part.slots[p], now.v, pull, into)
        join(part.slots[p], line.gradient, turning_in_space(line, now.v, part.dofs[p]), size, into)


@kernel
def join(slots: np.ndarray, gradient: Any, swing: Any, size: tuple[float, float, float], into: Into) -> None:
    """Add the border's row of a piece, ``z / a``, and its column, ``a g``."""
    share, stiff, late = size
    if share > 0.0:
        n = slots.size - len(gradient) - 1
        for i in range(len(gradient)):
            row = (stiff * gradient[i] + late * swing[i]) / share
            column = share * gradient[i]
            into.s[slots[n + i]] += 0.5 * (row + column)
            into.w[slots[n + i]] += 0.5 * (row - column)


@lazy_kernel
def scale(part: Arrays, e: int, now: Instant, stiff: float, late: float) -> float:
    """Return a, the root of ``|z| / |g|``, by sums over the pieces."""
    own = along_all = 0.0
    for p in range(part.first[e], part.first[e + 1]):
        if fixed(part, p):
            continue
        if part.frames.shape[1] > 0:
            spatial = chord_in_space(now.q, part.dofs[p], part.frames[p], part.offsets[p])
            turned = turning_in_space(spatial, now.v, part.dofs[p])
            for i in range(12):
                own += spatial.gradient[i] ** 2
                along_all += (stiff * spatial.gradient[i] + late * turned[i]) ** 2
        else:
            line = chord(now.q, part.dofs[p], part.offsets[p])
            swing = turning(line, now.v, part.dofs[p])
            for i in range(6):
                own += line.gradient[i] ** 2
                along_all += (stiff * line.gradient[i] + late * swing[i]) ** 2
    return sqrt(sqrt(along_all / own)) if own > 0.0 else 0.0


@kernel
def energy(part: Arrays, q: np.ndarray, u: np.ndarray) -> tuple[float, float]:
    """Return the elastic energy, and the potential of a constant tension, of tendons that are not driven."""
    total = 0.0
    for e in range(part.signals.shape[0]):
        if part.steady[e]:
            total += potential(part, e, travel(part, e, q, q)[0], u)
    return 0.0, total


@kernel
def power(part: Arrays, q: np.ndarray, v: np.ndarray, u: np.ndarray) -> tuple[float, float]:
    """Return the power of driven tendons, and all losses: ``(S(f) - S(f without damping)) L'``, not negative."""
    supplied = dissipated = 0.0
    for e in range(part.signals.shape[0]):
        c, slack, largest = part.law[e, 1], part.law[e, 2], part.law[e, 3]
        if part.steady[e] and c == 0.0:
            continue
        length, rate = travel(part, e, q, v)
        f = undamped_force(part, e, length, u)
        elastic, pull = tension(f, slack, largest)[0], tension(f + c * rate, slack, largest)[0]
        dissipated += (pull - elastic) * rate
        if not part.steady[e]:
            supplied -= elastic * rate
    return supplied, dissipated


@kernel
def readings(part: Arrays, q: np.ndarray, v: np.ndarray, u: np.ndarray, out: np.ndarray) -> None:
    """Write length, its rate and tension of every tendon."""
    for e in range(part.signals.shape[0]):
        length, rate = travel(part, e, q, v)
        f = undamped_force(part, e, length, u) + part.law[e, 1] * rate
        out[e, 0], out[e, 1], out[e, 2] = length, rate, tension(f, part.law[e, 2], part.law[e, 3])[0]
