"""Scene shared by viewer and studio: mechanisms side by side, a timeline, colours with their bars, forces.

It also has downloads (a picture of the scene, a film) and the dark mode of the page.
"""

from __future__ import annotations

import io
import math
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pliant.errors import OptionError, PliantError
from pliant.results.drawing.animation import animate
from pliant.results.drawing.colouring import TENSION
from pliant.results.traces import traces
from pliant_studio.viewer.bars import bar
from pliant_studio.viewer.camera import face_again, look_at
from pliant_studio.viewer.film import Film
from pliant_studio.viewer.server import dress
from pliant_studio.viewer.stage import Stage, solid
from pliant_studio.viewer.text import paragraph

HEIGHT = 900  # pixels of a picture
SECONDS = 10.0  # largest time for a picture
FPS = 15.0
FARTHEST = 500.0  # largest distance of a picture's camera: viser draws nothing beyond 1000


class Taking:
    """Buttons for downloads; create it at their place."""

    def __init__(self, theatre: Theatre) -> None:
        self.theatre = theatre
        gui = theatre.server.gui
        picture = gui.add_button("picture (PNG)", icon="camera")
        picture.on_click(lambda event: self._send(event.client, self._picture))
        film = gui.add_button("film (GIF)", icon="movie")
        film.on_click(lambda event: self._send(event.client, self._film))
        dark = gui.add_checkbox("dark", getattr(theatre.server, "dark", False))
        dark.on_update(lambda event: self._dress(bool(event.target.value)))

    def _dress(self, dark: bool) -> None:
        dress(self.theatre.server, dark=dark)
        self.theatre.frame()

    def _send(self, client: Any, take: Any) -> None:
        """Send the download as a file; or show why it is not possible."""
        try:
            name, content = take(client)
        except (PliantError, TimeoutError) as error:
            client.add_notification("not possible", str(error), auto_close_seconds=12.0)
            return
        client.send_file_download(name, content, save_immediately=True)

    def _picture(self, client: Any) -> tuple[str, bytes]:
        """Return the scene as this client sees it."""
        from PIL import Image

        camera = client.camera
        width = round(HEIGHT * min(max(camera.aspect, 0.2), 5.0))
        to_eye = camera.position - camera.look_at
        away = float(np.linalg.norm(to_eye))
        near = min(away, FARTHEST)
        seen = client.get_render(
            HEIGHT, width, transport_format="png", timeout=SECONDS, wxyz=camera.wxyz,
            position=camera.look_at + near / away * to_eye,
            fov=2.0 * math.atan(away / near * math.tan(0.5 * camera.fov)),
        )  # fmt: skip
        page = io.BytesIO()
        Image.fromarray(seen).convert("RGBA").save(page, format="PNG")
        return "scene.png", page.getvalue()

    def _film(self, client: Any) -> tuple[str, bytes]:
        """Render the first film shown as a file."""
        shown = self.theatre.films[0]
        if len(shown.frames) < 2:
            raise OptionError("Nothing moves: play a motion, a path or a mode first.")
        with tempfile.TemporaryDirectory() as folder:
            path = animate(shown.result, Path(folder) / "film.gif", fps=FPS, traces=self.theatre.traced)
            return "film.gif", path.read_bytes()


PLAIN = "nothing"
RATE = 24.0  # frames a second that are sent while playing
SPEEDS = {"1/10": 0.1, "1/4": 0.25, "1/2": 0.5, "1": 1.0, "2": 2.0, "4": 4.0}
GAP = 0.25  # between mechanisms side by side, of the widest
LABEL = 0.06  # above a mechanism, of its extent
CLOCKS = {"path": "along the path, s", "modes": "one period, s"}


