"""Angles up to half a turn: an answer is where it was wanted, or it is refused."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pliant as pl
from pliant.errors import PliantError
from tests.properties.arms import Arm, apart

TARGETS = 4  # for each arm and question
CLOSE = 1e-7  # m, rad


def faults(seed: int, *, spatial: bool, counts: dict[str, int]) -> Iterator[str]:
    """Yield faults of the answers to random targets of a random arm; count questions and refusals."""
    rng = np.random.default_rng(seed)
    arm = Arm(seed, spatial=spatial, joints=6 if spatial else 3)
    system = pl.compile(arm.model, elements=2)
    robot = pl.Kinetostatics(system, platform=f"link {arm.joints - 1}", motors=arm.motors)
    before: dict[str, Any] = {"statics": None, "forward": None, "inverse": None}
    for _ in range(TARGETS):
        angles = rng.uniform(-np.pi, np.pi, arm.joints)
        for question in before:
            counts[question] = counts.get(question, 0) + 1
            try:
                before[question], off = answer(question, arm, system, robot, angles, before[question])
            except PliantError:
                counts[f"{question} refused"] = counts.get(f"{question} refused", 0) + 1
                continue
            if off > CLOSE:
                yield f"arm {seed}, {question}, angles {angles.tolist()}: off by {off:.3g}"


def answer(question: str, arm: Arm, system: Any, robot: Any, angles: np.ndarray, start: Any) -> tuple[Any, float]:
    """Return an answer and its distance from the target; every other one starts from the answer before."""
    motors = dict(zip(arm.motors, angles.tolist(), strict=True))
    if question == "statics":
        found = pl.statics(system.with_signals(motors), start=start)
        return found, arm.off(found, angles)
    if question == "forward":
        pose = robot.forward(angles, start=start)
        return pose, arm.off(robot.result(pose), angles)
    centres, turns = arm.pose(angles)
    centre, turn = centres[-1], turns[-1]
    if not arm.spatial:
        place: Any = (tuple(centre[:2]), float(np.sum(angles)))
        found = pl.inverse_statics(system, {f"link {arm.joints - 1}": place}, signals=arm.motors)
        last = found.angle.sel(body=f"link {arm.joints - 1}").item()
        miss = abs(np.sin(0.5 * (last - np.sum(angles))))
    else:
        place = (tuple(centre), turn.as_rotvec())
        found = pl.inverse_statics(system, {f"link {arm.joints - 1}": place}, signals=arm.motors)
        miss = apart(found.orientation.sel(body=f"link {arm.joints - 1}").values, turn)
    held = arm.pose(found.signal_value.values)  # where these angles lead to
    return None, max(miss, float(np.max(np.abs(held[0][-1] - centre))), float((held[1][-1].inv() * turn).magnitude()))


@pytest.mark.filterwarnings("ignore::pliant.errors.PliantWarning")
@settings(max_examples=6)
@given(seed=st.integers(0, 10**6), spatial=st.booleans())
def test_no_answer_is_elsewhere_than_asked(seed: int, spatial: bool) -> None:
    counts: dict[str, int] = {}
    assert not list(faults(seed, spatial=spatial, counts=counts))
    assert counts.get("statics refused", 0) == 0
