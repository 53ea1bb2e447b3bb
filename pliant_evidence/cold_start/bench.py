"""First computations in new processes with an empty kernel cache, beside the time they may take on two cores."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pliant
from pliant_evidence import peers
from pliant_evidence.cold_start import programs
from pliant_testing.benchmarking import Comparison, benchmark

ALLOWED = "the time it may take"
LAW = "forces/_law/linear.py"  # of springs
EDIT = ("p[0] * (x[0] - p[1]) + p[2]", "1.01 * p[0] * (x[0] - p[1]) + p[2]")


@benchmark("cold-start")
def cold_start() -> Iterator[Comparison]:
    """The README's four-bar and the demo's leg with nothing compiled; a second process; a pendulum, filled cache; a
    new and an edited force.
    """
    with tempfile.TemporaryDirectory() as folder:
        cache, other = Path(folder) / "one", Path(folder) / "other"
        first = seconds(programs.FOUR_BAR, cache)
        yield _row("cold-start: the README's four-bar", first, "empty cache", 12.0)
        yield _row("cold-start: again, in a second process", seconds(programs.FOUR_BAR, cache), "filled cache", 2.0)
        seconds(programs.PENDULUM, cache)
        compared = beside(cache)
        yield _row("cold-start: a script with one pendulum", compared.pliant_s, "filled cache, processor time", 0.8)
        yield compared
        without = seconds(programs.FOUR_BAR, cache)
        foreign = seconds(programs.FOUR_BAR + programs.STRANGER, cache)
        yield _row("cold-start: a stranger's force", foreign - without, "beyond the four-bar", 3.0)
        yield _row("cold-start: a force edited", editing(cache, Path(folder)), "processor time beyond it", 5.0)
        yield _row("cold-start: the demo's leg", seconds(programs.LEG, other), "empty cache", 25.0)


def beside(cache: Path) -> Comparison:
    """Time the script with one pendulum, and one of MuJoCo, in turns; processor time of both."""
    peer, ours, theirs = peers.mujoco(), [], []
    for _ in range(3):
        ours.append(processor(programs.PENDULUM, cache))
        if peer:
            theirs.append(processor(programs.MUJOCO, cache))
    return peers.compared(
        "cold-start: a script with one pendulum, beside a peer", "-", min(ours), "MuJoCo", peer,
        settings="processor time of a new process", peer_s=min(theirs, default=None),
    )  # fmt: skip


def processor(program: str, cache: Path) -> float:
    """Return the processor time of a program in a new process, its start included."""
    before = os.times()
    subprocess.run([sys.executable, "-P", "-c", program], env=environment(cache), check=True, capture_output=True)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def environment(cache: Path, **more: str) -> dict[str, str]:
    """Return the environment of a user's process with another cache; bytecode is kept unless the user forbids it."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return kept | {"PLIANT_CACHE_DIR": str(cache)} | more


def seconds(program: str, cache: Path) -> float:
    """Time of a program in a new process, its start included."""
    began = time.perf_counter()
    subprocess.run([sys.executable, "-P", "-c", program], env=environment(cache), check=True, capture_output=True)
    return time.perf_counter() - began


def editing(cache: Path, folder: Path) -> float:
    """Measure the processor time that an edit of its spring's law costs the four-bar, in a copy of pliant."""
    copy = folder / "edited"
    shutil.copytree(Path(pliant.__file__).parent, copy / "pliant", ignore=shutil.ignore_patterns("__pycache__"))
    processor_time(copy, cache)  # leaves bytecode behind
    before, answer = processor_time(copy, cache)
    law = copy / "pliant" / LAW
    text = law.read_text()
    if EDIT[0] not in text:
        raise ValueError(f"{LAW} does not hold {EDIT[0]!r} any more: give the benchmark another edit.")
    law.write_text(text.replace(*EDIT))
    after, other = processor_time(copy, cache)
    if other == answer:
        raise ValueError("The edited law was not used.")
    return after - before


def processor_time(package: Path, cache: Path) -> tuple[float, str]:
    """Measure the processor time of the four-bar in one process; also return what it found."""
    alone = environment(cache, PYTHONPATH=str(package), PLIANT_NO_ASSISTANT="1")
    command = [sys.executable, "-P", "-c", programs.FOUR_BAR + programs.TOLD]
    run = subprocess.run(command, env=alone, check=True, capture_output=True, text=True, cwd=package)
    spent, answer = run.stdout.split()
    return float(spent), answer


def _row(name: str, taken: float, settings: str, allowed: float) -> Comparison:
    return Comparison(name, "-", taken, ALLOWED, settings, allowed, required_ratio=1.0)
