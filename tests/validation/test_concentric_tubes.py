"""Concentric tubes: rows of the case with references from outside."""

from __future__ import annotations

from pliant_evidence.concentric_tubes import theory, validate


def test_twist_several_tubes_and_vibrations() -> None:
    rows = [*validate.twists(), *validate.several(), *validate.vibrations()]
    assert [row for row in rows if not row.ok] == []
    assert len(rows) == 8


def test_where_they_snap() -> None:
    robot = validate.two(0.15)
    found = validate.turned(robot).event_parameter.values
    exact = theory.snap(validate.pull(robot), 0.15)
    assert abs(found[0] - exact) < 1e-6
    assert abs(found[1] - (2.0 * validate.pi - exact)) < 1e-6
