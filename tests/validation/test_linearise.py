"""Linear models against difference quotients: every row holds, and the rows cover what the case promises."""

from __future__ import annotations

import numpy as np

import pliant as pl
from pliant.validation import run
from pliant_evidence.linearisation.validate import Nonlinear, hanging_rod, mismatch

MECHANISMS = ("pendulum", "four-bar", "cantilever", "leg held", "leg on a motor")


def test_every_row_holds_and_all_are_there() -> None:
    rows = run("linearise").rows
    assert [row for row in rows if not row.ok] == []
    for name in (*MECHANISMS, "double pendulum in motion"):
        mine = [row for row in rows if row.quantity.startswith(f"{name}: ")]
        assert sum("difference quotients" in row.quantity for row in mine) == 4
        assert all(row.tolerance <= 1e-6 for row in mine)
    for name in MECHANISMS:
        poles = [row for row in rows if row.quantity.startswith(f"{name}: ") and "poles" in row.quantity]
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
