"""MJCF: what comes in moves as theory says, and what does not come in is named."""

from __future__ import annotations

from math import pi, sqrt
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.spatial.transform import Rotation

import pliant as pl
from pliant.errors import FileError
from pliant.model import rotations
from pliant_io.robots.mjcf import solid


@pytest.fixture
def read(tmp_path: Path):
    def load(body: str, head: str = ""):
        path = tmp_path / "model.xml"
        path.write_text(f'<mujoco model="m">{head}<worldbody>{body}</worldbody></mujoco>', encoding="utf-8")
        return pl.load_mjcf(path)

    return load


def first_frequency(model: pl.Model) -> float:
    system = pl.compile(model)
    return float(pl.modal(system, at=pl.statics(system), modes=1).frequency_hz[0])


@pytest.mark.parametrize(
    ("kind", "size", "radius", "half"),
    [
        ("cylinder", [0.1, 0.4], lambda z: 0.1, 0.4),
        ("capsule", [0.1, 0.4], lambda z: sqrt(max(0.1**2 - max(abs(z) - 0.4, 0.0) ** 2, 0.0)), 0.5),
        ("sphere", [0.3], lambda z: sqrt(max(0.3**2 - z**2, 0.0)), 0.3),
    ],
)
def test_round_solids_are_sums_of_discs(kind, size, radius, half):
    volume, (across, _, along) = solid(kind, size)
    whole = quad(lambda z: pi * radius(z) ** 2, -half, half, points=[-0.4, 0.4], epsabs=1e-14)[0]
    spin = quad(lambda z: 0.5 * pi * radius(z) ** 4, -half, half, points=[-0.4, 0.4], epsabs=1e-14)[0]
    tilt = quad(lambda z: pi * radius(z) ** 2 * (0.25 * radius(z) ** 2 + z**2), -half, half, points=[-0.4, 0.4])[0]
    assert volume == pytest.approx(whole, rel=1e-8)
    assert along == pytest.approx(spin / whole, rel=1e-8)
    assert across == pytest.approx(tilt / whole, rel=1e-7)


def test_solids_without_volume_are_none():
    assert solid("mesh", []) is None
    assert solid("box", [0.1, 0.2]) is None
    volume, moments = solid("ellipsoid", [0.1, 0.1, 0.1])
    ball, same = solid("sphere", [0.1])
    assert volume == pytest.approx(ball)
    np.testing.assert_allclose(moments, same)


def test_a_pendulum_swings_as_its_inertia_says(read):
    """A box that hangs by a hinge off its centre, turned: omega^2 = m g l / (I + m l^2)."""
    geom = '<geom type="box" size="0.1 0.02 0.3" pos="0 0 -0.4" density="500"/>'
    joint = '<joint name="hinge" axis="0 2 0" pos="0 0 0.05" damping="0"/>'
    found = read(f'<body name="arm" pos="1 2 3" euler="0 0 40">{joint}{geom}</body>')
    arm = found.model.part("arm")
    assert arm.mass == pytest.approx(500.0 * 0.2 * 0.04 * 0.6)
    inertia, lever = (0.2**2 + 0.6**2) / 12.0, 0.45
    expected = sqrt(9.81 * lever / (inertia + lever**2)) / (2.0 * pi)
    assert first_frequency(found.model) == pytest.approx(expected, rel=1e-9)
    np.testing.assert_allclose(arm.position, (1.0, 2.0, 2.6), atol=1e-12)
    assert found.left_out == ()


def test_springs_radians_defaults_and_gravity(read):
    head = (
        '<compiler angle="radian"/><option gravity="0 0 0"/><default><geom density="2000"/><default class="stiff">'
        '<joint stiffness="7" axis="1 0 0"/></default></default>'
    )
    inertial = '<inertial pos="0 0.2 0" mass="1.5" diaginertia="0.01 0.02 0.03"/>'
    body = f'<body name="a" childclass="stiff"><joint springref="0.3" range="-1 1"/>{inertial}</body>'
    found = read(body, head)
    spring = next(force for force in found.model.forces if isinstance(force, pl.TorsionSpring))
    assert (spring.stiffness, spring.rest_angle) == (7.0, 0.3)
    assert not any(isinstance(force, pl.Gravity) for force in found.model.forces)
    assert first_frequency(found.model) == pytest.approx(sqrt(7.0 / (0.01 + 1.5 * 0.2**2)) / (2 * pi), rel=1e-9)
    assert found.left_out == ("joint a joint: range -1 1",)


@pytest.mark.parametrize(("sequence", "scipy"), [("xyz", "XYZ"), ("zyx", "ZYX"), ("XYZ", "xyz"), ("yxz", "YXZ")])
def test_euler_angles_are_those_of_scipy(read, sequence, scipy):
    head = f'<compiler eulerseq="{sequence}"/>'
    inertial = '<inertial pos="0 0 0" mass="1" diaginertia="0.1 0.2 0.25"/>'
    found = read(f'<body name="a" euler="20 -35 50"><freejoint/>{inertial}</body>', head)
    turn = rotations.matrix(rotations.exponential(found.model.part("a").orientation))
    np.testing.assert_allclose(turn, Rotation.from_euler(scipy, [20, -35, 50], degrees=True).as_matrix(), atol=1e-12)


