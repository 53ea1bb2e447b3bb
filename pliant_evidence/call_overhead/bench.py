"""Small questions, warm, on one core, beside the time that each may take.

What is meant is the work of a call, not what else the machine does meanwhile: processor time, the least of many runs.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import pliant as pl
from pliant_evidence.leg.bench import ELEMENTS, bowed, path, shortened
from pliant_evidence.six_rus.validate import POINT, TURN
from pliant_evidence.spinning_beam.bench import ELEMENTS as ARM_ELEMENTS
from pliant_evidence.spinning_beam.bench import PLAN
from pliant_gallery.leg import LEG, model
from pliant_gallery.leg.stages import REST_LENGTH, WEIGHT, pretension
from pliant_gallery.six_rus.kinetostatics import kinetostatics
from pliant_gallery.spinning_beam import model as spinning_beam
from pliant_io.fmu.stepper import Stepper
from pliant_studio.session.mechanism import mechanism
from pliant_studio.session.session import Session
from pliant_testing.benchmarking import Comparison, Contender, benchmark, race

STEP = 1e-3  # s
MANY = 400  # steps, to separate the cost of a loop from the cost around it
QUICK, LONG = 40, 5  # runs of a call and of a motion, of which the quickest counts


class Job(NamedTuple):
    """Something to do, and the seconds that it may take."""

    name: str
    run: Callable[[], Any]
    allowed: float


@benchmark("call-overhead")
def call_overhead() -> Iterator[Comparison]:
    """Equilibria, modes, compile, other signals, one step: what small calls take beside what they may take."""
    for job in (*jobs(), *motions()):
        yield _row(job.name, _least({"pliant": Contender(job.run)}, QUICK)["pliant"], job.allowed)
    yield from differences()


def jobs() -> Iterator[Job]:
    """Yield equilibria and what else a system computes, one job each."""
    linkage = pl.compile(four_bar(), elements={"coupler": 8})
    leg = model(hold="q3")
    held = pl.compile(leg, elements=ELEMENTS)
    start, rest, weightless = bowed(held), pretension(held).rest, held.with_signals({WEIGHT: 0.0})
    to = shortened()
    slider, session, robot = itertools.cycle((0.180, 0.185)), Session(mechanism("leg")), kinetostatics()
    yield Job("the README's four-bar, equilibrium", lambda: pl.statics(linkage), 0.8e-3)
    yield Job("leg, equilibrium from a bow", lambda: pl.statics(held, start=start), 1.5e-3)
    yield Job("leg, equilibrium again", lambda: pl.statics(held, start=rest), 1.5e-3)
    yield Job("leg, path to 100 mm, with stability", lambda: path(weightless, to), 8e-3)
    yield Job("leg, 5 mm of the studio's slider", lambda: session.set("tendon_rest_length", next(slider)), 4e-3)
    yield Job("leg, modes", lambda: pl.modal(held, at=rest), 2e-3)
    yield Job("leg, compile", lambda: pl.compile(leg, elements=ELEMENTS), 3e-3)
    yield Job("leg, other signals", lambda: held.with_signals({REST_LENGTH: LEG.tendon_rest_length}), 1e-4)
    yield Job("6-RUS, inverse from cold", lambda: robot.inverse(POINT, TURN), 1.5e-3)


def motions() -> Iterator[Job]:
    """Yield a motion of one step, and one of a leg just let go, whose first step is taken in parts."""
    linkage = pl.compile(four_bar(), elements={"coupler": 8})
    still, (free, rest) = pl.statics(linkage), released()
    yield Job("the README's four-bar, motion of one step", lambda: move(linkage, still, 1), 1e-3)
    yield Job("leg, motion of one step", lambda: move(free, rest, 1), 1e-3)


def differences() -> Iterator[Comparison]:
    """Measure what a step costs beyond its solution, and what keeping all steps costs."""
    free, rest = released()

    def begun() -> Stepper:
        return stepped(Stepper(free, [], ["position:leaf@0.5:x"], step=STEP, start=rest))

    contenders = {
        "pieces": Contender(stepped, prepare=begun),  # the second half of "many"
        "few": Contender(lambda: move(free, rest, MANY)),
        "many": Contender(lambda: move(free, rest, 2 * MANY)),
    }
    laps = {name: seconds / MANY for name, seconds in _least(contenders, LONG).items()}
    yield _row("leg, a step of Stepper, beyond its solution", laps["pieces"] - (laps["many"] - laps["few"]), 15e-6)
    arm = pl.compile(spinning_beam(case=1), elements={"arm": ARM_ELEMENTS})
    some, all_steps = (lambda: PLAN.pliant(arm)), (lambda: replace(PLAN, every_step=True).pliant(arm))
    laps = _least({"some": Contender(some), "all": Contender(all_steps)}, LONG)
    yield _row("spinning beam, all steps kept", laps["all"], 1.15 * laps["some"])


def stepped(stepper: Stepper) -> Stepper:
    """Return so many steps later, with the values read after each."""
    for _ in range(MANY):
        stepper.advance(STEP)
        stepper.values()
    return stepper


def move(system: Any, start: pl.Result, steps: int) -> pl.Result:
    """Return a motion of so many steps, of which the last is kept."""
    return pl.transient(system, start=start, end_time=steps * STEP, step=STEP, every=steps, estimate=False)


def released() -> tuple[Any, pl.Result]:
    """Return the leg without its hold, and where it begins."""
    held, free = (pl.compile(model(hold=hold), elements=ELEMENTS) for hold in ("q3", None))
    return free, pretension(held).rest


def four_bar() -> pl.Model:
    """Build the README's first model."""
    m = pl.Model("four-bar")
    ground = m.add(pl.Ground())
    crank = m.add(pl.Link("crank", length=0.10, mass=0.2, angle=60 * pl.DEG))
    coupler = m.add(pl.Beam("coupler", length=0.30, section=pl.Section.rectangle(10e-3, 1e-3, pl.STEEL)))
    rocker = m.add(pl.Link("rocker", length=0.25, mass=0.3))
    m.add(pl.Revolute(ground.at(0, 0), crank.at(s=0)), pl.Revolute(crank.at(s=1), coupler.at(s=0)))
    m.add(pl.Revolute(coupler.at(s=1), rocker.at(s=1)), pl.Revolute(rocker.at(s=0), ground.at(0.3, 0)))
    m.add(pl.Gravity(), pl.Spring("return", crank.at(s=1), ground.at(0, 0.3), stiffness=200.0, rest_length=0.1))
    return m


def _least(contenders: dict[str, Contender], rounds: int) -> dict[str, float]:
    """Return the least processor time (s) of each."""
    return {name: lap.seconds for name, lap in race(contenders, rounds=rounds, by=time.process_time).items()}


def _row(name: str, seconds: float, allowed: float) -> Comparison:
    return Comparison(
        f"call-overhead: {name}",
        "-",
        seconds,
        "the time it may take",
        "warm, processor time",
        allowed,
        required_ratio=1.0,
    )
