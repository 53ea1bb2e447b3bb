"""Page of the studio: sliders, the equilibrium that follows them, its modes; or a sheet for drawing a mechanism.
`session` computes, `draw_page` draws.

It also has the folder in which the user chooses the readings.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from pliant.errors import AssemblyError, OptionError, PliantError
from pliant.model import Model
from pliant.results import Result
from pliant.results.drawing.pictured import result_to_draw
from pliant_studio.page import tables
from pliant_studio.page.control_tab import ControlTab
from pliant_studio.page.design_tab import DesignTab
from pliant_studio.page.diagram_tab import DiagramTab
from pliant_studio.page.draw_page import DrawPage
from pliant_studio.page.files_tab import FilesTab
from pliant_studio.page.release_tab import ReleaseTab
from pliant_studio.page.robot_tab import RobotTab
from pliant_studio.page.study_tab import StudyTab
from pliant_studio.page.worker import Worker
from pliant_studio.session.any_model import of_model, offered
from pliant_studio.session.mechanism import Mechanism, Slider, Values, mechanism, names
from pliant_studio.session.ranges import Ranges
from pliant_studio.session.session import Notice, Session
from pliant_studio.sheet.sheet import Sheet
from pliant_studio.viewer.camera import face_again
from pliant_studio.viewer.film import Film, films
from pliant_studio.viewer.scene import Theatre
from pliant_studio.viewer.server import LOOPBACK, Page, close_page, dress, open_page
from pliant_studio.viewer.text import paragraph

NONE = "nothing"


class ReadingsFolder:
    """Folder that adds one of all possible readings, or removes a present one."""

    def __init__(self, studio: Studio) -> None:
        self.studio = studio
        gui = studio.server.gui
        self._offered = {each.label: each for each in offered(studio.session.rest)}
        with gui.add_folder("readings", expand_by_default=False):
            self.more = gui.add_dropdown("what", self._others())
            add = gui.add_button("read it too", icon="plus")
            self.shown = gui.add_dropdown("read now", self._present())
            remove = gui.add_button("no longer", icon="minus")
        add.on_click(lambda _: studio.worker.ask("reading", self._add))
        remove.on_click(lambda _: studio.worker.ask("reading", self._remove))

    def _others(self) -> tuple[str, ...]:
        present = set(self._present())
        return tuple(label for label in self._offered if label not in present) or (NONE,)

    def _present(self) -> tuple[str, ...]:
        return tuple(each.label for each in self.studio.session.reads) or (NONE,)

    def _add(self) -> None:
        if self.more.value in self._offered:
            self.studio.session.reads.append(self._offered[self.more.value])
            self._refresh()

    def _remove(self) -> None:
        reads = self.studio.session.reads
        reads[:] = [each for each in reads if each.label != self.shown.value]
        self._refresh()

    def _refresh(self) -> None:
        self.more.options, self.shown.options = self._others(), self._present()
        for tab in (self.studio.diagram, self.studio.study, self.studio.control):
            tab.offer()
        self.studio.tell()


REST, MOTION = "equilibrium", "motion"
ORANGE, RED = (213, 94, 0), (178, 24, 43)
AT_ONCE = 8
"""So many sliders are seen at once; the others are in a folder."""


def studio(
    model: Model | str | None = None, *, ranges: Ranges | None = None, port: int | None = None, host: str = LOOPBACK
) -> Studio:
    """Open the studio with a model, a mechanism of the gallery or an empty sheet to draw one; return at once. `wait()`
    on it waits for Ctrl-C.

    model   its parameters and constant signals become sliders, its drives and loads can be let go; or a name. Without
            it, an empty sheet. A planar model whose joints do not close opens on the sheet, with what is wrong marked
    ranges  lowest and highest value of sliders by name (SI units), {"push/x": (-5.0, 5.0)}; else they fit the model
    port    of the page; default: the first free one from 8080 on; 0: any
    host    address that may open it; default: this machine only

    >>> from pliant_gallery.examples import column
    >>> page = studio(column(), ranges={"load/x": (-4.0, 0.0)}, port=0)
    >>> page.url.startswith("http://127.0.0.1:")
    True
    >>> page.stop()
    """
    begin = _begin(model, ranges)  # raises before anything is opened
    return Studio(begin, open_page("pliant studio", host=host, port=port))


def _begin(model: Model | str | None, ranges: Ranges | None) -> Session | Sheet:
    if model is None:
        return Sheet()
    try:
        return Session(_mechanism(model, ranges))
    except AssemblyError:
        if not isinstance(model, Model) or model.spatial:
            raise
        return Sheet(model)


def _mechanism(model: Model | str, ranges: Ranges | None) -> Mechanism:
    if isinstance(model, Model):
        return of_model(model, ranges=ranges)
    if not isinstance(model, str):
        raise OptionError(f"studio({model!r:.60}): give a Model, or the name of a mechanism of the gallery.")
    if ranges:
        raise OptionError(
            f"studio({model!r}, ranges=...): ranges are for a model of your own; this one has its sliders."
        )
    return mechanism(model)


class Studio(Page):
    """A page for setting a mechanism up, or drawing one; `url` is its address, `session` the computed mechanism,
    `sheet` the drawing.
    """

    session: Session

    def __init__(self, begin: Session | Sheet, server: Any) -> None:
        self.server = server
        self.own = None if isinstance(begin, Sheet) else begin.mechanism  # first mechanism, to return to
        self.sheet: Sheet | None = None
        self.drawn: DrawPage | None = None
        self.theatre: Theatre | None = None
        self.modes: Result | None = None
        self.motion: Result | None = None
        self.worker = Worker(self._failed)
        server.on_client_connect(lambda client: client.camera.on_update(lambda _: self._fit(client)))
        try:
            if isinstance(begin, Sheet):
                self._furnish_sheet(begin)
            else:
                self.session = begin
                self._furnish()
        except BaseException:
            close_page(server)
            raise

    def stop(self) -> None:
        """Close the page."""
        self.worker.abandon()
        super().stop()

    # --- between setting up and drawing ----------------------------------------------------------------------------

    def bench(self, model: Model) -> None:
        """Set up a drawn model; on the worker's thread."""
        session = Session(of_model(model))  # if it fails, the sheet stays
        self.own, self.session = session.mechanism, session
        self._clear()
        self._furnish()
        self.face()

    def edit(self) -> None:
        """Draw on the present model; on the worker's thread."""
        session, sheet = self.session, self.sheet
        if sheet is None or session.mechanism is not self.own or session.values != session.mechanism.values:
            again = Sheet(session.mechanism.model(session.values))
            again.past = [] if sheet is None else [*sheet.past, sheet.entries]
            sheet = again
        self._clear()
        self._furnish_sheet(sheet)
        self.face()

    def _clear(self) -> None:
        """Remove everything from the page."""
        if self.theatre is not None:
            self.theatre.stop()
        if self.drawn is not None:
            self.drawn.close()
        self.theatre = self.drawn = None
        self.server.gui.reset()
        self.server.scene.reset()
        dress(self.server)

    def face(self) -> None:
        """Reset all viewers' cameras to the initial view."""
        face_again(self.server)

    def _fit(self, client: Any) -> None:
        if self.drawn is not None:
            self.drawn.fit(client)

    def _furnish_sheet(self, sheet: Sheet) -> None:
        self.sheet = sheet
        self.server.gui.set_panel_label("pliant studio")
        self._choice(sheet.name if self.own is None else self.own.name)
        self.drawn = DrawPage(self, sheet)

    def _choice(self, now: str) -> None:
        """Add the list of other mechanisms to open."""
        choice = self.server.gui.add_dropdown("mechanism", self._known(now), initial_value=now)
        choice.on_update(lambda event: self._exchange(event.target.value))

    # --- controls of the page ------------------------------------------------------------------------------------

    def _furnish(self) -> None:
        """Add all controls of the session's mechanism."""
        gui, used = self.server.gui, self.session.mechanism
        gui.set_panel_label("pliant studio")
        self._choice(used.name)
        tabs = gui.add_tab_group()
        with tabs.add_tab("set up"):
            if used.about:
                gui.add_html(paragraph(used.about))
            self.at_rest = gui.add_html("")  # above the sliders, to be visible while they move
            self.sliders = {slider.name: self._slider(slider) for slider in used.sliders[:AT_ONCE]}
            if used.sliders[AT_ONCE:]:
                with gui.add_folder("more", expand_by_default=False):
                    self.sliders |= {slider.name: self._slider(slider) for slider in used.sliders[AT_ONCE:]}
            undo = gui.add_button("undo", icon="arrow-back-up")
            undo.on_click(lambda _: self.worker.ask("undo", lambda: self._go_back(self.session.undo)))
            edit = gui.add_button("edit the model", icon="pencil")
            edit.on_click(lambda _: self.worker.ask("edit", self.edit))
            again = gui.add_button("start again", icon="refresh")
            again.on_click(lambda _: self.worker.ask("again", lambda: self._go_back(self.session.restart)))
            self.mode_table = gui.add_html("")
            self.readings = ReadingsFolder(self)
        with tabs.add_tab("release"):
            self.release = ReleaseTab(self)
        with tabs.add_tab("diagram"):
            self.diagram = DiagramTab(self)
        with tabs.add_tab("study"):
            self.study = StudyTab(self)
        with tabs.add_tab("design"):
            self.design = DesignTab(self)
        with tabs.add_tab("control"):
            self.control = ControlTab(self)
        with tabs.add_tab("robot"):
            self.robot = RobotTab(self)
        with tabs.add_tab("view"):
            self.shown = gui.add_dropdown("show", (REST,))
            self.shown.on_update(lambda _: self._show())
            self.theatre = Theatre(self.server)
        with tabs.add_tab("files"):
            FilesTab(self)
        self.modes = self.motion = None
        self.tell()
        self.theatre.show(self._rest())
        self._refresh_modes()

    def _slider(self, slider: Slider) -> Any:
        label = f"{slider.label} [{slider.unit}]" if slider.unit else slider.label
        now = slider.shown(self.session.values[slider.name])
        handle = self.server.gui.add_slider(label, slider.low, slider.high, slider.step, _short(now))
        handle.on_update(lambda event: self.worker.ask(slider.name, lambda: self._move(slider, event.target.value)))
        return handle

    def _known(self, now: str) -> tuple[str, ...]:
        """Return the names of the mechanisms, the first opened one first."""
        return tuple(dict.fromkeys([now if self.own is None else self.own.name, *names()]))

    # --- actions, on the worker's thread -------------------------------------------------------------------------

    def _move(self, slider: Slider, shown: float) -> None:
        """Follow a moved slider; on failure reset it, which calls this again without effect."""
        if abs(shown - slider.shown(self.session.values[slider.name])) < 1e-6 * slider.step:
            return
        try:
            notice = self.session.set(slider.name, slider.si(shown))
        except PliantError:
            self.sliders[slider.name].value = _short(slider.shown(self.session.values[slider.name]))
            raise
        self._notify(notice)
        self._at_new_rest(keep_stage=not slider.anew)

    def move(self, values: Values) -> None:
        """Move several sliders at once, to values in SI units; on the worker's thread."""
        try:
            for name, value in values.items():
                self._notify(self.session.set(name, value))
        finally:
            self._go_back(Notice)

    def _go_back(self, way: Callable[[], Notice]) -> None:
        way()
        for name, handle in self.sliders.items():
            handle.value = _short(self.session.mechanism.slider(name).shown(self.session.values[name]))
        self._at_new_rest()

    def _exchange(self, name: str) -> None:
        """Open another mechanism."""

        def job() -> None:
            own = self.own is not None and name == self.own.name
            self.session = Session(self.own if own and self.own is not None else mechanism(name))
            self._clear()
            self._furnish()
            self.face()

        if self.drawn is not None or name != self.session.mechanism.name:
            self.worker.ask("mechanism", job)

    def _at_new_rest(self, *, keep_stage: bool = False) -> None:
        self.modes = self.motion = None
        for tab in (self.release, self.control, self.robot):
            tab.clear()
        self.tell()
        self._picture(self._rest(), keep_stage=keep_stage)
        self._refresh_modes()

    def _picture(self, shown: list[Film], *, keep_stage: bool) -> None:
        if self.theatre is not None:
            self.theatre.show(shown, keep_stage=keep_stage)

    def tell(self) -> None:
        """Show the present readings."""
        self.at_rest.content = tables.equilibrium(self.session)

    def _refresh_modes(self) -> None:
        self.worker.ask("modes", self._find_modes, late=True)

    def _find_modes(self) -> None:
        self.modes = None if self.session.trouble else self.session.modes()
        self.mode_table.content = "" if self.modes is None else tables.modes(self.modes)
        self.offer(REST)

    def play(self, motion: Result) -> None:
        """Show a motion."""
        self.motion = motion
        self.offer(MOTION)

    def show_film(self, shown: list[Film]) -> None:
        """Show other films for now."""
        self._picture(shown, keep_stage=True)

    def compare(self, motions: Mapping[str, Result]) -> None:
        """Show several motions, overlaid."""
        if self.theatre is not None:
            self.theatre.over.value = True
            self.theatre.show([film for label, run in motions.items() for film in films(run, label)])

    def _rest(self) -> list[Film]:
        """Return films of the equilibrium and of the assembled mechanism, for comparison."""
        found, before = films(self.session.rest), result_to_draw(self.session.system).data["shape"].values
        same = before.shape == found[0].frames[0].shape
        return [replace(each, rest=before) for each in found] if same else found

    def offer(self, chosen: str) -> None:
        """Offer the films that can be shown, with the present one selected."""
        swings = [] if self.modes is None else [film.captions[0] for film in films(self.modes)]
        self.shown.options = (REST, *swings, *([MOTION] if self.motion is not None else []))
        self.shown.value = chosen
        self._show()

    def _show(self) -> None:
        chosen = self.shown.value
        if chosen == MOTION and self.motion is not None:
            self._picture(films(self.motion), keep_stage=True)
        elif chosen == REST or self.modes is None:
            self._picture(self._rest(), keep_stage=True)
        else:
            self._picture([films(self.modes)[self.shown.options.index(chosen) - 1]], keep_stage=True)

    # --- notices ---------------------------------------------------------------------------------------------------

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


def _short(value: float) -> float:
    """Round away noise, at any size."""
    return float(f"{value:.10g}")
