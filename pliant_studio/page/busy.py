"""A button that computes something, with another that stops it and a bar of progress."""

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
    """Make it where its buttons shall be; `job` runs on the worker's thread, under ``watching(busy.watch)`` if it tells
    how far it is.
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
        """Compute it when its turn comes."""
        self._studio.worker.ask(self._label, self._run)

    @property
    def stopped(self) -> bool:
        """Whether somebody has asked it to stop."""
        return self._stopped.is_set()

    def tell(self, share: float) -> bool:
        """How far it is; whether the page was told, which is not done too often."""
        if time.monotonic() <= self._told + INTERVAL:
            return False
        self._told = time.monotonic()
        self.bar.value = 100.0 * share
        return True

    def watch(self, label: str, share: float) -> None:
        """Called by an analysis; raising stops it, and what was computed is kept."""
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
