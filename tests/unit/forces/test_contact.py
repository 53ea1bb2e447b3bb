"""Contacts and stops at work: analytic impacts, sliding and sticking, both laws, plane and space."""

from __future__ import annotations

from math import cos, pi, sin, sqrt, tan
from types import SimpleNamespace

import numpy as np
import pytest

import pliant as pl
from pliant.solvers.contact import cones
from pliant.solvers.contact.cone_newton import leap, leap_workspace
from pliant.solvers.contact.moreau_contacts import couple
from pliant.solvers.contact.moreau_run import touching_of

G = 9.81
BALL = "ball(0, 0)"


def ball(*, height=0.5, spatial=False, **law):
    """Build a ball above the floor."""
    law = {"stiffness": 1e5, "radius": 0.05, **law}
    m = pl.Model("ball", plane=None if spatial else "xy")
    if spatial:
        place = {"position": (0, 0, height + 0.05), "orientation": (0, 0, 0), "inertia": (0.01, 0.01, 0.01)}
    else:
        place = {"position": (0, height + 0.05), "angle": 0.0, "inertia": 0.01}
    ground, body = m.add(pl.Ground(), pl.Body("ball", mass=1.0, free=True, **place))
    m.add(pl.Gravity(), pl.Contact("floor", ground.at(0, 0), body.at(), **law))
    return m


def impacts(run):
    """Return instants at which an impulse begins."""
    pushed = run.normal_force.sel(contact="floor").values > 0.0
    return run.time.values[np.flatnonzero(pushed & ~np.append(False, pushed[:-1]))]


@pytest.mark.parametrize("spatial", [False, True])
def test_bouncing_ball_has_its_times_and_heights(spatial: bool) -> None:
    """t_1 = sqrt(2 H / g), then 2 e^k t_1; heights e^2k H. Moreau's steps are of first order in time."""
    e, h, first = 0.8, 2e-3, sqrt(2 * 0.5 / G)
    run = pl.transient(
        pl.compile(ball(restitution=e, spatial=spatial)), end_time=1.6, step=h, contact="complementarity"
    )
    expected = first * np.array([1.0, 1.0 + 2 * e, 1.0 + 2 * e + 2 * e**2])
    np.testing.assert_allclose(impacts(run)[:3], expected, atol=4 * h)
    height = run.position.sel(marker=BALL, axis="z" if spatial else "y").values - 0.05
    for k in (1, 2):
        between = (run.time.values > expected[k - 1] + 2 * h) & (run.time.values < expected[k] - 2 * h)
        # the speed of an impact is known to g h
        assert np.max(height[between]) == pytest.approx(0.5 * e ** (2 * k), abs=2 * G * h * first)
    assert run.outcome.energy_error < 1e-12
    assert np.all(np.diff(run.energy.sel(energy_kind="dissipated").values) > -1e-12)


def test_peak_force_of_an_elastic_impact() -> None:
    """N_max = m g + sqrt((m g)^2 + k m v^2), and the ball comes back to where it was."""
    run = pl.transient(pl.compile(ball()), end_time=0.7, step=5e-5, newmark=(0.25, 0.5))
    peak = G + sqrt(G**2 + 1e5 * 2 * G * 0.5)
    assert float(run.normal_force.max()) == pytest.approx(peak, rel=2e-4)
    assert float(run.position.sel(marker=BALL, axis="y")[8000:].max()) == pytest.approx(0.55, abs=2e-4)
    assert run.outcome.energy_error < 1e-3 * run.outcome.energy_range


def test_step_adapts_to_the_impact() -> None:
    """Free flight takes few steps, the impact many; the balance closes with damping and friction."""
    m = ball(damping=0.3, friction=0.3, exponent=1.5, stiffness=2e6)
    run = pl.transient(pl.compile(m), end_time=0.6, accuracy=1e-7, push={"ball": (1.0, 0.0, 0.0)})
    steps = np.diff(run.time.values)
    inside = run.normal_force.sel(contact="floor").values[1:] > 0.0
    assert np.min(steps[inside]) < 0.1 * np.max(steps)
    assert run.outcome.energy_error < 2e-3 * run.outcome.energy_range
    assert float(run.energy.sel(energy_kind="dissipated")[-1]) > 0.1


