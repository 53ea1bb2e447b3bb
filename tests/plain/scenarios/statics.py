"""Equilibria, modes, paths and inverse statics of small models."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from math import pi
from typing import Any

import numpy as np

import pliant as pl
from pliant.solvers.nonlinear import equilibrium
from tests.plain.scenarios import Numbers

STRIP = pl.Section.rectangle(0.02, 0.001, pl.STEEL)


def scenarios() -> Iterator[tuple[str, Callable[[], Numbers]]]:
    """Yield names, and what computes the numbers."""
    for plane in ("xy", None):
        yield f"cantilever {plane}", partial(cantilever, plane)
        yield f"ways of Newton {plane}", partial(ways, plane)
        yield f"hanging {plane}", partial(hanging, plane)
        yield f"in motion {plane}", partial(in_motion, plane)
        yield f"row of poses {plane}", partial(row, plane)
        yield f"grasp {plane}", partial(grasp, plane)
    yield "truss", truss
    yield "column", column


def clamped(plane: str | None) -> Any:
    """Return a beam with a force at its tip."""
    m = pl.Model("cantilever", plane=plane)
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=0.5, section=STRIP))
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Force(beam.at(s=1), x=-0.3, y=0.3, name="load"))
    return pl.compile(m, elements=2)


def ways(plane: str | None) -> Numbers:
    """Solve by mixed integration points, steps that go back, line search: from one start to one end."""
    system, found = clamped(plane), {}
    for way in (equilibrium.PLAIN, equilibrium.CAREFUL, equilibrium.SEARCHING):
        start, scratch = system.start(), system.scratch()
        q, lam = start.q.copy(), np.zeros(system.constraints)
        equilibrium.newton_with(way, system, system.signals(np.array([0.0]))[0], q, lam, scratch)
        found[f"way {way}"] = q
    return found


def cantilever(plane: str | None) -> Numbers:
    """Return the equilibrium under a force and the modes about it."""
    system = clamped(plane)
    rest = pl.statics(system)
    modes = pl.modal(system, at=rest, modes=2)
    return {"position": rest.position.values, "reaction": rest.reaction.values, "frequency": modes.frequency_hz.values}


def grasp(plane: str | None) -> Numbers:
    """Return a ball on a rough slope, where it sticks, and a box beside it."""
    m = pl.Model("slope", plane=plane)
    zero, still = ((), {"angle": 0.1}) if plane else ((0.0,), {"orientation": (0.1, 0.0, 0.0)})
    inertia, normal = (1e-3, {"angle": 0.1}) if plane else ((1e-3,) * 3, {"orientation": (0.1, 0.0, 0.0)})
    ground = m.add(pl.Ground())
    for name, x, shape in (("ball", 0.0, None), ("box", 1.0, pl.Box(0.1, 0.1, 0.1))):
        free: Any = {"mass": 1.0, "inertia": inertia, "position": (x, *zero, 0.05), "free": True, **still}
        body, law = m.add(pl.Body(name, **free)), {"stiffness": 1e4, "friction": 0.5, "radius": 0.05}
        if shape is None:
            m.add(pl.Contact(f"{name} below", ground.at(x, *zero, 0.0, **normal), body.at(), **law))
            m.add(pl.Bushing("spring", ground.at(x, *zero, 0.05), body.at(), stiffness=(900.0,) * 3))
        else:
            floor = ground.at(x, *zero, 0.0, **normal)
            m.add(pl.Collisions("floor", [body.at()], shape=shape, floors=[floor], **law | {"radius": 0.01}))
    m.add(pl.Gravity())
    system = pl.compile(m)
    held = pl.statics(system, friction="stuck")
    modes = pl.modal(system, at=held, modes=4)
    return {name: np.asarray(getattr(held, name)) for name in ("position", "friction_force", "normal_force")} | {
        "frequency": modes.frequency_hz.values
    }


def row(plane: str | None) -> Numbers:
    """Return two turned joints, in space a force besides, that hold the tip of a beam, and poses to which they lead."""
    m = pl.Model("held", plane=plane)
    ground, upper = m.add(pl.Ground(), pl.Link("upper", length=0.3, mass=0.1))
    beam = m.add(pl.Beam("beam", length=0.5, section=STRIP))
    for name, a, b in (("shoulder", ground.at(0, 0), upper.at(s=0)), ("elbow", upper.at(s=1), beam.at(s=0))):
        m.add(pl.Revolute(a, b, name=f"{name} pin"), pl.Motion(a, b, angle=0.5, name=name))
    m.add(pl.Force(beam.at(s=1), y=0.3, **({} if plane else {"z": 0.0}), name="load"))
    motors = ["shoulder/angle", "elbow/angle", *([] if plane else ["load/z"])]
    robot = pl.Kinetostatics(pl.compile(m, elements=1), platform="beam/tip", motors=motors)
    start = robot.forward([0.5, 0.5, 0.1][: len(motors)])
    ways = np.linspace(0.0, 0.01, 3)[:, None] * np.array([-0.1, 1.0, 1.0][: start.position.size])
    found = robot.follow(start.position + ways, start=start)
    driven, last = robot.drive(found.motor.values, start=start), robot.inverse(start.position + ways[2], start=start)
    return {"motor": found.motor.values, "driven": driven.position.values, "last": last.motors}


def hanging(plane: str | None) -> Numbers:
    """Return two links that only their weight holds, far from where they come to rest: they slide downhill."""
    m = pl.Model("chain", plane=plane)
    ground, upper, lower = m.add(
        pl.Ground(),
        pl.Link("upper", length=1.0, mass=1.0, angle=0.3),
        pl.Link("lower", length=0.5, mass=1.0, angle=0.5),
    )
    axis = "z" if plane else "y"
    m.add(pl.Revolute(ground.at(0, 0), upper.at(s=0), axis=axis), pl.Gravity())
    m.add(pl.Revolute(upper.at(s=1), lower.at(s=0), axis=axis))
    rest = pl.statics(pl.compile(m))
    return {"position": rest.position.values, "reaction": rest.reaction.values}


def in_motion(plane: str | None) -> Numbers:
    """Return a linear model about a point of a motion of two bars."""
    m = pl.Model("bars", plane=plane)
    inertia: Any = 0.05 if plane else (1e-3, 0.05, 0.05)
    ground, upper, lower = m.add(
        pl.Ground(), *(pl.Body(name, mass=1.0, inertia=inertia, angle=0.0) for name in ("upper", "lower"))
    )
    axis, down = ("z", "y") if plane else ("y", "z")
    m.add(pl.Revolute(ground.at(0, 0), upper.at(-0.5, 0), axis=axis), pl.Gravity())
    m.add(pl.Revolute(upper.at(0.5, 0), lower.at(-0.2, 0), axis=axis))
    m.add(pl.Force(lower.at(0.2, 0), **{down: 0.0}, name="push"))
    system = pl.compile(m)
    run = pl.transient(system, end_time=2e-3, step=1e-3, push={"upper": 1.0 if plane else (0.0, 1.0, 0.0)})
    model = pl.linearise(
        system, at=run, frozen=True, inputs=[f"push/{down}"], outputs=[f"position:lower(0.2, 0):{down}"]
    )
    return {"A": model.A, "B": model.B, "C": model.C}


def truss() -> Numbers:
    """Return two springs that meet at a low apex, pushed down through it (von Mises)."""
    m = pl.Model("truss")
    ground, apex = m.add(pl.Ground(), pl.Body("apex", mass=1.0, inertia=0.0, position=(0.0, 0.3)))
    for name, x in (("left", -1), ("right", 1)):
        m.add(pl.Spring(name, ground.at(x, 0), apex.at(0, 0), stiffness=100.0, rest_length=np.hypot(1.0, 0.3)))
    m.add(pl.Slider(ground.at(0, 0, angle=pi / 2), apex.at(0, 0)), pl.Force(apex.at(0, 0), y=-1.0, name="load"))
    found = pl.path(pl.compile(m), "load/y", to=-3.0)
    return {"parameter": found.parameter.values[-1], "position": found.position.values[-1]}


def column() -> Numbers:
    """Return a cantilever pushed along its axis, along the path to its branch."""
    m = pl.Model("column")
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=0.5, section=STRIP))
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Force(beam.at(s=1), x=-1.0, name="load", follower=True))
    found = pl.path(pl.compile(m, elements=1), "load/x", to=-6.0)
    return {"parameter": found.parameter.values[-1], "position": found.position.values[-1]}
