"""Sampling of continuous systems: inputs held in between, costs and noise integrated exactly."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pliant.control import checks
from pliant.control.models.poles import describe
from pliant.errors import OptionError

if TYPE_CHECKING:
    from pliant.control.models.linear_model import LinearModel


GROWING = 1e-6  # relative real part of a pole from which it is unstable; rounding stays below


def sample_matrices(model: LinearModel, sample_time: float, owner: str) -> tuple[np.ndarray, np.ndarray]:
    """Return A and B from one sample to the next, inputs held; a model that is already sampled returns its own."""
    if model.sample_time is None:
        model = model.discretise(sample_time)
    elif not math.isclose(model.sample_time, sample_time, rel_tol=1e-9):
        raise OptionError(
            f"{owner}: the model is sampled every {model.sample_time:g} s, not every {sample_time:g} s. Give the "
            "continuous model."
        )
    return model.A, model.B


def sample_time_of(owner: str, model: LinearModel, sample_time: float | None) -> float | None:
    """Return the sample time of a design, None if continuous; refuse it if an unstable pole is too fast for it."""
    if sample_time is None:
        return model.sample_time
    chosen = checks.positive(owner, "sample_time", sample_time)
    if model.sample_time is not None:
        sample_matrices(model, chosen, owner)
        return model.sample_time
    for pole in model.poles():
        if pole.real <= GROWING * abs(pole):
            continue
        longest = min(1.0 / pole.real, math.pi / max(abs(pole.imag), 1e-300))
        if chosen > longest * (1.0 + 1e-9):
            raise OptionError(
                f"{owner}: sample_time={chosen:g} s is too slow for the unstable {describe(pole)}, which runs away "
                f"between two samples. Take at most {longest:.4g} s, better a tenth of it."
            )
    return chosen


def integrate_weight(F: np.ndarray, W: np.ndarray, time: float) -> np.ndarray:
    """Compute ``integral of exp(F's) W exp(Fs) ds`` from 0 to `time`: Van Loan (1978) over a short time, then doubled.

    Van Loan's exponential contains exp(-Fs), which overflows for fast decaying modes; doubling avoids it.
    """
    from scipy.linalg import expm

    n = F.shape[0]
    doublings = max(0, math.ceil(math.log2(max(2.0 * time * float(np.linalg.norm(F, 1)), 1e-300))))
    pair = expm(time / 2**doublings * np.block([[-F.T, W], [np.zeros((n, n)), F]]))
    step, total = pair[n:, n:], pair[n:, n:].T @ pair[:n, n:]
    for _ in range(doublings):
        total = total + step.T @ total @ step
        step = step @ step
    return 0.5 * (total + total.T)
