"""Masses of beams: planar and spatial ones agree, frequencies are Timoshenko's, mass off the axis is a rigid body's."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation

import pliant as pl
from pliant.errors import ModelError

THICK = pl.Section.rectangle(0.06, 0.05, pl.STEEL)


def cantilever(section: pl.Section, *, plane: str | None = "xy", **kwargs: Any) -> pl.Model:
    m = pl.Model("cantilever", plane=plane)
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=1.0, section=section, **kwargs))
    at = (0, 0) if plane else (0, 0, 0)
    m.add(pl.Weld(ground.at(*at), beam.at(s=0)))
    return m


@pytest.mark.parametrize("elements", [pl.Exact(6), pl.Corotational(6), pl.Exact(3, order=3)], ids=str)
@pytest.mark.parametrize("curvature", [0.0, 0.8])
def test_a_promoted_beam_has_the_frequencies_of_the_planar_one(elements: Any, curvature: float) -> None:
    """Frequencies were 3e-6 apart: rotary inertia was lumped in space. Higher orders interpolate curves differently."""
    if curvature and elements.finite_rotation and elements.order > 1:
        pytest.skip("angles in the plane, quaternions in space")
    model = cantilever(THICK, curvature=curvature)
    flat = pl.modal(pl.compile(model, elements=elements), modes=4).frequency_hz.values
    full = pl.modal(pl.compile(model.promoted(), elements=elements), modes=12).frequency_hz.values
    assert max(np.min(np.abs(full / each - 1.0)) for each in flat) < 1e-10


def test_a_promoted_beam_moves_as_the_planar_one() -> None:
    model = cantilever(THICK)
    model.add(pl.Force(model.beams[0].at(s=1), y=pl.Ramp(0.0, 2e5, 0.0, 0.005)))
    runs = [
        pl.transient(pl.compile(each, elements=4), end_time=0.01, step=5e-5).position.sel(marker="beam/tip")[:, :2]
        for each in (model, model.promoted())
    ]
    assert float(np.abs(runs[0].values).max()) > 1e-3
    np.testing.assert_allclose(runs[1].values, runs[0].values, atol=1e-10)


def timoshenko(EI: float, GA: float, line: float, rotary: float, count: int) -> np.ndarray:
    """Return frequencies (Hz) of a cantilever of 1 m: roots of the determinant of moment and shear force at its tip."""

    def determinant(omega: float) -> float:
        matrix = np.zeros((4, 4))  # w, phi, M, V along s
        matrix[0, 1], matrix[0, 3], matrix[1, 2] = 1.0, 1.0 / GA, 1.0 / EI
        matrix[2, 1], matrix[2, 3], matrix[3, 0] = -(omega**2) * rotary, -1.0, -(omega**2) * line
        return float(np.linalg.det(expm(matrix)[2:, 2:]))

    found, grid = [], np.linspace(1.0, 2e4, 4000)
    values = [determinant(omega) for omega in grid]
    for a, b, one, two in zip(grid, grid[1:], values, values[1:], strict=False):
        if one * two < 0.0:
            found.append(brentq(determinant, a, b, xtol=1e-9) / (2.0 * np.pi))
    return np.array(found[:count])


def test_frequencies_are_timoshenkos_in_both_planes() -> None:
    """Shear and rotary inertia lower the third frequency by some percent."""
    line = THICK.mass_per_length
    y = timoshenko(THICK.bending_stiffness, THICK.shear_stiffness, line, THICK.rotary_inertia, 3)
    z = timoshenko(THICK.bending_stiffness_y, THICK.shear_stiffness_z, line, THICK.rotary_inertia_y, 3)  # type: ignore[arg-type]
    without = timoshenko(THICK.bending_stiffness, THICK.shear_stiffness, line, 0.0, 3)
    assert without[2] / y[2] > 1.005
    system = pl.compile(cantilever(THICK, plane=None), elements=pl.Exact(8, order=4))
    found = pl.modal(system, modes=10).frequency_hz.values
    for each in (*y, *z):
        assert np.min(np.abs(found / each - 1.0)) < 5e-8
    flat = pl.modal(pl.compile(cantilever(THICK), elements=pl.Exact(8, order=4)), modes=3).frequency_hz.values
    np.testing.assert_allclose(flat, y, rtol=5e-8)


# A stiff bar of 0.8 m whose mass is off its axis, with products of inertia, hung by a ball joint at its base

L, LINE, CENTRE = 0.8, 2.0, (0.03, -0.05)
ROTARY = np.array([[4e-3, 2e-4, -3e-4], [2e-4, 2.5e-3, 5e-4], [-3e-4, 5e-4, 2.0e-3]])
TURN = (0.1, 0.2, 0.3)
STIFF = np.diag([1e9, 1e9, 1e9, 1e7, 1e7, 1e7])


def bar(**kwargs: Any) -> pl.Model:
    m = pl.Model("bar", plane=None)
    section = pl.Section.general(STIFF, mass_per_length=LINE, mass_centre=CENTRE, inertia_matrix=ROTARY)
    beam = pl.Beam("bar", length=L, section=section, position=(0, 0, 0), orientation=TURN, **kwargs)
    ground = m.add(pl.Ground(), beam)[0]
    m.add(pl.Spherical(ground.at(0, 0, 0), beam.at(s=0)), pl.Gravity(), beam.at(s=1))
    return m


def rigid_bar() -> pl.Model:
    m, mass = pl.Model("body", plane=None), LINE * L
    inertia = ROTARY * L + mass * L**2 / 12.0 * np.diag([0.0, 1.0, 1.0])
    place = Rotation.from_rotvec(TURN).apply((L / 2, *CENTRE))
    ground, body = m.add(
        pl.Ground(), pl.Body("bar", mass=mass, inertia=inertia, position=tuple(place), orientation=TURN)
    )
    base, tip = ((x, -CENTRE[0], -CENTRE[1]) for x in (-L / 2, L / 2))
    m.add(pl.Spherical(ground.at(0, 0, 0), body.at(*base)), pl.Gravity(), body.at(*tip, name="tip"))
    return m


def tip(model: pl.Model, **options: Any) -> np.ndarray:
    how = {} if "formulation" in options else {"step": 1e-3}
    run = pl.transient(pl.compile(model, **options), end_time=0.3, **how)
    assert run.outcome.ok, run.outcome.message
    return np.asarray(run.position.sel(marker="bar/tip")[-1].values)


def test_mass_off_the_axis_moves_as_a_rigid_body() -> None:
    exact = tip(rigid_bar())
    assert float(np.abs(tip(bar(), elements=pl.Exact(2, order=3)) - exact).max()) < 1e-5 * L
    coarse, fine = (float(np.abs(tip(bar(), elements=n) - exact).max()) for n in (4, 8))
    assert coarse / fine == pytest.approx(4.0, rel=0.05)  # two-node elements lump it: second order
    assert float(np.abs(tip(bar(), formulation="udwadia_kalaba", elements=3) - exact).max()) < 1e-4 * L


def test_few_elements_of_two_nodes_are_warned_of() -> None:
    """Masses at n + 1 nodes have (1 + 2/n^2) of the inertia of a bar."""
    with pytest.warns(pl.errors.PliantWarning, match=r"'?4 elements of two nodes it resists turning by 12 % too much"):
        pl.compile(bar(), elements=4)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pl.compile(bar(), elements=16)
        pl.compile(bar(), elements=pl.Exact(2, order=2))


def test_weight_off_the_axis_twists() -> None:
    """The moment of its weight, rho A g c per length, twists a clamped rod by rho A g c L^2/2 GJ."""
    GJ, arm = 40.0, 0.02
    section = pl.Section.general(
        np.diag([1e7, 1e7, 1e7, GJ, 1e6, 1e6]), mass_per_length=1.5, rotary_inertia=1e-3, mass_centre=(arm, 0.0)
    )
    m = cantilever(section, plane=None)
    m.add(pl.Gravity(), *(m.beams[0].at(s=1, y=y, name=name) for y, name in ((0.1, "left"), (-0.1, "right"))))
    rest = pl.statics(pl.compile(m, elements=pl.Exact(2, order=2)))
    up, down = (float(rest.position.sel(marker=name, axis="z")) for name in ("beam/left", "beam/right"))
    assert np.arcsin((up - down) / 0.2) == pytest.approx(-1.5 * 9.81 * arm / (2.0 * GJ), rel=1e-4)


def test_what_eccentric_masses_cannot_is_named() -> None:
    section = pl.Section.general(STIFF, mass_per_length=LINE, mass_centre=CENTRE)
    with pytest.raises(ModelError, match="mass_centre or an inertia_matrix, but the model is planar"):
        pl.compile(cantilever(section))
    with pytest.raises(ModelError, match=r"damping in proportion to mass \(alpha\) is not known"):
        pl.compile(bar(damping=pl.Rayleigh(mass=0.1)))
    with pytest.raises(ModelError, match="rods of the formulation 'shooting' have their mass on their axis"):
        pl.compile(bar(), formulation="shooting")
    with pytest.raises(ModelError, match="instead of rotary_inertia"):
        pl.Section.general(STIFF, mass_per_length=LINE, rotary_inertia=1.0, inertia_matrix=ROTARY)
    with pytest.raises(ModelError, match="negative energy"):
        pl.Section.general(STIFF, mass_per_length=LINE, inertia_matrix=-ROTARY)
    with pytest.raises(ModelError, match="mass_centre"):
        pl.Section.general(STIFF, mass_per_length=LINE, mass_centre=(1.0, 2.0, 3.0))  # type: ignore[arg-type]
