"""Systems along the derivative of a system's numbers by a parameter.

Kernels read numbers N (those of the parts, of the rows of the joints, signals), which the parameter decides. From two
systems at p - h and p + h their derivative follows, N' = (N+ - N-) / 2h, and

    d f(N(p)) / dp = d f(N + t N') / dt

so that differences of what kernels make of them may be of any order and step, without a model or a system more.
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

KINK, ROUNDING = 0.1, 1e-12  # of the change of a number, and of itself: what it bends by at least where it has a kink
OF_ROWS = ("factor", "offsets", "direction", "offset", "period", "weight")  # what may be another number


class Numbers(Bundle):
    """What kernels read of a system and a parameter may change: numbers of all parts, of rows, signals."""

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
        """Those of a system, whose signals have these `values`."""
        return Numbers(floats=parts.floats, signals=signals, **{name: getattr(rows, name) for name in OF_ROWS})

    def beyond(self, slope: Numbers, change: float) -> Numbers:
        """Those that a slope leads to."""
        return Numbers(*(here + change * by for here, by in zip(self, slope, strict=True)))

    def put(self, parts: Parts, rows: Rows) -> tuple[Parts, Rows]:
        """Parts and rows with these numbers."""
        return parts._replace(floats=self.floats), rows._replace(**{name: getattr(self, name) for name in OF_ROWS})


@dataclass(frozen=True)
class Beside:
    """What kernels read of a system beside another; the system itself is made when it is asked for.

    alike  whether nothing but numbers differs: no signal that changes in time
    stays  whether markers are where they were on their bodies
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
    def of(system: Any, other: Any) -> Beside | None:
        """That of a whole system; None where it has another pattern."""
        mine, here, signals = other.equations, system.equations, other.layout.signals
        if mine.pattern is not here.pattern or mine.parts.indices is not here.parts.indices:
            return None
        numbers = Numbers.of(mine.parts, mine.rows, values(signals))
        return Beside(numbers, alike(system.layout.signals, signals), False, lambda: other)


@dataclass(frozen=True)
class Drawn(Sequence[Any]):
    """Systems at p + k step, for k of some places. It is one system, of all parameters, that changes its numbers
    whenever a place is asked for: what is wanted of one has to be computed before the next is asked for.
    """

    twin: Any
    here: Numbers
    pair: tuple[Numbers, Numbers]
    slope: Numbers
    bent: bool  # whether some number may have a kink at p
    places: Sequence[int]
    step: float
    stays: bool  # whether markers are where they were on their bodies, whatever the parameter

    def by(self, places: Sequence[int], step: float) -> Self:
        """The same at other places."""
        return replace(self, places=places, step=step)

    def at(self, changes: np.ndarray) -> Iterator[tuple[Any, float]]:
        """Systems at changes of the parameter, one after the other."""
        for change in changes.tolist():
            yield self._with(self.here.beyond(self.slope, change)), change

    def both(self) -> Iterator[Any]:
        """The pair that it follows from, one after the other."""
        return map(self._with, self.pair)

    def __len__(self) -> int:
        return len(self.places)

    @overload
    def __getitem__(self, k: int) -> Any: ...
    @overload
    def __getitem__(self, k: slice) -> Drawn: ...
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


def drawn(system: System, pair: Sequence[Beside | None], step: float) -> Drawn | None:
    """Systems along the difference of a pair, at p - step and p + step; None where more than numbers differs."""
    ends = [each for each in pair if each is not None and each.alike]
    if len(ends) < len(pair) or system.rubs:
        return None
    (twin, here), (begin, end) = _twin(system), [each.numbers for each in ends]
    slopes, bends = zip(*map(partial(_slope, step), begin, here, end), strict=True)
    stays = all(each.stays for each in ends)
    return Drawn(twin, here, (begin, end), Numbers(*slopes), any(bends), (-1, 1), step, stays)


def _twin(system: Any) -> tuple[Any, Numbers]:
    """A system whose numbers may change, the same for all parameters; and those of this one."""
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
    """Those that kernels read of a system."""
    return _twin(system)[1]


def _slope(step: float, low: np.ndarray, here: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, bool]:
    """Of numbers, and whether some may have a kink; zero of those that are infinite, where nothing has a limit."""
    found = np.zeros_like(here)
    if low is here and high is here:
        return found, False
    changed = (low != here) | (high != here)
    low, here, high = low[changed], here[changed], high[changed]
    found[changed] = (high - low) / (2.0 * step)
    bend = np.abs(high - 2.0 * here + low)
    return found, bool(np.any(bend > np.maximum(KINK * np.abs(high - low), ROUNDING * np.abs(here))))


def alike(mine: Sequence[NamedSignal], others: Sequence[NamedSignal]) -> bool:
    """Whether signals differ by numbers alone."""
    return mine == others or all(a == b or a.constant and b.constant for a, b in zip(mine, others, strict=True))


def values(signals: Sequence[NamedSignal]) -> np.ndarray:
    """Of those that never change; zero of the others, which are left to the system."""
    return np.array([each.signal.value if isinstance(each.signal, Constant) else 0.0 for each in signals], float)
