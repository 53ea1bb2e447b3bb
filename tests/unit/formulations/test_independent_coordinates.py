"""Independent coordinates of loops: kinematics against finite differences, motion against multipliers, refusals."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import pliant as pl
from pliant.errors import OptionError, SingularError
from pliant.formulations.relative import poses
from pliant.formulations.relative.system import Relative
from pliant_gallery import four_bar, pendulum, spatial_dynamics
from tests.models import parallel_cranks, parallelogram, slider_crank

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
    """Build a four-bar whose coupler is a distance joint."""
    m = pl.Model("rod four-bar")
    ground = m.add(pl.Ground())
    crank = m.add(pl.Link("crank", length=0.1, mass=0.2, angle=1.0))
    rocker = m.add(pl.Link("rocker", length=0.25, mass=0.3, angle=1.4))
    m.add(pl.Revolute(ground.at(0, 0), crank.at(s=0)), pl.Revolute(ground.at(0.3, 0), rocker.at(s=0)))
    m.add(pl.Distance(crank.at(s=1), rocker.at(s=1), length=0.3), pl.Gravity())
    return m


def loaded_four_bar() -> pl.Model:
    """Build every kind of force on the four-bar."""
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


def double_pendulum() -> pl.Model:
    m = pl.Model("double pendulum")
    ground, one, two = m.add(
        pl.Ground(), pl.Link("one", length=0.7, mass=1.0, angle=0.3), pl.Link("two", length=0.5, mass=0.6, angle=1.0)
    )
    m.add(pl.Revolute(ground.at(0, 0), one.at(s=0)), pl.Revolute(one.at(s=1), two.at(s=0)), pl.Gravity())
    return m


def rssr(*, driven: bool = False) -> pl.Model:
    """Build a spatial four-bar: crank about z, rocker about y, a coupler that can spin between two balls."""
    m = pl.Model("RSSR", plane=None)
    ground = m.add(pl.Ground())
    crank = m.add(pl.Link("crank", length=0.1, mass=0.2, inertia=(1e-4, 3e-4, 3e-4), position=(0, 0, 0)))
    rocker = m.add(
        pl.Link(
            "rocker", length=0.3, mass=0.4, inertia=(2e-4, 4e-3, 4e-3), position=(0.4, 0.1, 0), orientation=(0, -1.3, 0)
        )
    )
    joined = np.array([0.4 + 0.3 * np.cos(1.3), 0.1, 0.3 * np.sin(1.3)]) - (0.1, 0.0, 0.0)
    length = float(np.linalg.norm(joined))
    turn = (0.0, -float(np.arcsin(joined[2] / length)), float(np.arctan2(joined[1], joined[0])))
    coupler = m.add(
        pl.Link("coupler", length=length, mass=0.3, inertia=(1e-4, 5e-3, 5e-3), position=(0.1, 0, 0), orientation=turn)
    )
    m.add(
        pl.Revolute(ground.at(0, 0, 0), crank.at(s=0), axis="z", name="shaft"),
        pl.Spherical(crank.at(s=1), coupler.at(s=0)),
    )
    m.add(pl.Spherical(coupler.at(s=1), rocker.at(s=1)), pl.Revolute(ground.at(0.4, 0.1, 0), rocker.at(s=0), axis="y"))
    m.add(
        pl.Gravity(z=-9.81),
        pl.Spring("spring", ground.at(0.4, 0, 0.5), rocker.at(s=1), stiffness=30.0, rest_length=0.2, damping=0.4),
    )
    if driven:
        m.add(pl.Motion(ground.at(0, 0, 0), crank.at(s=0), angle=pl.Sine(0.5, 1.0)))
    return m


def on_universal_joint(name: str) -> tuple[pl.Model, pl.Body, pl.Body]:
    """Return a model in space with two bodies, the first on a universal joint."""
    m = pl.Model(name, plane=None)
    ground = m.add(pl.Ground())
    one = m.add(pl.Body("one", mass=1.0, inertia=(0.02, 0.03, 0.04), position=(0.3, 0, 0)))
    two = m.add(pl.Body("two", mass=0.5, inertia=(0.01, 0.01, 0.02), position=(0.8, 0, 0)))
    m.add(pl.Universal(ground.at(0, 0, 0), one.at(-0.3, 0, 0)))
    return m, one, two


def gimbal() -> pl.Model:
    """Build a tree in space: a universal joint, a cylinder that slides and turns, a ball."""
    m, one, two = on_universal_joint("gimbal")
    three = m.add(pl.Body("three", mass=0.3, inertia=(0.01, 0.02, 0.02), position=(1.2, 0, 0)))
    m.add(pl.Cylindrical(one.at(0.2, 0, 0), two.at(-0.3, 0, 0), axis="x"))
    m.add(pl.Spherical(two.at(0.2, 0, 0), three.at(-0.2, 0, 0)), pl.Gravity(z=-9.81))
    m.add(pl.Spring("spring", one.at(0.3, 0.1, 0), two.at(0.1, 0.1, 0), stiffness=200.0, rest_length=0.3, damping=1.0))
    return m


def wrist() -> pl.Model:
    """Build two bodies on a universal joint and a pin that is not in line with it."""
    m, one, two = on_universal_joint("wrist")
    m.add(pl.Gravity(x=2.0, z=-9.81))
    m.add(pl.Revolute(one.at(0.2, 0, 0), two.at(-0.3, 0, 0), axis=(0, 1, 0.5)))
    m.add(pl.Spring("spring", m.part("ground").at(0, 1, 0), two.at(), stiffness=3.0, rest_length=0.2, damping=1.0))
    return m


def reduce(m: pl.Model) -> Relative:
    return pl.compile(m, formulation="relative")


def index(reduced: Relative, body: str) -> int:
    return 3 * reduced.layout.body_node(reduced.model.part(body)) + 2


CASES = {
    "four-bar": (four_bar.model, "crank"),
    "slider-crank": (slider_crank, "crank"),
    "distance": (distance_four_bar, "crank"),
    "driven five-bar": (lambda: five_bar(driven=True), "a"),
    "redundant": (lambda: parallel_cranks(length=1.0), "crank 0"),
}


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest) -> tuple[Relative, str]:
    make, body = CASES[request.param]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pl.errors.PliantWarning)  # of redundant joints
        return reduce(make()), body


def test_velocity_and_acceleration_are_those_of_the_pose(case: tuple[Relative, str]) -> None:
    (reduced, body), time, rate, e = case, 0.1, 2.0, 1e-4
    k, n = index(reduced, body), reduced.freedoms
    q = poses.gamma(reduced, body, float(reduced.initial[k]), time=time)
    found = poses.point(reduced, body, q[k], rate, q, time=time)

    def pose(dt: float) -> np.ndarray:
        return poses.gamma(reduced, body, q[k] + rate * dt + 0.5 * found.a[k] * dt**2, q, time=time + dt)

    np.testing.assert_allclose(found.v[:n], ((pose(e) - pose(-e)) / (2.0 * e))[:n], rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(found.a[:n], ((pose(e) - 2.0 * pose(0.0) + pose(-e)) / e**2)[:n], rtol=1e-5, atol=1e-4)
    assert found.v[k] == pytest.approx(rate)


def test_multipliers_complete_the_equations_of_motion(case: tuple[Relative, str]) -> None:
    reduced, body = case
    found = poses.point(reduced, body, float(reduced.initial[index(reduced, body)]), 1.5, reduced.initial)
    jacobian = reduced.matrices(reduced.start()).jacobian
    unbalanced = reduced.unbalanced(found.q, found.v, found.a, reduced.inputs(0.0)[0])
    for lam in (found.lam, reduced.held(found.q, found.v, found.a, reduced.inputs(0.0)[0])):
        np.testing.assert_allclose(unbalanced + jacobian.T @ lam, 0.0, atol=1e-10)


def test_mass_and_force_of_a_rod_pendulum() -> None:
    rod = reduce(pendulum.model(kind="rod", length=0.8))
    for y in (-1.2, 0.0, 0.7):
        found = poses.point(rod, "rod 1", y, 3.0, rod.initial)
        assert found.a[index(rod, "rod 1")] == pytest.approx(-1.5 * 9.81 / 0.8 * np.cos(y), rel=1e-12)


@pytest.mark.parametrize(
    ("method", "accuracy", "off"),
    [
        ("DOP853", 1e-11, 1e-9),
        ("RK45", 1e-10, 1e-8),
        ("RK23", 1e-8, 1e-5),
        ("SDIRK4", 1e-9, 1e-6),
        ("TRBDF2", 1e-8, 1e-4),
    ],
)
def test_double_pendulum_moves_as_lagranges_equations_say(method: str, accuracy: float, off: float) -> None:
    times = np.linspace(0.0, 2.0, 11)

    def rates(_: float, z: np.ndarray) -> list[float]:
        a, b, da, db = z
        c, s, l, k, m, n, g = np.cos(a - b), np.sin(a - b), 0.7, 0.5, 1.0, 0.6, 9.81
        mass = np.array([[m * l**2 / 3 + n * l**2, n * l * k * c / 2], [n * l * k * c / 2, n * k**2 / 3]])
        push = [
            -n * l * k / 2 * s * db**2 - (m / 2 + n) * g * l * np.cos(a),
            n * l * k / 2 * s * da**2 - n * g * k / 2 * np.cos(b),
        ]
        return [da, db, *np.linalg.solve(mass, push)]

    exact = solve_ivp(rates, (0.0, 2.0), (0.3, 1.0, 0.0, 0.0), t_eval=times, rtol=1e-12, atol=1e-12, method="DOP853").y
    run = pl.transient(reduce(double_pendulum()), end_time=2.0, times=times, accuracy=accuracy, method=method)
    assert run.outcome.ok
    np.testing.assert_allclose(run.angle.values.T, exact[:2], atol=off)


def test_accuracy_acts() -> None:
    """Errors fall in proportion to it."""
    system, errors = reduce(double_pendulum()), []
    sharp = pl.transient(system, end_time=1.0, accuracy=1e-12, times=[0.0, 1.0], estimate=False).angle[-1]
    for accuracy in (1e-4, 1e-6, 1e-8):
        run = pl.transient(system, end_time=1.0, accuracy=accuracy, times=[0.0, 1.0], estimate=False)
        errors.append(float(np.max(np.abs(run.angle[-1] - sharp))))
        assert errors[-1] < 10.0 * accuracy
    assert errors[2] < 1e-2 * errors[1] < 1e-4 * errors[0] * 10.0


def test_parallelogram_folds_flat_and_goes_on() -> None:
    """Conditions depend on each other at 0 and pi; both cranks keep their way, which Lagrange's equation knows."""
    times = np.linspace(0.0, 2.0, 9)
    ratio = (1.0 + 0.2) / (1.0 + 0.4 / 3.0) * 9.81 / 0.3
    exact = solve_ivp(
        lambda _, z: (z[1], -ratio * np.cos(z[0])), (0.0, 2.0), (1.0, 15.0), t_eval=times, rtol=1e-12, atol=1e-12
    )
    assert np.ptp(exact.y[0]) > 6.0 * np.pi
    run = pl.transient(
        reduce(parallelogram()), end_time=2.0, times=times, push={"crank 0": 15.0}, accuracy=1e-7, estimate=False
    )
    for crank in ("crank 0", "crank 1"):
        np.testing.assert_allclose(run.angle.sel(body=crank), exact.y[0], atol=1e-5)


