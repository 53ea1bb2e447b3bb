"""A signal limited as an actuator is: between two values, and to a largest rate."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import isnan, nan
from typing import ClassVar

import numpy as np

from pliant.errors import ModelError
from pliant.model import checks
from pliant.model.signals.base import Array, Signal, SignalLike, as_signal

CHUNK = 1000  # steps of the search computed at once
MOST_STEPS = 1e8  # of the search: about 15 s
FOLLOWING = nan  # slope of a phase in which the signal is followed


@dataclass(frozen=True)
class Limited(Signal):
    """A signal limited to the range from `low` to `high` and, from t = 0 on, to the rate `largest_rate` (per second).

    It begins at the signal's value at t = 0 and follows it. While the signal is faster, it changes at its largest rate
    until it meets the signal again. The instants at which it falls behind and catches up are searched in steps of
    `resolution` (s), then found by bisection; between them value, rate and acceleration are exact.

    >>> from pliant.model import Ramp
    >>> wind = Limited(Ramp(0.0, 1.0, t0=0.0, t1=0.1, smooth=False), high=0.8, largest_rate=2.0)
    >>> wind([0.0, 0.2, 0.5]), wind.rate([0.2, 0.5])
    (array([0. , 0.4, 0.8]), array([2., 0.]))
    """

    units: ClassVar = {"resolution": "s"}
    of_use: ClassVar = {"signal": "", "low": "", "high": "", "largest_rate": "/s"}

    signal: SignalLike
    low: float | None = None
    high: float | None = None
    largest_rate: float | None = None
    resolution: float = 1e-3
    _phases: list[tuple[float, float, float]] = field(init=False, repr=False, compare=False)  # start, value, slope
    _known: list[float] = field(init=False, repr=False, compare=False)  # instant up to which phases have been found

    def __post_init__(self) -> None:
        self._set(signal=as_signal(self.signal, "Limited", "signal"), _known=[0.0], _phases=[(0.0, nan, FOLLOWING)])
        for key in ("low", "high"):
            if getattr(self, key) is not None:
                self._set(**{key: checks.number("Limited", key, getattr(self, key))})
        if self.low is not None and self.high is not None and not self.low < self.high:
            raise checks.refuse("Limited", "low", self.low, f"below high = {self.high!r}")
        if self.largest_rate is not None:
            self._set(largest_rate=checks.positive("Limited", "largest_rate", self.largest_rate))
        if self.low is self.high is self.largest_rate is None:
            raise ModelError("Limited: it has no limit. Give low=, high= or largest_rate=.")
        self._set(resolution=checks.positive("Limited", "resolution", self.resolution))

    def _at(self, t: Array, order: int) -> Array:
        followed = self._clipped(t, order)
        if self.largest_rate is None or not t.size:
            return followed
        self._search(float(np.max(t)))
        phases = np.array(self._phases)
        number = np.searchsorted(phases[:, 0], t, side="right") - 1
        start, value, slope = np.moveaxis(phases[np.maximum(number, 0)], -1, 0)
        straight = (value + slope * (t - start), slope, np.zeros_like(slope))[order]
        return np.where(np.isnan(slope), followed, straight)

    def _clipped(self, t: Array, order: int = 0) -> Array:
        """Return the signal between `low` and `high`, or its derivatives; at a bound the derivatives after it."""
        low, high = -np.inf if self.low is None else self.low, np.inf if self.high is None else self.high
        signal = as_signal(self.signal)
        value = signal(t)
        if order == 0:
            return np.clip(value, low, high)
        rate = signal.rate(t)
        inside = ((value > low) | ((value == low) & (rate > 0.0))) & ((value < high) | ((value == high) & (rate < 0.0)))
        return np.where(inside, rate if order == 1 else signal.acceleration(t), 0.0)

    def _search(self, until: float) -> None:
        """Find the phases up to an instant, chunk after chunk, independent of the order of requests."""
        if until > MOST_STEPS * self.resolution:
            raise checks.refuse(
                "Limited", "resolution", self.resolution, f"at least {until / MOST_STEPS:.3g} s up to t = {until:g} s",
                f"Its search would take {until / self.resolution:.2g} steps.",
            )  # fmt: skip
        while self._known[0] <= until:
            grid: Array = self._known[0] + self.resolution * np.arange(CHUNK + 1.0)
            now = float(grid[0])
            while now < grid[-1]:
                now = self._catch_up(now, grid) if not isnan(self._phases[-1][2]) else self._fall_behind(now, grid)
            self._known[0] = float(grid[-1])

    def _fall_behind(self, now: float, grid: Array) -> float:
        """Follow the signal until it becomes too fast; return the instant reached."""
        t = np.append(now, grid[grid > now])
        value, rate, top = self._clipped(t), self._clipped(t, 1), self._top * (1.0 + 1e-9)
        fast = np.abs(rate) > top
        cells = fast[:-1] | fast[1:] | (np.abs(np.diff(value)) > top * np.diff(t) + 1e-12 * np.abs(value[:-1]))
        if not cells.any():
            return float(t[-1])
        k = int(np.argmax(cells))
        if fast[k]:
            begin, direction = float(t[k]), rate[k]
        elif fast[k + 1]:
            _, begin = _bisect(lambda x: abs(float(self._clipped(np.array(x), 1))) > top, float(t[k]), float(t[k + 1]))
            direction = self._clipped(np.array(begin), 1)
        else:  # a jump between two steps
            end = value[k + 1]
            begin, _ = _bisect(lambda x: self._reaches(x, float(t[k + 1]), end), float(t[k]), float(t[k + 1]))
            direction = end - value[k]
        self._phases.append((begin, float(self._clipped(np.array(begin))), float(np.copysign(self._top, direction))))
        return begin

    def _reaches(self, x: float, later: float, value: float) -> bool:
        """Return whether the output could get from the signal at x to a value at a later time."""
        return abs(value - float(self._clipped(np.array(x)))) <= self._top * (later - x)

    def _catch_up(self, now: float, grid: Array) -> float:
        """Continue at the largest rate until the signal is met; return the instant reached."""
        start, value, slope = self._phases[-1]
        t = grid[grid > now]

        def met(x: Array) -> Array:
            return np.sign(slope) * (self._clipped(x) - value - slope * (x - start)) <= 0.0

        ends = met(t)
        if not ends.any():
            return float(t[-1])
        k = int(np.argmax(ends))
        _, meeting = _bisect(lambda x: bool(met(np.array(x))), float(t[k - 1]) if k else now, float(t[k]))
        meeting = min(max(meeting, now + 1e-3 * self.resolution), float(t[k]))  # a touch must not stop the search
        self._phases.append((meeting, nan, FOLLOWING))
        return meeting

    @property
    def _top(self) -> float:
        return self.largest_rate or 0.0


def _bisect(after: Callable[[float], bool], low: float, high: float) -> tuple[float, float]:
    """Return the last instant before and the first after a change, to rounding."""
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if after(middle) else (middle, high)
    return low, high
