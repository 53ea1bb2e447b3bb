"""Contacts and stops described wrongly, or used for what they cannot do: part, value, allowed, what to try."""

from __future__ import annotations

from math import nan

import pytest

import pliant as pl
from pliant.errors import ModelError, OptionError, PliantWarning


@pytest.fixture
def parts():
    ground = pl.Ground()
    return ground, pl.Body("ball", mass=1.0, inertia=0.1, position=(0, 0.2), angle=0.0, free=True)


BAD = [
    ({"stiffness": -1.0}, 'Contact "c": stiffness = -1.0 is not allowed; it must be positive'),
    ({"stiffness": nan}, "stiffness = nan"),
    ({"stiffness": 0.0}, "stiffness = 0.0 is not allowed"),
    ({"friction": -0.1}, "friction = -0.1 is not allowed; it must be zero or positive"),
    ({"friction_speed": 0.0}, "friction_speed = 0.0 is not allowed; it must be positive"),
    ({"restitution": 1.2}, "restitution = 1.2 is not allowed; it must be between 0 and 1"),
    ({"exponent": 0.5}, "exponent = 0.5 is not allowed; it must be between 1 and 4. Hertz"),
    ({"damping": -3.0}, "damping = -3.0 is not allowed"),
    ({"radius": -1.0}, "radius = -1.0 is not allowed"),
    ({"rim": 0.1, "points": 1}, "points = 1 is not allowed; it must be a whole number from 2 to 10000"),
    ({"surface": "sphere"}, "surface = 'sphere' is not allowed; it must be one of cone, plane, ring"),
    ({"surface": "cone"}, "opening is missing: the radius of its cone"),
    ({"surface": "cone", "opening": 0.1, "slope": 2.0}, "slope = 2.0 is not allowed.*Flat is a plane"),
    ({"surface": "ring", "opening": 0.1, "slope": 0.1}, "a ring has no slope"),
    ({"opening": 0.1}, "a plane has no opening and no slope"),
]


@pytest.mark.parametrize(("arguments", "message"), BAD)
def test_bad_contact_is_refused(parts, arguments, message: str) -> None:
    ground, ball = parts
    with pytest.raises(ModelError, match=message):
        pl.Contact("c", ground.at(0, 0), ball.at(), **{"stiffness": 1e5, **arguments})


def test_contact_needs_markers_of_two_bodies(parts) -> None:
    ground, ball = parts
    with pytest.raises(ModelError, match=r"b = .* is not allowed; it must be a Marker"):
        pl.Contact("c", ground.at(0, 0), ball, stiffness=1.0)  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="cannot move against each other"):
        pl.Contact("c", ball.at(), ball.at(0.1), stiffness=1.0)


def test_bad_stop_is_refused(parts) -> None:
    ground, ball = parts
    hinge, tie = pl.Revolute(ground.at(0, 0), ball.at(), name="hinge"), pl.Weld(ground.at(0, 0), ball.at())
    for arguments, message in (
        ({}, 'Stop "stop hinge": it has neither lower nor upper'),
        ({"lower": 1.0, "upper": 0.5}, "lower = 1.0 is not allowed; it must be below upper = 0.5"),
        ({"lower": nan}, "lower = nan"),
        ({"lower": 0.0, "stiffness": -1.0}, "stiffness = -1.0 is not allowed"),
    ):
        with pytest.raises(ModelError, match=message):
            pl.Stop(hinge, **{"stiffness": 1.0, **arguments})
    with pytest.raises(ModelError, match=r"joint = .* is not allowed; it must be a .*Prismatic, Revolute"):
        pl.Stop(tie, lower=0.0, stiffness=1.0)


def compiled(parts, height=0.2):
    ground, _ = parts
    ball = pl.Body("ball", mass=1.0, inertia=0.1, position=(0, height), angle=0.0, free=True)
    m = pl.Model("ball")
    m.add(ground, ball, pl.Contact("floor", ground.at(0, 0), ball.at(), radius=0.1, stiffness=1e4))
    return pl.compile(m)


OPTIONS = [
    ({"contact": "complementary"}, "contact='complementary' is not known. Did you mean complementarity"),
    ({"contact": "complementarity"}, "give its step="),
    ({"contact": "complementarity", "accuracy": 1e-6}, "accuracy: not with contact='complementarity'"),
    ({"contact": "complementarity", "step": 1e-3, "spectral_radius": 0.5}, "spectral_radius: not with"),
    ({"contact": "complementarity", "step": 1e-3, "times": [0.0, 0.1]}, "times: not with"),
]


@pytest.mark.parametrize(("options", "message"), OPTIONS)
def test_bad_options_are_refused(parts, options, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        pl.transient(compiled(parts), end_time=0.1, **options)


def test_start_inside_a_surface_is_told(parts) -> None:
    system = compiled(parts, height=0.05)
    with pytest.raises(ModelError, match=r'Contact "floor": gap = -0.05 at the start: it begins inside its surface'):
        pl.transient(system, end_time=0.1, step=1e-3, contact="complementarity")
    with pytest.warns(PliantWarning, match=r'Contact "floor": gap = -0.05 at the start.*thrown out'):
        pl.transient(system, end_time=0.01, step=1e-4)


def test_other_formulations_have_no_rigid_contact(parts) -> None:
    ground, ball = parts
    m = pl.Model("arm")
    m.add(ground, ball, pl.Contact("floor", ground.at(0, 0), ball.at(), stiffness=1e4))
    with pytest.raises(OptionError, match="contact='complementarity': not an option of the formulation 'relative'"):
        pl.transient(pl.compile(m, formulation="relative"), end_time=0.1, contact="complementarity")
