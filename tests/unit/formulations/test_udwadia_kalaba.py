"""The Udwadia-Kalaba formulation: the printed formula, closed forms, the multiplier formulation."""

from __future__ import annotations

import warnings
from dataclasses import replace
from math import cos, inf, pi, sin, sqrt
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.special import ellipk

import pliant as pl
from pliant.errors import ConvergenceError, OptionError, PliantWarning
from pliant.formulations.udwadia_kalaba import system as textbook
from pliant.formulations.udwadia_kalaba.accelerations import Stabilisation
from pliant.formulations.udwadia_kalaba.motion import ConstrainedOde
from pliant.formulations.udwadia_kalaba.system import Constrained
from pliant.solvers.stepping.consistent_start import consistent
from pliant.system.state import State
from pliant_gallery import pendulum
from tests.models import driven_slot, parallel_cranks

UK = "udwadia_kalaba"
LENGTH = 2.0 * sqrt(2.0)
METAL = pl.Material("metal", youngs_modulus=70e9, poisson_ratio=0.3, density=2710.0)
STRIP = pl.Section.rectangle(0.05, 0.00260925, METAL)


def crank_slider(*, flexible: bool = True, gravity: bool = True, spring: bool = True, force: float = 0.0) -> pl.Model:
    """Build the mechanism of the paper, its spring along the joining line."""
    m = pl.Model("crank-slider")
    ground = m.add(pl.Ground())
    if flexible:
        crank = m.add(pl.Beam("crank", length=LENGTH, section=STRIP, angle=pi / 4))
    else:
        crank = m.add(pl.Link("crank", length=LENGTH, mass=1.0, angle=pi / 4))
    rod = m.add(pl.Link("rod", length=LENGTH, mass=1.0, angle=0.75 * pi, position=(4.0, 0.0)))
    m.add(pl.Revolute(ground.at(0, 0), crank.at(s=0)), pl.Revolute(crank.at(s=1), rod.at(s=1)))
    m.add(pl.Slider(ground.at(0, 0), rod.at(s=0)))
    if spring:
        m.add(pl.Spring("spring", crank.at(s=0.5), rod.at(s=0.5), stiffness=50.0, rest_length=2.0, damping=5.0))
    if gravity:
        m.add(pl.Gravity())
    if force:
        m.add(pl.Force(rod.at(s=1), y=pl.Sine(force, 1.3 / (2.0 * pi)), name="push"))
    return m


def weightless_rod() -> pl.Model:
    """Build a bob on a rod without mass or inertia."""
    m = pl.Model("bob")
    ground, rod = m.add(pl.Ground(), pl.Link("rod", length=1.5, mass=0.0, angle=-0.5))
    bob = m.add(pl.Body("bob", mass=2.0, inertia=0.0))
    m.add(pl.Revolute(ground.at(0, 0), rod.at(s=0)), pl.Revolute(rod.at(s=1), bob.at()), pl.Gravity())
    return m


CASES = {
    "rigid": lambda: crank_slider(flexible=False),
    "flexible": crank_slider,
    "redundant": parallel_cranks,
    "without mass": weightless_rod,
    "driven": driven_slot,
}


def compiled(m: pl.Model, **options: Any) -> Constrained:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PliantWarning)  # of redundant joints
        return pl.compile(m, formulation=UK, **options)


def moving(system: Constrained, seed: int = 0) -> State:
    """Return the assembled pose with random velocities that the joints allow."""
    v = np.random.default_rng(seed).standard_normal(system.freedoms + 3)
    v[-3:] = 0.0
    return consistent(system, replace(system.start(), v=v), time=0.0, velocity=None, step=1e-3)


@pytest.mark.parametrize("name", CASES)
def test_fast_accelerations_are_those_of_the_printed_formula(name: str) -> None:
    system = compiled(CASES[name]())
    for state in (system.start(), moving(system)):
        found, lam = system.accelerations(state)
        wanted = system.textbook(state)
        scale = max(np.max(np.abs(wanted)), 1.0)
        np.testing.assert_allclose(found[:-3], wanted, atol=1e-11 * scale, rtol=0.0)
        mass, force, rows, target, _ = system.terms(state)
        np.testing.assert_allclose(rows @ found[:-3], target, atol=1e-10 * scale)
        np.testing.assert_allclose(mass @ found[:-3] + rows.T @ lam, force, atol=1e-9 * np.max(np.abs(lam)))


def test_accelerations_off_the_constraints_follow_the_formula_too() -> None:
    system = compiled(crank_slider())
    noise = np.random.default_rng(3).standard_normal((2, system.freedoms + 3))
    noise[:, -3:] = 0.0
    state = replace(system.start(), q=system.initial + 0.1 * noise[0], v=noise[1])
    wanted = system.textbook(state)
    np.testing.assert_allclose(system.accelerations(state)[0][:-3], wanted, atol=1e-12 * np.max(np.abs(wanted)))


