"""The multiplier system in motion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pliant.formulations.dae import moreau, motion
from pliant.formulations.dae.motion import Motion
from pliant.solvers.multipliers import Multipliers
from pliant.system.state import State


@dataclass(frozen=True, repr=False)
class Absolute(Multipliers):
    """A model in absolute coordinates, every joint as multiplier rows (formulation "dae")."""

    formulation: str = "dae"

    def move(self, begin: State, **options: Any) -> Motion:
        """Motion in time; see motion.py, and moreau.py for rigid contacts."""
        rigid = options.pop("contact", "penalty") == "complementarity"
        return moreau.move(self, begin, **options) if rigid else motion.move(self, begin, **options)
