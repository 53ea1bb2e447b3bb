"""Linear models: closed forms, statics and modes as references, every kind of input and output, every refusal."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import pliant as pl
from pliant.control.models import linear_model
from pliant.control.models.linear_model import LinearModel
from pliant.control.models.outputs import Outputs
from pliant.errors import CapabilityError, OptionError, PliantError, SingularError
from pliant.formulations.relative import poses
from pliant.linalg.finite_differences import derivative
from pliant.results.plots import linear_models as plots
from pliant.system.observation.observer import Observer
from pliant_evidence.linearisation.validate import reading
from pliant_gallery import four_bar, leg, pendulum
from pliant_gallery.leg.stages import pretension

GRAVITY = 9.81
MASS, INERTIA, ARM, LOSS = 1.3, 0.2, 0.8, 0.05
ABOUT_PIVOT = INERTIA + MASS * ARM**2
STRIP = pl.Section.rectangle(0.02, 0.002, pl.STEEL)


def hanging(*, up: bool = False, torque: float = 0.0) -> pl.System:
    """Return a body on a pin at the origin, below it (or above), with a motor and a damper."""
    m = pl.Model("pendulum")
    height = ARM if up else -ARM
    ground, body = m.add(pl.Ground(), pl.Body("body", mass=MASS, inertia=INERTIA, position=(0, height), angle=0.0))
    pin = ground.at(0, 0), body.at(0, -height)
    m.add(
        pl.Revolute(*pin, name="pin"),
        pl.Motor("motor", *pin, torque),
        pl.TorsionSpring("damper", *pin, stiffness=0.0, damping=LOSS),
        pl.Gravity(),
    )
    return pl.compile(m)


def cantilever(*, order: int = 1, elements: int = 4, section: pl.Section = STRIP, **options: Any) -> pl.System:
    """Return a strip clamped at the origin with a force and a moment at its tip."""
    m = pl.Model("cantilever")
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=0.6, section=section, **options))
    m.add(
        pl.Weld(ground.at(0, 0), beam.at(s=0), name="wall"),
        pl.Force(beam.at(s=1), y=-2.0, name="load"),
        pl.Moment(beam.at(s=1), 0.0, name="twist"),
        beam.at(s=1, y=0.1),
    )
    return pl.compile(m, elements=pl.Exact(elements, order=order))


def gain(model: LinearModel, omega: float = 0.0) -> np.ndarray:
    """Return the response at one frequency."""
    return model.frequency_response(omega).values[:, :, 0]


def dense_response(model: LinearModel, omega: float) -> np.ndarray:
    """Return the response by A, B, C, D."""
    return model.C @ np.linalg.solve(1j * omega * np.eye(len(model.A)) - model.A, model.B) + model.D


def test_pendulum_has_its_closed_form() -> None:
    outputs = ["angle:body", "angular_velocity:body", "reaction:pin:Fx", "reaction:pin:Fy"]
    plant = pl.linearise(hanging(), inputs=["motor/torque", "gravity/x", "gravity/y"], outputs=outputs)
    unit = math.sqrt(ABOUT_PIVOT)  # the state is the angle times this, so that its mass is one
    push = MASS * ARM
    a = np.array([[0.0, 1.0], [-push * GRAVITY / ABOUT_PIVOT, -LOSS / ABOUT_PIVOT]])
    b = np.array([[0.0, 0.0, 0.0], [1.0 / unit, push / unit, 0.0]])
    # The pin pushes with m (arm theta'' - g_x), so with what A and B say of theta'', and carries the weight.
    c = np.array([[1.0, 0.0], [0.0, 1.0], push * a[1], [0.0, 0.0]]) / unit
    d = np.array([[0.0] * 3, [0.0] * 3, push * b[1] / unit - [0.0, MASS, 0.0], [0.0, 0.0, -MASS]])
    for found, expected in zip((plant.A, plant.B, plant.C, plant.D), (a, b, c, d), strict=True):
        np.testing.assert_allclose(found, expected, atol=1e-12)
    assert plant.state_names == ("mode 1", "mode 1 rate")
    np.testing.assert_allclose(plant.input_values, [0.0, 0.0, -GRAVITY], atol=1e-14)
    np.testing.assert_allclose(plant.output_values, [0.0, 0.0, 0.0, MASS * GRAVITY], atol=1e-12)
    assert plant.operating_point is not None
    assert plant.second_order is not None
    assert not plant.frozen


@pytest.mark.filterwarnings("ignore:The equilibrium of")
def test_upside_down_it_falls_at_the_rate_of_its_unstable_pole() -> None:
    system = hanging(up=True)
    plant = pl.linearise(system, at=pl.statics(system), inputs=["motor/torque"], outputs=["angle:body"])
    expected = np.roots([ABOUT_PIVOT, LOSS, -MASS * ARM * GRAVITY])
    np.testing.assert_allclose(np.sort(plant.poles().real), np.sort(expected), rtol=1e-12)


def test_drive_enters_by_its_acceleration() -> None:
    """Pendulum on a moving pivot: I theta'' + m g l theta = -m l w''; the drive pushes (M + m) w'' + m l theta''."""
    m = pl.Model("cart")
    ground, cart, body = m.add(
        pl.Ground(),
        pl.Body("cart", mass=0.7, inertia=0.1, position=(0, 0), angle=0.0),
        pl.Body("body", mass=MASS, inertia=INERTIA, position=(0, -ARM), angle=0.0),
    )
    m.add(
        pl.Prismatic(ground.at(0, 0), cart.at(), name="rail"),
        pl.Motion(ground.at(0, 0), cart.at(), x=0.3, name="base"),
        pl.Revolute(cart.at(), body.at(0, ARM), name="pin"),
        pl.Gravity(),
    )
    system = pl.compile(m)
    outputs = ["angle:body", "position:cart(0, 0):x", "velocity:body(0, 0):x", "reaction:base:Fx"]
    plant = pl.linearise(system, inputs=["base/x"], outputs=outputs)
    assert set(plant.state_names) == {"mode 1", "base/x", "mode 1 rate", "base/x rate"}
    assert np.count_nonzero(plant.poles() == 0.0) == 2
    for omega in (0.5, 3.0, 20.0):
        angle = -MASS * ARM / (MASS * GRAVITY * ARM - ABOUT_PIVOT * omega**2)
        place = -1.0 / omega**2
        expected = [angle, place, 1j * omega * (place + ARM * angle), 0.7 + MASS - omega**2 * MASS * ARM * angle]
        np.testing.assert_allclose(gain(plant, omega)[:, 0], expected, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(dense_response(plant, omega)[:, 0], expected, rtol=1e-10, atol=1e-10)
    with pytest.raises(SingularError, match="at omega = 0 the response to the acceleration of a drive is infinite"):
        plant.frequency_response(0.0)


def test_tendon_pulls_a_mass_by_its_rest_length_and_its_tension() -> None:
    m = pl.Model("hoist")
    ground, load = m.add(pl.Ground(), pl.Body("load", mass=2.0, inertia=1.0, position=(0.0, -1.0), angle=0.0))
    m.add(
        pl.Prismatic(ground.at(0, 0, angle=math.pi / 2), load.at(angle=math.pi / 2)),
        pl.Tendon("cable", ground.at(0, 1), load.at(), stiffness=500.0, rest_length=1.9, damping=4.0),
        pl.Gravity(),
    )
    system = pl.compile(m)
    outputs = ["position:load(0, 0):y", "line_length:cable", "line_rate:cable", "tension:cable"]
    plant = pl.linearise(system, inputs=["cable/rest_length", "cable/tension"], outputs=outputs)
    np.testing.assert_allclose(np.sort_complex(plant.poles()), np.sort_complex(np.roots([2.0, 4.0, 500.0])), rtol=1e-9)
    omega = 12.0
    up = 1.0 / (500.0 + 4.0j * omega - 2.0 * omega**2)  # of the load, by a force up
    pull = 1.0 - (500.0 + 4.0j * omega) * up
    expected = np.array([[up], [-up], [-1j * omega * up], [pull]]) * [-500.0, 1.0]
    # Taut by 20 N, it is off the straight law by (slack width / 20 N)^2, 1e-9.
    np.testing.assert_allclose(gain(plant, omega), expected, rtol=1e-8)


def test_static_gain_is_the_slope_of_statics() -> None:
    system = cantilever()
    outputs = ["position:beam/tip:y", "resultant:beam@0.5:M", "reaction:wall:M", "strain:beam@0.25"]
    plant = pl.linearise(system, inputs=["load/y", "twist/value"], outputs=outputs)
    step = 1e-3
    for column, (name, base) in enumerate((("load/y", -2.0), ("twist/value", 0.0))):
        ends = [pl.statics(system.with_signals({name: base + sign * step})) for sign in (1.0, -1.0)]
        for row, output in enumerate(outputs[:3]):
            slope = (reading(ends[0].data, output) - reading(ends[1].data, output)) / (2.0 * step)
            assert gain(plant)[row, column].real == pytest.approx(slope, rel=1e-7)
    # Surface strain: h / 2 EI times the moment there.
    moment = pl.linearise(system, inputs=["load/y"], outputs=["resultant:beam@0.25:M"])
    factor = 0.5 * STRIP.height / STRIP.bending_stiffness
    assert gain(plant)[3, 0].real == pytest.approx(factor * gain(moment)[0, 0].real, rel=1e-12)


def test_response_is_the_sum_of_the_modes() -> None:
    """Without preload, for its stiffness is not damped."""
    damping = pl.Rayleigh(0.4, 2e-4, relative_to="ground")
    system = cantilever(damping=damping).with_signals({"load/y": 0.0})
    rest = pl.statics(system)
    plant = pl.linearise(system, at=rest, inputs=["load/y"], outputs=["position:beam/tip:y"])
    modes = pl.modal(system, at=rest, modes=system.freedoms)
    tip = modes.mode_position.sel(marker="beam/tip", axis="y").values
    squares = (2.0 * np.pi * modes.frequency_hz.values) ** 2
    for omega in (1.0, 20.0, 300.0, 5000.0):
        parts = tip**2 / modes.modal_mass.values / (squares - omega**2 + 1j * omega * (0.4 + 2e-4 * squares))
        assert gain(plant, omega)[0, 0] == pytest.approx(np.sum(parts), rel=1e-7)


def test_sparse_and_dense_responses_agree_on_the_leg() -> None:
    held = pl.compile(leg.model(), elements=6)
    outputs = ["angle:lower link", "line_length:tendon", "tension:tendon", "reaction:hold:M", "strain:leaf@0.4"]
    inputs = ["tendon/rest_length", "hold/angle", "gravity/y"]
    plant = pl.linearise(held, at=pretension(held).rest, inputs=inputs, outputs=outputs)
    for omega in (0.3, 30.0, 800.0):
        dense = dense_response(plant, omega)
        np.testing.assert_allclose(gain(plant, omega), dense, rtol=1e-6, atol=1e-9 * np.abs(dense).max())


def test_redundant_joints_change_nothing_but_how_they_share() -> None:
    """A door on two hinges on one axis, and on one."""

    def door(hinges: int) -> pl.System:
        m = pl.Model("door")
        ground, body = m.add(pl.Ground(), pl.Body("door", mass=2.0, inertia=0.3, position=(0, -1), angle=0.0))
        for k in range(hinges):
            m.add(pl.Revolute(ground.at(0, 0), body.at(0, 1), name=f"hinge {k}"))
        m.add(pl.Gravity(), pl.Force(body.at(), x=0.0, name="push"))
        return pl.compile(m)

    inputs, outputs = ["push/x"], ["angle:door", "reaction:hinge 0:Fx"]
    one = pl.linearise(door(1), inputs=inputs, outputs=outputs)
    with pytest.warns(pl.errors.PliantWarning, match="Redundant"):
        two = pl.linearise(door(2), inputs=inputs, outputs=outputs)
    np.testing.assert_allclose(two.poles(), one.poles(), rtol=1e-12)
    for omega in (0.0, 2.0):
        np.testing.assert_allclose(gain(two, omega), gain(one, omega) * [[1.0], [0.5]], rtol=1e-9)
        np.testing.assert_allclose(gain(two, omega), dense_response(two, omega), rtol=1e-9)


def test_follower_load_has_the_damped_modes_of_modal() -> None:
    """Beck's column below its flutter load: an unsymmetric stiffness."""
    m = pl.Model("column")
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=1.0, section=STRIP, damping=pl.Rayleigh(0.3, 1e-5)))
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Force(beam.at(s=1), x=-15.0, follower=True, name="push"))
    system = pl.compile(m, elements=6)
    plant = pl.linearise(system, inputs=["push/x", "push/y"], outputs=["position:beam/tip:y"])
    assert plant.second_order is not None
    stiffness = plant.second_order.stiffness.toarray()
    assert np.max(np.abs(stiffness - stiffness.T)) == pytest.approx(15.0, rel=1e-9)
    modes = pl.modal(system, modes=4, damped=True).eigenvalue.values
    np.testing.assert_allclose(plant.poles()[:8:2], modes, rtol=1e-8)


