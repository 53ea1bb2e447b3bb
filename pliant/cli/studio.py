"""`pliant studio`: a mechanism set up with sliders in the browser."""

from __future__ import annotations

from pliant.cli.pages import serve
from pliant.studio.page import studio


def run(name: str, *, host: str, port: int | None, seconds: float | None) -> None:
    """Serve the page until Ctrl-C, or for so many seconds."""
    page = studio(name, host=host, port=port)
    serve(page, name, seconds)
