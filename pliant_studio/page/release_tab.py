"""Tab of the studio that releases a mechanism: choice, duration, progress, results."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

from pliant.errors import PliantError
from pliant.results.live_view import watching
from pliant_studio.page import tables
from pliant_studio.viewer.text import paragraph

if TYPE_CHECKING:
    from pliant_studio.page.page import Studio

INTERVAL = 0.2
"""Seconds between two reports to the page."""


class ReleaseTab:
    """Controls, progress and plots of a motion."""

    def __init__(self, studio: Studio) -> None:
        self.studio, self._stopped, self._told = studio, threading.Event(), 0.0
        gui, used = studio.server.gui, studio.session.mechanism
        self.what = gui.add_dropdown("what", tuple(used.releases))
        self._meaning = gui.add_html(paragraph(used.releases[self.what.value]))
        self.what.on_update(lambda _: setattr(self._meaning, "content", paragraph(used.releases[self.what.value])))
        self.until = gui.add_number("until [s]", used.end_time, min=0.001, max=1000.0, step=0.001)
        self.go = gui.add_button("release", icon="player-play")
        self.go.on_click(lambda _: studio.worker.ask("release", self._release))
        self.halt = gui.add_button("stop", icon="player-stop", visible=False)
        self.halt.on_click(lambda _: self._stopped.set())
        self.bar = gui.add_progress_bar(0.0, visible=False)
        self.outcome = gui.add_html("")
        self.plots = gui.add_folder("over time", visible=False)

    @property
    def choice(self) -> str:
        """Return the name of the released part."""
        return str(self.what.value)

    @property
    def seconds(self) -> float:
        """Return the duration of the motion."""
        return float(self.until.value)

    def clear(self) -> None:
        """Remove the results."""
        self.outcome.content, self.plots.visible = "", False

    def _release(self) -> None:
        studio = self.studio
        self._stopped.clear()
        self._working(True)
        self.outcome.content = paragraph("computing ...")
        try:
            with watching(self._watch):
                motion = studio.session.release(self.seconds, choice=self.choice)
        except PliantError:
            self.outcome.content = ""
            raise
        finally:
            self._working(False)
        self.outcome.content = paragraph(motion.outcome.message)
        for child in tuple(self.plots._children.values()):
            child.remove()
        with self.plots:
            for plot in tables.curves(studio.session, motion):
                studio.server.gui.add_uplot(**plot)
        self.plots.visible = True
        studio.play(motion)

    def _working(self, busy: bool) -> None:
        self.bar.value = 0.0
        self.bar.visible = self.halt.visible = busy
        self.go.disabled = busy

    def _watch(self, label: str, share: float) -> None:
        """Receive progress from the analysis; raising stops it, and computed results are kept."""
        if self._stopped.is_set():
            raise KeyboardInterrupt
        if time.monotonic() > self._told + INTERVAL:
            self._told = time.monotonic()
            self.bar.value = 100.0 * share