@pytest.mark.parametrize("beta", [0.0, 1e-4])
def test_sections_without_rotary_inertia_are_eliminated(beta: float) -> None:
    """Undamped they follow statically; damped (Kelvin-Voigt) they creep."""
    section = pl.Section(1e6, 4e5, 20.0, 0.3, 0.0)
    system = cantilever(section=section, damping=pl.Rayleigh(0.2, beta) if beta else None)
    plant = pl.linearise(system, inputs=["load/y", "twist/value"], outputs=["position:beam/tip:y", "reaction:wall:M"])
    assert sum(name.startswith("creep") for name in plant.state_names) == (4 if beta else 0)
    modes = pl.modal(system, modes=3, damped=True).eigenvalue.values
    oscillating = plant.poles()[plant.poles().imag > 0.0]
    np.testing.assert_allclose(oscillating[:3], modes, rtol=1e-8, atol=1e-8 * abs(modes[0]))
    for omega in (0.0, 40.0, 900.0):
        np.testing.assert_allclose(gain(plant, omega), dense_response(plant, omega), rtol=1e-8)


def test_moment_on_a_massless_section_gives_no_finite_velocity() -> None:
    system = cantilever(section=pl.Section(1e6, 4e5, 20.0, 0.3, 0.0))
    with pytest.raises(OptionError, match="'twist/value' moves 'beam', which has no mass there, at once"):
        pl.linearise(system, inputs=["load/y", "twist/value"], outputs=["velocity:beam/tip(0, 0.1):x"])


