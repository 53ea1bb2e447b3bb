"""Docking at 7.5 degrees: against independent equations, converged in time, with rigid and flexible legs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import pliant as pl
from pliant.gallery.docking import PACOMA, fixed
from pliant.validation import Row, absolute, at_most, case, order, relative
from pliant_evidence.docking.studies import RIGID, dock, strike
from pliant_evidence.docking.theory import first_impulse, strike_on_fixed_ring

STEPS = (8e-4, 4e-4, 2e-4, 1e-4)
UNITS = {"peak": "N", "impulse": "N s", "loss": "J"}


@case("docking", source="rigid-body equations of the satellite by DOP853; convergence in the step; balance of energy")
def docking() -> Iterator[Row]:
    """Peak, impulse and loss on a fixed ring; on the robot with flexible and rigid legs, converged in the step."""
    yield from fixed_ring()
    found = {}
    for legs, stiffening in (("flexible", 1.0), ("rigid", RIGID)):
        runs = {step: dock(stiffening=stiffening, step=step) for step in STEPS}
        strikes = {step: strike(run) for step, run in runs.items()}
        finest = found[legs] = strikes[STEPS[-1]]
        for quantity, unit in UNITS.items():
            values = [getattr(strikes[step], quantity) for step in STEPS]
            for step, value in zip(STEPS[:-1], values[:-1], strict=True):
                name = f"{legs} legs: {quantity}, dt {1e3 * step:g} ms beside {1e3 * STEPS[-1]:g} ms"
                # less by the step only: the corner at touch-down leaves the peak little more than first order
                yield relative(name, unit, values[-1], value, tolerance=3e-3 * (step / STEPS[0]), kind="itself")
        if legs == "flexible":
            impulses = [strikes[step].impulse for step in STEPS]
            errors = [
                abs(coarse - fine) for coarse, fine in pairwise(impulses)
            ]  # of the next step, no exact one is known
            yield order(
                "flexible legs: order of the impulse", STEPS[:-1], errors, expected=2.0, tolerance=0.5, kind="itself"
            )
        balance = runs[STEPS[-1]].outcome.energy_error
        yield at_most(
            f"{legs} legs: balance of energy, as a part of the loss",
            "1",
            balance / finest.loss,
            limit=1e-4,
            kind="conservation law",
        )
    yield at_most(
        "peak, flexible over rigid legs", "1", found["flexible"].peak / found["rigid"].peak, limit=0.25, kind="itself"
    )


def fixed_ring() -> Iterator[Row]:
    """The satellite alone, on a ring that does not move."""
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
