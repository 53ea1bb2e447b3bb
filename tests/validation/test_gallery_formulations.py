"""Four formulations of models of the gallery: a quick part of the case, with all its questions."""

from __future__ import annotations

import pytest

from pliant_evidence.gallery_formulations.validate import rows


@pytest.mark.filterwarnings("ignore::pliant.errors.PliantWarning")
def test_formulations_agree_within_their_errors() -> None:
    found = list(rows(("cantilever", "princeton", "lumped-beam", "fed-rod", "boom"), moved=("cantilever",)))
    assert [row for row in found if not row.ok] == []
    assert len(found) == 25