def test_massless_part_that_nothing_holds_is_named() -> None:
    m = pl.Model("loose")
    ground, arm, flap = m.add(
        pl.Ground(),
        pl.Link("arm", length=1.0, mass=1.0, angle=-math.pi / 2),
        pl.Link("flap", length=0.2, mass=0.0, angle=-math.pi / 2),
    )
    m.add(
        pl.Revolute(ground.at(0, 0), arm.at(s=0)),
        pl.Revolute(arm.at(s=1), flap.at(s=0)),
        pl.Motor("motor", ground.at(0, 0), arm.at(s=0), 0.0),
    )
    system = pl.compile(m)
    with pytest.raises(SingularError, match="'flap' can move without moving any mass"):
        pl.linearise(system, at=system.start(), inputs=["motor/torque"], outputs=["angle:arm"])


def test_point_of_a_motion_keeps_what_velocity_does() -> None:
    """A pendulum's angle does not depend on how fast it swings: theta'' = -(m g l sin(theta) + c theta') / I."""
    system = hanging()
    run = pl.transient(system, push={"body": 3.0}, end_time=0.2, step=1e-4)
    angle, speed = float(run.angle[-1, 0]), float(run.angular_velocity[-1, 0])
    assert abs(angle) > 0.3
    assert abs(speed) > 1.0
    asked = {"at": run, "inputs": ["motor/torque"], "outputs": ["angle:body", "reaction:pin:Fx"]}
    plant = pl.linearise(system, **asked, frozen=True)
    assert plant.frozen
    assert plant.second_order is None
    expected = [[0.0, 1.0], [-MASS * GRAVITY * ARM * math.cos(angle) / ABOUT_PIVOT, -LOSS / ABOUT_PIVOT]]
    np.testing.assert_allclose(plant.A, expected, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(plant.C[0], [1.0 / math.sqrt(ABOUT_PIVOT), 0.0], atol=1e-12)
    # m x'' of the body, x = l sin(theta): what the pin pushes, as a function of angle and speed
    second = -(MASS * GRAVITY * ARM * math.sin(angle) + LOSS * speed) / ABOUT_PIVOT
    by_angle = expected[1][0] * math.cos(angle) - second * math.sin(angle) - speed**2 * math.cos(angle)
    by_speed = expected[1][1] * math.cos(angle) - 2.0 * speed * math.sin(angle)
    push = MASS * ARM * np.array([by_angle, by_speed]) / math.sqrt(ABOUT_PIVOT)
    # The integrator leaves the velocity 1e-9 off the constraint.
    np.testing.assert_allclose(plant.C[1], push, rtol=1e-7)
    np.testing.assert_allclose(gain(plant, 2.0), dense_response(plant, 2.0), rtol=1e-12)


def test_frozen_coefficients_do_not_depend_on_coordinates() -> None:
    """One freedom without losses: along the path s of kinetic energy, s'' = -dV/ds, so A21 = -d2V/ds2 at any speed."""
    m = four_bar.model()
    system, reduced = pl.compile(m), pl.compile(m, formulation="relative")
    run = pl.transient(system, end_time=0.1, step=1e-4)
    assert run.state is not None
    q, angle = run.state["q"], float(run.angle[-1].sel(body="crank"))
    mass = system.matrices(system.start()).mass

    place, n = 3 * system.layout.body_node(m.part("crank")) + 2, system.freedoms

    def inertia(y: float) -> float:
        """Return the inertia of the crank with all that moves with it: the velocities of everything at 1 rad/s."""
        moving = poses.point(reduced, "crank", y, 1.0, q).v[:n]
        return float(moving @ (mass @ moving))

    def along(t: np.ndarray) -> np.ndarray:
        """Return sqrt(m) y'' of the crank let go at y: -dV/ds."""
        return np.array(
            [[math.sqrt(inertia(y)) * poses.point(reduced, "crank", y, 0.0, q).a[place]] for y in angle + t]
        )

    expected = derivative(along, 0.05)[0] / math.sqrt(inertia(angle))
    plant = pl.linearise(system, at=run, inputs=["gravity/y"], outputs=["angle:crank"], frozen=True)
    assert abs(float(run.angular_velocity[-1].sel(body="crank"))) > 2.0
    np.testing.assert_allclose(plant.A, [[0.0, 1.0], [expected, 0.0]], rtol=1e-7, atol=1e-7 * abs(expected))


def test_motion_that_has_come_to_rest_is_an_equilibrium_and_a_turning_point_is_not() -> None:
    system = hanging()
    asked = {"inputs": ["motor/torque"], "outputs": ["angle:body"]}
    slow = pl.transient(system, end_time=0.01, step=1e-3)
    assert not pl.linearise(system, at=slow, **asked).frozen
    assert not pl.linearise(system, at=slow, **asked, frozen=True).frozen
    pushed = hanging(torque=2.0)
    start = pl.transient(pushed, end_time=1e-9, step=1e-9)
    assert pl.linearise(pushed, at=start, **asked, frozen=True).frozen
    for analysis in (lambda: pl.linearise(pushed, at=start, **asked), lambda: pl.modal(pushed, at=start)):
        with pytest.raises(OptionError, match="moves in that state, or begins to"):
            analysis()


def test_outputs_are_the_numbers_of_results() -> None:
    held = pl.compile(leg.model(), elements=6)
    rest = pretension(held).rest
    names = [
        *("angle:upper link", "position:leaf@0.5:y", "line_length:tendon", "tension:tendon"),
        *("reaction:A:Fx", "reaction:hold:M"),
        *("resultant:leaf@0.5:N", "resultant:leaf@0:V", "resultant:leaf@1:M"),
    ]
    plant = pl.linearise(held, at=rest, inputs=["gravity/y"], outputs=names)
    np.testing.assert_allclose(
        plant.output_values, [reading(rest.data, name) for name in names], rtol=1e-12, atol=1e-12
    )
    between = Outputs(Observer(held), ("resultant:leaf@0.5:M", "resultant:leaf@0.6:M", "resultant:leaf@0.55:M"))
    assert rest.state is not None
    u = held.signals(np.zeros(1))[0]
    values = between.evaluate(*(rest.state[key] for key in ("q", "v", "lam")), u)
    assert min(values[:2]) < values[2] < max(values[:2])


def test_states_come_back_from_coordinates() -> None:
    system = cantilever()
    plant = pl.linearise(system, inputs=["load/y"], outputs=["position:beam/tip:y"])
    assert plant.basis is not None
    assert plant.velocity_basis is not None
    z = np.random.default_rng(1).standard_normal(len(plant.A))
    np.testing.assert_allclose(plant.state(plant.basis @ z, plant.velocity_basis @ z), z, rtol=1e-9)
    with pytest.raises(OptionError, match="give 15 coordinates"):
        plant.state([1.0])
    with pytest.raises(OptionError, match="does not come from linearise"):
        LinearModel([[0.0]], [[1.0]], [[1.0]], [[0.0]]).state([1.0])


def test_linear_response_is_that_of_a_small_motion() -> None:
    """A step of the load: the nonlinear motion, less its start, over the step."""
    system = cantilever(damping=pl.Rayleigh(2.0, 1e-3))
    rest = pl.statics(system)
    plant = pl.linearise(system, at=rest, inputs=["load/y"], outputs=["position:beam/tip:y"])
    times, step = np.linspace(0.0, 0.4, 401), 1e-3
    run = pl.transient(
        system.with_signals({"load/y": -2.0 + step}),
        start=rest,
        end_time=0.4,
        times=times,
        step=2e-4,
        spectral_radius=0.9,
    )
    moved = (run.position.sel(marker="beam/tip", axis="y").values - plant.output_values[0]) / step
    linear = plant.step_response(times).values[0, 0]
    # The integrator's own error, (omega h)^2 / 12 of a swing, with omega = 26 rad/s of the first mode.
    np.testing.assert_allclose(moved, linear, atol=2e-3 * np.abs(linear).max())


OSCILLATOR = LinearModel([[0.0, 1.0], [-4.0, -0.4]], [[0.0], [1.0]], [[1.0, 0.0]], [[0.0]])


def test_responses_of_an_oscillator_in_time() -> None:
    times = np.linspace(0.0, 5.0, 51)
    damped = math.sqrt(4.0 - 0.04)
    wave = np.exp(-0.2 * times) * np.sin(damped * times) / damped
    settle = np.exp(-0.2 * times) * (np.cos(damped * times) + 0.2 / damped * np.sin(damped * times))
    np.testing.assert_allclose(OSCILLATOR.impulse_response(times).values[0, 0], wave, atol=1e-13)
    np.testing.assert_allclose(OSCILLATOR.step_response(times).values[0, 0], (1.0 - settle) / 4.0, atol=1e-13)
    sampled = OSCILLATOR.discretise(0.1)
    np.testing.assert_allclose(sampled.step_response(times), OSCILLATOR.step_response(times), atol=1e-13)
    assert OSCILLATOR.step_response()["time"].values[-1] == pytest.approx(25.0)
    assert sampled.step_response()["time"].values[-1] == pytest.approx(25.0, abs=0.11)
    pulse = sampled.impulse_response(times).values[0, 0]
    np.testing.assert_allclose(pulse[1:], 0.5 * (wave[1:] + wave[:-1]), atol=2e-3)  # a pulse of 0.1 s


def test_sampling_a_double_integrator() -> None:
    cart = LinearModel([[0, 1], [0, 0]], [[0], [2]], [[1, 0]], [[0]], input_names=("force",), output_names=("place",))
    sampled = cart.discretise(0.5)
    np.testing.assert_allclose(sampled.A, [[1.0, 0.5], [0.0, 1.0]], atol=1e-15)
    np.testing.assert_allclose(sampled.B, [[0.25], [1.0]], atol=1e-15)
    assert sampled.sample_time == 0.5
    assert sampled.input_names == ("force",)
    z = np.exp(0.35j)
    assert gain(sampled, 0.7)[0, 0] == pytest.approx(0.25 * (z + 1.0) / (z - 1.0) ** 2, rel=1e-12)
    with pytest.raises(SingularError, match="at omega = 0 rad/s the response is infinite"):
        sampled.frequency_response(0.0)


def test_damping_table_names_what_moves() -> None:
    held = pl.compile(leg.model(), elements=6)
    plant = pl.linearise(held, at=pretension(held).rest, inputs=["gravity/y"], outputs=["angle:lower link"])
    table = plant.damping_table(5)
    np.testing.assert_allclose(table.frequency_hz[1:3], np.abs(plant.poles()[[1, 3]]) / (2.0 * np.pi), rtol=1e-12)
    assert table.damping_ratio[0] == pytest.approx(1.0)  # the tendon's damper makes the leg creep
    assert table.time_constant[0] == pytest.approx(-1.0 / plant.poles()[0].real)
    assert "lower link" in str(table.parts.values[0])
    assert str(table.parts.values[2]) == "leaf"
    sampled = OSCILLATOR.discretise(0.1).damping_table()
    np.testing.assert_allclose(sampled.frequency_hz, [1.0 / np.pi], rtol=1e-12)
    np.testing.assert_allclose(sampled.damping_ratio, [0.1], rtol=1e-12)


def test_slow_poles_keep_their_digits_beside_fast_ones() -> None:
    fast = np.diag([-1e12, -1e3, -1.0, -1e-3]) + np.triu(np.full((4, 4), 1e6), 1)
    model = LinearModel(fast, np.ones((4, 1)), np.ones((1, 4)), [[0.0]])
    np.testing.assert_allclose(model.poles().real, [-1e-3, -1.0, -1e3, -1e12], rtol=1e-6)


def test_python_control_gets_the_names() -> None:
    control = pytest.importorskip("control")
    plant = pl.linearise(hanging(), inputs=["motor/torque"], outputs=["angle:body", "reaction:pin:Fx"])
    told = plant.to_control()
    assert told.input_labels == ["motor/torque"]
    assert told.output_labels == ["angle:body", "reaction:pin:Fx"]
    assert told.state_labels == ["mode 1", "mode 1 rate"]
    size, phase, _ = control.frequency_response(told, [0.7])
    np.testing.assert_allclose((size * np.exp(1j * phase))[:, 0, 0], gain(plant, 0.7)[:, 0], rtol=1e-10)
    assert plant.discretise(0.01).to_control().dt == 0.01


def test_large_models_make_their_matrices_late(monkeypatch: pytest.MonkeyPatch) -> None:
    system = cantilever(damping=pl.Rayleigh(0.4, 2e-4))
    given: dict[str, Any] = {"inputs": ["load/y"], "outputs": ["position:beam/tip:y"]}
    small = pl.linearise(system, **given)
    monkeypatch.setattr(linear_model, "EAGER", 1)
    large = pl.linearise(system, **given)
    assert "A" not in large.__dict__
    assert "not yet counted" in repr(large)
    np.testing.assert_allclose(gain(large, 30.0), gain(small, 30.0), rtol=1e-12)
    np.testing.assert_allclose(large.poles(4), small.poles(4), rtol=1e-8)
    assert "A" not in large.__dict__
    np.testing.assert_allclose(large.A, small.A)
    with pytest.raises(AttributeError, match="no attribute 'unknown'"):
        _ = large.unknown


def test_pictures_show_what_they_are_given() -> None:
    plant = pl.linearise(hanging(), inputs=["motor/torque"], outputs=["angle:body", "reaction:pin:Fx"])
    size, phase = plots.plot_frequency_response(plant, outputs="angle:body", omega=[1.0, 2.0])
    np.testing.assert_allclose(size.lines[0].get_ydata(), [abs(gain(plant, w)[0, 0]) for w in (1.0, 2.0)])
    assert phase.get_xlabel() == "frequency [Hz]"
    np.testing.assert_allclose(plots.plot_poles(plant).lines[0].get_xdata(), plant.poles().real)
    assert len(plots.plot_poles(plant, plant.discretise(0.01)).lines) == 3
    assert len(plots.plot_response(plant.step_response()).lines) == 2
    assert len(plots.plot_frequency_response(plant.discretise(0.01))[0].lines) == 2
    with pytest.raises(OptionError, match="Did you mean angle:body"):
        plots.plot_frequency_response(plant, outputs="angle:bodi")
    with pytest.raises(OptionError, match="has not been reduced"):
        plots.plot_reduction(plant)
    with pytest.raises(OptionError, match="at least one LinearModel"):
        plots.plot_poles()
    with pytest.raises(OptionError, match="step_response"):
        plots.plot_response(plant.frequency_response(1.0))


GOOD: dict[str, Any] = {"inputs": ["motor/torque"], "outputs": ["angle:body"]}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"inputs": []}, "inputs: the list is empty"),
        ({"inputs": "motor/torque"}, "inputs='motor/torque': give a list of names"),
        ({"inputs": ["motor/torque"] * 2}, "inputs: 'motor/torque' is there twice"),
        ({"inputs": ["motor/torqe"]}, "there is no signal 'motor/torqe'. Did you mean motor/torque"),
        ({"outputs": []}, "outputs: the list is empty"),
        ({"outputs": ["angel:body"]}, "'angel:body' is not an output. Did you mean angle"),
        ({"outputs": ["angle:bodi"]}, "there is no body 'bodi'. Did you mean body"),
        ({"outputs": ["position:bodi:x"]}, r"there is no marker 'bodi'. Known are: body\(0, 0\)"),
        ({"outputs": ["position:body(0, 0)"]}, "needs one of the components x, y"),
        ({"outputs": ["reaction:pin:Fz"]}, "needs one of the components Fx, Fy, M"),
        ({"outputs": ["reaction:pim:Fx"]}, "there is no joint 'pim'. Did you mean pin"),
        ({"outputs": ["tension:cable"]}, "there is no spring or tendon 'cable'. None is known"),
        ({"outputs": ["strain:body@0.5"]}, "there is no beam 'body'"),
        ({"at": 3}, "is not a state"),
    ],
)
def test_bad_names_are_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        pl.linearise(hanging(), **{**GOOD, **change})


