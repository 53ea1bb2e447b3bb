"""SDF in, URDF and MJCF out and in again, links that become beams: the same motion, and a message on omissions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import pliant as pl
from pliant.errors import FileError, ModelError, NotWritten
from pliant_gallery import four_bar

PIN = "<parent>world</parent><child>arm</child>"
ARM = (
    "<link name='arm'><pose>0.2 0 0 0 0 0.3</pose><inertial><pose>0 0 -0.5 0 0 0</pose><mass>2</mass><inertia>"
    "<ixx>0.1</ixx><iyy>0.1</iyy><izz>0.01</izz></inertia></inertial><visual name='v'/></link>"
)


def frequencies(model: pl.Model, modes: int = 2) -> np.ndarray:
    system = pl.compile(model)
    found: np.ndarray = pl.modal(system, at=pl.statics(system), modes=modes).frequency_hz.values
    return found


def hanging() -> pl.Model:
    """Build two bodies in space with products of inertia, on slanting pins, hanging at rest."""
    m = pl.Model("hanging", plane=None)
    inertia = ((0.1, 0.01, 0.0), (0.01, 0.12, 0.02), (0.0, 0.02, 0.05))
    ground, upper = m.add(pl.Ground(), pl.Body("upper", mass=2.0, inertia=inertia))
    lower = m.add(pl.Link("lower", length=0.4, mass=1.0, inertia=(0.01, 0.02, 0.02)))
    down = pl.rotation(y=90 * pl.DEG)
    m.add(pl.Revolute(ground.at(0, 0, 0), upper.at(0, 0, 0.3), axis="y", name="shoulder"))
    m.add(pl.Revolute(upper.at(0, 0, -0.3, orientation=down), lower.at(s=0), axis=(0.0, 1.0, 0.2), name="elbow"))
    m.add(pl.PointMass("load", lower.at(s=1), mass=0.5, inertia=0.01), pl.Gravity())
    return m


@pytest.mark.parametrize("suffix", [".urdf", ".xml"])
@pytest.mark.filterwarnings("ignore::pliant.errors.OtherBranch")
def test_what_is_written_moves_as_before(suffix: str, tmp_path: Path) -> None:
    model = hanging()
    if suffix == ".urdf":
        with pytest.warns(NotWritten, match="Gravity"):
            path = pl.export(model, tmp_path / f"robot{suffix}")
    else:
        path = pl.export(model, tmp_path / f"robot{suffix}")
    found = pl.load_urdf(path) if suffix == ".urdf" else pl.load_mjcf(path)
    assert sum(body.mass for body in found.model.bodies) == pytest.approx(3.5)
    assert frequencies(found.model) == pytest.approx(frequencies(model), rel=1e-9)


def test_loops_and_flexibility_are_left_out_by_name(tmp_path: Path) -> None:
    with pytest.warns(NotWritten, match=r'Beam "coupler": its flexibility; joint .* it closes a loop'):
        path = pl.export(four_bar.model(coupler="flexible"), tmp_path / "loop.urdf")
    found = pl.load_urdf(path).model
    beam = four_bar.model(coupler="flexible").part("coupler")
    assert found.part("coupler").mass == pytest.approx(beam.mass)
    across = beam.mass * beam.length**2 / 12.0 + beam.length * beam.section_at(0.5).rotary_inertia_y  # the wide side
    assert max(np.linalg.eigvalsh(found.part("coupler").inertia_matrix)) == pytest.approx(across, rel=1e-6)


def test_a_slide_a_ball_and_what_flies(tmp_path: Path) -> None:
    m = pl.Model("mixed", plane=None)
    ground, cart, ball = m.add(
        pl.Ground(), pl.Body("cart", mass=1.0, inertia=0.1, position=(0, 0, 0)), pl.Body("ball", mass=2.0, inertia=0.2)
    )
    m.add(pl.Body("bird", mass=3.0, inertia=0.3, position=(1.0, 2.0, 3.0), free=True))
    m.add(pl.Prismatic(ground.at(0, 0, 0), cart.at(), axis="z", name="lift"))
    m.add(pl.Spherical(cart.at(), ball.at(0, 0, 0.5), name="socket"))
    found = pl.load_mjcf(pl.export(m, tmp_path / "mixed.xml")).model
    assert type(found.part("lift")).__name__ == "Prismatic"
    assert type(found.part("socket")).__name__ == "Spherical"
    assert found.part("bird").position == pytest.approx((1.0, 2.0, 3.0))
    with pytest.warns(NotWritten, match="socket: a Spherical"):
        pl.export(m, tmp_path / "mixed.urdf")


def sdf(path: Path, joint: str, link: str = ARM, head: str = "") -> Path:
    path.write_text(
        f"<sdf version='1.9'><world name='w'><gravity>0 0 -9.81</gravity><model name='m'>{head}{link}{joint}</model>"
        "</world></sdf>",
        encoding="utf-8",
    )
    return path


def test_sdf_swings_as_theory_says(tmp_path: Path) -> None:
    axis = "<axis><xyz>0 1 0</xyz><limit><lower>-1</lower></limit><dynamics><damping>0</damping></dynamics></axis>"
    joint = f"<joint name='pin' type='revolute'>{PIN}{axis}</joint>"
    found = pl.load_sdf(sdf(tmp_path / "a.sdf", joint, head="<pose>0 0 1 0 0 0.4</pose>"))
    exact = np.sqrt(2.0 * 9.81 * 0.5 / (0.1 + 2.0 * 0.25)) / (2.0 * np.pi)
    assert frequencies(found.model, 1) == pytest.approx([exact], rel=1e-9)
    assert found.left_out == ("link arm: visual", "joint pin: limit")
    assert found.model.joints[0].a.point == pytest.approx(
        [0.2 * np.cos(0.4), 0.2 * np.sin(0.4), 1.0]
    )  # the pose of the model


def test_sdf_poses_relative_to_others(tmp_path: Path) -> None:
    second = "<link name='tool'><pose relative_to='arm'>0 0 -1 0 0 0</pose></link>"
    weld = (
        "<joint name='weld' type='fixed'><parent>arm</parent><child>tool</child></joint>"
        f"<joint name='pin' type='revolute'>{PIN}<axis><xyz expressed_in='__model__'>0 1 0</xyz></axis></joint>"
    )
    found = pl.load_sdf(sdf(tmp_path / "a.sdf", weld, ARM + second)).model
    assert [body.mass for body in found.bodies] == [3.0]  # one body of both links
    along = found.joints[0]
    axis = np.array(along.axis)
    world = np.array([np.cos(0.3) * axis[0] - np.sin(0.3) * axis[1], np.sin(0.3) * axis[0] + np.cos(0.3) * axis[1]])
    assert world == pytest.approx([0.0, 1.0], abs=1e-12)


@pytest.mark.parametrize(
    ("joint", "why"),
    [
        (f"<joint name='j' type='screw'>{PIN}</joint>", "type 'screw'"),
        ("<joint name='j' type='fixed'><child>arm</child></joint>", "no parent"),
        (f"<joint name='j' type='revolute'>{PIN}<axis><xyz>0 0</xyz></axis></joint>", "three numbers"),
        (f"<joint name='j' type='revolute'>{PIN}<axis><xyz>0 0 0</xyz></axis></joint>", "give a direction"),
        (f"<joint name='j' type='fixed'>{PIN}<pose relative_to='arms'>0 0 0 0 0 0</pose></joint>", "Did you mean arm"),
        ("<joint name='j' type='fixed'><parent>arm</parent><child>leg</child></joint>", "leg"),
        ("<include><uri>model://other</uri></include>", "no other file is opened"),
    ],
)
def test_sdf_that_is_wrong_is_refused(joint: str, why: str, tmp_path: Path) -> None:
    with pytest.raises(FileError, match=why):
        pl.load_sdf(sdf(tmp_path / "a.sdf", joint))


def test_a_stiff_beam_in_place_of_a_link_moves_like_it() -> None:
    m = pl.Model("pendulum")
    ground, arm, tip = m.add(
        pl.Ground(), pl.Link("arm", length=0.5, mass=1.0, angle=-1.2), pl.Body("tip", mass=0.3, inertia=1e-3)
    )
    m.add(pl.Revolute(ground.at(0, 0), arm.at(s=0)), pl.Weld(arm.at(s=1, y=0.02), tip.at(), angle=0.3), pl.Gravity())
    section = pl.Section(1e7, 1e7, 1e4, 2.0, 1e-6)  # 1 kg in all, very stiff
    soft = pl.with_beams(m, {"arm": section})
    assert soft.part("arm").angle == -1.2
    exact = frequencies(m, 1)
    assert pl.modal(pl.compile(soft), at=pl.statics(pl.compile(soft)), modes=1).frequency_hz.values == pytest.approx(
        exact, rel=1e-3
    )


def test_a_body_becomes_a_beam_between_its_joints() -> None:
    soft = pl.with_beams(hanging(), {"upper": pl.Section.circle(0.01, pl.STEEL)})
    assert soft.part("upper").length == pytest.approx(0.6)
    assert {soft.part("shoulder").b.label, soft.part("elbow").a.label} == {"upper/base", "upper/tip"}
    with pytest.raises(ModelError, match="Did you mean upper"):
        pl.with_beams(hanging(), {"uper": pl.Section.circle(0.01, pl.STEEL)})
    with pytest.raises(ModelError, match="no two joints"):
        pl.with_beams(_one(), {"disk": pl.Section.circle(0.01, pl.STEEL)})


def _one() -> pl.Model:
    m = pl.Model("one")
    ground, disk = m.add(pl.Ground(), pl.Body("disk", mass=1.0, inertia=0.1))
    m.add(pl.Revolute(ground.at(0, 0), disk.at()))
    return m
