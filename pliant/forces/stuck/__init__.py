"""Sticking contacts: springs across the normal hold the points of contact (system/limits/sticking.py)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pliant.kernels.contact_gaps import ACROSS, FREEDOMS, RATES, WIDTH

POINTS = 4  # of a place: two on the part in front, two on the part behind


class Anchor(NamedTuple):
    """Place of contact of two parts: points of up to four nodes, by their weights, negative in front.

    nodes    (4) that carry the points
    weights  (4) that form the coincident places of both parts: their sum is zero
    levers   (4, 3) from each node to the place (m)
    across   (2, 3) directions across the normal
    lead     number of the point with which these directions turn
    """

    nodes: np.ndarray
    weights: np.ndarray
    levers: np.ndarray
    across: np.ndarray
    lead: int


def anchor(who: np.ndarray, out: np.ndarray, width: int, axes: Any) -> Anchor:
    """Read a closed gap from the output of kernels (kernels/contact_gaps.py); ``axes(node)``: (3, 3) axes of a node.

    With the weight y and lever l of a node, the rates along directions e are ``y e`` for its velocity, and
    """
    freedoms, rates = who[FREEDOMS:], out[RATES:].reshape(3, WIDTH)
    t, b = out[ACROSS : ACROSS + 6].reshape(2, 3)
    directions = np.array([np.cross(t, b), t, b])
    moves, turns = (2, slice(2, 3)) if width == 3 else (3, slice(0, 3))
    nodes, weights, levers = np.zeros(POINTS, np.int64), np.zeros(POINTS), np.zeros((POINTS, 3))
    for k in range(POINTS):
        first = k * width
        if freedoms[first] < 0:
            nodes[k] = nodes[0]
            continue
        nodes[k] = freedoms[first] // width
        moved, turned = np.zeros((2, 3, 3))
        moved[:, :moves], turned[:, turns] = np.split(rates[:, first : first + width], [moves], axis=1)
        weights[k] = np.sum(directions * moved) / moves
        if weights[k] != 0.0:
            levers[k] = np.sum(np.cross(directions, turned @ axes(nodes[k]).T), axis=0) / (weights[k] * (moves - 1))
    return Anchor(nodes, weights, levers, np.array([t, b]), int(np.argmin(weights)))