def test_the_same_robot_as_urdf_moves_alike(read, tmp_path):
    link = '<inertial><origin xyz="{c}"/><mass value="{m}"/><inertia ixx="0.02" iyy="0.03" izz="0.01"{o}/></inertial>'
    none = ' ixy="0" ixz="0" iyz="0"'
    urdf = tmp_path / "r.urdf"
    urdf.write_text(
        f'<robot name="r"><link name="base"/><link name="one">{link.format(c="0 0 -0.3", m=2, o=none)}</link>'
        f'<link name="two">{link.format(c="0 0.1 -0.2", m=1, o=none)}</link>'
        '<joint name="j1" type="continuous"><parent link="base"/><child link="one"/><axis xyz="0 1 0"/></joint>'
        '<joint name="j2" type="continuous"><parent link="one"/><child link="two"/><origin xyz="0 0 -0.6"/>'
        '<axis xyz="1 0 0"/></joint></robot>',
        encoding="utf-8",
    )
    own = '<inertial pos="{c}" mass="{m}" diaginertia="0.02 0.03 0.01"/>'
    two = f'<body name="two" pos="0 0 -0.6"><joint axis="1 0 0"/>{own.format(c="0 0.1 -0.2", m=1)}</body>'
    mjcf = read(f'<body name="one"><joint axis="0 1 0"/>{own.format(c="0 0 -0.3", m=2)}{two}</body>').model
    found = []
    for model in (mjcf, pl.load_urdf(urdf).model):
        system = pl.compile(model)
        found.append(pl.modal(system, at=pl.statics(system), modes=2).frequency_hz.values)
    np.testing.assert_allclose(*found, rtol=1e-9)


def test_hinges_at_one_place_are_cardan_joints_and_balls(read):
    geom = '<geom type="sphere" size="0.1" pos="0 0 -0.5"/>'
    two = '<joint axis="1 0 0" name="x"/><joint axis="0 1 0" name="y" damping="2"/>'
    found = read(f'<body name="a">{two}{geom}</body>')
    (joint,) = found.model.joints
    assert isinstance(joint, pl.Universal)
    assert "joint y: damping 2" in found.left_out
    ball = sqrt(9.81 * 0.5 / (0.4 * 0.1**2 + 0.25)) / (2 * pi)
    assert first_frequency(found.model) == pytest.approx(ball, rel=1e-9)
    found = read(f'<body name="a">{two}<joint axis="0 0 1"/>{geom}</body>')
    assert isinstance(found.model.joints[0], pl.Spherical)


def test_what_is_not_taken_is_named(read):
    inside = '<joint type="slide" axis="0 0 1" armature="0.1" stiffness="5"/><geom type="mesh" mesh="m"/><site/><site/>'
    weight = '<geom type="sphere" size="0.1" mass="2"/>'
    found = read(f'<body name="a">{inside}{weight}</body>', "<actuator/><asset/>")
    assert set(found.left_out) == {
        "actuator: 1 element",
        "asset: 1 element",
        "body a: geom of type mesh",
        "body a: site (2)",
        "joint a joint: armature 0.1",
        "joint a joint: stiffness 5 (of a slide)",
    }
    assert "Not taken:" in str(found)


@pytest.mark.parametrize(
    ("body", "head", "message"),
    [
        ("", "", "nothing moves: <worldbody> has no <body>"),
        ('<body name="a"/><body name="a"/>', "", "body 'a' occurs twice"),
        ('<body name="a" pos="1 2"/>', "", "body 'a': pos='1 2' must be three numbers"),
        ('<body name="a" quat="1 0 0 0" euler="0 0 0"/>', "", "turned by quat and euler; give one of them"),
        (
            '<body name="a"><joint type="gear"/></body>',
            "",
            "a joint of type 'gear'; known are hinge, slide",
        ),
        ('<body name="a"><joint axis="0 0 0"/></body>', "", r"its axis is \(0, 0, 0\); give a direction"),
        ('<body name="a"><joint/><joint/></body>', "", r"body 'a' has 2 joints \(hinge, hinge\)"),
        ('<body name="a"><joint class="soft"/></body>', "", "of class 'soft', which <default> does not have"),
        ("", '<include file="/etc/passwd"/>', "<include> is not read: no other file is opened"),
        ('<body name="a"><inertial pos="0 0 0"/></body>', "", "body 'a' lacks mass"),
        ('<body name="a"><inertial mass="nan"/></body>', "", "mass='nan' must be a number of at most"),
    ],
)
def test_what_is_wrong_is_named(read, body, head, message):
    with pytest.raises(FileError, match=message):
        read(body, head)
