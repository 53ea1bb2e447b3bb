"""Derivatives of section forces by a length of a slender beam lost five digits to rounding of its axial stiffness,
beside a stated error of 1e-10.
"""

from __future__ import annotations

import numpy as np

import pliant as pl

STEP = 3e-3  # of the length: differences of fourth order of whole solutions, which know five digits


def test_they_are_those_of_whole_solutions() -> None:
    m = pl.Model("strip", plane=None)
    section = pl.Section.rectangle(2.0001e-3, 2e-3, pl.STEEL)
    ground, strip = m.add(pl.Ground(), pl.Beam("strip", length=pl.Parameter("L", 0.3), section=section))
    m.add(pl.Weld(ground.at(0, 0, 0), strip.at(s=0)), pl.Force(strip.at(s=1), y=0.2))
    system = pl.compile(m)
    rest = pl.statics(system)
    found = pl.sensitivity(system, rest, of=["resultant"])

    def solved(k: int) -> np.ndarray:
        other = system.with_parameters(L=0.3 * (1.0 + k * STEP))
        return np.asarray(pl.statics(other, start=rest).resultant.values)

    differences = (solved(-2) - 8.0 * solved(-1) + 8.0 * solved(1) - solved(2)) / (12.0 * 0.3 * STEP)
    apart = np.nanmax(np.abs(found.derivative.resultant.values[0] - differences)) / np.nanmax(np.abs(differences))
    assert found.error["L"] > 1e-8
    assert apart < 1e-5 + 3.0 * found.error["L"]
    assert apart < 3e-5
