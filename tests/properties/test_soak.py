"""A small part of ``make soak``: 100 mechanisms, one check each, and 1,000 damaged files."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.soak import files, mechanisms
from tests.soak.__main__ import lines, summary

NAMES = list(mechanisms.CHECKS)


@pytest.mark.filterwarnings("ignore::pliant.errors.PliantWarning")
@pytest.mark.parametrize("part", range(10))
def test_mechanisms(part: int) -> None:
    found = [mechanisms.soak(seed, [NAMES[seed % len(NAMES)]]) for seed in range(10 * part, 10 * part + 10)]
    assert not [case for case in found if case["faults"]]


@pytest.mark.filterwarnings("ignore::pliant.errors.PliantWarning", "ignore::RuntimeWarning")
@pytest.mark.parametrize("part", range(2))
def test_damaged_files(part: int, tmp_path: Path) -> None:
    found = [files.soak(seed, tmp_path) for seed in range(500 * part, 500 * part + 500)]
    assert not [case for case in found if case["end"] == "fault"]
    assert {case["end"] for case in found} == {"read", "refused"}  # some damage is none


def test_a_fault_is_told_and_a_cut_line_is_dropped(tmp_path: Path) -> None:
    log = tmp_path / "files.jsonl"
    log.write_text('{"seed": 0, "kind": "urdf", "end": "fault", "fault": "KeyError"}\n{"seed": 1, "ki')
    text, faults = summary({"mechanisms": [], "files": lines(log)})
    assert faults == 1
    assert "KeyError" in text
    assert log.read_text().endswith("}\n")
