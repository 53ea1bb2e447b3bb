"""Derivatives by parameters: every row of the case."""

from __future__ import annotations

from pliant import validation


def test_every_row_holds() -> None:
    report = validation.run("sensitivities")
    assert [row for row in report.rows if not row.ok] == []
    assert len(report.rows) == 89
