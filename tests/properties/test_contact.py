"""Whatever strikes whatever: rigid contacts never create energy and never let bodies approach, joints stay closed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as some

import pliant as pl
from pliant.solvers.contact import cones


@settings(max_examples=200, deadline=None)
@given(some.integers(0, 10**6), some.integers(1, 4), some.floats(0.0, 1.5))
def test_impulses_obey_the_laws_of_contact(seed: int, count: int, mu: float) -> None:
    """Signs, cones and complementarity of the solution, for any mass and any places; e = 0 loses energy."""
    rng = np.random.default_rng(seed)
    H = rng.standard_normal((3 * count, 6))
    W = H @ H.T
    b, p = H @ rng.standard_normal(6), np.zeros(3 * count)
    # Gauss-Seidel is not proved to converge with friction; a run then stops and says so
    ball = np.full(count, -1.0)
    assume(cones.solve(cones.whole(W), b, np.full(count, mu), p, ball, 1e-11, 200000) <= 200000)
    u = W @ p + b
    n, t = p[::3], np.hypot(p[1::3], p[2::3])
    assert np.all(n >= 0.0)
    assert np.all(u[::3] > -1e-8)
    assert np.max(np.abs(n * u[::3])) < 1e-6 * max(1.0, np.max(n))
    assert np.all(t <= mu * n * (1.0 + 1e-12) + 1e-15)
    assert p @ (b + 0.5 * W @ p) <= 1e-8 * max(1.0, np.max(n))


def two_links(angles, mu, e):
    """Build Kane and Levinson's double pendulum above a floor."""
    m = pl.Model("double pendulum")
    ground, upper, lower = m.add(
        pl.Ground(),
        pl.Link("upper", length=1.0, mass=1.0, angle=angles[0]),
        pl.Link("lower", length=1.0, mass=1.0, angle=angles[1]),
    )
    m.add(pl.Revolute(ground.at(0, 0), upper.at(s=0)), pl.Revolute(upper.at(s=1), lower.at(s=0)))
    floor = np.sin(angles[0]) + np.sin(angles[1]) - 1e-4
    m.add(pl.Contact("floor", ground.at(0, floor), lower.at(s=1), stiffness=1e5, friction=mu, restitution=e))
    return pl.compile(m)


@settings(max_examples=12, deadline=None)
@given(
    some.floats(-2.6, -0.6),
    some.floats(-2.6, -0.6),
    some.floats(0.0, 1.0),
    some.floats(0.0, 1.0),
    some.floats(-3.0, 3.0),
    some.floats(-3.0, 3.0),
)
def test_striking_linkage_gains_no_energy(first, second, mu, e, spin, turn) -> None:
    """Newton's restitution with friction would, in some poses."""
    system = two_links((first, second), mu, e)
    run = pl.transient(system, end_time=0.01, step=5e-4, contact="complementarity", push={"upper": spin, "lower": turn})
    kinetic = run.energy.sel(energy_kind="kinetic").values
    assert np.all(np.diff(kinetic) <= 1e-5 * kinetic[0] + 1e-12)  # the joints' part of the midpoint rule
    assert np.all(np.diff(run.energy.sel(energy_kind="dissipated").values) >= -1e-12 * max(kinetic[0], 1e-9))
    assert run.outcome.constraint_error < 1e-12


def test_energy_that_restitution_would_create_is_not() -> None:
    """A pose in which Newton's restitution with friction would create energy: it is reduced there, and reported."""
    run = pl.transient(
        two_links((-1.3867, -1.141), 0.5436, 0.935),
        end_time=0.02,
        step=5e-4,
        contact="complementarity",
        push={"upper": 1.8951, "lower": -2.9836},
    )
    assert "restitution was reduced" in run.outcome.message
    assert np.all(np.diff(run.energy.sel(energy_kind="dissipated").values) >= 0.0)


@settings(max_examples=8, deadline=None)
@given(some.floats(0.0, 5.0), some.floats(0.0, 1.0), some.floats(-1.0, 1.0), some.floats(-20.0, 20.0))
def test_soft_contact_loses_what_it_says(damping, mu, slide, spin) -> None:
    """Kinetic + potential + dissipated stays, through a whole bounce. With w = g', w/d + log(1 - d w)/d^2 is the same
    at both its ends (Hunt and Crossley's law, integrated over the depth).
    """
    m = pl.Model("ball")
    ground, ball = m.add(pl.Ground(), pl.Body("ball", mass=1.0, inertia=0.01, position=(0, 0.11), angle=0.0, free=True))
    law = {"stiffness": 1e4, "damping": damping, "friction": mu, "friction_speed": 0.05}
    m.add(pl.Contact("floor", ground.at(0, 0), ball.at(), radius=0.1, **law))
    run = pl.transient(pl.compile(m), end_time=0.1, step=2e-4, newmark=(0.25, 0.5), push={"ball": (slide, -1.0, spin)})
    energy = run.energy
    start = float(energy.sel(energy_kind="kinetic")[0])
    # midpoint of a kinked force: the error is of second order but for the steps at both ends of the contact
    assert run.outcome.energy_error < 3e-3 * start
    assert np.all(np.diff(energy.sel(energy_kind="dissipated").values) >= -1e-15 * start)
    assert float(run.normal_force.min()) >= 0.0
    left = float(run.velocity.sel(marker="ball(0, 0)", axis="y")[-1])
    assert float(run.gap[-1, 0]) > 0.0 < left < 1.0 + 1e-3
    if damping > 0.1:
        ends = [w / damping + np.log(1.0 - damping * w) / damping**2 for w in (-1.0, left)]
        assert ends[1] == pytest.approx(ends[0], abs=1e-2)
