"""Shooting in space: nodes, joints, bodies and forces as in the formulation "dae", rods marched between the nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from pliant.formulations.shooting.spatial import equilibrium as spatial_equilibrium
from pliant.formulations.shooting.spatial import motion as spatial_motion
from pliant.formulations.shooting.spatial import stability as spatial_stability
from pliant.formulations.shooting.spatial.inverse import SpatialRodInverse
from pliant.formulations.shooting.spatial.observation import SpatialRodObserver
from pliant.model.signals.base import SignalLike
from pliant.solvers.nonlinear.multipliers import Multipliers, Resting
from pliant.solvers.paths.continuation import Continuation
from pliant.solvers.paths.parameter import PathParameter
from pliant.solvers.stepping.methods import GeneralizedAlpha, Kinds, Newmark
from pliant.solvers.stepping.motion import Plan, TimeHistory
from pliant.solvers.stepping.sampling import Sensors
from pliant.solvers.stepping.sensors import Reading, sensors
from pliant.system.state import Equilibrium, State


@dataclass(frozen=True, repr=False)
class SpatialShooting(Resting):
    """A spatial model with its beams as initial-value problems and its joints as terminal equations.

    mesh  the same with finite elements that end at the same nodes: where equilibria are looked for first
    """

    methods: ClassVar[Kinds] = (GeneralizedAlpha, Newmark)
    unmeasured: ClassVar[tuple[str, ...]] = ("resultant", "strain")
    eliminates: ClassVar[bool] = True

    formulation: str = "shooting"
    mesh: Multipliers = None  # type: ignore[assignment]  # given by the builder

    def with_signals(self, signals: Mapping[str, SignalLike]) -> Self:
        """The same system with some signals replaced, by the names in ``signal_names``."""
        return replace(super().with_signals(signals), mesh=self.mesh.with_signals(signals))

    def observer(self) -> SpatialRodObserver:
        """What results show of it."""
        return SpatialRodObserver(self)

    def find_equilibrium(self, start: State, *, time: float = 0.0, load_steps: int = 1) -> Equilibrium:
        """Equilibrium near a state; see spatial_equilibrium.py."""
        return spatial_equilibrium.find_equilibrium(self, start, time=time, load_steps=load_steps)

    def judged(self, state: State, u: np.ndarray, iterations: int, load_steps: int) -> Equilibrium:
        """What is known of an equilibrium: residual and stability; refused where its marches are not exact enough."""
        spatial_equilibrium.check_marches(self, state, u)
        found = super().judged(state, u, iterations, load_steps)
        hidden = spatial_stability.may_hide(self, state.q, u)
        return replace(found, unstable_directions=None) if hidden else found

    def continuation(self, parameter: PathParameter, q: np.ndarray, lam: np.ndarray, p: float) -> Continuation:
        """Newton along a path that passes near an equilibrium; the path is refused where stability is not known."""
        return spatial_stability.WatchfulContinuation(parameter, q, lam, p)

    def inverse(self, signals: Sequence[int]) -> SpatialRodInverse:
        """Newton for some signals, by their numbers."""
        return SpatialRodInverse(self, list(signals))

    def sensors(self, names: Sequence[str], terms: Sequence[Reading]) -> Sensors:
        """Where a controller reads outputs within the time loop."""
        return sensors(self, names, terms)

    def move(self, begin: State, plan: Plan) -> TimeHistory:
        """Motion in time; see spatial_motion.py."""
        return spatial_motion.move(self, begin, plan)
