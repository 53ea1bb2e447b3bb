"""Equilibria at the edge of slipping (``statics(friction=...)``) against balances written by hand."""

from __future__ import annotations

from math import atan, cos, hypot, inf, pi, sin, tan
from typing import Any, cast

import numpy as np
import pytest

import pliant as pl
from pliant.errors import ConvergenceError, OptionError, PliantError
from pliant.solvers.nonlinear.slipping import Slipping, sign_of
from pliant.system.packing.joint_friction import slips_of
from tests.models import incline

FORMULATIONS = ("dae", "udwadia_kalaba")
G = 9.81


def held(space: bool, angle: float, stiffness: float, **friction: Any) -> pl.Model:
    """Build a block on an incline, with a level spring that has no force at the start."""
    m = incline(space, angle, **friction)
    ends = (m.part("ground").at(*(0, 0, 0)[: 2 + space]), m.part("block").at())
    m.add(pl.Bushing("spring", *ends, stiffness=(stiffness, 0.0, 0.0)))
    return m


@pytest.mark.parametrize("space", [False, True])
@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_block_is_held_by_a_level_spring(formulation: str, space: bool) -> None:
    """k x = W tan(angle - phi) about to slide down, W tan(angle + phi) about to slide up, tan phi = mu breakaway."""
    angle, mu, rise, stiffness, weight = 0.5, 0.2, 1.5, 300.0, 2.0 * G
    system = pl.compile(held(space, angle, stiffness, coefficient=mu, breakaway=rise), formulation=formulation)
    phi = atan(mu * rise)
    for side in (1, -1):
        rest = pl.statics(system, friction={"guide": side})
        place = float(rest.position.sel(marker="block(0, 0)", axis="x"))
        assert rest.outcome.ok
        assert stiffness * place == pytest.approx(weight * tan(angle - side * phi), rel=1e-10)
        holds = weight / cos(angle - side * phi) * sin(phi)
        assert float(rest.joint_friction[0]) == pytest.approx(side * holds, rel=1e-10)
        assert float(rest.friction_limit[0]) == pytest.approx(holds, rel=1e-10)
    none = pl.statics(system, friction={"guide": 0})
    assert stiffness * float(none.position.sel(marker="block(0, 0)", axis="x")) == pytest.approx(weight * tan(angle))


def test_a_steep_block_locks_itself() -> None:
    """No level force pushes it up where angle + phi is more than a right angle."""
    system = pl.compile(held(False, 1.2, 300.0, coefficient=0.5))
    with pytest.raises(ConvergenceError, match=r"'incline' locks itself.*'guide'"):
        pl.statics(system, friction={"guide": -1})
    assert pl.statics(system, friction={"guide": 1}).outcome.ok


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("sides", [(1, 1), (1, -1), (-1, 1), (-1, 0)])
def test_pins_of_two_pendulums(formulation: str, sides: tuple[int, int]) -> None:
    """The lower pin rubs on both links with mu r m2 g; the upper one carries both weights. With angles th from below

    m2 g (l2/2) sin th2 = -s2 M2,    (m1/2 + m2) g l1 sin th1 = s2 M2 - s1 M1
    """
    l1, l2, m1, m2, mu1, r1, mu2, r2 = 1.0, 0.5, 1.0, 1.5, 0.3, 0.05, 0.4, 0.03
    m = pl.Model("double")
    ground = m.add(pl.Ground())
    upper = m.add(pl.Link("upper", length=l1, mass=m1, angle=-90 * pl.DEG))
    lower = m.add(pl.Link("lower", length=l2, mass=m2, angle=-90 * pl.DEG))
    pin = m.add(pl.Revolute(ground.at(0, 0), upper.at(s=0), name="pin"))
    elbow = m.add(pl.Revolute(upper.at(s=1), lower.at(s=0), name="elbow"))
    m.add(pl.Gravity(), pl.Friction(pin, mu1, radius=r1), pl.Friction(elbow, mu2, radius=r2))
    rest = pl.statics(pl.compile(m, formulation=formulation), friction=dict(zip(("pin", "elbow"), sides, strict=True)))
    couple1, couple2 = sides[0] * mu1 * r1 * (m1 + m2) * G, sides[1] * mu2 * r2 * m2 * G
    assert rest.outcome.ok
    swing = rest.angle.values + 0.5 * pi
    assert sin(swing[1]) == pytest.approx(-couple2 / (m2 * G * l2 / 2.0), abs=1e-10)
    assert sin(swing[0]) == pytest.approx((couple2 - couple1) / ((m1 / 2.0 + m2) * G * l1), abs=1e-10)
    np.testing.assert_allclose(rest.joint_friction, [couple1, couple2], rtol=1e-10)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_pin_in_space_rubs_by_the_force_across_it(formulation: str) -> None:
    """A rod on a pin that a level force P pulls at its centre: W s sin th - P s cos th = -M, M = mu r hypot(W, P)."""
    mass, arm, mu, radius, pull = 1.5, 0.4, 0.5, 0.1, 6.0
    m = pl.Model("rod", plane=None)
    ground = m.add(pl.Ground())
    rod = m.add(pl.Body("rod", mass=mass, inertia=0.05, position=(0.0, -arm, 0.0)))
    pin = m.add(pl.Revolute(ground.at(0, 0, 0), rod.at(0.0, arm, 0.0), name="pin"))
    m.add(pl.Gravity(x=0.0, y=-G, z=0.0), pl.Force(rod.at(), x=pull), pl.Friction(pin, mu, radius=radius))
    rest = pl.statics(pl.compile(m, formulation=formulation), friction={"pin": 1})
    size, couple = hypot(mass * G, pull), mu * radius * hypot(mass * G, pull)
    x, y = rest.position.sel(marker="rod(0, 0)").values[:2]
    angle = float(np.arctan2(x, -y))
    assert size * arm * sin(angle - atan(pull / (mass * G))) == pytest.approx(-couple, rel=1e-10)
    assert float(rest.joint_friction[0]) == pytest.approx(couple, rel=1e-10)