def test_bad_places_on_beams_are_refused() -> None:
    system = cantilever()
    given: dict[str, Any] = {"at": system.start(), "inputs": ["load/y"]}
    for name in ("strain:beam@1.5", "strain:beam@middle", "resultant:beam@:M"):
        with pytest.raises(OptionError, match="must be from 0 to 1"):
            pl.linearise(system, outputs=[name], **given)
    plain = cantilever(section=pl.Section(1e6, 4e5, 20.0, 0.3, 1e-4))
    with pytest.raises(OptionError, match="has no height"):
        pl.linearise(plain, outputs=["strain:beam@0.5"], **given)


def test_what_is_no_equilibrium_is_refused() -> None:
    rest = pl.statics(hanging())
    with pytest.raises(OptionError, match="no equilibrium of this system"):
        pl.linearise(hanging(torque=1.0), at=rest, **GOOD)
    held = pl.compile(leg.model(), elements=4)
    posture = pretension(held).rest
    free = pl.compile(leg.model(hold=None), elements=4)
    with pytest.raises(OptionError, match=r"other joints \(hold\)"):
        pl.linearise(free, at=posture, inputs=["gravity/y"], outputs=["angle:leaf"])


def test_other_systems_are_refused() -> None:
    with pytest.raises(CapabilityError, match="was given a model"):
        pl.linearise(pendulum.model(), **GOOD)


