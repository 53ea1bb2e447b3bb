"""Page of the studio for drawing a mechanism: tools for clicks in the plane, the list of parts, their numbers, and the
Python of the model beside them.
"""

from __future__ import annotations

import ast
import html
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from pliant.errors import OptionError
from pliant.model.kinds import find
from pliant_studio.session import files
from pliant_studio.sheet.drawing import NOTHING, PIN, WELD, Drawing, Point, Spot
from pliant_studio.sheet.part_at import part_at
from pliant_studio.sheet.sheet import Sheet
from pliant_studio.sheet.view import SheetView
from pliant_studio.viewer.camera import face_again
from pliant_studio.viewer.text import paragraph

if TYPE_CHECKING:
    from pliant_studio.page.page import Studio

GOOD, BAD = "#009e73", "#c81e2d"
REACH = 0.03  # of the size: largest distance of a click from an end that it selects
GROUPS = {"body": "links and beams", "point_mass": "masses", "joint": "joints", "force": "springs, tendons, loads"}
NARROW = 450  # pixels of width of a narrow plane
MOST_LISTED = 60
"""So many parts have a button in the list; of the others one sees the Python."""


ROWS = (
    ("link", "beam", "spring", "tendon"),
    ("pin", "clamp", "slide", "drive"),
    ("force", "moment", "mass", "gravity"),
    ("move", "choose", "delete"),
)
"""Buttons of the tools, a row each."""


class Tool(NamedTuple):
    """A tool for clicks: the number of clicks, their prompts, and the function of their spots."""

    clicks: int
    asks: tuple[str, ...]
    does: Callable[..., Any]


