"""Common parts of both models of the thesis: coordinates, the place of every point, inertia and weight.

    q = (q1, q2, q3, u_1, v_1, theta_1, u_2, ...)
    x(s) = P_1 + L_1 e(q1) + s e(q1 + q2) + (u, v)(s)        (5.4), listing 5.2; e(a) = (cos a, sin a), n = e'

The leaf lies on a straight baseline of angle psi = q1 + q2, and u, v are added to it along global x and y. All arrays
have the coordinates of every node; ``active`` are those that may move.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from pliant_gallery.leg import LegParameters

Array = np.ndarray
TWO_POINTS = (-(3**-0.5), 3**-0.5)


def direction(angle: float) -> Array:
    """Return e(a) = (cos a, sin a)."""
    return np.array([np.cos(angle), np.sin(angle)])


def normal(angle: float) -> Array:
    """Return n(a) = (-sin a, cos a), the derivative of e."""
    return np.array([-np.sin(angle), np.cos(angle)])


class Mechanism(ABC):
    """Two rigid links and a leaf of two-node elements; a model adds how the leaf strains and how the loop closes.

    gauss      points of an element, in -1 ... 1, at which its mass sits
    tip_moves  whether the last node has u and v; the first has none, it is the tip of link 1
    """

    frozen_tangent = False
    """Whether Newton keeps the matrix of the beginning of a step (4.4.1)."""
    averaged_loop = True
    """Whether the loop is closed at the weighted state of (5.51), not at the end of a step."""

    def __init__(self, given: LegParameters, elements: int, *, gauss: Sequence[float], tip_moves: bool) -> None:
        self.given, self.elements, self.spacing = given, elements, given.leaf_length / elements
        self.size = 3 * elements + 6
        moves = np.ones((elements + 1, 3), dtype=bool)
        moves[0, :2], moves[-1, :2] = False, tip_moves
        self.active = np.concatenate([[0, 1, 2], 3 + np.flatnonzero(moves)])
        places, shape = self._interpolation(gauss)
        self._s = self.spacing * places
        self._mass = given.section.mass_per_length * given.leaf_length / len(places)  # of every point
        self._nodal = np.zeros((2 * len(places), self.size))  # rows x and y of every point
        self._nodal[0::2, 3::3] = self._nodal[1::2, 4::3] = shape
        turning = np.zeros((2 * elements, self.size))  # omega = q1' + q2' + theta', (4.6) and (5.14)
        turning[:, :2], turning[:, 5::3] = 1.0, self._interpolation(TWO_POINTS)[1]
        links = [given.lower_mass * given.lower_length**2 / 3.0, 0.0, given.upper_mass * given.upper_length**2 / 3.0]
        self._turning_mass = 0.5 * self.spacing * given.section.rotary_inertia * turning.T @ turning
        self._turning_mass[:3, :3] += np.diag(links)  # (4.3), (5.20)

    def _interpolation(self, gauss: Sequence[float]) -> tuple[Array, Array]:
        """Return places of the points (in elements from the first node) and the linear shape functions (5.6) there."""
        places = (np.arange(self.elements)[:, None] + 0.5 * (1.0 + np.array(gauss))).ravel()
        return places, np.clip(1.0 - np.abs(places[:, None] - np.arange(self.elements + 1)), 0.0, 1.0)

    @abstractmethod
    def operators(self, q: Array, v: Array) -> tuple[Array, Array, Array, Array]:
        """Return M, H(q, v), dH/dq, and the damping matrix of the iteration."""

    @abstractmethod
    def closure(self, q: Array) -> Array:
        """Return phi(q), zero where the loop is closed."""

    @abstractmethod
    def closure_jacobian(self, q: Array) -> Array:
        """Return J_c = dphi/dq, (rows, coordinates)."""

    def closing(self, state: Array, rates: Array, printed: Array, step: float) -> tuple[Array, float]:
        """Return the residual of the loop's rows in a step at a state (q, v, a), and the factor of B = f J_c (5.54).

        rates    how much of a change of the weighted q reaches the state
        printed  the same as in listing 5.5: nothing for q, then gamma_p and beta_p of (5.52)
        """
        return self.closure(state[0]), rates[0]

    def closure_stiffness(self, q: Array, multipliers: Array) -> Array:
        """Return d(J_c' lambda)/dq; the loop depends on the angles and on the last two nodes only."""
        return self._slope(lambda x: self.closure_jacobian(x).T @ multipliers, q)

    def _slope(self, function: Callable[[Array], Array], q: Array, width: float = 1e-6) -> Array:
        """Return the derivative of a vector of the loop's coordinates by central differences."""
        slope = np.zeros((self.size, self.size))
        for i in (0, 1, 2, *range(self.size - 6, self.size)):
            step = width * (np.arange(self.size) == i)
            slope[:, i] = (function(q + step) - function(q - step)) / (2.0 * width)
        return slope

    def reaction(self, q: Array, multipliers: Array) -> Array:
        """Return J_c' lambda as it enters the residual."""
        return self.closure_jacobian(q).T @ multipliers

    def settled(self, q: Array, v: Array) -> tuple[Array, Array]:
        """Return position and velocity as corrected after a step."""
        return q, v

    def straight(self, *, level: str, chord: float | None = None) -> Array:
        """Return a straight leaf with one link level, "q1" or "q3", and A and B as far apart as the leaf is long.

        With another `chord` the links are where it puts them, and the leaf points at B but does not end there.
        """
        q = np.zeros(self.size)
        q[0], q[2] = replace(self.given, leaf_length=chord or self.given.leaf_length).straight(level)
        reach = self.upper_tip(q) - self.lower_tip(q)
        q[1] = np.arctan2(reach[1], reach[0]) - q[0]
        return q

    def lower_tip(self, q: Array) -> Array:
        """Return A, the tip of link 1."""
        return self.given.lower_pivot + self.given.lower_length * direction(q[0])

    def upper_tip(self, q: Array) -> Array:
        """Return the tip of link 3, with which the leaf's tip B is to coincide (5.2)."""
        return self.given.upper_pivot + self.given.upper_length * direction(q[2])

    def nodes(self, q: Array) -> Array:
        """Return where the nodes are, (nodes, 2): listing 5.2."""
        baseline = np.outer(self.spacing * np.arange(self.elements + 1), direction(q[0] + q[1]))
        return self.lower_tip(q) + baseline + q[3:].reshape(-1, 3)[:, :2]

    def nodal_strain(self, q: Array) -> Array:
        """Return the lengthening of every element, measured between its nodes as in table 5.3."""
        return np.linalg.norm(np.diff(self.nodes(q), axis=0), axis=1) / self.spacing - 1.0

    def inertia(self, q: Array, v: Array) -> tuple[Array, Array, Array, Array]:
        """Return the mass M, the forces h of weight and of q'^2, dh/dq and dh/dv: (4.3) to (4.7), (5.20) to (5.23).

        With the velocity J v of the points, M = sum m J'J and h = sum m J' (dJ/dt v + g).
        """
        given, spin = self.given, v[0] + v[1]
        e1, n1 = (np.tile(given.lower_length * of(q[0]), len(self._s)) for of in (direction, normal))
        e2, n2 = (np.outer(self._s, of(q[0] + q[1])).ravel() for of in (direction, normal))
        J = self._nodal.copy()
        J[:, 0], J[:, 1] = n1 + n2, n2
        bias = -e1 * v[0] ** 2 - e2 * spin**2
        bias[1::2] += given.gravity
        mJ = self._mass * J.T
        arms = given.gravity * np.array([given.lower_mass * given.lower_length, given.upper_mass * given.upper_length])
        h = mJ @ bias
        h[[0, 2]] += 0.5 * arms * np.cos(q[[0, 2]])
        K, C = np.zeros((2, self.size, self.size))
        K[:, :2] = mJ @ np.column_stack([-n1 * v[0] ** 2 - n2 * spin**2, -n2 * spin**2])
        K[:2, :2] -= self._mass * bias @ e2
        K[0, 0] -= self._mass * bias @ e1
        K[[0, 2], [0, 2]] -= 0.5 * arms * np.sin(q[[0, 2]])
        C[:, :2] = -2.0 * mJ @ np.column_stack([e1 * v[0] + e2 * spin, e2 * spin])
        return mJ @ J + self._turning_mass, h, K, C

    def height_energy(self, q: Array) -> float:
        """Return the energy of weight (4.4), (4.7), (5.22), (5.23), from the height of O."""
        given = self.given
        links = given.lower_mass * (self.lower_tip(q) + given.lower_pivot)
        links += given.upper_mass * (self.upper_tip(q) + given.upper_pivot)
        baseline = self.lower_tip(q)[1] + self._s * np.sin(q[0] + q[1])
        return float(given.gravity * (0.5 * links[1] + self._mass * np.sum(baseline + self._nodal[1::2] @ q)))
