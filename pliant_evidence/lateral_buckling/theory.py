"""Buckling loads of strips without finite elements, of length 1.

In its plane the strip is the elastica of the load P: theta' = k, m = EI_s k, m' = P cos theta. A small spin
``phi t + psi n`` out of the plane, about tangent and normal, changes the moment by mu e_x, and

    phi' = k psi + (mu cos theta - m psi) / GJ,   psi' = -k phi + (m phi - mu sin theta) / EI_w,   mu' = P psi

(linearised Kirchhoff rod). Clamped, phi = psi = 0 at the base; it buckles where mu = P e phi at the tip, e the height
of the load above the axis. D. H. Hodges and D. A. Peters, Int. J. Solids Struct. 11 (1975) 1269-1280, expand it:
P = 4.01260 sqrt(EI_w GJ) (1 + EI_w / 2 EI_s + 0.6424 GJ / EI_s + ...).
"""

from __future__ import annotations

from math import cos, pi, sin, sqrt

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq, fsolve
from scipy.special import jv

PRANDTL = 2.0 * brentq(lambda x: jv(-0.25, x), 1.9, 2.1, xtol=1e-14)
"""P L^2 / sqrt(EI_w GJ) of a strip that does not bend in its plane: 4.0126."""


def cantilever(*, strong: float, weak: float, torsion: float, offset: float = 0.0) -> float:
    """Return the critical load of a clamped strip, with the bending before it buckles."""

    def tip(unknown: np.ndarray) -> list[float]:
        """Return the residual of the moments at the tip, for a load and the moment at the clamp."""
        load, clamp = unknown

        def rates(_: float, y: np.ndarray) -> list[float]:
            theta, m, phi, psi, mu = y
            k = m / strong
            twist = k * psi + (mu * cos(theta) - m * psi) / torsion
            return [k, load * cos(theta), twist, -k * phi + (m * phi - mu * sin(theta)) / weak, load * psi]

        start = [0.0, clamp, 0.0, 0.0, 1.0]
        end = solve_ivp(rates, (0.0, 1.0), start, method="DOP853", rtol=1e-11, atol=1e-13).y[:, -1]
        return [end[1] - load * offset * sin(end[0]), end[4] - load * offset * end[2]]

    guess = PRANDTL * sqrt(weak * torsion) * (1.0 + (0.5 * weak + 0.6424 * torsion) / strong)
    return float(fsolve(tip, [guess, -0.9 * guess], xtol=1e-12)[0])


def between_forks(*, strong: float, weak: float, torsion: float) -> float:
    """Return the critical end moment of a strip between forks: ``pi sqrt(EI_w GJ / ((1 - EI_w/EI_s) (1 - GJ/EI_s)))``.

    P. Vacharajittiphan, S. T. Woolcock, N. S. Trahair, Effect of in-plane deformation on lateral buckling, J. Struct.
    Mech. 3 (1974) 29-60. Exact however far it is bent, if the forks hold what turns about the tangent.
    """
    return pi * sqrt(weak * torsion / ((1.0 - weak / strong) * (1.0 - torsion / strong)))


def bent_cantilever(couple: str, *, weak: float, torsion: float) -> float:
    """Return the critical tip moment of a clamped strip without bending in its plane, the moment with a potential.

    With (phi', psi') = M ((c psi_L - psi) / GJ, (phi - c phi_L) / EI_w) or one of the two c = 0: M = a sqrt(EI_w GJ),
    a = pi/2 for a quasi-tangential moment and pi for a semi-tangential one, c = 1/2 (H. Ziegler, Principles of
    Structural Stability, 1968; J. H. Argyris et al., Comput. Meth. Appl. Mech. Eng. 14 (1978) 401-451).
    """
    return {"quasi-tangential": 0.5, "semi-tangential": 1.0}[couple] * pi * sqrt(weak * torsion)
