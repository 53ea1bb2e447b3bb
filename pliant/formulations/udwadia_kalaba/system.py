"""Constrained: a mechanism of rigid bodies and lumped beams whose accelerations are explicit.

The functions implement the fundamental equation as printed, with square roots and pseudo-inverses: slow and dense.

Source: Udwadia, Kalaba, Analytical Dynamics, 1996; Udwadia, Kalaba, J. Appl. Mech. 68, 2001 (C); Udwadia, Schutte, Acta
Mechanica 213, 2010 (M without an inverse).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from pliant.errors import SingularError
from pliant.forces.state_force import callbacks
from pliant.formulations.udwadia_kalaba import accelerations as kernels
from pliant.formulations.udwadia_kalaba.lumping import scaled
from pliant.joints import rows as joints
from pliant.model import Model, rotations
from pliant.model.signals.base import SignalLike, as_signal
from pliant.solvers.nonlinear.multipliers import Multipliers
from pliant.solvers.stepping.methods import BDF, DOP853, LSODA, RK23, RK45, SDIRK4, TRBDF2, Kinds, Moreau, Radau
from pliant.solvers.stepping.motion import Plan, TimeHistory
from pliant.system.limits import strain_limits
from pliant.system.limits.rotation_limits import turns
from pliant.system.observation.observer import Observer
from pliant.system.samples import Samples
from pliant.system.state import State

RANK = 1e-11  # singular values below this fraction of the largest are zero


def accelerations(
    mass: np.ndarray, force: np.ndarray, rows: np.ndarray, target: np.ndarray, friction: np.ndarray | None = None
) -> np.ndarray:
    """Return x'' = a + M^-1/2 B^+ (b - A a) + M^-1/2 (I - B^+ B) M^-1/2 C, with B = A M^-1/2 and a = M^-1 Q.

    mass M (n, n), positive; force Q (n); rows A (m, n); target b (m); friction C (n)

    >>> accelerations(np.diag([2.0, 2.0]), np.array([0.0, -20.0]), np.array([[1.0, 1.0]]), np.array([0.0])).round(6)
    array([ 5., -5.])
    """
    values, vectors = np.linalg.eigh(mass)
    root = (vectors / np.sqrt(values)) @ vectors.T
    free = root @ (root @ force)
    reduced = rows @ root
    inverse = np.linalg.pinv(reduced, rcond=RANK)
    found = free + root @ (inverse @ (target - rows @ free))
    if friction is not None:
        pushed = root @ friction
        found += root @ (pushed - inverse @ (reduced @ pushed))
    return found


def semidefinite(
    mass: np.ndarray,
    force: np.ndarray,
    rows: np.ndarray,
    target: np.ndarray,
    friction: np.ndarray | None = None,
    *,
    weight: np.ndarray | float = 1.0,
) -> np.ndarray:
    """Return x'' for M that may be singular, as long as (M, A) together are not: M + A^T W A and Q + A^T W b replace M
    and Q.

    >>> M, Q = np.diag([1.0, 0.0]), np.array([3.0, 0.0])  # x_2 has no mass and follows x_1
    >>> semidefinite(M, Q, np.array([[1.0, -1.0]]), np.array([0.0])).round(6)
    array([3., 3.])
    """
    weighted = rows.T * weight
    return accelerations(mass + weighted @ rows, force + weighted @ target, rows, target, friction)


NO_STABILISATION = kernels.Stabilisation(0.0, 0.0)
DIFFERENCE = 1e-6  # of the coordinates, for the derivative of A x'' - b


class Terms(NamedTuple):
    """Terms of the fundamental equation, dense: M x'' = Q with A x'' = b."""

    mass: np.ndarray
    force: np.ndarray
    rows: np.ndarray
    target: np.ndarray
    friction: np.ndarray


class ChainObserver(Observer):
    """The observer of a system whose beams are chains of links: their strains are in the joints."""

    def warn_of_ranges(
        self, values: Callable[[str], np.ndarray], samples: Samples, *, brief: bool
    ) -> tuple[float, float]:
        """Warn of beams outside the range of beam theory; return the largest strain at a surface, which counts."""
        chains: Any = self.system
        found = chains.largest_strains(samples.q)
        for name, strain in found.items():
            strain_limits.warn_of_strain(name, strain)
        top = max(found.values(), default=0.0)
        return top, top


@dataclass(frozen=True, repr=False)
class Constrained(Multipliers):
    """A model as rigid bodies with explicit constrained accelerations (formulation "udwadia_kalaba").

    It is the multiplier system of the lumped model, with its equilibria, modes and readings; only its motion is
    computed differently.

    original  the model before its beams were lumped
    shares    signals of a load per length, link by link: name in the original -> names here, factors
    centres   places of the centres of a beam's links along it, from 0 to 1, by its name
    strains   strains at a beam's surface per angle of its joints (chain.py), by its name
    """

    methods: ClassVar[Kinds] = (DOP853, RK45, RK23, SDIRK4, TRBDF2, Moreau, Radau, BDF, LSODA)

    original: Model = field(default=None)  # type: ignore[assignment]  # a field after others with defaults needs one
    shares: Mapping[str, list[tuple[str, float]]] = field(default_factory=dict)
    centres: Mapping[str, np.ndarray] = field(default_factory=dict)
    strains: Mapping[str, np.ndarray] = field(default_factory=dict)

    def __repr__(self) -> str:
        return (
            f"Constrained({self.model.name!r}: {self.freedoms} coordinates, {self.constraints} constraint rows, "
            f"{len(self.original.beams)} beams as links, formulation {self.formulation!r})"
        )

    def with_signals(self, signals: Mapping[str, SignalLike]) -> Self:
        """Return the system with some signals replaced; a load per length by its name in the original model."""
        if not isinstance(signals, Mapping):
            return super().with_signals(signals)  # refuses it
        known: dict[str, SignalLike] = {}
        for name, value in signals.items():
            shares = self.shares.get(name)
            if shares is None:
                known[name] = value
            else:
                signal = as_signal(value, "with_signals", name)
                known |= {share: scaled(signal, factor) for share, factor in shares}
        return super().with_signals(known)

    def observer(self) -> ChainObserver:
        """Return the observer for results."""
        return ChainObserver(self)

    def largest_strains(self, q: np.ndarray) -> dict[str, float]:
        """Return the largest strain at the surface of every beam, over configurations (instants, coordinates)."""
        laws: dict[str, Any] = {force.name: force for force in self.model.forces}
        found = {}
        for name, strains in self.strains.items():
            angles = (turns(self, laws[f"{name} bend {k}"], q) for k in range(1, len(strains) + 1))
            each = (np.max(np.abs(a) * s[-a.shape[1] :]) for a, s in zip(angles, strains, strict=True))
            found[name] = float(max(each, default=0.0))
        return found

    @property
    def beam_lengths(self) -> dict[str, float]:
        """Length of every beam that is replaced by links, by its name."""
        return {beam.name: beam.length for beam in self.original.beams}

    def frame_owners(self) -> list[str]:
        """Return the owners of the frames: the beam for its links."""
        beams = {name if k == 0 else f"{name}.{k + 1}": name for name, s in self.centres.items() for k in range(s.size)}
        return [beams.get(name, name) for name in self.node_owners()]

    def of_bases(self, q: np.ndarray, velocity: np.ndarray) -> np.ndarray:
        """Return the wanted velocities, with a beam's base converted to its first link's centre: v + w x r."""
        found, points, width = velocity.copy(), len(self.space.axes), self.space.width
        layout: Any = self.layout  # of the plane or of space
        places, bases = self.body_places(), {marker.label: marker for marker in self.model.markers}
        for name in self.centres:
            k = places[name]
            if np.isnan(found[k]):
                continue
            arm, spin = q[k : k + points] - layout.place(bases[f"{name}/base"], q), found[k + points : k + width]
            if self.space.quaternions:
                spin = rotations.rotate(layout.node_pose(k // width, q)[1], spin)
                found[k : k + points] += np.cross(spin, arm)
            else:
                found[k : k + points] += spin * (-arm[1], arm[0])
        return found

    def frame_places(self) -> np.ndarray:
        """Return the centres of links along their beams."""
        found, owners = self.node_places(), np.array(self.frame_owners())
        for name, s in self.centres.items():
            found[owners == name] = s
        return found

    @cached_property
    def compiled(self) -> kernels.Constraints:
        """Arguments of compiled code."""
        free = np.array([] if self.model.spatial else list(self.layout.spinless()), np.int64)
        return kernels.Constraints(
            equations=self.equations,
            massless=free,
            redundant=bool(self.redundant),
            powers=self.powered_parts,
        )

    def work(self) -> kernels.Work:
        """Allocate working arrays."""
        m, size = self.constraints, self.size
        return kernels.Work(
            scratch=self.scratch(),
            jacobian=np.zeros(self.equations.rows.dofs.shape),
            gap=np.zeros(m),
            speed=np.zeros(m),
            target=np.zeros(m),
            turn=np.zeros((0 if self.model.spatial else size // 3, 2)),
            drag=np.zeros(size),
            change=np.zeros(size),
        )

    def inputs(self, time: float) -> kernels.Inputs:
        """Return the signals at a time."""
        at = np.array([time])
        return kernels.Inputs(self.signals(at)[0], *(table[0] for table in self.signal_rates(at)))

    def accelerations(
        self, state: State, *, stabilise: kernels.Stabilisation = NO_STABILISATION
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return x'' (with the size of states: zeros of the ground at its end) and the multipliers of the joints."""
        a, lam = np.zeros(self.size), np.zeros(self.constraints)
        inputs = self.inputs(state.time)
        found = kernels.accelerate(self.compiled, stabilise, state.q, state.v, inputs, self.work(), a, lam)
        callbacks.reraise()
        if not (found and np.all(np.isfinite(a))):
            raise SingularError(self.undetermined(state.time))
        return a, lam

    def undetermined(self, time: float) -> str:
        """Return the message for accelerations that are not determined."""
        why = "a part without mass is held by nothing"
        if self.rubs:
            why += ", or its friction has no reaction that fits (it jams)"
        return f"The accelerations of {self.model.name!r} are not determined at t = {time:.6g} s: {why}."

    def terms(self, state: State) -> Terms:
        """Return M, Q, A, b and C at a state, dense, for the textbook formula."""
        n, inputs, work = self.freedoms, self.inputs(state.time), self.work()
        rows = self.equations.rows
        kernels.constrain(rows, state.q, state.v, inputs, NO_STABILISATION, work)
        jacobian = np.zeros((self.constraints, self.size))
        joints.jacobian_dense(rows, state.q, inputs.u, jacobian)
        mass = self._matrix(state, inputs.u, 0.0, 0.0, 1.0).toarray()
        mass[self.compiled.massless, self.compiled.massless] += 1.0
        force, target = -self.unbalanced(state.q, state.v, np.zeros(self.size), inputs.u), work.target.copy()
        if self.rubs:
            a, lam = np.zeros(self.size), np.zeros(self.constraints)
            kernels.accelerate(self.compiled, NO_STABILISATION, state.q, state.v, inputs, work, a, lam)
        callbacks.reraise()
        return Terms(mass, force, jacobian[:, :n], target, work.drag[:n].copy())

    def textbook(self, state: State) -> np.ndarray:
        """Return x'' by the printed formula, with square roots and pseudo-inverses; without the ground's zeros."""
        mass, force, rows, target, friction = self.terms(state)
        if np.all(np.linalg.eigvalsh(mass) > RANK * np.max(mass)):
            return accelerations(mass, force, rows, target, friction)
        weight = (self.equations.gamma or 1.0) * self.equations.rows.weight
        return semidefinite(mass, force, rows, target, friction, weight=weight)

    def jacobian(self, state: State, *, stabilise: kernels.Stabilisation = NO_STABILISATION) -> np.ndarray:
        """Return d(v, x'') / d(x, v) of the ordinary differential equations at a state, (2 n, 2 n).

        It follows from M x'' + f + A^T lambda = 0 and A x'' = b by differentiation; about an equilibrium it has the
        eigenvalues of ``modal(damped=True)`` and, for every constraint, two zeros. Friction is omitted.
        """
        n, inputs = self.freedoms, self.inputs(state.time)
        a, lam = self.accelerations(state, stabilise=stabilise)
        here = replace(state, a=a, lam=lam)
        terms = self.terms(here)
        whole = replace(self, unsymmetric=True)  # with the terms that only moving dampers add
        by_q, by_v = (whole._matrix(here, inputs.u, *c).toarray() for c in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0)))
        rows_q, rows_v = self._row_slopes(here, inputs, stabilise)
        saddle = np.block([[terms.mass, terms.rows.T], [terms.rows, np.zeros((self.constraints, self.constraints))]])
        right = -np.block([[by_q, by_v], [rows_q, rows_v]])
        both = np.linalg.lstsq(saddle, right, rcond=1e-12)[0] if self.redundant else np.linalg.solve(saddle, right)
        return np.block([[self._chart(state), np.eye(n)], [both[:n]]])

    def _chart(self, state: State) -> np.ndarray:
        """Return the derivative of x' by x: in space, for theta' = w + theta x w / 2 + ... (kernels/charts.py)."""
        by_x = np.zeros((self.freedoms, self.freedoms))
        for i in range(3, self.freedoms if self.model.spatial else 0, 6):
            x, y, z = state.v[i : i + 3]
            by_x[i : i + 3, i : i + 3] = 0.5 * np.array([[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]])
        return by_x

    def _row_slopes(
        self, state: State, inputs: kernels.Inputs, stabilise: kernels.Stabilisation
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return derivatives of A x'' - b by x and v, by central differences (exact in v, in which it is quadratic)."""
        n, m, rows, work = self.freedoms, self.constraints, self.equations.rows, self.work()
        units = 1.0 / self.equations.weight

        def value(q: np.ndarray, v: np.ndarray) -> np.ndarray:
            kernels.constrain(rows, q, v, inputs, stabilise, work)
            pushed = np.sum(work.jacobian * state.a[rows.dofs], axis=1)
            return np.asarray(np.bincount(rows.row, pushed, m) - work.target)

        slopes = np.zeros((2, m, n))
        for k, step in enumerate((DIFFERENCE, 1.0)):
            for i in range(n):
                move = np.zeros(n)
                move[i] = step * units[i]
                faster = np.pad(move, (0, self.size - n))
                pair = [
                    (self.moved(state.q, sign * move), state.v) if k == 0 else (state.q, state.v + sign * faster)
                    for sign in (1.0, -1.0)
                ]
                slopes[k, :, i] = (value(*pair[0]) - value(*pair[1])) / (2.0 * move[i])
        return slopes[0], slopes[1]

    def move(self, begin: State, plan: Plan) -> TimeHistory:
        """Compute the motion in time; see motion.py."""
        from pliant.formulations.udwadia_kalaba.motion import move

        return move(self, begin, plan)
