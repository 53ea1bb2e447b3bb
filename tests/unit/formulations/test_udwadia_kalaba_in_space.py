"""Explicit accelerations in space: bodies that turn, joints, chains of links."""

from __future__ import annotations

import warnings
from dataclasses import replace
from math import pi, sqrt
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation

import pliant as pl
from pliant.errors import OptionError, PliantError, PliantWarning
from pliant.solvers.stepping.consistent_start import consistent
from tests.properties.mechanisms import Mechanism

METHODS = ("DOP853", "RK45", "RK23", "SDIRK4")
STRIP = pl.Section.rectangle(0.02, 0.004, pl.STEEL)


def book(spin: tuple[float, float, float] = (0.1, 3.0, 0.2)) -> tuple[Any, dict[str, tuple[float, ...]]]:
    """Return a free body that tumbles about its middle axis."""
    m = pl.Model("book", plane=None)
    m.add(pl.Body("book", mass=0.7, inertia=(0.01, 0.02, 0.03), position=(0, 0, 0), orientation=(0, 0, 0), free=True))
    return pl.compile(m, formulation="udwadia_kalaba"), {"book": (0.0, 0.0, 0.0, *spin)}


def euler(times: np.ndarray) -> np.ndarray:
    """Return the orientation by Euler's equations and quaternions, integrated by scipy: (times, 3, 3)."""
    j = np.array([0.01, 0.02, 0.03])

    def rates(_: float, z: np.ndarray) -> np.ndarray:
        p, w = z[:4], z[4:]
        turn = 0.5 * np.array(
            [-p[1:] @ w, *(p[0] * w + np.cross(p[1:], w))]
        )  # (w, x, y, z)' of a body with the angular velocity w in its own axes
        return np.concatenate([turn, np.cross(j * w, w) / j])

    start = [1.0, 0.0, 0.0, 0.0, 0.1, 3.0, 0.2]
    z = solve_ivp(rates, (0.0, times[-1]), start, t_eval=times, rtol=1e-12, atol=1e-13, method="DOP853").y.T
    return np.array(Rotation.from_quat(z[:, [1, 2, 3, 0]]).as_matrix())


@pytest.mark.parametrize("method", METHODS)
def test_a_free_body_tumbles_as_eulers_equations_say(method: str) -> None:
    system, push = book()
    times = np.linspace(0.0, 6.0, 25)  # within steps
    run = pl.transient(system, end_time=6.0, times=times, push=push, method=method, accuracy=1e-9)
    assert run.outcome.ok
    found = Rotation.from_quat(run.orientation.sel(body="book").values[:, [1, 2, 3, 0]]).as_matrix()
    np.testing.assert_allclose(found, euler(times), atol=3e-6)
    assert run.outcome.energy_error < 1e-6 * run.outcome.energy_at_work


def wrist(first: Any = pl.Universal) -> pl.Model:
    """Build two bodies on a joint of the ground and a pin."""
    m = pl.Model("wrist", plane=None)
    ground, arm, hand = m.add(
        pl.Ground(),
        pl.Body("arm", mass=1.0, inertia=(0.02, 0.03, 0.04), position=(0.5, 0, 0), orientation=(0, 0, 0)),
        pl.Body("hand", mass=0.7, inertia=(0.01, 0.02, 0.015), position=(1.3, 0, 0), orientation=(0, 0, 0)),
    )
    m.add(first(ground.at(0, 0, 0), arm.at(-0.5, 0.05, 0.02)))
    m.add(pl.Revolute(arm.at(0.5, 0, 0), hand.at(-0.3, 0, 0.1), axis="y"), pl.Gravity(x=1.0, y=0.5, z=-9.81))
    return m


