"""Inverse statics: the signals (motor angles, tendon lengths, loads) that bring markers to given places, in equilibrium.

Unknowns are (q, lambda, s): coordinates, multipliers and as many signals s as there are conditions c(q) = 0 on places.
Newton borders the equilibrium with them:

    y = -A^-1 (r, g),   Z = -A^-1 d(r, g)/ds,   ds = -(c_q Z)^-1 (c + c_q y),   d(q, lambda) = y + Z ds

with the augmented matrix A of newton.py and its mixed integration points.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pliant.errors import ConvergenceError
from pliant.formulations.dae import arclength, newton
from pliant.formulations.dae.equations import Scratch
from pliant.formulations.dae.equilibrium import stiffness_scale
from pliant.formulations.dae.system import State, System
from pliant.kernels.so3 import take_up
from pliant.model import rotations
from pliant.system import fused

TOLERANCE = 1e-11  # of the last increment, in lengths of the model and radians
LIMIT = 40
LARGEST = 0.5  # increment in lengths of the model or radians that is taken at once
SMALLEST_STEP = 2.0**-8
DIFFERENCE = 1e-7  # of a signal, for d(r, g)/ds


@dataclass(frozen=True)
class Aim:
    """Where a marker is to be: its point, and in which of the marker's own axes it is to be turned as given (or not).

    ``turn``: quaternion of the marker's frame in space, its angle in the plane; None: free to turn.
    """

    node: int
    arm: np.ndarray
    frame: Any  # quaternion (space) or angle (plane) of the marker on its node
    point: np.ndarray
    turn: Any = None

    @property
    def conditions(self) -> int:
        """How many conditions it sets."""
        axes = self.point.size
        return axes if self.turn is None else 2 * axes - (axes == 2)


@dataclass(frozen=True)
class Reached:
    """The equilibrium with the signals that were found."""

    state: State
    signals: np.ndarray
    iterations: int
    steps: int
    miss: float


def reach(system: System, start: State, u: np.ndarray, unknowns: Sequence[int], aims: Sequence[Aim]) -> Reached:
    """The equilibrium in which all aims are met; the aims are approached in steps where one stride fails."""
    here = [_present(system, start.q, aim) for aim in aims]
    q, lam, u = start.q.copy(), start.lam.copy(), u.copy()
    scratch = system.scratch()
    done, step, iterations, steps = 0.0, 1.0, 0, 0
    while done < 1.0:
        step = min(step, 1.0 - done)
        before = q.copy(), lam.copy(), u.copy()
        between = [_between(old, aim, done + step) for old, aim in zip(here, aims, strict=True)]
        count, miss = _newton(system, between, unknowns, q, lam, u, scratch)
        iterations += count
        if miss is not None:
            done, steps, step = done + step, steps + 1, 2.0 * step
            continue
        q, lam, u = before
        step *= 0.5
        if step < SMALLEST_STEP:
            raise ConvergenceError(
                f"No equilibrium of {system.model.name!r} has its markers at the places asked for: Newton stopped "
                f"{100.0 * done:.3g} % of the way. The place may be out of reach, or beyond a singular pose; ask for a "
                "nearer one, start from a nearer state (start=), or let the marker turn freely."
            )
    return Reached(State(q, np.zeros_like(q), np.zeros_like(q), lam, float(u[1])), u, iterations, steps, float(miss))


def _newton(
    system: System,
    aims: Sequence[Aim],
    unknowns: Sequence[int],
    q: np.ndarray,
    lam: np.ndarray,
    u: np.ndarray,
    scratch: Scratch,
) -> tuple[int, float | None]:
    """Newton in place. Returns the iterations and the miss at the end, None where it fails."""
    equations, n, unsymmetric = system.equations, system.freedoms, not system.conservative
    gamma = stiffness_scale(system, q, lam, u, scratch)
    scratch.trial[:] = 0.0
    fused.stretch(equations.parts, q, scratch.trial, scratch.stress)
    columns = np.empty((len(unknowns), n + lam.size))
    for iteration in range(1, LIMIT + 1):
        for column, k in zip(columns, unknowns, strict=True):
            change = DIFFERENCE * max(1.0, abs(u[k]))
            u[k] += change
            newton.assemble(equations, q, lam, u, gamma, 0.0, False, scratch)
            u[k] -= change
            column[:] = scratch.step / change
        newton.assemble(equations, q, lam, u, gamma, 0.0, False, scratch)
        for column, k in zip(columns, unknowns, strict=True):
            column -= scratch.step / (DIFFERENCE * max(1.0, abs(u[k])))
        newton.assemble(equations, q, lam, u, gamma, 0.0, True, scratch)
        y = scratch.step.copy()
        if not arclength.factor(equations, unsymmetric, scratch)[0]:
            return iteration, None
        arclength.solve(equations, unsymmetric, scratch, y)
        for column in columns:
            arclength.solve(equations, unsymmetric, scratch, column)
        miss, slope = _conditions(system, q, aims)
        try:
            change_of_signals = -np.linalg.solve(slope @ columns[:, :n].T, miss + slope @ y[:n])
        except np.linalg.LinAlgError:
            return iteration, None
        move = y + change_of_signals @ columns
        size = float(np.max(np.abs(move[:n]) * equations.weight, initial=0.0))
        if not np.isfinite(size):
            return iteration, None
        scale = min(1.0, LARGEST / size) if size > 0.0 else 1.0
        scratch.trial[:n] = scale * move[:n]
        fused.stretch(equations.parts, q, scratch.trial, scratch.stress)
        q[:n] += scratch.trial[:n]
        take_up(q, equations.frames, equations.turning)
        lam += scale * move[n:]
        u[list(unknowns)] += scale * change_of_signals
        if scale == 1.0 and size <= TOLERANCE:
            return iteration, float(np.max(np.abs(_conditions(system, q, aims)[0]), initial=0.0))
    return LIMIT, None


def _conditions(system: System, q: np.ndarray, aims: Sequence[Aim]) -> tuple[np.ndarray, np.ndarray]:
    """How far all aims are missed, and the derivative by the freedoms."""
    parts = [_miss_in_space(system, q, aim) if system.space.quaternions else _miss(system, q, aim) for aim in aims]
    return np.concatenate([miss for miss, _ in parts]), np.vstack([slope for _, slope in parts])


def _miss(system: System, q: np.ndarray, aim: Aim) -> tuple[np.ndarray, np.ndarray]:
    k = 3 * aim.node
    c, s = np.cos(q[k + 2]), np.sin(q[k + 2])
    arm = np.array([[c, -s], [s, c]]) @ aim.arm
    slope = np.zeros((aim.conditions, system.freedoms))
    slope[[0, 1], [k, k + 1]] = 1.0
    slope[:2, k + 2] = -arm[1], arm[0]
    miss = q[k : k + 2] + arm - aim.point
    if aim.turn is not None:
        slope[2, k + 2] = 1.0
        miss = np.append(miss, q[k + 2] + aim.frame - aim.turn)
    return miss, slope


def _miss_in_space(system: System, q: np.ndarray, aim: Aim) -> tuple[np.ndarray, np.ndarray]:
    k, frame = 6 * aim.node, system.equations.frames + 4 * aim.node
    turn = q[frame : frame + 4]
    slope = np.zeros((aim.conditions, system.freedoms))
    slope[[0, 1, 2], [k, k + 1, k + 2]] = 1.0
    for axis, unit in enumerate(np.eye(3)):
        slope[:3, k + 3 + axis] = rotations.rotate(turn, np.cross(unit, aim.arm))
    miss = q[k : k + 3] + rotations.rotate(turn, aim.arm) - aim.point
    if aim.turn is not None:
        seen = rotations.product(turn, aim.frame)
        miss = np.append(miss, rotations.logarithm(rotations.product(rotations.conjugate(aim.turn), seen)))
        slope[3:, k + 3 : k + 6] = rotations.matrix(aim.frame).T
    return miss, slope


def _present(system: System, q: np.ndarray, aim: Aim) -> Aim:
    """The aim that is met already."""
    k = system.space.width * aim.node
    if not system.space.quaternions:
        c, s = np.cos(q[k + 2]), np.sin(q[k + 2])
        point = q[k : k + 2] + np.array([[c, -s], [s, c]]) @ aim.arm
        return Aim(aim.node, aim.arm, aim.frame, point, None if aim.turn is None else q[k + 2] + aim.frame)
    turn = q[system.equations.frames + 4 * aim.node :][:4]
    point = q[k : k + 3] + rotations.rotate(turn, aim.arm)
    return Aim(
        aim.node, aim.arm, aim.frame, point, None if aim.turn is None else rotations.product(turn, aim.frame)
    )


def _between(first: Aim, last: Aim, share: float) -> Aim:
    """Part of the way from one aim to another."""
    if share == 1.0:
        return last
    point = first.point + share * (last.point - first.point)
    turn = last.turn
    if turn is not None and np.ndim(turn) == 0:
        turn = first.turn + share * (last.turn - first.turn)
    elif turn is not None:
        way = rotations.logarithm(rotations.product(rotations.conjugate(first.turn), last.turn))
        turn = rotations.product(first.turn, rotations.exponential(share * way))
    return Aim(last.node, last.arm, last.frame, point, turn)
