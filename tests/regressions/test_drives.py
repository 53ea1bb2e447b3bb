"""Reactions of drives that start, and drives whose rate jumps: exact torques, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import pliant as pl
from pliant.errors import OptionError, PliantWarning


def arm(angle, tip: bool = False) -> pl.Model:
    """Build a driven arm of 1 kg m^2, on request with a sprung link at its end."""
    m = pl.Model("arm")
    ground, rod = m.add(pl.Ground(), pl.Link("arm", length=1.0, mass=3.0, angle=0.0))
    m.add(pl.Revolute(ground.at(0, 0), rod.at(s=0)), pl.Motion(ground.at(0, 0), rod.at(s=0), angle=angle, name="drive"))
    if tip:
        end = m.add(pl.Link("tip", length=0.5, mass=1.0, angle=0.0))
        m.add(pl.Revolute(rod.at(s=1), end.at(s=0)), pl.TorsionSpring("spring", rod.at(s=1), end.at(s=0), 20.0))
    return m


@pytest.mark.parametrize("options", [{"step": 0.01}, {}], ids=["equal", "adaptive"])
@pytest.mark.parametrize(
    "angle, torque",
    [
        (pl.Expression("sin(3*t)"), lambda t: -9.0 * np.sin(3.0 * t)),
        (pl.Ramp(0.0, 1.0, 0.2, 0.7), pl.Ramp(0.0, 1.0, 0.2, 0.7).acceleration),
    ],
    ids=["sine", "ramp"],
)
def test_torques_of_drives_do_not_ring(angle, torque, options) -> None:
    """J phi'' to a thousandth of the largest; it rang by a third of it for as long as the motion lasted."""
    run = pl.transient(pl.compile(arm(angle)), end_time=1.0, **options)
    exact = torque(run.time.values)
    assert run.outcome.ok
    assert np.allclose(run.reaction.sel(joint="drive", wrench="M"), exact, atol=1e-3 * np.max(np.abs(exact)))


@pytest.mark.parametrize("formulation", ["kinked", "relative"])
def test_formulations_of_accelerations_refuse_rates_that_jump(formulation) -> None:
    """`kinked` ended 2 rad from where the table led, ok; `relative` would leave out what the jump does to the tip."""
    system = pl.compile(arm(pl.Table([0.0, 0.5, 1.0], [0.0, 1.0, 0.0]), tip=True), formulation=formulation)
    with pytest.raises(OptionError, match=r"rate of .drive/angle. jumps from 2 to -2 at t = 0.5 s"):
        pl.transient(system, end_time=1.0)


def test_a_rate_that_jumps_is_told() -> None:
    system = pl.compile(arm(pl.Expression("where(t < 0.5, t, 1 - t)")))
    with pytest.warns(PliantWarning, match="jumps from 1 to -1 at t = 0.5 s"):
        pl.transient(system, end_time=1.0, step=0.01, estimate=False)


def test_accelerations_of_driven_mechanisms_are_of_second_order() -> None:
    """Recorded accelerations were off by a part of h where velocities are projected: 0.012 at 1 ms."""
    run = pl.transient(pl.compile(arm(pl.Expression("sin(3*t)"))), end_time=0.5, step=1e-3)
    exact = -9.0 * np.sin(3.0 * run.time.values)
    across = run.acceleration.sel(marker="arm/tip", axis="y") * np.cos(run.angle.sel(body="arm"))
    across = across - run.acceleration.sel(marker="arm/tip", axis="x") * np.sin(run.angle.sel(body="arm"))
    assert np.allclose(across, exact, atol=1e-5 * 9.0)


@pytest.mark.parametrize(("plane", "push"), [("xy", (1.0, 2.0, 3.0)), (None, (1.0, 2.0, 3.0, 0.0, 0.0, 4.0))])
def test_a_chain_of_links_is_pushed_as_its_beam_is(plane, push) -> None:
    """The velocity of a beam's base was given to the centre of its first link, in space to that link alone."""
    m = pl.Model("thrown", plane=plane)
    m.add(pl.Beam("rod", length=1.0, section=pl.Section.circle(5e-3, pl.STEEL), free=True, angle=0.3))
    run = pl.transient(pl.compile(m, formulation="udwadia_kalaba", elements=6), end_time=1e-4, push={"rod": push})
    base, tip = run.velocity.isel(time=0).sel(marker=["rod/base", "rod/tip"]).values
    spin = push[-1]
    assert np.allclose(base[:2], push[:2], atol=1e-9)
    assert np.allclose(tip[:2] - base[:2], spin * np.array([-np.sin(0.3), np.cos(0.3)]), atol=1e-7)
