"""Small mechanisms with a closed form, of what seeded faults showed no other reference from outside sees."""

from __future__ import annotations

import csv
import warnings
from math import cos, exp, log, pi, sin, sqrt, tanh
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation
from scipy.special import ellipk

import pliant as pl
from pliant.errors import PliantWarning

G = 9.81
STRIP = pl.Section.rectangle(0.02, 0.001, pl.STEEL)
EI, LENGTH = STRIP.bending_stiffness, 0.5


def cantilever(**options: object) -> tuple[pl.Model, pl.Beam]:
    """Return a strip clamped at its base."""
    m = pl.Model("cantilever")
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=LENGTH, section=STRIP, **options))  # type: ignore[arg-type]
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)))
    return m, beam


def falling(coefficient: float = 0.5) -> pl.Model:
    """Build a body of 2 kg that falls through a fluid."""
    m = pl.Model("fall")
    _, body = m.add(pl.Ground(), pl.Body("body", mass=2.0, inertia=0.1, position=(0, 0), angle=0.0, free=True))
    m.add(pl.Gravity(), pl.QuadraticDrag("air", body.at(), coefficient))
    return m


def test_a_body_falls() -> None:
    """v = -V tanh(g t / V), V = sqrt(m g / c), downwards."""
    run = pl.transient(pl.compile(falling()), end_time=1.0, step=1e-3)
    final = sqrt(2.0 * G / 0.5)
    velocity = run.velocity.sel(marker="body(0, 0)")
    assert float(velocity.sel(axis="y")[-1]) == pytest.approx(-final * tanh(G / final), rel=1e-5)
    assert float(velocity.sel(axis="x")[-1]) == 0.0


def test_a_table_of_a_fall(tmp_path: Path) -> None:
    """y = -(V^2 / g) log cosh(g t / V), in the column of that name."""
    run = pl.transient(pl.compile(falling()), end_time=1.0, step=1e-3, every=100)
    with pl.export(run, tmp_path / "fall.csv").open(newline="") as file:
        head, *rows = csv.reader(file)
    columns = dict(zip(head, np.array(rows, float).T, strict=True))
    final = sqrt(2.0 * G / 0.5)
    np.testing.assert_allclose(columns["time [s]"], np.linspace(0.0, 1.0, 11), atol=1e-12)
    expected = -(final**2) / G * np.log(np.cosh(G * columns["time [s]"] / final))
    np.testing.assert_allclose(columns["position:body(0, 0):y [m]"], expected, atol=1e-5)


def test_a_point_mass_on_a_rod_swings() -> None:
    """A large swing of amplitude A: T = 4 sqrt(J / m g d) K(sin^2(A / 2)); the mass has an inertia of its own."""
    length, mass, extra, inertia, amplitude = 0.6, 1.0, 0.7, 0.05, 1.2
    m = pl.Model("pendulum")
    ground, rod = m.add(pl.Ground(), pl.Link("rod", length=length, mass=mass, angle=amplitude - 0.5 * pi))
    m.add(
        pl.Revolute(ground.at(0, 0), rod.at(s=0)),
        pl.PointMass("bob", rod.at(s=1), mass=extra, inertia=inertia),
        pl.Gravity(),
    )
    about = mass * length**2 / 3.0 + extra * length**2 + inertia
    push = G * length * (0.5 * mass + extra)
    period = 4.0 * sqrt(about / push) * float(ellipk(sin(0.5 * amplitude) ** 2))
    run = pl.transient(pl.compile(m), end_time=2.25 * period, step=1e-3)
    late = (float(run.angle[-1, 0]) + 0.5 * pi) / float(run.angular_velocity[-1, 0])  # straight down when it should be
    assert abs(late) < 1e-4 * period


def test_a_weight_hangs_on_a_spring() -> None:
    """Length l0 + m g / k."""
    m = pl.Model("weight")
    ground, body = m.add(pl.Ground(), pl.Body("body", mass=2.0, inertia=0.1, position=(0, -0.5), angle=0.0))
    m.add(pl.Prismatic(ground.at(0, 0, angle=-0.5 * pi), body.at(), name="guide"), pl.Gravity())
    m.add(pl.Spring("spring", ground.at(0, 0), body.at(), stiffness=500.0, rest_length=0.4))
    found = pl.statics(pl.compile(m))
    assert float(found.line_length[0]) == pytest.approx(0.4 + 2.0 * G / 500.0, rel=1e-9)


