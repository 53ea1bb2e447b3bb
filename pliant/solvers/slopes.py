"""How equilibrium and joints change with a signal: d(r, g)/ds, of drives exactly, of loads by differences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from pliant.joints import rows as joints
from pliant.model import signal_sizes
from pliant.solvers import newton
from pliant.system.equations import Scratch
from pliant.system.system import System

DIFFERENCE = 1e-7  # of the size of a signal that is no drive: loads enter almost linearly


class Slope(NamedTuple):
    """Derivatives by some signals, one row each."""

    force: np.ndarray  # (signals, freedoms) of r = f + G^T lambda
    gap: np.ndarray  # (signals, constraints) of g
    stiff: np.ndarray  # (signals, freedoms) of gamma G^T g, what the augmented term adds to the force

    def right_side(self) -> np.ndarray:
        """-d(r, g)/ds with the augmented term, for the augmented matrix."""
        return -np.hstack([self.force + self.stiff, self.gap])


class Slopes:
    """Derivatives by signals, given by their numbers.

    A drive acts in its rows alone, and there ``g`` is linear in the signal.
    """

    def __init__(self, system: System, signals: Sequence[int]) -> None:
        rows = system.equations.rows
        driven = np.isin(rows.signal, np.array(signals, rows.signal.dtype)) & (rows.gain != 0.0)
        self.system, self.signals = system, list(signals)
        self.places = np.flatnonzero(driven)
        self.rows = joints.chosen(rows, self.places)
        drives = set(system.driving)
        self.owned = (np.array(self.signals)[:, None] == self.rows.signal).astype(float)  # (signals, rows)
        self.by_drive = np.zeros((len(self.signals), rows.offset.size))  # dg/ds, the same everywhere
        self.by_drive[:, self.places] = -self.owned * self.rows.gain
        self.loads = [(j, k) for j, k in enumerate(self.signals) if k not in drives]

    def evaluate(self, q: np.ndarray, lam: np.ndarray, u: np.ndarray, gamma: float, scratch: Scratch) -> Slope:
        """Derivatives at a configuration; ``scratch`` is overwritten where there are loads among the signals."""
        n, count = self.system.freedoms, len(self.signals)
        found = Slope(np.zeros((count, n)), np.zeros((count, lam.size)), np.zeros((count, n)))
        if self.places.size:
            jacobian, rate = np.zeros((self.places.size, q.size)), -self.rows.gain
            joints.jacobian_dense(self.rows, q, u, jacobian)
            found.stiff[:] = (self.owned * gamma * self.rows.weight * rate) @ jacobian[:, :n]
            found.gap[:] = self.by_drive
        if self.loads:
            pushes = np.abs(lam) / np.sqrt(self.system.equations.rows.weight)
            force, length = float(np.max(pushes, initial=0.0)), self.system.length_scale
        for j, k in self.loads:
            known = u[k]
            name = self.system.layout.signals[k].name
            change = DIFFERENCE * signal_sizes.size(self.system.model, name, known, length, force)
            before = self._force(q, lam, u, scratch)
            u[k] += change
            found.force[j] = (self._force(q, lam, u, scratch) - before) / change
            u[k] = known
        return found

    def _force(self, q: np.ndarray, lam: np.ndarray, u: np.ndarray, scratch: Scratch) -> np.ndarray:
        newton.assemble(self.system.equations, q, lam, u, 0.0, 0.0, False, scratch)
        return scratch.r[: self.system.freedoms].copy()
