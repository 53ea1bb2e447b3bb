"""Words of MJCF and SDF files that changed masses, axes, springs or weight, and were silently ignored."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import pliant as pl
from pliant.errors import FileError

ARM = (
    '<body name="arm"><joint name="pin" axis="0 1 0" {joint}/>'
    '<geom type="sphere" size="0.1" pos="0 0 -1" mass="3"/>{more}</body>'
)


def mjcf(tmp_path: Path, joint: str = "", more: str = "", head: str = ""):
    path = tmp_path / "robot.xml"
    path.write_text(f"<mujoco>{head}<worldbody>{ARM.format(joint=joint, more=more)}</worldbody></mujoco>")
    return pl.load_mjcf(path)


def sdf(tmp_path: Path, version: str, *, link: str = "", model: str = "", axis: str = ""):
    inertial = "<inertial{auto}><mass>2</mass><pose>0 0 -0.5 0 0 0</pose></inertial>"
    path = tmp_path / "robot.sdf"
    path.write_text(
        f"<sdf version='{version}'><model name='m'>{model}<link name='arm'><pose>0 0 0 0 0 1.5707963267948966</pose>"
        f"{link or inertial.format(auto='')}</link><joint name='pin' type='revolute'><parent>world</parent>"
        f"<child>arm</child><axis><xyz>0 1 0</xyz>{axis}</axis></joint></model></sdf>"
    )
    return pl.load_sdf(path)


def test_a_total_mass_scales_all_bodies(tmp_path: Path) -> None:
    """The masses follow half_cheetah.xml; they came from the shapes."""
    body = mjcf(tmp_path, head='<compiler settotalmass="12"/>').model.bodies[-1]
    alone = mjcf(tmp_path).model.bodies[-1]
    assert body.mass == pytest.approx(12.0)
    np.testing.assert_allclose(body.inertia, 4.0 * np.array(alone.inertia))


def test_shapes_of_other_groups_have_no_mass(tmp_path: Path) -> None:
    shown = '<geom type="sphere" size="0.1" mass="5" group="2"/>'
    assert mjcf(tmp_path, more=shown).model.bodies[-1].mass == pytest.approx(8.0)
    ranged = mjcf(tmp_path, more=shown, head='<compiler inertiagrouprange="0 1"/>').model
    assert ranged.bodies[-1].mass == pytest.approx(3.0)


def test_a_spring_rests_at_its_angle_less_that_of_the_file(tmp_path: Path) -> None:
    """A file shows joints at `ref`: k (q - springref) with q = ref + phi."""
    spring = mjcf(tmp_path, 'stiffness="2" springref="50" ref="20"').model.part("pin spring")
    assert spring.rest_angle == pytest.approx(30.0 * pl.DEG)


def test_gravity_that_is_switched_off(tmp_path: Path) -> None:
    model = mjcf(tmp_path, head='<option><flag gravity="disable"/></option>').model
    assert not any(isinstance(force, pl.Gravity) for force in model.forces)


def test_what_changes_the_motion_is_named(tmp_path: Path) -> None:
    told = str(
        mjcf(
            tmp_path,
            'springdamper="0.1 1"',
            '<plugin plugin="x"/>',
            '<compiler boundmass="2"/><option density="1000" viscosity="0" wind="0 1 0"/>',
        )
    )
    for word in ("springdamper 0.1 1", "plugin", "boundmass 2", "density 1000", "wind 0 1 0"):
        assert word in told
    assert "viscosity" not in told
    with pytest.raises(FileError, match="global coordinates"):
        mjcf(tmp_path, head='<compiler coordinate="global"/>')


@pytest.mark.parametrize(
    ("version", "flag", "axis"),
    [
        ("1.4", "", (0, 1, 0)),  # of the model
        ("1.4", "<use_parent_model_frame>0</use_parent_model_frame>", (-1, 0, 0)),
        ("1.5", "", (-1, 0, 0)),  # of the joint, which is turned by a quarter about z
        ("1.10", "", (-1, 0, 0)),
        ("1.6", "<use_parent_model_frame>1</use_parent_model_frame>", (0, 1, 0)),
    ],
)
def test_axes_are_in_the_frame_that_the_version_means(tmp_path: Path, version: str, flag: str, axis) -> None:
    model = sdf(tmp_path, version, axis=flag).model
    run = pl.transient(pl.compile(model), end_time=0.01, step=0.01, push={"arm": tuple(np.array(_own(axis)) * 1.0)})
    np.testing.assert_allclose(run.angular_velocity.sel(body="arm")[0], axis, atol=1e-9)


def _own(axis) -> tuple[float, float, float]:
    """Return a direction of the world in the axes of the arm."""
    x, y, z = axis
    return y, -x, z


def test_what_sdf_says_of_weight_and_rest_is_heard(tmp_path: Path) -> None:
    link = "<gravity>0</gravity><inertial><mass>2</mass></inertial>"
    assert "link arm: gravity, switched off" in sdf(tmp_path, "1.9", link=link).left_out
    assert not sdf(tmp_path, "1.9", model="<static>true</static>").model.bodies
    with pytest.raises(FileError, match="auto"):
        sdf(tmp_path, "1.11", link="<inertial auto='true'/>")


def test_what_a_ball_joint_of_sdf_leaves_out_is_named(tmp_path: Path) -> None:
    path = tmp_path / "ball.sdf"
    laws = "<dynamics><damping>0.2</damping><spring_stiffness>3</spring_stiffness></dynamics>"
    path.write_text(
        "<sdf version='1.9'><model name='m'><link name='arm'/><joint name='hip' type='ball'><parent>world</parent>"
        f"<child>arm</child><axis><xyz>0 0 1</xyz>{laws}</axis></joint></model></sdf>"
    )
    told = ("joint hip: damping 0.2 (of a spherical joint)", "joint hip: stiffness 3 (of a spherical joint)")
    assert set(told) <= set(pl.load_sdf(path).left_out)


def test_frames_of_old_poses_are_refused(tmp_path: Path) -> None:
    """Old poses were passed over, so that a link could be elsewhere."""
    with pytest.raises(FileError, match=r"arm.*frame='base'.*relative_to="):
        sdf(tmp_path, "1.6", link="<inertial><pose frame='base'>0 0 1 0 0 0</pose><mass>1</mass></inertial>")
    sdf(tmp_path, "1.6", link="<inertial><pose frame=''>0 0 0 0 0 0</pose><mass>1</mass></inertial>")


def test_sections_of_mjcf_that_are_repeated_are_one(tmp_path: Path) -> None:
    """The first <option>, <compiler> and the last <default> counted alone: weight, angles and dampers were wrong."""
    head = (
        '<compiler angle="degree"/><compiler angle="radian"/><option gravity="0 0 -9.81"/>'
        '<option gravity="0 3 -2"><flag contact="disable"/></option>'
        '<default><joint stiffness="4"/></default><default><joint damping="0.5"/></default>'
    )
    model = mjcf(tmp_path, 'springref="0.3"', head=head).model
    (spring,) = (part for part in model if isinstance(part, pl.TorsionSpring))
    assert (spring.stiffness, spring.damping, spring.rest_angle) == (4.0, 0.5, 0.3)
    (weight,) = (part for part in model if isinstance(part, pl.Gravity))
    assert [each.value for each in (weight.x, weight.y, weight.z)] == [0.0, 3.0, -2.0]


@pytest.mark.parametrize(("off", "stays"), [("spring", (0.0, 0.5)), ("damper", (4.0, 0.0))])
def test_springs_and_dampers_that_are_switched_off(tmp_path: Path, off: str, stays: tuple[float, float]) -> None:
    head = f'<option><flag {off}="disable"/></option>'
    model = mjcf(tmp_path, 'stiffness="4" damping="0.5"', head=head).model
    (spring,) = (part for part in model if isinstance(part, pl.TorsionSpring))
    assert (spring.stiffness, spring.damping) == stays


def test_shapes_whose_volume_is_not_that_of_their_size_are_named(tmp_path: Path) -> None:
    """Hollow, or fitted to a mesh, they were as heavy and inert as solid ones."""
    more = '<geom type="box" size="1 1 1" shellinertia="true"/><geom type="box" size="1 1 1" mesh="cup" mass="2"/>'
    found = mjcf(tmp_path, more=more)
    assert {"body arm: geom of type box, shellinertia", "body arm: geom of type box, mesh, mass 2"} == {*found.left_out}
    assert found.model.part("arm").mass == 3.0


def test_a_base_that_floats_falls_with_all_that_hangs_on_it(tmp_path: Path) -> None:
    """A floating base could not be compiled, and dampers of its joint were silently lost. The centre of mass falls by
    g t^2 / 2.
    """
    path = tmp_path / "flies.xml"
    path.write_text(
        '<mujoco><default><joint damping="0.5"/></default><worldbody><body name="base"><joint type="free" name="air"/>'
        '<geom type="sphere" size="0.1" mass="2"/><body name="arm" pos="0.1 0 0"><joint axis="0 1 0"/>'
        '<geom type="sphere" size="0.1" pos="0.5 0 0" mass="1"/></body></body></worldbody></mujoco>'
    )
    found = pl.load_mjcf(path)
    assert "joint air: damping 0.5" in found.left_out
    run = pl.transient(pl.compile(found.model), end_time=0.3, accuracy=1e-8, times=[0.0, 0.3], push={"arm": (0, 1, 0)})
    assert run.outcome.ok
    masses = {"base": 2.0, "arm": 1.0}
    fallen = sum(m * np.ptp(run.position.sel(marker=name, axis="z").values) for name, m in masses.items()) / 3.0
    np.testing.assert_allclose(fallen, 0.5 * 9.81 * 0.3**2, atol=1e-7)
