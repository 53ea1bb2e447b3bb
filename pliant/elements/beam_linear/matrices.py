"""Element matrices of the linear Timoshenko beam on (u1 v1 theta1 u2 v2 theta2), in the element's own axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from pliant.elements.beam_linear import Integration, LinearMass
from pliant.kernels.beam_points.shapes import gauss


def stiffness(length: float, section: Any, integration: Integration = "reduced") -> np.ndarray:
    """Return K_e: thesis (3.10) with one ("reduced") or two ("full") Gauss points for shear, or (5.32) with ERRATA 11.

    section provides axial_stiffness EA, shear_stiffness GA (shear factor included) and bending_stiffness EI.
    """
    L, EA, GA, EI = length, section.axial_stiffness, section.shear_stiffness, section.bending_stiffness
    if integration == "exact":
        phi = shear_flexibility(L, section)
        k = EI / (L * (1 + phi))
        return exact_stiffness(L, EA, (4 + phi) * k, (2 - phi) * k, (4 + phi) * k)
    K = np.zeros((6, 6))
    K[np.ix_((0, 3), (0, 3))] = EA / L * _DIFFERENCE
    own, other = (L**2 / 4, L**2 / 4) if integration == "reduced" else (L**2 / 3, L**2 / 6)
    K[_BENDING] = GA / L * _spread(1, L / 2, own, other)
    K[np.ix_((2, 5), (2, 5))] += EI / L * _DIFFERENCE
    return K


def exact_stiffness(length: float, EA: float, k11: float, k12: float, k22: float) -> np.ndarray:
    """Return K_e from end moments ``m = k t`` for rotations t relative to the chord: exact under loads at the nodes."""
    K = np.zeros((6, 6))
    K[np.ix_((0, 3), (0, 3))] = EA / length * _DIFFERENCE
    t = np.array([[1.0 / length, 1.0, -1.0 / length, 0.0], [1.0 / length, 0.0, -1.0 / length, 1.0]])
    K[_BENDING] = t.T @ np.array([[k11, k12], [k12, k22]]) @ t
    return K


def shear_change(length: float, change: np.ndarray) -> np.ndarray:
    """Return the change of "full" K_e if GA at its two Gauss points exceeds the value at the middle by ``change``."""
    K = np.zeros((6, 6))
    for x, more in zip(gauss(2)[0], change, strict=True):
        B = np.array([-1.0, -(1.0 - x) * length, 1.0, -x * length])
        K[_BENDING] += 0.5 * more / length * np.outer(B, B)
    return K


def geometric_stiffness(
    length: float, section: Any, axial_force: float, integration: Integration = "reduced"
) -> np.ndarray:
    """Return K_g = N0 times the integral of v' v', N0 positive in tension: v linear, or of the exact element."""
    L, N0 = length, axial_force
    K = np.zeros((6, 6))
    if integration != "exact":
        K[np.ix_((1, 4), (1, 4))] = N0 / L * _DIFFERENCE
        return K
    phi = shear_flexibility(L, section)
    own = L**2 * (2 / 15 + phi / 6 + phi**2 / 12)
    other = -(L**2) * (1 / 30 + phi / 6 + phi**2 / 12)
    block = _spread(6 / 5 + 2 * phi + phi**2, L / 10, own, other)
    K[_BENDING] = N0 / (L * (1 + phi) ** 2) * block
    return K


def mass(length: float, section: Any, kind: LinearMass = "consistent") -> np.ndarray:
    """Return M_e: linear interpolation (3.11), half the element per node, or cubic deflection without rotary inertia.

    section provides mass_per_length and rotary_inertia (per length).
    """
    L, whole, rotary = length, section.mass_per_length * length, section.rotary_inertia * length
    share = np.eye(2) / 2 if kind == "lumped" else np.array([[2, 1], [1, 2]]) / 6
    if kind != "hermite":
        return pair_mass(whole * share, rotary * share)
    M = pair_mass(whole * share, np.zeros((2, 2)))
    M[_BENDING] = (whole / 420) * np.array(
        [
            [156, 22 * L, 54, -13 * L],
            [22 * L, 4 * L**2, 13 * L, -3 * L**2],
            [54, 13 * L, 156, -22 * L],
            [-13 * L, -3 * L**2, -22 * L, 4 * L**2],
        ]
    )
    return M


def pair_mass(line: np.ndarray, rotary: np.ndarray) -> np.ndarray:
    """Return M_e from the (2, 2) matrices of mass and of rotary inertia of linear interpolation, or lumped."""
    M = np.zeros((6, 6))
    M[np.ix_((0, 3), (0, 3))] = M[np.ix_((1, 4), (1, 4))] = line
    M[np.ix_((2, 5), (2, 5))] = rotary
    return M


def hermite_change(length: float, x: np.ndarray, weight: np.ndarray, change: np.ndarray) -> np.ndarray:
    """Return the change of "hermite" M_e in transverse motion for a mass per length larger by ``change`` at x."""
    H = np.array([1 - 3 * x**2 + 2 * x**3, length * x * (1 - x) ** 2, 3 * x**2 - 2 * x**3, length * x**2 * (x - 1)])
    M = np.zeros((6, 6))
    M[_BENDING] = length * (H * (weight * change)) @ H.T
    return M


def shear_flexibility(length: float, section: Any) -> float:
    """Return phi = 12 EI/(GA L^2), thesis (5.32)."""
    return 12 * section.bending_stiffness / (section.shear_stiffness * length**2)


_BENDING = np.ix_((1, 2, 4, 5), (1, 2, 4, 5))
_DIFFERENCE = np.array([[1.0, -1.0], [-1.0, 1.0]])


def _spread(v: float, cross: float, own: float, other: float) -> np.ndarray:
    """Return the symmetric bending matrix on (v1 theta1 v2 theta2) that is zero for translation."""
    return np.array(
        [
            [v, cross, -v, cross],
            [cross, own, -cross, other],
            [-v, -cross, v, -cross],
            [cross, other, -cross, own],
        ]
    )
