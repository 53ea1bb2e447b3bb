"""Estimated errors of meshes and steps are within a factor of five of the true ones."""

from __future__ import annotations

import pytest

from pliant_evidence.error_estimates import validate
from pliant_evidence.error_estimates.events import bifurcations
from pliant_evidence.error_estimates.mechanisms import mechanisms
from pliant_evidence.error_estimates.newer_cases import newer_cases
from pliant_evidence.error_estimates.ratios import ratio
from pliant_evidence.error_estimates.spins import turning
from pliant_evidence.error_estimates.steps import steps


@pytest.mark.filterwarnings("ignore::pliant.errors.PliantWarning")
def test_rows_with_references_from_outside_hold() -> None:
    """Equilibria and motions beside finer meshes of pliant are left to `pliant validate error-estimates`."""
    groups = (
        validate.vibrations,
        validate.deflections,
        validate.legs,
        bifurcations,
        turning,
        mechanisms,
        steps,
        newer_cases,
    )
    rows = [row for group in groups for row in group()]
    assert [row for row in rows if not row.ok] == []
    assert sum(row.kind in ("exact", "independent code") for row in rows) > 45


def test_a_row_can_fail() -> None:
    assert ratio("", 1.0, 4.9, "exact").ok
    assert not ratio("", 1.0, 5.1, "exact").ok
    assert not ratio("", 5.1, 1.0, "exact").ok
    assert not ratio("", 0.0, 1.0, "exact").ok
