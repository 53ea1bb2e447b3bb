"""Compiled: quantities of a recorded motion, all instants in one call."""

from __future__ import annotations

import numpy as np

from pliant._jit import kernel
from pliant.system import fused


@kernel
def energies(parts: fused.Parts, q: np.ndarray, v: np.ndarray, u: np.ndarray, out: np.ndarray) -> None:
    """Kinetic and potential energy at every instant, in the first two columns of ``out``."""
    for t in range(q.shape[0]):
        out[t, 0], out[t, 1] = fused.energy(parts, q[t], v[t], u[t])
