"""Kernels of a family that sum over its elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pliant.jit import kernel

Pair = Callable[..., tuple[float, float]]


def energy_of(element: Any) -> Pair:
    """Build the kernel of kinetic and elastic energy from the kernel (part, e, q, v) -> both of element e."""

    @kernel
    def energy(part: Any, q: np.ndarray, v: np.ndarray) -> tuple[float, float]:
        kinetic, potential = 0.0, 0.0
        for e in range(part.length.size):
            one, other = element(part, e, q, v)
            kinetic += one
            potential += other
        return kinetic, potential

    return energy


def power_of(element: Any) -> Pair:
    """Build the kernel of supplied (zero) and dissipated power from an element's, (part, e, q, v)."""

    @kernel
    def power(part: Any, q: np.ndarray, v: np.ndarray) -> tuple[float, float]:
        dissipated = 0.0
        if part.damped:
            for e in range(part.length.size):
                dissipated += element(part, e, q, v)
        return 0.0, dissipated

    return power
