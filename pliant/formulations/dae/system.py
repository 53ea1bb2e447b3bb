"""System: a compiled model. Frozen; states and scratch arrays are separate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from pliant.errors import OptionError, nearest
from pliant.forces import Contact, StateForce, Stop
from pliant.forces.state_force import callbacks
from pliant.formulations.dae.equations import Equations, Scratch
from pliant.joints import rows as joints
from pliant.model import Model
from pliant.model.signals import Constant, SignalLike, as_signal
from pliant.solvers import ldl
from pliant.solvers.methods import GeneralizedAlpha, Kinds, Momentum, Moreau, Newmark
from pliant.solvers.motion import Motion, Plan
from pliant.system import fused
from pliant.system.layout import Layout
from pliant.system.space import Space


@dataclass(frozen=True)
class State:
    """Configuration, velocity, acceleration and multipliers of a system at an instant.

    ``q``, ``v`` and ``a`` have the length of ``System.size``: freedoms first, then the ground's, and in space the
    orientations (of q only). ``abar`` is the integrator's algorithmic acceleration; in momentum form it is known
    halfway in the last step, and ``lambar`` are the multipliers there.
    """

    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    lam: np.ndarray
    time: float = 0.0
    abar: np.ndarray | None = None
    contraction: float = 0.0  # Newton's quadratic constant so far, so that a run goes on exactly as it would have
    contraction_age: float = 0.0  # steps since that was measured
    interior: np.ndarray | None = None  # of rods between their nodes (formulation "shooting")
    change: np.ndarray | None = None  # of the acceleration in a step, which the next is expected to repeat
    lambar: np.ndarray | None = None  # of a motion in momentum form only


@dataclass(frozen=True)
class JointRows:
    """Which rows belong to a joint."""

    joint: Any
    first: int
    count: int


@dataclass(frozen=True)
class System:
    """A model as flat arrays, with its joints as multiplier rows (formulation "dae")."""

    model: Model
    layout: Layout
    equations: Equations
    joints: tuple[JointRows, ...]
    initial: np.ndarray  # assembled configuration, (size,)
    length_scale: float
    unsymmetric: bool  # in motion
    conservative: bool  # symmetric at rest
    stress_size: int
    redundant: tuple[str, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    formulation: str = "dae"
    methods: ClassVar[Kinds] = (GeneralizedAlpha, Newmark, Momentum, Moreau)
    notes: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)  # found once, for twins too

    @property
    def freedoms(self) -> int:
        """Number of coordinates."""
        return self.equations.freedoms

    @property
    def space(self) -> Space:
        """The plane, or space."""
        return self.layout.space

    @property
    def size(self) -> int:
        """Length of state arrays: freedoms, the ground's, and in space the orientations."""
        return self.initial.size

    @property
    def constraints(self) -> int:
        """Number of constraint rows."""
        return int(self.equations.rows.kind.size)

    @property
    def signal_names(self) -> list[str]:
        """Names of the functions of time that drive the system (loads, drives)."""
        return [named.name for named in self.layout.signals[3:]]

    def __repr__(self) -> str:
        return (
            f"System({self.model.name!r}: {self.freedoms} coordinates, {self.constraints} constraint rows, "
            f"{len(self.layout.beams)} beams, formulation {self.formulation!r})"
        )

    def scratch(self) -> Scratch:
        """Fresh working arrays."""
        n, m, storage = self.freedoms, self.constraints, int(self.equations.pattern.storage)
        size = self.size
        signals = len(self.layout.signals)
        return Scratch(
            r=np.zeros(size),
            g=np.zeros(m),
            s=np.zeros(storage),
            w=np.zeros(storage),
            step=np.zeros(n + m),
            move=np.zeros(n + m),
            trial=np.zeros(size),
            place=np.zeros(size),
            push=np.zeros(m),
            blend=np.zeros(m),
            speed=np.zeros(m),
            rest=np.zeros(size),
            nothing=np.zeros(signals),
            signals=np.zeros(signals),
            offsets=np.zeros_like(self.equations.rows.offsets),
            direction=np.zeros_like(self.equations.rows.direction),
            stress=np.zeros(max(1, self.stress_size)),
            stress_after=np.zeros(max(1, self.stress_size)),
            stress_beyond=np.zeros(max(1, self.stress_size)),
            factors=ldl.workspace(self.equations.pattern),
        )

    def signals(self, times: np.ndarray) -> np.ndarray:
        """Values of all signals at the given times, shape (times, signals)."""
        return np.column_stack(
            [np.broadcast_to(named.signal(times, named.name), times.shape) for named in self.layout.signals]
        )

    def with_signals(self, signals: Mapping[str, SignalLike]) -> System:
        """The same system with some signals replaced, by the names in ``signal_names``: other loads, other drives.

        The assembled configuration stays; statics moves a drive from there to where it now is.
        """
        if not isinstance(signals, Mapping):
            raise OptionError(f"with_signals({signals!r}): give a mapping from the name of a signal to its value.")
        for name in signals:
            if name not in self.signal_names:
                raise OptionError(f"with_signals: there is no signal {name!r}. {nearest(str(name), self.signal_names)}")
        replaced = {name: as_signal(value, "with_signals", name) for name, value in signals.items()}
        layout = self.layout.with_signals(replaced)
        told = {name: s.value if isinstance(s, Constant) else str(s) for name, s in replaced.items()}
        settings = {**self.settings, "signals": {**self.settings.get("signals", {}), **told}}
        twin = replace(self, layout=layout, settings=settings)
        if [named.constant for named in layout.signals] == [named.constant for named in self.layout.signals]:
            return twin
        from pliant.formulations.dae.build import repack

        return repack(twin)

    def signal_rates(self, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """First and second time derivatives of the signals that drive joints; zero for all others."""
        rates, seconds = np.zeros((2, times.size, len(self.layout.signals)))
        for k in self.driving:
            named = self.layout.signals[k]
            _, rates[:, k], seconds[:, k] = named.signal.jet(times, named.name)
        return rates, seconds

    @cached_property
    def driving(self) -> tuple[int, ...]:
        """Numbers of the signals that drive joints."""
        rows = self.equations.rows
        return tuple(sorted(set(rows.signal[rows.gain != 0.0].tolist())))

    @property
    def powered(self) -> bool:
        """Whether anything feeds energy in or takes it out, so that their work has to be summed."""
        return bool(self.driving) or self.powered_parts

    @cached_property
    def powered_parts(self) -> bool:
        """Whether some part (not the drives of joints) feeds energy in or takes it out."""
        if any(self.layout.forces(kind) for kind in (StateForce, Contact, Stop)):  # they may be idle where asked
            return True
        moving = np.zeros(self.size)
        moving[: self.freedoms] = np.random.default_rng(0).standard_normal(self.freedoms)
        u = np.ones(len(self.layout.signals))
        supplied, dissipated = fused.power(self.equations.parts, self.initial, moving, u)
        return bool(supplied != 0.0 or dissipated != 0.0)

    @property
    def massless(self) -> bool:
        """Whether some beam has no inertia in a freedom of its nodes."""
        sections = [section for mesh in self.layout.beams for section in mesh.beam.sections]
        return any(section.mass_per_length == 0.0 or section.rotary_inertia == 0.0 for section in sections)

    def node_owners(self) -> list[str]:
        """Name of the part every node belongs to."""
        names = [body.name for body in self.layout.rigid_bodies]
        for mesh in self.layout.beams:
            names += [mesh.beam.name] * mesh.nodes.size
        return names

    def start(self) -> State:
        """The assembled configuration at rest."""
        zero = np.zeros(self.size)
        return State(self.initial.copy(), zero, zero.copy(), np.zeros(self.constraints))

    def matrices(self, state: State, *, whole: bool = False) -> Matrices:
        """Stiffness (with that of the constraint forces), damping, mass and constraint Jacobian at a state, sparse;
        ``whole``: with the skew half that dampers have in motion.
        """
        if whole and not self.unsymmetric:
            return replace(self, unsymmetric=True).matrices(state)
        u = self.signals(np.array([state.time]))[0]
        stiffness = self._matrix(state, u, 1.0, 0.0, 0.0)
        damping = self._matrix(state, u, 0.0, 1.0, 0.0)
        mass = self._matrix(state, u, 0.0, 0.0, 1.0)
        jacobian = np.zeros((self.constraints, self.size))
        joints.jacobian_dense(self.equations.rows, state.q, u, jacobian)
        return Matrices(stiffness, damping, mass, jacobian[:, : self.freedoms])

    @cached_property
    def node_inertia(self) -> np.ndarray:
        """(nodes, 9) rotary inertia about every node, in its own axes; none in the plane."""
        mass = self._matrix(self.start(), self.signals(np.zeros(1))[0], 0.0, 0.0, 1.0).tocsr()
        spins = [slice(6 * k + 3, 6 * k + 6) for k in range(self.equations.turning)]
        return np.array([mass[spin, spin].toarray().ravel() for spin in spins]).reshape(-1, 9)

    def _matrix(self, state: State, u: np.ndarray, ck: float, cc: float, cm: float) -> Any:
        scratch, equations, n = self.scratch(), self.equations, self.freedoms
        fused.add(
            equations.parts,
            state.q,
            state.v,
            state.a,
            u,
            ck,
            cc,
            cm,
            scratch.r,
            scratch.s,
            scratch.w,
            scratch.stress,
            False,
        )
        joints.add(equations.rows, state.q, state.lam, u, ck, 0.0, scratch.r, scratch.g, scratch.s)
        skew = scratch.w if self.unsymmetric else None
        return ldl.to_csc(equations.pattern, scratch.s, skew)[:n, :n]

    def unbalanced(self, q: np.ndarray, v: np.ndarray, a: np.ndarray, u: np.ndarray) -> np.ndarray:
        """M a + f: inertia less everything applied, the joints left out."""
        s = self.scratch()
        fused.add(self.equations.parts, q, v, a, u, 0.0, 0.0, 0.0, s.r, s.s, s.w, s.stress, False)
        callbacks.reraise()
        return s.r[: self.freedoms].copy()

    def balance(self, state: State) -> tuple[float, float, float]:
        """Largest moment (N m) that is not balanced in a state, largest at work, and what rounding may leave."""
        from pliant.formulations.dae.equilibrium import balance

        return balance(self, state)

    def find_equilibrium(self, start: State, *, time: float = 0.0, load_steps: int = 1) -> Any:
        """Equilibrium near a state; see equilibrium.py."""
        from pliant.formulations.dae.equilibrium import find_equilibrium

        return find_equilibrium(self, start, time=time, load_steps=load_steps)

    @property
    def observed(self) -> System:
        """The system whose coordinates tell the motion: itself."""
        return self

    def move(self, begin: State, plan: Plan) -> Motion:
        """Motion in time; see motion.py, and moreau.py for rigid contacts."""
        from pliant.formulations.dae.motion import move

        return move(self, begin, plan)

    def energy(self, state: State) -> tuple[float, float]:
        """Kinetic and potential energy."""
        u = self.signals(np.array([state.time]))[0]
        kinetic, potential = fused.energy(self.equations.parts, state.q, state.v, u)
        return float(kinetic), float(potential)


@dataclass(frozen=True)
class Matrices:
    """Linearised system: ``M dq'' + C dq' + K dq + G^T dlambda = 0``, ``G dq = 0``."""

    stiffness: Any
    damping: Any
    mass: Any
    jacobian: np.ndarray
