"""Tendons through many guides: what an equilibrium and a step of motion take, and how that grows."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import pliant as pl
from pliant_testing.benchmarking import Comparison, Contender, Scaling, benchmark, race

GUIDES = (20, 40, 80, 160)
GROWTH = 1.1
FRICTION = 0.1
STEPS, STEP = 10, 1e-4  # s
FEW_ELEMENTS_A_GUIDE = 20, 92  # guides, elements
ALLOWED = 0.082  # s: what 92 elements with 20 guides took when a tendon coupled all its guides
ROUNDS = 5


@benchmark("tendon-guides")
def tendon_guides() -> Iterator[Comparison | Scaling]:
    """A rod with as many elements as eyes, bent by an elastic tendon: statics, and steps of a motion."""
    for words, spatial in (("plane", False), ("space", True)):
        systems = [pl.compile(arm(count, spatial=spatial), elements=count) for count in GUIDES]
        resting = _least([partial(pl.statics, system) for system in systems])
        yield Scaling(f"tendon-guides: statics, {words}", GUIDES, resting, limit=GROWTH)
        moving = _least([partial(_moved, system, pl.statics(system)) for system in systems])
        yield Scaling(f"tendon-guides: {STEPS} steps, {words}", GUIDES, moving, limit=GROWTH)
        rough = [pl.compile(arm(count, spatial=spatial, friction=FRICTION), elements=count) for count in GUIDES]
        sliding = _least([partial(pl.statics, system, stability=False) for system in rough])
        yield Scaling(f"tendon-guides: statics with friction, {words}", GUIDES, sliding, limit=GROWTH)
    guides, elements = FEW_ELEMENTS_A_GUIDE
    fine = pl.compile(arm(guides, spatial=False), elements=elements)
    yield Comparison(
        f"tendon-guides: statics, {elements} elements", guides, _least([partial(pl.statics, fine)])[0],
        "before", "all guides coupled", ALLOWED, required_ratio=1.0,
    )  # fmt: skip


def arm(guides: int, *, spatial: bool, friction: float = 0.0) -> pl.Model:
    """Build a steel rod, clamped, with equally spaced eyes on one side; its tip is tapped at from t = 0 on."""
    m = pl.Model("arm with eyes", plane=None if spatial else "xy")
    ground, rod = m.add(pl.Ground()), m.add(pl.Beam("rod", length=0.5, section=pl.Section.circle(1e-3, pl.STEEL)))
    m.add(pl.Weld(ground.at(0, 0), rod.at(s=0), name="clamp"))
    eyes = [rod.at(s=(k + 1) / guides, y=0.01) for k in range(guides)]
    m.add(
        pl.Tendon(
            "pull", ground.at(-0.02, 0.01), eyes[-1], guides=(ground.at(0, 0.01), *eyes[:-1]), stiffness=2e3,
            shortening=0.01, friction=friction, sliding=1 if friction else 0,
        )
    )  # fmt: skip
    m.add(pl.Force(rod.at(s=1), name="tap", y=pl.Sine(0.01, 50.0)))
    return m


def _moved(system: Any, rest: pl.Result) -> None:
    pl.transient(system, end_time=STEPS * STEP, step=STEP, start=rest)


def _least(jobs: Sequence[Callable[[], object]]) -> list[float]:
    """Return the least processor time of each, in turns, after one that compiles."""
    laps = race({str(k): Contender(job) for k, job in enumerate(jobs)}, rounds=ROUNDS, by=time.process_time)
    return [lap.seconds for lap in laps.values()]
