"""``python -m tests.soak.studies [RUNS] [WORKERS]``: very many runs that do nothing, to see what store and loop cost.

Prints seconds, microseconds a run, the largest memory of the study and of a worker, and the number and size of files.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import pliant as pl


def stub(x: float) -> dict[str, float]:
    """Run the quickest analysis there is."""
    return {"y": 2.0 * x}


def main(runs: int, workers: int) -> str:
    """Compute, check and sum up."""
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "stub.zarr"
        began = time.perf_counter()
        found = pl.study(stub, over=pl.Random({"x": (0.0, 1.0)}, runs=runs), out=store, workers=workers)
        seconds = time.perf_counter() - began
        if not found.outcome.ok or not np.array_equal(found.y, 2.0 * found.data["x"]):
            raise AssertionError(found.outcome.message)
        files = [path.stat().st_size for path in store.rglob("*") if path.is_file()]
    peaks = [resource.getrusage(who).ru_maxrss / 1024.0 for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    processor = sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return (
        f"{runs} runs, {workers} workers: {seconds:.1f} s, {1e6 * seconds / runs:.0f} us a run (processor time "
        f"{1e6 * processor / runs:.0f} us), study {peaks[0]:.0f} MB, worker {peaks[1]:.0f} MB, {len(files)} files of "
        f"{1e-6 * sum(files):.1f} MB"
    )


if __name__ == "__main__":
    given = [int(word) for word in sys.argv[1:]]
    sys.stdout.write(main(*given[:2], *(1_000_000, 2)[len(given) :]) + "\n")
