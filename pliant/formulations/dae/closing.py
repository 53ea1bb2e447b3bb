"""Closing loops that only close when beams bend: the gaps are driven to zero as if by slow clamps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pliant.errors import ConvergenceError
from pliant.formulations.dae.equilibrium import follow, judge, settle
from pliant.formulations.dae.system import State, System
from pliant.joints import rows as joints
from pliant.system.assembly import Assembly, refuse


def close_flexible(system: System, assembly: Assembly) -> System:
    """Elastic equilibrium without loads in which every joint is closed; its shape becomes the initial configuration.

    Every row is given a signal of its own that falls from its gap to zero, so that the load steps close the joints. If
    the closed shape is unstable (a straight beam squeezed), it buckles to a stable one.
    """
    rows, known = system.equations.rows, len(system.layout.signals)
    now = system.signals(np.zeros(1))[0]
    gap = np.zeros(system.constraints)
    joints.residual(rows, system.initial, now, gap)
    closing = rows._replace(
        offset=rows.offset + rows.gain * now[rows.signal],
        gain=np.ones(system.constraints),
        signal=(known + np.arange(system.constraints)).astype(np.uint32),
    )
    base = np.concatenate([np.zeros(known), gap])
    base[0] = 1.0
    target = np.where(np.arange(base.size) < known, base, 0.0)
    temporary = replace(system, equations=system.equations._replace(rows=closing))
    q, lam, scratch = system.initial.copy(), np.zeros(system.constraints), temporary.scratch()
    try:
        follow(temporary, base, target, q, lam, True, 8, scratch)
    except ConvergenceError:
        refuse(assembly)
    closed = judge(temporary, State(q, np.zeros_like(q), np.zeros_like(q), lam), target, 0, 0, scratch)
    return replace(system, initial=settle(temporary, closed, target, scratch).state.q)
