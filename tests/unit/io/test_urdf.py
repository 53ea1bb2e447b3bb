"""URDF: what comes in moves as theory says, and what does not come in is named."""

from __future__ import annotations

from math import pi, sqrt
from pathlib import Path

import numpy as np
import pytest
from scipy.linalg import eigh

import pliant as pl

PENDULUM = """<robot name="pendulum">
  <link name="base"/>
  <link name="arm"><inertial><origin xyz="0 0 -0.5"/><mass value="2"/>
    <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.01"/></inertial></link>
  <joint name="hinge" type="continuous"><parent link="base"/><child link="arm"/>
    <origin xyz="1 2 3" rpy="0 0 0.7"/><axis xyz="0 2 0"/>{more}</joint>
</robot>"""

DOUBLE = """<?xml version="1.0"?>
<robot name="double pendulum">
  <material name="grey"/>
  <link name="world"/>
  <link name="upper">
    <inertial><origin xyz="0 0 -0.5"/><mass value="2"/>
      <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.01"/></inertial>
    <visual><geometry><mesh filename="package://../../etc/passwd"/></geometry></visual>
    <collision><geometry><box size="1 1 1"/></geometry></collision>
  </link>
  <link name="lower"><inertial><origin xyz="0 0 -0.25" rpy="1.5707963267948966 0 0"/><mass value="1"/>
    <inertia ixx="0.05" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.05"/></inertial></link>
  <link name="tool"><inertial><mass value="0.5"/></inertial></link>
  <link name="camera"/>
  <joint name="shoulder" type="revolute"><parent link="world"/><child link="upper"/><origin xyz="0 0 2"/>
    <axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="10" velocity="3"/><dynamics friction="0.2"/></joint>
  <joint name="elbow" type="continuous"><parent link="upper"/><child link="lower"/><origin xyz="0 0 -1"/>
    <axis xyz="0 1 0"/><mimic joint="shoulder"/></joint>
  <joint name="flange" type="fixed"><parent link="lower"/><child link="tool"/><origin xyz="0 0 -0.5"/></joint>
  <joint name="pan" type="continuous"><parent link="tool"/><child link="camera"/></joint>
  <transmission name="t1"/><transmission name="t2"/>
</robot>"""


@pytest.fixture
def load(tmp_path: Path):
    def call(text: str, **options: float):
        path = tmp_path / "robot.urdf"
        path.write_text(text)
        return pl.load_urdf(path, **options)

    return call


def test_pendulum_swings_as_theory_says(load) -> None:
    """omega^2 = m g c / (I + m c^2) = 2 * 9.81 * 0.5 / (0.1 + 0.5), about a pin that is turned and moved."""
    system = pl.compile(load(PENDULUM.format(more="")).model)
    modes = pl.modal(system, modes=1)
    assert float(modes.frequency_hz[0]) == pytest.approx(sqrt(9.81 / 0.6) / (2.0 * pi), rel=1e-10)
    place = modes.position.sel(marker="arm/arm").values
    np.testing.assert_allclose(place, [1.0, 2.0, 3.0], atol=1e-12)


def test_damping_of_a_pin_is_taken(load) -> None:
    """zeta = c / (2 omega J), J = I + m c^2 = 0.6."""
    found = load(PENDULUM.format(more='<dynamics damping="0.12"/>'))
    modes = pl.modal(pl.compile(found.model), modes=1, damped=True)
    assert float(modes.damping_ratio[0]) == pytest.approx(0.12 / (2.0 * sqrt(9.81 / 0.6) * 0.6), rel=1e-8)
    assert found.left_out == ()


def test_double_pendulum_with_a_fixed_tool(load) -> None:
    """Small swings of two links, M x'' + K x = 0 of a textbook; the tool is part of the lower link."""
    found = load(DOUBLE)
    lower = found.model.part("lower")
    assert lower.mass == 1.5
    centre = (0.25 + 0.5 * 0.5) / 1.5
    inertia = 0.05 + (centre - 0.25) ** 2 + 0.5 * (0.5 - centre) ** 2
    np.testing.assert_allclose(lower.inertia_matrix[1, 1], inertia, rtol=1e-12)
    mass = [[0.1 + 0.5 + 1.5, 1.5 * centre], [1.5 * centre, inertia + 1.5 * centre**2]]
    stiffness = 9.81 * np.diag([1.0 + 1.5, 1.5 * centre])
    expected = np.sqrt(eigh(stiffness, mass, eigvals_only=True)) / (2.0 * pi)
    modes = pl.modal(pl.compile(found.model), modes=2)
    np.testing.assert_allclose(modes.frequency_hz.values, expected, rtol=1e-9)
    tool = modes.position.sel(marker="lower/tool").values
    np.testing.assert_allclose(tool, [0.0, 0.0, 0.5], atol=1e-12)