def test_a_pose_that_can_go_on_in_two_ways_is_refused_by_name() -> None:
    with pytest.raises(SingularError, match=r"revolute ground\(0, 0\) - crank 0/base.*dead centre"):
        pl.transient(reduce(parallelogram(angle=0.0)), end_time=1.0)


def spherical_pendulum(spin: float) -> tuple[pl.Model, dict[str, tuple[float, ...]]]:
    m = pl.Model("spherical pendulum", plane=None)
    ground = m.add(pl.Ground())
    bob = m.add(pl.Body("bob", mass=1.3, inertia=(1e-9, 1e-9, 1e-9), position=(0.6, 0, -0.8)))
    m.add(pl.Spherical(ground.at(0, 0, 0), bob.at(-0.6, 0, 0.8)), pl.Gravity(z=-9.81))
    return m, {"bob": (0.0, 0.6 * spin, 0.0, 0.0, 0.0, spin)}


def test_spherical_pendulum_is_the_classical_one() -> None:
    """theta'' = sin cos (L / sin^2)^2 - (g/l) sin with the angular momentum about the vertical L = sin^2 phi'."""
    m, push = spherical_pendulum(2.0)
    times, start = np.linspace(0.0, 3.0, 13), float(np.arcsin(0.6))
    momentum = 2.0 * 0.6**2

    def rates(_: float, z: np.ndarray) -> tuple[float, float]:
        return z[1], np.cos(z[0]) * momentum**2 / np.sin(z[0]) ** 3 - 9.81 * np.sin(z[0])

    exact = solve_ivp(rates, (0.0, 3.0), (start, 0.0), t_eval=times, rtol=1e-12, atol=1e-12, method="DOP853").y[0]
    run = pl.transient(reduce(m), end_time=3.0, times=times, push=push, accuracy=1e-10, estimate=False)
    np.testing.assert_allclose(run.position.sel(marker="bob(0, 0)", axis="z"), -np.cos(exact), atol=1e-7)


