"""Contact of hulls at crossing edges, weaker near the ends of the edges.

At their ends edges have corners, which are contacts themselves. With the energy ``u_0`` of the gap where two edges
cross, and ``u_1 ... u_4`` of the gaps between each of their ends and the other edge, the energy of the crossing is

    E = u_0 W,    W = (1 - x_1) ... (1 - x_4),    x_k = u_k / u_0

E is u_0 where no end touches, and zero if the crossing is at an end or the edges are parallel; its first derivatives
are continuous there. Damping and friction at the crossing have the weight W, so that they only dissipate energy. With
``W_k`` and ``W_kl`` for W without the factors k, and k and l,

    E_0 = W + sum_k x_k W_k,    E_k = -W_k
    u_0 E_00 = sum_{k != l} x_k x_l W_kl,    u_0 E_0k = -sum_{l != k} x_l W_kl,    u_0 E_kl = W_kl
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pliant.forces.collisions.items import Arrays
from pliant.forces.collisions.nearest import ENDS, Four, meet, terms
from pliant.forces.contact.law import stored
from pliant.jit import kernel


class Crossing(NamedTuple):
    """Energy at the crossing of two edges, and its shares x at their ends; zero for other items."""

    energy: float
    ends: Four


@kernel
def crossing(part: Arrays, a: int, b: int, q: np.ndarray) -> Crossing:
    """Return the crossing of two items."""
    if terms(part, a, b) == 1:
        return Crossing(0.0, (0.0, 0.0, 0.0, 0.0))
    law = part.law[part.owner[a]]
    whole = stored(law, meet(part, a, b, q, 0).gap)
    if whole == 0.0:
        return Crossing(0.0, (0.0, 0.0, 0.0, 0.0))
    return Crossing(
        whole,
        (
            stored(law, meet(part, a, b, q, 1).gap) / whole,
            stored(law, meet(part, a, b, q, 2).gap) / whole,
            stored(law, meet(part, a, b, q, 3).gap) / whole,
            stored(law, meet(part, a, b, q, 4).gap) / whole,
        ),
    )


@kernel
def without(x: Crossing, k: int, l: int) -> float:
    """Return W without the factors of the ends k and l."""
    product = 1.0
    for i in range(ENDS):
        if i + 1 != k and i + 1 != l:
            product *= 1.0 - x.ends[i]
    return product


@kernel
def weight(x: Crossing, term: int) -> float:
    """Return W, the weight of damping and friction; zero at the ends."""
    return without(x, 0, 0) if term == 0 else 0.0


@kernel
def slope(x: Crossing, term: int) -> float:
    """Return the derivative of E by the energy of one of the five gaps, less the weight."""
    if term > 0:
        return -without(x, term, term)
    total = 0.0
    for k in range(1, ENDS + 1):
        total += x.ends[k - 1] * without(x, k, k)
    return total


@kernel
def weight_slope(x: Crossing, term: int) -> float:
    """Return the derivative of W by the energy of one of the five gaps."""
    return slope(x, term) / x.energy


@kernel
def curvature(x: Crossing, k: int, l: int) -> float:
    """Return the derivative of E by the energies of two of the five gaps."""
    if k == l and k > 0:
        return 0.0
    if k > 0 and l > 0:
        return without(x, k, l) / x.energy
    total = 0.0
    for i in range(1, ENDS + 1):
        for j in range(1, ENDS + 1):
            if i != j and (k + l in (0, i)):
                first = -1.0 if k + l == i else x.ends[i - 1]
                total += first * x.ends[j - 1] * without(x, i, j)
    return total / x.energy
