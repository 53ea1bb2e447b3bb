"""Radau IIA of order 5: orders against closed forms, in the plane and in space, and its use by a driver."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import ellipj, ellipk

import pliant as pl
from pliant.analyses.motion.transient import planned
from pliant.errors import OptionError
from pliant.solvers.radau import stepping as radau_stepping

RADAU = pl.Radau5()


def pendulum() -> pl.Model:
    """Build a rod that falls from the horizontal."""
    m = pl.Model("pendulum")
    ground, arm = m.add(pl.Ground(), pl.Link("arm", length=1.0, mass=1.0, angle=0.0))
    m.add(pl.Revolute(ground.at(0, 0), arm.at(s=0)), pl.Gravity())
    return m


def fallen(t: np.ndarray) -> np.ndarray:
    """Return the pendulum's angle (rad): sin(theta / 2) = k sn(K - w t, k) from the vertical, k = sin(45 deg)."""
    return 2.0 * np.arcsin(np.sqrt(0.5) * ellipj(ellipk(0.5) - np.sqrt(1.5 * 9.81) * t, 0.5)[0]) - np.pi / 2


def spinning(*, pinned: bool) -> pl.Model:
    """Build a symmetric body without weight, J = (1, 1, 1.8) about its centre; free, or on a ball joint there."""
    m = pl.Model("body", plane=None)
    ground, body = m.add(pl.Ground(), pl.Body("body", mass=1.0, inertia=(1.0, 1.0, 1.8), position=(0, 0, 0)))
    if pinned:
        m.add(pl.Spherical(ground.at(0, 0, 0), body.at(0, 0, 0)))
    return m


def precessing(t: np.ndarray) -> np.ndarray:
    """Return the angular velocity in global axes from (0.6, 0, 2): it turns about the angular momentum L, |L| / J_x."""
    momentum, begin = np.array([0.6, 0.0, 3.6]), np.array([0.6, 0.0, 2.0])
    size = float(np.linalg.norm(momentum))
    n, angle = momentum / size, size * t[:, None]
    along = n * (n @ begin)
    return along + np.cos(angle) * (begin - along) + np.sin(angle) * np.cross(n, begin)


def order_of(steps: list[float], errors: list[float]) -> float:
    """Return the slope of the errors."""
    return float(np.polyfit(np.log(steps), np.log(errors), 1)[0])


def test_a_pendulum_is_of_order_five() -> None:
    system, steps = pl.compile(pendulum()), [0.05, 0.025, 0.0125]
    runs = [pl.transient(system, end_time=1.0, step=h, method=RADAU, estimate=False) for h in steps]
    errors = [np.abs(run.angle.values[:, 0] - fallen(run.time.values)).max() for run in runs]
    assert order_of(steps, errors) > 4.7
    assert errors[-1] < 2e-8
    assert all(run.outcome.cut_backs == 0 for run in runs)


def test_the_velocity_of_a_pendulum_is_across_its_rod() -> None:
    """The velocity is projected at the end of every step; at the last stage it is off by 3e-4 m/s, by h^3."""
    run = pl.transient(pl.compile(pendulum()), end_time=1.0, step=0.025, method=RADAU, estimate=False)
    place, velocity = (each.sel(marker="arm/tip").values for each in (run.position, run.velocity))
    assert np.linalg.norm(velocity, axis=1).max() > 5.0
    assert np.abs(np.sum(place * velocity, axis=1)).max() < 1e-8


@pytest.mark.parametrize("pinned", [False, True])
def test_rotations_in_space_are_of_order_five(pinned: bool) -> None:
    system, steps = pl.compile(spinning(pinned=pinned)), [0.06, 0.03, 0.015]
    runs = [
        pl.transient(system, end_time=4.0, step=h, method=RADAU, estimate=False, push={"body": (0.6, 0.0, 2.0)})
        for h in steps
    ]
    errors = [np.abs(run.angular_velocity.values[:, 0] - precessing(run.time.values)).max() for run in runs]
    assert order_of(steps, errors) > 4.7
    assert errors[-1] < 1e-9


def test_a_manufactured_motion_is_of_order_five() -> None:
    """A mass on a damped spring that is pushed so that x = sin(3 t)."""
    m = pl.Model("driven")
    ground, body = m.add(pl.Ground(), pl.Body("body", mass=2.0, inertia=0.1, position=(0, 0), angle=0.0))
    m.add(
        pl.Prismatic(ground.at(0, 0), body.at()),
        pl.Spring("spring", ground.at(-2, 0), body.at(), stiffness=50.0, rest_length=2.0, damping=4.0),
        pl.Force(body.at(), x=pl.Expression("32*sin(3*t) + 12*cos(3*t)")),
    )
    system, steps = pl.compile(m), [0.1, 0.05, 0.025]
    runs = [
        pl.transient(system, end_time=1.0, step=h, method=RADAU, estimate=False, push={"body": (3.0, 0.0, 0.0)})
        for h in steps
    ]
    errors = [np.abs(run.position.values[:, 0, 0] - np.sin(3.0 * run.time.values)).max() for run in runs]
    assert order_of(steps, errors) > 4.7
    for run in runs:
        assert run.outcome.energy_error < 2e-3 * run.outcome.energy_at_work


