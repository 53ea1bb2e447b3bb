"""Large strains, steps of order five, derivatives of motions, rods that are fed by shooting, tendons that rub."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import pliant as pl
from pliant_gallery import fed_rod
from tests.plain.scenarios import Numbers, last

RUBBER = pl.Hyperelastic("rubber", youngs_modulus=0.3e6, density=1000.0, mooney=0.3)
SOFT = pl.Section.circle(0.004, pl.Material("soft", youngs_modulus=2e7, density=1000.0, poisson_ratio=0.4))


def scenarios() -> Iterator[tuple[str, Callable[[], Numbers]]]:
    """Yield names, and what computes the numbers."""
    yield "order five, steps of any size", adaptive
    for plane in ("xy", None):
        yield f"rubber {plane}", partial(rubber, plane)
        yield f"order five {plane}", partial(order_five, plane)
        yield f"derivatives of a motion {plane}", partial(derivatives, plane)
        yield f"fed by shooting {plane}", partial(fed, plane)


def rubber(plane: str | None) -> Numbers:
    """Return a strip of rubber that is bent and stretched, at rest and let go."""
    m = pl.Model("rubber", plane=plane)
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=0.2, section=pl.Section.rectangle(0.03, 0.012, RUBBER)))
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Force(beam.at(s=1), x=4.0, y=0.3, name="load"))
    system = pl.compile(m, elements=pl.Exact(2, order=2))
    rest = pl.statics(system)
    loose = system.with_signals({"load/y": 0.0})
    run = pl.transient(loose, start=rest, end_time=2e-3, step=1e-3, estimate=False)
    return {"rest": rest.position.values, "strain": rest.resultant.values, **last(run)}


def pendulum(plane: str | None) -> pl.Model:
    """Build two links, the second with a body of three moments in space; parameters "mass" and "length"."""
    mass, length = pl.Parameter("mass", 1.0), pl.Parameter("length", 0.7)
    m = pl.Model("pendulum", plane=plane)
    ground, arm = m.add(pl.Ground(), pl.Link("arm", length=length, mass=mass, angle=0.3))
    bob = m.add(pl.Body("bob", mass=0.5, inertia=0.01 if plane else (0.01, 0.02, 0.015)))
    m.add(pl.Revolute(ground.at(0, 0), arm.at(s=0)), pl.Gravity())
    m.add(pl.Revolute(arm.at(s=1), bob.at(-0.2, 0)) if plane else pl.Spherical(arm.at(s=1), bob.at(-0.2, 0, 0)))
    return m


def order_five(plane: str | None) -> Numbers:
    """Return equal steps of Radau's method."""
    return last(pl.transient(pl.compile(pendulum(plane)), end_time=0.1, step=0.02, method="radau", estimate=False))


def adaptive() -> Numbers:
    """Return steps of Radau's method that choose their sizes, under a signal that changes."""
    m = pl.Model("pushed")
    ground, arm = m.add(pl.Ground(), pl.Link("arm", length=0.7, mass=1.0, angle=0.3))
    m.add(pl.Revolute(ground.at(0, 0), arm.at(s=0)), pl.Force(arm.at(s=1), x=pl.Sine(0.5, frequency_hz=2.0)))
    return last(pl.transient(pl.compile(m), end_time=0.1, accuracy=1e-3, method="radau", estimate=False))


def derivatives(plane: str | None) -> Numbers:
    """Return derivatives of places by mass and length, with projected velocities."""
    system, found = pl.compile(pendulum(plane)), {}
    for constraints in ("position", "projection"):
        run = pl.transient(system, end_time=0.03, step=0.01, constraints=constraints, estimate=False)
        found[constraints] = pl.sensitivity(system, run, of=["position"]).derivative.position.values
    return found


def fed(plane: str | None) -> Numbers:
    """Return a soft rod that is fed out by a motor, under its weight."""
    axes = 2 if plane else 3
    m = fed_rod.model(load=(0.004, 0.012, 0.003)[:axes], section=SOFT, feed=0.0, length=0.8, stock=0.9)
    m.add(pl.Gravity(**dict(zip("xyz", (0.005, -0.01, 0.003)[:axes], strict=False))))
    system = pl.compile(m, formulation="shooting", subintervals=2).with_signals({"motor/x": 0.1})
    rest = pl.statics(system)
    return {"position": rest.position.values, "reaction": rest.reaction.values}
