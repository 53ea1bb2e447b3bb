"""`pliant view`: results from files, in the browser."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pliant.results import load_result
from pliant_cli.pages import serve
from pliant_studio.viewer.player import view


def run(files: Sequence[Path], *, host: str, port: int | None, seconds: float | None) -> None:
    """Show the results side by side, labelled by their files' names, until Ctrl-C, or for so many seconds."""
    labels = [file.stem if [f.stem for f in files].count(file.stem) == 1 else str(file) for file in files]
    page = view({label: load_result(file) for label, file in zip(labels, files, strict=True)}, host=host, port=port)
    serve(page, ", ".join(labels), seconds)
