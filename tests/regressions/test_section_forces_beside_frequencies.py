"""Section forces by a length were off by 2e-3 beside frequencies: the equilibrium followed other
systems than those that they were read from, and stiff axes did not cancel.
"""

from __future__ import annotations

import numpy as np

import pliant as pl
from pliant_evidence.sensitivities import models


def test_they_are_those_asked_for_alone() -> None:
    system = pl.compile(models.cantilever("xy", load=-8.0), elements=6)
    rest = pl.statics(system)
    both = pl.sensitivity(system, rest, of=["resultant", "frequency_hz"], to=["L"], modes=1).derivative.resultant
    alone = pl.sensitivity(system, rest, of=["resultant"], to=["L"]).derivative.resultant
    np.testing.assert_allclose(both, alone, rtol=0.0, atol=1e-5 * np.max(np.abs(alone)))
