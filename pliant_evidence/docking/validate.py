"""Docking at 7.5 degrees: against independent equations, on a fixed ring and with rigid and flexible legs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import pliant as pl
from pliant_evidence.docking.studies import RIGID, dock, strike
from pliant_evidence.docking.theory import first_impulse, strike_on_fixed_ring, strike_on_robot
from pliant_gallery.docking import PACOMA, fixed
from pliant_testing.validation import Row, absolute, at_most, case, order, relative

STEPS = (8e-4, 4e-4, 2e-4, 1e-4)
END = 0.12  # s
UNITS = {"peak": "N", "impulse": "N s", "loss": "J"}


@case("docking", source="rigid-body equations of satellite and platform by DOP853; legs by shooting; balance of energy")
def docking() -> Iterator[Row]:
    """Peak, impulse and loss on a fixed ring, and on the robot with flexible and rigid legs."""
    yield from fixed_ring()
    yield from on_robot("flexible", 1.0, tolerance=0.06)
    yield from on_robot("rigid", RIGID, tolerance=0.01)
    impulses = [strike(dock(stiffening=1.0, step=step, end_time=END)).impulse for step in STEPS]
    errors = [abs(coarse - fine) for coarse, fine in pairwise(impulses)]  # of the next step, no exact one is known
    yield order("flexible legs: order of the impulse", STEPS[:-1], errors, expected=2.0, tolerance=0.5, kind="itself")


def on_robot(legs: str, stiffening: float, *, tolerance: float) -> Iterator[Row]:
    """Check the impact on the robot.

    The equations let the rods be springs with a third of their mass at the platform. Flexible ones vibrate on their
    own: their mass is 6 % of the platform's. Those that are a thousand times stiffer hardly do.
    """
    run = dock(stiffening=stiffening, step=STEPS[-1], end_time=END)
    exact, found = strike_on_robot(PACOMA, END, stiffening=stiffening), strike(run)
    for quantity, unit in UNITS.items():
        name, reference = f"{legs} legs: {quantity}", getattr(exact, quantity)
        yield relative(name, unit, reference, getattr(found, quantity), tolerance=tolerance, kind="independent code")
    balance = run.outcome.energy_error / found.loss
    name = f"{legs} legs: balance of energy, as a part of the loss"
    yield at_most(name, "1", balance, limit=1e-4, kind="conservation law")


def fixed_ring() -> Iterator[Row]:
    """Check the satellite alone, on a ring that does not move."""
    end = 0.08
    exact = strike_on_fixed_ring(PACOMA, end)
    push = {"satellite": (0.0, 0.0, -PACOMA.speed, 0.0, 0.0, 0.0)}
    run = pl.transient(pl.compile(fixed()), push=push, end_time=end, step=5e-5, newmark=(0.25, 0.5))
    computed = strike(run)
    for quantity, unit in UNITS.items():
        reference = getattr(exact, quantity)
        yield relative(
            f"fixed ring: {quantity}",
            unit,
            reference,
            getattr(computed, quantity),
            tolerance=1e-4,
            kind="independent code",
        )
    yield absolute(
        "fixed ring: duration", "s", exact.duration, computed.duration, tolerance=1e-4, kind="independent code"
    )
    smooth = replace(PACOMA, friction=0.0)
    rigid = pl.transient(pl.compile(fixed(smooth)), push=push, end_time=0.02, step=1e-4, contact="complementarity")
    impulse = strike(rigid).impulse  # struck up to a step late, 5e-6 m on an arm of 0.1 m
    yield relative(
        "fixed ring, rigid contact: impulse", "N s", first_impulse(smooth), impulse, tolerance=1e-4, kind="exact"
    )
