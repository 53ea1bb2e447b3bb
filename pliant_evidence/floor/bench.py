"""Iterations of Newton's method in motions, beside the least time that their operations and bytes can take."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import pliant as pl
from pliant._threads import python_command
from pliant_evidence.call_overhead.bench import released
from pliant_evidence.frames.bench import FINE, STEP, STOREYS, TALL, loaded
from pliant_evidence.rod_platform.bench import ELEMENTS, PLAN, model
from pliant_evidence.spinning_beam.bench import PLAN as SPIN_UP
from pliant_gallery import spinning_beam
from pliant_testing.benchmarking import Comparison, Contender, benchmark, race

SIZE, LONG = 384, 1 << 24  # of a product of matrices in the caches, of arrays in memory
CACHE = 1 << 20  # bytes: what is smaller stays in the caches of a core


@benchmark("floor")
def floor() -> Iterator[Comparison]:
    """Operations and bytes of an iteration: spinning beam, leg, six rods, 101,000 elements; how near each comes."""
    rate, bandwidth = operations_per_second(), bytes_per_second()
    frames = TALL * (TALL + 1) / (STOREYS[0] * (STOREYS[0] + 1))
    for name, seconds, size in (
        ("spinning beam", spin_up(), 1.0),
        ("leg", leg(), 1.0),
        ("six rods", six_rods(), 1.0),
        ("frame", frame(), frames),
    ):
        operations, moved = (size * each for each in count_kernels(name))
        least = max(operations / rate, moved / bandwidth if moved > CACHE else 0.0)
        what = f"{1e-9 * rate:.0f}e9 operations and {1e-9 * bandwidth:.0f} GB a second, processor time"
        told = f"{1e-3 * operations:.4g} thousand operations, {1e-3 * moved:.4g} kB"
        yield Comparison(f"floor: an iteration of the {name}", told, seconds, "its floor", what, least)


def count_kernels(name: str) -> tuple[int, int]:
    """Return operations and bytes of an iteration, counted by kernels as plain Python."""
    command = python_command("pliant_evidence.floor.count", name)
    done = subprocess.run(
        command, env={**os.environ, "NUMBA_DISABLE_JIT": "1"}, check=True, capture_output=True, text=True
    )
    operations, moved = json.loads(done.stdout.splitlines()[-1])
    return operations, moved


def operations_per_second() -> float:
    """Measure the speed of a core at its best: a product of matrices."""
    x = np.random.default_rng(0).standard_normal((SIZE, SIZE))
    return 2.0 * SIZE**3 / _least(lambda: x @ x)


def bytes_per_second() -> float:
    """Measure the speed of memory, as one core reads and writes it."""
    x, y = np.ones(LONG), np.zeros(LONG)
    return 2.0 * x.nbytes / _least(lambda: np.copyto(y, x))


def spin_up() -> float:
    """Return seconds of an iteration of the spinning beam."""
    system = pl.compile(spinning_beam.model(case=1), elements=20)
    return per_iteration(
        lambda steps: pl.transient(
            system,
            end_time=steps * SPIN_UP.step,
            step=SPIN_UP.step,
            every=steps,
            constraints="position",
            estimate=False,
        ),
        (2000, 4000),
    )


def leg() -> float:
    """Return seconds of an iteration of the leg that was let go."""
    free, rest = released()
    return per_iteration(
        lambda steps: pl.transient(free, start=rest, end_time=1e-3 * steps, step=1e-3, every=steps, estimate=False),
        (1500, 3000),
    )


def six_rods() -> float:
    """Return seconds of an iteration of six rods and a platform."""
    system = pl.compile(model(), elements=ELEMENTS)
    return per_iteration(
        lambda steps: pl.transient(system, end_time=steps * PLAN.step, step=PLAN.step, every=steps, estimate=False),
        (500, 1000),
    )


def frame() -> float:
    """Return seconds of an iteration of the frame of 101,000 elements."""
    system = pl.compile(loaded(TALL), elements=FINE)
    return per_iteration(
        lambda steps: pl.transient(system, end_time=steps * STEP, step=STEP, every=steps, estimate=False),
        (5, 15),
        rounds=1,
    )


def per_iteration(move: Callable[[int], Any], steps: tuple[int, int], rounds: int = 5) -> float:
    """Return seconds that a longer motion takes beyond a shorter one, by its further iterations."""
    iterations = [move(count).outcome.iterations for count in steps]
    best = [float("inf")] * 2
    for _ in range(rounds):
        for k, count in enumerate(steps):
            start = time.process_time()
            move(count)
            best[k] = min(best[k], time.process_time() - start)
    return (best[1] - best[0]) / (iterations[1] - iterations[0])


def _least(job: Callable[[], Any]) -> float:
    return race({"job": Contender(job)}, rounds=20, by=time.process_time)["job"].seconds
