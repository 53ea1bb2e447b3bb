"""Parameters from measurements: quick rows of the case, and fewer seeds; `pliant validate identify` has all."""

from __future__ import annotations

import pytest

from pliant_evidence.identify import validate

pytestmark = pytest.mark.filterwarnings("ignore::pliant.errors.PliantWarning")


@pytest.mark.parametrize("part", [validate.regression, validate.ringing, validate.strip])
def test_every_row_holds(part: object) -> None:
    rows = list(part())  # type: ignore[operator]
    assert len(rows) == 2
    assert [row for row in rows if not row.ok] == []


def test_intervals_hold_the_truth() -> None:
    assert [row for row in validate.covered(12) if not row.ok] == []
