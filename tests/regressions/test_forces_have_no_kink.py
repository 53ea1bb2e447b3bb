"""A force as a parameter was refused as a kink where all parameters go together: its signals were drawn from
another value than the numbers of its parts. The quicker way was left, twice the time, for every force and drive.
"""

from __future__ import annotations

from functools import partial

import pliant as pl
from pliant.analyses.derivatives import perturbed as _beside
from pliant_evidence.sensitivities import models


def test_the_lines_of_all_parameters_are_found_together() -> None:
    system = pl.compile(models.cantilever("xy", load=-8.0), elements=4)
    rest = pl.statics(system)
    known = list(system.model.parameters.values())
    found = _beside.tangents(system, partial(_beside.factored, system, rest), known)
    assert {each.name for each in found} == {"h", "L", "E", "F"}
