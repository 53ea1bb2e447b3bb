"""Residuals along lines of perturbed systems and moved states, in compiled code."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pliant.forces.state_force import callbacks
from pliant.jit import kernel
from pliant.jit.bundle import Bundle
from pliant.joints import rows as joints
from pliant.kernels.so3 import take_up
from pliant.kernels.sums import Instant, Into
from pliant.kernels.vectors import fill
from pliant.system.equations import Equations, Scratch
from pliant.system.packing import fused
from pliant.system.packing.along_derivative import NearbySystems, Numbers
from pliant.system.state import State

if TYPE_CHECKING:
    from pliant.system.system import System


class Course(Bundle):
    """State, the directions in which it moves, and the numbers that change meanwhile."""

    here: Numbers
    slope: Numbers
    q: np.ndarray
    lam: np.ndarray
    by: np.ndarray
    u: np.ndarray


def course(system: System, drawn: NearbySystems, state: State, by: np.ndarray) -> Course:
    """Return the course of a state, with the signals at its instant."""
    u = system.signals(np.array([state.time]))[0]
    return Course(drawn.here, drawn.slope, state.q, state.lam, by, u)


def residuals(
    system: System, drawn: NearbySystems, state: State, by: np.ndarray, changes: np.ndarray, ways: np.ndarray
) -> np.ndarray:
    """Compute (lines, ways, freedoms + constraints) residuals with numbers perturbed by changes of the parameter and
    the state moved by ``ways`` along lines ``by``.
    """
    out = np.empty((*ways.shape, system.freedoms + system.constraints))
    with system.working() as scratch:
        each_line(drawn.twin.equations, course(system, drawn, state, by), changes, ways, scratch, out)
    callbacks.reraise()
    return out


@kernel
def each_line(
    equations: Equations, along: Course, changes: np.ndarray, ways: np.ndarray, scratch: Scratch, out: np.ndarray
) -> None:
    """Perturb the numbers, move the state, and add up the forces, for each line."""
    n, r, rest = equations.freedoms, scratch.r, scratch.rest
    into = Into(0.0, 0.0, 0.0, r, scratch.s, scratch.w)
    for j in range(ways.shape[0]):
        for k in range(ways.shape[1]):
            draw(equations, along, changes[j, k], scratch)
            move(equations, along, along.by[j], ways[j, k], scratch)
            r[:] = 0.0
            now = Instant(scratch.trial, rest, rest, scratch.signals)
            fused.add(equations.parts, now, into, scratch.stress, False)
            joints.push(equations.rows, scratch.trial, scratch.blend, scratch.signals, r, scratch.g)
            for i in range(n):
                out[j, k, i] = r[i]
            for i in range(scratch.g.size):
                out[j, k, n + i] = scratch.g[i]


@kernel
def move(equations: Equations, along: Course, by: np.ndarray, way: float, scratch: Scratch) -> None:
    """Compute coordinates, in ``scratch.trial``, and multipliers, in ``scratch.blend``, moved along a line."""
    n = equations.freedoms
    fill(scratch.trial, along.q)
    for i in range(n):
        scratch.trial[i] += way * by[i]
    take_up(scratch.trial, equations.frames, equations.turning)
    for i in range(along.lam.size):
        scratch.blend[i] = along.lam[i] + way * by[n + i]


@kernel
def draw(equations: Equations, along: Course, change: float, scratch: Scratch) -> None:
    """Replace the numbers of the equations by perturbed ones; signals are in ``scratch.signals``."""
    parts, rows, here, slope = equations.parts, equations.rows, along.here, along.slope
    draw_row(scratch.signals, along.u, slope.signals, change)
    draw_row(parts.floats, here.floats, slope.floats, change)
    draw_row(rows.factor, here.factor, slope.factor, change)
    draw_row(rows.offset, here.offset, slope.offset, change)
    draw_row(rows.period, here.period, slope.period, change)
    draw_row(rows.weight, here.weight, slope.weight, change)
    for k in range(rows.row.size):
        draw_row(rows.offsets[k], here.offsets[k], slope.offsets[k], change)
        draw_row(rows.direction[k], here.direction[k], slope.direction[k], change)


@kernel
def draw_row(out: np.ndarray, here: np.ndarray, slope: np.ndarray, change: float) -> None:
    """Compute here + change slope."""
    for k in range(out.size):
        out[k] = here[k] + change * slope[k]
