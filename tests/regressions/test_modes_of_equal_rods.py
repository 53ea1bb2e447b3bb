"""Six equal rods have twelve equal modes; eight modes cut through these, and Lanczos' method did not converge."""

from __future__ import annotations

import numpy as np
import pytest

import pliant as pl
from pliant_gallery.rod_platform import model


@pytest.mark.filterwarnings("ignore::pliant.errors.PliantWarning")
def test_modes_of_six_chains_of_links() -> None:
    system = pl.compile(model(), formulation="udwadia_kalaba", elements=pl.Lumped(20, shear=True))
    found = pl.modal(system, at=pl.statics(system), modes=8).frequency_hz.values
    np.testing.assert_allclose(found[3:], found[3], rtol=1e-6)
    assert found[2] < 0.2 * found[3]
