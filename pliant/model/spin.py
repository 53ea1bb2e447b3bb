"""Steady rotation of a whole mechanism about a fixed axis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypedDict

import numpy as np

from pliant.model import checks, rotations

OWNER = "Spin"


class SpinSettings(TypedDict):
    """Settings of a spin by name."""

    rate: float
    axis: list[float]
    about: list[float]


@dataclass(frozen=True)
class Spin:
    """Constant rotation of the whole mechanism, including its ground, about an axis.

    rate   rad/s, positive by the right-hand rule
    axis   "x", "y", "z" or a direction; in the plane only its normal, z
    about  a point on the axis (m), in the ground's coordinates

    Positions are given in axes that turn with it, at the instant at which these coincide with the fixed axes.

    >>> Spin(12.0, axis=(0, 0, 2), about=(0.1, 0, 0)).axis
    (0.0, 0.0, 1.0)
    """

    rate: float
    axis: str | Sequence[float] = (0.0, 0.0, 1.0)
    about: Sequence[float] = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        about = checks.numbers(OWNER, "about", self.about, least=2)
        if len(about) > 3:
            raise checks.refuse(OWNER, "about", self.about, "a point, (x, y) or (x, y, z)")
        object.__setattr__(self, "rate", checks.number(OWNER, "rate", self.rate))
        object.__setattr__(self, "axis", rotations.unit(OWNER, "axis", self.axis))
        object.__setattr__(self, "about", (*about, 0.0)[:3])

    @staticmethod
    def of(given: Spin | float | SpinSettings, *, spatial: bool) -> Spin:
        """Make a spin from user input: a `Spin`, a rate, or `settings`."""
        found = given if isinstance(given, Spin) else Spin(**given) if isinstance(given, dict) else Spin(given)
        if not spatial and (found.axis[:2] != (0.0, 0.0) or found.about[2] != 0.0):
            raise checks.refuse(
                OWNER, "axis", found.axis, "z in a planar model, and about a point (x, y)", "Model(..., plane=None)?"
            )
        return found

    def at(self, rate: float) -> Spin:
        """Return a spin about the same axis at another rate."""
        return replace(self, rate=rate)

    @property
    def vector(self) -> np.ndarray:
        """Return the (3,) angular velocity, rad/s."""
        return self.rate * np.asarray(self.axis, float)

    @property
    def settings(self) -> SpinSettings:
        """Return rate, axis and point as a dictionary, for the provenance of results."""
        return {"rate": self.rate, "axis": [float(x) for x in self.axis], "about": list(self.about)}
