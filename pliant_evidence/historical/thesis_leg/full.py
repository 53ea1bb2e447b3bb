"""Chapter 5 as written. Do not use; kept to show what fails.

Nodal u, v are added to the baseline along global x and y (listing 5.2), and the strain energy reads the same numbers as
displacement along and across the element (5.15). What is wrong can be mended one by one:

    "strain"    the reading: a leaf that stands upright can be made shorter without strain
    "reaction"  J_c' lambda is left out of (5.49) and of listing 5.5; project_loop closes the loop after each iteration
    "tendon"    the q1 column of listing 5.4, and the geometric stiffness of (5.48)
    "position"  omega_B^2 J_c is left out of B in listing 5.5, and gamma_p of (5.52) is too large by 1 / (1 - alpha_f)
    "velocity"  (dJ_c/dt) q' is left out of (5.42)
    "average"   the loop is closed at the weighted state (5.51), which cannot be on it when both ends of the step are
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from pliant.errors import OptionError
from pliant_evidence.historical.thesis_leg.integrator import Motion, generalized_alpha
from pliant_evidence.historical.thesis_leg.mechanism import TWO_POINTS, Array, Mechanism, direction, normal
from pliant_evidence.historical.thesis_leg.statics import TRUST, Equilibrium, constrained_solution, equilibrium
from pliant_gallery.leg import LEG, LegParameters

DEFECTS = frozenset({"strain", "reaction", "tendon", "position", "velocity", "average"})
TIPS = ("global", "element")


class FullModel(Mechanism):
    """The full model.

    defects        those that are left in; all unless given
    tip            axes of the last node's u, v in the loop: "global" as in the listings, "element" as in (5.5): those
                   of the last element's chord, which listing 5.2 gives
    stabilisation  Baumgarte's zeta and kappa = omega_B times the step; the thesis advises 0.5 to 0.9 and 10 to 30
    """

    def __init__(
        self,
        given: LegParameters = LEG,
        *,
        elements: int = 4,
        defects: Iterable[str] = DEFECTS,
        tip: str = "global",
        stabilisation: tuple[float, float] = (0.7, 10.0),
    ) -> None:
        self.defects, self.tip_axes, self.stabilisation = frozenset(defects), tip, stabilisation
        if not self.defects <= DEFECTS or tip not in TIPS:
            raise OptionError(f"defects={defects!r}, tip={tip!r}: choose some of {sorted(DEFECTS)} and one of {TIPS}.")
        super().__init__(given, elements, gauss=TWO_POINTS, tip_moves=True)
        self.averaged_loop = "average" in self.defects
        ends = np.eye(elements, elements + 1), np.eye(elements, elements + 1, 1)
        self._du, self._dv, self._dtheta, self._mean = np.zeros((4, elements, self.size))
        for row, first in (self._du, 3), (self._dv, 4), (self._dtheta, 5):
            row[:, first::3] = (ends[1] - ends[0]) / self.spacing  # (5.17)
        self._mean[:, 5::3] = 0.5 * (ends[0] + ends[1])  # (5.16)

    # ---- strain energy

    def strains(self, q: Array) -> tuple[Array, Array, Array]:
        """Return the axial strain, shear and curvature of every element (5.15), as the energy reads them."""
        read = q if "strain" in self.defects else self._turn(q)[0] @ q
        return self._du @ read + 0.5 * (self._dv @ read) ** 2, (self._dv - self._mean) @ read, self._dtheta @ read

    def strain_energy(self, q: Array) -> tuple[float, Array, Array]:
        """Return U (5.19), its gradient and its Hessian."""
        if "strain" in self.defects:
            return self._von_karman(q)
        T, T1, T2 = self._turn(q)
        energy, g, K = self._von_karman(T @ q)
        rate = T1 @ q
        gradient, tangent, cross = T.T @ g, T.T @ K @ T, T.T @ K @ rate + T1.T @ g
        gradient[:2] += g @ rate
        tangent[:2] += cross
        tangent[:, :2] += cross[:, None]
        tangent[:2, :2] += rate @ K @ rate + g @ T2 @ q
        return energy, gradient, tangent

    def chord_stiffness(self, q: Array) -> float:
        """Return the resistance of the strain energy to a shorter distance AB (N/m): EA / L of a straight leaf."""
        free, J = np.setdiff1d(self.active, (0, 2)), self.closure_jacobian(q)
        along = np.zeros(len(J))
        along[:2] = direction(q[0] + q[1])
        _, force = constrained_solution(self.strain_energy(q)[2], J, free, np.zeros(len(free)), along)
        return float(-along @ force)

    def _von_karman(self, q: Array) -> tuple[float, Array, Array]:
        section = self.given.section
        EA, GA, EI = section.axial_stiffness, section.shear_stiffness, section.bending_stiffness
        slope, shear = self._dv @ q, self._dv - self._mean
        axial = self._du + slope[:, None] * self._dv
        strain, gamma, curvature = self._du @ q + 0.5 * slope**2, shear @ q, self._dtheta @ q
        energy = 0.5 * (EA * strain @ strain + GA * gamma @ gamma + EI * curvature @ curvature)
        gradient = EA * strain @ axial + GA * gamma @ shear + EI * curvature @ self._dtheta
        tangent = EA * (axial.T @ axial + self._dv.T @ (strain[:, None] * self._dv))
        tangent += GA * shear.T @ shear + EI * self._dtheta.T @ self._dtheta
        return self.spacing * float(energy), self.spacing * gradient, self.spacing * tangent

    def _turn(self, q: Array) -> tuple[Array, Array, Array]:
        """Return the global u, v to those along and across the baseline, and the first two derivatives by its angle."""
        t, n = direction(q[0] + q[1]), normal(q[0] + q[1])
        turns = np.zeros((3, self.size, self.size))
        for turn, (along, across, other) in zip(turns, ((t, n, 1.0), (n, -t, 0.0), (-t, -n, 0.0)), strict=True):
            block = np.zeros((3, 3))
            block[0, :2], block[1, :2], block[2, 2] = along, across, other
            turn[3:, 3:] = np.kron(np.eye(self.elements + 1), block)
        return turns[0], turns[1], turns[2]

    # ---- loop and tendon

    def reach(self, q: Array) -> tuple[Array, Array]:
        """Return p_B - p_A and its Jacobian (listings 5.3 and 5.4)."""
        angle, last, before = q[0] + q[1], q[-3:-1], q[-6:-4]
        J = np.zeros((2, self.size))
        J[:, :2] = self.given.leaf_length * normal(angle)[:, None]
        axes = np.eye(2)
        if self.tip_axes == "element":
            chord, chord_q = self.spacing * direction(angle) + last - before, np.zeros((2, self.size))
            chord_q[:, :2] = self.spacing * normal(angle)[:, None]
            chord_q[:, -3:-1], chord_q[:, -6:-4] = np.eye(2), -np.eye(2)
            t = chord / np.linalg.norm(chord)
            n = np.array([-t[1], t[0]])
            axes = np.column_stack([t, n])
            J += np.outer(np.column_stack([n, -t]) @ last, n @ chord_q / np.linalg.norm(chord))
        J[:, -3:-1] += axes
        return self.given.leaf_length * direction(angle) + axes @ last, J

    def closure(self, q: Array) -> Array:
        """Return (5.38). With the strain mended q2 would be one coordinate too many: then the baseline is the chord."""
        gap = self.lower_tip(q) + self.reach(q)[0] - self.upper_tip(q)
        return gap if "strain" in self.defects else np.append(gap, normal(q[0] + q[1]) @ q[-3:-1])

    def closure_jacobian(self, q: Array) -> Array:
        """Return listing 5.3."""
        J = self.reach(q)[1]
        J[:, 0] += self.given.lower_length * normal(q[0])
        J[:, 2] = -self.given.upper_length * normal(q[2])
        if "strain" in self.defects:
            return J
        chord = np.zeros(self.size)
        chord[:2], chord[-3:-1] = -direction(q[0] + q[1]) @ q[-3:-1], normal(q[0] + q[1])
        return np.vstack([J, chord])

    def tendon(self, q: Array, v: Array) -> tuple[float, Array, Array, Array]:
        """Return the tension (5.46), its generalized force (5.47), stiffness (5.48) and damping: listing 5.4."""
        given, (r, _) = self.given, self.reach(q)
        pull = self._pull(q)
        tension = given.tendon_stiffness * (np.linalg.norm(r) - given.tendon_rest_length)
        tension += given.tendon_damping * pull @ v
        K, C = (factor * np.outer(pull, pull) for factor in (given.tendon_stiffness, given.tendon_damping))
        if "tendon" not in self.defects:
            K += tension * self._slope(self._pull, q)
        return float(tension), pull * tension, K, C

    def _pull(self, q: Array) -> Array:
        """Return how the tendon's length changes with q; listing 5.4 forgets that q1 turns the baseline."""
        r, J = self.reach(q)
        pull = r @ J / np.linalg.norm(r)
        if "tendon" in self.defects:
            pull[0] = 0.0
        return pull

    # ---- equations

    def operators(self, q: Array, v: Array) -> tuple[Array, Array, Array, Array]:
        """Return M, H with the tendon, and their tangents (5.31)."""
        M, h, K, C = self.inertia(q, v)
        _, gradient, tangent = self.strain_energy(q)
        _, force, stiffness, damping = self.tendon(q, v)
        return M, h + gradient + force, K + tangent + stiffness, C + damping

    def energy(self, q: Array, v: Array) -> float:
        """Return kinetic energy, of weight, of strain and of the tendon together."""
        stretch = np.linalg.norm(self.reach(q)[0]) - self.given.tendon_rest_length
        kinetic = 0.5 * v @ self.inertia(q, v)[0] @ v
        return float(
            kinetic + self.height_energy(q) + self.strain_energy(q)[0] + 0.5 * self.given.tendon_stiffness * stretch**2
        )

    def closing(self, state: Array, rates: Array, printed: Array, step: float) -> tuple[Array, float]:
        """Return Baumgarte's residual (5.42) and the factor of J_c in listing 5.5's B."""
        (q, v, a), (zeta, kappa) = state, self.stabilisation
        weights, J = np.array([(kappa / step) ** 2, 2.0 * zeta * kappa / step, 1.0]), self.closure_jacobian(q)
        residual = weights @ [self.closure(q), J @ v, J @ a]
        if "velocity" not in self.defects:
            width = 1e-6 / max(1.0, np.abs(v).max())
            ahead, behind = self.closure_jacobian(q + width * v), self.closure_jacobian(q - width * v)
            residual += (ahead - behind) @ v / (2.0 * width)
        return residual, float(weights @ (printed if "position" in self.defects else rates))

    def reaction(self, q: Array, multipliers: Array) -> Array:
        """Return no reaction: listing 5.5 has none."""
        return np.zeros(self.size) if "reaction" in self.defects else super().reaction(q, multipliers)

    def settled(self, q: Array, v: Array) -> tuple[Array, Array]:
        """Apply project_loop (listing 5.1)."""
        q, J = self.project(q), self.closure_jacobian(q)[:, self.active]
        v = v.copy()
        v[self.active] -= np.linalg.lstsq(J, J @ v[self.active], rcond=None)[0]
        return q, v

    def project(self, q: Array, *, hold: Sequence[int] = (), largest: float = 1e-3) -> Array:
        """Return nearest closed loop (5.43), in eight steps of at most `largest` metres of u and v (listing 5.1)."""
        free = np.setdiff1d(self.active, hold)
        nodal = free[free >= 3]
        nodal = nodal[nodal % 3 != 2]
        for _ in range(8):
            gap = self.closure(q)
            if np.linalg.norm(gap) < 1e-12:
                break
            change = np.zeros(self.size)
            change[free] = -np.linalg.lstsq(self.closure_jacobian(q)[:, free], gap, rcond=None)[0]
            change[nodal] = np.clip(change[nodal], -largest, largest)
            q = q + change
        return q

    # ---- what the thesis did with it

    def pretension(
        self,
        start: Array | None = None,
        *,
        hold: Sequence[int] = (2,),
        imperfection: float = 1e-4,
        iterations: int = 400,
    ) -> Equilibrium:
        """Compute the thesis's recipe (5.11.2): Newton with some angles held, a middle node moved by `imperfection`."""
        q = (self.straight(level="q3") if start is None else start).copy()
        q[3 + 3 * (self.elements // 2)] += imperfection
        if "reaction" not in self.defects:
            return equilibrium(self, q, hold=hold, iterations=iterations)
        free = np.setdiff1d(self.active, hold)
        for _ in range(iterations):
            _, H, K, _ = self.operators(q, np.zeros(self.size))
            change = np.zeros(self.size)
            change[free] = -np.linalg.lstsq(K[np.ix_(free, free)], H[free], rcond=None)[0]
            moved = self.project(q + change * min(1.0, TRUST / np.abs(change).max()), hold=hold)
            converged, q = bool(np.abs(moved - q).max() < 1e-11), moved
            if converged:
                break
        unbalanced = float(np.abs(self.operators(q, np.zeros(self.size))[1][free]).max())
        return Equilibrium(q, np.zeros(2), unbalanced, converged)

    def shortened(self, chord: float) -> Array:
        """Return links with A and B `chord` apart, q3 = 0, the loop closed by project_loop alone, q1 and q3 held."""
        return self.project(self.straight(level="q3", chord=chord), hold=(0, 2), largest=np.inf)

    def fall(self, start: Array, *, end_time: float, step: float = 1e-3, spectral_radius: float = 0.8) -> Motion:
        """Compute the motion from rest with both links free (5.16)."""
        return generalized_alpha(self, start, end_time=end_time, step=step, spectral_radius=spectral_radius)