def test_a_beam_slows_down_in_drag() -> None:
    """v = v0 exp(-c t / rho A), sideways, of a beam that nothing holds."""
    m = pl.Model("plank")
    _, beam = m.add(pl.Ground(), pl.Beam("beam", length=LENGTH, section=STRIP, position=(0, 0), angle=0.0, free=True))
    m.add(pl.Drag(beam, x=0.1, y=0.3))
    run = pl.transient(pl.compile(m, elements=2), end_time=0.5, step=1e-3, push={"beam": (0.0, 0.2, 0.0)})
    expected = 0.2 * exp(-0.3 * 0.5 / STRIP.mass_per_length)
    assert float(run.velocity.sel(marker="beam/tip", axis="y")[-1]) == pytest.approx(expected, rel=1e-5)


def test_a_load_off_the_axis_bends_a_beam() -> None:
    """A column pressed at e beside its axis: the tip goes e (sec k L - 1) aside, k^2 = F / EI, for small rotations."""
    m, beam = cantilever()
    force, aside = 0.05, 1e-3
    m.add(pl.Force(beam.at(s=1, y=aside), x=-force))
    found = pl.statics(pl.compile(m, elements=20))
    expected = aside * (1.0 / cos(sqrt(force / EI) * LENGTH) - 1.0)
    assert float(found.position.sel(marker="beam/tip", axis="y")) == pytest.approx(expected, rel=1e-3)


def test_a_mass_between_two_tendons_vibrates_in_space() -> None:
    """Across the line in both directions omega^2 = 2 T / (l m), along it 2 k / m."""
    m = pl.Model("bead", plane=None)
    place = {"position": (0, 0, 0), "orientation": (0, 0, 0)}
    ground, bead = m.add(pl.Ground(), pl.Body("bead", mass=0.3, inertia=(1.0, 1.0, 1.0), **place))  # type: ignore[arg-type]
    for name, side in (("left", -0.4), ("right", 0.4)):
        m.add(pl.Tendon(name, ground.at(side, 0, 0), bead.at(), stiffness=700.0, force=12.0))
    for axis in "xyz":
        m.add(pl.TorsionSpring(f"hold {axis}", ground.at(0, 0, 0), bead.at(), 1e6, axis=axis))
    found = pl.modal(pl.compile(m), modes=3)
    expected = np.sqrt([2 * 12.0 / (0.4 * 0.3)] * 2 + [2 * 700.0 / 0.3]) / (2.0 * pi)
    np.testing.assert_allclose(found.frequency_hz, expected, rtol=1e-6)


def test_hunt_and_crossley_bounce() -> None:
    """m v v' = -k x^p (1 + d v) into the wall and out: d (v0 + v1) = log((1 + d v0) / (1 - d v1)), whatever k and p."""
    d, v0 = 0.4, 1.0
    m = pl.Model("ball")
    ground, body = m.add(pl.Ground(), pl.Body("ball", mass=1.0, inertia=0.1, position=(0, 0.06), angle=0.0, free=True))
    m.add(pl.Contact("wall", ground.at(0, 0), body.at(), radius=0.05, stiffness=1e6, exponent=1.5, damping=d))
    run = pl.transient(pl.compile(m), end_time=0.03, step=2e-6, push={"ball": (0.0, -v0, 0.0)}, every=100)
    v1 = brentq(lambda v: d * (v0 + v) - log((1.0 + d * v0) / (1.0 - d * v)), 0.1, 1.0)
    assert float(run.velocity.sel(marker="ball(0, 0)", axis="y")[-1]) == pytest.approx(v1, rel=1e-4)


def test_peak_force_of_hertz() -> None:
    """All of m v^2 / 2 is k x^(p + 1) / (p + 1) where the ball turns: N = k x^p."""
    k, p, v = 1e6, 1.5, 1.0
    m = pl.Model("ball")
    ground, body = m.add(pl.Ground(), pl.Body("ball", mass=1.0, inertia=0.1, position=(0, 0.06), angle=0.0, free=True))
    m.add(pl.Contact("wall", ground.at(0, 0), body.at(), radius=0.05, stiffness=k, exponent=p))
    run = pl.transient(pl.compile(m), end_time=0.02, step=1e-5, push={"ball": (0.0, -v, 0.0)})
    deepest = (0.5 * v**2 * (p + 1.0) / k) ** (1.0 / (p + 1.0))
    assert float(run.normal_force.max()) == pytest.approx(k * deepest**p, rel=1e-4)
    assert float(run.gap.min()) == pytest.approx(-deepest, rel=1e-4)


