"""Tracking of modes while a parameter changes, by their shapes and their values."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pliant._libraries import optimize

UNLIKE = 5.0  # weight of shapes without likeness, against a value that is one parameter step off


class Tracked(NamedTuple):
    """Eigenvalues in the order of tracking, vectors in columns, and derivatives of the values by the parameter."""

    values: np.ndarray
    vectors: np.ndarray
    slopes: np.ndarray


def follow(before: Tracked, step: float, values: np.ndarray, vectors: np.ndarray, mass: Any) -> Tracked:
    """Find the modes one parameter step later, among eigenpairs with one of each conjugate pair.

    Likeness of shapes is ``|x^* M y|^2 / (x^* M x y^* M y)`` (modal assurance); values are compared with their linear
    extrapolation, in steps of the parameter (angular frequencies in turning axes change by about one). A frequency may
    pass through zero and continue as its conjugate.
    """
    old, expected = _unit(before.vectors, mass), before.values + step * before.slopes
    ways = [(values, vectors), (values.conj(), vectors.conj())]
    costs = np.array([_cost(old, expected, each, _unit(x, mass), mass, abs(step)) for each, x in ways])
    _, chosen = optimize.linear_sum_assignment(costs.min(axis=0))
    turned = np.argmin(costs[:, np.arange(chosen.size), chosen], axis=0).astype(bool)
    found = np.where(turned, values[chosen].conj(), values[chosen])
    shapes = np.where(turned, vectors[:, chosen].conj(), vectors[:, chosen])
    return Tracked(found, shapes, (found - before.values) / step)


def _cost(
    old: np.ndarray, expected: np.ndarray, values: np.ndarray, new: np.ndarray, mass: Any, step: float
) -> np.ndarray:
    """Return a (modes, candidates) matrix of the cost of each assignment."""
    likeness = np.abs(old.conj().T @ (mass @ new)) ** 2
    return np.asarray(UNLIKE * (1.0 - likeness) + np.abs(values[None, :] - expected[:, None]) / step)


def _unit(vectors: np.ndarray, mass: Any) -> np.ndarray:
    """Scale columns to unit mass."""
    sizes = np.sum(vectors.conj() * (mass @ vectors), axis=0).real
    return np.asarray(vectors / np.sqrt(np.maximum(sizes, 1e-300)))
