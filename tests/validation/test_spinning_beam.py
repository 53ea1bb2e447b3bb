"""Spin-up of a flexible arm: the case's rows, and that the benchmark's peer does the same job."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import pliant as pl
from pliant.errors import OptionError
from pliant_evidence import exudyn_beams
from pliant_evidence.spinning_beam import bench
from pliant_gallery import spinning_beam
from pliant_testing import validation


def test_every_row_holds() -> None:
    rows = validation.run("spinning-beam").rows
    assert [row for row in rows if not row.ok] == []
    assert [row.reference for row in rows if row.kind == "published"] == [-0.280, 7.0]
    steady = [row for row in rows if row.unit == "m" and row.reference > 0.0]
    assert [row.reference for row in steady] == pytest.approx([2.73925e-5] * 2 + [5.14286e-4] * 2, rel=1e-5)
    assert [row.tolerance for row in steady] == [3e-3, 5e-4] * 2


def test_every_row_holds_by_shooting() -> None:
    rows = validation.run("shooting-spinning-beam").rows
    assert [row for row in rows if not row.ok] == []
    assert [row.reference for row in rows if row.kind == "published"] == [-0.280, 7.0, 2.7393e-5, 5.14e-4]
    assert all(row.tolerance == 1e-3 for row in rows if "extension" in row.quantity)


def test_unknown_case_is_refused() -> None:
    with pytest.raises(OptionError, match="cases 1 and 2"):
        spinning_beam.model(case=3)


def test_model_can_be_saved(tmp_path: Path) -> None:
    spinning_beam.model().save(tmp_path / "arm.toml")
    assert pl.Model.load(tmp_path / "arm.toml").part("arm").length == 8.0


def test_peer_does_the_same_job() -> None:
    """Two codes, one element and one method: they differ by the rest of Newton's error, far below the method's."""
    exudyn = pytest.importorskip("exudyn")
    plan = replace(bench.PLAN, end_time=1.0, steps=200)
    system = pl.compile(spinning_beam.model(), elements={"arm": bench.ELEMENTS})
    ours = plan.positions(plan.pliant(system))
    beams = bench.arm(exudyn)
    theirs = beams.solve(beams.settings(plan, exudyn_beams.VARIANTS[0], 1e-10))
    assert theirs is not None
    assert plan.error(ours, theirs) < 1e-8
