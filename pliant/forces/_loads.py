"""Forces and moments at markers, given by signals: the kernel that point, distributed and gravity loads share.

``F = scale (u_x, u_y)`` at ``r = x + R(theta) d``, moment ``scale u_m``; a follower turns F with the node.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import cos, sin
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pliant.jit import kernel
from pliant.kernels.marker import arm

if TYPE_CHECKING:
    from pliant.system.numbering.planar_layout import Layout


NONE = 2  # the signal that is always zero


class Entry(NamedTuple):
    """One load, in the plane or in space: node, scale, signals of force and moment (none: zero), the arm of its marker
    (none: at the node), whether it follows, and for a follower the rotation from its axes to the node's.
    """

    node: int
    scale: float
    force: Sequence[int] = ()
    moment: Sequence[int] = ()
    arm: Any = ()
    follower: bool = False
    turn: Any = None


def numbered(signals: Sequence[Sequence[int]], count: int) -> np.ndarray:
    """Return (loads, count) numbers of signals."""
    return np.array(signals, np.uint32).reshape(-1, count)


def constant(layout: Any, signals: np.ndarray) -> np.ndarray:
    """Return (loads) whether all signals of a load are constant in time."""
    steady = np.array([layout.is_constant(k) for k in range(len(layout.signals))], bool)
    return np.asarray(steady[signals].all(axis=1))


class Arrays(NamedTuple):
    """Arrays of loads, one entry a load."""

    dofs: np.ndarray
    slots: np.ndarray
    offset: np.ndarray
    scale: np.ndarray
    signals: np.ndarray  # (n, 3)
    follower: np.ndarray
    angle: np.ndarray
    steady: np.ndarray  # 1 if the load is dead and constant in time: it then has a potential


def arrays(layout: Layout, entries: Iterable[Entry]) -> Arrays:
    """Pack load entries."""
    items = list(entries)
    signals = numbered([(*(e.force or (NONE,) * 2), *(e.moment or (NONE,))) for e in items], 3)
    dead = np.array([not e.follower for e in items], bool)
    return Arrays(
        dofs=layout.dofs([e.node for e in items]),
        slots=np.empty((len(items), 0), np.uint32),
        offset=np.array([e.arm if len(e.arm) else (0.0,) * 2 for e in items], float).reshape(-1, 2),
        scale=np.array([e.scale for e in items], float),
        signals=signals,
        follower=np.array([e.follower for e in items], np.uint32),
        angle=np.array([e.turn or 0.0 for e in items], float),
        steady=(dead & constant(layout, signals)).astype(np.uint32),
    )


def unsymmetric(part: Arrays) -> bool:
    """Return whether there are follower loads, whose stiffness is unsymmetric."""
    return bool(np.any(part.follower))


@kernel
def force_at(part: Arrays, e: int, q: np.ndarray, u: np.ndarray) -> tuple[float, float, float]:
    """Return force in global axes and moment of load e."""
    fx = part.scale[e] * u[part.signals[e, 0]]
    fy = part.scale[e] * u[part.signals[e, 1]]
    moment = part.scale[e] * u[part.signals[e, 2]]
    if part.follower[e]:
        theta = q[part.dofs[e, 2]] + part.angle[e]
        c, s = cos(theta), sin(theta)
        fx, fy = c * fx - s * fy, s * fx + c * fy
    return fx, fy, moment


@kernel
def add(part: Arrays, q: np.ndarray, u: np.ndarray, ck: float, r: np.ndarray, s: np.ndarray, w: np.ndarray) -> None:
    """Subtract the loads from r and add their stiffness: a dead force turns the arm, a follower turns with it."""
    for e in range(part.scale.size):
        fx, fy, moment = force_at(part, e, q, u)
        px, py = arm(q[part.dofs[e, 2]], part.offset[e, 0], part.offset[e, 1])
        r[part.dofs[e, 0]] -= fx
        r[part.dofs[e, 1]] -= fy
        r[part.dofs[e, 2]] -= moment + px * fy - py * fx
        if part.follower[e]:  # d(-F)/dtheta = (fy, -fx): only the force rows, the arm turns along
            s[part.slots[e, 3]] += 0.5 * ck * fy
            w[part.slots[e, 3]] -= 0.5 * ck * fy
            s[part.slots[e, 4]] -= 0.5 * ck * fx
            w[part.slots[e, 4]] += 0.5 * ck * fx
        else:
            s[part.slots[e, 5]] += ck * (px * fx + py * fy)


@kernel
def energy(part: Arrays, q: np.ndarray, u: np.ndarray) -> tuple[float, float]:
    """Return the potential -F . r - M theta of the steady dead loads."""
    potential = 0.0
    for e in range(part.scale.size):
        if part.steady[e]:
            fx, fy, moment = force_at(part, e, q, u)
            theta = q[part.dofs[e, 2]]
            px, py = arm(theta, part.offset[e, 0], part.offset[e, 1])
            potential -= fx * (q[part.dofs[e, 0]] + px) + fy * (q[part.dofs[e, 1]] + py) + moment * theta
    return 0.0, potential


@kernel
def power(part: Arrays, q: np.ndarray, v: np.ndarray, u: np.ndarray) -> tuple[float, float]:
    """Return the power of the loads that have no potential."""
    supplied = 0.0
    for e in range(part.scale.size):
        if not part.steady[e]:
            fx, fy, moment = force_at(part, e, q, u)
            omega = v[part.dofs[e, 2]]
            px, py = arm(q[part.dofs[e, 2]], part.offset[e, 0], part.offset[e, 1])
            supplied += fx * (v[part.dofs[e, 0]] - py * omega) + fy * (v[part.dofs[e, 1]] + px * omega) + moment * omega
    return supplied, 0.0
