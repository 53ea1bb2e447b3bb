"""The 45-degree bend: every row of its case."""

from __future__ import annotations

from pliant import validation


def test_every_row_holds() -> None:
    report = validation.run("bend-45")
    assert [row for row in report.rows if not row.ok] == []
    assert len(report.rows) == 68
