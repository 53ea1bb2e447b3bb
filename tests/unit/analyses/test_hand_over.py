"""A state of one mesh or formulation starts another."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pliant as pl
from pliant.errors import CarriedOver, OptionError
from pliant.model.model import promoted
from pliant_gallery import four_bar

STRIP = pl.Section.rectangle(0.02, 0.002, pl.STEEL)


def column(load: float) -> pl.Model:
    """Build a column whose critical load is 6.93 N: beyond, it rests bent to either side."""
    m = pl.Model("column")
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=1.0, section=STRIP))
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Force(beam.at(s=1), x=load, name="load"))
    return m


WAYS: dict[str, dict[str, Any]] = {
    "exact": {"elements": 12},
    "order 2": {"elements": pl.Exact(5, order=2)},
    "corotational": {"elements": pl.Corotational(20)},
    "shooting": {"formulation": "shooting", "subintervals": 9},
    "two subintervals": {"formulation": "shooting", "subintervals": 2},
}


def height(found: pl.Result) -> float:
    return float(found.position.sel(marker="beam/tip", axis="y"))


@pytest.mark.parametrize("source", ["exact", "shooting"])
def test_a_buckled_rest_is_kept_on_its_side(source: str) -> None:
    system = pl.compile(column(-9.0), **WAYS[source])
    straight = pl.path(system, "load/x", to=-9.0)
    bent = {side: pl.branch(system, straight, side=side).equilibrium() for side in (1, -1)}
    assert abs(height(bent[1])) > 0.05
    for name, options in WAYS.items():
        if name == source:
            continue
        for side in (1, -1):
            with pytest.warns(CarriedOver, match="may be off by"):
                found = pl.statics(pl.compile(column(-9.0), **options), start=bent[side])
            assert height(found) == pytest.approx(height(bent[side]), rel=0.05)


def test_a_motion_goes_on_with_another_mesh_and_formulation() -> None:
    m = four_bar.model(coupler="flexible")
    m.add(pl.Gravity())
    first = pl.transient(pl.compile(m, elements=pl.Exact(3, order=2)), end_time=0.05, step=1e-3)
    for options in ({"elements": pl.Corotational(10)}, {"formulation": "shooting"}):
        with pytest.warns(CarriedOver, match=r"off by [0-9.e-]+ of the model"):
            on = pl.transient(pl.compile(m, **options), start=first, end_time=0.06, step=1e-3, spectral_radius=0.8)
        assert float(on.time[0]) == pytest.approx(0.05)
        np.testing.assert_allclose(on.position[0], first.position[-1], atol=1e-5)
        np.testing.assert_allclose(on.velocity[0], first.velocity[-1], atol=2e-4)
        stored = [float(run.energy.isel(time=k, energy_kind=slice(2)).sum()) for run, k in ((first, -1), (on, 0))]
        assert stored[1] == pytest.approx(stored[0], rel=1e-3)


def test_a_planar_state_starts_the_model_in_space() -> None:
    planar = column(-5.0)
    rest = pl.statics(pl.compile(planar, elements=6))
    space = pl.compile(promoted(planar, {}), elements=4)
    with pytest.warns(CarriedOver):
        found = pl.statics(space, start=rest)
    x = {"marker": "beam/tip", "axis": "x"}
    assert float(found.position.sel(x)) == pytest.approx(float(rest.position.sel(x)), abs=1e-9)
    with pytest.raises(OptionError, match="in space, the system is planar"):
        pl.statics(pl.compile(planar, elements=5), start=found)


def test_modes_are_taken_about_the_rest_of_another_mesh() -> None:
    source = pl.statics(pl.compile(column(-5.0), elements=6))
    system = pl.compile(column(-5.0), formulation="shooting", subintervals=3)
    with pytest.warns(CarriedOver):
        modes = pl.modal(system, at=source, modes=2)
    np.testing.assert_allclose(modes.frequency_hz, pl.modal(system, modes=2).frequency_hz, rtol=1e-7)


def test_other_parts_are_refused() -> None:
    other = column(-5.0)
    other.add(pl.Body("bob", mass=1.0, inertia=0.1, free=True))
    with pytest.raises(OptionError, match="Use a result of the same parts"):
        pl.statics(pl.compile(other, elements=6), start=pl.statics(pl.compile(column(-5.0), elements=6)))
