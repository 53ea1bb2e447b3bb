"""Elastic slider-crank: the case's rows, and that the benchmark's peer does the same job."""

from __future__ import annotations

import pytest

import pliant as pl
from pliant import validation
from pliant.errors import OptionError
from pliant.gallery import exudyn_beams, slider_crank
from pliant.gallery.slider_crank import bench


def test_every_row_holds() -> None:
    rows = validation.run("slider-crank").rows
    assert [row for row in rows if not row.ok] == []
    energy = [row for row in rows if "energy after" in row.quantity]
    assert [row.quantity.split(",")[0] for row in energy] == ["aluminium", "rubber"]
    assert all(row.tolerance == 1e-3 for row in energy)


def test_unknown_material_is_refused() -> None:
    with pytest.raises(OptionError, match="'aluminium' or 'rubber'"):
        slider_crank.model(material="wood")


@pytest.mark.parametrize("material", ["aluminium", "rubber"])
def test_peer_does_the_same_job(material: str) -> None:
    exudyn = pytest.importorskip("exudyn")
    plan = exudyn_beams.Plan(0.5, 500, report=0.025, marker="rod/base", size=0.4)
    system = pl.compile(slider_crank.model(material=material), elements={"crank": 6, "rod": 6})
    ours = plan.positions(plan.pliant(system))
    beams = bench.mechanism(exudyn, material=material, elements=6)
    theirs = beams.solve(beams.settings(plan, exudyn_beams.VARIANTS[0], 1e-10))
    assert theirs is not None
    assert plan.error(ours, theirs) < 1e-6
