"""Kinetostatics of robots: motors for poses and back, derivatives, workspace, trajectories."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import pliant as pl
from pliant.analyses.poses import rows
from pliant.solvers.nonlinear.inverse import Inverse
from pliant_gallery.robots import LeafLeg, Platform, planar, stand
from pliant_gallery.six_rus import model
from pliant_gallery.six_rus.kinetostatics import MOTORS, kinetostatics

TURN = pl.rotation(z=0.1, y=-0.05, x=0.15)
POINT = (0.02, -0.01, 0.48)
STEP = 1e-4


@pytest.fixture(scope="module")
def robot() -> pl.Kinetostatics:
    """Return the 6-RUS, with a load beside the middle of its platform."""
    return kinetostatics(load_at=(0.05, 0.02, 0.03))


@pytest.fixture(scope="module")
def pose(robot: pl.Kinetostatics) -> pl.Pose:
    """Return one of its poses under load."""
    return robot.inverse(POINT, TURN, load={"load/z": -4.0})


def arm(*, motors: bool = True, stiffness: float = 0.0, rest: tuple[float, float] = (0.0, 0.0)) -> pl.Model:
    """Build two links of 0.4 and 0.3 m in the plane, turned by motors or held by torsion springs."""
    m = pl.Model("arm")
    ground = m.add(pl.Ground())
    upper = m.add(pl.Link("upper", length=0.4, mass=1.0, angle=0.6))
    lower = m.add(pl.Link("lower", length=0.3, mass=0.5, angle=1.6))
    pairs = {"shoulder": (ground.at(0, 0), upper.at(s=0)), "elbow": (upper.at(s=1), lower.at(s=0))}
    for (name, pair), angle, free in zip(pairs.items(), (0.6, 1.0), rest, strict=True):
        m.add(pl.Revolute(*pair, name=f"{name} pin"))
        if motors:
            m.add(pl.Motion(*pair, angle=angle, name=name))
        else:
            m.add(pl.TorsionSpring(name, *pair, stiffness=stiffness, rest_angle=free))
    m.add(pl.Gravity(), pl.Force(lower.at(s=1), x=0.0, y=0.0, name="load"))
    return m


def three_legs(*, flexible: bool = True) -> pl.Kinetostatics:
    """Return a planar robot: three cranks, three strips of steel or links, a platform."""
    m = pl.Model("3-RRR")
    ground = m.add(pl.Ground())
    platform = m.add(pl.Body("platform", mass=0.0, inertia=0.0, position=(0, 0), angle=0.0))
    for k in range(3):
        way = np.pi / 2 + 2 * np.pi / 3 * k
        toward = np.array([np.cos(way), np.sin(way)])
        base, turned = ground.at(*(0.5 * toward)), (way + np.pi - 0.9) % (2 * np.pi)
        crank = m.add(pl.Link(f"crank {k + 1}", length=0.2, mass=0.0, angle=turned))
        strip = pl.Section.rectangle(0.02, 1e-3, pl.STEEL)
        rod: Any = pl.Beam(f"rod {k + 1}", length=0.3, section=strip)
        rod = m.add(rod if flexible else pl.Link(f"rod {k + 1}", length=0.3, mass=0.0))
        m.add(
            pl.Revolute(base, crank.at(s=0), name=f"pivot {k + 1}"),
            pl.Motion(base, crank.at(s=0), angle=turned, name=f"motor {k + 1}"),
            pl.Revolute(crank.at(s=1), rod.at(s=0), name=f"knee {k + 1}"),
            pl.Revolute(rod.at(s=1), platform.at(*(0.12 * toward)), name=f"pin {k + 1}"),
        )
    m.add(pl.Force(platform.at(), x=0.0, y=0.0, name="load"))
    motors = [f"motor {k}/angle" for k in (1, 2, 3)]
    return pl.Kinetostatics(pl.compile(m, elements=4), platform="platform", motors=motors)


def two_links() -> pl.Kinetostatics:
    """Return the arm, which holds a position only."""
    return pl.Kinetostatics(pl.compile(arm()), platform="lower/tip", motors=["shoulder/angle", "elbow/angle"])


def between(robot: pl.Kinetostatics, first: pl.Pose, second: pl.Pose) -> np.ndarray:
    """Return the motion from one pose to another."""
    return robot.effector.apart(robot.effector.at(first.state.q), robot.effector.at(second.state.q))


def pushed(robot: pl.Kinetostatics, pose: pl.Pose, k: int) -> tuple[pl.Pose, pl.Pose]:
    """Return a motor a little less and a little more turned."""
    load = {name: float(pose.signals[robot.system.signal_number(name)]) for name in ("load/x", "load/z")}
    ways = (-STEP * np.eye(6)[k], STEP * np.eye(6)[k])
    less, more = (robot.forward(pose.motors + way, load=load, start=pose) for way in ways)
    return less, more


def test_inverse_agrees_with_inverse_statics(robot: pl.Kinetostatics, pose: pl.Pose) -> None:
    loaded = robot.system.with_signals({"load/z": -4.0})
    held = pl.inverse_statics(loaded, {"platform": (POINT, TURN)}, signals=MOTORS)
    np.testing.assert_allclose(pose.motors, held.signal_value.values, atol=1e-11)
    assert pose.stable is held.outcome.stable is True
    told = robot.result(pose)
    np.testing.assert_allclose(told.position.values, held.position.values, atol=1e-10)
    assert pose.residual < 1e-6


def test_forward_returns_the_pose(robot: pl.Kinetostatics, pose: pl.Pose) -> None:
    back = robot.forward(pose.motors, load={"load/z": -4.0})
    np.testing.assert_allclose(back.position, POINT, atol=1e-10)
    np.testing.assert_allclose(back.orientation, TURN, atol=1e-10)


def test_jacobian_torques_and_motor_stiffness_are_derivatives(robot: pl.Kinetostatics, pose: pl.Pose) -> None:
    for k in (0, 3):
        less, more = pushed(robot, pose, k)
        np.testing.assert_allclose(between(robot, less, more) / (2 * STEP), pose.jacobian[:, k], atol=1e-6)
        np.testing.assert_allclose((more.torques - less.torques) / (2 * STEP), pose.motor_stiffness[:, k], atol=1e-6)
        energies = [
            robot.system.with_signals(robot.system.named(each.signals)).energy(each.state)[1] for each in (less, more)
        ]
        assert (energies[1] - energies[0]) / (2 * STEP) == pytest.approx(pose.torques[k], abs=1e-6)


def test_matrices_are_symmetric_and_inverse_to_each_other(pose: pl.Pose) -> None:
    np.testing.assert_allclose(pose.compliance, pose.compliance.T, atol=1e-14)
    np.testing.assert_allclose(pose.motor_stiffness, pose.motor_stiffness.T, atol=1e-10)
    np.testing.assert_allclose(pose.stiffness @ pose.compliance, np.eye(6), atol=1e-10)
    assert 0.0 < pose.softest < np.min(np.diag(pose.stiffness)[:3])
    assert pose.condition == pytest.approx(pose.singular_values[0] / pose.singular_values[-1])


def test_softest_is_the_least_eigenvalue_where_several_are_negative(robot: pl.Kinetostatics) -> None:
    """Rotations at the platform's edge give as many negative eigenvalues as unstable directions."""
    with pytest.warns(pl.errors.PliantWarning, match="unstable in 2 direction"):
        found = robot.inverse((0.0, 0.0, 0.5), load={"load/z": -60.0})
    edge = np.array([1.0, 1.0, 1.0, *[1.0 / found.length] * 3])
    values = np.linalg.eigvalsh(found.stiffness * np.outer(edge, edge))
    assert np.sum(values < 0.0) == found.unstable_directions == 2
    assert found.softest == pytest.approx(values[0], rel=1e-9)


