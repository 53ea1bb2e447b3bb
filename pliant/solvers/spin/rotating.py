"""System in steadily turning axes: a state at rest there is a relative equilibrium.

The equations are the equations of motion, ``M a + f(q, v, u) + G^T lambda = 0``, with the velocities and accelerations
of nodes at rest in turning axes (turning_axes.py): centrifugal forces and gyroscopic moments come from the masses of
all elements in motion. Small motion x about a relative equilibrium satisfies

    M x'' + (C + M a_v) x' + (K + C v_q + M a_q) x + G^T mu = 0,    G x = 0

M a_v holds Coriolis forces, M a_q is -Omega^2 M across the axis, and C belongs to the turning state, with gyroscopic
moments.

The module also has Newton along a path of relative equilibria, for `path.Tracer`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from pliant._libraries import sparse
from pliant.model.spin import Spin
from pliant.solvers.nonlinear.loaded import Loaded
from pliant.solvers.paths.arclength import Arc
from pliant.solvers.paths.continuation import LIMIT, TOLERANCE, Corrected, Survey
from pliant.solvers.paths.parameter import PathParameter, SignalParameter
from pliant.solvers.spin import relative_equilibrium
from pliant.solvers.spin.relative_equilibrium import Residual, Stability
from pliant.solvers.spin.steady import loses_energy, refuse_unsteady
from pliant.solvers.spin.turning_axes import TurningAxes
from pliant.system.observation.observer import Observer, Variables
from pliant.system.packing import fused
from pliant.system.packing.build import undamped
from pliant.system.samples import Samples
from pliant.system.state import Equilibrium, Matrices, State
from pliant.system.system import System


class RelativePath:
    """Equations of a path, with a pivoting solver."""

    def __init__(self, parameter: PathParameter, q: np.ndarray, lam: np.ndarray, p: float) -> None:
        self.parameter = parameter
        system = self._loaded_system(p)
        if isinstance(parameter, SignalParameter):  # a load that grows from zero must be steady too
            refuse_unsteady(self._system(p + parameter.span), system.spin, parameter.time)
        self.freedoms, self.scratch = system.freedoms, system.scratch()
        self.gamma = relative_equilibrium.stiffness_scale(system, q, lam, parameter.signals(p), self.scratch)
        self._factors: Any = None
        self._known: tuple[np.ndarray, float, Stability] | None = None

    def correct(self, arc: Arc, lam: np.ndarray, p: float, guess: np.ndarray) -> Corrected:
        """Find the equilibrium on an arc, from its start moved by a guess of the displacements."""
        n, system = self.freedoms, self._loaded_system(p)
        q = system.moved(arc.q, guess)
        self._stretch(system, arc.q, guess)
        for iteration in range(1, LIMIT + 1):
            matrix, left = self._tangent(q, lam, p, mixed=True)
            try:
                factors = sparse.linalg.splu(matrix)
            except RuntimeError:
                return Corrected(False, True, iteration, q, lam, p)
            y, z = factors.solve(left.right), -factors.solve(self.by_parameter(q, lam, p))
            short = arc.length - arc.across @ (system.apart(arc.q, q) + y[:n]) - arc.across_p * (p - arc.p)
            change = short / (arc.across @ z[:n] + arc.across_p)
            step = y + change * z
            size = max(float(np.max(np.abs(step[:n]) * system.weight)), abs(change) / self.parameter.span)
            if not np.isfinite(size):
                break
            self._stretch(system, q, step[:n])
            q, lam, p = system.moved(q, step[:n]), lam + step[n:], p + change
            if size <= TOLERANCE:
                return Corrected(True, False, iteration, q, lam, p)
        return Corrected(False, False, LIMIT, q, lam, p)

    def survey(self, q: np.ndarray, lam: np.ndarray, p: float) -> Survey:
        """Survey an equilibrium; the factors of its matrix are kept for `solve`."""
        matrix, left = self._tangent(q, lam, p, mixed=False)
        try:
            self._factors = sparse.linalg.splu(matrix)
        except RuntimeError:
            return Survey(False, 0, left.force, left.gap, np.zeros(self.freedoms + lam.size))
        slope = -self._factors.solve(self.by_parameter(q, lam, p))
        negative = self._stability(q, lam, p).negative
        return Survey(True, negative + lam.size, left.force, left.gap, slope)

    def solve(self, p: float, right: np.ndarray) -> None:
        """Replace b by A^-1 b, with the factors of the last survey."""
        right[:] = self._factors.solve(right)

    def growing(self, q: np.ndarray, lam: np.ndarray, p: float) -> tuple[int | None, int]:
        """Return the number of growing motions about a point (None: unknown), and of oscillating ones among them."""
        found = self._stability(q, lam, p)
        return found.growing, found.fluttering

    def insides(self, samples: Samples, p: Sequence[float]) -> None:
        """Return None: the nodes describe everything."""

    def movers(self, q: np.ndarray, lam: np.ndarray, p: float) -> str:
        """Return the names of the parts that move freely."""
        return self._stability(q, lam, p).neutral or "some part"

    def _stability(self, q: np.ndarray, lam: np.ndarray, p: float) -> Stability:
        """Return the stability of a point; the last one is cached."""
        if self._known is None or self._known[0] is not q or self._known[1] != p:
            zero = np.zeros_like(q)
            found = relative_equilibrium.stability(self._system(p), State(q, zero, zero, lam))
            self._known = (q, p, found)
        return self._known[2]

    def _system(self, p: float) -> Rotating:
        system: Any = self.parameter.system(p)
        return system

    def _loaded_system(self, p: float) -> Rotating:
        """Return the system that signals are given to; constant if only signals change."""
        base: Any = self.parameter.base
        return base if isinstance(self.parameter, SignalParameter) else self._system(p)

    def _tangent(self, q: np.ndarray, lam: np.ndarray, p: float, *, mixed: bool) -> tuple[Any, Residual]:
        u = self.parameter.signals(p)
        return relative_equilibrium.tangent(
            self._loaded_system(p), q, lam, u, self.scratch, gamma=self.gamma, mixed=mixed
        )

    def by_parameter(self, q: np.ndarray, lam: np.ndarray, p: float) -> np.ndarray:
        """Return the derivative of residual and gaps by p, by a central difference."""
        change, rights = self.parameter.change, []
        for place in (p - change, p + change):
            system, u = self._loaded_system(place), self.parameter.signals(place)
            left = relative_equilibrium.residual(system, system.axes(q), lam, u, self.scratch, gamma=self.gamma)
            rights.append(left.right)
        return np.asarray((rights[0] - rights[1]) / (2.0 * change))

    def _stretch(self, system: Rotating, q: np.ndarray, step: np.ndarray) -> None:
        self.scratch.trial[: self.freedoms] = step
        fused.stretch(system.equations.parts, q, self.scratch.trial, self.scratch.stress)


@dataclass(frozen=True, repr=False)
class Rotating(Loaded):
    """System with states relative to turning axes; its results are in fixed axes."""

    spin: Spin = field(default_factory=lambda: Spin(0.0))
    damped: System | None = None  # with damping of its beams, which a spin does not strain; None: undamped

    @classmethod
    def of(cls, system: System, spin: Spin, time: float) -> Self:
        """Return a system in turning axes; refuse parts that are not steady there at a time."""
        refuse_unsteady(system, spin, time)
        lossless = undamped(system)
        damps = any(mesh.alpha or mesh.beta for mesh in system.layout.beams)
        return cls.made_from(
            lossless,
            spin=spin,
            damped=replace(system, unsymmetric=True) if damps else None,
            conservative=lossless.conservative and not loses_energy(lossless, spin),
            unsymmetric=True,
            settings={**system.settings, "spin": spin.settings},
        )

    def at_rate(self, rate: float) -> Self:
        """Return this system with another rate."""
        spin = self.spin.at(rate)
        return replace(self, spin=spin, settings={**self.settings, "spin": spin.settings})

    def axes(self, q: np.ndarray) -> TurningAxes:
        """Return the nodes of a configuration, at rest in the turning axes."""
        return TurningAxes(self.space, self.spin, q, self.freedoms)

    def matrices(self, state: State, *, whole: bool = False) -> Matrices:
        """Return stiffness, damping with gyroscopic terms, mass and constraint Jacobian in turning axes."""
        axes = self.axes(state.q)
        moving = replace(state, v=axes.velocity, a=axes.acceleration)
        seen = super().matrices(moving, whole=whole)
        stiffness = seen.stiffness + seen.damping @ axes.velocity_q + seen.mass @ axes.acceleration_q
        if self.conservative:
            stiffness = 0.5 * (stiffness + stiffness.T)
        damped = seen if self.damped is None else self.damped.matrices(moving)
        damping = damped.damping + seen.mass @ axes.acceleration_v
        return Matrices(stiffness.tocsc(), damping.tocsc(), seen.mass, seen.ties)

    def spin_stiffness(self, axes: TurningAxes, u: np.ndarray) -> Any:
        """Return C v_q + M a_q, which a tangent at fixed velocities and accelerations lacks."""
        still = State(axes.q, axes.velocity, axes.acceleration, np.zeros(self.constraints))
        damping, mass = self._matrix(still, u, 0.0, 1.0, 0.0), self._matrix(still, u, 0.0, 0.0, 1.0)
        return damping @ axes.velocity_q + mass @ axes.acceleration_q

    def unbalanced(self, q: np.ndarray, v: np.ndarray, a: np.ndarray, u: np.ndarray) -> np.ndarray:
        """Return M a + f, for velocities and accelerations relative to the turning axes."""
        whole = self.absolute(State(q, v, a, np.zeros(0)))
        return super().unbalanced(q, whole.v, whole.a, u)

    def absolute(self, state: State) -> State:
        """Convert a state of turning axes to fixed axes; the ground turns with it."""
        axes, n = self.axes(state.q), self.freedoms
        v, a = axes.velocity + state.v, axes.acceleration + state.a
        a[:n] += axes.acceleration_v @ state.v[:n]
        return replace(state, v=v, a=a)

    def started(self, state: State) -> State:
        """Convert a state to the start of a motion, in which the ground is fixed."""
        whole, n = self.absolute(state), self.freedoms
        whole.v[n:] = whole.a[n:] = 0.0
        return whole

    def balance(self, state: State) -> tuple[float, float, float]:
        """Return the largest unbalanced moment (N m) of a state, the largest load, and the bound for rounding."""
        return relative_equilibrium.balance(self, state)

    def find_equilibrium(self, start: State, *, time: float, load_steps: int) -> Equilibrium:
        """Find the relative equilibrium near a configuration; see relative_equilibrium.py."""
        return relative_equilibrium.find_equilibrium(self, start, time=time, load_steps=load_steps)

    def continuation(self, parameter: PathParameter, q: np.ndarray, lam: np.ndarray, p: float) -> RelativePath:
        """Return Newton's method for a path of relative equilibria."""
        return RelativePath(parameter, q, lam, p)

    def observer(self) -> Observer:
        """Return the observer of results in fixed axes."""
        return RotatingObserver(self)


@dataclass
class RotatingObserver(Observer):
    """Observer of states in turning axes, with their velocities in fixed axes."""

    system: Rotating

    def moving(self, samples: Samples, state: State) -> tuple[Variables, Variables]:
        """Return all variables, and the raw state to continue from in fixed axes, with fixed ground."""
        return Observer(self.system).moving(self._absolute(samples), self.system.started(state))

    def configurations(self, samples: Samples, lead: str) -> tuple[Variables, Variables]:
        """Return variables and coordinates of relative equilibria."""
        return Observer(self.system).configurations(self._absolute(samples), lead)

    def _absolute(self, samples: Samples) -> Samples:
        states = [
            self.system.absolute(State(q, v, a, lam))
            for q, v, a, lam in zip(samples.q, samples.v, samples.a, samples.lam, strict=True)
        ]
        return replace(samples, v=np.array([s.v for s in states]), a=np.array([s.a for s in states]))
