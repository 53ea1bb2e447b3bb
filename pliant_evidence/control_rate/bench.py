"""Robots at control rate: poses a second beside compiled shooting along the rods, and steps of a motion at 1 kHz."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

import pliant as pl
from pliant.benchmarking import Comparison, Contender, benchmark, race
from pliant.gallery import six_rus
from pliant.interchange.stepper import Stepper
from pliant_evidence.control_rate.robot import ELEMENTS, PATH, POINTS, RESIDUAL, ROBOT, Shot, kinetostatics

STABLE_RATE, RATE = 3000.0, 6500.0  # poses a second wanted, with stability and without
TICK, WORST, TICKS = 1e-3, 0.5e-3, 1000  # s, s, steps
SIZE = f"6 x {ELEMENTS.elements}, order {ELEMENTS.order}"


@benchmark("control-rate")
def control_rate() -> Iterator[Comparison]:
    """Continuum Stewart-Gough robot along its path, inverse and forward; 6-RUS in motion at 1 kHz, step by step."""
    robot, start = kinetostatics()
    shot, exact = Shot(POINTS, RESIDUAL), Shot(10 * POINTS, 1e-11).lengths()
    push = {"load/z": np.linspace(0.0, -0.5, len(PATH))}
    laps = race(
        {
            "follow": Contender(lambda: robot.follow(PATH, start=start)),
            "shooting": Contender(shot.lengths),
            "drive": Contender(lambda: robot.drive(start.motors, load=push, start=start)),
        }
    )
    found = laps["follow"].value
    off = float(np.max(np.abs(found.motor.values + ROBOT.free_lengths() - exact)))
    missed = float(np.max(np.abs(laps["shooting"].value - exact)))
    name, count = f"control-rate: {len(PATH)} poses with stability", len(PATH)
    settings = f"{POINTS} points a rod, residual {RESIDUAL:g}, no stability"
    yield Comparison(
        name, SIZE, laps["follow"].seconds, "shooting (Numba, Broyden)", settings, laps["shooting"].seconds, off, missed
    )
    wanted = "the time it may take"
    for rate, what in ((STABLE_RATE, "with stability"), (RATE, "without stability, which costs nothing more")):
        settings = f"{rate:g} poses a second, {what}"
        yield Comparison(name, SIZE, laps["follow"].seconds, wanted, settings, count / rate, off, required_ratio=1.0)
    yield Comparison(
        f"control-rate: forward, {count} loads", SIZE, laps["drive"].seconds, wanted, f"{STABLE_RATE:g} a second",
        count / STABLE_RATE, required_ratio=1.0,
    )  # fmt: skip
    yield _pose_by_pose(robot, start)
    yield from _motion()


def _pose_by_pose(robot: pl.Kinetostatics, start: pl.Pose) -> Comparison:
    """The same poses in a loop, each asked for by itself."""
    loop = robot.stepper(start=start)
    took = np.zeros(2 * len(PATH))
    for k, place in enumerate((*PATH, *PATH)):
        took[k] = _seconds(partial(loop.inverse, place))
    took = np.sort(took[len(PATH) :])
    return Comparison(
        "control-rate: one pose of robot.stepper(), median", SIZE, float(np.median(took)), "a tick of 1 kHz",
        f"slowest {1e3 * took[-1]:.2g} ms", TICK, required_ratio=1.0,
    )  # fmt: skip


def ticks(count: int = TICKS, clock: Callable[[], float] = time.perf_counter) -> np.ndarray:
    """(count,) seconds of each step, with its values, of the 6-RUS pushed about at 1 kHz."""
    mass = {"platform_mass": 0.8, "platform_inertia": (2e-3, 2e-3, 4e-3)}
    system = pl.compile(six_rus.model(**mass), elements=pl.Exact(4, order=2))  # type: ignore[arg-type]
    stepper = Stepper(system, ["load/x", "load/z"], ["rotation:platform:x"], step=TICK, start=pl.statics(system))
    took = np.zeros(count + 20)
    for k in range(took.size):
        stepper.inputs["load/x"] = float(np.sin(0.02 * k))
        took[k] = _seconds(lambda: _tick(stepper), clock)
    return took[20:]


def _tick(stepper: Stepper) -> None:
    stepper.advance(TICK)
    stepper.values()


def _motion() -> Iterator[Comparison]:
    took = np.sort(ticks())
    for what, seconds in (("median", np.median(took)), ("99 %", took[int(0.99 * took.size)]), ("slowest", took[-1])):
        yield Comparison(
            f"control-rate: 6-RUS, a step of Stepper, {what}", "6 x 4, order 2", float(seconds), "the time it may take",
            f"{TICKS} steps of 1 ms, values read", WORST, required_ratio=1.0,
        )  # fmt: skip


def _seconds(job: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> float:
    began = clock()
    job()
    return clock() - began
