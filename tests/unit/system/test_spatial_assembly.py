"""Assembly in space: mechanisms whose closed pose is known, and what cannot be closed."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import pliant as pl
from pliant.errors import AssemblyError, FarFromGuess, PliantWarning
from pliant.model import rotations
from pliant.system.assembly.assembly import Assembly, JointLoops, assemble, measure, refuse
from pliant.system.assembly.spatial_frames import SpatialFrames

ROUND = pl.Section.circle(0.001, pl.STEEL)


def point(found: Assembly, marker: pl.Marker) -> np.ndarray:
    x, p = found.pose[marker.body]
    return x + rotations.rotate(p, marker.point)


def turn(found: Assembly, marker: pl.Marker) -> Rotation:
    p = rotations.product(found.pose[marker.body][1], marker.turn)
    return Rotation.from_quat(np.roll(p, -1))


def four_bar(angle: float) -> pl.Model:
    m = pl.Model("four-bar")
    ground, crank = m.add(pl.Ground(), pl.Link("crank", length=0.1, mass=0.2, angle=angle))
    coupler, rocker = m.add(
        pl.Link("coupler", length=0.3, mass=0.2), pl.Link("rocker", length=0.25, mass=0.3, angle=1.2)
    )
    m.add(pl.Revolute(ground.at(0, 0), crank.at(s=0)), pl.Revolute(crank.at(s=1), coupler.at(s=0)))
    m.add(pl.Revolute(coupler.at(s=1), rocker.at(s=1)), pl.Revolute(rocker.at(s=0), ground.at(0.3, 0)))
    return m


@settings(derandomize=True, max_examples=15, deadline=None)
@given(st.floats(0.0, 2.0 * math.pi))
def test_promoted_four_bar_closes_as_in_the_plane(angle: float) -> None:
    flat = assemble(four_bar(angle), 0.3)
    found = assemble(four_bar(angle).promoted(), 0.3)
    assert found.gap == 0.0
    expected = {body.name: pose for body, pose in flat.pose.items()}
    for body, (x, p) in found.pose.items():
        assert x == pytest.approx([*expected[body.name][:2], 0.0], abs=1e-11)
        about = rotations.exponential([0.0, 0.0, expected[body.name][2]])
        assert rotations.matrix(p) == pytest.approx(rotations.matrix(about), abs=1e-11)


def test_a_guess_is_kept_and_a_drive_obeyed() -> None:
    m = pl.Model("m", plane=None)
    hinge = pl.rotation(y=0.4, x=-0.7)
    ground, arm = m.add(pl.Ground(), pl.Link("arm", length=0.5, mass=1.0))
    a, b = ground.at(0.1, 0.2, 0.3, orientation=hinge), arm.at(s=0, orientation=pl.rotation(x=0.3))
    m.add(pl.Revolute(a, b), pl.Motion(a, b, angle=0.6))
    found = assemble(m, 0.5)
    assert point(found, b) == pytest.approx([0.1, 0.2, 0.3])
    expected = Rotation.from_rotvec(hinge) * Rotation.from_rotvec([0.0, 0.0, 0.6])
    assert turn(found, b).as_matrix() == pytest.approx(expected.as_matrix(), abs=1e-12)


@pytest.mark.parametrize("axis", ["x", "y", "z", (1.0, 2.0, -1.0)])
def test_an_unguessed_pin_keeps_its_axis(axis) -> None:
    m = pl.Model("m", plane=None)
    ground, body = m.add(pl.Ground(), pl.Body("body", mass=1.0, inertia=1.0))
    a, b = ground.at(0, 0, 0, orientation=(0.5, 0.1, -0.9)), body.at(0.1, 0.2, 0.3, orientation=(0.1, -0.7, 0.2))
    m.add(pl.Revolute(a, b, axis=axis))
    found = assemble(m, 1.0)
    direction = rotations.unit("", "", axis)
    assert found.gap == 0.0
    assert point(found, b) == pytest.approx([0.0, 0.0, 0.0], abs=1e-12)
    assert turn(found, b).apply(direction) == pytest.approx(Rotation.from_rotvec([0.5, 0.1, -0.9]).apply(direction))


def test_universal_joint_keeps_its_arms_across() -> None:
    m = pl.Model("m", plane=None)
    ground, body = m.add(pl.Ground(), pl.Body("body", mass=1.0, inertia=1.0))
    b = body.at(orientation=(0.3, 0.2, 0.9))
    m.add(pl.Universal(ground.at(0, 0, 0), b))
    found = assemble(m, 1.0)
    assert found.gap == 0.0
    assert turn(found, b).apply([0.0, 1.0, 0.0])[0] == pytest.approx(0.0, abs=1e-12)


def test_crank_and_rocker_in_different_planes_joined_by_a_rod_with_balls() -> None:
    m = pl.Model("RSSR", plane=None)
    ground, crank = m.add(pl.Ground(), pl.Link("crank", length=0.1, mass=1.0))
    rod, rocker = m.add(pl.Link("rod", length=0.4, mass=1.0), pl.Link("rocker", length=0.3, mass=1.0))
    a = ground.at(0, 0, 0)
    m.add(
        pl.Revolute(a, crank.at(s=0)), pl.Motion(a, crank.at(s=0), angle=0.7), pl.Spherical(crank.at(s=1), rod.at(s=0))
    )
    m.add(pl.Spherical(rod.at(s=1), rocker.at(s=1)), pl.Revolute(ground.at(0.3, 0.1, 0), rocker.at(s=0), axis="y"))
    found = assemble(m, 0.4)
    tip, ball = point(found, rod.at(s=0)), point(found, rod.at(s=1))
    assert found.gap == 0.0
    assert tip == pytest.approx([0.1 * math.cos(0.7), 0.1 * math.sin(0.7), 0.0])
    # |tip - ball| = 0.4 with the ball on a circle about (0.3, 0.1, 0) in the plane y = 0.1
    psi = math.atan2(-ball[2], ball[0] - 0.3)
    assert ball == pytest.approx([0.3 + 0.3 * math.cos(psi), 0.1, -0.3 * math.sin(psi)])
    reach = tip - np.array([0.3, 0.1, 0.0])
    cosine = (reach @ reach + 0.3**2 - 0.4**2) / (2 * 0.3)
    assert reach[0] * math.cos(psi) == pytest.approx(cosine)


def test_platform_on_six_rods_is_found_from_their_lengths() -> None:
    rng = np.random.default_rng(1)
    feet = [np.array([math.cos(t), math.sin(t), 0.0]) for t in np.repeat(np.arange(3), 2) * 2.1 + np.tile([0, 0.4], 3)]
    eyes = [0.5 * np.array([math.cos(t), math.sin(t), 0.0]) for t in np.arange(6) * math.pi / 3 - 0.4]
    place_, turned = np.array([0.05, -0.1, 0.9]), Rotation.from_rotvec([0.1, -0.2, 0.15])
    m = pl.Model("hexapod", plane=None)
    guess = tuple(place_ + rng.uniform(-0.05, 0.05, 3))
    ground, platform = m.add(pl.Ground(), pl.Body("platform", mass=1, inertia=1, position=guess, orientation=(0, 0, 0)))
    for foot, eye in zip(feet, eyes, strict=True):
        length = float(np.linalg.norm(place_ + turned.apply(eye) - foot))
        m.add(pl.Distance(ground.at(*foot), platform.at(*eye), length=length))
    found = assemble(m, 1.0)
    assert found.gap == 0.0
    assert found.pose[platform][0] == pytest.approx(place_, abs=1e-10)
    assert rotations.matrix(found.pose[platform][1]) == pytest.approx(turned.as_matrix(), abs=1e-10)


def bennett() -> pl.Model:
    """Build Bennett's four-bar: four pins whose axes are askew, movable only for a / sin(alpha) = b / sin(beta)."""
    a, b, alpha = 0.2, 0.3, 0.5
    beta = math.asin(b / a * math.sin(alpha))
    m = pl.Model("Bennett", plane=None)
    ground = m.add(pl.Ground())
    marker = ground.at(0, 0, 0)
    for k, (size, twist) in enumerate([(a, alpha), (b, beta), (a, alpha)]):
        guess = {"orientation": pl.rotation(z=0.8)} if k == 0 else {}
        bar = m.add(pl.Link(f"bar {k}", length=size, mass=1.0, **guess))
        m.add(pl.Revolute(marker, bar.at(s=0), name=f"pin {k}"))
        marker = bar.at(s=1, orientation=pl.rotation(x=twist))
    m.add(pl.Revolute(marker, ground.at(-b, 0, 0, orientation=pl.rotation(x=-beta)), name="pin 3"))
    return m


