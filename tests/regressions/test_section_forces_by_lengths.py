"""Derivatives of section forces of a slender leaf by a length: what rounding leaves of the equations of a stiff axis is
no correction of them. Reference: equilibria of other lengths, one per cent apart.
"""

from __future__ import annotations

import numpy as np

import pliant as pl
from pliant.solvers.derivatives import implicit


def test_shear_of_a_leaf_in_a_four_bar() -> None:
    m, r = pl.Model("four-bar"), pl.Parameter("r", 0.1)
    ground, crank = m.add(pl.Ground(), pl.Link("crank", length=r, mass=0.2, angle=0.8))
    section = pl.Section.rectangle(0.02, 1e-3, pl.STEEL)
    leaf = m.add(pl.Beam("leaf", length=0.4, section=section, angle=0.3))
    rocker = m.add(pl.Link("rocker", length=0.3, mass=0.3, angle=1.2))
    m.add(pl.Revolute(ground.at(0, 0), crank.at(s=0)), pl.Revolute(crank.at(s=1), leaf.at(s=0)))
    m.add(pl.Revolute(leaf.at(s=1), rocker.at(s=1)), pl.Revolute(ground.at(0.4, 0.0), rocker.at(s=0)))
    m.add(pl.Motion(ground.at(0, 0), crank.at(s=0), angle=0.8), pl.Gravity(), pl.Force(rocker.at(s=0.5), x=1.0))
    system = pl.compile(m, elements=4)
    found = pl.sensitivity(system, pl.statics(system), of=["resultant"]).derivative.resultant.values[0]
    beside = [pl.statics(system.with_parameters(r=0.1 + k * 1e-3)).resultant.values for k in implicit.PLACES]
    expected = implicit.slope(beside, 1e-3)
    off = np.max(np.abs(found - expected), axis=0) / np.max(np.abs(expected), axis=0)  # 5e-5, 6e-4, 2e-4 before
    assert np.all(off < (5e-6, 5e-5, 3e-5))
