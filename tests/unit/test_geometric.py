"""Geometric reduction: kinematics against finite differences, motion against multipliers, dead centres, refusals."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import pliant as pl
from pliant.errors import CapabilityError, ModelError, OptionError, SingularError
from pliant.formulations.geometric.build import build
from pliant.formulations.geometric.reduction import Reduced
from pliant.gallery import four_bar, pendulum
from tests.models import parallel_cranks, slider_crank

UNREACHABLE = 1.93  # crank towards the rocker's base: shorter than coupler minus rocker


def five_bar(*, driven: bool) -> pl.Model:
    m = pl.Model("five-bar")
    ground = m.add(pl.Ground())
    guesses = {"left": (0.2, 2.0), "right": (0.2, 1.0), "a": (0.3, 0.9), "b": (0.3, 2.2)}
    left, right, a, b = (m.add(pl.Link(n, length=size, mass=1.0, angle=t)) for n, (size, t) in guesses.items())
    m.add(pl.Revolute(ground.at(0, 0), left.at(s=0)), pl.Revolute(ground.at(0.3, 0), right.at(s=0)), pl.Gravity())
    m.add(
        pl.Revolute(left.at(s=1), a.at(s=0)), pl.Revolute(right.at(s=1), b.at(s=0)), pl.Revolute(a.at(s=1), b.at(s=1))
    )
    if driven:
        m.add(pl.Motion(ground.at(0, 0), left.at(s=0), angle=pl.Sine(0.3, 1.0, offset=2.0)))
    return m


def distance_four_bar() -> pl.Model:
    """A four-bar whose coupler is a distance joint."""
    m = pl.Model("rod four-bar")
    ground = m.add(pl.Ground())
    crank = m.add(pl.Link("crank", length=0.1, mass=0.2, angle=1.0))
    rocker = m.add(pl.Link("rocker", length=0.25, mass=0.3, angle=1.4))
    m.add(pl.Revolute(ground.at(0, 0), crank.at(s=0)), pl.Revolute(ground.at(0.3, 0), rocker.at(s=0)))
    m.add(pl.Distance(crank.at(s=1), rocker.at(s=1), length=0.3), pl.Gravity())
    return m


def loaded_four_bar() -> pl.Model:
    """Every kind of force on the four-bar."""
    m = four_bar.model()
    ground, crank, rocker, coupler = (m.part(name) for name in ("ground", "crank", "rocker", "coupler"))
    m.add(
        pl.Spring("spring", ground.at(0.3, 0.2), coupler.at(s=0.4), stiffness=40.0, rest_length=0.1, damping=0.5),
        pl.TorsionSpring("hinge", ground.at(0.15, 0), crank.at(s=0), stiffness=0.3, rest_angle=-1.0, damping=0.01),
        pl.Motor("motor", ground.at(0, 0.4), rocker.at(s=0), torque=pl.Sine(0.4, 1.5)),
        pl.Force(coupler.at(s=0.5), x=2.0, y=1.0, follower=True),
        pl.Moment(coupler.at(s=1.0), pl.Ramp(0.0, 0.2, 0.0, 0.3)),
        pl.StateForce("air", crank.at(s=1), lambda t, pose, velocity: (-0.3 * velocity[0], -0.3 * velocity[1], 0.0)),
        pl.PointMass("lump", coupler.at(s=0.3, y=0.05), mass=0.4, inertia=1e-3),
    )
    return m


def reduce(m: pl.Model, coordinate: str) -> Reduced:
    return pl.compile(m, formulation="geometric", coordinate=coordinate)


CASES = {
    "four-bar": (four_bar.model, "crank"),
    "slider-crank": (slider_crank, "crank"),
    "distance": (distance_four_bar, "crank"),
    "driven five-bar": (lambda: five_bar(driven=True), "a"),
    "redundant": (lambda: parallel_cranks(length=1.0), "crank 0"),
}


@pytest.fixture(params=CASES)
def reduced(request: pytest.FixtureRequest) -> Reduced:
    make, coordinate = CASES[request.param]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pl.errors.PliantWarning)  # of redundant joints
        return reduce(make(), coordinate)


def test_tangent_is_the_derivative_of_the_pose(reduced: Reduced) -> None:
    q, e = reduced.observed.initial, 1e-5
    y = q[reduced.index]
    difference = (reduced.gamma(y + e, q) - reduced.gamma(y - e, q)) / (2.0 * e)
    np.testing.assert_allclose(reduced.tangent(q), difference[:-3], rtol=1e-8, atol=1e-8)


def test_velocity_and_acceleration_are_those_of_the_pose(reduced: Reduced) -> None:
    time, rate, e = 0.1, 2.0, 1e-4
    q = reduced.gamma(float(reduced.observed.initial[reduced.index]), time=time)
    y = q[reduced.index]
    point = reduced.point(y, rate, q, time)

    def pose(dt: float) -> np.ndarray:
        return reduced.gamma(y + rate * dt + 0.5 * point.second * dt**2, q, time=time + dt)

    np.testing.assert_allclose(point.v, (pose(e) - pose(-e)) / (2.0 * e), rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(point.a, (pose(e) - 2.0 * pose(0.0) + pose(-e)) / e**2, rtol=1e-5, atol=1e-4)
    assert point.v[reduced.index] == pytest.approx(rate)


def test_multipliers_complete_the_equations_of_motion(reduced: Reduced) -> None:
    point = reduced.point(float(reduced.observed.initial[reduced.index]), 1.5, reduced.observed.initial, 0.0)
    jacobian = reduced.observed.matrices(reduced.observed.start()).jacobian
    unbalanced = reduced.unbalanced(point.q, point.v, point.a, point.inputs.u)
    np.testing.assert_allclose(unbalanced + jacobian.T @ reduced.multipliers(point), 0.0, atol=1e-10)


def test_mass_and_force_of_a_rod_pendulum() -> None:
    rod = reduce(pendulum.model(kind="rod", length=0.8), "rod 1")
    for y in (-1.2, 0.0, 0.7):
        second = rod.point(y, 3.0, rod.gamma(y), 0.0).second
        assert second == pytest.approx(-1.5 * 9.81 / 0.8 * np.cos(y), rel=1e-12)


def test_branches_are_the_assembly_modes() -> None:
    mechanism = reduce(four_bar.model(), "crank")
    first, second = mechanism.branches(0.0)
    np.testing.assert_allclose(first, mechanism.observed.initial, atol=1e-12)
    rocker = mechanism.observed.layout.body_node(mechanism.model.part("rocker"))
    assert first[3 * rocker + 2] == pytest.approx(0.48995733, abs=1e-8)
    assert second[3 * rocker + 2] == pytest.approx(3.83913466, abs=1e-8)
    for found, again in zip((first, second), mechanism.branches(0.0), strict=True):
        np.testing.assert_array_equal(found, again)
    assert len(reduce(slider_crank(), "crank").branches(0.3)) == 2
    assert len(reduce(pendulum.model(), "bob 1").branches(0.3)) == 1
    assert mechanism.branches(UNREACHABLE) == []


def test_branch_is_kept_all_the_way_and_back() -> None:
    mechanism = reduce(four_bar.model(), "crank")
    for start in mechanism.branches(0.0):
        far = mechanism.gamma(-3.5, start)
        np.testing.assert_allclose(mechanism.gamma(0.0, far), start, atol=1e-10)


def test_pose_beyond_a_dead_centre_is_refused() -> None:
    with pytest.raises(SingularError, match=r"'crank' is at a dead centre at 1\.74.* try coordinate='rocker'"):
        reduce(four_bar.model(), "crank").gamma(UNREACHABLE)


@pytest.mark.parametrize("accuracy", [1e-6, 1e-8, 1e-10])
@pytest.mark.parametrize(("body", "angle"), [("rocker", -0.1159), ("coupler", 1.2654)])
def test_motion_to_a_dead_centre_is_refused(body: str, angle: float, accuracy: float) -> None:
    """With y = q3 the thesis's motion meets singular poses (ERRATA, thesis 3)."""
    mechanism = reduce(four_bar.model(), body)
    with pytest.raises(SingularError, match=f"'{body}' is at a dead centre at {angle}.*coordinate='crank'"):
        pl.transient(mechanism, end_time=1.0, accuracy=accuracy)


