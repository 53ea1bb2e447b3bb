"""Spatial systems through the public functions: statics, modes, motion, paths, inverse statics."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import pliant as pl
from pliant.errors import ConvergenceError, ModelError, OptionError
from pliant_evidence import cosserat
from pliant_gallery import six_rus

ROD = pl.Section.circle(2e-3, pl.STEEL)


def cantilever(**load: float) -> pl.Model:
    m = pl.Model("cantilever", plane=None)
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=0.5, section=ROD))
    m.add(pl.Weld(ground.at(0, 0, 0), beam.at(s=0)), pl.Force(beam.at(s=1), name="load", **load))
    return m


def free_beam() -> tuple[Any, Any]:
    """Return a beam that flies and tumbles."""
    m = pl.Model("flight", plane=None)
    m.add(pl.Beam("beam", length=1.0, section=pl.Section.circle(0.01, pl.STEEL), position=(0, 0, 0), free=True))
    system = pl.compile(m, elements=6)
    start, spin = system.start(), np.array([3.0, 5.0, 7.0])
    nodes = start.v[: system.freedoms].reshape(-1, 6)
    nodes[:, :3] = np.cross(spin, system.initial[: system.freedoms].reshape(-1, 6)[:, :3]) + (0.1, 0.2, 0.3)
    nodes[:, 3:] = spin
    return system, start


def test_bends_alike_in_every_direction() -> None:
    tips = [pl.statics(pl.compile(cantilever(**{axis: 2.0}))).position.sel(marker="beam/tip").values for axis in "yz"]
    np.testing.assert_allclose(tips[0][[0, 2, 1]], tips[1], atol=1e-14)


def test_modes_come_in_pairs() -> None:
    modes = pl.modal(pl.compile(cantilever(), elements=pl.Exact(6, order=2)), modes=4).frequency_hz.values
    np.testing.assert_allclose(modes[::2], modes[1::2], rtol=1e-9)
    slender = 1.8751**2 * np.sqrt(ROD.bending_stiffness / ROD.mass_per_length / 0.5**4) / (2.0 * np.pi)
    assert modes[0] == pytest.approx(slender, rel=1e-3)  # Euler-Bernoulli; shear and rotary inertia are 1e-4


def test_planar_leg_and_its_spatial_twin_agree() -> None:
    m = pl.Model("link and leaf")
    ground, crank = m.add(pl.Ground(), pl.Link("crank", length=0.2, mass=0.1, angle=0.6))
    leaf = m.add(pl.Beam("leaf", length=0.4, section=pl.Section.rectangle(0.02, 1e-3, pl.STEEL), angle=-0.4))
    m.add(pl.Revolute(ground.at(0, 0), crank.at(s=0)), pl.Weld(crank.at(s=1), leaf.at(s=0), angle=-1.0))
    m.add(pl.Revolute(ground.at(0.5, 0.0), leaf.at(s=1)), pl.Force(leaf.at(s=0.5), y=-3.0), pl.Gravity())
    flat = pl.statics(pl.compile(m, elements=6)).position.sel(marker="leaf@0.5").values
    deep = pl.statics(pl.compile(m.promoted(), elements=6)).position.sel(marker="leaf@0.5").values
    np.testing.assert_allclose(deep, [*flat, 0.0], atol=1e-12)


def test_flight_keeps_momentum_and_is_of_second_order() -> None:
    system, start = free_beam()
    errors = []
    for step in (2e-3, 1e-3):
        run = pl.transient(system, start=replace(start), end_time=0.5, step=step)
        momentum = run.momentum.values
        assert np.max(np.abs(momentum - momentum[0])[:, :3]) < 1e-10
        errors.append(float(np.max(np.abs(momentum - momentum[0])[:, 3:])))
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.1)


def test_motion_does_not_depend_on_the_axes() -> None:
    """A flight has the same motion in axes that are turned."""
    system, start = free_beam()
    plain = pl.transient(system, start=replace(start), end_time=0.1, step=1e-3).position.values[-1]
    turn = pl.rotation(x=0.4, y=-0.7, z=1.1)
    from pliant.model import rotations

    p = rotations.exponential(turn)
    other = replace(start, q=start.q.copy(), v=start.v.copy())
    n = system.freedoms
    other.q[:n].reshape(-1, 6)[:, :3] = rotations.rotate(p, start.q[:n].reshape(-1, 6)[:, :3])
    frames = other.q[system.equations.frames :].reshape(-1, 4)
    frames[:-1] = rotations.product(p, frames[:-1])
    other.v[:n].reshape(-1, 6)[:, :3] = rotations.rotate(p, start.v[:n].reshape(-1, 6)[:, :3])
    seen = pl.transient(system, start=other, end_time=0.1, step=1e-3).position.values[-1]
    np.testing.assert_allclose(seen, rotations.rotate(p, plain), atol=1e-9)


def test_path_finds_the_buckling_load_in_both_directions() -> None:
    m = pl.Model("column", plane=None)
    ground, column = m.add(pl.Ground(), pl.Beam("column", length=0.5, section=ROD))
    m.add(pl.Weld(ground.at(0, 0, 0), column.at(s=0)), pl.Force(column.at(s=1), x=0.0, name="load"))
    euler = np.pi**2 * ROD.bending_stiffness / (4.0 * 0.5**2)
    path = pl.path(pl.compile(m, elements=pl.Exact(4, order=2)), "load/x", to=-1.2 * euler)
    assert list(path.event_kind.values) == ["bifurcation"]
    assert float(path.event_parameter[0]) == pytest.approx(-euler, rel=1e-3)  # shear and compression: 1e-4
    assert int(path.unstable_directions[-1]) == 2


def test_rod_under_its_weight_is_that_of_the_initial_value_problem() -> None:
    m = pl.Model("hook", plane=None)
    ground = m.add(pl.Ground())
    hook = m.add(pl.Beam("hook", length=0.5, section=ROD, curvature=(1.0, 2.0, 3.0)))
    m.add(pl.Weld(ground.at(0, 0, 0), hook.at(s=0)), pl.Force(hook.at(s=1), y=1.5), pl.Gravity())
    rest = pl.statics(pl.compile(m, elements=pl.Exact(8, order=3)))
    reaction = rest.reaction.isel(joint=0).values
    base = cosserat.End(np.zeros(3), np.eye(3), -reaction[:3], -reaction[3:])
    tip = cosserat.march(base, 0.5, ROD, np.array([1.0, 2.0, 3.0]), (0.0, 0.0, -9.81))
    np.testing.assert_allclose(rest.position.sel(marker="hook/tip").values, tip.point, atol=1e-6)
    np.testing.assert_allclose(tip.force, [0.0, 1.5, 0.0], atol=1e-6)
    np.testing.assert_allclose(tip.moment, 0.0, atol=1e-5)  # what the elements' error leaves of 0.7 N m


def test_inverse_statics_undoes_statics() -> None:
    system = pl.compile(six_rus.model(), elements=4)
    place = (0.01, -0.02, 0.48), pl.rotation(x=0.1, y=-0.05, z=0.15)
    held = pl.inverse_statics(system, {"platform": place}, signals=[f"motor {k}/angle" for k in six_rus.LEGS])
    angles = dict(zip(held.signal.values.tolist(), held.signal_value.values.tolist(), strict=True))
    back = pl.statics(system.with_signals(angles))
    np.testing.assert_allclose(back.position.sel(marker="platform(0, 0)").values, place[0], atol=1e-9)
    np.testing.assert_allclose(back.rotation.sel(body="platform").values, place[1], atol=1e-9)


def test_inverse_statics_says_what_is_wrong() -> None:
    system = pl.compile(six_rus.model(), elements=2)
    motors = [f"motor {k}/angle" for k in six_rus.LEGS]
    with pytest.raises(OptionError, match="there are 6 conditions, but 1 unknown signals"):
        pl.inverse_statics(system, {"platform": ((0, 0, 0.5), (0, 0, 0))}, signals=motors[:1])
    with pytest.raises(OptionError, match=r"no marker or body 'plattform'\. Did you mean"):
        pl.inverse_statics(system, {"plattform": ((0, 0, 0.5), (0, 0, 0))}, signals=motors)
    with pytest.raises(OptionError, match=r"give \(x, y, z\)"):
        pl.inverse_statics(system, {"platform": (0, 0)}, signals=motors)
    with pytest.raises(OptionError, match="no signal 'motor 7/angle'"):
        pl.inverse_statics(system, {"platform": ((0, 0, 0.5), (0, 0, 0))}, signals=[*motors[:5], "motor 7/angle"])
    with pytest.raises(ConvergenceError, match="out of reach"):
        pl.inverse_statics(system, {"platform": ((0, 0, 3.0), (0, 0, 0))}, signals=motors)


def test_planar_formulations_refuse_space() -> None:
    with pytest.raises(ModelError, match=r"planar models.*'dae' or .*'relative' or .*='shooting' or .*='udwadia_k"):
        pl.compile(cantilever(), formulation="kinked")


def test_controller_holds_a_spatial_pendulum_upright() -> None:
    m = pl.Model("gimbal", plane=None)
    ground = m.add(pl.Ground())
    bob = m.add(pl.Body("bob", mass=1.0, inertia=(0.02, 0.02, 0.01), position=(0, 0, 0.3), orientation=(0, 0, 0)))
    m.add(pl.Universal(ground.at(0, 0, 0), bob.at(0, 0, -0.3)), pl.Gravity())
    m.add(pl.Force(bob.at(), x=0.0, y=0.0, name="push"))
    system = pl.compile(m)
    at = pl.statics(system)
    outputs = [f"{what}:bob(0, 0):{axis}" for what in ("position", "velocity") for axis in "xy"]
    plant = pl.linearise(system, at=at, inputs=["push/x", "push/y"], outputs=outputs)
    gain = pl.lqr(
        plant, outputs=dict.fromkeys(outputs[:2], 100.0), inputs={"push/x": 0.1, "push/y": 0.1}, sample_time=5e-3
    )
    loop = pl.state_feedback(gain, outputs=outputs)
    run = pl.transient(system, start=at, push={"bob": (0.3, -0.2, 0.0)}, end_time=3.0, controller=loop)
    assert np.max(np.abs(run.position.sel(marker="bob(0, 0)").values[-1, :2])) < 1e-3
