"""The rod's first-order equations along its rest arc s, and their derivative (Lan, Lee, Liou 2009, eq. 8).

State ``y = (x, y, psi, h, v, m)``: place and angle of the section, force on it in global axes, moment. With
``N = h cos psi + v sin psi`` and ``V = v cos psi - h sin psi``,

    x' = (1 + N/EA) cos psi - (V/GA) sin psi         h' = rhoA x'' + sigma_x x. - f_x
    y' = (1 + N/EA) sin psi + (V/GA) cos psi         v' = rhoA y'' + sigma_y y. - f_y
    psi' = kappa_0 + m/EI                            m' = rhoI psi'' + sigma_m psi. - (x' v - y' h)

(8f) of the paper follows from its (9b) at once, ``e'/L = N/EA``: six equations are enough, with or without extension.
Shear is Reissner's (1972). 1/EA = 0 and 1/GA = 0 are allowed. Linear: the same about the frame of the rest shape, at
angle phi,

    x' = (1 + N/EA) cos phi - (V/GA + psi - phi) sin phi,   ...   m' = rhoI psi'' + sigma_m psi. - V

Damping relative to the rod's best rigid motion, of velocity (V_x - omega y, V_y + omega x), subtracts sigma_x V_x ...:
this acts as loads ``rhoA (g_x - g y)``, ``rhoA (g_y + g x)``, ``rhoI g`` with g = alpha omega, as gravity would.

Material damping is Kelvin-Voigt's (docs/decisions/0005): N = EA (e + beta e.), likewise V and M. With e. from the past,
the strain is ``e = (N/EA + e^) / (1 + beta c1)``: a compliance and a strain that are known before a step.

In time ``x'' = c0 (x - x^)`` and ``x. = v^ + c1 (x - x^)`` with the past of Newmark's scheme (eq. 10); at rest c0 = c1
= 0 and v^ = 0.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pliant.jit import kernel
from pliant.kernels.circle import cos_sin

# columns of a row of section data
AXIAL, SHEAR, BENDING = 0, 1, 2  # compliances 1/EA, 1/GA, 1/EI
MASS, TURNING_MASS = 3, 4  # rhoA, rhoI
CURVATURE, FRAME = 5, 6  # kappa_0, phi
DRAG_X, DRAG_Y, TURNING_DRAG = 7, 8, 9
BETA = 10  # of material damping
SECTION = 11
# columns of a row of the past: x^ and v^ of x, y, psi; strains e^ / (1 + beta c1); x^ and v^ of the strains
KEPT = 6
STRAIN = 6
PAST = 15
# columns of a row of loads: acceleration of gravity, dead and follower force per length, g_x, g_y, g of a rigid motion
SWAY = 6
LOADS = 9


class Station(NamedTuple):
    """Data of the equations at a place s: its rows of section data, loads and the past."""

    section: np.ndarray
    load: np.ndarray
    past: np.ndarray


@kernel
def slope(at: Station, c0: float, c1: float, linear: bool, y: np.ndarray, dy: np.ndarray) -> None:
    """Write dy = f(s, y)."""
    section, load, past = at
    phi = section[FRAME] if linear else y[2]
    c, s = cos_sin(phi)
    h, v = y[3], y[4]
    N, V = h * c + v * s, v * c - h * s
    yields = 1.0 / (1.0 + section[BETA] * c1)
    along, across = 1.0 + yields * section[AXIAL] * N + past[STRAIN], yields * section[SHEAR] * V + past[STRAIN + 1]
    if linear:
        across += y[2] - phi
    dx, dz = along * c - across * s, along * s + across * c
    mass, turning = section[MASS], section[TURNING_MASS]
    ex, ey, et = y[0] - past[0], y[1] - past[1], y[2] - past[2]
    dy[0], dy[1], dy[2] = dx, dz, section[CURVATURE] + yields * section[BENDING] * y[5] + past[STRAIN + 2]
    gx, gy = load[0] + load[6] - load[8] * y[1], load[1] + load[7] + load[8] * y[0]
    dy[3] = mass * (c0 * ex - gx) + section[DRAG_X] * (past[3] + c1 * ex) - load[2] - c * load[4] + s * load[5]
    dy[4] = mass * (c0 * ey - gy) + section[DRAG_Y] * (past[4] + c1 * ey) - load[3] - s * load[4] - c * load[5]
    turn = V if linear else dx * v - dz * h
    dy[5] = turning * (c0 * et - load[8]) + section[TURNING_DRAG] * (past[5] + c1 * et) - turn


@kernel
def strains(
    section: np.ndarray, past: np.ndarray, c1: float, N: float, V: float, M: float
) -> tuple[float, float, float]:
    """Return extension, shear and bending of given resultants."""
    yields = 1.0 / (1.0 + section[BETA] * c1)
    return (
        yields * section[AXIAL] * N + past[STRAIN],
        yields * section[SHEAR] * V + past[STRAIN + 1],
        yields * section[BENDING] * M + past[STRAIN + 2],
    )


@kernel
def tangent(at: Station, c0: float, c1: float, linear: bool, y: np.ndarray, x: np.ndarray, dx: np.ndarray) -> None:
    """Write dx = f_y x for the 6 x 6 sensitivities x at state y."""
    section, load, past = at
    phi = section[FRAME] if linear else y[2]
    c, s = cos_sin(phi)
    h, v = y[3], y[4]
    N, V = h * c + v * s, v * c - h * s
    yields = 1.0 / (1.0 + section[BETA] * c1)
    ca, cs = yields * section[AXIAL], yields * section[SHEAR]
    xh, xv, yv = ca * c * c + cs * s * s, (ca - cs) * c * s, ca * s * s + cs * c * c
    if linear:
        xt, yt, ft, gt = -s, c, 0.0, 0.0
        mt, mh, mv = 0.0, s, -c
    else:
        along, across = 1.0 + ca * N + past[STRAIN], cs * V + past[STRAIN + 1]
        x1, y1 = along * c - across * s, along * s + across * c
        xt, yt = ca * V * c + cs * N * s - y1, ca * V * s - cs * N * c + x1
        ft, gt = s * load[4] + c * load[5], s * load[5] - c * load[4]
        mt, mh, mv = yt * h - xt * v, y1 + xv * h - xh * v, yv * h - xv * v - x1
    kx = section[MASS] * c0 + section[DRAG_X] * c1
    ky = section[MASS] * c0 + section[DRAG_Y] * c1
    mt += section[TURNING_MASS] * c0 + section[TURNING_DRAG] * c1
    cb, swing = yields * section[BENDING], section[MASS] * load[8]
    for j in range(6):
        t, f, g = x[2, j], x[3, j], x[4, j]
        dx[0, j] = xt * t + xh * f + xv * g
        dx[1, j] = yt * t + xv * f + yv * g
        dx[2, j] = cb * x[5, j]
        dx[3, j] = kx * x[0, j] + swing * x[1, j] + ft * t
        dx[4, j] = ky * x[1, j] - swing * x[0, j] + gt * t
        dx[5, j] = mt * t + mh * f + mv * g
