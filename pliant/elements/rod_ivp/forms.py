"""Mass and damping of a subinterval whose inside follows its ends, to complement the stiffness of its two-port.

A small motion (dp, dp') of the ends moves the section at s by ``Phi dx``, with the sensitivities X of the march and
``df = B^-1 (dp' - A dp)`` of condense.py. So

    M = int Phi^T diag(rhoA, rhoA, rhoI) Phi ds,    C = int Phi^T diag(sigma) Phi ds + beta int R^T S^-1 R ds

where R are the changes of N, V and M, and S = diag(EA, GA, EI). With X of a vibration at omega, M is the derivative of
the dynamic stiffness by -omega^2 exactly (Leung 1993, section 2.5).
"""

from __future__ import annotations

from math import cos, sin

import numpy as np

from pliant.elements.rod_ivp.march import March, Rods, combine, depart, step_on
from pliant.elements.rod_ivp.slope import (
    AXIAL,
    BENDING,
    BETA,
    DRAG_X,
    DRAG_Y,
    FRAME,
    MASS,
    SHEAR,
    TURNING_DRAG,
    TURNING_MASS,
    Station,
    slope,
    tangent,
)  # fmt: skip
from pliant.jit import kernel
from pliant.kernels.runge_kutta import Table


@kernel
def forms(rods: Rods, table: Table, mu: float, work: March, mass: np.ndarray, damping: np.ndarray) -> None:
    """Add (subintervals, 6, 6) mass and damping of all subintervals as shot and condensed, at rest; or (subintervals,
    7, 7), with a row and column of the lengths of fed rods.
    """
    follow, phi, bend = work.ends, work.changes[0], work.changes[1]
    nodes = table.node.size - 1
    for e in range(rods.rod.size):
        linear = rods.linear[rods.rod[e]] != 0
        ends(work.transfer[e], work.inverse[e], follow)
        if rods.feed[e] > 0:
            for i in range(3):
                for j in range(3):
                    follow[i + 3, 6] -= rods.share[e, 0] * work.inverse[e, i, j] * work.passed[e, j]
        depart(work, e)
        station = rods.first_station[e]
        for n in range(rods.first_step[e], rods.first_step[e + 1]):
            d = rods.step[n] * work.longer[e]
            for stage in range(table.b.size):
                at = station + table.place[stage]
                section, load, past = rods.section[at], work.load[at], work.past[at]
                combine(table.a[stage], stage, d, True, work)
                z, w, here = work.y[1], work.x[1], Station(section, load, past)
                slope(here, 0.0, 0.0, linear, z, work.k[stage])
                tangent(here, mu, 0.0, linear, z, w, work.kx[stage])
                share = d * table.b[stage]
                if share != 0.0:
                    changes(section, linear, z, w, follow, phi, bend)
                    if rods.feed[e] > 0:
                        for i in range(3):
                            phi[i, 6] += rods.share[e, 1] * work.k[stage, i]
                    for i in range(3):
                        heavy = share * section[TURNING_MASS if i == 2 else MASS]
                        slow = share * section[DRAG_X if i == 0 else DRAG_Y if i == 1 else TURNING_DRAG]
                        stiff = share * section[BETA] * section[AXIAL if i == 0 else SHEAR if i == 1 else BENDING]
                        for a in range(mass.shape[1]):
                            for b in range(mass.shape[1]):
                                both = phi[i, a] * phi[i, b]
                                mass[e, a, b] += heavy * both
                                damping[e, a, b] += slow * both + stiff * bend[i, a] * bend[i, b]
            combine(table.b, table.b.size, d, True, work)
            step_on(True, work)
            station += nodes


@kernel
def displaced(rods: Rods, table: Table, mu: float, work: March, moves: np.ndarray, out: np.ndarray) -> None:
    """Write the displacements of rods between the ends of subintervals, which move by ``moves`` (subintervals, 6):
    displacements and their derivatives by s, (steps, 2, 6), at both ends of every step.
    """
    follow, base = work.ends, work.changes[0, 0]
    nodes = table.node.size - 1
    for e in range(rods.rod.size):
        linear = rods.linear[rods.rod[e]] != 0
        ends(work.transfer[e], work.inverse[e], follow)
        for i in range(6):
            base[i] = 0.0
            for j in range(6):
                base[i] += follow[i, j] * moves[e, j]
        depart(work, e)
        station = rods.first_station[e]
        for n in range(rods.first_step[e], rods.first_step[e + 1]):
            for stage in range(table.b.size):
                at = station + table.place[stage]
                here = Station(rods.section[at], work.load[at], work.past[at])
                combine(table.a[stage], stage, rods.step[n] * work.longer[e], True, work)
                slope(here, 0.0, 0.0, linear, work.y[1], work.k[stage])
                tangent(here, mu, 0.0, linear, work.y[1], work.x[1], work.kx[stage])
            write_displacement(work.x[0], work.kx[0], base, out[n, 0])
            combine(table.b, table.b.size, rods.step[n] * work.longer[e], True, work)
            step_on(True, work)
            station += nodes
            here = Station(rods.section[station], work.load[station], work.past[station])
            tangent(here, mu, 0.0, linear, work.y[0], work.x[0], work.kx[0])
            write_displacement(work.x[0], work.kx[0], base, out[n, 1])


@kernel
def write_displacement(x: np.ndarray, dx: np.ndarray, base: np.ndarray, out: np.ndarray) -> None:
    """Write displacement (x, y, psi) and its derivative by s, from sensitivities x and a change at the base."""
    for i in range(3):
        out[i], out[i + 3] = 0.0, 0.0
        for j in range(6):
            out[i] += x[i, j] * base[j]
            out[i + 3] += dx[i, j] * base[j]


@kernel
def ends(transfer: np.ndarray, inverse: np.ndarray, out: np.ndarray) -> None:
    """Write the derivatives of place and force at the base by the places of both ends."""
    out[:] = 0.0
    for i in range(3):
        out[i, i] = 1.0
        for j in range(3):
            out[i + 3, j + 3] = inverse[i, j]
            for k in range(3):
                out[i + 3, j] -= inverse[i, k] * transfer[k, j]


@kernel
def changes(
    section: np.ndarray, linear: bool, y: np.ndarray, x: np.ndarray, follow: np.ndarray, phi: np.ndarray,
    bend: np.ndarray,
) -> None:  # fmt: skip
    """Write the changes of place and of N, V, M at a state y with the places of both ends."""
    angle = section[FRAME] if linear else y[2]
    c, s = cos(angle), sin(angle)
    N, V = y[3] * c + y[4] * s, y[4] * c - y[3] * s
    for j in range(follow.shape[1]):
        for i in range(3):
            phi[i, j] = 0.0
            bend[i, j] = 0.0
        for k in range(6):
            turn = 0.0 if linear else x[2, k]
            for i in range(3):
                phi[i, j] += x[i, k] * follow[k, j]
            bend[0, j] += (x[3, k] * c + x[4, k] * s + V * turn) * follow[k, j]
            bend[1, j] += (x[4, k] * c - x[3, k] * s - N * turn) * follow[k, j]
            bend[2, j] += x[5, k] * follow[k, j]
