"""``python -m tests.faults.kills [KILLS]``: a study that is killed at random instants, all of it or a worker of it.

After each kill it is resumed. In the end its store has the bytes of a study that nobody disturbed, and
only runs that were under way when somebody was killed were computed twice.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

import pliant as pl
from pliant.errors import ConvergenceError
from pliant.studies.store import Store

ROOT = Path(__file__).parents[2]
RUNS, WORKERS, PAUSE = 500, 2, 2e-3
SOON = 0.3  # s between two writings, so that kills fall into them too


class Trial:
    """A run that fails now and then, and says in a folder that it was computed; objects are known by their class, so
    that it may be quicker, and elsewhere, when the study goes on.
    """

    def __init__(self, folder: Path, pause: float) -> None:
        self.folder, self.pause = folder, pause

    def __call__(self, random_numbers: np.random.Generator) -> dict[str, Any]:
        x = random_numbers.random()
        time.sleep(self.pause)
        if x > 0.9:
            raise ConvergenceError(f"no solution at {x}")
        file = os.open(self.folder / "log", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.write(file, f"{x!r}\n".encode())
        os.close(file)
        return {"x": x, "word": "high" if x > 0.5 else "low", "course": x * np.arange(5.0)}


def compute(folder: Path, pause: float, workers: int, on: str) -> pl.Result:
    """Compute the study, or the rest of it."""
    Store.interval = SOON
    asked, store = Trial(folder, pause), folder / "store.zarr"
    return pl.study(asked, over=pl.MonteCarlo(runs=RUNS), out=store, resume=True, workers=workers, on=on)


def begun(folder: Path, on: str = "processes") -> subprocess.Popen[bytes]:
    """Start it in a process group of its own."""
    program = "import sys; from pathlib import Path; from tests.faults.kills import *"
    program += f"; compute(Path(sys.argv[1]), {PAUSE}, {WORKERS}, sys.argv[2])"
    return subprocess.Popen([sys.executable, "-c", program, str(folder), on], cwd=ROOT, start_new_session=True)


def contents(folder: Path) -> dict[str, bytes]:
    """Return all files of a store."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def children(process: int) -> list[int]:
    """Return workers of a study."""
    found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(process)], capture_output=True, text=True, check=False)
    return [int(word) for word in found.stdout.split()]


def done(folder: Path) -> int:
    """Return runs that have been computed up to now."""
    return len(lines(folder))


def lines(folder: Path) -> list[str]:
    """Return the lines that the runs have printed."""
    log = folder / "log"
    return log.read_text().splitlines() if log.exists() else []


def torment(folder: Path, kills: int, seed: int) -> str:
    """Kill and resume until it is done; what happened, in words. AssertionError if a run was lost or repeated."""
    drawn, whole = random.Random(seed), 0
    left, study = kills, begun(folder)
    while left:
        wanted = done(folder) + drawn.randrange(1, max(2, RUNS // (3 * kills)))
        while study.poll() is None and done(folder) < wanted:
            time.sleep(0.01)
        if study.poll() is not None:
            break
        time.sleep(drawn.uniform(0.0, 0.05))
        workers = children(study.pid)
        left -= 1
        if left % 3 == 2 and workers:
            os.kill(drawn.choice(workers), signal.SIGKILL)
            continue
        whole += 1
        os.killpg(study.pid, signal.SIGKILL)
        study.wait()
        study = begun(folder)
    if study.wait() != 0:
        raise AssertionError("the study failed")
    runs, again = finish(folder, again=kills * WORKERS)
    return f"{kills - left} kills, {whole} of them of the whole study: {runs} runs, {again} computed twice"


def finish(folder: Path, again: int) -> tuple[int, int]:
    """Resume a study, which must compute the rest, and compare it with one that nobody disturbed.

    again  how many runs may have been computed twice: those that were under way

    Runs that were recorded, and how many of them twice.
    """
    undisturbed = folder / "undisturbed"
    undisturbed.mkdir()
    for place in (folder, undisturbed):
        compute(place, 0.0, 1, "threads")
    if contents(folder / "store.zarr") != contents(undisturbed / "store.zarr"):
        raise AssertionError("the store has other bytes than an undisturbed study has")
    counts = Counter(lines(folder))
    if set(counts) != set(lines(undisturbed)):
        raise AssertionError("runs are missing, or there are too many")
    twice = sum(counts.values()) - len(counts)
    if twice > again:
        raise AssertionError(f"{twice} runs were computed twice, and {again} at most were under way")
    if (folder / "store.zarr.journal").exists():
        raise AssertionError("journals are left")
    return len(counts), twice


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        sys.stdout.write(torment(Path(place), int((sys.argv[1:] or ["20"])[0]), seed=0) + "\n")
