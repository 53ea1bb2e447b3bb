"""States at several instants, as input of observers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from pliant.system.state import State

if TYPE_CHECKING:
    from pliant.solvers.stepping.motion import TimeHistory


def energy_columns(stored: np.ndarray, work: np.ndarray | None) -> np.ndarray:
    """Return the (times, 5) columns of `labels.ENERGIES`: kinetic and potential energy, energy supplied and dissipated
    since the start, and the error of their balance.
    """
    out = np.zeros((len(stored), 5))
    out[:, :2] = stored
    if work is not None:
        out[:, 2:4] = work
    out[:, 4] = out[:, 0] + out[:, 1] - out[:, 2] + out[:, 3]
    out[:, 4] -= out[0, 4]
    return out


@dataclass
class Samples:
    """Raw states at several instants, each of the length of ``System.size``."""

    time: np.ndarray
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    lam: np.ndarray
    work: np.ndarray | None = None
    signals: np.ndarray | None = None  # if they differ from the model's at these times, as along a path
    interior: np.ndarray | None = None  # of rods (formulation "shooting")
    between: Samples | None = field(default=None, kw_only=True)  # more instants, for counting turns

    @staticmethod
    def of(state: State) -> Samples:
        """Return a single state as samples."""
        return Samples(np.array([state.time]), *(x[None] for x in (state.q, state.v, state.a, state.lam)))

    @staticmethod
    def together(states: Sequence[State]) -> Samples:
        """Return several states as samples."""
        arrays = (np.array([getattr(each, name) for each in states]) for name in ("q", "v", "a", "lam"))
        return Samples(np.array([each.time for each in states]), *arrays)

    @staticmethod
    def repeated(state: State, count: int) -> Samples:
        """Return a state repeated ``count`` times."""
        arrays = (np.broadcast_to(x, (count, x.size)) for x in (state.q, state.v, state.a, state.lam))
        return Samples(np.full(count, state.time), *arrays)

    @staticmethod
    def along(motion: TimeHistory, size: int) -> Samples:
        """Return the instants of a motion, with the ground's coordinates added if missing."""
        q, v, a = (
            x if x.shape[1] == size else np.pad(x, ((0, 0), (0, size - x.shape[1])))
            for x in (motion.q, motion.v, motion.a)
        )
        return Samples(motion.time, q, v, a, motion.lam, motion.work, interior=motion.interior)

    def state(self, k: int) -> State:
        """Return the state at an instant."""
        return State(self.q[k], self.v[k], self.a[k], self.lam[k], float(self.time[k]))

    def only(self, k: int) -> Samples:
        """Return the samples of one instant."""
        arrays = (self.time, self.q, self.v, self.a, self.lam, self.work, self.signals, self.interior)
        return Samples(*(None if x is None else x[k : k + 1] for x in arrays))  # type: ignore[arg-type]
