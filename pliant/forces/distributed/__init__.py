"""Load along a beam."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from pliant.model import checks
from pliant.model.bodies.rigid import Beam
from pliant.model.parts import Load
from pliant.model.signals.base import SignalLike

Along = float | tuple[float, ...] | Callable[[float], float]
"""A number, values at equally spaced s from base to tip, linear between, or a function of s."""


@dataclass(frozen=True, eq=False)
class DistributedLoad(Load):
    """Force per length (N/m) on a beam, along global x and y (and z in space), or along the axes of each section if it
    is a follower.

    along  how it changes from base to tip, as a factor: a number, values at equally spaced s (linear between), or a
           Python function of s in [0, 1], which a file cannot hold. Place a marker where it has a kink or a jump

    >>> from pliant.model import STEEL, Beam, Section
    >>> wing = Beam("wing", length=2.0, section=Section.tube(0.02, 0.018, STEEL))
    >>> DistributedLoad(wing, y=12.0, follower=True).name
    'distributed load wing'
    >>> DistributedLoad(wing, y=12.0, along=(1.0, 0.5, 0.0)).factor(0.25)
    0.75
    """

    units: ClassVar = {"x": "N/m", "y": "N/m", "z": "N/m", "along": "1"}
    in_space: ClassVar[tuple[str, ...]] = ("z",)

    beam: Beam
    x: SignalLike = 0.0
    y: SignalLike = 0.0
    follower: bool = False
    z: SignalLike = field(default=0.0, kw_only=True)
    along: Along = field(default=1.0, kw_only=True)
    name: str = field(default="", kw_only=True)

    def __post_init__(self) -> None:
        checks.instance("DistributedLoad", "beam", self.beam, Beam, "Only beams take a load per length.")
        super().__post_init__()
        self._set_signals("x", "y", "z")
        self._set(follower=checks.flag(self.owner, "follower", self.follower), along=self._along())

    def _along(self) -> Along:
        given: Any = self.along.tolist() if isinstance(self.along, np.ndarray) else self.along
        if callable(given):
            _ = [self._called(given, s) for s in (0.0, 0.5, 1.0)]
            return given
        hint = "Give a factor, factors at equally spaced places from base to tip, or a function of s in [0, 1]."
        if isinstance(given, Sequence) and not isinstance(given, str):
            return checks.numbers(self.owner, "along", given, least=2)
        return checks.number(self.owner, "along", given, hint=hint)

    def _called(self, function: Callable[[float], float], s: float) -> float:
        """Return the value of a function of s at a place."""
        return checks.number(self.owner, f"along({s:g})", function(s), hint="Give a function of s in [0, 1].")

    def factor(self, s: float) -> float:
        """Return the factor on the given force per length at s."""
        if callable(self.along):
            return self._called(self.along, float(s))
        given = np.atleast_1d(self.along)
        return float(np.interp(s, np.linspace(0.0, 1.0, given.size), given)) if given.size > 1 else float(given[0])

    def default_name(self) -> str:
        return f"distributed load {self.beam.name}"
