"""Geometrically exact (Reissner) beam: any rotation, any order, shear and extension included. The default beam."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

from pliant.elements._options import BeamElement, Mass, check_choice, check_count
from pliant.errors import OptionError

__all__ = ["VARIANTS", "Exact"]

LARGEST_LUMPED_ORDER = 7


@dataclass(frozen=True)
class Exact(BeamElement):
    """Mesh of geometrically exact elements.

    elements  number of elements along the beam
    order     polynomial order: the number of nodes of an element minus one. Errors at nodes fall as
              (1/elements)^(2 order); for a curved rest shape and an order above 2, as (1/elements)^(order + 1)
    mass      "consistent", or "lumped" at the nodes (row sums of the consistent matrix)

    >>> import pliant as pl
    >>> from pliant_gallery import cantilever
    >>> pl.compile(cantilever.model(), elements=pl.Exact(4, order=3))
    System('cantilever': 39 coordinates, 3 constraint rows, 1 beams, formulation 'dae')
    """

    elements: int = 8
    _: KW_ONLY
    order: int = 1
    mass: Mass = "consistent"

    def __post_init__(self) -> None:
        check_count("Exact", "elements", self.elements)
        check_count("Exact", "order", self.order, largest=16)
        check_choice("Exact", "mass", self.mass, Mass)
        if self.mass == "lumped" and self.order > LARGEST_LUMPED_ORDER:
            raise OptionError(
                f"Exact: a lumped mass is not positive for order {self.order}; take order <= {LARGEST_LUMPED_ORDER} "
                f"or mass='consistent'."
            )


VARIANTS = (Exact(), Exact(mass="lumped"), Exact(order=2), Exact(order=3), Exact(order=2, mass="lumped"))
"""Options of every kind, for the contract tests."""
