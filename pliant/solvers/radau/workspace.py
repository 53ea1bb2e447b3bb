"""Workspace of the compiled loop of Radau IIA, and its coefficients (E. Hairer, G. Wanner 1996, IV.5)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from pliant.jit import kernel
from pliant.jit.bundle import Bundle
from pliant.linalg import ldl
from pliant.linalg.pivot_repair import Workspace
from pliant.solvers.stepping.alpha_run import Run
from pliant.solvers.stepping.drivers import Signals
from pliant.solvers.stepping.signal_course import Course
from pliant.system.equations import Scratch
from pliant.system.system import System

_R = 6.0**0.5
NODES = np.array([(4.0 - _R) / 10.0, (4.0 + _R) / 10.0, 1.0])
A = np.array(
    [
        [(88.0 - 7.0 * _R) / 360.0, (296.0 - 169.0 * _R) / 1800.0, (-2.0 + 3.0 * _R) / 225.0],
        [(296.0 + 169.0 * _R) / 1800.0, (88.0 + 7.0 * _R) / 360.0, (-2.0 - 3.0 * _R) / 225.0],
        [(16.0 - _R) / 36.0, (16.0 + _R) / 36.0, 1.0 / 9.0],
    ]
)
WEIGHTS = A[2].copy()
INVERSE = np.linalg.inv(A)
SLOPE = -np.array([-13.0 - 7.0 * _R, -13.0 + 7.0 * _R, -1.0]) / 3.0  # h p'(0) of p through 0 and the stages


def triangle(matrix: np.ndarray) -> np.ndarray:
    """Return L of ``matrix = L U``, U with ones on its diagonal (Crout).

    >>> triangle(np.array([[2.0, 4.0], [1.0, 5.0]])).tolist()
    [[2.0, 0.0], [1.0, 3.0]]
    """
    lower, upper = np.zeros_like(matrix), np.eye(len(matrix))
    for j in range(len(matrix)):
        lower[j:, j] = matrix[j:, j] - lower[j:, :j] @ upper[:j, j]
        upper[j, j + 1 :] = (matrix[j, j + 1 :] - lower[j, :j] @ upper[:j, j + 1 :]) / lower[j, j]
    return lower


LOWER = triangle(INVERSE)

Clock = Any  # numpy.record with the fields of CLOCK: ``clock.step``
CLOCK = np.dtype(
    [
        ("time", np.float64),
        ("step", np.float64),  # of the next step
        ("before", np.float64),  # size of the step whose stages are stored; 0: none
        ("error", np.float64),  # of the last step, as a part of the allowed error
    ]
)


class Stages(Bundle):
    """Three stages of a step, one row each.

    Coordinates are increments z since the start of the step; rotations in space are in the axes of the node at the
    start (kernels/charts.py).
    """

    z: np.ndarray  # (3, freedoms)
    rate: np.ndarray  # (3, freedoms) z'
    slope: np.ndarray  # (3, freedoms) D z / h, with D = A^-1
    bend: np.ndarray  # (3, freedoms) D (z' - v) / h
    moved: np.ndarray  # (3, freedoms) change of z in a sweep
    hurried: np.ndarray  # (3, freedoms) change of z'
    q: np.ndarray  # (3, size)
    v: np.ndarray  # (3, size)
    a: np.ndarray  # (3, size)
    lam: np.ndarray  # (3, constraints)
    known: np.ndarray  # (4, freedoms) velocities at the start and the stages of the previous step
    trial: np.ndarray  # (2, freedoms) z' and z'' of the forces
    s: np.ndarray  # (3, storage) factors
    w: np.ndarray  # (3, storage) of unsymmetric ones
    waste: np.ndarray  # (2, storage) unused matrices
    first: Workspace
    second: Workspace
    third: Workspace

    def clear(self) -> None:
        """Set all arrays to zero, except the factors."""
        for each in self:
            if isinstance(each, np.ndarray):
                each[...] = 0.0


class IntegrationRun(Bundle):
    """Integration run: motion, stages and step control."""

    run: Run  # its scratch holds the factors of the last stage
    stages: Stages
    clock: Clock
    limit: float  # allowed error of a step (0: not controlled), in lengths of the model and radians
    target: float  # tolerance of the iteration: a part of the limit, or absolute without control
    course: Course  # signals at any instant, if the steps have no table,
    found: np.ndarray  # (3, columns of the course) workspace for them
    window: Signals  # at the start of a step and at its three stages
    ends: np.ndarray  # of the steps of a chunk


@contextmanager
def working(system: System) -> Iterator[tuple[Scratch, Stages]]:
    """Yield work arrays for a motion, as `System.working` does; the scratch holds the factors of the last stage."""
    spare = system.equations.spare_stages
    try:
        scratch, stages = spare.pop()
    except IndexError:  # another thread may have taken the last ones
        scratch, stages = fresh(system)
    scratch.clear()
    stages.clear()
    try:
        yield scratch, stages
    finally:
        spare.append((scratch, stages))


def fresh(system: System) -> tuple[Scratch, Stages]:
    """Return work arrays of zeros."""
    stages = stages_of(system)
    return system.scratch()._replace(s=stages.s[2], w=stages.w[2], factors=stages.third), stages


def stages_of(system: System) -> Stages:
    """Return empty stages."""
    n, m, size, storage = system.freedoms, system.constraints, system.size, int(system.equations.pattern.storage)
    spaces = [ldl.workspace(system.equations.pattern) for _ in NODES]
    free = {name: np.zeros((3, n)) for name in ("z", "rate", "slope", "bend", "moved", "hurried")}
    whole = {name: np.zeros((3, size)) for name in ("q", "v", "a")}
    return Stages(
        **free,
        **whole,
        lam=np.zeros((3, m)),
        known=np.zeros((4, n)),
        trial=np.zeros((2, size)),
        s=np.zeros((3, storage)),
        w=np.zeros((3, storage)),
        waste=np.zeros((2, storage)),
        first=spaces[0],
        second=spaces[1],
        third=spaces[2],
    )


@kernel
def space_of(stages: Stages, k: int) -> Workspace:
    """Return the workspace of the factors of a stage."""
    if k == 0:
        return stages.first
    if k == 1:
        return stages.second
    return stages.third
