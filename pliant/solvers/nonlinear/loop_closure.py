"""Closing of loops that only close when beams bend: the gaps are driven to zero like slow clamps."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from pliant.errors import ConvergenceError
from pliant.forces.rest_lengths import rest_lengths
from pliant.joints import rows as joints
from pliant.model import Model, rotations
from pliant.solvers.nonlinear.equilibrium import PLAIN, follow, judge, settle, slide
from pliant.system.assembly.assembly import Assembly, refuse
from pliant.system.packing import build as packing
from pliant.system.state import State
from pliant.system.system import OPEN, Opening, System

ITERATIONS = 60  # of Newton on the joints
LARGEST_STRETCH = 0.1  # beyond this a loop is open: no beam should be stretched so far


def build(model: Model, **options: Any) -> System:
    """Number, assemble and pack a model as `pliant.system.packing.build.build`; open loops are closed by bending."""
    return packing.build(model, close=close_flexible, **options)


def close_flexible(system: System, assembly: Assembly) -> System:
    """Return the system with the initial configuration of the elastic equilibrium without loads in which every joint is
    closed.

    Every row gets a signal of its own that falls from its gap to zero, so that the load steps close the joints. If the
    closed shape is unstable (a straight beam under compression), its beams bow to their specified side.
    """
    rows, known = system.equations.rows, len(system.layout.signals)
    now = system.signals(np.zeros(1))[0]
    gap = np.zeros(system.constraints)
    joints.residual(rows, system.initial, now, gap)
    held = rows._replace(
        offset=rows.offset + rows.gain * now[rows.signal],
        gain=np.zeros(system.constraints),
        signal=np.zeros(system.constraints, np.uint32),
    )
    closing = held._replace(
        gain=np.ones(system.constraints), signal=(known + np.arange(system.constraints)).astype(np.uint32)
    )
    unloaded = np.zeros(known)
    unloaded[0] = 1.0
    for number, length in rest_lengths(system.layout, system.initial):
        unloaded[number] = length + 1e3 * system.length_scale  # slack
    open_, closed = np.concatenate([unloaded, gap]), np.concatenate([unloaded, np.zeros_like(gap)])
    q, lam, scratch = system.initial.copy(), np.zeros(system.constraints), system.scratch()
    try:
        follow(_with(system, closing), open_, closed, q, lam, PLAIN, 8, scratch)
    except ConvergenceError:
        refuse(assembly)
    still = _with(system, held)
    found = judge(still, State(q, np.zeros_like(q), np.zeros_like(q), lam), unloaded, 0, 0, scratch)
    if found.unstable_directions:
        bent = slide(still, bow(system, q), np.zeros_like(lam), unloaded, 0.0, scratch)
        found = settle(still, bent or found, unloaded, scratch)
    if stretch(system, found.state.q) > LARGEST_STRETCH:
        refuse(assembly)
    return replace(system, initial=found.state.q)


def stays_open(system: System, q: np.ndarray, u: np.ndarray) -> Opening | None:
    """Return the joint that Newton on the joints alone cannot close near a configuration; None if it closes all."""
    rows, n, q = system.equations.rows, system.freedoms, q.copy()
    gap, jacobian = np.zeros(system.constraints), np.zeros((system.constraints, system.size))
    unit, width = 1.0 / system.weight, np.sqrt(rows.weight)
    for _ in range(ITERATIONS):
        joints.residual(rows, q, u, gap)
        joints.jacobian_dense(rows, q, u, jacobian)
        step = np.linalg.lstsq(width[:, None] * jacobian[:, :n] * unit, -width * gap, rcond=1e-9)[0]
        q = system.moved(q, unit * step * min(1.0, 0.3 / max(1e-12, np.max(np.abs(step)))))
    joints.residual(rows, q, u, gap)
    wide = np.abs(gap) * np.sqrt(rows.weight)
    worst = int(np.argmax(wide))
    return system.opening(worst, gap) if wide[worst] > OPEN * system.length_scale else None


def stretch(system: System, q: np.ndarray) -> float:
    """Return the largest relative change of length of any beam."""
    return max([0.0, *(abs(lengthening(system, mesh, q)) for mesh in system.layout.beams)])


def lengthening(system: System, mesh: Any, q: np.ndarray) -> float:
    """Return the relative change of length of a beam."""
    points = len(system.space.axes)
    now = q[: system.space.width * system.layout.moving].reshape(-1, system.space.width)[mesh.nodes]
    length, rest = (np.linalg.norm(np.diff(pose[:, :points], axis=0), axis=1).sum() for pose in (now, mesh.pose))
    return float(length / rest) - 1.0


def bow(system: System, q: np.ndarray) -> np.ndarray:
    """Bow every compressed beam to its specified side until it has its length again.

    ``w = a (1 - cos 2 pi s) / 2`` lengthens a beam of length l by the strain ``(pi a / 2 l)^2`` and leaves its ends.
    """
    increment = np.zeros((system.layout.moving, system.space.width))
    for mesh in system.layout.beams:
        slope = np.sqrt(max(0.0, -lengthening(system, mesh, q)))
        slope = -slope if mesh.beam.bow == "right" else slope
        w = slope * mesh.beam.length / np.pi * (1.0 - np.cos(2.0 * np.pi * mesh.s))
        increment[mesh.nodes, : len(system.space.axes)] = w[:, None] * _leftward(system, mesh, q)
        increment[mesh.nodes, -1] = 2.0 * slope * np.sin(2.0 * np.pi * mesh.s)
    return system.moved(q, increment.ravel())


def _leftward(system: System, mesh: Any, q: np.ndarray) -> np.ndarray:
    """Return the y axes of the sections, one row per node."""
    if system.space.quaternions:
        frames = q[system.equations.frames :].reshape(-1, 4)[mesh.nodes]
        return rotations.rotate(frames, np.array([0.0, 1.0, 0.0]))
    turn = q[3 * mesh.nodes + 2]
    return np.column_stack([-np.sin(turn), np.cos(turn)])


def _with(system: System, rows: joints.Rows) -> System:
    return replace(system, equations=system.equations._replace(rows=rows))
