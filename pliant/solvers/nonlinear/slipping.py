"""Equilibria at the edge of slipping: rubbing joints carry their largest friction against an assumed motion.

    f(q) + G^T lambda + p sum_i d_i L(q, lambda) S_i^T = 0,    g(q) = 0

S_i are the speeds of rough surfaces by velocities, d the unit velocity with which a surface is about to slip, L the
friction limit of its joint at rest (joints/rows/rubbing.py). The equilibrium without friction, p = 0, is followed to p
= 1. Friction has no potential: the tangent is unsymmetric, and its determinant keeps its sign along one branch.
Otherwise friction and reactions drive each other beyond all bounds, or no pose allows this slip: the mechanism locks
itself. It may also snap to another branch, which is not followed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pliant._libraries import optimize, sparse
from pliant.errors import ConvergenceError, OptionError
from pliant.linalg import ldl
from pliant.solvers.nonlinear import equilibrium, newton
from pliant.solvers.nonlinear.ramp import ramp
from pliant.solvers.nonlinear.stability import movers
from pliant.system.equations import Scratch
from pliant.system.observation.labels import friction_results, labels_of
from pliant.system.packing.joint_friction import Slip, by_joint, slips_of
from pliant.system.state import Equilibrium, State
from pliant.system.system import System

SHARES = 8  # of friction, in turn, at least
SMALLEST_SHARE = 2.0**-12
DIFFERENCE = 1e-6  # lengths of the model, or rad: of differences of friction by coordinates
TOLERANCE, SETTLED = 1e-10, 1e-8  # of the last increment: lengths of the model, or rad; of reactions, relative
LIMIT = 30
NEAR = 0.1  # lengths of the model, or rad: a larger change in one share is a jump


@dataclass(frozen=True)
class Slipping:
    """System about to slip."""

    system: System
    u: np.ndarray
    slip: np.ndarray  # (speeds) d
    gamma: float  # stiffness of the joints, see newton.py: redundant ones share their load by it
    scratch: Scratch

    def friction(self, q: np.ndarray, lam: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return (freedoms) the friction on coordinates and (freedoms, constraints) its derivative by multipliers."""
        grips = self.system.grips(q, lam)
        along = self.slip[:, None] * grips.speeds
        return grips.limit[grips.owner] @ along, along.T @ grips.slope[grips.owner]

    def by_coordinates(self, q: np.ndarray, lam: np.ndarray) -> Any:
        """Return the (freedoms, freedoms) derivative of friction by coordinates, from differences. In space, with
        rotations composed as ``1 + theta x / 2``, in the symmetric form of all other stiffness: exact at equilibrium.
        """
        n, found, space = self.system.freedoms, self.system.equations.rubbing, self.system.space
        used = np.unique(np.concatenate([found.sliding.dofs.ravel(), found.normal.dofs.ravel()])).astype(int)
        columns = sparse.lil_matrix((n, n))
        for k in used[used < n]:
            step = np.zeros(n)
            step[k] = DIFFERENCE / self.system.weight[k]
            ahead, behind = (self.friction(self.system.moved(q, x), lam)[0] for x in (step, -step))
            column = (ahead - behind) / (2.0 * step[k])
            if space.quaternions and k % space.width >= 3:
                turn = slice(k - k % 3, k - k % 3 + 3)
                column[turn] += 0.25 * np.cross(step[turn] / step[k], ahead[turn] + behind[turn])
            columns[:, k] = column[:, None]
        return columns

    def tangent(self, q: np.ndarray, lam: np.ndarray, share: float) -> tuple[Any, np.ndarray]:
        """Return the factors of the tangent with a share of friction, and the residual; RuntimeError if singular."""
        n, m, equations = self.system.freedoms, lam.size, self.system.equations
        newton.assemble(equations, q, lam, self.u, self.gamma, 0.0, False, self.scratch)
        right, (force, by_lam) = self.scratch.step.copy(), self.friction(q, lam)
        right[:n] -= share * force
        rough = sparse.bmat([[self.by_coordinates(q, lam), by_lam], [None, sparse.csc_matrix((m, m))]])
        matrix = ldl.to_csc(equations.pattern, self.scratch.s, self.scratch.w) + share * rough
        return sparse.linalg.splu(sparse.csc_matrix(matrix)), right

    def solve(self, state: State, share: float) -> tuple[State | None, float, int]:
        """Return the equilibrium with a share of friction, near a state (None: not found), the sign of the determinant
        there, and the iterations.
        """
        n, q, lam = self.system.freedoms, state.q, state.lam
        arms = np.sqrt(self.system.equations.rows.weight)
        for iteration in range(1, LIMIT + 1):
            try:
                factors, right = self.tangent(q, lam, share)
            except RuntimeError:  # exactly singular
                break
            step = factors.solve(right)
            size = float(np.max(np.abs(step[:n]) * self.system.weight, initial=0.0))
            if not size < equilibrium.FAR:
                break
            scale = min(1.0, 1.0 / size) if size > 0.0 else 1.0
            q, lam = self.system.moved(q, scale * step[:n]), lam + scale * step[n:]
            change, largest = (float(np.max(np.abs(x) / arms, initial=0.0)) for x in (step[n:], lam))
            if size <= TOLERANCE and change <= SETTLED * largest:
                return equilibrium.resting_at(q, lam, state.time), sign_of(factors), iteration
        return None, 0.0, iteration

    def residual(self, state: State) -> float:
        """Return the largest unbalanced force (N), including friction."""
        n = self.system.freedoms
        newton.assemble(self.system.equations, state.q, state.lam, self.u, 0.0, 0.0, False, self.scratch)
        left = self.scratch.r[:n] + self.friction(state.q, state.lam)[0]
        return float(np.max(np.abs(left) / self.system.weight, initial=0.0)) / self.system.length_scale


