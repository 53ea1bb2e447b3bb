"""Chapter 4: a linear leaf with pinned ends on a rigid four-bar. Do not use; kept to show what fails.

The leaf's stiffness belongs to its first position (4.8), its end nodes have rotations only (4.1), and the loop is
closed as if it were a rigid bar (4.11). Its deflection therefore never meets the loop: it rides on a rigid four-bar,
its ends cannot come nearer, and no thrust can buckle it.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh

from pliant.elements.beam_linear.matrices import stiffness
from pliant_evidence.historical.thesis_leg.integrator import Motion, generalized_alpha
from pliant_evidence.historical.thesis_leg.mechanism import Array, Mechanism, direction, normal
from pliant_evidence.historical.thesis_leg.statics import Equilibrium, equilibrium
from pliant_gallery.leg import LEG, LegParameters


class FirstModel(Mechanism):
    """The first model.

    stiffening     factor of the strain energy; a large one makes the leaf a rigid bar (end of section 4.2.3)
    damping_ratio  of the leaf's first two modes; the thesis does not give it, 0 leaves all damping out
    """

    frozen_tangent = True

    def __init__(
        self,
        given: LegParameters = LEG,
        *,
        elements: int = 10,
        stiffening: float = 1.0,
        damping_ratio: float | None = None,
    ) -> None:
        super().__init__(given, elements, gauss=(0.0,), tip_moves=False)
        self.start = self.straight(level="q1")
        angle = self.start[0] + self.start[1]
        turn = np.eye(6)
        turn[:2, :2] = turn[3:5, 3:5] = np.array([direction(angle), normal(angle)])  # global to first axes, (5.34)
        element = stiffening * turn.T @ stiffness(self.spacing, given.section, "exact") @ turn
        self.stiffness = np.zeros((self.size, self.size))
        for first in range(3, self.size - 3, 3):
            self.stiffness[first : first + 6, first : first + 6] += element
        self._flexible = np.ix_(self.active[3:], self.active[3:])
        one, two = 2.0 * np.pi * self.frequencies_hz()[:2]
        ratio = given.damping_ratio if damping_ratio is None else damping_ratio
        self.rayleigh = 2.0 * ratio * one * two / (one + two), 2.0 * ratio / (one + two)  # (5.58)

    def frequencies_hz(self) -> Array:
        """Compute the frequencies of the leaf on its pins (5.57). No load enters them."""
        mass = self.inertia(self.start, np.zeros(self.size))[0]
        return np.sqrt(eigh(self.stiffness[self._flexible], mass[self._flexible], eigvals_only=True)) / (2.0 * np.pi)

    def operators(self, q: Array, v: Array) -> tuple[Array, Array, Array, Array]:
        """Return the operators; damping is alpha M v in the residual (4.16), alpha M + beta K of the leaf in (4.15)."""
        (alpha, beta), (M, h, K, C) = self.rayleigh, self.inertia(q, v)
        C[self._flexible] += alpha * M[self._flexible] + beta * self.stiffness[self._flexible]
        return M, h + self.stiffness @ q + alpha * M @ v, K + self.stiffness, C

    def energy(self, q: Array, v: Array) -> float:
        """Return kinetic energy, of weight and of strain together."""
        return float(0.5 * v @ self.inertia(q, v)[0] @ v + self.height_energy(q) + 0.5 * q @ self.stiffness @ q)

    def closure(self, q: Array) -> Array:
        """Return the residual of (4.11): no nodal coordinate in it."""
        reach = self.given.leaf_length * direction(q[0] + q[1])
        return self.lower_tip(q) + reach - self.upper_tip(q)

    def closure_jacobian(self, q: Array) -> Array:
        """Return (4.13), with the sign of its third column corrected (ERRATA, thesis 1)."""
        given = self.given
        J = np.zeros((2, self.size))
        J[:, :2] = given.leaf_length * normal(q[0] + q[1])[:, None]
        J[:, 0] += given.lower_length * normal(q[0])
        J[:, 2] = -given.upper_length * normal(q[2])
        return J

    def simulate(
        self, start: Array | None = None, *, end_time: float, step: float = 1e-3, spectral_radius: float = 0.0
    ) -> Motion:
        """Compute the motion under its weight from rest, at q1 = 0 unless another `start` is given."""
        start = self.start if start is None else start
        return generalized_alpha(self, start, end_time=end_time, step=step, spectral_radius=spectral_radius)

    def end_load(self, thrust: float) -> Equilibrium:
        """Return the lower link held, torque on the upper one that puts the leaf under `thrust` besides its weight."""
        torque = np.zeros(self.size)
        torque[2] = -thrust * self.given.upper_length * (normal(self.start[2]) @ direction(self.start[:2].sum()))
        return equilibrium(self, self.start, hold=(0,), load=torque)
