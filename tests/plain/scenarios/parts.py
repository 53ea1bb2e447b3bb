"""Every joint, force, contact and beam element: force, matrices, energy, power and conditions at a random pose."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

import pliant as pl
from pliant.elements._family import folders
from pliant.model import Joint, Load, kinds
from pliant.testing.parts import _example, beam
from pliant.testing.probe import Probe

Numbers = dict[str, Any]


def pushed(t: float, pose: np.ndarray, velocity: np.ndarray) -> tuple[float, ...]:
    """Of the plane or of space."""
    return (pose[0] - velocity[1], 2.0 * pose[1], pose[2] + velocity[2], 0.1, 0.2, velocity[-1])[: len(velocity)]


ARGUMENTS: dict[str, list[dict[str, Any]]] = {
    "Contact": [
        {"radius": 1.5, "stiffness": 30.0, "damping": 0.1, "friction": 0.3, "friction_speed": 1.0},
        {"rim": 0.9, "points": 3, "stiffness": 30.0, "exponent": 1.5},
        {"surface": "ring", "opening": 0.1, "stiffness": 30.0, "friction": 0.2},
        {"surface": "cone", "slope": 0.3, "opening": 0.1, "stiffness": 30.0},
    ],
    "Dashpot": [{"x": 1.0, "y": 2.0, "turn": 0.3}],
    "DistributedLoad": [{"x": 1.0, "y": 2.0, "follower": True}, {"x": 1.0, "y": 2.0}],
    "Drag": [{"x": 1.0, "y": 2.0}],
    "Force": [{"x": 1.0, "y": 2.0, "follower": True}, {"x": 1.0}],
    "Gear": [{"teeth_a": 17, "teeth_b": 23}],
    "Gravity": [{"x": 1.0, "y": -9.81}],
    "Motion": [{"angle": 0.3}, {"x": 0.3}],
    "Screw": [{"pitch": 0.2}],
    "Spring": [{"rest_length": 0.4, "damping": 0.3}],
    "StateForce": [{"function": pushed}],
    "Stop": [{"lower": -3.0, "upper": -2.0, "stiffness": 20.0, "damping": 0.1}, {"upper": 3.0, "stiffness": 20.0}],
    "Tendon": [
        {"stiffness": 30.0, "rest_length": 0.3, "damping": 0.2, "slack_force": 1.0},
        {"tension": 2.0, "largest_force": 3.0},
    ],
    "TorsionSpring": [{"damping": 0.3}],
}


def scenarios() -> Iterator[tuple[str, Any]]:
    """Names, and what computes the numbers."""
    kinds.load_all()
    for kind in sorted((*kinds.kinds_of(Joint), *kinds.kinds_of(Load)), key=lambda kind: kind.__name__):
        if kind.__module__.startswith("pliant."):
            for k, given in enumerate(ARGUMENTS.get(kind.__name__, [{}])):
                for space in ("spatial",) if kind.spatial_only else ("planar", "spatial"):
                    yield f"{kind.__name__} {k} {space}", lambda part=(kind, space, given): _part(*part)
    for folder in folders():
        for options in getattr(importlib.import_module(folder), "VARIANTS", ()):
            for space in ("planar", "spatial") if options.in_space else ("planar",):
                yield f"{options} {space}", lambda given=(options, space): _element(*given)


def _part(kind: Any, space: str, given: dict[str, Any]) -> Numbers:
    if kind.__name__ == "Moment" and not given:
        given = {"value": 1.0} if space == "planar" else {"x": 1.0, "y": -0.5, "z": 0.3}
    return probed(_example(kind, space, given, with_part=True)[0], 1)


def _element(options: Any, space: str) -> Numbers:
    model = pl.Model("an element", plane=None if space == "spatial" else "xy")
    model.add(beam(space == "spatial", damping=pl.Rayleigh(0.3, 0.02)))
    return probed(model, replace(options, elements=1))


def probed(model: pl.Model, elements: Any) -> Numbers:
    """All that a model's equations are at a random state."""
    probe, rng = Probe("plain", model, elements=elements), np.random.default_rng(1)
    at = probe.random(rng, 0.1, accelerated=True)
    lam = rng.standard_normal(probe.system.constraints)
    K, C, M, G = probe.matrices(at, lam)
    numbers = {"force": probe.force(at, lam), "stiffness": K, "damping": C, "mass": M, "jacobian": G}
    return numbers | {"energy": probe.energy(at), "power": probe.power(at), "gaps": probe.gaps(at.q)}
