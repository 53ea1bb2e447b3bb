"""Constraint rows of all joints, as data: sums of measures (kernels/measures) that are kept or driven.

``g = sum_t factor_t x_t(q) - offset - gain u``, mostly of one term. The equations of motion read
``M a + f + G^T lambda = 0``: a joint pushes on its parts with ``-G^T lambda``. The plane and space have kernels of
their own, `planar.py` and `spatial.py`; the functions here choose between them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pliant._jit import kernel
from pliant.joints.rows import planar, spatial
from pliant.joints.rows.calls import (
    ADD,
    BIAS,
    RESIDUAL,
    VELOCITY,
    addresses,
    call_add,
    call_bias,
    call_residual,
    call_velocity,
)
from pliant.joints.rows.data import Rows, angular, chosen
from pliant.joints.rows.targets import power

__all__ = [
    *("Rows", "angular", "chosen", "add", "residual", "velocity", "bias", "jacobian_dense", "power", "reactions"),
    *("addresses", "evaluate", "in_space"),
]

SAME = np.arange(78, dtype=np.uint32).reshape(1, -1)  # places of a term's own gradient and Hessian


@kernel
def in_space(rows: Rows) -> bool:
    """Whether the nodes have quaternions."""
    return rows.frames.shape[1] > 0


@kernel
def add(
    rows: Rows,
    q: np.ndarray,
    lam: np.ndarray,
    u: np.ndarray,
    ck: float,
    gamma: float,
    r: np.ndarray,
    g: np.ndarray,
    s: np.ndarray,
) -> None:
    """r += G^T (lambda + gamma g), g, and the saddle blocks ck (lambda g)_qq + gamma G^T G, G."""
    call_add(rows.calls[ADD], (rows, q, lam, u, ck, gamma, r, g, s))


@kernel
def residual(rows: Rows, q: np.ndarray, u: np.ndarray, g: np.ndarray) -> None:
    """Constraint values only."""
    call_residual(rows.calls[RESIDUAL], (rows, q, u, g))


@kernel
def velocity(rows: Rows, q: np.ndarray, v: np.ndarray, u: np.ndarray, rate: np.ndarray, out: np.ndarray) -> None:
    """G v + g_t, with ``rate`` the time derivatives of the signals."""
    call_velocity(rows.calls[VELOCITY], (rows, q, v, u, rate, out))


@kernel
def bias(rows: Rows, q: np.ndarray, v: np.ndarray, u: np.ndarray, second: np.ndarray, out: np.ndarray) -> None:
    """v^T g_qq v + g_tt: what remains of the acceleration constraint besides G a."""
    call_bias(rows.calls[BIAS], (rows, q, v, u, second, out))


def jacobian_dense(rows: Rows, q: np.ndarray, u: np.ndarray, out: np.ndarray) -> None:
    """G as a dense array, the columns of the ground last."""
    _home(rows).jacobian_dense(rows, q, u, out)


def reactions(rows: Rows, owner: np.ndarray, q: np.ndarray, lam: np.ndarray, u: np.ndarray, out: np.ndarray) -> None:
    """Force and moment about b's point, in global axes, that each joint applies on its marker b; (times, joints, 3 or
    6). ``owner`` is the joint of every row.
    """
    _home(rows).reactions(rows, owner, q, lam, u, out)


def evaluate(rows: Rows, t: int, q: np.ndarray, jacobian: np.ndarray, hessian: np.ndarray) -> float:
    """Value of the measure of term t; its gradient and Hessian (lower triangle) are written to the given arrays."""
    return float(_home(rows).evaluate(rows, t, q, jacobian, hessian, SAME))


def _home(rows: Rows) -> Any:
    return spatial if rows.frames.shape[1] > 0 else planar