def test_a_loop_with_more_conditions_than_freedom_closes() -> None:
    m = bennett()
    found = assemble(m, 0.3)
    assert found.gap == 0.0
    for joint in m.joints[1:3]:
        assert point(found, joint.a) == pytest.approx(point(found, joint.b), abs=1e-11)
        one, other = (turn(found, marker).apply([0, 0, 1.0]) for marker in (joint.a, joint.b))
        assert one == pytest.approx(other, abs=1e-10)  # the same way round, not opposite


def test_what_cannot_close_names_a_joint() -> None:
    m = pl.Model("m", plane=None)
    ground, one, other = m.add(pl.Ground(), *(pl.Link(name, length=0.4, mass=1.0) for name in ("one", "other")))
    m.add(
        pl.Revolute(ground.at(0, 0, 0), one.at(s=0), name="first"),
        pl.Spherical(one.at(s=1), other.at(s=0), name="ball"),
    )
    m.add(pl.Spherical(other.at(s=1), ground.at(0.6, 0.5, 0.5), name="last"))  # 0.93 m away
    found = assemble(m, 1.0)
    assert found.worst == "last"
    assert found.gap == pytest.approx(0.5)  # from (0.8, 0, 0), where the others, as laid, have their end
    with pytest.raises(AssemblyError, match=r"Joint 'last' cannot be closed: .* remain"):
        refuse(found)


