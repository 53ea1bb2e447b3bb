"""Accelerations of random mechanisms in space; `pliant validate accelerations` takes 500 of them."""

from __future__ import annotations

import pytest

from pliant_evidence.random_mechanisms import newton_euler
from pliant_evidence.random_mechanisms.generate import Random, difference
from pliant_evidence.random_mechanisms.validate import TRAITS, rows


@pytest.mark.parametrize("formulation", ["udwadia_kalaba", "relative"])
def test_every_row_holds(formulation: str) -> None:
    found = list(rows(25, formulation))
    assert [row for row in found if not row.ok] == []
    assert len(found) == 1 + len(TRAITS)


def test_a_gyroscopic_moment_left_out_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    right = newton_euler.Mechanism.force
    monkeypatch.setattr(newton_euler.Mechanism, "force", lambda self, velocity: right(self, 1.001 * velocity))
    assert max(difference(seed)[1] for seed in range(5)) > 1e-6


def test_kinds_of_mechanisms() -> None:
    traits = [Random(seed).traits for seed in range(25)]
    assert all(sum(trait in each for each in traits) >= 5 for trait in TRAITS)
