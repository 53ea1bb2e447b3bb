"""Estimated errors of meshes and steps are within a factor of five of the true ones."""

from __future__ import annotations

from pliant.validation import run
from pliant_evidence.error_estimates.ratios import ratio


def test_every_row_holds() -> None:
    report = run("error-estimates")
    assert [row for row in report.rows if not row.ok] == []
    assert len(report.rows) > 90
    assert sum(row.kind in ("exact", "independent code") for row in report.rows) > 45


def test_a_row_can_fail() -> None:
    assert ratio("", 1.0, 4.9, "exact").ok
    assert not ratio("", 1.0, 5.1, "exact").ok
    assert not ratio("", 5.1, 1.0, "exact").ok
    assert not ratio("", 0.0, 1.0, "exact").ok