def test_turning_back_away_from_dead_centres_is_allowed() -> None:
    run = pl.transient(reduce(four_bar.model(), "crank"), end_time=1.0)
    assert np.ptp(np.sign(run.angular_velocity.sel(body="crank").values)) == 2
    assert run.outcome.energy_error < 1e-6


@pytest.mark.parametrize(
    ("make", "coordinate", "push"),
    [
        (loaded_four_bar, "crank", None),
        (slider_crank, "crank", {"crank": 10.0}),
        (slider_crank, "crank", {"slider": (0.5, 0.0, 0.0)}),
        (lambda: five_bar(driven=True), "a", None),
        (distance_four_bar, "crank", None),
    ],
    ids=["all forces", "pushed crank", "pushed slider", "prescribed motion", "distance"],
)
def test_motion_is_that_of_the_multipliers(make: Any, coordinate: str, push: Any) -> None:
    m, end = make(), 0.2
    explicit = pl.transient(
        reduce(m, coordinate), end_time=end, times=np.linspace(0.0, end, 11), accuracy=1e-11, push=push
    )
    implicit = pl.transient(pl.compile(m), end_time=end, step=2.5e-5, every=800, push=push)
    for name in ("angle", "angular_velocity", "position", "velocity", "acceleration", "reaction", "energy", "shape"):
        one, other = explicit.data[name].values, implicit.data[name].values
        np.testing.assert_allclose(one, other, atol=1e-5 * np.max(np.abs(other)), rtol=0.0, err_msg=name)
    assert explicit.outcome.energy_error < 1e-7 * explicit.outcome.energy_range
    assert explicit.outcome.constraint_error < 1e-12
    assert explicit.provenance.settings["formulation"] == "geometric"