def block(slope, friction):
    """Build a block on an incline, its normal along y of the marker."""
    m = pl.Model("block")
    away = 0.05 * np.array([-sin(slope), cos(slope)])
    ground, body = m.add(
        pl.Ground(), pl.Body("block", mass=2.0, inertia=0.02, position=tuple(away), angle=slope, free=True)
    )
    m.add(pl.Gravity())
    m.add(
        pl.Contact(
            "ramp",
            ground.at(0, 0, angle=slope),
            body.at(0, -0.05),
            rim=0.2,
            stiffness=1e6,
            friction=friction,
            friction_speed=1e-3,
            damping=200.0,
        )
    )
    return pl.compile(m)


@pytest.mark.parametrize(("friction", "sliding"), [(0.6, False), (0.2, True)])
def test_block_on_an_incline(friction: float, sliding: bool) -> None:
    """The block sticks where mu > tan(slope), and slides with g (sin - mu cos) else; both exactly, step for step."""
    slope = 0.4
    assert sliding == (friction < tan(slope))
    run = pl.transient(block(slope, friction), end_time=0.5, step=2e-3, contact="complementarity")
    velocity = run.velocity.sel(marker="block(0, 0)").values @ (cos(slope), sin(slope))
    expected = -G * (sin(slope) - friction * cos(slope)) * run.time.values if sliding else 0.0 * run.time.values
    np.testing.assert_allclose(velocity, expected, atol=1e-8)
    rubbed = run.friction_force.sel(contact="ramp").values[5:]
    pressed = run.normal_force.sel(contact="ramp").values[5:]
    np.testing.assert_allclose(pressed, 2.0 * G * cos(slope), rtol=1e-7)
    np.testing.assert_allclose(rubbed, 2.0 * G * (friction * cos(slope) if sliding else sin(slope)), rtol=1e-6)


def test_block_that_stops_has_no_restitution_to_reduce() -> None:
    """Way v^2 / 2 a up the incline; in the step in which it stops friction may give back some m (a h)^2."""
    slope, h, speed = 0.4, 1e-3, 0.5
    push = {"block": (speed * cos(slope), speed * sin(slope), 0.0)}
    run = pl.transient(block(slope, 0.6), end_time=0.2, step=h, contact="complementarity", push=push)
    assert run.outcome.message == "reached the end"
    way = run.position.sel(marker="block(0, 0)").values @ (cos(slope), sin(slope))
    a = G * (sin(slope) + 0.6 * cos(slope))
    assert way[-1] - way[0] == pytest.approx(0.5 * speed**2 / a, abs=a * h**2)
    lost = run.energy.sel(energy_kind="dissipated").values
    assert np.min(np.diff(lost)) >= -2.0 * (a * h) ** 2
    assert lost[-1] == pytest.approx(2.0 * G * 0.6 * cos(slope) * 0.5 * speed**2 / a, rel=1e-4)


def test_regularised_friction_creeps_where_it_should_stick() -> None:
    """mu tanh(v / speed) = tan(slope): the speed of creeping."""
    run = pl.transient(block(0.4, 0.6), end_time=0.2, step=1e-4)
    velocity = run.velocity.sel(marker="block(0, 0)").values[-200:] @ (cos(0.4), sin(0.4))
    assert np.mean(velocity) == pytest.approx(-1e-3 * np.arctanh(tan(0.4) / 0.6), rel=0.05)


def rod(angle, **law):
    """Build a slender rod in the air, one end just above the floor; without gravity."""
    m = pl.Model("rod")
    ground, body = m.add(
        pl.Ground(),
        pl.Link("rod", length=1.0, mass=1.2, angle=angle, position=(0.0, 1e-4), free=True),
    )
    m.add(pl.Contact("floor", ground.at(0, 0), body.at(s=0), **{"stiffness": 1e6, **law}), body.at(s=0.5))
    return pl.compile(m)


