"""Viscous drag along a beam."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from pliant.model import checks
from pliant.model.bodies.rigid import Beam
from pliant.model.parts import Load


@dataclass(frozen=True, eq=False)
class Drag(Load):
    """Drag against the velocity of every point of a beam, ``-(sigma_x x', sigma_y y')`` per length, in global axes.

    x, y, z  coefficients sigma_x, sigma_y, sigma_z (N s/m^2), z in space only; source: eq. 5 of the shooting paper
             (docs/glossary.md)

    >>> from pliant.model import STEEL, Beam, Section
    >>> arm = Beam("arm", length=2.0, section=Section.circle(0.01, STEEL))
    >>> Drag(arm, x=0.1, y=0.1).name
    'drag arm'
    """

    units: ClassVar = {"x": "N s/m^2", "y": "N s/m^2", "z": "N s/m^2"}
    in_space: ClassVar[tuple[str, ...]] = ("z",)

    beam: Beam
    x: float
    y: float
    z: float = field(default=0.0, kw_only=True)
    name: str = field(default="", kw_only=True)

    def __post_init__(self) -> None:
        checks.instance("Drag", "beam", self.beam, Beam, "Only beams have drag along their length.")
        super().__post_init__()
        for key in ("x", "y", "z"):
            self._set(**{key: checks.not_negative(self.owner, key, getattr(self, key))})

    def default_name(self) -> str:
        return f"drag {self.beam.name}"
