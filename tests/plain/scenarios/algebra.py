"""Linear algebra where no mechanism is needed to show it: pivots that are repaired, matrices that are singular."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from pliant.linalg import ldl
from tests.plain.scenarios import Numbers

MATRICES = {
    "pivots that vanish": [[0, 1, 2, 0], [1, 0, 0, 3], [2, 0, 1, 0], [0, 3, 0, 0]],
    "singular": [[1, 1, 0, 0], [1, 1, 0, 0], [0, 0, 2, 1], [0, 0, 1, 1]],
    "not finite": [[np.nan, 1, 0, 0], [1, 1, 0, 0], [0, 0, 2, 1], [0, 0, 1, 1]],
}


def scenarios() -> Iterator[tuple[str, Callable[[], Numbers]]]:
    """Yield names, and what computes the numbers."""
    for name, rows in MATRICES.items():
        for unsymmetric in (False, True):
            yield f"{name}{' LU' * unsymmetric}", partial(solved, np.array(rows, float), unsymmetric)


def solved(matrix: np.ndarray, unsymmetric: bool) -> Numbers:
    """Return factors of a symmetric matrix, and a solution where there is one."""
    n = len(matrix)
    everything, (i, j) = np.arange(n)[None], np.tril_indices(n)
    pattern = ldl.analyse(n, [everything], np.zeros(n, bool), np.arange(n))
    s, x = np.zeros(pattern.storage), np.arange(1.0, n + 1.0)
    s[ldl.slots(pattern, everything[:, i], everything[:, j])[0]] = matrix[i, j]
    work = ldl.workspace(pattern)
    fine = ldl.solve_once(pattern, s, np.zeros_like(s), work, x, unsymmetric)
    return {"fine": fine, "repairs": work.repairs, "solution": x if fine else 0.0}
