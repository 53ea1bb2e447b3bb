"""Stored energy of an incompressible section under large strains: resultants and their derivatives.

Fibres along the beam are stretched like bars and contract, like the whole section, with the stretch ``l = |Gamma|`` of
the axis: a fibre at (y, z) at rest moves to ``c (y, z)``, ``c = 1/sqrt(l)``, and its stretch is

    g = l + c (kappa_y z - kappa_z y)

The Mooney-Rivlin energy per rest length, with a the area fraction of a fibre and m the share of the second constant, is

    w = EA sum a U(g) + (GA_y Gamma_y^2 + GA_z Gamma_z^2) phi/2 + ((1 - m)/l + m/l^2) GJ kappa_x^2/2
    U = (1 - m)/6 (g^2 + 2/g - 3) + m/6 (2 g + 1/g^2 - 3)
    phi = (1 - m) 2/(Gamma_x l s) + m (1/Gamma_x - 2/s + 1/(Gamma_x l)^2),   s = Gamma_x + l

phi is the energy of ``F = Gamma e_x^T + (e_y e_y^T + e_z e_z^T)/sqrt(Gamma_x)``, det F = 1, less the energy of the
stretch l. Shear factors apply to phi only: applied to Gamma_y^2, they would make the sections of a beam stretched to
l = 1.8 turn spontaneously (tensile buckling of shear-flexible columns, J.M. Kelly, J. Eng. Mech. 129, 2003).

Stretch, simple shear with a factor of 1 and, for a round section, torsion of a stretched bar (R.S. Rivlin, Phil. Trans.
R. Soc. A 242, 1949) are exact; bending is to second order in kappa, at any stretch: ``EI -> E U''(l) I/l``.

Below FLOOR, which no material reaches, U, 1/l and c continue as Taylor series of second order, and l has the sign of
Gamma_x: Newton iterates may pass there, results may not (system/limits/strain_limits.py).
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from pliant.jit import kernel
from pliant.kernels.triples import Vector

FLOOR = 0.1
AXIAL, SHEAR_Y, SHEAR_Z, TORSION, MOONEY, CONSTANTS = 0, 1, 2, 3, 4, 5
Series = tuple[float, float, float]
"""A function and its first two derivatives."""


@kernel
def beyond(at: Series, x: float) -> Series:
    """Extrapolate a function by x with its Taylor series of second order."""
    return at[0] + x * (at[1] + 0.5 * x * at[2]), at[1] + x * at[2], at[2]


@kernel
def stored(g: float, m: float) -> Series:
    """Return U at the stretch g."""
    x = max(g, FLOOR)
    i = 1.0 / x
    neo, other = (1.0 - m) / 6.0, m / 6.0
    energy = neo * (x * x + 2.0 * i - 3.0) + other * (2.0 * x + i * i - 3.0)
    slope = 2.0 * neo * (x - i * i) + 2.0 * other * (1.0 - i * i * i)
    bend = 2.0 * neo * (1.0 + 2.0 * i * i * i) + 6.0 * other * i * i * i * i
    return beyond((energy, slope, bend), g - x)


@kernel
def contraction(stretch: float) -> Series:
    """Return c = 1/sqrt(lambda)."""
    x = max(stretch, FLOOR)
    c = 1.0 / sqrt(x)
    return beyond((c, -0.5 * c / x, 0.75 * c / (x * x)), stretch - x)


@kernel
def reciprocal(stretch: float) -> Series:
    """Return 1/lambda."""
    x = max(stretch, FLOOR)
    i = 1.0 / x
    return beyond((i, -i * i, 2.0 * i * i * i), stretch - x)


@kernel
def sheared(g: float, length: float, m: float) -> tuple[float, Vector, Vector]:
    """Return phi, its first derivatives by Gamma_x and l, and its second derivatives (xx, xl, ll)."""
    i, j = 1.0 / max(g, FLOOR), 1.0 / max(length, FLOOR)
    k = 1.0 / (1.0 / i + 1.0 / j)
    neo, p, r = 2.0 * (1.0 - m) * i * j * k, -i - k, -j - k
    square = m * i * i * j * j
    phi = neo + m * (i - 2.0 * k) + square
    by_g, by_l = neo * p + m * (2.0 * k * k - i * i) - 2.0 * square * i, neo * r + 2.0 * m * k * k - 2.0 * square * j
    cubic = 4.0 * m * k * k * k
    gg = neo * (p * p + i * i + k * k) + 2.0 * m * i * i * i - cubic + 6.0 * square * i * i
    gl = neo * (p * r + k * k) - cubic + 4.0 * square * i * j
    ll = neo * (r * r + j * j + k * k) - cubic + 6.0 * square * j * j
    if g < FLOOR:
        by_g, gg, gl = 0.0, 0.0, 0.0
    if length < FLOOR:
        by_l, gl, ll = 0.0, 0.0, 0.0
    return phi, (by_g, by_l, 0.0), (gg, gl, ll)


@kernel
def respond(
    law: np.ndarray, fibres: np.ndarray, Gamma: Vector, kappa: Vector, H: np.ndarray
) -> tuple[float, Vector, Vector]:
    """Return energy per length, N and M for the strains (Gamma = (1, 0, 0) at rest); put their derivative in H (6, 6).

    ``law`` has the CONSTANTS of the section, ``fibres`` (n, 3) a, y and z.
    """
    EA, m = law[AXIAL], law[MOONEY]
    stretch = sqrt(Gamma[0] * Gamma[0] + Gamma[1] * Gamma[1] + Gamma[2] * Gamma[2])
    if Gamma[0] < 0.0:
        stretch = -stretch
    along = Gamma[0] / stretch, Gamma[1] / stretch, Gamma[2] / stretch
    c, c1, c2 = contraction(stretch)
    u = n = k_y = k_z = nn = ny = nz = yy = yz = zz = 0.0
    for f in range(fibres.shape[0]):
        y, z = fibres[f, 1], fibres[f, 2]
        aside = kappa[1] * z - kappa[2] * y
        U, U1, U2 = stored(stretch + c * aside, m)
        a, by_n, by_y, by_z = EA * fibres[f, 0], 1.0 + c1 * aside, c * z, -c * y
        u += a * U
        n += a * U1 * by_n
        k_y += a * U1 * by_y
        k_z += a * U1 * by_z
        nn += a * (U2 * by_n * by_n + U1 * c2 * aside)
        ny += a * (U2 * by_n * by_y + U1 * c1 * z)
        nz += a * (U2 * by_n * by_z - U1 * c1 * y)
        yy += a * U2 * by_y * by_y
        yz += a * U2 * by_y * by_z
        zz += a * U2 * by_z * by_z
    i, i1, i2 = reciprocal(stretch)
    t, t1 = (1.0 - m) * i + m * i * i, (1.0 - m) * i1 + 2.0 * m * i * i1
    twist, turned = law[TORSION] * kappa[0], 0.5 * law[TORSION] * kappa[0] * kappa[0]
    n += t1 * turned
    nn += ((1.0 - m) * i2 + 2.0 * m * (i1 * i1 + i * i2)) * turned
    phi, by, twice = sheared(Gamma[0], stretch, m)
    Q = 0.0, law[SHEAR_Y] * Gamma[1], law[SHEAR_Z] * Gamma[2]
    half = 0.5 * (Q[1] * Gamma[1] + Q[2] * Gamma[2])
    coupled = t1 * twist, ny, nz
    for a in range(3):
        one = 1.0 if a == 0 else 0.0
        D = one * by[0] + by[1] * along[a]
        for b in range(3):
            other, same = 1.0 if b == 0 else 0.0, 1.0 if a == b else 0.0
            E, swing = other * by[0] + by[1] * along[b], (same - along[a] * along[b]) / stretch
            bent = one * other * twice[0] + twice[1] * (one * along[b] + other * along[a])
            bent += twice[2] * along[a] * along[b] + by[1] * swing
            H[a, b] = nn * along[a] * along[b] + n * swing + Q[a] * E + Q[b] * D + half * bent
            H[a, 3 + b] = H[3 + b, a] = along[a] * coupled[b]
            H[3 + a, 3 + b] = 0.0
    H[1, 1] += law[SHEAR_Y] * phi
    H[2, 2] += law[SHEAR_Z] * phi
    H[3, 3], H[4, 4], H[5, 5] = t * law[TORSION], yy, zz
    H[4, 5] = H[5, 4] = yz
    N = (
        (n + half * by[1]) * along[0] + half * by[0],
        (n + half * by[1]) * along[1] + phi * Q[1],
        (n + half * by[1]) * along[2] + phi * Q[2],
    )
    return u + half * phi + t * turned, N, (t * twist, k_y, k_z)
