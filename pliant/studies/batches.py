"""Batches: consecutive points for one worker, which writes a line of a journal as soon as a run is done.

The journal of a batch is a separate file, named by its first and last run. A worker that takes over a batch of a killed
worker first reads that file, so no finished run is computed again. If a worker does not see the folder (on another
machine), the study itself writes the lines when they arrive.
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
    """Numbers of runs and columns of their points; path of their journal, or None."""

    runs: Sequence[int]
    columns: dict[str, list[Any]]
    journal: str | None = None


class Computed(NamedTuple):
    """Lines of a batch; its time in seconds, whether the lines are in a journal, most memory of the worker (bytes)."""

    lines: bytes
    seconds: float
    kept: bool
    memory: int = 0


def compute(job: Job, batch: Batch) -> Computed:
    """Compute all runs of a batch, one after another."""
    began = perf_counter()
    journal = _opened(batch.journal)
    known = {row.run: row for row in journal_rows(batch.journal)} if journal is not None else {}
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


def journal_rows(journal: str | None) -> list[rows.Row]:
    """Return the rows in a journal."""
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
    """Open a journal to append lines, after a truncated one; return None without a journal or its folder."""
    if journal is None:
        return None
    try:
        file = os.open(journal, os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0), 0o644)
    except OSError:
        return None
    if os.fstat(file).st_size:
        os.write(file, b"\n")
    return file
