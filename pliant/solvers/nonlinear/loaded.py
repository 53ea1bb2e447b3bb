"""Common base of systems with equilibria, in fixed or turning axes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pliant.forces.rest_lengths import rest_lengths
from pliant.solvers.nonlinear import equilibrium, stiffness_from_forces
from pliant.system.state import State
from pliant.system.system import System


@dataclass(frozen=True, repr=False)
class Loaded(System):
    """System with loads as signals: the start of paths of its equilibria, and their stiffness."""

    def stiffness_by_forces(self, state: State, vectors: np.ndarray, steps: np.ndarray) -> np.ndarray:
        """Return X^T K X of columns X, from forces at amplitudes up to ``steps``."""
        return stiffness_from_forces.stiffness(self, state, vectors, steps)

    @property
    def lengths(self) -> frozenset[int]:
        """Return the numbers of the signals that are rest lengths of tendons."""
        return frozenset(number for number, _ in rest_lengths(self.layout, self.initial))

    def unloaded(self, q: np.ndarray, u: np.ndarray) -> np.ndarray:
        """Return the signals with ``q`` as start: loads zero, tendons at rest, drives where the joints are."""
        return equilibrium.unloaded(self, q, u)
