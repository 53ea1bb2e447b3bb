"""Tendons anywhere: what no route, no stiffness, no friction and no placing of the model may change."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import pliant as pl
from pliant.system.observation.observer import Observer
from pliant.system.packing import fused
from pliant.system.samples import Samples
from pliant.system.state import State
from pliant.system.system import System

few = settings(max_examples=5)
some = settings(max_examples=20)
seeds = st.integers(0, 2**32 - 1)
frictions = st.floats(0.0, 0.8)
stiffnesses = st.floats(1.0, 1e4)


def free_bodies(rng: np.random.Generator, count: int, **options: Any) -> System:
    """Return three bodies in free space; a tendon wanders over them and nothing else acts."""
    model = pl.Model("wandering")
    places = [(0.0, 0.0), (1.0, 0.4), (0.3, 1.2)]
    bodies = [
        model.add(pl.Body(f"body {k}", mass=1.0 + k, inertia=0.2, position=place, angle=float(k), free=True))
        for k, place in enumerate(places)
    ]
    chosen = [*rng.permutation(3)[:2], *rng.integers(0, 3, count - 2)]
    points = [bodies[k].at(*rng.uniform(-0.3, 0.3, 2)) for k in rng.permutation(chosen)]
    model.add(pl.Tendon("tendon", points[0], points[-1], guides=points[1:-1], **options))
    return pl.compile(model)


def moving(system: System, rng: np.random.Generator) -> State:
    n = system.freedoms
    q = system.initial[:n] + 0.1 * rng.uniform(-1, 1, n)
    return replace(system.start(), q=np.append(q, np.zeros(3)), v=np.append(rng.uniform(-1, 1, n), np.zeros(3)))


def forces(system: System, state: State) -> np.ndarray:
    """Return the tendon's forces on the nodes, (nodes, 3)."""
    return -system.unbalanced(state.q, state.v, state.a, system.signals(np.zeros(1))[0]).reshape(-1, 3)


def reading(system: System, state: State, name: str) -> float:
    return float(Observer(system).dataset(Samples.of(state), state)[name][0, 0])


@some
@given(seed=seeds, count=st.integers(2, 6), friction=frictions, stiffness=stiffnesses, damping=st.floats(0.0, 50.0))
def test_action_is_reaction(seed: int, count: int, friction: float, stiffness: float, damping: float) -> None:
    """Forces and moments on a closed set of bodies are zero in sum: also through guides, also with friction."""
    rng = np.random.default_rng(seed)
    system = free_bodies(rng, count, stiffness=stiffness, shortening=0.2, damping=damping, friction=friction)
    state = moving(system, rng)
    f, place = forces(system, state), state.q[:-3].reshape(-1, 3)
    moment = place[:, 0] * f[:, 1] - place[:, 1] * f[:, 0] + f[:, 2]
    scale = np.abs(f).sum() + 1e-9
    assert np.abs(f[:, :2].sum(axis=0)).max() < 1e-12 * scale
    assert abs(moment.sum()) < 1e-11 * scale


@some
@given(seed=seeds, count=st.integers(2, 6), friction=frictions, damping=st.floats(0.0, 500.0), rest=st.floats(0.0, 4.0))
def test_nothing_is_ever_gained(seed: int, count: int, friction: float, damping: float, rest: float) -> None:
    """Damping and friction only take, taut or slack, and never pull less than nothing."""
    rng = np.random.default_rng(seed)
    system = free_bodies(rng, count, stiffness=300.0, rest_length=rest, damping=damping, friction=friction)
    state = moving(system, rng)
    supplied, dissipated = fused.power(system.equations.parts, state.q, state.v, system.signals(np.zeros(1))[0])
    assert supplied == 0.0
    assert dissipated >= 0.0
    assert reading(system, state, "tension") >= 0.0


@some
@given(seed=seeds, count=st.integers(2, 6))
def test_rate_and_force_follow_from_the_length(seed: int, count: int) -> None:
    """The rate is the derivative of the length along a motion; the power of the forces is minus tension times rate."""
    rng, h = np.random.default_rng(seed), 1e-6
    system = free_bodies(rng, count, tension=7.0)
    state = moving(system, rng)
    ahead, behind = (reading(system, replace(state, q=state.q + s * h * state.v), "line_length") for s in (1, -1))
    rate = reading(system, state, "line_rate")
    assert abs((ahead - behind) / (2 * h) - rate) < 1e-7
    assert abs(forces(system, state).ravel() @ state.v[:-3] + 7.0 * rate) < 1e-9


@some
@given(seed=seeds, count=st.integers(2, 6), stiffness=stiffnesses)
def test_the_tangent_of_a_smooth_tendon_is_symmetric(seed: int, count: int, stiffness: float) -> None:
    """Reciprocity, checked on differences of the forces themselves: the tangent's storage could not show otherwise."""
    rng, h = np.random.default_rng(seed), 1e-6
    system = free_bodies(rng, count, stiffness=stiffness, shortening=0.3)
    state = replace(moving(system, rng), v=np.zeros(system.freedoms + 3))
    steps = h * np.eye(system.freedoms + 3)[:-3]
    sides = [[forces(system, replace(state, q=state.q + s * step)).ravel() for s in (1, -1)] for step in steps]
    tangent = np.array([(one - other) / (2 * h) for one, other in sides])
    np.testing.assert_allclose(tangent, tangent.T, atol=1e-6 * np.abs(tangent).max())
    np.testing.assert_allclose(system.matrices(state).stiffness.toarray(), -tangent, atol=1e-6 * np.abs(tangent).max())


