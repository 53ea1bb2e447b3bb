"""Poles of linear systems: their description in messages, and those that an input does not reach."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

UNREACHED = 1e-9  # relative strength of an input in a mode, below which the mode is not reached
UNDAMPED = 1e-8  # damping ratio below which a mode is undamped
ZERO = 1e-9  # over the fastest pole: rounding of zero
ROUNDING = 1e-15  # relative to the largest entry of a matrix
ONE = 1e-7  # distance of a sampled pole from one: rounding


def describe(pole: complex) -> str:
    """Describe a pole in messages.

    >>> describe(-2.0), describe(0.1 - 10.0j)
    ('real pole -2 1/s', 'mode at 1.592 Hz (pole 0.1 ± 10i 1/s)')
    """
    pole = complex(pole)
    if abs(pole.imag) <= 1e-9 * abs(pole):
        return f"real pole {pole.real:.4g} 1/s"
    return f"mode at {abs(pole) / (2.0 * math.pi):.4g} Hz (pole {pole.real:.4g} ± {abs(pole.imag):.4g}i 1/s)"


def continuous(poles: Any, sample_time: float | None) -> np.ndarray:
    """Return poles in 1/s; sampled ones as ``log(z) / T``, where z = 0 becomes a pole far to the left."""
    values = np.asarray(poles, complex)
    if sample_time is None:
        return values
    return np.log(np.where(np.abs(values) > 1e-300, values, 1e-300)) / sample_time


def eigenvalues(A: np.ndarray, sample_time: float | None = None) -> np.ndarray:
    """Return poles of a matrix in 1/s, slow ones first, the positive frequency of a pair first."""
    values = continuous(np.linalg.eigvals(A), sample_time)
    return values[np.lexsort((-values.imag, np.abs(values)))]


def scales(A: np.ndarray) -> np.ndarray:
    """Return sizes of the states that balance a matrix; entries that are rounding of zero are ignored."""
    from scipy.linalg import matrix_balance

    real = np.where(np.abs(A) > ROUNDING * np.max(np.abs(A), initial=0.0), A, 0.0)
    return np.asarray(matrix_balance(real, permute=False, separate=True)[1][0])


def unreached_mode(A: np.ndarray, B: np.ndarray, names: Sequence[str], **which: Any) -> str | None:
    """Describe a mode that no input moves, found by `slow_and_uncoupled`; else return None."""
    return _in_words(A, slow_and_uncoupled(A, B, **which), names, which.get("sample_time"))


def unobserved_mode(A: np.ndarray, C: np.ndarray, names: Sequence[str], **which: Any) -> str | None:
    """Describe a mode that no output shows, found by `slow_and_uncoupled`; else return None."""
    return _in_words(A, slow_and_uncoupled(A.T, C.T, **which), names, which.get("sample_time"))


def slow_and_uncoupled(
    A: np.ndarray, B: np.ndarray, *, sample_time: float | None = None, decay: float = 0.0, growing: bool = True
) -> complex | None:
    """Find a pole where ``[A - s I, B]`` loses rank (Hautus), among those that decay no faster than `decay` (1/s).

    ``growing`` False: among those that decay just so fast. The test uses the invariant subspace of these modes alone,
    in balanced coordinates: stiff modes, however fast, do not hide it.
    """
    from scipy.linalg import schur

    scale = scales(A)
    balanced = A * scale / scale[:, None]
    zero = ZERO * float(np.linalg.norm(balanced, 1)) if sample_time is None else ONE / sample_time

    def is_slow(pole: complex) -> bool:
        s = complex(continuous(pole, sample_time))
        least = -max(UNDAMPED * abs(s), zero if abs(s.imag) < zero else 0.0)
        return s.real + decay >= least and (growing or s.real + decay <= -least)

    triangle, vectors, count = schur(balanced.T.astype(complex), output="complex", sort=is_slow)
    slow, left = triangle[:count, :count].T, vectors[:, :count].T
    columns = B / scale[:, None]
    inputs = left @ (columns / np.maximum(np.linalg.norm(columns, axis=0), 1e-300))
    poles = np.diag(slow)
    rates = np.abs(continuous(poles, None if sample_time is None else 1.0))
    moving = rates[rates > zero * (sample_time or 1.0)]
    least = np.min(moving) if moving.size else max(float(np.linalg.norm(slow)), 1e-300)
    for pole, rate in zip(poles, rates, strict=True):
        pencil = np.hstack([(slow - pole * np.eye(count)) / max(rate, least), inputs])
        if np.linalg.svd(pencil, compute_uv=False)[-1] < UNREACHED:
            return complex(pole)
    return None


def _in_words(A: np.ndarray, pole: complex | None, names: Sequence[str], sample_time: float | None) -> str | None:
    """Describe a pole, and the state that moves most in its mode (in balanced coordinates)."""
    from scipy.linalg import matrix_balance

    if pole is None:
        return None
    balanced, _ = matrix_balance(A, permute=False, separate=True)
    shape = np.linalg.svd(balanced - pole * np.eye(len(A)))[2][-1]  # null vector of A - s I
    return (
        f"{describe(complex(continuous(pole, sample_time)))}, mostly in state {names[int(np.argmax(np.abs(shape)))]!r}"
    )
