"""Motion by shooting in space: tangents against differences, exact and conserved quantities, finite elements."""

from __future__ import annotations

from math import cos, cosh, pi, sin, sinh

import numpy as np
import pytest
from scipy.optimize import brentq

import pliant as pl
from pliant.elements.rod_ivp.moving import update_past
from pliant.errors import ConvergenceError, OptionError
from pliant.formulations.shooting.spatial import motion as spatial_motion
from pliant.formulations.shooting.spatial.motion import step_factors
from pliant.kernels.sums import Instant, Into
from pliant.linalg import ldl
from pliant.solvers.stepping.motion import Plan
from pliant.system.packing import fused

pytestmark = pytest.mark.filterwarnings("ignore::pliant.errors.PliantWarning")
RUBBER = pl.Material("rubber", youngs_modulus=5e7, density=1100.0, poisson_ratio=0.4)
SOFT = pl.Section.rectangle(0.02, 0.01, RUBBER)
SLOW = pl.Rayleigh(0.5, 2e-3, relative_to="ground")


def pendulum(joint=pl.Spherical, **beam) -> pl.Model:
    """Build a soft rod on a ball joint, with a body at its tip."""
    m = pl.Model("pendulum", plane=None)
    ground, rod = m.add(pl.Ground(), pl.Beam("rod", length=0.5, section=SOFT, **beam))
    bob = m.add(pl.Body("bob", mass=0.05, inertia=(1e-5, 2e-5, 1e-5)))
    m.add(joint(ground.at(0, 0), rod.at(s=0)), pl.Weld(rod.at(s=1), bob.at(0, 0, 0)))
    m.add(pl.Gravity(x=2.0, y=-9.0, z=1.0))
    return m


def shot(model: pl.Model, subintervals: int = 4, **options):
    return pl.compile(model, formulation="shooting", subintervals=subintervals, **options)


def extrapolated(system, end: float, step: float) -> tuple[np.ndarray, float]:
    """Return places at the end, to fourth order, and how much smaller the error of half the step is."""
    far, near, nearer = (
        pl.transient(system, end_time=end, step=step / k, estimate=False).position.values[-1] for k in (1, 2, 4)
    )
    return nearer + (nearer - near) / 3.0, float(np.max(np.abs(far - near)) / np.max(np.abs(near - nearer)))


def test_motion_is_that_of_finite_elements_with_damping_of_both_kinds() -> None:
    model = pendulum(damping=SLOW)
    found, ratio = extrapolated(shot(model), 0.048, 4e-3)
    known, _ = extrapolated(pl.compile(model, elements=pl.Exact(4, order=3)), 0.048, 4e-3)
    np.testing.assert_allclose(found, known, atol=2e-7)
    assert ratio == pytest.approx(4.0, rel=0.1)


def test_a_cantilever_with_a_heavy_tip_has_its_exact_frequency() -> None:
    section = pl.Section.general(
        stiffness=np.diag([1e5, 1e5, 1e5, 3.0, 1.0, 2.0]), mass_per_length=1.0, rotary_inertia=1e-8,
        rotary_inertia_y=1e-8,
    )  # fmt: skip
    m, ratio = pl.Model("rod", plane=None), 5.0  # mass at the tip over the rod's
    ground, rod, tip = m.add(
        pl.Ground(), pl.Beam("rod", length=1.0, section=section), pl.Body("tip", mass=ratio, inertia=(1e-6,) * 3)
    )
    m.add(pl.Weld(ground.at(0, 0), rod.at(s=0)), pl.Weld(rod.at(s=1), tip.at(0, 0)))
    m.add(pl.Force(rod.at(s=1), y=2e-3, z=1e-3, name="load"))
    system = shot(m, 2)
    free = system.with_signals({"load/y": 0.0, "load/z": 0.0})

    def unlike(b: float) -> float:  # Euler-Bernoulli
        return 1.0 + cos(b) * cosh(b) + ratio * b * (cos(b) * sinh(b) - sin(b) * cosh(b))

    root = brentq(unlike, 0.5, 1.5)
    for axis, stiffness in (("y", 2.0), ("z", 1.0)):
        quarter = 0.5 * pi / (root**2 * stiffness**0.5)
        run = pl.transient(free, start=pl.statics(system), end_time=quarter, step=quarter / 50, estimate=False)
        place, speed = (run.data[name].sel(marker="rod/tip", axis=axis).values[-1] for name in ("position", "velocity"))
        assert abs(place / (quarter * speed)) < 2e-4  # what it is late by, over a quarter of the period


