"""Tab of the studio that optimises parameters: a goal, constraints, and the mechanism as it changes."""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from pliant.design.optimise import optimise
from pliant.design.optimum import Optimum
from pliant.errors import Interrupted, OptionError, PliantError
from pliant.results.live_view import watching
from pliant_studio.viewer.text import paragraph

if TYPE_CHECKING:
    from pliant_studio.page.page import Studio

CONDITIONS = 3
INTERVAL = 0.2  # s between two reports to the page
SHOWN = 0.5  # s between two intermediate designs shown
SIDES = ("least", "most")
ABOUT = (
    "Choose what to minimise or maximise, and write conditions in SI units, such as frequency_hz:1 >= 12, "
    "stiffness:beam/tip:y >= 50, largest_strain <= 0.003 or position:beam/tip:y >= -0.01. "
    "All parameters of the model are varied between their bounds."
)
NO_PARAMETERS = 'This model has no parameters. Give one in the place of a number: pl.Parameter("thickness", 1e-3).'


class DesignTab:
    """Goal, constraints, progress, and the optimum in words; the sliders follow it."""

    def __init__(self, studio: Studio) -> None:
        self.studio, self._stopped, self._told, self._shown = studio, threading.Event(), 0.0, 0.0
        self.found: Optimum | None = None
        gui, known = studio.server.gui, self._known()
        gui.add_html(paragraph(ABOUT if known else NO_PARAMETERS))
        self.side = gui.add_dropdown("goal", SIDES, visible=known)
        self.goal = gui.add_text("of", "mass", visible=known)
        self.conditions = [gui.add_text(f"condition {k + 1}", "", visible=known) for k in range(CONDITIONS)]
        self.go = gui.add_button("optimise", icon="target-arrow", visible=known)
        self.go.on_click(lambda _: studio.worker.ask("optimise", self._optimise))
        self.halt = gui.add_button("stop", icon="player-stop", visible=False)
        self.halt.on_click(lambda _: self._stopped.set())
        self.said = gui.add_html("")

    def _known(self) -> bool:
        session = self.studio.session
        return bool(session.mechanism.model(session.values).parameters)

    def _optimise(self) -> None:
        session = self.studio.session
        if session.trouble:
            raise OptionError(f"A design needs an equilibrium to start from, and none was found: {session.trouble}")
        self._stopped.clear()
        self.halt.visible, self.go.disabled = True, True
        self.said.content = paragraph("computing ...")
        asked = {"minimise" if self.side.value == SIDES[0] else "maximise": self.goal.value.strip()}
        try:
            with watching(self._watch):
                self.found = optimise(
                    session.system,
                    **asked,
                    subject_to=[each.value.strip() for each in self.conditions if each.value.strip()],
                    start=session.rest,
                    seen=self._show,
                )
        except Interrupted as stopped:
            self.found = stopped.result if isinstance(stopped.result, Optimum) else None
        except BaseException:
            self.said.content = ""
            raise
        finally:
            self.halt.visible, self.go.disabled = False, False
        self.said.content = "".join(paragraph(line.strip()) for line in str(self.found).splitlines())
        if self.found is not None:
            self.studio.move(dict(self.found.values))

    def _show(self, values: dict[str, float]) -> None:
        """Show the best design so far, now and then."""
        if time.monotonic() > self._shown + SHOWN:
            with suppress(PliantError):  # the search continues if the page cannot follow
                self.studio.move(values)
            self._shown = time.monotonic()

    def _watch(self, label: str, share: float) -> None:
        if self._stopped.is_set():
            raise KeyboardInterrupt
        if time.monotonic() > self._told + INTERVAL:
            self._told = time.monotonic()
            self.said.content = paragraph(f"computing, {100.0 * share:.0f} %")
