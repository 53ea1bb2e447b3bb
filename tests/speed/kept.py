"""Times of benchmarks by version, and what of them fell.

A row is what `pliant bench --json` prints, in processor time where laps are timed, with ``pace``: the seconds that a
fixed piece of work took beside it. Times are compared as multiples of their pace, so that a machine that is slower on
the day, or busy, makes nothing fall.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

PLACE = Path(__file__).parents[2] / "docs" / "speed"
LIMIT = 0.1  # more of its speed than this is a fall
ROUNDS, WORK = 15, 300

Row = Mapping[str, Any]


class Fall(NamedTuple):
    """A row that takes longer than it did, by the paces of both days."""

    name: str
    before: float  # s, at today's pace
    now: float  # s

    @property
    def lost(self) -> float:
        """The part of its speed that is gone."""
        return 1.0 - self.before / self.now

    def __str__(self) -> str:
        return f"{self.name}: {1e3 * self.before:.4g} ms, now {1e3 * self.now:.4g} ms, {100.0 * self.lost:.0f} % slower"


def pace() -> float:
    """Measure a fixed piece of work (s): Python, small arrays, and an elimination that a core does in its caches."""
    matrix = np.random.default_rng(0).standard_normal((120, 120)) + 120.0 * np.eye(120)
    best = float("inf")
    for _ in range(ROUNDS):
        start, total, x = time.process_time(), 0, np.zeros(40)
        for k in range(WORK):
            x = x + matrix[k % 120, :40]
            total += sum(i for i in range(40))
        np.linalg.solve(matrix, matrix)
        best = min(best, time.process_time() - start)
    return best


def name_of(row: Row) -> str:
    """Return the name that identifies a row."""
    if "sizes" in row:
        return f"{row['case']}, {row['sizes'][-1]}, growth"
    return ", ".join(str(row[key]) for key in ("case", "size", "peer") if row.get(key) is not None)


def seconds_of(row: Row) -> float:
    """Return pliant's time; of several sizes the largest one's."""
    return float(row["pliant_s"][-1] if "sizes" in row else row["pliant_s"])


def fallen(kept: Iterable[Row], now: Iterable[Row], limit: float = LIMIT) -> list[Fall]:
    """Return rows that lost more than ``limit`` of their speed; those that only one of both has are not compared."""
    before, found = {name_of(row): row for row in kept}, []
    for row in now:
        name = name_of(row)
        if name in before:
            earlier = seconds_of(before[name]) * row["pace"] / before[name]["pace"]
            fall = Fall(name, earlier, seconds_of(row))
            if fall.lost > limit:
                found.append(fall)
    return found


def better(one: Iterable[Row], other: Iterable[Row]) -> list[Row]:
    """Return, for every row, the run that was quicker by its pace."""
    found: dict[str, Row] = {}
    for row in (*one, *other):
        name = name_of(row)
        if name not in found or seconds_of(row) / row["pace"] < seconds_of(found[name]) / found[name]["pace"]:
            found[name] = row
    return list(found.values())


def newest(place: Path = PLACE) -> Path | None:
    """Return the file kept last, by the date in its first line."""
    files = sorted(place.glob("*.jsonl"), key=lambda path: _first(path)["date"])
    return files[-1] if files else None


def load(path: Path) -> list[Row]:
    """Return rows of a file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()[1:]]


def save(path: Path, head: Mapping[str, str], rows: Iterable[Row]) -> None:
    """Write a line with version and day, then a row a line; rows of the file that are not measured again stay."""
    known = {name_of(row): row for row in load(path)} if path.exists() else {}
    known.update({name_of(row): row for row in rows})
    lines = [json.dumps(head), *(json.dumps(row) for row in known.values())]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def _first(path: Path) -> dict[str, str]:
    with path.open(encoding="utf-8") as lines:
        found: dict[str, str] = json.loads(next(lines))
    return found