@pytest.mark.parametrize(
    ("make", "freedoms", "push"),
    [
        (lambda: five_bar(driven=False), 2, {"left": 3.0}),
        (rssr, 2, {"crank": (0.0, 0.4, 0.0, 0.0, 0.0, 8.0)}),
        (lambda: rssr(driven=True), 1, None),
        (spatial_dynamics.bricard, 1, None),
        (gimbal, 7, None),
    ],
    ids=["five-bar", "RSSR", "driven RSSR", "Bricard, redundant", "gimbal"],
)
def test_motion_is_that_of_explicit_accelerations(make: Any, freedoms: int, push: Any) -> None:
    m, times = make(), np.linspace(0.0, 0.6, 7)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pl.errors.PliantWarning)  # of redundant joints
        one, other = (pl.compile(m, formulation=name) for name in ("relative", "udwadia_kalaba"))
    assert one.degrees == freedoms
    found, known = (
        pl.transient(s, end_time=0.6, times=times, accuracy=1e-10, push=push, estimate=False) for s in (one, other)
    )
    for name in ("position", "velocity", "acceleration", "reaction", "energy"):
        a, b = found.data[name].values, known.data[name].values
        np.testing.assert_allclose(a, b, atol=1e-6 * np.max(np.abs(b)), rtol=0.0, err_msg=name)
    assert found.outcome.constraint_error < 1e-13


