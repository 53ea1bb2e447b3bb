"""Equilibrium of a tree: forces on its free coordinates, N^T f, vanish.

Their derivative is N^T f_q N and what the forces gain as N changes (`recursion.geometric`), exact in any pose.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from pliant.errors import ConvergenceError
from pliant.forces.state_force import callbacks
from pliant.formulations.relative import dynamics as kernels
from pliant.formulations.relative.recursion import geometric, take
from pliant.formulations.relative.system import Relative
from pliant.solvers import continuity, descent
from pliant.system.state import Equilibrium, State


class Slope(NamedTuple):
    """N^T f and its derivative, in lengths of the model and radians, and N so scaled."""

    gradient: np.ndarray
    stiffness: np.ndarray
    basis: np.ndarray


class Poses(NamedTuple):
    """The tree under signals u, as a landscape (solvers/descent.py); its poses are relative coordinates."""

    system: Relative
    u: np.ndarray
    room: kernels.Room

    def slope(self, q: np.ndarray) -> Slope:
        """Forces and stiffness at a pose."""
        system, room, mechanism = self.system, self.room, self.system.compiled
        free, still = mechanism.free, np.zeros(system.coordinate_size)
        kernels.place(mechanism, room, q, still, still)
        kernels.load(mechanism, room, self.u, 0.0, 0.0, 0.0)
        callbacks.reraise()
        gradient = room.out[mechanism.active[:free]].copy()
        bends = np.zeros((mechanism.active.size, mechanism.active.size))
        take(system.tree, room.work, mechanism.width, room.scratch.r)
        geometric(system.tree, room.work, mechanism.rank, 1.0, bends)
        rest = np.zeros(system.size)
        state = State(room.q, rest, rest, np.zeros(system.constraints), float(self.u[1]))
        basis, units = system.basis(room.q), system.units[mechanism.active[:free]]
        stiffness = basis.T @ (system._matrix(state, self.u, 1.0, 0.0, 0.0) @ basis) + bends[:free, :free]
        scaled = basis * units * system.weight[:, None]
        return Slope(units * gradient, units * units[:, None] * stiffness, scaled)

    def moved(self, q: np.ndarray, at: descent.Slope, step: np.ndarray) -> np.ndarray:
        """The pose after an increment of the free coordinates."""
        mechanism, change = self.system.compiled, np.zeros(len(self.system.names))
        free = mechanism.active[: mechanism.free]
        change[free] = self.system.units[free] * step
        return self.system.displaced(q, change)


def find_equilibrium(system: Relative, start: State, *, time: float, load_steps: int) -> Equilibrium:
    """Equilibrium near ``start`` under the loads and drives at ``time``."""
    u, mechanism, room = system.inputs(time)[0], system.compiled, system.room()
    q = system.coordinates(start.q)
    shifts = system.shifts(q, time)
    for drive, shift in zip(system.drives, shifts, strict=True):
        q[drive.coordinate] = drive.gain * u[drive.signal] + shift
    poses, iterations, slid = Poses(system, u, room), 0, False
    found: np.ndarray | None = q
    if mechanism.free:
        found, iterations, slid = descent.flow(poses, q)
    if found is None:
        raise ConvergenceError(
            f"No equilibrium of {system.model.name!r} was found within {descent.LIMIT} iterations: start from a nearer "
            "state (start=), or simulate the motion instead."
        )
    at, still = poses.slope(found), np.zeros(system.coordinate_size)
    kernels.place(mechanism, room, found, still, still)
    kernels.react(mechanism, room, u)
    rest = np.zeros(system.size)
    state = State(room.q.copy(), rest, rest.copy(), room.lam.copy(), time)
    judged = descent.judge(system, state, at, iterations, load_steps)
    if slid:
        far = np.max(np.abs(system.apart(start.q, state.q)) * system.weight, initial=0.0)
        judged = replace(judged, slid=float(far))
    return continuity.compared(system, start, judged)
