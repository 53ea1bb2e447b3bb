"""Derivatives of frequencies of a slender beam bent by a force that follows it: differences of its stiffness along the
derivative of its equilibrium lost digits to rounding, 2e-5 beside a stated 4e-9; by a weak
spring at the tip of a strip that stands, 1e-4 beside 8e-10.
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


def test_they_are_known_to_the_stated_error() -> None:
    up = (0.0, -np.pi / 2.0, 0.0)
    m = pl.Model("standing", plane=None)
    section = pl.Section.rectangle(0.02, 1.5e-3, pl.STEEL)
    ground, strip = m.add(pl.Ground(), pl.Beam("strip", length=0.8, section=section, orientation=up))
    m.add(pl.Weld(ground.at(0, 0, 0, orientation=up), strip.at(s=0)), pl.Gravity(z=-9.81))
    m.add(pl.Spring("spring", ground.at(0.2, 0.1, 0.8), strip.at(s=1), pl.Parameter("k", 5.0), 0.1))
    system = pl.compile(m)
    rest = pl.statics(system)
    found = pl.sensitivity(system, rest, of=["frequency_hz"], modes=3)

    def solved(k: int) -> np.ndarray:
        other = system.with_parameters(k=5.0 * (1.0 + k * STEP))
        return np.asarray(pl.modal(other, at=pl.statics(other, start=rest), modes=3).frequency_hz.values)

    differences = (solved(-2) - 8.0 * solved(-1) + 8.0 * solved(1) - solved(2)) / (12.0 * 5.0 * STEP)
    apart = np.max(np.abs(found.derivative.frequency_hz.values[0] - differences)) / np.max(np.abs(differences))
    assert 1e-8 < found.error["k"] < 1e-5
    assert apart < 1e-6 + 3.0 * found.error["k"]


def test_a_contact_that_would_come_off_in_a_long_stride() -> None:
    m = pl.Model("pads")
    section = pl.Section.rectangle(0.02, pl.Parameter("h", 1e-3), pl.STEEL)
    ground, strip = m.add(pl.Ground(), pl.Beam("strip", length=0.4, section=section))
    m.add(pl.Weld(ground.at(0, 0), strip.at(s=0)), pl.Force(strip.at(s=0.5), y=-6.0))
    for name, s, stiffness in (("inner", 0.75, 5e4), ("outer", 1.0, 2e3)):
        m.add(pl.Contact(name, strip.at(s=s), ground.at(0, -0.004), stiffness=stiffness))
    system = pl.compile(m)
    rest = pl.statics(system)
    found = pl.sensitivity(system, rest, of=["frequency_hz"], modes=3).derivative.frequency_hz.values[0]

    def solved(k: int) -> np.ndarray:
        other = system.with_parameters(h=1e-3 * (1.0 + k * 1e-3))
        return np.asarray(pl.modal(other, at=pl.statics(other, start=rest), modes=3).frequency_hz.values)

    differences = (solved(-2) - 8.0 * solved(-1) + 8.0 * solved(1) - solved(2)) / 12e-6
    assert np.max(np.abs(found - differences)) < 1e-6 * np.max(np.abs(differences))
