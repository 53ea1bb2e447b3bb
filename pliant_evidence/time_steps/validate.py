"""Methods of time stepping beside closed forms: their orders, and the errors that a required accuracy gives."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.special import ellipj, ellipk

import pliant as pl
from pliant.errors import PliantWarning
from pliant_gallery.pendulum import GRAVITY, model
from pliant_testing.validation import Row, at_most, case, order

LENGTH = 1.0
METHODS = {pl.GeneralizedAlpha(): (2.0, (8e-3, 4e-3, 2e-3)), pl.Radau5(): (5.0, (0.05, 0.025, 0.0125))}
MOMENTUM, BEGIN = np.array([0.6, 0.0, 3.6]), np.array([0.6, 0.0, 2.0])  # of a body with J = (1, 1, 1.8)


@case("time-steps", source="exact: Jacobi's elliptic functions; precession of a symmetric body")
def time_steps() -> Iterator[Row]:
    """Orders of methods in the plane and in space, and errors that an accuracy leaves."""
    rod = pl.compile(model(kind="rod", count=1, length=LENGTH, angle=0.0))
    body = pl.compile(free_body())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PliantWarning)  # some steps are coarse on purpose
        for method, (expected, steps) in METHODS.items():
            name = type(method).__name__
            runs = [pl.transient(rod, end_time=1.0, step=h, method=method, estimate=False) for h in steps]
            errors = [swing_error(run) for run in runs]
            yield order(f"rod, {name}: order", steps, errors, expected=expected, tolerance=0.2, kind="exact")
            longer = [1.2 * h for h in steps]
            errors = [spin_error(spun(body, step=h, method=method, estimate=False)) for h in longer]
            yield order(f"free body, {name}: order", longer, errors, expected=expected, tolerance=0.2, kind="exact")
        for accuracy in (1e-3, 1e-5, 1e-7):
            run = pl.transient(rod, end_time=2.0, accuracy=accuracy)
            yield at_most(f"rod, accuracy {accuracy:g}: angle", "rad", swing_error(run), limit=accuracy, kind="exact")
            balance = run.outcome.energy_error / run.outcome.energy_at_work
            yield at_most(f"rod, accuracy {accuracy:g}: energy", "1", balance, limit=10.0 * accuracy, kind="exact")
        run = spun(body, accuracy=1e-6)
        yield at_most("free body, accuracy 1e-06: spin", "rad/s", spin_error(run), limit=1e-5, kind="exact")


def swing_error(run: pl.Result) -> float:
    """Return the error of a rod that falls from level: sin(theta / 2) = k sn(K - w t, k) from vertical, k^2 = 1/2."""
    rate = np.sqrt(1.5 * GRAVITY / LENGTH)
    angle = 2.0 * np.arcsin(np.sqrt(0.5) * ellipj(ellipk(0.5) - rate * run.time.values, 0.5)[0]) - np.pi / 2
    return float(np.abs(run.angle.values[:, 0] - angle).max())


def free_body() -> pl.Model:
    """Build a symmetric body without weight."""
    m = pl.Model("body", plane=None)
    m.add(pl.Ground(), pl.Body("body", mass=1.0, inertia=(1.0, 1.0, 1.8), position=(0, 0, 0)))
    return m


def spun(body: Any, **options: Any) -> pl.Result:
    """Compute the motion of the body."""
    return pl.transient(body, end_time=3.0, push={"body": tuple(BEGIN)}, **options)


def spin_error(run: pl.Result) -> float:
    """Return the error of its angular velocity, which turns about the angular momentum L with |L| / J_x."""
    size = float(np.linalg.norm(MOMENTUM))
    n, angle = MOMENTUM / size, size * run.time.values[:, None]
    along = n * (n @ BEGIN)
    exact = along + np.cos(angle) * (BEGIN - along) + np.sin(angle) * np.cross(n, BEGIN)
    return float(np.abs(run.angular_velocity.values[:, 0] - exact).max())