def struck(angle, speed, e, mu):
    """Return the centre's velocity and the spin after a rod's end strikes the floor: Newton's restitution, Coulomb."""
    mass, inertia = 1.2, 1.2 / 12.0
    x, y = -0.5 * cos(angle), -0.5 * sin(angle)  # the end from the centre
    normal, across = np.array([0.0, 1.0, x]), np.array([1.0, 0.0, -y])
    weight = np.diag([1 / mass, 1 / mass, 1 / inertia])
    before = np.array([*speed, 0.0])
    W = np.array([[a @ weight @ b for b in (normal, across)] for a in (normal, across)])
    stick = np.linalg.solve(W, -np.array([(1 + e) * normal @ before, across @ before]))
    if abs(stick[1]) > mu * stick[0]:
        way = np.sign(stick[1])
        pushed = -(1 + e) * (normal @ before) / (W[0, 0] + way * mu * W[0, 1])
        stick = np.array([pushed, way * mu * pushed])
    return before + weight @ (stick[0] * normal + stick[1] * across)


@pytest.mark.parametrize(("mu", "e"), [(2.0, 0.0), (2.0, 0.6), (0.1, 0.0), (0.1, 0.6)])
def test_rod_strikes_the_floor(mu: float, e: float) -> None:
    """Sticking with mu = 2, sliding with 0.1."""
    run = pl.transient(
        rod(0.9, friction=mu, restitution=e),
        end_time=2e-3,
        step=1e-4,
        contact="complementarity",
        push={"rod": (0.4, -1.0, 0.0)},
    )
    after = np.append(run.velocity.sel(marker="rod@0.5").values[-1], run.angular_velocity.values[-1, 0])
    np.testing.assert_allclose(after, struck(0.9, (0.4, -1.0), e, mu), atol=1e-10)
    assert run.outcome.energy_error < 1e-12


def test_stiff_penalty_is_the_rigid_contact() -> None:
    """Without damping a penalty has e = 1; its impulse tends to the rigid contact's as k grows, where the end
    goes on sliding the same way. (Where sliding turns round within the impact, the law at its end shows less.)
    """
    exact = struck(0.9, (-0.4, -1.0), 1.0, 0.1)
    errors = []
    for k in (1e6, 1e8):
        run = pl.transient(
            rod(0.9, friction=0.1, stiffness=k, friction_speed=1e-4),
            end_time=1e-4 + 8.0 / sqrt(k),
            step=0.02 / sqrt(k),
            push={"rod": (-0.4, -1.0, 0.0)},
        )
        assert float(run.normal_force.values[-1, 0]) == 0.0
        impulse = np.trapezoid(run.normal_force.values[:, 0], run.time.values)
        assert impulse == pytest.approx(1.2 * (exact[1] + 1.0), rel=0.02)
        after = np.append(run.velocity.sel(marker="rod@0.5").values[-1], run.angular_velocity.values[-1, 0])
        errors.append(np.max(np.abs(after - exact)))
    assert errors[1] < 0.2 * errors[0]
    assert errors[1] < 2e-3


def pendulum(spatial, **law):
    """Build a rod that falls on a stop."""
    m = pl.Model("pendulum")
    ground, arm = m.add(pl.Ground(), pl.Link("arm", length=1.0, mass=1.0, angle=0.0))
    hinge = m.add(pl.Revolute(ground.at(0, 0), arm.at(s=0), name="hinge"))
    m.add(pl.Gravity(), pl.Stop(hinge, lower=-0.5 * pi, **{"stiffness": 1e5, **law}))
    return m.promoted() if spatial else m


