"""A robot that meets something on its way does not pass through it, and is still on its branch afterwards."""

from __future__ import annotations

from math import pi

import numpy as np
import pytest

import pliant as pl
from pliant.errors import UnreachableError

THERE = 0.13  # m: beyond the peg


@pytest.fixture(scope="module")
def robot() -> pl.Kinetostatics:
    """Return a whip that stands on a carriage; a peg, 4 mm thick, is in its way."""
    m = pl.Model("whip")
    ground, carriage = m.add(pl.Ground(), pl.Body("carriage", mass=1.0, inertia=0.1))
    whip = m.add(pl.Beam("whip", length=0.3, section=pl.Section.circle(2e-3, pl.STEEL)))
    m.add(pl.Weld(carriage.at(angle=pi / 2), whip.at(s=0), angle=0.0))
    for name in ("x", "y", "angle"):
        m.add(pl.Motion(ground.at(0, 0), carriage.at(), name=name, **{name: 0.0}))  # type: ignore[arg-type]
    places = [ground.at(0.1, 0.15), whip.at(s=0)]
    m.add(pl.Collisions("peg", places, radius=(2e-3, 1e-3), stiffness=1e5))
    return pl.Kinetostatics(pl.compile(m, elements=8), platform="whip/tip", motors=["x/x", "y/y"])


@pytest.fixture(scope="module")
def bent(robot: pl.Kinetostatics) -> np.ndarray:
    """Return the pose with the tip beyond the peg; a path, which is cut where it leads through shapes, agrees."""
    path = pl.path(robot.system, "x/x", begin=0.0, to=THERE)
    tip = path.position.sel(marker="whip/tip").values[-1]
    assert tip[0] < 0.06
    return np.asarray(tip)


def test_motors_do_not_drive_it_through_the_peg(robot: pl.Kinetostatics, bent: np.ndarray) -> None:
    """The tip came out straight, 0.08 m further, with nothing to say that it had passed through."""
    assert robot.forward([THERE, 0.0]).position == pytest.approx(bent, abs=1e-6)


@pytest.mark.parametrize("count", [11, 27])
def test_a_trajectory_around_the_corner_is_ok(robot: pl.Kinetostatics, bent: np.ndarray, count: int) -> None:
    """Two of 11 poses lay on both sides of the peg; with more of them a jump to another branch was reported there."""
    found = robot.drive(np.linspace([0.0, 0.0], [THERE, 0.0], count))
    assert found.position.values[-1] == pytest.approx(bent, abs=1e-6)
    assert found.outcome.ok


def test_a_pose_asked_for_is_not_held_through_the_peg(robot: pl.Kinetostatics) -> None:
    """One step on the way comes to rest in the middle of the peg, where it pushes to neither side: that was
    gone through, and the whip held straight behind the peg.
    """
    with pytest.raises(UnreachableError):
        robot.inverse((0.16, 0.28), start=robot.forward([0.0, 0.0]))


def test_what_slips_off_the_peg_jumps(robot: pl.Kinetostatics) -> None:
    """Around corners the platform moves as one Jacobian says and then as the other; here as neither."""
    begin = robot.forward([THERE, 0.0])
    assert robot.drive(np.linspace([THERE, 0.0], [THERE, -0.15], 15), start=begin).outcome.ok
    found = robot.drive(np.linspace([THERE, 0.0], [THERE, -0.2], 15), start=begin)
    assert found.position.values[-1] == pytest.approx([THERE, 0.1])
    assert int(found.jump.sum()) == 1
    assert not found.outcome.ok


def test_depths_count_along_paths_and_trajectories(robot: pl.Kinetostatics) -> None:
    """Depths count along paths and trajectories as in statics."""
    assert not pl.path(robot.system, "x/x", begin=0.0, to=0.16).outcome.ok
    assert not robot.drive(np.linspace([0.0, 0.0], [0.16, 0.0], 9)).outcome.ok
