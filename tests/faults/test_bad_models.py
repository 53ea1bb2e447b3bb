"""Bad input in models: each mistake has its own message that names the part, the value and what to do."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pliant as pl
from pliant.errors import ModelError

SECTION = pl.Section.rectangle(0.02, 0.001, pl.STEEL)
GROUND = pl.Ground()
ARM = pl.Link("arm", length=1.0, mass=1.0)
LEAF = pl.Beam("leaf", length=0.5, section=SECTION)
A, B = GROUND.at(0, 0), ARM.at(s=0)

NOT_NUMBERS = [math.nan, math.inf, -math.inf, "1", True, 1j, np.ones((2, 2)), 10**400]

NUMBERS = {  # owner in the message, argument -> maker that takes a value for it
    ('Link "a"', "length"): lambda v: pl.Link("a", length=v, mass=1.0),
    ('Link "a"', "mass"): lambda v: pl.Link("a", length=1.0, mass=v),
    ('Link "a"', "centre"): lambda v: pl.Link("a", length=1.0, mass=1.0, centre=v),
    ('Body "a"', "mass"): lambda v: pl.Body("a", mass=v, inertia=1.0),
    ('Body "a"', "inertia"): lambda v: pl.Body("a", mass=1.0, inertia=v),
    ('PointMass "a"', "mass"): lambda v: pl.PointMass("a", B, mass=v),
    ('PointMass "a"', "inertia"): lambda v: pl.PointMass("a", B, mass=1.0, inertia=v),
    ('Beam "a"', "length"): lambda v: pl.Beam("a", length=v, section=SECTION),
    ('Marker on Beam "leaf"', "s"): lambda v: LEAF.at(v),
    ('Marker on Beam "leaf"', "x"): lambda v: LEAF.at(0.5, x=v),
    ('Marker on Link "arm"', "s"): lambda v: ARM.at(s=v),
    ('Marker on Link "arm"', "y"): lambda v: ARM.at(y=v),
    ('Marker on Link "arm"', "angle"): lambda v: ARM.at(angle=v),
    ('Marker on Ground "ground"', "x"): lambda v: GROUND.at(v, 0),
    ('Marker on Ground "ground"', "y"): lambda v: GROUND.at(0, v),
    ('Material "a"', "youngs_modulus"): lambda v: pl.Material("a", youngs_modulus=v, density=1.0),
    ('Material "a"', "density"): lambda v: pl.Material("a", youngs_modulus=1.0, density=v),
    ("Section", "axial_stiffness"): lambda v: pl.Section(v, 1.0, 1.0, 1.0),
    ("Section", "shear_stiffness"): lambda v: pl.Section(1.0, v, 1.0, 1.0),
    ("Section", "bending_stiffness"): lambda v: pl.Section(1.0, 1.0, v, 1.0),
    ("Section", "mass_per_length"): lambda v: pl.Section(1.0, 1.0, 1.0, v),
    ("Section", "rotary_inertia"): lambda v: pl.Section(1.0, 1.0, 1.0, 1.0, v),
    ("Section.rectangle", "width"): lambda v: pl.Section.rectangle(v, 0.1, pl.STEEL),
    ("Section.rectangle", "height"): lambda v: pl.Section.rectangle(0.1, v, pl.STEEL),
    ("Section.circle", "radius"): lambda v: pl.Section.circle(v, pl.STEEL),
    ("Section.tube", "outer_radius"): lambda v: pl.Section.tube(v, 0.1, pl.STEEL),
    ("Section.tube", "inner_radius"): lambda v: pl.Section.tube(0.1, v, pl.STEEL),
    ("Rayleigh", "mass"): lambda v: pl.Rayleigh(mass=v),
    ("Rayleigh", "stiffness"): lambda v: pl.Rayleigh(stiffness=v),
    ("Rayleigh.at_frequencies", "f1"): lambda v: pl.Rayleigh.at_frequencies(0.01, v, 2.0),
    ("Rayleigh.of_modes", "ratio"): lambda v: pl.Rayleigh.of_modes(v),
    ("Sine", "amplitude"): lambda v: pl.Sine(v, 1.0),
    ("Sine", "frequency_hz"): lambda v: pl.Sine(1.0, v),
    ("Ramp", "t1"): lambda v: pl.Ramp(0.0, 1.0, 0.0, v),
    ("Table", r"values\[1\]"): lambda v: pl.Table([0, 1], [0, v]),
    ('Gravity "gravity"', "y"): lambda v: pl.Gravity(y=v),
    ('Force "force arm/tip"', "x"): lambda v: pl.Force(ARM.at(s=1), x=v),
    ('Moment "moment arm/tip"', "value"): lambda v: pl.Moment(ARM.at(s=1), v),
    ('Motor "a"', "torque"): lambda v: pl.Motor("a", A, B, v),
    ('DistributedLoad "distributed load leaf"', "y"): lambda v: pl.DistributedLoad(LEAF, y=v),
    ('Drag "drag leaf"', "x"): lambda v: pl.Drag(LEAF, v, 0.0),
    ('Spring "a"', "stiffness"): lambda v: pl.Spring("a", A, B, v, 1.0),
    ('Spring "a"', "rest_length"): lambda v: pl.Spring("a", A, B, 1.0, v),
    ('Spring "a"', "damping"): lambda v: pl.Spring("a", A, B, 1.0, 1.0, v),
    ('TorsionSpring "a"', "rest_angle"): lambda v: pl.TorsionSpring("a", A, B, 1.0, v),
    ('Link "a"', "inertia"): lambda v: pl.Link("a", length=1.0, mass=1.0, inertia=v),
    ('Link "a"', "angle"): lambda v: pl.Link("a", length=1.0, mass=1.0, angle=v),
    ('Link "a"', r"position\[1\]"): lambda v: pl.Link("a", length=1.0, mass=1.0, position=(0.0, v)),
    ('Beam "a"', "curvature"): lambda v: pl.Beam("a", length=1.0, section=SECTION, curvature=v),
    ('Beam "a"', r"curvature\[1\]"): lambda v: pl.Beam("a", length=1.0, section=SECTION, curvature=(0.0, v)),
    ('Material "a"', "poisson_ratio"): lambda v: pl.Material("a", youngs_modulus=1.0, density=1.0, poisson_ratio=v),
    ('Material "a"', "shear_modulus"): lambda v: pl.Material("a", youngs_modulus=1.0, density=1.0, shear_modulus=v),
    ('Weld "weld .*"', "angle"): lambda v: pl.Weld(A, B, angle=v),
    ('Distance "distance .*"', "length"): lambda v: pl.Distance(A, B, length=v),
    ('Motion "motion .*"', "angle"): lambda v: pl.Motion(A, B, angle=v),
    ("Section", "height"): lambda v: pl.Section(1.0, 1.0, 1.0, 1.0, 1.0, v),
}


@pytest.mark.parametrize("value", NOT_NUMBERS, ids=lambda value: f"{value!r:.8}")
@pytest.mark.parametrize(("owner", "argument"), NUMBERS)
def test_what_is_not_a_finite_number_is_refused_everywhere(owner, argument, value) -> None:
    with pytest.raises(ModelError, match=f"{owner}: {argument}"):
        NUMBERS[owner, argument](value)


POSITIVE = ["length", "youngs_modulus", "width", "height", "radius", "outer_radius", "f1"]
POSITIVE += ["axial_stiffness", "shear_stiffness", "bending_stiffness", "shear_modulus"]
NOT_NEGATIVE = ["mass", "inertia", "density", "mass_per_length", "rotary_inertia", "inner_radius", "stiffness"]
NOT_NEGATIVE += ["rest_length", "damping", "ratio"]
LIMITED = [(key, make) for key, make in NUMBERS.items() if key[1] in POSITIVE + NOT_NEGATIVE]


@pytest.mark.parametrize(
    ("key", "make"), LIMITED, ids=lambda value: "-".join(value) if isinstance(value, tuple) else ""
)
def test_negative_values_and_zero_size(key, make) -> None:
    owner, argument = key
    with pytest.raises(ModelError, match=f"{owner}: {argument} = -0.1 is not allowed; it must be .*positive"):
        make(-0.1)
    if argument in POSITIVE:
        with pytest.raises(ModelError, match=f"{owner}: {argument} = 0.0 is not allowed; it must be positive"):
            make(0.0)
    else:
        make(0.0)


@pytest.mark.parametrize("s", [-1e-9, 1.0000001, 5])
@pytest.mark.parametrize("body", [ARM, LEAF], ids=["link", "beam"])
def test_marker_off_its_body(body, s) -> None:
    with pytest.raises(ModelError, match=rf'Marker on .*"{body.name}": s = {s} .*between 0 and 1.*off its body'):
        body.at(s)


@pytest.mark.parametrize("ratio", [-1.0, 0.51, 35])
def test_poisson_ratio_out_of_range(ratio) -> None:
    with pytest.raises(ModelError, match=r'Material "a": poisson_ratio = .* above -1 and at most 0.5'):
        pl.Material("a", youngs_modulus=1.0, density=1.0, poisson_ratio=ratio)


def test_moduli_that_disagree() -> None:
    with pytest.raises(ModelError, match=r"disagree.*nu = 0.25. Give only one"):
        pl.Material("a", youngs_modulus=200e9, shear_modulus=80e9, poisson_ratio=0.3, density=1.0)


@pytest.mark.parametrize("inner", [0.1, 0.2])
def test_tube_with_no_wall(inner) -> None:
    with pytest.raises(ModelError, match=r"Section.tube: inner_radius = .* below the outer radius, 0.1"):
        pl.Section.tube(0.1, inner, pl.STEEL)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: pl.Section.circle(0.1, pl.STEEL, shear_factor="cowpr"), "shear_factor = 'cowpr'.*one of cowper"),
        (lambda: pl.Section.circle(0.1, pl.STEEL, shear_factor=0.0), "shear_factor = 0.0.*positive"),
        (lambda: pl.Section.circle(0.1, "steel"), "material = 'steel'.*a Material, not a str"),
        (lambda: pl.Beam("a", length=1.0, section=pl.STEEL), "section = Material.*a Section, not a Material"),
        (lambda: pl.Beam("a", length=1.0, section=SECTION, damping=0.01), "damping = 0.01.*Rayleigh.of_modes"),
        (lambda: pl.Beam("a", length=1.0, section=SECTION, curvature=(1.0,)), "curvature = .*at least 2"),
        (lambda: pl.Link("a", length=1.0, mass=1.0, position=(0, 0, 0, 0)), "position = .*a point"),
        (lambda: pl.Link("a", length=1.0, mass=1.0, position=1.0), "position = 1.0.*sequence"),
        (lambda: pl.Link("a", length=1.0, mass=1.0, free=1), "free = 1.*True or False"),
        (lambda: pl.Force(B, follower="no"), "follower = 'no'.*True or False"),
        (lambda: pl.Force(ARM, y=1.0), r"marker = Link.*a Marker, not a Link.*body\.at"),
        (lambda: pl.Revolute(ARM, B), r"Revolute: a = Link.*body\.at"),
        (lambda: pl.Spring("a", A, ARM, 1.0, 1.0), "Spring: b = Link.*a Marker"),
        (lambda: pl.PointMass("a", ARM, mass=1.0), "marker = Link"),
        (lambda: pl.DistributedLoad(ARM, y=1.0), "beam = Link.*a Beam, not a Link"),
        (lambda: pl.Drag(ARM, 1.0, 1.0), "beam = Link.*a Beam, not a Link"),
        (lambda: pl.StateForce("a", B, 3.0), "function = 3.0.*a function"),
        (lambda: pl.Ramp(0.0, 1.0, 2.0, 2.0), "t1 = 2.0.*after t0 = 2.0"),
        (lambda: pl.Table([0, 1], [0]), "Table: values = .*at least 2"),
        (lambda: pl.Table([0, 1], [0, 1, 2]), "2 times but 3 values"),
        (lambda: pl.Table([0, 1, 1], [0, 1, 2]), r"times\[2\] = 1.0.*after the one before it, 1.0"),
        (lambda: pl.Rayleigh.of_modes(0.01, "clamped"), "supports = 'clamped'.*clamped-free"),
        (lambda: pl.Rayleigh.of_modes(0.01, modes=(1, 1)), "modes = .*two different"),
        (lambda: pl.Rayleigh.of_modes(0.01, modes=(0, 1)), "modes = .*from 1 up"),
        (
            lambda: pl.Rayleigh.of_modes(0.01).coefficients(pl.Beam("a", length=1.0, section=pl.Section(1, 1, 1, 0))),
            "no mass",
        ),
        (lambda: pl.Model("m", plane="yz"), "plane = 'yz'.*one of xy"),
    ],
)
def test_wrong_kind_of_argument(make, message) -> None:
    with pytest.raises(ModelError, match=message):
        make()


@pytest.mark.parametrize("name", ["", " ", "../up", "a/b", "a\n", "a@1", '"', ".hidden", "a" * 81, 3, None, "a "])
def test_names(name) -> None:
    for make in (pl.Model, lambda n: pl.Link(n, length=1.0, mass=1.0)):
        with pytest.raises(ModelError, match="name"):
            make(name)


@pytest.mark.parametrize("name", ["crank", "Träger 2", "a_b-c.d+e", "8", "a(1)", "left [2]"])
def test_good_names(name) -> None:
    assert pl.Link(name, length=1.0, mass=1.0).name == name


@pytest.mark.parametrize("kind", [pl.Revolute, pl.Prismatic, pl.Slider, pl.Weld, pl.Distance])
def test_joint_of_a_body_with_itself(kind) -> None:
    with pytest.raises(ModelError, match=r'arm/base and arm/tip are both on Link "arm".*two bodies'):
        kind(ARM.at(s=0), ARM.at(s=1))
    with pytest.raises(ModelError, match=r"leaf@0.5 and leaf@0.5 are both on"):
        kind(LEAF.at(0.5), LEAF.at(0.5))
    with pytest.raises(ModelError, match=r'both on Ground "ground"'):
        kind(GROUND.at(0, 0), GROUND.at(1, 0))
    kind(LEAF.at(0), LEAF.at(1))  # a ring


def test_spring_and_motor_of_a_body_with_itself() -> None:
    with pytest.raises(ModelError, match=r'Spring "a": .*both on Link "arm"'):
        pl.Spring("a", ARM.at(s=0), ARM.at(s=1), 1.0, 1.0)
    with pytest.raises(ModelError, match=r'Motor "a": .*both on Ground "ground"'):
        pl.Motor("a", A, GROUND.at(1, 1), 1.0)


def test_motion_drives_exactly_one_coordinate() -> None:
    with pytest.raises(ModelError, match="no coordinate given; a Motion drives exactly one of x, y, z, angle"):
        pl.Motion(A, B)
    with pytest.raises(ModelError, match=r"x and angle given.*one Motion for each"):
        pl.Motion(A, B, x=0.0, angle=1.0)


# --- the whole model


def arm() -> pl.Model:
    m = pl.Model("m")
    m.add(GROUND, ARM, LEAF, pl.Revolute(A, B), pl.Revolute(ARM.at(s=1), LEAF.at(0)))
    return m


def test_duplicate_names_are_refused_not_changed() -> None:
    with pytest.raises(ModelError, match='Link "leaf": the name is taken by Beam "leaf"'):
        arm().add(pl.Link("leaf", length=1.0, mass=1.0))
    with pytest.raises(ModelError, match='Link "arm" is in the model already'):
        arm().add(ARM)
    with pytest.raises(ModelError, match="has a ground already"):
        arm().add(pl.Ground("other"))


def test_markers_of_another_model() -> None:
    stranger = pl.Link("stranger", length=1.0, mass=1.0)
    for part in (
        pl.Revolute(A, stranger.at()),
        pl.Force(stranger.at(), y=1.0),
        pl.PointMass("p", stranger.at(), mass=1.0),
    ):
        with pytest.raises(ModelError, match=r'refers to Link "stranger", which is not in this model. Add it first'):
            arm().add(part)
    with pytest.raises(ModelError, match=r"not in this model. Another part has that name"):
        arm().add(pl.Force(pl.Link("arm", length=1.0, mass=1.0).at(), y=1.0))
    with pytest.raises(ModelError, match="Marker stranger/tip refers to"):
        arm().add(stranger.at(s=1))
    with pytest.raises(ModelError, match='refers to Beam "leaf"'):
        pl.Model("m").add(pl.DistributedLoad(LEAF, y=1.0))


def test_things_that_are_no_parts() -> None:
    for thing in (3, "link", SECTION, pl.Link):
        with pytest.raises(ModelError, match="was added"):
            arm().add(thing)


def test_nothing_to_add_is_no_error() -> None:
    m = arm()
    before = list(m)
    assert m.add(*[]) == ()
    assert list(m) == before


def test_marker_watched_twice() -> None:
    m = arm()
    m.add(ARM.at(s=1))
    with pytest.raises(ModelError, match="arm/tip is recorded already"):
        m.add(ARM.at(s=1))


def test_unknown_part_name() -> None:
    with pytest.raises(ModelError, match=r"no part 'amr'. Did you mean arm"):
        arm().part("amr")


def test_empty_model() -> None:
    with pytest.raises(ModelError, match="nothing that moves"):
        pl.Model("m").check()


def test_unconnected_parts_are_named() -> None:
    m = arm()
    lost, found = m.add(pl.Link("lost", length=1.0, mass=1.0), pl.Body("found", mass=1.0, inertia=1.0))
    m.add(pl.Revolute(lost.at(), found.at()), pl.Force(lost.at(), y=1.0), pl.Motor("m", A, lost.at(), 1.0))
    with pytest.raises(
        ModelError, match=r'no joint or spring connects Link "lost", Body "found" to the ground.*free=True'
    ):
        m.check()
    m.add(pl.Spring("cord", A, found.at(), 1.0, 1.0))
    m.check()


def test_no_ground() -> None:
    m = pl.Model("m")
    one, two = m.add(pl.Link("one", length=1.0, mass=1.0), pl.Link("two", length=1.0, mass=1.0))
    m.add(pl.Revolute(one.at(), two.at()))
    with pytest.raises(ModelError, match="the model has no Ground"):
        m.check()


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ([pl.Motion(A, B, angle=0.0), pl.Motion(A, B, angle=1.0)], r"drives the angle .* \"motion .*\" drives already"),
        ([pl.Motion(A, B, angle=0.0), pl.Motion(ARM.at(s=1), GROUND.at(1, 1), angle=1.0)], "drives already"),
        ([pl.Motion(A, LEAF.at(1), x=0.0), pl.Motion(A, LEAF.at(1), x=0.0)], "drives the x of leaf/tip"),
        ([pl.Motion(A, B, x=0.0)], r'which Revolute "revolute .*" locks already'),
        ([pl.Motion(B, A, y=0.0)], r'which Revolute "revolute .*" locks already'),
        ([pl.Weld(A, LEAF.at(1)), pl.Motion(A, LEAF.at(1), angle=0.0)], r'Weld "weld .*" locks already'),
        ([pl.Motion(A, LEAF.at(1), y=0.0), pl.Slider(A, LEAF.at(1))], r'Slider "slider .*" locks already'),
    ],
)
def test_contradictory_drives(parts, message) -> None:
    m = arm()
    m.add(*parts)
    with pytest.raises(ModelError, match=message):
        m.check()


def test_drives_that_agree() -> None:
    m = arm()
    m.add(pl.Motion(A, B, angle=0.0), pl.Motion(A, LEAF.at(1), x=0.0), pl.Motion(A, LEAF.at(0.5), x=0.0))
    m.add(pl.Motion(A, LEAF.at(0.5), angle=0.0), pl.Motion(A, LEAF.at(1), angle=0.0), pl.Motion(A, LEAF.at(1), y=0.0))
    m.check()
