"""State inside rods at rest, given their nodes and loads."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pliant.elements.rod_ivp.march import SUMS, MarchStart, gather_loads
from pliant.elements.rod_ivp.slope import KEPT
from pliant.errors import ConvergenceError
from pliant.formulations.shooting import newmark
from pliant.formulations.shooting.equilibrium import RAGGED, Solution, assembled, nodal_forces
from pliant.formulations.shooting.joining import element_forces, joining
from pliant.formulations.shooting.observation import interior_of
from pliant.formulations.shooting.rod_state import read
from pliant.formulations.shooting.system import Shooting
from pliant.system.state import State

LIMIT = 20
SMALL = 1e-13  # of the largest force: the last step
FOUND = "base forces"  # note of a system: configurations and their base forces, to start from
MOST_FOUND = 1024


def base_forces(
    system: Shooting, q: np.ndarray, lam: np.ndarray, u: np.ndarray, guess: np.ndarray | None = None
) -> np.ndarray:
    """Return the forces at the bases of the subintervals of a configuration at rest.

    They follow from the nodes, except for the axial forces of inextensible rods. These follow from equilibrium, as do
    all forces if subintervals are too long for Newton from node to node.
    """
    if np.any(system.rods.softness):
        return balancing(system, q, lam, u, guess)[0]
    try:
        return joining(system, q, u, guess)
    except ConvergenceError:
        force, gap = balancing(system, q, lam, u, guess)
        if gap < RAGGED:
            return force
        raise


def balancing(
    system: Shooting, q: np.ndarray, lam: np.ndarray, u: np.ndarray, guess: np.ndarray | None
) -> tuple[np.ndarray, float]:
    """Return forces that balance all nodes best, and their remaining gaps (Gauss-Newton): zero at an equilibrium."""
    rods, n = system.rods, system.freedoms
    at = Solution(q, lam, element_forces(system, q) if guess is None else guess.copy())
    scratch, work, gap = system.scratch(), system.workspace(), np.inf
    unit = np.append(1.0 / system.weight, np.zeros(q.size - n))  # forces as moments; the ground needs no balance
    columns = np.arange(3 * rods.rod.size).reshape(-1, 3)
    for _ in range(LIMIT):
        gap = assembled(system, at, u, 0.0, scratch, work)[2]
        slope = np.zeros((q.size, columns.size))
        slope[rods.dofs[:, :3].astype(int), columns] = -1.0
        slope[rods.dofs[:, 3:, None].astype(int), columns[:, None]] += work.transfer[:, 3:, 3:]
        right = -unit * nodal_forces(system, scratch, work)
        if not np.all(np.isfinite(right)):
            return at.force, np.inf
        step = np.linalg.lstsq(unit[:, None] * slope, right, rcond=None)[0].reshape(-1, 3)
        at.force += step
        if np.max(np.abs(step)) <= SMALL * np.max(np.abs(at.force)):
            break
    return at.force, gap


def shown(system: Shooting, states: Sequence[State], u: np.ndarray) -> np.ndarray:
    """Return (states, ...) data of results of rods at rest, each with its signals; a state without rod data starts from
    the solution of the one before it.
    """
    rows, force = [], None
    for state, signals in zip(states, u, strict=True):
        there, force = base_of(system, state, signals, force)
        rows.append(results_at_rest(there, state.q, force, signals))
    return np.array(rows)


def base_of(
    system: Shooting, state: State, u: np.ndarray, guess: np.ndarray | None = None
) -> tuple[Shooting, np.ndarray]:
    """Return the system on the grid of a state at rest, and the base forces there."""
    known, key = read(system, state.interior), state.q.tobytes()
    if known:
        system, guess = known[0], known[1].force
    else:
        guess = system.notes.get(FOUND, {}).get(key, guess)
    force = base_forces(system, state.q, state.lam, u, guess)
    note_forces(system, state.q, force)
    return system, force


def note_forces(system: Shooting, q: np.ndarray, force: np.ndarray) -> None:
    """Note the base forces of a configuration, for callers with its nodes only; the oldest are dropped."""
    found = system.notes.setdefault(FOUND, {})
    found[q.tobytes()] = force
    while len(found) > MOST_FOUND:
        del found[next(iter(found))]


def results_at_rest(system: Shooting, q: np.ndarray, force: np.ndarray, u: np.ndarray) -> np.ndarray:
    """Return the data of results of rods at rest with these base forces."""
    work, place, sums = system.workspace(), np.zeros((system.rods.section.shape[0], KEPT)), np.zeros(SUMS)
    gather_loads(system.rods, u, work)
    newmark.survey(system.rods, system.table, MarchStart(q, force), 0.0, 0.0, work, place, sums)
    return np.asarray(interior_of(sums[None], work.seen[None])[0])
