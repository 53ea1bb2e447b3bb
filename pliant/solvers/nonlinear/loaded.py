"""What systems have in common that are asked for equilibria, in axes that stand still or turn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pliant.forces.rest_lengths import rest_lengths
from pliant.solvers.nonlinear import equilibrium, stiffness_from_forces
from pliant.system.state import State
from pliant.system.system import System


@dataclass(frozen=True, repr=False)
class Loaded(System):
    """A system that signals load: from where paths of its equilibria begin, and how stiff they are."""

    def stiffness_by_forces(self, state: State, vectors: np.ndarray, steps: np.ndarray) -> np.ndarray:
        """X^T K X of columns X, from forces at amplitudes up to ``steps``."""
        return stiffness_from_forces.stiffness(self, state, vectors, steps)

    @property
    def lengths(self) -> frozenset[int]:
        """Numbers of the signals that are rest lengths of tendons."""
        return frozenset(number for number, _ in rest_lengths(self.layout, self.initial))

    def unloaded(self, q: np.ndarray, u: np.ndarray) -> np.ndarray:
        """Signals at which ``q`` is the start: loads zero, tendons at rest, drives where the joints are."""
        return equilibrium.unloaded(self, q, u)
