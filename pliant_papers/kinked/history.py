"""Compiled: what a recorded motion of an arm looks like and holds, all instants in one call."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pliant.jit import allocating_kernel
from pliant.solvers.ode.runge_kutta import Record
from pliant.solvers.stepping.drivers import Signals
from pliant_papers.kinked.march import Workspace, accelerate, residual
from pliant_papers.kinked.strain import strain
from pliant_papers.kinked.view import Nodes, absolute


class History(NamedTuple):
    """What is known of a motion, instant by instant."""

    observed: np.ndarray  # (3, times, observed) coordinates, velocities and accelerations of the observed system
    acceleration: np.ndarray  # (times, freedoms) Q''
    energy: np.ndarray  # (times, 5) kinetic and potential; supplied, dissipated and their balance are added by others
    wrench: np.ndarray  # (times, frames, 3) what the joints carry: force, and moment about the frame's origin
    momentum: np.ndarray  # (times, 3) and that about the ground's origin, as what Q'' = Q' would take from rest


@allocating_kernel
def observe(
    workspace: Workspace, nodes: Nodes, signals: Signals, nothing: np.ndarray, record: Record, into: History
) -> None:
    """The history of a recorded motion. ``nothing`` are signals of zero."""
    observed, acceleration, energy, wrench, momentum = into
    tree, n = workspace.tree, record.q.shape[1]
    q, v, a = np.zeros(n + 3), np.zeros(n + 3), np.zeros(n + 3)
    for t in range(record.time.size):
        row = 0 if signals.u.shape[0] == 1 else t
        u = signals.u[row]
        for i in range(n):
            q[i], v[i] = record.q[t, i], record.v[t, i]
        accelerate(workspace, q, v, u, signals.second[row], a)
        kinetic, moment = 0.0, workspace.work.composite[0]
        for i in range(n):
            acceleration[t, i] = a[i]
            for j in range(n):
                kinetic += 0.5 * v[i] * workspace.m[i, j] * v[j]
        first = moment[1, 2] + moment[1, 3], -moment[0, 2] - moment[0, 3]  # sum of m x and m y
        energy[t, 0] = kinetic
        energy[t, 1] = strain(tree, q, workspace.r, workspace.s, False)
        energy[t, 1] -= u[tree.gravity[0]] * first[0] + u[tree.gravity[1]] * first[1]
        residual(workspace, q, v, a, u)
        for k in range(tree.start.size):
            wrench[t, k, 0], wrench[t, k, 1] = workspace.work.wrench[k, 0], workspace.work.wrench[k, 1]
            wrench[t, k, 2] = workspace.work.wrench[k, 2] + workspace.work.wrench[k, 3]
        residual(workspace, q, workspace.still, v, nothing)
        momentum[t, 0], momentum[t, 1] = workspace.work.wrench[0, 0], workspace.work.wrench[0, 1]
        momentum[t, 2] = workspace.work.wrench[0, 2] + workspace.work.wrench[0, 3]
        absolute(tree, nodes, q, v, a, workspace.work, (observed[0, t], observed[1, t], observed[2, t]))
