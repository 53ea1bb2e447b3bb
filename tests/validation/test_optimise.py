"""Best designs and scatter: the rows of both cases that are quick; `pliant validate optimise uncertainty` has all."""

from __future__ import annotations

from pliant_evidence.optimise import validate as optimise
from pliant_evidence.uncertainty import validate as uncertainty


def test_the_docking_damper_is_that_of_the_closed_form() -> None:
    rows = list(optimise.bumper())
    assert [row for row in rows if not row.ok] == []
    assert len(rows) == 5


def test_functions_scatter_as_closed_forms_say() -> None:
    rows = list(uncertainty.functions())
    assert [row for row in rows if not row.ok] == []
    assert len(rows) == 10
