"""Load along a beam."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from pliant.model import checks
from pliant.model.bodies import Beam
from pliant.model.parts import Load
from pliant.model.signals import SignalLike


@dataclass(frozen=True, eq=False)
class DistributedLoad(Load):
    """Force per length (N/m) of a whole beam: along global x and y (and z in space), or along each section's axes if it
    is a follower.

    >>> from pliant.model import STEEL, Beam, Section
    >>> wing = Beam("wing", length=2.0, section=Section.tube(0.02, 0.018, STEEL))
    >>> DistributedLoad(wing, y=12.0, follower=True).name
    'distributed load wing'
    """

    units: ClassVar = {"x": "N/m", "y": "N/m", "z": "N/m"}
    in_space: ClassVar[tuple[str, ...]] = ("z",)

    beam: Beam
    x: SignalLike = 0.0
    y: SignalLike = 0.0
    follower: bool = False
    z: SignalLike = field(default=0.0, kw_only=True)
    name: str = field(default="", kw_only=True)

    def __post_init__(self) -> None:
        checks.instance("DistributedLoad", "beam", self.beam, Beam, "Only beams take a load per length.")
        super().__post_init__()
        self._set_signals("x", "y", "z")
        self._set(follower=checks.flag(self.owner, "follower", self.follower))

    def default_name(self) -> str:
        return f"distributed load {self.beam.name}"
