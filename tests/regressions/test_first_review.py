"""Findings of the first review and the first user, one test each."""

from __future__ import annotations

import numpy as np
import pytest

import pliant as pl
from pliant.errors import AssemblyError, ConvergenceError, ModelError, OptionError, PliantWarning

STRIP = pl.Section.rectangle(0.02, 0.002, pl.STEEL)


def pendulum(angle: float = 0.0) -> pl.Model:
    m = pl.Model("pendulum")
    ground, arm = m.add(pl.Ground(), pl.Link("arm", length=1.0, mass=1.0, angle=angle))
    m.add(pl.Revolute(ground.at(0, 0), arm.at(s=0)), pl.Gravity())
    return m


def test_reactions_do_not_jump_when_the_step_adapts() -> None:
    """A stop at -2.5 rad, which the pendulum runs into, makes the step change."""
    m = pendulum()
    m.add(pl.Stop(m.joints[0], lower=-2.5, stiffness=1e3))
    run = pl.transient(pl.compile(m), end_time=2.0)
    theta, omega = run.angle.values[:, 0], run.angular_velocity.values[:, 0]
    alpha = -1.5 * 9.81 * np.cos(theta) + 3.0 * 1e3 * np.maximum(0.0, -2.5 - theta)
    x = -0.5 * (alpha * np.sin(theta) + omega**2 * np.cos(theta))
    y = 9.81 + 0.5 * (alpha * np.cos(theta) - omega**2 * np.sin(theta))
    assert len(set(np.round(np.diff(run.time.values), 9))) > 2  # the step did change
    np.testing.assert_allclose(run.reaction.sel(wrench="Fx").values[:, 0], x, atol=0.02)
    np.testing.assert_allclose(run.reaction.sel(wrench="Fy").values[:, 0], y, atol=0.02)


def test_a_running_drive_starts_beams_without_an_impact() -> None:
    m = pl.Model("slider-crank")
    ground, crank = m.add(pl.Ground(), pl.Link("crank", length=0.05, mass=0.1, angle=0.0))
    rod, block = m.add(pl.Beam("rod", length=0.25, section=STRIP), pl.Body("block", mass=0.5, inertia=1e-4))
    m.add(pl.Revolute(ground.at(0, 0), crank.at(s=0)), pl.Revolute(crank.at(s=1), rod.at(s=0)))
    m.add(pl.Revolute(rod.at(s=1), block.at()), pl.Prismatic(ground.at(0, 0), block.at()))
    m.add(pl.Motion(ground.at(0, 0), crank.at(s=0), angle=pl.Expression("20*pi*t")))
    run = pl.transient(pl.compile(m, elements=6), end_time=0.01, step=1e-5)
    # the rod turns as a rigid one would: its tip stays on the line, so omega_rod = -omega_crank r / l
    assert float(run.angular_velocity.sel(body="rod")[0]) == pytest.approx(-20 * np.pi * 0.05 / 0.25, rel=1e-6)


def test_contradictory_drives_are_refused() -> None:
    m = pl.Model("contradiction")
    ground, a, b = m.add(
        pl.Ground(), pl.Link("a", length=1, mass=1, angle=0.0), pl.Link("b", length=1, mass=1, angle=0.0)
    )
    m.add(pl.Revolute(ground.at(0, 0), a.at(s=0)), pl.Weld(a.at(s=1), b.at(s=0), angle=0.0))
    slow, fast = pl.Expression("t**2"), pl.Expression("2*t**2")  # equal speeds at first
    m.add(pl.Motion(ground.at(0, 0), a.at(s=0), angle=slow), pl.Motion(ground.at(0, 0), b.at(s=0), angle=fast))
    with pytest.warns(PliantWarning, match="Redundant"):
        system = pl.compile(m)
    with pytest.raises(ConvergenceError, match="joints do not stay closed"):
        pl.transient(system, end_time=0.5, step=0.01)
    m = pl.Model("at once")
    ground, a, b = m.add(
        pl.Ground(), pl.Link("a", length=1, mass=1, angle=0.0), pl.Link("b", length=1, mass=1, angle=0.0)
    )
    m.add(pl.Revolute(ground.at(0, 0), a.at(s=0)), pl.Weld(a.at(s=1), b.at(s=0), angle=0.0))
    m.add(pl.Motion(ground.at(0, 0), a.at(s=0), angle=pl.Expression("t")))
    m.add(pl.Motion(ground.at(0, 0), b.at(s=0), angle=pl.Expression("2*t")))
    with pytest.warns(PliantWarning, match="Redundant"):
        system = pl.compile(m)
    with pytest.raises(AssemblyError, match="contradict"):
        pl.transient(system, end_time=0.5, step=0.01)


