"""A progress bar for long analyses, on a terminal only.

with progress("transient", end_time) as report:
    ...
    report(t)
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from pliant.results.live_view import watcher

PATIENCE = 0.5
"""Seconds before a bar appears: quick work stays silent and never imports rich."""

INTERVAL = 0.1
"""Seconds between two drawings of the bar; reports in between cost a clock reading."""


@contextmanager
def progress(label: str, total: float, *, unit: str = "") -> Iterator[Callable[[float], None]]:
    """Yield `report(done)`, done running from 0 to `total`; silent off a terminal or when PLIANT_QUIET is set, unless a
    watcher is set (`watching`).

    unit  of what is counted: the bar then shows the count and its rate per second
    """
    if (told := watcher()) is not None:
        yield lambda done: told(label, done / total if total else 1.0)
        return
    if os.environ.get("PLIANT_QUIET") or not sys.stderr.isatty():
        yield lambda done: None
        return
    bar = _Bar(label, total, unit)
    try:
        yield bar.report
    finally:
        bar.close()


class _Bar:
    def __init__(self, label: str, total: float, unit: str) -> None:
        self.label, self.total, self.unit = label, total, unit
        self.next_drawing = time.monotonic() + PATIENCE
        self.close: Callable[[], None] = lambda: None
        self.draw: Callable[[float], None] = self._open

    def report(self, done: float) -> None:
        now = time.monotonic()
        if now >= self.next_drawing:
            self.next_drawing = now + INTERVAL
            self.draw(done)

    def _open(self, done: float) -> None:
        from rich.console import Console
        from rich.progress import Progress, TextColumn

        counted = [TextColumn(f"{{task.completed:,}} of {{task.total:,}} {self.unit}, {{task.fields[rate]}}")]
        columns = [*Progress.get_default_columns(), *(counted if self.unit else [])]
        bar = Progress(*columns, console=Console(file=sys.stderr), auto_refresh=False, transient=True)
        task = bar.add_task(self.label, total=self.total, rate="")
        bar.start()
        self.close = bar.stop
        self.draw = lambda done: bar.update(task, completed=done, rate=_rate(bar.tasks[0].speed), refresh=True)
        self.draw(done)


def _rate(speed: float | None) -> str:
    return "" if speed is None else f"{speed:.3g} a second"
