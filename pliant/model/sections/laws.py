"""Sections whose resultants are nonlinear in their strains: rubber and silicone, by the fibres of a shape."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from math import pi, sqrt
from typing import ClassVar

import numpy as np

from pliant.model import checks
from pliant.model.kinds import Kind
from pliant.model.rotations import Array

SHAPES = ("circle", "rectangle")
ACROSS = 8  # fibres along a side of a rectangle; a circle has half as many radii and twice as many angles
# both integrate polynomials of degree 15 in y and z exactly: a law whose outermost fibre is shortened to a fifth of the
# axis's stretch within 2e-4, to a half of it within 1e-8


@dataclass(frozen=True)
class FibreLaw(Kind):
    """Response of an incompressible section to large strains, in addition to its stiffness at small strains; sections
    of `Hyperelastic` material have it (docs/theory/beams.md).

    shape   "circle" or "rectangle": distribution of its fibres about the axis, at distances that follow from EI / EA
    inner   inner over outer radius of a round tube
    mooney  share of the second constant of Mooney and Rivlin, as of the material

    >>> share, y, z = FibreLaw("circle").fibres().T
    >>> share.size, [round(float(x), 12) for x in (share.sum(), share @ y**2, share @ z**2)]  # radii of gyration
    (64, [1.0, 1.0, 1.0])
    """

    units: ClassVar = {"inner": "1", "mooney": "1"}

    shape: str
    _: KW_ONLY
    inner: float = 0.0
    mooney: float = 0.0

    def __post_init__(self) -> None:
        checks.choice("FibreLaw", "shape", self.shape, SHAPES)
        for key in ("inner", "mooney"):
            self._set(**{key: checks.fraction("FibreLaw", key, getattr(self, key))})
        if self.inner == 1.0 or self.inner and self.shape != "circle":
            raise checks.refuse("FibreLaw", "inner", self.inner, "below 1, and of a circle")

    def fibres(self, *, plane: bool = False) -> Array:
        """Return (n, 3): share of the area, and y and z over their radii of gyration; for bending in the plane, fibres
        at one y are merged, with z = 0.
        """
        x, weight = np.polynomial.legendre.leggauss(ACROSS)
        if self.shape == "rectangle":
            side = np.sqrt(3.0) * x
            if plane:
                return np.stack((0.5 * weight, side, np.zeros(ACROSS)), axis=1)
            y, z = np.meshgrid(side, side, indexing="ij")
            return np.stack((0.25 * np.outer(weight, weight).ravel(), y.ravel(), z.ravel()), axis=1)
        x, weight = np.polynomial.legendre.leggauss(ACROSS // 2)
        least = self.inner**2
        radius = np.sqrt(least + 0.5 * (1.0 - least) * (x + 1.0)) * 2.0 / sqrt(1.0 + least)
        angle = pi / ACROSS * (np.arange(ACROSS if plane else 2 * ACROSS) + 0.5)
        share = np.repeat(0.5 * weight / angle.size, angle.size)
        y, z = np.outer(radius, np.cos(angle)).ravel(), np.outer(radius, np.sin(angle)).ravel()
        return np.stack((share, y, np.zeros(y.size) if plane else z), axis=1)