def test_a_and_b_are_those_of_the_paper() -> None:
    """Eqs. 10 and 11, columns X1 Y1 theta1 X2 Y2 theta2."""
    system = compiled(crank_slider(flexible=False))
    state = moving(system)
    theta1, theta2, rate1, rate2 = state.q[2], state.q[5], state.v[2], state.v[5]
    h = LENGTH / 2.0
    rows = [
        [1.0, 0.0, h * sin(theta1), 0.0, 0.0, 0.0],
        [0.0, 1.0, -h * cos(theta1), 0.0, 0.0, 0.0],
        [-1.0, 0.0, h * sin(theta1), 1.0, 0.0, -h * sin(theta2)],
        [0.0, -1.0, -h * cos(theta1), 0.0, 1.0, h * cos(theta2)],
        [0.0, 0.0, 0.0, 0.0, 1.0, -h * cos(theta2)],
    ]
    target = [
        -h * rate1**2 * cos(theta1),
        -h * rate1**2 * sin(theta1),
        -h * rate1**2 * cos(theta1) + h * rate2**2 * cos(theta2),
        -h * rate1**2 * sin(theta1) + h * rate2**2 * sin(theta2),
        -h * rate2**2 * sin(theta2),
    ]
    terms = system.terms(state)
    np.testing.assert_allclose(terms.rows, rows, atol=1e-12)
    np.testing.assert_allclose(terms.target, target, atol=1e-12)


def test_weightless_rod_falls_like_a_point_mass() -> None:
    system = compiled(weightless_rod())
    assert np.linalg.eigvalsh(system.terms(system.start()).mass).min() == 0.0
    found, _ = system.accelerations(system.start())
    assert found[2] == pytest.approx(-9.81 * cos(0.5) / 1.5, rel=1e-12)


def test_semidefinite_formula_does_not_depend_on_its_weight() -> None:
    mass, force, rows, target, _ = compiled(weightless_rod()).terms(compiled(weightless_rod()).start())
    one, other = (textbook.semidefinite(mass, force, rows, target, weight=w) for w in (1.0, 37.0))
    np.testing.assert_allclose(one, other, atol=1e-10)


def test_redundant_joints_move_as_without_the_third_crank() -> None:
    """y'' = -(1 + 0.3) g cos y / (1.2 l): one crank carries the bar and three cranks at its tip."""
    run = pl.transient(compiled(parallel_cranks()), end_time=0.25, accuracy=1e-11, times=[0.0, 0.25], estimate=False)
    exact = solve_ivp(
        lambda t, z: (z[1], -1.3 / 1.2 * 9.81 / 0.3 * np.cos(z[0])), (0.0, 0.25), (1.0, 0.0), rtol=1e-11, atol=1e-11
    )
    assert float(run.angle.sel(body="crank 0")[-1]) == pytest.approx(exact.y[0, -1], abs=1e-9)


def minimal(force: float = 0.0, gravity: float = 9.81) -> Any:
    """Return the rigid crank-slider in its one coordinate theta, by Lagrange: an independent derivation.

    x1 = h cos, y1 = h sin, x2 = 3 h cos, y2 = h sin, theta2 = pi - theta, spring along x of length 2 h cos theta.
    """
    h, inertia = LENGTH / 2.0, LENGTH**2 / 12.0

    def rates(t: float, z: np.ndarray) -> tuple[float, float]:
        theta, rate = z
        c, s = np.cos(theta), np.sin(theta)
        mass = 2.0 * h**2 * c**2 + 10.0 * h**2 * s**2 + 2.0 * inertia
        slope = 16.0 * h**2 * s * c  # d mass / d theta
        pull = 50.0 * (2.0 * h * c - 2.0) + 5.0 * (-2.0 * h * s * rate)
        load = pull * 2.0 * h * s - 2.0 * gravity * h * c + force * np.sin(1.3 * t) * 2.0 * h * c
        return rate, (load - 0.5 * slope * rate**2) / mass

    return rates


@pytest.mark.parametrize("force", [0.0, 2.0, 5.0])
def test_rigid_crank_slider_moves_as_in_its_minimal_coordinate(force: float) -> None:
    times = np.linspace(0.0, 5.0, 26)
    exact = solve_ivp(minimal(force), (0.0, 5.0), (pi / 4, 0.0), t_eval=times, rtol=1e-12, atol=1e-12)
    run = pl.transient(
        compiled(crank_slider(flexible=False, force=force)), end_time=5.0, times=times, tolerances=(1e-10, 1e-11)
    )
    np.testing.assert_allclose(run.angle.sel(body="crank"), exact.y[0], atol=1e-7)
    np.testing.assert_allclose(run.angular_velocity.sel(body="crank"), exact.y[1], atol=1e-7)


