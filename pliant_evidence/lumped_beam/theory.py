"""Frequencies of a free beam: exact (Euler-Bernoulli), and of its rigid elements without any of pliant's parts."""

from __future__ import annotations

from math import pi, sqrt
from typing import Any

import numpy as np
from scipy.linalg import eigh
from scipy.optimize import brentq

from pliant.model import Section

Array = np.ndarray[Any, np.dtype[np.float64]]


def euler_bernoulli(section: Section, length: float, modes: int) -> Array:
    """Return ``cos x cosh x = 1``, f = (x / L)^2 sqrt(EI / rho A) / 2 pi (Hz); the roots lie near (n + 1/2) pi."""
    roots = [
        float(brentq(lambda x: np.cos(x) - 1.0 / np.cosh(x), (n + 0.5) * pi - 0.3, (n + 0.5) * pi + 0.3, xtol=1e-14))
        for n in range(1, modes + 1)
    ]
    speed = sqrt(section.bending_stiffness / section.mass_per_length)
    return np.asarray((np.array(roots) / length) ** 2 * speed / (2.0 * pi))


def lumped(section: Section, length: float, elements: int, torsion_stiffness: float | None = None) -> Array:
    """Return bending frequencies (Hz) of rigid elements, the end ones of half length, with springs K_T = EI / l.

    Unknown are the height of the base and the angle of every element: element i has its centre at the height
    ``y + sum over k < i of l_k phi_k + l_i phi_i / 2``, and the inertia m l^2 / 12 + rho I l about it.
    """
    shares = np.ones(elements)
    shares[[0, -1]] = 0.5
    sizes = length * shares / shares.sum()
    stiffness = section.bending_stiffness * (elements - 1) / length if torsion_stiffness is None else torsion_stiffness
    heights = np.column_stack([np.ones(elements), np.tril(np.tile(sizes, (elements, 1)), -1) + 0.5 * np.diag(sizes)])
    masses = section.mass_per_length * sizes
    mass = heights.T @ (masses[:, None] * heights)
    mass[1:, 1:] += np.diag(masses * sizes**2 / 12.0 + section.rotary_inertia * sizes)
    turn = np.diff(np.eye(elements + 1), axis=0)[1:]
    squares = eigh(stiffness * turn.T @ turn, mass, eigvals_only=True)
    return np.asarray(np.sqrt(squares[2:]) / (2.0 * pi))  # two are of rigid motion


def fitted(section: Section, length: float, elements: int, first_hz: float) -> float:
    """Return the K_T with which the elements have this first frequency: it is proportional to sqrt(K_T)."""
    return float((first_hz / lumped(section, length, elements, 1.0)[0]) ** 2)
