"""Correlated parameters, and points drawn from their distribution.

Normal numbers z of unit deviation with the correlations R = L L^T are made from independent ones, z = L x, and each is
mapped to its own distribution, p = F^-1(Phi(z)) (a Gaussian copula; A. Nataf, C. R. Acad. Sci. 225 (1962) 42). For
normal parameters R are their own correlations; for others the correlations of their normal scores, which differ little.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pliant.errors import OptionError, nearest
from pliant.studies.designs import Listed, Sobol

SURE = 1e-9  # least eigenvalue of a valid matrix of correlations
INSIDE = 1e-12  # least distance of probabilities from 0 and 1


def matrix(names: Sequence[str], given: Mapping[tuple[str, str], float]) -> np.ndarray:
    """Return correlations of all parameters, from the given pairs.

    >>> matrix(["E", "h"], {("E", "h"): 0.5}).tolist()
    [[1.0, 0.5], [0.5, 1.0]]
    """
    found = np.eye(len(names))
    for pair, value in given.items():
        if not (isinstance(pair, tuple) and len(pair) == 2 and pair[0] != pair[1]):
            raise OptionError(
                f'correlation: {pair!r:.60}: write {{("{names[0]}", "{names[-1]}"): 0.5}}, pairs of names.'
            )
        for name in pair:
            if name not in names:
                raise OptionError(f"correlation: {name!r} does not scatter (to=). {nearest(str(name), names)}")
        if isinstance(value, bool) or not isinstance(value, int | float) or not -1.0 < value < 1.0:
            raise OptionError(f"correlation of {pair[0]} and {pair[1]}: {value!r}: give a number between -1 and 1.")
        i, j = names.index(pair[0]), names.index(pair[1])
        if found[i, j] not in (0.0, float(value)):
            raise OptionError(f"correlation: {pair[0]} and {pair[1]} are given twice, {found[i, j]:g} and {value:g}.")
        found[i, j] = found[j, i] = float(value)
    if len(names) and np.linalg.eigvalsh(found)[0] < SURE:
        raise OptionError(
            "correlation: no numbers have these correlations together (the matrix is not positive definite). "
            "Make the largest of them smaller."
        )
    return found


def drawn(spreads: Mapping[str, Any], correlations: np.ndarray, runs: int, seed: int) -> Listed:
    """Draw scrambled Sobol points with these distributions and correlations."""
    from scipy.stats import norm

    shares = np.clip(Sobol(spreads, runs=runs, seed=seed).unit(len(spreads)), INSIDE, 1.0 - INSIDE)
    together = norm.cdf(norm.ppf(shares) @ np.linalg.cholesky(correlations).T)
    columns = [each.ppf(together[:, k]) for k, each in enumerate(spreads.values())]
    return Listed([dict(zip(spreads, map(float, row), strict=True)) for row in zip(*columns, strict=True)])