def test_springs_between_coincident_points() -> None:
    def model(rest_length: float) -> pl.Model:
        m = pl.Model("bob")
        ground, bob = m.add(pl.Ground(), pl.Body("bob", mass=1.0, inertia=0.0, position=(0, 0)))
        m.add(pl.Spring("s", ground.at(0, 0), bob.at(), stiffness=100.0, rest_length=rest_length), pl.Gravity())
        return m

    system = pl.compile(model(0.0))
    rest = pl.statics(system)
    assert float(rest.position.sel(marker="bob(0, 0)", axis="y")) == pytest.approx(-0.0981, rel=1e-9)
    np.testing.assert_allclose(pl.modal(system, at=rest, modes=2).frequency_hz, 10.0 / (2 * np.pi), rtol=1e-9)
    with pytest.raises(ModelError, match=r"Spring \"s\".*coincide"):
        pl.compile(model(1.0))


def test_momentum_of_a_flying_beam_is_reported() -> None:
    m = pl.Model("free")
    m.add(pl.Beam("beam", length=1.0, section=STRIP, free=True))
    run = pl.transient(pl.compile(m, elements=4), end_time=0.05, step=1e-3, push={"beam": (1.0, 0.5, 2.0)})
    mass = STRIP.mass_per_length
    spin = mass * (0.5 * 0.5 + 2.0 / 3.0) + 2.0 * STRIP.rotary_inertia  # about the origin, where the base is
    # a push bends a beam by 1e-8 of itself: rigidity is a cost, not a constraint
    np.testing.assert_allclose(run.momentum[0], [mass, mass * 1.5, spin], rtol=1e-7)
    np.testing.assert_allclose(run.momentum[-1, :2], run.momentum[0, :2], rtol=1e-9)


def test_work_is_summed_whichever_bodies_a_damper_ties() -> None:
    m = pl.Model("eight")
    bodies = [m.add(pl.Body(f"b{i}", mass=1, inertia=1, position=(i, 0), angle=0.0, free=True)) for i in range(8)]
    m.add(pl.TorsionSpring("d", bodies[0].at(), bodies[7].at(), stiffness=1.0, damping=1.0))
    run = pl.transient(pl.compile(m), end_time=1.0, step=1e-3, push={"b0": 1.0})
    assert float(run.energy.sel(energy_kind="dissipated")[-1]) > 0.05
    assert run.outcome.energy_error < 1e-5


def test_the_origin_does_not_matter() -> None:
    ends = []
    for x in (0.0, 1e3):
        m = pl.Model("moved")
        ground, arm = m.add(pl.Ground(), pl.Link("arm", length=0.1, mass=0.2, angle=1.0))
        beam = m.add(pl.Beam("beam", length=0.3, section=STRIP, angle=0.0))
        m.add(pl.Revolute(ground.at(x, 0), arm.at(s=0)), pl.Revolute(arm.at(s=1), beam.at(s=0)), pl.Gravity())
        run = pl.transient(pl.compile(m, elements=4), end_time=0.05, step=1e-4, push={"arm": 5.0})
        ends.append(float(run.angle.sel(body="arm")[-1]))
    assert ends[0] == pytest.approx(ends[1], abs=1e-6)


