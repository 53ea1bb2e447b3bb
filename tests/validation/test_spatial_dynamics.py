"""Motion in space: the case's rows."""

from __future__ import annotations

import pytest

from pliant import gallery, validation
from pliant.errors import OptionError


def test_every_row_holds() -> None:
    rows = validation.run("spatial-dynamics").rows
    assert [row for row in rows if not row.ok] == []
    assert all(row.tolerance == 1e-10 for row in rows if "momentum" in row.quantity and "order" not in row.quantity)


def test_unknown_model_is_refused() -> None:
    with pytest.raises(OptionError, match="bricard"):
        gallery.model("spatial-dynamics", case="bricart")
