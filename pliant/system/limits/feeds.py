"""Lengths of fed beams, at many instants at once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from pliant.elements.beam_fed import Feed
from pliant.elements.beam_fed.rows import assembled_place, guide_axis
from pliant.model.bodies.beams import Beam
from pliant.system.observation.points import PlanePoints, SpacePoints

if TYPE_CHECKING:
    from pliant.system.system import System

DRAWN_IN = 1e-3  # of the length of a fed beam: smallest free length


def lengths_fed(system: System, q: np.ndarray) -> Iterator[tuple[Feed, np.ndarray]]:
    """Yield every feed of a system and the increase of its beam's free length since assembly, at instants (instants,
    coordinates) (m).
    """
    layout: Any = system.layout
    for feed in (part for part in system.model.forces if isinstance(part, Feed)):
        base, push = np.array(layout.arm(feed.guide)), np.array(layout.arm(feed.carriage))
        nodes = np.array([layout.node(feed.guide), layout.node(feed.guide), layout.node(feed.carriage)])
        kind = SpacePoints if system.space.quaternions else PlanePoints
        points = kind(nodes, np.stack((base, base + guide_axis(layout, feed), push)))
        guide, ahead, carriage = np.moveaxis(points.position(q), 1, 0)
        yield feed, np.sum((carriage - guide) * (ahead - guide), axis=1) - assembled_place(layout, feed)


def free_lengths(system: System, q: np.ndarray) -> dict[Beam, float]:
    """Return the unstretched free length of every beam in a configuration (m)."""
    found = {beam: beam.length for beam in system.model.beams}
    return found | {feed.beam: feed.beam.length + float(fed[0]) for feed, fed in lengths_fed(system, q[None])}


def describe_feeds(system: System, q: np.ndarray) -> str:
    """Return a sentence about a beam that is drawn in by all its length or more in a configuration; else empty."""
    for feed, fed in lengths_fed(system, q[None]):
        if feed.beam.length + fed[0] < DRAWN_IN * feed.beam.length:
            return (
                f" {feed.owner}: {feed.beam.owner} is drawn in by {-fed[0]:.4g} m and has no free length left; its "
                f"length is {feed.beam.length:.4g} m. Feed it more."
            )
    return ""
