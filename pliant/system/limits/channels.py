"""Checks of channels of beams: a channel beyond its beam's centre of curvature runs backwards; elements must be short
enough for its winding.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from pliant.forces.channel import ChannelTendon
from pliant.system.packing import catalogue

if TYPE_CHECKING:
    from pliant.system.system import System

PLACES = 17  # along a channel, where its offset is evaluated


def bend_ratios(system: System, q: np.ndarray) -> Iterator[tuple[ChannelTendon, float]]:
    """Yield every channel of a system and the largest ratio of its offset to the radius of its beam's curvature, on the
    inner side, in configurations (instants, coordinates): from 1 on it is folded.
    """
    for tendons, family, arrays in _families(system):
        most = np.zeros(len(tendons))
        for each in np.ascontiguousarray(q):
            family.folds(arrays, each, most)
        yield from zip(tendons, most.tolist(), strict=True)


def winding_angles(system: System) -> Iterator[tuple[ChannelTendon, float]]:
    """Yield every channel of a system and the largest angle by which it winds around its beam between two Gauss points
    of an element (rad): a helix of radius r and pitch 2 pi / w has the second derivative ``r w^2``.
    """
    for tendons, _, arrays in _families(system):
        aside = np.linalg.norm(arrays.offset[..., : arrays.curved.shape[2]], axis=2)
        bend = np.max(np.linalg.norm(arrays.curved, axis=2), axis=1, initial=0.0)
        for tendon, a, b in zip(tendons, arrays.first[:-1], arrays.first[1:], strict=True):
            turn = np.sqrt(bend[a:b] / (np.max(aside[a:b]) or 1.0)) * arrays.length[a:b] / arrays.order[a:b]
            yield tendon, float(np.max(turn))


def _families(system: System) -> Iterator[tuple[list[ChannelTendon], Any, Any]]:
    """Yield channels, their family and its arrays."""
    layout: Any = system.layout
    if not layout.forces(ChannelTendon):
        return
    for name in catalogue.having("folds", layout):
        family = catalogue.of(name)
        if tendons := family.lines(layout):
            yield tendons, family, family.pack(layout)


def describe_folding(system: System, u: np.ndarray) -> str:
    """Return a sentence about a channel that is folded as assembled, or whose tension alone would bend its beam more
    than its offset allows, with these signals; else empty. An arc of curvature ``T y / EI`` has its centre in the
    channel at ``T = EI / y^2``.
    """
    for tendon, bend in bend_ratios(system, system.initial[None]):
        if bend > 1.0 - 1e-9:
            return (
                f" {tendon.owner}: as assembled, {tendon.beam.owner} is bent about a point within its offset, so that "
                f"the channel runs backwards (offset over radius: {bend:.3g}). Lead it nearer to the axis."
            )
        tension = float(u[system.signal_number(f"{tendon.name}/tension")])
        least, offset = _weakest(tendon, system.space.quaternions)
        if tension > least:
            return (
                f" {tendon.owner}: it pulls with {tension:.4g} N, {offset:.4g} m off the axis; alone, from {least:.4g} "
                f"N on it would bend {tendon.beam.owner} about a point in the channel, which folds. Pull with less, "
                "lead it nearer to the axis, or give the beam more bending stiffness."
            )
    return ""


def _weakest(tendon: ChannelTendon, spatial: bool) -> tuple[float, float]:
    """Return the smallest ``EI / y^2`` along a channel (N), and the offset there (m)."""
    found = []
    for s in np.linspace(tendon.start, tendon.end, PLACES).tolist():
        section, offset = tendon.beam.section_at(s), tendon.offset_at(s, spatial)[0]
        stiff = section.bending_stiffness
        if spatial:
            stiff = min(stiff, section.bending_stiffness_y or stiff)
        aside = float(np.linalg.norm(offset))
        found.append((stiff / aside**2 if aside else np.inf, aside))
    return min(found)
