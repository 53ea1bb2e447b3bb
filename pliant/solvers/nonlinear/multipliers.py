"""System with joint multipliers at rest: equilibria, paths and inverse statics by the solvers of this folder, modes and
linear models by its matrices.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from pliant.errors import OptionError, nearest
from pliant.forces.state_force import callbacks
from pliant.model import Joint
from pliant.solvers.derivatives import bilinear_forms, directional_derivatives
from pliant.solvers.nonlinear import branch_check, equilibrium, loop_closure, newton, slipping
from pliant.solvers.nonlinear.loaded import Loaded
from pliant.solvers.stepping import instant_state
from pliant.solvers.stepping.sampling import Sensors
from pliant.solvers.stepping.sensors import Reading, sensors
from pliant.system.limits import sticking
from pliant.system.packing.along_derivative import NearbySystems
from pliant.system.packing.build import condition_rows, repack, with_pattern
from pliant.system.packing.joint_friction import Slip
from pliant.system.state import Equilibrium, State
from pliant.system.system import Opening

if TYPE_CHECKING:  # imported on use
    from pliant.solvers.nonlinear.inverse import Inverse
    from pliant.solvers.nonlinear.inverse_step import Conditions
    from pliant.solvers.paths.continuation import Continuation
    from pliant.solvers.paths.parameter import PathParameter


@dataclass(frozen=True, repr=False)
class Resting(Loaded):
    """System with ``f(q, u) + G^T lambda = 0``, ``g(q, u) = 0``."""

    in_space: ClassVar[bool] = True
    eliminates: ClassVar[bool] = False

    def balance(self, state: State) -> tuple[float, float, float]:
        """Return the largest unbalanced moment (N m) of a state, the largest load, and the bound for rounding."""
        return equilibrium.balance(self, state)

    def residual(self, state: State) -> np.ndarray:
        """Return (freedoms + constraints,) unbalanced forces, ``f + G^T lambda``, and gaps of joints."""
        found: np.ndarray = self.residuals(state.q[None], state.lam[None], state.time)[0]
        return found

    def residuals(self, q: np.ndarray, lam: np.ndarray, time: float) -> np.ndarray:
        """Return (states, freedoms + constraints) residuals of several states at one time."""
        out = np.empty((len(q), self.freedoms + self.constraints))
        with self.working() as scratch:
            newton.residuals(self.equations, q, lam, self.signals(np.array([time]))[0], scratch, out)
        callbacks.reraise()
        return out

    def drawn_residuals(
        self, drawn: NearbySystems, state: State, by: np.ndarray, changes: np.ndarray, ways: np.ndarray
    ) -> np.ndarray:
        """Return (lines, ways, freedoms + constraints) residuals along lines of perturbed systems."""
        return directional_derivatives.residuals(self, drawn, state, by, changes, ways)

    def forms(
        self, drawn: NearbySystems, state: State, by: np.ndarray, ways: np.ndarray, x: np.ndarray, y: np.ndarray
    ) -> np.ndarray | None:
        """Return (ways, 2, columns, columns) ``y^T [K G^T; G 0] x`` and ``y^T M x`` along a line of states and systems;
        None if only the assembled matrices yield them.
        """
        return bilinear_forms.forms(self, drawn, state, by, ways, x, y)

    def find_equilibrium(self, start: State, *, time: float = 0.0, load_steps: int = 1) -> Equilibrium:
        """Find the equilibrium near a state; see branch_check.py."""
        return branch_check.find_equilibrium(self, start, time=time, load_steps=load_steps)

    def assess(self, state: State, u: np.ndarray, iterations: int, load_steps: int) -> Equilibrium:
        """Compute the residual and stability of an equilibrium."""
        return equilibrium.judge(self, state, u, iterations, load_steps, self.scratch())

    def continuation(self, parameter: PathParameter, q: np.ndarray, lam: np.ndarray, p: float) -> Continuation:
        """Return Newton's method for a path that passes near an equilibrium."""
        from pliant.solvers.paths.continuation import Continuation

        return Continuation(parameter, q, lam, p)

    def inverse(self, signals: Sequence[int]) -> Inverse:
        """Return Newton's method for some signals, by their numbers."""
        from pliant.solvers.nonlinear.inverse import Inverse

        return Inverse(self, list(signals))

    def conditions(self, places: Sequence[Joint], idle: Sequence[str]) -> Conditions:
        """Return the conditions that joints outside the model are closed, and the idle joints carry no force."""
        from pliant.solvers.nonlinear.inverse_step import Conditions

        known = {rows.joint.name: rows for rows in self.joints}
        for name in idle:
            if name not in known:
                raise OptionError(f"idle: there is no joint {name!r}. {nearest(str(name), known)}")
        numbers = [np.arange(known[name].first, known[name].first + known[name].count) for name in idle]
        return Conditions(condition_rows(self, places), np.concatenate([np.zeros(0, int), *numbers]).astype(int))

    def stays_open(self, q: np.ndarray, u: np.ndarray) -> Opening | None:
        """Return the joint that cannot be closed near a configuration; None if all can be."""
        return loop_closure.stays_open(self, q, u)

    def lengthenings(self, q: np.ndarray) -> dict[str, float]:
        """Return the relative change of length of every beam, by its name."""
        return {mesh.beam.name: loop_closure.lengthening(self, mesh, q) for mesh in self.layout.beams}