@pytest.mark.parametrize("method", [kind for kind in Constrained.methods if kind is not pl.Moreau])
def test_every_method_gives_the_same_motion(method: type) -> None:
    system = compiled(crank_slider(force=3.0), elements=pl.Lumped(6, damping=0.1))
    times = np.linspace(0.0, 0.5, 6)
    run = pl.transient(system, end_time=0.5, times=times, method=method, tolerances=(1e-8, 1e-10))
    reference = pl.transient(system, end_time=0.5, times=times, tolerances=(1e-11, 1e-13))
    np.testing.assert_allclose(run.angle, reference.angle, atol=5e-7)
    np.testing.assert_allclose(run.acceleration, reference.acceleration, atol=2e-3)
    assert run.outcome.constraint_error < 1e-6
    assert run.outcome.energy_error < 1e-5


def test_compiled_and_scipy_methods_are_the_same_method() -> None:
    """RK45 with our loop and with scipy's on the same equations, at a tolerance where the method's error shows."""
    system = compiled(crank_slider(flexible=False))
    n, begin = system.freedoms, system.start()

    def rates(t: float, z: np.ndarray) -> np.ndarray:
        q, v = (np.append(x, np.zeros(3)) for x in (z[:n], z[n:]))
        return np.concatenate([z[n:], system.accelerations(State(q, v, v, begin.lam, t))[0][:n]])

    theirs = solve_ivp(rates, (0.0, 2.0), np.concatenate([begin.q[:n], np.zeros(n)]), rtol=1e-10, atol=1e-12)
    ours = pl.transient(system, end_time=2.0, method="RK45", tolerances=(1e-10, 1e-12), constraints="none")
    np.testing.assert_allclose(ours.state["q"][:n], theirs.y[:n, -1], atol=2e-8)
    assert 0.5 < ours.outcome.steps / theirs.t.size < 2.0


@pytest.mark.parametrize("force", [0.0, 5.0], ids=["steady", "signal"])
def test_motion_of_the_chain_is_that_of_the_multiplier_formulation(force: float) -> None:
    m = crank_slider(force=force)
    options = pl.Lumped(8, damping=0.02)
    times = np.linspace(0.0, 0.5, 11)
    explicit = pl.transient(compiled(m, elements=options), end_time=0.5, accuracy=1e-10, times=times, estimate=False)
    lumped = pl.lump(m, elements=options)
    implicit = pl.transient(pl.compile(lumped), end_time=0.5, step=5e-5, every=1000)
    for name in ("angle", "angular_velocity", "position", "velocity", "reaction", "energy"):
        one, other = explicit.data[name].values, implicit.data[name].values
        np.testing.assert_allclose(one, other, atol=2e-4 * np.max(np.abs(other)), rtol=0.0, err_msg=name)
    np.testing.assert_allclose(explicit.angle, implicit.angle, atol=2e-6)


def test_energy_is_conserved() -> None:
    run = pl.transient(compiled(crank_slider(spring=False), elements=6), end_time=1.0, accuracy=1e-10, estimate=False)
    assert run.outcome.energy_error < 1e-8 * run.outcome.energy_range


def test_energy_that_is_supplied_and_lost_is_counted() -> None:
    for method in ("DOP853", "SDIRK4"):
        run = pl.transient(compiled(driven_slot()), end_time=1.0, accuracy=1e-8, method=method, estimate=False)
        assert run.outcome.energy_error < 1e-5 * run.outcome.energy_range
    run = pl.transient(compiled(crank_slider(force=5.0), elements=6), end_time=1.0, times=np.linspace(0.0, 1.0, 333))
    assert run.outcome.energy_error < 1e-6 * run.outcome.energy_range


@pytest.mark.parametrize(("constraints", "limit"), [("none", 1e-4), ("baumgarte", 2e-6), ("projection", 2e-7)])
def test_drift_of_the_joints(constraints: str, limit: float) -> None:
    """Accuracy 1e-6 over 30 s: none drifts, both cures keep the gap near the accuracy of a step."""
    system = compiled(crank_slider(flexible=False, force=2.0))
    run = pl.transient(system, end_time=30.0, accuracy=1e-6, method="RK45", constraints=constraints, estimate=False)
    assert run.outcome.constraint_error < limit * LENGTH
    if constraints == "none":
        assert run.outcome.constraint_error > 1e-6


def test_stiff_chain_takes_far_fewer_steps_with_the_implicit_method() -> None:
    m = pl.Model("whip")
    ground, arm = m.add(pl.Ground(), pl.Beam("arm", length=1.0, section=STRIP, angle=0.0))
    m.add(pl.Revolute(ground.at(0, 0), arm.at(s=0)), pl.Gravity())
    system = compiled(m, elements=pl.Lumped(8, shear=True, damping=1.0))
    stiff, explicit = (
        pl.transient(system, end_time=0.02, accuracy=1e-5, method=method, estimate=False)
        for method in ("SDIRK4", "RK45")
    )
    assert stiff.outcome.steps < 0.05 * explicit.outcome.steps
    np.testing.assert_allclose(stiff.angle[-1], explicit.angle[-1], atol=1e-4)


