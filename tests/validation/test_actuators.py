"""Actuators against closed forms."""

from __future__ import annotations

from pliant_testing import validation


def test_case_holds() -> None:
    assert [row for row in validation.run("actuators").rows if not row.ok] == []
