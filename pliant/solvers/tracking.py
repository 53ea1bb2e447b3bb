"""Which eigenvalue goes on as which, when a parameter changes: modes followed by their shapes and by their values."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment

UNLIKE = 5.0  # what shapes without likeness weigh, against a value that is a step of the parameter off
SLOW = 1e-9  # of the largest: an eigenvalue whose sign means nothing


class Tracked(NamedTuple):
    """Eigenvalues in the order in which they are followed, vectors in columns, and how values change with the
    parameter.
    """

    values: np.ndarray
    vectors: np.ndarray
    slopes: np.ndarray


def both_ways(values: np.ndarray, vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Eigenpairs with their conjugates: a frequency may pass through zero and go on with the other sign."""
    turning = np.abs(values.imag) > SLOW * np.max(np.abs(values), initial=0.0)
    return (
        np.concatenate([values, values[turning].conj()]),
        np.hstack([vectors, vectors[:, turning].conj()]),
    )


def follow(before: Tracked, step: float, values: np.ndarray, vectors: np.ndarray, mass: Any) -> Tracked:
    """The same modes a step of the parameter later, among eigenpairs found there.

    Likeness of shapes is ``|x^* M y|^2 / (x^* M x y^* M y)`` (modal assurance); values are compared with where they
    were going, in steps of the parameter (angular frequencies in turning axes change by about one).
    """
    values, vectors = both_ways(values, vectors)
    old, new = _unit(before.vectors, mass), _unit(vectors, mass)
    likeness = np.abs(old.conj().T @ (mass @ new)) ** 2
    expected = before.values + step * before.slopes
    off = np.abs(values[None, :] - expected[:, None]) / abs(step)
    _, chosen = linear_sum_assignment(UNLIKE * (1.0 - likeness) + off)
    found = values[chosen]
    return Tracked(found, vectors[:, chosen], (found - before.values) / step)


def _unit(vectors: np.ndarray, mass: Any) -> np.ndarray:
    """Columns of unit mass."""
    sizes = np.sum(vectors.conj() * (mass @ vectors), axis=0).real
    return np.asarray(vectors / np.sqrt(np.maximum(sizes, 1e-300)))
