"""Shooting: a planar model whose beams are marched; everything else is as in the formulation "dae"."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import Any, ClassVar

import numpy as np

from pliant.elements.rod_ivp.march import March, Rods, workspace
from pliant.formulations.shooting import condense
from pliant.formulations.shooting.observation import RodObserver
from pliant.formulations.shooting.rods import Grid, pack
from pliant.kernels.runge_kutta import Table
from pliant.model.signals import SignalLike
from pliant.solvers.methods import GeneralizedAlpha, Kinds, Newmark
from pliant.solvers.motion import Motion, Plan
from pliant.system.equations import Scratch
from pliant.system.state import State
from pliant.system.system import System

DIFFERENCE = 1e-7  # of the sizes of the parts of a state


@dataclass(frozen=True, repr=False)
class Skeleton(System):
    """Everything but the rods, on the same nodes: bodies, joints, forces. Results show it, and what is in the rods."""

    def observer(self) -> RodObserver:
        """What results show of it."""
        return RodObserver(self)


@dataclass(frozen=True)
class Shooting:
    """A planar model with its beams as initial-value problems and its joints as terminal equations.

    observed  everything but the rods, with the nodes of all
    mesh      the same with a finite element in place of every subinterval: what motions start from
    grid      steps of every subinterval
    way       derivative of a march: condense.VARIATIONAL or DIFFERENCES
    """

    methods: ClassVar[Kinds] = (Newmark, GeneralizedAlpha)

    observed: Skeleton
    mesh: System
    table: Table
    grid: Grid
    rods: Rods
    way: int = condense.VARIATIONAL
    settings: Mapping[str, Any] = field(default_factory=dict)
    formulation: str = "shooting"

    model = property(attrgetter("observed.model"), doc="What it was compiled from.")
    freedoms = property(attrgetter("observed.freedoms"), doc="Number of coordinates of nodes.")
    constraints = property(attrgetter("observed.constraints"), doc="Number of constraint rows of the joints.")
    signal_names = property(attrgetter("observed.signal_names"), doc="Names of the functions of time that drive it.")

    def __repr__(self) -> str:
        meshes = self.observed.layout.beams
        rods = ", ".join(f"{mesh.beam.name} in {len(mesh.connectivity)}" for mesh in meshes)
        return f"Shooting({self.model.name!r}: {rods or 'no beams'}, {self.constraints} joint rows)"

    def signals(self, times: np.ndarray) -> np.ndarray:
        """Values of all signals at the given times, shape (times, signals)."""
        return self.observed.signals(times)

    def with_signals(self, signals: Mapping[str, SignalLike]) -> Shooting:
        """The same system with some signals replaced, by the names in ``signal_names``."""
        observed, mesh = self.observed.with_signals(signals), self.mesh.with_signals(signals)
        settings = {**self.settings, "signals": observed.settings.get("signals", {})}
        twin = replace(self, observed=observed, mesh=mesh, settings=settings)
        return twin.with_grid(self.grid)

    def with_grid(self, grid: Grid) -> Shooting:
        """The same system with other steps."""
        return replace(self, grid=grid, rods=pack(self.observed.layout, self.table, grid, self.rods.slots))

    def start(self) -> State:
        """The assembled configuration at rest."""
        return self.observed.start()

    def workspace(self) -> March:
        """Fresh working arrays of the marches."""
        return workspace(self.rods, self.table)

    def scratch(self) -> Scratch:
        """Fresh working arrays of everything else."""
        return self.observed.scratch()

    def small(self) -> np.ndarray:
        """Sizes of differences in x, y, psi, h, v, m."""
        length = self.observed.length_scale
        stiff = [mesh.beam.section_at(0.0).bending_stiffness for mesh in self.observed.layout.beams]
        moment = max(stiff, default=1.0) / length
        return DIFFERENCE * np.array([length, length, 1.0, moment / length, moment / length, moment])

    def find_equilibrium(self, start: State, *, time: float = 0.0, load_steps: int = 1) -> Any:
        """Equilibrium near a state; see equilibrium.py."""
        from pliant.formulations.shooting.equilibrium import find_equilibrium

        return find_equilibrium(self, start, time=time, load_steps=load_steps)

    def move(self, begin: State, plan: Plan) -> Motion:
        """Motion in time; see motion.py."""
        from pliant.formulations.shooting.motion import move

        return move(self, begin, plan)
