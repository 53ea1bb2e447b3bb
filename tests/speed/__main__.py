"""`python -m tests.speed`: time benchmarks (all, or those named) and say what fell since the version kept last.

Exit code 1 if something did. What seems to have fallen is timed once more before it is believed. ``--keep`` writes the
times into docs/speed/ under this version instead.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Sequence
from datetime import UTC, datetime

import pliant
from pliant.errors import PliantWarning
from pliant_testing import benchmarking
from tests.speed.kept import LIMIT, PLACE, Row, better, fallen, load, name_of, newest, pace, save


def measured(name: str) -> list[Row]:
    """Return rows of a benchmark, with the pace of the machine before or after it, whichever was quicker."""
    benchmarking.clock = time.process_time
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PliantWarning)  # of models that are chosen for what they take
        before, rows = pace(), [outcome.as_dict() for outcome in benchmarking.run(name)]
    benchmarking.clock = time.perf_counter
    found = min(before, pace())
    return [{**row, "pace": found} for row in rows]


def main(arguments: Sequence[str]) -> int:
    """Measure, and keep or compare."""
    parser = argparse.ArgumentParser(prog="python -m tests.speed", description=__doc__)
    parser.add_argument("cases", nargs="*", help="benchmarks; all unless given")
    parser.add_argument("--keep", action="store_true", help="keep the times of this version")
    given = parser.parse_args(arguments)
    last = newest()
    if last is None and not given.keep:
        parser.error(f"no version is kept in {PLACE.name}/: run it with --keep first")
    kept, rows, lost = [] if last is None or given.keep else load(last), [], []
    for name in benchmarking.BENCHMARKS.chosen(given.cases):
        found = measured(name)
        if fallen(kept, found):
            found = better(found, measured(name))
        rows += found
        lost += fallen(kept, found)
        sys.stdout.write(f"{name}: {len(found)} rows\n")
        sys.stdout.flush()
    if given.keep:
        head = {"version": pliant.__version__, "date": datetime.now(UTC).isoformat(timespec="seconds")}
        save(PLACE / f"{pliant.__version__}.jsonl", head, rows)
        return 0
    new = {name_of(row) for row in rows} - {name_of(row) for row in kept}
    for fall in lost:
        sys.stdout.write(f"{fall}\n")
    against = f"{len(rows) - len(new)} rows beside {last.stem if last else ''}, {len(new)} new ones"
    sys.stdout.write(f"{against}: {len(lost)} fell by more than {100 * LIMIT:.0f} %\n")
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
