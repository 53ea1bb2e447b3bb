"""Random loop mechanisms: the explicit accelerations equal the multipliers', wherever the mechanism stands."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from math import atan2, cos, sin

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import pliant as pl
from pliant.errors import ConvergenceError, PliantError, PliantWarning
from pliant.formulations.udwadia_kalaba.system import Constrained
from pliant.solvers.stepping.consistent_start import consistent
from pliant.system.state import State

few = settings(max_examples=40)


@dataclass(frozen=True)
class Loop:
    """Links along a polygon from one ground point to another, with some ties between them."""

    turns: tuple[float, ...]  # from link to link, rad
    lengths: tuple[float, ...]
    masses: tuple[float, ...]
    end: str  # what holds the last link
    tie: str  # what ties the first two links, besides their pin
    seed: int

    def model(self, turn: float = 0.0, shift: tuple[float, float] = (0.0, 0.0)) -> pl.Model:
        """Build the mechanism, the whole of it turned and shifted, gravity and all."""

        def at(x: float, y: float) -> tuple[float, float]:
            return shift[0] + cos(turn) * x - sin(turn) * y, shift[1] + sin(turn) * x + cos(turn) * y

        m = pl.Model("loop")
        ground = m.add(pl.Ground())
        before, place, angle, links, poses = ground.at(*at(0.0, 0.0)), np.zeros(2), 0.4, [], []
        for k, (bend, length, mass) in enumerate(zip(self.turns, self.lengths, self.masses, strict=True)):
            angle += bend
            link = pl.Link(f"link {k}", length=length, mass=mass, angle=angle + turn, position=at(*place), centre=0.45)
            links.append(m.add(link))
            poses.append((*(place + 0.5 * length * np.array([cos(angle), sin(angle)])), angle))
            m.add(pl.Revolute(before, link.at(s=0)))
            before, place = link.at(s=1), place + length * np.array([cos(angle), sin(angle)])
        last = {
            "pin": lambda: pl.Revolute(ground.at(*at(*place)), before),
            "slider": lambda: pl.Slider(ground.at(*at(*place), angle=0.3 + turn), before),
            "rod": lambda: pl.Distance(ground.at(*at(place[0] + 0.3, place[1] - 0.4)), before),
            "drive": lambda: pl.Motion(ground.at(*at(*place), angle=turn), before, y=pl.Sine(0.2, 0.5)),
        }[self.end]()
        m.add(last)
        a, b = links[0].at(s=0.6, y=0.1), links[1].at(s=0.3, y=-0.2)
        if self.tie == "spring":
            m.add(pl.Spring("tie", a, b, stiffness=40.0, rest_length=0.2, damping=1.5))
        elif self.tie == "mass":
            m.add(pl.PointMass("tie", b, mass=0.7, inertia=0.02))
        elif self.tie == "slot":
            (x, y, slope), (to_x, to_y, _) = poses[1], poses[-1]
            m.add(pl.Slider(links[1].at(s=0.5, angle=atan2(to_y - y, to_x - x) - slope), links[-1].at(s=0.5)))
        m.add(pl.TorsionSpring("bend", links[0].at(s=1), links[1].at(s=0), stiffness=3.0, damping=0.2))
        m.add(pl.Gravity(x=9.81 * sin(turn), y=-9.81 * cos(turn)))
        return m


sizes = st.integers(3, 6)


@st.composite
def loops(draw: st.DrawFn) -> Loop:
    count = draw(sizes)

    def several(low: float, high: float) -> tuple[float, ...]:
        return tuple(draw(st.lists(st.floats(low, high), min_size=count, max_size=count)))

    return Loop(
        turns=several(-1.2, 1.2),
        lengths=several(0.3, 1.5),
        masses=several(0.1, 3.0),
        end=draw(st.sampled_from(["pin", "slider", "rod", "drive"])),
        tie=draw(st.sampled_from(["none", "spring", "mass", "slot"])),
        seed=draw(st.integers(0, 1000)),
    )


def compiled(loop: Loop, **placed: object) -> Constrained:
    """Compile the mechanism, unless it happens to stand at a dead centre."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PliantWarning)
        try:
            system = pl.compile(loop.model(**placed), formulation="udwadia_kalaba")
        except PliantError:
            assume(False)
    jacobian = system.matrices(system.start()).jacobian
    values = np.linalg.svd(jacobian, compute_uv=False)
    assume(values[-1] > 1e-3 * values[0])
    return system


