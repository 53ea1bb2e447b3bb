"""Steady spins: every row of the case."""

from __future__ import annotations

from pliant_testing import validation


def test_every_row_holds() -> None:
    report = validation.run("steady-spin")
    assert [row for row in report.rows if not row.ok] == []
    assert len(report.rows) == 53
