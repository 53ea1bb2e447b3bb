"""The largest strain of a beam of order 2 and more was that at Gauss points, which lie inside: 4 % too small at a
clamp, with ok, in `outcome.largest_strain` and in what `pl.optimise` bounds."""

from __future__ import annotations

from typing import Any

import pytest

import pliant as pl

LENGTH, HEIGHT, LOAD = 0.5, 2e-3, 1e-3  # small: M = F L at the clamp
STRIP = pl.Section.rectangle(0.02, HEIGHT, pl.STEEL)


def bent(plane: str | None, elements: Any, section: Any = STRIP) -> pl.Result:
    model = pl.Model("strip", plane=plane)
    ground, strip = model.add(pl.Ground(), pl.Beam("strip", length=LENGTH, section=section))
    model.add(pl.Weld(ground.at(*(0,) * (2 if plane else 3)), strip.at(s=0)), pl.Force(strip.at(s=1), y=LOAD))
    return pl.statics(pl.compile(model, elements=elements))


@pytest.mark.parametrize("plane", ["xy", None])
@pytest.mark.parametrize("elements", [pl.Exact(4), pl.Exact(3, order=2), pl.Exact(3, order=3), pl.Exact(1, order=6)])
def test_strain_at_the_clamp(plane: str | None, elements: Any) -> None:
    found = bent(plane, elements).outcome.largest_strain
    assert found == pytest.approx(LOAD * LENGTH * 0.5 * HEIGHT / STRIP.bending_stiffness, rel=1e-3)


def test_the_section_at_the_end_counts() -> None:
    taper = pl.Rectangle(width=0.02, height=(HEIGHT, 1.5 * HEIGHT), material=pl.STEEL)
    found = bent("xy", pl.Exact(3, order=3), taper).outcome.largest_strain
    assert found == pytest.approx(LOAD * LENGTH * 0.5 * HEIGHT / STRIP.bending_stiffness, rel=2e-3)
