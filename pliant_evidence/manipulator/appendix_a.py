"""Appendix A of the manipulator paper: matrices of the two-element kinked arm in closed form, misprints corrected.

Coordinates (theta_1, U_2, V_2, phi_2, U_4, V_4, phi_4): the joint, then each element's tip in its own frame. Lengths
are parts of the first element's L_1, masses of rho_1 A_1 L_1, times of L_1 / U_g1, where U_g1 = sqrt(E_1 I_1 / rho_1
A_1) / L_1 (eq. 15: the length of the *segment*). Every function also takes complex coordinates, so that a complex step
differentiates it to the last digit.

The geometric stiffness as printed is the one of eq. 14: Delta K Q is the *force*, the gradient of the third-order
energy. In eq. 10 the same matrix would give 3/2 of that energy (homogeneous of degree three: Q . grad V = 3 V).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

MISPRINTS = {
    (2, 4): "the term phi_2 / 15 has the wrong sign",
    (5, 6): "(U_a2 U_g1)^2 lacks the bar of the fraction",
    (5, 7): "the term phi_4 m / 15 has the wrong sign",
    (6, 6): "(U_a2 U_g1)^2 lacks the bar of the fraction",
}
"""Wrong entries of the geometric stiffness, by their printed indices. The other entries, and all of the mass matrix and
of the bending stiffness, are right."""

SIZE = 7


@dataclass(frozen=True)
class Kinked:
    """Two elements with a kink between: ratios of eq. 15 and the two pairs of characteristic velocities (m/s)."""

    bending_1: float  # U_g1, with the length of the element
    axial_1: float  # U_a1
    bending_2: float
    axial_2: float
    mass_ratio: float = 1.0  # m = rho_2 A_2 / rho_1 A_1
    length_ratio: float = 1.0  # L = L_2 / L_1
    kink: float = 0.0  # delta, rad

    def mass(self, Q: np.ndarray) -> np.ndarray:
        """Return M(Q)."""
        m, L = self.mass_ratio, self.length_ratio
        _, U2, V2, p2, U4, V4, p4 = Q
        c, s = np.cos(self.kink + p2), np.sin(self.kink + p2)
        M = np.zeros((SIZE, SIZE), dtype=np.result_type(Q, float))
        own = 13 / 35 * L * m * V4**2 - 11 / 105 * L**2 * m * V4 * p4 + 1 / 105 * L**3 * m * p4**2
        M[0, 0] = (
            1 / 3 + L * m + L**3 * m / 3 + L**2 * m * c + 2 / 3 * U2 + 2 * L * m * U2 + L**2 * m * c * U2
            + U2**2 / 3 + L * m * U2**2 + 2 / 3 * L**2 * m * U4 + L * m * c * U4 + L * m * c * U2 * U4
            + L * m * U4**2 / 3 + L**2 * m * s * V2 + L * m * s * U4 * V2 + 13 / 35 * V2**2
            + L * m * V2**2 - L * m * s * V4 - L * m * s * U2 * V4 + L * m * c * V2 * V4
            - 11 / 105 * V2 * p2 + p2**2 / 105 + L**2 * m * s * p4 / 6
            + L**2 * m * s * U2 * p4 / 6 - L**2 * m * c * V2 * p4 / 6 + own
        )  # fmt: skip
        M[0, 1] = (
            -L**2 * m * s / 2 - L * m * s * U4 / 2 - 7 / 20 * V2 - L * m * V2 - L * m * c * V4 / 2 + p2 / 20
            + L**2 * m * c * p4 / 12
        )  # fmt: skip
        M[0, 2] = (
            7 / 20 + L * m + L**2 * m * c / 2 + 7 / 20 * U2 + L * m * U2 + L * m * c * U4 / 2 - L * m * s * V4 / 2
            + L**2 * m * s * p4 / 12
        )  # fmt: skip
        M[0, 3] = (
            -1 / 20 + L**3 * m / 3 + L**2 * m * c / 2 - U2 / 20 + L**2 * m * c * U2 / 2 + 2 / 3 * L**2 * m * U4
            + L * m * c * U4 / 2 + L * m * c * U2 * U4 / 2 + L * m * U4**2 / 3 + L**2 * m * s * V2 / 2
            + L * m * s * U4 * V2 / 2 - L * m * s * V4 / 2 - L * m * s * U2 * V4 / 2 + L * m * c * V2 * V4 / 2
            + L**2 * m * s * p4 / 12 + L**2 * m * s * U2 * p4 / 12 - L**2 * m * c * V2 * p4 / 12 + own
        )  # fmt: skip
        M[0, 4] = L * m * (s + s * U2 - c * V2 - 7 / 10 * V4 + L * p4 / 10) / 2
        M[0, 5] = L * m * (7 / 10 * L + c + c * U2 + 7 / 10 * U4 + s * V2) / 2
        M[0, 6] = (
            -L**3 * m / 20 - L**2 * m * c / 12 - L**2 * m * c * U2 / 12 - L**2 * m * U4 / 20 - L**2 * m * s * V2 / 12
        )  # fmt: skip
        M[1, 1] = 1 / 3 + L * m
        M[1, 3] = -L * m * (L * s + s * U4 + c * V4 - L * c * p4 / 6) / 2
        M[1, 4], M[1, 5], M[1, 6] = L * m * c / 2, -L * m * s / 2, L**2 * m * s / 12
        M[2, 2] = 13 / 35 + L * m
        M[2, 3] = -11 / 210 + L**2 * m * c / 2 + L * m * c * U4 / 2 - L * m * s * V4 / 2 + L**2 * m * s * p4 / 12
        M[2, 4], M[2, 5], M[2, 6] = L * m * s / 2, L * m * c / 2, -(L**2) * m * c / 12
        M[3, 3] = 1 / 105 + L**3 * m / 3 + 2 / 3 * L**2 * m * U4 + L * m * U4**2 / 3 + own
        M[3, 4] = -7 / 20 * L * m * V4 + L**2 * m * p4 / 20
        M[3, 5] = 7 / 20 * L**2 * m + 7 / 20 * L * m * U4
        M[3, 6] = -(L**3) * m / 20 - L**2 * m * U4 / 20
        M[4, 4] = L * m / 3
        M[5, 5], M[5, 6], M[6, 6] = 13 / 35 * L * m, -11 / 210 * L**2 * m, L**3 * m / 105
        return _symmetric(M)

    def stiffness(self) -> np.ndarray:
        """Return K: bending, and the axial stiffness, which the paper prints as Delta K(2, 2) and Delta K(5, 5)."""
        m, L, bending = self.mass_ratio, self.length_ratio, (self.bending_2 / self.bending_1) ** 2
        K = np.zeros((SIZE, SIZE))
        K[2, 2], K[2, 3], K[3, 3] = 12.0, -6.0, 4.0
        # U_g2 of eq. 15 carries its own length: E_2 I_2 / E_1 I_1 = m L^2 (U_g2 / U_g1)^2
        K[5, 5], K[5, 6], K[6, 6] = 12.0 * m / L * bending, -6.0 * m * bending, 4.0 * L * m * bending
        K[1, 1] = (self.axial_1 / self.bending_1) ** 2
        K[4, 4] = (self.axial_2 / self.bending_1) ** 2 * m / L
        return _symmetric(K)

    def geometric_stiffness(self, Q: np.ndarray, *, printed: bool = False) -> np.ndarray:
        """Return Delta K(Q) of eq. 14, third-order terms; with `printed`, as the paper has it."""
        m, L = self.mass_ratio, self.length_ratio
        _, U2, V2, p2, U4, V4, p4 = Q
        first, second = (self.axial_1 / self.bending_1) ** 2, (self.axial_2 / self.bending_1) ** 2
        slip, sign = ((self.axial_2 * self.bending_1) ** 2, -1.0) if printed else (second, 1.0)
        K = np.zeros((SIZE, SIZE), dtype=np.result_type(Q, float))
        K[1, 2] = first * (3 / 5 * V2 - p2 / 20)
        K[1, 3] = first * (-V2 / 20 + sign * p2 / 15)
        K[2, 2], K[2, 3], K[3, 3] = first * 3 / 5 * U2, -first * U2 / 20, first * U2 / 15
        K[4, 5] = slip * (3 / 5 * m / L**2 * V4 - m / L * p4 / 20)
        K[4, 6] = second * (-m / L * V4 / 20 + sign * m * p4 / 15)
        K[5, 5], K[5, 6], K[6, 6] = slip * 3 / 5 * m / L**2 * U4, -second * m / L * U4 / 20, second * m * U4 / 15
        return _symmetric(K)

    def inertia_forces(self, Q: np.ndarray, rate: np.ndarray) -> np.ndarray:
        """Return H(Q, Q') = M' Q' - 1/2 grad(Q'^T M Q') (eq. 13), by complex steps on M."""
        slopes = np.array([_complex_step(self.mass, Q, direction) for direction in np.eye(SIZE)])
        return np.einsum("kij,k,j->i", slopes, rate, rate) - 0.5 * np.einsum("kij,i,j->k", slopes, rate, rate)

    def elastic_forces(self, Q: np.ndarray) -> np.ndarray:
        """Return (K + Delta K(Q)) Q."""
        return (self.stiffness() + self.geometric_stiffness(Q)) @ Q


def _symmetric(upper: np.ndarray) -> np.ndarray:
    return np.asarray(upper + np.triu(upper, 1).T)


def _complex_step(function: Any, at: np.ndarray, direction: np.ndarray, step: float = 1e-30) -> np.ndarray:
    """Return the derivative along a direction, without cancellation."""
    return np.asarray(function(at + 1j * step * direction).imag / step)
