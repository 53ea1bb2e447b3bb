"""Element matrices of the linear Timoshenko beam on (u1 v1 theta1 u2 v2 theta2), in the element's own axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from pliant.elements.beam_linear import Integration, LinearMass


def stiffness(length: float, section: Any, integration: Integration = "reduced") -> np.ndarray:
    """K_e: thesis (3.10) with one ("reduced") or two ("full") Gauss points for shear, or (5.32) corrected (ERRATA 11).

    section gives axial_stiffness EA, shear_stiffness GA (shear factor included) and bending_stiffness EI.
    """
    L, EA, GA, EI = length, section.axial_stiffness, section.shear_stiffness, section.bending_stiffness
    K = np.zeros((6, 6))
    K[np.ix_((0, 3), (0, 3))] = EA / L * _DIFFERENCE
    bending = np.ix_((1, 2, 4, 5), (1, 2, 4, 5))
    if integration == "exact":
        phi = shear_flexibility(L, section)
        K[bending] = EI / (L**3 * (1 + phi)) * _spread(12, 6 * L, (4 + phi) * L**2, (2 - phi) * L**2)
        return K
    own, other = (L**2 / 4, L**2 / 4) if integration == "reduced" else (L**2 / 3, L**2 / 6)
    K[bending] = GA / L * _spread(1, L / 2, own, other)
    K[np.ix_((2, 5), (2, 5))] += EI / L * _DIFFERENCE
    return K


def geometric_stiffness(
    length: float, section: Any, axial_force: float, integration: Integration = "reduced"
) -> np.ndarray:
    """K_g = N0 times the integral of v' v', N0 positive in tension: v linear, or that of the exact element."""
    L, N0 = length, axial_force
    K = np.zeros((6, 6))
    if integration != "exact":
        K[np.ix_((1, 4), (1, 4))] = N0 / L * _DIFFERENCE
        return K
    phi = shear_flexibility(L, section)
    own = L**2 * (2 / 15 + phi / 6 + phi**2 / 12)
    other = -(L**2) * (1 / 30 + phi / 6 + phi**2 / 12)
    block = _spread(6 / 5 + 2 * phi + phi**2, L / 10, own, other)
    K[np.ix_((1, 2, 4, 5), (1, 2, 4, 5))] = N0 / (L * (1 + phi) ** 2) * block
    return K


def mass(length: float, section: Any, kind: LinearMass = "consistent") -> np.ndarray:
    """M_e: linear interpolation (3.11), half the element at each node, or cubic deflection without rotary inertia.

    section gives mass_per_length and rotary_inertia (per length).
    """
    L, whole, rotary = length, section.mass_per_length * length, section.rotary_inertia * length
    M = np.zeros((6, 6))
    share = np.eye(2) / 2 if kind == "lumped" else np.array([[2, 1], [1, 2]]) / 6
    M[np.ix_((0, 3), (0, 3))] = whole * share
    if kind == "hermite":
        M[np.ix_((1, 2, 4, 5), (1, 2, 4, 5))] = (whole / 420) * np.array(
            [
                [156, 22 * L, 54, -13 * L],
                [22 * L, 4 * L**2, 13 * L, -3 * L**2],
                [54, 13 * L, 156, -22 * L],
                [-13 * L, -3 * L**2, -22 * L, 4 * L**2],
            ]
        )
    else:
        M[np.ix_((1, 4), (1, 4))] = whole * share
        M[np.ix_((2, 5), (2, 5))] = rotary * share
    return M


def shear_flexibility(length: float, section: Any) -> float:
    """phi = 12 EI/(GA L^2), thesis (5.32)."""
    return 12 * section.bending_stiffness / (section.shear_stiffness * length**2)


_DIFFERENCE = np.array([[1.0, -1.0], [-1.0, 1.0]])


def _spread(v: float, cross: float, own: float, other: float) -> np.ndarray:
    """Symmetric bending matrix on (v1 theta1 v2 theta2) that does not feel translation."""
    return np.array(
        [
            [v, cross, -v, cross],
            [cross, own, -cross, other],
            [-v, -cross, v, -cross],
            [cross, other, -cross, own],
        ]
    )
