"""Bilinear forms of the matrices of an equilibrium, in compiled code, for derivatives of eigenvalues.

y^T [K G^T; G 0] x,   y^T M x
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pliant.forces.state_force import callbacks
from pliant.jit import kernel
from pliant.joints import rows as joints
from pliant.kernels.sums import Instant, Into
from pliant.linalg.pattern import Pattern
from pliant.solvers.derivatives.directional_derivatives import Course, course, draw, move
from pliant.system.equations import Equations, Scratch
from pliant.system.packing import coupling, fused
from pliant.system.packing.along_derivative import NearbySystems
from pliant.system.state import State

if TYPE_CHECKING:
    from pliant.system.system import System


def forms(
    system: System, drawn: NearbySystems, state: State, by: np.ndarray, ways: np.ndarray, x: np.ndarray, y: np.ndarray
) -> np.ndarray | None:
    """Compute (ways, 2, columns, columns) forms of both matrices of perturbed systems, with the state moved along
    ``by``; None if a matrix is unsymmetric or has a border.
    """
    equations = drawn.twin.equations
    if system.unsymmetric or equations.pattern.borders:
        return None
    found = np.empty((len(ways), 2, y.shape[1], x.shape[1]))
    with system.working() as scratch:
        each_way(equations, course(system, drawn, state, by), ways, x, y, scratch, found)
    callbacks.reraise()
    if any(coupling.blocks(equations.parts, state.q, np.zeros(system.freedoms), 1.0, 0.0)):  # rare in an equilibrium
        found[:, 0] += [_far(system, each, state, by, way, x, y) for each, way in drawn.at(ways)]
    return found


def _far(
    system: System, drawn: System, state: State, by: np.ndarray, way: float, x: np.ndarray, y: np.ndarray
) -> np.ndarray:
    """Compute y^T K x of the couplings without a place in the sparse pattern."""
    n = system.freedoms
    q, found = system.moved(state.q, way * by[:n]), np.zeros((y.shape[1], x.shape[1]))
    for dofs, block in coupling.blocks(drawn.equations.parts, q, np.zeros(n), 1.0, 0.0):
        found += y[dofs].T @ block @ x[dofs]
    return found


@kernel
def each_way(
    equations: Equations,
    along: Course,
    ways: np.ndarray,
    x: np.ndarray,
    y: np.ndarray,
    scratch: Scratch,
    out: np.ndarray,
) -> None:
    """Perturb the numbers, move the state, and compute both forms of the columns, for each change."""
    for k in range(ways.size):
        draw(equations, along, ways[k], scratch)
        move(equations, along, along.by, ways[k], scratch)
        both(equations, scratch.trial, scratch.blend, scratch.signals, x, y, scratch, out[k])


@kernel
def both(
    equations: Equations,
    q: np.ndarray,
    lam: np.ndarray,
    u: np.ndarray,
    x: np.ndarray,
    y: np.ndarray,
    scratch: Scratch,
    out: np.ndarray,
) -> None:
    """Assemble the two matrices and compute their forms with the columns of x and y."""
    r, s, w, rest = scratch.r, scratch.s, scratch.w, scratch.rest
    for k in range(2):
        r[:] = 0.0
        s[:] = 0.0
        w[:] = 0.0
        ck, cm = (1.0, 0.0) if k == 0 else (0.0, 1.0)
        fused.add(equations.parts, Instant(q, rest, rest, u), Into(ck, 0.0, cm, r, s, w), scratch.stress, False)
        if k == 0:
            joints.add(equations.rows, q, lam, u, joints.Saddle(ck, 0.0, r, scratch.g, s))
        between(equations.pattern, s, equations.freedoms, x, y, out[k])


@kernel
def between(pattern: Pattern, s: np.ndarray, freedoms: int, x: np.ndarray, y: np.ndarray, out: np.ndarray) -> None:
    """Compute y^T A x of the symmetric matrix in s, before it is factorised, without the softening of rows."""
    out[:] = 0.0
    size = pattern.order.size
    for i in range(freedoms):
        for a in range(y.shape[1]):
            for b in range(x.shape[1]):
                out[a, b] += y[i, a] * s[i] * x[i, b]
    for k in range(pattern.row.size):
        i, j, entry = pattern.row[k], pattern.column[k], s[size + k]
        if entry != 0.0:
            for a in range(y.shape[1]):
                for b in range(x.shape[1]):
                    out[a, b] += entry * (y[i, a] * x[j, b] + y[j, a] * x[i, b])
