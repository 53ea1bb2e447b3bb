"""Materials: E, G, nu and rho."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from math import isclose
from typing import ClassVar

from pliant.errors import ModelError
from pliant.model import checks
from pliant.model.kinds import Kind


@dataclass(frozen=True)
class Material(Kind):
    """An isotropic linear elastic material.

    youngs_modulus  E (Pa)
    density         rho (kg/m^3)
    poisson_ratio   nu, in (-1, 0.5]; 0.3 if neither it nor the shear modulus is given
    shear_modulus   G (Pa), instead of poisson_ratio: G = E / (2 (1 + nu))

    >>> Material("rubber", youngs_modulus=1e6, poisson_ratio=0.5, density=1100.0).shear_modulus
    333333.3333333333
    """

    units: ClassVar = {"youngs_modulus": "Pa", "density": "kg/m^3", "poisson_ratio": "1", "shear_modulus": "Pa"}

    name: str
    _: KW_ONLY
    youngs_modulus: float
    density: float
    poisson_ratio: float = None  # type: ignore[assignment]  # filled below
    shear_modulus: float = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        checks.name("Material", self.name)
        owner = f'Material "{self.name}"'
        modulus = checks.positive(owner, "youngs_modulus", self.youngs_modulus, hint="Give it in pascals.")
        density = checks.not_negative(owner, "density", self.density, hint="Give it in kg/m^3.")
        ratio, shear = self.poisson_ratio, self.shear_modulus
        if shear is not None:
            implied = modulus / (2.0 * checks.positive(owner, "shear_modulus", shear)) - 1.0
            if ratio is not None and not isclose(ratio, implied, rel_tol=1e-6, abs_tol=1e-6):
                raise ModelError(
                    f"{owner}: poisson_ratio = {ratio!r} and shear_modulus = {shear!r} disagree: G = E / (2 (1 + nu)) "
                    f"means nu = {implied:.6g}. Give only one of them."
                )
            ratio = implied if ratio is None else ratio
        ratio = checks.number(owner, "poisson_ratio", 0.3 if ratio is None else ratio)
        if not -1.0 < ratio <= 0.5:
            raise checks.refuse(owner, "poisson_ratio", ratio, "above -1 and at most 0.5", "Metals have about 0.3.")
        shear = modulus / (2.0 * (1.0 + ratio)) if shear is None else float(shear)
        self._set(youngs_modulus=modulus, density=density, poisson_ratio=ratio, shear_modulus=shear)


@dataclass(frozen=True)
class Hyperelastic(Material):
    """Rubber or silicone: incompressible, elastic at large strains, with the Mooney-Rivlin energy per volume

        W = E/6 ((1 - mooney) (I1 - 3) + mooney (I2 - 3))

    Beams of this material need `Exact` elements (docs/theory/beams.md).

    youngs_modulus  E (Pa) at small strains; the shear modulus is a third of it
    density         rho (kg/m^3)
    mooney          C2 / (C1 + C2), in [0, 1]; 0 is the neo-Hookean material

    With mooney = 0 a bar stretched by the factor lambda carries the force E A / 3 (lambda - 1/lambda^2) (M. Mooney, J.
    Appl. Phys. 11, 1940; R.S. Rivlin, Phil. Trans. R. Soc. A 241, 1948).

    >>> silicone = Hyperelastic("silicone", youngs_modulus=0.3e6, density=1100.0)
    >>> silicone.poisson_ratio, round(silicone.shear_modulus)
    (0.5, 100000)
    """

    units: ClassVar = {"mooney": "1"}

    _: KW_ONLY
    mooney: float = 0.0

    def __post_init__(self) -> None:
        owner = f'Hyperelastic "{self.name}"'
        if self.poisson_ratio is None and self.shear_modulus is None:
            self._set(poisson_ratio=0.5)
        super().__post_init__()
        if not isclose(self.poisson_ratio, 0.5, abs_tol=1e-6):
            hint = "It is incompressible: leave it out, or take Material(...) for small strains."
            raise checks.refuse(owner, "poisson_ratio", self.poisson_ratio, "0.5", hint)
        hint = "It is C2 / (C1 + C2) of Mooney and Rivlin; 0 is neo-Hookean."
        self._set(mooney=checks.fraction(owner, "mooney", self.mooney, hint=hint))


STEEL = Material("steel", youngs_modulus=210e9, poisson_ratio=0.3, density=7850.0)
"""Typical carbon steel; handbook values, measure yours where it matters."""
ALUMINIUM = Material("aluminium", youngs_modulus=70e9, poisson_ratio=0.33, density=2700.0)
"""Typical aluminium alloy."""
TITANIUM = Material("titanium", youngs_modulus=113.8e9, poisson_ratio=0.342, density=4430.0)
"""Ti-6Al-4V, annealed."""
