"""Data of results of rods in space at rest between their ends: by wrenches that meet the ends, or stored wrenches."""

from __future__ import annotations

import numpy as np

from pliant.elements.rod_ivp.feeding import lengthen
from pliant.elements.rod_ivp.frames import FORCE, PLACE, workspace
from pliant.elements.rod_ivp.frozen import KEPT
from pliant.elements.rod_ivp.simd import BY_WRENCH
from pliant.elements.rod_ivp.spatial import Arrays, met
from pliant.elements.rod_ivp.two_port import gather
from pliant.elements.rod_ivp.unloaded import look, march_all, march_still
from pliant.jit import allocating_kernel
from pliant.kernels.vectors import fill


@allocating_kernel
def look_inside(part: Arrays, dense: Arrays, q: np.ndarray, u: np.ndarray, out: np.ndarray) -> None:
    """Write the data of results of rods at rest, SEEN of spatial.py, at the ends of the steps of these rods with
    ``dense`` steps.
    """
    work, row = workspace(dense), 0
    lengthen(dense, q, False, work)
    for e in range(part.steps.size):
        met(part, e, q, u, BY_WRENCH, work)
        gather(dense, e, q, u, work)
        march_still(dense, e, 0, work)
        for step in range(dense.steps[e] + 1):
            for i in range(3):
                out[row, i] = work.seen[step, PLACE + i]
            for i in range(6):
                out[row, 3 + i] = work.seen[step, FORCE + i]
            row += 1


@allocating_kernel
def look_along(part: Arrays, dense: Arrays, q: np.ndarray, u: np.ndarray, stress: np.ndarray, out: np.ndarray) -> None:
    """Write N and M (states, places, 6) at the ends of the steps of these rods with ``dense`` steps: in states at rest,
    one a row, whose wrenches were stored.
    """
    work = workspace(dense)
    for state in range(q.shape[0]):
        row = 0
        lengthen(dense, q[state], False, work)
        for e in range(dense.steps.size):
            fill(work.wrenches[e], stress[state, part.stress_start + KEPT * e :])
        march_all(dense, 0, work)
        for e in range(dense.steps.size):
            fill(work.wrench, work.wrenches[e])
            if not dense.bare[e]:
                gather(dense, e, q[state], u[state], work)
                march_still(dense, e, 0, work)
            for step in range(dense.steps[e] + 1):
                if dense.bare[e]:
                    look(work.passed[e, step], work.wrench, work.seen[step])
                for i in range(6):
                    out[state, row, i] = work.seen[step, FORCE + i]
                row += 1
