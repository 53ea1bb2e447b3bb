"""Channels along beams in space whose tension changes with their length: ``s += ck S' k L_q L_q^T``."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pliant._jit import allocating_kernel, kernel
from pliant.forces.channel import rows, spatial
from pliant.forces.channel.sums import add_square, no_energy, pulled
from pliant.kernels.beam_points.spatial import strains
from pliant.kernels.beam_points.spatial_sums import COLUMNS, push_nodes
from pliant.kernels.sums import Instant, Into

if TYPE_CHECKING:
    from pliant.system.spatial_layout import SpatialLayout

energy = no_energy


class Arrays(NamedTuple):
    """One row a channel, with the freedoms of all its nodes; the elements that it runs through are `members`."""

    dofs: np.ndarray
    slots: np.ndarray
    members: np.ndarray
    frames: np.ndarray
    order: np.ndarray
    length: np.ndarray
    offset: np.ndarray
    first: np.ndarray
    shape: np.ndarray
    slope: np.ndarray
    weight: np.ndarray
    signals: np.ndarray
    law: np.ndarray
    steady: np.ndarray


def pack(layout: SpatialLayout) -> Arrays:
    """Channels with a stiffness."""
    tendons = [tendon for tendon in rows.lines(layout) if tendon.stiffness]
    members, slots, *rest = spatial.arrays(layout, tendons)
    return Arrays(rows.all_freedoms(layout, tendons), slots[: len(tendons)], members, *rest)


@kernel
def elements(part: Arrays) -> spatial.Arrays:
    """The elements, as the kernels of one element read them."""
    return spatial.Arrays(
        part.members, part.slots, part.frames, part.order, part.length, part.offset, part.first, part.shape, part.slope,
        part.weight, part.signals, part.law, part.steady,
    )  # fmt: skip


@allocating_kernel
def add(part: Arrays, now: Instant, into: Into) -> None:
    """s += ck S' k L_q L_q^T."""
    if part.dofs.shape[0] == 0:
        return
    members, gradient = elements(part), np.zeros(now.q.size)
    nodes = np.empty((part.shape.shape[2], COLUMNS))
    for line in range(part.signals.shape[0]):
        slope = pulled(part, line, spatial.travel(members, line, now.q, now.v)[0], now.u)[1]
        gradient[:] = 0.0
        for e in range(part.first[line], part.first[line + 1]):
            for g in range(part.order[e]):
                at = strains(members, e, g, now.q)
                _, t = spatial.direction(members, e, g, at)
                pull = spatial.resultants_of(members, e, g, t, 1.0)
                push_nodes(members, e, g, now.q, at, pull, nodes, gradient)
        add_square(part, line, into.ck * slope * part.law[line, 0], gradient, into.s)
