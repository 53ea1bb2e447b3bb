"""Rods of changing length, sharing nothing with the elements: shooting, and a linear Galerkin method in motion."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.polynomial import legendre
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import pliant as pl
from pliant_evidence import cosserat


def pushed_out(force: np.ndarray, length: float, section: pl.Section) -> tuple[np.ndarray, float]:
    """Return the tip of a rod from a sleeve along x under a dead force, and the force that pushes it out: the force at
    the sleeve and the energy per length there, ``n + (n C_s^-1 n + m C_b^-1 m) / 2`` (Bigoni et al.: M^2 / 2 EI).
    """
    tip = cosserat.clamped_tip(force, length, section)
    loads = np.concatenate([force, np.cross(tip.point, force)])
    return tip.point, float(force[0] + 0.5 * loads @ (loads / np.diag(section.stiffness)))


def balanced_length(force: np.ndarray, section: pl.Section, spring: float, relaxed: float, most: float) -> float:
    """Return the free length at which a spring on the carriage, relaxed at one, holds the rod in its sleeve."""
    return float(brentq(lambda l: pushed_out(force, l, section)[1] - spring * (l - relaxed), relaxed, most, xtol=1e-12))


class Extruded:
    """Small deflections w(x, t) of a straight rod whose length l(t) is prescribed, under a force F across its tip.

    With ``w = sum q_i p_i(x/l)``, ``T = int rho (w_t + l. w_x)^2 / 2`` and ``U = int (EI w_xx^2 - rho l.. (l - x)
    w_x^2) / 2 - F w(l)``: what is pushed out faster and faster is compressed by its own inertia (B. Tabarrok, C.M.
    Leech, Y.I. Kim, J. Franklin Inst. 297, 1974). In z = x/l the velocity is ``q. p + (l./l) (1 - z) q p'``; p_i is z^2
    times Legendre's polynomial of degree i.
    """

    def __init__(
        self, section: pl.Section, force: float, length: Callable[[float], tuple[float, float, float]]
    ) -> None:
        self.EI, self.rho, self.force, self.length = section.bending_stiffness, section.mass_per_length, force, length
        z, weight = legendre.leggauss(24)
        z, weight = 0.5 * (z + 1.0), 0.5 * weight
        basis = [np.polynomial.Polynomial([0, 0, 1]) * _shifted(k) for k in range(8)]
        p, d, dd = (np.array([each.deriv(k)(z) if k else each(z) for each in basis]) for k in range(3))
        flow = (1.0 - z) * d
        self.mass, self.mixed, self.flow = (
            np.einsum("g,ig,jg->ij", weight, a, b) for a, b in ((p, p), (p, flow), (flow, flow))
        )
        self.bend = np.einsum("g,ig,jg->ij", weight, dd, dd)
        self.lean = np.einsum("g,ig,jg->ij", weight * (1.0 - z), d, d)
        self.tip = np.array([each(1.0) for each in basis])

    def start(self) -> np.ndarray:
        """Return the amplitudes at rest."""
        l = self.length(0.0)[0]
        return np.asarray(np.linalg.solve(self.EI / l**3 * self.bend, self.force * self.tip))

    def tips(self, times: np.ndarray) -> np.ndarray:
        """Return deflections of the tip (m) by Lagrange, T = rho (l q. M q. + 2 l. q. B q + l.^2/l q D q) / 2."""

        def rates(t: float, y: np.ndarray) -> np.ndarray:
            q, v = np.split(y, 2)
            l, d, dd = self.length(t)
            M, B, D = self.rho * self.mass, self.rho * self.mixed, self.rho * self.flow
            force = self.force * self.tip - self.EI / l**3 * self.bend @ q + self.rho * dd * self.lean @ q
            force += d * B.T @ v + d * d / l * D @ q - d * M @ v - dd * B @ q - d * B @ v
            return np.concatenate([v, np.linalg.solve(l * M, force)])

        start = np.concatenate([self.start(), np.zeros(self.tip.size)])
        found = solve_ivp(rates, (0.0, times[-1]), start, method="DOP853", t_eval=times, rtol=1e-9, atol=1e-13)
        return np.asarray(found.y[: self.tip.size].T @ self.tip)


def _shifted(k: int) -> np.polynomial.Polynomial:
    """Return Legendre's polynomial on [0, 1]."""
    whole = np.polynomial.Polynomial(legendre.leg2poly([0] * k + [1]))
    found: np.polynomial.Polynomial = whole(np.polynomial.Polynomial([-1, 2]))
    return found