def test_a_rod_that_flies_freely_keeps_its_momentum_and_energy() -> None:
    m = pl.Model("free", plane=None)
    m.add(pl.Beam("rod", length=0.5, section=SOFT, free=True))
    run = pl.transient(shot(m), end_time=0.1, step=1e-3, push={"rod": (0, 0, 1.0, 3.0, 8.0, 20.0)}, estimate=False)
    momentum, energy = run.momentum.values, run.energy.values
    size = np.linalg.norm(momentum[0].reshape(2, 3), axis=1)
    spread = np.max(np.abs(momentum - momentum[0]), axis=0).reshape(2, 3)
    assert np.max(spread[0]) < 1e-11 * size[0]
    assert np.max(spread[1]) < 1e-4 * size[1]  # as of generalized-alpha with finite elements
    assert np.max(np.abs(energy[:, 4])) < 1e-3 * energy[0, 0]
    assert run.outcome.energy_error == pytest.approx(np.max(np.abs(energy[:, 4])))


def test_what_rests_stays_at_rest() -> None:
    model = pendulum(damping=SLOW, curvature=(0.3, 0.0, 1.0))
    model.add(pl.DistributedLoad(model.beams[0], y=0.2, z=0.1))
    system = shot(model)
    rest = pl.statics(system)
    run = pl.transient(system, start=rest, end_time=0.02, step=2e-3)
    assert run.outcome.ok
    np.testing.assert_allclose(run.position.values, np.broadcast_to(rest.position, run.position.shape), atol=1e-9)
    np.testing.assert_allclose(run.resultant.values[-1], rest.resultant.values, atol=1e-7)


def test_a_motion_goes_on_as_if_it_had_not_stopped() -> None:
    system = shot(pendulum(damping=SLOW), 3)
    whole = pl.transient(system, end_time=0.04, step=2e-3, estimate=False)
    half = pl.transient(system, end_time=0.02, step=2e-3, estimate=False)
    rest = pl.transient(system, start=half, end_time=0.04, step=2e-3, estimate=False)
    np.testing.assert_array_equal(rest.position.values[-1], whole.position.values[-1])
    np.testing.assert_array_equal(rest.energy.values[-1, :2], whole.energy.values[-1, :2])


def test_the_work_of_loads_along_a_rod_is_counted() -> None:
    model = pendulum()
    model.add(pl.DistributedLoad(model.beams[0], y=pl.Expression("2*sin(20*t)"), z=0.5, follower=True))
    run = pl.transient(shot(model), end_time=0.1, step=2e-3, estimate=False)
    energy = run.energy.sel(energy_kind="supplied").values
    assert abs(energy[-1]) > 0.01 * run.outcome.energy_at_work
    assert run.outcome.energy_error < 2e-3 * run.outcome.energy_at_work


def test_nothing_grows_in_a_motion_without_numerical_damping(monkeypatch) -> None:
    """Steps along the rod may be as long as its waves, where motions of the classical method grow."""
    monkeypatch.setattr(spatial_motion, "SHORT", 10.0)
    system, options = shot(pendulum(), 3), {"end_time": 0.06, "step": 1e-3, "spectral_radius": 1.0, "estimate": False}
    run = pl.transient(system, **options)
    assert np.max(np.abs(run.energy.values[:, 4])) < 1e-4 * run.outcome.energy_at_work
    monkeypatch.setattr(spatial_motion, "METHOD", 4)
    with pytest.raises(ConvergenceError, match="The motion stopped"):
        pl.transient(system, **options)


def test_drag_along_a_rod_is_that_of_finite_elements() -> None:
    model = pendulum(pl.Weld)
    model.add(pl.Drag(model.beams[0], x=0.2, y=0.5, z=1.0))
    system, mesh = shot(model), pl.compile(model, elements=pl.Exact(4, order=3))
    found, known = (extrapolated(each, 0.1, 4e-3)[0] for each in (system, mesh))
    np.testing.assert_allclose(found, known, atol=2e-6)
    lost = [
        pl.transient(each, end_time=0.1, step=2e-3, estimate=False).energy.sel(energy_kind="dissipated").values[-1]
        for each in (system, mesh)
    ]
    assert lost[0] == pytest.approx(lost[1], rel=1e-3)  # elements have their drag at nodes
    slow, known = (pl.modal(each, at=pl.statics(each), modes=3, damped=True) for each in (system, mesh))
    np.testing.assert_allclose(slow.damping_ratio, known.damping_ratio, rtol=1e-3)


