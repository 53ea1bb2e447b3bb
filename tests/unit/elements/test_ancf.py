"""ANCF cables in use: loads along them, joints between their ends, damping, what they refuse, states handed over."""

from __future__ import annotations

import numpy as np
import pytest

import pliant as pl
from pliant.elements.beam_ancf.cubics import shapes
from pliant.errors import CarriedOver, ModelError, OptionError

SECTION = pl.Section(
    axial_stiffness=1e4, shear_stiffness=1e7, bending_stiffness=1.0, mass_per_length=0.7, rotary_inertia=1e-5
)
ANCF = pl.Ancf(4)


def cantilever(*, clamped: bool = True, **given) -> tuple[pl.Model, pl.Beam]:
    model = pl.Model("cable")
    ground, beam = model.add(pl.Ground()), model.add(pl.Beam("beam", length=1.3, section=SECTION, **given))
    if clamped:
        model.add(pl.Weld(ground.at(0, 0), beam.at(s=0)))
    return model, beam


def tip(result: pl.Result) -> np.ndarray:
    return np.asarray(result.position.sel(marker="beam/tip").values).ravel()


def test_shapes_are_those_of_hermite():
    x, L, step = np.array([0.3]), 1.7, 1e-6
    value, slope, bend = shapes(x, L)
    before, after = (shapes(x + d, L) for d in (-step, step))
    np.testing.assert_allclose((after[0] - before[0]) / (2 * step * L), slope, atol=1e-9)
    np.testing.assert_allclose((after[1] - before[1]) / (2 * step * L), bend, atol=1e-9)
    assert value[0, 0] + value[0, 2] == pytest.approx(1.0)


@pytest.mark.parametrize("along", [1.0, (0.0, 1.0)])
def test_a_small_load_along_the_beam_bends_its_nodes_exactly(along):
    """Euler and Bernoulli's deflection w L^4 / 8 EI; w0 L^4 11/120 EI where it grows from the clamp to the tip."""
    model, beam = cantilever()
    model.add(pl.DistributedLoad(beam, y=1e-4, along=along), pl.Force(beam.at(s=1, name="tip")))
    exact = 1e-4 * 1.3**4 * (1 / 8 if along == 1.0 else 11 / 120)
    assert tip(pl.statics(pl.compile(model, elements=ANCF)))[1] == pytest.approx(exact, rel=1e-7)


def test_weight_is_carried_by_the_clamp():
    model, _ = cantilever()
    model.add(pl.Gravity())
    found = pl.statics(pl.compile(model, elements=ANCF)).reaction.values.ravel()
    assert found[:2] == pytest.approx([0.0, 0.7 * 1.3 * 9.81], abs=1e-9)


def test_a_load_that_changes_in_time_is_paid_for():
    model, beam = cantilever()
    model.add(pl.DistributedLoad(beam, y=pl.Sine(0.5, frequency_hz=2.0)))
    run = pl.transient(pl.compile(model, elements=ANCF), end_time=0.3, step=5e-4)
    assert run.outcome.ok


def test_joints_between_the_ends_hold_places_and_directions():
    """Clamped at its middle, half the cable is a cantilever of half the length, the other half is at rest."""
    model, beam = cantilever(clamped=False)
    model.add(pl.Weld(model.part("ground").at(0.0, 0.0), beam.at(s=0.5)))
    model.add(pl.Force(beam.at(s=1, name="tip"), y=1e-3))
    found = pl.statics(pl.compile(model, elements=ANCF))
    assert tip(found)[1] == pytest.approx(1e-3 * 0.65**3 / 3, rel=1e-5)


def test_a_free_cable_turns_on_with_mass_damping():
    """Alpha acts on what is not rigid: a cable that spins slowly keeps its angular momentum, and its mass matrix, which
    turns with it, costs no energy.
    """
    model, _ = cantilever(clamped=False, free=True, damping=pl.Rayleigh(2.0, 0.0))
    system = pl.compile(model, elements=ANCF)
    pushed = {"beam": (0.0, -0.65 * 0.5, 0.5)}
    run = pl.transient(system, end_time=2.0, step=2e-3, push=pushed)
    energy = run.energy.sel(energy_kind="kinetic").values
    assert energy[-1] == pytest.approx(energy[0], rel=1e-3)
    assert energy[0] == pytest.approx(0.5 * (0.7 * 1.3**3 / 12 + 1e-5 * 1.3) * 0.25, rel=1e-3)