def jack(mu: float, stiffness: float = 2.0) -> pl.Model:
    """Build a nut of 5 kg on a screw of radius 10 mm and 12 mm pitch, with a spring that resists its turning."""
    m = pl.Model("jack", plane=None)
    ground = m.add(pl.Ground())
    nut = m.add(pl.Body("nut", mass=5.0, inertia=1e-3))
    screw = m.add(pl.Screw(ground.at(0, 0, 0), nut.at(), pitch=0.012, name="screw"))
    m.add(pl.Bushing("spring", ground.at(0, 0, 0), nut.at(), turning_stiffness=(0.0, 0.0, stiffness)))
    m.add(pl.Gravity(x=0.0, y=0.0, z=-G), pl.Friction(screw, mu, radius=0.01, length=inf))
    return m


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("mu", [0.05, 0.3])
def test_a_screw_is_wound_up_and_down(formulation: str, mu: float) -> None:
    """k phi = -W r tan(friction + climb) about to rise, W r tan(friction - climb) about to sink: above the start where
    friction is more than the climb (it locks itself against its load), below it otherwise.
    """
    climb, rough, couple, stiffness = atan(0.012 / (2.0 * pi * 0.01)), atan(mu), 5.0 * G * 0.01, 2.0
    system = pl.compile(jack(mu, stiffness), formulation=formulation)
    for side, moment in ((1, -couple * tan(rough + climb)), (-1, couple * tan(rough - climb))):
        rest = pl.statics(system, friction={"screw": side})
        height = float(rest.position.sel(marker="nut(0, 0)", axis="z"))
        assert rest.outcome.ok
        assert stiffness * height * 2.0 * pi / 0.012 == pytest.approx(moment, rel=1e-9)
        holds = mu * 5.0 * G / (cos(climb) - side * mu * sin(climb))
        assert float(rest.joint_friction[0]) == pytest.approx(holds, rel=1e-9)  # a size, as its surface goes two ways


def test_a_screw_that_nothing_raises_locks_itself() -> None:
    """tan(friction + climb) is infinite at 90 deg."""
    climb = atan(0.012 / (2.0 * pi * 0.01))
    system = pl.compile(jack(1.1 * tan(pi / 2.0 - climb), 100.0))
    with pytest.raises(ConvergenceError, match="locks itself"):
        pl.statics(system, friction={"screw": 1})