def test_a_force_that_jumps_acts_at_once() -> None:
    model = pendulum(damping=SLOW)
    model.add(pl.Force(model.beams[0].at(s=1), z=pl.Expression("where(t < 0.02, 0, 1)"), name="kick"))
    found, ratio = extrapolated(shot(model), 0.06, 4e-3)
    known, _ = extrapolated(pl.compile(model, elements=pl.Exact(4, order=3)), 0.06, 2e-3)
    np.testing.assert_allclose(found, known, atol=3e-6)
    assert ratio > 3.0


def test_a_controller_sees_and_does_the_same_as_with_finite_elements() -> None:
    model = pendulum(damping=SLOW)
    model.add(pl.Force(model.beams[0].at(s=1), z=0.0, name="motor"))
    law = pl.Controller.proportional({"motor/z": {"position:rod/tip:z": 4.0}}, sample_time=0.01)
    runs = [
        pl.transient(system, controller=law, end_time=0.1, step=1e-3, estimate=False)
        for system in (shot(model), pl.compile(model, elements=pl.Exact(4, order=3)))
    ]
    for name in ("measured", "applied"):
        np.testing.assert_allclose(runs[0].data[name], runs[1].data[name], atol=2e-5)


@pytest.mark.parametrize(("longest", "within"), [(0.4, 1e-4), (0.02, 1e-6)])
def test_tangents_in_motion_are_derivatives_of_the_forces(longest: float, within: float, monkeypatch) -> None:
    monkeypatch.setattr(spatial_motion, "SHORT", longest)
    model = pendulum(damping=SLOW)
    model.add(pl.Drag(model.beams[0], x=0.3, y=0.1, z=0.7))
    system, h = shot(model, 3), 5e-3
    plan = Plan(1.0, pl.GeneralizedAlpha(0.8), step=h)
    stepping = spatial_motion.RodStepping(system, system.start(), plan, spatial_motion.grid_of(system, plan), None)
    rods, random = stepping.rods, np.random.default_rng(1)
    for rates in (rods.memory.speed, rods.memory.acceleration, rods.memory.averaged):
        rates[:] = random.standard_normal(12)  # the same everywhere
    factors, run, n = step_factors(stepping.run.scheme, h), stepping.run, system.freedoms
    update_past(rods.part, factors, rods.memory, run.scratch.stress)
    r, s, w = run.scratch.r, run.scratch.s, run.scratch.w
    still, u = np.zeros(system.size), system.signals(np.zeros(1))[0]

    def forces(a: float) -> np.ndarray:
        r[:] = s[:] = w[:] = 0.0
        now = Instant(system.moved(system.initial, a * along), still, still, u)
        into = Into(1.0, factors.velocity, factors.acceleration, r, s, w)
        fused.add(run.equations.parts, now, into, run.scratch.stress, False)
        return r[:n].copy()

    along = random.standard_normal(n) * np.where(system.angular, 1e-3, 1e-4)
    along[:6] = 0.0  # the body's
    rest = forces(0.0)
    found = ldl.to_csc(run.equations.pattern, s, w)[:n, :n] @ along
    near, far = (forces(0.1 * k) - forces(-0.1 * k) for k in (1, 2))
    known = ((8.0 * near - far) / 1.2).reshape(-1, 6)[1:]
    known[:, 3:] += 0.5 * np.cross(along.reshape(-1, 6)[1:, 3:], rest.reshape(-1, 6)[1:, 3:])  # as of all elements
    found = found.reshape(-1, 6)[1:]
    for part in (slice(0, 3), slice(3, 6)):
        np.testing.assert_allclose(found[:, part], known[:, part], atol=within * np.max(np.abs(known[:, part])))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "'shooting', which takes equal steps. Give step="),
        ({"accuracy": 1e-3}, "accuracy: not an option of the formulation 'shooting'"),
        ({"step": 1e-3, "constraints": "projection"}, "constraints: not an option"),
        ({"step": 1e-6}, r"waves along beam 'rod' that grow by exp\(\d+\) .* Compile with subintervals=\d+"),
    ],
)
def test_options_that_are_not_for_rods_in_space_are_refused(options, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        pl.transient(shot(pendulum()), end_time=0.1, **options)


def test_what_is_inside_a_rod_is_not_measured() -> None:
    model = pendulum()
    model.add(pl.Force(model.beams[0].at(s=1), z=0.0, name="motor"))
    law = pl.Controller.proportional({"motor/z": {"resultant:rod@0.5:Mz": 4.0}}, sample_time=0.01)
    with pytest.raises(OptionError, match="is inside a beam, which is not measured in the formulation 'shooting'"):
        pl.transient(shot(model), controller=law, end_time=0.1, step=1e-3)