@pytest.mark.parametrize("angle", [2.5, -2.0, 3.5])
def test_motors_far_from_the_start_are_where_they_say(robot: pl.Kinetostatics, angle: float) -> None:
    """The drive's equation holds half a turn away too: the crank must be at the angle itself, also on the way back."""
    wide = pl.Kinetostatics(robot.system, platform="platform", motors=MOTORS)
    found = wide.forward(np.full(6, angle))
    crank = wide.result(found).rotation.sel(body="crank 1").values
    along = Rotation.from_rotvec(crank).as_matrix()[:, 0]
    np.testing.assert_allclose(along, [0.0, np.cos(angle), np.sin(angle)], atol=1e-12)
    again = wide.inverse(found.position, found.orientation, start=found)
    np.testing.assert_allclose(again.motors, angle, atol=1e-9)
    beside = wide.inverse(found.position + [0.0, 0.0, 1e-3], start=found)
    back = wide.forward(beside.motors, start=found)
    np.testing.assert_allclose(back.position, beside.position, atol=1e-10)


def test_leaves_start_bent_from_where_the_robot_stands() -> None:
    """Straight where they are assembled, they are unstable unless started from a result in which they are bent."""
    data = planar(LeafLeg(), legs=3, platform=Platform((0.0, 0.0), mass=2.0, inertia=0.02))
    standing = stand(data, elements=4)
    robot = pl.Kinetostatics(standing.system, platform="platform", motors=data.motors)
    found = robot.inverse((0.0, 0.0), start=standing.rest)
    np.testing.assert_allclose(found.motors, 0.0, atol=1e-6)
    assert found.orientation == pytest.approx(float(standing.rest.angle.sel(body="platform")))
    assert found.stable
    reach = robot.workspace({"x": [-0.03, 0.0, 0.03], "y": [0.0, 0.03]}, start=standing.rest)
    assert reach.usable.all()


