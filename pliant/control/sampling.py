"""From continuous time to samples: inputs held in between, costs and noise integrated exactly."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pliant.control import _checks as checks
from pliant.control.poles import described
from pliant.errors import OptionError

Array = NDArray[np.float64]


def sampled(model: Any, sample_time: float, owner: str) -> tuple[Array, Array]:
    """A and B from one sample to the next, the inputs being held; of a model that is sampled already, its own."""
    if model.sample_time is None:
        return hold(model.A, model.B, sample_time)
    if not math.isclose(model.sample_time, sample_time, rel_tol=1e-9):
        raise OptionError(
            f"{owner}: the model is sampled every {model.sample_time:g} s, not every {sample_time:g} s. Give the "
            "continuous model."
        )
    return model.A, model.B


def sample_time_of(owner: str, model: Any, sample_time: float | None) -> float | None:
    """Sample time of a design, None if continuous; refused if an unstable pole runs away between two samples."""
    if model.sample_time is not None:
        if sample_time is not None:
            sampled(model, checks.positive(owner, "sample_time", sample_time), owner)
        return float(model.sample_time)
    if sample_time is None:
        return None
    chosen = checks.positive(owner, "sample_time", sample_time)
    poles = np.linalg.eigvals(model.A)
    for pole in poles[poles.real > 0.0]:
        longest = min(1.0 / pole.real, math.pi / max(abs(pole.imag), 1e-300))
        if chosen > longest * (1.0 + 1e-9):
            raise OptionError(
                f"{owner}: sample_time={chosen:g} s is too slow for the unstable {described(pole)}, which runs away "
                f"between two samples. Take at most {longest:.4g} s, better a tenth of it."
            )
    return chosen


def hold(A: Array, B: Array, sample_time: float) -> tuple[Array, Array]:
    """Zero-order hold: ``exp([A B; 0 0] T)``."""
    from scipy.linalg import expm

    n, m = B.shape
    step = expm(sample_time * np.block([[A, B], [np.zeros((m, n + m))]]))
    return step[:n, :n], step[:n, n:]


def accumulated(F: Array, W: Array, time: float) -> Array:
    """``integral of exp(F's) W exp(Fs) ds`` from 0 to `time`: Van Loan (1978) over a short time, then doubled.

    Van Loan's exponential holds exp(-Fs), which overflows for fast decaying modes; doubling never forms it.
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