def test_section_forces_are_those_of_equilibrium():
    model, beam = cantilever()
    model.add(pl.Force(beam.at(s=1, name="tip"), x=3.0, y=2.0))
    found = pl.statics(pl.compile(model, elements=pl.Ancf(16)))
    N, V, M = (found.resultant.sel(component=each).values.ravel() for each in ("N", "V", "M"))
    np.testing.assert_allclose(np.hypot(N, V)[1::3], np.hypot(3.0, 2.0), rtol=1e-3)  # V is a mean of each element
    x, y = tip(found)
    assert M[0] == pytest.approx(2.0 * x - 3.0 * y, rel=5e-3)  # extrapolated from the points of curvature
    assert abs(M[-1]) < 5e-3 * M[0]


def test_states_are_handed_over_both_ways():
    model, beam = cantilever()
    model.add(pl.Force(beam.at(s=1, name="tip"), y=2.0))
    fine, cable = pl.compile(model, elements=pl.Exact(8, order=2)), pl.compile(model, elements=pl.Ancf(8))
    rest = pl.statics(cable)
    for source, target in ((rest, fine), (pl.statics(fine), cable), (rest, pl.compile(model, elements=pl.Ancf(13)))):
        with pytest.warns(CarriedOver):
            found = pl.statics(target, start=source)
        np.testing.assert_allclose(tip(found), tip(source), atol=2e-4)


@pytest.mark.parametrize(
    ("asked", "error", "words"),
    [
        (lambda model, beam: model.add(pl.Drag(beam, x=1.0, y=1.0)), ModelError, "drag along elements Ancf"),
        (lambda model, beam: model.add(pl.DistributedLoad(beam, y=1.0, follower=True)), ModelError, "that follows"),
    ],
)
def test_loads_that_it_does_not_know_are_refused(asked, error, words):
    model, beam = cantilever()
    asked(model, beam)
    with pytest.raises(error, match=words):
        pl.compile(model, elements=ANCF)


def test_relative_coordinates_take_its_stretches():
    model, _ = cantilever()
    model.add(pl.Gravity(y=-9.81))
    dae, tree = (pl.compile(model, elements=pl.Ancf(4), formulation=name) for name in ("dae", "relative"))
    rests = [pl.statics(system) for system in (dae, tree)]
    np.testing.assert_allclose(tip(rests[1]), tip(rests[0]), atol=1e-9)
    modes = [pl.modal(system, at=rest, modes=4).frequency_hz for system, rest in zip((dae, tree), rests, strict=True)]
    np.testing.assert_allclose(modes[1], modes[0], rtol=1e-8)
    known = pl.transient(dae, end_time=0.02, times=[0.02], step=2e-5, spectral_radius=1.0, estimate=False)
    found = pl.transient(tree, end_time=0.02, times=[0.02], accuracy=1e-8, estimate=False)
    np.testing.assert_allclose(found.state["q"], known.state["q"], atol=1e-7)


def test_ways_that_know_frames_only_refuse_it():
    model, _ = cantilever()
    system = pl.compile(model, elements=ANCF)
    with pytest.raises(OptionError, match="have an additional coordinate"):
        pl.statics(system, spin=1.0)
    with pytest.raises(OptionError, match="have an additional coordinate"):
        pl.transient(system, end_time=0.1, step=1e-2, scheme="momentum")
    flat = pl.Model("flat", plane=None)
    flat.add(pl.Beam("beam", length=1.0, section=pl.Section.circle(0.01, pl.STEEL), free=True))
    with pytest.raises(OptionError, match="is for planar models"):
        pl.compile(flat, elements=ANCF)
