"""Controllers in the time loop against equations of motion by hand."""

from __future__ import annotations

import pliant as pl
from pliant.errors import PliantWarning
from pliant_evidence.control_suite.validate import cart_model
from pliant_testing import validation


def test_case_holds() -> None:
    report = validation.run("control-suite")
    assert [row for row in report.rows if not row.ok] == []


def test_a_cart_that_nothing_holds_is_reached_by_its_force() -> None:
    """Rounding of 1e-32 in its stiffness made the balance of the states useless, and the cart out of reach."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PliantWarning)
        plant = pl.linearise(
            pl.compile(cart_model()), inputs=["push/x"], outputs=["angle:pole", "position:cart(0, 0):x"]
        )
        gain = pl.lqr(plant, outputs={"position:cart(0, 0):x": 4.0}, inputs={"push/x": 0.05}, sample_time=0.01)
    assert max(gain.poles.real) < -0.5
