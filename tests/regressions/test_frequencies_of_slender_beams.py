"""Derivatives of frequencies of a slender beam bent by a force that follows it: differences of its stiffness along the
derivative of its equilibrium lost digits to rounding, 2e-5 beside a stated 4e-9.
"""

from __future__ import annotations

import numpy as np

import pliant as pl

STEP = 3e-3  # of the force: differences of fourth order of whole solutions, which know six digits


def strip() -> pl.Model:
    m = pl.Model("strip")
    section = pl.Section.rectangle(0.02, 1e-3, pl.STEEL)
    ground, first = m.add(pl.Ground(), pl.Beam("first", length=0.4, section=section))
    second = m.add(pl.Beam("second", length=0.2, section=section))
    m.add(pl.Weld(ground.at(0, 0), first.at(s=0)), pl.Weld(first.at(s=1), second.at(s=0)))
    m.add(pl.Force(second.at(s=1), y=pl.Parameter("F", 3.0), follower=True))
    return m


def test_they_are_those_of_whole_solutions() -> None:
    system = pl.compile(strip(), elements=6)
    rest = pl.statics(system)
    found = pl.sensitivity(system, rest, of=["frequency_hz"], modes=3).derivative.frequency_hz.values[0]

    def solved(k: int) -> np.ndarray:
        other = system.with_parameters(F=3.0 * (1.0 + k * STEP))
        return np.asarray(pl.modal(other, at=pl.statics(other, start=rest), modes=3).frequency_hz.values)

    differences = (solved(-2) - 8.0 * solved(-1) + 8.0 * solved(1) - solved(2)) / (12.0 * 3.0 * STEP)
    assert np.max(np.abs(found - differences)) < 4e-6 * np.max(np.abs(differences))