def test_report_names_what_was_not_taken(load) -> None:
    found = load(DOUBLE)
    assert set(found.left_out) == {
        "link upper: visual (mesh 'package://../../etc/passwd' is not beside the file; others are not opened)",
        "link upper: collision",
        "joint shoulder: limit (lower -1, upper 1, effort 10, velocity 3)",
        "joint shoulder: friction 0.2",
        "joint elbow: mimic",
        "joint pan: its freedom (nothing on it has mass)",
        "material: 1 element",
        "transmission: 2 elements",
    }
    assert "joint elbow: mimic" in str(found)


def test_slide_falls_freely(load) -> None:
    """A prismatic joint along z under gravity: z = -g t^2 / 2; round numbers."""
    text = PENDULUM.format(more="").replace("continuous", "prismatic").replace('xyz="0 2 0"', 'xyz="0 0 -3"')
    run = pl.transient(pl.compile(load(text, gravity=10.0).model), end_time=0.2, step=1e-2)
    assert float(run.position.sel(marker="arm/arm", axis="z")[-1]) == pytest.approx(3.0 - 0.2, abs=1e-9)


def test_imported_model_is_saved_and_loaded(load, tmp_path: Path) -> None:
    model = load(DOUBLE).model
    pl.export(model, tmp_path / "robot.toml")
    again = pl.Model.load(tmp_path / "robot.toml")
    modes = [pl.modal(pl.compile(each), modes=2).frequency_hz.values for each in (model, again)]
    np.testing.assert_allclose(modes[0], modes[1], rtol=1e-12)


def test_without_gravity(load) -> None:
    assert load(PENDULUM.format(more=""), gravity=0.0).model.forces == []


def test_names_that_a_model_cannot_hold_are_changed_and_told(tmp_path: Path) -> None:
    """Joints may be called as links, links as pliant's ground, and names may begin with anything."""
    path = tmp_path / "a.urdf"
    for name, joint, called in (("ground", "hinge", "link ground"), ("=a()", "hinge", "link _a__"), ("j", "j", "j")):
        text = PENDULUM.format(more="").replace('"arm"', f'"{name}"').replace('"hinge"', f'"{joint}"')
        path.write_text(text)
        found = pl.load_urdf(path)
        assert [body.name for body in found.model.bodies] == [called]
        assert any("called" in line for line in found.left_out)


def test_turned_inertias_and_nested_frames_against_rotations_of_scipy(tmp_path: Path) -> None:
    """A link turned by rpy, with an inertia turned by rpy: a swing about a skew axis by the parallel-axis theorem."""
    from scipy.spatial.transform import Rotation

    inertia = np.array([[0.1, 0.01, -0.02], [0.01, 0.12, 0.005], [-0.02, 0.005, 0.05]])
    centre, mass, axis = np.array([0.1, 0.02, -0.3]), 2.0, np.array([0.0, 0.6, 0.8])
    path = tmp_path / "a.urdf"
    path.write_text(
        """<robot name="r"><link name="base"/><link name="arm"><inertial>
        <origin xyz="0.1 0.02 -0.3" rpy="0.3 -0.7 1.1"/><mass value="2"/>
        <inertia ixx="0.1" ixy="0.01" ixz="-0.02" iyy="0.12" iyz="0.005" izz="0.05"/></inertial></link>
        <joint name="j" type="revolute"><origin xyz="0.1 0.2 0.3" rpy="0.5 0.2 -0.4"/><parent link="base"/>
        <child link="arm"/><axis xyz="0 3 4"/></joint></robot>"""
    )
    own = Rotation.from_euler("xyz", [0.3, -0.7, 1.1]).as_matrix()
    link = Rotation.from_euler("xyz", [0.5, 0.2, -0.4]).as_matrix()
    across = centre - axis * (axis @ centre)
    about = axis @ own @ inertia @ own.T @ axis + mass * across @ across
    torque = -9.81 * mass * np.array([0.0, 0.0, 1.0]) @ np.cross(link @ axis, link @ centre)
    time = 1e-3
    run = pl.transient(pl.compile(pl.load_urdf(path).model), end_time=time, step=1e-4)
    turn = run.angular_velocity.sel(body="arm").values[-1]
    assert float(turn @ (link @ axis)) == pytest.approx(torque / about * time, rel=1e-4)