class Theatre:
    """Player of films on a page. Create it at the place of its controls, then call `show`."""

    def __init__(self, server: Any) -> None:
        self.server = server
        self.films: list[Film] = []
        self.traced: tuple[str, ...] = ()
        self.stages: list[Stage] = []
        self.scale = 1.0  # of the scene, per metre
        self._lock = threading.RLock()
        self._stopped = threading.Event()
        gui = server.gui
        self.caption = gui.add_html("")
        self.time = gui.add_slider("time, s", 0.0, 1.0, 1e-3, 0.0)
        self.playing = gui.add_checkbox("play", True, visible=False)  # until something moves
        self.speed = gui.add_dropdown("speed", tuple(SPEEDS), initial_value="1")
        self.colour = gui.add_dropdown("colour of beams", (PLAIN,))
        self.bars = gui.add_html("")
        self.arrows = gui.add_checkbox("forces of joints", False)
        self.velocities = gui.add_checkbox("velocities", False, visible=False)
        self.ghost = gui.add_checkbox(
            "shape to compare with", False, visible=False, hint="Of the beginning, or at rest."
        )
        self.names = gui.add_checkbox("names", False)
        self.over = gui.add_checkbox("one over the other", False, visible=False)
        self.trace = gui.add_dropdown("line drawn by", (PLAIN,), visible=False)
        for control in (self.time, self.colour, self.arrows, self.velocities, self.ghost, self.names):
            control.on_update(lambda _: self.draw())
        self.over.on_update(lambda _: self.show(self.films))
        self.trace.on_update(lambda _: self._draw_traces())
        home = gui.add_button("whole motion", icon="home", hint="Look at all of it, straight on.")
        home.on_click(lambda _: self.home())
        Taking(self)
        self._thread = threading.Thread(target=self._play, name="pliant player", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop drawing."""
        self._stopped.set()
        with self._lock:  # a frame being drawn is finished: its controls may be removed now
            pass
        self._thread.join(timeout=2.0)

    def show(self, films: Sequence[Film], *, keep_stage: bool = False) -> None:
        """Show these films; `keep_stage`: they have the same parts in the same place as the previous ones."""
        with self._lock:
            self.films = list(films)
            if not (keep_stage and len(self.stages) == len(self.films)):
                self._set_stage()
            moves = any(len(film.frames) > 1 for film in films)
            seconds = max(film.seconds for film in films)
            for control in (self.time, self.playing, self.speed):
                control.visible = moves
            if moves:
                kinds = {film.result.kind for film in films if len(film.frames) > 1}
                self.time.label = CLOCKS.get(kinds.pop() if len(kinds) == 1 else "", "time, s")
                self.time.max, self.time.step = seconds, seconds / 1000.0
            self.time.value = 0.0
            names = tuple(dict.fromkeys(n for film in films for n in film.quantities if n != TENSION))
            if names and self.colour.options != (*names, PLAIN):
                chosen = self.colour.value if self.colour.value in names else names[0]
                self.colour.options = (*names, PLAIN)
                self.colour.value = chosen
            self.colour.visible = bool(names)
            self.arrows.visible = any(film.forces is not None for film in films)
            self.velocities.visible = any(film.velocities is not None for film in films)
            self.ghost.visible = any(film.rest is not None for film in films)
            self.over.visible = len(films) > 1
            if all(film.result.kind == "sketch" for film in films):  # a model being drawn
                self.names.value = True
            self._offer_traces()
            self.draw()

    def home(self) -> None:
        """Fit the view to everything shown, in all frames."""
        with self._lock:
            self.frame()
            face_again(self.server)

    def draw(self) -> None:
        """Draw the present frame, as the controls say."""
        with self._lock, self.server.atomic():
            tops = {
                name: max(film.quantities[name].largest for film in self.films if name in film.quantities)
                for name in {name for film in self.films for name in film.quantities}
            }
            longest = {
                "forces": max(film.largest_force for film in self.films),
                "velocities": max(film.largest_velocity for film in self.films),
            }
            for stage, film in zip(self.stages, self.films, strict=True):
                frame = film.frame_at(float(self.time.value))
                colour, tension = film.quantities.get(self.colour.value), film.quantities.get(TENSION)
                stage.draw(film.frames[frame], colour, tension, frame, tops)
                stage.ghost(film.rest, bool(self.ghost.value))
                stage.names(film.frames[frame], bool(self.names.value))
                for name, wanted, found in (
                    ("forces", self.arrows, film.forces),
                    ("velocities", self.velocities, film.velocities),
                ):
                    places, values = (each[min(frame, len(each) - 1)] for each in found or (np.zeros((1, 0, 3)),) * 2)
                    stage.arrows(name, places, values, longest[name], bool(wanted.value) and found is not None)
            self._words(tops, longest)

    def _offer_traces(self) -> None:
        moving = [film.result.data for film in self.films if film.result.kind in ("motion", "path")]
        names = tuple(dict.fromkeys(str(name) for data in moving for name in data["marker"].values))
        chosen = self.trace.value if self.trace.value in names else PLAIN
        if self.trace.options != (PLAIN, *names):
            self.trace.options = (PLAIN, *names)
            self.trace.value = chosen
        self.trace.visible = bool(names)
        self._draw_traces()

    def _draw_traces(self) -> None:
        with self._lock:
            for stage, film in zip(self.stages, self.films, strict=True):
                moves = film.result.kind in ("motion", "path")
                wanted = [*self.traced, self.trace.value] if moves else []
                known = set(film.result.data["marker"].values.tolist()) if moves else set()
                chosen = list(dict.fromkeys(name for name in wanted if name in known))
                stage.traces([each.places for each in traces(film.result, chosen)])

    def _words(self, tops: dict[str, float], longest: dict[str, float]) -> None:
        """Write captions of the frame and colour bars."""
        captions = []
        for film in self.films:
            frame = film.frame_at(float(self.time.value))
            captions.append(paragraph(film.captions[min(frame, len(film.captions) - 1)], film.label))
        _write(self.caption, "".join(captions))
        wanted = [name for name in (self.colour.value, TENSION) if name in tops]
        found = [next(f.quantities[name] for f in self.films if name in f.quantities) for name in wanted]
        bars = "".join(bar(each, tops[each.name]) for each in found)
        told = {"forces": (self.arrows, "N"), "velocities": (self.velocities, "m/s")}
        for name, (control, unit) in told.items():
            if control.value and longest[name] > 0.0:
                said = f"longest arrow of {name}: {longest[name]:.3g} {unit}"
                bars += f'<div style="margin:.2em .9em; font-size:.85em">{said}</div>'
        _write(self.bars, bars)

    def _set_stage(self) -> None:
        """Place mechanisms side by side along x, in one scale; or overlaid, all but one in grey."""
        for k in range(len(self.stages)):
            self.server.scene.remove_by_name(f"/{k}")
        boxes, several = [film.box for film in self.films], len(self.films) > 1
        over = bool(self.over.value) and several
        widest = max(float(high[0] - low[0]) for low, high in boxes)
        extent, at = max(float(np.max(high - low)) for low, high in boxes) or 1.0, 0.0
        self.stages, self.scale = [], 1.0 / extent
        for k, (film, (low, high)) in enumerate(zip(self.films, boxes, strict=True)):
            place = self.scale * np.array([at - low[0] if several and not over else 0.0, 0.0, 0.0])
            self.stages.append(Stage(self.server.scene, f"/{k}", film.result, self.scale, place, faint=over and k > 0))
            if several and not over:
                middle = solid(np.array([0.5 * (low[0] + high[0]), *(high[1:] + LABEL * extent)]))
                top = self.scale * middle + place
                self.server.scene.add_label(f"/{k}/label", film.label, position=tuple(top), anchor="bottom-center")
            at += float(high[0] - low[0]) + GAP * max(widest, 0.5 * extent)
        self.frame()

    def frame(self) -> None:
        """Set grid and first camera for all frames shown."""
        boxes = [film.box for film in self.films]
        placed = zip(self.stages, boxes, strict=True)
        points = np.array([self.scale * solid(each) + stage.place for stage, box in placed for each in box])
        look_at(self.server, points.min(axis=0), points.max(axis=0), boxes[0][0].size == 2, self.scale)

    def _play(self) -> None:
        last = time.monotonic()
        while not self._stopped.wait(1.0 / RATE):
            now = time.monotonic()
            with self._lock:
                shown = self.playing.value and self.playing.visible and self.server.get_clients()
                if shown and not self._stopped.is_set():
                    step = (now - last) * SPEEDS[self.speed.value]
                    self.time.value = (float(self.time.value) + step) % float(self.time.max)  # this draws
            last = now


def _write(handle: Any, content: str) -> None:
    """Send content only if it has changed."""
    if handle.content != content:
        handle.content = content
