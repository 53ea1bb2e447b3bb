"""Docking: the rows with references from outside, and the rest of the robot; `pliant validate docking` has all rows."""

from __future__ import annotations

import pytest

import pliant as pl
from pliant_evidence.docking.studies import RIGID
from pliant_evidence.docking.validate import fixed_ring, on_robot
from pliant_gallery.docking import HEIGHT, level, model


def test_every_row_holds() -> None:
    robot = (*on_robot("flexible", 1.0, tolerance=0.06), *on_robot("rigid", RIGID, tolerance=0.01))
    assert [row for row in (*fixed_ring(), *robot) if not row.ok] == []


def test_rods_carry_the_platform_unstressed() -> None:
    rest = pl.statics(pl.compile(model(held=True), elements=2))
    assert float(rest.position.sel(marker="platform(0, 0)", axis="z")) == pytest.approx(HEIGHT, abs=1e-9)
    assert abs(float(rest.energy.sel(energy_kind="potential"))) < 1e-12
    assert level() == pytest.approx(0.394097, abs=1e-6)
