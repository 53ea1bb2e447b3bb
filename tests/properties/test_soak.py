"""A small part of ``make soak``: 100 mechanisms, one check each, and 1,000 damaged files."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
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
    assert {case["end"] for case in found} == {"read", "refused"}  # some damage does no harm


def test_a_fault_is_told_and_a_cut_line_is_dropped(tmp_path: Path) -> None:
    log = tmp_path / "files.jsonl"
    log.write_text('{"seed": 0, "kind": "urdf", "end": "fault", "fault": "KeyError"}\n{"seed": 1, "ki')
    text, faults = summary({"mechanisms": [], "files": lines(log)})
    assert faults == 1
    assert "KeyError" in text
    assert log.read_text().endswith("}\n")


@pytest.mark.parametrize(
    ("ok", "steps", "explained"),
    [((False, False), (8, 9), True), ((False, False), (8, 8), False), ((True, False), (8, 9), False)],
)
def test_only_motions_that_are_not_ok_may_differ_by_their_steps(ok, steps, explained) -> None:
    motions = tuple(
        SimpleNamespace(outcome=SimpleNamespace(ok=good, figures={"steps": n}))
        for good, n in zip(ok, steps, strict=True)
    )
    for what, differs in (("motion", explained), ("rest", False)):
        fault = mechanisms.apart({what: np.zeros(2)}, {what: np.ones(2)}, motions)
        assert fault
        assert isinstance(fault, mechanisms.Explained) is differs
