"""Closing loops that only close when beams bend: the gaps are driven to zero as if by slow clamps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pliant.errors import ConvergenceError
from pliant.forces.tendon.planar import rest_lengths
from pliant.formulations.dae.equilibrium import follow, judge, settle, slide
from pliant.formulations.dae.system import State, System
from pliant.joints import rows as joints
from pliant.system.assembly import Assembly, refuse

LARGEST_STRETCH = 0.1  # beyond this a loop is called open: no beam is meant to be stretched so far


def close_flexible(system: System, assembly: Assembly) -> System:
    """Elastic equilibrium without loads in which every joint is closed; its shape becomes the initial configuration.

    Every row is given a signal of its own that falls from its gap to zero, so that the load steps close the joints. If
    the closed shape is unstable (a straight beam squeezed), its beams bow to their left.
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
        follow(_with(system, closing), open_, closed, q, lam, True, 8, scratch)
    except ConvergenceError:
        refuse(assembly)
    still = _with(system, held)
    found = judge(still, State(q, np.zeros_like(q), np.zeros_like(q), lam), unloaded, 0, 0, scratch)
    if found.unstable_directions:
        bent = slide(still, bowed(system, q), np.zeros_like(lam), unloaded, 0.0, scratch)
        found = settle(still, bent or found, unloaded, scratch)
    if stretch(system, found.state.q) > LARGEST_STRETCH:
        refuse(assembly)
    return replace(system, initial=found.state.q)


def stretch(system: System, q: np.ndarray) -> float:
    """Largest change of length of any beam, relative."""
    changes = [0.0]
    for mesh in system.layout.beams:
        width, points = system.space.width, len(system.space.axes)
        now = q[: system.freedoms].reshape(-1, width)[mesh.nodes]
        length, rest = (np.linalg.norm(np.diff(pose[:, :points], axis=0), axis=1).sum() for pose in (now, mesh.pose))
        changes.append(abs(float(length / rest) - 1.0))
    return max(changes)


def bowed(system: System, q: np.ndarray) -> np.ndarray:
    """The same shape, with every squeezed beam bowed to its left until it has its length again.

    ``w = a (1 - cos 2 pi s) / 2`` lengthens a beam of length l by the strain ``(pi a / 2 l)^2`` and leaves its ends.
    """
    q = q.copy()
    for mesh in system.layout.beams:
        x, y, turn = q[3 * mesh.nodes[0] : 3 * mesh.nodes[-1] + 3].reshape(-1, 3).T
        rest = np.hypot(*np.diff(mesh.pose[:, :2], axis=0).T).sum()
        strain = max(0.0, 1.0 - np.hypot(np.diff(x), np.diff(y)).sum() / rest)
        slope = np.sqrt(strain)
        w = slope * mesh.beam.length / np.pi * (1.0 - np.cos(2.0 * np.pi * mesh.s))
        x -= w * np.sin(turn)
        y += w * np.cos(turn)
        turn += 2.0 * slope * np.sin(2.0 * np.pi * mesh.s)
    return q


def _with(system: System, rows: joints.Rows) -> System:
    return replace(system, equations=system.equations._replace(rows=rows))
