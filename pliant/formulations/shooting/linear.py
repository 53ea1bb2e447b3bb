"""Small motion about an equilibrium of rods: stiffness, damping and mass of the nodes, and dynamic stiffness.

Stiffness is the tangent of condense.py. Mass and damping describe rods whose insides follow their nodes as at rest
(elements/rod_ivp/forms.py): exact but for vibrations of subintervals between held ends. The dynamic stiffness
K(omega^2) is exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pliant._libraries import interpolate, sparse
from pliant.elements.rod_ivp.forms import displaced, forms
from pliant.elements.rod_ivp.march import March, gather_loads, march
from pliant.elements.rod_ivp.slope import BENDING, MASS
from pliant.errors import ConvergenceError, ModelError
from pliant.formulations.shooting import condense, newton
from pliant.formulations.shooting.equilibrium import nodal_balance
from pliant.formulations.shooting.rod_outputs import base_of
from pliant.formulations.shooting.rods import lengths
from pliant.formulations.shooting.stability import hidden, pieces, vibrant
from pliant.formulations.shooting.system import Shooting
from pliant.joints import rows as joints
from pliant.linalg import ldl
from pliant.system.equations import Scratch
from pliant.system.state import Matrices, State

AXIAL_ROUNDING = 1e-14  # of the axial stiffness: strain due to rounding
LOOSE = 1e-8  # of the rate of a length by the freedoms: permitted rest after the joints


@dataclass
class Resting:
    """A state at rest with the insides of its rods, assembled: marches in ``work``, sums in ``scratch``."""

    system: Shooting
    state: State
    u: np.ndarray
    force: np.ndarray
    work: March
    scratch: Scratch

    def blocks(self, values: np.ndarray) -> Any:
        """Return (subintervals, 6, 6), or (subintervals, 7, 7) with lengths, as a sparse matrix of the freedoms."""
        n, rods, dofs = self.system.freedoms, self.system.rods, self.system.rods.dofs.astype(int)
        if values.shape[1] == 7:
            spread = np.zeros((dofs.shape[0], 7, 12))
            spread[:, :6, :6] = np.eye(6)
            spread[:, 6, 6:] = np.vstack([np.zeros((1, 6)), self.work.slope])[rods.feed]
            values = np.einsum("eia,eij,ejb->eab", spread, values, spread)
            dofs = np.hstack([dofs, np.vstack([np.full((1, 6), n), rods.pair.astype(int)])[rods.feed]])
        i, j = np.broadcast_to(dofs[:, :, None], values.shape), np.broadcast_to(dofs[:, None, :], values.shape)
        kept = (i < n) & (j < n)
        return sparse.coo_matrix((values[kept], (i[kept], j[kept])), shape=(n, n)).tocsc()

    def inertia(self, mu: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
        """Return mass and damping of all subintervals after shooting."""
        rods = self.system.rods
        size = 7 if len(rods.length) else 6
        mass, damping = np.zeros((2, rods.rod.size, size, size))
        forms(rods, self.system.table, mu, self.work, mass, damping)
        return mass, damping


def resting(system: Shooting, state: State, u: np.ndarray | None = None) -> Resting:
    """Return a state at rest under the signals of its time, or the given signals."""
    u = system.signals(np.array([state.time]))[0] if u is None else u
    system, force = base_of(system, state, u)
    system = vibrant(system)
    at = Resting(system, state, u, force, system.workspace(), system.scratch())
    marches = newton.Marches(system.rods, system.table, system.small(), at.work)
    unknowns = newton.Unknowns(state.q, state.lam, force)
    newton.assemble(system.equations, marches, unknowns, u, 0.0, condense.VARIATIONAL, False, at.scratch)
    return at


def matrices(system: Shooting, state: State, whole: bool) -> Matrices:
    """Return stiffness, damping, mass and constraint Jacobian at a state at rest."""
    at = resting(system, state)
    n, u, unsymmetric = system.freedoms, at.u, system.unsymmetric or (whole and not system.conservative)
    stiffness = ldl.to_csc(system.equations.pattern, at.scratch.s, at.scratch.w if unsymmetric else None, n)
    mass, damping = at.inertia()
    heavy = at.blocks(mass)
    return Matrices(
        stiffness,
        system.body_matrix(state, u, 0.0, 1.0, 0.0) + at.blocks(damping) - relative_damping(at, mass[:, :6, :6]),
        system.body_matrix(state, u, 0.0, 0.0, 1.0) + heavy,
        joints.jacobian(system.equations.rows, state.q, n),
    )


def relative_damping(at: Resting, mass: np.ndarray) -> Any:
    """Return the excess of damping of rods with damping relative to their rigid motion: alpha M R (R^T M R)^-1 R^T M
    with the rigid motions R (elements/rigid_motion).
    """
    rods, q, n = at.system.rods, at.state.q, at.system.freedoms
    found = sparse.csc_matrix((n, n))
    for r in np.flatnonzero(rods.alpha):
        mine = rods.rod == r
        nodes = np.unique(rods.dofs[mine].astype(int).reshape(-1, 3), axis=0)
        rigid = np.zeros((q.size, 3))
        rigid[nodes[:, 0], 0] = rigid[nodes[:, 1], 1] = rigid[nodes[:, 2], 2] = 1.0
        rigid[nodes[:, 0], 2], rigid[nodes[:, 1], 2] = -q[nodes[:, 1]], q[nodes[:, 0]]
        dofs = rods.dofs[mine].astype(int)
        momentum = np.zeros_like(rigid)
        np.add.at(momentum, dofs, np.einsum("eij,ejk->eik", mass[mine], rigid[dofs]))
        share = momentum @ np.linalg.solve(rigid.T @ momentum, momentum.T)
        found = found + sparse.csc_matrix(rods.alpha[r] * share[:n, :n])
    return found


def balance(system: Shooting, state: State) -> tuple[float, float, float]:
    """Return the largest unbalanced moment (N m) in a state, the largest acting moment, and the rounding limit."""
    at = resting(system, state)
    n, length = system.freedoms, system.length_scale
    pushes = np.abs(state.lam) / system.joint_arms
    axial = max(mesh.beam.section_at(0.5).axial_stiffness for mesh in system.layout.beams)
    loads = max(float(np.max(pushes, initial=0.0)), float(np.max(np.abs(at.force[:, :2]), initial=0.0)))
    joined = condense.widest_gap(at.system.rods, system.weight, at.work) <= condense.JOINED
    unbalanced = float(np.max(np.abs(at.scratch.r[:n]) / system.weight, initial=0.0))
    unbalanced = nodal_balance(at.system, at.scratch, at.work) if joined else unbalanced
    return unbalanced, loads * length, AXIAL_ROUNDING * axial * length


def unbalanced(system: Shooting, q: np.ndarray, u: np.ndarray) -> np.ndarray:
    """Return f of a configuration at rest, without the joints."""
    still = np.zeros_like(q)
    at = resting(system, State(q, still, still, np.zeros(system.constraints)), u)
    return at.scratch.r[: system.freedoms].copy()


@dataclass
class Vibrating:
    """Dynamic stiffness K(omega^2) of an equilibrium, its derivative, and the number of modes that it does not show."""

    at: Resting
    mass: Any  # of the bodies

    def stiffness(self, square: float) -> tuple[Any, Any]:
        """Return K(omega^2), and -dK/d(omega^2)."""
        inner = self.rods(square)
        heavy = self.at.blocks(self.at.inertia(-square)[0])
        return inner + self.bodies - square * self.mass, heavy + self.mass

    def rods(self, square: float) -> Any:
        """Return K(omega^2) of the rods alone."""
        system, n = self.at.system, self.at.system.freedoms
        return ldl.to_csc(system.equations.pattern, shaken(self.at, square).s, None, n)

    def momenta(self, square: float, x: np.ndarray) -> np.ndarray:
        """Return forces of inertia over omega^2 in a vibration x, shared among the nodes: as a translation of all nodes
        causes no strain, a rod's have the resultant of the forces -K x that hold it.
        """
        return np.asarray(self.mass @ x - self.rods(square) @ x / square)

    @property
    def bodies(self) -> Any:
        """Stiffness of everything except the rods."""
        at = self.at
        return at.system.body_matrix(at.state, at.u, 1.0, 0.0, 0.0)

    @property
    def scale(self) -> float:
        """Order of the lowest omega^2 of a subinterval between held ends, EI / rhoA L^4."""
        rods = self.at.system.rods
        rows, length = rods.section[rods.first_station[:-1]], lengths(rods) * self.at.work.longer
        return 1.0 / float(np.max(rows[:, MASS] * rows[:, BENDING] * length**4))

    def inside(self, square: float) -> int:
        """Return the number of modes below omega^2 of all subintervals with held ends (Wittrick, Williams 1971)."""
        system, count = self.at.system, 0
        for e in range(system.rods.rod.size):
            if pieces(system.rods, e, square, self.at.work) > system.grid[e].size - 1:
                mesh = system.layout.beams[system.rods.rod[e]]
                raise ConvergenceError(
                    f"Modes of {system.model.name!r} up to {np.sqrt(square) / (2.0 * np.pi):.3g} Hz: waves along beam "
                    f"{mesh.beam.name!r} are shorter than its steps. Compile with a shorter step=, or ask for fewer."
                )
            count += hidden(system, e, self.at.work, -square)
        return count


def shaken(at: Resting, square: float) -> Scratch:
    """Compute marches with sensitivities of a vibration at omega^2, and their two-ports."""
    system, work = at.system, at.work
    rods, scratch = system.rods, system.scratch()
    gather_loads(rods, at.u, work)
    for e in range(rods.rod.size):
        work.begin[e, :3], work.begin[e, 3:] = at.state.q[rods.dofs[e, :3]], at.force[e]
        march(rods, system.table, e, 0.0, 0.0, -square, True, work)
    work.gap[:] = 0.0
    condense.add(rods, work, scratch.r, scratch.s, scratch.w)
    return scratch


def moves(at: Resting, coordinates: np.ndarray, square: float) -> np.ndarray:
    """Return (places, 2) displacements of the shown places of rods for displacements of the coordinates."""
    rods, found = at.system.rods, []
    shaken(at, square)
    ends = np.zeros((rods.step.size, 2, 6))
    displaced(rods, at.system.table, -square, at.work, coordinates[rods.dofs.astype(int)], ends)
    for e in range(rods.rod.size):
        steps = slice(rods.first_step[e], rods.first_step[e + 1])
        places = np.concatenate([[0.0], np.cumsum(rods.step[steps])]) * at.work.longer[e]
        both = np.vstack([ends[steps, 0], ends[steps, 1][-1:]])
        values, slopes = both[:, :2], both[:, 3:5]
        seen = rods.seen_at[rods.first_seen[e] : rods.first_seen[e + 1]] * at.work.longer[e]
        found.append(interpolate.CubicHermiteSpline(places, values, slopes)(np.minimum(seen, places[-1])))
    return np.concatenate(found)


def vibrating(system: Shooting, state: State) -> Vibrating:
    """Return the dynamic stiffness at an equilibrium."""
    at = resting(system, state)
    _refuse_loose(at)
    return Vibrating(at, system.body_matrix(state, at.u, 0.0, 0.0, 1.0))


def _refuse_loose(at: Resting) -> None:
    """Refuse rods of free length: the dynamic stiffness omits the inertia of material that passes the guide."""
    system, rods = at.system, at.system.rods
    rows = joints.jacobian(system.equations.rows, at.state.q, system.freedoms).toarray() / system.weight
    for k, (pair, slope) in enumerate(zip(rods.pair.astype(int), at.work.slope, strict=True)):
        wide = np.zeros(at.state.q.size)
        np.add.at(wide, pair, slope)
        length = wide[: system.freedoms] / system.weight
        left = length - rows.T @ np.linalg.lstsq(rows.T, length, rcond=None)[0]
        if np.linalg.norm(left) > LOOSE * np.linalg.norm(length):
            beam = system.layout.beams[rods.rod[np.argmax(rods.feed == k + 1)]].beam
            raise ModelError(
                f"{beam.owner} is fed by a carriage that is free to move: modes of the formulation 'shooting' in the "
                "plane need rods of constant length. Hold it by a Motion, or compile with formulation='dae' or "
                "'relative'."
            )
