"""Reduced bodies, shapes that collide, tendons that rub in motion, damped rods that are fed, derivatives backwards,
rods without loads by shooting.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pliant as pl
from tests.plain.scenarios import Numbers, last
from tests.plain.scenarios.lately import pendulum
from tests.unit.elements.test_fed_damping import rod
from tests.unit.elements.test_superelement import arm as reduced_arm
from tests.unit.elements.test_superelement import clamped
from tests.unit.forces.test_channel_tendons import arm as tendon_arm
from tests.unit.forces.test_collisions import balls
from tests.unit.formulations.test_rods_at_control_rate import SECTION, unstable_in


def scenarios() -> Iterator[tuple[str, Callable[[], Numbers]]]:
    """Yield names, and what computes the numbers."""
    for plane in ("xy", None):
        yield f"a reduced body {plane}", partial(reduced, plane)
        yield f"derivatives backwards {plane}", partial(backwards, plane)
        yield f"a rough channel {plane}", partial(rough, plane)
        yield f"a damped rod that is fed {plane}", partial(damped, plane)
        yield f"balls {plane}", partial(colliding, plane)
        yield f"boxes {plane}", partial(stacked, plane)
    yield "a rod without loads between its ends", bare


def reduced(plane: str | None) -> Numbers:
    """Return a cantilever by its reduced matrices, at rest and let go."""
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
    """Return derivatives of the mean height by mass and length."""
    system = pl.compile(pendulum(plane))
    run = pl.transient(system, end_time=0.03, step=0.01, constraints="position", estimate=False)
    found = pl.sensitivity(system, run, of={"mean": pl.Goal("position:arm/tip:y", over="mean")}, adjoint=True)
    return {"derivative": found.derivative["mean"].values}


def rough(plane: str | None) -> Numbers:
    """Return a rod that a tendon bends, which rubs in its channel."""
    offset = 0.02 if plane else (0.02, 0.005)
    model = tendon_arm(offset, plane=plane, tension=pl.Ramp(0.0, 5.0, 0.0, 2e-3), friction=0.4, friction_speed=1e-3)
    return last(pl.transient(pl.compile(model, elements=pl.Exact(2)), end_time=2e-3, step=1e-3, estimate=False))


def damped(plane: str | None) -> Numbers:
    """Return a rod that is fed while it rings down."""
    damping = pl.Rayleigh(3.0, 2e-3, relative_to="ground")
    model = rod(2 if plane else 3, feed=pl.Ramp(0.0, 1e-3, 0.0, 2e-3), damping=damping)
    return last(
        pl.transient(pl.compile(model, elements=pl.Exact(2, order=2)), end_time=2e-3, step=1e-3, estimate=False)
    )


def colliding(plane: str | None) -> Numbers:
    """Return three in a row and a floor, rigid and soft."""
    found: Numbers = {}
    spatial = plane is None
    push = {"ball 0": (2.0, *(0.0,) * (5 if spatial else 2))}
    for contact in ("penalty", "complementarity"):
        places = [(x, *(0.0,) * spatial, high) for x, high in ((0.0, 0.05), (0.101, 0.051), (0.202, 0.05))]
        model = balls(places, (1.0, 3.0, 2.0), spatial=spatial, friction=0.3, floor=True)
        run = pl.transient(pl.compile(model), end_time=3e-3, step=1e-3, contact=contact, push=push, estimate=False)
        found |= {f"{contact} {name}": values for name, values in last(run).items()}
    return found


def stacked(plane: str | None) -> Numbers:
    """Press a wedge on another one, almost flush, and a capsule across both, soft; fly one into a rigid one."""
    found: Numbers = {}
    wedge = pl.Hull([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)] if plane is None else [(0, 0), (1, 0), (0, 1)])
    spatial = plane is None
    for contact, high, steps in (("penalty", -0.95, 1), ("complementarity", -1.3, 2)):
        model = pl.Model("wedges", plane=plane)
        law: dict[str, Any] = {"mass": 1.0, "inertia": (0.1,) * 3 if spatial else 0.1, "free": True}
        bodies = []
        for name, *at, turn in (("a", 0, 0, 0), ("b", 0.05, high, 0.02), ("c", 0.2, 0.2 - high, 0.4)):
            where = {"position": (at[0], 0.03, at[1]), "orientation": (0.01, 0.0, turn)}
            bodies.append(model.add(pl.Body(name, **law, **(where if spatial else {"position": at, "angle": turn}))))
        shapes, radius = [wedge, wedge, "round"], (0.1, 0.1, 0.25)
        pressed = {"stiffness": 1e3, "friction": 0.3, "damping": 0.1}
        markers = [body.at() for body in bodies]
        model.add(pl.Collisions("all", markers, shape=shapes, radius=radius, length=(0.0, 0.0, 1.5), **pressed))
        push = {"b": (0.0, *(0.0,) * spatial, 200.0, *(0.0,) * (3 if spatial else 1))}
        options = {"contact": contact, "estimate": False, "push": push}
        run = pl.transient(pl.compile(model), end_time=steps * 1e-3, step=1e-3, **options)
        found |= {f"{contact} {name}": values for name, values in last(run).items()}
    return found


def bare() -> Numbers:
    """Return a rod by shooting with a force at its tip, and how many directions it is unstable in between its ends."""
    m = pl.Model("rod", plane=None)
    ground = m.add(pl.Ground())
    beam = m.add(pl.Beam("beam", length=1.0, section=SECTION))
    m.add(pl.Weld(ground.at(0, 0, 0), beam.at(s=0)), pl.Force(beam.at(s=1), y=0.1, z=-0.05))
    rest = pl.statics(pl.compile(m, formulation="shooting", subintervals=2, order=8, step=0.5))
    return {"rest": rest.position.values, "unstable": [unstable_in(1 / 4, force) for force in (30.0, 45.0)]}
