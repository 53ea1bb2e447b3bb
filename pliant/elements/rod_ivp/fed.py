"""Conversion of feeds (elements/beam_fed) to arrays of rods, in plane and space."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pliant.elements.beam_fed import Feed
from pliant.elements.beam_fed.rows import feeding_of


def feeds(layout: Any, meshes: Sequence[Any]) -> tuple[np.ndarray, dict[str, Any]]:
    """Return the number of the feed of every subinterval, from 1 on (0: not fed), and the data of the lengths."""
    known = {feed.beam: feed for feed in layout.forces(Feed)}
    owners = [known[mesh.beam] for mesh in meshes if mesh.beam in known]
    numbers = [owners.index(known[mesh.beam]) + 1 if mesh.beam in known else 0 for mesh in meshes]
    feed = np.repeat(np.array(numbers, int), [len(mesh.connectivity) for mesh in meshes])
    feeding = feeding_of(layout, owners)
    feeding.pop("signals")  # their weight is among the loads along rods
    return feed.astype(np.uint32), {**feeding, "local": np.arange(2 * layout.space.width, dtype=np.uint32)[None]}


def with_pairs(layout: Any, dofs: np.ndarray, feed: np.ndarray, pair: np.ndarray) -> np.ndarray:
    """Return the freedoms of subintervals, with the freedoms of guides and carriages of fed rods."""
    if not len(pair):
        return dofs
    pairs = np.vstack([layout.dofs(np.full((1, 2), layout.ground), 2), pair])
    return np.ascontiguousarray(np.hstack([dofs, pairs[feed]]))


def shares(meshes: Sequence[Any]) -> np.ndarray:
    """Return (subintervals, 2) shares of the length of its rod: its own, and the part beyond its base."""
    return np.concatenate([np.zeros((0, 2)), *(np.stack((np.diff(mesh.s), 1.0 - mesh.s[:-1]), 1) for mesh in meshes)])
