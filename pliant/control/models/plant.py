"""Interface of nonlinear plants to control designs, and one sample of their motion with its derivatives."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from pliant._libraries import linalg
from pliant.errors import ConvergenceError


class Plant(Protocol):
    """``x' = rates(x, u)``, ``y = output(x, u)``, as made by `pl.nonlinear`, or by the user."""

    @property
    def state_names(self) -> tuple[str, ...]: ...
    @property
    def input_names(self) -> tuple[str, ...]: ...
    @property
    def output_names(self) -> tuple[str, ...]: ...
    @property
    def input_values(self) -> np.ndarray:
        """Return inputs at the operating point, x = 0."""

    def rates(self, x: np.ndarray, u: np.ndarray) -> np.ndarray:
        """Return x'."""

    def output(self, x: np.ndarray, u: np.ndarray) -> np.ndarray:
        """Return y."""

    def slopes(self, x: np.ndarray, u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return derivatives of the rates by x and u."""

    def output_slopes(self, x: np.ndarray, u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return derivatives of the outputs by x and u."""


class SampleStep(NamedTuple):
    """The state a sample later, its derivatives by the state and by the held input, and A and B at the start."""

    x: np.ndarray
    by_state: np.ndarray
    by_input: np.ndarray
    A: np.ndarray
    B: np.ndarray


def sample_step(plant: Plant, x: np.ndarray, u: np.ndarray, time: float, steps: int) -> SampleStep:
    """Take exponential Euler steps of Rosenbrock type: exact for linear plants, of order 2 for others, stable if stiff.

    x <- x + h phi(h A) f(x, u),    phi(z) = (exp z - 1) / z      (M. Hochbruck, A. Ostermann, Acta Numerica 2010)
    """
    n, m, h = x.size, u.size, time / steps
    by_state, by_input, first = np.eye(n), np.zeros((n, m)), None
    for _ in range(steps):
        A, B = plant.slopes(x, u)
        first = (A, B) if first is None else first
        whole = np.zeros((n + m + 1, n + m + 1))
        whole[:n, :n], whole[:n, n : n + m], whole[:n, -1] = A, B, plant.rates(x, u)
        found = linalg.expm(h * whole)
        x = x + found[:n, -1]
        by_state, by_input = found[:n, :n] @ by_state, found[:n, :n] @ by_input + found[:n, n : n + m]
        if not np.all(np.isfinite(x)):
            raise ConvergenceError(
                "the predicted motion is not finite: the plant is unstable, or its inputs too large."
            )
    return SampleStep(x, by_state, by_input, *(first or (by_state, by_input)))
