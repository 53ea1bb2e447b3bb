"""Robots at control rate: poses a second beside compiled shooting along the rods, and steps of a motion at 1 kHz."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np

import pliant as pl
from pliant_evidence.control_rate.robot import ELEMENTS, PATH, POINTS, RESIDUAL, ROBOT, RODS, Shot, kinetostatics
from pliant_gallery import six_rus
from pliant_io.fmu.stepper import Stepper
from pliant_testing.benchmarking import Comparison, Lap, benchmark

STABLE_RATE, RATE = 3000.0, 6500.0  # poses a second wanted, with stability and without
TICK, WORST, TICKS, RUNS = 1e-3, 0.5e-3, 1000, 15  # s, s, steps, runs
LIMIT = "the time it may take"
ROD_SIZE, ELEMENT_SIZE = "6 rods, 4 steps of order 8", "6 x 2, order 6"


class Ticks(NamedTuple):
    """(runs, steps) seconds of the processor's for this thread, and by the clock."""

    work: np.ndarray
    wall: np.ndarray

    @property
    def own(self) -> np.ndarray:
        """(steps,) what a step takes by itself: runs do the same, and what is beyond the least of them is not its own
        (other programs on the core, memory that these drove out of the cache, garbage collection).
        """
        return np.asarray(np.min(self.work, axis=0))


@benchmark("control-rate")
def control_rate() -> Iterator[Comparison]:
    """Continuum Stewart-Gough robot along its path, inverse and forward; 6-RUS in motion at 1 kHz, step by step."""
    robot, start = kinetostatics(RODS)
    other, begin = kinetostatics(ELEMENTS)
    shot, exact, count = Shot(POINTS, RESIDUAL), Shot(10 * POINTS, 1e-11).lengths(), len(PATH)
    push = {"load/z": np.linspace(0.0, -0.5, count)}
    laps = least(
        {
            "shooting": shot.lengths,
            "stable": lambda: robot.follow(PATH, start=start),
            "quick": lambda: robot.follow(PATH, start=start, stability=False),
            "drive": lambda: robot.drive(start.motors, load=push, start=start),
            "quick drive": lambda: robot.drive(start.motors, load=push, start=start, stability=False),
            "elements": lambda: other.follow(PATH, start=begin),
        }
    )
    lengths = {name: laps[name].value.motor.values + ROBOT.free_lengths() for name in ("stable", "quick", "elements")}
    off = {name: float(np.max(np.abs(found - exact))) for name, found in lengths.items()}
    missed = float(np.max(np.abs(laps["shooting"].value - exact)))
    settings = f"{POINTS} points a rod, residual {RESIDUAL:g}, no stability"
    for name, what, size in (
        ("stable", "with stability", ROD_SIZE),
        ("quick", "without stability", ROD_SIZE),
        ("elements", "of elements, with stability", ELEMENT_SIZE),
    ):
        yield Comparison(
            f"control-rate: {count} poses {what}", size, laps[name].seconds, "shooting for this robot alone (Numba)",
            settings, laps["shooting"].seconds, off[name], missed,
        )  # fmt: skip
    for name, what, rate in (
        ("stable", f"{count} poses with stability", STABLE_RATE),
        ("quick", f"{count} poses without stability", RATE),
        ("drive", f"forward, {count} loads, with stability", STABLE_RATE),
        ("quick drive", f"forward, {count} loads, without stability", RATE),
    ):
        yield Comparison(
            f"control-rate: {what}", ROD_SIZE, laps[name].seconds, LIMIT, f"{rate:g} a second", count / rate,
            off.get(name), required_ratio=1.0,
        )  # fmt: skip
    for stability in (True, False):
        yield _pose_by_pose(robot, start, stability)
    yield from _motion()


def least(jobs: Mapping[str, Callable[[], Any]], rounds: int = 12) -> dict[str, Lap]:
    """Return every job's least processor time of several rounds, one job after the other in each: what others do on the
    machine delays by the clock, and counts here only by what it drives out of the caches.
    """
    best: dict[str, Lap] = {}
    for _ in range(rounds):
        for name, job in jobs.items():
            began = time.process_time()
            value = job()
            seconds = time.process_time() - began
            best[name] = Lap(min(seconds, best[name].seconds) if name in best else seconds, value)
    return best


def _pose_by_pose(robot: pl.Kinetostatics, start: pl.Pose, stability: bool) -> Comparison:
    """Time the poses in a loop, one call each; time of this thread."""
    loop = robot.stepper(start=start, stability=stability)
    took = np.zeros(2 * len(PATH))
    for k, place in enumerate((*PATH, *PATH)):
        took[k] = _seconds(partial(loop.inverse, place), time.thread_time)
    took = np.sort(took[len(PATH) :])
    what = "with stability" if stability else "without"
    return Comparison(
        f"control-rate: one pose of robot.stepper() {what}, median", ROD_SIZE, float(np.median(took)),
        "a tick of 1 kHz", f"slowest {1e3 * took[-1]:.2g} ms", TICK, required_ratio=1.0,
    )  # fmt: skip


def ticks(order: int = 2, count: int = TICKS, runs: int = RUNS) -> Ticks:
    """Return seconds of each step, with its values, of the 6-RUS pushed about at 1 kHz, the same again in every run."""
    mass = {"platform_mass": 0.8, "platform_inertia": (2e-3, 2e-3, 4e-3)}
    system = pl.compile(six_rus.model(**mass), elements=pl.Exact(4, order=order))  # type: ignore[arg-type]
    start, warm = pl.statics(system), 20
    work, wall = np.zeros((runs, count + warm)), np.zeros((runs, count + warm))
    for run in range(runs):
        stepper = Stepper(system, ["load/x", "load/z"], ["rotation:platform:x"], step=TICK, start=start)
        for k in range(count + warm):
            stepper.inputs["load/x"] = float(np.sin(0.02 * k))
            began, clock = time.thread_time(), time.perf_counter()
            _tick(stepper)
            work[run, k], wall[run, k] = time.thread_time() - began, time.perf_counter() - clock
    return Ticks(work[:, warm:], wall[:, warm:])


def _tick(stepper: Stepper) -> None:
    stepper.advance(TICK)
    stepper.values()


def _motion() -> Iterator[Comparison]:
    for order in (2, 3):
        found = ticks(order)
        own = np.sort(found.own)
        rows = (("median", np.median(own)), ("99 %", own[int(0.99 * own.size)]), ("slowest", own[-1]))
        clock = f"with all that runs besides, by the clock: {1e3 * np.median(found.wall):.2g} ms, slowest "
        for what, seconds in rows:
            yield Comparison(
                f"control-rate: 6-RUS, a step of Stepper, {what}", f"6 x 4, order {order}", float(seconds), LIMIT,
                f"{TICKS} steps of 1 ms, least of {RUNS} runs; {clock}{1e3 * np.max(found.wall):.2g} ms", WORST,
                required_ratio=1.0,
            )  # fmt: skip


def _seconds(job: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> float:
    began = clock()
    job()
    return clock() - began
