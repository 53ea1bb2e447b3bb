"""Absolute nodal coordinates (ANCF): a cable of cubics whose slopes are continuous; no shear. In the plane."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import ClassVar, Literal

from pliant.elements._options import BeamElement, check_choice, check_count

__all__ = ["VARIANTS", "Ancf", "AncfIntegration"]

AncfIntegration = Literal["full", "reduced"]


@dataclass(frozen=True)
class Ancf(BeamElement):
    """Mesh of gradient-deficient ANCF cables: extension and bending, sections stay normal to the axis.

    elements: number of elements along the beam
    integration: "full", 5 Gauss points for the axial strain and 3 for the curvature, or "reduced", 4 and 2

    Every node has a stretch besides its place and direction. Rotary inertia is interpolated linearly between nodes.
    """

    elements: int = 8
    _: KW_ONLY
    integration: AncfIntegration = "reduced"

    order: ClassVar[int] = 1
    mass: ClassVar[str] = "consistent"
    planar_only: ClassVar[bool] = True
    nodal_stretch: ClassVar[bool] = True
    continuous: ClassVar[bool] = True
    convergence: ClassVar[float] = 4.0

    def __post_init__(self) -> None:
        check_count("Ancf", "elements", self.elements)
        check_choice("Ancf", "integration", self.integration, AncfIntegration)


VARIANTS = (Ancf(), Ancf(integration="full"))
"""One of each kind, for the contract tests."""
