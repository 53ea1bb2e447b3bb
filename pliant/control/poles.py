"""Poles of linear systems: what they are called, and which of them an input does not reach."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Complex = NDArray[np.complex128]

UNREACHED = 1e-9  # part of an input in a mode, of the whole input, below which it does not reach the mode
UNDAMPED = 1e-8  # damping ratio below which a mode counts as undamped
ZERO = 1e-9  # of a pole over the fastest one: what rounding makes of zero
ONE = 1e-7  # of a sampled pole's distance from one: the same


def described(pole: complex) -> str:
    """What a pole is called in messages.

    >>> described(-2.0), described(0.1 - 10.0j)
    ('real pole -2 1/s', 'mode at 1.592 Hz (pole 0.1 ± 10i 1/s)')
    """
    pole = complex(pole)
    if abs(pole.imag) <= 1e-9 * abs(pole):
        return f"real pole {pole.real:.4g} 1/s"
    return f"mode at {abs(pole) / (2.0 * math.pi):.4g} Hz (pole {pole.real:.4g} ± {abs(pole.imag):.4g}i 1/s)"


def continuous(poles: Any, sample_time: float | None) -> Complex:
    """Poles in 1/s; those of a sampled system are ``log(z) / T``, and z = 0 stands for a pole far to the left."""
    values = np.asarray(poles, complex)
    if sample_time is None:
        return values
    return np.log(np.where(np.abs(values) > 1e-300, values, 1e-300)) / sample_time


def eigenvalues(A: Array) -> Complex:
    """Poles of a matrix, small ones first, of a pair the positive frequency first."""
    values = np.linalg.eigvals(A).astype(complex)
    return values[np.lexsort((-values.imag, np.abs(values)))]


def unreached(
    A: Array,
    B: Array,
    names: Sequence[str],
    *,
    sample_time: float | None = None,
    decay: float = 0.0,
    growing: bool = True,
) -> str | None:
    """A mode that decays no faster than `decay` (1/s) and that no input moves, in words; None if there is none.

    ``growing`` False: among those that neither decay faster nor slower than that.

    Hautus: ``[A - s I, B]`` loses rank there. The test is made on the invariant subspace of the slow modes alone, in
    balanced coordinates: stiff modes, however fast, do not drown it. Transposed matrices give the modes not seen.
    """
    from scipy.linalg import matrix_balance, schur

    balanced, (scale, _) = matrix_balance(A, permute=False, separate=True)
    zero = ZERO * float(np.linalg.norm(balanced, 1)) if sample_time is None else ONE / sample_time

    def is_slow(pole: complex) -> bool:
        s = complex(continuous(pole, sample_time))
        least = -max(UNDAMPED * abs(s), zero if abs(s.imag) < zero else 0.0)
        return s.real + decay >= least and (growing or s.real + decay <= -least)

    triangle, vectors, count = schur(balanced.T.astype(complex), output="complex", sort=is_slow)
    slow, left = triangle[:count, :count].T, vectors[:, :count].T
    columns = B / scale[:, None]
    inputs = left @ (columns / np.maximum(np.linalg.norm(columns, axis=0), 1e-300))
    size = max(float(np.linalg.norm(slow)), 1e-300)
    for pole in np.diag(slow):
        pencil = np.hstack([(slow - pole * np.eye(count)) / size, inputs])
        if np.linalg.svd(pencil, compute_uv=False)[count - 1] < UNREACHED:
            shape = np.linalg.svd(balanced - pole * np.eye(len(A)))[2][-1]  # the mode: null vector of A - s I
            found = described(complex(continuous(pole, sample_time)))
            return f"{found}, mostly in state {names[int(np.argmax(np.abs(shape)))]!r}"
    return None