def at_slip(system: System, begin: Equilibrium, sides: Mapping[str, Slip]) -> Equilibrium:
    """Find the equilibrium at the edge of slipping, from one without friction; ``sides``: rates with which joints are
    about to slip, or their signs, by joint names.
    """
    state, name = begin.state, system.model.name
    u, slip = system.signals(np.array([state.time]))[0], slips_of(system, sides)
    _check_motion(system, state, slip, sides)
    scratch = system.scratch()
    gamma = equilibrium.stiffness_scale(system, state.q, state.lam, u, scratch)
    slipping = Slipping(system, u, slip, gamma, scratch)
    found, sign, iterations = slipping.solve(state, 0.0)
    if found is None or begin.neutral:
        raise ConvergenceError(
            f"statics with friction: without friction the equilibrium of {name!r} is not determined, "
            f"{begin.neutral or movers(system, state)} can move without any force changing. Hold it, or ask for the "
            "loads that friction bears in a pose (pl.rest_band)."
        )

    def advance(at: State, share: float) -> State | None:
        nonlocal iterations
        found, turned, count = slipping.solve(at, share)
        iterations += count
        if found is None or turned != sign or equilibrium.distance(system, found.q, at.q) > NEAR:
            return None
        return found

    state, done, taken = ramp(advance, found, smallest=SMALLEST_SHARE, steps=SHARES, growth=1.0)
    if done < 1.0:
        raise ConvergenceError(_locks(name, sides, done))
    judged = equilibrium.judge(system, state, u, iterations, taken, scratch)
    grips = system.grips(state.q, state.lam)
    holds = by_joint(system.equations.rubbing.slides, (slip * grips.limit[grips.owner])[None])
    own = friction_results(labels_of(system).rough, "time", {"joint_friction": holds})
    return replace(
        judged, residual=slipping.residual(state), unstable_directions=None, neutral="", lost=0.0, own=own,
        left=begin.left, snapped=begin.snapped, slid=begin.slid,
    )  # fmt: skip


def sign_of(factors: Any) -> float:
    """Return the sign of the determinant of a matrix, from its factors P_r A P_c = L U."""
    negatives = int(np.sum(factors.U.diagonal() < 0.0))
    return -1.0 if (negatives + _swaps(factors.perm_r) + _swaps(factors.perm_c)) % 2 else 1.0


def _swaps(order: np.ndarray) -> int:
    """Return the number of exchanges in a permutation: its length less its cycles."""
    seen, cycles = np.zeros(order.size, bool), 0
    for first in range(order.size):
        cycles += not seen[first]
        while not seen[first]:
            seen[first] = True
            first = order[first]
    return order.size - cycles


def _check_motion(system: System, state: State, slip: np.ndarray, sides: Mapping[str, Slip]) -> None:
    """Refuse directions without a motion: with G v = 0, drives excluded, and d_i S_i v > 0 for all."""
    unit, rows = 1.0 / system.weight, system.equations.rows
    grips = system.grips(state.q, state.lam)
    about = np.array([(slip * (grips.owner == e)) @ grips.speeds for e in range(len(grips.names))])
    about = (about * unit)[np.bincount(grips.owner, np.abs(slip)) > 0.0]
    if not len(about):
        return
    about /= np.maximum(np.linalg.norm(about, axis=1), 1e-300)[:, None]
    ties = sparse.csr_matrix((system.row_gradients(state.q) * unit)[rows.gain == 0.0])
    found = optimize.linprog(
        np.zeros(system.freedoms), A_ub=-sparse.csr_matrix(about), b_ub=-np.ones(len(about)), A_eq=ties,
        b_eq=np.zeros(ties.shape[0]), bounds=(None, None),
    )  # fmt: skip
    if found.status != 0:
        raise OptionError(
            f"friction={dict(sides)!r}: joints of {system.model.name!r} cannot all slip that way at once: no motion "
            "that they allow has these signs. Give the signs of one motion, and 0 where a joint does not slip."
        )


def _locks(name: str, sides: Mapping[str, Slip], done: float) -> str:
    joints = ", ".join(f"{joint!r} ({side})" for joint, side in sides.items() if np.any(side))
    return (
        f"{name!r} locks itself, or snaps: about to slip in {joints} it has no equilibrium that goes over from the one "
        f"without friction; that ends at {100.0 * done:.3g} % of the friction. Its reactions grow with friction and "
        "friction with them, or friction holds it in every pose nearby. Try the other side, less friction, or a start= "
        "on another branch."
    )
