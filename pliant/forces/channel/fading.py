"""Friction along channels: the capstan law at the Gauss points, by the sliding of the tendon past them.

A tendon with a given tension does not stretch and is fixed at its end, so that it passes the place s of its channel at
``p(s) = -d/dt int_s^end l ds`` towards its entry. There ``T' = -mu theta' sigma T``, ``sigma = tanh(p / v + bias)``, v
the friction_speed and bias an assumed direction of sliding. Friction dissipates ``int mu theta' sigma T p ds``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import exp, tanh
from typing import Any

import numpy as np

from pliant.forces._dry import Dry, changed
from pliant.forces.channel import rows
from pliant.forces.channel.sums import pulled
from pliant.jit import allocating_kernel, kernel
from pliant.kernels.beam_points.spatial_sums import COLUMNS
from pliant.kernels.sums import Instant, Into

RATE, ANGLE, GRIP, TENSION, NOTED = 0, 1, 2, 3, 4


@kernel
def noted_at(part: Any, line: int, e: int, g: int) -> int:
    """Return the row of Gauss point g of element e in the workspace of a channel."""
    return int(part.shape.shape[1] * (e - part.first[line]) + g)


@kernel
def points(part: Any) -> int:
    """Return an upper bound of the number of Gauss points of a channel."""
    return int(part.shape.shape[1] * part.length.size)


def along_of(span: Any, turned: Any) -> Callable[..., float]:
    """Build the kernel of the tension along a channel with friction, from the kernels (part, e, g, q, v) -> l and its
    rate, and (part, e, g, q) -> theta'.
    """

    @kernel
    def along(part: Any, line: int, q: np.ndarray, v: np.ndarray, entry: float, noted: np.ndarray) -> float:
        """Write l' and theta' over its element, grip and tension per Gauss point. Returns the tension at the end."""
        first, last, whole = part.first[line], part.first[line + 1], 0.0
        mu, speed, bias = part.rough[line, 0], part.rough[line, 1], part.rough[line, 2]
        for e in range(first, last):
            for g in range(part.order[e]):
                k = noted_at(part, line, e, g)
                noted[k, RATE] = part.length[e] * span(part, e, g, q, v)[1]
                noted[k, ANGLE] = part.length[e] * turned(part, e, g, q)
                whole += part.weight[part.order[e], g] * noted[k, RATE]
        passed = behind = 0.0
        for e in range(first, last):
            p, k = part.order[e], noted_at(part, line, e, 0)
            for g in range(p):
                slid = passed - whole
                for h in range(p):
                    slid += part.until[p, g, h] * noted[k + h, RATE]
                noted[k + g, GRIP] = tanh(slid / speed + bias)
            for g in range(p):
                angle = behind
                for h in range(p):
                    angle += part.until[p, g, h] * noted[k + h, ANGLE] * noted[k + h, GRIP]
                noted[k + g, TENSION] = entry * exp(-mu * angle)
            for g in range(p):
                passed += part.weight[p, g] * noted[k + g, RATE]
                behind += part.weight[p, g] * noted[k + g, ANGLE] * noted[k + g, GRIP]
        return float(entry * exp(-mu * behind))

    return along


def power_of(travel: Any, along: Any) -> Callable[..., tuple[float, float]]:
    """Build the kernel of the power of driven channels, and of friction: ``int T l' ds`` less the entry's."""

    @allocating_kernel
    def power(part: Any, q: np.ndarray, v: np.ndarray, u: np.ndarray) -> tuple[float, float]:
        supplied = lost = 0.0
        noted = np.empty((points(part), NOTED))
        for line in range(part.signals.shape[0]):
            if part.steady[line] and part.rough[line, 0] == 0.0:
                continue
            length, rate = travel(part, line, q, v)
            force = pulled(part, line, length, u)[0]
            if not part.steady[line]:
                supplied -= force * rate
            if part.rough[line, 0] != 0.0:
                along(part, line, q, v, force, noted)
                for e in range(part.first[line], part.first[line + 1]):
                    p = part.order[e]
                    for g in range(p):
                        k = noted_at(part, line, e, g)
                        lost += part.weight[p, g] * (noted[k, TENSION] - force) * noted[k, RATE]
        return supplied, lost

    return power


def profile_of(travel: Any, along: Any) -> Callable[..., None]:
    """Build the kernel of the tensions of all channels at the ends of their elements, at every instant."""

    @allocating_kernel
    def profile(part: Any, q: np.ndarray, v: np.ndarray, u: np.ndarray, out: np.ndarray) -> None:
        noted = np.zeros((points(part), NOTED))
        for t in range(out.shape[0]):
            place = 0
            for line in range(part.signals.shape[0]):
                force, mu = pulled(part, line, travel(part, line, q[t], v[t])[0], u[t])[0], part.rough[line, 0]
                if mu != 0.0:
                    along(part, line, q[t], v[t], force, noted)
                out[t, place] = force
                for e in range(part.first[line], part.first[line + 1]):
                    p, angle = part.order[e], 0.0
                    for g in range(p):
                        k = noted_at(part, line, e, g)
                        angle += part.weight[p, g] * noted[k, ANGLE] * noted[k, GRIP]
                    out[t, place + 1] = out[t, place] * exp(-mu * angle)
                    place += 1
                place += 1

    return profile


def fading_of(travel: Any, along: Any, gradients: tuple[Any, Any, Any], half_turns: Any) -> Callable[..., None]:
    """Build the kernel ``s, w += -mu sum T_g L_q,g (ck a_q + cc a_v)^T`` over the Gauss points g of channels with
    friction, symmetric and skew half, over the freedoms of all their nodes; ``a_g = int theta' sigma ds`` up to g.

    gradients   kernels that add the derivatives of l and of theta', and the Hessian of l, at a Gauss point
    half_turns  kernel that adds the half turns of a chart of rotations to the derivative of a rate, or none
    """
    add_gradient, add_turning, add_hessian = gradients

    @kernel
    def add_swing(
        part: Any, e: int, g: int, now: Instant, nodes: np.ndarray, packed: np.ndarray, out: np.ndarray
    ) -> None:
        """Add H v to out, H the Hessian of Gauss point g's part of the length."""
        size, n = part.dofs.shape[1] // part.shape.shape[2] * (part.order[e] + 1), 0
        for i in range(packed.size):
            packed[i] = 0.0
        add_hessian(part, e, g, now.q, nodes, packed)
        for i in range(size):
            for j in range(i + 1):
                out[part.dofs[e, i]] += packed[n] * now.v[part.dofs[e, j]]
                if j < i:
                    out[part.dofs[e, j]] += packed[n] * now.v[part.dofs[e, i]]
                n += 1

    @kernel
    def note_changes(
        part: Any, line: int, e: int, now: Instant, scale: tuple[float, float], noted: np.ndarray, work: Any
    ) -> None:
        """Compute the change of ``theta' sigma`` at the Gauss points of an element, ``ck by q + cc by v``, in freedoms
        of the channel.
        """
        (ck, cc), (lengths, swings, passed, swung, angle, changes, speeds, dofs, nodes) = scale, work
        p, k, speed = part.order[e], noted_at(part, line, e, 0), part.rough[line, 1]
        for g in range(p):
            grip = noted[k + g, GRIP]
            onset = noted[k + g, ANGLE] * (1.0 - grip * grip) / speed
            for i in range(angle.size):
                angle[i] = 0.0
            add_turning(part, e, g, ck * grip / part.weight[p, g], now.q, nodes, angle)
            for i in range(dofs.size):
                by_v, by_q = passed[dofs[i]], swung[dofs[i]]
                for h in range(p):
                    share = part.until[p, g, h] / part.weight[p, h]
                    by_v += share * lengths[h, dofs[i]]
                    by_q += share * swings[h, dofs[i]]
                changes[g, i], speeds[i] = angle[dofs[i]] + onset * (ck * by_q + cc * by_v), by_v
            half_turns(dofs, now.v, 0.5 * ck * onset, speeds, changes[g])

    @allocating_kernel
    def add(part: Any, now: Instant, into: Into) -> None:
        if part.dofs.shape[0] == 0 or (into.ck == 0.0 and into.cc == 0.0):
            return
        P, n, m = part.shape.shape[1], part.dofs.shape[1], now.q.size
        packed = np.zeros(part.members.shape[1] * (part.members.shape[1] + 1) // 2)
        slots = np.empty((part.length.size, packed.size), np.uint32)
        for i in range(packed.size):
            slots[:, i] = i
        members, nodes = rows.elements(part, slots), np.empty((part.shape.shape[2], COLUMNS))
        noted, matrix, changes = np.empty((points(part), NOTED)), np.zeros((n, n)), np.zeros((P, n))
        lengths, swings, angle = np.zeros((P, m)), np.zeros((P, m)), np.zeros(m)
        passed, swung, behind, speeds = np.zeros(m), np.zeros(m), np.zeros(n), np.zeros(n)
        for line in range(part.signals.shape[0]):
            force, mu = pulled(part, line, travel(members, line, now.q, now.v)[0], now.u)[0], part.rough[line, 0]
            along(members, line, now.q, now.v, force, noted)
            dofs = part.dofs[line]
            work = (lengths, swings, passed, swung, angle, changes, speeds, dofs, nodes)
            matrix[:], passed[:], swung[:], behind[:] = 0.0, 0.0, 0.0, 0.0
            for e in range(part.first[line], part.first[line + 1]):
                for g in range(part.order[e]):
                    lengths[0, :] = swings[0, :] = 0.0
                    add_gradient(members, e, g, now.q, nodes, lengths[0])
                    add_swing(members, e, g, now, nodes, packed, swings[0])
                    passed -= lengths[0]
                    swung -= swings[0]
            for e in range(part.first[line], part.first[line + 1]):
                p, k = part.order[e], noted_at(members, line, e, 0)
                lengths[:], swings[:] = 0.0, 0.0
                for g in range(p):
                    add_gradient(members, e, g, now.q, nodes, lengths[g])
                    add_swing(members, e, g, now, nodes, packed, swings[g])
                note_changes(members, line, e, now, (into.ck, into.cc), noted, work)
                for g in range(p):
                    factor = -mu * noted[k + g, TENSION]
                    for i in range(n):
                        pulls = factor * lengths[g, dofs[i]]
                        if pulls != 0.0:
                            for j in range(n):
                                change = behind[j]
                                for h in range(p):
                                    change += part.until[p, g, h] * changes[h, j]
                                matrix[i, j] += pulls * change
                for g in range(p):
                    passed += lengths[g]
                    swung += swings[g]
                    for j in range(n):
                        behind[j] += part.weight[p, g] * changes[g, j]
            k = 0
            for i in range(n):
                for j in range(i + 1):
                    into.s[part.slots[line, k]] += 0.5 * (matrix[i, j] + matrix[j, i])
                    into.w[part.slots[line, k]] += 0.5 * (matrix[i, j] - matrix[j, i])
                    k += 1

    return add


def dry(part: Any, layout: Any) -> Iterator[Dry]:
    """Yield the channels with friction, except those with an assumed direction of sliding, which do not stick."""
    for line, tendon in enumerate(tendon for tendon in rows.lines(layout) if tendon.friction):
        if not part.rough[line, 2]:
            rough = _alone(part, line)
            yield Dry(tendon, rough, changed(rough, "rough", 0, 0.0), always=True, locks=False)


def _alone(part: Any, line: int) -> Any:
    """Return one of the channels, with its elements."""
    first, last = (int(k) for k in part.first[line : line + 2])
    own = {name: getattr(part, name)[line : line + 1].copy() for name in rows.OF_CHANNELS}
    own |= {name: getattr(part, name)[first:last].copy() for name in rows.OF_ELEMENTS}
    return part._replace(**own, first=np.array([0, last - first], np.uint32))