@pytest.mark.parametrize(("ends", "begin"), [((-2.0, 2.0), 1.2), ((None, 0.3), -3.0), ((2.5, 4.5), 3.0)])
def test_wide_stop_is_the_same_in_space(ends: tuple[float | None, float], begin: float) -> None:
    """Angles further than half a turn from an end are allowed, and those beyond half a turn."""
    m = pl.Model("pendulum")
    ground, arm = m.add(pl.Ground(), pl.Link("arm", length=1.0, mass=1.0, angle=begin))
    hinge = m.add(pl.Revolute(ground.at(0, 0), arm.at(s=0), name="hinge"))
    m.add(pl.Stop(hinge, lower=ends[0], upper=ends[1], stiffness=1e4))
    runs = [
        pl.transient(pl.compile(each), end_time=2.0, step=2e-3, push={"arm": push})
        for each, push in ((m, 2.0), (m.promoted(), (0.0, 0.0, 2.0)))
    ]
    gaps = [run.gap.sel(contact="stop hinge").values for run in runs]
    first = min(abs(begin - end) for end in ends if end is not None)
    assert gaps[0][0] == pytest.approx(first)
    assert np.min(gaps[0]) < -1e-2 < first
    np.testing.assert_allclose(gaps[1], gaps[0], atol=1e-8)


def test_stop_of_more_than_a_turn_is_refused_in_space() -> None:
    m = pl.Model("winch")
    ground, arm = m.add(pl.Ground(), pl.Link("arm", length=1.0, mass=1.0, angle=0.0))
    hinge = m.add(pl.Revolute(ground.at(0, 0), arm.at(s=0), name="hinge"))
    m.add(pl.Stop(hinge, lower=-4.0, upper=4.0, stiffness=1e4))
    pl.compile(m)
    with pytest.raises(pl.errors.ModelError, match='Stop "stop hinge": from lower to upper it is 8 rad'):
        pl.compile(m.promoted())


@pytest.mark.parametrize("spatial", [False, True])
def test_stop_of_a_pendulum(spatial: bool) -> None:
    """omega = sqrt(3 g / L) where it strikes, and 1/e of that after."""
    e, speed = 0.5, sqrt(3.0 * G)
    system = pl.compile(pendulum(spatial, restitution=e))
    rigid = pl.transient(system, end_time=0.8, step=1e-3, contact="complementarity")
    spin = rigid.angular_velocity.sel(body="arm").values
    spin = spin[:, 2] if spatial else spin
    assert np.min(spin) == pytest.approx(-speed, abs=2e-2)  # struck up to a step late
    assert np.max(spin) == pytest.approx(e * speed, abs=1e-2)
    assert rigid.outcome.constraint_error < 1e-12
    soft = pl.transient(system, end_time=0.65, step=1e-4)
    spin = soft.angular_velocity.sel(body="arm").values
    assert np.max(spin[:, 2] if spatial else spin) == pytest.approx(speed, abs=2e-2)
    assert float(soft.gap.sel(contact="stop hinge").min()) == pytest.approx(-speed * sqrt(1 / 3 / 1e5), rel=2e-2)


def test_stop_of_a_slide_is_the_same_in_space() -> None:
    m = pl.Model("slide")
    ground, body = m.add(pl.Ground(), pl.Body("slider", mass=2.0, inertia=0.1, position=(0.2, 0.0), angle=0.0))
    slide = m.add(pl.Prismatic(ground.at(0, 0), body.at(), name="slide"))
    m.add(pl.Stop(slide, lower=-0.1, upper=0.5, stiffness=1e4, damping=0.2))
    runs = [
        pl.transient(pl.compile(each), end_time=1.5, step=1e-3, push={"slider": (*push, *turn)})
        for each, push, turn in ((m, (1.0, 0.0), (0.0,)), (m.promoted(), (1.0, 0.0, 0.0), (0.0, 0.0, 0.0)))
    ]
    x = [run.position.sel(marker="slider(0, 0)", axis="x").values for run in runs]
    np.testing.assert_allclose(x[1], x[0], atol=1e-9)
    assert 0.5 < np.max(x[0]) < 0.52
    assert -0.12 < np.min(x[0]) < -0.1


def test_spinning_ball_is_the_same_in_space() -> None:
    """Friction turns spin into travel; a promoted model does the same."""
    m = ball(height=0.01, friction=0.3, damping=0.2, stiffness=1e4)
    options = {"end_time": 0.3, "step": 5e-4}
    flat = pl.transient(pl.compile(m), push={"ball": (0.5, 0.0, 20.0)}, **options)
    deep = pl.transient(pl.compile(m.promoted()), push={"ball": (0.5, 0.0, 0.0, 0.0, 0.0, 20.0)}, **options)
    for axis in ("x", "y"):
        np.testing.assert_allclose(
            deep.position.sel(marker=BALL, axis=axis).values,
            flat.position.sel(marker=BALL, axis=axis).values,
            atol=1e-8,
        )
    assert abs(float(flat.velocity.sel(marker=BALL, axis="x")[-1]) - 0.5) > 0.05


