"""Six small models, four in the plane and two in space, and the quantities computed of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import pliant as pl
from pliant_gallery import bend_45, crank_slider

STRIP = pl.Section.rectangle(0.02, 0.001, pl.STEEL)
SWING, FALL = 2.0, 0.4  # s: of rigid bodies, of the elastic arm
INSTANTS = 21

Options = Mapping[str, Any]


@dataclass(frozen=True)
class Level:
    """One setting of a way: options of `compile`, and of the analysis."""

    words: str
    compiled: Options
    asked: Options = field(default_factory=dict)


@dataclass(frozen=True)
class Job:
    """A question about a model.

    ways       settings of every formulation that applies, coarse to fine
    reference  settings of the answer that the others are measured against
    scale      of the answer; None: its own size, entry by entry
    """

    name: str
    model: Callable[[], pl.Model]
    ask: Callable[..., np.ndarray]
    ways: Mapping[str, Sequence[Level]]
    reference: Level
    scale: float | None = None


def elements(order: int, *counts: int, formulation: str = "dae") -> list[Level]:
    """Return finite elements, for a question without time."""
    return [Level(f"{n} elements", {"formulation": formulation, "elements": pl.Exact(n, order=order)}) for n in counts]


def links(*counts: int) -> list[Level]:
    """Return chains, for a question without time."""
    return [Level(f"{n} links", {"formulation": "udwadia_kalaba", "elements": n}) for n in counts]


def shot(*steps: int) -> list[Level]:
    """Return the shooting with so many subintervals."""
    return [Level(f"{n} subintervals", {"formulation": "shooting", "subintervals": n}) for n in steps]


def sharp(formulation: str, *accuracies: float, **options: Any) -> list[Level]:
    """Return steps that adapt."""
    return [Level(f"accuracy {a:g}", {"formulation": formulation}, {"accuracy": a, **options}) for a in accuracies]


def time_steps(*steps: float, **options: Any) -> list[Level]:
    """Return equal steps of finite elements, or of rigid bodies."""
    motions = [{"step": h, "estimate": False, "spectral_radius": 1.0} for h in steps]
    return [Level(f"step {one['step']:g} s", options, one) for one in motions]


def cantilever() -> pl.Model:
    """Build a strip bent by 40 degrees by a force at its tip."""
    m = pl.Model("cantilever")
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=0.5, section=STRIP))
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Force(beam.at(s=1), y=-2.0))
    return m


def double_pendulum() -> pl.Model:
    """Build two rigid links that fall from the horizontal."""
    m = pl.Model("double pendulum")
    ground, first = m.add(pl.Ground(), pl.Link("first", length=0.3, mass=0.3, angle=0.0))
    second = m.add(pl.Link("second", length=0.2, mass=0.2, angle=0.5))
    m.add(pl.Revolute(ground.at(0, 0), first.at(s=0)), pl.Revolute(first.at(s=1), second.at(s=0)), pl.Gravity())
    return m


def pendulum() -> pl.Model:
    """Build an elastic arm that falls from the horizontal about its pin."""
    m = pl.Model("elastic pendulum")
    ground, arm = m.add(pl.Ground(), pl.Beam("arm", length=0.5, section=STRIP, angle=0.0))
    m.add(pl.Revolute(ground.at(0, 0), arm.at(s=0)), pl.Gravity())
    return m


def wrist() -> pl.Model:
    """Build two rigid bodies in space, on a Cardan joint and a pin, that fall."""
    m = pl.Model("wrist", plane=None)
    ground, arm, hand = m.add(
        pl.Ground(),
        pl.Body("arm", mass=1.0, inertia=(0.02, 0.03, 0.04), position=(0.5, 0, 0), orientation=(0, 0, 0)),
        pl.Body("hand", mass=0.7, inertia=(0.01, 0.02, 0.015), position=(1.3, 0, 0), orientation=(0, 0, 0)),
    )
    m.add(pl.Universal(ground.at(0, 0, 0), arm.at(-0.5, 0.05, 0.02)), pl.Gravity(x=1.0, y=0.5, z=-9.81))
    m.add(pl.Revolute(arm.at(0.5, 0, 0), hand.at(-0.3, 0, 0.1), axis="y"))
    return m


def resting(marker: str) -> Callable[[Any], np.ndarray]:
    """Return a function that computes where a marker is at rest."""
    return lambda system: np.asarray(pl.statics(system).position.sel(marker=marker).values)


def vibrating(system: Any) -> np.ndarray:
    """Return three frequencies about the rest."""
    return np.asarray(pl.modal(system, modes=3).frequency_hz.values)


def marker_motion(system: Any, **options: Any) -> np.ndarray:
    """Return where the markers are at some instants, in an order that all formulations share."""
    run = pl.transient(system, end_time=SWING, times=np.linspace(0.0, SWING, INSTANTS), **options)
    return np.asarray(run.position.sortby("marker").values)


def tip(system: Any, **options: Any) -> np.ndarray:
    """Return where the tip of an arm is at some instants."""
    run = pl.transient(system, end_time=FALL, times=np.linspace(0.0, FALL, INSTANTS), **options)
    return np.asarray(run.position.sel(marker="arm/tip").values)


RIGID: dict[str, Sequence[Level]] = {
    "dae": time_steps(4e-3, 1e-3, 2.5e-4),
    "udwadia_kalaba": sharp("udwadia_kalaba", 1e-4, 1e-7, 1e-10),
    "relative": sharp("relative", 1e-4, 1e-7, 1e-10),
}
EXACT = sharp("relative", 1e-12)[0]
JOBS = (
    Job(
        "cantilever, rest",
        cantilever,
        resting("beam/tip"),
        {
            "dae": elements(1, 4, 16, 64),
            "dae, order 3": elements(3, 2, 4, 8),
            "shooting": shot(1, 4),
            "udwadia_kalaba": links(10, 40),
            "relative": elements(1, 4, 16, formulation="relative"),
        },
        elements(4, 24)[0],
        scale=0.5,
    ),
    Job(
        "crank-slider, three modes",
        lambda: crank_slider.model(flexible=True, gravity=False),
        vibrating,
        {
            "dae": elements(1, 4, 16, 64),
            "dae, order 3": elements(3, 2, 4, 8),
            "shooting": shot(4, 8),
            "udwadia_kalaba": links(10, 40),
            "relative": elements(1, 4, 16, formulation="relative"),
        },
        elements(4, 16)[0],
    ),
    Job("double pendulum, 2 s", double_pendulum, marker_motion, RIGID, EXACT, scale=0.5),
    Job(
        "elastic pendulum, 0.4 s",
        pendulum,
        tip,
        {
            "dae": [
                Level(f"{n} elements, step {h:g} s", {"elements": pl.Exact(n)}, {"step": h, "estimate": False})
                for n, h in ((8, 1e-3), (16, 2.5e-4), (32, 1e-4))
            ],
            "dae, order 3": [
                Level(f"{n} elements, step {h:g} s", {"elements": pl.Exact(n, order=3)}, {"step": h, "estimate": False})
                for n, h in ((2, 1e-3), (3, 2.5e-4), (4, 5e-5))
            ],
            "shooting": [
                Level(f"step {h:g} s", {"formulation": "shooting"}, {"step": h, "estimate": False})
                for h in (4e-3, 1e-3)
            ],
            "udwadia_kalaba": [
                Level(
                    f"{n} links, {method}, accuracy {a:g}",
                    {"formulation": "udwadia_kalaba", "elements": n},
                    {"accuracy": a, "method": method},
                )
                for n, method, a in ((5, "TRBDF2", 1e-4), (10, "SDIRK4", 1e-6), (20, "SDIRK4", 1e-7))
            ],
            "kinked": [
                Level(f"{n} elements, accuracy {a:g}", {"formulation": "kinked", "elements": n}, {"accuracy": a})
                for n, a in ((2, 1e-5), (4, 1e-6))
            ],
            "relative": [
                Level(
                    f"{n} elements, accuracy {a:g}",
                    {"formulation": "relative", "elements": pl.Exact(n)},
                    {"accuracy": a},
                )
                for n, a in ((4, 1e-4), (8, 1e-5))
            ],
        },
        Level("", {"elements": pl.Exact(6, order=4)}, {"step": 2.5e-5, "estimate": False}),
        scale=0.5,
    ),
    Job(
        "45-degree bend, rest, in space",
        bend_45.model,
        resting("bend/tip"),
        {
            "dae": elements(1, 8, 32, 128),
            "dae, order 3": elements(3, 2, 4, 8),
            "shooting": shot(8, 24),
            "udwadia_kalaba": links(10, 40),
            "relative": elements(1, 8, 32, formulation="relative"),
        },
        elements(4, 24)[0],
        scale=bend_45.LENGTH,
    ),
    Job("wrist, 2 s, in space", wrist, marker_motion, RIGID, EXACT, scale=1.0),
)
