"""Constraint rows of all joints, as data: sums of measures (kernels/measures) that are kept constant or driven.

``g = sum_t factor_t x_t(q) - offset - gain u``, mostly of one term. The equations of motion are
``M a + f + G^T lambda = 0``: a joint applies ``-G^T lambda`` to its parts. The plane and space have separate kernels,
`planar.py` and `spatial.py`, compiled when a model first needs them; the functions here choose.
"""

from __future__ import annotations

import numpy as np

from pliant._libraries import sparse
from pliant.jit import kernel
from pliant.joints.rows import planar, spatial
from pliant.joints.rows.data import Rows, Saddle, angular, chosen
from pliant.joints.rows.targets import power
from pliant.linalg.sparse_rank import Entries

__all__ = [
    *(
        "Rows",
        "Saddle",
        "angular",
        "chosen",
        "add",
        "push",
        "residual",
        "velocity",
        "bias",
        "entries",
        "jacobian",
        "jacobian_dense",
        "power",
        "reactions",
    ),
    "evaluate",
]

SAME = np.arange(78, dtype=np.uint32).reshape(1, -1)  # places of a term's own gradient and Hessian


@kernel
def in_space(rows: Rows) -> bool:
    """Return whether the nodes have quaternions."""
    return rows.frames.shape[1] > 0


@kernel
def add(rows: Rows, q: np.ndarray, lam: np.ndarray, u: np.ndarray, to: Saddle) -> None:
    """Add G^T (lambda + gamma g) to r; write g and the saddle blocks ck (lambda g)_qq + gamma G^T G, G."""
    if in_space(rows):
        spatial.add(rows, q, lam, u, to)
    else:
        planar.add(rows, q, lam, u, to)


@kernel
def push(rows: Rows, q: np.ndarray, lam: np.ndarray, u: np.ndarray, r: np.ndarray, g: np.ndarray) -> None:
    """Add G^T lambda to r and write g."""
    if in_space(rows):
        spatial.push(rows, q, lam, u, r, g)
    else:
        planar.push(rows, q, lam, u, r, g)


@kernel
def residual(rows: Rows, q: np.ndarray, u: np.ndarray, g: np.ndarray) -> None:
    """Write the constraint values g."""
    if in_space(rows):
        spatial.residual(rows, q, u, g)
    else:
        planar.residual(rows, q, u, g)


@kernel
def velocity(rows: Rows, q: np.ndarray, v: np.ndarray, u: np.ndarray, rate: np.ndarray, out: np.ndarray) -> None:
    """Write G v + g_t, with ``rate`` the time derivatives of the signals."""
    if in_space(rows):
        spatial.velocity(rows, q, v, u, rate, out)
    else:
        planar.velocity(rows, q, v, u, rate, out)


@kernel
def bias(rows: Rows, q: np.ndarray, v: np.ndarray, u: np.ndarray, second: np.ndarray, out: np.ndarray) -> None:
    """Write v^T g_qq v + g_tt, the acceleration constraint without G a."""
    if in_space(rows):
        spatial.bias(rows, q, v, u, second, out)
    else:
        planar.bias(rows, q, v, u, second, out)


@kernel
def jacobian_dense(rows: Rows, q: np.ndarray, u: np.ndarray, out: np.ndarray) -> None:
    """Write G as a dense array, the columns of the ground last."""
    if in_space(rows):
        spatial.jacobian_dense(rows, q, u, out)
    else:
        planar.jacobian_dense(rows, q, u, out)


def entries(rows: Rows, q: np.ndarray, columns: int) -> Entries:
    """Return the entries of G that can differ from zero, in the first ``columns`` freedoms."""
    slopes = np.empty(rows.dofs.shape)
    (spatial if in_space(rows) else planar).gradients(rows, q, slopes)
    moving = rows.dofs < columns
    number = np.broadcast_to(rows.row[:, None], rows.dofs.shape)[moving].astype(np.int64)
    places, which = np.unique(number * columns + rows.dofs[moving], return_inverse=True)
    counts = np.bincount(places // columns, minlength=rows.offset.size)
    values = np.bincount(which, slopes[moving], places.size).astype(float)  # bincount of nothing returns integers
    return Entries(values, places % columns, np.concatenate([[0], np.cumsum(counts)]), (rows.offset.size, columns))


def jacobian(rows: Rows, q: np.ndarray, columns: int) -> sparse.csr_array:
    """Return G as a sparse matrix of scipy."""
    *arrays, shape = entries(rows, q, columns)
    return sparse.csr_array(tuple(arrays), shape=shape)


def reactions(rows: Rows, owner: np.ndarray, q: np.ndarray, lam: np.ndarray, u: np.ndarray, out: np.ndarray) -> None:
    """Write the force and moment about b's point, in global axes, that each joint applies on its marker b; (times,
    joints, 3 or 6). ``owner`` is the joint of every row.
    """
    if in_space(rows):
        spatial.reactions(rows, owner, q, lam, u, out)
    else:
        planar.reactions(rows, owner, q, lam, u, out)


def evaluate(rows: Rows, t: int, q: np.ndarray, jacobian: np.ndarray, hessian: np.ndarray) -> float:
    """Return the value of the measure of term t; write its gradient and Hessian (lower triangle) to the arrays."""
    if in_space(rows):
        return spatial.evaluate(rows, t, q, jacobian, hessian, SAME)
    return planar.evaluate(rows, t, q, jacobian, hessian, SAME)
