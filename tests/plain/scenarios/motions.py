"""Few steps of small mechanisms by every method of `dae`, with controllers, contacts, adaptive steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

import pliant as pl
from tests.plain.scenarios import Numbers, last

SOFT = pl.Section.general(
    np.diag([4e3, 1.5e3, 1.5e3, 0.6, 0.8, 0.8]), mass_per_length=0.7, rotary_inertia=1e-3, rotary_inertia_y=1e-3
)
METHODS: dict[str, Any] = {
    "position": pl.GeneralizedAlpha(0.8),
    "baumgarte": pl.GeneralizedAlpha(0.8, constraints="baumgarte"),
    "projection": pl.GeneralizedAlpha(0.8, constraints="projection"),
    "newmark": pl.Newmark(0.3025, 0.6),
    "momentum": pl.Momentum(),
}


def scenarios() -> Iterator[tuple[str, Callable[[], Numbers]]]:
    """Yield names, and what computes the numbers."""
    for plane in ("xy", None):
        for name, method in METHODS.items():
            yield f"{name} {plane}", partial(swung, plane, method)
        for options in (pl.Exact(1, order=2), pl.Corotational(1)):
            yield f"momentum {options} {plane}", partial(swung, plane, pl.Momentum(), options)
        others = {"adaptive": adapted, "impact": impact, "stop": stopped, "distance": hung, "gear": geared}
        for name, moving in (others | {"readings": read, "door": door, "rough": rough}).items():
            yield f"{name} {plane}", partial(moving, plane)
    yield "kicked", kicked
    yield "controller", controlled
    yield "drive set by a function", driven


def tree(plane: str | None) -> pl.Model:
    """Build a damped beam on a pin, a body at its tip, a spring, a follower force, weight and a driven angle."""
    m = pl.Model("tree", plane=plane)
    section = SOFT if plane is None else pl.Section(4e3, 1.5e3, 0.8, 0.7, 1e-3, height=0.01)
    inertia: Any = (1e-3, 2e-3, 3e-3) if plane is None else 3e-3
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=1.0, section=section, damping=pl.Rayleigh(0.1, 1e-3)))
    bob = m.add(pl.Body("bob", mass=0.3, inertia=inertia))
    m.add(pl.Revolute(ground.at(0, 0), beam.at(s=0), name="shoulder"), pl.Gravity())
    m.add(pl.Revolute(beam.at(s=1), bob.at(-0.2, 0), name="pin"))
    m.add(pl.Spring("spring", ground.at(0, 0.3), bob.at(0.1, 0), stiffness=20.0, rest_length=1.0, damping=0.1))
    m.add(pl.Motion(ground.at(0, 0), beam.at(s=0), angle=pl.Sine(0.3, 1.0)))
    m.add(pl.Force(bob.at(0.1, 0), y=pl.Ramp(0.0, 1.0, 0.0, 0.01), follower=True, x=0.0, name="jet"))
    return m


def swung(plane: str | None, method: Any, elements: Any = 1) -> Numbers:
    """Take four steps."""
    return last(pl.transient(pl.compile(tree(plane), elements=elements), end_time=4e-3, step=1e-3, method=method))


def adapted(plane: str | None) -> Numbers:
    """Adapt steps. Reactions are left out: at the first, tiny steps they hold Newton's rounding over h^2."""
    found = last(pl.transient(pl.compile(tree(plane), elements=1), end_time=4e-3, accuracy=1e-6, estimate=False))
    return without_reactions(found)


def without_reactions(found: Numbers) -> Numbers:
    """Drop reactions, which hold the rounding of positions over h^2 where steps become small."""
    return {name: value for name, value in found.items() if name != "reaction"}


def ball(plane: str | None, **law: Any) -> pl.Model:
    """Build a ball just above the floor, on its way."""
    m = pl.Model("ball", plane=plane)
    place: dict[str, Any] = {"position": (0, 0.051), "angle": 0.0, "inertia": 0.01}
    if plane is None:
        place = {"position": (0, 0, 0.051), "orientation": (0, 0, 0), "inertia": (0.01, 0.01, 0.01)}
    ground, body = m.add(pl.Ground(), pl.Body("ball", mass=1.0, free=True, **place))
    m.add(pl.Gravity(), pl.Contact("floor", ground.at(0, 0), body.at(), stiffness=1e5, radius=0.05, **law))
    return m


def impact(plane: str | None) -> Numbers:
    """Return a ball that hits the floor, rigid or not, and slides on it."""
    system = pl.compile(ball(plane, friction=0.3, restitution=0.5, friction_speed=0.1))
    push = {"ball": (1.0, -1.0, 0.0) if plane else (1.0, 0.5, -1.0, 0.0, 0.0, 0.0)}
    rigid = pl.transient(system, end_time=5e-3, step=1e-3, method=pl.Moreau(), push=push)
    soft = pl.transient(system, end_time=5e-3, step=1e-3, push=push)
    return {f"rigid {name}": value for name, value in last(rigid).items()} | last(soft)