def drawer(push_at: float, spring_at: float, mu: float, length: float = 0.1) -> pl.Model:
    """Build a guide of 0.1 m that 20 N push and a spring of 500 N/m holds, at distances from it."""
    m = pl.Model("drawer")
    ground, block = m.add(pl.Ground(), pl.Body("block", mass=2.0, inertia=0.1))
    guide = m.add(pl.Prismatic(ground.at(0, 0), block.at(), name="guide"))
    m.add(pl.Force(block.at(0.0, push_at), x=20.0), pl.Friction(guide, mu, length=length))
    m.add(pl.Bushing("spring", ground.at(0.0, spring_at), block.at(0.0, spring_at), stiffness=(500.0, 0.0, 0.0)))
    return m


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_guide_rubs_by_its_moment(formulation: str) -> None:
    """N = 2 M / l. M = P a, of the push: k x = P (1 - s 2 mu a/l). M = k x a, of the spring: k x (1 + s 2 mu a/l) = P,
    which has no end where 2 mu a/l >= 1 and s = -1.
    """
    mu, length, push = 0.3, 0.1, 20.0
    for side in (1, -1):
        for arm in (0.05, 0.3):
            system = pl.compile(drawer(arm, 0.0, mu), formulation=formulation)
            rest = pl.statics(system, friction={"guide": side})
            place = float(rest.position.sel(marker="block(0, 0)", axis="x"))
            assert 500.0 * place == pytest.approx(push * (1.0 - side * 2.0 * mu * arm / length), rel=1e-10)
        system = pl.compile(drawer(0.0, 0.05, mu), formulation=formulation)
        rest = pl.statics(system, friction={"guide": side})
        place = float(rest.position.sel(marker="block(0, 0)", axis="x"))
        assert 500.0 * place == pytest.approx(push / (1.0 + side * 2.0 * mu * 0.05 / length), rel=1e-10)
    locked = pl.compile(drawer(0.0, 0.2, mu), formulation=formulation)
    with pytest.raises(ConvergenceError, match="locks itself"):
        pl.statics(locked, friction={"guide": -1})


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_drive_bears_what_friction_adds(formulation: str) -> None:
    """Up an incline a drive pulls with W (sin + mu cos), down it holds with W (sin - mu cos)."""
    angle, mu, weight = 0.4, 0.25, 2.0 * G
    m = pl.Model("hoist")
    ground, block = m.add(pl.Ground(), pl.Body("block", mass=2.0, inertia=0.1, angle=-angle))
    guide = m.add(pl.Prismatic(ground.at(0, 0, angle=-angle), block.at(), name="guide"))
    m.add(pl.Motion(ground.at(0, 0, angle=-angle), block.at(), x=0.3, name="winch"))
    m.add(pl.Gravity(), pl.Friction(guide, mu, length=inf))
    system = pl.compile(m, formulation=formulation)
    for side in (1, -1):
        rest = pl.statics(system, friction={"guide": side})
        pull = np.linalg.norm(rest.reaction.sel(joint="winch").values[:2])
        assert pull == pytest.approx(weight * (sin(angle) - side * mu * cos(angle)), rel=1e-10)


