"""Beams at large strains: rows of the case with references from outside."""

from __future__ import annotations

from itertools import islice

from pliant_evidence.hyperelastic import validate


def test_stretch_torsion_and_bending() -> None:
    rows = [*validate.stretched(), *validate.twisted(), *islice(validate.bent(), 2)]
    assert [row for row in rows if not row.ok] == []
    assert len(rows) == 12


def test_cantilevers_arrive_at_their_clamp() -> None:
    rows = list(validate.loaded())[1::2]
    assert [row for row in rows if not row.ok] == []
    assert len(rows) == 2
