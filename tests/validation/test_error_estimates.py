"""Estimated errors of meshes are within a factor of five of the true ones."""

from __future__ import annotations

from pliant.validation import run
from pliant_evidence.error_estimates.validate import ratio


def test_every_row_holds() -> None:
    report = run("error-estimates")
    assert [row for row in report.rows if not row.ok] == []
    assert len(report.rows) > 60
    assert sum(row.kind == "exact" for row in report.rows) > 20


def test_a_row_can_fail() -> None:
    assert ratio("", 1.0, 4.9, "exact").ok
    assert not ratio("", 1.0, 5.1, "exact").ok
    assert not ratio("", 5.1, 1.0, "exact").ok
    assert not ratio("", 0.0, 1.0, "exact").ok
