"""Scales: chosen units of length, time and mass, to describe and compute a mechanism without dimensions.

    model -> model.scaled(scales) -> compile, transient, ... -> result.in_units(scales)

A quantity of a part is divided by its scale, which follows from its declared units; a function of time is evaluated at
``time`` times its argument. Source of the flexural scales: manipulators paper, section 3.5.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from math import sqrt
from typing import Any

from pliant.errors import ModelError, OptionError
from pliant.model import checks
from pliant.model.bodies.rigid import Beam, Carrier
from pliant.model.kinds import Kind
from pliant.model.markers import Marker
from pliant.model.model import Model
from pliant.model.parts import Part
from pliant.model.signals.base import Rescaled, Signal
from pliant.units import exponents


@dataclass(frozen=True)
class Scales:
    """Units of length (m), time (s) and mass (kg).

    >>> scales = Scales(length=2.0, time=0.5, mass=0.5)
    >>> scales.of("m/s"), scales.of("N m"), scales.of("rad")
    (4.0, 8.0, 1.0)
    """

    length: float = 1.0
    time: float = 1.0
    mass: float = 1.0

    def __post_init__(self) -> None:
        for key in ("length", "time", "mass"):
            object.__setattr__(self, key, checks.positive("Scales", key, getattr(self, key)))

    @classmethod
    def flexural(cls, beam: Beam, *, length: float | None = None) -> Scales:
        """Return the scales of a beam: L, L / U_g and rho A L, so that its bending stiffness, length and mass are 1.

        length  L in U_g and as the unit; default: the beam's length. Eq. 15 of the manipulator paper (docs/glossary.md)
                takes the part before the kink, its figures the whole arm
        """
        checks.instance("Scales.flexural", "beam", beam, Beam, "Give a Beam.")
        length = beam.length if length is None else checks.positive("Scales.flexural", "length", length)
        mass = beam.section_at(0.0).mass_per_length * length
        return cls(length=length, time=length / flexural_velocity(beam, length=length), mass=mass)

    def of(self, units: str) -> float:
        """Return the scale of a quantity with these SI units, such as "N m"."""
        try:
            length, time, mass = exponents(units)
        except ValueError as error:
            raise OptionError(f"Scales.of: {error}.") from error
        return float(self.length**length * self.time**time * self.mass**mass)

    @property
    def force(self) -> float:
        """Return the scale of forces (N)."""
        return self.of("N")

    @property
    def torque(self) -> float:
        """Return the scale of moments (N m), for example rho A L U_g^2."""
        return self.of("N m")

    @property
    def inverse(self) -> Scales:
        """Return the inverse scales."""
        return Scales(1.0 / self.length, 1.0 / self.time, 1.0 / self.mass)


def axial_velocity(beam: Beam) -> float:
    """Return U_a = sqrt(EA / rho A) (m/s), the speed of sound along a beam (eq. 15).

    >>> from pliant.model import STEEL, Section
    >>> steel = Beam("rod", length=1.0, section=Section.circle(2e-3, STEEL))
    >>> round(axial_velocity(steel))
    5172
    """
    return sqrt(beam.section_at(0.0).axial_stiffness / _mass(beam))


def flexural_velocity(beam: Beam, *, length: float | None = None) -> float:
    """Return U_g = sqrt(EI / rho A) / L (m/s), the characteristic velocity of bending (eq. 15); default: L of the beam.

    >>> from pliant.model import STEEL, Section
    >>> steel = Beam("rod", length=1.0, section=Section.circle(2e-3, STEEL))
    >>> round(flexural_velocity(steel), 3)
    5.172
    """
    length = beam.length if length is None else checks.positive("flexural_velocity", "length", length)
    return sqrt(beam.section_at(0.0).bending_stiffness / _mass(beam)) / length


def _mass(beam: Beam) -> float:
    return checks.positive(beam.owner, "mass_per_length", beam.section_at(0.0).mass_per_length)


def scaled(model: Model, scales: Scales) -> Model:
    """Return the mechanism in units of ``scales``; see `Model.scaled`."""
    checks.instance(f"Model {model.name!r}.scaled", "scales", scales, Scales, "Give Scales(...).")
    if model.scales is not None:
        raise ModelError(f"Model {model.name!r}: it is in units of {model.scales} already. Scale the one in SI units.")
    twin = Model(model.name, plane=model.plane)
    twin.scales = scales
    parts: dict[Part, Part] = {}
    for part in model:
        parts[part] = _kind(part, scales, parts, part.owner)
        twin.add(parts[part])
    for marker in model.watched:
        twin.add(_marker(marker, scales, parts))
    return twin


def _kind(kind: Any, scales: Scales, parts: dict[Part, Part], owner: str) -> Any:
    """Scale a part, section or damping with all its contents."""
    if why := kind.unscalable():
        raise ModelError(f"{owner} cannot be scaled: {why}")
    values = {f.name: getattr(kind, f.name) for f in fields(kind) if f.init}
    if not isinstance(kind, Part):
        return type(kind)(**{key: _value(value, key, kind, scales, parts, owner) for key, value in values.items()})
    given = {key: _value(value, key, kind, scales, parts, owner) for key, value in values.items() if key != "name"}
    twin = type(kind)(**given, **({} if kind.has_default_name else {"name": kind.name}))
    twin._set(name=kind.name)  # a default name that contains places keeps the old ones
    return twin


def _value(value: Any, key: str, kind: Any, scales: Scales, parts: dict[Part, Part], owner: str) -> Any:
    match value:
        case Marker():
            return _marker(value, scales, parts)
        case Part():
            return parts[value]
        case Signal():
            return Rescaled.of(value, _scale(key, kind, scales, owner), scales.time)
        case Kind():
            return _kind(value, scales, parts, owner)
        case tuple() if all(isinstance(item, Marker) for item in value):
            return tuple(_marker(item, scales, parts) for item in value)
        case tuple() if value and all(isinstance(item, Kind | str) for item in value):
            return tuple(_kind(item, scales, parts, owner) if isinstance(item, Kind) else item for item in value)
        case float() | tuple():
            return _divided(value, _scale(key, kind, scales, owner)) if value != () else value
    return value


def _divided(value: Any, scale: float) -> Any:
    """Divide a number, or a table of numbers, by its scale."""
    return tuple(_divided(item, scale) for item in value) if isinstance(value, tuple) else value / scale


def _scale(key: str, kind: Any, scales: Scales, owner: str) -> float:
    if key not in kind.own_units:
        raise ModelError(
            f"{owner}: the units of {key} of a {type(kind).__name__} are not known, so that it has no scale. State "
            f'them in the class, such as units = {{"{key}": "N/m"}}.'
        )
    return scales.of(kind.own_units[key])


def _marker(marker: Marker, scales: Scales, parts: dict[Part, Part]) -> Marker:
    body: Carrier = parts[marker.body]  # type: ignore[assignment]
    place: dict[str, Any] = marker.body.address(marker)
    return body.at(**{key: value / scales.length if key in ("x", "y", "z") else value for key, value in place.items()})
