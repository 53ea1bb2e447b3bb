"""States at several instants, as they are observed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from pliant.system.state import State

if TYPE_CHECKING:
    from pliant.solvers.stepping.motion import TimeHistory


def energy_columns(stored: np.ndarray, work: np.ndarray | None) -> np.ndarray:
    """(times, 5) as `labels.ENERGIES` names them: kinetic and potential energy, energy supplied and dissipated since
    the start, and what the balance of these is off by.
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
    signals: np.ndarray | None = None  # where they are not those of the model at these times, as along a path
    interior: np.ndarray | None = None  # of rods (formulation "shooting")
    between: Samples | None = field(default=None, kw_only=True)  # more instants, by which turns are counted

    @staticmethod
    def of(state: State) -> Samples:
        """A single state."""
        return Samples(np.array([state.time]), *(x[None] for x in (state.q, state.v, state.a, state.lam)))

    @staticmethod
    def together(states: Sequence[State]) -> Samples:
        """Several states."""
        arrays = (np.array([getattr(each, name) for each in states]) for name in ("q", "v", "a", "lam"))
        return Samples(np.array([each.time for each in states]), *arrays)

    @staticmethod
    def repeated(state: State, count: int) -> Samples:
        """A state so many times."""
        arrays = (np.broadcast_to(x, (count, x.size)) for x in (state.q, state.v, state.a, state.lam))
        return Samples(np.full(count, state.time), *arrays)

    @staticmethod
    def along(motion: TimeHistory, size: int) -> Samples:
        """The instants of a motion; formulations of the plane leave the ground out."""
        q, v, a = (
            x if x.shape[1] == size else np.pad(x, ((0, 0), (0, size - x.shape[1])))
            for x in (motion.q, motion.v, motion.a)
        )
        return Samples(motion.time, q, v, a, motion.lam, motion.work, interior=motion.interior)

    def state(self, k: int) -> State:
        """The state at one of the instants."""
        return State(self.q[k], self.v[k], self.a[k], self.lam[k], float(self.time[k]))

    def only(self, k: int) -> Samples:
        """One of the instants."""
        arrays = (self.time, self.q, self.v, self.a, self.lam, self.work, self.signals, self.interior)
        return Samples(*(None if x is None else x[k : k + 1] for x in arrays))  # type: ignore[arg-type]
