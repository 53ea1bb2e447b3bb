"""Coordinates of joints in results: angles, travels, efforts and power, against geometry and the energy balance."""

from __future__ import annotations

import numpy as np
import pytest

import pliant as pl
from pliant.results import plots
from pliant.results.quantities import quantities
from pliant_gallery import crank_slider, four_bar, six_rus, walker
from pliant_gallery.examples import driven_pendulum


def test_angles_of_pins_are_those_between_bodies():
    run = pl.transient(pl.compile(four_bar.model()), end_time=0.05, step=1e-3)
    pin = next(str(name) for name in run.joint_angle.joint.values if "crank/tip - coupler" in str(name))
    between = run.angle.sel(body="coupler") - run.angle.sel(body="crank")
    np.testing.assert_allclose(run.joint_angle.sel(joint=pin), between, atol=1e-12)
    spins = run.angular_velocity.sel(body="coupler") - run.angular_velocity.sel(body="crank")
    np.testing.assert_allclose(run.joint_rate.sel(joint=pin), spins, atol=1e-12)
    assert "joint_travel" not in run.data
    assert "drive_effort" not in run.data


def test_travel_on_a_turning_guide():
    """A block slides on a bar that is turned: s and s' of a hand-written motion, r = (s cos wt, s sin wt)."""
    m = pl.Model("turning guide")
    ground, bar = m.add(pl.Ground(), pl.Link("bar", length=1.0, mass=1.0))
    block = m.add(pl.Body("block", mass=0.5, inertia=1e-3, position=(0.4, 0.0), angle=0.0))
    m.add(pl.Revolute(ground.at(0, 0), bar.at(s=0), name="hub"))
    m.add(pl.Motion(ground.at(0, 0), bar.at(s=0), angle=pl.Expression("2*t"), name="motor"))
    m.add(pl.Prismatic(bar.at(s=0), block.at(), name="rail"))
    m.add(pl.Motion(bar.at(s=0), block.at(), x=pl.Expression("0.4+0.3*t"), name="screw"))
    run = pl.transient(pl.compile(m), end_time=0.5, step=1e-3)
    t = run.time.values
    for joint in ("rail", "screw"):
        np.testing.assert_allclose(run.joint_travel.sel(joint=joint), 0.4 + 0.3 * t, atol=1e-9)
        np.testing.assert_allclose(run.joint_speed.sel(joint=joint), 0.3, atol=1e-6)
    np.testing.assert_allclose(run.joint_angle.sel(joint="motor"), 2.0 * t, atol=1e-9)
    assert np.isnan(run.joint_travel.sel(joint="motor")).all()
    later = t > 0.01  # after the steps settle
    s = 0.4 + 0.3 * t
    np.testing.assert_allclose(run.drive_effort.sel(joint="screw")[later], (-0.5 * s * 4.0)[later], rtol=2e-3)
    np.testing.assert_allclose(run.drive_effort.sel(joint="motor")[later], (0.5 * 2 * s * 0.3 * 2)[later], rtol=2e-3)
    assert run.drive_effort.attrs["units"].split(", ")[:4] == ["1", "N m", "1", "N"]


@pytest.mark.parametrize("spatial", [False, True])
def test_power_of_drives_is_the_work_supplied(spatial):
    if spatial:
        system = pl.compile(six_rus.model())
        system = system.with_signals({f"motor {k}/angle": pl.Ramp(0.4, 0.4 + 0.05 * k, 0.0, 0.05) for k in range(1, 7)})
    else:
        system = pl.compile(walker.model(angle=pl.Ramp(0.0, 3.0, 0.0, 0.5)))
    run = pl.transient(system, end_time=0.05 if spatial else 0.5, step=1e-3, start=pl.statics(system))
    power, t = np.nansum(run.drive_power.values, axis=1), run.time.values
    work = np.concatenate([[0.0], np.cumsum(0.5 * (power[1:] + power[:-1]) * np.diff(t))])
    supplied = run.energy.sel(energy_kind="supplied").values
    np.testing.assert_allclose(work, supplied, atol=1e-9 * np.ptp(supplied))


def test_an_equilibrium_tells_the_effort_that_holds_it():
    m = driven_pendulum()
    ground, arm = m.part("ground"), m.part("arm")
    m.add(pl.Motion(ground.at(0, 0), arm.at(s=0), angle=-30 * pl.DEG, name="hold"))
    rest = pl.statics(pl.compile(m))
    assert float(rest.drive_effort.sel(joint="hold")) == pytest.approx(9.81 * 0.5 * np.cos(30 * pl.DEG))
    names = [each.name for each in quantities(rest)]
    assert "drive_effort:hold" in names
    assert not any(name.startswith("drive_effort:revolute") for name in names)


def test_turns_in_space_go_on():
    """A pin that turns three times, in space."""
    m = pl.Model("wheel", plane=None)
    ground = m.add(pl.Ground())
    wheel = m.add(pl.Body("wheel", mass=1.0, inertia=(0.1, 0.1, 0.2), position=(0, 0, 0), orientation=(0, 0, 0)))
    m.add(pl.Revolute(ground.at(0, 0, 0), wheel.at(), axis="x", name="pin"))
    m.add(pl.Motion(ground.at(0, 0, 0), wheel.at(), angle=pl.Expression("6*pi*t"), axis="x", name="motor"))
    run = pl.transient(pl.compile(m), end_time=1.0, step=1e-2)
    np.testing.assert_allclose(run.joint_angle.sel(joint="pin"), 6.0 * np.pi * run.time, atol=1e-9)


def test_it_is_saved_and_plotted(tmp_path):
    run = pl.transient(pl.compile(crank_slider.model()), end_time=0.02, step=1e-3)
    again = pl.load_result(run.save(tmp_path / "run.nc"))
    np.testing.assert_array_equal(again.joint_angle, run.joint_angle)
    name = str(run.joint_angle.joint[np.isfinite(run.joint_angle[-1].values)].values[0])
    ax = plots.plot_history(run, "joint_angle", joint=name)
    assert ax.lines
