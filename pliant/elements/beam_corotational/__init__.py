"""Co-rotational Timoshenko beam: small strain in a frame that moves with each element's chord."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

from pliant.elements._options import BeamElement, Mass, check_choice, check_count, check_flag

__all__ = ["VARIANTS", "Corotational"]


@dataclass(frozen=True)
class Corotational(BeamElement):
    """Mesh of co-rotational elements.

    elements    number of elements along the beam
    von_karman  True: add the mean of half the squared slope to the axial strain, so that the element may bow (thesis
                5.15; see docs/glossary.md for the thesis)
    mass        "consistent" (linear interpolation, constant) or "lumped" at the nodes

    >>> import pliant as pl
    >>> from pliant_gallery import cantilever
    >>> pl.compile(cantilever.model(), elements=pl.Corotational(20))
    System('cantilever': 63 coordinates, 3 constraint rows, 1 beams, formulation 'dae')
    """

    elements: int = 8
    _: KW_ONLY
    von_karman: bool = False
    mass: Mass = "consistent"

    order: ClassVar[int] = 1

    def __post_init__(self) -> None:
        check_count("Corotational", "elements", self.elements)
        check_flag("Corotational", "von_karman", self.von_karman)
        check_choice("Corotational", "mass", self.mass, Mass)


VARIANTS = (Corotational(), Corotational(von_karman=True), Corotational(mass="lumped"))
"""Options of every kind, for the contract tests."""
