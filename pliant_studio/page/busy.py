"""Button that computes something, with a stop button and a progress bar."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pliant_studio.page.page import Studio

INTERVAL = 0.2
"""Seconds between two reports to the page."""


class Busy:
    """Create it at the place of its buttons; `job` runs on the worker's thread, under ``watching(busy.watch)`` if it
    reports progress.
    """

    def __init__(self, studio: Studio, label: str, job: Callable[[], None], *, icon: str, visible: bool = True) -> None:
        self._studio, self._label, self._job = studio, label, job
        self._stopped, self._told = threading.Event(), 0.0
        gui = studio.server.gui
        self.go = gui.add_button(label, icon=icon, visible=visible)
        self.go.on_click(lambda _: self.ask())
        self.halt = gui.add_button("stop", icon="player-stop", visible=False)
        self.halt.on_click(lambda _: self._stopped.set())
        self.bar = gui.add_progress_bar(0.0, visible=False)

    def ask(self) -> None:
        """Queue the job."""
        self._studio.worker.ask(self._label, self._run)

    @property
    def stopped(self) -> bool:
        """Return whether the user has requested a stop."""
        return self._stopped.is_set()

    def tell(self, share: float) -> bool:
        """Report progress; return whether the page was updated, which is limited in rate."""
        if time.monotonic() <= self._told + INTERVAL:
            return False
        self._told = time.monotonic()
        self.bar.value = 100.0 * share
        return True

    def watch(self, label: str, share: float) -> None:
        """Receive progress from an analysis; raising stops it, and computed results are kept."""
        if self.stopped:
            raise KeyboardInterrupt
        self.tell(share)

    def _run(self) -> None:
        self._stopped.clear()
        self._working(True)
        try:
            self._job()
        finally:
            self._working(False)

    def _working(self, busy: bool) -> None:
        self.bar.value = 0.0
        self.bar.visible = self.halt.visible = busy
        self.go.disabled = busy
