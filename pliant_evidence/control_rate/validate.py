"""Rows of poses of a continuum robot: against single poses, and against shooting along the rods."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pliant.validation import Row, at_most, case
from pliant_evidence.control_rate.robot import PATH, POINTS, ROBOT, Shot, kinetostatics

EVERY = 25  # poses that are found by themselves
PUSH = -0.4  # N


@case("control-rate", source="shooting along the rods (control_rate/shooting.py); path of Till and Rucker")
def control_rate() -> Iterator[Row]:
    """Motors along a path of 1 mm steps: those of single poses, and lengths of rods by shooting; under a load too."""
    robot, start = kinetostatics()
    fine, coarse = Shot(10 * POINTS, 1e-11), Shot(POINTS, 1e-11)
    push = np.zeros((len(PATH), 6))
    push[:, 2] = np.linspace(0.0, PUSH, len(PATH))
    for name, loads in (("no load", 0.0 * push), ("load along the path", push)):
        found = robot.follow(PATH, load={"load/z": loads[:, 2]}, start=start)
        motors = found.motor.values
        single = [robot.inverse(PATH[k], load={"load/z": loads[k, 2]}, start=start) for k in range(0, len(PATH), EVERY)]
        off = np.max(np.abs(motors[::EVERY] - [pose.motors for pose in single]))
        yield at_most(f"{name}: motors, row against single poses", "m", float(off), limit=1e-9, kind="itself")
        exact = fine.lengths(loads)
        off = np.max(np.abs(motors + ROBOT.free_lengths() - exact))
        error = float(np.max(np.abs(coarse.lengths(loads) - exact)))
        yield at_most(
            f"{name}: lengths of rods against shooting, with its error at {POINTS} points a rod as the limit", "m",
            float(off), limit=error, kind="independent code",
        )  # fmt: skip
        yield at_most(f"{name}: unstable poses", "1", float(found.outcome.unstable), limit=0.0, kind="itself")
        back = robot.drive(motors, load={"load/z": loads[:, 2]}, start=start)
        off = np.max(np.abs(back.position.values - PATH))
        yield at_most(f"{name}: places missed by drive", "m", float(off), limit=1e-9, kind="itself")
