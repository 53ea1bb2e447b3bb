"""`pliant demo`: the leg, from words to pictures."""

from __future__ import annotations

import importlib
import json
from pathlib import Path

import typer

from pliant_cli.console import err, out
from pliant_cli.folder import Folder


def run(folder: Path, *, force: bool, as_json: bool) -> None:
    """Compute the demonstration into a new folder."""
    Folder(folder, force=force)  # refuses what cannot be written into
    files = importlib.import_module("pliant_gallery.leg.demo").run(folder, err if as_json else out)
    if as_json:
        typer.echo(json.dumps({name: str(file) for name, file in files.items()}))
