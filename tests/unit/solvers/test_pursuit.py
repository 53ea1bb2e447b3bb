"""Rows of equilibria in compiled code: the same as the careful way finds one by one, in the plane and in space."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

import pliant as pl
from pliant.linalg import ldl
from pliant.solvers.nonlinear import newton
from pliant.solvers.nonlinear.border import add, border, clear, product, substitute
from pliant.solvers.nonlinear.inverse import Inverse
from pliant.solvers.nonlinear.pose_path import PoseFollower
from pliant_gallery.six_rus.kinetostatics import MOTORS, kinetostatics
from tests.unit.analyses.test_kinetostatics import three_legs, two_links

COUNT = 25


@pytest.fixture(scope="module")
def robot() -> pl.Kinetostatics:
    """Return the 6-RUS, two elements a rod."""
    return kinetostatics(elements=pl.Exact(2, order=3))


def around(radius: float) -> dict[str, Any]:
    """Return a circle with a turning platform."""
    turn = np.linspace(0.0, 1.5, COUNT)
    return {"x": radius * np.cos(turn), "y": radius * np.sin(turn), "z": 0.5, "yaw": 0.1 * turn, "roll": 0.05}


def carefully(monkeypatch: pytest.MonkeyPatch, ask: Any) -> pl.Result:
    """Return the answer without compiled rows."""
    with monkeypatch.context() as patch:
        patch.setattr(Inverse, "follower", lambda *_: None)
        found: pl.Result = ask()
    return found


def same(one: pl.Result, other: pl.Result) -> None:
    """Check that two trajectories agree in everything."""
    for name in ("reachable", "stable", "usable", "jump"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)
    np.testing.assert_allclose(one.motor, other.motor, atol=1e-11)
    np.testing.assert_allclose(one.position, other.position, atol=1e-11)
    rigid = np.max(np.abs(other.softest)) > 1e14  # its stiffness is rounding
    for name in ("torque", "strain", "condition", *([] if rigid else ["softest"])):
        size = np.max(np.abs(getattr(other, name)))
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), atol=1e-6 * size, err_msg=name)


def test_rows_are_what_single_poses_are(robot: pl.Kinetostatics, monkeypatch: pytest.MonkeyPatch) -> None:
    path = around(0.04)
    found = robot.follow(path)
    same(found, carefully(monkeypatch, lambda: robot.follow(path)))
    single = robot.inverse((0.04, 0.0, 0.5), pl.rotation(x=0.05))
    np.testing.assert_allclose(found.motor[0], single.motors, atol=1e-12)
    assert found.outcome.iterations < 2.5 * COUNT


def test_rows_in_the_plane(monkeypatch: pytest.MonkeyPatch) -> None:
    flexible, arm = three_legs(), two_links()
    cases: tuple[tuple[pl.Kinetostatics, Any], ...] = (
        (flexible, {"x": np.linspace(0.0, 0.06, COUNT), "y": 0.02, "angle": np.linspace(0.0, 0.2, COUNT)}),
        (arm, {"x": np.linspace(0.2, 0.4, COUNT), "y": 0.4}),
    )
    for robot, path in cases:
        push = {"load/y": -2.0}
        ask = partial(robot.follow, path, load=push)
        same(ask(), carefully(monkeypatch, ask))


def test_a_row_meets_the_law_of_cosines() -> None:
    x = np.linspace(0.3, 0.4, COUNT)
    found = two_links().follow({"x": x, "y": 0.35})
    square = x**2 + 0.35**2
    elbow = np.arccos((square - 0.4**2 - 0.3**2) / (2 * 0.4 * 0.3))
    shoulder = np.arctan2(0.35, x) - np.arctan2(0.3 * np.sin(elbow), 0.4 + 0.3 * np.cos(elbow))
    np.testing.assert_allclose(found.motor, np.stack([shoulder, elbow], axis=1), atol=1e-12)
    assert found.outcome.iterations < 2.6 * COUNT  # 55; single poses take 77


def test_loads_along_a_row(robot: pl.Kinetostatics, monkeypatch: pytest.MonkeyPatch) -> None:
    push = {"load/z": np.linspace(0.0, -6.0, COUNT)}
    same(robot.follow(around(0.03), load=push), carefully(monkeypatch, lambda: robot.follow(around(0.03), load=push)))
    still = robot.inverse((0.01, 0.0, 0.5))
    sunk = robot.drive(still.motors, load=push, start=still)
    assert sunk.sizes["pose"] == COUNT
    last = robot.forward(still.motors, load={"load/z": -6.0}, start=still)
    np.testing.assert_allclose(sunk.position[-1], last.position, atol=1e-11)
    np.testing.assert_allclose(sunk.rotation[-1], last.orientation, atol=1e-10)


def test_drive_leads_back_along_follow(robot: pl.Kinetostatics) -> None:
    there = robot.follow(around(0.04))
    back = robot.drive(there.motor.values, start=robot.inverse((0.04, 0.0, 0.5), pl.rotation(x=0.05)))
    assert back.outcome.ok
    np.testing.assert_allclose(back.position, there.position, atol=1e-10)
    np.testing.assert_allclose(back.rotation, there.rotation, atol=1e-9)


def test_signals_that_are_loads_hold_a_pose(monkeypatch: pytest.MonkeyPatch) -> None:
    m = pl.Model("strip")
    ground = m.add(pl.Ground())
    beam = m.add(pl.Beam("beam", length=0.5, section=pl.Section.rectangle(0.02, 0.001, pl.STEEL)))
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Force(beam.at(s=1), x=0.0, y=0.0, name="pull"))
    robot = pl.Kinetostatics(pl.compile(m, elements=8), platform="beam/tip", motors=["pull/x", "pull/y"])
    start = robot.inverse((0.45, 0.2))
    path = {"x": np.linspace(0.45, 0.43, COUNT), "y": np.linspace(0.2, 0.22, COUNT)}
    one = robot.follow(path, start=start)
    other = carefully(monkeypatch, lambda: robot.follow(path, start=start))
    np.testing.assert_allclose(one.motor, other.motor, rtol=1e-9)


def test_wide_steps_are_divided(robot: pl.Kinetostatics) -> None:
    path: Any = {"x": [0.0, 0.0, 0.12, -0.12], "z": [0.5, 0.42, 0.5, 0.45], "yaw": [0.0, 0.5, -0.5, 0.4]}
    found = robot.follow(path)
    assert found.reachable.all()
    for k in (1, 2, 3):
        held = robot.forward(found.motor.values[k], start=robot.inverse((0.0, 0.0, 0.5)))
        np.testing.assert_allclose(held.position[0], path["x"][k], atol=1e-9)


def test_a_row_that_jumps_is_not_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    arm = two_links()
    flipped = arm.inverse((0.3, 0.4), start=arm.forward([1.6, -1.0]))
    follow = PoseFollower.follow

    def lured(self: PoseFollower, targets: np.ndarray, given: np.ndarray, found: Any) -> int:
        self.begin(flipped.state.q, flipped.state.lam, flipped.signals)
        return follow(self, targets, given, found)

    path: Any = {"x": np.linspace(0.3, 0.4, 5), "y": 0.4}
    right = arm.follow(path)
    monkeypatch.setattr(PoseFollower, "follow", lured)
    again = arm.follow(path)
    assert again.outcome.ok
    np.testing.assert_allclose(again.motor, right.motor, atol=1e-12)


def test_a_row_says_where_it_leaves_the_stable_region() -> None:
    """The row leaves it at Euler's load of a cantilever, which lies between the fifth and the sixth pose."""
    m = pl.Model("column")
    ground = m.add(pl.Ground())
    beam = m.add(pl.Beam("beam", length=1.0, section=pl.Section.rectangle(0.02, 0.002, pl.STEEL)))
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Force(beam.at(s=1), x=0.0, y=0.0, name="push"))
    system = pl.compile(m, elements=pl.Exact(4, order=3))
    robot = pl.Kinetostatics(system, platform="beam/tip", motors=["push/x", "push/y"])
    euler = np.pi**2 * beam.section.bending_stiffness / 4.0
    found = robot.drive(np.stack([-euler * np.linspace(0.91, 1.09, 10), np.zeros(10)], axis=1))
    assert found.stable.values.tolist() == [True] * 5 + [False] * 5
    assert not found.outcome.ok
    assert "unstable at 5 poses, first at 5" in found.outcome.message