def test_arm_meets_the_law_of_cosines() -> None:
    robot, point = two_links(), np.array([0.35, 0.4])
    found = robot.inverse(point)
    elbow = np.arccos((point @ point - 0.4**2 - 0.3**2) / (2 * 0.4 * 0.3))
    shoulder = np.arctan2(point[1], point[0]) - np.arctan2(0.3 * np.sin(elbow), 0.4 + 0.3 * np.cos(elbow))
    np.testing.assert_allclose(found.motors, [shoulder, elbow], atol=1e-12)
    weights = np.array([9.81 * (1.0 * 0.2 + 0.5 * 0.4), 9.81 * 0.5 * 0.15])
    reach = np.cos([shoulder, shoulder + elbow]) * weights
    np.testing.assert_allclose(found.torques, [reach.sum(), reach[1]], atol=1e-9)


def test_motors_that_give_way_are_springs() -> None:
    """The compliance with motor stiffness equals the compliance of the arm on torsion springs."""
    robot, stiffness = two_links(), 50.0
    found = robot.inverse((0.35, 0.4))
    springs = pl.compile(
        arm(motors=False, stiffness=stiffness, rest=tuple(found.motors + found.torques / stiffness))  # type: ignore[arg-type]
    )
    moved = []
    for way in (STEP, -STEP):
        rest = pl.statics(springs.with_signals({"load/x": way}))
        moved.append(rest.position.sel(marker="lower/tip").values)
    expected = (moved[0] - moved[1]) / (2 * STEP)
    np.testing.assert_allclose(found.compliance_with(stiffness)[:2, 0], expected, rtol=1e-6)
    np.testing.assert_allclose(found.compliance, 0.0, atol=1e-9)  # rigid with the motors held


@pytest.mark.parametrize("flexible", [False, True])
def test_planar_robot_forward_and_back(flexible: bool) -> None:
    robot = three_legs(flexible=flexible)
    found = robot.inverse((0.02, 0.03), 0.1, load={"load/x": 1.0})
    back = robot.forward(found.motors, load={"load/x": 1.0}, start=found)
    np.testing.assert_allclose([*back.position, back.orientation], [0.02, 0.03, 0.1], atol=1e-10)
    np.testing.assert_allclose(found.torques, -found.jacobian[0], atol=1e-6)  # virtual work of the load
    assert len(robot.legs) == 3


