"""Friction by the reactions of joints: smooth and set-valued, in the plane and in space, in both formulations."""

from __future__ import annotations

from math import atan, cos, hypot, inf, pi, sin, sqrt, tan
from typing import Any

import numpy as np
import pytest

import pliant as pl
from pliant.errors import ModelError, OptionError, PliantError
from tests.models import incline

FORMULATIONS = ("dae", "udwadia_kalaba")
G = 9.81


def moved(run: Any, marker: str) -> np.ndarray:
    """Return ways of a marker since the start."""
    place = run.position.sel(marker=marker).values
    return np.linalg.norm(place - place[0], axis=-1)


def spinner(space: bool) -> tuple[pl.Model, Any]:
    """Return a rod of 0.8 m and 1.5 kg that spins about a rough pin at its end, and the push of 5 rad/s."""
    inertia = 1.5 * 0.64 / 12.0
    m = pl.Model("spinner", plane=None if space else "xy")
    ground = m.add(pl.Ground())
    where = {"position": (0.4, 0.0, 0.0), "inertia": (0.1, inertia, inertia)} if space else {"inertia": inertia}
    rod = m.add(pl.Body("rod", mass=1.5, **({"position": (0.4, 0.0)} | where)))
    pin = m.add(pl.Revolute(ground.at(0, 0), rod.at(-0.4, 0.0), name="pin"))
    m.add(pl.Friction(pin, 0.4, radius=0.1, speed=1e-6))
    return m, {"rod": (0.0, 2.0, 0.0, 0.0, 0.0, 5.0) if space else (0.0, 2.0, 5.0)}


@pytest.mark.parametrize(
    ("formulation", "how", "tolerance"),
    [
        ("dae", {"accuracy": 1e-5}, 1e-5),
        ("dae", {"step": 4e-3, "method": "Moreau"}, 1e-5),
        ("udwadia_kalaba", {"accuracy": 1e-8}, 1e-8),
        ("udwadia_kalaba", {"step": 4e-3, "method": "Moreau"}, 1e-5),
    ],
)
@pytest.mark.parametrize("space", [False, True])
def test_a_rod_on_a_rough_pin_stops_as_its_own_reaction_says(
    space: bool, formulation: str, how: dict[str, Any], tolerance: float
) -> None:
    """I w' = -mu r N, N = m l/2 sqrt(w^4 + w'^2): w = 1 / (1/w0 + k t), k = c / sqrt(1 - c^2), c = 3 mu r / (2 l)."""
    m, push = spinner(space)
    run = pl.transient(pl.compile(m, formulation=formulation), end_time=2.0, push=push, **how)
    c = 1.5 * 0.4 * 0.1 / 0.8
    exact = 1.0 / (1.0 / 5.0 + c / sqrt(1.0 - c**2) * 2.0)
    assert run.outcome.ok
    assert np.linalg.norm(run.angular_velocity[-1, 0]) == pytest.approx(exact, rel=tolerance)
    assert float(run.joint_friction[-1, 0]) == pytest.approx(
        1.5 * 0.64 / 3.0 * c / sqrt(1.0 - c**2) * exact**2, rel=1e-3
    )


@pytest.mark.parametrize("space", [False, True])
@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_block_on_an_incline_is_held_or_slides(formulation: str, space: bool) -> None:
    """Held below tan(angle) = mu, for good and not by creeping; else it slides with g (sin - mu cos)."""
    for angle, mu in ((0.3, 1.02 * tan(0.3)), (0.3, 0.1)):
        system = pl.compile(incline(space, angle, coefficient=mu), formulation=formulation)
        run = pl.transient(system, end_time=0.5, step=0.01, method="Moreau")
        way = 0.5 * max(0.0, G * (sin(angle) - mu * cos(angle))) * 0.25
        assert moved(run, run.marker.values[0])[-1] == pytest.approx(way, rel=1e-10, abs=1e-13)
        assert run.outcome.ok
        pull, limit = 2.0 * G * sin(angle), mu * 2.0 * G * cos(angle)
        assert float(run.friction_limit[-1, 0]) == pytest.approx(limit, rel=1e-10)
        assert abs(float(run.joint_friction[-1, 0])) == pytest.approx(min(pull, limit), rel=1e-10)
        assert float(run.slip_speed.sel(friction="friction guide")[-1]) == pytest.approx(4.0 * way, abs=1e-10)


