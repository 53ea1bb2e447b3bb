"""Derivatives of functions of an equilibrium that jump, have a kink or are noisy were whatever four values gave, beside
an error of 1e-10: the equilibrium's alone.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import pliant as pl

LENGTH, FORCE = 0.5, -8.0


def height(_: object, rest: pl.Result) -> float:
    return float(rest.position.sel(marker="beam/tip", axis="y").item())


def of(function: Callable[[float], float]) -> tuple[float, float, tuple[str, ...]]:
    """Return the derivative of a function of the tip's height by the force, its error, and notes."""
    m = pl.Model("strip")
    strip = pl.Section.rectangle(0.02, 2e-3, pl.STEEL)
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=LENGTH, section=strip))
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Force(beam.at(s=1), y=pl.Parameter("F", FORCE)))
    system = pl.compile(m, elements=pl.Exact(2, order=2))
    rest = pl.statics(system)
    here = height(system, rest)
    wanted = {"it": lambda of, found: function(height(of, found) - here)}
    found = pl.sensitivity(system, rest, of=wanted, to=["F"])
    return float(found.derivative["it"].item()), found.error["F"], found.notes


@pytest.mark.parametrize("function", [abs, lambda y: max(y, 0.0), lambda y: float(y > 0.0)], ids=["abs", "max", "step"])
def test_a_kink_is_told(function: Callable[[float], float]) -> None:
    _, error, notes = of(function)
    assert error > 0.4
    assert any("kink" in each for each in notes)


def test_what_is_no_number_has_no_error() -> None:
    slope, error, _ = of(lambda _: np.nan)
    assert np.isnan(slope)
    assert np.isnan(error)


def test_a_smooth_one_is_known() -> None:
    slope, _, _ = of(lambda y: y)
    found, error, notes = of(lambda y: y + 50.0 * y**2)
    assert found == pytest.approx(slope, rel=1e-7)
    assert error < 1e-3
    assert not notes