def test_loads_may_be_motors_and_a_beam_the_platform() -> None:
    m = pl.Model("strip")
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=0.5, section=pl.Section.rectangle(0.02, 1e-3, pl.STEEL)))
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Force(beam.at(s=1), x=0.0, y=0.0, name="pull"))
    system = pl.compile(m, elements=8)
    bent = pl.statics(system.with_signals({"pull/x": -0.5, "pull/y": 1.0}))
    robot = pl.Kinetostatics(system, platform="beam/tip", motors=["pull/x", "pull/y"])
    found = robot.inverse(bent.position.sel(marker="beam/tip").values)
    np.testing.assert_allclose(found.motors, [-0.5, 1.0], atol=1e-6)
    np.testing.assert_allclose(found.jacobian, found.compliance[:, :2], rtol=1e-5)  # force at its own place
    assert found.strains.keys() == {"beam"}


def test_strain_is_that_of_the_largest_moment() -> None:
    m = pl.Model("strip")
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=0.5, section=pl.Section.rectangle(0.02, 1e-3, pl.STEEL)))
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Moment(beam.at(s=1), value=0.1, name="turn"))
    m.add(pl.Force(beam.at(s=1), x=0.0, y=0.0, name="pull"))
    robot = pl.Kinetostatics(pl.compile(m, elements=8), platform="beam/tip", motors=["pull/x", "pull/y"])
    found = robot.forward([0.0, 0.0])
    assert found.strain == pytest.approx(0.1 * 0.5e-3 / (210e9 * 0.02 * 1e-9 / 12), rel=1e-6)


def test_stability_under_a_load_without_potential() -> None:
    system = pl.compile(model(torque=(0.0, 0.0, 0.0)), elements=2)
    robot = pl.Kinetostatics(system, platform="platform", motors=MOTORS)
    found = robot.inverse(POINT, TURN, load={"torque/z": 0.05})
    assert found.stable is True
    turned = [robot.forward(found.motors, load={"torque/z": 0.05 + way}, start=found) for way in (-STEP, STEP)]
    np.testing.assert_allclose(between(robot, *turned) / (2 * STEP), found.compliance[:, 5], atol=1e-6)


def test_workspace_does_not_depend_on_threads(robot: pl.Kinetostatics) -> None:
    grid = {"x": np.linspace(-0.4, 0.4, 6), "z": np.linspace(0.4, 0.7, 4), "roll": 0.1}
    one, two = (robot.workspace(grid, workers=workers) for workers in (1, 2))
    assert one.data.identical(two.data)
    assert one.reachable.dims == ("x", "z")
    assert 0 < one.outcome.reachable < 24
    assert one.outcome.poses == 24
    found = one.motor.isel(x=2, z=1)
    again = robot.inverse((float(found.x), 0.0, float(found.z)), pl.rotation(x=0.1))
    np.testing.assert_allclose(found.values, again.motors, atol=1e-9)
    assert np.isnan(one.motor.values[~one.reachable.values]).all()
    assert not np.isnan(one.condition.values[one.reachable.values]).any()


def test_workspace_of_listed_poses_knows_limits_and_strain(robot: pl.Kinetostatics) -> None:
    narrow = pl.Kinetostatics(
        robot.system, platform="platform", motors=MOTORS, limits={"motor 1/angle": (0.0, 0.6)}, strain_limit=1e-9
    )
    found = narrow.workspace([((0, 0, 0.5), (0, 0, 0)), (0, 0, 0.6), (0, 0, 2.0)])
    assert found.reachable.values.tolist() == [True, True, False]
    assert (found.limit_margin.values[:2] > 0.0).tolist() == [True, False]
    assert np.all(found.strain_margin.values[:2] < 0.0)
    assert not found.usable.any()


def test_trajectory_around_a_circle_comes_back(robot: pl.Kinetostatics) -> None:
    turn = np.linspace(0.0, 2 * np.pi, 13)
    path = {"x": 0.05 * np.cos(turn), "y": 0.05 * np.sin(turn), "z": 0.5, "yaw": 0.1}
    found = robot.follow(path, time=np.linspace(0.0, 1.0, 13))
    assert found.outcome.ok
    assert not found.jump.any()
    np.testing.assert_allclose(found.motor.values[0], found.motor.values[-1], atol=1e-9)
    assert found.time.values[-1] == 1.0


