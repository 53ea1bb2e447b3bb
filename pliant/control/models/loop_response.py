"""Frequency response of a loop at many frequencies, and a suitable grid of frequencies."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from pliant.control.models.poles import continuous

if TYPE_CHECKING:
    from pliant.control.models.linear_model import LinearModel

PER_DECADE = 40
AROUND = np.tan(np.linspace(-1.45, 1.45, 9))  # offsets from the frequency of a pole, in its decay: up to 8
NEAREST = 1e-9  # of a pole's size: smallest decay used there
BELOW, ABOVE = 1e-2, 1e2  # relative to the slowest and the fastest pole


class LoopResponse:
    """``L = C (s I - A)^-1 B + D`` at frequencies, by the Schur form of A: one triangular solution each."""

    def __init__(self, loop: LinearModel) -> None:
        from scipy.linalg import matrix_balance, schur

        balanced, (scale, _) = matrix_balance(loop.A, permute=False, separate=True)
        self.triangle, vectors = schur(balanced.astype(complex), output="complex")
        self.B = vectors.conj().T @ (loop.B / scale[:, None])
        self.C = (loop.C * scale) @ vectors
        self.D, self.sample_time = loop.D, loop.sample_time
        self.small = 1e-15 * max(float(np.max(np.abs(np.diag(self.triangle)), initial=0.0)), 1e-300)

    def __call__(self, omega: np.ndarray) -> np.ndarray:
        """Return the (frequencies, outputs, inputs) response; huge at a pole."""
        from scipy.linalg import solve_triangular

        points = 1j * omega if self.sample_time is None else np.exp(1j * omega * self.sample_time)
        out = np.empty((omega.size, *self.D.shape), complex)
        own = np.diag(self.triangle)
        for k, point in enumerate(points):
            pencil = -self.triangle
            away = point - own
            np.fill_diagonal(pencil, np.where(np.abs(away) < self.small, self.small, away))
            out[k] = self.C @ solve_triangular(pencil, self.B, check_finite=False) + self.D
        return out


def frequencies(loop: LinearModel) -> np.ndarray:
    """Return frequencies (rad/s) for a loop, open and closed: logarithmically spaced, denser around every pole."""
    opened, closed = (continuous(np.linalg.eigvals(A), loop.sample_time) for A in (loop.A, loop.A - loop.B @ loop.C))
    size = np.abs(np.concatenate([opened, closed]))
    real = size[size > 1e-9 * np.max(size, initial=0.0)]
    low, high = BELOW * np.min(real, initial=np.inf), ABOVE * np.max(real, initial=0.0)
    if not real.size:
        low, high = BELOW, ABOVE
    if loop.sample_time is not None:
        high = np.pi / loop.sample_time
        low = min(low, 1e-3 * high)
    low = max(low, 1e-9 * high)
    grid = [np.geomspace(low, high, int(PER_DECADE * np.log10(high / low)) + 2)]
    for poles in (opened, closed):
        poles = poles[poles.imag > 0.0]
        width = np.maximum(np.abs(poles.real), NEAREST * np.abs(poles))
        grid.append((poles.imag[:, None] + width[:, None] * AROUND).ravel())
    every = np.unique(np.concatenate(grid))
    return every[(every >= low) & (every <= high)]


def peak(function: Callable[[float], float], omega: np.ndarray, values: np.ndarray) -> tuple[float, float]:
    """Find the largest value of a function of frequency and its place, from values on a grid: the highest local maxima
    are refined between their neighbours.
    """
    from scipy.optimize import minimize_scalar

    best = int(np.argmax(values))
    found, where = float(values[best]), float(omega[best])
    inner = np.flatnonzero((values[1:-1] >= values[:-2]) & (values[1:-1] >= values[2:])) + 1
    for k in inner[values[inner] > 0.8 * found]:
        refined = minimize_scalar(
            lambda w: -function(w),
            bounds=(omega[k - 1], omega[k + 1]),
            method="bounded",
            options={"xatol": 1e-9 * omega[k]},
        )
        if -refined.fun > found:
            found, where = float(-refined.fun), float(refined.x)
    return found, where
