"""Formulations in space: the rows of the case, but for the ten coils, which take longest, and two comparisons with
our own elements.
"""

from __future__ import annotations

import pytest

from pliant_evidence.spatial_formulations.validate import quick


@pytest.mark.filterwarnings("ignore::pliant.errors.PliantWarning")
def test_rows_hold() -> None:
    rows = list(quick())
    assert [row for row in rows if not row.ok] == []
    assert len(rows) == 52