def stopped(plane: str | None) -> Numbers:
    """Return an arm that falls on its stop, rigid or not."""
    m = pl.Model("stop", plane=plane)
    inertia: Any = 0.02 if plane else (1e-3, 0.02, 0.02)
    ground, arm = m.add(pl.Ground(), pl.Body("arm", mass=1.0, inertia=inertia, angle=0.01 if plane else 0.0))
    pin = m.add(pl.Revolute(ground.at(0, 0), arm.at(-0.25, 0), axis="z" if plane else "y", name="pin"))
    m.add(pl.Gravity(), pl.Stop(pin, lower=-0.02, upper=0.02, stiffness=1e3, damping=0.1, restitution=0.3))
    system = pl.compile(m)
    push = {"arm": -2.0 if plane else (0.0, 2.0, 0.0)}
    rigid = pl.transient(system, end_time=2e-2, step=4e-3, method=pl.Moreau(), push=push)
    soft = pl.transient(system, end_time=2e-2, step=4e-3, push=push)
    return {f"rigid {name}": value for name, value in last(rigid).items()} | last(soft)


def rough(plane: str | None) -> Numbers:
    """Return joints that rub, set-valued or not: in the plane a guide, in space a shaft and a ball."""
    m = pl.Model("rough", plane=plane)
    ground, one = m.add(pl.Ground(), pl.Body("one", mass=1.0, inertia=0.02 if plane else (0.02, 0.03, 0.04)))
    law: dict[str, Any] = {"breakaway": 1.3, "viscous": 0.1, "speed": 0.1}
    m.add(pl.Gravity(x=0.5, y=-9.0))
    if plane:
        push: Any = {"one": (0.5, 0.0, 0.0)}
        guide = m.add(pl.Prismatic(ground.at(0, 0), one.at(0.1, 0.0)))
        m.add(pl.Friction(guide, 0.2, length=0.3, **law))
    else:
        push = {"one": (0.0, 0.0, 0.5, 0.0, 0.0, 3.0)}
        shaft = m.add(pl.Cylindrical(ground.at(0, 0), one.at()))
        other = m.add(pl.Body("other", mass=1.0, inertia=(0.02, 0.03, 0.04), position=(0.3, 0.0, 0.0)))
        ball = m.add(pl.Spherical(one.at(0.2, 0.0), other.at(-0.1, 0.0)))
        m.add(pl.Friction(shaft, 0.2, radius=0.05, length=0.3, **law), pl.Friction(ball, 0.1, radius=0.02, **law))
    system = pl.compile(m)
    rigid = pl.transient(system, end_time=1e-2, step=2e-3, method=pl.Moreau(), push=push)
    soft = pl.transient(system, end_time=1e-2, step=2e-3, push=push)
    return {f"rigid {name}": value for name, value in last(rigid).items()} | last(soft)


def hung(plane: str | None) -> Numbers:
    """Return a body on a rod of fixed length, in a slot that moves with it."""
    m = pl.Model("hung", plane=plane)
    inertia: Any = 0.02 if plane else (0.02, 0.03, 0.04)
    place = (0.3, -0.4) if plane else (0.3, 0.1, -0.4)
    ground, bob = m.add(pl.Ground(), pl.Body("bob", mass=1.0, inertia=inertia, position=place, angle=0.2))
    m.add(pl.Distance(ground.at(0, 0), bob.at(0.1, 0)), pl.Slider(bob.at(0, 0.1), ground.at(0.2, -0.3)), pl.Gravity())
    push = {"bob": 1.0 if plane else (0.1, 0.2, 1.0)}
    method = pl.GeneralizedAlpha(constraints="baumgarte")
    found = last(pl.transient(pl.compile(m), end_time=1.6e-2, step=4e-3, method=method, push=push))
    whole = last(pl.transient(pl.compile(m), end_time=1.6e-2, step=4e-3, method=pl.Momentum(), push=push))
    return found | {f"momentum {name}": value for name, value in whole.items()}


def geared(plane: str | None) -> Numbers:
    """Return two wheels, one of them without inertia, and a light one that only the joints hold."""
    m = pl.Model("gear pair", plane=plane)
    ground, pinion, wheel = m.add(
        pl.Ground(), pl.Body("pinion", mass=1.0, inertia=0.02), pl.Body("wheel", mass=0.0, inertia=0.0)
    )
    m.add(pl.Revolute(ground.at(0, 0), pinion.at()), pl.Revolute(ground.at(0.3, 0), wheel.at()))
    m.add(pl.Gear(pinion.at(), wheel.at(), carrier=ground.at(0, 0), teeth_a=17, teeth_b=51, name="mesh"))
    m.add(pl.Motor("motor", ground.at(0, 0), pinion.at(), 1.5))
    m.add(pl.TorsionSpring("spring", ground.at(0.3, 0), wheel.at(), 2.0))
    system = pl.compile(m)
    rest = pl.statics(system)
    return {"rest": rest.reaction.values} | last(pl.transient(system, end_time=4e-3, step=1e-3))