def test_rigid_frequency_of_the_paper() -> None:
    """0.616 Hz is |lambda| / 2 pi (ERRATA 2): omega^2 = k (2 h sin)^2 / mass at 45 degrees."""
    system = compiled(crank_slider(flexible=False, gravity=False))
    modes = pl.modal(system, modes=1, damped=True)
    assert float(modes.frequency_hz[0]) == pytest.approx(0.6164, abs=5e-5)
    mass = 12.0 + 2.0 * LENGTH**2 / 12.0
    assert float(modes.frequency_hz[0]) == pytest.approx(sqrt(50.0 * 4.0 / mass) / (2.0 * pi), rel=1e-9)


def test_modes_are_eigenvalues_of_the_jacobian() -> None:
    for gravity in (False, True):
        system = compiled(crank_slider(gravity=gravity), elements=pl.Lumped(8, damping=0.05))
        rest = pl.statics(system)
        state = replace(system.start(), q=rest.state["q"])
        values = np.linalg.eigvals(system.jacobian(state))
        values = np.sort(np.abs(values[np.abs(values) > 1e-2]))
        modes = pl.modal(system, at=rest, modes=20, damped=True)
        pairs = np.repeat(np.abs(modes.eigenvalue.values), np.where(modes.eigenvalue.values.imag > 0.0, 2, 1))
        np.testing.assert_allclose(values[:12], np.sort(pairs)[:12], rtol=1e-6)


