"""Folder of a run: made with the first file, and never over another folder without `--force`."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pliant.errors import FileError, OptionError
from pliant.whole_files import whole_file

MOVING = (".html", ".gif", ".mp4")  # formats of what moves: an equilibrium does not


class Folder:
    """Files of a run; each is written whole or not at all, so that an interrupted run leaves no broken file."""

    def __init__(self, path: Path | None, *, force: bool, formats: Sequence[str] = ()) -> None:
        self.path, self.files, self.times = path, list[Path](), dict[str, int]()
        self.formats = [f".{word.lstrip('.')}" for word in formats]
        if path is None:
            if formats:
                raise OptionError(f"--also {formats[0]}: say where to, with --out FOLDER.")
            return
        if path.is_file():
            raise FileError(f"{path} is a file, not a folder. Choose another name with --out.")
        there = next(each for each in (path, *path.absolute().parents) if each.exists() or each.is_symlink())
        if not there.is_dir() or not os.access(there, os.W_OK):
            raise FileError(f"cannot write into {path}: {there} is no folder to write into. Choose another with --out.")
        if path.exists() and not force:
            raise FileError(f"{path} exists already. Choose another folder with --out, or write into it with --force.")

    def keep(self, name: str, thing: Any) -> list[Path]:
        """Write a result or linear model as netCDF, and in the other formats that can hold it."""
        from pliant_io.export import FORMATS, export

        if self.path is None:
            return []
        _make(self.path)
        known = FORMATS[type(thing).__name__]
        self.times[name] = self.times.get(name, 0) + 1
        stem = name if self.times[name] == 1 else f"{name}-{self.times[name]}"
        written = []
        for suffix in (".nc", *self.formats):
            if suffix in known and not (suffix in MOVING and getattr(thing, "kind", "") == "statics"):
                written.append(export(thing, self.path / f"{stem}{suffix}", overwrite=True))
                self.files.append(written[-1])
        return written

    def keep_files(self, writers: Mapping[str, Callable[..., Path]]) -> list[Path]:
        """Write files, each by its writer; write none without a folder."""
        if self.path is None:
            return []
        _make(self.path)
        written = [write(self.path / name, overwrite=True) for name, write in writers.items()]
        self.files += written
        return written

    def keep_model(self, model: Any) -> None:
        """Write the model file, once; a model with a Python function has none."""
        if self.path is None or self.path / "model.toml" in self.files:
            return
        try:
            model.save(self.path / "model.toml", overwrite=True)
            self.files.append(self.path / "model.toml")
        except FileError:
            return

    def keep_json(self, name: str, content: Any) -> None:
        """Write a JSON file."""
        if self.path is None or not self.files:
            return
        with whole_file(self.path / name) as part:
            part.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
        self.files.append(self.path / name)


def _make(path: Path) -> None:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"cannot make the folder {path}: {error.strerror or error}.") from error
