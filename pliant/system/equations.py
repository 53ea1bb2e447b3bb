"""Equations of a system, and workspace, for the compiled loops."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from itertools import accumulate
from typing import Any

import numpy as np

from pliant.jit.bundle import Bundle
from pliant.joints.rows import Rows
from pliant.joints.rows.rubbing import Rubbed, Rubbing
from pliant.linalg.ldl import Pattern, Workspace

LINE = 8  # numbers per cache line


class Equations(Bundle):
    """Data of a system that compiled code needs."""

    parts: Any
    rows: Rows
    pattern: Pattern
    freedoms: int
    frames: int  # where the quaternions of spatial nodes start in q
    turning: int  # number of moving nodes with quaternions: zero in the plane
    weight: np.ndarray  # (freedoms,) 1 / length scale for positions, 1 for angles
    gamma: float  # augmented term in motion; zero unless some part has no mass
    mass: float  # total mass
    inertia: np.ndarray  # (pairs, 11) of nodes, see node_inertia; empty unless momentum is conserved
    rubbing: Rubbing  # friction of joints

    @cached_property
    def spare_stages(self) -> list[Any]:
        """Unused workspaces of Radau IIA, see `solvers/radau/workspace.py`."""
        return []

    @cached_property
    def spare(self) -> list[Scratch]:
        """Unused working arrays, see `System.working`."""
        return []


CHANGES, HABITS = 3, 18


class Scratch(Bundle):
    """Working arrays of the compiled loops."""

    whole: np.ndarray  # memory of all arrays from `zeros`
    r: np.ndarray
    g: np.ndarray
    s: np.ndarray
    w: np.ndarray
    step: np.ndarray
    move: np.ndarray
    changes: np.ndarray  # CHANGES of the acceleration in the last steps,
    habits: np.ndarray  # and HABITS numbers fitted to them (solvers/stepping/prediction.py)
    trial: np.ndarray
    place: np.ndarray
    push: np.ndarray
    blend: np.ndarray
    speed: np.ndarray
    rest: np.ndarray
    nothing: np.ndarray
    signals: np.ndarray
    averaged: Rows  # with own points and axes (momentum form only)
    stress: np.ndarray
    stress_after: np.ndarray
    stress_beyond: np.ndarray
    rubbed: Rubbed
    factors: Workspace

    def clear(self) -> None:
        """Fill the arrays with zeros, except for the factors, whose contents do not matter."""
        for each in (self.whole, *self.rubbed):
            each[...] = 0.0


def zeros(sizes: Mapping[str, int]) -> dict[str, np.ndarray]:
    """Return arrays of zeros of these sizes by name, in one piece of memory, the "whole"; each begins at a cache line.

    >>> {name: each.size for name, each in zeros({"r": 3, "g": 9}).items()}
    {'whole': 24, 'r': 3, 'g': 9}
    """
    ends = list(accumulate(-(-size // LINE) * LINE for size in sizes.values()))
    whole = np.zeros(ends[-1])
    found = {name: whole[k : k + size] for (name, size), k in zip(sizes.items(), (0, *ends), strict=False)}
    return {"whole": whole, **found}