@pytest.mark.parametrize("method", ["BDF", "Radau"])
def test_implicit_methods_of_scipy_are_given_the_jacobian(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Implicit methods need fewer evaluations with it, and find the same."""
    system = compiled(CASES["flexible"](), elements=4)
    exact = pl.transient(system, end_time=0.02, accuracy=1e-6, method=method, estimate=False)
    monkeypatch.setattr(ConstrainedOde, "jacobian", lambda *_: None)
    differences = pl.transient(system, end_time=0.02, accuracy=1e-6, method=method, estimate=False)
    assert exact.outcome.figures["evaluations"] < 0.9 * differences.outcome.figures["evaluations"]
    np.testing.assert_allclose(exact.position[-1], differences.position[-1], atol=1e-5)


@pytest.mark.parametrize(("formulation", "quarters"), [(UK, 1), ("relative", 2)])
@pytest.mark.parametrize(("method", "order"), [("TRBDF2", 2.0), ("SDIRK4", 4.0)])
def test_order_of_the_stiff_methods(method: str, order: float, formulation: str, quarters: int) -> None:
    """Against the exact swing of a rod: errors fall with steps^-order (faster where the manifold is kept exactly)."""
    system = pl.compile(pendulum.model(kind="rod", length=0.8, angle=0.0), formulation=formulation)
    end = quarters * float(ellipk(0.5)) * np.sqrt(2.0 * 0.8 / (3.0 * 9.81))  # from horizontal to vertical, and back up
    steps, errors = [], []
    for accuracy in (1e-4, 1e-5, 1e-6, 1e-7):
        run = pl.transient(system, end_time=end, accuracy=accuracy, method=method, estimate=False)
        steps.append(run.outcome.figures["steps"])
        errors.append(abs(float(run.angle[-1, 0]) + quarters * 0.5 * np.pi))
    slope = -np.polyfit(np.log(steps), np.log(errors), 1)[0]
    assert order - 0.3 < slope < order + (0.3 if method == "TRBDF2" else 2.2)


@pytest.mark.parametrize("omega", [0.0, 30.0])
@pytest.mark.parametrize("name", ["flexible", "driven", "without mass"])
def test_jacobian_is_the_derivative_of_the_accelerations(name: str, omega: float) -> None:
    system = compiled(CASES[name](), **({"elements": 4} if name == "flexible" else {}))
    state, way = moving(system), Stabilisation(omega, 1.0)
    n, jacobian = system.freedoms, system.jacobian(state, stabilise=way)
    np.testing.assert_array_equal(jacobian[:n], np.hstack([np.zeros((n, n)), np.eye(n)]))
    rng = np.random.default_rng(2)
    for _ in range(3):
        dq, dv = (np.append(rng.standard_normal(n), np.zeros(3)) for _ in range(2))
        step = 1e-6
        ahead, back = (
            system.accelerations(replace(state, q=state.q + e * dq, v=state.v + e * dv), stabilise=way)[0]
            for e in (step, -step)
        )
        wanted = (ahead - back)[:n] / (2.0 * step)
        found = jacobian[n:] @ np.concatenate([dq[:n], dv[:n]])
        np.testing.assert_allclose(found, wanted, atol=2e-6 * np.max(np.abs(wanted)))


def test_statics_and_modes_in_the_analyses() -> None:
    system = compiled(crank_slider(), elements=12)
    rest = pl.statics(system)
    assert rest.outcome.stable
    resting = pl.transient(system, start=rest, end_time=0.5)
    np.testing.assert_allclose(resting.angle[-1], resting.angle[0], atol=1e-8)
    assert pl.modal(system, at=rest, modes=3).mode_shape.shape[0] == 3
    plant = pl.linearise(compiled(crank_slider(force=1.0), elements=5), inputs=["push/y"], outputs=["angle:crank"])
    assert plant.A.shape[0] == 10


def test_goes_on_from_its_end() -> None:
    system = compiled(crank_slider(force=5.0), elements=5)
    whole = pl.transient(system, end_time=0.4, accuracy=1e-10, estimate=False)
    half = pl.transient(system, end_time=0.2, accuracy=1e-10, estimate=False)
    rest_of_it = pl.transient(system, end_time=0.4, start=half, accuracy=1e-10, estimate=False)
    np.testing.assert_allclose(rest_of_it.angle[-1], whole.angle[-1], atol=1e-8)


def test_instants_asked_for_are_told() -> None:
    system = compiled(crank_slider(), elements=5)
    times = [0.1, 0.1234, 0.3]
    some, all_ = pl.transient(system, end_time=0.3, times=times), pl.transient(system, end_time=0.3, every=3)
    np.testing.assert_array_equal(some.time, times)
    assert all_.time[0] == 0.0
    assert all_.time[-1] == 0.3
    assert all_.time.size == pytest.approx(all_.outcome.steps / 3, abs=2)
    np.testing.assert_allclose(some.angle[-1], all_.angle[-1], atol=1e-9)
    sharp = pl.transient(system, end_time=0.1234, accuracy=1e-11, estimate=False)
    np.testing.assert_allclose(some.angle[1], sharp.angle[-1], atol=1e-7)
    np.testing.assert_allclose(some.angular_velocity[1], sharp.angular_velocity[-1], atol=1e-5)


@pytest.mark.parametrize("method", ["DOP853", "RK45", "RK23", "SDIRK4"])
@pytest.mark.parametrize("accuracy", [1e-6, 1e-9])
def test_instants_within_steps_are_as_good_as_the_steps(method: str, accuracy: float) -> None:
    """Angles, velocities and the energies that were supplied and lost, at instants that no step meets."""
    system, times = compiled(crank_slider(flexible=False, force=5.0)), np.linspace(0.03, 5.0, 120)
    options: dict[str, Any] = {"end_time": 5.0, "method": method, "accuracy": accuracy}
    within, steps = pl.transient(system, times=times, **options), pl.transient(system, **options)
    sharp, ends = (
        pl.transient(system, end_time=5.0, times=chosen, accuracy=1e-12, estimate=False).angle
        for chosen in (times, steps.time[1:])
    )
    at_steps = np.max(np.abs(steps.angle[1:] - ends))
    assert np.max(np.abs(within.angle - sharp)) < 2.0 * max(at_steps, accuracy)
    # others put a cubic through energies: 1.6e-5 of their range between steps of RK45, checked at 512 instants
    cubic = 0.0 if method == "DOP853" else 2e-5 * within.outcome.energy_range
    assert within.outcome.energy_error < 10.0 * steps.outcome.energy_error + 100.0 * accuracy + cubic
    assert within.outcome.constraint_error < 10.0 * accuracy


def test_push_follows_the_joints() -> None:
    system = compiled(crank_slider(flexible=False, gravity=False))
    run = pl.transient(system, end_time=0.1, push={"crank": 0.5})
    np.testing.assert_allclose(run.angular_velocity[0], [0.5, -0.5], atol=1e-12)


# --- friction


def block(angle: float, **friction: float) -> Constrained:
    """Return a block on an incline."""
    m = pl.Model("incline")
    ground, body = m.add(pl.Ground(), pl.Body("block", mass=2.0, inertia=0.1, angle=angle))
    guide, _ = m.add(pl.Prismatic(ground.at(0, 0, angle=angle), body.at(), name="guide"), pl.Gravity())
    m.add(pl.Friction(guide, **{"speed": 1e-5, "length": inf, **friction}))
    return compiled(m)


def test_block_slides_down_an_incline_with_coulomb_friction() -> None:
    """s'' = g (sin - mu cos) downhill, and g (sin + mu cos) against an uphill push."""
    angle, mu = 0.5, 0.3
    system = block(angle, coefficient=mu)
    for speed, sign in ((-1.0, 1.0), (1.0, -1.0)):
        state = replace(system.start(), v=np.array([speed * cos(angle), speed * sin(angle), 0.0, 0.0, 0.0, 0.0]))
        found, _ = system.accelerations(state)
        along = found[0] * cos(angle) + found[1] * sin(angle)
        assert along == pytest.approx(9.81 * (-sin(angle) + sign * mu * cos(angle)), rel=1e-12)
        np.testing.assert_allclose(found[:-3], system.textbook(state), atol=1e-12)
    run = pl.transient(
        system, end_time=0.5, push={"block": (0.8 * cos(angle), 0.8 * sin(angle), 0.0)}, accuracy=1e-9, estimate=False
    )
    up = 0.8 / (9.81 * (sin(angle) + mu * cos(angle)))  # s, until it turns
    down = 0.5 - up
    s = 0.4 * up - 0.5 * 9.81 * (sin(angle) - mu * cos(angle)) * down**2
    assert float(np.hypot(*run.position.sel(marker="block(0, 0)")[-1])) == pytest.approx(abs(s), rel=1e-4)
    assert run.outcome.energy_error < 1e-6 * run.outcome.energy_range


def test_block_creeps_where_friction_would_hold_it() -> None:
    """Friction is a smooth function of speed: at rest on a gentle incline it creeps below that speed."""
    run = pl.transient(
        block(0.2, coefficient=0.5, speed=1e-3), end_time=0.5, method="SDIRK4", accuracy=1e-7, estimate=False
    )
    creep = float(np.hypot(*run.velocity.sel(marker="block(0, 0)")[-1]))
    assert creep == pytest.approx(1e-3 * np.arctanh(np.tan(0.2) / 0.5), rel=1e-3)


@pytest.mark.parametrize("flipped", [False, True])
@pytest.mark.parametrize("offset", [0.0, 0.15])  # of the guide from the centre of mass, along it
def test_guide_locks_itself_where_its_moment_rubs(offset: float, flipped: bool) -> None:
    """A block on a guide of length l, pushed along it at the distance a: m s'' = P (1 - 2 mu a / l). It slides where
    2 mu a / l < 1 and locks beyond, whatever the push; a transverse force F rubs only where it is larger than 2 M / l.
    """
    mu, length, push, mass, turn = 0.3, 0.1, 20.0, 2.0, 0.7
    for arm, across in ((0.05, 0.0), (0.16, 0.0), (0.2, 0.0), (0.05, 15.0), (0.05, 80.0)):
        m = pl.Model("guide")
        ground, body = m.add(pl.Ground(), pl.Body("block", mass=mass, inertia=0.1, angle=turn))
        lever = arm if not flipped else -arm
        guide = m.add(pl.Prismatic(ground.at(0, 0, angle=turn), body.at(offset, 0.0), name="guide"))
        m.add(
            pl.Friction(guide, mu, length=length, speed=1e-6),
            pl.Force(body.at(0.0, lever), x=push * cos(turn), y=push * sin(turn)),
            pl.Force(body.at(offset, 0.0), x=-across * sin(turn), y=across * cos(turn)),
        )
        system = compiled(m)
        state = replace(system.start(), v=np.array([cos(turn), sin(turn), 0.0, 0.0, 0.0, 0.0]))
        along = float(system.accelerations(state)[0][:2] @ [cos(turn), sin(turn)])
        assert along == pytest.approx((push - mu * max(across, 2.0 * push * arm / length)) / mass, rel=1e-9)
        if across == 0.0:
            assert (along < 0.0) == (2.0 * mu * arm / length > 1.0 + 1e-12)  # a locked guide stops
        run = pl.transient(system, end_time=0.2, accuracy=1e-8, method="SDIRK4", estimate=False)
        place = run.position.sel(marker="block(0, 0)").values
        way = float(np.hypot(*(place[-1] - place[0])))
        if 2.0 * mu * arm / length > 1.01 or mu * across > push:
            assert way < 1e-5  # creeps


def spinner(**friction: float) -> Constrained:
    """Return a rod that spins about its end, without gravity."""
    m = pl.Model("spinner")
    ground, rod = m.add(pl.Ground(), pl.Link("rod", length=0.8, mass=1.5, angle=0.0))
    pin = m.add(pl.Revolute(ground.at(0, 0), rod.at(s=0), name="pin"))
    m.add(pl.Friction(pin, **{"speed": 1e-6, **friction}))
    return compiled(m)


def test_constant_friction_torque_stops_a_rod_linearly() -> None:
    inertia, torque = 1.5 * 0.8**2 / 3.0, 0.2
    run = pl.transient(spinner(constant=torque), end_time=1.0, push={"rod": 4.0}, accuracy=1e-10, estimate=False)
    assert float(run.angular_velocity[-1, 0]) == pytest.approx(4.0 - torque / inertia, rel=1e-9)
    assert float(run.energy.sel(energy_kind="dissipated")[-1]) == pytest.approx(
        torque * float(run.angle[-1, 0]), rel=1e-8
    )


def test_friction_of_a_pin_belongs_to_the_reaction_it_makes() -> None:
    """I w' = -mu r N with N = m l/2 sqrt(w^4 + w'^2).

    So w = 1 / (1 / w0 + k t) with k = c / sqrt(1 - c^2) and c = 3 mu r / (2 l).
    """
    mu, radius = 0.4, 0.1
    run = pl.transient(
        spinner(coefficient=mu, radius=radius), end_time=2.0, push={"rod": 5.0}, accuracy=1e-10, estimate=False
    )
    c = 1.5 * mu * radius / 0.8
    exact = 1.0 / (1.0 / 5.0 + c / sqrt(1.0 - c**2) * 2.0)
    assert float(run.angular_velocity[-1, 0]) == pytest.approx(exact, rel=1e-8)


def test_pendulum_with_friction_loses_torque_times_way() -> None:
    m = pl.Model("pendulum")
    ground, rod = m.add(pl.Ground(), pl.Link("rod", length=0.8, mass=1.5, angle=0.0))
    pin, _ = m.add(pl.Revolute(ground.at(0, 0), rod.at(s=0), name="pin"), pl.Gravity())
    m.add(pl.Friction(pin, constant=0.3, speed=1e-4))
    system = compiled(m)
    run = pl.transient(system, end_time=3.0, accuracy=1e-9, estimate=False)
    angle, rate = run.angle.values[:, 0], run.angular_velocity.values[:, 0]
    turns = np.flatnonzero(np.diff(np.sign(rate)) != 0)[:1]
    low = angle[turns[0]] if turns.size else angle[-1]
    lost = 1.5 * 9.81 * 0.4 * (0.0 - sin(low))
    assert lost == pytest.approx(0.3 * abs(low), rel=1e-3)  # both ends at rest, within a step


# --- refusals


def test_bad_options_are_refused() -> None:
    system = compiled(crank_slider(flexible=False))
    for option, message in (
        ({"step": 1e-3}, "step: not an option"),
        ({"method": "Euler"}, "method='Euler' is not known"),
        ({"constraints": "position"}, "constraints='position' is not known"),
        ({"constraints": "projection", "method": "BDF"}, "cannot be moved"),
        ({"tolerances": (1e-8,)}, r"give \(relative, absolute\)"),
        ({"tolerances": (1e-8, 0.0)}, r"give \(relative, absolute\)"),
        ({"tolerances": (1e-8, 1e-10), "accuracy": 1e-8}, "accuracy and tolerances: give one"),
        ({"accuracy": -1.0}, "accuracy"),
        ({"spectral_radius": 0.5}, "spectral_radius: not an option"),
        ({"baumgarte": (1.0, 1.0)}, "baumgarte"),
    ):
        with pytest.raises(OptionError, match=message):
            pl.transient(system, end_time=1.0, **option)
    with pytest.raises(
        OptionError, match=r"method='RK45': not an option of the formulation 'dae', which knows .*Newmark"
    ):
        pl.transient(pl.compile(crank_slider(flexible=False)), end_time=1.0, method="RK45")
    with pytest.raises(OptionError, match="constraints='none'"):
        pl.transient(pl.compile(crank_slider(flexible=False)), end_time=1.0, constraints="none")
    with pytest.raises(OptionError, match="modes: not an option of the formulation 'udwadia_kalaba'"):
        pl.compile(crank_slider(), formulation=UK, modes="system")


@pytest.mark.parametrize(("method", "spatial"), [("DOP853", False), ("SDIRK4", True), ("LSODA", False)])
def test_a_controller_holds_its_force_from_sample_to_sample(method: str, spatial: bool) -> None:
    """A mass on a guide, pulled to zero one sample late: between samples its acceleration is constant."""
    m = pl.Model("mass", plane=None if spatial else "xy")
    inertia = {"inertia": (1.0, 1.0, 1.0), "position": (0.3, 0.0, 0.0)} if spatial else {"inertia": 1.0}
    ground, body = m.add(pl.Ground(), pl.Body("mass", mass=2.0, **({"position": (0.3, 0.0)} | inertia)))
    m.add(pl.Prismatic(ground.at(0, 0), body.at()), pl.Force(body.at(), x=0.0, name="pull"))
    place = m.add(body.at()).label
    gains = {f"position:{place}:x": 30.0, f"velocity:{place}:x": 8.0}
    loop = pl.Controller.proportional({"pull/x": gains}, sample_time=0.1).delayed(1)
    x, v, held, before, places, forces = 0.3, 0.0, 0.0, 0.0, [0.3], []
    for _ in range(10):
        held, before = before, -30.0 * x - 8.0 * v
        forces.append(held)
        x, v = x + 0.1 * v + 0.5 * 0.01 * held / 2.0, v + 0.1 * held / 2.0
        places.append(x)
    run = pl.transient(compiled(m), end_time=1.0, controller=loop, method=method, times=np.linspace(0.0, 1.0, 11))
    assert run.outcome.ok
    within = 1e-6 if method == "LSODA" else 1e-9
    np.testing.assert_allclose(run.applied.values[:, 0], forces, atol=30.0 * within)
    np.testing.assert_allclose(run.position.sel(marker=place, axis="x"), places, atol=within)
    np.testing.assert_allclose(run.acceleration.sel(marker=place, axis="x")[1:], np.array(forces) / 2, atol=30 * within)
    every = pl.transient(compiled(m), end_time=1.0, controller=loop, method=method, every=1000)
    assert every.time.values.tolist() == [0.0, 1.0]


def test_controllers_of_chains_keep_to_options_of_their_own() -> None:
    m = crank_slider(flexible=False)
    m.add(pl.Force(m.part("rod").at(s=1), y=0.0, name="push"))
    loop = pl.Controller.proportional({"push/y": {"angle:crank": 1.0}}, sample_time=0.01)
    with pytest.raises(OptionError, match="step: not an option"):
        pl.transient(compiled(m), end_time=0.1, step=1e-3, controller=loop)


def test_signal_that_fails_is_named() -> None:
    m = crank_slider(flexible=False)
    m.add(pl.Moment(m.part("crank").at(s=0), lambda t: 1.0 / (t - 5.0) ** 0.5, name="motor"))
    with pytest.raises(pl.errors.SignalError, match="motor"):
        pl.transient(compiled(m), end_time=0.1)


def test_function_of_state_that_fails_is_named() -> None:
    m = crank_slider(flexible=False)
    m.add(pl.StateForce("bad", m.part("crank").at(s=1), lambda t, pose, velocity: (float("nan"), 0.0, 0.0)))
    for method in ("DOP853", "LSODA"):
        with pytest.raises(pl.errors.SignalError, match="bad"):
            pl.transient(compiled(m), end_time=0.1, method=method)


@pytest.mark.parametrize("method", ["RK45", "SDIRK4", "LSODA"])
def test_force_that_blows_up_ends_the_run_with_what_it_has(method: str) -> None:
    """x'' = -1 / x^2 from rest at 1 comes to the centre at pi / sqrt(8) s, infinitely fast."""
    m = pl.Model("collapse")
    ground, body = m.add(pl.Ground(), pl.Body("mass", mass=1.0, inertia=1.0, position=(1.0, 0.0)))
    m.add(pl.Prismatic(ground.at(0, 0), body.at()))
    m.add(pl.StateForce("pull", body.at(), lambda t, pose, velocity: (-1.0 / pose[0] ** 2, 0.0, 0.0)))
    run = pl.transient(compiled(m), end_time=2.0, partial=True, method=method, accuracy=1e-6)
    assert not run.outcome.ok
    assert run.time[-1] == pytest.approx(pi / sqrt(8.0), abs=1e-3)
    if method == "RK45":  # whether a motion that fails is returned or raised is no matter of the method
        with pytest.raises(ConvergenceError, match=r"stopped at t = 1\.1.*Try a larger accuracy="):
            pl.transient(compiled(m), end_time=2.0, method=method, accuracy=1e-6)


@pytest.mark.parametrize("plane", ["xy", None])
@pytest.mark.parametrize("options", [{}, {"shear": True}, {"ends": "equal"}])
def test_strain_of_a_chain_is_curvature_times_half_the_height(plane: str | None, options: dict[str, Any]) -> None:
    strip, curvature = pl.Section.rectangle(0.05, 0.04, pl.STEEL), 5.0
    m = pl.Model("arm", plane=plane)
    ground, arm = m.add(pl.Ground(), pl.Beam("arm", length=0.5, section=strip))
    load = pl.Moment(arm.at(s=1), 0.0, name="turn") if plane else pl.Moment(arm.at(s=1), z=0.0, name="turn")
    m.add(pl.Weld(ground.at(0, 0), arm.at(s=0)), load)
    system = pl.compile(m, formulation="udwadia_kalaba", elements=pl.Lumped(20, **options))
    name = system.signal_names[0 if plane else 2]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PliantWarning)
        rest, broken = (
            pl.statics(system.with_signals({name: k * strip.bending_stiffness}), load_steps=20)
            for k in (curvature, 60.0)
        )
    assert rest.outcome.ok
    assert rest.outcome.largest_strain == pytest.approx(curvature * 0.02, rel=1e-9)
    assert broken.outcome.failed[0].name == "largest strain"


def test_links_turned_over_each_other_are_not_ok() -> None:
    leaf = pl.Section.rectangle(0.05, 0.01, pl.STEEL)
    m = pl.Model("leaf")
    ground, arm = m.add(pl.Ground(), pl.Beam("leaf", length=0.1, section=leaf))
    m.add(pl.Weld(ground.at(0, 0), arm.at(s=0)), pl.Moment(arm.at(s=1), 300.0 * leaf.bending_stiffness, name="turn"))
    system = pl.compile(m, formulation="udwadia_kalaba", elements=5)
    with pytest.warns(PliantWarning, match="is beyond the range of beam theory"):
        run = pl.transient(system, end_time=1e-3)
    assert "largest strain" in [check.name for check in run.outcome.failed]
