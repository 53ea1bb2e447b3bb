"""The folder of the studio in which one chooses what is read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pliant_studio.session.any_model import offered

if TYPE_CHECKING:
    from pliant_studio.page.page import Studio

NONE = "nothing"


class ReadingsFolder:
    """Add one of all that can be read, take one of those away that are."""

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
