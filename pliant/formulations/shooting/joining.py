"""Forces inside rods of which only the nodes are known: what statics begin with, and what a motion starts from."""

from __future__ import annotations

import numpy as np

from pliant.elements.rod_ivp.march import Departure, gather_loads
from pliant.errors import ConvergenceError
from pliant.formulations.shooting import condense
from pliant.formulations.shooting.rods import extensible
from pliant.formulations.shooting.system import Shooting
from pliant.system.samples import Samples
from pliant.system.state import State

LIMIT = 60
JOINED = 1e-12  # of the length scale and in rad: gaps between subintervals below which a shape is continuous
SMALLEST = 2.0**-10  # part of a step of Newton


def element_forces(system: Shooting, q: np.ndarray) -> np.ndarray:
    """(subintervals, 3) forces and moments at the bases of the finite elements that a mesh has in their places.

    Marched with them, a subinterval ends near its next node; what is left between the two, Newton closes for all at
    once. Forces that close it with its nodes held are far larger in a thin rod: the chord of a bent element is longer
    than the chord of its arc by kappa^2 l^3 / 24.
    """
    still = np.zeros_like(q)
    at = Samples.of(State(q, still, still, np.zeros(system.constraints)))
    ends = system.mesh.observer().values("resultant", at, system.signals(np.zeros(1)))[0]
    N, V, M = ends[::2].T
    angle = 0.5 * (q[system.rods.dofs[:, 2]] + q[system.rods.dofs[:, 5]])
    c, s = np.cos(angle), np.sin(angle)
    return np.stack([N * c - V * s, N * s + V * c, M], axis=1)


def joining(
    system: Shooting, q: np.ndarray, u: np.ndarray | None = None, force: np.ndarray | None = None
) -> np.ndarray:
    """Forces that bend every subinterval from its base to the next node, under the loads of the signals u, or free.

    Newton of each by itself, from the forces given or those of elements; rods that do not stretch do here, if those
    do not join. A step is taken in part while it makes the next one longer (natural monotonicity test: Deuflhard,
    *Newton Methods for Nonlinear Problems*, 2004, section 3.3).
    """
    work, scratch, rods = system.workspace(), system.scratch(), system.rods
    scale = np.array([1.0, 1.0, system.length_scale])  # of moments in forces
    if u is not None:
        gather_loads(rods, u, work)

    def shot(force: np.ndarray) -> np.ndarray:
        """Gaps after a march with these forces."""
        condense.shoot(rods, system.table, Departure(q, force), 0.0, 0.0, condense.VARIATIONAL, system.small(), work)
        return work.gap.copy()

    def joined(gap: np.ndarray) -> np.ndarray:
        return np.max(np.abs(gap) * scale, axis=1) < JOINED * system.length_scale

    if force is not None and np.all(joined(shot(force))):
        return force
    rods = extensible(rods)
    force = element_forces(system, q) if force is None else force
    part = np.ones(system.rods.rod.size)
    gap = shot(force)
    for _ in range(LIMIT):
        if np.all(joined(gap)):
            return force
        condense.add(rods, work, scratch.r, scratch.s, scratch.w)
        inverse = work.inverse.copy()
        step = np.einsum("eij,ej->ei", inverse, gap)
        size = np.linalg.norm(step / scale, axis=1)
        while True:
            trial = shot(force + part[:, None] * step)
            ahead = np.linalg.norm(np.einsum("eij,ej->ei", inverse, trial) / scale, axis=1)
            longer = ~(ahead <= (1.0 - 0.25 * part) * size) & ~joined(trial)  # NaN too
            if not np.any(longer):
                break
            part[longer] *= 0.5
            if np.min(part) < SMALLEST:
                raise _apart(system, int(np.argmin(part)))
        force, gap, part = force + part[:, None] * step, trial, np.minimum(1.0, 2.0 * part)
    raise _apart(system, int(np.argmin(joined(gap))))


def _apart(system: Shooting, e: int) -> ConvergenceError:
    mesh = system.layout.beams[system.rods.rod[e]]
    return ConvergenceError(
        f"Beam {mesh.beam.name!r}: no forces were found that bend its subinterval {e} from node to node in the state "
        "given. Start from pl.statics(...) of this system, or with more subintervals=."
    )