def test_beams_are_left_open() -> None:
    m = pl.Model("m", plane=None)
    ground, rod = m.add(pl.Ground(), pl.Beam("rod", length=1.0, section=ROUND))
    m.add(pl.Weld(ground.at(0, 0, 0), rod.at(s=0)), pl.Spherical(rod.at(s=1), ground.at(0.9, 0.1, 0.1)))
    found = assemble(m, 1.0)
    assert found.gap > 0.05
    assert found.worst.startswith(("weld", "spherical"))


def test_curved_beams_are_laid_by_their_shape() -> None:
    m = pl.Model("m", plane=None)
    coil = pl.Beam("coil", length=1.0, section=ROUND, curvature=(2.0, 1.0, 3.0))
    ground, coil, tip = m.add(pl.Ground(), coil, pl.Body("tip", mass=1.0, inertia=1.0))
    m.add(pl.Weld(ground.at(0, 0, 1), coil.at(s=0), orientation=(0.0, -0.5, 0.0)), pl.Weld(coil.at(s=1), tip.at()))
    found = assemble(m, 1.0)
    clamp = Rotation.from_rotvec([0.0, -0.5, 0.0])
    points, turns = coil.rest_pose_in_space([1.0])
    assert found.gap == 0.0
    assert found.pose[tip][0] == pytest.approx([0, 0, 1] + clamp.apply(points[0]))
    expected = clamp.as_matrix() @ rotations.matrix(turns[0])
    assert rotations.matrix(found.pose[tip][1]) == pytest.approx(expected)


def test_parts_that_nothing_ties_are_where_they_were_guessed() -> None:
    m = pl.Model("m", plane=None)
    one, other = m.add(
        pl.Body("one", mass=1, inertia=1), pl.Link("other", length=1, mass=1, position=(1, 2, 3), angle=0.5)
    )
    found = assemble(m, 1.0)
    assert (found.gap, found.worst, found.kept) == (0.0, "", [])
    assert [*found.pose[one][0], *found.pose[one][1]] == [0, 0, 0, 1, 0, 0, 0]
    assert found.pose[other][0].tolist() == [1.0, 2.0, 3.0]
    assert rotations.logarithm(found.pose[other][1]) == pytest.approx([0.0, 0.0, 0.5])


def test_what_is_kept_is_that_of_the_markers() -> None:
    m = pl.Model("m", plane=None)
    ground, body = m.add(
        pl.Ground(), pl.Body("body", mass=1, inertia=1, orientation=(0.2, 0.4, -0.1), position=(0, 0, 0))
    )
    a, b = ground.at(0, 0, 0, orientation=(0.5, 0, 0)), body.at(orientation=(0, 0.3, 0))
    m.add(
        pl.Prismatic(a, b), pl.Distance(ground.at(0, 0, 2), body.at(), name="rod"), pl.Weld(a, b, orientation=(0, 0, 1))
    )
    found = assemble(m, 1.0)
    slide, rod, weld = found.kept
    one, body_turn, other = (Rotation.from_rotvec(v) for v in ([0.5, 0, 0], [0.2, 0.4, -0.1], [0, 0.3, 0]))
    guessed = one.inv() * body_turn * other
    assert rotations.matrix(slide.turn) == pytest.approx(guessed.as_matrix(), abs=1e-14)
    assert rotations.logarithm(weld.turn) == pytest.approx([0.0, 0.0, 1.0], abs=1e-14)
    assert rod.values[0] == pytest.approx(np.linalg.norm(point(found, body.at()) - [0, 0, 2]))


