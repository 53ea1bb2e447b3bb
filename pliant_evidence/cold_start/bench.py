"""First computations in new processes with an empty kernel cache, beside the time they may take on two cores."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from pliant.benchmarking import Comparison, benchmark
from pliant_evidence.cold_start import programs

ALLOWED = "the time it may take"


@benchmark("cold-start")
def cold_start() -> Iterator[Comparison]:
    """The README's four-bar and the demo's leg with nothing compiled; a second process; a stranger's force."""
    with tempfile.TemporaryDirectory() as folder:
        cache, other = Path(folder) / "one", Path(folder) / "other"
        first = seconds(programs.FOUR_BAR, cache)
        yield _row("cold-start: the README's four-bar", first, "empty cache", 12.0)
        yield _row("cold-start: again, in a second process", seconds(programs.FOUR_BAR, cache), "filled cache", 2.0)
        without = seconds(programs.FOUR_BAR, cache)
        foreign = seconds(programs.FOUR_BAR + programs.STRANGER, cache)
        yield _row("cold-start: a stranger's force", foreign - without, "beyond the four-bar", 3.0)
        yield _row("cold-start: the demo's leg", seconds(programs.LEG, other), "empty cache", 25.0)


def seconds(program: str, cache: Path) -> float:
    """Time of a program in a new process, its start included."""
    environment = {**os.environ, "PLIANT_CACHE_DIR": str(cache)}
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", program], env=environment, check=True, capture_output=True)
    return time.perf_counter() - began


def _row(name: str, taken: float, settings: str, allowed: float) -> Comparison:
    return Comparison(name, "-", taken, ALLOWED, settings, allowed, required_ratio=1.0)
