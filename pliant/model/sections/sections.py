"""Beam sections: from a material and a shape to stiffness and mass per length."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from itertools import pairwise
from math import pi
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from pliant.errors import ModelError
from pliant.model import checks
from pliant.model.kinds import Kind
from pliant.model.quantities import takes
from pliant.model.rotations import Array
from pliant.model.sections import checks as section_checks
from pliant.model.sections.laws import FibreLaw
from pliant.model.sections.materials import Hyperelastic, Material

MASS_POINTS = 4  # Gauss points between two places of a profile: exact for areas that are polynomials of degree 7
ODD = np.arange(1.0, 2000.0, 2.0)  # terms of a series: the remainder is below 1e-14 of it
IN_SPACE = ("bending_stiffness_y", "torsional_stiffness", "shear_stiffness_z")


class Profile(Kind, ABC, abstract=True):
    """The section of a beam as a function of s, from 0 at its base to 1 at its tip; a `Section` is constant.

    places  values of s, from 0 to 1, between which it is smooth

    Your own class derives from it and defines `at`; usually a plain function is enough.

    >>> from pliant.model import STEEL, Circle
    >>> rod, cone = Section.circle(2e-3, STEEL), Circle(radius=(2e-3, 1e-3), material=STEEL)
    >>> isinstance(rod, Profile), rod.at(0.5) == rod, cone.uniform, round(cone.mean_mass() / rod.mean_mass(), 6)
    (True, True, False, 0.583333)
    """

    places: ClassVar[Sequence[float]] = (0.0, 1.0)

    @abstractmethod
    def at(self, s: float) -> Section:
        """Return the section at s."""

    @property
    def uniform(self) -> bool:
        """Return whether the section is constant along the beam."""
        return False

    @property
    def ends(self) -> tuple[Section, ...]:
        """Return the sections at `places`."""
        return tuple(self.at(float(s)) for s in self.places)

    @property
    def eccentric(self) -> bool:
        """Return whether the mass of some section is off the axis, or couples spins about x, y and z."""
        return any(section.eccentric for section in self.ends)

    @property
    def hyperelastic(self) -> bool:
        """Return whether its sections have a law for large strains."""
        return any(section.law is not None for section in self.ends)

    def check_linear(self, owner: str, who: str) -> None:
        """Refuse a law for large strains where it is not implemented."""
        if self.hyperelastic:
            raise ModelError(
                f"{owner}: its material is Hyperelastic, whose large strains {who} does not support. Compile with "
                "formulation='dae' and elements=pl.Exact(...), or give a Material for small strains."
            )

    def mean_mass(self) -> float:
        """Return the mean mass per length along the beam (kg/m): Gauss quadrature between all places."""
        x, weight = np.polynomial.legendre.leggauss(MASS_POINTS)
        begin, width = np.array(self.places[:-1])[:, None], np.diff(self.places)[:, None]
        s, weights = begin + 0.5 * width * (x + 1.0), 0.5 * width * weight
        lines = np.array([self.at(place).mass_per_length for place in s.ravel().tolist()])
        return float(weights.ravel() @ lines)

    def check_space(self, owner: str, spatial: bool) -> None:
        """Refuse planar sections in space, those that couple their strains in the plane, and laws of one part only."""
        if len({self.at(0.5 * float(a + b)).law is None for a, b in pairwise(self.places)}) > 1:
            raise ModelError(f"{owner}: a part of it is Hyperelastic, another is not. Weld two beams together.")
        for section in self.ends:
            section.check_space(owner, spatial)


@dataclass(frozen=True)
class Section(Profile):
    """A beam's section, as stiffness and mass per length. The classmethods make it from a shape. For one that changes
    along the beam see `Circle`, `Rectangle`, `Tube` and `LinearStiffness`.

    axial_stiffness      EA (N)
    shear_stiffness      kappa GA (N), shear factor included; along y, in the plane
    bending_stiffness    EI (N m^2), about z, in the plane
    mass_per_length      rho A (kg/m)
    rotary_inertia       rho I (kg m), about z
    height               along y, in the plane (m), for drawing and bending stress; None if unknown

    Additional fields of a beam in space, with x along the beam:

    bending_stiffness_y  EI (N m^2) about y
    torsional_stiffness  GJ (N m^2)
    shear_stiffness_z    kappa GA (N) along z
    rotary_inertia_y     rho I (kg m) about y
    width, bore          along z (m), for drawing, None if unknown; inner diameter of a round one, 0: solid
    mass_centre          (y, z) of the centre of mass (m), from the axis of the beam
    inertia_matrix       3 x 3 rotary inertia per length (kg m) about the centre of mass, if it differs from the two
                         numbers above: rho (Iy + Iz), rho Iy, rho Iz about x, y, z
    stiffness_matrix     6 x 6, where the section couples them; see `general`

    law                  response to large strains, a `FibreLaw`; None: linear

    The shear factor kappa is 5/6 for every shape unless given, as a number or one along y and one along z; "cowper"
    takes Cowper's formula for the shape (G. R. Cowper, The shear coefficient in Timoshenko's beam theory, J. Appl.
    Mech. 33, 1966). `torsion_constant` (m^4) replaces St Venant's for the shape.

    >>> from pliant.model import STEEL
    >>> strip = Section.rectangle(0.02, 0.001, STEEL)
    >>> round(strip.bending_stiffness, 6), round(strip.mass_per_length, 6)
    (0.35, 0.157)
    >>> np.diag(strip.stiffness).round(3).tolist()
    [4200000.0, 1346153.846, 1346153.846, 0.521, 140.0, 0.35]
    """

    units: ClassVar = {
        "axial_stiffness": "N",
        "shear_stiffness": "N",
        "bending_stiffness": "N m^2",
        "mass_per_length": "kg/m",
        "rotary_inertia": "kg m",
        "bending_stiffness_y": "N m^2",
        "torsional_stiffness": "N m^2",
        "shear_stiffness_z": "N",
        "rotary_inertia_y": "kg m",
        "mass_centre": "m",
        "inertia_matrix": "kg m",
        "stiffness_matrix": "1",  # a table of several units; see `unscalable`
        **dict.fromkeys(("height", "width", "bore"), "m"),
    }

    axial_stiffness: float
    shear_stiffness: float
    bending_stiffness: float
    mass_per_length: float
    rotary_inertia: float = 0.0
    height: float | None = None
    _: KW_ONLY
    bending_stiffness_y: float | None = None
    torsional_stiffness: float | None = None
    shear_stiffness_z: float | None = None
    rotary_inertia_y: float = 0.0
    width: float | None = None
    bore: float | None = None
    mass_centre: tuple[float, float] = (0.0, 0.0)
    inertia_matrix: tuple[tuple[float, ...], ...] | None = None
    stiffness_matrix: tuple[tuple[float, ...], ...] | None = None
    law: FibreLaw | None = None

    def __post_init__(self) -> None:
        for key in ("axial_stiffness", "shear_stiffness", "bending_stiffness"):
            self._set(**{key: checks.positive("Section", key, getattr(self, key))})
        for key in ("mass_per_length", "rotary_inertia", "rotary_inertia_y", *(() if self.bore is None else ("bore",))):
            self._set(**{key: checks.not_negative("Section", key, getattr(self, key))})
        for key in ("height", "width", *IN_SPACE):
            if getattr(self, key) is not None:
                self._set(**{key: checks.positive("Section", key, getattr(self, key))})
        if self.stiffness_matrix is not None:
            self._set(stiffness_matrix=section_checks.stiffness_matrix("Section", self.stiffness_matrix))
        if self.law is not None:
            checks.instance("Section", "law", self.law, FibreLaw, 'Try FibreLaw("circle").')
            if self.stiffness_matrix is not None:
                raise checks.refuse("Section", "law", self.law, "None where a stiffness_matrix is given")
        self._set(mass_centre=section_checks.mass_centre("Section", self.mass_centre))
        if self.inertia_matrix is not None:
            besides = bool(self.rotary_inertia or self.rotary_inertia_y)
            self._set(inertia_matrix=section_checks.inertia_matrix("Section", self.inertia_matrix, besides=besides))

    def at(self, s: float) -> Section:
        return self

    @property
    def uniform(self) -> bool:
        return True

    @property
    def ends(self) -> tuple[Section, ...]:
        return (self,)

    def mean_mass(self) -> float:
        return self.mass_per_length

    @property
    def stiffness(self) -> Array:
        """Return the (6, 6) stiffness in space, for strains (gamma_x, gamma_y, gamma_z, kappa_x, kappa_y, kappa_z)."""
        if self.stiffness_matrix is not None:
            return np.array(self.stiffness_matrix)
        self._check_complete("Section")
        shears, bends = (
            (self.shear_stiffness, self.shear_stiffness_z),
            (self.bending_stiffness_y, self.bending_stiffness),
        )
        return np.diag([self.axial_stiffness, *shears, self.torsional_stiffness, *bends]).astype(float)

    @property
    def rotary(self) -> Array:
        """Return the (3, 3) rotary inertia per length about the centre of mass (kg m)."""
        if self.inertia_matrix is not None:
            return np.array(self.inertia_matrix)
        about_y, about_z = self.rotary_inertia_y, self.rotary_inertia
        return np.diag([about_y + about_z, about_y, about_z])

    @property
    def centre(self) -> Array:
        """Return the (3,) centre of mass in the axes of the section (m)."""
        return np.array([0.0, *self.mass_centre])

    @property
    def rotary_about_axis(self) -> Array:
        """Return the (3, 3) rotary inertia per length about the axis of the beam (kg m), by Steiner's theorem."""
        c = self.centre
        return self.rotary + self.mass_per_length * (c @ c * np.eye(3) - np.outer(c, c))

    @property
    def eccentric(self) -> bool:
        full = self.inertia_matrix
        return any(self.mass_centre) or full is not None and any((*full[0][1:], full[1][0], full[1][2], *full[2][:2]))

    def unscalable(self) -> str:
        if self.stiffness_matrix is None:
            return ""
        return "its stiffness is a table of different units. Give Section.general in the units of the scaled model."

    def check_space(self, owner: str, spatial: bool) -> None:
        """Refuse a planar section in space, and one that couples its strains in the plane."""
        if spatial:
            self._check_complete(owner)
        elif self.eccentric or self.inertia_matrix is not None:
            raise ModelError(
                f"{owner}: its section has a mass_centre or an inertia_matrix, but the model is planar. Make the model "
                "spatial: Model(name, plane=None)."
            )
        elif self.stiffness_matrix is not None and np.any(self.stiffness - np.diag(np.diag(self.stiffness))):
            raise ModelError(
                f"{owner}: its section couples stretching, bending and twisting, but the model is planar. Make the "
                "model spatial: Model(name, plane=None)."
            )

    def _check_complete(self, owner: str) -> None:
        missing = [key for key in IN_SPACE if getattr(self, key) is None]
        if missing and self.stiffness_matrix is None:
            raise ModelError(
                f"{owner}: the section lacks {', '.join(missing)}, which a beam in space needs. Give them, or make the "
                "section with Section.rectangle(...), circle(...), tube(...) or general(...)."
            )

    @classmethod
    @takes(width="m", height="m", torsion_constant="m^4")
    def rectangle(
        cls,
        width: float,
        height: float,
        material: Material,
        *,
        shear_factor: section_checks.ShearFactor = 5 / 6,
        torsion_constant: float | None = None,
    ) -> Section:
        """Make a rectangle, `height` in the plane, along y, `width` along z (m). Cowper: 10 (1 + nu) / (12 + 11 nu)."""
        owner = "Section.rectangle"
        hint = "For one that changes along the beam: Rectangle(width=(base, tip), height=..., material=...)."
        width = checks.positive(owner, "width", width, hint=hint)
        height = checks.positive(owner, "height", height, hint=hint)
        nu = _poisson(owner, material)
        factors = section_checks.shear_factors(owner, shear_factor, 10.0 * (1.0 + nu) / (12.0 + 11.0 * nu))
        moments = height * width**3 / 12.0, width * height**3 / 12.0
        torsion = section_checks.torsion(owner, torsion_constant, rectangle_torsion(width, height))
        return cls._of_shape(
            width * height, moments, torsion, (width, height, None), material, factors, law=_law(material, "rectangle")
        )

    @classmethod
    @takes(radius="m", torsion_constant="m^4")
    def circle(
        cls,
        radius: float,
        material: Material,
        *,
        shear_factor: section_checks.ShearFactor = 5 / 6,
        torsion_constant: float | None = None,
    ) -> Section:
        """Make a solid circle (m). Cowper: 6 (1 + nu) / (7 + 6 nu)."""
        owner = "Section.circle"
        hint = "For one that changes along the beam: Circle(radius=(base, tip), material=...)."
        radius = checks.positive(owner, "radius", radius, hint=hint)
        nu = _poisson(owner, material)
        factors = section_checks.shear_factors(owner, shear_factor, 6.0 * (1.0 + nu) / (7.0 + 6.0 * nu))
        moment = pi * radius**4 / 4.0
        torsion = section_checks.torsion(owner, torsion_constant, 2.0 * moment)
        law, sizes = _law(material, "circle"), (2.0 * radius, 2.0 * radius, 0.0)
        return cls._of_shape(pi * radius**2, (moment, moment), torsion, sizes, material, factors, law=law)

    @classmethod
    @takes(outer_radius="m", inner_radius="m", torsion_constant="m^4")
    def tube(
        cls,
        outer_radius: float,
        inner_radius: float,
        material: Material,
        *,
        shear_factor: section_checks.ShearFactor = 5 / 6,
        torsion_constant: float | None = None,
    ) -> Section:
        """Make a round tube (m).

        Cowper, m = inner / outer: 6 (1 + nu) (1 + m^2)^2 / ((7 + 6 nu) (1 + m^2)^2 + (20 + 12 nu) m^2).

        >>> from pliant.model import ALUMINIUM
        >>> tube = Section.tube(0.02, 0.018, ALUMINIUM, shear_factor="cowper")
        """
        owner = "Section.tube"
        hint = "For one that changes along the beam: Tube(outer_radius=(base, tip), inner_radius=..., material=...)."
        outer = checks.positive(owner, "outer_radius", outer_radius, hint=hint)
        inner = checks.not_negative(owner, "inner_radius", inner_radius)
        if inner >= outer:
            raise checks.refuse(
                owner, "inner_radius", inner, f"below the outer radius, {outer!r}", "The outer radius comes first."
            )
        nu, m2 = _poisson(owner, material), (inner / outer) ** 2
        top = 6.0 * (1.0 + nu) * (1.0 + m2) ** 2
        cowper = top / ((7.0 + 6.0 * nu) * (1.0 + m2) ** 2 + (20.0 + 12.0 * nu) * m2)
        factors = section_checks.shear_factors(owner, shear_factor, cowper)
        area, moment = pi * (outer**2 - inner**2), pi * (outer**4 - inner**4) / 4.0
        torsion = section_checks.torsion(owner, torsion_constant, 2.0 * moment)
        law = _law(material, "circle", inner / outer)
        sizes = (2.0 * outer, 2.0 * outer, 2.0 * inner)
        return cls._of_shape(area, (moment, moment), torsion, sizes, material, factors, law=law)

    @classmethod
    @takes(mass_per_length="kg/m", axial="m/s", flexural="m/s", length="m")
    def of_velocities(
        cls, mass_per_length: float, *, axial: float, flexural: float, length: float, poisson_ratio: float = 0.3
    ) -> Section:
        """Make a section from velocities (m/s): U_a = sqrt(EA / rho A), U_g = sqrt(EI / rho A) / length.

        Shear with factor 5/6 and rotary inertia follow from ``I / A = EI / EA``. Source: manipulators paper, eq. 15.

        >>> Section.of_velocities(0.1, axial=4800.0, flexural=25.0, length=2.0).bending_stiffness
        250.0
        """
        owner = "Section.of_velocities"
        given = {"mass_per_length": mass_per_length, "axial": axial, "flexural": flexural, "length": length}
        mass, axial, flexural, length = (checks.positive(owner, key, value) for key, value in given.items())
        stiffness = mass * axial**2
        return cls(
            axial_stiffness=stiffness,
            shear_stiffness=5 / 6 * stiffness / (2.0 * (1.0 + checks.number(owner, "poisson_ratio", poisson_ratio))),
            bending_stiffness=mass * (flexural * length) ** 2,
            mass_per_length=mass,
            rotary_inertia=mass * (flexural * length / axial) ** 2,
        )

    @classmethod
    @takes(mass_per_length="kg/m", rotary_inertia="kg m", rotary_inertia_y="kg m", mass_centre="m")
    def general(
        cls,
        stiffness: ArrayLike,
        *,
        mass_per_length: float,
        rotary_inertia: float = 0.0,
        rotary_inertia_y: float = 0.0,
        height: float | None = None,
        width: float | None = None,
        mass_centre: tuple[float, float] = (0.0, 0.0),
        inertia_matrix: ArrayLike | None = None,
    ) -> Section:
        """Make any section: its 6 x 6 stiffness, symmetric and positive definite, rows and columns in the order
        stretch, shear along y, along z, twist, bending about y, about z; its mass anywhere, with any rotary inertia.

        >>> Section.general(np.diag([1e6, 4e5, 4e5, 50.0, 60.0, 70.0]), mass_per_length=0.8).bending_stiffness
        70.0
        """
        found = section_checks.stiffness_matrix("Section.general", stiffness)
        return cls(
            axial_stiffness=found[0][0],
            shear_stiffness=found[1][1],
            bending_stiffness=found[5][5],
            mass_per_length=mass_per_length,
            rotary_inertia=rotary_inertia,
            height=height,
            rotary_inertia_y=rotary_inertia_y,
            width=width,
            mass_centre=mass_centre,
            inertia_matrix=inertia_matrix,  # type: ignore[arg-type]  # made a tuple of tuples
            stiffness_matrix=found,
        )

    @classmethod
    def _of_shape(
        cls,
        area: float,
        moments: tuple[float, float],
        torsion: float,
        size: tuple[float, float, float | None],
        material: Material,
        factors: tuple[float, float],
        *,
        law: FibreLaw | None,
    ) -> Section:
        """Make a section from area A (m^2), second moments (m^4) about y and z, torsion constant, sizes."""
        shear = material.shear_modulus * area
        return cls(
            axial_stiffness=material.youngs_modulus * area,
            shear_stiffness=factors[0] * shear,
            bending_stiffness=material.youngs_modulus * moments[1],
            mass_per_length=material.density * area,
            rotary_inertia=material.density * moments[1],
            height=size[1],
            bending_stiffness_y=material.youngs_modulus * moments[0],
            torsional_stiffness=material.shear_modulus * torsion,
            shear_stiffness_z=factors[1] * shear,
            rotary_inertia_y=material.density * moments[0],
            width=size[0],
            bore=size[2],
            law=law,
        )


def rectangle_torsion(width: float, height: float) -> float:
    """Return St Venant's torsion constant (m^4) of a rectangle: ``a b^3 (1/3 - 64/pi^5 b/a sum tanh(n pi a / 2 b) /
    n^5)`` over odd n, a the longer side (Timoshenko and Goodier, Theory of Elasticity, art. 109).

    >>> round(rectangle_torsion(1.0, 1.0), 4)
    0.1406
    """
    a, b = max(width, height), min(width, height)
    series = float(np.sum(np.tanh(0.5 * ODD * pi * a / b) / ODD**5))
    return a * b**3 * (1.0 / 3.0 - 64.0 / pi**5 * b / a * series)


def _law(material: Material, shape: str, inner: float = 0.0) -> FibreLaw | None:
    """Return the law of a material that has one."""
    return FibreLaw(shape, inner=inner, mooney=material.mooney) if isinstance(material, Hyperelastic) else None


def _poisson(owner: str, material: Material) -> float:
    return checks.instance(owner, "material", material, Material, "Try STEEL, or Material(...).").poisson_ratio
