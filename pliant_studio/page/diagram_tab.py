"""Tab of the studio that draws a reading over one slider, growing while it is computed."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import numpy as np

from pliant.errors import OptionError
from pliant_studio.session.diagram import Diagram, diagram
from pliant_studio.viewer.text import paragraph

if TYPE_CHECKING:
    from pliant_studio.page.page import Studio


class DiagramTab:
    """Choice of slider and reading, the picture, and the reason a curve ends."""

    def __init__(self, studio: Studio) -> None:
        self.studio, self._stopped = studio, threading.Event()
        self.drawn: Diagram | None = None
        gui = studio.server.gui
        self._sliders = {each.label: each for each in studio.session.mechanism.sliders if not each.anew}
        self.along = gui.add_dropdown("over", tuple(self._sliders) or ("nothing",))
        self.reading = gui.add_dropdown("read", self._readings())
        self.draw = gui.add_button("draw", icon="chart-line", disabled=not self._sliders)
        self.draw.on_click(lambda _: studio.worker.ask("diagram", self._draw))
        self.halt = gui.add_button("stop", icon="player-stop", visible=False)
        self.halt.on_click(lambda _: self._stopped.set())
        self.picture: Any = None
        self.said = gui.add_html("")
        self.place = gui.add_folder("diagram", visible=False)

    def offer(self) -> None:
        """Update the choices after the readings have changed."""
        chosen = self.reading.value
        self.reading.options = self._readings()
        if chosen in self.reading.options:
            self.reading.value = chosen

    def table(self) -> bytes:
        """Return the diagram as CSV."""
        if self.drawn is None:
            raise OptionError("There is no diagram yet: draw one in the tab beside.")
        return self.drawn.csv().encode()

    def _readings(self) -> tuple[str, ...]:
        return tuple(each.label for each in self.studio.session.reads) or ("nothing",)

    def _draw(self) -> None:
        session = self.studio.session
        reading = next((each for each in session.reads if each.label == self.reading.value), None)
        if reading is None:
            raise OptionError('Nothing is read: choose something in the tab "set up", folder "readings".')
        self._stopped.clear()
        self.halt.visible, self.draw.disabled = True, True
        try:
            for grown in diagram(session, self._sliders[self.along.value], reading):
                self.drawn = grown
                self._show(grown.picture())
                if self._stopped.is_set():
                    break
        finally:
            self.halt.visible, self.draw.disabled = False, False
        ends = [curve.ended for curve in self.drawn.curves if curve.ended] if self.drawn else []
        words = "Solid: stable. Dashed: not. Green: now. Orange: limit points (squares), bifurcations (dots)."
        self.said.content = paragraph(" ".join([words, *ends]))

    def _show(self, picture: np.ndarray) -> None:
        if self.picture is None:
            with self.place:
                self.picture = self.studio.server.gui.add_image(picture)
            self.place.visible = True
        else:
            self.picture.image = picture
