"""How equilibrium and joints change with a signal: d(r, g)/ds, of drives exactly, of loads by differences."""

from __future__ import annotations

from collections.abc import Sequence
from math import pi
from typing import NamedTuple

import numpy as np

from pliant.joints import rows as joints
from pliant.solvers import newton
from pliant.system.equations import Scratch
from pliant.system.system import System

DIFFERENCE = 1e-7  # of a signal that is no drive: loads enter almost linearly


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

    A drive acts in its rows alone. There ``g`` is linear in the signal, or a sinusoid of it (a prescribed angle in
    space), whose derivative is the row a quarter turn further.
    """

    def __init__(self, system: System, signals: Sequence[int]) -> None:
        rows = system.equations.rows
        driven = np.isin(rows.signal, np.array(signals, rows.signal.dtype)) & (rows.gain != 0.0)
        self.system, self.signals = system, list(signals)
        self.places = np.flatnonzero(driven)
        self.rows = joints.Rows(*(np.ascontiguousarray(field[self.places]) for field in rows))
        self.turned = self.rows.kind == joints.HEADING
        self.quarter = self.rows._replace(offset=self.rows.offset + 0.5 * pi)
        drives = set(system.driving)
        self.owned = (np.array(self.signals)[:, None] == self.rows.signal).astype(float)  # (signals, rows)
        self.loads = [(j, k) for j, k in enumerate(self.signals) if k not in drives]

    def evaluate(self, q: np.ndarray, lam: np.ndarray, u: np.ndarray, gamma: float, scratch: Scratch) -> Slope:
        """Derivatives at a configuration; ``scratch`` is overwritten where there are loads among the signals."""
        n, count = self.system.freedoms, len(self.signals)
        found = Slope(np.zeros((count, n)), np.zeros((count, lam.size)), np.zeros((count, n)))
        if self.places.size:
            here, further = np.zeros((2, self.places.size, q.size))
            rate = np.zeros(self.places.size)
            joints.jacobian_dense(self.rows, q, u, here)
            joints.jacobian_dense(self.quarter, q, u, further)
            joints.residual(self.quarter, q, u, rate)
            rate = np.where(self.turned, rate, -1.0) * self.rows.gain
            turning = np.where(self.turned, lam[self.places] * self.rows.gain, 0.0)
            found.force[:] = (self.owned * turning) @ further[:, :n]
            found.stiff[:] = (self.owned * gamma * self.rows.weight * rate) @ here[:, :n]
            found.gap[:, self.places] = self.owned * rate
        for j, k in self.loads:
            known, change = u[k], DIFFERENCE * max(1.0, abs(u[k]))
            before = self._force(q, lam, u, scratch)
            u[k] += change
            found.force[j] = (self._force(q, lam, u, scratch) - before) / change
            u[k] = known
        return found

    def _force(self, q: np.ndarray, lam: np.ndarray, u: np.ndarray, scratch: Scratch) -> np.ndarray:
        newton.assemble(self.system.equations, q, lam, u, 0.0, 0.0, False, scratch)
        return scratch.r[: self.system.freedoms].copy()
