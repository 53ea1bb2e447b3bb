"""Equilibria and motions by the other formulations."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from math import pi
from typing import Any

import numpy as np

import pliant as pl
from pliant.model.model import promoted
from tests import models
from tests.plain.scenarios import Numbers, last

STRIP = pl.Section.rectangle(0.02, 0.002, pl.STEEL)
RODS: list[dict[str, Any]] = [
    {"subintervals": 4, "step": 0.125},
    {"subintervals": 2, "order": "4/5", "tolerance": 1e-3},
    {"subintervals": 4, "order": "2/3", "step": 0.0625},
    {"subintervals": 4, "step": 0.125, "extensible": False, "shear": False},
    {"subintervals": 4, "step": 0.125, "linear": True},
    {"subintervals": 4, "step": 0.125, "jacobian": "differences"},
]


def scenarios() -> Iterator[tuple[str, Callable[[], Numbers]]]:
    """Yield names, and what computes the numbers."""
    for method in ("DOP853", "RK45", "RK23", "SDIRK4", "BDF"):
        yield f"udwadia_kalaba {method}", partial(crank_slider, method)
        if method != "BDF":
            yield f"udwadia_kalaba in space {method}", partial(flail, method)
    for frames, modes, strain, method in (
        ("element", "component", "linear", "SDIRK4"),
        ("link", "component", "nonlinear", "DOP853"),
        ("element", "system", "mean", "RK45"),
        ("link", "component", "third", "RK23"),
        ("element", "component", "fourth", "SDIRK4"),
    ):
        given = (method, {"frames": frames, "modes": modes, "strain": strain})
        yield f"kinked {frames} {modes} {strain} {method}", partial(kinked, *given)
    for options in RODS:
        yield f"shooting {options}", partial(rod, options)
    yield "udwadia_kalaba driven", driven
    yield "udwadia_kalaba redundant", redundant
    yield "udwadia_kalaba kicked", kicked
    for method in ("DOP853", "SDIRK4"):
        yield f"udwadia_kalaba rubbing {method}", partial(rubbing, method)
        yield f"kinked tree {method}", partial(branched, method)
        yield f"relative {method}", partial(pairs, method)
        yield f"relative loops {method}", partial(loops, method)
    yield "shooting, modes", vibrating
    yield "shooting in space", rod_in_space
    yield "shooting in space, motion", rod_in_motion
    for method in ("DOP853", "SDIRK4", "TRBDF2"):
        yield f"relative crank {method}", partial(crank, method)
    yield "relative in space", bars_in_space


def crank_slider(method: str) -> Numbers:
    """Return a crank, flexible as a chain, a rod on a slider, a spring and weight."""
    m, length = pl.Model("crank-slider"), 2.0 * np.sqrt(2.0)
    ground = m.add(pl.Ground())
    crank = m.add(
        pl.Beam("crank", length=length, section=pl.Section.rectangle(0.05, 0.0026, pl.ALUMINIUM), angle=pi / 4)
    )
    rod = m.add(pl.Link("rod", length=length, mass=1.0, angle=0.75 * pi, position=(4.0, 0.0)))
    m.add(pl.Revolute(ground.at(0, 0), crank.at(s=0)), pl.Revolute(crank.at(s=1), rod.at(s=1)))
    m.add(pl.Slider(ground.at(0, 0), rod.at(s=0)), pl.Gravity())
    m.add(pl.Spring("spring", crank.at(s=0.5), rod.at(s=0.5), stiffness=50.0, rest_length=2.0, damping=5.0))
    system = pl.compile(m, formulation="udwadia_kalaba", elements=3)
    return last(pl.transient(system, end_time=2e-3, method=method, accuracy=1e-6))


def flail(method: str) -> Numbers:
    """Return a beam on a Cardan joint as a chain in space, with a bar on balls, a mass and instants within steps."""
    m = pl.Model("flail", plane=None)
    ground, rod, tip = m.add(
        pl.Ground(),
        pl.Beam("rod", length=0.5, section=pl.Section.circle(0.01, pl.ALUMINIUM), curvature=(0.5, 0.2, 0.1)),
        pl.Body("tip", mass=0.1, inertia=(1e-4, 2e-4, 3e-4)),
    )
    m.add(pl.Universal(ground.at(0, 0, 0), rod.at(s=0)), pl.Weld(rod.at(s=1), tip.at(0, 0.03, 0.01)))
    m.add(pl.Distance(ground.at(0.7, 0.3, 0.2), tip.at(0.01, 0.02, 0.0)), pl.Gravity(x=0.0, y=1.0, z=-9.81))
    system = pl.compile(m, formulation="udwadia_kalaba", elements=2)
    return last(pl.transient(system, end_time=2e-4, times=[1.1e-4, 2e-4], method=method, accuracy=1e-4))


def driven() -> Numbers:
    """Return a crank that is driven, with a rod on a slot of it; instants within steps."""
    system = pl.compile(models.driven_slot(), formulation="udwadia_kalaba")
    found = last(pl.transient(system, end_time=0.1, times=[0.03, 0.05, 0.1], accuracy=1e-6))
    method = pl.RK23(constraints="baumgarte", baumgarte=(100.0, 1.0))
    held = last(pl.transient(system, end_time=0.02, times=[0.005, 0.02], accuracy=1e-3, method=method))
    return found | {f"held {name}": value for name, value in held.items()}


def redundant() -> Numbers:
    """Return three cranks and a bar, one too many; a weightless rod with a gear on it."""
    m = models.parallel_cranks()
    ground = m.part("ground")
    pinion, wheel = m.add(pl.Body("pinion", mass=1.0, inertia=0.02), pl.Body("wheel", mass=0.0, inertia=0.0))
    m.add(pl.Revolute(ground.at(0, 0), pinion.at()), pl.Revolute(ground.at(0.3, 0), wheel.at()))
    m.add(pl.Gear(pinion.at(), wheel.at(), carrier=ground.at(0, 0), teeth_a=17, teeth_b=51, name="mesh"))
    m.add(pl.Motor("motor", ground.at(0, 0), pinion.at(), 1.5))
    return last(pl.transient(pl.compile(m, formulation="udwadia_kalaba"), end_time=0.02, accuracy=1e-6))


def kicked() -> Numbers:
    """Return a pendulum that a motor kicks, in large steps: some are taken back, its pin drifts and is closed."""
    m = pl.Model("pendulum")
    ground, arm = m.add(pl.Ground(), pl.Link("arm", length=1.0, mass=1.0, angle=0.0))
    m.add(pl.Revolute(ground.at(0, 0), arm.at(s=0), name="pin"), pl.Gravity())
    system = pl.compile(m, formulation="udwadia_kalaba")
    found = last(pl.transient(system, end_time=1.0, accuracy=1e-2, method="RK23"))
    m.add(pl.Motor("motor", ground.at(0, 0), arm.at(s=0), pl.Ramp(0.0, 50.0, 0.3, 0.32)))
    system = pl.compile(m, formulation="udwadia_kalaba")
    return found | {"kicked": last(pl.transient(system, end_time=0.5, accuracy=1e-3, method="RK45"))["position"]}


def rubbing(method: str) -> Numbers:
    """Return a pin with friction."""
    m = pl.Model("pendulum")
    ground, arm = m.add(pl.Ground(), pl.Link("arm", length=1.0, mass=1.0, angle=0.0))
    pin, _ = m.add(pl.Revolute(ground.at(0, 0), arm.at(s=0), name="pin"), pl.Gravity())
    m.add(pl.Friction(pin, 0.2, radius=0.05, speed=0.1))
    system = pl.compile(m, formulation="udwadia_kalaba")
    return last(pl.transient(system, end_time=0.05, accuracy=1e-6, method=method))


def branched(method: str) -> Numbers:
    """Return a tree of links with a spring, a follower force, lumps and a driven joint."""
    m = models.tree()
    ground, link = m.part("ground"), m.part("l0")
    m.add(pl.Motion(ground.at(0.1, 0.2), link.at(s=0), angle=pl.Sine(0.3, 1.0)))
    system = pl.compile(m, formulation="kinked")
    return last(pl.transient(system, end_time=0.02, times=[0.005, 0.02], accuracy=1e-5, method=method))


def pairs(method: str) -> Numbers:
    """Return a tree in space with a beam and pairs of all kinds, one of them driven; a tree of links in the plane."""
    m = pl.Model("pairs", plane=None)
    ground, arm = m.add(pl.Ground(), pl.Link("arm", length=0.5, mass=1.0))
    nut, bob = m.add(*(pl.Body(name, mass=0.5, inertia=(1e-3, 2e-3, 3e-3)) for name in ("nut", "bob")))
    beam = m.add(pl.Beam("beam", length=0.4, section=STRIP))
    m.add(pl.Revolute(ground.at(0, 0, 0), arm.at(s=0), axis="z", name="hub"))
    m.add(pl.Motion(ground.at(0, 0, 0), arm.at(s=0), angle=pl.Sine(0.3, 1.0), axis="z", name="drive"))
    m.add(pl.Screw(nut.at(0.1, 0, 0), arm.at(s=0.5), axis="x", pitch=0.2, name="thread"))
    m.add(pl.Weld(arm.at(s=1), beam.at(s=0)), pl.Universal(beam.at(s=1), bob.at(-0.1, 0, 0), name="cross"))
    m.add(pl.Gravity(), pl.Spring("tie", ground.at(1, 1, 1), bob.at(), stiffness=50.0, rest_length=0.5))
    tree = pl.compile(m, formulation="relative", elements=1)
    planar = models.tree()
    planar.add(pl.Motion(planar.part("ground").at(0.1, 0.2), planar.part("l0").at(s=0), angle=pl.Sine(0.3, 1.0)))
    found = last(pl.transient(pl.compile(planar, formulation="relative"), end_time=0.01, accuracy=1e-5, method=method))
    if method != "SDIRK4":  # beams are stiff
        return found
    run, rest = last(pl.transient(tree, end_time=1e-4, accuracy=1e-4, method=method)), pl.statics(tree)
    q, still = tree.coordinates(tree.initial), np.zeros(len(tree.names))  # type: ignore[attr-defined]
    forces = pl.inverse_dynamics(tree, q, still, still)  # type: ignore[arg-type]
    back = pl.forward_dynamics(tree, q, still, forces)  # type: ignore[arg-type]
    more = {"rest": rest.position.values, "forces": forces, "back": back}
    more["jacobian"] = pl.jacobian(tree, q, bob.at(0.1, 0.2, 0.3))  # type: ignore[attr-defined]
    return found | {f"space {name}": value for name, value in run.items()} | more


def loops(method: str) -> Numbers:
    """Move a driven slot, three cranks with rows too many in space, and a coupler without mass, cut at joints."""
    found: Numbers = {}
    for m in (models.driven_slot(), promoted(models.parallel_cranks(), {}), models.light_coupler()):
        system = pl.compile(m, formulation="relative")
        run = last(pl.transient(system, end_time=0.01, accuracy=1e-5, method=method))
        found |= {f"{m.name} {name}": value for name, value in run.items()}
    return found | {"rest": pl.statics(pl.compile(models.driven_slot(), formulation="relative")).position.values}


def kinked(method: str, options: dict[str, str]) -> Numbers:
    """Return two beams, pinned to each other and to the ground, driven by a motor."""
    m, section = pl.Model("arm"), pl.Section(2.3e4, 2.3e4, 250.0, 0.1)
    ground = m.add(pl.Ground())
    one, two = m.add(
        pl.Beam("one", length=1.0, section=section, angle=0.0), pl.Beam("two", length=0.7, section=section, angle=0.3)
    )
    m.add(pl.Revolute(ground.at(0, 0), one.at(s=0), name="shoulder"))
    m.add(pl.Revolute(one.at(s=1), two.at(s=0), name="elbow"))
    m.add(pl.Motor("drive", ground.at(0, 0), one.at(s=0), 1.0))
    system = pl.compile(m, formulation="kinked", elements=1, **options)
    return last(pl.transient(system, end_time=1e-3, method=method, accuracy=1e-6, push={"one": 1.0}))


def rod(options: dict[str, Any]) -> Numbers:
    """Return a clamped rod under a force and its weight: at rest and in motion."""
    m = pl.Model("cantilever")
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=1.0, section=STRIP))
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Force(beam.at(s=1), y=-1.0, name="tip"), pl.Gravity())
    m.add(pl.DistributedLoad(beam, x=2.0, y=3.0, follower="linear" not in options))
    system = pl.compile(m, formulation="shooting", **options)
    rest = pl.statics(system)
    run = pl.transient(system, end_time=2e-3, step=1e-3)
    return {"rest": rest.position.values, "reaction": rest.reaction.values} | last(run)


def vibrating() -> Numbers:
    """Return modes of a clamped rod under a force, extensible and not."""
    found: Numbers = {}
    for stretches in (True, False):
        m = pl.Model("cantilever")
        ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=1.0, section=STRIP))
        m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Force(beam.at(s=1), y=-1.0, name="tip"))
        options = {"extensible": stretches, "shear": stretches, "subintervals": 2, "step": 0.0625}
        modes = pl.modal(pl.compile(m, formulation="shooting", **options), modes=2)
        found |= {f"{stretches}": modes.frequency_hz.values, f"{stretches} mass": modes.modal_mass.values}
    return found


def rod_in_space() -> Numbers:
    """Load a curved, tapered rod on a body, by a dead and a follower load and its weight: at rest, and its modes."""
    m = pl.Model("rod", plane=None)
    thin = pl.Section.circle(0.004, pl.ALUMINIUM)
    ground, rod = m.add(pl.Ground(), pl.Beam("rod", length=0.5, section=lambda s: thin, curvature=(0.3, 0.2, 0.4)))
    tip = m.add(pl.Body("tip", mass=0.05, inertia=(1e-5, 2e-5, 3e-5)))
    m.add(pl.Weld(ground.at(0, 0, 0), rod.at(s=0)), pl.Weld(rod.at(s=1), tip.at(0, 0, 0)), pl.Gravity(x=0.0, z=-9.81))
    m.add(pl.DistributedLoad(rod, y=0.3, follower=True), pl.DistributedLoad(rod, z=0.2, name="dead"))
    system = pl.compile(m, formulation="shooting", subintervals=2, step=0.5)
    rest = pl.statics(system)
    modes = pl.modal(system, at=rest, modes=2)
    return {"rest": rest.position.values, "reaction": rest.reaction.values, "modes": modes.frequency_hz.values}


def rod_in_motion() -> Numbers:
    """Drop a damped rod on a ball joint under a load that follows it and one that changes in time."""
    m = pl.Model("rod", plane=None)
    soft = pl.Section.circle(0.01, pl.Material("rubber", youngs_modulus=5e7, density=1100.0))
    damping = pl.Rayleigh(0.2, 1e-3, relative_to="ground")
    ground, rod = m.add(pl.Ground(), pl.Beam("rod", length=0.4, section=soft, damping=damping))
    m.add(pl.Spherical(ground.at(0, 0, 0), rod.at(s=0)), pl.Gravity(x=0.0, z=-9.81))
    m.add(pl.DistributedLoad(rod, y=0.3, follower=True), pl.DistributedLoad(rod, z=pl.Expression("t"), name="dead"))
    system = pl.compile(m, formulation="shooting", subintervals=2, order=4)
    return last(pl.transient(system, end_time=8e-3, step=4e-3, push={"rod": (1.0, 2.0, 8.0)}, estimate=False))


def crank(method: str) -> Numbers:
    """Return a slider-crank, by its angle."""
    system = pl.compile(models.slider_crank(), formulation="relative")
    return last(pl.transient(system, end_time=0.02, method=method, accuracy=1e-5))


def bars_in_space() -> Numbers:
    """Return two bars on a ball and a Cardan joint, with instants within steps; their equilibrium and its modes."""
    m = pl.Model("bars", plane=None)
    ground = m.add(pl.Ground())
    one, two = (
        m.add(pl.Body(name, mass=1.0, inertia=(0.01, 0.02, 0.03), position=place))
        for name, place in (("one", (0.0, 0.1, -0.5)), ("two", (0.0, 0.1, -1.5)))
    )
    m.add(pl.Spherical(ground.at(0, 0, 0), one.at(0, -0.1, 0.5)), pl.Universal(one.at(0, 0, -0.5), two.at(0, 0, 0.5)))
    m.add(pl.Gravity(x=0.0, y=0.0, z=-9.81), pl.TorsionSpring("twist", ground.at(0, 0, 0), one.at(0, -0.1, 0.5), 2.0))
    system = pl.compile(m, formulation="relative")
    run = pl.transient(system, end_time=0.02, times=[0.007, 0.02], accuracy=1e-5, push={"one": (0.0, 1.0, 0.5)})
    rest = pl.statics(system)
    modes = pl.modal(system, at=rest, modes=2)
    return {"rest": rest.position.values, "modes": modes.frequency_hz.values} | last(run)
