"""Reactions of joints on a body of choice and in the joint's axes; torque, power and work of drives and motors."""

from __future__ import annotations

import numpy as np
import pytest

import pliant as pl
from pliant.errors import OptionError


def arm(torque=3.0):
    m = pl.Model("arm")
    ground, a, b = m.add(
        pl.Ground(), *(pl.Link(name, length=1.0, mass=1.0, angle=turn) for name, turn in (("a", 0.3), ("b", 0.7)))
    )
    m.add(pl.Revolute(ground.at(0, 0), a.at(s=0), name="shoulder"), pl.Revolute(a.at(s=1), b.at(s=0), name="elbow"))
    m.add(pl.Gravity(), pl.Motor("motor", ground.at(0, 0), a.at(s=0), torque))
    return m


@pytest.mark.parametrize("formulation", ["dae", "kinked", "relative"])
def test_reactions_in_the_axes_of_the_joint_and_on_the_other_body(formulation):
    options = {"step": 1e-3} if formulation == "dae" else {"accuracy": 1e-6}
    run = pl.transient(pl.compile(arm(), formulation=formulation), end_time=0.05, **options)
    c, s = np.cos(run.angle.sel(body="a").values), np.sin(run.angle.sel(body="a").values)
    x, y = pl.reaction_of(run, "elbow").sel(wrench=["Fx", "Fy"]).values.T
    own = pl.reaction_of(run, "elbow", axes="joint").sel(wrench=["Fx", "Fy"]).values.T
    np.testing.assert_allclose(own, [c * x + s * y, c * y - s * x], atol=1e-12)
    assert np.abs(x).max() > 0.1
    np.testing.assert_array_equal(pl.reaction_of(run, "elbow", on="a"), -pl.reaction_of(run, "elbow", on="b"))


def test_a_pin_in_space_carries_no_moment_about_its_own_axis():
    m = pl.Model("gate", plane=None)
    ground = m.add(pl.Ground())
    gate = m.add(pl.Body("gate", mass=2.0, inertia=(0.1, 0.1, 0.2), position=(0.5, 0, 0), orientation=(0, 0, 0)))
    hinge = m.add(pl.Revolute(ground.at(0, 0, 0), gate.at(-0.5, 0, 0), axis=(0.0, 0.6, 0.8), name="hinge"))
    m.add(pl.Gravity())
    run = pl.transient(pl.compile(m), end_time=0.05, step=1e-3)
    own = pl.reaction_of(run, hinge, axes="joint")
    assert float(np.abs(own.sel(wrench="Mz")).max()) < 1e-9
    assert float(np.abs(own.sel(wrench=["Mx", "My"])).max()) > 1.0
    there = pl.reaction_of(run, hinge)
    np.testing.assert_allclose(*(np.linalg.norm(each.values[:, :3], axis=1) for each in (own, there)), rtol=1e-12)


def test_work_of_motors_and_drives():
    """A motor's is T times the angle, a drive's the energy that it has brought in."""
    run = pl.transient(pl.compile(arm()), end_time=0.2, step=1e-3)
    turned = run.angle.sel(body="a").values
    np.testing.assert_allclose(pl.work_of(run, "motor"), 3.0 * (turned - turned[0]), atol=1e-5)
    np.testing.assert_allclose(run.motor_torque.sel(motor="motor"), 3.0)
    m = pl.Model("driven")
    ground, a = m.add(pl.Ground(), pl.Link("a", length=1.0, mass=1.0, angle=0.0))
    m.add(pl.Revolute(ground.at(0, 0), a.at(s=0)), pl.Gravity())
    drive = m.add(pl.Motion(ground.at(0, 0), a.at(s=0), angle=pl.Expression("3*t**2"), name="drive"))
    for formulation, options in (("dae", {"step": 1e-3}), ("kinked", {"accuracy": 1e-6})):
        run = pl.transient(pl.compile(m, formulation=formulation), end_time=0.2, **options)
        t = run.time.values
        torque = 6.0 / 3.0 + 9.81 * 0.5 * np.cos(3.0 * t**2)
        later = t > 0.01
        np.testing.assert_allclose(run.drive_effort.sel(joint="drive")[later], torque[later], rtol=1e-3)
        energy = 0.5 / 3.0 * (6.0 * t[-1]) ** 2 + 9.81 * 0.5 * np.sin(3.0 * t[-1] ** 2)
        assert float(pl.work_of(run, drive)[-1]) == pytest.approx(energy, rel=1e-3)


def test_what_is_refused():
    run = pl.transient(pl.compile(arm()), end_time=0.01, step=1e-3)
    with pytest.raises(OptionError, match="between b and a"):
        pl.reaction_of(run, "elbow", on="ground")
    with pytest.raises(OptionError, match="Did you mean motor"):
        pl.work_of(run, "moter")
    with pytest.raises(OptionError, match="axes"):
        pl.reaction_of(run, "elbow", axes="body")
    assert run.to_dataframe().index.name == "time"
    assert "angle:a" in run.to_dataframe().columns
