"""The viewer's page: results side by side, a timeline to play and scrub, colours by quantity, forces of joints."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pliant.errors import OptionError
from pliant.results.quantities import TENSION
from pliant.results.result import Result
from pliant.viewer.bars import bar
from pliant.viewer.film import Film, films
from pliant.viewer.server import LOOPBACK, address, close_page, open_page, wait_for_interrupt
from pliant.viewer.stage import Stage, look_at, solid

PLAIN = "nothing"
RATE = 24.0  # pictures a second that are sent while playing
SPEEDS = {"1/10": 0.1, "1/4": 0.25, "1/2": 0.5, "1": 1.0, "2": 2.0, "4": 4.0}
GAP = 0.25  # between mechanisms side by side, of the widest

Results = Result | Sequence[Result] | Mapping[str, Result]


def view(results: Results, *, port: int | None = None, host: str = LOOPBACK) -> Viewer:
    """Show a result, or several side by side, in a browser; returns at once.

    results  one, several, or a mapping from labels: motions are played, paths walked along with their stability, modes
             swing, equilibria stand
    port     of the page; the first free one from 8080 on unless given, 0 for any
    host     this machine only unless given

    Beams are coloured by bending moment, axial force, strain or speed, tendons by their tension; arrows show the forces
    of joints. Needs ``pip install 'pliant[studio]'``. In a script, ``pl.view(run).wait()`` keeps the page open.

    >>> import pliant as pl
    >>> m = pl.Model("pendulum")
    >>> ground, arm = m.add(pl.Ground(), pl.Link("arm", length=1.0, mass=1.0, angle=0.0))
    >>> parts = m.add(pl.Revolute(ground.at(0, 0), arm.at(s=0)), pl.Gravity())
    >>> page = pl.view(pl.transient(pl.compile(m), end_time=1.0, step=1e-2), port=0)
    >>> page.url.startswith("http://127.0.0.1:")
    True
    >>> page.stop()
    """
    return Viewer(_labelled(results), open_page("pliant viewer", host=host, port=port))


def _labelled(results: Results) -> dict[str, Result]:
    if isinstance(results, Result):
        results = [results]
    if not isinstance(results, Mapping):
        names = [each.provenance.model if isinstance(each, Result) else "?" for each in results]
        results = {
            name if names.count(name) == 1 else f"{name} ({names[:k].count(name) + 1})": each
            for k, (name, each) in enumerate(zip(names, results, strict=True))
        }
    wrong = [f"{value!r:.60}" for value in results.values() if not isinstance(value, Result)]
    if wrong or not results:
        raise OptionError(f"view: give a Result, several, or a mapping from labels; got {(wrong or ['none'])[0]}.")
    return dict(results)


class Viewer:
    """A page that shows results; `url` is where."""

    def __init__(self, results: Mapping[str, Result], server: Any) -> None:
        self.server = server
        self.url = address(server)
        try:
            self.choices = [films(result, label) for label, result in results.items()]
            self.shown: list[Film] = [each[0] for each in self.choices]
            self._lock = threading.RLock()
            self._stopped = threading.Event()
            self._place()
            self._controls()
            self.draw()
        except BaseException:
            close_page(server)
            raise
        self._thread = threading.Thread(target=self._play, name="pliant viewer", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Close the page."""
        self._stopped.set()
        self._thread.join(timeout=2.0)
        close_page(self.server)

    def wait(self) -> None:
        """Keep the page open until Ctrl-C."""
        wait_for_interrupt()
        self.stop()

    def _place(self) -> None:
        """Mechanisms beside each other along x, all in the same scale."""
        boxes = [each[0].box for each in self.choices]
        sizes = [float(np.max(high - low)) for low, high in boxes]
        widest = max(float(high[0] - low[0]) for low, high in boxes)
        extent, at, corners = max(*sizes, 1e-9), 0.0, []
        gap = GAP * max(widest, 0.5 * extent)
        self.stages = []
        for k, (film, (low, high)) in enumerate(zip(self.shown, boxes, strict=True)):
            place = np.array([at - low[0] if len(self.shown) > 1 else 0.0, 0.0, 0.0])
            self.stages.append(Stage(self.server.scene, f"/{k}", film.result, extent, place))
            corners += [solid(low) + place, solid(high) + place]
            if len(self.shown) > 1:
                top = solid(np.array([0.5 * (low[0] + high[0]), *high[1:]])) + place
                self.server.scene.add_label(f"/{k}/label", film.label, position=tuple(top), anchor="bottom-center")
            at += float(high[0] - low[0]) + gap
        points = np.array(corners)
        look_at(self.server, points.min(axis=0), points.max(axis=0), boxes[0][0].size == 2)

    def _controls(self) -> None:
        gui = self.server.gui
        gui.set_panel_label("pliant viewer")
        self.caption = gui.add_markdown("")
        self.seconds = max(film.seconds for film in self.shown)
        moves = any(len(film.frames) > 1 for film in self.shown)
        self.time = gui.add_slider(self._timeline(), 0.0, self.seconds, self.seconds / 1000.0, 0.0, visible=moves)
        self.playing = gui.add_checkbox("play", moves, visible=moves)
        self.speed = gui.add_dropdown("speed", tuple(SPEEDS), initial_value="1", visible=moves)
        modes = max(self.choices, key=len)
        labels = tuple(film.captions[0] for film in modes)
        self.mode = gui.add_dropdown("mode", labels, visible=len(modes) > 1)
        names = list(dict.fromkeys(name for film in self.shown for name in film.quantities if name != TENSION))
        self.colour = gui.add_dropdown("colour of beams", (*names, PLAIN), visible=bool(names))
        self.bars = gui.add_html("")
        forces = max(film.largest_force for film in self.shown)
        self.arrows = gui.add_checkbox(f"forces of joints (longest: {forces:.3g} N)", False, visible=forces > 0.0)
        self.time.on_update(lambda _: self.draw())
        self.colour.on_update(lambda _: self.draw())
        self.arrows.on_update(lambda _: self.draw())
        self.mode.on_update(lambda _: self._choose())

    def _timeline(self) -> str:
        kinds = {film.result.kind for film in self.shown if len(film.frames) > 1}
        return {"path": "along the path", "modes": "one period"}.get(kinds.pop() if len(kinds) == 1 else "", "time, s")

    def _choose(self) -> None:
        """Another mode."""
        number = self.mode.options.index(self.mode.value)
        self.shown = [each[min(number, len(each) - 1)] for each in self.choices]
        self.draw()

    def draw(self) -> None:
        """Everything as the controls say."""
        with self._lock, self.server.atomic():
            tops = {
                name: max(film.quantities[name].largest for film in self.shown if name in film.quantities)
                for name in {name for film in self.shown for name in film.quantities}
            }
            words = []
            for stage, film in zip(self.stages, self.shown, strict=True):
                frame = film.frame_at(float(self.time.value))
                colour, tension = film.quantities.get(self.colour.value), film.quantities.get(TENSION)
                stage.draw(film.frames[frame], colour, tension, frame, tops)
                if film.forces is not None:
                    places, forces = film.forces
                    largest = max(each.largest_force for each in self.shown)
                    stage.forces(places[frame], forces[frame], largest, bool(self.arrows.value))
                words.append(f"**{film.label}**  \n{film.captions[min(frame, len(film.captions) - 1)]}")
            self._write(self.caption, "\n\n".join(words))
            used = [next(f.quantities[n] for f in self.shown if n in f.quantities) for n in (self.colour.value, TENSION) if n in tops]
            self._write(self.bars, "".join(bar(each, tops[each.name]) for each in used))

    @staticmethod
    def _write(handle: Any, content: str) -> None:
        if handle.content != content:
            handle.content = content

    def _play(self) -> None:
        last = time.monotonic()
        while not self._stopped.wait(1.0 / RATE):
            now = time.monotonic()
            if self.playing.value and self.server.get_clients():
                step = (now - last) * SPEEDS[self.speed.value]
                self.time.value = (float(self.time.value) + step) % self.seconds
            last = now