@pytest.mark.parametrize("make", [lambda: five_bar(driven=False), wrist, double_pendulum])
def test_equilibrium_and_modes_are_those_of_the_multipliers(make: Any) -> None:
    m = make()
    reduced, dae = reduce(m), pl.compile(m)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pl.errors.OtherBranch)
        rest = pl.statics(reduced)
        known = pl.statics(dae, start=rest)
    assert rest.outcome.ok
    assert rest.outcome.stable == known.outcome.stable
    for name in ("position", "reaction"):
        np.testing.assert_allclose(rest.data[name], known.data[name], atol=1e-7)
    mine, theirs = (pl.modal(s, at=at, modes=2, damped=True) for s, at in ((reduced, rest), (dae, known)))
    np.testing.assert_allclose(mine.eigenvalue, theirs.eigenvalue, rtol=1e-6, atol=1e-6)


def test_a_coupler_between_balls_is_neutral() -> None:
    with pytest.warns(pl.errors.NeutralEquilibrium, match="coupler can move"):
        rest = pl.statics(reduce(rssr()))
    assert rest.outcome.ok
    assert rest.outcome.stable is None


def test_an_equilibrium_that_is_the_start_is_kept_though_unstable() -> None:
    upright = reduce(pendulum.model(kind="rod", length=0.8, angle=np.pi / 2))
    with pytest.warns(pl.errors.UnstableEquilibrium):
        rest = pl.statics(upright)
    assert rest.outcome.unstable_directions == 1
    assert float(rest.angle[0]) == pytest.approx(np.pi / 2, abs=1e-12)


def test_poles_of_linear_models_are_those_of_the_multipliers() -> None:
    m = wrist()
    m.add(pl.Motor("motor", m.ground.at(0, 0, 0), m.part("one").at(-0.3, 0, 0), 0.1, axis="x"))
    reduced, dae = reduce(m), pl.compile(m)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pl.errors.PliantWarning)
        rest = pl.statics(reduced)
        models = [
            pl.linearise(s, at=pl.statics(s, start=rest), inputs=["motor/torque"], outputs=["rotation:two:x"])
            for s in (reduced, dae)
        ]
    mine, theirs = (np.sort_complex(np.linalg.eigvals(model.A)) for model in models)
    np.testing.assert_allclose(mine, theirs, atol=1e-5 * np.max(np.abs(theirs)))


