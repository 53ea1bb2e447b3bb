"""Shooting: a planar model whose beams are marched; everything else is as in the formulation "dae"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np

from pliant.elements.rod_ivp.march import March, Rods, workspace
from pliant.formulations.shooting import condense
from pliant.formulations.shooting.observation import RodObserver
from pliant.formulations.shooting.rods import Grid, pack
from pliant.kernels.runge_kutta import Table
from pliant.linalg.spectrum import DynamicStiffness
from pliant.model import Joint
from pliant.model.signals.base import SignalLike
from pliant.solvers.nonlinear.inverse import Inverse
from pliant.solvers.nonlinear.inverse_step import Conditions
from pliant.solvers.nonlinear.multipliers import Multipliers
from pliant.solvers.paths.continuation import Follower
from pliant.solvers.paths.parameter import PathParameter
from pliant.solvers.stepping.methods import GeneralizedAlpha, Kinds, Newmark
from pliant.solvers.stepping.motion import Plan, TimeHistory
from pliant.solvers.stepping.sampling import Sensors
from pliant.solvers.stepping.sensors import Reading, sensors
from pliant.system.state import Equilibrium, Matrices, State
from pliant.system.system import Opening, System

DIFFERENCE = 1e-7  # of the sizes of the parts of a state


@dataclass(frozen=True, repr=False)
class Shooting(System):
    """A planar model with its beams as initial-value problems and its joints as terminal equations.

    As a `System` it is everything but the rods: nodes, bodies, joints, forces. What is asked of it knows of the rods.

    mesh      the same with a finite element in place of every subinterval: what motions start from
    grid      steps of every subinterval
    way       derivative of a march: condense.VARIATIONAL or DIFFERENCES
    """

    methods: ClassVar[Kinds] = (Newmark, GeneralizedAlpha)

    mesh: Multipliers = field(default=None)  # type: ignore[assignment]  # a field after others with defaults needs one
    table: Table = field(default=None)  # type: ignore[assignment]
    grid: Grid = ()
    rods: Rods = field(default=None)  # type: ignore[assignment]
    way: int = condense.VARIATIONAL

    def __repr__(self) -> str:
        rods = ", ".join(f"{mesh.beam.name} in {len(mesh.connectivity)}" for mesh in self.layout.beams)
        return f"Shooting({self.model.name!r}: {rods or 'no beams'}, {self.constraints} joint rows)"

    def observer(self) -> RodObserver:
        """What results show of it."""
        return RodObserver(self)

    def with_signals(self, signals: Mapping[str, SignalLike]) -> Self:
        """The same system with some signals replaced, by the names in ``signal_names``."""
        twin = super().with_signals(signals)
        mesh = self.mesh.with_signals(signals)
        twin = replace(twin, mesh=mesh, unsymmetric=mesh.unsymmetric, conservative=mesh.conservative)
        return twin.with_grid(self.grid)

    def with_grid(self, grid: Grid) -> Self:
        """The same system with other steps."""
        return replace(self, grid=grid, rods=pack(self.layout, self.table, grid, self.rods.slots, self.rods.pair_slots))

    def workspace(self) -> March:
        """Fresh working arrays of the marches."""
        return workspace(self.rods, self.table)

    def small(self) -> np.ndarray:
        """Sizes of differences in x, y, psi, h, v, m."""
        length = self.length_scale
        stiff = [mesh.beam.section_at(0.0).bending_stiffness for mesh in self.layout.beams]
        moment = max(stiff, default=1.0) / length
        return DIFFERENCE * np.array([length, length, 1.0, moment / length, moment / length, moment])

    def find_equilibrium(self, start: State, *, time: float = 0.0, load_steps: int = 1) -> Any:
        """Equilibrium near a state; see equilibrium.py."""
        from pliant.formulations.shooting.equilibrium import find_equilibrium

        return find_equilibrium(self, start, time=time, load_steps=load_steps)

    def matrices(self, state: State, *, whole: bool = False) -> Matrices:
        """Stiffness, damping, mass and constraint Jacobian at a state at rest; see linear.py."""
        from pliant.formulations.shooting.linear import matrices

        return matrices(self, state, whole)

    def body_matrix(self, state: State, u: np.ndarray, ck: float, cc: float, cm: float) -> Any:
        """ck K + cc C + cm M of everything but the rods."""
        return self._matrix(state, u, ck, cc, cm)

    def balance(self, state: State) -> tuple[float, float, float]:
        """Largest moment (N m) that is not balanced in a state, largest at work, and what rounding may leave."""
        from pliant.formulations.shooting.linear import balance

        return balance(self, state)

    def unbalanced(self, q: np.ndarray, v: np.ndarray, a: np.ndarray, u: np.ndarray) -> np.ndarray:
        """f of a configuration at rest: everything applied, the joints left out."""
        from pliant.formulations.shooting.linear import unbalanced

        return unbalanced(self, q, u)

    def vibrating(self, state: State) -> DynamicStiffness:
        """Its dynamic stiffness at an equilibrium."""
        from pliant.formulations.shooting.linear import vibrating

        return vibrating(self, state)

    @property
    def lengths(self) -> frozenset[int]:
        """Numbers of the signals that are rest lengths of tendons."""
        return self.mesh.lengths

    def unloaded(self, q: np.ndarray, u: np.ndarray) -> np.ndarray:
        """Signals at which ``q`` is the start: loads zero, tendons at rest, drives where the joints are."""
        return self.mesh.unloaded(q, u)

    def continuation(self, parameter: PathParameter, q: np.ndarray, lam: np.ndarray, p: float) -> Follower:
        """Newton along a path that passes near an equilibrium; see continuation.py."""
        from pliant.formulations.shooting.continuation import RodContinuation

        return RodContinuation(parameter, q, lam, p)

    def inverse(self, signals: Sequence[int]) -> Inverse:
        """Newton for some signals, by their numbers; see inverse.py."""
        from pliant.formulations.shooting.inverse import RodInverse

        return RodInverse(self, list(signals))

    def conditions(self, places: Sequence[Joint], idle: Sequence[str]) -> Conditions:
        """That joints which are no parts of the model are closed, and joints of the model carry nothing."""
        return self.mesh.conditions(places, idle)

    def judged(self, state: State, u: np.ndarray, iterations: int, load_steps: int) -> Equilibrium:
        """What is known of an equilibrium: residual and stability."""
        from pliant.formulations.shooting.equilibrium import Solution, judge
        from pliant.formulations.shooting.rod_outputs import base_of

        system, force = base_of(self, state, u)
        return judge(system, Solution(state.q, state.lam, force, iterations, load_steps), u, state.time)

    def stays_open(self, q: np.ndarray, u: np.ndarray) -> Opening | None:
        """The joint that cannot be closed near a configuration; None if all can."""
        return self.mesh.stays_open(q, u)

    def lengthenings(self, q: np.ndarray) -> dict[str, float]:
        """Relative change of length of every beam, by its name."""
        return self.mesh.lengthenings(q)

    def sensors(self, names: Sequence[str], terms: Sequence[Reading]) -> Sensors:
        """Where a controller reads outputs within the time loop."""
        return sensors(self, names, terms)

    def move(self, begin: State, plan: Plan) -> TimeHistory:
        """Motion in time; see motion.py."""
        from pliant.formulations.shooting.motion import move

        return move(self, begin, plan)
