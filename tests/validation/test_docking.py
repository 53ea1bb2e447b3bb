"""Docking: every row of its case, and the rest of the robot."""

from __future__ import annotations

import pytest

import pliant as pl
from pliant import validation
from pliant.gallery.docking import HEIGHT, level, model


def test_every_row_holds() -> None:
    report = validation.run("docking")
    assert [row for row in report.rows if not row.ok] == []


def test_rods_carry_the_platform_unstressed() -> None:
    rest = pl.statics(pl.compile(model(held=True), elements=2))
    assert float(rest.position.sel(marker="platform(0, 0)", axis="z")) == pytest.approx(HEIGHT, abs=1e-9)
    assert abs(float(rest.energy.sel(energy_kind="potential"))) < 1e-12
    assert level() == pytest.approx(0.394097, abs=1e-6)
