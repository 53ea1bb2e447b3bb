"""The Princeton beam: every row of its case, and the stiffnesses of its section."""

from __future__ import annotations

import numpy as np
import pytest

from pliant_gallery.princeton import SECTION
from pliant_testing import validation


def test_every_row_holds() -> None:
    report = validation.run("princeton")
    assert [row for row in report.rows if not row.ok] == []
    assert sum(row.kind == "published" for row in report.rows) == 24


def test_stiffnesses_are_the_published_ones() -> None:
    assert np.diag(SECTION.stiffness)[3:] == pytest.approx([3.103, 2.429, 36.28], rel=2e-4)