def test_a_dry_swing_loses_the_same_at_every_turn() -> None:
    """J x'' + k x = -T sign(x'): the amplitude falls by 2 T / k at every half swing, and it sticks where k |x| < T."""
    inertia, stiffness, torque, start = 0.5, 8.0, 0.9, 1.0
    m = pl.Model("swing")
    ground = m.add(pl.Ground())
    wheel = m.add(pl.Body("wheel", mass=1.0, inertia=inertia, position=(0, 0), angle=start))
    pin = m.add(pl.Revolute(ground.at(0, 0), wheel.at(), name="pin"))
    m.add(pl.TorsionSpring("spring", ground.at(0, 0), wheel.at(), stiffness, rest_angle=0.0))
    m.add(pl.Friction(pin, constant=torque))
    half = pi * sqrt(inertia / stiffness)
    run = pl.transient(pl.compile(m), end_time=7.0 * half, step=half / 200.0, method="Moreau")
    angle = run.angle.sel(body="wheel").values
    drop, turns = 2.0 * torque / stiffness, [start]
    while stiffness * abs(turns[-1]) > torque:
        turns.append(-np.sign(turns[-1]) * (abs(turns[-1]) - drop))
    assert len(turns) == 5
    np.testing.assert_allclose(angle[: 200 * len(turns) : 200], turns, atol=2e-4)
    assert np.ptp(angle[200 * len(turns) :]) < 1e-12  # it stays
    lost = float(run.energy.sel(energy_kind="dissipated")[-1])
    assert lost == pytest.approx(torque * np.sum(np.abs(np.diff(turns))), rel=1e-3)


def test_a_block_on_a_belt_sticks_and_slips_in_the_known_time() -> None:
    """A block on a spring k, with F_s at rest and F_k in motion, on a belt of speed V: it sticks for 2 (F_s - F_k) / (k
    V) and slips for 2 (pi - atan((F_s - F_k) w / (k V))) / w, again and again.
    """
    mass, stiffness, speed, mu, rise = 2.0, 50.0, 0.1, 0.2, 1.5
    m = pl.Model("belt")
    ground = m.add(pl.Ground())
    band = m.add(pl.Body("band", mass=1.0, inertia=0.1, position=(0, 0), angle=0.0))
    block = m.add(pl.Body("block", mass=mass, inertia=0.1, position=(0, 0), angle=0.0))
    m.add(pl.Prismatic(ground.at(0, 0), band.at()), pl.Gravity())
    m.add(pl.Motion(ground.at(0, 0), band.at(), x=pl.Expression(f"{speed} * t")))
    contact = m.add(pl.Prismatic(band.at(), block.at(), name="contact"))
    m.add(pl.Friction(contact, mu, length=inf, breakaway=rise, stribeck_speed=1e-8))
    m.add(pl.Bushing("spring", ground.at(0, 0), block.at(), stiffness=(stiffness, 0.0, 0.0)))
    excess, w = (rise - 1.0) * mu * mass * G / (stiffness * speed), sqrt(stiffness / mass)
    period = 2.0 * excess + 2.0 * (pi - atan(excess * w)) / w
    first = rise * mu * mass * G / (stiffness * speed)  # it slips when the spring has taken F_s
    step = period / 1000.0
    push = {"block": (speed, 0.0, 0.0)}
    run = pl.transient(pl.compile(m), end_time=first + 3.2 * period, step=step, method="Moreau", push=push)
    place = run.position.sel(marker="block(0, 0)", axis="x").values
    peaks = run.time.values[1:-1][(place[1:-1] > place[:-2]) & (place[1:-1] >= place[2:])]
    np.testing.assert_allclose(np.diff(peaks), period, rtol=5e-3)
    assert peaks[0] == pytest.approx(first + atan(1.0 / (excess * w)) / w, rel=5e-3)


