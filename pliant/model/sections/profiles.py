"""Sections that change along a beam: shapes with tapering dimensions, linear stiffness, any function of s."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, fields
from typing import Any, ClassVar

import numpy as np

from pliant.errors import ModelError
from pliant.model import checks
from pliant.model.sections.checks import ShearFactor
from pliant.model.sections.laws import FibreLaw
from pliant.model.sections.materials import Material
from pliant.model.sections.sections import Profile, Section

Dimension = float | tuple[float, ...]
"""A number, or values at equally spaced s from base to tip, linear between."""

MOST_STATIONS = 10_000


class Shape(Profile, abstract=True):
    """A shape of a material whose dimensions change along the beam, linear between equally spaced places."""

    dimensions: ClassVar[tuple[str, ...]]
    may_vanish: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        for name in self.dimensions:
            self._set(**{name: self._dimension(name, getattr(self, name))})
        _ = self.ends  # raises if Section does

    def _dimension(self, name: str, value: Any) -> Dimension:
        owner = type(self).__name__
        hint = "Give metres: a number, or values at equally spaced places from base to tip. A sharp tip is a small one."
        check = checks.not_negative if name in self.may_vanish else checks.positive
        if isinstance(value, np.ndarray):
            value = value.tolist()
        if isinstance(value, str) or not isinstance(value, Sequence):
            return check(owner, name, value, hint=hint)
        if not 2 <= len(value) <= MOST_STATIONS:
            raise checks.refuse(owner, name, value, f"a number, or 2 to {MOST_STATIONS} of them", hint)
        return tuple(check(owner, f"{name}[{i}]", each, hint=hint) for i, each in enumerate(value))

    def _value(self, name: str, s: float) -> float:
        value = getattr(self, name)
        if not isinstance(value, tuple):
            return float(value)
        return float(np.interp(s, np.linspace(0.0, 1.0, len(value)), value))

    @property
    def places(self) -> Sequence[float]:  # type: ignore[override]
        """Return the stations of all dimensions."""
        counts = {np.size(getattr(self, name)) for name in self.dimensions}
        return sorted({0.0, 1.0}.union(*(np.linspace(0.0, 1.0, count).tolist() for count in counts if count > 1)))

    @property
    def uniform(self) -> bool:
        return all(np.ptp(getattr(self, name)) == 0.0 for name in self.dimensions)


@dataclass(frozen=True)
class Circle(Shape):
    """A solid circle whose radius (m) changes along the beam: a cone. See `Section.circle`.

    radius        a number, or values at equally spaced places from base to tip, linear between
    material      of all of it
    shear_factor  as of `Section`

    >>> from pliant.model import STEEL
    >>> cone = Circle(radius=(4e-3, 2e-3), material=STEEL)
    >>> halfway = cone.at(0.5)
    >>> halfway == Section.circle(3e-3, STEEL), round(halfway.bending_stiffness / cone.at(0.0).bending_stiffness, 6)
    (True, 0.316406)
    """

    units: ClassVar = {"radius": "m", "shear_factor": "1"}
    dimensions: ClassVar[tuple[str, ...]] = ("radius",)

    _: KW_ONLY
    radius: Dimension
    material: Material
    shear_factor: ShearFactor = 5 / 6

    def at(self, s: float) -> Section:
        return Section.circle(self._value("radius", s), self.material, shear_factor=self.shear_factor)


@dataclass(frozen=True)
class Rectangle(Shape):
    """A rectangle whose width and height (m) change along the beam: a wedge, a leaf cut to a triangle. See
    `Section.rectangle`.

    width, height  numbers, or values at equally spaced places from base to tip, linear between; the height is along y,
                   in the plane
    material       of all of it
    shear_factor   as of `Section`

    >>> from pliant.model import STEEL
    >>> leaf = Rectangle(width=(20e-3, 10e-3), height=1e-3, material=STEEL)
    >>> leaf.at(0.5) == Section.rectangle(15e-3, 1e-3, STEEL)
    True
    """

    units: ClassVar = {"width": "m", "height": "m", "shear_factor": "1"}
    dimensions: ClassVar[tuple[str, ...]] = ("width", "height")

    _: KW_ONLY
    width: Dimension
    height: Dimension
    material: Material
    shear_factor: ShearFactor = 5 / 6

    def at(self, s: float) -> Section:
        width, height = self._value("width", s), self._value("height", s)
        return Section.rectangle(width, height, self.material, shear_factor=self.shear_factor)


@dataclass(frozen=True)
class Tube(Shape):
    """A round tube whose radii (m) change along the beam. See `Section.tube`.

    outer_radius, inner_radius  numbers, or values at equally spaced places from base to tip, linear between
    material                    of all of it
    shear_factor                as of `Section`

    >>> from pliant.model import ALUMINIUM
    >>> mast = Tube(outer_radius=(0.03, 0.02, 0.015), inner_radius=0.012, material=ALUMINIUM)
    >>> mast.at(0.75) == Section.tube(0.0175, 0.012, ALUMINIUM)
    True
    """

    units: ClassVar = {"outer_radius": "m", "inner_radius": "m", "shear_factor": "1"}
    dimensions: ClassVar[tuple[str, ...]] = ("outer_radius", "inner_radius")
    may_vanish: ClassVar[tuple[str, ...]] = ("inner_radius",)

    _: KW_ONLY
    outer_radius: Dimension
    inner_radius: Dimension
    material: Material
    shear_factor: ShearFactor = 5 / 6

    def at(self, s: float) -> Section:
        outer, inner = self._value("outer_radius", s), self._value("inner_radius", s)
        return Section.tube(outer, inner, self.material, shear_factor=self.shear_factor)


@dataclass(frozen=True)
class LinearStiffness(Profile):
    """Sections at equally spaced places from base to tip; stiffness, mass and size are linear between.

    This does not describe a tapered shape: halfway along a pointed cone the bending stiffness is a sixteenth of the
    value at the base, here it is a half. For tapered shapes use `Circle`, `Rectangle` or `Tube`.

    >>> from pliant.model import STEEL
    >>> wide, slim = (Section.rectangle(width, 0.001, STEEL) for width in (0.02, 0.01))
    >>> round(LinearStiffness((wide, slim)).at(0.5).mass_per_length, 6)
    0.11775
    """

    sections: tuple[Section, ...]

    def __post_init__(self) -> None:
        hint = "Give two or more: LinearStiffness((base, tip))."
        given: Any = self.sections
        if isinstance(given, str) or not isinstance(given, Sequence) or not 2 <= len(given) <= MOST_STATIONS:
            raise checks.refuse("LinearStiffness", "sections", given, "a sequence of Sections", hint)
        for i, section in enumerate(given):
            checks.instance("LinearStiffness", f"sections[{i}]", section, Section, hint)
        if len({section.law for section in given}) > 1:
            raise checks.refuse("LinearStiffness", "sections", given, "of one law", "Give all of them the same `law`.")
        self._set(sections=tuple(given))

    def at(self, s: float) -> Section:
        spans = len(self.sections) - 1
        k = min(int(s * spans), spans - 1)
        part, low, high = s * spans - k, self.sections[k], self.sections[k + 1]
        return Section(**{f.name: _mixed(getattr(low, f.name), getattr(high, f.name), part) for f in fields(Section)})

    @property
    def places(self) -> Sequence[float]:  # type: ignore[override]
        """Return one place a section."""
        return np.linspace(0.0, 1.0, len(self.sections)).tolist()

    @property
    def ends(self) -> tuple[Section, ...]:
        return self.sections

    def check_space(self, owner: str, spatial: bool) -> None:
        super().check_space(owner, spatial)
        for key in ("stiffness_matrix", "inertia_matrix"):
            if spatial and len({getattr(section, key) is None for section in self.sections}) > 1:
                raise ModelError(
                    f"{owner}: some sections of its LinearStiffness have a {key} and some do not. Give all in one way, "
                    "such as Section.general(section.stiffness, mass_per_length=section.mass_per_length)."
                )


@dataclass(frozen=True)
class SectionFunction(Profile):
    """Any Python function from s in [0, 1] to a Section; ``Beam(section=function)`` makes one. A file cannot hold it.

    It should be smooth within an element: put a marker, and thereby an element boundary, where it is not.

    >>> from pliant.model import STEEL
    >>> barrel = SectionFunction(lambda s: Section.circle(2e-3 + 4e-3 * s * (1.0 - s), STEEL))
    >>> barrel.at(0.5) == Section.circle(3e-3, STEEL)
    True
    """

    places: ClassVar[Sequence[float]] = tuple(k / 64 for k in range(65))  # nothing is known about it: summed finely

    function: Callable[[float], Section]

    def __post_init__(self) -> None:
        _ = self.ends

    def at(self, s: float) -> Section:
        name = getattr(self.function, "__qualname__", repr(self.function))
        try:
            found = self.function(float(s))
        except Exception as error:
            raise ModelError(
                f"section = {name} failed at s = {s:g}: {type(error).__name__}: {error}. Give a function of s in "
                "[0, 1] to a Section."
            ) from error
        if not isinstance(found, Section):
            raise ModelError(
                f"section = {name} is {found!r:.60} at s = {s:g}; the function must give a Section, such as "
                "Section.circle(...)."
            )
        if found.made is not None:
            raise ModelError(
                f"section = {name} uses parameters inside of a function, where they cannot be changed. Give them to "
                "Circle, Rectangle, Tube or LinearStiffness instead, such as Rectangle(height=(h, 0.5 * h), ...)."
            )
        return found

    @property
    def ends(self) -> tuple[Section, ...]:
        return tuple(self.at(s) for s in (0.25, 0.5, 0.75))  # a tip may be sharp

    def unscalable(self) -> str:
        return "its section is a Python function. Give Circle, Rectangle, Tube or LinearStiffness."


def as_profile(owner: str, value: object) -> Profile:
    """Return a profile from a section, a varying one, or a function of s."""
    if isinstance(value, Profile):
        return value
    if not callable(value):
        hint = "Try Section.rectangle(...); for one that changes along the beam Rectangle(width=(base, tip), ...), "
        hint += "LinearStiffness(...) or a function of s."
        raise checks.refuse(owner, "section", value, f"a Section, not a {type(value).__name__}", hint)
    try:
        return SectionFunction(value)
    except ModelError as error:
        raise ModelError(f"{owner}: {error}") from error


def _mixed(low: Any, high: Any, part: float) -> Any:
    """Interpolate numbers or tables of numbers; None if one is unknown; a law, which both ends share."""
    if low is None or high is None:
        return None
    if isinstance(low, FibreLaw):
        return low
    if isinstance(low, tuple):
        return tuple(_mixed(a, b, part) for a, b in zip(low, high, strict=True))
    return (1.0 - part) * low + part * high
