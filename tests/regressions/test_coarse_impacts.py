"""Steps too coarse for impacts, with rigid contacts.

The energy balance of such steps closes by construction, so that an elastic ball whose bounces were off by a third of
its height was ok. And what closed within a step went on until its end and stayed there: a ball lay up to half a step's
way inside its floor, a pressed beam came to rest 17 percent off.
"""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest

import pliant as pl
from pliant.errors import PliantWarning

RADIUS, HEIGHT, G = 0.05, 0.3, 9.81


def ball(restitution: float) -> pl.Model:
    """Build a ball above a floor."""
    m = pl.Model("ball")
    ground = m.add(pl.Ground())
    body = m.add(pl.Body("ball", mass=1.0, inertia=1e-3, position=(0, RADIUS + HEIGHT), angle=0.0, free=True))
    m.add(pl.Gravity())
    m.add(pl.Contact("floor", ground.at(0, 0), body.at(), radius=RADIUS, stiffness=1e5, restitution=restitution))
    return m


def bounces(time: np.ndarray) -> np.ndarray:
    """Return the height of an elastic ball."""
    fall = sqrt(2.0 * HEIGHT / G)
    since = (time + fall) % (2.0 * fall)
    return G * fall * since - 0.5 * G * since**2


@pytest.mark.parametrize(("step", "right"), [(2e-2, False), (1e-4, True)])
def test_an_elastic_ball_is_ok_only_if_it_is_right(step: float, right: bool) -> None:
    """Within a hundredth of its height, by the exact motion."""
    system = pl.compile(ball(1.0))
    if right:
        run = pl.transient(system, end_time=1.0, step=step, every=100, contact="complementarity")
    else:
        with pytest.warns(PliantWarning, match="error in time"):
            run = pl.transient(system, end_time=5.0, step=step, contact="complementarity")
    off = np.max(np.abs(run.position.values[:, 0, 1] - RADIUS - bounces(run.time.values)))
    assert (off < 0.01 * HEIGHT) == right
    assert run.outcome.ok == right


@pytest.mark.parametrize("step", [6.910214589184438e-3, 0.6 / 237])
def test_impacts_at_the_same_instant_in_two_motions_are_told(step: float) -> None:
    """Balls off by 7 and 3.3 percent of their height were ok: steps of twice the size found the impacts where they did.
    Motions compared along straight lines show the first, a third motion the second.
    """
    with pytest.warns(PliantWarning, match="error in time"):
        run = pl.transient(pl.compile(ball(1.0)), end_time=0.6, step=step, contact="complementarity")
    assert np.max(np.abs(run.position.values[:, 0, 1] - RADIUS - bounces(run.time.values))) > 0.01 * HEIGHT
    assert not run.outcome.ok


@pytest.mark.parametrize("step", [2e-2, 1e-3])
def test_impacts_that_no_second_motion_tells_are_judged_by_their_steps(step: float) -> None:
    """An elastic ball without an estimate: a motion off by 8 percent of its height was ok. The sum of the local
    errors is about what it is off by, and must be a hundredth of what is allowed.
    """
    with pytest.warns(PliantWarning, match="local errors, summed"):
        run = pl.transient(pl.compile(ball(1.0)), end_time=1.0, step=step, contact="complementarity", estimate=False)
    off = np.max(np.abs(run.position.values[:, 0, 1] - RADIUS - bounces(run.time.values)))
    assert 0.3 * off < run.outcome.local_sum * (HEIGHT + RADIUS) < 10.0 * off
    assert not run.outcome.ok


def bar(angle: float, friction: float) -> pl.Model:
    """Build a bar, both of whose ends bounce on a floor."""
    m = pl.Model("bar")
    ground = m.add(pl.Ground())
    link = m.add(pl.Link("bar", length=1.0, mass=1.0, angle=angle, position=(0, 0.05)))
    m.add(pl.Gravity())
    for s in (0, 1):
        m.add(pl.Contact(f"end {s}", ground.at(0, 0), link.at(s=s), stiffness=1e5, friction=friction, restitution=0.5))
    return m


def test_impacts_whose_order_steps_do_not_resolve_are_told() -> None:
    """A bar falls on its second end while the first still bounces, lower than steps resolve: whether it lies on the
    floor then or not, the second end bounces differently. Motions with this step, twice and three times as much agreed
    to 0.2 percent, and were ok; those with smaller steps are 20 percent of the range away.
    """
    system, end_time = pl.compile(bar(0.6641416550985613, 0.3)), 0.41222234684070397
    coarse, fine = (
        pl.transient(system, end_time=end_time, step=end_time / 393 / k, every=k, contact="complementarity", estimate=e)
        for k, e in ((1, None), (4, False))
    )
    off = np.max(np.abs(coarse.position.values - fine.position.values))
    assert off > 0.1 * np.max(np.ptp(fine.position.values, axis=0))
    assert [check.name for check in coarse.outcome.failed] == ["order of impacts"]


def test_impacts_at_one_instant_have_no_order() -> None:
    """A level bar falls on both ends, which is right with any step."""
    run = pl.transient(pl.compile(bar(0.0, 0.0)), end_time=0.3, step=1e-4, every=10, contact="complementarity")
    assert run.outcome.ok
    assert float(run.normal_force.sum()) > 0.0


@pytest.mark.parametrize("step", [1e-3, 4e-3, 7e-3, 2e-2])
def test_a_ball_lies_on_its_floor(step: float) -> None:
    """Not in it: a hundredth of what it went on by in the step of its impact."""
    run = pl.transient(pl.compile(ball(0.0)), end_time=1.0, step=step, contact="complementarity", estimate=False)
    assert {check.name for check in run.outcome.failed} <= {"local errors, summed"}
    assert run.position.values[-1, 0, 1] == pytest.approx(RADIUS, abs=0.011 * step * sqrt(2.0 * G * HEIGHT))
    assert float(run.normal_force[-1, 0]) == pytest.approx(G, rel=1e-9)
    lost = float(run.energy.sel(energy_kind="dissipated")[-1])
    assert lost == pytest.approx(G * (HEIGHT + RADIUS - run.position.values[-1, 0, 1]), rel=1e-9)


@pytest.mark.parametrize("coefficient", [0.0, 0.01])
def test_a_dropped_arm_lies_on_its_stop(coefficient: float) -> None:
    """Also if its pin rubs: contacts beside such a joint stayed where the step of the impact had taken them."""
    m = pl.Model("arm")
    ground, arm = m.add(pl.Ground(), pl.Link("arm", length=1.0, mass=1.0, angle=0.3))
    pin = m.add(pl.Revolute(ground.at(0, 0), arm.at(s=0), name="pin"))
    m.add(pl.Gravity(), pl.Contact("floor", ground.at(0, -0.2), arm.at(s=1), stiffness=1e5))
    if coefficient:
        m.add(pl.Friction(pin, coefficient, radius=0.02))
    run = pl.transient(pl.compile(m), end_time=1.0, step=5e-3, contact="complementarity", estimate=False)
    assert {check.name for check in run.outcome.failed} <= {"local errors, summed"}
    assert abs(float(run.gap[-1, 0])) < 2e-4  # 1e-2 before
