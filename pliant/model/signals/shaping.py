"""Input shaping: a command that leaves no vibration behind (N. C. Singer, W. P. Seering 1990)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pliant.model import checks
from pliant.model.signals.base import Array, Signal, SignalLike, as_signal

KINDS = {"ZV": (1.0, 1.0), "ZVD": (1.0, 2.0, 1.0)}


@dataclass(frozen=True)
class Shaped(Signal):
    """Input shaping: a signal plus delayed copies, ``sum of A_i signal(t - i pi / w_d)``, which cancel a vibration.

        ZV    A = (1, K) / (1 + K)              no vibration if omega and damping are right
        ZVD   A = (1, 2 K, K^2) / (1 + K)^2 also robust to errors of omega to first order; half a period longer

    with K = exp(-damping pi / sqrt(1 - damping^2)), w_d = omega sqrt(1 - damping^2).

    omega    rad/s, undamped frequency of the vibration; see `pl.modal` or ``plant.damping_table()``
    damping  damping ratio of the vibration

    The signal before t = 0 should be constant. To cancel a second vibration, shape the shaped signal again.

    >>> from pliant.model import Ramp
    >>> step = Ramp(0.0, 1.0, t0=0.0, t1=1e-6)
    >>> Shaped(step, omega=10.0)([0.1, 0.4]).round(6).tolist()
    [0.5, 1.0]
    """

    units: ClassVar = {"omega": "rad/s", "damping": "1"}
    of_use: ClassVar = {"signal": ""}
    may_jump: ClassVar[bool] = True

    signal: SignalLike
    omega: float
    damping: float = 0.0
    kind: str = "ZV"

    def __post_init__(self) -> None:
        self._set(
            signal=as_signal(self.signal, "Shaped", "signal"),
            omega=checks.positive("Shaped", "omega", self.omega),
            damping=checks.not_negative("Shaped", "damping", self.damping),
            kind=checks.choice("Shaped", "kind", self.kind, KINDS),
        )
        if not self.damping < 1.0:
            raise checks.refuse("Shaped", "damping", self.damping, "a damping ratio below 1", "It vibrates not at all.")

    @property
    def pulses(self) -> tuple[tuple[float, float], ...]:
        """Return delays (s) and amplitudes of the copies; the amplitudes sum to 1."""
        root = math.sqrt(1.0 - self.damping**2)
        K, weights = math.exp(-self.damping * math.pi / root), KINDS[self.kind]
        total = (1.0 + K) ** (len(weights) - 1)
        return tuple((i * math.pi / (self.omega * root), w * K**i / total) for i, w in enumerate(weights))

    def _at(self, t: Array, order: int) -> Array:
        found = [a * self.signal._at(t - delay, order) for delay, a in self.pulses]  # type: ignore[union-attr]
        return np.asarray(np.sum(found, axis=0))
