"""Robots of six legs: rows of their cases; central control and the 6-RUS are left to `pliant validate six-leg-lqr`."""

from __future__ import annotations

from pliant_evidence.six_leg import control
from pliant_evidence.six_leg.validate import decentralised
from pliant_testing import validation


def test_every_row_of_the_planar_robots_holds() -> None:
    report = validation.run("six-leg-planar")
    assert [row for row in report.rows if not row.ok] == []


def test_legs_by_themselves_settle_the_planar_robot() -> None:
    assert [row for row in decentralised("planar", control.planar()) if not row.ok] == []
