"""The cases of the thesis's own models, and the comparison of all legs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pliant_evidence.historical.thesis_leg.compare import Leg, compare, figure, table
from pliant_gallery.leg.theory import equilibrium, euler_load
from pliant_testing import validation


@pytest.mark.parametrize("name", ["leg-first-model", "leg-full-model"])
def test_case_holds(name: str) -> None:
    report = validation.run(name)
    assert [row for row in report.rows if not row.ok] == []


@pytest.fixture(scope="module")
def legs() -> list[Leg]:
    return compare(end_time=0.02)


def test_only_the_consistent_legs_are_right(legs: list[Leg]) -> None:
    """Exact: the leg as a boundary value problem. Ten elements miss the distance of A and B by less than 1 %."""
    exact = equilibrium()
    assert [leg.name for leg in legs if leg.distance == pytest.approx(exact.chord, rel=0.01)] == [
        "co-rotational",
        "geometrically exact",
    ]
    # Linear elements: 1.7 % too stiff in bending at ten; it is von Karman's strain that misses the rest by 4 %.
    assert [leg.name for leg in legs if leg.buckling == pytest.approx(euler_load(), rel=0.02)] == [
        "chapter 5, mended",
        "co-rotational",
        "geometrically exact",
    ]
    assert [leg.name for leg in legs if leg.gap[-1] > 1e-9] == ["chapter 5 as written"]
    assert [leg.name for leg in legs if np.abs(leg.stretch).max() < 1e-3] == [
        "chapter 4",
        "co-rotational",
        "geometrically exact",
    ]


def test_table_and_figure_are_made(legs: list[Leg], tmp_path: Path) -> None:
    lines = table(legs).splitlines()
    assert {line.count("|") for line in lines} == {len(legs) + 2}
    assert "open after" in lines[-1]
    figure(legs, tmp_path / "legs.png")
    assert (tmp_path / "legs.png").stat().st_size > 20_000
