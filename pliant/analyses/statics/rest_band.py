"""Loads under which friction holds a mechanism where it is."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pliant.analyses.common import Start, require, state_of
from pliant.errors import OptionError
from pliant.linalg import eigen
from pliant.model.signals import sizes as signal_sizes
from pliant.system.capabilities import HasSlip, Rough

SHARES = 32  # of friction, one after the other
ROUNDS, SETTLED = 30, 1e-12  # of Newton, and its last change, relative


@dataclass(frozen=True)
class RestBand:
    """Interval of a signal in which a mechanism stays at rest.

    signal        its name
    lower, upper  where it begins to move to either side; -inf or inf: it never does (it is self-locking)
    free          the value that balances it without friction
    friction      friction force of every joint at ``lower`` and ``upper``, by its name (N, or N m where it turns)

    >>> 3.0 in RestBand("push/x", lower=-4.0, upper=4.0, free=0.0)
    True
    """

    signal: str
    lower: float
    upper: float
    free: float
    friction: dict[str, tuple[float, float]] = field(default_factory=dict)

    def __contains__(self, value: float) -> bool:
        return self.lower <= value <= self.upper


def rest_band(system: Rough, signal: str, *, at: Start = None, time: float = 0.0) -> RestBand:
    """Find the interval of a load in which friction in the joints holds a mechanism with one freedom at rest.

    signal  name of the load or motor torque (``system.signal_names``); other signals are as at ``time``
    at      pose: a Result, or the assembled one

    At the ends of the interval all joints are about to slip, each with the friction (F_0 + mu N) breakaway. With the
    direction t of the only possible motion, the forces f of parts, G^T lambda of joints and S of the surfaces,

        f(signal) + G^T lambda + sum L(lambda) S^T S t / |S t| = 0

    which is solved by continuation from no friction (lambda of the frictionless mechanism) to full friction. If there
    is no solution with full friction, the mechanism is self-locking. Mechanisms with more freedoms, such as those with
    beams, have no such interval: each joint may slip alone.

    >>> import pliant as pl
    >>> m = pl.Model("shelf")
    >>> ground, block = m.add(pl.Ground(), pl.Body("block", mass=2.0, inertia=0.1))
    >>> guide = m.add(pl.Prismatic(ground.at(0, 0), block.at()))
    >>> parts = m.add(pl.Gravity(), pl.Force(block.at(), name="push"), pl.Friction(guide, 0.25, length=1.0))
    >>> band = pl.rest_band(pl.compile(m), "push/x")
    >>> round(band.lower, 6), round(band.upper, 6), 5.0 in band
    (-4.905, 4.905, False)
    """
    require(system, HasSlip, "rest_band")
    if not system.rubs:
        raise OptionError(f"rest_band: no joint of {system.model.name!r} rubs. Add a Friction.")
    state, number = state_of(system, at), system.signal_number(signal)
    if number in system.driving:
        raise OptionError(f"rest_band: {signal!r} drives a joint, which holds it. Give a load or a torque.")
    u = system.signals(np.array([time]))[0]
    impending = _Impending(system, state.q, u, number, signal)
    ends = [impending.end(side) for side in (-1.0, 1.0)]
    (lower, at_lower), (upper, at_upper) = sorted(ends, key=lambda end: end[0])
    names = system.grips(state.q, np.zeros(system.constraints)).names
    held = dict(zip(names, zip(at_lower.tolist(), at_upper.tolist(), strict=True), strict=True))
    return RestBand(signal, lower, upper, impending.solve(np.zeros(len(names)), 1.0)[0], held)


class _Impending:
    """A pose whose only motion is about to begin."""

    def __init__(self, system: Any, q: np.ndarray, u: np.ndarray, number: int, signal: str) -> None:
        self.system, self.q = system, q
        unit = 1.0 / system.weight
        self.jacobian = system.row_gradients(q) * unit
        free = eigen.null_space(self.jacobian)
        if free.shape[1] != 1:
            raise OptionError(
                f"rest_band: {system.model.name!r} has {free.shape[1]} freedoms; it must have one. Hold the others by "
                "joints or drives, or replace beams by links."
            )
        self.way, still = free[:, 0], np.zeros(system.size)
        size = signal_sizes.size(system.model, signal, float(u[number]), system.length_scale)
        forces = []
        for value in (0.0, size):
            loaded = u.copy()
            loaded[number] = value
            forces.append(unit * system.unbalanced(q, still, still, loaded))
        self.force, self.per = forces[0], (forces[1] - forces[0]) / size
        if not abs(self.way @ self.per) > 1e-9 * np.linalg.norm(self.per):
            raise OptionError(f"rest_band: {signal!r} does no work on the motion that is left in that pose.")
        grips = system.grips(q, np.zeros(system.constraints))
        speeds = grips.speeds * unit
        slip = speeds @ self.way
        sizes = np.sqrt(np.bincount(grips.owner, slip**2, len(grips.names)))
        direction = slip / np.where(sizes > 0.0, sizes, 1.0)[grips.owner]
        self.rough = np.array([(direction * (grips.owner == e)) @ speeds for e in range(len(grips.names))])
        self.inverse = np.linalg.pinv(self.jacobian.T)

    def solve(self, limit: np.ndarray, side: float) -> tuple[float, np.ndarray]:
        """Solve for the load and the reactions, given the friction of each joint."""
        push = self.force + side * (limit @ self.rough)
        load = -float(self.way @ push) / float(self.way @ self.per)
        return load, -self.inverse @ (push + load * self.per)

    def end(self, side: float) -> tuple[float, np.ndarray]:
        """Find the load at which the mechanism is about to move to a side, and the friction of its joints; infinite
        without one.
        """
        limit = np.zeros(len(self.rough))
        base = self.solve(limit, side)[1]
        slopes = np.array([self.solve(one, side)[1] - base for one in np.eye(limit.size)])  # reactions by what is held
        for share in np.linspace(0.0, 1.0, SHARES + 1)[1:]:
            for _ in range(ROUNDS):
                grips = self.system.grips(self.q, base + limit @ slopes)
                tangent = np.eye(limit.size) - share * grips.slope @ slopes.T
                step = np.linalg.lstsq(tangent, share * grips.limit - limit, rcond=None)[0]
                limit = limit + step
                if np.max(np.abs(step)) <= SETTLED * max(float(np.max(np.abs(limit))), 1e-300):
                    break
            else:
                return self._nowhere(side), np.full(limit.size, np.inf)
            if np.any(limit < 0.0) or np.linalg.det(tangent) <= 0.0:
                return self._nowhere(side), np.full(limit.size, np.inf)
        return self.solve(limit, side)[0], limit

    def _nowhere(self, side: float) -> float:
        """Return infinity, on the side to which the load grows."""
        grows = self.solve(np.ones(len(self.rough)), side)[0] - self.solve(np.zeros(len(self.rough)), side)[0]
        return float(np.copysign(np.inf, grows))
