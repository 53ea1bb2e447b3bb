"""Equilibrium in relative coordinates: forces on free coordinates, N^T f, vanish along the motions that loops allow.

Their derivative is N^T f_q N plus the geometric stiffness (`recursion.geometric`), exact in any pose. Where loops are
cut, f includes the forces G^T lambda of their joints, with A^T lambda nearest to -N^T f, A = G N. Motions are in the
null space Z of A; Newton closes poses across them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from pliant.errors import ConvergenceError, SingularError
from pliant.forces.state_force import callbacks
from pliant.formulations.relative import dynamics
from pliant.formulations.relative.recursion import geometric, take
from pliant.formulations.relative.system import Relative
from pliant.joints import rows as joints
from pliant.solvers.nonlinear import branch_check, reduced_equilibrium
from pliant.system.limits.feeds import describe_feeds
from pliant.system.state import Equilibrium, State

ITERATIONS, CLOSED = 15, 1e-12  # Newton on loops; last increment, in lengths of the model and radians
REGULAR = 1e-7  # smallest singular value of A, relative to the largest; below, the pose is a dead centre
SLOW = 0.5  # largest ratio of successive increments; above, another branch may be near


class Slope(NamedTuple):
    """Forces along free motions, their derivative and N Z, in lengths of the model and radians; Z; multipliers of
    loops; largest force on a free coordinate.
    """

    gradient: np.ndarray
    stiffness: np.ndarray
    basis: np.ndarray
    motions: np.ndarray  # (free, degrees)
    pull: np.ndarray
    loads: float


class Whole(NamedTuple):
    """Forces on all free coordinates, loops not eliminated, without units; conditions and multipliers of loops."""

    gradient: np.ndarray
    stiffness: np.ndarray
    basis: np.ndarray  # N in units of the coordinates: displacements of the nodes
    across: Crossed
    pull: np.ndarray


class Crossed(NamedTuple):
    """Singular value decomposition of A without units: A = left diag(sizes) right, with ``rank`` singular values."""

    left: np.ndarray
    sizes: np.ndarray
    right: np.ndarray
    motions: np.ndarray  # Z

    def solve(self, values: np.ndarray) -> np.ndarray:
        """Return the least x with A x = values."""
        return np.asarray(self.right.T @ ((self.left.T @ values) / self.sizes))

    def pull(self, forces: np.ndarray) -> np.ndarray:
        """Return lambda with A^T lambda nearest to forces."""
        return np.asarray(self.left @ ((self.right @ forces) / self.sizes))


class Poses(NamedTuple):
    """The tree under signals u as a landscape (solvers/nonlinear/reduced_equilibrium.py); a pose is Q."""

    system: Relative
    u: np.ndarray
    room: dynamics.Room

    def crossed(self, basis: np.ndarray, units: np.ndarray) -> Crossed | None:
        """Decompose A of the loops at the present pose; return None at a dead centre."""
        loops, free = self.system.loops, units.size
        rank = int(loops.rank)
        if not rank:
            return Crossed(np.zeros((loops.number.size, 0)), np.zeros(0), np.zeros((0, free)), np.eye(free))
        jacobian = np.zeros((loops.number.size, self.system.size))
        joints.jacobian_dense(loops.rows, self.room.q, self.u, jacobian)
        scaled = jacobian[:, : self.system.freedoms] @ basis * units / loops.widths[:, None]
        left, sizes, right = np.linalg.svd(scaled)
        if sizes[rank - 1] < REGULAR * sizes[0]:
            return None
        return Crossed(left[:, :rank], sizes[:rank], right[:rank], right[rank:].T)

    def whole(self, q: np.ndarray) -> Whole:
        """Compute forces on all free coordinates at a pose, loop forces nearest to balance, and their derivative."""
        system, room, mechanism = self.system, self.room, self.system.compiled
        free, still = mechanism.free, np.zeros(system.coordinate_size)
        dynamics.place(mechanism, room, q, still, still)
        room.closure.pull[:] = 0.0
        dynamics.load(mechanism, room, self.u, 0.0, 0.0, 0.0)
        callbacks.reraise()
        basis, units = system.basis(room), mechanism.scales[:free]
        across = self.crossed(basis, units)
        if across is None:
            raise SingularError(system.undetermined(q, float(self.u[1])))
        gradient = units * room.out[mechanism.active[:free]]
        room.closure.pull[:] = across.pull(-gradient) / mechanism.loops.widths
        dynamics.load(mechanism, room, self.u, 0.0, 0.0, 0.0)
        bends = np.zeros((mechanism.active.size, mechanism.active.size))
        take(system.tree, room.work, mechanism.width, room.scratch.r)
        geometric(system.tree, room.work, mechanism.rank, 1.0, bends)
        rest, lam = np.zeros(system.size), np.zeros(system.constraints)
        lam[mechanism.loops.number] = room.closure.pull
        state = State(room.q, rest, rest, lam, float(self.u[1]))
        stiffness = basis.T @ (system._matrix(state, self.u, 1.0, 0.0, 0.0) @ basis) + bends[:free, :free]
        return Whole(gradient, units * units[:, None] * stiffness, basis * units, across, room.closure.pull.copy())

    def forces(self, q: np.ndarray, pull: np.ndarray) -> np.ndarray:
        """Return forces on the free coordinates at a pose, without units, for given multipliers of loops."""
        mechanism, room, still = self.system.compiled, self.room, np.zeros(self.system.coordinate_size)
        dynamics.place(mechanism, room, q, still, still)
        room.closure.pull[:] = pull
        dynamics.load(mechanism, room, self.u, 0.0, 0.0, 0.0)
        callbacks.reraise()
        return np.asarray(mechanism.scales[: mechanism.free] * room.out[mechanism.active[: mechanism.free]])

    def slope(self, q: np.ndarray) -> Slope:
        """Compute forces and stiffness along free motions at a pose."""
        at = self.whole(q)
        z = at.across.motions
        return Slope(
            z.T @ at.gradient,
            z.T @ at.stiffness @ z,
            at.basis * self.system.weight[:, None] @ z,
            z,
            at.pull,
            float(np.max(np.abs(at.gradient), initial=0.0)),
        )

    def moved(self, q: np.ndarray, at: Any, step: np.ndarray) -> np.ndarray | None:
        """Return the closed pose after an increment along free motions; None if loops cannot be closed."""
        return self.closed(self.displaced(q, at.motions @ step))

    def displaced(self, q: np.ndarray, step: np.ndarray) -> np.ndarray:
        """Return Q after an increment of the free coordinates, which is without units."""
        mechanism, change = self.system.compiled, np.zeros(len(self.system.names))
        free = mechanism.active[: mechanism.free]
        change[free] = self.system.units[free] * step
        return self.system.displaced(q, change)

    def closed(self, q: np.ndarray) -> np.ndarray | None:
        """Return the nearest pose with closed loops; None if Newton fails."""
        mechanism, before, still = self.system.compiled, np.inf, np.zeros(self.system.coordinate_size)
        units, gap = mechanism.scales[: mechanism.free], self.room.closure.gap
        if not mechanism.loops.rank:
            return q
        for _ in range(ITERATIONS):
            dynamics.place(mechanism, self.room, q, still, still)
            joints.residual(mechanism.loops.rows, self.room.q, self.u, gap)
            across = self.crossed(self.system.basis(self.room), units)
            step = None if across is None else across.solve(-gap / mechanism.loops.widths)
            if step is None or not np.max(np.abs(step)) < max(SLOW * before, reduced_equilibrium.BALANCED):
                return None
            q, before = self.displaced(q, step), float(np.max(np.abs(step)))
            if before <= CLOSED:
                return q
        return None

    def resting(self, q: np.ndarray, pull: np.ndarray, time: float) -> State:
        """Return the nodes at rest at a pose, with the reactions of all joints; ``pull``: multipliers of loops."""
        mechanism, room, still = self.system.compiled, self.room, np.zeros(self.system.coordinate_size)
        room.closure.pull[:] = pull
        dynamics.place(mechanism, room, q, still, still)
        dynamics.react(mechanism, room, self.u)
        rest = np.zeros(self.system.size)
        return State(room.q.copy(), rest, rest.copy(), room.lam.copy(), time)

    def driven(self, q: np.ndarray, u: np.ndarray, shifts: np.ndarray) -> np.ndarray:
        """Return Q with driven coordinates set from signals u."""
        found = q.copy()
        for drive, shift in zip(self.system.drives, shifts, strict=True):
            found[drive.coordinate] = drive.gain * u[drive.signal] + shift
        return found

    def follow(self, q: np.ndarray, u: np.ndarray, shifts: np.ndarray) -> np.ndarray | None:
        """Return the closed pose near another with drives set from signals u; None if loops cannot be closed."""
        return self._replace(u=u).closed(self.driven(q, u, shifts))


def find_equilibrium(system: Relative, start: State, *, time: float, load_steps: int) -> Equilibrium:
    """Find the equilibrium near ``start`` under the loads and drives at ``time``; drives of loops move in steps."""
    u, room = system.inputs(time)[0], system.room()
    q = system.coordinates(start.q)
    poses, shifts = Poses(system, u, room), system.shifts(q, time)
    q, load_steps = reduced_equilibrium.driven(
        system, start.q, u, load_steps, lambda pose, now: poses.follow(pose, now, shifts), q
    )
    found, iterations, slid = reduced_equilibrium.flow(poses, q) if system.degrees else (q, 0, False)
    if found is None:
        raise ConvergenceError(
            f"No equilibrium of {system.model.name!r} was found within {reduced_equilibrium.LIMIT} iterations: start "
            f"from a nearer state (start=), or simulate the motion instead.{describe_feeds(system, system.nodes_at(q))}"
        )
    at = poses.slope(found)
    state = poses.resting(found, at.pull, time)
    judged = reduced_equilibrium.judge(system, state, at, iterations, load_steps)
    if slid:
        far = np.max(np.abs(system.apart(start.q, state.q)) * system.weight, initial=0.0)
        judged = replace(judged, slid=float(far))
    return branch_check.compared(system, start, judged)
