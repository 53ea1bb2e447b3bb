"""`pliant demo`: the leg, from words to pictures."""

from __future__ import annotations

import importlib
from pathlib import Path

from pliant.cli.console import out
from pliant.errors import FileError
from pliant.warm_up import warm_up


def run(folder: Path, *, force: bool) -> None:
    """Compute the demonstration into a folder of its own."""
    if folder.exists() and not force:
        raise FileError(f"{folder} exists already. Choose another folder with --out, or write into it with --force.")
    if folder.is_file():
        raise FileError(f"{folder} is a file, not a folder. Choose another name with --out.")
    warm_up()
    importlib.import_module("pliant.gallery.leg.demo").run(folder, out)
