"""Cantilevers and swinging cables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import pliant as pl


@dataclass(frozen=True)
class Cable:
    """A straight cable of unit length and mass; ``load`` at the tip of a clamped one, ``gravity`` on a pinned one."""

    axial: float = 1e4
    bending: float = 1.0
    load: float = 0.0
    moment: float = 0.0
    gravity: float = 0.0

    @property
    def clamped(self) -> bool:
        """Return whether the base is clamped, so that it does not turn."""
        return not self.gravity

    def model(self) -> pl.Model:
        """Build the model of pliant; shear, where an element has it, is 1e-6 of the bending or less."""
        model = pl.Model("cable")
        section = pl.Section(
            axial_stiffness=self.axial,
            shear_stiffness=1e6 * self.bending,
            bending_stiffness=self.bending,
            mass_per_length=1.0,
            rotary_inertia=0.0,
        )
        ground, cable = model.add(pl.Ground()), model.add(pl.Beam("cable", length=1.0, section=section))
        model.add((pl.Weld if self.clamped else pl.Revolute)(ground.at(0, 0), cable.at(s=0)))
        model.add(pl.Force(cable.at(s=1, name="tip"), y=self.load), pl.Moment(cable.at(s=1, name="tip"), self.moment))
        if self.gravity:
            model.add(pl.Gravity(y=-self.gravity))
        return model

    def rest(self, elements: Any) -> np.ndarray:
        """Return tip (x, y, angle) in equilibrium."""
        found = pl.statics(pl.compile(self.model(), elements=elements))
        place = found.position.sel(marker="cable/tip").values.ravel()
        return np.append(place, found.marker_angle.sel(marker="cable/tip").values.ravel())

    def motion(self, elements: Any, *, end_time: float, steps: int, looks: int = 1) -> np.ndarray:
        """Return tip (x, y) of a motion from rest, at its start and so many equal instants."""
        return swing(pl.compile(self.model(), elements=elements), end_time=end_time, steps=steps, looks=looks)


def swing(system: Any, *, end_time: float, steps: int, looks: int) -> np.ndarray:
    """Return the motion of a compiled cable."""
    run = pl.transient(
        system, end_time=end_time, step=end_time / steps, spectral_radius=0.9, estimate=False, every=steps // looks
    )
    return np.asarray(run.position.sel(marker="cable/tip").values)