def funnel(surface, *, aside=0.0, **law):
    """Build a ball above a funnel or a ring, `aside` of its axis."""
    m = pl.Model("funnel", plane=None)
    ground, probe = m.add(
        pl.Ground(),
        pl.Body("probe", mass=0.5, inertia=(1e-3,) * 3, position=(aside, 0, 0.05), orientation=(0, 0, 0), free=True),
    )
    shape = {"radius": 0.02, "opening": 0.1, "slope": 0.5} if surface == "cone" else {"radius": 0.04, "opening": 0.02}
    m.add(
        pl.Gravity(), pl.Contact("funnel", ground.at(0, 0), probe.at(), surface=surface, stiffness=1e4, **shape, **law)
    )
    return pl.compile(m)


HEIGHTS = {"cone": (0.02 - 0.1 * cos(0.5)) / sin(0.5), "ring": sqrt(0.04**2 - 0.02**2)}
RISES = {"cone": sin(0.5), "ring": HEIGHTS["ring"] / 0.04}  # of the normal where it rests


@pytest.mark.parametrize("surface", HEIGHTS)
def test_probe_settles_on_the_axis(surface: str) -> None:
    """The probe touches all round: pushed from two sides with N = m g / (2 rise), which is k (-g)."""
    run = pl.transient(funnel(surface, aside=0.01, damping=5.0, friction=0.2), end_time=3.0, accuracy=1e-6)
    x, y, z = run.position.sel(marker="probe(0, 0)").values[-1]
    depth = 0.5 * 0.5 * G / RISES[surface] / 1e4
    assert float(run.normal_force[-1, 0]) == pytest.approx(0.5 * G / RISES[surface], rel=1e-2)
    assert float(run.gap[-1, 0]) == pytest.approx(-depth, rel=2e-2)
    assert (x, y) == pytest.approx((0.0, 0.0), abs=1e-4)  # friction_speed lets it creep there
    assert z == pytest.approx(HEIGHTS[surface] - depth / RISES[surface], abs=2e-5)
    assert run.outcome.energy_error < 1e-2 * run.outcome.energy_range


@pytest.mark.parametrize("surface", HEIGHTS)
def test_rigid_probe_does_not_pass_through(surface: str) -> None:
    """Dropped on the axis it stays where it lands, but for a step of its way."""
    h, height = 1e-3, HEIGHTS[surface]
    run = pl.transient(funnel(surface), end_time=0.5, step=h, contact="complementarity")
    z = run.position.sel(marker="probe(0, 0)", axis="z").values
    assert z[-1] == pytest.approx(height, abs=h * sqrt(2 * G * (0.05 - height)))
    assert z[-1] == pytest.approx(z[-100], abs=1e-9)
    rise = sin(0.5) if surface == "cone" else z[-1] / sqrt(0.02**2 + z[-1] ** 2)
    assert float(run.normal_force[-1, 0]) == pytest.approx(0.5 * G / rise, rel=1e-9)


def test_rest_on_the_floor_is_an_equilibrium() -> None:
    """Statics: k (-g) = m g, both points of the rim alike."""
    m = pl.Model("table")
    ground, body = m.add(pl.Ground(), pl.Body("table", mass=2.0, inertia=0.1, position=(0, 1e-5), angle=0.0))
    m.add(pl.Gravity(), pl.Contact("floor", ground.at(0, 0), body.at(), rim=0.3, stiffness=1e5))
    m.add(pl.Slider(ground.at(0, 0, angle=0.5 * pi), body.at()))
    system = pl.compile(m)
    start = system.start()
    start.q[1] = -1e-5
    rest = pl.statics(system, start=start)
    assert float(rest.gap.sel(contact="floor")) == pytest.approx(-2.0 * G / 2e5, rel=1e-9)
    assert float(rest.normal_force.sel(contact="floor")) == pytest.approx(2.0 * G, rel=1e-9)