def test_branches_are_the_assembly_modes() -> None:
    mechanism = reduce(four_bar.model())
    first, second = poses.branches(mechanism, "crank", 0.0)
    np.testing.assert_allclose(first, mechanism.initial, atol=1e-12)
    rocker = mechanism.layout.body_node(mechanism.model.part("rocker"))
    assert first[3 * rocker + 2] == pytest.approx(0.48995733, abs=1e-8)
    assert second[3 * rocker + 2] == pytest.approx(3.83913466, abs=1e-8)
    for found, again in zip((first, second), poses.branches(mechanism, "crank", 0.0), strict=True):
        np.testing.assert_array_equal(found, again)
    assert len(poses.branches(reduce(slider_crank()), "crank", 0.3)) == 2
    assert len(poses.branches(reduce(pendulum.model()), "bob 1", 0.3)) == 1
    assert poses.branches(mechanism, "crank", UNREACHABLE) == []


def test_branch_is_kept_all_the_way_and_back() -> None:
    mechanism = reduce(four_bar.model())
    for start in poses.branches(mechanism, "crank", 0.0):
        far = poses.gamma(mechanism, "crank", -3.5, start)
        np.testing.assert_allclose(poses.gamma(mechanism, "crank", 0.0, far), start, atol=1e-10)


def test_pose_beyond_a_dead_centre_is_refused() -> None:
    with pytest.raises(SingularError, match=r"'crank' is at a dead centre at 1\.74.*That of 'rocker' does"):
        poses.gamma(reduce(four_bar.model()), "crank", UNREACHABLE)


def test_the_coordinate_changes_at_a_dead_centre() -> None:
    """A slider that turns back at its dead centres, pushed through them: its crank has none, the slider has."""
    run = pl.transient(reduce(slider_crank()), end_time=0.6, push={"crank": 30.0})
    assert np.sum(np.diff(np.sign(run.velocity.sel(marker="slider(0, 0)", axis="x"))) != 0) >= 5
    assert run.outcome.ok
    assert run.outcome.energy_error < 1e-6 * run.outcome.energy_at_work


@pytest.mark.parametrize(
    ("make", "push"),
    [
        (loaded_four_bar, None),
        (slider_crank, {"crank": 10.0}),
        (slider_crank, {"slider": (0.5, 0.0, 0.0)}),
        (lambda: five_bar(driven=True), None),
        (distance_four_bar, None),
    ],
    ids=["all forces", "pushed crank", "pushed slider", "prescribed motion", "distance"],
)
def test_motion_is_that_of_the_multipliers(make: Any, push: Any) -> None:
    m, end = make(), 0.2
    explicit = pl.transient(
        reduce(m), end_time=end, times=np.linspace(0.0, end, 11), accuracy=1e-11, push=push, estimate=False
    )
    implicit = pl.transient(pl.compile(m), end_time=end, step=2.5e-5, every=800, push=push)
    for name in ("angle", "angular_velocity", "position", "velocity", "acceleration", "reaction", "energy", "shape"):
        one, other = explicit.data[name].values, implicit.data[name].values
        np.testing.assert_allclose(one, other, atol=1e-5 * np.max(np.abs(other)), rtol=0.0, err_msg=name)
    assert explicit.outcome.energy_error < 1e-7 * explicit.outcome.energy_range
    assert explicit.outcome.constraint_error < 1e-12
    assert explicit.provenance.settings["formulation"] == "relative"


def test_redundant_joints_do_not_matter() -> None:
    with pytest.warns(pl.errors.PliantWarning, match="Redundant"):
        three = reduce(parallel_cranks(length=1.0))
    run = pl.transient(three, end_time=0.25, accuracy=1e-11, times=[0.0, 0.25], estimate=False)
    # one crank carries m_bar + 3 m_crank/3 at its tip: y'' = -(1 + 0.3) g cos y / (1.2 l)
    exact = solve_ivp(
        lambda t, z: (z[1], -1.3 / 1.2 * 9.81 / 0.3 * np.cos(z[0])), (0.0, 0.25), (1.0, 0.0), rtol=1e-11, atol=1e-11
    )
    assert float(run.angle.sel(body="crank 0")[-1]) == pytest.approx(exact.y[0, -1], abs=1e-9)


