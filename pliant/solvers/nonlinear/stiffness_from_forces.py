"""Stiffness of modes from forces: the assembled matrix of thin beams loses digits (linalg/rounding.py)."""

from __future__ import annotations

import numpy as np

from pliant.joints import rows as joints
from pliant.linalg.finite_differences import derivative
from pliant.system.state import State
from pliant.system.system import System


def stiffness(system: System, state: State, vectors: np.ndarray, steps: np.ndarray) -> np.ndarray:
    """Return X^T K X, K with the stiffness of the constraint forces, as derivatives of X^T (f + G^T lambda) along the
    columns of X; ``steps``: the largest amplitude of each.
    """
    u, still = system.signals(np.array([state.time]))[0], np.zeros_like(state.q)
    n, jacobian = system.freedoms, np.zeros((system.constraints, system.size))

    def column(x: np.ndarray, step: float) -> np.ndarray:
        def along(amplitudes: np.ndarray) -> np.ndarray:
            found = []
            for amplitude in amplitudes:
                q = system.moved(state.q, amplitude * x)
                jacobian[:] = 0.0
                joints.jacobian_dense(system.equations.rows, q, u, jacobian)
                found.append(vectors.T @ (system.unbalanced(q, still, still, u) + jacobian[:, :n].T @ state.lam))
            return np.array(found)

        return derivative(along, step)

    return np.array([column(x, float(step)) for x, step in zip(vectors.T, steps, strict=True)]).T
