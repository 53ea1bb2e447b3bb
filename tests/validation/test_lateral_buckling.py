"""Lateral buckling: every row of its case; what its shooting solution says of known limits."""

from __future__ import annotations

import pytest

from pliant.errors import OptionError
from pliant_evidence.lateral_buckling import theory
from pliant_gallery import lateral_buckling
from pliant_testing import validation


def test_every_row_holds() -> None:
    report = validation.run("lateral-buckling")
    assert [row for row in report.rows if not row.ok] == []
    assert len(report.rows) == 22


def test_first_order_of_the_bending_before_buckling() -> None:
    """Hodges and Peters's coefficients, by differences."""
    step = 1e-3
    stiff = {"strong": 1.0, "weak": 1e-7, "torsion": 1e-7}
    for name, coefficient in (("weak", 0.5), ("torsion", 0.642365)):
        given = {**stiff, name: step}
        ratio = theory.cantilever(**given) / (theory.PRANDTL * (given["weak"] * given["torsion"]) ** 0.5)
        assert (ratio - 1.0) / step == pytest.approx(coefficient, abs=2e-3)


def test_problems_are_found_by_name() -> None:
    with pytest.raises(OptionError, match="Did you mean frame"):
        lateral_buckling.model(problem="frames")
    with pytest.raises(OptionError, match="Did you mean axial"):
        lateral_buckling.bent_cantilever(couple="axiall")
