"""The multiplier system in motion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pliant.formulations.dae import motion
from pliant.solvers.methods import GeneralizedAlpha, Kinds, Momentum, Moreau, Newmark
from pliant.solvers.motion import Motion, Plan
from pliant.solvers.multipliers import Multipliers
from pliant.system.state import State


@dataclass(frozen=True, repr=False)
class Absolute(Multipliers):
    """A model in absolute coordinates, every joint as multiplier rows (formulation "dae")."""

    formulation: str = "dae"
    methods: ClassVar[Kinds] = (GeneralizedAlpha, Newmark, Momentum, Moreau)

    def move(self, begin: State, plan: Plan) -> Motion:
        """Motion in time; see motion.py."""
        return motion.move(self, begin, plan)
