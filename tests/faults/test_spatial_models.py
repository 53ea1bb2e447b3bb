"""Bad input in spatial models, and words of space in the plane: each has a message that names part, value and cure."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pliant as pl
from pliant.errors import ModelError

FLAT = pl.Section(1e6, 4e5, 60.0, 0.8)
ROUND = pl.Section.circle(0.001, pl.STEEL)
STIFF = np.diag([1e6, 4e5, 3e5, 50.0, 60.0, 70.0])


def coupled(i: int, j: int, value: float) -> np.ndarray:
    full = STIFF.copy()
    full[i, j] = full[j, i] = value
    return full


def build(plane, make) -> None:
    """Build a ground, an arm and a beam, and what a case adds to them."""
    m = pl.Model("m", plane=plane)
    ground, arm, rod = m.add(pl.Ground(), pl.Link("arm", length=1, mass=1), pl.Beam("rod", length=1, section=ROUND))
    m.add(*np.atleast_1d(np.array(make(ground, arm, rod), object)))


IN_THE_PLANE = [
    (
        lambda g, a, r: pl.Spherical(g.at(0, 0), a.at(s=0)),
        r'Spherical "spherical .*": a Spherical needs space, but the',
    ),
    (lambda g, a, r: pl.Universal(g.at(0, 0), a.at(s=0)), r"Universal .*needs space.*plane=None"),
    (lambda g, a, r: pl.Cylindrical(g.at(0, 0), a.at(s=0)), r"Cylindrical .*needs space"),
    (lambda g, a, r: pl.Planar(g.at(0, 0), a.at(s=0)), r"Planar .*needs space"),
    (lambda g, a, r: pl.Revolute(g.at(0, 0, 0.5), a.at(s=0)), r"z = 0.5, but the model is planar.*angle=0.5"),
    (lambda g, a, r: pl.Revolute(g.at(0, 0), a.at(s=0, orientation=(0, 0, 1))), r"has an orientation.*planar.*angle"),
    (lambda g, a, r: pl.Revolute(g.at(0, 0), a.at(s=0), axis="x"), "Revolute .*: axis = x belongs to space"),
    (lambda g, a, r: pl.Motion(g.at(0, 0), a.at(s=0), z=1.0), "Motion .*: z = .* belongs to space"),
    (lambda g, a, r: pl.Weld(g.at(0, 0), a.at(s=0), orientation=(0, 0, 1)), "Weld .*: orientation = .* belongs to"),
    (lambda g, a, r: pl.Force(a.at(s=1), z=1.0), "Force .*: z = .* belongs to space"),
    (lambda g, a, r: pl.Moment(a.at(s=1), x=1.0), "Moment .*: x = .* belongs to space"),
    (lambda g, a, r: pl.Gravity(z=-9.81), 'Gravity "gravity": z = .* belongs to space'),
    (lambda g, a, r: pl.DistributedLoad(r, z=1.0), "DistributedLoad .*: z = .* belongs to space"),
    (lambda g, a, r: pl.Drag(r, 1.0, 1.0, z=1.0), "Drag .*: z = 1.0 belongs to space"),
    (lambda g, a, r: pl.Dashpot("d", a.at(s=1), z=1.0), 'Dashpot "d": z = 1.0 belongs to space'),
    (lambda g, a, r: pl.Motor("m", g.at(0, 0), a.at(s=1), 1.0, axis=(1, 0, 0)), 'Motor "m": axis = .* belongs to'),
    (lambda g, a, r: pl.Link("l", length=1, mass=1, orientation=(0, 0, 1)), 'Link "l": orientation = .* belongs to'),
    (lambda g, a, r: pl.Link("l", length=1, mass=1, position=(0, 0, 1)), "position = .* has 3 coordinates.*planar"),
    (lambda g, a, r: pl.Body("b", mass=1, inertia=(1, 1, 1)), 'Body "b": inertia = .* but the model is planar'),
    (lambda g, a, r: pl.PointMass("p", a.at(s=1), mass=1, inertia=(1, 1, 1)), 'PointMass "p": inertia = .*planar'),
    (lambda g, a, r: pl.Beam("b", length=1, section=ROUND, curvature=[(0, 0, 1)] * 2), "curvature has rows of three"),
    (
        lambda g, a, r: pl.Beam("b", length=1, section=pl.Section.general(coupled(0, 5, 1.0), mass_per_length=1)),
        'Beam "b": its section couples',
    ),
    (lambda g, a, r: a.at(s=1, z=0.1), r"Marker arm\(1, 0, 0.1\).* z = 0.1, but the model is planar"),
]


@pytest.mark.parametrize(("make", "message"), IN_THE_PLANE)
def test_words_of_space_in_the_plane(make, message) -> None:
    with pytest.raises(ModelError, match=message):
        build("xy", make)
    if "couples" not in message:
        build(None, make)


IN_SPACE = [
    (
        lambda g, a, r: pl.Beam("b", length=1, section=FLAT),
        'Beam "b": the section lacks bending_stiffness_y, torsional',
    ),
    (lambda g, a, r: pl.Beam("b", length=1, section=ROUND, curvature=(1, 2)), "curvature = .*rows of three"),
    (lambda g, a, r: pl.Moment(a.at(s=1), 1.0), "Moment .*: value = .* has no axis.*Give x=, y= or z="),
    (
        lambda g, a, r: pl.Beam(
            "b", length=1, section=pl.LinearStiffness((ROUND, pl.Section.general(np.eye(6), mass_per_length=1.0)))
        ),
        'Beam "b": some sections of its LinearStiffness have a stiffness_matrix and some do not',
    ),
    (lambda g, a, r: pl.Beam("b", length=1, section=pl.LinearStiffness((ROUND, FLAT))), 'Beam "b": the section lacks'),
    (lambda g, a, r: pl.Link("l", length=1, mass=1, position=(0, 0)), r"position = .* 2 coordinates.*\(x, y, z\)"),
]


@pytest.mark.parametrize(("make", "message"), IN_SPACE)
def test_words_of_the_plane_in_space(make, message) -> None:
    with pytest.raises(ModelError, match=message):
        build(None, make)
    build("xy", make)


A, B = pl.Ground().at(0, 0, 0), pl.Link("arm", length=1, mass=1).at(s=0)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: pl.Body("b", mass=1, inertia=(1, 1, 3)), r"inertia = .*exceeds the sum of the other two"),
        (lambda: pl.Body("b", mass=1, inertia=(1, 1, -1)), r"inertia\[2\] = -1 .*zero or positive"),
        (lambda: pl.Body("b", mass=1, inertia=(1, 1)), "inertia = .*3 moments about the axes"),
        (lambda: pl.Body("b", mass=1, inertia=[[1, 2, 0], [0, 1, 0], [0, 0, 1]]), "inertia = .*symmetric"),
        (lambda: pl.Body("b", mass=1, inertia=[[1, 2, 0], [2, 1, 0], [0, 0, 1]]), "no principal moment is negative"),
        (lambda: pl.Body("b", mass=1, inertia=[[1, 0, 0], [0, math.nan, 0], [0, 0, 1]]), r"inertia\[1\]\[1\] = nan"),
        (lambda: pl.Body("b", mass=1, inertia=1, orientation=(1, 2)), "orientation = .*rotation vector"),
        (lambda: pl.Body("b", mass=1, inertia=1, angle=1.0, orientation=(0, 0, 1)), "both angle and orientation"),
        (lambda: pl.Body("b", mass=1, inertia=1).at(0, 0, math.inf), "Marker on Body .*: z = inf"),
        (lambda: pl.Revolute(A, B, axis="w"), """Revolute .*: axis = 'w' .*"x", "y", "z" or 3 numbers"""),
        (lambda: pl.Revolute(A, B, axis=(0, 0, 0)), "axis = .*not all zero"),
        (lambda: pl.Prismatic(A, B, axis=(1, 0, math.nan)), r"axis\[2\] = nan"),
        (lambda: pl.Motion(A, B, x=1.0, axis="x"), "axis is for a driven angle; x is along an axis"),
        (lambda: pl.Motion(A, B, x=1.0, z=1.0), "x and z given; a Motion drives exactly one"),
        (lambda: pl.Weld(A, B, angle=0.1, orientation=(0, 0, 1)), "both angle and orientation"),
        (lambda: pl.Moment(B, 1.0, z=1.0), "value and z given"),
        (lambda: pl.Moment(B, x=1.0, y=math.nan), "y = nan"),
        (lambda: pl.Beam("b", length=1, section=ROUND, curvature=[(0, 0, 1)]), "rows of three .* at least two"),
        (lambda: pl.Beam("b", length=1, section=ROUND, curvature=[(0, 0, 1), (0, 1)]), "rows of three"),
        (lambda: pl.Section(1, 1, 1, 1, torsional_stiffness=-1.0), "Section: torsional_stiffness = -1.0 .*positive"),
        (lambda: pl.Section(1, 1, 1, 1, bending_stiffness_y=math.nan), "bending_stiffness_y = nan"),
        (lambda: FLAT.stiffness, "Section: the section lacks bending_stiffness_y"),
        (lambda: pl.Section.circle(0.1, pl.STEEL, torsion_constant=0.0), "torsion_constant = 0.0 .*positive.*m\\^4"),
        (lambda: pl.Section.circle(0.1, pl.STEEL, shear_factor=(1, 2, 3)), "shear_factor = .*two numbers"),
        (lambda: pl.Section.circle(0.1, pl.STEEL, shear_factor=(1, -2)), r"shear_factor\[1\] = -2 .*positive"),
        (lambda: pl.Section.general(np.eye(5), mass_per_length=1), "stiffness = .*a 6 x 6 matrix"),
        (lambda: pl.Section.general(coupled(0, 5, 1e9), mass_per_length=1), "positive definite"),
        (lambda: pl.Section.general(np.triu(np.ones((6, 6))), mass_per_length=1), "symmetric"),
        (lambda: pl.Section.general(-STIFF, mass_per_length=1), "positive definite"),
        (lambda: pl.Model("m", plane="xz"), "plane = 'xz' .*xy"),
    ],
)
def test_bad_values(make, message) -> None:
    with pytest.raises(ModelError, match=message):
        make()


def check(*makers) -> None:
    m = pl.Model("m", plane=None)
    ground, arm = m.add(pl.Ground(), pl.Link("arm", length=1, mass=1))
    for make in makers:
        m.add(make(ground.at(0, 0, 0), arm.at(s=0)))
    m.check()


@pytest.mark.parametrize(
    ("makers", "message"),
    [
        ([pl.Spherical, lambda a, b: pl.Motion(a, b, x=1.0)], "drives the x of arm/base .* Spherical .* locks already"),
        ([pl.Weld, lambda a, b: pl.Motion(a, b, angle=1.0, axis="x")], "drives the angle .* Weld .* locks already"),
        ([pl.Revolute, lambda a, b: pl.Motion(a, b, angle=1.0, axis="x")], "drives the angle .* Revolute .* locks"),
        (
            [lambda a, b: pl.Revolute(b, a), lambda a, b: pl.Motion(a, b, angle=1, axis="y")],
            "Revolute .* locks already",
        ),
        ([pl.Prismatic, lambda a, b: pl.Motion(a, b, y=1.0)], "drives the y .* Prismatic .* locks already"),
        (
            [pl.Revolute, lambda a, b: pl.Motion(a, b, angle=1.0), lambda a, b: pl.Motion(a, b, angle=2.0, name="two")],
            'Motion "two" drives the angle .* drives already',
        ),
    ],
)
def test_driven_twice_or_driven_and_locked(makers, message) -> None:
    with pytest.raises(ModelError, match=message):
        check(*makers)


def test_drives_that_are_free() -> None:
    check(pl.Revolute, lambda a, b: pl.Motion(a, b, angle=1.0))
    check(lambda a, b: pl.Revolute(a, b, axis="x"), lambda a, b: pl.Motion(a, b, angle=1.0, axis=(-1, 0, 0)))
    check(pl.Prismatic, lambda a, b: pl.Motion(a, b, x=1.0))
    check(pl.Cylindrical, lambda a, b: pl.Motion(a, b, z=1.0), lambda a, b: pl.Motion(a, b, angle=1.0))
    check(pl.Spherical, lambda a, b: pl.Motion(a, b, angle=1.0, axis="x"))


def test_something_tied_to_nothing() -> None:
    m = pl.Model("m", plane=None)
    ground, arm, _ = m.add(pl.Ground(), pl.Link("arm", length=1, mass=1), pl.Link("lost", length=1, mass=1))
    m.add(pl.Spherical(ground.at(0, 0, 0), arm.at(s=0)))
    with pytest.raises(ModelError, match='connects Link "lost" to the ground'):
        m.check()