@pytest.mark.filterwarnings("ignore:Redundant")
def test_a_drive_that_joints_hold_cannot_be_an_input() -> None:
    m = pl.Model("held")
    ground, body = m.add(pl.Ground(), pl.Body("body", mass=1.0, inertia=1.0, position=(0, 0), angle=0.0))
    m.add(
        pl.Weld(ground.at(1, 0), body.at(1, 0)),
        pl.Motion(ground.at(0, 0), body.at(), x=0.0, name="drive"),
    )
    system = pl.compile(m)
    with pytest.raises(OptionError, match="'drive/x' cannot change: other joints"):
        pl.linearise(system, at=system.start(), inputs=["drive/x"], outputs=["angle:body"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"B": [[1.0]]}, "B has the shape"),
        ({"A": [[0.0, np.nan], [0.0, 0.0]]}, "A holds a number that is not finite"),
        ({"state_names": ("a", "a")}, "give 2 different names"),
        ({"sample_time": -1.0}, "give seconds above zero"),
    ],
)
def test_bad_matrices_are_refused(change: dict[str, Any], message: str) -> None:
    good: dict[str, Any] = {"A": [[0, 1], [0, 0]], "B": [[0], [1]], "C": [[1, 0]], "D": [[0]]}
    with pytest.raises(OptionError, match=message):
        LinearModel(**{**good, **change})


