"""The commands of the cheat sheet run as they stand, with the model that its first lines of Python write."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from pliant_cli import main

BLOCKS = (Path(__file__).parents[2] / "docs" / "cheat-sheet.md").read_text(encoding="utf-8").split("```")[1::2]
MODEL = next(text for text in BLOCKS if text.startswith("python")).removeprefix("python")
COMMANDS = next(text for text in BLOCKS if text.startswith("bash")).split("\n")[1:-1]
ELSEWHERE = (
    "pliant doctor",
    "pliant validate pendulum-modes",
)  # tested in test_doctor.py, tests/validation


@pytest.mark.filterwarnings("ignore::pliant.errors.PliantWarning")
def test_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    exec(MODEL, {})
    assert set(ELSEWHERE) < set(COMMANDS)
    for line in COMMANDS:
        if line in ELSEWHERE:
            continue
        program, *arguments = shlex.split(line)
        with pytest.raises(SystemExit) as end:
            main(arguments)
        assert (program, end.value.code or 0) == ("pliant", 0), f"{line}: {capsys.readouterr().err}"
