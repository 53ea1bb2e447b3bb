"""Start of a motion of an arm: Q and Q' from a state of the observed system, and pushes."""

from __future__ import annotations

import numpy as np

from pliant.errors import AssemblyError
from pliant.linalg import eigen
from pliant.system.state import State
from pliant_papers.kinked import tree as trees
from pliant_papers.kinked import view
from pliant_papers.kinked.system import Kinked

TINY = 1e-30  # complex step: without differences there is no cancellation
STIFF = 1e8  # cost of bending relative to kinetic energy: a push moves beams as rigid bodies if possible


def begin_from(system: Kinked, state: State, velocity: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """Return Q and Q' of a state; entries of ``velocity`` (observed) that are not NaN are kept exactly."""
    moved = np.zeros(system.freedoms + 3, complex)
    view.relative(system.tree, system.nodes, state.q + 1j * TINY * state.v, trees.work(system.tree, complex), moved)
    q, v = moved.real[:-3].copy(), moved.imag[:-3] / TINY
    if velocity is not None:
        v = pushed(system, q, velocity)
    _, rates, _ = system.inputs(state.time)
    for joint, signal in system.driven:
        v[joint] = rates[signal]
    return q, v


def pushed(system: Kinked, q: np.ndarray, velocity: np.ndarray) -> np.ndarray:
    """Return Q' with the given velocities exact and of least cost otherwise."""
    n = system.freedoms
    given = np.flatnonzero(~np.isnan(velocity[:-3]))
    rows, wanted = jacobian(system, q)[given], velocity[given]
    mass = system.mass_matrix(q)
    bends = np.array([":" in name for name in system.names], float)
    cost = mass / np.max(np.abs(mass)) + STIFF * np.diag(bends)
    nearest, free = np.linalg.lstsq(rows, wanted, rcond=1e-12)[0], eigen.null_space(rows)
    v = nearest - free @ np.linalg.solve(free.T @ cost @ free, free.T @ (cost @ nearest)) if free.size else nearest
    weight = system.observed.weight[given]
    gap, terms = np.abs(rows @ v - wanted), np.abs(rows) @ np.abs(v) + np.abs(wanted)
    if np.max(weight * gap, initial=0.0) > 1e-6 * np.max(weight * terms, initial=0.0):
        raise AssemblyError(f"push: the joints of {system.model.name!r} do not allow these velocities together.")
    return v.reshape(n)


def jacobian(system: Kinked, q: np.ndarray) -> np.ndarray:
    """Return velocities of the observed coordinates for unit rates of Q, (observed, n)."""
    return np.column_stack([system.observe(q, unit)[1][:-3] for unit in np.eye(system.freedoms)])