def moving(system: Constrained, velocity: np.ndarray) -> State:
    """Return velocities as near to the given ones as the joints allow."""
    start = replace(system.start(), v=np.append(velocity, np.zeros(3)))
    return consistent(system, start, time=0.0, velocity=None, step=1e-3)


def multipliers(system: Constrained, state: State) -> np.ndarray:
    """Return accelerations from the dense equations with multipliers, put together from the matrices of the system."""
    n, m, u = system.freedoms, system.constraints, system.signals(np.zeros(1))[0]
    matrices = system.matrices(replace(state, lam=np.zeros(m)))
    force = system.unbalanced(state.q, state.v, np.zeros(n + 3), u)
    e = 1e-4  # A' v by differences of the speeds along the motion
    _, seconds = system.signal_rates(np.zeros(1))
    rows = system.equations.rows
    ahead, back = (
        system.matrices(replace(state, q=state.q + sign * e * state.v)).jacobian @ state.v[:n] for sign in (1.0, -1.0)
    )
    target = rows.gain * seconds[0][rows.signal] - (ahead - back) / (2.0 * e)
    saddle = np.block([[matrices.mass.toarray(), matrices.jacobian.T], [matrices.jacobian, np.zeros((m, m))]])
    return np.linalg.solve(saddle, np.concatenate([-force, target]))[:n]


@few
@given(loop=loops())
def test_accelerations_are_those_of_the_multiplier_formulation(loop: Loop) -> None:
    system = compiled(loop)
    state = moving(system, np.random.default_rng(loop.seed).standard_normal(system.freedoms))
    found, lam = system.accelerations(state)
    scale = np.max(np.abs(found))
    np.testing.assert_allclose(found, state.a, atol=1e-9 * scale, rtol=0.0)
    np.testing.assert_allclose(lam, state.lam, atol=1e-9 * np.max(np.abs(lam)), rtol=0.0)
    np.testing.assert_allclose(found[:-3], system.textbook(state), atol=1e-9 * scale, rtol=0.0)
    np.testing.assert_allclose(found[:-3], multipliers(system, state), atol=1e-6 * scale, rtol=0.0)  # of differences


@few
@given(loop=loops(), turn=st.floats(-3.0, 3.0), shift=st.tuples(st.floats(-5.0, 5.0), st.floats(-5.0, 5.0)))
def test_turning_and_shifting_everything_turns_the_accelerations(
    loop: Loop, turn: float, shift: tuple[float, float]
) -> None:
    here, there = compiled(loop), compiled(loop, turn=turn, shift=shift)
    velocity = np.random.default_rng(loop.seed).standard_normal((here.freedoms // 3, 3))
    turned = velocity.copy()
    turned[:, :2] = velocity[:, :2] @ np.array([[cos(turn), sin(turn)], [-sin(turn), cos(turn)]])
    one = here.accelerations(moving(here, velocity.ravel()))[0][:-3].reshape(-1, 3)
    other = there.accelerations(moving(there, turned.ravel()))[0][:-3].reshape(-1, 3)
    scale = np.max(np.abs(one))
    np.testing.assert_allclose(other[:, 2], one[:, 2], atol=1e-8 * scale)
    back = other[:, :2] @ np.array([[cos(turn), -sin(turn)], [sin(turn), cos(turn)]])
    np.testing.assert_allclose(back, one[:, :2], atol=1e-8 * scale)


@settings(max_examples=8)
@given(loop=loops())
def test_energy_balance_of_a_motion(loop: Loop) -> None:
    run = pl.transient(compiled(loop), end_time=0.3, accuracy=1e-9)
    assert run.outcome.energy_error < 1e-6 * max(run.outcome.energy_range, 1e-3)
    assert run.outcome.constraint_error < 1e-8


@settings(max_examples=6)
@given(loop=loops(), turn=st.floats(-3.0, 3.0))
def test_motion_does_not_depend_on_the_frame(loop: Loop, turn: float) -> None:
    try:
        run = pl.transient(compiled(loop), end_time=0.2, accuracy=1e-9, times=[0.2])
    except ConvergenceError as error:  # at a dead centre: there in every frame
        with pytest.raises(ConvergenceError, match=str(error).partition(":")[0]):
            pl.transient(compiled(loop, turn=turn, shift=(3.0, -2.0)), end_time=0.2, accuracy=1e-9, times=[0.2])
        return
    runs = [run, pl.transient(compiled(loop, turn=turn, shift=(3.0, -2.0)), end_time=0.2, accuracy=1e-9, times=[0.2])]
    np.testing.assert_allclose(runs[1].angle - turn, runs[0].angle, atol=1e-6)
