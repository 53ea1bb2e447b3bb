"""Cones, wedges and columns that taper: deflection, weight, swing, vibration, twist and buckling, in every element and
formulation, against exact solutions.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Iterator
from math import pi
from operator import attrgetter
from typing import Any

import numpy as np

import pliant as pl
from pliant.errors import PliantWarning
from pliant_evidence.tapered_beam import theory
from pliant_testing.validation import Row, case, order, printed, relative

LENGTH, RADIUS, GRAVITY = 1.0, 0.02, 9.81
CONE = pl.Circle(radius=(RADIUS, RADIUS * 19.0**-0.25), material=pl.STEEL)  # EI falls to a nineteenth
MILD = pl.Circle(radius=(RADIUS, 0.7 * RADIUS), material=pl.STEEL)  # orders show on coarse meshes
SMALL = 1e-3  # N, m/s^2: loads under which a beam bends by 1e-9 of its length, and its equations are linear
SLENDER = 2e-4  # height over length: shear and rotary inertia change frequencies by 1e-7
CHAIN = pl.Lumped(40, shear=True)
LINEAR = 1e-8  # statics where elements are exact: rounding of a thin beam's Newton
SHARP = 2e-5  # height of a sharp tip over the base's: lowers frequencies by 4e-5
UNIT = "sqrt(EI/rho A)/L^2"


@case(
    "tapered-beam",
    source="virtual work; Kirchhoff 1879, Mabie & Rogers 1972 (Bessel functions); Dinnik 1929, Timoshenko & Gere 2.14",
)
def tapered_beam() -> Iterator[Row]:
    """Beams whose section changes along them: deflection, weight, swing, vibration, twist and buckling."""
    yield from itertools.chain(deflections(), orders(), weights(), swings(), vibrations(), twists(), columns())


def cantilever(section: Any, *, plane: str | None = "xy", length: float = LENGTH, **load: Any) -> pl.Model:
    """Build a beam clamped at its base, along x."""
    m = pl.Model("tapered cantilever", plane=plane)
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=length, section=section))
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0), name="clamp"))
    if load:
        m.add(pl.Force(beam.at(s=1), **load, name="load"))
    return m


def along(section: pl.Profile, name: str) -> theory.Along:
    """Return one property of the section as a function of s."""
    pick = attrgetter(name)
    return lambda s: float(pick(section.at(s)))


def tip(system: Any) -> float:
    """Return how far the tip sinks at rest (m)."""
    return -float(pl.statics(system).position.sel(marker="beam/tip", axis="y"))


def formulations(model: pl.Model) -> Iterator[tuple[str, Any, float]]:
    """Name, system and tolerance: elements that integrate the flexibility are exact at their nodes, the others as good
    as their order, a chain as its links.
    """
    yield "4 co-rotational", pl.compile(model, elements=pl.Corotational(4)), LINEAR
    yield "4 exact linear", pl.compile(model, elements=pl.Linear(4, integration="exact")), LINEAR
    yield "32 reduced linear", pl.compile(model, elements=pl.Linear(32)), 1e-3
    yield "32 geometrically exact", pl.compile(model, elements=pl.Exact(32)), 1e-3
    yield "8 geometrically exact of order 4", pl.compile(model, elements=pl.Exact(8, order=4)), LINEAR
    yield "shooting", pl.compile(model, formulation="shooting"), LINEAR
    yield "4 kinked, with shear", pl.compile(model, formulation="kinked", elements=4, shear=True), LINEAR
    yield "chain of 40 links that slide", pl.compile(model, formulation="udwadia_kalaba", elements=CHAIN), 1e-3


def deflections() -> Iterator[Row]:
    """Check deflections by a force at the tip, in the plane and in space; also of a section given as a function."""
    EI, GA = along(CONE, "bending_stiffness"), along(CONE, "shear_stiffness")
    exact = theory.tip_deflection(LENGTH, EI, GA, SMALL)
    for name, system, tolerance in formulations(cantilever(CONE, y=-SMALL)):
        yield relative(
            f"cone, EI ratio 19, tip deflection, {name}", "m", exact, tip(system), tolerance=tolerance, kind="exact"
        )
    space = cantilever(CONE, plane=None, y=-SMALL)
    for name, elements in (("4 co-rotational", pl.Corotational(4)), ("8 of order 4", pl.Exact(8, order=4))):
        found = tip(pl.compile(space, elements=elements))
        yield relative(
            f"cone, EI ratio 19, tip deflection in space, {name}", "m", exact, found, tolerance=LINEAR, kind="exact"
        )

    def barrel(s: float) -> pl.Section:
        return pl.Section.circle(RADIUS * (1.0 + s * (1.0 - s)), pl.STEEL)

    beam = cantilever(barrel, y=-SMALL)
    profile = beam.beams[0].section
    EI, GA = along(profile, "bending_stiffness"), along(profile, "shear_stiffness")
    exact, found = theory.tip_deflection(LENGTH, EI, GA, SMALL), tip(pl.compile(beam, elements=pl.Exact(8, order=4)))
    yield relative("barrel, a function of s, tip deflection", "m", exact, found, tolerance=LINEAR, kind="exact")


def orders() -> Iterator[Row]:
    """Check deflections under weight, of elements of every order: errors at nodes fall with the order times two."""
    load, EI, GA = (along(MILD, name) for name in ("mass_per_length", "bending_stiffness", "shear_stiffness"))
    exact = theory.tip_under_load(LENGTH, EI, GA, lambda s: SMALL * load(s))
    # The higher the order, the coarser the meshes must be to see it, and the less has the next order fallen behind.
    for p, meshes, tolerance in (
        (1, (8, 16, 32), 0.02), (2, (4, 8, 16), 0.05), (3, (2, 4, 8), 0.2), (4, (2, 3, 4), 0.3)
    ):  # fmt: skip
        for plane in ("xy", None):
            model = cantilever(MILD, plane=plane)
            model.add(pl.Gravity(y=-SMALL))
            errors = [abs(tip(pl.compile(model, elements=pl.Exact(n, order=p))) / exact - 1.0) for n in meshes]
            name = f"cone under its weight, order of Exact(order={p}) {'in the plane' if plane else 'in space'}"
            yield order(name, [1.0 / n for n in meshes], errors, expected=2.0 * p, tolerance=tolerance, kind="exact")


def weights() -> Iterator[Row]:
    """Check what the clamp carries, with as few elements as can be, and how far the tip sinks in other formulations."""
    line, EI, GA = (along(CONE, name) for name in ("mass_per_length", "bending_stiffness", "shear_stiffness"))
    weight = SMALL * LENGTH * theory.integral(line)
    moment = SMALL * LENGTH**2 * theory.integral(lambda s: s * line(s))
    model = cantilever(CONE)
    model.add(pl.Gravity(y=-SMALL))
    for elements in (pl.Exact(1), pl.Exact(1, order=3), pl.Corotational(1), pl.Linear(1)):
        carried = pl.statics(pl.compile(model, elements=elements)).reaction.sel(joint="clamp").values
        name = f"cone, one {type(elements).__name__} of order {elements.order}"
        yield relative(f"{name}, weight at the clamp", "N", weight, abs(carried[1]), tolerance=1e-9, kind="exact")
        yield relative(f"{name}, moment at the clamp", "N m", moment, abs(carried[2]), tolerance=1e-9, kind="exact")
    exact = theory.tip_under_load(LENGTH, EI, GA, lambda s: SMALL * line(s))
    for name, options, tolerance in (
        ("shooting", {"formulation": "shooting"}, LINEAR),
        ("16 kinked, with shear", {"formulation": "kinked", "elements": 16, "shear": True}, 1e-5),
        ("chain of 40 links that slide", {"formulation": "udwadia_kalaba", "elements": CHAIN}, 1e-3),
    ):
        found = tip(pl.compile(model, **options))
        yield relative(f"cone under its weight, {name}", "m", exact, found, tolerance=tolerance, kind="exact")


def swings() -> Iterator[Row]:
    """Check a stiff cone hung up at its thick end: mass and weight are of one distribution.

    A material thirty times as stiff as steel: bending changes the frequency by 1e-6, and what rounding leaves of weight
    against the axial stiffness by 1e-7.
    """
    hard = pl.Material("hard", youngs_modulus=30 * 210e9, density=7850.0)
    cone = pl.Circle(radius=CONE.radius, material=hard)
    line, rotary = along(cone, "mass_per_length"), along(cone, "rotary_inertia")
    exact = theory.pendulum(LENGTH, line, rotary, GRAVITY) / (2.0 * pi)
    m = pl.Model("pendulum")
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=LENGTH, section=cone, angle=-0.5 * pi))
    m.add(pl.Revolute(ground.at(0, 0), beam.at(s=0)), pl.Gravity(y=-GRAVITY))
    for name, options in (
        ("2 geometrically exact", {"elements": pl.Exact(2)}),
        ("2 geometrically exact of order 3", {"elements": pl.Exact(2, order=3)}),
        ("2 co-rotational", {"elements": pl.Corotational(2)}),
        ("2 kinked, with shear", {"formulation": "kinked", "elements": 2, "shear": True}),
        ("chain of 10 links", {"formulation": "udwadia_kalaba", "elements": 10}),
    ):
        found = float(pl.modal(pl.compile(m, **options), modes=1).frequency_hz.values[0])
        yield relative(f"cone as a pendulum, {name}", "Hz", exact, found, tolerance=2e-6, kind="exact")


def vibrations() -> Iterator[Row]:
    """Check cones and wedges, blunt and sharp."""
    cone = lambda tip: pl.Circle(radius=(SLENDER, tip * SLENDER), material=pl.STEEL)  # noqa: E731
    wedge = lambda tip: pl.Rectangle(width=SLENDER, height=(SLENDER, tip * SLENDER), material=pl.STEEL)  # noqa: E731
    for name, degree, shape, sharp in (("cone", 2, cone, "8.719"), ("wedge", 1, wedge, "5.315")):
        section = shape(0.5)
        exact = theory.frequencies(degree, 0.5, 3)
        for words, options in (
            ("16 of order 3", {"elements": pl.Exact(16, order=3)}),
            ("64 co-rotational", {"elements": pl.Corotational(64)}),
            ("32 kinked", {"formulation": "kinked", "elements": 32}),
        ):
            tolerance = 2e-3 if words.startswith("64") else 1e-5
            for k, (omega, found) in enumerate(zip(exact, modes(section, 3, **options), strict=True)):
                quantity = f"{name}, tip half as high, mode {k + 1}, {words}"
                yield relative(quantity, UNIT, omega, found, tolerance=tolerance, kind="exact")
        found = modes(shape(SHARP), 1, elements=pl.Exact(40, order=3))[0]
        yield printed(f"{name}, sharp, mode 1", UNIT, sharp, found)


def modes(section: pl.Profile, count: int, **options: Any) -> np.ndarray:
    """Return first circular frequencies of a cantilever, in units of its base."""
    base = section.at(0.0)
    unit = (base.bending_stiffness / base.mass_per_length) ** 0.5 / LENGTH**2
    system = pl.compile(cantilever(section), **options)
    return np.asarray(2.0 * pi * pl.modal(system, modes=count).frequency_hz.values / unit)


def twists() -> Iterator[Row]:
    """Check a cone twisted by its tip: ``M int ds / GJ``. A moment about a fixed axis is not conservative."""
    moment = 1e-3
    exact = moment * LENGTH * theory.integral(lambda s: 1.0 / along(CONE, "torsional_stiffness")(s))
    m = cantilever(CONE, plane=None)
    m.add(pl.Moment(m.beams[0].at(s=1), x=moment))
    for name, elements in (("2 co-rotational", pl.Corotational(2)), ("8 of order 4", pl.Exact(8, order=4))):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PliantWarning)  # unstable, for that reason
            turn = pl.statics(pl.compile(m, elements=elements)).marker_orientation.sel(marker="beam/tip").values
        yield relative(
            f"cone twisted, {name}", "rad", exact, 2.0 * np.arctan2(turn[1], turn[0]), tolerance=LINEAR, kind="exact"
        )


def columns() -> Iterator[Row]:
    """Check clamped columns pushed at the thin end: second moment as x^4 (a cone) and as x^2 (four posts)."""
    cone = pl.Circle(radius=(SLENDER, 0.5 * SLENDER), material=pl.STEEL)
    stiff = cone.at(0.0)

    def posts(s: float) -> pl.Section:
        return pl.Section(
            axial_stiffness=stiff.axial_stiffness,
            shear_stiffness=stiff.axial_stiffness,
            bending_stiffness=stiff.bending_stiffness * (1.0 - 0.5 * s) ** 2,
            mass_per_length=stiff.mass_per_length,
            rotary_inertia=stiff.rotary_inertia,
        )

    unit = stiff.bending_stiffness / LENGTH**2
    for name, degree, section in (("cone", 4, cone), ("four posts", 2, posts)):
        exact = theory.buckling_load(degree, 0.5)
        system = pl.compile(cantilever(section, x=0.0), elements=pl.Exact(16, order=3))
        found = pl.path(system, {"load/x": -unit}, to=1.5 * exact).event_parameter.values
        yield relative(
            f"column that tapers to a half, {name}, buckling load",
            "EI/L^2",
            exact,
            found[0],
            tolerance=2e-5,
            kind="exact",
        )
