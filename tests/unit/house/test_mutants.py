"""The tool that seeds faults: they fit the source, some are tried, one that hangs is ended, an empty one is refused."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from pliant_testing.validation import CASES
from tests.mutants.fault import ROOT, Fault
from tests.mutants.faults import FAULTS
from tests.mutants.page import page, verdict
from tests.mutants.references import OUTSIDE, REFERENCES
from tests.mutants.run import Memory, Trial, trial

QUICK = ("inertia of every link doubled", "LQR: feedback halved")


def test_faults_fit_the_source() -> None:
    """A fault whose text has been changed: adapt it in tests/mutants/faults."""
    assert [told for fault in FAULTS if (told := fault.check())] == []
    assert [name for name, count in Counter(fault.name for fault in FAULTS).items() if count > 1] == []
    assert len(FAULTS) >= 60


def test_candidates_exist_and_say_what_they_compare_with() -> None:
    names = {name for fault in FAULTS for name in fault.candidates}
    tests = {name for name in names if ".py" in name}
    assert names - tests <= set(CASES.names())
    assert tests == set(REFERENCES)
    for test in tests:
        file, _, function = test.partition("::")
        assert f"def {function}(" in (ROOT / "tests" / file).read_text(), test


@pytest.fixture(scope="module")
def chosen() -> list[Fault]:
    return [fault for fault in FAULTS if fault.name in QUICK]


def test_faults_are_caught_from_outside(chosen: list[Fault]) -> None:
    done = {fault.name: trial(fault.name, fault, fault.candidates) for fault in chosen}
    assert len(done) == len(QUICK)
    assert all(verdict(fault, done[fault.name]) in OUTSIDE for fault in chosen), done
    text = page(chosen, done)
    assert "2 faults, 2 caught by a reference from outside" in text
    assert "| inertia of every link doubled | pendulum-modes: omega^2, 1 x rod, mode 1 | exact |" in text


def test_without_a_fault_nothing_is_caught(chosen: list[Fault]) -> None:
    found = trial("none", None, tuple(name for fault in chosen for name in fault.candidates if ".py" in name))
    assert found.findings == ()
    assert found.ended
    assert verdict(chosen[0], found) == "survives"


def test_a_fault_that_hangs_is_ended() -> None:
    earth = "EARTH = -9.81"
    endless = Fault(
        "endless", "pliant/forces/gravity/__init__.py", earth, f"while True: pass\n{earth}", ("pendulum-modes",)
    )
    found = trial("endless", endless, endless.candidates, budget=2.0)
    assert not found.ended
    assert found.caught is None


def test_what_was_tried_is_remembered_until_it_changes(tmp_path: Path, chosen: list[Fault]) -> None:
    memory, fault = Memory(tmp_path / "memory.jsonl"), chosen[0]
    memory.add(memory.key(fault.name, fault, fault.candidates), Trial(fault.name, (), 1.0, True))
    again = Memory(tmp_path / "memory.jsonl")
    assert again.known == memory.known
    other = replace(fault, wrong="another")
    assert again.key(other.name, other, other.candidates) not in again.known
