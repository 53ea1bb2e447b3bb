"""Forces: every family against its energy or power, its tangents against finite differences, and the user's own."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import pliant as pl
from pliant.errors import ModelError
from pliant.system.packing import fused
from pliant.system.state import State
from pliant.system.system import System

SECTION = pl.Section(300.0, 120.0, 2.0, 1.7, 0.03)


class Scene:
    """Two free bodies and a free beam, nothing locked: what a force does to them is all there is."""

    def __init__(self) -> None:
        self.model = pl.Model("scene")
        self.ground = self.model.add(pl.Ground())
        self.body = self.model.add(pl.Body("body", mass=1.1, inertia=0.3, position=(0.2, 0.1), angle=0.3, free=True))
        self.link = self.model.add(pl.Link("link", length=0.7, mass=0.6, position=(1.0, 0.4), angle=-0.6, free=True))
        self.beam = self.model.add(
            pl.Beam("beam", length=1.2, section=SECTION, position=(-0.5, 0.8), angle=0.5, free=True)
        )


def cubic(t: float, pose: np.ndarray, velocity: np.ndarray) -> tuple[float, float, float]:
    """Return some nonlinear force, not conservative."""
    return (
        -3.0 * pose[0] ** 3 + 0.4 * velocity[1],
        math.sin(t) - velocity[1] ** 3,
        0.7 * pose[1] * velocity[2] - pose[2],
    )


def routed(s: Scene, **options: Any) -> pl.Tendon:
    """Return a tendon from the beam through two eyes of the link and one of the body to the ground."""
    guides = s.link.at(s=1, y=0.1), s.link.at(s=0.1), s.body.at(0.1, 0.3)
    return pl.Tendon("tendon", s.beam.at(s=0.5, y=0.1), s.ground.at(-0.7, -0.2), guides=guides, **options)


ROUGH = {"stiffness": 20.0, "rest_length": 1.4, "friction": 0.3, "friction_speed": 2.0}  # its terms of like size
LOADS: dict[str, Callable[[Scene], object]] = {
    "gravity": lambda s: pl.Gravity(x=1.3, y=-9.81),
    "gravity in time": lambda s: pl.Gravity(y=pl.Sine(9.0, frequency_hz=1.0, phase=0.4)),
    "dead force off the centre": lambda s: pl.Force(s.body.at(0.3, -0.2), x=4.0, y=-7.0),
    "dead force in time": lambda s: pl.Force(s.link.at(s=1), x=pl.Expression("3 + t"), y=2.0),
    "follower force": lambda s: pl.Force(s.body.at(0.3, -0.2, angle=0.4), x=4.0, y=-7.0, follower=True),
    "follower force on a beam": lambda s: pl.Force(s.beam.at(s=0.5, x=0.1, y=0.2), y=3.0, follower=True),
    "moment": lambda s: pl.Moment(s.link.at(s=0.2), 2.5),
    "motor": lambda s: pl.Motor("motor", s.body.at(), s.link.at(s=0), pl.Sine(4.0, frequency_hz=0.5, phase=1.0)),
    "distributed": lambda s: pl.DistributedLoad(s.beam, x=2.0, y=-5.0),
    "distributed follower": lambda s: pl.DistributedLoad(s.beam, x=2.0, y=-5.0, follower=True),
    "spring": lambda s: pl.Spring(
        "spring", s.body.at(0.1, 0.2), s.beam.at(s=1, y=0.1), stiffness=20.0, rest_length=0.4
    ),
    "spring to ground": lambda s: pl.Spring(
        "spring", s.ground.at(2, 1), s.link.at(s=1), stiffness=20.0, rest_length=0.4
    ),
    "tendon": lambda s: pl.Tendon("tendon", s.link.at(s=1), s.body.at(0.1, 0.2), stiffness=20.0, rest_length=0.3),
    "tendon through guides": lambda s: routed(s, stiffness=20.0, rest_length=0.4),
    "tendon at its limit": lambda s: routed(s, stiffness=20.0, shortening=0.3, largest_force=6.2, slack_force=2.0),
    "tendon nearly slack": lambda s: routed(s, stiffness=20.0, shortening=0.0, slack_force=1.0),
    "tendon of constant tension": lambda s: routed(s, tension=12.0),
    "tendon of driven tension": lambda s: routed(s, stiffness=5.0, force=3.0, tension=pl.Sine(9.0, frequency_hz=0.7)),
    "tendon of driven length": lambda s: routed(s, stiffness=20.0, rest_length=pl.Expression("0.5 + 0.1*t")),
    "tendon with friction": lambda s: routed(s, **ROUGH),
    "tendon that slides at rest": lambda s: routed(s, **ROUGH, sliding=1, damping=0.7),
    "torsion spring": lambda s: pl.TorsionSpring(
        "flexure", s.body.at(), s.link.at(s=0, angle=0.2), stiffness=3.0, rest_angle=0.1
    ),
    "torsion damper": lambda s: pl.TorsionSpring(
        "flexure", s.ground.at(0, 0), s.link.at(s=0), stiffness=3.0, damping=0.6
    ),
    "drag": lambda s: pl.Drag(s.beam, x=0.3, y=0.8),
    "state force": lambda s: pl.StateForce("cubic", s.link.at(s=1, y=0.1), cubic),
    "point mass off the centre": lambda s: pl.PointMass("lump", s.body.at(0.4, 0.3), mass=0.8, inertia=0.1),
    "point mass on a beam": lambda s: pl.PointMass("lump", s.beam.at(s=0.5, y=-0.2), mass=0.8, inertia=0.1),
}
DAMPED = {
    "spring and damper": lambda s: pl.Spring(
        "spring", s.body.at(0.1, 0.2), s.beam.at(s=1, y=0.1), stiffness=20.0, rest_length=0.4, damping=1.5
    ),
    "tendon with damper": lambda s: routed(s, stiffness=9.0, rest_length=0.8, damping=1.5),
}
every_load = pytest.mark.parametrize("name", LOADS)
POTENTIAL = [
    "gravity",
    "dead force off the centre",
    "moment",
    "distributed",
    "spring",
    "spring to ground",
    *("tendon", "tendon through guides", "tendon at its limit", "tendon nearly slack", "tendon of constant tension"),
    "torsion spring",
]


def scene_with(name: str) -> System:
    scene = Scene()
    scene.model.add((LOADS | DAMPED)[name](scene))
    return pl.compile(scene.model, elements=pl.Exact(4))


def somewhere(system: System, rng: np.random.Generator, *, at_rest: bool = False) -> State:
    """Return a state near the assembled one, moving and accelerating."""
    n = system.freedoms
    near = np.concatenate([system.initial[:n] + 0.1 * rng.uniform(-1, 1, n), np.zeros(3)])
    v, a = (np.concatenate([rng.uniform(-1, 1, n) * (not at_rest), np.zeros(3)]) for _ in range(2))
    return State(near, v, a, np.zeros(system.constraints), time=0.37)


def residual(system: System, state: State) -> np.ndarray:
    """Return M a + f at a state; zero along a motion."""
    return system.unbalanced(state.q, state.v, state.a, system.signals(np.array([state.time]))[0])


def derivative(system: System, state: State, name: str, h: float = 1e-6) -> np.ndarray:
    """Differentiate the residual by q, v or a, by central differences."""
    columns = []
    for k in range(system.freedoms):
        sides = []
        for sign in (1.0, -1.0):
            x = getattr(state, name).copy()
            x[k] += sign * h
            sides.append(residual(system, replace(state, **{name: x})))
        columns.append((sides[0] - sides[1]) / (2 * h))
    return np.array(columns).T


@every_load
def test_tangents_are_derivatives_of_the_residual(name: str, rng: np.random.Generator) -> None:
    system = scene_with(name)
    state = somewhere(system, rng)
    found = system.matrices(state)
    tolerance = 3e-5 if name == "state force" else 2e-7  # its tangent is itself a difference quotient
    for matrix, variable in ((found.stiffness, "q"), (found.damping, "v"), (found.mass, "a")):
        expected = derivative(system, state, variable)
        np.testing.assert_allclose(matrix.toarray(), expected, atol=tolerance * max(1.0, np.abs(expected).max()))


@pytest.mark.parametrize("name", DAMPED)
def test_damper_tangent_is_the_symmetric_part(name: str, rng: np.random.Generator) -> None:
    """The skew half of d(c l')/dq vanishes at rest and is left out where nothing else is unsymmetric."""
    system = scene_with(name)
    for at_rest in (True, False):
        state = somewhere(system, rng, at_rest=at_rest)
        expected = derivative(system, state, "q")
        stiffness = system.matrices(state).stiffness.toarray()
        np.testing.assert_allclose(stiffness, 0.5 * (expected + expected.T), atol=1e-5)
        np.testing.assert_allclose(system.matrices(state).damping.toarray(), derivative(system, state, "v"), atol=1e-6)


@pytest.mark.parametrize("name", POTENTIAL)
def test_residual_is_the_gradient_of_the_energy(name: str, rng: np.random.Generator) -> None:
    system = scene_with(name)
    state = somewhere(system, rng, at_rest=True)
    state = replace(state, a=np.zeros_like(state.a))
    force, h = residual(system, state), 1e-5
    for k in range(system.freedoms):
        move = h * np.eye(system.freedoms + 3)[k]
        up, down = (system.energy(replace(state, q=state.q + sign * move))[1] for sign in (1.0, -1.0))
        assert (up - down) / (2 * h) == pytest.approx(force[k], abs=1e-6)


@pytest.mark.parametrize("name", LOADS | DAMPED)
def test_power_balances_energy(name: str, rng: np.random.Generator) -> None:
    """r . v = d(T + V)/dt - supplied + dissipated, along any path, for every part."""
    system, h = scene_with(name), 1e-5
    state = somewhere(system, rng)

    def energy(t: float) -> float:
        q, v = state.q + t * state.v + 0.5 * t * t * state.a, state.v + t * state.a
        return sum(system.energy(replace(state, q=q, v=v)))

    u = system.signals(np.array([state.time]))[0]
    supplied, dissipated = fused.power(system.equations.parts, state.q, state.v, u)
    rate = (energy(h) - energy(-h)) / (2 * h)
    assert dissipated >= 0.0 or name == "tendon that slides at rest"  # slower than its friction_speed, the other way
    assert residual(system, state) @ state.v[:-3] == pytest.approx(rate - supplied + dissipated, abs=1e-6)


def test_follower_and_off_centre_mass_are_unsymmetric_and_others_not() -> None:
    unsymmetric = {name for name in LOADS if scene_with(name).unsymmetric}
    assert unsymmetric == {
        *("follower force", "follower force on a beam", "distributed follower", "state force"),
        *("point mass off the centre", "point mass on a beam", "tendon with friction", "tendon that slides at rest"),
    }
    assert not scene_with("tendon that slides at rest").conservative
    assert scene_with("tendon with friction").conservative  # at rest


def swinging(*more: Callable[[pl.Link], object], **options: object) -> pl.Result:
    """Return a pendulum with something attached to its tip."""
    model = pl.Model("swing")
    ground, arm = model.add(pl.Ground(), pl.Link("arm", length=0.8, mass=1.0, angle=-0.4))
    model.add(pl.Revolute(ground.at(0, 0), arm.at(s=0)), pl.Gravity())
    for part in more:
        model.add(part(arm) if callable(part) else part)
    return pl.transient(pl.compile(model), end_time=0.5, step=5e-3, **options)


def test_state_force_equals_the_built_in_spring_and_damper() -> None:
    def pull(t: float, pose: np.ndarray, velocity: np.ndarray) -> tuple[float, float, float]:
        return 0.0, 0.0, -6.0 * (pose[2] - 0.2) - 0.5 * velocity[2]

    def built_in() -> pl.Result:
        model = pl.Model("swing")
        ground, arm = model.add(pl.Ground(), pl.Link("arm", length=0.8, mass=1.0, angle=-0.4))
        model.add(pl.Revolute(ground.at(0, 0), arm.at(s=0)), pl.Gravity())
        model.add(pl.TorsionSpring("t", ground.at(0, 0), arm.at(s=0), stiffness=6.0, rest_angle=0.2, damping=0.5))
        return pl.transient(pl.compile(model), end_time=0.5, step=5e-3)

    own = swinging(lambda arm: pl.StateForce("own", arm.at(s=0), pull))
    np.testing.assert_allclose(own.angle, built_in().angle, atol=1e-7)
    assert own.outcome.energy_error < 1e-3 * own.outcome.energy_range


def test_state_force_equals_drag_on_a_stiff_beam_at_its_middle() -> None:
    """Drag of a translating beam is one force at its centre."""

    def fall(own: bool) -> pl.Result:
        model = pl.Model("fall")
        beam = model.add(pl.Beam("beam", length=1.0, section=SECTION, position=(0, 0), angle=0.0, free=True))
        if own:
            nodes, share = (0.0, 0.25, 0.5, 0.75, 1.0), (0.125, 0.25, 0.25, 0.25, 0.125)
            for s, part in zip(nodes, share, strict=True):
                model.add(
                    pl.StateForce(f"at {s}", beam.at(s=s), lambda t, pose, v, c=part: (0.0, -3.0 * c * v[1], 0.0))
                )
        else:
            model.add(pl.Drag(beam, x=0.0, y=3.0))
        model.add(pl.Gravity())
        return pl.transient(pl.compile(model, elements=4), end_time=0.5, step=0.01)

    own, built_in = fall(True), fall(False)
    np.testing.assert_allclose(own.position.sel(marker="beam/tip"), built_in.position.sel(marker="beam/tip"), atol=1e-9)
    rate = 3.0 / 1.7
    expected = -9.81 / rate * (0.5 - (1 - math.exp(-rate * 0.5)) / rate)
    assert float(built_in.position.sel(marker="beam/tip", axis="y")[-1]) == pytest.approx(expected, rel=1e-4)


def test_signals_and_functions_of_time_agree() -> None:
    makers = (
        lambda arm: pl.Force(arm.at(s=1), x=pl.Sine(3.0, frequency_hz=1.0)),
        lambda arm: pl.Force(arm.at(s=1), x=pl.Expression("3*sin(2*pi*t)")),
        lambda arm: pl.Force(arm.at(s=1), x=lambda t: 3.0 * math.sin(2.0 * math.pi * t)),
        lambda arm: pl.StateForce(
            "same", arm.at(s=1), lambda t, pose, v: (3.0 * math.sin(2.0 * math.pi * t), 0.0, 0.0)
        ),
    )
    first, *others = (swinging(maker).angle.values for maker in makers)
    for other in others:
        np.testing.assert_allclose(other, first, atol=1e-8)


def test_point_mass_off_centre_is_a_compound_body() -> None:
    """Both start alike to rounding, and their motions, integrated in different coordinates, meet as step^2."""

    def run(lump: bool, step: float) -> pl.Result:
        model = pl.Model("compound")
        ground = model.add(pl.Ground())
        centre, mass, inertia = (0.5, 0.0), 1.0, 0.02
        if not lump:  # 1 kg at 0.5 and 2 kg at (0.8, 0.3), joined by hand
            centre, mass = (0.7, 0.2), 3.0
            inertia = 0.02 + 1.0 * (0.2**2 + 0.2**2) + 2.0 * (0.1**2 + 0.1**2)
        body = model.add(pl.Body("body", mass=mass, inertia=inertia, angle=0.0))
        model.add(pl.Revolute(ground.at(0, 0), body.at(-centre[0], -centre[1])), pl.Gravity())
        if lump:
            model.add(pl.PointMass("lump", body.at(0.3, 0.3), mass=2.0))
        return pl.transient(pl.compile(model), end_time=1.0, step=step)

    gaps = []
    for step in (4e-3, 2e-3):
        compound, single = run(True, step), run(False, step)
        np.testing.assert_allclose(compound.reaction.values[0], single.reaction.values[0], rtol=1e-9, atol=1e-9)
        gaps.append(float(np.abs(compound.angle.values - single.angle.values).max()))
    assert gaps[1] < 1e-4
    assert gaps[0] / gaps[1] == pytest.approx(4.0, abs=0.2)


@pytest.mark.parametrize(("argument", "instead"), [("shortening", "rest_length=Ramp"), ("force", "tension=Ramp")])
def test_a_pretension_that_changes_points_to_what_may(argument: str, instead: str) -> None:
    arm = pl.Link("arm", length=1.0, mass=1.0)
    with pytest.raises(ModelError, match=instead):
        pl.Tendon("rope", pl.Ground().at(0, 0), arm.at(s=1), stiffness=1e3, **{argument: pl.Ramp(0.0, 0.1, 0.0, 1.0)})
