"""Linear models against difference quotients: small mechanisms; `pliant validate linearise` takes the legs too."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import pliant as pl
from pliant_evidence.linearisation.validate import (
    Example,
    Nonlinear,
    clamped_beam,
    hanging_rod,
    linkage,
    mismatch,
    rows,
    swinging_chain,
)


@pytest.mark.parametrize("example", [hanging_rod, linkage, clamped_beam, swinging_chain])
def test_every_row_holds_and_all_are_there(example: Callable[[], Example]) -> None:
    found = list(rows(example()))
    assert [row for row in found if not row.ok] == []
    assert sum("difference quotients" in row.quantity for row in found) == 4
    assert all(row.tolerance <= 1e-6 for row in found)
    if example is not swinging_chain:
        poles = [row for row in found if "poles" in row.quantity]
        assert len(poles) >= 3
        assert all(row.tolerance <= 1e-8 for row in poles)
        assert any("modal" in row.quantity for row in poles)


def test_the_comparison_notices_a_wrong_matrix() -> None:
    """One part in ten thousand in a single entry."""
    example = hanging_rod()
    plant = example.plant()
    found = Nonlinear(example, plant).quotients()
    for name in "ABCD":
        matrix = np.array(getattr(plant, name))
        place = np.unravel_index(np.argmax(np.abs(matrix)), matrix.shape)
        matrix[place] *= 1.0001
        wrong = pl.LinearModel(**{key: matrix if key == name else getattr(plant, key) for key in "ABCD"})
        assert mismatch(wrong, found)[name] > 2e-5
