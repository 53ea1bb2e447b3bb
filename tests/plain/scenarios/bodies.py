"""Reduced bodies, shapes that collide, tendons that rub in motion, damped rods that are fed, derivatives backwards,
rods without loads by shooting.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import pliant as pl
from tests.plain.scenarios import Numbers, last
from tests.plain.scenarios.lately import pendulum
from tests.unit.test_channel_tendons import arm as tendon_arm
from tests.unit.test_collisions import balls
from tests.unit.test_fed_damping import rod
from tests.unit.test_rods_at_control_rate import SECTION, unstable_in
from tests.unit.test_superelement import arm as reduced_arm
from tests.unit.test_superelement import clamped


def scenarios() -> Iterator[tuple[str, Callable[[], Numbers]]]:
    """Names, and what computes the numbers."""
    for plane in ("xy", None):
        yield f"a reduced body {plane}", partial(reduced, plane)
        yield f"derivatives backwards {plane}", partial(backwards, plane)
        yield f"a rough channel {plane}", partial(rough, plane)
        yield f"a damped rod that is fed {plane}", partial(damped, plane)
        yield f"balls {plane}", partial(colliding, plane)
    yield "a rod without loads between its ends", bare


def reduced(plane: str | None) -> Numbers:
    """A cantilever by its reduced matrices, at rest and let go."""
    body = reduced_arm(2, spatial=plane is None, damping=1e-3)
    model = clamped(body, turned=0.4)
    model.add(pl.Force(body.at("tip"), x=0.2, y=-0.5, name="load"), pl.Gravity(y=-0.5))
    system = pl.compile(model)
    rest = pl.statics(system)
    run = pl.transient(system.with_signals({"load/y": 0.0}), start=rest, end_time=2e-3, step=1e-3, estimate=False)
    found = last(run)
    del found["reaction"]  # rounding of places times the stiffness along the axis
    return {"rest": rest.position.values, **found}


def backwards(plane: str | None) -> Numbers:
    """Of the mean height by mass and length."""
    system = pl.compile(pendulum(plane))
    run = pl.transient(system, end_time=0.03, step=0.01, constraints="position", estimate=False)
    found = pl.sensitivity(system, run, of={"mean": pl.Goal("position:arm/tip:y", over="mean")}, adjoint=True)
    return {"derivative": found.derivative["mean"].values}


def rough(plane: str | None) -> Numbers:
    """A rod that a tendon bends, which rubs in its channel."""
    offset = 0.02 if plane else (0.02, 0.005)
    model = tendon_arm(offset, plane=plane, tension=pl.Ramp(0.0, 5.0, 0.0, 2e-3), friction=0.4, friction_speed=1e-3)
    return last(pl.transient(pl.compile(model, elements=pl.Exact(2)), end_time=2e-3, step=1e-3, estimate=False))


def damped(plane: str | None) -> Numbers:
    """A rod that is fed while it rings down."""
    damping = pl.Rayleigh(3.0, 2e-3, relative_to="ground")
    model = rod(2 if plane else 3, feed=pl.Ramp(0.0, 1e-3, 0.0, 2e-3), damping=damping)
    return last(
        pl.transient(pl.compile(model, elements=pl.Exact(2, order=2)), end_time=2e-3, step=1e-3, estimate=False)
    )


def colliding(plane: str | None) -> Numbers:
    """Three in a row and a floor, rigid and soft."""
    found: Numbers = {}
    spatial = plane is None
    push = {"ball 0": (2.0, *(0.0,) * (5 if spatial else 2))}
    for contact in ("penalty", "complementarity"):
        places = [(x, *(0.0,) * spatial, high) for x, high in ((0.0, 0.05), (0.101, 0.051), (0.202, 0.05))]
        model = balls(places, (1.0, 3.0, 2.0), spatial=spatial, friction=0.3, floor=True)
        run = pl.transient(pl.compile(model), end_time=3e-3, step=1e-3, contact=contact, push=push, estimate=False)
        found |= {f"{contact} {name}": values for name, values in last(run).items()}
    return found


def bare() -> Numbers:
    """A rod by shooting with a force at its tip, and how many directions it is unstable in between its ends."""
    m = pl.Model("rod", plane=None)
    ground = m.add(pl.Ground())
    beam = m.add(pl.Beam("beam", length=1.0, section=SECTION))
    m.add(pl.Weld(ground.at(0, 0, 0), beam.at(s=0)), pl.Force(beam.at(s=1), y=0.1, z=-0.05))
    rest = pl.statics(pl.compile(m, formulation="shooting", subintervals=2, order=8, step=0.5))
    return {"rest": rest.position.values, "unstable": [unstable_in(1 / 4, force) for force in (30.0, 45.0)]}