@pytest.mark.filterwarnings("ignore:Contact .floor.")  # it begins where it lies, inside the surface
def test_a_block_slides_by_regularised_friction() -> None:
    """A block is slowed down by mu g while it slides much faster than the speed of friction."""
    m = pl.Model("block")
    lying = (0.0, -2.0 * G / 1e5)
    ground, body = m.add(pl.Ground(), pl.Body("block", mass=2.0, inertia=5.0, position=lying, angle=0.0, free=True))
    law = {"stiffness": 1e5, "damping": 50.0, "friction": 0.3, "friction_speed": 1e-3}
    m.add(pl.Gravity(), pl.Contact("floor", ground.at(0, 0), body.at(), **law))  # type: ignore[arg-type]
    run = pl.transient(pl.compile(m), end_time=0.2, step=1e-3, push={"block": (1.0, 0.0, 0.0)})
    assert float(run.velocity.sel(marker="block(0, 0)", axis="x")[-1]) == pytest.approx(1.0 - 0.3 * G * 0.2, rel=1e-4)


def test_a_pendulum_rests_on_its_stop() -> None:
    """k (lower - phi) = m g L / 2 cos(phi)."""
    m = pl.Model("arm")
    ground, arm = m.add(pl.Ground(), pl.Link("arm", length=1.0, mass=1.0, angle=-0.45))
    hinge = m.add(pl.Revolute(ground.at(0, 0), arm.at(s=0), name="hinge"))
    m.add(pl.Gravity(), pl.Stop(hinge, lower=-0.4, stiffness=200.0))
    expected = brentq(lambda phi: 200.0 * (-0.4 - phi) - 0.5 * G * cos(phi), -0.5, -0.4)
    assert float(pl.statics(pl.compile(m)).angle.sel(body="arm")) == pytest.approx(expected, rel=1e-9)


def test_a_bob_hangs_on_a_rod_of_given_length() -> None:
    m = pl.Model("bob")
    ground, bob = m.add(pl.Ground(), pl.Body("bob", mass=1.0, inertia=0.1, position=(0.3, -0.4), angle=0.0))
    hold = pl.TorsionSpring("hold", ground.at(0, 0), bob.at(), 1.0)
    m.add(pl.Distance(ground.at(0, 0), bob.at(), length=0.5), pl.Gravity(), hold)
    found = pl.statics(pl.compile(m)).position.sel(marker="bob(0, 0)")
    np.testing.assert_allclose(found, [0.0, -0.5], atol=1e-9)


@pytest.mark.parametrize("method", [pl.Newmark(), pl.Momentum()])
def test_a_free_top_precesses(method: pl.Method) -> None:
    """The angular velocity goes round the angular momentum L with |L| / J, J across the axis of symmetry (Euler)."""
    m = pl.Model("top", plane=None)
    turned = (0.4, -0.3, 0.2)
    place = {"position": (0, 0, 0), "orientation": turned, "free": True}
    m.add(pl.Body("top", mass=1.0, inertia=(0.3, 0.2, 0.2), **place))  # type: ignore[arg-type]
    axes = Rotation.from_rotvec(turned).as_matrix()
    own = (6.0, 1.5, -1.0)
    momentum = axes @ [0.3 * 6.0, 0.2 * 1.5, 0.2 * -1.0]
    run = pl.transient(pl.compile(m), end_time=0.5, step=5e-4, push={"top": (0, 0, 0, *own)}, method=method)
    expected = Rotation.from_rotvec(0.5 / 0.2 * momentum).apply(axes @ own)
    np.testing.assert_allclose(run.angular_velocity.sel(body="top").values[-1], expected, atol=1e-4 * 6.0)


def test_sine_in_closed_form() -> None:
    wave = pl.Sine(2.0, frequency_hz=0.5, phase=0.3, offset=1.0)
    assert float(wave(0.7)) == pytest.approx(1.0 + 2.0 * sin(pi * 0.7 + 0.3), rel=1e-14)
    assert float(wave.rate(0.7)) == pytest.approx(2.0 * pi * cos(pi * 0.7 + 0.3), rel=1e-14)


