"""The studio's page: sliders, the equilibrium that follows them, modes, the release. All computing is in `session`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pliant.errors import PliantError
from pliant.results import Result
from pliant.studio import files, tables
from pliant.studio.mechanism import Slider, mechanism, mechanisms
from pliant.studio.script import script
from pliant.studio.session import Notice, Session
from pliant.studio.worker import Worker
from pliant.viewer.film import films
from pliant.viewer.server import LOOPBACK, Page, close_page, dress, open_page
from pliant.viewer.stage import face_again
from pliant.viewer.theatre import Theatre
from pliant.viewer.words import paragraph

REST, MOTION = "equilibrium", "motion"
ORANGE, RED = (213, 94, 0), (178, 24, 43)


def studio(name: str = "leg", *, port: int | None = None, host: str = LOOPBACK) -> Studio:
    """Open the studio with a mechanism of the gallery; returns at once. `wait()` of it waits for Ctrl-C.

    >>> page = studio("four-bar", port=0)
    >>> page.url.startswith("http://127.0.0.1:")
    True
    >>> page.stop()
    """
    session = Session(mechanism(name))  # a wrong name is told before anything is opened
    return Studio(session, open_page("pliant studio", host=host, port=port))


class Studio(Page):
    """A page on which a mechanism is set up; `url` is where, `session` what has been computed."""

    def __init__(self, session: Session, server: Any) -> None:
        self.server, self.session = server, session
        self.modes: Result | None = None
        self.motion: Result | None = None
        self.worker = Worker(self._failed)
        try:
            self._furnish()
        except BaseException:
            close_page(server)
            raise

    def stop(self) -> None:
        """Close the page."""
        self.worker.abandon()
        super().stop()

    # --- what the page looks like --------------------------------------------------------------------------------

    def _furnish(self) -> None:
        """All controls, for the mechanism of the session."""
        gui, used = self.server.gui, self.session.mechanism
        gui.set_panel_label("pliant studio")
        choice = gui.add_dropdown("mechanism", tuple(mechanisms()), initial_value=used.name)
        choice.on_update(lambda event: self._exchange(event.target.value))
        tabs = gui.add_tab_group()
        with tabs.add_tab("set up"):
            gui.add_html(paragraph(used.about))
            self.at_rest = gui.add_html("")  # above the sliders, to be seen while they are moved
            self.sliders = {slider.name: self._slider(slider) for slider in used.sliders}
            again = gui.add_button("start again", icon="refresh")
            again.on_click(lambda _: self.worker.ask("again", self._start_again))
            self.mode_table = gui.add_html("")
        with tabs.add_tab("release"):
            self._release_tab()
        with tabs.add_tab("view"):
            self.shown = gui.add_dropdown("show", (REST,))
            self.shown.on_update(lambda _: self._show())
            self.theatre = Theatre(self.server)
        with tabs.add_tab("files"):
            self._files_tab()
        self.modes = self.motion = None
        self._tell()
        self.theatre.show(films(self.session.rest))
        self._refresh_modes()

    def _slider(self, slider: Slider) -> Any:
        label = f"{slider.label} [{slider.unit}]" if slider.unit else slider.label
        now = slider.shown(self.session.values[slider.name])
        handle = self.server.gui.add_slider(label, slider.low, slider.high, slider.step, round(now, 9))
        handle.on_update(lambda event: self.worker.ask(slider.name, lambda: self._move(slider, event.target.value)))
        return handle

    def _release_tab(self) -> None:
        gui, used = self.server.gui, self.session.mechanism
        without, with_controller = used.hints
        gui.add_html(paragraph(f"Release {without}."))
        self.end_time = gui.add_number("until [s]", used.end_time, min=0.01, max=30.0, step=0.01)
        self.controlled = gui.add_checkbox("LQR", False, visible=bool(with_controller), hint=with_controller or None)
        self.go = gui.add_button("release", icon="player-play")
        self.go.on_click(lambda _: self.worker.ask("release", self._release))
        self.outcome = gui.add_html("")
        self.plots = gui.add_folder("over time", visible=False)

    def _files_tab(self) -> None:
        name = self.session.mechanism.name
        offers: list[tuple[str, str, Callable[[], bytes]]] = [
            ("model (TOML)", f"{name}.toml", lambda: files.model_file(self.session).encode()),
            ("script (Python)", f"{name.replace('-', '_')}.py", lambda: self._script().encode()),
            ("results (netCDF, zipped)", f"{name}-results.zip", lambda: files.archive(self._results())),
        ]
        for label, file, content in offers:
            button = self.server.gui.add_button(label, icon="download")
            button.on_click(lambda event, file=file, content=content: self._send(event.client, file, content))

    # --- what it does, on the worker's thread --------------------------------------------------------------------

    def _move(self, slider: Slider, shown: float) -> None:
        """A slider has been moved; if that fails it goes back, which calls this again for nothing."""
        if abs(shown - slider.shown(self.session.values[slider.name])) < 1e-6 * slider.step:
            return
        try:
            notice = self.session.set(slider.name, slider.si(shown))
        except PliantError:
            self.sliders[slider.name].value = round(slider.shown(self.session.values[slider.name]), 9)
            raise
        self._notify(notice)
        self._at_new_rest(keep_stage=not slider.anew)

    def _start_again(self) -> None:
        self.session.restart()
        for name, handle in self.sliders.items():
            handle.value = self.session.mechanism.slider(name).start
        self._at_new_rest()

    def _exchange(self, name: str) -> None:
        """Another mechanism."""

        def job() -> None:
            self.session = Session(mechanism(name))
            self.theatre.stop()
            self.server.gui.reset()
            self.server.scene.reset()
            dress(self.server)
            self._furnish()
            face_again(self.server, self.theatre.stages[0].planar)

        if name != self.session.mechanism.name:
            self.worker.ask("mechanism", job)

    def _at_new_rest(self, *, keep_stage: bool = False) -> None:
        self.modes = self.motion = None
        self.outcome.content, self.plots.visible = "", False
        self._tell()
        self.theatre.show(films(self.session.rest), keep_stage=keep_stage)
        self._refresh_modes()

    def _tell(self) -> None:
        self.at_rest.content = tables.equilibrium(self.session)

    def _refresh_modes(self) -> None:
        self.worker.ask("modes", self._find_modes, late=True)

    def _find_modes(self) -> None:
        self.modes = self.session.modes()
        self.mode_table.content = tables.modes(self.modes)
        self._offer(REST)

    def _release(self) -> None:
        self.outcome.content = paragraph("computing ...")
        try:
            self.motion = self.session.release(float(self.end_time.value), controlled=bool(self.controlled.value))
        except PliantError:
            self.outcome.content = ""
            raise
        self.outcome.content = paragraph(self.motion.outcome.message)
        for child in tuple(self.plots._children.values()):
            child.remove()
        with self.plots:
            for plot in tables.curves(self.session, self.motion):
                self.server.gui.add_uplot(**plot)
        self.plots.visible = True
        self._offer(MOTION)

    def _offer(self, chosen: str) -> None:
        """What can be shown, and what is."""
        swings = [] if self.modes is None else [film.captions[0] for film in films(self.modes)]
        self.shown.options = (REST, *swings, *([MOTION] if self.motion is not None else []))
        self.shown.value = chosen
        self._show()

    def _show(self) -> None:
        chosen = self.shown.value
        if chosen == MOTION and self.motion is not None:
            self.theatre.show(films(self.motion), keep_stage=True)
        elif chosen == REST or self.modes is None:
            self.theatre.show(films(self.session.rest), keep_stage=True)
        else:
            self.theatre.show([films(self.modes)[self.shown.options.index(chosen) - 1]], keep_stage=True)

    # --- files and notices ---------------------------------------------------------------------------------------

    def _script(self) -> str:
        return script(self.session, end_time=float(self.end_time.value), controlled=bool(self.controlled.value))

    def _results(self) -> dict[str, Result]:
        found = {"equilibrium": self.session.rest, "modes": self.modes, "motion": self.motion}
        return {name: result for name, result in found.items() if result is not None}

    def _send(self, client: Any, file: str, content: Callable[[], bytes]) -> None:
        def job() -> None:
            client.send_file_download(file, content(), save_immediately=True)

        self.worker.ask(f"file {file}", job)

    def _notify(self, notice: Notice) -> None:
        if notice.text:
            kind, _, text = notice.text.partition(": ")
            self._say(kind, text, ORANGE)

    def _failed(self, error: Exception) -> None:
        known = isinstance(error, PliantError)
        self._say("not possible" if known else f"{type(error).__name__}, please report it", str(error), RED)

    def _say(self, title: str, text: str, colour: tuple[int, int, int]) -> None:
        for client in self.server.get_clients().values():
            client.add_notification(title, text, auto_close_seconds=12.0, color=colour)
