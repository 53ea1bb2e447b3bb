"""Equilibrium in independent coordinates: N^T f = 0 on the poses that the joints allow.

Derivative of N^T f along these poses: N^T (f_q + (G^T lambda)_q) N with G_D^T lambda = -f_D, also where it is not zero.
The flow y' = -N^T f is followed to where it ends (solvers/nonlinear/reduced_equilibrium.py).
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from pliant.errors import ConvergenceError, SingularError
from pliant.formulations.geometric import reduction
from pliant.formulations.geometric.system import Reduced
from pliant.solvers.nonlinear import branch_check, reduced_equilibrium
from pliant.system.state import Equilibrium, State


class Slope(NamedTuple):
    """What is known at a pose: multipliers, N^T f and N^T K N in lengths of the model and radians, N, the largest f."""

    lam: np.ndarray
    gradient: np.ndarray
    stiffness: np.ndarray
    basis: np.ndarray  # (n, freedoms) orthonormal without units
    loads: float


def find_equilibrium(reduced: Reduced, start: State, *, time: float, load_steps: int) -> Equilibrium:
    """Equilibrium near ``start`` under the loads and drives at ``time``; drives come in ``load_steps`` or more."""
    u = reduced.inputs(time).u
    still = np.zeros(reduced.observed.freedoms)
    first, taken = reduced_equilibrium.driven(
        reduced.observed, start.q, u, load_steps, lambda q, now: moved(reduced, q, still, now), start.q
    )
    found, iterations, slid = reduced_equilibrium.flow(Poses(reduced, u), first)
    if found is not None:
        judged = judge(reduced, found, u, time, iterations, taken)
        judged = replace(judged, slid=distance(reduced, found, start.q) if slid else 0.0)
        return branch_check.compared(reduced.observed, start, judged)
    raise ConvergenceError(
        f"No equilibrium of {reduced.model.name!r} was found within {reduced_equilibrium.LIMIT} iterations: start "
        "from a nearer state (start=), or simulate the motion instead."
    )


def distance(reduced: Reduced, q: np.ndarray, other: np.ndarray) -> float:
    """Largest difference, in lengths of the model and radians."""
    return float(np.max(np.abs(reduced.observed.apart(other, q)) * reduced.observed.weight, initial=0.0))


def moved(reduced: Reduced, q: np.ndarray, change: np.ndarray, u: np.ndarray) -> np.ndarray | None:
    """The pose after a displacement, closed along its dependent coordinates; None where that cannot be."""
    system, work = reduced.observed, reduced.work()
    if not reduction.choose(reduced.compiled, work, q, u, reduction.BEST):
        return None
    found = q.copy()
    found[: change.size] += change
    if not reduction.restore(reduced.compiled, work, found, u, True):
        return None
    return system.moved(q, found[: change.size] - q[: change.size]) if system.space.quaternions else found


def slope(reduced: Reduced, q: np.ndarray, u: np.ndarray) -> Slope:
    """Gradient and stiffness at a pose; SingularError at a dead centre."""
    system, work, mechanism = reduced.observed, reduced.work(), reduced.compiled
    n, rest = system.freedoms, np.zeros(system.size)
    if not (
        reduction.choose(mechanism, work, q, u, reduction.BEST) and reduction.factorise(mechanism, work, q, u, False)
    ):
        raise SingularError(reduced.undetermined(q, float(u[1]), int(work.why[0])))
    reduction.span(mechanism, work)
    basis = np.linalg.qr(work.basis / mechanism.units[:, None])[0] if work.basis.size else work.basis
    force = system.unbalanced(q, rest, rest, u)
    work.scratch.r[:n] = force
    lam = np.zeros(system.constraints)
    reduction.hold(mechanism, work, lam)
    scaled = basis * mechanism.units[:, None]
    stiffness = system._matrix(State(q, rest, rest, lam, float(u[1])), u, 1.0, 0.0, 0.0)
    loads = float(np.max(np.abs(mechanism.units * force), initial=0.0))
    return Slope(lam, scaled.T @ force, np.asarray(scaled.T @ (stiffness @ scaled)), basis, loads)


class Poses(NamedTuple):
    """The mechanism under signals u, as a landscape (solvers/nonlinear/reduced_equilibrium.py)."""

    reduced: Reduced
    u: np.ndarray

    def slope(self, q: np.ndarray) -> Slope:
        """Gradient and stiffness at a pose."""
        return slope(self.reduced, q, self.u)

    def moved(self, q: np.ndarray, at: reduced_equilibrium.Slope, step: np.ndarray) -> np.ndarray | None:
        """The pose after an increment along N, closed."""
        return moved(self.reduced, q, self.reduced.compiled.units * (at.basis @ step), self.u)


def judge(reduced: Reduced, q: np.ndarray, u: np.ndarray, time: float, iterations: int, load_steps: int) -> Equilibrium:
    """Residual and stability of an equilibrium."""
    still = np.zeros(q.size)
    state = State(q, still, still.copy(), np.zeros(reduced.observed.constraints), time)
    state = replace(state, lam=reduced.held(state))
    return reduced_equilibrium.judge(reduced.observed, state, slope(reduced, q, u), iterations, load_steps)