@pytest.mark.parametrize("first", [pl.Universal, pl.Spherical, pl.Revolute])
def test_motion_is_that_of_the_multiplier_formulation(first: Any) -> None:
    m, times = wrist(first), np.linspace(0.0, 0.6, 7)
    run = pl.transient(pl.compile(m, formulation="udwadia_kalaba"), end_time=0.6, times=times)
    coarse, fine = (
        pl.transient(pl.compile(m), end_time=0.6, step=h, times=times, estimate=False).position.values
        for h in (4e-4, 2e-4)
    )
    exact = fine + (fine - coarse) / 3.0
    np.testing.assert_allclose(run.position.values, exact, atol=2e-7)
    assert run.outcome.ok
    assert run.outcome.constraint_error < 1e-8


@pytest.mark.parametrize("method", METHODS)
def test_instants_within_steps_are_those_of_steps_that_end_there(method: str) -> None:
    system = pl.compile(wrist(), formulation="udwadia_kalaba")
    whole = pl.transient(system, end_time=0.5, times=[0.0, 0.313, 0.5], method=method, accuracy=1e-8, estimate=False)
    first = pl.transient(system, end_time=0.313, method=method, accuracy=1e-8, estimate=False)
    for name in ("position", "velocity", "orientation", "angular_velocity"):
        np.testing.assert_allclose(whole.data[name].values[1], first.data[name].values[-1], atol=3e-6, err_msg=name)
    rest = pl.transient(system, end_time=0.5, start=first, method=method, accuracy=1e-8, estimate=False)
    np.testing.assert_allclose(rest.position.values[-1], whole.position.values[-1], atol=3e-6)


def random_system(seed: int) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PliantWarning)
        return pl.compile(Mechanism(seed, spatial=True).model, formulation="udwadia_kalaba", elements=3)


def moving(system: Any, seed: int) -> Any:
    velocity = np.random.default_rng(seed).standard_normal(system.size)
    velocity[system.freedoms :] = 0.0
    return consistent(system, replace(system.start(), v=velocity), time=0.0, velocity=None, step=1e-3)


@pytest.mark.parametrize("seed", range(12))
def test_accelerations_of_random_mechanisms(seed: int) -> None:
    """Accelerations agree with the printed formula with pseudo-inverses, and with multipliers."""
    try:
        system = random_system(seed)
    except PliantError as error:
        pytest.skip(str(error)[:80])
    state = moving(system, seed)
    found, lam = system.accelerations(state)
    scale, n = float(np.max(np.abs(found))), system.freedoms
    np.testing.assert_allclose(found[:n], system.textbook(state), atol=1e-9 * scale, rtol=0.0)
    np.testing.assert_allclose(found, state.a, atol=1e-9 * scale, rtol=0.0)
    np.testing.assert_allclose(lam, state.lam, atol=1e-9 * np.max(np.abs(lam), initial=1e-12), rtol=0.0)


def cantilever(plane: str | None = None) -> pl.Model:
    m = pl.Model("cantilever", plane=plane)
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=0.5, section=STRIP))
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)))
    return m


def frequencies(model: pl.Model, links: int, modes: int = 6) -> np.ndarray:
    system = pl.compile(model, formulation="udwadia_kalaba", elements=links)
    return np.asarray(pl.modal(system, modes=modes).frequency_hz.values)


def test_a_chain_in_space_bends_as_it_does_in_the_plane() -> None:
    flat, deep = frequencies(cantilever("xy"), 12, modes=2), frequencies(cantilever(), 12)
    for frequency in flat:
        assert np.min(np.abs(deep / frequency - 1.0)) < 1e-9


def test_frequencies_converge_to_those_of_the_beam() -> None:
    """Bending both ways (Euler-Bernoulli) and torsion, c / 4 L: the error falls with the square of the links."""
    first = brentq(lambda x: np.cos(x) * np.cosh(x) + 1.0, 1.5, 2.0)
    line, polar = STRIP.mass_per_length, STRIP.rotary[0, 0]
    about_z, about_y = (
        first**2 / (2.0 * pi * 0.25) * sqrt(stiff / line)
        for stiff in (STRIP.bending_stiffness, STRIP.bending_stiffness_y)
    )
    torsion = sqrt(STRIP.torsional_stiffness / polar) / (4.0 * 0.5)
    coarse, fine = frequencies(cantilever(), 10, modes=8), frequencies(cantilever(), 19, modes=8)
    limit = fine + (fine - coarse) / 3.0
    # rotary inertia, which the exact formulas leave out, lowers the second by 1.5 (r / L)^2 and more
    for exact, tolerance in ((about_z, 1e-4), (about_y, 2e-3), (torsion, 1e-3)):
        assert np.min(np.abs(limit / exact - 1.0)) < tolerance, exact