def test_a_ladder_slips_where_both_its_ends_do() -> None:
    """A ladder on floor and wall with one mu rests while its angle has tan > (1 - mu^2) / (2 mu)."""
    mu = 0.3
    critical = atan((1.0 - mu**2) / (2.0 * mu))
    for angle, rests in ((1.01 * critical, True), (0.99 * critical, False)):
        m = pl.Model("ladder")
        ground = m.add(pl.Ground())
        rod = m.add(pl.Link("rod", length=2.0, mass=3.0, position=(-2.0 * cos(angle), 0.0), angle=angle))
        floor = m.add(pl.Slider(ground.at(0, 0), rod.at(s=0), name="floor"))
        wall = m.add(pl.Slider(ground.at(0, 0, angle=pi / 2.0), rod.at(s=1), name="wall"))
        m.add(pl.Gravity(), pl.Friction(floor, mu), pl.Friction(wall, mu))
        run = pl.transient(pl.compile(m), end_time=0.3, step=2e-3, method="Moreau")
        assert (moved(run, "rod/base")[-1] < 1e-12) == rests


def jack(mu: float, mass: float = 5.0) -> pl.Model:
    """Build a heavy nut on a screw of radius 10 mm and 12 mm pitch."""
    m = pl.Model("jack", plane=None)
    ground = m.add(pl.Ground())
    nut = m.add(pl.Body("nut", mass=mass, inertia=1e-3))
    screw = m.add(pl.Screw(ground.at(0, 0, 0), nut.at(), pitch=0.012, name="screw"))
    m.add(pl.Gravity(x=0.0, y=0.0, z=-G), pl.Friction(screw, mu, radius=0.01, length=inf))
    return m


def test_a_screw_locks_itself_below_its_angle_of_friction() -> None:
    """A screw holds its load while mu > tan(climb); else it turns down by the balance along and across the thread."""
    climb = atan(0.012 / (2.0 * pi * 0.01))
    held = pl.transient(pl.compile(jack(1.02 * tan(climb))), end_time=0.1, step=2e-3, method="Moreau")
    assert np.max(np.abs(held.angular_velocity)) < 1e-10
    mu, tilt = 0.5 * tan(climb), climb
    run = pl.transient(pl.compile(jack(mu)), end_time=0.1, step=1e-3, method="Moreau")
    load, couple = 5.0, 1e-3 / 0.01**2  # z = -s sin, r phi = s cos; unknowns s'' and N
    a = np.array(
        [[load * sin(tilt) ** 2 + couple * cos(tilt) ** 2, mu], [(couple - load) * sin(tilt) * cos(tilt), -1.0]]
    )
    along, _ = np.linalg.solve(a, [load * G * sin(tilt), -load * G * cos(tilt)])
    turned = float(np.linalg.norm(run.angular_velocity[-1, 0]))
    assert turned == pytest.approx(along * cos(tilt) / 0.01 * 0.1, rel=1e-6)


@pytest.mark.parametrize("method", [{"step": 1e-3, "method": "Moreau"}, {"accuracy": 1e-6}])
def test_a_shaft_rubs_against_the_velocity_of_its_surface(method: dict[str, Any]) -> None:
    """A shaft with J = m r^2 that slides and turns keeps the direction of its surface: it stops after m v / F."""
    mass, radius, force = 2.0, 0.05, 3.0
    m = pl.Model("shaft", plane=None)
    ground = m.add(pl.Ground())
    rod = m.add(pl.Body("rod", mass=mass, inertia=(1.0, 1.0, mass * radius**2)))
    sleeve = m.add(pl.Cylindrical(ground.at(0, 0, 0), rod.at(), name="sleeve"))
    m.add(pl.Friction(sleeve, constant=force, radius=radius, speed=1e-6))
    slide, turn = 0.3, 8.0
    total = hypot(slide, radius * turn)
    end = 0.5 * mass * total / force
    run = pl.transient(pl.compile(m), end_time=end, push={"rod": (0.0, 0.0, slide, 0.0, 0.0, turn)}, **method)
    speed = float(run.velocity.sel(marker="rod(0, 0)", axis="z")[-1])
    assert speed == pytest.approx(0.5 * slide, rel=1e-5)
    assert float(np.linalg.norm(run.angular_velocity[-1, 0])) == pytest.approx(0.5 * turn, rel=1e-5)


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("method", ["Moreau", "smooth"])
def test_a_ball_stops_about_whatever_axis_it_turns(formulation: str, method: str) -> None:
    """J w' = -mu r N w / |w|, N from the weight that it carries."""
    m = pl.Model("ball", plane=None)
    ground = m.add(pl.Ground())
    ball = m.add(pl.Body("ball", mass=2.0, inertia=0.4))
    socket = m.add(pl.Spherical(ground.at(0, 0, 0), ball.at(), name="socket"))
    m.add(pl.Gravity(x=0.0, y=0.0, z=-G), pl.Friction(socket, 0.3, radius=0.04, speed=1e-6))
    how: dict[str, Any] = {"step": 5e-3, "method": "Moreau"} if method == "Moreau" else {"accuracy": 1e-6}
    begin = np.array([2.0, -1.0, 2.0])
    run = pl.transient(
        pl.compile(m, formulation=formulation), end_time=1.0, push={"ball": (0.0, 0.0, 0.0, *begin)}, **how
    )
    left = 3.0 - 0.3 * 0.04 * 2.0 * G / 0.4
    np.testing.assert_allclose(run.angular_velocity[-1, 0], begin * left / 3.0, rtol=1e-6)


