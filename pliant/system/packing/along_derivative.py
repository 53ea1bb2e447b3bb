"""Systems along the derivative of a system's numbers by a parameter.

Kernels read numbers N (of parts, of rows of joints, signals), which depend on the parameter p. Their derivative follows
from two systems at p - h and p + h, N' = (N+ - N-) / 2h, and

    d f(N(p)) / dp = d f(N + t N') / dt

so that difference quotients of kernel outputs may have any order and step, without further models or systems.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, Self, overload

import numpy as np

from pliant.jit.bundle import Bundle
from pliant.joints.rows import Rows
from pliant.model.signals.base import Constant
from pliant.system.numbering.numbering import NamedSignal
from pliant.system.packing.fused import Parts
from pliant.system.system import System

KINK, ROUNDING = 0.1, 1e-12  # of a number's change, and of itself: a larger second difference is a kink
OF_ROWS = ("factor", "offsets", "direction", "offset", "period", "weight")  # fields with numbers


class Numbers(Bundle):
    """Numbers of a system that kernels read and a parameter may change: of all parts, of rows, and signals."""

    floats: np.ndarray
    factor: np.ndarray
    offsets: np.ndarray
    direction: np.ndarray
    offset: np.ndarray
    period: np.ndarray
    weight: np.ndarray
    signals: np.ndarray

    @staticmethod
    def of(parts: Parts, rows: Rows, signals: np.ndarray) -> Numbers:
        """Collect the numbers of a system whose signals have these `values`."""
        return Numbers(floats=parts.floats, signals=signals, **{name: getattr(rows, name) for name in OF_ROWS})

    def beyond(self, slope: Numbers, change: float) -> Numbers:
        """Return the numbers after a change of the parameter along a slope."""
        return Numbers(*(here + change * by for here, by in zip(self, slope, strict=True)))

    def put(self, parts: Parts, rows: Rows) -> tuple[Parts, Rows]:
        """Return parts and rows with these numbers."""
        return parts._replace(floats=self.floats), rows._replace(**{name: getattr(self, name) for name in OF_ROWS})


@dataclass(frozen=True)
class Perturbed:
    """Numbers of a system with another value of a parameter; the system itself is made at its first use.

    alike  whether only numbers differ: no signal that changes in time
    stays  whether markers keep their positions on their bodies
    """

    numbers: Numbers
    alike: bool
    stays: bool
    make: Callable[[], Any]

    @cached_property
    def made(self) -> Any:
        """The system."""
        return self.make()

    @staticmethod
    def of(system: Any, other: Any) -> Perturbed | None:
        """Return the numbers of a whole system; None if it has another pattern."""
        mine, here, signals = other.equations, system.equations, other.layout.signals
        if mine.pattern is not here.pattern or mine.parts.indices is not here.parts.indices:
            return None
        numbers = Numbers.of(mine.parts, mine.rows, values(signals))
        return Perturbed(numbers, alike(system.layout.signals, signals), False, lambda: other)


@dataclass(frozen=True)
class NearbySystems(Sequence[Any]):
    """Systems at p + k step, for some k. One system, shared by all parameters, changes its numbers whenever an item is
    requested: finish the use of one item before requesting the next.
    """

    twin: Any
    here: Numbers
    pair: tuple[Numbers, Numbers]
    slope: Numbers
    bent: bool  # whether some number may have a kink at p
    places: Sequence[int]
    step: float
    stays: bool  # whether markers keep their positions on their bodies

    def by(self, places: Sequence[int], step: float) -> Self:
        """Return the systems at other places."""
        return replace(self, places=places, step=step)

    def at(self, changes: np.ndarray) -> Iterator[tuple[Any, float]]:
        """Yield the systems at changes of the parameter, one after the other."""
        for change in changes.tolist():
            yield self._with(self.here.beyond(self.slope, change)), change

    def both(self) -> Iterator[Any]:
        """Yield the pair of systems from which the derivative follows, one after the other."""
        return map(self._with, self.pair)

    def __len__(self) -> int:
        return len(self.places)

    @overload
    def __getitem__(self, k: int) -> Any: ...
    @overload
    def __getitem__(self, k: slice) -> NearbySystems: ...
    def __getitem__(self, k: int | slice) -> Any:
        if isinstance(k, slice):
            return self.by(self.places[k], self.step)
        return self._with(self.here.beyond(self.slope, self.places[k] * self.step))

    def _with(self, numbers: Numbers) -> Any:
        equations = self.twin.equations
        equations.parts.floats[:] = numbers.floats
        for name in OF_ROWS:
            getattr(equations.rows, name)[...] = getattr(numbers, name)
        vars(self.twin)["known_signals"] = numbers.signals, self.twin.known_signals[1]
        return self.twin


def nearby_systems(system: System, pair: Sequence[Perturbed | None], step: float) -> NearbySystems | None:
    """Return the systems along the difference of a pair, at p - step and p + step; None if not only numbers differ."""
    ends = [each for each in pair if each is not None and each.alike]
    if len(ends) < len(pair) or system.rubs:
        return None
    (twin, here), (begin, end) = _twin(system), [each.numbers for each in ends]
    slopes, bends = zip(*map(partial(_slope, step), begin, here, end), strict=True)
    stays = all(each.stays for each in ends)
    return NearbySystems(twin, here, (begin, end), Numbers(*slopes), any(bends), (-1, 1), step, stays)


def _twin(system: Any) -> tuple[Any, Numbers]:
    """Return a system with variable numbers, shared by all parameters, and the numbers of this system."""
    known, here = vars(system), system.equations
    if "_twin" not in known:
        own = here.rows._replace(**{name: getattr(here.rows, name).copy() for name in OF_ROWS})
        equations = here._replace(parts=here.parts._replace(floats=here.parts.floats.copy()), rows=own)
        vars(equations)["spare"] = here.spare
        numbers = Numbers.of(here.parts, here.rows, values(system.layout.signals))
        known["_twin"] = replace(system, equations=equations), numbers
    found: tuple[Any, Numbers] = known["_twin"]
    return found


def numbers_of(system: Any) -> Numbers:
    """Return the numbers of a system that kernels read."""
    return _twin(system)[1]


def _slope(step: float, low: np.ndarray, here: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, bool]:
    """Return the derivative of numbers, and whether some may have a kink; zero for infinite numbers (no limit)."""
    found = np.zeros_like(here)
    if low is here and high is here:
        return found, False
    changed = (low != here) | (high != here)
    low, here, high = low[changed], here[changed], high[changed]
    found[changed] = (high - low) / (2.0 * step)
    bend = np.abs(high - 2.0 * here + low)
    return found, bool(np.any(bend > np.maximum(KINK * np.abs(high - low), ROUNDING * np.abs(here))))


def alike(mine: Sequence[NamedSignal], others: Sequence[NamedSignal]) -> bool:
    """Return whether signals differ only in numbers."""
    return mine == others or all(a == b or a.constant and b.constant for a, b in zip(mine, others, strict=True))


def values(signals: Sequence[NamedSignal]) -> np.ndarray:
    """Return the values of constant signals; zero for the others, which the system evaluates."""
    return np.array([each.signal.value if isinstance(each.signal, Constant) else 0.0 for each in signals], float)