@some
@given(seed=seeds, count=st.integers(2, 5), stiffness=stiffnesses, spare=st.floats(0.01, 5.0))
def test_a_slack_tendon_does_nothing(seed: int, count: int, stiffness: float, spare: float) -> None:
    """The tendon pulls e^2 / (4 k spare): with the default e, hardly anything of what it would if stretched as far."""
    rng = np.random.default_rng(seed)
    probe = free_bodies(np.random.default_rng(seed), count, tension=1.0)
    length = reading(probe, probe.start(), "line_length")
    system = free_bodies(rng, count, stiffness=stiffness, rest_length=length + spare)
    pull = reading(system, system.start(), "tension")
    assert 0.0 < pull < 1e-9 * stiffness * spare * max(1.0, (length / spare) ** 2 * 1e-2)


def drawbridge(turn: float = 0.0, shift: tuple[float, float] = (0.0, 0.0), **options: Any) -> System:
    """Compile an arm with a flexible tip drawn up by a rope over two eyes, all turned and shifted, gravity too."""
    c, s = math.cos(turn), math.sin(turn)

    def at(x: float, y: float) -> tuple[float, float]:
        return shift[0] + c * x - s * y, shift[1] + s * x + c * y

    model = pl.Model("drawbridge")
    section = pl.Section(4e4, 1.6e4, 5.0, 0.6, 1e-4)
    ground, arm = model.add(pl.Ground(), pl.Link("arm", length=0.6, mass=1.5, angle=turn - 0.3))
    tip = model.add(pl.Beam("tip", length=0.4, section=section, angle=turn - 0.3))
    model.add(pl.Revolute(ground.at(*at(0, 0)), arm.at(s=0)), pl.Weld(arm.at(s=1), tip.at(s=0), angle=0.0))
    eyes = [arm.at(s=1, y=0.08), ground.at(*at(0.05, 0.5))]
    model.add(pl.Tendon("rope", tip.at(s=1), ground.at(*at(-0.3, 0.2)), guides=eyes, stiffness=600.0, **options))
    model.add(pl.Gravity(x=9.81 * s, y=-9.81 * c))
    return pl.compile(model, elements=4)


@few
@given(turn=st.floats(-3.0, 3.0), shift=st.tuples(st.floats(-5, 5), st.floats(-5, 5)), friction=frictions)
def test_frame_does_not_matter(turn: float, shift: tuple[float, float], friction: float) -> None:
    options = {"force": 30.0, "damping": 5.0, "friction": friction, "friction_speed": 0.1}
    one, other = (pl.statics(drawbridge(*frame, **options, sliding=1)) for frame in ((), (turn, shift)))
    np.testing.assert_allclose(other.tension, one.tension, rtol=1e-7)
    np.testing.assert_allclose(other.line_length, one.line_length, rtol=1e-8)
    one, other = (pl.transient(drawbridge(*frame, **options), end_time=0.1, step=1e-3) for frame in ((), (turn, shift)))
    np.testing.assert_allclose(other.tension, one.tension, rtol=1e-5, atol=1e-4)


@few
@given(force=st.floats(1.0, 60.0), slack=st.floats(1e-3, 1.0), spin=st.floats(-1.0, 1.0))
def test_energy_of_an_undamped_rope(force: float, slack: float, spin: float) -> None:
    """Taut, slack and in between: the error is the method's, and falls with the step."""
    system = drawbridge(force=force, slack_force=slack)
    errors = []
    for step in (1e-3, 5e-4):
        run = pl.transient(system, end_time=0.3, step=step, spectral_radius=1.0, constraints="projection",
                           push={"arm": spin})  # fmt: skip
        errors.append(run.outcome.energy_error / run.outcome.energy_range)
    assert errors[0] < 5e-3
    assert errors[1] < 0.6 * errors[0] + 1e-6


@few
@given(mu=st.floats(0.01, 0.6), turn=st.floats(0.1, 2.9), sliding=st.sampled_from([-1, 1]))
def test_euler_and_eytelwein(mu: float, turn: float, sliding: int) -> None:
    """A weight hangs from a rope over a peg, held by a spring along the rope's other end."""
    along = np.array([math.cos(math.pi / 2 - turn), math.sin(math.pi / 2 - turn)])
    assume(abs(along[1]) > 1e-3)
    model = pl.Model("capstan")
    ground = model.add(pl.Ground())
    weight = model.add(pl.Body("weight", mass=2.0, inertia=0.01, position=(0, -0.4), angle=0.0))
    block = model.add(pl.Body("block", mass=0.1, inertia=0.01, position=tuple(0.3 * along), angle=math.pi / 2 - turn))
    model.add(pl.Prismatic(ground.at(0, 0, angle=math.pi / 2), weight.at(angle=math.pi / 2)))
    model.add(pl.Prismatic(ground.at(0, 0, angle=math.pi / 2 - turn), block.at()))
    model.add(pl.Spring("spring", ground.at(*(0.6 * along)), block.at(), stiffness=900.0, rest_length=0.25))
    model.add(pl.Tendon("rope", block.at(), weight.at(), guides=[ground.at(0, 0)], stiffness=4e3, force=15.0,
                        friction=mu, sliding=sliding))  # fmt: skip
    model.add(pl.Force(weight.at(), y=-20.0))
    rest = pl.statics(pl.compile(model))
    assert abs(float(rest.tension.sel(line="spring")) / (20.0 * math.exp(mu * turn * sliding)) - 1.0) < 1e-5