def test_a_guide_jams_under_a_lever() -> None:
    """A push at the distance a from a guide of length l moves it where 2 mu a / l < 1, whatever its size."""
    mu, length, push, mass = 0.3, 0.1, 20.0, 2.0
    for arm in (0.05, 0.16, 0.2):
        m = pl.Model("guide")
        ground, body = m.add(pl.Ground(), pl.Body("block", mass=mass, inertia=0.1))
        guide = m.add(pl.Prismatic(ground.at(0, 0), body.at(), name="guide"))
        m.add(pl.Force(body.at(0.0, arm), x=push), pl.Friction(guide, mu, length=length))
        run = pl.transient(pl.compile(m), end_time=0.2, step=2e-3, method="Moreau")
        net = max(0.0, push * (1.0 - 2.0 * mu * arm / length))
        assert moved(run, "block(0, 0)")[-1] == pytest.approx(0.5 * net / mass * 0.04, rel=1e-6, abs=1e-12)


# --- at rest


@pytest.mark.parametrize("space", [False, True])
def test_a_block_rests_within_the_known_band(space: bool) -> None:
    """Level pushes from -W tan(angle + phi) to -W tan(angle - phi) hold it, tan phi = mu times the breakaway."""
    angle, mu, rise, weight = 0.5, 0.2, 1.5, 2.0 * G
    m = incline(space, angle, coefficient=mu, breakaway=rise)
    m.add(pl.Force(m.part("block").at(), name="push"))
    phi = atan(mu * rise)
    for formulation in FORMULATIONS:
        band = pl.rest_band(pl.compile(m, formulation=formulation), "push/x")
        assert band.lower == pytest.approx(-weight * tan(angle + phi), rel=1e-10)
        assert band.upper == pytest.approx(-weight * tan(angle - phi), rel=1e-10)
        assert band.free == pytest.approx(-weight * tan(angle), rel=1e-10)
        assert band.free in band
        assert band.friction["guide"][1] == pytest.approx(weight / cos(angle - phi) * sin(phi), rel=1e-10)


def test_a_steep_block_locks_under_a_level_push() -> None:
    """No push moves it up where angle + phi is more than a right angle."""
    m = incline(False, 1.2, coefficient=0.5)
    m.add(pl.Force(m.part("block").at(), name="push"))
    band = pl.rest_band(pl.compile(m), "push/x")
    assert band.lower == -inf
    assert band.upper == pytest.approx(-2.0 * G * tan(1.2 - atan(0.5)), rel=1e-10)


def test_a_jack_is_turned_up_and_down_by_the_known_torques() -> None:
    """W r tan(phi + climb) up, W r tan(phi - climb) down."""
    climb, phi, weight = atan(0.012 / (2.0 * pi * 0.01)), atan(0.3), 5.0 * G
    m = jack(0.3)
    m.add(pl.Moment(m.part("nut").at(), z=0.0, name="key"))
    band = pl.rest_band(pl.compile(m), "key/z")
    assert band.upper == pytest.approx(weight * 0.01 * tan(phi + climb), rel=1e-10)
    assert band.lower == pytest.approx(-weight * 0.01 * tan(phi - climb), rel=1e-10)
    assert 0.0 in band  # it locks itself


