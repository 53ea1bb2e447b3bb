"""The 45-degree bend: its rows without the leg in plane and space (`pliant validate bend-45`)."""

from __future__ import annotations

from pliant_evidence.bend_45 import rows, validate


def test_every_row_holds() -> None:
    found = [*validate.bend(), *rows.rolled(), *rows.wound(), *rows.objective()]
    assert [row for row in found if not row.ok] == []
    assert len(found) == 52
