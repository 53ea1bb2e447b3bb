"""Beams that taper: every row of the case holds, in every element and formulation."""

from __future__ import annotations

import pytest

from pliant_evidence.tapered_beam import theory
from pliant_testing.validation import run


def test_every_row_holds() -> None:
    report = run("tapered-beam")
    assert [row for row in report.rows if not row.ok] == []
    assert {"8.719", "5.315"} == {str(row.reference) for row in report.rows if row.kind == "published"}


def test_bessel_functions_give_the_tables_of_mabie_and_rogers() -> None:
    """Frequency parameters of a wedge whose tip is half as high: 3.8238, 18.3173, 47.2648."""
    assert theory.frequencies(1, 0.5, 3) == pytest.approx([3.8238, 18.3173, 47.2648], abs=5e-5)


def test_columns_that_hardly_taper_are_eulers() -> None:
    for degree in (2, 4):
        assert theory.buckling_load(degree, 0.9999) == pytest.approx(2.4674, rel=1e-3)