def crank(push: float = 0.0) -> pl.Model:
    """Build a slider-crank with a spring on its crank and friction in all its joints."""
    m = pl.Model("slider-crank")
    ground = m.add(pl.Ground())
    arm = m.add(pl.Link("crank", length=0.2, mass=1.0, angle=70 * pl.DEG))
    rod = m.add(pl.Link("rod", length=0.5, mass=1.5))
    block = m.add(pl.Body("block", mass=2.0, inertia=0.01))
    joints = [
        pl.Revolute(ground.at(0, 0), arm.at(s=0), name="pin"),
        pl.Revolute(arm.at(s=1), rod.at(s=0), name="knee"),
        pl.Revolute(rod.at(s=1), block.at(), name="wrist"),
        pl.Prismatic(ground.at(0, 0), block.at(), name="guide"),
    ]
    m.add(*joints, pl.Gravity(), pl.Force(block.at(), x=push, name="push"))
    m.add(pl.TorsionSpring("spring", ground.at(0, 0), arm.at(s=0), 40.0, rest_angle=60 * pl.DEG))
    m.add(*(pl.Friction(pin, 0.3, radius=0.01) for pin in joints[:3]), pl.Friction(joints[3], 0.2, length=0.2))
    return m


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_it_is_the_end_of_the_band_of_rest(formulation: str) -> None:
    """The mechanism at the upper end of `rest_band` is about to move the block forwards: under that load `statics` is
    to find the very pose, with the same friction in every joint; at the lower end, backwards.
    """
    system = pl.compile(crank(), formulation=formulation)
    band = pl.rest_band(system, "push/x")
    pose = system.start().q
    # forwards: the crank turns back (-), the knee opens (+), the rod turns up under the level block (-)
    forwards = {"pin": -1, "knee": 1, "wrist": -1, "guide": 1}
    for end, load in enumerate((band.lower, band.upper)):
        sides = {name: side if end else -side for name, side in forwards.items()}
        rest = pl.statics(system.with_signals({"push/x": load}), friction=sides)
        assert rest.outcome.ok
        np.testing.assert_allclose(rest.data["state_q"], pose, atol=1e-8)
        held = dict(zip(rest.friction.values, rest.joint_friction.values, strict=True))
        for name, both in band.friction.items():
            assert held[f"friction {name}"] == pytest.approx(sides[name] * both[end], rel=1e-8)


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("heading", [0.0, 0.7])
def test_a_rod_on_a_ball_leans_back(formulation: str, heading: float) -> None:
    """A rod leans as in the plane, sin = mu r / (l / 2), about any level axis; a soft spring holds its own spin."""
    m = pl.Model("rod", plane=None)
    ground, rod = m.add(pl.Ground(), pl.Body("rod", mass=1.0, inertia=(0.1, 0.1, 0.01), position=(0.0, 0.0, -0.5)))
    ball = m.add(pl.Spherical(ground.at(0, 0, 0), rod.at(0.0, 0.0, 0.5), name="ball"))
    m.add(
        pl.Bushing("hold", ground.at(0, 0, 0), rod.at(0, 0, 0.5), stiffness=0.0, turning_stiffness=(0.0, 0.0, 0.01)),
        pl.Gravity(x=0.0, y=0.0, z=-G), pl.Friction(ball, 0.5, radius=0.1),
    )  # fmt: skip
    axis = np.array([-sin(heading), cos(heading), 0.0])
    rest = pl.statics(pl.compile(m, formulation=formulation), friction={"ball": (3.0 * axis).tolist()})
    assert rest.outcome.ok
    np.testing.assert_allclose(rest.rotation.sel(body="rod"), -np.arcsin(0.1) * axis, atol=1e-9)


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("rate", [(0.02, 3.0), (-0.05, 0.5), (0.0, -1.0)])
def test_a_shaft_that_turns_and_slides_is_held_against_the_velocity_of_its_surface(
    formulation: str, rate: tuple[float, float]
) -> None:
    """k x and k_t theta bear the two parts of mu W, in the ratio of travel and radius times turn."""
    mu, radius, stiff, turning, weight = 0.3, 0.02, 400.0, 5.0, 2.0 * G
    m = pl.Model("shaft", plane=None)
    ground, shaft = m.add(pl.Ground(), pl.Body("shaft", mass=2.0, inertia=(0.1, 0.1, 0.1)))
    joint = m.add(pl.Cylindrical(ground.at(0, 0, 0), shaft.at(0, 0, 0), axis="z", name="joint"))
    m.add(
        pl.Bushing(
            "spring", ground.at(0, 0, 0), shaft.at(0, 0, 0), stiffness=(0.0, 0.0, stiff),
            turning_stiffness=(0.0, 0.0, turning),
        ),
        pl.Gravity(x=0.0, y=-G, z=0.0), pl.Friction(joint, mu, radius=radius, length=inf),
    )  # fmt: skip
    rest = pl.statics(pl.compile(m, formulation=formulation), friction={"joint": rate})
    surface = np.array([rate[0], radius * rate[1]])
    along, around = -mu * weight * surface / np.linalg.norm(surface)
    assert stiff * float(rest.position.sel(marker="shaft(0, 0)", axis="z")) == pytest.approx(along, abs=1e-9)
    assert turning * float(rest.rotation.sel(body="shaft")[-1]) == pytest.approx(radius * around, abs=1e-9)