def test_trajectory_tells_of_jumps_and_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    robot = pl.Kinetostatics(
        two_links().system, platform="lower/tip", motors=["shoulder/angle", "elbow/angle"], limits=(-3.0, 1.45)
    )
    other = robot.inverse((0.35, 0.4)).state
    wide = two_links()
    flipped = wide.inverse((0.35, 0.4), start=wide.forward([1.6, -1.0])).state
    arrive = rows.arrive

    def lured(robot: Any, target: Any, start: Any, u: Any) -> pl.Pose:
        return arrive(robot, target, flipped if target.position[0] >= 0.35 else other, u)

    xs = np.linspace(0.2, 0.4, 5)
    assert two_links().follow({"x": xs, "y": 0.4}).outcome.ok
    monkeypatch.setattr(rows, "arrive", lured)
    monkeypatch.setattr(Inverse, "follower", lambda *_: None)
    found = robot.follow({"x": xs, "y": 0.4})
    assert not found.outcome.ok
    assert np.flatnonzero(found.jump.values).tolist() == [3]
    assert found.outcome.beyond_limits > 0
    assert "jump to another branch at pose 3" in found.outcome.message
    assert "'elbow/angle'" in found.outcome.message


def test_trajectory_ends_where_it_cannot_go_on(robot: pl.Kinetostatics) -> None:
    found = robot.follow({"z": [0.5, 0.6, 2.0, 0.5]})
    assert found.reachable.values.tolist() == [True, True, False, False]
    assert not found.outcome.ok
    assert "ended before pose 2" in found.outcome.message
    assert "crank 1 - rod 1" in found.outcome.message


def test_picture_of_a_workspace(robot: pl.Kinetostatics) -> None:
    found = robot.workspace({"x": np.linspace(-0.4, 0.4, 3), "z": [0.5, 0.9]})
    assert pl.plot_workspace(found, "limit_margin").get_xlabel() == "x [m]"
    with pytest.raises(pl.errors.OptionError, match="over two axes"):
        pl.plot_workspace(robot.workspace({"z": [0.5, 0.55]}))


def test_the_room_of_two_links_ends_where_the_condition_says() -> None:
    """s1 s2 = sin q, s1^2 + s2^2 = 3 + 2 cos q of links of 1 m: the condition is a circle about the shoulder."""
    from scipy.optimize import brentq

    from pliant_gallery.examples import two_links

    system = pl.compile(two_links())
    arm = pl.Kinetostatics(system, platform="lower/tip", motors=["shoulder/angle", "elbow/angle"])
    elbow = brentq(lambda q: (3.0 + 2.0 * np.cos(q)) / np.sin(q) - (8.0 + 1.0 / 8.0), 0.1, 1.5)
    radius = np.sqrt(2.0 + 2.0 * np.cos(elbow))
    found = arm.room(reach=1.2, rays=6, steps=6, condition=8.0, start=arm.inverse((0.3, 0.9)))
    stopped = np.array(found.stopped) == "condition"
    outward = np.linalg.norm(found.ends, axis=1) > 1.0
    assert stopped[outward].any()
    assert np.linalg.norm(found.ends, axis=1)[stopped & outward] == pytest.approx(radius, rel=2e-4)
    with pytest.raises(pl.errors.OptionError, match=r"condition=0\.5"):
        arm.room(reach=1.0, condition=0.5)


def test_motors_may_be_placed_by_parameters() -> None:
    from pliant_gallery.six_rus import Robot

    side = pl.Parameter("side", 0.21841, unit="m")
    moved = model(Robot(motor_side=side)).with_parameters(side=0.25)
    places = [each.part(f"pivot {k}").a.point for each in (moved, model(Robot(motor_side=0.25))) for k in (1, 3)]
    assert np.allclose(places[:2], places[2:], atol=1e-15)
