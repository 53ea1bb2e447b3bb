"""A system whose joints act through multipliers, at rest: equilibria by the solvers of this folder."""

from __future__ import annotations

from dataclasses import dataclass

from pliant.solvers import equilibrium
from pliant.system.state import Equilibrium, State
from pliant.system.system import System


@dataclass(frozen=True, repr=False)
class Multipliers(System):
    """``f(q, u) + G^T lambda = 0``, ``g(q, u) = 0``."""

    def balance(self, state: State) -> tuple[float, float, float]:
        """Largest moment (N m) that is not balanced in a state, largest at work, and what rounding may leave."""
        return equilibrium.balance(self, state)

    def find_equilibrium(self, start: State, *, time: float = 0.0, load_steps: int = 1) -> Equilibrium:
        """Equilibrium near a state; see equilibrium.py."""
        return equilibrium.find_equilibrium(self, start, time=time, load_steps=load_steps)