class DrawPage:
    """Controls and scene of a sheet; `studio.bench()` opens the finished model."""

    def __init__(self, studio: Studio, sheet: Sheet) -> None:
        self.studio, self.sheet, self.drawing = studio, sheet, Drawing(sheet)
        self.begun: Spot | None = None
        self.chosen = ""
        self.view = SheetView(studio.server, self._dragged)
        self.tools = self._tools()
        self.tool = "link"
        self._listed: list[Any] = []
        self._folded = False
        self._furnish()
        if sheet.planar:
            self.view.frame(self.drawing)
        self.refresh()
        if sheet.planar:
            studio.server.scene.on_click()(self._clicked)

    def close(self) -> None:
        """Remove what the page put beside the controls; the studio resets the controls."""
        self.studio.server.scene.remove_click_callback("all")
        self.beside.remove()

    # --- controls --------------------------------------------------------------------------------------------------

    def _furnish(self) -> None:
        gui, worker = self.studio.server.gui, self.studio.worker
        self.state = gui.add_html("")
        go = gui.add_button("try it", icon="player-play", hint="Compute its equilibrium, with sliders.")
        go.on_click(lambda _: worker.ask("bench", self._try))
        if self.sheet.planar:
            for number, row in enumerate(ROWS):
                group = gui.add_button_group("draw" if not number else "", row)
                group.on_click(lambda event: worker.ask("tool", lambda: self._take(event.target.value)))
            self.join = gui.add_dropdown("ends join by", (PIN, WELD, NOTHING))
        else:
            gui.add_html(paragraph("A model in space is edited by its numbers."))
        self.asked = gui.add_html("")
        undo = gui.add_button("undo", icon="arrow-back-up")
        undo.on_click(lambda _: worker.ask("undo", self._undo))
        if self.sheet.planar:
            home = gui.add_button("whole mechanism", icon="home")
            home.on_click(lambda _: worker.ask("home", self._home))
        self.numbers = gui.add_folder("numbers", visible=False)
        self.list = gui.add_folder("parts")
        self.beside = gui.add_panel()
        with self.beside.add_tab("python"):
            self.text = gui.add_html("")
            name = files.safe(self.sheet.name).replace("-", "_")
            save = gui.add_button("download", icon="download")
            save.on_click(
                lambda event: event.client.send_file_download(
                    f"{name}.py", self.sheet.python().encode(), save_immediately=True
                )
            )
        self.beside.dock_left()
        for client in self.studio.server.get_clients().values():
            self.fit(client)

    def fit(self, client: Any) -> None:
        """Fold the Python away on a narrow page, so that the plane has room; only once, since users may unfold it."""
        if client.camera.image_width < NARROW and not self._folded:
            self._folded = True
            self.beside.minimize()

    def refresh(self) -> None:
        """Update everything from the sheet."""
        seen = self.sheet.seen()
        self.state.content = _state(seen)
        self.text.content = _program(self.sheet.python())
        self._ask()
        self._list_parts()
        self._show_numbers()
        if self.sheet.planar:
            self.view.draw(self.drawing, self.chosen, self.begun, movable=self.tool == "move")

    def _list_parts(self) -> None:
        for handle in self._listed:
            handle.remove()
        self._listed = []
        gui, seen, labels = self.studio.server.gui, self.sheet.seen(), self.sheet.labels()
        self.list.label = f"parts ({len(labels)})"
        with self.list:
            for number, entry in list(enumerate(self.sheet.entries))[:MOST_LISTED]:
                if entry.group not in GROUPS or entry.table.get("kind") == "Ground":
                    continue
                wrong, chosen = seen.errors.get(number), labels[number] == self.chosen
                colour = (200, 30, 45) if wrong else (230, 159, 0) if chosen else (238, 240, 243)
                button = gui.add_button(f"{entry.table['kind']}  {labels[number]}", color=colour)
                button.on_click(lambda _, name=labels[number]: self._ask_for(lambda: self._choose(name)))
                self._listed.append(button)
                if wrong:
                    self._listed.append(gui.add_html(_wrong(wrong)))

    def _show_numbers(self) -> None:
        """Show the fields of the selected part."""
        for child in tuple(self.numbers._children.values()):
            child.remove()
        labels = self.sheet.labels()
        self.numbers.visible = self.chosen in labels
        if self.chosen not in labels:
            return
        gui, number = self.studio.server.gui, labels.index(self.chosen)
        table = self.sheet.entries[number].table
        self.numbers.label = f"{table['kind']} {self.chosen}"
        with self.numbers:
            boxes = {key: gui.add_text(word, value) for key, word, value in fields_of(table)}
            apply = gui.add_button("apply", icon="check")
            delete = gui.add_button("delete", icon="trash")
        apply.on_click(lambda _: self._ask_for(lambda: self._apply(number, {k: b.value for k, b in boxes.items()})))
        delete.on_click(lambda _: self._ask_for(lambda: self._delete(number)))

    def _ask(self) -> None:
        tool = self.tools[self.tool]
        done = 0 if self.begun is None else 1
        self.asked.content = paragraph(tool.asks[min(done, len(tool.asks) - 1)], self.tool)

    # --- actions of clicks, on the worker's thread -----------------------------------------------------------------

    def _ask_for(self, job: Callable[[], None]) -> None:
        self.studio.worker.ask("draw", job)

    def _clicked(self, event: Any) -> None:
        origin, way = event.ray_origin, event.ray_direction
        if abs(way[2]) < 1e-9:
            return
        share = -origin[2] / way[2]
        point = self.view.point((origin[0] + share * way[0], origin[1] + share * way[1]))
        self.studio.worker.ask(f"click {event.screen_pos}", lambda: self.click(point))

    def click(self, point: Point) -> None:
        """Handle a click at a point of the plane, with the active tool."""
        tool = self.tools[self.tool]
        spot = self.drawing.spot(point, REACH * self.drawing.size)
        try:
            if tool.clicks == 2 and self.begun is None:
                self.begun = spot
            elif tool.clicks == 2:
                first, self.begun = self.begun, None
                self.chosen = tool.does(first, spot) or ""
            else:
                self.chosen = tool.does(spot) or ""
        finally:
            self.refresh()

    def _dragged(self, spot: Spot, point: Point) -> None:
        def job() -> None:
            try:
                self._move(spot, self.drawing.spot(point, REACH * self.drawing.size))
            finally:
                self.refresh()

        self._ask_for(job)

    def _take(self, tool: str) -> None:
        self.begun = None
        if tool == "gravity":
            self.chosen = self.drawing.gravity()
        else:
            self.tool = tool
        self.refresh()

    def _tools(self) -> dict[str, Tool]:
        draw = self.drawing
        where = ("Click where it begins.", "Click where it ends.")
        on_a_bar = ("Click on a link or beam, at an end or between.",)
        return {
            "link": Tool(2, where, lambda a, b: draw.bar("Link", a, b, join=self.join.value)),
            "beam": Tool(2, where, lambda a, b: draw.bar("Beam", a, b, join=self.join.value)),
            "spring": Tool(2, where, lambda a, b: draw.line_between("Spring", a, b)),
            "tendon": Tool(2, where, lambda a, b: draw.line_between("Tendon", a, b)),
            "pin": Tool(1, on_a_bar, lambda spot: draw.support(spot, PIN)),
            "clamp": Tool(1, on_a_bar, lambda spot: draw.support(spot, WELD)),
            "slide": Tool(1, on_a_bar, lambda spot: draw.support(spot, "slide")),
            "drive": Tool(1, ("Click on a pin: its angle becomes a slider.",), draw.drive),
            "force": Tool(1, on_a_bar, lambda spot: draw.load("Force", spot)),
            "moment": Tool(1, on_a_bar, lambda spot: draw.load("Moment", spot)),
            "mass": Tool(1, on_a_bar, lambda spot: draw.load("PointMass", spot)),
            "move": Tool(2, ("Click on an end, or drag it.", "Click on its new place."), self._move),
            "choose": Tool(1, ("Click on a part.",), lambda spot: part_at(draw, spot)),
            "delete": Tool(1, ("Click on a part.",), self._delete_at),
        }

    def _move(self, spot: Spot, to: Spot) -> None:
        if not spot.ends:
            raise OptionError("There is nothing to move. Click on an end of a link or beam first.")
        self.drawing.move(spot, to.point)

    def _delete_at(self, spot: Spot) -> None:
        self._delete(self.sheet.number(part_at(self.drawing, spot)))

    def _choose(self, name: str) -> None:
        self.chosen = "" if name == self.chosen else name
        self.refresh()

    def _apply(self, number: int, texts: dict[str, str]) -> None:
        entry = self.sheet.entries[number]
        before = {key: value for key, _, value in fields_of(entry.table)}
        changed = {key: value_of(text) for key, text in texts.items() if text.strip() != before[key]}
        if not changed:
            return
        self.sheet.begin()
        for key, value in changed.items():
            outer, _, inner = key.rpartition(".")
            if outer:
                self.sheet.change(number, outer, {**entry.table[outer], inner: value})
            else:
                self.sheet.change(number, key, value)
        self.chosen = self.sheet.labels()[number]
        self.refresh()

    def _delete(self, number: int) -> None:
        self.sheet.begin()
        self.sheet.delete(number)
        self.chosen = ""
        self.refresh()

    def _undo(self) -> None:
        self.sheet.undo()
        self.begun, self.chosen = None, ""
        self.refresh()

    def _home(self) -> None:
        self.view.frame(self.drawing)
        self.refresh()
        face_again(self.studio.server)

    def _try(self) -> None:
        seen = self.sheet.seen()
        if not seen.ready:
            raise OptionError(seen.whole)
        self.studio.bench(seen.model)


