"""Tab of the studio for a study over one or two sliders, whose chart grows while it is computed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pliant.errors import OptionError
from pliant.results import Result
from pliant.results.live_view import watching
from pliant_studio.page.busy import Busy
from pliant_studio.session import files
from pliant_studio.session.grid import Grid
from pliant_studio.viewer.text import paragraph

if TYPE_CHECKING:
    from pliant_studio.page.page import Studio

NONE = "nothing else"


class StudyTab:
    """Choice of sliders, number of points and reading; the chart and its table."""

    def __init__(self, studio: Studio) -> None:
        self.studio = studio
        self.asked: Grid | None = None
        self.found: Result | None = None
        gui = studio.server.gui
        self._sliders = {each.label: each for each in studio.session.mechanism.sliders if not each.anew}
        offered = tuple(self._sliders) or ("nothing",)
        self.along = gui.add_dropdown("over", offered)
        self.points = gui.add_number("points", 15, min=2, max=200, step=1)
        self.across = gui.add_dropdown("and over", (NONE, *offered))
        self.lines = gui.add_number("lines", 5, min=2, max=40, step=1)
        self.reading = gui.add_dropdown("read", self._readings())
        self.busy = Busy(studio, "study", self._study, icon="chart-dots", visible=bool(self._sliders))
        self.said = gui.add_html("")
        self.picture: Any = None
        self.place = gui.add_folder("study", visible=False)
        with self.place:
            save = gui.add_button("table (CSV)", icon="download", order=1e6)
        save.on_click(lambda event: self._save(event.client))

    def offer(self) -> None:
        """Update the choices after the readings have changed."""
        chosen, self.reading.options = self.reading.value, self._readings()
        if chosen in self.reading.options:
            self.reading.value = chosen

    def _readings(self) -> tuple[str, ...]:
        return tuple(each.label for each in self.studio.session.reads) or ("nothing",)

    def _study(self) -> None:
        session = self.studio.session
        reading = next((each for each in session.reads if each.label == self.reading.value), None)
        if reading is None:
            raise OptionError('Nothing is read: choose something in the tab "set up", folder "readings".')
        across = None if self.across.value == NONE else self._sliders[self.across.value]
        asked = Grid(reading, self._sliders[self.along.value], across, int(self.points.value), int(self.lines.value))
        with watching(self.busy.watch):
            self._show(asked, asked.ask(session, lambda found: self._show(asked, found)))

    def _show(self, asked: Grid, found: Result) -> None:
        self.asked, self.found = asked, found
        self.said.content = "".join(map(paragraph, asked.said(found)))
        picture = asked.picture(found)
        if self.picture is None:
            with self.place:
                self.picture = self.studio.server.gui.add_image(picture)
            self.place.visible = True
        else:
            self.picture.image = picture

    def _save(self, client: Any) -> None:
        if self.asked is not None and self.found is not None:
            name = f"{files.safe(self.studio.session.mechanism.name)}-study.csv"
            client.send_file_download(name, self.asked.csv(self.found).encode(), save_immediately=True)
