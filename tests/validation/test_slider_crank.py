"""Elastic slider-crank: rows with references from outside, and that the benchmark's peer does the same job."""

from __future__ import annotations

import numpy as np
import pytest

import pliant as pl
from pliant.errors import OptionError
from pliant_evidence import exudyn_beams
from pliant_evidence.slider_crank import bench, validate
from pliant_gallery import slider_crank


def test_rows_that_others_judge_hold() -> None:
    """Meshes and steps beside finer ones, and shooting beside elements, are left to `pliant validate`."""
    rows = [row for material in validate.MATERIALS for row in validate.outside(material)]
    assert [row for row in rows if not row.ok] == []
    energy = [row for row in rows if "energy after" in row.quantity]
    assert [row.quantity.split(",")[0] for row in energy] == ["aluminium", "rubber"]
    assert all(row.tolerance == 1e-4 for row in energy)


@pytest.mark.parametrize("material", validate.MATERIALS)
def test_rows_that_others_judge_hold_by_shooting(material: str) -> None:
    rows = list(validate.outside_by_shooting(material, validate.shot(material)))
    assert [row for row in rows if not row.ok] == []
    assert [row.kind for row in rows] == ["independent code", "conservation law", "conservation law"]


def test_equal_error_compares_the_cheapest_of_either_method() -> None:
    points = [
        bench.Point(method, f"{method} {error:g}", error, seconds)
        for method, error, seconds in (
            ("shooting", 1e-5, 3.0),
            ("shooting", 1e-3, 1.0),
            ("elements", 1e-6, 0.5),
            ("elements", 1e-4, 0.2),
            ("elements", float("inf"), 0.01),
        )
    ]
    (fine,), (coarse,) = (list(bench.equal_error("rubber", level, points)) for level in (1e-4, 1e-2))
    assert (fine.pliant_s, fine.peer_s, coarse.pliant_s, coarse.peer_s) == (3.0, 0.2, 1.0, 0.2)
    assert list(bench.equal_error("rubber", 1e-7, points)) == []


def test_motion_that_breaks_down_has_no_error_to_compare() -> None:
    """Far too coarse a march for rubber and 1 ms: it must not pass as a cheap answer."""
    system = bench.by_shooting("rubber", subintervals=5, step=0.2)
    found = bench.run(system, 1e-3)
    assert not found.outcome.ok
    assert bench.error(found, np.zeros(bench.INSTANTS.size)) == float("inf")


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
