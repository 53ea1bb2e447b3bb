"""Forces inside rods of which only the nodes are known: initial guess of statics and of motions."""

from __future__ import annotations

import numpy as np

from pliant.elements._sections import bending
from pliant.elements.beam_fed import FedExact
from pliant.elements.rod_ivp.march import MarchStart, Rods, gather_loads
from pliant.elements.rod_ivp.slope import AXIAL, BENDING
from pliant.errors import ConvergenceError
from pliant.formulations.shooting import condense
from pliant.formulations.shooting.rods import extensible, lengths
from pliant.formulations.shooting.system import Shooting
from pliant.system.limits.feeds import free_lengths
from pliant.system.samples import Samples
from pliant.system.state import State

LIMIT = 60
JOINED = 1e-12  # of the length scale and in rad: gaps between subintervals below which a shape is continuous
SMALLEST = 2.0**-10  # part of a step of Newton
SOFT = 0.01  # of l^2/EI of a subinterval: compliance of a soft axis
STIFFENING = [SOFT * 0.1**k for k in range(6)]


def element_forces(system: Shooting, q: np.ndarray) -> np.ndarray:
    """Return (subintervals, 3) forces and moments at the bases of the finite elements of a mesh in their places.

    Marched with them, a subinterval ends near its next node; Newton closes the remaining gaps for all at once. Forces
    that close it with its nodes held are far larger in a thin rod: the chord of a bent element is longer than the chord
    of its arc by kappa^2 l^3 / 24.
    """
    still = np.zeros_like(q)
    at = Samples.of(State(q, still, still, np.zeros(system.constraints)))
    ends = system.mesh.observer().values("resultant", at, system.signals(np.zeros(1)))[0]
    per = [1 if isinstance(mesh.options, FedExact) else 2 for mesh in system.mesh.layout.beams]  # stations an element
    known = np.repeat(per, [len(mesh.connectivity) for mesh in system.mesh.layout.beams])
    N, V, M = ends[np.cumsum(known) - known].T
    angle = 0.5 * (q[system.rods.dofs[:, 2]] + q[system.rods.dofs[:, 5]])
    c, s = np.cos(angle), np.sin(angle)
    return np.stack([N * c - V * s, N * s + V * c, M], axis=1)


def chord_forces(system: Shooting, q: np.ndarray) -> np.ndarray:
    """Return (subintervals, 3) forces and moments at the bases by linear theory about the chords, with soft axes:
    moments from the rotations of the ends relative to the chord, the shear force in balance with them.
    """
    found, fed = [], free_lengths(system, q)
    for mesh in system.layout.beams:
        _, k11, k12, k22 = bending(mesh).T
        x, y, turn = q.reshape(-1, 3)[mesh.nodes].T
        length = np.diff(mesh.s) * fed[mesh.beam]
        shape = fed[mesh.beam] / mesh.beam.length * mesh.pose[:, :2].T
        (chord, angle), (rest, level) = _chords(x, y), _chords(*shape)
        t = [_wrapped(turn[i] - angle - mesh.pose[i, 2] + level) for i in (slice(0, -1), slice(1, None))]
        M, end = -(k11 * t[0] + k12 * t[1]), k12 * t[0] + k22 * t[1]
        V, N = (M - end) / length, (k11 + k22) / (8.0 * SOFT * length) * (chord - rest) / length
        c, s = np.cos(angle), np.sin(angle)
        found.append(np.stack([N * c - V * s, N * s + V * c, M], axis=1))
    return np.concatenate(found)


