"""Two-node Euler-Bernoulli beam: it stretches, bends and twists, but does not shear."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import pliant as pl
from pliant.extend import check_count


@dataclass(frozen=True)
class Bernoulli(pl.BeamElement):
    """Mesh of two-node elements with the exact stiffness of Euler and Bernoulli, seen from each one's mean section.

    elements  their number along the beam
    """

    elements: int = 8

    order: ClassVar[int] = 1
    mass: ClassVar[str] = "consistent"

    def __post_init__(self) -> None:
        check_count("Bernoulli", "elements", self.elements)
