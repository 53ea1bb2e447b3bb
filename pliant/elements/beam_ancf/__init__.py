"""Absolute nodal coordinates (ANCF): a cable of cubics with continuous slopes and without shear, in the plane."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import ClassVar, Literal

from pliant.elements._options import BeamElement, check_choice, check_count

__all__ = ["VARIANTS", "Ancf", "AncfIntegration"]

AncfIntegration = Literal["mixed", "full"]


@dataclass(frozen=True)
class Ancf(BeamElement):
    """Mesh of gradient-deficient ANCF cables: extension and bending, sections stay normal to the axis.

    elements     number of elements along the beam; errors at nodes fall as (1/elements)^4
    integration  "mixed": 3 points of Lobatto for the axial strain and 2 of Gauss for the curvature, without locking;
                 "full": 5 and 3 of Gauss, the classical element, of which slender beams need many more

    Every node has position, direction and the stretch of the axis. The stretch is continuous even where an axial force
    jumps; errors fall more slowly there. Rotary inertia is interpolated linearly between nodes.

    >>> import pliant as pl
    >>> from pliant_gallery import cantilever
    >>> pl.compile(cantilever.model(), elements=pl.Ancf(6))
    System('cantilever': 28 coordinates, 3 constraint rows, 1 beams, formulation 'dae')
    """

    elements: int = 8
    _: KW_ONLY
    integration: AncfIntegration = "mixed"

    order: ClassVar[int] = 1
    mass: ClassVar[str] = "consistent"
    planar_only: ClassVar[bool] = True
    nodal_stretch: ClassVar[bool] = True
    continuous: ClassVar[bool] = True
    convergence: ClassVar[float] = 4.0
    neglects: ClassVar[tuple[str, ...]] = ("shear",)

    def __post_init__(self) -> None:
        check_count("Ancf", "elements", self.elements)
        check_choice("Ancf", "integration", self.integration, AncfIntegration)


VARIANTS = (Ancf(), Ancf(integration="full"))
"""Options of every kind, for the contract tests."""
