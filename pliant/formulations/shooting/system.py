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

    As a `System` it is everything except the rods: nodes, bodies, joints, forces. Its methods include the rods.

    mesh      the model with a finite element in place of every subinterval: motions start from it
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
        """Return the observer of its results."""
        return RodObserver(self)

    def with_signals(self, signals: Mapping[str, SignalLike]) -> Self:
        """Return the system with some signals replaced, by the names in ``signal_names``."""
        twin = super().with_signals(signals)
        mesh = self.mesh.with_signals(signals)
        twin = replace(twin, mesh=mesh, unsymmetric=mesh.unsymmetric, conservative=mesh.conservative)
        return twin.with_grid(self.grid)

    def with_grid(self, grid: Grid) -> Self:
        """Return the system with other steps."""
        return replace(self, grid=grid, rods=pack(self.layout, self.table, grid, self.rods.slots, self.rods.pair_slots))

    def workspace(self) -> March:
        """Return new working arrays of the marches."""
        return workspace(self.rods, self.table)

    def small(self) -> np.ndarray:
        """Return the sizes of differences in x, y, psi, h, v, m."""
        length = self.length_scale
        stiff = [mesh.beam.section_at(0.0).bending_stiffness for mesh in self.layout.beams]
        moment = max(stiff, default=1.0) / length
        return DIFFERENCE * np.array([length, length, 1.0, moment / length, moment / length, moment])

    def find_equilibrium(self, start: State, *, time: float = 0.0, load_steps: int = 1) -> Any:
        """Find the equilibrium near a state; see equilibrium.py."""
        from pliant.formulations.shooting.equilibrium import find_equilibrium

        return find_equilibrium(self, start, time=time, load_steps=load_steps)

    def matrices(self, state: State, *, whole: bool = False) -> Matrices:
        """Return stiffness, damping, mass and constraint Jacobian at a state at rest; see linear.py."""
        from pliant.formulations.shooting.linear import matrices

        return matrices(self, state, whole)

    def body_matrix(self, state: State, u: np.ndarray, ck: float, cc: float, cm: float) -> Any:
        """Return ck K + cc C + cm M of everything except the rods."""
        return self._matrix(state, u, ck, cc, cm)

    def balance(self, state: State) -> tuple[float, float, float]:
        """Return the largest unbalanced moment (N m) in a state, the largest acting moment, and the rounding limit."""
        from pliant.formulations.shooting.linear import balance

        return balance(self, state)

    def unbalanced(self, q: np.ndarray, v: np.ndarray, a: np.ndarray, u: np.ndarray) -> np.ndarray:
        """Return f of a configuration at rest: all forces without the joints."""
        from pliant.formulations.shooting.linear import unbalanced

        return unbalanced(self, q, u)

    def vibrating(self, state: State) -> DynamicStiffness:
        """Return its dynamic stiffness at an equilibrium."""
        from pliant.formulations.shooting.linear import vibrating

        return vibrating(self, state)

    @property
    def lengths(self) -> frozenset[int]:
        """Numbers of the signals that are rest lengths of tendons."""
        return self.mesh.lengths

    def unloaded(self, q: np.ndarray, u: np.ndarray) -> np.ndarray:
        """Return signals at which ``q`` is the start: loads zero, tendons at rest, drives at the joints' positions."""
        return self.mesh.unloaded(q, u)

    def continuation(self, parameter: PathParameter, q: np.ndarray, lam: np.ndarray, p: float) -> Follower:
        """Return Newton along a path that passes near an equilibrium; see continuation.py."""
        from pliant.formulations.shooting.continuation import RodContinuation

        return RodContinuation(parameter, q, lam, p)

    def inverse(self, signals: Sequence[int]) -> Inverse:
        """Return Newton for some signals, by their numbers; see inverse.py."""
        from pliant.formulations.shooting.inverse import RodInverse

        return RodInverse(self, list(signals))

    def conditions(self, places: Sequence[Joint], idle: Sequence[str]) -> Conditions:
        """Return the conditions that the given joints are closed, and that idle joints of the model carry no force."""
        return self.mesh.conditions(places, idle)

    def assess(self, state: State, u: np.ndarray, iterations: int, load_steps: int) -> Equilibrium:
        """Return an equilibrium with residual and stability."""
        from pliant.formulations.shooting.equilibrium import Solution, judge
        from pliant.formulations.shooting.rod_outputs import base_of

        system, force = base_of(self, state, u)
        return judge(system, Solution(state.q, state.lam, force, iterations, load_steps), u, state.time)

    def stays_open(self, q: np.ndarray, u: np.ndarray) -> Opening | None:
        """Return the joint that cannot be closed near a configuration; None if all can."""
        return self.mesh.stays_open(q, u)

    def lengthenings(self, q: np.ndarray) -> dict[str, float]:
        """Return the relative change of length of every beam, by its name."""
        return self.mesh.lengthenings(q)

    def sensors(self, names: Sequence[str], terms: Sequence[Reading]) -> Sensors:
        """Return the sensors that a controller reads within the time loop."""
        return sensors(self, names, terms)

    def move(self, begin: State, plan: Plan) -> TimeHistory:
        """Compute the motion in time; see motion.py."""
        from pliant.formulations.shooting.motion import move

        return move(self, begin, plan)