def test_redundant_joints_do_not_matter() -> None:
    with pytest.warns(pl.errors.PliantWarning, match="Redundant"):
        three = reduce(parallel_cranks(length=1.0), "crank 0")
    run = pl.transient(three, end_time=0.25, accuracy=1e-11, times=[0.0, 0.25])
    # one crank carries m_bar + 3 m_crank/3 at its tip: y'' = -(1 + 0.3) g cos y / (1.2 l)
    exact = solve_ivp(
        lambda t, z: (z[1], -1.3 / 1.2 * 9.81 / 0.3 * np.cos(z[0])), (0.0, 0.25), (1.0, 0.0), rtol=1e-11, atol=1e-11
    )
    assert float(run.angle.sel(body="crank 0")[-1]) == pytest.approx(exact.y[0, -1], abs=1e-9)


def test_goes_on_from_its_end_and_from_an_equilibrium() -> None:
    mechanism = reduce(four_bar.model(), "crank")
    whole = pl.transient(mechanism, end_time=0.4, accuracy=1e-11)
    half = pl.transient(mechanism, end_time=0.2, accuracy=1e-11)
    rest_of_it = pl.transient(mechanism, end_time=0.4, start=half, accuracy=1e-11)
    np.testing.assert_allclose(rest_of_it.angle[-1], whole.angle[-1], atol=1e-9)
    resting = pl.transient(mechanism, end_time=0.4, start=pl.statics(pl.compile(four_bar.model())))
    np.testing.assert_allclose(resting.angle[-1], resting.angle[0], atol=1e-9)


def test_signal_that_fails_is_named() -> None:
    m = four_bar.model()
    m.add(pl.Motor("motor", m.ground.at(0, 0.4), m.part("rocker").at(s=0), torque=lambda t: 1.0 / (t - 5.0) ** 0.5))
    with pytest.raises(pl.errors.SignalError, match="motor"):
        pl.transient(reduce(m, "crank"), end_time=0.1)


def test_refusals() -> None:
    with pytest.raises(ModelError, match="coupler can bend"):
        reduce(four_bar.model(coupler="flexible"), "crank")
    with pytest.raises(ModelError, match="leave 2 freedoms"):
        reduce(five_bar(driven=False), "left")
    locked = four_bar.model()
    locked.add(pl.Motion(locked.ground.at(0.15, 0), locked.part("crank").at(s=0), angle=0.0))
    with pytest.raises(ModelError, match="leave 0 freedoms"):
        reduce(locked, "crank")
    with pytest.raises(OptionError, match=r"no rigid body 'cranck'. Did you mean crank"):
        reduce(four_bar.model(), "cranck")
    with pytest.raises(OptionError, match=r"coordinate: name the body .* crank, rocker, coupler"):
        build(four_bar.model())
    with pytest.raises(SingularError, match=r"'slider' is at a dead centre .* coordinate='crank'"):
        reduce(slider_crank(), "slider")


def test_bad_options_are_refused() -> None:
    mechanism = reduce(four_bar.model(), "crank")
    for option in ({"end_time": 0.0}, {"end_time": np.nan}, {"accuracy": -1.0}, {"times": [0.0, 9.0]}):
        with pytest.raises(OptionError, match=next(iter(option))):
            pl.transient(mechanism, **{"end_time": 1.0, **option})
    with pytest.raises(CapabilityError, match="statics"):
        pl.statics(mechanism)


def test_massless_mechanism_is_refused() -> None:
    m = pl.Model("weightless")
    ground, arm = m.add(pl.Ground(), pl.Link("arm", length=1.0, mass=0.0))
    m.add(pl.Revolute(ground.at(0, 0), arm.at(s=0)))
    with pytest.raises(SingularError, match="no mass moves"):
        pl.transient(reduce(m, "arm"), end_time=1.0)
