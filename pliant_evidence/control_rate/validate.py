"""Rows of poses of a continuum robot: against single poses, and against shooting along the rods."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import pliant as pl
from pliant_evidence.control_rate.robot import ELEMENTS, PATH, POINTS, ROBOT, RODS, Shot, kinetostatics
from pliant_testing.validation import Row, at_most, case

EVERY = 25  # poses that are found by themselves
PUSH, HEAVY = -0.4, -22.0  # N
QUICK = 1e-8  # m: increments of this size, with old factors, are the last

Ready = tuple[pl.Kinetostatics, pl.Pose]


@case("control-rate", source="shooting along the rods (control_rate/shooting.py); path of Till and Rucker")
def control_rate() -> Iterator[Row]:
    """Compare motors along a path of 1 mm steps with single poses, and lengths of rods by shooting; under a load too.
    Stability of rods that are marched is compared with elements, on stable and unstable poses.
    """
    fine, coarse = Shot(10 * POINTS, 1e-11), Shot(POINTS, 1e-11)
    push = np.zeros((len(PATH), 6))
    push[:, 2] = np.linspace(0.0, PUSH, len(PATH))
    robots = {"elements": kinetostatics(ELEMENTS), "rods": kinetostatics(RODS)}
    for name, loads in (("no load", 0.0 * push), ("load along the path", push)):
        exact = fine.lengths(loads)
        error = float(np.max(np.abs(coarse.lengths(loads) - exact)))
        for parts, stability in (("elements", True), ("rods", True), ("rods", False)):
            what = f"{name}, {parts}{'' if stability else ' without stability'}"
            yield from _along(what, robots[parts], loads[:, 2], exact, error, stability)
    yield from _stability(robots["elements"], robots["rods"])


def _along(
    name: str,
    robot: Ready,
    push: np.ndarray,
    exact: np.ndarray,
    error: float,
    stability: bool,
) -> Iterator[Row]:
    (arm, start), load = robot, {"load/z": push}
    found = arm.follow(PATH, load=load, start=start, stability=stability)
    motors = found.motor.values
    single = [arm.inverse(PATH[k], load={"load/z": push[k]}, start=start) for k in range(0, len(PATH), EVERY)]
    off = np.max(np.abs(motors[::EVERY] - [pose.motors for pose in single]))
    limit = 1e-9 if stability else QUICK
    yield at_most(f"{name}: motors, row against single poses", "m", float(off), limit=limit, kind="itself")
    off = np.max(np.abs(motors + ROBOT.free_lengths() - exact))
    yield at_most(
        f"{name}: lengths of rods against shooting, with its error at {POINTS} points a rod as the limit", "m",
        float(off), limit=error, kind="independent code",
    )  # fmt: skip
    if stability:
        unknown = float(np.sum(~found.stable.values))
        yield at_most(f"{name}: poses not known to be stable", "1", unknown, limit=0.0, kind="itself")
    back = arm.drive(motors, load=load, start=start, stability=stability)
    off = np.max(np.abs(back.position.values - PATH))
    yield at_most(f"{name}: places missed by drive", "m", float(off), limit=limit, kind="itself")


def _stability(elements: Ready, rods: Ready) -> Iterator[Row]:
    """Check the first pose under a load that grows until rods buckle between their clamps, and further."""
    push = np.linspace(0.0, HEAVY, 221)
    held = np.tile(PATH[0], (push.size, 1))
    one, other = (arm.follow(held, load={"load/z": push}, start=start) for arm, start in (elements, rods))
    differ = int(np.sum(one.stable.values != other.stable.values))
    words = f"load up to {-HEAVY:g} N: {push.size} poses, {one.outcome.unstable} unstable; rods judged unlike elements"
    yield at_most(words, "1", float(differ), limit=0.0, kind="other formulation")
