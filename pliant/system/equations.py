"""What the compiled loops are given: the equations, and arrays to work in."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from pliant._jit.bundle import Bundle
from pliant.joints.rows import Rows
from pliant.joints.rows.rubbing import Rubbed, Rubbing
from pliant.solvers.ldl import Pattern, Workspace


class Equations(Bundle):
    """What compiled code needs of a system."""

    parts: Any
    rows: Rows
    pattern: Pattern
    freedoms: int
    frames: int  # where the quaternions of spatial nodes start in q
    turning: int  # how many moving nodes have one: none in the plane
    weight: np.ndarray  # (freedoms,) 1 / length scale for positions, 1 for angles
    gamma: float  # augmented term in motion; zero unless some part has no mass
    mass: float  # of everything
    inertia: np.ndarray  # (pairs, 11) of nodes, see node_inertia; empty unless momentum is to be kept
    rubbing: Rubbing  # friction of joints

    @cached_property
    def spare(self) -> list[Scratch]:
        """Working arrays that nobody works in at present, see `System.working`."""
        return []


class Scratch(Bundle):
    """Working arrays of the compiled loops."""

    r: np.ndarray
    g: np.ndarray
    s: np.ndarray
    w: np.ndarray
    step: np.ndarray
    move: np.ndarray
    trial: np.ndarray
    place: np.ndarray
    push: np.ndarray
    blend: np.ndarray
    speed: np.ndarray
    rest: np.ndarray
    nothing: np.ndarray
    signals: np.ndarray
    averaged: Rows  # with points and axes of their own (momentum form only)
    stress: np.ndarray
    stress_after: np.ndarray
    stress_beyond: np.ndarray
    rubbed: Rubbed
    factors: Workspace

    def clear(self) -> None:
        """Zeros, as in fresh arrays, but for those of the factors, which hold anything."""
        for each in (*self, *self.rubbed):
            if isinstance(each, np.ndarray):
                each[...] = 0.0
