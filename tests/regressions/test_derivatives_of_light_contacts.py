"""A contact that presses by a tenth of a load had no derivatives: the steps of differences went past where it comes
off. They are shorter there.
"""

from __future__ import annotations

import numpy as np
import pytest

import pliant as pl
from pliant.errors import OptionError
from pliant.solvers.derivatives.implicit import PLACES, slope


def pressed(gap: float) -> pl.Model:
    """Build a strip that is pushed on a stiff floor."""
    m = pl.Model("strip on a floor")
    height, load = pl.Parameter("height", gap, scale=0.01), pl.Parameter("F", -1.0)
    strip = pl.Beam("strip", length=0.3, section=pl.Section.rectangle(0.02, 1e-3, pl.STEEL))
    ground, strip = m.add(pl.Ground(), strip)
    floor = pl.Contact("floor", ground.at(0, -height), strip.at(s=1), radius=1e-3, stiffness=1e5, exponent=1.0)
    m.add(pl.Weld(ground.at(0, 0), strip.at(s=0)), pl.Force(strip.at(s=1), y=load), floor)
    return m


def free_height() -> float:
    """Return the height at which the floor is just not touched."""
    system = pl.compile(pressed(1.0), elements=4)
    return 1e-3 - float(pl.statics(system).position.sel(marker="strip/tip", axis="y").item())


def test_as_whole_solutions() -> None:
    system = pl.compile(pressed(free_height() - 3e-3), elements=4)
    rest = pl.statics(system)
    slopes = pl.sensitivity(system, rest, of=["position", "frequency_hz"], modes=1)
    found, first = slopes.derivative, float(slopes.value.frequency_hz.item())
    for name, step in (("height", 4e-6), ("F", 4e-4)):
        parameter, seen = system.model.parameters[name], []
        value, size = parameter.value, parameter.size
        for k in PLACES:
            other = system.with_parameters(**{name: value + k * step})
            there = pl.statics(other, start=rest)
            seen.append(np.append(there.position.values, pl.modal(other, at=there, modes=1).frequency_hz.values))
        *places, hertz = slope(seen, step)
        mine = found.sel(parameter=name)
        np.testing.assert_allclose(mine.position.values.ravel(), places, atol=1e-7 * np.max(np.abs(places)))
        assert float(mine.frequency_hz.item()) == pytest.approx(hertz, rel=1e-5, abs=1e-6 * first / size)


def test_where_it_just_touches_there_is_none() -> None:
    system = pl.compile(pressed(free_height()), elements=4)
    with pytest.raises(OptionError, match="kink"):
        pl.sensitivity(system, pl.statics(system), of=["position", "frequency_hz"], modes=1)