def _chords(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return lengths and angles of the lines from node to node."""
    return np.hypot(np.diff(x), np.diff(y)), np.arctan2(np.diff(y), np.diff(x))


def _wrapped(angle: np.ndarray) -> np.ndarray:
    """Return an angle within half a turn."""
    return np.asarray(np.remainder(angle + np.pi, 2.0 * np.pi) - np.pi)


def joining(
    system: Shooting, q: np.ndarray, u: np.ndarray | None = None, force: np.ndarray | None = None
) -> np.ndarray:
    """Return forces that bend every subinterval from its base to the next node, under the loads of u, or free.

    Start from the given forces or the elements'; if these fail, inextensible rods are made extensible here. If the
    start is too far off, an axis is soft at first and stiffens to its own compliance: the axial force of a thin rod
    responds to the square of a bending error.
    """
    closing = _Closing(system, q, u)
    if force is not None and np.all(closing.joined(closing.shot(force))):
        return force
    closing.rods = own = extensible(system.rods)
    try:
        return closing.newton(element_forces(system, q) if force is None else force)
    except ConvergenceError:
        found = chord_forces(system, q)
    for soft in STIFFENING:
        closing.rods = _softened(own, soft)
        found = closing.newton(found)
    closing.rods = own
    return closing.newton(found)


class _Closing:
    """Newton of every subinterval separately, for the forces at its base that bring its tip to the next node."""

    def __init__(self, system: Shooting, q: np.ndarray, u: np.ndarray | None) -> None:
        self.system, self.q, self.rods = system, q, system.rods
        self.work, self.scratch = system.workspace(), system.scratch()
        self.scale = np.array([1.0, 1.0, system.length_scale])  # of moments in forces
        if u is not None:
            gather_loads(system.rods, u, self.work)

    def shot(self, force: np.ndarray) -> np.ndarray:
        """Return the gaps after a march with these forces."""
        system = self.system
        start = MarchStart(self.q, force)
        condense.shoot(self.rods, system.table, start, 0.0, 0.0, condense.VARIATIONAL, system.small(), self.work)
        return self.work.gap.copy()

    def joined(self, gap: np.ndarray) -> np.ndarray:
        """Return which subintervals meet their nodes."""
        return np.max(np.abs(gap) * self.scale, axis=1) < JOINED * self.system.length_scale

    def newton(self, force: np.ndarray) -> np.ndarray:
        """Run Newton; a step is reduced while it makes the next one longer (natural monotonicity test: Deuflhard,
        *Newton Methods for Nonlinear Problems*, 2004, section 3.3).
        """
        part, scratch, scale = np.ones(self.rods.rod.size), self.scratch, self.scale
        gap = self.shot(force)
        for _ in range(LIMIT):
            if np.all(self.joined(gap)):
                return force
            condense.add(self.rods, self.work, scratch.r, scratch.s, scratch.w)
            inverse = self.work.inverse.copy()
            step = np.einsum("eij,ej->ei", inverse, gap)
            size = np.linalg.norm(step / scale, axis=1)
            while True:
                trial = self.shot(force + part[:, None] * step)
                ahead = np.linalg.norm(np.einsum("eij,ej->ei", inverse, trial) / scale, axis=1)
                longer = ~(ahead <= (1.0 - 0.25 * part) * size) & ~self.joined(trial)  # NaN too
                if not np.any(longer):
                    break
                part[longer] *= 0.5
                if np.min(part) < SMALLEST:
                    raise _apart(self.system, int(np.argmin(part)))
            force, gap, part = force + part[:, None] * step, trial, np.minimum(1.0, 2.0 * part)
        raise _apart(self.system, int(np.argmin(self.joined(gap))))


def _softened(rods: Rods, soft: float) -> Rods:
    """Return rods whose axes have a compliance of at least ``soft l^2/EI``, l the length of the subinterval."""
    section = rods.section.copy()
    for e, length in enumerate(lengths(rods)):
        rows = section[rods.first_station[e] : rods.first_station[e + 1]]
        rows[:, AXIAL] = np.maximum(rows[:, AXIAL], soft * length**2 * rows[:, BENDING])
    return rods._replace(section=section)


def _apart(system: Shooting, e: int) -> ConvergenceError:
    mesh = system.layout.beams[system.rods.rod[e]]
    return ConvergenceError(
        f"Beam {mesh.beam.name!r}: no forces bend its subinterval {e} from node to node in the given "
        "state. Start from pl.statics(...) of this system, or with more subintervals=."
    )