def test_a_clamp_that_closes_a_loop_asks_for_its_direction() -> None:
    m = pl.Model("m", plane=None)
    ground, body = m.add(pl.Ground(), pl.Body("body", mass=1.0, inertia=1.0))
    m.add(pl.Spherical(ground.at(0, 0, 0), body.at()), pl.Spherical(ground.at(0, 0, 0), body.at(), name="again"))
    other = m.add(pl.Body("other", mass=1.0, inertia=1.0, orientation=(0.0, 0.1, 0.0)))
    m.add(pl.Spherical(ground.at(1, 0, 0), other.at()), pl.Weld(body.at(), other.at(1, 0, 0), name="clamp"))
    with pytest.warns(PliantWarning, match='Weld "clamp" closes a loop, and its orientation is not known'):
        assemble(m, 1.0)


def test_derivatives_of_closed_joints() -> None:
    """Derivatives equal differences, where the loops are nearly closed: there they are exact to first order."""
    m = pl.Model("m", plane=None)
    rng = np.random.default_rng(3)
    ground = m.add(pl.Ground())
    kinds = [pl.Spherical, pl.Universal, pl.Perpendicular, pl.Revolute, pl.Prismatic, pl.Cylindrical, pl.Planar]
    kinds += [pl.Weld, pl.Slider]
    drives = [{"x": 0.1}, {"z": 0.1}, {"angle": 0.2}]
    makers = [lambda a, b, k=kind: k(a, b) for kind in kinds] + [lambda a, b, d=d: pl.Motion(a, b, **d) for d in drives]
    makers.append(lambda a, b: pl.Distance(a, b, length=0.5))
    for n, make in enumerate(makers):
        body = m.add(pl.Body(f"body {n}", mass=1.0, inertia=1.0))
        m.add(make(ground.at(*rng.normal(size=3), orientation=rng.normal(size=3)), body.at(*rng.normal(size=3))))
    found = assemble(m, 1.0)
    assert found.gap == 0.0
    frames = SpatialFrames(m)
    pose, count = frames.space.still(len(frames.bodies)), len(frames.bodies)
    for k, body in enumerate(frames.bodies):
        pose[6 * k : 6 * k + 3], pose[6 * (count + 1) + 4 * k :][:4] = found.pose[body]
    kept = measure(frames, m.joints, frames.place(m.joints, 0.0)[0])
    loops = JointLoops.of(frames, m.joints, kept, 1.0, 0.0)
    jacobian = loops.jacobian(pose)
    for k in range(6 * count):
        step = 1e-6 * np.eye(jacobian.shape[1])[k]
        change = (loops.gap(loops.moved(pose, step)) - loops.gap(loops.moved(pose, -step))) / 2e-6
        assert jacobian[:, k] == pytest.approx(change, abs=1e-8)


def test_an_axis_meant_in_other_axes_is_warned_of() -> None:
    m = pl.Model("arm", plane=None)
    ground, arm = m.add(pl.Ground(), pl.Link("arm", length=1.0, mass=1.0, orientation=pl.rotation(z=2.0)))
    across = (-math.sin(2.0), math.cos(2.0), 0.0)  # the arm's y, in global axes: not what axis= means
    m.add(pl.Revolute(ground.at(0, 0, 0), arm.at(s=0), axis=across))
    with pytest.warns(FarFromGuess, match="'arm': its joints turn it 115° away"):
        assemble(m, 1.0)


def test_directions_that_joints_leave_are_not_warned_of(recwarn: pytest.WarningsRecorder) -> None:
    m = pl.Model("arm", plane=None)
    ground, arm = m.add(pl.Ground(), pl.Link("arm", length=1.0, mass=1.0, orientation=pl.rotation(z=2.0)))
    m.add(pl.Revolute(ground.at(0, 0, 0, orientation=pl.rotation(z=2.0)), arm.at(s=0), axis="y"))
    assemble(m, 1.0)
    assert not recwarn.list
