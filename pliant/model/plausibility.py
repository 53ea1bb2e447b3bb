"""Numbers that are allowed but look as if they were meant in other units: mm for m, GPa for Pa, g/cm^3 for kg/m^3."""

from __future__ import annotations

from collections.abc import Iterator
from math import hypot, isclose, sqrt
from typing import TYPE_CHECKING

from pliant.model.bodies.beams import Beam
from pliant.model.bodies.rigid import Link
from pliant.model.signals.base import Constant, Ramp

if TYPE_CHECKING:
    from pliant.model.model import Model

SLOWEST, FASTEST = 0.3, 1e5  # m/s, waves along a beam: below those in gels, five times those in diamond
ACCELERATION = "m/s²"
GRAVITIES = {981.0: "cm/s^2", 9810.0: "mm/s^2"}
EARTH = 9.81
STEP = 15.0  # degrees: angles in radians are seldom whole multiples of it
SLAB, LEAF, WIDEST = 0.5, 5.0, 10.0  # largest: thickness of a strip (m); width over thickness; width over length
FARTHEST = 10.0  # radius of gyration of a link over its length


def doubts(model: Model) -> Iterator[str]:
    """Yield sentences on suspicious values, part by part: part, value and what was probably meant.

    >>> import pliant as pl
    >>> m = pl.Model("m")
    >>> leaf = m.add(pl.Beam("leaf", length=0.5, section=pl.Section.rectangle(77, 1.2, pl.STEEL), free=True))
    >>> list(doubts(m))
    ['Beam "leaf": it is 0.5 m long and 1.2 m thick. Were millimetres meant? height="1.2 mm".']
    """
    if model.scales is not None:
        return  # its units were given
    for beam in model.beams:
        yield from _of_beam(beam, model.spatial)
    for body in model.bodies:
        if isinstance(body, Link) and isinstance(body.inertia, float):
            yield from _of_link(body, body.inertia)
    for force in model.forces:
        values = [getattr(force, key) for key, units in force.own_units.items() if units == ACCELERATION]
        if size := hypot(*(value.value for value in values if isinstance(value, Constant))):
            for known, units in GRAVITIES.items():
                if isclose(size, known, rel_tol=2e-3):
                    yield f"{force.owner}: {size:g} m/s^2 is the Earth's in {units}. Give it in m/s^2, 9.81."
            if isclose(size, sqrt(2.0) * EARTH, rel_tol=2e-3):
                yield (
                    f"{force.owner}: it has the Earth's gravity along two axes. Gravity(9.81) is along x, in addition; "
                    "Gravity() is the Earth's, down."
                )
    for part in (*model.joints, *model.forces):
        for key, units in part.own_units.items():
            yield from _of_angle(part.owner, key, getattr(part, key)) if units == "rad" else ()


def _of_angle(owner: str, key: str, value: object) -> Iterator[str]:
    """Check a constant, or the ends of a ramp."""
    sizes = (
        [value.value] if isinstance(value, Constant) else [value.start, value.end] if isinstance(value, Ramp) else []
    )
    for size in sizes:
        if abs(size) >= STEP and size % STEP == 0.0:
            yield f'{owner}: {key} goes to {size:g} rad. Were degrees meant? "{size:g} deg", or {size:g} * pl.DEG.'
            return


def _of_beam(beam: Beam, spatial: bool) -> Iterator[str]:
    for section in beam.section.ends:
        sizes = [size for size in (section.height, section.width) if size]
        if not sizes:
            continue
        thickness = min(sizes) if spatial else sizes[0]
        said = f"{beam.owner}: it is {beam.length:g} m long and"
        if thickness > beam.length:
            yield f'{said} {thickness:g} m thick. Were millimetres meant? height="{thickness:g} mm".'
            return
        if min(sizes) > SLAB and max(sizes) > LEAF * min(sizes):
            sheet = f"{max(sizes):g} m wide, {min(sizes):g} m thick"
            yield f'{said} {sheet}. Were millimetres meant? height="{min(sizes):g} mm".'
            return
        if max(sizes) > WIDEST * beam.length:
            yield f'{said} {max(sizes):g} m wide. Were millimetres meant? width="{max(sizes):g} mm".'
            return
    section = beam.section.ends[0]
    if section.mass_per_length:
        speed = sqrt(section.axial_stiffness / section.mass_per_length)
        if not SLOWEST < speed < FASTEST:
            units = "modulus in Pa, 210e9 or" if speed < SLOWEST else "density in kg/m^3, 7850 or"
            example = "210 GPa" if speed < SLOWEST else "7.85 g/cm^3"
            yield f'{beam.owner}: waves run along it at {speed:.2g} m/s, as in no solid. Is the {units} "{example}"?'


def _of_link(link: Link, inertia: float) -> Iterator[str]:
    if inertia > link.mass * (FARTHEST * link.length) ** 2 > 0.0:
        lengths = sqrt(inertia / link.mass) / link.length
        yield (
            f"{link.owner}: with an inertia of {inertia:g} kg m^2 its mass is {lengths:.3g} of its lengths away. Was "
            'another unit meant? inertia="12 g cm^2".'
        )