def read(plane: str | None) -> Numbers:
    """Return a controller that reads all there is to read."""
    system = pl.compile(tree(plane), elements=1)
    outputs = ["position:bob(-0.2, 0):x", "velocity:bob(-0.2, 0):y", "line_length:spring", "resultant:beam@0.5:N"]
    outputs += ["strain:beam@0.5", "angle:bob"] if plane else ["rotation:bob:z"]
    outputs += ["angular_velocity:bob" if plane else "angular_velocity:bob:z"]
    loop = pl.Controller.proportional({"jet/x": dict.fromkeys(outputs, 0.01)}, sample_time=2e-3)
    run = pl.transient(system, end_time=4e-3, step=1e-3, controller=loop)
    return last(run) | {"measured": run.data["measured"].values}


def door(plane: str | None) -> Numbers:
    """Return a body on two hinges, one of them too many."""
    m = pl.Model("door", plane=plane)
    inertia: Any = 0.02 if plane else (0.02, 0.03, 0.04)
    ground, leaf = m.add(pl.Ground(), pl.Body("leaf", mass=1.0, inertia=inertia, angle=0.0))
    for k, height in enumerate((0.0, 0.5)):
        up = () if plane else (height,)
        m.add(pl.Revolute(ground.at(0, 0, *up), leaf.at(-0.4, 0, *up), name=f"hinge {k}"))
    m.add(pl.Gravity(), pl.Motor("motor", ground.at(0, 0), leaf.at(-0.4, 0), 1.0))
    found = last(pl.transient(pl.compile(m), end_time=1.6e-2, step=4e-3))
    return {name: found[name] for name in ("position", "velocity", "energy")}


def kicked() -> Numbers:
    """Return a pendulum that a motor kicks after a while: steps that had grown are taken back."""
    m = pl.Model("pendulum")
    ground, arm = m.add(pl.Ground(), pl.Link("arm", length=1.0, mass=1.0, angle=-1.5))
    kick = pl.Ramp(0.0, 50.0, 0.3, 0.32)
    m.add(
        pl.Revolute(ground.at(0, 0), arm.at(s=0)), pl.Gravity(), pl.Motor("motor", ground.at(0, 0), arm.at(s=0), kick)
    )
    given = {"method": pl.GeneralizedAlpha(), "accuracy": 1e-3}
    return without_reactions(last(pl.transient(pl.compile(m), end_time=0.35, **given)))


def driven() -> Numbers:
    """Return a link whose drive goes to set-points that a function in Python gives."""
    m = pl.Model("driven")
    ground, arm = m.add(pl.Ground(), pl.Link("arm", length=0.5, mass=1.0))
    m.add(pl.Revolute(ground.at(0, 0), arm.at(s=0)), pl.Gravity())
    m.add(pl.Motion(ground.at(0, 0), arm.at(s=0), angle=0.0, name="drive"))
    law = pl.FunctionController(
        function=lambda t, readings: 0.2 * t + 0.1 * readings["reaction:drive:M"],
        inputs=("drive/angle",),
        outputs=("reaction:drive:M",),
        sample_time=2e-3,
    )
    run = pl.transient(pl.compile(m), end_time=8e-3, step=1e-3, controller=law.limited(low=-1e-4, high=1e-4))
    return without_reactions(last(run)) | {"applied": run.data["applied"].values}


def controlled() -> Numbers:
    """Return a link above its pin, balanced by a sampled controller with limits, delay, noise and steps."""
    m = pl.Model("upright")
    ground, arm = m.add(pl.Ground(), pl.Link("arm", length=0.5, mass=1.0, angle=90 * pl.DEG))
    m.add(pl.Revolute(ground.at(0, 0), arm.at(s=0)), pl.Gravity(), pl.Motor("motor", ground.at(0, 0), arm.at(s=0), 0.0))
    system = pl.compile(m)
    model = pl.linearise(
        system, at=pl.statics(system), inputs=["motor/torque"], outputs=["angle:arm", "angular_velocity:arm"]
    )
    gain = pl.lqr(
        model, outputs={"angle:arm": 400.0}, inputs={"motor/torque": 0.1}, sample_time=2e-3, integral={"angle:arm": 100}
    )
    seen = pl.luenberger(model, speed=30.0, outputs=["angle:arm"], sample_time=2e-3)
    controller = pl.lqg(gain, seen).limited(low=-0.8, high=0.8, rate=60.0).delayed(1).quantised(1e-3)
    run = pl.transient(
        system, end_time=8e-3, step=1e-3, controller=controller.with_noise(2e-3, seed=5), push={"arm": 0.2}
    )
    return last(run) | {"applied": run.data["applied"].values, "measured": run.data["measured"].values}