def test_twisted_and_curved_beams_converge_to_finite_elements() -> None:
    m = pl.Model("coil", plane=None)
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=0.5, section=STRIP, curvature=(3.0, 1.0, 4.0)))
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Force(beam.at(s=1), x=1.0, y=-2.0, z=3.0))
    rests = [pl.statics(pl.compile(m, formulation="udwadia_kalaba", elements=n)) for n in (12, 24, 48)]
    tips = [rest.position.sel(marker="beam/tip").values for rest in rests]
    fine = pl.statics(pl.compile(m, elements=pl.Exact(12, order=3))).position.sel(marker="beam/tip").values
    errors = [float(np.max(np.abs(tip - fine))) for tip in tips]
    moved = float(np.max(np.abs(fine - beam.rest_pose_in_space([1.0])[0][0])))
    assert errors[1] < 0.35 * errors[0]
    assert errors[2] < 0.35 * errors[1]
    assert errors[2] < 2e-3 * moved


def test_a_beam_on_a_cardan_joint_swings_as_its_finite_elements_do() -> None:
    m = pl.Model("flail", plane=None)
    soft = pl.Section.rectangle(0.02, 0.004, pl.Material("soft", youngs_modulus=2e8, poisson_ratio=0.3, density=1200.0))
    ground, beam, tip = m.add(
        pl.Ground(),
        pl.Beam("beam", length=0.5, section=soft, damping=pl.Rayleigh(mass=0.5, stiffness=1e-3)),
        pl.Body("tip", mass=0.05, inertia=(1e-4, 2e-4, 3e-4)),
    )
    m.add(
        pl.Universal(ground.at(0, 0), beam.at(s=0)), pl.Weld(beam.at(s=1), tip.at(0, 0.03, 0.01)), pl.Gravity(z=-9.81)
    )
    times = np.linspace(0.0, 0.3, 4)
    chain = pl.transient(
        pl.compile(m, formulation="udwadia_kalaba", elements=10),
        end_time=0.3,
        times=times,
        method="SDIRK4",
        accuracy=1e-6,
    )
    fine = pl.transient(pl.compile(m, elements=pl.Exact(6, order=2)), end_time=0.3, step=5e-4, times=times)
    off = np.abs(chain.position.sel(marker="beam/tip").values - fine.position.sel(marker="beam/tip").values)
    assert np.max(off) < 2e-3 * 0.5
    assert chain.outcome.ok


def test_what_space_does_not_have_is_refused() -> None:
    system = pl.compile(wrist(), formulation="udwadia_kalaba")
    with pytest.raises(
        OptionError, match=r"method=BDF: scipy's methods do not support rotations in space\. Take SDIRK4"
    ):
        pl.transient(system, end_time=0.1, method="BDF")
    coupled = pl.Section.general(
        stiffness=np.diag([1e4, 1e4, 1e4, 1.0, 1.0, 1.0]) + 5.0 * (np.eye(6, k=3) + np.eye(6, k=-3)),
        mass_per_length=0.1,
    )
    m = pl.Model("coupled", plane=None)
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=0.5, section=coupled))
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)))
    with pytest.raises(OptionError, match="couples stretch or shear with twist or bending"):
        pl.compile(m, formulation="udwadia_kalaba", elements=4)
    with pytest.raises(OptionError, match=r"shape \(4,\)\. Give one number, one for each of 3 joints"):
        pl.compile(cantilever("xy"), formulation="udwadia_kalaba", elements=pl.Lumped(4, stiffness=(1.0, 2, 3, 4)))
