"""A fault: one piece of pliant's source that is replaced by a wrong one in a copy of the packages."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COPIED = (*sorted(path.name for path in ROOT.glob("pliant*") if path.name.isidentifier()), "tests")


@dataclass(frozen=True)
class Fault:
    """One wrong line.

    name        for the command line and the table
    file        from the root of the project
    right       text that stands there exactly once
    wrong       what the copy has in its place
    candidates  who should notice, cheapest first: names of validation cases, or tests as "unit/test_x.py::test_y"
    reason      why nothing with a reference from outside notices, if that is so
    """

    name: str
    file: str
    right: str
    wrong: str
    candidates: tuple[str, ...]
    reason: str = ""

    def check(self) -> str:
        """Return what is wrong with the fault itself, because the source has changed; empty if nothing is."""
        path = ROOT / self.file
        times = path.read_text(encoding="utf-8").count(self.right) if path.is_file() else 0
        return "" if times == 1 else f"{self.name}: {self.right!r} stands {times} times in {self.file}, not once"


def copy_with(fault: Fault | None, folder: Path) -> None:
    """Copy the packages to a folder, with their compiled bytecode; a fault replaces one file."""
    for name in COPIED:
        shutil.copytree(ROOT / name, folder / name)
    shutil.copy2(ROOT / "pyproject.toml", folder)
    if fault is not None:
        path = folder / fault.file
        path.write_text(path.read_text(encoding="utf-8").replace(fault.right, fault.wrong), encoding="utf-8")