def swinging(**friction: Any) -> pl.Model:
    """Build a pendulum on a pendulum; the upper pin rubs."""
    m = pl.Model("double")
    ground = m.add(pl.Ground())
    upper = m.add(pl.Link("upper", length=1.0, mass=1.0, angle=-90 * pl.DEG))
    lower = m.add(pl.Link("lower", length=0.5, mass=1.0, angle=-90 * pl.DEG))
    pin = m.add(pl.Revolute(ground.at(0, 0), upper.at(s=0), name="pin"))
    m.add(pl.Revolute(upper.at(s=1), lower.at(s=0)), pl.Gravity(), pl.Force(lower.at(s=1), name="push"))
    m.add(pl.Friction(pin, **friction))
    return m


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_small_motions_are_those_of_stuck_or_of_free_joints(formulation: str) -> None:
    """Stuck, the lower one swings alone: w^2 = m g (l/2) / (m l^2 / 3)."""
    system = pl.compile(swinging(coefficient=0.2, radius=0.01, viscous=0.3), formulation=formulation)
    with pytest.raises(PliantError, match=r"'pin' of 'double' rub.*kink"):
        pl.modal(system)
    ports: dict[str, Any] = {"inputs": ["push/x"], "outputs": ["position:lower/tip:x"]}
    with pytest.raises(PliantError, match="kink"):
        pl.linearise(system, **ports)
    swung = pl.transient(system, end_time=0.05, push={"lower": 1.0}, **({"step": 1e-3} if formulation == "dae" else {}))
    with pytest.raises(PliantError, match="no part in the model of an instant"):
        pl.linearise(system, at=swung, frozen=True, friction="free", **ports)
    stuck = pl.modal(system, friction="stuck")
    assert stuck.frequency_hz.values[:1] == pytest.approx([sqrt(1.5 * G / 0.5) / (2.0 * pi)], rel=1e-9)
    model = pl.linearise(system, friction="stuck", **ports)
    assert sorted(np.abs(np.linalg.eigvals(model.A))) == pytest.approx([sqrt(3.0 * G)] * 2, rel=1e-9)
    free = pl.linearise(system, friction="free", **ports)
    m = swinging(viscous=0.3)  # nothing dry: nothing to be said
    np.testing.assert_allclose(pl.linearise(pl.compile(m, formulation=formulation), **ports).A, free.A, atol=1e-9)
    assert np.trace(free.A) < -0.1


def test_a_band_needs_one_freedom_and_friction() -> None:
    with pytest.raises(PliantError, match="has 2 freedoms"):
        pl.rest_band(pl.compile(swinging(constant=1.0)), "push/x")
    m, _ = spinner(False)
    m.add(pl.Force(m.part("rod").at(), name="pull"))
    with pytest.raises(PliantError, match="does no work"):
        pl.rest_band(pl.compile(m), "pull/x")


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_rod_in_paradox_is_refused(formulation: str) -> None:
    """Painleve: a rod whose end slides along a rough line with the speed v. Its normal force N follows from

    N (1 + 3 cos(th) (cos(th) - mu sin(th) sign)) = m g - m (l/2) w^2 sin(th);   no N > 0 where the bracket is < 0
    """
    mu, angle = 2.0, 1.0
    m = pl.Model("Painleve")
    ground = m.add(pl.Ground())
    rod = m.add(pl.Link("rod", length=1.0, mass=1.0, position=(0.0, 0.0), angle=angle))
    floor = m.add(pl.Slider(ground.at(0, 0), rod.at(s=0), name="floor"))
    m.add(pl.Gravity(), pl.Friction(floor, mu, speed=1e-6))
    bracket = 1.0 + 3.0 * cos(angle) * (cos(angle) - mu * sin(angle))
    assert bracket < 0.0
    system = pl.compile(m, formulation=formulation)
    with pytest.raises(PliantError, match=r"not determined|jams"):
        pl.transient(
            system, end_time=0.1, push={"rod": (-1.0, 0.0, 0.0)}, **({"step": 1e-3} if formulation == "dae" else {})
        )


