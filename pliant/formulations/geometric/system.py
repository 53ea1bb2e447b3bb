"""Reduced: a rigid mechanism in independent coordinates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from pliant.errors import SingularError
from pliant.forces.state_force import callbacks
from pliant.formulations.geometric import reduction
from pliant.joints import rows as joints
from pliant.kernels.sums import Instant
from pliant.model import Model
from pliant.model.signals.base import SignalLike
from pliant.solvers.nonlinear import equilibrium
from pliant.solvers.stepping import instant_state
from pliant.solvers.stepping.methods import DOP853, RK23, RK45, SDIRK4, TRBDF2, Kinds
from pliant.solvers.stepping.motion import Plan, TimeHistory
from pliant.system.assembly import dependent_rows
from pliant.system.state import Equilibrium, Matrices, State
from pliant.system.system import System

REGULAR = 1e-5  # last pivot of G without units over the first; below, a pose counts as a dead centre
SHARE = 0.2  # of the largest: what a row takes part in a dependence with, to be named


class Inputs(NamedTuple):
    """Signals and their first two derivatives (of those that drive joints) at a time."""

    u: np.ndarray
    rate: np.ndarray
    second: np.ndarray


@dataclass(frozen=True)
class Reduced:
    """A rigid mechanism whose motion is one of independent coordinates (formulation "geometric").

    observed  nodes, joints and forces of the same model: in whose coordinates states are, and what results show
    """

    in_space: ClassVar[bool] = True
    methods: ClassVar[Kinds] = (DOP853, RK45, RK23, SDIRK4, TRBDF2)

    observed: System
    formulation: str = field(init=False, default="geometric")

    @property
    def model(self) -> Model:
        """The model it was made from."""
        return self.observed.model

    @property
    def settings(self) -> Mapping[str, Any]:
        """What it was made with."""
        return {"formulation": self.formulation, **self.observed.settings}

    def with_signals(self, signals: Mapping[str, SignalLike]) -> Reduced:
        """The same mechanism with some signals replaced; see `System.with_signals`."""
        return Reduced(self.observed.with_signals(signals))

    def with_parameters(self, **values: float | str) -> Reduced:
        """The same mechanism with other parameters; see `System.with_parameters`."""
        from pliant.system.compile import with_parameters

        found: Reduced = with_parameters(self, **values)
        return found

    def __repr__(self) -> str:
        return f"Reduced({self.model.name!r}: {self.degrees} freedoms, formulation {self.formulation!r})"

    @cached_property
    def degrees(self) -> int:
        """Freedoms that the joints leave, at the assembled pose or, should that be a dead centre, beside it."""
        return dependent_rows.degrees(self.observed)

    @cached_property
    def compiled(self) -> reduction.Mechanism:
        """What compiled code needs."""
        observed = self.observed
        rows = observed.equations.rows
        idle = [] if self.model.spatial else list(observed.layout.spinless())
        return reduction.Mechanism(
            equations=observed.equations,
            rank=observed.freedoms - self.degrees,
            units=1.0 / observed.weight,
            widths=np.where(joints.angular(rows), 1.0, observed.length_scale),
            massless=np.array(idle, np.int64),
            powers=observed.powered_parts,
            regular=REGULAR,
        )

    def work(self) -> reduction.Work:
        """Fresh working arrays."""
        observed, k = self.observed, self.degrees
        n, m, size, rank = observed.freedoms, observed.constraints, observed.size, observed.freedoms - k
        return reduction.Work(
            scratch=observed.scratch(),
            base=np.zeros(size),
            jacobian=np.zeros((m, size)),
            matrix=np.zeros((m, n)),
            lines=np.arange(m),
            places=np.arange(n),
            factors=np.zeros((rank, rank)),
            order=np.arange(rank),
            basis=np.zeros((n, k)),
            pushed=np.zeros((n, k)),
            reduced=np.zeros((k, k)),
            implicit=np.zeros((k, k)),
            change=np.zeros(size),
            gap=np.zeros(m),
            right=np.zeros(n),
            found=np.zeros(n),
            why=np.zeros(1, np.int64),
            drift=np.zeros(1),
            pivot=np.zeros(1),
        )

    def inputs(self, time: float) -> Inputs:
        """Signals at a time."""
        at = np.array([time])
        return Inputs(self.observed.signals(at)[0], *(table[0] for table in self.observed.signal_rates(at)))

    def independent(self, q: np.ndarray, *, time: float = 0.0) -> list[str]:
        """Names of the independent coordinates at a pose: part and coordinate."""
        work = self.work()
        reduction.choose(self.compiled, work, q, self.inputs(time).u, reduction.BEST)
        owners, width = self.observed.freedom_owners(), self.observed.space.width
        words = ("x", "y", "angle") if width == 3 else ("x", "y", "z", "angle x", "angle y", "angle z")
        return [f"{owners[i]} {words[i % width]}" for i in sorted(work.places[self.compiled.rank :].tolist())]

    def accelerated(self, state: State, given: int = reduction.BEST) -> State:
        """A state with its dependent coordinates and velocities after the independent ones, and with the accelerations
        and joint forces that follow; ``given``: one of the independent coordinates, by its number.
        """
        inputs, work = self.inputs(state.time), self.work()
        found = replace(state, q=state.q.copy(), v=state.v.copy(), a=np.zeros(self.observed.size))
        lam = np.zeros(self.observed.constraints)
        now = Instant(found.q, found.v, found.a, inputs.u)
        fine = reduction.choose(self.compiled, work, found.q, inputs.u, given) and reduction.accelerate(
            self.compiled, work, now, inputs.rate, inputs.second, lam
        )
        callbacks.reraise()
        if not (fine and np.all(np.isfinite(found.a))):
            raise SingularError(self.undetermined(state.q, state.time, int(work.why[0])))
        return replace(found, lam=lam)

    def undetermined(self, q: np.ndarray, time: float, why: int) -> str:
        """What to say where accelerations are not determined."""
        what = f"The motion of {self.model.name!r} is not determined at t = {time:.6g} s: "
        if why == reduction.NO_MASS:
            return f"{what}no mass moves with some freedom. Give the bodies that move mass."
        if why == reduction.FINE:
            return f"{what}a force is not a number."
        return (
            f"{what}the conditions of {', '.join(self.dependence(q)) or 'its joints'} depend on each other "
            "(a dead centre), and it can go on in more than one way. Start from a slightly different pose, or compile "
            "with formulation='dae'."
        )

    def dependence(self, q: np.ndarray) -> list[str]:
        """Names of the joints whose conditions come nearest to depending on each other at a pose."""
        observed, rank = self.observed, self.compiled.rank
        if not rank:
            return []
        rows, n = observed.equations.rows, observed.freedoms
        jacobian = dependent_rows.scaled_jacobian(rows, q, observed.length_scale, observed.space, n)
        left, _, _ = np.linalg.svd(jacobian.toarray())
        share = np.abs(left[:, rank - 1])
        taking = share > SHARE * np.max(share)
        return [each.joint.name for each in observed.joints if np.any(taking[each.first : each.first + each.count])]

    def held(self, state: State) -> np.ndarray:
        """Joint forces lambda of M a + f + G^T lambda = 0; of least norm, without units, where joints are redundant."""
        observed, u = self.observed, self.inputs(state.time).u
        jacobian = np.zeros((observed.constraints, observed.size))
        joints.jacobian_dense(observed.equations.rows, state.q, u, jacobian)
        scaled = jacobian[:, : observed.freedoms] * self.compiled.units / self.compiled.widths[:, None]
        force = observed.unbalanced(state.q, state.v, state.a, u) * self.compiled.units
        return np.asarray(np.linalg.lstsq(scaled.T, -force, rcond=1e-12)[0] / self.compiled.widths)

    @property
    def conservative(self) -> bool:
        """Whether the tangent at rest is symmetric."""
        return self.observed.conservative

    def matrices(self, state: State, *, whole: bool = False) -> Matrices:
        """Stiffness, damping, mass and constraint Jacobian at a state; see `System.matrices`."""
        return self.observed.matrices(state, whole=whole)

    def balance(self, state: State) -> tuple[float, float, float]:
        """Largest moment (N m) that is not balanced in a state, largest at work, and what rounding may leave."""
        return equilibrium.balance(self.observed, state)

    def unbalanced(self, q: np.ndarray, v: np.ndarray, a: np.ndarray, u: np.ndarray) -> np.ndarray:
        """M a + f: inertia less everything applied, the joints left out."""
        return self.observed.unbalanced(q, v, a, u)

    def turning(self, state: State) -> tuple[np.ndarray, np.ndarray]:
        """G' and G'' along a motion."""
        return instant_state.turning(self.observed, state)

    def find_equilibrium(self, start: State, *, time: float = 0.0, load_steps: int = 1) -> Equilibrium:
        """Equilibrium near a state; see equilibrium.py."""
        from pliant.formulations.geometric.equilibrium import find_equilibrium

        return find_equilibrium(self, start, time=time, load_steps=load_steps)

    def move(self, begin: State, plan: Plan) -> TimeHistory:
        """Motion in time; see motion.py."""
        from pliant.formulations.geometric.motion import move

        return move(self, begin, plan)

    def gamma(self, body: str, y: float, near: np.ndarray | None = None, *, time: float = 0.0) -> np.ndarray:
        """Pose with the angle y of a body, of a planar mechanism with one freedom; see poses.py."""
        from pliant.formulations.geometric import poses

        return poses.gamma(self, body, y, near, time)

    def point(self, body: str, y: float, rate: float, near: np.ndarray, *, time: float = 0.0) -> State:
        """The mechanism at the angle y of a body and its rate, with accelerations and joint forces; see poses.py."""
        from pliant.formulations.geometric import poses

        return poses.point(self, body, y, rate, near, time)

    def branches(self, body: str, y: float, *, time: float = 0.0) -> list[np.ndarray]:
        """All poses with the angle y of a body, of a planar mechanism with one freedom; see poses.py."""
        from pliant.formulations.geometric import poses

        return poses.branches(self, body, y, time)
