"""Materials and beam sections: from E, nu, rho and a shape to stiffness and mass per length."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, fields
from math import isclose, pi

from pliant.errors import ModelError
from pliant.model import checks
from pliant.model.kinds import Kind


@dataclass(frozen=True)
class Material(Kind):
    """An isotropic linear elastic material.

    youngs_modulus  E (Pa)
    density         rho (kg/m^3)
    poisson_ratio   nu, in (-1, 0.5]; 0.3 if neither it nor the shear modulus is given
    shear_modulus   G (Pa); the two are tied by G = E / (2 (1 + nu)), so give one

    >>> Material("rubber", youngs_modulus=1e6, poisson_ratio=0.5, density=1100.0).shear_modulus
    333333.3333333333
    """

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
            ratio = implied
        ratio = checks.number(owner, "poisson_ratio", 0.3 if ratio is None else ratio)
        if not -1.0 < ratio <= 0.5:
            raise checks.refuse(owner, "poisson_ratio", ratio, "above -1 and at most 0.5", "Metals have about 0.3.")
        shear = modulus / (2.0 * (1.0 + ratio)) if shear is None else float(shear)
        self._set(youngs_modulus=modulus, density=density, poisson_ratio=ratio, shear_modulus=shear)


STEEL = Material("steel", youngs_modulus=210e9, poisson_ratio=0.3, density=7850.0)
"""Typical carbon steel; handbook values, measure yours where it matters."""
ALUMINIUM = Material("aluminium", youngs_modulus=70e9, poisson_ratio=0.33, density=2700.0)
"""Typical aluminium alloy."""
TITANIUM = Material("titanium", youngs_modulus=113.8e9, poisson_ratio=0.342, density=4430.0)
"""Ti-6Al-4V, annealed."""


@dataclass(frozen=True)
class Section(Kind):
    """A beam's section, as stiffness and mass per length. The classmethods make it from a shape.

    axial_stiffness    EA (N)
    shear_stiffness    kappa GA (N), shear factor included
    bending_stiffness  EI (N m^2), in the plane
    mass_per_length    rho A (kg/m)
    rotary_inertia     rho I (kg m)
    height             in the plane (m), for drawing and bending stress; None if unknown

    The shear factor kappa is 5/6 for every shape unless given; "cowper" takes Cowper's formula for the shape
    (G. R. Cowper, The shear coefficient in Timoshenko's beam theory, J. Appl. Mech. 33, 1966).

    >>> strip = Section.rectangle(0.02, 0.001, STEEL)
    >>> round(strip.bending_stiffness, 6), round(strip.mass_per_length, 6)
    (0.35, 0.157)
    """

    axial_stiffness: float
    shear_stiffness: float
    bending_stiffness: float
    mass_per_length: float
    rotary_inertia: float = 0.0
    height: float | None = None

    def __post_init__(self) -> None:
        for key in ("axial_stiffness", "shear_stiffness", "bending_stiffness"):
            self._set(**{key: checks.positive("Section", key, getattr(self, key))})
        for key in ("mass_per_length", "rotary_inertia"):
            self._set(**{key: checks.not_negative("Section", key, getattr(self, key))})
        if self.height is not None:
            self._set(height=checks.positive("Section", "height", self.height))

    @classmethod
    def rectangle(
        cls, width: float, height: float, material: Material, *, shear_factor: float | str = 5 / 6
    ) -> Section:
        """Rectangle, `height` in the plane of bending (m). Cowper: 10 (1 + nu) / (12 + 11 nu)."""
        owner = "Section.rectangle"
        width, height = checks.positive(owner, "width", width), checks.positive(owner, "height", height)
        nu = _poisson(owner, material)
        cowper = 10.0 * (1.0 + nu) / (12.0 + 11.0 * nu)
        kappa = _shear_factor(owner, shear_factor, cowper)
        return cls._of_shape(width * height, width * height**3 / 12.0, height, material, kappa)

    @classmethod
    def circle(cls, radius: float, material: Material, *, shear_factor: float | str = 5 / 6) -> Section:
        """Solid circle (m). Cowper: 6 (1 + nu) / (7 + 6 nu)."""
        owner = "Section.circle"
        radius = checks.positive(owner, "radius", radius)
        nu = _poisson(owner, material)
        kappa = _shear_factor(owner, shear_factor, 6.0 * (1.0 + nu) / (7.0 + 6.0 * nu))
        return cls._of_shape(pi * radius**2, pi * radius**4 / 4.0, 2.0 * radius, material, kappa)

    @classmethod
    def tube(
        cls, outer_radius: float, inner_radius: float, material: Material, *, shear_factor: float | str = 5 / 6
    ) -> Section:
        """Round tube (m).

        Cowper, m = inner / outer: 6 (1 + nu) (1 + m^2)^2 / ((7 + 6 nu) (1 + m^2)^2 + (20 + 12 nu) m^2).

        >>> tube = Section.tube(0.02, 0.018, ALUMINIUM, shear_factor="cowper")
        """
        owner = "Section.tube"
        outer = checks.positive(owner, "outer_radius", outer_radius)
        inner = checks.not_negative(owner, "inner_radius", inner_radius)
        if inner >= outer:
            raise checks.refuse(
                owner, "inner_radius", inner, f"below the outer radius, {outer!r}", "The outer radius comes first."
            )
        nu, m2 = _poisson(owner, material), (inner / outer) ** 2
        top = 6.0 * (1.0 + nu) * (1.0 + m2) ** 2
        cowper = top / ((7.0 + 6.0 * nu) * (1.0 + m2) ** 2 + (20.0 + 12.0 * nu) * m2)
        kappa = _shear_factor(owner, shear_factor, cowper)
        return cls._of_shape(pi * (outer**2 - inner**2), pi * (outer**4 - inner**4) / 4.0, 2.0 * outer, material, kappa)

    @classmethod
    def _of_shape(cls, area: float, second_moment: float, height: float, material: Material, kappa: float) -> Section:
        """Stiffness and mass from area A (m^2) and second moment of area I (m^4)."""
        return cls(
            axial_stiffness=material.youngs_modulus * area,
            shear_stiffness=kappa * material.shear_modulus * area,
            bending_stiffness=material.youngs_modulus * second_moment,
            mass_per_length=material.density * area,
            rotary_inertia=material.density * second_moment,
            height=height,
        )


def between(sections: Sequence[Section], s: float) -> Section:
    """Section at s in [0, 1] of a beam whose sections are given at equally spaced places; linear between, height too.

    >>> wide, slim = (Section.rectangle(width, 0.001, STEEL) for width in (0.02, 0.01))
    >>> round(between((wide, slim), 0.5).mass_per_length, 6)
    0.11775
    """
    if len(sections) == 1:
        return sections[0]
    place = s * (len(sections) - 1)
    k = min(int(place), len(sections) - 2)
    part, low, high = place - k, sections[k], sections[k + 1]
    keys = [f.name for f in fields(Section) if f.name != "height"]
    values = {key: (1.0 - part) * getattr(low, key) + part * getattr(high, key) for key in keys}
    known = low.height is not None and high.height is not None
    return Section(**values, height=(1.0 - part) * low.height + part * high.height if known else None)  # type: ignore[operator]


def _poisson(owner: str, material: Material) -> float:
    return checks.instance(owner, "material", material, Material, "Try STEEL, or Material(...).").poisson_ratio


def _shear_factor(owner: str, given: float | str, cowper: float) -> float:
    if isinstance(given, str):
        checks.choice(owner, "shear_factor", given, ["cowper"])
        return cowper
    return checks.positive(owner, "shear_factor", given, hint='A number such as 5/6, or "cowper".')