@pytest.mark.parametrize("rho", [None, 0.0, 0.6])
def test_a_step_multiplies_an_oscillation_by_the_root_of_the_scheme(rho: float | None) -> None:
    """x'' = -omega^2 x: the amplification matrix of J. Chung, G. M. Hulbert, J. Appl. Mech. 60, 1993; Newmark 1959."""
    omega, h = 10.0, 0.02
    m = pl.Model("oscillator")
    ground, wheel = m.add(pl.Ground(), pl.Body("wheel", mass=1.0, inertia=0.5, angle=0.1))
    m.add(pl.Revolute(ground.at(0, 0), wheel.at()))
    m.add(pl.TorsionSpring("spring", ground.at(0, 0), wheel.at(), stiffness=0.5 * omega**2))
    method = pl.Newmark() if rho is None else pl.GeneralizedAlpha(rho)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PliantWarning)  # the step is large, so that the scheme is seen
        run = pl.transient(pl.compile(m), end_time=50 * h, step=h, method=method, estimate=False)
    am, af = (0.0, 0.0) if rho is None else ((2.0 * rho - 1.0) / (rho + 1.0), rho / (rho + 1.0))
    beta, gamma = 0.25 * (1.0 - am + af) ** 2, 0.5 - am + af
    after = np.array([[1.0, 0.0, -beta * h**2], [0.0, 1.0, -gamma * h], [omega**2 * (1.0 - af), 0.0, 1.0 - am]])
    before = np.array([[1.0, h, (0.5 - beta) * h**2], [0.0, 1.0, (1.0 - gamma) * h], [-(omega**2) * af, 0.0, -am]])
    step = np.linalg.solve(after, before)
    x, places = np.array([0.1, 0.0, -(omega**2) * 0.1]), []
    for _ in range(51):
        places.append(x[0])
        x = step @ x
    np.testing.assert_allclose(run.angle.sel(body="wheel"), places, atol=1e-3 * 0.1)


def test_two_forces_and_a_moment_bend_a_beam_into_an_arc() -> None:
    """The tip comes to the end of an arc and turns along it: M = EI / R, and no force."""
    m, beam = cantilever()
    m.add(pl.Force(beam.at(s=1), x=0.0, y=0.0, name="pull"), pl.Moment(beam.at(s=1), value=0.0, name="turn"))
    radius, angle = LENGTH / 0.3, 0.3
    place = ((radius * sin(angle), radius * (1.0 - cos(angle))), angle)
    system = pl.compile(m, elements=pl.Exact(4, order=3))
    found = pl.inverse_statics(system, {"beam/tip": place}, signals=["pull/x", "pull/y", "turn/value"])
    assert float(found.signal_value[2]) == pytest.approx(EI / radius, rel=1e-3)
    assert np.max(np.abs(found.signal_value.values[:2])) < 0.02 * EI / LENGTH**2  # beams stretch and shear a little


def test_a_point_of_a_wheel_is_accelerated_inwards() -> None:
    """-omega^2 r."""
    m = pl.Model("wheel")
    ground, wheel = m.add(pl.Ground(), pl.Body("wheel", mass=1.0, inertia=0.5, angle=0.0))
    m.add(pl.Revolute(ground.at(0, 0), wheel.at()))
    m.add(wheel.at(0.3, 0.0, name="rim"))
    run = pl.transient(pl.compile(m), end_time=0.01, step=1e-3, push={"wheel": 4.0})
    np.testing.assert_allclose(run.acceleration.sel(marker="wheel/rim").values[0], [-(4.0**2) * 0.3, 0.0], atol=1e-9)


def test_units_of_reactions() -> None:
    m, _ = cantilever()
    found = pl.statics(pl.compile(m, elements=2))
    assert found.reaction.attrs["units"] == found.resultant.attrs["units"] == "N, N, N m"


def test_a_scaled_model_in_closed_form() -> None:
    """F sin(w t) at an arm r turns a wheel by (F r / J) (t / w - sin(w t) / w^2), in any units."""
    m = pl.Model("wheel")
    ground, wheel = m.add(pl.Ground(), pl.Body("wheel", mass=1.0, inertia=0.5, angle=0.0))
    push = pl.Force(wheel.at(0.3, 0.0), x=0.0, y=pl.Sine(2.0, frequency_hz=1.0 / pi), follower=True)
    m.add(pl.Revolute(ground.at(0, 0), wheel.at()), push)
    scales = pl.Scales(length=0.2, time=0.05, mass=3.0)
    run = pl.transient(pl.compile(m.scaled(scales)), end_time=1.0 / scales.time, step=1e-3 / scales.time)
    expected = 2.0 * 0.3 / 0.5 * (1.0 / 2.0 - sin(2.0) / 4.0)
    assert float(run.angle.sel(body="wheel")[-1]) == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("plane", ["xy", None])