def test_an_accuracy_is_met_and_told_between_the_steps_too() -> None:
    system, times = pl.compile(pendulum()), np.linspace(0.0, 2.0, 77)
    for accuracy in (1e-4, 1e-7):
        run = pl.transient(system, end_time=2.0, accuracy=accuracy, times=times)
        assert run.provenance.settings["method"] == "Radau5"
        assert run.outcome.ok
        off = np.abs(run.angle.values[:, 0] - fallen(times)).max()
        assert off <= accuracy
        assert 0.02 * run.outcome.time_error < off <= 2.0 * run.outcome.time_error
        speed = np.sqrt(3.0 * 9.81 * np.maximum(-np.sin(fallen(times)), 0.0))
        np.testing.assert_allclose(np.abs(run.angular_velocity.values[:, 0]), speed, atol=50.0 * accuracy)
        pull = 2.5 * 9.81 * -np.sin(run.angle.values[:, 0])  # along the arm: m g (5/2) sin
        force = run.reaction.values[:, 0, :2]
        axis = np.stack([np.cos(run.angle.values[:, 0]), np.sin(run.angle.values[:, 0])], axis=1)
        np.testing.assert_allclose(np.abs(np.sum(force * axis, axis=1)), np.abs(pull), atol=100.0 * accuracy)
        assert run.outcome.constraint_error < 1e-9


def test_it_goes_on_from_its_end_and_from_that_of_another_method() -> None:
    system = pl.compile(pendulum())
    whole = pl.transient(system, end_time=1.5, accuracy=1e-8, method=RADAU)
    for method in (RADAU, pl.GeneralizedAlpha()):
        first = pl.transient(system, end_time=0.7, accuracy=1e-8 if method is RADAU else 1e-6, method=method)
        rest = pl.transient(system, end_time=1.5, accuracy=1e-8, method=RADAU, start=first)
        assert rest.time[0] == pytest.approx(0.7)
        limit = 1e-7 if method is RADAU else 1e-5
        np.testing.assert_allclose(rest.angle.values[-1], whole.angle.values[-1], atol=limit)
    back = pl.transient(system, end_time=1.6, step=1e-3, start=whole)
    assert back.outcome.ok


def test_every_step_counts_in_the_balance_whichever_are_kept() -> None:
    system = pl.compile(pendulum())
    runs = [pl.transient(system, end_time=1.0, step=0.02, method=RADAU, every=n) for n in (1, 7)]
    assert runs[1].time.size == 9
    assert runs[0].outcome.energy_error == runs[1].outcome.energy_error


def test_a_jump_of_the_load_is_met_by_short_steps() -> None:
    """x = F (t - t0)^2 / 2 m"""
    m = pl.Model("pushed")
    ground, body = m.add(pl.Ground(), pl.Body("body", mass=2.0, inertia=0.1, position=(0, 0), angle=0.0))
    m.add(pl.Prismatic(ground.at(0, 0), body.at()))
    m.add(pl.Force(body.at(), x=pl.Expression("where(t < 0.1137, 0.0, 3.0)")))
    run = pl.transient(pl.compile(m), end_time=1.0, accuracy=1e-4, method=RADAU)
    exact = 0.75 * np.maximum(run.time.values - 0.1137, 0.0) ** 2
    assert run.outcome.ok
    assert np.abs(run.position.values[:, 0, 0] - exact).max() < 1e-4
    assert pl.transient(pl.compile(m), end_time=1.0, accuracy=1e-4).provenance.settings["method"] == "GeneralizedAlpha"


def test_what_it_cannot_do_is_refused_by_name() -> None:
    m = pendulum()
    rubbing = pl.Model("rubbing")
    ground, arm = rubbing.add(pl.Ground(), pl.Link("arm", length=1.0, mass=1.0, angle=0.0))
    pin = rubbing.add(pl.Revolute(ground.at(0, 0), arm.at(s=0)))
    rubbing.add(pl.Gravity(), pl.Friction(pin, 0.1, radius=0.01))
    with pytest.raises(OptionError, match="joints of 'rubbing' rub"):
        pl.transient(pl.compile(rubbing), end_time=1.0, method="radau5")
    with pytest.raises(OptionError, match="not an option of the formulation 'udwadia_kalaba'"):
        pl.transient(pl.compile(m, formulation="udwadia_kalaba"), end_time=1.0, method=RADAU)
    with pytest.raises(OptionError, match="tolerances"):
        pl.transient(pl.compile(m), end_time=1.0, method="radau", tolerances=(1e-6, 1e-6))


def test_instants_with_unknown_accelerations_are_counted_where_they_are_asked_for(monkeypatch) -> None:
    weigh = radau_stepping.react

    def failing(run, signals, h, record) -> None:
        weigh(run, signals, h, record)
        record.a[record.time > 0.7] = np.nan

    monkeypatch.setattr(radau_stepping, "react", failing)
    system = pl.compile(pendulum())
    begin, plan = system.start(), planned(system, end_time=1.0, accuracy=1e-6, method=RADAU)
    plan = replace(plan, times=np.array([0.5, 0.8]))
    found = system.move(begin, plan)
    assert not found.ok
    assert "not known at 1 of its instants" in found.message
    assert system.move(begin, replace(plan, times=np.array([0.2, 0.6]))).ok
