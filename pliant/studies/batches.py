"""Batches: some points after another for one worker, which writes a line of a journal as soon as a run is done.

The journal of a batch is a file of its own, named by its first and last run. A worker that takes a batch over from one
that was killed reads what is there first, so no finished run is computed again. Where a worker does not see the folder
(on another machine), the study itself writes the lines when they arrive.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

from pliant.studies import rows
from pliant.studies.job import Job


class Batch(NamedTuple):
    """Numbers of runs and columns of their points; where their journal is, None: nowhere."""

    runs: Sequence[int]
    columns: dict[str, list[Any]]
    journal: str | None = None


class Computed(NamedTuple):
    """Lines of a batch; seconds that it took, whether they are in a journal, most memory of the worker (bytes)."""

    lines: bytes
    seconds: float
    kept: bool
    memory: int = 0


def compute(job: Job, batch: Batch) -> Computed:
    """All runs of a batch, one after another."""
    began = perf_counter()
    journal = _opened(batch.journal)
    known = {row.run: row for row in left(batch.journal)} if journal is not None else {}
    headed, found = False, []
    try:
        for k, run in enumerate(batch.runs):
            row = known.get(run)
            if row is None:
                point = {name: values[k] for name, values in batch.columns.items()}
                row = job.row(run, point, head=not headed)
                text = rows.line(row)
                if journal is not None:
                    os.write(journal, text)
            else:
                text = rows.line(row)
            headed = headed or row.head is not None
            found.append(text)
    finally:
        if journal is not None:
            os.close(journal)
    return Computed(b"".join(found), perf_counter() - began, journal is not None)


def left(journal: str | None) -> list[rows.Row]:
    """Rows that are in a journal."""
    if journal is None or not os.path.exists(journal):
        return []
    return list(rows.read(Path(journal).read_bytes()))


def write(journal: str, lines: bytes) -> None:
    """Add lines to a journal."""
    file = _opened(journal)
    if file is not None:
        os.write(file, lines)
        os.close(file)


def _opened(journal: str | None) -> int | None:
    """A journal to add lines to, behind one that was cut off; None where there is none, or no folder for it."""
    if journal is None:
        return None
    try:
        file = os.open(journal, os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0), 0o644)
    except OSError:
        return None
    if os.fstat(file).st_size:
        os.write(file, b"\n")
    return file
