"""Motion in space: the case's rows."""

from __future__ import annotations

import pytest

from pliant import gallery, validation
from pliant.errors import OptionError


def test_every_row_holds() -> None:
    rows = validation.run("spatial-dynamics").rows
    assert [row for row in rows if not row.ok] == []
    kept = [row for row in rows if row.quantity.endswith("drift of momentum")]
    assert [row.tolerance for row in kept] == [1e-10] * 5


def test_unknown_model_is_refused() -> None:
    with pytest.raises(OptionError, match="bricard"):
        gallery.model("spatial-dynamics", case="bricart")
