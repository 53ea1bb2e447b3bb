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

PATIENCE = 0.5
"""Seconds before a bar appears: quick work stays silent and never imports rich."""

INTERVAL = 0.1
"""Seconds between two drawings of the bar; reports in between cost a clock reading."""


@contextmanager
def progress(label: str, total: float) -> Iterator[Callable[[float], None]]:
    """Yield `report(done)`, done running from 0 to `total`; silent off a terminal or when PLIANT_QUIET is set."""
    if os.environ.get("PLIANT_QUIET") or not sys.stderr.isatty():
        yield lambda done: None
        return
    bar = _Bar(label, total)
    try:
        yield bar.report
    finally:
        bar.close()


class _Bar:
    def __init__(self, label: str, total: float) -> None:
        self.label, self.total = label, total
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
        from rich.progress import Progress

        bar = Progress(console=Console(file=sys.stderr), auto_refresh=False, transient=True)
        task = bar.add_task(self.label, total=self.total)
        bar.start()
        self.close = bar.stop
        self.draw = lambda done: bar.update(task, completed=done, refresh=True)
        self.draw(done)
