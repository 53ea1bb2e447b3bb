"""Planar models as the same models in space."""

from __future__ import annotations

import numpy as np
import pytest

import pliant as pl
from pliant.errors import ModelError, SignalError
from pliant.model import rotations

FLAT = pl.Section(1e6, 4e5, 60.0, 0.8)
STRIP = pl.Section.rectangle(0.02, 0.001, pl.STEEL)


def pendulum() -> pl.Model:
    m = pl.Model("pendulum")
    ground, arm = m.add(pl.Ground(), pl.Link("arm", length=1.0, mass=1.0, angle=0.3, position=(0.1, 0.2)))
    m.add(pl.Revolute(ground.at(0.1, 0.2, angle=0.4), arm.at(s=0)), pl.Gravity(), pl.Moment(arm.at(s=1), 2.0))
    m.add(pl.Force(arm.at(s=1), x=1.0, name="push"), arm.at(s=0.5, name="middle"))
    return m


def test_words_of_the_plane_are_said_in_space() -> None:
    flat = pendulum()
    m = flat.promoted()
    assert m.spatial
    assert [part.name for part in m] == [part.name for part in flat]
    arm, pin, weight, moment = m.part("arm"), m.joints[0], m.part("gravity"), m.part("moment arm/tip")
    assert arm.position == (0.1, 0.2, 0.0)
    assert rotations.logarithm(arm.turn) == pytest.approx([0.0, 0.0, 0.3])
    assert rotations.logarithm(pin.a.turn) == pytest.approx([0.0, 0.0, 0.4])
    assert (pin.b.body, pin.axis) == (arm, "z")
    assert [float(value) for value in (weight.x, weight.y, weight.z)] == [0.0, -9.81, 0.0]
    assert (moment.value, float(moment.z)) == (None, 2.0)
    assert [marker.label for marker in m.watched] == ["arm/middle"]
    m.check()


def test_the_planar_model_stays_and_the_spatial_one_is_returned() -> None:
    flat = pendulum()
    m = flat.promoted()
    assert not flat.spatial
    assert float(flat.part("gravity").y) == -9.81
    assert flat.part("arm").position == (0.1, 0.2)
    assert m.promoted() is m


def test_curvature_along_a_beam() -> None:
    m = pl.Model("m")
    m.add(pl.Beam("table", length=1.0, section=STRIP, curvature=(0.1, 0.2, 0.3)))
    m.add(pl.Beam("arc", length=1.0, section=STRIP, curvature=0.5))
    space = m.promoted()
    assert space.part("table").curvature == ((0.0, 0.0, 0.1), (0.0, 0.0, 0.2), (0.0, 0.0, 0.3))
    s = np.linspace(0.0, 1.0, 5)
    for name in ("table", "arc"):
        points, _ = space.part(name).rest_pose_in_space(s)
        assert points[:, :2] == pytest.approx(m.part(name).rest_pose(s)[:, :2], abs=1e-14)


def test_what_no_joint_keeps_in_the_plane_is_tied_to_it() -> None:
    m = pl.Model("m")
    ground, arm = m.add(pl.Ground(), pl.Link("arm", length=1.0, mass=1.0))
    rod, puck, tail = m.add(*(pl.Link(name, length=1.0, mass=1.0) for name in ("rod", "puck", "tail")))
    m.add(pl.Revolute(ground.at(0, 0), arm.at(s=0)), pl.Slider(arm.at(s=1), rod.at(s=0)))
    m.add(pl.Spring("spring", rod.at(s=1), puck.at(s=0), 1.0, 0.0), pl.Prismatic(puck.at(s=1), tail.at(s=0)))
    space = m.promoted()
    ties = [joint for joint in space.joints if isinstance(joint, pl.Planar)]
    assert [tie.b.body.name for tie in ties] == ["rod", "puck"]
    assert all(tie.a.body is space.ground for tie in ties)
    assert len(space) == len(m) + 2


def test_a_ground_is_added_where_there_is_none() -> None:
    m = pl.Model("m")
    m.add(pl.Body("ground", mass=1.0, inertia=1.0, free=True))
    space = m.promoted()
    assert space.ground.name == "ground 2"
    assert len(space.joints) == 1


def test_sections_of_the_plane_need_more() -> None:
    m = pl.Model("m")
    m.add(pl.Beam("rod", length=1.0, section=FLAT))
    with pytest.raises(ModelError, match='Beam "rod": the section lacks bending_stiffness_y, torsional_stiffness'):
        m.promoted()
    assert m.promoted(sections={"rod": STRIP}).part("rod").section is STRIP
    with pytest.raises(ModelError, match=r"there is no beam 'rods' in the model\. Did you mean rod"):
        m.promoted(sections={"rods": STRIP})


def test_a_function_of_the_plane_acts_in_its_plane() -> None:
    def wind(t, pose, velocity):
        return 2.0 - pose[0], -velocity[1], -0.1 * pose[2] - 0.05 * velocity[2]

    m = pl.Model("m")
    body = m.add(pl.Body("body", mass=1.0, inertia=0.2, position=(0.3, 0.1), angle=0.4, free=True))
    m.add(pl.StateForce("wind", body.at(0.1, 0.2, angle=0.3), wind))
    plane, space = (pl.transient(pl.compile(each), end_time=0.5, step=5e-3) for each in (m, m.promoted()))
    assert space.position.values[..., :2] == pytest.approx(plane.position.values, abs=1e-6)
    assert space.marker_orientation.values[..., 3] == pytest.approx(np.sin(plane.marker_angle.values / 2), abs=1e-6)
    with pytest.raises(SignalError, match=r"six finite numbers \(fx, fy, fz, mx, my, mz\)"):
        _spoilt()


def _spoilt() -> None:
    m = pl.Model("m", plane=None)
    body = m.add(pl.Body("body", mass=1.0, inertia=0.2, free=True))
    m.add(pl.StateForce("wind", body.at(), lambda t, pose, velocity: (0.0, 0.0, 0.0)))
    pl.transient(pl.compile(m), end_time=0.1, step=1e-2)