def test_rim_is_the_same_in_space() -> None:
    """A block that lands tilted; promoted, its rim has the same two points."""
    m = pl.Model("block")
    ground, body = m.add(pl.Ground(), pl.Body("b", mass=2.0, inertia=0.02, position=(0, 0.1), angle=0.3, free=True))
    law = {"stiffness": 1e4, "damping": 0.5, "friction": 0.3}
    m.add(pl.Gravity(), pl.Contact("floor", ground.at(0, 0), body.at(0, -0.03), rim=0.1, **law))
    flat, deep = (pl.transient(pl.compile(each), end_time=0.3, step=1e-3) for each in (m, m.promoted()))
    np.testing.assert_allclose(deep.normal_force.values, flat.normal_force.values, atol=1e-6)
    np.testing.assert_allclose(deep.gap.values, flat.gap.values, atol=1e-9)
    assert float(flat.normal_force.max()) > 100.0


def test_impulses_are_kept_between_instants() -> None:
    """The force with every= is the mean since the instant before: its sum in time stays the impulse."""
    system, impulses = pl.compile(ball(restitution=0.5)), []
    for every in (1, 10):
        run = pl.transient(system, end_time=0.8, step=1e-3, every=every, contact="complementarity")
        impulses.append(np.sum(run.normal_force.values[1:, 0] * np.diff(run.time.values)))
    assert impulses[0] > 1.0
    assert impulses[1] == pytest.approx(impulses[0], rel=1e-12)


def test_stop_with_the_explicit_formulation() -> None:
    m = pendulum(False)
    run = pl.transient(pl.compile(m, formulation="udwadia_kalaba"), end_time=0.65, times=np.linspace(0, 0.65, 651))
    assert float(run.gap.min()) == pytest.approx(-sqrt(3.0 * G) * sqrt(1 / 3 / 1e5), rel=2e-2)


def test_explicit_formulation_bounces_alike() -> None:
    """Accelerations by Udwadia and Kalaba and Runge-Kutta of order 8, beside generalized-alpha."""
    m = ball(height=0.1, friction=0.2, damping=0.3, stiffness=1e4)
    push = {"ball": (0.3, 0.0, 0.0)}
    one = pl.transient(pl.compile(m), end_time=0.3, step=1e-4, push=push)
    other = pl.transient(pl.compile(m, formulation="udwadia_kalaba"), end_time=0.3, times=[0.3], push=push)
    ends = [run.position.sel(marker=BALL).values[-1] for run in (one, other)]
    np.testing.assert_allclose(ends[0], ends[1], atol=2e-6)


@pytest.mark.parametrize("mu", [0.0, 0.3])
def test_a_beam_pressed_to_a_floor_rests_on_it(mu: float) -> None:
    """Weight and load stand on 41 contacts; sweeps alone take thousands for them."""
    m = pl.Model("pressed")
    ground, beam = m.add(
        pl.Ground(),
        pl.Beam("beam", length=1.0, section=pl.Section(2e7, 6.4e6, 2e3, 0.6, 1e-5), position=(0.0, 0.0), angle=0.0),
    )
    floor = [pl.Contact(f"c{k}", ground.at(0, 0), beam.at(s=k / 40), stiffness=1e5, friction=mu) for k in range(41)]
    m.add(*floor, pl.Gravity(y=-9.81), pl.Force(beam.at(s=0.5), y=-500.0))
    options = {"step": 1e-3, "contact": "complementarity", "estimate": False}  # three steps miss waves of the first
    run = pl.transient(pl.compile(m, elements={"beam": 40}), end_time=0.02, **options)
    assert run.outcome.ok
    assert run.outcome.cut_backs == 0
    np.testing.assert_allclose(run.normal_force.values[-1].sum(), 500.0 + 0.6 * 9.81, rtol=1e-6)
    assert run.position.sel(axis="y").values.min() > -1e-9


