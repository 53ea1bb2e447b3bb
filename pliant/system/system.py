"""System: a model as nodes, families of parts and rows of joints. Frozen; states and scratch arrays are separate.

Every formulation starts from a system and is observed through one; its `capabilities` are its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np

from pliant.errors import OptionError, nearest
from pliant.forces.state_force import callbacks
from pliant.joints import rows as joints
from pliant.kernels.sums import Instant, Into
from pliant.linalg import ldl
from pliant.model import Joint, Model
from pliant.model.signals.base import Constant, Signal, SignalLike, as_signal
from pliant.system.equations import CHANGES, HABITS, Equations, Scratch, zeros
from pliant.system.limits.offered import Limits
from pliant.system.numbering.planar_layout import Layout
from pliant.system.numbering.space import Space
from pliant.system.observation.observer import Observer
from pliant.system.packing import fused
from pliant.system.packing.coupling import coupling_matrix
from pliant.system.packing.joint_friction import Grips, grips_of, rubbed_of
from pliant.system.state import Matrices, State

OPEN = 1e-4  # of the length scale: a larger gap is an open joint


@dataclass(frozen=True)
class JointRows:
    """The constraint rows of a joint."""

    joint: Joint
    first: int
    count: int


class Opening(NamedTuple):
    """A joint that is open, or a drive away from its signal: by how much (m, or rad if angular)."""

    name: str
    gap: float
    drive: bool
    angular: bool


@dataclass(frozen=True)
class System(Limits):
    """A model as flat arrays, in absolute coordinates of its nodes, with its joints as rows."""

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
    formulation: str = ""
    assesses_stability: bool = True  # whether to check the stability of equilibria
    notes: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)  # cached values, shared with twins

    @classmethod
    def made_from(cls, system: System, **changes: Any) -> Self:
        """Build a system of this class from the arrays of another, with some fields changed or added."""
        return cls(**{known.name: getattr(system, known.name) for known in fields(System)} | changes)

    @property
    def rubs(self) -> bool:
        """Return whether joints have friction that depends on their reactions."""
        return self.equations.rubbing.law.shape[0] > 0

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
        return int(self.equations.rows.offset.size)

    @property
    def signal_names(self) -> list[str]:
        """Names of the functions of time that drive the system (loads, drives)."""
        return [named.name for named in self.layout.named_signals]

    def signal_number(self, name: str) -> int:
        """Return the number of a signal among all, by its name."""
        if name not in self.signal_names:
            known = self.signal_names
            instead = nearest(name, known) if known else "It has none: no loads, drives or tendons."
            raise OptionError(f"There is no signal {name!r} in {self.model.name!r}. {instead}")
        return Layout.NAMED + self.signal_names.index(name)

    def named(self, u: np.ndarray) -> dict[str, float]:
        """Return the values of all signals by name."""
        return dict(zip(self.signal_names, u[Layout.NAMED :].tolist(), strict=True))

    @property
    def weight(self) -> np.ndarray:
        """(freedoms,) scaling of displacements: 1 / length scale for positions, 1 for angles."""
        return self.equations.weight

    @property
    def joint_arms(self) -> np.ndarray:
        """(constraints,) scaling of gaps of joints: 1 for lengths, the length scale for angles."""
        return np.asarray(np.sqrt(self.equations.rows.weight))

    @property
    def nodes(self) -> int:
        """Number of moving nodes, including rows of stretches and of angles of parts."""
        return self.layout.ground

    @property
    def mass(self) -> float:
        """Total mass (kg)."""
        return self.equations.mass

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the joints, in the order of their reactions."""
        return tuple(rows.joint.name for rows in self.joints)

    @property
    def angular(self) -> np.ndarray:
        """(freedoms,) whether each coordinate is an angle or a stretch."""
        return self.layout.angular

    @property
    def translations(self) -> np.ndarray:
        """(axes, freedoms) displacements of the coordinates when all parts move by 1 m along an axis."""
        axes, width = len(self.space.axes), self.space.width
        found = np.zeros((axes, self.freedoms))
        for axis in range(axes):
            found[axis, axis : width * self.layout.moving : width] = 1.0
        return found

    def moved(self, q: np.ndarray, increment: np.ndarray) -> np.ndarray:
        """Return the configuration after an increment of its freedoms."""
        return self.space.move(q, increment, self.layout.moving)

    def apart(self, before: np.ndarray, after: np.ndarray) -> np.ndarray:
        """Return the increment of the freedoms from one configuration to another."""
        return self.space.apart(before, after, self.freedoms, self.layout.moving)

    def __repr__(self) -> str:
        return (
            f"System({self.model.name!r}: {self.freedoms} coordinates, {self.constraints} constraint rows, "
            f"{len(self.layout.beams)} beams, formulation {self.formulation!r})"
        )

    def scratch(self, *, averaging: bool = False) -> Scratch:
        """Return new working arrays; ``averaging``: with rows of their own, for the momentum form."""
        n, m, storage = self.freedoms, self.constraints, int(self.equations.pattern.storage)
        size, rows = self.size, self.equations.rows
        signals, stress = len(self.layout.signals), max(1, self.stress_size)
        sizes = {"r": size, "g": m, "s": storage, "w": storage, "step": n + m, "move": n + m, "trial": size}
        sizes |= {"changes": CHANGES * n, "habits": HABITS}
        sizes |= {"place": size, "push": m, "blend": m, "speed": m, "rest": size, "nothing": signals}
        sizes |= {"signals": signals, "stress": stress, "stress_after": stress, "stress_beyond": stress}
        return Scratch(
            **zeros(sizes),
            averaged=rows._replace(offsets=rows.offsets.copy(), direction=rows.direction.copy()) if averaging else rows,
            rubbed=rubbed_of(self.equations.rubbing),
            factors=ldl.workspace(self.equations.pattern),
        )

    @contextmanager
    def working(self) -> Iterator[Scratch]:
        """Lend working arrays with undefined contents: the last returned ones, or new ones. Compiled code knows their
        addresses; new arrays cost more time than a small equilibrium.
        """
        spare = self.equations.spare
        try:
            scratch = spare.pop()
        except IndexError:  # another thread may have taken the last ones
            scratch = self.scratch()
        try:
            yield scratch
        finally:
            spare.append(scratch)

    def signals(self, times: np.ndarray) -> np.ndarray:
        """Return the values of all signals at the given times, shape (times, signals)."""
        u = np.empty((times.size, len(self.layout.signals)))
        u[:], changing = self.known_signals
        u[:, Layout.TIME] = times
        for k in changing:
            u[:, k] = self.layout.signals[k].at(times)
        return u

    @cached_property
    def known_signals(self) -> tuple[list[float], list[int]]:
        """Values of the constant signals, and numbers of the others except for the time."""
        signals = self.layout.signals
        values = [named.signal.value if isinstance(named.signal, Constant) else 0.0 for named in signals]
        return values, [k for k, named in enumerate(signals) if k != Layout.TIME and not named.constant]

    @cached_property
    def changing(self) -> dict[str, Signal]:
        """Signals that vary in time, by their names."""
        return {each.name: each.signal for each in map(self.layout.signals.__getitem__, self.known_signals[1])}

    def with_signals(self, signals: Mapping[str, SignalLike]) -> Self:
        """Return the system with some signals replaced, by the names in ``signal_names``: other loads, other drives.

        The assembled configuration stays; statics moves a drive from there to its new value.
        """
        if not isinstance(signals, Mapping):
            raise OptionError(f"with_signals({signals!r}): give a mapping from the name of a signal to its value.")
        for name in signals:
            if name not in self.signal_names:
                raise OptionError(f"with_signals: there is no signal {name!r}. {nearest(str(name), self.signal_names)}")
        replaced = {name: as_signal(value, "with_signals", name) for name, value in signals.items()}
        layout = self.layout.with_signals(replaced)
        values = {name: s.value if isinstance(s, Constant) else str(s) for name, s in replaced.items()}
        settings = {**self.settings, "signals": {**self.settings.get("signals", {}), **values}}
        twin = replace(self, layout=layout, settings=settings)
        if [named.constant for named in layout.signals] == [named.constant for named in self.layout.signals]:
            return twin
        from pliant.system.packing.build import repack

        return repack(twin)

    def with_parameters(self, **values: float | str) -> Self:
        """Return the system for other values of the model's parameters, with the same options and signals."""
        from pliant.system.compile import with_parameters

        found: Self = with_parameters(self, **values)
        return found

    def signal_rates(self, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return first and second time derivatives of the signals that drive joints; zero for all others."""
        rates, seconds = np.zeros((2, times.size, len(self.layout.signals)))
        for k in self.driving:
            named = self.layout.signals[k]
            _, rates[:, k], seconds[:, k] = named.signal.jet(times, named.name)
        return rates, seconds

    def signal_table(self, times: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return `signals` and `signal_rates`; signals that drive joints are evaluated once."""
        u, rates, seconds = np.zeros((3, times.size, len(self.layout.signals)))
        u[:], changing = self.known_signals
        u[:, Layout.TIME] = times
        for k in changing:
            named = self.layout.signals[k]
            if k in self.driving:
                u[:, k], rates[:, k], seconds[:, k] = named.signal.jet(times, named.name)
            else:
                u[:, k] = named.at(times)
        return u, rates, seconds

    @cached_property
    def driving(self) -> tuple[int, ...]:
        """Numbers of the signals that drive joints."""
        rows = self.equations.rows
        return tuple(sorted(set(rows.signal[rows.gain != 0.0].tolist())))

    @cached_property
    def powered_parts(self) -> bool:
        """Return whether a part (other than drives of joints) supplies or dissipates energy."""
        if any(force.idles for force in self.model.forces):
            return True
        moving = np.zeros(self.size)
        moving[: self.freedoms] = np.random.default_rng(0).standard_normal(self.freedoms)
        u = np.ones(len(self.layout.signals))
        supplied, dissipated = fused.power(self.equations.parts, self.initial, moving, u)
        return bool(supplied != 0.0 or dissipated != 0.0)

    @cached_property
    def massless(self) -> bool:
        """Return whether a beam has no inertia in a freedom of its nodes."""
        sections = [section for mesh in self.layout.beams for section in mesh.beam.section.ends]
        return any(section.mass_per_length == 0.0 or section.rotary_inertia == 0.0 for section in sections)

    def node_owners(self) -> list[str]:
        """Return the part name of every node."""
        names = [body.name for body in self.layout.rigid_bodies]
        for mesh in self.layout.beams:
            names += [mesh.beam.name] * mesh.nodes.size
        return names

    def node_places(self) -> np.ndarray:
        """Return the (nodes,) position of every node along its beam, from 0 to 1; -1 for rigid bodies."""
        found = np.full(self.layout.moving, -1.0)
        for mesh in self.layout.beams:
            found[mesh.nodes] = mesh.s
        return found

    def frame_owners(self) -> list[str]:
        """Return the part name of every node with position and direction, for state transfer (state_transfer.py)."""
        return self.node_owners()

    def frame_places(self) -> np.ndarray:
        """Return the (nodes,) position of these nodes along the part, from 0 to 1; -1 for rigid bodies."""
        return self.node_places()

    @property
    def beam_lengths(self) -> dict[str, float]:
        """Length of every beam by name."""
        return {mesh.beam.name: mesh.beam.length for mesh in self.layout.beams}

    def body_places(self) -> dict[str, int]:
        """Return the first coordinate of every rigid body, and of the base of every beam, by name."""
        layout, width = self.layout, self.space.width
        nodes = {body.name: layout.body_node(body) for body in layout.rigid_bodies}
        nodes |= {mesh.beam.name: int(mesh.nodes[0]) for mesh in layout.beams}
        return {name: width * node for name, node in nodes.items()}

    def freedom_owners(self) -> list[str]:
        """Return the part name of every coordinate."""
        return np.array(self.node_owners())[self.layout.freedom_nodes].tolist()

    def widest_opening(self, state: State, *, drives: bool) -> Opening | None:
        """Return the widest open joint in a state, or the farthest drive if ``drives``; None if all are closed."""
        rows, gap = self.equations.rows, np.zeros(self.constraints)
        joints.residual(rows, state.q, self.signals(np.array([state.time]))[0], gap)
        wide, drive = np.abs(gap) * np.sqrt(rows.weight), rows.gain != 0.0
        if not drives:
            wide[drive] = 0.0
        if not np.max(wide, initial=0.0) > OPEN * self.length_scale:
            return None
        return self.opening(int(np.argmax(wide)), gap)

    def opening(self, row: int, gap: np.ndarray) -> Opening:
        """Return the opening of the joint of a row."""
        joint, rows = self.row_owner(row), self.equations.rows
        angular = bool(joints.angular(rows)[row])
        return Opening(joint.name, float(abs(gap[row])), bool(rows.gain[row] != 0.0), angular)

    def row_owner(self, row: int) -> Joint:
        """Return the joint of a row."""
        return next(each.joint for each in self.joints if each.first <= row < each.first + each.count)

    def drive_column(self, number: int) -> np.ndarray:
        """Return the (constraints,) derivative of the joint rows by a signal that drives them."""
        rows = self.equations.rows
        return np.where(rows.signal == number, rows.gain, 0.0)

    def observer(self) -> Observer:
        """Return an observer of the system for results."""
        return Observer(self)

    def start(self) -> State:
        """Return the assembled configuration at rest."""
        zero = np.zeros(self.size)
        return State(self.initial.copy(), zero, zero.copy(), np.zeros(self.constraints))

    def row_gradients(self, q: np.ndarray) -> np.ndarray:
        """Return G of all joints, (constraints, freedoms)."""
        return np.asarray(joints.jacobian(self.equations.rows, q, self.freedoms).toarray())

    def grips(self, q: np.ndarray, lam: np.ndarray) -> Grips:
        """Return the friction that joints can hold in a pose, for reactions."""
        return grips_of(self, q, lam)

    def matrices(self, state: State, *, whole: bool = False) -> Matrices:
        """Return stiffness (including constraint forces), damping, mass and constraint Jacobian at a state, sparse;
        ``whole``: with the skew half of dampers in motion.
        """
        if whole and not self.unsymmetric:
            return replace(self, unsymmetric=True).matrices(state)
        u = self.signals(np.array([state.time]))[0]
        return Matrices(
            lambda: self._matrix(state, u, 1.0, 0.0, 0.0),
            lambda: self._matrix(state, u, 0.0, 1.0, 0.0),
            lambda: self._matrix(state, u, 0.0, 0.0, 1.0),
            lambda: joints.jacobian(self.equations.rows, state.q, self.freedoms),
        )

    @cached_property
    def leading_nodes(self) -> np.ndarray:
        """Nodes of rigid bodies, and the first of every beam."""
        layout = self.layout
        bodies = [layout.body_node(body) for body in layout.rigid_bodies]
        return np.array([*bodies, *(int(mesh.nodes[0]) for mesh in layout.beams)], int)

    @cached_property
    def node_inertia(self) -> np.ndarray:
        """(pairs, 11) two nodes and their rotary inertia, if any, in their own axes; empty in the plane."""
        mass = self._matrix(self.start(), self.signals(np.zeros(1))[0], 0.0, 0.0, 1.0).tocsr()
        spins = 6 * np.arange(self.equations.turning)[:, None] + np.arange(3, 6)
        blocks = mass[spins.ravel()][:, spins.ravel()].tobsr((3, 3))
        rows = np.repeat(np.arange(len(spins)), np.diff(blocks.indptr))
        return np.column_stack((rows, blocks.indices, blocks.data.reshape(-1, 9)))

    def _matrix(self, state: State, u: np.ndarray, ck: float, cc: float, cm: float) -> Any:
        equations, n = self.equations, self.freedoms
        with self.working() as scratch:
            r, s, w, now = scratch.r, scratch.s, scratch.w, Instant(state.q, state.v, state.a, u)
            for each in (r, s, w):
                each[:] = 0.0
            fused.add(equations.parts, now, Into(ck, cc, cm, r, s, w), scratch.stress, False)
            joints.add(equations.rows, state.q, state.lam, u, joints.Saddle(ck, 0.0, r, scratch.g, s))
            skew = self.unsymmetric or bool(equations.pattern.borders)  # a border is symmetric only with both halves
            near = ldl.to_csc(equations.pattern, s, w if skew else None, n)
            if skew and not self.unsymmetric:
                near = 0.5 * (near + near.T)
        far = coupling_matrix(equations.parts, n, state.q, state.v, ck, cc)
        if far is None:
            return near
        return near + (far if self.unsymmetric else 0.5 * (far + far.T))

    def unbalanced(self, q: np.ndarray, v: np.ndarray, a: np.ndarray, u: np.ndarray) -> np.ndarray:
        """Return M a + f: inertia less all applied forces, without joints."""
        with self.working() as s:
            s.r[:] = 0.0
            fused.add(self.equations.parts, Instant(q, v, a, u), Into(0.0, 0.0, 0.0, s.r, s.s, s.w), s.stress, False)
            callbacks.reraise()
            return s.r[: self.freedoms].copy()

    @property
    def observed(self) -> System:
        """The system whose coordinates describe the motion: itself."""
        return self

    def energy(self, state: State) -> tuple[float, float]:
        """Return kinetic and potential energy."""
        u = self.signals(np.array([state.time]))[0]
        kinetic, potential = fused.energy(self.equations.parts, state.q, state.v, u)
        return float(kinetic), float(potential)
