"""Shooting: driven statics that began with forces nobody had checked, rods seen at their nodes only, inextensible ones
called neutral, and material damping.
"""

from __future__ import annotations

import warnings
from math import exp, pi
from typing import Any

import numpy as np
import pytest

import pliant as pl
from pliant.errors import PliantWarning
from pliant.formulations.shooting.joining import joining
from pliant_gallery import elastic_four_bar

STRIP = pl.Section.rectangle(0.02, 0.002, pl.STEEL)


def cantilever(section: Any = STRIP, x: float = 0.0, y: float = 0.0, **beam: Any) -> pl.Model:
    m = pl.Model("cantilever")
    ground, rod = m.add(pl.Ground(), pl.Beam("beam", length=0.5, section=section, **beam))
    m.add(pl.Weld(ground.at(0, 0), rod.at(s=0)), pl.Force(rod.at(s=1), x=x, y=y))
    return m


def shot(model: pl.Model, **options: Any) -> pl.Result:
    return pl.statics(pl.compile(model, formulation="shooting", **options))


@pytest.mark.parametrize("extensible", [True, False])
def test_driven_statics_start(extensible: bool) -> None:
    """The paper's example 4 failed with 8 to 16 subintervals: the forces it began with were 1e8 N."""
    fine = pl.statics(pl.compile(elastic_four_bar.model(held=0.11), elements=pl.Exact(20, order=3)))
    energy = float(fine.energy.sel(energy_kind="potential"))
    for count in (2, 8, 12, 14, 15, 16):
        held = shot(elastic_four_bar.model(held=0.11), subintervals=count, extensible=extensible)
        assert held.outcome.ok
        assert held.outcome.stable
        assert float(held.energy.sel(energy_kind="potential")) == pytest.approx(energy, rel=2e-5)


@pytest.mark.parametrize("held", [None, 1e-4])
def test_small_and_unloaded_equilibria_are_ok(held: float | None) -> None:
    """Gaps of rounding, times the stiffness of Newton's matrix, were called unbalanced forces."""
    for extensible in (True, False):
        assert shot(elastic_four_bar.model(held=held), subintervals=12, extensible=extensible).outcome.ok


def test_forces_that_join_nodes() -> None:
    """Nodes of bent elements joined by arcs: Newton by itself went to 1e8 N."""
    system = pl.compile(elastic_four_bar.model(held=0.11), formulation="shooting", subintervals=12)
    force = joining(system, system.start().q)
    assert np.abs(force).max() < 1e4  # chords too long by kappa^2 l^3 / 24 stretch the strip by 1e-3


@pytest.mark.parametrize("subintervals", [1, 2, 7])
def test_strains_are_seen_everywhere(subintervals: int) -> None:
    """A notch between nodes: its strain was 417 times too small with one subinterval."""

    def notched(s: float) -> pl.Section:
        return pl.Section.rectangle(0.02, 0.002 * (1.0 - 0.5 * exp(-(((s - 0.37) / 0.02) ** 2))), pl.STEEL)

    found = shot(cantilever(notched, y=-1.0), subintervals=subintervals)
    x = found.shape.isel(station=found.part.values == "beam").sel(axis="x").values
    s = found.s.values[found.part.values == "beam"]
    lever = x[-1] - np.interp(0.37, s, x)
    weak = notched(0.37)
    exact = lever * 0.5 * weak.height / weak.bending_stiffness  # by statics: M = F a
    assert found.outcome.largest_strain == pytest.approx(exact, rel=1e-3)  # seen every 0.005 of the length
    along = pl.statics(pl.compile(cantilever(notched, y=-1.0), elements=pl.Exact(100, order=2)))
    theirs = along.shape.values[along.part.values == "beam"][:, 1]
    ours = np.interp(np.linspace(0.0, 1.0, 201), s, found.shape.values[found.part.values == "beam"][:, 1])
    np.testing.assert_allclose(ours, theirs, atol=1e-4 * np.abs(theirs).max())


@pytest.mark.parametrize("thickness", [0.01, 2e-4])
def test_inextensible_rods_are_not_neutral(thickness: float) -> None:
    strip = pl.Section.rectangle(0.02, thickness, pl.STEEL)
    euler = 0.25 * pi**2 * strip.bending_stiffness / 0.5**2
    for count in (2, 20, 100):
        for share, stable in ((0.0, True), (0.98, True), (1.02, False)):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", PliantWarning)
                found = shot(cantilever(strip, x=-share * euler), subintervals=count, extensible=False, shear=False)
            assert found.outcome.stable is stable
            assert "neutral" not in found.outcome.message


@pytest.mark.parametrize("push", [0.05, 8.0])
def test_material_damping_is_kelvin_voigts(push: float) -> None:
    """Released from a static shape; finite elements have the same law (decision 5)."""
    runs = []
    for options in ({"formulation": "shooting", "subintervals": 6}, {"elements": pl.Exact(8, order=3)}):
        system = pl.compile(cantilever(y=-push, damping=pl.Rayleigh(0.0, 4e-3)), **options)  # type: ignore[arg-type]
        start = pl.statics(system)
        let_go = system.with_signals(dict.fromkeys(system.signal_names, 0.0))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PliantWarning)  # how well the first instants are resolved
            runs.append(pl.transient(let_go, start=start, end_time=0.2, step=5e-4, spectral_radius=0.9, estimate=False))
    ours, theirs = (run.position.sel(marker="beam/tip", axis="y").values for run in runs)
    np.testing.assert_allclose(ours, theirs, atol=2e-4 * np.abs(theirs).max())
    lost, expected = (run.energy.sel(energy_kind="dissipated").values for run in runs)
    np.testing.assert_allclose(lost, expected, atol=5e-4 * expected.max())
    assert runs[0].outcome.energy_error < 1e-3 * expected.max()


@pytest.mark.parametrize("subintervals", [8, 16])
def test_the_leg_of_the_pictures_starts_whatever_the_subintervals(subintervals: int) -> None:
    """Rounding on its path was computed without what is inside the rods: ConvergenceError. Finite elements agree."""
    from pliant_gallery import leg

    places = [
        leg.start(pl.compile(leg.model(hold="q3"), **way)).position.sel(marker="leaf@0.5")
        for way in ({"formulation": "shooting", "subintervals": subintervals}, {"elements": pl.Exact(10, order=2)})
    ]
    assert np.allclose(*places, atol=1e-5)
