"""Robots of six legs: every row of their cases."""

from __future__ import annotations

import pytest

from pliant import validation


@pytest.mark.parametrize("name", ["six-leg-planar", "six-leg-lqr"])
def test_every_row_holds(name: str) -> None:
    report = validation.run(name)
    assert [row for row in report.rows if not row.ok] == []
