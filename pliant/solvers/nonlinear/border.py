"""Mutual effects of signals and forces on one node, from the factors of the tangent, without solving for all of q.

With ``A = L D L^T`` and sparse sides B and C

    C^T A^-1 B = (L^-1 C)^T D^-1 (L^-1 B)

takes forward substitutions only, over the panels of each side: the panels of its unknowns and their ancestors in the
elimination tree (T.A. Davis, Direct Methods for Sparse Linear Systems, 2006, section 3.2). A drive of one leg involves
this leg only; the node of the platform involves the few panels eliminated after it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pliant.jit import kernel
from pliant.jit.bundle import Bundle
from pliant.linalg.pattern import Floats, Pattern
from pliant.linalg.substitution import forward


class Border(Bundle):
    """Sides of a matrix: the panels of each, and its substituted values."""

    start: np.ndarray  # (sides + 1) where its panels start
    panels: np.ndarray  # in order of elimination
    values: np.ndarray  # (sides, size) L^-1 of the side, where it is not zero


def border(pattern: Pattern, supports: Sequence[np.ndarray]) -> Border:
    """Return the border for sides that are nonzero at these unknowns only."""
    width = pattern.width.astype(np.int64)
    own = np.repeat(np.arange(width.size), width)
    parent = np.full(width.size, -1)
    first = pattern.head[:-1].astype(np.int64) + width
    later = first < pattern.head[1:]
    parent[later] = own[pattern.place[pattern.members[first[later]]]]
    met = [_ancestors(parent, own[pattern.place[unknowns]].tolist()) for unknowns in supports]
    return Border(
        np.concatenate([[0], np.cumsum([len(each) for each in met])]).astype(np.uint32),
        np.array([k for each in met for k in each], np.uint32),
        np.zeros((len(supports), pattern.size)),
    )


def _ancestors(parent: np.ndarray, panels: Sequence[int]) -> list[int]:
    found: set[int] = set()
    for k in panels:
        while k >= 0 and k not in found:
            found.add(k)
            k = int(parent[k])
    return sorted(found)


@kernel
def clear(pattern: Pattern, border: Border, side: int) -> None:
    """Set a side to zero."""
    x = border.values[side]
    for at in range(border.start[side], border.start[side + 1]):
        k = border.panels[at]
        i = pattern.members[pattern.head[k]]
        for c in range(pattern.width[k]):
            x[i + c] = 0.0


@kernel
def substitute(pattern: Pattern, s: Floats, border: Border, side: int) -> None:
    """Replace a side by L^-1 side, with the factors in s."""
    x = border.values[side]
    for at in range(border.start[side], border.start[side + 1]):
        forward(pattern, s, border.panels[at], x)


@kernel
def product(pattern: Pattern, s: Floats, border: Border, side: int, x: Floats) -> float:
    """Return side^T A^-1 b of a substituted side and x = L^-1 b."""
    total, c = 0.0, border.values[side]
    for at in range(border.start[side], border.start[side + 1]):
        k = border.panels[at]
        i = pattern.members[pattern.head[k]]
        for j in range(pattern.width[k]):
            total += c[i + j] * s[i + j] * x[i + j]
    return total


@kernel
def add(pattern: Pattern, border: Border, side: int, factor: float, x: Floats) -> None:
    """Add factor times a side to x."""
    c = border.values[side]
    for at in range(border.start[side], border.start[side + 1]):
        k = border.panels[at]
        i = pattern.members[pattern.head[k]]
        for j in range(pattern.width[k]):
            x[i + j] += factor * c[i + j]
