"""Derivatives of equilibrium and joints by a signal: d(r, g)/ds, exact for drives, by differences for loads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from pliant.model.signals import sizes
from pliant.solvers.nonlinear import newton
from pliant.solvers.nonlinear.bordered import Bordered, bordered
from pliant.system.equations import Scratch
from pliant.system.system import System

DIFFERENCE = 1e-7  # of the size of a signal that is not a drive: loads enter almost linearly


class Gradient(NamedTuple):
    """Derivatives by some signals, one row each."""

    force: np.ndarray  # (signals, freedoms) of r = f + G^T lambda
    gap: np.ndarray  # (signals, constraints) of g


class Gradients:
    """Derivatives by signals, given by their numbers.

    A drive acts in its rows alone, and there ``g`` is linear in the signal.
    """

    def __init__(self, system: System, signals: Sequence[int]) -> None:
        rows = system.equations.rows
        driven = np.isin(rows.signal, np.array(signals, rows.signal.dtype)) & (rows.gain != 0.0)
        self.system, self.signals = system, list(signals)
        drives, numbers = set(system.driving), np.array(self.signals)[:, None]
        self.by_drive = np.where(driven & (numbers == rows.signal), -rows.gain, 0.0)  # dg/ds, constant
        self.loads = [(j, k) for j, k in enumerate(self.signals) if k not in drives]

    def bordered(self, gamma: float) -> Bordered:
        """Return the data of the bordered Newton step for the unknown signals, with a weight of the augmented term."""
        way = bordered(self.signals, self.lack(gamma), self.system.freedoms, gamma, self.system.conservative)
        way.by_signal[:, self.system.freedoms :] = -self.by_drive
        return way

    def lack(self, gamma: float) -> np.ndarray:
        """Return (signals, constraints) the corrections of multipliers; see bordered.py."""
        return np.asarray(-gamma * self.system.equations.rows.weight * self.by_drive)

    def write(self, q: np.ndarray, lam: np.ndarray, u: np.ndarray, scratch: Scratch, by_signal: np.ndarray) -> None:
        """Write -d(r, g)/ds of loads at a configuration; rows of drives are constant. Loads overwrite ``scratch``."""
        if self.loads:
            by_signal[:, : self.system.freedoms] = -self.evaluate(q, lam, u, scratch).force

    def evaluate(self, q: np.ndarray, lam: np.ndarray, u: np.ndarray, scratch: Scratch) -> Gradient:
        """Return derivatives at a configuration; loads among the signals overwrite ``scratch``."""
        found = Gradient(np.zeros((len(self.signals), self.system.freedoms)), self.by_drive)
        if self.loads:
            pushes = np.abs(lam) / np.sqrt(self.system.equations.rows.weight)
            force, length = float(np.max(pushes, initial=0.0)), self.system.length_scale
        for j, k in self.loads:
            known = u[k]
            name = self.system.layout.signals[k].name
            change = DIFFERENCE * sizes.size(self.system.model, name, known, length, force)
            before = self._force(q, lam, u, scratch)
            u[k] += change
            found.force[j] = (self._force(q, lam, u, scratch) - before) / change
            u[k] = known
        return found

    def _force(self, q: np.ndarray, lam: np.ndarray, u: np.ndarray, scratch: Scratch) -> np.ndarray:
        newton.assemble(self.system.equations, q, lam, u, 0.0, 0.0, False, scratch)
        return scratch.r[: self.system.freedoms].copy()
