"""Two consoles, progress and exit codes, shared by all commands."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeRemainingColumn

T = TypeVar("T")

OK, NOT_OK, BAD_INPUT, BUG, INTERRUPTED = 0, 1, 2, 3, 130
"""Exit codes: done; computed, but not converged or a check failed; input refused; a fault of pliant; Ctrl-C."""

WIDE = 120  # columns of an output that is no terminal

out = Console() if sys.stdout.isatty() or "COLUMNS" in os.environ else Console(width=WIDE)
err = Console(stderr=True)


def with_progress(names: Sequence[str]) -> Iterator[str]:
    """Yield the names, with a progress line on standard error that disappears at the end."""
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, TimeRemainingColumn(), console=err, transient=True) as progress:
        task = progress.add_task("", total=len(names))
        for name in names:
            progress.update(task, description=name)
            yield name
            progress.advance(task)


def number(value: float | None, digits: int = 6) -> str:
    """Format a number with a fixed count of digits, None as a dash."""
    return "-" if value is None else f"{value:.{digits}g}"


def verdict(ok: bool | None) -> str:
    """Return a coloured yes or no; a dash for None."""
    return "-" if ok is None else "[green]ok[/]" if ok else "[bold red]NO[/]"


def unique(names: Iterable[str]) -> list[str]:
    """Return the names without repetitions, in their order."""
    return list(dict.fromkeys(names))
