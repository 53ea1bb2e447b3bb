"""Requests that a robot cannot meet, reported by name: leg, motor, joint, value, what to try. No NaN."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pliant as pl
from pliant.analyses import parallel as _parallel
from pliant.analyses.poses import rows
from pliant.errors import (
    AssemblyError,
    CapabilityError,
    Interrupted,
    LimitError,
    ModelError,
    OptionError,
    PliantWarning,
    SignalError,
    SingularError,
    UnreachableError,
)
from pliant.solvers.nonlinear.inverse import Inverse
from pliant_gallery.six_rus import model
from pliant_gallery.six_rus.kinetostatics import MOTORS, kinetostatics
from tests.unit.analyses.test_kinetostatics import arm, three_legs, two_links


@pytest.fixture(scope="module")
def robot() -> pl.Kinetostatics:
    """Return the 6-RUS."""
    return kinetostatics()


BEYOND_A_LEG = (
    "leg 'crank 1 - rod 1' would have to be stretched to 0.9",
    "between joints 'pivot 1' and 'ball 1', its parts reach 0.7616 m at most",
    "nearer to ground(",
)
BEYOND_A_SINGULAR_POSE = "Newton stopped", "along z (condition number", "is stretched most there, 0.69"


@pytest.mark.parametrize(("height", "words"), [(0.9, BEYOND_A_LEG), (0.72, BEYOND_A_SINGULAR_POSE)])
def test_pose_out_of_reach(robot: pl.Kinetostatics, height: float, words: tuple[str, ...]) -> None:
    with pytest.raises(UnreachableError) as refused:
        robot.inverse((0.0, 0.0, height))
    assert [each for each in words if each not in str(refused.value)] == []


def test_pose_that_folds_rigid_legs_too_much() -> None:
    said = r"leg 'crank 1 - rod 1' would have to be folded to .* keep at least 0.1 m"
    with pytest.raises(UnreachableError, match=said):
        three_legs(flexible=False).inverse((0.0, 0.33), 0.0)


def test_singular_pose() -> None:
    with pytest.raises(SingularError, match=r"cannot move the platform along x \(condition number \d+") as refused:
        two_links().inverse((0.7, 0.0))
    assert "of the way to position (0.7, 0)" in str(refused.value)


def test_limits(robot: pl.Kinetostatics) -> None:
    limits = dict.fromkeys(MOTORS, (-1.0, 1.5)) | {"motor 3/angle": (-1.0, 0.3)}
    narrow = pl.Kinetostatics(robot.system, platform="platform", motors=MOTORS, limits=limits)
    said = r"Motor 'motor 3/angle' would have to be at 0\.39.* limits are -1 and 0\.3"
    with pytest.raises(LimitError, match=said) as no:
        narrow.inverse((0.0, 0.0, 0.5))
    assert no.value.pose.limit_margin < 0.0  # type: ignore[attr-defined]
    with pytest.raises(LimitError, match=r"Motor 'motor 2/angle' would have to be at 1\.6"):
        narrow.forward([0.2, 1.6, 0.2, 0.2, 0.2, 0.2])


def test_legs_that_cannot_be_assembled() -> None:
    with pytest.raises(AssemblyError, match=r"beam 'rod \d' of leg 'crank \d - rod \d' .* is too short"):
        three_legs().forward([3.5, 4.5, 0.0])
    with pytest.raises(AssemblyError, match=r"joint '\w+ \d' of leg 'crank \d - rod \d' stays open by"):
        three_legs(flexible=False).forward([3.5, 4.5, 0.0])


def test_pose_that_would_tear_a_beam() -> None:
    strip = pl.Section.rectangle(0.02, 1e-3, pl.STEEL)
    m = pl.Model("strip")
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=0.5, section=strip))
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Force(beam.at(s=1), x=0.0, y=0.0, name="pull"))
    robot = pl.Kinetostatics(pl.compile(m, elements=8), platform="beam/tip", motors=["pull/x", "pull/y"])
    with pytest.raises(UnreachableError, match=r"beam 'beam' would be stretched by 0\.1 m: at 0\.5 m it is too short"):
        robot.inverse((0.6, 0.0))


def test_unstable_pose_is_flagged(robot: pl.Kinetostatics) -> None:
    start = robot.inverse((0.0, 0.0, 0.5))
    with pytest.warns(PliantWarning, match="is unstable in 3 direction"):
        found = robot.inverse((0.0, 0.0, 0.5), load={"load/z": -60.0}, start=start)
    assert found.stable is False
    assert found.unstable_directions == 3
    assert found.softest < 0.0


@pytest.mark.parametrize("bad", [np.nan, np.inf, "up", None])
def test_numbers_that_are_none(robot: pl.Kinetostatics, bad: Any) -> None:
    with pytest.raises(OptionError, match="finite numbers"):
        robot.inverse((0.0, 0.0, bad))
    with pytest.raises(ModelError, match="orientation"):
        robot.inverse((0.0, 0.0, 0.5), (0.0, 0.0, bad))
    with pytest.raises(OptionError, match="motors="):
        robot.forward([0.4, 0.4, 0.4, 0.4, 0.4, bad])
    with pytest.raises(OptionError, match="load"):
        robot.inverse((0.0, 0.0, 0.5), load={"load/z": bad})
    with pytest.raises(OptionError, match="poses: x="):
        robot.workspace({"x": [0.0, bad]})
    with pytest.raises(OptionError, match=r"position=|poses="):
        robot.workspace(bad if isinstance(bad, str) else [bad])


def test_names_and_numbers_of_motors(robot: pl.Kinetostatics) -> None:
    system = robot.system
    for options, said in (
        ({"platform": "plattform", "motors": MOTORS}, "no marker or body 'plattform'. Did you mean"),
        ({"platform": "platform", "motors": MOTORS[:5]}, "5 were named. Give 6 to hold position and orientation"),
        ({"platform": "platform", "motors": [*MOTORS[:5], "motor 7/angle"]}, "no signal 'motor 7/angle'"),
        ({"platform": "platform", "motors": MOTORS[:1] * 6}, "comes twice"),
        ({"platform": "platform", "motors": None}, "motors=None: give a list"),
        ({"platform": "platform", "motors": MOTORS[0]}, "give a list of names"),
        ({"platform": "platform", "motors": MOTORS, "strain_limit": -0.01}, "positive strain"),
        ({"platform": "platform", "motors": MOTORS, "limits": (1.0, 0.0)}, "lowest value comes first"),
        ({"platform": "platform", "motors": MOTORS, "limits": {"motor 9/angle": (0.0, 1.0)}}, "no motor 'motor 9"),
    ):
        with pytest.raises(OptionError, match=said):
            pl.Kinetostatics(system, **options)  # type: ignore[arg-type]
    with pytest.raises(CapabilityError, match="Compile it first"):
        pl.Kinetostatics(model(), platform="platform", motors=MOTORS)
    for poses, said in (
        ({"roll": 0.1}, "give a row"),
        ({"depth": [0.1]}, "'depth' is no part of a pose"),
        ([], "none was given"),
        ([(0.0, 0.5)], "3 finite numbers"),
    ):
        with pytest.raises(OptionError, match=said):
            robot.workspace(poses)
    with pytest.raises(OptionError, match="rows of equal length"):
        robot.follow({"x": [0.0, 0.1], "z": [0.5, 0.5, 0.5]})
    with pytest.raises(OptionError, match="2 motors, which hold a position only"):
        two_links().inverse((0.3, 0.3), 0.1)
    with pytest.raises(OptionError, match="start='home' is not a state"):
        robot.inverse((0.0, 0.0, 0.5), start="home")  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="a pose of another robot"):
        robot.inverse((0.0, 0.0, 0.5), start=two_links().inverse((0.35, 0.4)))
    with pytest.raises(OptionError, match="'motor 1/angle' is a motor"):
        robot.inverse((0.0, 0.0, 0.5), load={"motor 1/angle": 0.1})
    with pytest.raises(OptionError, match="give values by the names"):
        robot.inverse((0.0, 0.0, 0.5), load=[1.0])  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="one for every motor"):
        two_links().inverse((0.35, 0.4)).compliance_with([1.0, 2.0, 3.0])


def test_load_that_nothing_holds_is_named(robot: pl.Kinetostatics) -> None:
    with pytest.raises(UnreachableError, match=r"0 % of the way with load/z = -10000, .* or a smaller load"):
        robot.inverse((0.0, 0.0, 0.5), load={"load/z": -1e4})


def test_a_force_that_fails_is_no_unreachable_pose() -> None:
    def push(_: float, pose: np.ndarray, __: np.ndarray) -> tuple[float, float, float]:
        if pose[0] < 0.3:
            raise ValueError("no value here")
        return 0.0, 0.0, 0.0

    m = arm()
    lower: Any = next(part for part in m.bodies if part.name == "lower")
    m.add(pl.StateForce("wind", lower.at(s=1), push))
    robot = pl.Kinetostatics(pl.compile(m), platform="lower/tip", motors=["shoulder/angle", "elbow/angle"])
    for ask in (robot.workspace, robot.follow):
        with pytest.raises(SignalError, match="'wind': its function raised ValueError: no value here"):
            ask({"x": [0.4, 0.1], "y": [0.4, 0.4]})  # type: ignore[operator]


def test_interrupted_workspace_keeps_what_it_has(robot: pl.Kinetostatics, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: Any, **__: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(_parallel, "wait", interrupt)
    with pytest.raises(Interrupted) as stopped:
        robot.workspace({"x": np.linspace(-0.1, 0.1, 20), "y": np.linspace(-0.1, 0.1, 20)})
    result: Any = stopped.value.result
    assert not result.outcome.ok
    assert result.outcome.poses < 400
    assert result.outcome.poses >= result.reachable.values.sum()


def test_interrupted_trajectory_keeps_what_it_has(robot: pl.Kinetostatics, monkeypatch: pytest.MonkeyPatch) -> None:
    arrive = rows.arrive

    def interrupt(robot: Any, target: Any, start: Any, u: Any) -> pl.Pose:
        if target.position[2] > 0.53:
            raise KeyboardInterrupt
        return arrive(robot, target, start, u)

    monkeypatch.setattr(rows, "arrive", interrupt)
    monkeypatch.setattr(Inverse, "follower", lambda *_: None)
    with pytest.raises(Interrupted) as stopped:
        robot.follow({"z": [0.5, 0.52, 0.54, 0.56]})
    result: Any = stopped.value.result
    assert result.reachable.values.tolist() == [True, True, False, False]
    assert "interrupted at pose 2" in result.outcome.message
