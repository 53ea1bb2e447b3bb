"""Few steps of small mechanisms by every method of `dae`, with controllers, contacts, adaptive steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import pliant as pl

Numbers = dict[str, Any]
SOFT = pl.Section.general(
    np.diag([4e3, 1.5e3, 1.5e3, 0.6, 0.8, 0.8]), mass_per_length=0.7, rotary_inertia=1e-3, rotary_inertia_y=1e-3
)
METHODS: dict[str, pl.Method] = {
    "position": pl.GeneralizedAlpha(0.8),
    "baumgarte": pl.GeneralizedAlpha(0.8, constraints="baumgarte"),
    "projection": pl.GeneralizedAlpha(0.8, constraints="projection"),
    "newmark": pl.Newmark(0.3025, 0.6),
    "momentum": pl.Momentum(),
}


def scenarios() -> Iterator[tuple[str, Callable[[], Numbers]]]:
    """Names, and what computes the numbers."""
    for plane in ("xy", None):
        for name, method in METHODS.items():
            yield f"{name} {plane}", lambda given=(plane, method): swung(*given)
        for options in (pl.Exact(1, order=2), pl.Corotational(1)):
            yield f"momentum {options} {plane}", lambda given=(plane, pl.Momentum(), options): swung(*given)
        yield f"adaptive {plane}", lambda plane=plane: adapted(plane)
        yield f"impact {plane}", lambda plane=plane: impact(plane)
    yield "controller", controlled


def tree(plane: str | None) -> pl.Model:
    """A damped beam on a pin, a body at its tip, a spring, a follower force, weight and a driven angle."""
    m = pl.Model("tree", plane=plane)
    section = SOFT if plane is None else pl.Section(4e3, 1.5e3, 0.8, 0.7, 1e-3)
    inertia: Any = (1e-3, 2e-3, 3e-3) if plane is None else 3e-3
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=1.0, section=section, damping=pl.Rayleigh(0.1, 1e-3)))
    bob = m.add(pl.Body("bob", mass=0.3, inertia=inertia))
    m.add(pl.Revolute(ground.at(0, 0), beam.at(s=0), name="shoulder"), pl.Gravity())
    m.add(pl.Revolute(beam.at(s=1), bob.at(-0.2, 0), name="pin"))
    m.add(pl.Spring("spring", ground.at(0, 0.3), bob.at(0.1, 0), stiffness=20.0, rest_length=1.0, damping=0.1))
    m.add(pl.Motion(ground.at(0, 0), beam.at(s=0), angle=pl.Sine(0.3, 1.0)))
    m.add(pl.Force(bob.at(0.1, 0), y=pl.Ramp(0.0, 1.0, 0.0, 0.01), follower=True, name="jet"))
    return m


def last(run: pl.Result) -> Numbers:
    """What a motion ends with."""
    names = ("position", "velocity", "reaction", "energy", "curvature", "normal_force")
    return {name: run.data[name].isel(time=-1).values for name in names if name in run.data}


def swung(plane: str | None, method: pl.Method, elements: Any = 1) -> Numbers:
    """Four steps."""
    return last(pl.transient(pl.compile(tree(plane), elements=elements), end_time=4e-3, step=1e-3, method=method))


def adapted(plane: str | None) -> Numbers:
    """Steps that adapt."""
    return last(pl.transient(pl.compile(tree(plane), elements=1), end_time=4e-3, accuracy=1e-6))


def ball(plane: str | None, **law: Any) -> pl.Model:
    """A ball just above the floor, on its way."""
    m = pl.Model("ball", plane=plane)
    place: dict[str, Any] = {"position": (0, 0.051), "angle": 0.0, "inertia": 0.01}
    if plane is None:
        place = {"position": (0, 0, 0.051), "orientation": (0, 0, 0), "inertia": (0.01, 0.01, 0.01)}
    ground, body = m.add(pl.Ground(), pl.Body("ball", mass=1.0, free=True, **place))
    m.add(pl.Gravity(), pl.Contact("floor", ground.at(0, 0), body.at(), stiffness=1e5, radius=0.05, **law))
    return m


def impact(plane: str | None) -> Numbers:
    """A ball that hits the floor, rigid or not, and slides on it."""
    system = pl.compile(ball(plane, friction=0.3, restitution=0.5, friction_speed=0.1))
    push = {"ball": (1.0, -1.0, 0.0) if plane else (1.0, 0.5, -1.0, 0.0, 0.0, 0.0)}
    rigid = pl.transient(system, end_time=5e-3, step=1e-3, method=pl.Moreau(), push=push)
    soft = pl.transient(system, end_time=5e-3, step=1e-3, push=push)
    return {f"rigid {name}": value for name, value in last(rigid).items()} | last(soft)


def controlled() -> Numbers:
    """A link above its pin, balanced by a sampled controller with limits, delay, noise and steps."""
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