def test_goes_on_from_its_end_and_from_an_equilibrium() -> None:
    mechanism = reduce(four_bar.model())
    whole = pl.transient(mechanism, end_time=0.4, accuracy=1e-11, estimate=False)
    half = pl.transient(mechanism, end_time=0.2, accuracy=1e-11, estimate=False)
    rest_of_it = pl.transient(mechanism, end_time=0.4, start=half, accuracy=1e-11, estimate=False)
    np.testing.assert_allclose(rest_of_it.angle[-1], whole.angle[-1], atol=1e-9)
    resting = pl.transient(mechanism, end_time=0.4, start=pl.statics(pl.compile(four_bar.model())))
    np.testing.assert_allclose(resting.angle[-1], resting.angle[0], atol=1e-9)


def test_signal_that_fails_is_named() -> None:
    m = four_bar.model()
    m.add(pl.Motor("motor", m.ground.at(0, 0.4), m.part("rocker").at(s=0), torque=lambda t: 1.0 / (t - 5.0) ** 0.5))
    with pytest.raises(pl.errors.SignalError, match="motor"):
        pl.transient(reduce(m), end_time=0.1)


def test_refusals() -> None:
    with pytest.raises(OptionError, match=r"no rigid body 'cranck'. Did you mean crank"):
        poses.gamma(reduce(four_bar.model()), "cranck", 0.0)
    with pytest.raises(OptionError, match=r"has 2 freedoms: its pose is a function of one angle only"):
        poses.branches(reduce(five_bar(driven=False)), "left", 0.0)


def test_bad_options_are_refused() -> None:
    mechanism = reduce(four_bar.model())
    for option in ({"end_time": 0.0}, {"end_time": np.nan}, {"accuracy": -1.0}, {"times": [0.0, 9.0]}, {"step": 1e-3}):
        with pytest.raises(OptionError, match=next(iter(option))):
            pl.transient(mechanism, **{"end_time": 1.0, **option})
    with pytest.raises(OptionError, match="constraints"):
        pl.transient(mechanism, end_time=1.0, constraints="baumgarte")


def test_massless_mechanism_is_refused() -> None:
    m = pl.Model("weightless")
    ground, arm = m.add(pl.Ground(), pl.Link("arm", length=1.0, mass=0.0))
    m.add(pl.Revolute(ground.at(0, 0), arm.at(s=0)))
    with pytest.raises(SingularError, match="no mass moves"):
        pl.transient(reduce(m), end_time=1.0)


def test_the_former_name_is_compiled_and_says_what_replaces_it() -> None:
    with pytest.warns(DeprecationWarning, match="'geometric' is now 'relative'"):
        system = pl.compile(four_bar.model(), formulation="geometric")
    assert isinstance(system, Relative)
    assert system.formulation == "relative"


def test_loops_that_are_driven_through_and_through_move() -> None:
    """Without a freedom nothing is independent: positions follow from the drive alone."""
    m = four_bar.model()
    m.add(pl.Motion(m.ground.at(0.15, 0), m.part("crank").at(s=0), angle=pl.Sine(0.1, 1.0)))
    system = reduce(m)
    run = pl.transient(system, end_time=0.2, times=[0.2])
    assert system.degrees == 0
    crank = 0.1 * np.sin(2.0 * np.pi * 0.2)
    pose = poses.gamma(reduce(four_bar.model()), "crank", float(run.angle.sel(body="crank")[-1]))
    assert float(run.angle.sel(body="crank")[-1] - reduce(four_bar.model()).initial[2]) == pytest.approx(
        crank, abs=1e-9
    )
    np.testing.assert_allclose(run.angle.values[-1], pose[2:-3:3], atol=1e-9)


def test_coordinates_that_are_independent_are_named() -> None:
    system = reduce(slider_crank())
    assert len(poses.independent(system, system.initial)) == system.degrees == 1