def test_what_cannot_rub_is_refused() -> None:
    m = pl.Model("refused")
    ground, arm = m.add(pl.Ground(), pl.Link("arm", length=0.1, mass=0.2))
    pin = m.add(pl.Revolute(ground.at(0, 0), arm.at(s=0), name="pin"))
    for given, message in (
        ({"coefficient": 0.1}, "needs the radius= of its pin"),
        ({"coefficient": 0.1, "radius": 0.01, "breakaway": 0.9}, "breakaway"),
        ({"coefficient": -0.1}, "coefficient = -0.1"),
        ({"constant": 0.1, "speed": 0.0}, "speed"),
    ):
        with pytest.raises(ModelError, match=message):
            pl.Friction(pin, **given)
    with pytest.raises(ModelError, match=r"must be a .*Revolute"):
        pl.Friction(pl.Weld(ground.at(0, 0), arm.at(s=1)), 0.1)
    with pytest.raises(ModelError, match="needs the length= of its guide"):
        pl.Friction(pl.Prismatic(ground.at(0, 0), arm.at(s=1)), 0.1)
    with pytest.raises(ModelError, match="carries no moment"):
        m.add(pl.Friction(pin, 0.1, radius=0.01, length=0.1))
    m.add(pl.Friction(pin, 0.1, radius=0.01))
    with pytest.raises(ModelError, match="not in this formulation"):
        pl.compile(m, formulation="relative")
    with pytest.raises(PliantError, match="momentum"):
        pl.transient(pl.compile(m), end_time=0.1, step=0.01, scheme="momentum")
    m.add(pl.Friction(pin, 0.2, radius=0.01))
    with pytest.raises(ModelError, match="has friction already"):
        pl.compile(m)


@pytest.mark.parametrize("method", [{"step": 5e-3}, {"step": 5e-3, "method": "Moreau"}])
def test_friction_follows_a_press_that_jumps(method: dict[str, Any]) -> None:
    """m v' = -mu (m g + P): P jumps at an instant between steps, and friction with it."""
    m = pl.Model("press")
    ground, block = m.add(pl.Ground(), pl.Body("block", mass=2.0, inertia=0.1))
    guide = m.add(pl.Prismatic(ground.at(0, 0), block.at(), name="guide"))
    m.add(pl.Gravity(), pl.Force(block.at(), y=pl.Expression("where(t < 0.1, 0.0, -30.0)"), name="press"))
    m.add(pl.Friction(guide, 0.3, length=inf, speed=1e-6))
    run = pl.transient(pl.compile(m), end_time=0.2, push={"block": (3.0, 0.0, 0.0)}, **method)
    left = float(run.velocity.sel(marker="block(0, 0)", axis="x")[-1])
    assert left == pytest.approx(3.0 - 0.3 * (G * 0.2 + 15.0 * 0.1), abs=1e-9)


def test_stiffness_has_to_be_told_of_joints_that_rub() -> None:
    m = pl.Model("lever")
    ground, bar = m.add(pl.Ground(), pl.Link("bar", length=1.0, mass=1.0, angle=0.0))
    pin = m.add(pl.Revolute(ground.at(0, 0), bar.at(s=0), name="pin"))
    m.add(pl.TorsionSpring("spring", ground.at(0, 0), bar.at(s=0), stiffness=50.0), pl.Friction(pin, 0.2, radius=0.01))
    m.add(pl.Force(bar.at(s=0.5), x=3.0, name="along"))
    system = pl.compile(m)
    with pytest.raises(OptionError, match="'pin' of 'lever' rub"):
        pl.stiffness(system, marker="bar/tip")
    assert pl.stiffness(system, marker="bar/tip", friction="stuck").compliance[1, 1] == pytest.approx(0.0, abs=1e-12)
    assert pl.stiffness(system, marker="bar/tip", friction="free").compliance[1, 1] == pytest.approx(1 / 51.5, rel=1e-9)
