"""Pendulums: modes about the rest, where all stiffness comes from the constraint forces, and periods of swings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import pi, sqrt
from typing import Any

import numpy as np
from scipy.linalg import eigh
from scipy.special import ellipk

import pliant as pl
from pliant_gallery.pendulum import GRAVITY, model
from pliant_testing.validation import Row, case, relative

LENGTH = 0.7
SWINGS = 5.25  # periods until the angle is compared, at the fastest point of the sixth


@case("pendulum-modes", source="exact: g/L, (2 -+ sqrt 2) g/L, 3g/2L, elliptic integral for large swings")
def pendulum_modes() -> Iterator[Row]:
    """Modes in redundant coordinates and periods in time, against closed forms."""
    unit = GRAVITY / LENGTH
    double = np.array([2.0 - sqrt(2.0), 2.0 + sqrt(2.0)])
    # Two rods: M = m L^2 [[4/3, 1/2], [1/2, 1/3]], K = m g L diag(3/2, 1/2).
    rods = eigh(np.diag([1.5, 0.5]), np.array([[4 / 3, 0.5], [0.5, 1 / 3]]), eigvals_only=True)
    exact: dict[tuple[str, int], Iterable[float]] = {
        ("bob", 1): [1.0],
        ("link", 1): [1.0],
        ("bob", 2): double,
        ("link", 2): double,
    }
    exact |= {("rod", 1): [1.5], ("rod", 2): rods}
    for (kind, count), factors in exact.items():
        # It hangs at rest only after statics has brought it there from ten degrees aside.
        system = pl.compile(model(kind=kind, count=count, length=LENGTH, angle=-80 * pl.DEG))
        squares = -(pl.modal(system, at=pl.statics(system), modes=count).eigenvalue.values ** 2).real
        for mode, (factor, square) in enumerate(zip(factors, squares, strict=True), 1):
            yield relative(
                f"omega^2, {count} x {kind}, mode {mode}",
                "1/s^2",
                factor * unit,
                float(square),
                tolerance=1e-9,
                kind="exact",
            )
    yield from periods()


def periods() -> Iterator[Row]:
    """Check the period of a swing of amplitude A: T = 4 sqrt(I / m g d) K(sin^2(A / 2))."""
    step = 1e-3
    for kind, inertia in (("bob", 1.0), ("rod", 2 / 3)):
        for amplitude, size in ((1e-3, "small"), (0.5 * pi, "90 degree")):
            period = 4.0 * sqrt(inertia * LENGTH / GRAVITY) * float(ellipk(np.sin(0.5 * amplitude) ** 2))
            m = model(kind=kind, length=LENGTH, angle=amplitude - 0.5 * pi)
            implicit = measured(pl.compile(m), period, step=step)
            # The method's own error: (omega h)^2 / 12 for the trapezoidal rule, a few times that with damping.
            tolerance = (2.0 * pi / period * step) ** 2
            yield relative(
                f"period, {kind}, {size} swing, dt 1 ms", "s", period, implicit, tolerance=tolerance, kind="exact"
            )
            reduced = pl.compile(m, formulation="relative")
            explicit = measured(reduced, period, accuracy=1e-12)
            # Local errors of 1e-12 in a few hundred steps.
            yield relative(
                f"period, {kind}, {size} swing, reduced", "s", period, explicit, tolerance=1e-9, kind="exact"
            )


def measured(system: Any, period: float, **options: Any) -> float:
    """Return the period from how far the angle is from straight down when it should be there."""
    end = SWINGS * period
    run = pl.transient(system, end_time=end, **options)
    angle, rate = float(run.angle[-1, 0]), float(run.angular_velocity[-1, 0])
    return period - (angle + 0.5 * pi) / rate / SWINGS
