"""Concentric tubes: shapes, twist, where they snap, vibrations."""

from __future__ import annotations

from collections.abc import Iterator
from math import pi, sqrt
from typing import Any

import numpy as np

import pliant as pl
from pliant_evidence.concentric_tubes import theory
from pliant_gallery.robots import ConcentricTubes, CurvedTube
from pliant_testing.validation import Row, absolute, at_most, case, relative

FINE = pl.Exact(12, order=3)
CLOSE = 1e-8  # where elements of order 3 are all but exact
INNER: dict[str, Any] = {"curvature": 10.0, "outer_radius": 0.5e-3, "inner_radius": 0.3e-3}
OUTER: dict[str, Any] = {"curvature": 12.0, "outer_radius": 0.9e-3, "inner_radius": 0.6e-3}
TURN = 1.0  # rad
LONG = 0.3  # m: shear and rotary inertia, not in the reference, are 2.5e-5 of its frequency


def two(length: float, straight: float = 0.0) -> ConcentricTubes:
    """Return two tubes that are curved from the hole on, straight behind it."""
    tubes = [CurvedTube(length=length + straight, straight=straight, **each) for each in (INNER, OUTER)]
    return ConcentricTubes(tubes=tubes, bases=(-straight, -straight))


def pull(robot: ConcentricTubes) -> float:
    """Return c of its equation."""
    one, other = robot.tubes
    return theory.pull((one.section, other.section), (one.curvature, other.curvature))


def end_of(rest: pl.Result, name: str) -> float:
    """Return the angle at the end of a sleeve (rad)."""
    return float(rest.sleeve_angle.values[rest.sleeve.values == name][-1])


@case("concentric-tubes", source="Dupont et al. 2010, Rucker et al. 2010: their equations, integrated separately")
def concentric_tubes() -> Iterator[Row]:
    """Pre-curved tubes in each other: twist and shape, snapping, several tubes under load, vibrations."""
    yield from twists()
    yield from snaps()
    yield from several()
    yield from vibrations()


def twists() -> Iterator[Row]:
    """Check two tubes turned by a radian, without and with straight transmissions."""
    for straight in (0.0, 0.1):
        robot = two(0.15, straight)
        system = pl.compile(robot.model(), elements=FINE).with_signals(robot.turned((0.0, TURN)))
        found = end_of(pl.statics(system), "tube 2")
        exact = theory.tip_angle(TURN, pull(robot), 0.15, straight)
        what = f"tip angle, transmission of {straight:g} m"
        yield relative(what, "rad", exact, found, tolerance=CLOSE, kind="exact")
    lengths = 0.3, 0.1
    tubes = [CurvedTube(length=0.15 + l, straight=l, **each) for l, each in zip(lengths, (INNER, OUTER), strict=True)]
    robot = ConcentricTubes(tubes=tubes, bases=[-l for l in lengths], angles=(0.0, TURN))
    soft = [1.0 / float(tube.section.stiffness[3, 3]) for tube in tubes]
    exact = theory.tip_angle(TURN, pull(robot), 0.15, float(np.dot(soft, lengths)) / sum(soft))
    found = end_of(pl.statics(pl.compile(robot.model(), elements=FINE)), "tube 2")
    yield relative("tip angle, bases apart", "rad", exact, found, tolerance=1e-6, kind="exact")


def snaps() -> Iterator[Row]:
    """Compare where tubes snap as they are turned, and the length below which they do not: ``L sqrt(c) = pi/2``."""
    for straight in (0.0, 0.03):
        robot = two(0.15, straight)
        exact = theory.snap(pull(robot), 0.15, straight)
        path = turned(robot)
        kinds, places = path.event_kind.values.tolist(), path.event_parameter.values
        for what, place, reference in (("forth", places[0], exact), ("back", places[1], 2.0 * pi - exact)):
            words = f"snaps {what}, transmission of {straight:g} m"
            yield relative(words, "rad", reference, place, tolerance=1e-6, kind="exact")
        yield absolute("limit points among its events", "1", 2, kinds.count("limit point"), tolerance=0.0, kind="exact")
    critical = 0.5 * pi / sqrt(pull(two(0.15)))
    for share, count in ((0.998, 0), (1.002, 2)):
        found = turned(two(share * critical)).event_kind.size
        yield absolute(f"snaps of tubes of {share} of that length", "1", count, found, tolerance=0.0, kind="exact")


def turned(robot: ConcentricTubes) -> pl.Result:
    """Return the path of its outer tube through a whole turn."""
    return pl.path(pl.compile(robot.model(), elements=FINE), "tube 2/angle", to=2.0 * pi)


def several() -> Iterator[Row]:
    """Check three tubes that begin, bend and end elsewhere, under a force on the tip, against shooting."""
    sizes = ((0.12, 14.0, 0.55e-3, 0.4e-3), (0.05, 9.0, 0.9e-3, 0.7e-3), (0.02, -4.0, 1.5e-3, 1.2e-3))
    lengths, angles, force = (0.2, 0.12, 0.06), (0.0, 1.5, -1.0), np.array([0.02, -0.05, 0.03])
    tubes = [
        CurvedTube(length=length, straight=straight, curvature=k, outer_radius=outer, inner_radius=inner)
        for length, (straight, k, outer, inner) in zip(lengths, sizes, strict=True)
    ]
    robot = ConcentricTubes(tubes=tubes, bases=(0.0, 0.0, 0.0), angles=angles)
    loads = dict(zip(("load/x", "load/y", "load/z"), force.tolist(), strict=True))
    system = pl.compile(robot.model(), elements=pl.Exact(20, order=3)).with_signals(loads)
    rest = pl.statics(system)
    other = theory.Tubes(
        sections=[tube.section for tube in tubes],
        curvatures=[tube.curvature for tube in tubes],
        begin=[0.0] * 3,
        bend=[tube.straight for tube in tubes],
        end=[tube.length for tube in tubes],
        angles=list(angles),
    )
    tip, ends = other.tip(force)
    off = float(np.linalg.norm(rest.position.sel(marker="tube 1/tip").values - tip)) / lengths[0]
    yield at_most("three tubes, force on the tip: tip", "L", off, limit=CLOSE, kind="independent code")
    for k, exact in enumerate(ends, 2):
        found = end_of(rest, f"tube {k}")
        yield relative(f"three tubes: end of tube {k}", "rad", exact, found, tolerance=1e-7, kind="independent code")


def vibrations() -> Iterator[Row]:
    """Check straight tubes: they bend as one beam, and twist one by one."""
    straight = [CurvedTube(length=LONG, straight=0.0, **{**each, "curvature": 0.0}) for each in (INNER, OUTER)]
    system = pl.compile(ConcentricTubes(tubes=straight, bases=(0.0, 0.0)).model(), elements=FINE)
    found = pl.modal(system, modes=80).frequency_hz.values
    EI = sum(tube.section.bending_stiffness for tube in straight)
    rho = sum(tube.section.mass_per_length for tube in straight)
    bending = 1.8751040687119611**2 / (2.0 * pi * LONG**2) * sqrt(EI / rho)
    yield relative("first bending of straight tubes", "Hz", bending, found[0], tolerance=1e-4, kind="exact")
    material = straight[1].material
    twist = sqrt(material.shear_modulus / material.density) / (4.0 * LONG)
    near = found[np.argmin(np.abs(found - twist))]
    yield relative("first twist of a tube", "Hz", twist, near, tolerance=1e-6, kind="exact")
