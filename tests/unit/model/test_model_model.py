"""The model: adding, names, groups, checks, and how it shows itself."""

from __future__ import annotations

import copy

import pytest

from pliant.errors import ModelError
from pliant.forces import DistributedLoad, Drag, Force, Gravity, Moment, Motor, Spring, StateForce, TorsionSpring
from pliant.joints import Distance, Motion, Prismatic, Revolute, Slider, Weld
from pliant.model import STEEL, Beam, Body, Ground, Link, Model, PointMass, Section

SECTION = Section.rectangle(0.02, 0.001, STEEL)


@pytest.fixture
def arm() -> Model:
    """Build a ground, a link and a pin between them."""
    m = Model("arm")
    ground, link = m.add(Ground(), Link("link", length=1.0, mass=1.0))
    m.add(Revolute(ground.at(0, 0), link.at(s=0)))
    return m


def test_add_returns_what_was_given() -> None:
    m = Model("m")
    ground = Ground()
    assert m.add(ground) is ground
    link, body = m.add(Link("link", length=1.0, mass=1.0), Body("body", mass=1.0, inertia=1.0))
    assert (link.name, body.name) == ("link", "body")
    assert m.part("link") is link
    assert list(m) == [ground, link, body]
    assert len(m) == 3


def test_parts_by_group() -> None:
    m = Model("m")
    ground, link = m.add(Ground(), Link("link", length=1.0, mass=1.0))
    leaf = m.add(Beam("leaf", length=1.0, section=SECTION))
    mass = m.add(PointMass("payload", leaf.at(s=1), mass=1.0))
    pin = m.add(Revolute(ground.at(0, 0), link.at()))
    weight = m.add(Gravity())
    watched = m.add(leaf.at(s=0.5))
    assert m.ground is ground
    assert m.bodies == [link]
    assert m.beams == [leaf]
    assert m.point_masses == [mass]
    assert m.joints == [pin]
    assert m.forces == [weight]
    assert m.watched == [watched]


def test_every_joint_and_force_can_be_added() -> None:
    m = Model("everything")
    ground, link = m.add(Ground(), Link("link", length=1.0, mass=1.0))
    leaf = m.add(Beam("leaf", length=1.0, section=SECTION))
    a, b, tip = ground.at(0, 0), link.at(s=0), leaf.at(s=1)
    m.add(Revolute(a, b), Prismatic(a, b), Slider(a, b), Weld(a, b), Distance(a, tip), Motion(link.at(s=1), tip, x=0.0))
    m.add(Gravity(), Force(tip, x=1.0), Moment(tip, 1.0), Motor("motor", a, b, 1.0), DistributedLoad(leaf, y=1.0))
    m.add(Spring("spring", a, tip, 1.0, 1.0), TorsionSpring("torsion", a, b, 1.0), Drag(leaf, 0.1, 0.1))
    m.add(StateForce("any", tip, lambda t, pose, velocity: (0.0, 0.0, 0.0)))
    assert (len(m.joints), len(m.forces)) == (6, 9)
    assert [j.locked(False) for j in m.joints] == [("x", "y"), ("y", "rz"), ("y",), ("x", "y", "rz"), (), ()]


def test_default_names_are_numbered_and_given_names_refused(arm) -> None:
    tip = arm.part("link").at(s=1)
    names = [arm.add(Force(tip, y=1.0)).name for _ in range(3)]
    assert names == ["force link/tip", "force link/tip (2)", "force link/tip (3)"]
    arm.add(Force(tip, y=1.0, name="push"))
    with pytest.raises(ModelError, match='Force "push": the name is taken by Force "push"'):
        arm.add(Force(tip, y=1.0, name="push"))


def test_adding_is_all_or_nothing(arm) -> None:
    before = list(arm)
    other = Link("other", length=1.0, mass=1.0)
    with pytest.raises(ModelError, match="name is taken"):
        arm.add(other, arm.part("link").at(s=1), Link("link", length=2.0, mass=1.0))
    assert list(arm) == before
    assert arm.watched == []


def test_same_description_can_serve_two_models() -> None:
    ground = Ground()
    for name in ("one", "two"):
        assert Model(name).add(ground) is ground


def test_copy_keeps_markers_on_their_bodies(arm) -> None:
    twin = copy.deepcopy(arm)
    assert twin.part("link") is not arm.part("link")
    twin.add(Force(twin.part("link").at(s=1), y=1.0))
    twin.check()
    assert len(arm.forces) == 0


def test_good_models_pass_the_checks(arm) -> None:
    arm.check()
    flying = Model("flying")
    flying.add(Body("stone", mass=1.0, inertia=1.0))
    flying.check()
    arm.add(Body("stone", mass=1.0, inertia=1.0, free=True))
    arm.check()


def test_a_spring_connects(arm) -> None:
    bob = arm.add(Body("bob", mass=1.0, inertia=1.0))
    arm.add(Spring("cord", arm.part("link").at(s=1), bob.at(), 1.0, 1.0))
    arm.check()


def test_motion_beside_a_pin_and_of_two_axes_is_no_contradiction(arm) -> None:
    ground, link = arm.ground, arm.part("link")
    arm.add(Motion(ground.at(0, 0), link.at(s=0), angle=0.0))
    stage = arm.add(Body("stage", mass=1.0, inertia=1.0))
    arm.add(Motion(ground.at(0, 0), stage.at(), x=0.0), Motion(ground.at(0, 0), stage.at(), y=0.0))
    arm.check()


def test_model_shows_itself(arm) -> None:
    arm.add(Force(arm.part("link").at(s=1), y=2.5), arm.part("link").at(s=0.5))
    assert repr(arm) == '<Model "arm": 1 rigid body, 0 beams, 1 joint, 1 force>'
    text = str(arm)
    assert 'Model "arm", plane xy' in text
    assert "a=ground(0, 0), b=link/base" in text
    assert "y=2.5" in text
    assert "link@0.5" in text
