"""Linear two-node Timoshenko beam about its rest pose: small displacements, textbook matrices."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import ClassVar, Literal

from pliant.elements._options import BeamElement, check_choice, check_count, check_finite

__all__ = ["VARIANTS", "Integration", "Linear", "LinearMass"]

Integration = Literal["reduced", "full", "exact"]
LinearMass = Literal["consistent", "lumped", "hermite"]


@dataclass(frozen=True)
class Linear(BeamElement):
    """Mesh of linear Timoshenko elements, for small displacements and rotations only.

    elements     number of elements along the beam
    integration  "reduced" shear (thesis 3.3), "full" (locks when slender), or "exact" (phi element, exact at the nodes)
    axial_force  preload N0 in N, tension positive, included as geometric stiffness (ERRATA 5)
    mass         "consistent" (thesis 3.11), "lumped", or "hermite" (cubic deflection, no rotary inertia; ERRATA 8)

    See docs/glossary.md for the thesis and docs/errata.md for the errata.

    >>> import pliant as pl
    >>> from pliant_gallery import cantilever
    >>> pl.compile(cantilever.model(), elements=pl.Linear(10, mass="lumped"))
    System('cantilever': 33 coordinates, 3 constraint rows, 1 beams, formulation 'dae')
    """

    units: ClassVar = {"axial_force": "N"}

    elements: int = 10
    _: KW_ONLY
    integration: Integration = "reduced"
    axial_force: float = 0.0
    mass: LinearMass = "consistent"

    order: ClassVar[int] = 1
    planar_only: ClassVar[bool] = True
    finite_rotation: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_count("Linear", "elements", self.elements)
        check_choice("Linear", "integration", self.integration, Integration)
        check_finite("Linear", "axial_force", self.axial_force)
        check_choice("Linear", "mass", self.mass, LinearMass)


VARIANTS = (
    Linear(),
    Linear(integration="full", mass="lumped"),
    Linear(integration="exact", mass="hermite"),
    Linear(axial_force=20.0),
    Linear(integration="exact", axial_force=-20.0),
)
"""Options of every kind, for the contract tests."""
