"""Every joint, force and beam element of pliant keeps the contracts that parts of other packages must keep."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pytest

import pliant as pl
from pliant.elements._family import folders
from pliant.model import Joint, Load, kinds
from pliant.system.packing import catalogue
from pliant_testing import check_element, check_part

kinds.load_all()
PARTS = [*kinds.kinds_of(Joint), *kinds.kinds_of(Load)]
OURS = sorted((kind for kind in PARTS if kind.__module__.startswith("pliant.")), key=lambda kind: kind.__name__)
ELSEWHERE = ("Friction", "Feed", "Sleeve", "Superelement")  # have files of their own
OURS = [kind for kind in OURS if kind.__name__ not in ELSEWHERE]


def pushed(t: float, pose: np.ndarray, velocity: np.ndarray) -> tuple[float, ...]:
    """Return a wrench of the plane or of space."""
    return (pose[0] - velocity[1], 2.0 * pose[1], pose[2] + velocity[2], 0.1, 0.2, velocity[-1])[: len(velocity)]


ARGUMENTS: dict[str, dict[str, Any]] = {
    "Backlash": {"gap": 0.01, "stiffness": 20.0, "damping": 0.05},
    "Brake": {"torque": 0.5, "speed": 1.0},
    "Bushing": {
        "stiffness": ((100.0, 20.0, 0.0), (20.0, 80.0, 0.0), (0.0, 0.0, 50.0)),
        "turning_stiffness": ((3.0, 0.2, 0.0), (0.2, 2.0, 0.0), (0.0, 0.0, 1.5)),
        "damping": 0.3,
        "turning_damping": (0.02, 0.03, 0.01),
    },
    "ChannelTendon": {
        "offset": (0.1, 0.03),
        "tension": 3.0,
        "in_space": {"offset": ((0.1, 0.02), (0.03, 0.06), (0.05, -0.03)), "tension": 3.0},
    },
    "Collisions": {
        "radius": 0.6,
        "length": (0.0, 0.3, 0.5),
        "stiffness": 30.0,
        "damping": 0.1,
        "friction": 0.3,
        "friction_speed": 1.0,
    },
    "Contact": {"radius": 1.5, "stiffness": 30.0, "damping": 0.1, "friction": 0.3, "friction_speed": 1.0},
    "Dashpot": {"x": 1.0, "y": 2.0, "turn": 0.3},
    "DistributedLoad": {"x": 1.0, "y": 2.0, "follower": True},
    "Drag": {"x": 1.0, "y": 2.0},
    "Force": {"x": 1.0, "y": 2.0, "follower": True},
    "Gear": {"teeth_a": 17, "teeth_b": 23},
    "GearedMotor": {
        "current": 2.0,
        "torque_constant": 0.3,
        "ratio": 1.5,
        "efficiency": 0.8,
        "stall_current": 1.5,
        "no_load_speed": 8.0,
        "speed": 1.0,
        "rotor_inertia": 0.02,
    },
    "Gravity": {"x": 1.0, "y": -9.81},
    "Moment": {"value": 1.0, "in_space": {"x": 1.0, "y": -0.5, "z": 0.3}},
    "Motion": {"angle": 0.3},
    "PinFriction": {"torque": 0.3, "breakaway": 0.5, "stribeck_speed": 1.0, "viscous": 0.1, "speed": 1.0},
    "Screw": {"pitch": 0.2},
    "SlideFriction": {"force": 0.3, "breakaway": 0.5, "stribeck_speed": 1.0, "viscous": 0.1, "speed": 1.0},
    "Spring": {"rest_length": 0.4, "damping": 0.3},
    "StateForce": {"function": pushed},
    "Stop": {"lower": -3.0, "upper": -2.0, "stiffness": 20.0, "damping": 0.1},
    "Tendon": {"stiffness": 30.0, "rest_length": 0.3, "damping": 0.2, "slack_force": 1.0},
    "TorsionSpring": {"damping": 0.3},
}
VARIANTS = [variant for folder in folders() for variant in getattr(importlib.import_module(folder), "VARIANTS", ())]
ELEMENTS = [
    options
    for options in VARIANTS
    if not getattr(options, "axial_force", 0.0) and getattr(options, "integration", "") != "full"
]
"""Without those that are under stress at rest, and those that are known to lock."""


@pytest.mark.parametrize("kind", OURS, ids=lambda kind: kind.__name__)
@pytest.mark.filterwarnings("ignore::pliant.errors.PliantWarning")
def test_part(kind: Any) -> None:
    check_part(kind, **ARGUMENTS.get(kind.__name__, {}))


@pytest.mark.parametrize("options", ELEMENTS, ids=repr)
def test_element(options: Any) -> None:
    check_element(options)


@pytest.mark.parametrize("name", ["leg", "six_rus"])
def test_a_family_that_is_not_asked_has_no_elements(name: str) -> None:
    """Families of parts that a model does not have, and those whose ``packs_only`` says so, find nothing in it."""
    layout = pl.compile(importlib.import_module(f"pliant_gallery.{name}").model()).layout
    there = {force.computed_as for force in layout.model.forces}
    space = "spatial" if layout.space.quaternions else "planar"
    families = {each: catalogue.of(each) for each in catalogue.families() if f"_{space}" in each}
    asked = {
        each for each in catalogue.here(layout) if not there.isdisjoint(getattr(families[each].pack, "only", there))
    }
    idle = [family for each, family in families.items() if each not in asked]
    assert len(idle) > 10
    assert not any(len(each.pack(layout).dofs) for each in idle)
