"""Tab of the studio for downloads: model, program, results."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pliant.results import Result
from pliant_studio.session import files
from pliant_studio.session.script import script

if TYPE_CHECKING:
    from pliant_studio.page.page import Studio


class FilesTab:
    """One button for each file."""

    def __init__(self, studio: Studio) -> None:
        self.studio = studio
        name = files.safe(studio.session.mechanism.name)
        offers: list[tuple[str, str, Callable[[], bytes]]] = [
            ("model (TOML)", f"{name}.toml", lambda: files.model_file(studio.session).encode()),
            ("script (Python)", f"{name.replace('-', '_')}.py", lambda: self._script().encode()),
            ("results (netCDF, zipped)", f"{name}-results.zip", lambda: files.archive(self._results())),
            ("diagram (CSV)", f"{name}-diagram.csv", studio.diagram.table),
        ]
        for label, file, content in offers:
            button = studio.server.gui.add_button(label, icon="download")
            button.on_click(lambda event, file=file, content=content: self._send(event.client, file, content))

    def _script(self) -> str:
        return script(self.studio.session, end_time=self.studio.release.seconds, choice=self.studio.release.choice)

    def _results(self) -> dict[str, Result]:
        studio = self.studio
        found = {"equilibrium": studio.session.rest, "modes": studio.modes, "motion": studio.motion}
        return {name: result for name, result in found.items() if result is not None}

    def _send(self, client: Any, file: str, content: Callable[[], bytes]) -> None:
        def job() -> None:
            client.send_file_download(file, content(), save_immediately=True)

        self.studio.worker.ask(f"file {file}", job)