def fields_of(table: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Return key, label with unit, and text of the numbers of a table that can be changed; its section's too.

    >>> fields_of({"kind": "Force", "name": "load", "marker": {"body": "arm", "s": 1.0}, "y": -1.0})
    [('name', 'name', 'load'), ('y', 'y [N]', '-1.0'), ('x', 'x [N]', '')]
    """
    kind = find(table["kind"])
    units = {} if kind is None else dict(kind.units)
    hidden = () if kind is None else (*kind.in_space, "orientation")
    found = [("name", "name", str(table.get("name", "")))]
    for key, value in table.items():
        if key in ("kind", "name", "made"):
            continue
        if isinstance(value, dict) and "kind" in value and "made" not in value and key == "section":
            inner = find(value["kind"])
            for part, number in value.items():
                if isinstance(number, int | float) and not isinstance(number, bool):
                    unit = "" if inner is None else inner.units.get(part, "")
                    found.append((f"{key}.{part}", _label(part, unit), repr(number)))
        elif isinstance(value, bool | int | float | str) or _is_numbers(value):
            found.append((key, _label(key, units.get(key, "")), _text(value)))
    found += [(key, _label(key, unit), "") for key, unit in units.items() if key not in table and key not in hidden]
    return found


def value_of(text: str) -> Any:
    """Parse an input: a number, numbers in brackets, yes or no, nothing, or text such as "30 deg" and "= 2 * width".

    >>> [value_of(text) for text in ("0.2", "(0, 1)", "300 mm", "", "true")]
    [0.2, [0, 1], '300 mm', None, True]
    """
    text = text.strip()
    if not text or text.lower() in ("true", "false"):
        return {"": None, "true": True, "false": False}[text.lower()]
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text
    if isinstance(value, tuple | list) and _is_numbers(value):
        return list(value)
    return value if isinstance(value, int | float) else text


def _is_numbers(value: Any) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(item, int | float) for item in value)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else str(value).lower() if isinstance(value, bool) else repr(value)


def _label(key: str, unit: str) -> str:
    return f"{key.replace('_', ' ')} [{unit}]" if unit and unit != "1" else key.replace("_", " ")


def _state(seen: Any) -> str:
    if not len(seen.model):
        return paragraph("Draw links and beams, give them supports, and try it.", "an empty sheet")
    words = "it can be computed" if seen.ready else seen.whole
    colour = GOOD if seen.ready else BAD
    return f'<div id="model" style="margin:.4em .9em; font-size:.9em; color:{colour}">{html.escape(words)}</div>'


def _wrong(text: str) -> str:
    return f'<div style="margin:0 .9em .4em; font-size:.8em; color:{BAD}">{html.escape(text)}</div>'


def _program(text: str) -> str:
    style = "margin:.4em; font-size:.75em; line-height:1.35; white-space:pre-wrap; overflow-wrap:anywhere"
    return f'<pre id="python" style="{style}">{html.escape(text)}</pre>'