def test_loads_of_a_row_are_checked(robot: pl.Kinetostatics) -> None:
    with pytest.raises(pl.errors.OptionError, match="'load/z' has 3 values for 25 poses"):
        robot.follow(around(0.03), load={"load/z": [1.0, 2.0, 3.0]})
    with pytest.raises(pl.errors.OptionError, match="rows of 6 finite numbers"):
        robot.drive([0.1, 0.2])
    narrow = pl.Kinetostatics(robot.system, platform="platform", motors=MOTORS, limits=(-1.0, 0.62))
    wide = narrow.drive(np.linspace(np.full(6, 0.4), np.full(6, 0.8), 9))
    assert not wide.outcome.ok
    assert "ended before pose 5: Motor" in wide.outcome.message


def test_border_is_the_part_of_a_solution(robot: pl.Kinetostatics) -> None:
    system: Any = robot.system
    pose, scratch = robot.inverse((0.0, 0.0, 0.5)), system.scratch()
    pattern, random = system.equations.pattern, np.random.default_rng(5)
    newton.assemble(system.equations, pose.state.q, pose.state.lam, pose.signals, 1e6, 0.0, False, scratch)
    ldl.factor(pattern, scratch.s, scratch.factors)
    supports = [np.array([3, 40]), np.arange(60, 66), np.array([system.freedoms + 7])]
    sides, whole = border(pattern, supports), np.zeros((3, pattern.size))
    for k, unknowns in enumerate(supports):
        clear(pattern, sides, k)
        whole[k, unknowns] = sides.values[k, unknowns] = random.normal(size=unknowns.size)
        substitute(pattern, scratch.s, sides, k)
    solved = whole.copy()
    for b in solved:
        ldl.solve(pattern, scratch.s, scratch.factors, b)
    found = [[product(pattern, scratch.s, sides, i, sides.values[j]) for j in range(3)] for i in range(3)]
    np.testing.assert_allclose(found, whole @ solved.T, rtol=1e-7, atol=1e-12 * np.max(np.abs(whole @ solved.T)))
    summed = np.zeros(pattern.size)
    add(pattern, sides, 1, 2.0, summed)
    np.testing.assert_allclose(summed, 2.0 * sides.values[1])
