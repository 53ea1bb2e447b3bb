"""What can be taken from a page: a picture of the scene, a film of what moves; and whether the page is dark."""

from __future__ import annotations

import io
import math
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pliant.errors import OptionError, PliantError
from pliant.results.drawing.animation import animate
from pliant_studio.viewer.server import dress

if TYPE_CHECKING:
    from pliant_studio.viewer.scene import Theatre

HEIGHT = 900  # pixels of a picture
SECONDS = 10.0  # that a picture may take
FPS = 15.0
FARTHEST = 500.0  # from where a picture is taken: viser draws nothing farther than 1000


class Taking:
    """Its buttons; make it where they shall be."""

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
        """What is taken, as a file; or why that is not possible."""
        try:
            name, content = take(client)
        except (PliantError, TimeoutError) as error:
            client.add_notification("not possible", str(error), auto_close_seconds=12.0)
            return
        client.send_file_download(name, content, save_immediately=True)

    def _picture(self, client: Any) -> tuple[str, bytes]:
        """The scene as this client sees it."""
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
        """The first of what is shown, drawn again."""
        shown = self.theatre.films[0]
        if len(shown.frames) < 2:
            raise OptionError("Nothing moves: play a motion, a path or a mode first.")
        with tempfile.TemporaryDirectory() as folder:
            path = animate(shown.result, Path(folder) / "film.gif", fps=FPS, traces=self.theatre.traced)
            return "film.gif", path.read_bytes()
