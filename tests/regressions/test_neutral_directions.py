"""A direction is neutral where rounding leaves nothing of its stiffness: soft bending is not, a balanced lever is."""

from __future__ import annotations

import numpy as np
import pytest

import pliant as pl
from pliant_gallery import six_leg, spatial_dynamics

pytestmark = pytest.mark.filterwarnings("ignore::pliant.errors.PliantWarning")


def test_legs_that_buckle_are_unstable_in_relative_coordinates_too() -> None:
    """Leaves are 1e10 times stiffer along than across: relative coordinates called 3 unstable directions neutral."""
    mesh = pl.Exact(4, order=2)
    plain = pl.statics(pl.compile(six_leg.model(), elements=mesh))
    system = pl.compile(six_leg.model(), formulation="relative", elements=mesh)
    same = pl.statics(system, start=plain)
    assert plain.outcome.unstable_directions == same.outcome.unstable_directions == 3
    assert "neutral" not in same.outcome.message
    slid = pl.statics(system)
    assert slid.outcome.stable
    assert float(slid.energy.sum()) < float(same.energy.sum())


@pytest.mark.parametrize("thickness", [1e-4, 1e-5, 1e-6])
def test_a_thin_strip_bends_in_relative_coordinates(thickness: float) -> None:
    """The thinnest was left straight, with ok: its bending was below a part 1e-12 of its axial stiffness."""
    m = pl.Model("strip")
    ground, strip = m.add(
        pl.Ground(), pl.Beam("strip", length=1.0, section=pl.Section.rectangle(0.01, thickness, pl.STEEL))
    )
    load = 2.0 * strip.section_at(0.0).bending_stiffness
    m.add(pl.Weld(ground.at(0, 0), strip.at(s=0)), pl.Force(strip.at(s=1), y=-load))
    rest = pl.statics(pl.compile(m, formulation="relative", elements=pl.Exact(8, order=3)))
    assert rest.outcome.ok
    # elastica at P L^2 / EI = 2 (K. Mattiasson, Int. J. Numer. Meth. Eng. 17, 1981): w/L 0.49346, u/L 0.16064
    np.testing.assert_allclose(rest.position.sel(marker="strip/tip"), [1.0 - 0.16064, -0.49346], atol=1e-5)


@pytest.mark.parametrize("formulation", ["dae", "relative"])
@pytest.mark.parametrize("angle", [0.3, 1.1, 2.2, 2.9])
def test_a_balanced_lever_is_neutral(formulation: str, angle: float) -> None:
    """Two forces balance in any pose; the rounding of their moments was called a stiffness, and stable."""
    m = pl.Model("lever")
    ground, lever = m.add(pl.Ground(), pl.Body("lever", mass=0.1, inertia=0.01, position=(0, 0), angle=angle))
    m.add(pl.Revolute(ground.at(0, 0), lever.at(0, 0)))
    m.add(pl.Force(lever.at(-0.3, 0), y=-3.3), pl.Force(lever.at(0.7, 0), y=-3.3 * 0.3 / 0.7))
    rest = pl.statics(pl.compile(m, formulation=formulation))
    assert rest.outcome.stable is None
    assert "neutral" in rest.outcome.message


def test_what_nothing_holds_is_not_at_rest() -> None:
    """A slider pushed by little, beside a stiff beam: what Newton may leave of the beam's forces hid the push."""
    m = pl.Model("pushed")
    ground, slider, beam = m.add(
        pl.Ground(),
        pl.Body("slider", mass=1.0, inertia=1.0, position=(0, 0), angle=0.0),
        pl.Beam("beam", length=1.0, section=pl.Section.rectangle(0.1, 0.1, pl.STEEL)),
    )
    m.add(
        pl.Prismatic(ground.at(0, 0), slider.at()),
        pl.Force(slider.at(), x=1e-3),
        pl.Weld(ground.at(0, 0), beam.at(s=0)),
    )
    assert not pl.statics(pl.compile(m, formulation="relative")).outcome.ok


@pytest.mark.parametrize("formulation", ["dae", "relative", "udwadia_kalaba"])
def test_a_rod_between_balls_spins_freely_in_a_driven_loop(formulation: str) -> None:
    """Nothing else is free: its stiffness and force are rounding, whose quotient sent relative coordinates around."""
    m = pl.Model("RSSR", plane=None)
    thick = (1e-3, 2e-3, 2e-3)
    ground, crank, rod, rocker = m.add(
        pl.Ground(), pl.Body("crank", mass=0.3, inertia=thick, position=(0.05, 0, 0)),
        pl.Body("rod", mass=0.4, inertia=(1e-4, 3e-3, 3e-3)),
        pl.Body("rocker", mass=0.3, inertia=thick, position=(0.35, 0.1, 0.1)),
    )  # fmt: skip
    m.add(
        pl.Revolute(ground.at(0, 0, 0), crank.at(-0.05, 0, 0), axis="z"),
        pl.Spherical(crank.at(0.05, 0, 0), rod.at(-0.15, 0, 0)),
        pl.Spherical(rod.at(0.15, 0, 0), rocker.at(0, 0, 0.1)), pl.Gravity(z=-9.81),
        pl.Revolute(ground.at(0.35, 0.1, 0), rocker.at(0, 0, -0.1), axis="x"),
        pl.Motion(ground.at(0, 0, 0), crank.at(-0.05, 0, 0), angle=0.3, axis="z"),
    )  # fmt: skip
    rest = pl.statics(pl.compile(m, formulation=formulation))
    assert rest.outcome.ok
    assert "neutral: rod" in rest.outcome.message
    np.testing.assert_allclose(rest.rotation.sel(body="crank").values[-1], 0.3, atol=1e-9)


@pytest.mark.parametrize("subintervals", [3, 4, 5, 8])
def test_a_free_rod_vibrates_by_shooting_in_space(subintervals: int) -> None:
    """A ValueError with 3 and 5 subintervals, no equilibrium with 4 and 8: nothing holds it, and Newton is singular."""
    system = pl.compile(spatial_dynamics.rod(), formulation="shooting", subintervals=subintervals)
    found = pl.modal(system, modes=8).frequency_hz.values
    exact = pl.modal(pl.compile(spatial_dynamics.rod(), elements=pl.Exact(8, order=3)), modes=8).frequency_hz.values
    assert np.max(found[:6]) < 1e-5 * exact[6]
    np.testing.assert_allclose(found[6:], exact[6:], rtol=1.2 * (4.73 / subintervals) ** 4 / 1440)