def test_clusters_of_contacts_know_nothing_of_each_other() -> None:
    """Two balls that share no part move as each would alone, to the bit."""
    alone = pl.transient(pl.compile(dropped([0.3])), end_time=0.5, step=1e-3, contact="complementarity")
    both = pl.transient(pl.compile(dropped([0.3, 0.17])), end_time=0.5, step=1e-3, contact="complementarity")
    np.testing.assert_array_equal(both.position.values[:, 0], alone.position.values[:, 0])
    assert not np.array_equal(both.position.values[:, 1, 1], alone.position.values[:, 0, 1])


def dropped(heights: list[float]) -> pl.Model:
    """Build balls above a floor, that spin."""
    m = pl.Model("balls")
    ground = m.add(pl.Ground())
    for k, height in enumerate(heights):
        body = m.add(pl.Body(f"ball {k}", mass=1.0, inertia=4e-3, position=(float(k), height), angle=0.0))
        m.add(pl.Contact(f"floor {k}", ground.at(0, 0), body.at(), radius=0.1, stiffness=1e5, friction=0.3,
                         restitution=0.5))  # fmt: skip
    m.add(pl.Gravity())
    return m


@pytest.mark.parametrize("symmetric", [True, False])
def test_velocities_of_contacts_for_impulses_of_each_other(symmetric: bool) -> None:
    """W = D S^-1 D^T of contacts, two of which touch the same part; what touches another part is no neighbour."""
    random, unknowns, h = np.random.default_rng(0), 8, 0.1
    S = random.standard_normal((unknowns, unknowns))
    S = S @ S.T + np.eye(unknowns) if symmetric else S + 5.0 * np.eye(unknowns)
    some = touching_of(SimpleNamespace(freedoms=unknowns, constraints=0), SimpleNamespace(first=np.zeros(4)), 3, 3)
    D = random.standard_normal((9, unknowns))
    some.width[:], some.columns[:, :unknowns], some.rates[:, :unknowns] = unknowns, np.arange(unknowns), D
    some.answers[:], some.order[:], some.ball[:] = h * np.linalg.solve(S, D.T).T, (2, 0, 1), -1.0
    some.reach[:, 0] = np.repeat((0, 1, 0), 3)
    couple(some, 0, 3, h, symmetric)
    order, W = (6, 7, 8, 0, 1, 2, 3, 4, 5), D @ np.linalg.solve(S, D.T)
    expected = W[np.ix_(order, order)]
    expected[6:, :6] = expected[:6, 6:] = 0.0
    np.testing.assert_allclose(some.matrix.W, expected, rtol=1e-12, atol=1e-14)
    near = [some.matrix.near[i, : some.matrix.count[i]].tolist() for i in range(3)]
    assert near == [[0, 1], [0, 1], [2]]


@pytest.mark.parametrize("seed", range(5))
def test_a_leap_finds_impulses_that_fit(seed: int) -> None:
    """u = W p + b: open, stuck and sliding contacts as Coulomb's law has them, where W is badly conditioned."""
    random, contacts = np.random.default_rng(seed), 8
    axes, _ = np.linalg.qr(random.standard_normal((24, 24)))
    W = axes @ np.diag(np.geomspace(1.0, 1e-5, 24)) @ axes.T
    W, b = 0.5 * (W + W.T), random.standard_normal(24) * np.tile([1.0, 0.3, 0.3], contacts)
    mu, p, ball = np.full(contacts, 0.2), np.zeros(24), np.full(contacts, -1.0)
    mu[:4] = 0.0
    for _ in range(6):
        cones.solve(cones.whole(W), b, mu, p, ball, 1e-12, 20)
        leap(cones.whole(W), b, mu, p, ball, leap_workspace(24))
    assert cones.solve(cones.whole(W), b, mu, p.copy(), ball, 1e-9, 3) <= 3
    (push, *across), (away, *slip) = (x.reshape(contacts, 3).T for x in (p, W @ p + b))
    assert push.min() >= -1e-9
    assert away.min() >= -1e-9
    assert np.abs(push * away).max() < 1e-8
    size, speed = np.hypot(*across), np.hypot(*slip)
    assert np.all(size <= mu * push + 1e-8)
    assert np.all((speed < 1e-7) | (size > mu * push - 1e-6))