def test_a_chain_is_damped_as_its_beam(plane: str | None) -> None:
    """zeta = (alpha / omega + beta omega) / 2 of a free beam, whose modes have nothing of rigid motion."""
    alpha, beta = 2.0, 2e-4
    m = pl.Model("plank", plane=plane)
    m.add(pl.Beam("beam", length=LENGTH, section=STRIP, free=True, damping=pl.Rayleigh(alpha, beta)))
    found = pl.modal(pl.compile(m, formulation="udwadia_kalaba", elements=20), modes=8 if plane else 14, damped=True)
    omega, zeta = 2.0 * pi * found.frequency_hz.values[-2:], found.damping_ratio.values[-2:]
    assert np.all(omega > 100.0)  # the others are rigid motion
    np.testing.assert_allclose(zeta, 0.5 * (alpha / omega + beta * omega), rtol=2e-3)


@pytest.mark.filterwarnings("ignore:Beam 'beam'. strain")
def test_a_soft_rod_shot_is_reissners_beam() -> None:
    """A cantilever that stretches a lot, against Reissner's equations integrated from the tip by scipy."""
    soft = pl.Section(axial_stiffness=8.0, shear_stiffness=5.0, bending_stiffness=0.3, mass_per_length=0.1)
    fx, fy, length = 1.5, 1.0, 1.0
    m = pl.Model("soft")
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=length, section=soft))
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Force(beam.at(s=1), x=fx, y=fy))

    def slope(_: float, y: np.ndarray) -> list[float]:
        c, s = cos(y[2]), sin(y[2])
        along, across = 1.0 + (fx * c + fy * s) / 8.0, (fy * c - fx * s) / 5.0
        dx, dy = along * c - across * s, along * s + across * c
        return [dx, dy, y[3] / 0.3, -(dx * fy - dy * fx)]

    def from_base(moment: float) -> np.ndarray:
        return np.asarray(solve_ivp(slope, (0.0, length), [0.0, 0.0, 0.0, moment], rtol=1e-10, atol=1e-12).y[:, -1])

    moment = brentq(lambda value: from_base(value)[3], 0.0, 3.0)
    found = pl.statics(pl.compile(m, formulation="shooting"))
    np.testing.assert_allclose(found.position.sel(marker="beam/tip"), from_base(moment)[:2], rtol=1e-5)


def test_a_curved_rod_shot_straightens_under_its_moment() -> None:
    """-EI kappa_0 at the tip of a beam curved by kappa_0."""
    m, beam = cantilever(curvature=1.5)
    m.add(pl.Moment(beam.at(s=1), value=-1.5 * EI))
    found = pl.statics(pl.compile(m, formulation="shooting"))
    np.testing.assert_allclose(found.position.sel(marker="beam/tip"), [LENGTH, 0.0], atol=1e-6)


def test_a_rod_shot_swings_as_a_pendulum() -> None:
    """A stiff rod let go at an angle A: after a quarter of T = 4 sqrt(2 L / 3 g) K(sin^2(A / 2)) it hangs straight."""
    stiff = pl.Section.circle(0.02, pl.STEEL)
    m = pl.Model("rod")
    ground, rod = m.add(pl.Ground(), pl.Beam("rod", length=0.4, section=stiff, angle=0.5 - 0.5 * pi))
    m.add(pl.Revolute(ground.at(0, 0), rod.at(s=0)), pl.Gravity())
    period = 4.0 * sqrt(2.0 * 0.4 / (3.0 * G)) * float(ellipk(sin(0.25) ** 2))
    run = pl.transient(pl.compile(m, formulation="shooting"), end_time=0.25 * period, step=0.25 * period / 60)
    tip, speed = (run.data[name].sel(marker="rod/tip", axis="x").values[-1] for name in ("position", "velocity"))
    assert abs(tip / speed) < 5e-4 * period


