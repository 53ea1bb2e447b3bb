"""PACOMA against closed forms and shooting; its dockings are left to `pliant validate pacoma`."""

from __future__ import annotations

from pliant_evidence.pacoma import validate


def test_rest_and_stiffness_are_those_of_closed_forms() -> None:
    rows = [*validate.pretension(), *validate.stiffness(), *validate.clearance()]
    assert [row for row in rows if not row.ok] == []
