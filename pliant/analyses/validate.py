"""Linear models against difference quotients of the nonlinear equations, and poles in several sets of coordinates."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import scipy.linalg as dense
import xarray as xr

import pliant as pl
from pliant.analyses._common import state_of
from pliant.analyses.observe import Observer, Samples
from pliant.control.linear_model import LinearModel
from pliant.formulations.dae.motion import consistent
from pliant.formulations.dae.system import State, System
from pliant.gallery import cantilever, four_bar, leg, pendulum
from pliant.gallery.leg.stages import LIGHT_DAMPER, pretension
from pliant.joints import rows as joints
from pliant.model.signals import Expression
from pliant.solvers.differences import derivative
from pliant.validation import Row, at_most, case, relative

REACH = 0.02  # lengths of the model, rad: the largest displacement of a difference quotient
POLES = 8  # slowest, that are compared
LENGTH = 0.7  # m, of the pendulum


class Example(NamedTuple):
    """A system, an operating point of it, and what goes in and out."""

    name: str
    system: System
    at: Any
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]

    def plant(self) -> LinearModel:
        """Its linear model."""
        return pl.linearise(self.system, at=self.at, inputs=self.inputs, outputs=self.outputs)


@case("linearise", source="difference quotients of the nonlinear equations; closed forms; pl.modal")
def linearise() -> Iterator[Row]:
    """A, B, C, D of four mechanisms against differences; poles in redundant, reduced and minimal coordinates."""
    for example in (hanging_rod(), linkage(), clamped_beam(), *legs()):
        plant = example.plant()
        found = Nonlinear(example, plant).quotients()
        for name, quotient in zip("ABCD", found, strict=True):
            error = mismatch(getattr(plant, name), quotient)
            yield at_most(f"{example.name}: {name}, from difference quotients", "of its row", error, limit=1e-6)
        yield from poles(example, plant)
    yield from exact_poles()


def hanging_rod() -> Example:
    """A rod aside of straight down, held there by a motor, on a pivot that is driven sideways."""
    m = pendulum.model(kind="rod", length=LENGTH, angle=-1.2)
    rod, pivot = m.part("rod 1"), m.ground.at(0, 0)
    m.add(pl.Motor("motor", pivot, rod.at(s=0), 1.0), pl.TorsionSpring(pivot, rod.at(s=0), stiffness=0.0, damping=0.2))
    system = pl.compile(m)
    pin = f"reaction:{m.joints[0].name}"
    outputs = ("angle:rod 1", "velocity:rod 1/tip:x", f"{pin}:Fx", f"{pin}:Fy")
    return Example("pendulum", system, pl.statics(system), ("motor/torque", "gravity/y"), outputs)