def test_what_cannot_be_assumed_is_refused() -> None:
    system = pl.compile(crank())
    sides = {"pin": 1, "knee": -1, "wrist": 1, "guide": -1}
    for given, message in (
        ({"pin": 1}, "'knee' rubs too"),
        (sides | {"nobody": 1}, "no joint 'nobody' that rubs"),
        (sides | {"pin": 2}, r"friction of 'pin'=2: give 1, -1 or 0"),
        (sides | {"pin": -1}, "cannot all slip that way"),
        ("stuck", "no contact of .* is pressed together"),
        ("slip", "give 'stuck', or a mapping"),
    ):
        with pytest.raises(OptionError, match=message):
            pl.statics(system, friction=cast(Any, given))
    with pytest.raises(OptionError, match="spin"):
        pl.statics(system, friction=sides, spin=1.0)
    m = pl.Model("ball", plane=None)
    ground, bob = m.add(pl.Ground(), pl.Body("bob", mass=1.0, inertia=0.1, position=(0.0, 0.0, -1.0)))
    ball = m.add(pl.Spherical(ground.at(0, 0, 0), bob.at(0.0, 0.0, 1.0), name="ball"))
    m.add(pl.Gravity(x=0.0, y=0.0, z=-G), pl.Friction(ball, 0.1, radius=0.02))
    for rate in (1, (0.0, 0.0, 0.0), (1.0, 2.0), "up", (0.0, inf, 1.0)):
        with pytest.raises(OptionError, match=r"friction of 'ball'=.*more than one direction.*\(x, y, z\)"):
            pl.statics(pl.compile(m), friction={"ball": cast(Any, rate)})
    plain = pl.Model("pendulum")
    ground, arm = plain.add(pl.Ground(), pl.Link("arm", length=1.0, mass=1.0))
    plain.add(pl.Revolute(ground.at(0, 0), arm.at(s=0), name="pin"), pl.Gravity())
    with pytest.raises(OptionError, match="no joint of 'pendulum' rubs"):
        pl.statics(pl.compile(plain), friction={"pin": 1})
    with pytest.raises(PliantError, match="'relative' does not"):
        pl.statics(pl.compile(plain, formulation="relative"), friction={"pin": 1})


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_two_guides_on_one_line_share_what_they_carry(formulation: str) -> None:
    """However they share it, together they rub with mu W: k x = P - s mu W."""
    m = pl.Model("twice")
    ground, block = m.add(pl.Ground(), pl.Body("block", mass=2.0, inertia=0.1, angle=0.0))
    guides = [m.add(pl.Prismatic(ground.at(0, y), block.at(0, y), name=f"at {y}")) for y in (0.0, 0.1)]
    m.add(pl.Bushing("spring", ground.at(0, 0), block.at(), stiffness=(100.0, 0.0, 0.0)), pl.Gravity())
    m.add(pl.Force(block.at(), x=3.0), *(pl.Friction(guide, 0.2, length=inf) for guide in guides))
    with pytest.warns(UserWarning, match="Redundant constraints"):
        system = pl.compile(m, formulation=formulation)
    for side in (1, -1):
        rest = pl.statics(system, friction={guide.name: side for guide in guides})
        assert rest.outcome.ok
        assert 100.0 * float(rest.position.sel(marker="block(0, 0)", axis="x")) == pytest.approx(
            3.0 - side * 0.2 * 2.0 * G, rel=1e-10
        )