@dataclass(frozen=True, repr=False)
class Multipliers(Resting):
    """System with multipliers and known forces in motion, with bending elements, and with nodes and parts that
    controllers can measure.
    """

    def without_stability(self) -> Self:
        """Return this system without assessment of the stability of its equilibria."""
        return replace(self, assesses_stability=False)

    def at_slip(self, begin: Equilibrium, sides: Mapping[str, Slip]) -> Equilibrium:
        """Find the equilibrium in which rubbing joints are about to slip; see slipping.py."""
        return slipping.at_slip(self, begin, sides)

    def stuck(self, q: np.ndarray) -> tuple[Self, list[str]]:
        """Return the system whose contacts stick where they touch; see system/limits/sticking.py."""
        families, names = sticking.stick(self, q)
        return with_pattern(self, families) if names else self, names

    def pressed_together(self, q: np.ndarray) -> np.ndarray:
        """Return the configuration near q with all sticking points closed; see system/limits/sticking.py."""
        return sticking.press_together(self, q)

    def sensors(self, names: Sequence[str], terms: Sequence[Reading]) -> Sensors:
        """Return the sensors that a controller reads within the time loop."""
        return sensors(self, names, terms)

    def accelerated(self, state: State) -> State:
        """Return the state with velocities on the constraints, and with its accelerations and reactions."""
        if self.rubs:
            raise OptionError(
                f"Joints of {self.model.name!r} rub (Friction), which has no part in the model of an instant of its "
                "motion. Leave friction out of it, or linearise at rest with friction='stuck' or 'free'."
            )
        u, (rates, seconds) = self._signals_at(state)
        return instant_state.accelerated(self, state, u, rates[0], seconds[0])

    def turning(self, state: State) -> tuple[np.ndarray, np.ndarray]:
        """Return G' and G'' along a motion."""
        return instant_state.turning(self, state)

    def bent(self, shift: np.ndarray) -> Self:
        """Return this system with its unstressed beams displaced, not stretched."""
        shift = np.where(np.arange(shift.size) < self.space.width * self.layout.moving, shift, 0.0)
        layout, initial = self.layout.bent(shift), self.moved(self.initial, shift)
        return repack(replace(self, layout=layout, initial=initial, notes={}))

    def _signals_at(self, state: State) -> tuple[np.ndarray, tuple[np.ndarray, np.ndarray]]:
        at = np.array([state.time])
        return self.signals(at)[0], self.signal_rates(at)
