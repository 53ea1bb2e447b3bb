"""White noise as a signal that disturbs a mechanism."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from pliant.model import checks
from pliant.model.signals.base import Array, Signal

BLOCK = 1024  # numbers drawn at once


@dataclass(frozen=True)
class WhiteNoise(Signal):
    """White noise held over intervals: ``offset + density / sqrt(hold)`` times a normal number in each interval.

    density  two-sided, in units of the input per root hertz, as `kalman` takes for process_noise: the autocorrelation
             is density^2 delta(tau), for what is much slower than `hold`
    hold     s, length of the intervals, the first of which begins at t = 0; choose the time step, or less
    seed     the same seed gives the same noise

    >>> noise = WhiteNoise(0.5, hold=0.01, seed=3)
    >>> bool(noise(0.012) == noise(0.019)), round(float(np.std(noise(0.01 * np.arange(4000) + 0.005))), 1)
    (True, 5.0)
    """

    units: ClassVar = {"hold": "s"}
    of_use: ClassVar = {"offset": ""}
    may_jump: ClassVar[bool] = True

    density: float
    hold: float
    seed: int = 0
    offset: float = 0.0

    def __post_init__(self) -> None:
        self._set(
            density=checks.not_negative("WhiteNoise", "density", self.density),
            hold=checks.positive("WhiteNoise", "hold", self.hold),
        )
        self._numbers()
        if isinstance(self.seed, bool) or not isinstance(self.seed, int) or self.seed < 0:
            raise checks.refuse("WhiteNoise", "seed", self.seed, "a whole number, zero or above")

    def _at(self, t: Array, order: int) -> Array:
        if order:
            return np.zeros_like(t)
        number = np.floor(t / self.hold + 1e-9).astype(np.int64)
        blocks = {int(k): _drawn(self.seed, int(k)) for k in np.unique(number // BLOCK)}
        drawn = np.array([blocks[k // BLOCK][k % BLOCK] for k in number.ravel().tolist()]).reshape(t.shape)
        return self.offset + self.density / np.sqrt(self.hold) * drawn


@lru_cache(maxsize=64)
def _drawn(seed: int, block: int) -> Array:
    """Draw a block of normal numbers; blocks of negative times have even, others odd numbers."""
    return np.random.default_rng((seed, 2 * abs(block) + (block >= 0))).standard_normal(BLOCK)
