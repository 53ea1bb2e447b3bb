"""Motion in space: the rows with references from outside; `pliant validate spatial-dynamics` has all."""

from __future__ import annotations

import pytest

import pliant_gallery as gallery
from pliant.errors import OptionError
from pliant_evidence.spatial_dynamics.validate import outside


def test_every_row_holds() -> None:
    rows = list(outside())
    assert [row for row in rows if not row.ok] == []
    kept = [row for row in rows if row.quantity.endswith("drift of momentum")]
    assert [row.tolerance for row in kept] == [1e-10] * 5


def test_unknown_model_is_refused() -> None:
    with pytest.raises(OptionError, match="bricard"):
        gallery.model("spatial-dynamics", case="bricart")