def test_bad_options_of_responses_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    for omega in (-1.0, np.inf, [[1.0]]):
        with pytest.raises(OptionError, match="give frequencies in rad/s"):
            OSCILLATOR.frequency_response(omega)
    for times in ([0.0], [1.0, 2.0], [0.0, 1.0, 3.0]):
        with pytest.raises(OptionError, match="equally spaced"):
            OSCILLATOR.step_response(times)
    sampled = OSCILLATOR.discretise(0.1)
    with pytest.raises(OptionError, match=r"0.1 s apart"):
        sampled.step_response([0.0, 0.2])
    with pytest.raises(OptionError, match="sampled already"):
        sampled.discretise(0.1)
    for bad in (0.0, -1.0, np.nan, True, "1"):
        with pytest.raises(OptionError, match="give seconds above zero"):
            OSCILLATOR.discretise(bad)
    growing = LinearModel([[10.0]], [[1.0]], [[1.0]], [[0.0]])
    with pytest.raises(SingularError, match="grows beyond all numbers"):
        growing.step_response([0.0, 50.0, 100.0])
    undamped = pl.linearise(hanging(), inputs=["motor/torque"], outputs=["angle:body"])
    assert np.isfinite(gain(undamped, 3.0)).all()
    monkeypatch.setitem(__import__("sys").modules, "control", None)
    with pytest.raises(PliantError, match="needs python-control"):
        OSCILLATOR.to_control()


def test_steps_at_which_a_function_is_not_finite_are_left_out() -> None:
    def broken(t: np.ndarray) -> np.ndarray:
        return np.where(np.abs(t) > 0.02, np.inf, np.exp(3.0 * t))[:, None]

    assert abs(derivative(broken, 0.1)[0] - 3.0) < 1e-9