def arch(push: float = -2.0) -> tuple[pl.Model, Any]:
    """Return a beam on a pin and a slot that is pressed down, and in at its end; and its slot."""
    m = pl.Model("arch")
    strip = pl.Section.rectangle(0.02, 0.004, pl.STEEL)
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=1.0, section=strip))
    m.add(pl.Revolute(ground.at(0, 0), beam.at(s=0), name="pin"))
    slot = m.add(pl.Slider(ground.at(1, 0), beam.at(s=1), name="slot"))
    m.add(pl.Force(beam.at(s=0.5), y=-20.0), pl.Force(beam.at(s=1), x=push))
    return m, slot


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("side", [1, -1])
def test_a_beam_bends_as_under_a_force_of_that_size(formulation: str, side: int) -> None:
    """A beam without friction, under the force that friction was found to be, takes the same shape."""
    m, slot = arch()
    m.add(pl.Friction(slot, 0.3, breakaway=1.2))
    rest = pl.statics(pl.compile(m, formulation=formulation, elements=8), friction={"slot": side})
    across = abs(float(rest.reaction.sel(joint="slot").values[1]))
    assert float(rest.joint_friction[0]) == pytest.approx(side * 0.36 * across, rel=1e-9)
    plain, _ = arch(-2.0 - float(rest.joint_friction[0]))
    same = pl.statics(pl.compile(plain, formulation=formulation, elements=8))
    free, _ = arch()
    smooth = pl.statics(pl.compile(free, formulation=formulation, elements=8))
    assert np.max(np.abs(rest.shape.values - smooth.shape.values)) > 1e-5  # friction does something
    np.testing.assert_allclose(rest.shape, same.shape, rtol=0.0, atol=1e-9)


@pytest.mark.parametrize(("part", "holds"), [(0.9, True), (1.1, False)])
def test_it_does_not_snap_to_another_branch(part: float, holds: bool) -> None:
    """A block on a line at the distance b from the anchor of a spring longer than that resists a push towards the
    anchor with k (L0 - L) y/L, at most where L^3 = L0 b^2. What rubs more than this would push it through.
    """
    b, free, stiffness = 0.4, 0.5, 1000.0
    longest = (free * b**2) ** (1.0 / 3.0)
    most = stiffness * (free - longest) * np.sqrt(longest**2 - b**2) / longest
    m = pl.Model("truss")
    ground, block = m.add(pl.Ground(), pl.Body("block", mass=1.0, inertia=0.1, position=(0.0, 0.3), angle=pi / 2.0))
    guide = m.add(pl.Prismatic(ground.at(0, 0, angle=pi / 2.0), block.at(), name="guide"))
    m.add(pl.Spring("spring", ground.at(b, 0), block.at(), stiffness, rest_length=free))
    m.add(pl.Friction(guide, constant=part * most, length=inf))
    system = pl.compile(m)
    if not holds:
        with pytest.raises(ConvergenceError, match="or snaps"):
            pl.statics(system, friction={"guide": 1})
        return
    y = float(pl.statics(system, friction={"guide": 1}).position.sel(marker="block(0, 0)", axis="y"))
    assert np.sqrt(longest**2 - b**2) < y < 0.3
    assert stiffness * (free - hypot(b, y)) * y / hypot(b, y) == pytest.approx(part * most, rel=1e-9)


@pytest.mark.parametrize("make", [lambda: jack(0.3), crank])
def test_the_tangent_is_the_derivative_of_what_is_not_balanced(make: Any) -> None:
    """Coordinates and multipliers give the tangent of the balance; its determinant has the sign of its factors."""
    system = pl.compile(make())
    names = system.grips(system.initial, np.zeros(system.constraints)).names
    sides = {name: {"knee": -1, "guide": -1}.get(name, 1) for name in names}
    u, slip = system.signals(np.zeros(1))[0], slips_of(system, sides)
    about = Slipping(system, u, slip, 0.0, system.scratch())
    state, _, _ = about.solve(system.find_equilibrium(system.start()).state, 0.7)
    assert state is not None
    q, lam, n = state.q, state.lam, system.freedoms
    factors, left = about.tangent(q, lam, 0.7)
    assert np.max(np.abs(left)) < 1e-9
    places = np.arange(n + lam.size)
    matrix = (factors.L @ factors.U).toarray()[np.ix_(factors.perm_r, factors.perm_c)]
    whole = np.empty_like(matrix)
    for k in places:
        step = 1e-5 * np.eye(places.size)[k]
        ends = [about.tangent(system.moved(q, x[:n]), lam + x[n:], 0.7)[1] for x in (step, -step)]
        whole[:, k] = (ends[1] - ends[0]) / 2e-5
    np.testing.assert_allclose(matrix, whole, atol=1e-6 * np.max(np.abs(whole)))
    assert sign_of(factors) == np.linalg.slogdet(matrix)[0]