def test_a_push_keeps_the_other_velocities() -> None:
    m = pl.Model("two")
    a, b = (m.add(pl.Body(name, mass=1, inertia=1, position=(k, 0), free=True)) for k, name in enumerate("ab"))
    assert a.name, b.name
    system = pl.compile(m)
    first = pl.transient(system, end_time=0.1, step=0.01, push={"a": (1.0, 0.0, 0.0)})
    second = pl.transient(system, start=first, end_time=0.2, step=0.01, push={"b": (0.0, 1.0, 0.0)})
    np.testing.assert_allclose(second.velocity.sel(marker="a(0, 0)")[-1], [1.0, 0.0], atol=1e-9)
    np.testing.assert_allclose(second.velocity.sel(marker="b(0, 0)")[-1], [0.0, 1.0], atol=1e-9)


def test_warnings_for_what_was_probably_not_meant() -> None:
    with pytest.warns(PliantWarning, match=r"60 \* pl\.DEG"):
        pl.Link("crank", length=0.1, mass=0.2, angle=60)
    system = pl.compile(pendulum())
    swing = pl.transient(system, end_time=0.3, step=1e-2)
    with pytest.raises(OptionError, match="moves in that state"):
        pl.modal(system, at=swing, modes=1)
    with pytest.warns(PliantWarning, match="at most 0.95"):
        pl.transient(system, end_time=0.01, step=1e-3, spectral_radius=1.0, constraints="position")
    m = pl.Model("linear")
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=1.0, section=STRIP))
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Force(beam.at(s=1), y=-5.0))
    with pytest.warns(PliantWarning, match="linear elements"):
        pl.statics(pl.compile(m, elements=pl.Linear(10)))


def test_a_state_of_another_model_is_refused() -> None:
    longer = pl.Model("longer")
    ground, arm = longer.add(pl.Ground(), pl.Link("arm", length=2.0, mass=1.0, angle=0.0))
    longer.add(pl.Revolute(ground.at(0, 0), arm.at(s=0)), pl.Gravity())
    with pytest.raises(OptionError, match="another model"):
        pl.transient(pl.compile(longer), start=pl.statics(pl.compile(pendulum(-1.5))), end_time=1.0, step=1e-2)


def test_a_drive_out_of_reach_is_named() -> None:
    m = pl.Model("reach")
    ground, a, b = m.add(
        pl.Ground(), pl.Link("a", length=1, mass=1, angle=0.3), pl.Link("b", length=1, mass=1, angle=-0.3)
    )
    m.add(pl.Revolute(ground.at(0, 0), a.at(s=0)), pl.Revolute(a.at(s=1), b.at(s=0)), pl.Gravity())
    m.add(pl.Motion(ground.at(0, 0), b.at(s=1), x=pl.Expression("1.9 + 0.6*t")))
    with pytest.raises(ConvergenceError, match="cannot be reached"):
        pl.statics(pl.compile(m), time=1.0)


def test_guesses_keep_the_branch() -> None:
    m = pl.Model("four-bar")
    ground, crank = m.add(pl.Ground(), pl.Link("crank", length=0.12, mass=1, angle=0.0))
    coupler, rocker = m.add(
        pl.Link("coupler", length=0.5, mass=1), pl.Link("rocker", length=0.19, mass=1, angle=0.4899)
    )
    m.add(pl.Revolute(ground.at(0.15, 0), crank.at(s=0)), pl.Revolute(crank.at(s=1), coupler.at(s=0)))
    m.add(pl.Revolute(coupler.at(s=1), rocker.at(s=1)), pl.Revolute(rocker.at(s=0), ground.at(0, 0.4)))
    angles = pl.compile(m).initial[2:9:3]
    assert angles[0] == 0.0 or abs(angles[0]) < 1e-12
    assert angles[2] == pytest.approx(0.4899573, abs=1e-6)
