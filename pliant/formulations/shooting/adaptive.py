"""Adaptive steps: error estimates of the embedded pair, and the refined grids.

A solution is found on a fixed grid, so that its derivatives are exact; then steps whose estimate is too large are
divided, and the solution is computed again.
"""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

import numpy as np

from pliant.elements.rod_ivp.feeding_in_plane import lengthen
from pliant.elements.rod_ivp.march import March, MarchStart, Rods
from pliant.elements.rod_ivp.slope import MASS, TURNING_MASS, Station, slope
from pliant.jit import kernel
from pliant.kernels.runge_kutta import Table

if TYPE_CHECKING:
    from pliant.formulations.shooting.rods import Grid
    from pliant.formulations.shooting.system import Shooting

ROUNDS = 12
MOST_PARTS = 8  # limit of the division of a step at once


@kernel
def errors(
    rods: Rods, table: Table, begin: MarchStart, c0: float, c1: float, weight: np.ndarray, work: March, out: np.ndarray
) -> None:
    """Write the local error of every step, the largest over the parts of the state times ``weight`` (rods, 6).

    In motion it includes the error of the cubic between the ends of steps: an error of place means one of the force per
    length, ``c0 rhoA`` times as large. It follows from the fourth derivative, which the cubic over two steps misses.
    """
    k, y, z, old, slope_old = work.k, work.y[0], work.y[1], work.x[0, 0], work.x[0, 1]
    nodes, last = table.node.size - 1, table.b.size
    lengthen(rods, begin.q, work)
    for e in range(rods.rod.size):
        r = rods.rod[e]
        linear = rods.linear[r] != 0
        for i in range(3):
            y[i] = begin.q[rods.dofs[e, i]]
            y[i + 3] = begin.force[e, i]
        station = rods.first_station[e]
        first = rods.first_step[e]
        for n in range(first, rods.first_step[e + 1]):
            d = rods.step[n] * work.longer[e]
            for stage in range(last + 1):
                at = station + (table.place[stage] if stage < last else nodes)
                for i in range(6):
                    z[i] = y[i]
                for before in range(stage):
                    share = d * (table.a[stage, before] if stage < last else table.b[before])
                    for i in range(6):
                        z[i] += share * k[before, i]
                slope(Station(rods.section[at], work.load[at], work.past[at]), c0, c1, linear, z, k[stage])
            out[n] = 0.0
            for i in range(6):
                wrong = 0.0
                for stage in range(last + 1):
                    wrong += d * table.error[stage] * k[stage, i]
                out[n] = max(out[n], abs(wrong) * weight[r, i])
            if c0 > 0.0 and n > first:
                before_d = rods.step[n - 1]
                both = before_d + d
                t = before_d / both
                b = 1.0 - t
                for i in range(3):
                    cubic = old[i] * b * b * (1.0 + 2.0 * t) + z[i] * t * t * (1.0 + 2.0 * b)
                    cubic += both * t * b * (b * slope_old[i] - t * k[last, i])
                    fourth = 24.0 * abs(cubic - y[i]) / (both**4 * t * t * b * b)
                    mass = rods.section[station, TURNING_MASS if i == 2 else MASS]
                    heavy = mass * c0 * fourth / 384.0 * weight[r, i + 3]
                    out[n] = max(out[n], heavy * d**5)
                    if n == first + 1:
                        out[first] = max(out[first], heavy * before_d**5)
            for i in range(6):
                old[i], slope_old[i] = y[i], k[0, i]
                y[i] = z[i]
            station += nodes


def estimate(system: Shooting, q: np.ndarray, force: np.ndarray, c0: float, c1: float, work: March) -> np.ndarray:
    """Return the local errors of all steps over the tolerance of their rod; empty if no rod adapts."""
    meshes = system.layout.beams
    if not system.table.error.size or not any(mesh.options.adapts for mesh in meshes):
        return np.empty(0)
    weight = np.zeros((len(meshes), 6))
    for r, mesh in enumerate(meshes):
        mine, length = force[system.rods.rod == r], mesh.beam.length
        scale = max(float(np.max(np.abs(mine[:, :2]))), float(np.max(np.abs(mine[:, 2]))) / length)
        part = 1.0 / scale if scale > 0.0 else 0.0
        allowed = mesh.options.tolerance if mesh.options.adapts else np.inf
        weight[r] = np.array([1.0 / length, 1.0 / length, 1.0, part, part, part / length]) / allowed
    out = np.zeros(system.rods.step.size)
    errors(system.rods, system.table, MarchStart(q, force), c0, c1, weight, work, out)
    return out


def refined(system: Shooting, found: np.ndarray) -> Grid | None:
    """Return the grid with too large steps divided, or None."""
    if not np.any(found > 1.0):
        return None
    starts, grid = system.rods.first_step, []
    for e, ends in enumerate(system.grid):
        pieces = [ends[:1]]
        for k, wrong in enumerate(found[starts[e] : starts[e + 1]]):
            parts = min(MOST_PARTS, ceil(1.1 * wrong ** (1.0 / system.table.order))) if wrong > 1.0 else 1
            pieces.append(np.linspace(ends[k], ends[k + 1], parts + 1)[1:])
        grid.append(np.concatenate(pieces))
    return tuple(grid)


def carry(old: Shooting, new: Shooting, values: np.ndarray) -> np.ndarray:
    """Interpolate values at the stations of one grid to another, by the polynomials of the steps."""
    nodes, count = old.table.node, old.table.node.size - 1
    out = np.empty((new.rods.section.shape[0], values.shape[1]))
    for e, (ends, finer) in enumerate(zip(old.grid, new.grid, strict=True)):
        steps = np.diff(finer)
        at = np.append((finer[:-1, None] + steps[:, None] * nodes[:-1]).ravel(), 1.0)
        cell = np.clip(np.searchsorted(ends, at, side="right") - 1, 0, ends.size - 2)
        t = (at - ends[cell]) / (ends[cell + 1] - ends[cell])
        known = values[old.rods.first_station[e] : old.rods.first_station[e + 1]]
        total = np.zeros((at.size, values.shape[1]))
        for p in range(count + 1):
            others = np.delete(nodes, p)
            basis = np.prod((t[:, None] - others) / (nodes[p] - others), axis=1)
            total += basis[:, None] * known[cell * count + p]
        out[new.rods.first_station[e] : new.rods.first_station[e + 1]] = total
    return out