def test_compliance_of_a_cantilever() -> None:
    """L^3 / 3 EI + L / GA under a force across, L / EI under a moment."""
    m, beam = cantilever()
    m.add(pl.Force(beam.at(s=1), x=0.0, y=0.0, name="pull"))
    robot = pl.Kinetostatics(pl.compile(m, elements=20), platform="beam/tip", motors=["pull/x", "pull/y"])
    found = robot.forward([0.0, 0.0]).compliance
    assert found[1, 1] == pytest.approx(LENGTH**3 / (3.0 * EI) + LENGTH / STRIP.shear_stiffness, rel=2e-3)
    assert found[2, 2] == pytest.approx(LENGTH / EI, rel=1e-6)


@pytest.mark.parametrize(("share", "unstable"), [(0.98, 0), (1.02, 1)])
def test_a_robot_that_presses_a_column_knows_eulers_load(share: float, unstable: int) -> None:
    """pi^2 EI / 4 L^2, with the forces at the tip as motors."""
    m, beam = cantilever()
    m.add(pl.Force(beam.at(s=1), x=0.0, y=0.0, name="pull"))
    robot = pl.Kinetostatics(pl.compile(m, elements=30), platform="beam/tip", motors=["pull/x", "pull/y"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PliantWarning)  # that it is unstable
        found = robot.forward([-share * 0.25 * pi**2 * EI / LENGTH**2, 0.0])
    assert found.unstable_directions == unstable


def test_jacobian_of_an_arm() -> None:
    """[-y, -(y - y1); x, x - x1] at the tip of two links, and how far the motors are from their limits."""
    m = pl.Model("arm")
    ground = m.add(pl.Ground())
    upper, lower = m.add(pl.Link("upper", length=0.4, mass=1.0), pl.Link("lower", length=0.3, mass=0.5))
    m.add(pl.Revolute(ground.at(0, 0), upper.at(s=0)), pl.Revolute(upper.at(s=1), lower.at(s=0)))
    m.add(pl.Motion(ground.at(0, 0), upper.at(s=0), angle=0.3, name="shoulder"))
    m.add(pl.Motion(upper.at(s=1), lower.at(s=0), angle=0.9, name="elbow"))
    limits = {"shoulder/angle": (-1.0, 0.7), "elbow/angle": (0.2, 1.1)}
    system = pl.compile(m)
    robot = pl.Kinetostatics(system, platform="lower/tip", motors=["shoulder/angle", "elbow/angle"], limits=limits)
    found = robot.forward([0.3, 0.9])
    x1, y1 = 0.4 * cos(0.3), 0.4 * sin(0.3)
    x, y = x1 + 0.3 * cos(1.2), y1 + 0.3 * sin(1.2)
    np.testing.assert_allclose(found.jacobian[:2], [[-y, y1 - y], [x, x - x1]], atol=1e-9)
    assert found.limit_margin == pytest.approx(0.2)


SPACES = pytest.mark.parametrize("plane", ["xy", None])


@SPACES
@pytest.mark.parametrize("kind", [pl.Exact(30), pl.Corotational(20), pl.Exact(8, order=3)])
def test_a_column_loses_its_stability_at_eulers_load(plane: str | None, kind: pl.Exact | pl.Corotational) -> None:
    """pi^2 EI / 4 L^2, in one direction in the plane and in two in space."""
    m = pl.Model("column", plane=plane)
    round_bar = pl.Section.circle(1e-3, pl.STEEL)
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=1.0, section=round_bar))
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Force(beam.at(s=1), x=-1.0, name="load"))
    critical, system = 0.25 * pi**2 * round_bar.bending_stiffness, pl.compile(m, elements=kind)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PliantWarning)  # that it is unstable
        found = [pl.statics(system.with_signals({"load/x": -share * critical})) for share in (0.99, 1.01)]
    assert [each.outcome.unstable_directions for each in found] == [0, 1 if plane else 2]


@SPACES
@pytest.mark.parametrize("kind", [pl.Exact(30), pl.Corotational(1), pl.Exact(8, order=3)])
def test_a_short_cantilever_shears(plane: str | None, kind: pl.Exact | pl.Corotational) -> None:
    """F L^3 / 3 EI + F L / GA, the second half of it."""
    m = pl.Model("block", plane=plane)
    thick = pl.Section.rectangle(0.1, 0.1, pl.STEEL)
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=0.1, section=thick))
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Force(beam.at(s=1), x=0.0, y=1e3))
    found = pl.statics(pl.compile(m, elements=kind))
    expected = 1e3 * (0.1**3 / (3.0 * thick.bending_stiffness) + 0.1 / thick.shear_stiffness)
    assert float(found.position.sel(marker="beam/tip", axis="y")) == pytest.approx(expected, rel=1e-3)
