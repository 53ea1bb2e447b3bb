"""Kinked and conventional arms once more, without any part of pliant: energies written down, derivatives by themselves.

Positions (eq. 6, 7, 18, 19, 23) and strain energy (eq. 4) are entire functions of the coordinates. A complex step gives
their first derivatives, Cauchy's integral round a circle their second, both to the last digits. With P' = J Q',

    M = sum of w rho A J^T J,     h = sum of w rho A J^T P'' (for Q'' = 0),     f = grad V

over Gauss points that are exact for the polynomials of an element. Slow and short: for checks, not for use.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp
from scipy.linalg import eigh

PLACES, WEIGHTS = np.polynomial.legendre.leggauss(5)
PLACES, WEIGHTS = 0.5 * (PLACES + 1.0), 0.5 * WEIGHTS  # on (0, 1); exact to degree nine, and v'^4 needs eight
CIRCLE = np.exp(2j * np.pi * np.arange(32) / 32)
STEP = 1e-30


@dataclass(frozen=True)
class Element:
    """One element: length (m), EA (N), EI (N m^2), rho A (kg/m), and what lies at its base."""

    length: float
    axial: float
    bending: float
    density: float
    joint: bool = False  # it turns against the element before
    kink: float = 0.0  # fixed angle to the element before (rad)


@dataclass(frozen=True)
class Arm:
    """A chain of elements. Coordinates: all joint angles, then (u, v, phi) of every element's tip.

    frames  "element": u, v, phi are measured in the tangent frame at the element's base (eq. 6); "link": in the
            frame of its link (eq. 23)
    system  True: deflections feel later joints as locked kinks (eq. 19, delta reset to theta at every instant)
    third, fourth  von Karman terms of eq. 4
    """

    elements: Sequence[Element]
    frames: str = "element"
    system: bool = False
    third: bool = True
    fourth: bool = True

    @property
    def joints(self) -> int:
        """Number of joint angles."""
        return sum(element.joint for element in self.elements)

    @property
    def size(self) -> int:
        """Number of coordinates."""
        return self.joints + 3 * len(self.elements)

    def positions(self, Q: np.ndarray, locked: np.ndarray) -> np.ndarray:
        """Return Gauss points of every element, (element, axis, place, ...), for Q (size, ...) and locked angles."""
        zero = np.zeros_like(Q[0])
        xi = PLACES.reshape(-1, *[1] * zero.ndim)
        x, y, psi, beta, along, joint = zero, zero, zero, zero, 0.0, -1
        base: Node = (zero, zero, zero)
        found = []
        for k, element in enumerate(self.elements):
            if element.joint:
                joint += 1
                beta = beta + Q[joint]
                psi = psi + (locked[joint] if self.system and joint else Q[joint])
            psi, beta = psi + element.kink, beta + element.kink
            tip = self._tip(Q, k)
            u, v = displacement(xi, element.length, base, tip)
            reach = along + xi * element.length
            found.append(
                [
                    x + np.cos(beta) * reach + np.cos(psi) * u - np.sin(psi) * v,
                    y + np.sin(beta) * reach + np.sin(psi) * u + np.cos(psi) * v,
                ]
            )
            along = along + element.length
            if self._frame_ends(k):
                x = x + np.cos(beta) * along + np.cos(psi) * tip[0] - np.sin(psi) * tip[1]
                y = y + np.sin(beta) * along + np.sin(psi) * tip[0] + np.cos(psi) * tip[1]
                psi, beta, along, base = psi + tip[2], beta + tip[2], 0.0, (zero, zero, zero)
            else:
                base = tip
        return np.array(found)

    def mass(self, Q: np.ndarray) -> np.ndarray:
        """Return M(Q)."""
        J = self._jacobian(Q)
        return np.asarray(np.einsum("eapi,ep,eapj->ij", J, self._masses(), J))

    def inertia_forces(self, Q: np.ndarray, rate: np.ndarray) -> np.ndarray:
        """Return h(Q, Q')."""
        size = max(np.abs(rate).max(), 1e-300)
        along = Q[:, None] + CIRCLE * rate[:, None] / size
        bias = 2.0 * size**2 * np.real((self.positions(along, Q) * CIRCLE**-2).mean(axis=-1))
        return np.asarray(np.einsum("eapi,ep,eap->i", self._jacobian(Q), self._masses(), bias))

    def energy(self, Q: np.ndarray) -> np.ndarray:
        """Return V(Q), eq. 4."""
        zero = np.zeros_like(Q[0])
        xi, weights = (values.reshape(-1, *[1] * zero.ndim) for values in (PLACES, WEIGHTS))
        base: Node = (zero, zero, zero)
        total = zero
        for k, element in enumerate(self.elements):
            tip, length = self._tip(Q, k), element.length
            stretch, slope, curvature = strains(xi, length, base, tip)
            axial = stretch**2 + self.third * stretch * slope**2 + self.fourth * slope**4 / 4.0
            total = total + 0.5 * length * (weights * (element.axial * axial + element.bending * curvature**2)).sum(0)
            base = (zero, zero, zero) if self._frame_ends(k) else tip
        return np.asarray(total)

    def elastic_forces(self, Q: np.ndarray) -> np.ndarray:
        """Return the gradient of V."""
        return np.imag(self.energy(Q[:, None] + 1j * STEP * np.eye(self.size))) / STEP

    def tangent(self, Q: np.ndarray) -> np.ndarray:
        """Return the hessian of V, from second derivatives along e_i + e_j and e_i - e_j."""
        unit, size = np.eye(self.size), 1e-3  # a polynomial: any radius is exact; this one keeps terms alike
        i, j = np.triu_indices(self.size)

        def second(direction: np.ndarray) -> np.ndarray:
            values = self.energy(Q[:, None, None] + size * direction.T[:, :, None] * CIRCLE)
            return np.asarray(2.0 / size**2 * np.real((values * CIRCLE**-2).mean(axis=-1)))

        hessian = np.zeros((self.size, self.size))
        hessian[i, j] = hessian[j, i] = 0.25 * (second(unit[i] + unit[j]) - second(unit[i] - unit[j]))
        return hessian

    def acceleration(self, Q: np.ndarray, rate: np.ndarray, torques: Sequence[float]) -> np.ndarray:
        """Return Q'' under torques at the joints (eq. 14)."""
        push = np.zeros(self.size)
        push[: self.joints] = torques
        return np.linalg.solve(self.mass(Q), push - self.inertia_forces(Q, rate) - self.elastic_forces(Q))

    def motion(
        self, times: np.ndarray, torques: Callable[[float], Sequence[float]], *, accuracy: float = 1e-10
    ) -> np.ndarray:
        """Return Q at times, from rest: (time, coordinate)."""

        def rates(t: float, y: np.ndarray) -> np.ndarray:
            Q, rate = np.split(y, 2)
            return np.concatenate([rate, self.acceleration(Q, rate, torques(t))])

        start = np.zeros(2 * self.size)
        found = solve_ivp(
            rates, (0.0, times[-1]), start, method="DOP853", t_eval=times, rtol=accuracy, atol=1e-2 * accuracy
        )
        return np.asarray(found.y[: self.size].T)

    def frequencies(self, Q: np.ndarray, *, secant: bool = False) -> np.ndarray:
        """Return natural frequencies (rad/s) at a state, joints free: of K + Hessian, or of eq. 14's secant matrix."""
        stiffness = self.tangent(Q)
        if secant:
            still = self.tangent(np.zeros(self.size))
            stiffness = still + 0.5 * (stiffness - still)  # third-order terms only: force form = half the Hessian
        values = eigh(stiffness, self.mass(Q), eigvals_only=True)
        return np.sqrt(np.maximum(values, 0.0))[self.joints :]

    def _jacobian(self, Q: np.ndarray) -> np.ndarray:
        return np.imag(self.positions(Q[:, None] + 1j * STEP * np.eye(self.size), Q)) / STEP

    def _masses(self) -> np.ndarray:
        return np.array([WEIGHTS * element.density * element.length for element in self.elements])

    def _tip(self, Q: np.ndarray, k: int) -> tuple[np.ndarray, ...]:
        first = self.joints + 3 * k
        return tuple(Q[first : first + 3])

    def _frame_ends(self, k: int) -> bool:
        """Return whether the element after k has a frame of its own."""
        if self.frames == "element" or k + 1 == len(self.elements):
            return True
        return self.elements[k + 1].joint or self.elements[k + 1].kink != 0.0


Node = Sequence[np.ndarray]


def displacement(xi: np.ndarray, length: float, base: Node, tip: Node) -> tuple[np.ndarray, np.ndarray]:
    """Return u and v between two nodes (eq. 5)."""
    u = (1 - xi) * base[0] + xi * tip[0]
    v = (1 - 3 * xi**2 + 2 * xi**3) * base[1] + (xi - 2 * xi**2 + xi**3) * length * base[2]
    return u, v + (3 * xi**2 - 2 * xi**3) * tip[1] + (xi**3 - xi**2) * length * tip[2]


def strains(xi: np.ndarray, length: float, base: Node, tip: Node) -> tuple[np.ndarray, ...]:
    """Return u', v' and v''."""
    rise = (tip[1] - base[1]) / length
    slope = 6 * (xi - xi**2) * rise + (1 - 4 * xi + 3 * xi**2) * base[2] + (3 * xi**2 - 2 * xi) * tip[2]
    curvature = (6 - 12 * xi) * rise + (6 * xi - 4) * base[2] + (6 * xi - 2) * tip[2]
    return (tip[0] - base[0]) / length + 0.0 * xi, slope, curvature / length
