"""Functions of time. An argument that is a signal takes a number, a Signal, or any Python function of time.

``signal(t)``, ``signal.rate(t)`` and ``signal.acceleration(t)`` take one time or an array of times and return an array
of the same shape. Numbers may have units, ``Ramp("0 deg", "90 deg", "0 s", "200 ms")``. A value that is not finite, or
a function that fails, raises SignalError naming part and time.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pliant.errors import ModelError, SignalError
from pliant.model import checks
from pliant.model.kinds import Kind
from pliant.model.parameters import to_numbers
from pliant.model.quantities import in_si_of_its_own, si
from pliant.model.signals import expressions

Array = NDArray[np.float64]


class Signal(Kind, ABC, abstract=True):
    """A function of time. Subclasses define `_at(t, order)`: value, rate or acceleration for order 0, 1, 2.

    >>> ramp = Ramp(0.0, 2.0, 0.0, 1.0)
    >>> float(ramp(0.5)), float(ramp.rate(1.5))
    (1.0, 0.0)
    """

    has_units: ClassVar[bool] = False
    of_use: ClassVar[Mapping[str, str]] = {}  # fields in the units of the signal's use, and their divisors
    given: ClassVar[Sequence[object]] = ()  # values that came with units, which the owner compares
    may_jump: ClassVar[bool] = False  # whether its value may jump; steps then evaluate it on both sides

    @property
    def opaque(self) -> bool:
        """Return whether it calls a function of the user, which may return another value the next time."""
        return any(each.opaque for each in vars(self).values() if isinstance(each, Signal))

    def __call__(self, t: ArrayLike, owner: str = "Signal") -> Array:
        """Return the value at the times t (s)."""
        return self._checked(t, 0, owner)

    def rate(self, t: ArrayLike, owner: str = "Signal") -> Array:
        """Return the first time derivative; at a kink, the one after it."""
        return self._checked(t, 1, owner)

    def acceleration(self, t: ArrayLike, owner: str = "Signal") -> Array:
        """Return the second time derivative; at a kink, the one after it."""
        return self._checked(t, 2, owner)

    def jet(self, t: ArrayLike, owner: str = "Signal") -> tuple[Array, Array, Array]:
        """Return value, rate and acceleration at once."""
        return self(t, owner), self.rate(t, owner), self.acceleration(t, owner)

    def check_units(self, owner: str, argument: str, units: str) -> None:
        """Refuse values and formulas whose units differ from the signal's use."""
        for value in self.given:
            si(owner, argument, value, units)
        made = self.made.arguments if self.made is not None else {}
        for key, divided in self.of_use.items():
            to_numbers(made.get(key), owner, argument, units + divided)
        for each in vars(self).values():
            if isinstance(each, Signal):
                each.check_units(owner, argument, units)

    def _numbers(self, *others: str) -> None:
        """Check that fields are numbers: fields in the units of its use, whose units are kept, and others."""
        kind = type(self).__name__
        given = {key: getattr(self, key) for key in self.of_use}
        self._set(given=[value for value in given.values() if not isinstance(value, int | float)])
        for key in (*given, *others):
            self._set(**{key: checks.number(kind, key, in_si_of_its_own(kind, key, getattr(self, key)))})

    @abstractmethod
    def _at(self, t: Array, order: int) -> Array: ...

    def _checked(self, t: ArrayLike, order: int, owner: str) -> Array:
        times = np.asarray(t, dtype=float)
        try:
            values = self._at(times, order)
        except SignalError as error:
            raise SignalError(f"{owner}: {error}") from error.__cause__
        finite = np.isfinite(values)
        if not finite.all():
            bad = ~finite
            what = ("value", "rate", "acceleration")[order]
            raise SignalError(
                f"{owner}: the {what} of {self} is {values[bad].flat[0]} at t = {times[bad].flat[0]:.9g} s; "
                f"it must be finite. Look there for a division by zero, an overflow or a jump."
            )
        return values


SignalLike = float | Signal | Callable[[float], float]


@dataclass(frozen=True)
class Constant(Signal):
    """One value at all times.

    >>> Constant(3.0)([0.0, 1.0])
    array([3., 3.])
    """

    of_use: ClassVar = {"value": ""}

    value: float

    def __post_init__(self) -> None:
        self._numbers()

    def __float__(self) -> float:
        return self.value

    def _at(self, t: Array, order: int) -> Array:
        return np.full_like(t, self.value if order == 0 else 0.0)


@dataclass(frozen=True)
class Sine(Signal):
    """``offset + amplitude sin(2 pi frequency_hz t + phase)``, phase in radians.

    >>> Sine(2.0, frequency_hz=0.25)([0.0, 1.0]).round(12)
    array([0., 2.])
    """

    units: ClassVar = {"frequency_hz": "Hz", "phase": "rad"}
    of_use: ClassVar = {"amplitude": "", "offset": ""}

    amplitude: float
    frequency_hz: float
    phase: float = 0.0
    offset: float = 0.0

    def __post_init__(self) -> None:
        self._numbers("frequency_hz", "phase")

    def _at(self, t: Array, order: int) -> Array:
        omega = 2.0 * np.pi * self.frequency_hz
        wave = self.amplitude * omega**order * np.sin(omega * t + self.phase + order * np.pi / 2.0)
        return wave + self.offset if order == 0 else wave


@dataclass(frozen=True)
class Ramp(Signal):
    """A change from `start` to `end` between the times t0 and t1 (s), constant before and after.

    A smooth ramp ``x^3 (10 - 15 x + 6 x^2)`` starts and ends with zero rate and acceleration; without `smooth` it is a
    straight line.

    >>> Ramp(0.0, 4.0, t0=1.0, t1=3.0)([0.0, 2.0, 5.0])
    array([0., 2., 4.])
    """

    units: ClassVar = {"t0": "s", "t1": "s"}
    of_use: ClassVar = {"start": "", "end": ""}

    start: float
    end: float
    t0: float
    t1: float
    smooth: bool = True

    def __post_init__(self) -> None:
        self._numbers("t0", "t1")
        if self.t1 <= self.t0:
            raise checks.refuse("Ramp", "t1", self.t1, f"after t0 = {self.t0!r}", "Swap the two times.")
        self._set(smooth=checks.flag("Ramp", "smooth", self.smooth))

    def _at(self, t: Array, order: int) -> Array:
        duration = self.t1 - self.t0
        x = np.clip((t - self.t0) / duration, 0.0, 1.0)
        if order == 0:
            shape = x**3 * (10.0 - 15.0 * x + 6.0 * x**2) if self.smooth else x
            return self.start + (self.end - self.start) * shape
        if self.smooth:
            slope = 30.0 * (x * (1.0 - x)) ** 2 if order == 1 else 60.0 * x * (1.0 - x) * (1.0 - 2.0 * x)
        else:
            slope = np.where((t >= self.t0) & (t < self.t1) & (order == 1), 1.0, 0.0)
        return (self.end - self.start) / duration**order * slope


@dataclass(frozen=True)
class Table(Signal):
    """Values at given times, straight lines between, constant before the first and after the last.

    >>> Table([0.0, 1.0, 2.0], [0.0, 10.0, 10.0])([0.5, 1.5, 9.0])
    array([ 5., 10., 10.])
    """

    units: ClassVar = {"times": "s"}
    of_use: ClassVar = {"values": ""}

    times: tuple[float, ...]
    values: tuple[float, ...]

    def __post_init__(self) -> None:
        times = checks.numbers("Table", "times", self.times, least=2)
        values = checks.numbers("Table", "values", in_si_of_its_own("Table", "values", self.values), least=2)
        self._set(given=[value for value in self.values if not isinstance(value, int | float)])
        if len(times) != len(values):
            raise ModelError(f"Table: {len(times)} times but {len(values)} values. Give as many of both.")
        for i, (before, after) in enumerate(zip(times[:-1], times[1:], strict=True)):
            if after <= before:
                raise checks.refuse("Table", f"times[{i + 1}]", after, f"after the one before it, {before!r}")
        self._set(times=times, values=values)

    def _at(self, t: Array, order: int) -> Array:
        if order == 0:
            return np.interp(t, self.times, self.values)
        slopes = np.concatenate([[0.0], np.diff(self.values) / np.diff(self.times), [0.0]])
        piece = np.searchsorted(self.times, t, side="right")
        return slopes[piece] if order == 1 else np.zeros_like(t)


@dataclass(frozen=True)
class Expression(Signal):
    """A formula of t as text, which a model file can hold. No code is run: only the syntax listed here is accepted.

    Numbers, t, pi, e, + - * / **, comparisons, and/or/not, ``a if c else b``, ``where(c, a, b)``, and the functions
    sin cos tan exp log sqrt abs tanh min max, step(x) (0 below zero, else 1), smoothstep(x) (0 to 1 for x from 0 to 1).
    Its derivatives are exact.

    >>> push = Expression("where(t < 1.2, 0.01*sin(pi*t/1.2), 0)")
    >>> push([0.6, 2.0]), push.rate([0.0]).round(6)
    (array([0.01, 0.  ]), array([0.02618]))
    """

    text: str

    @property
    def may_jump(self) -> bool:  # type: ignore[override]
        """Return whether the formula compares or chooses."""
        return expressions.may_jump(self.text)

    def __post_init__(self) -> None:
        if not isinstance(self.text, str):
            raise checks.refuse("Expression", "text", self.text, "text", 'Try Expression("0.1*sin(2*pi*t)").')
        expressions.parse(self.text)

    def jet(self, t: ArrayLike, owner: str = "Signal") -> tuple[Array, Array, Array]:
        values = expressions.evaluate(self.text, np.asarray(t, float))
        return values if all(np.isfinite(x).all() for x in values) else super().jet(t, owner)

    def _at(self, t: Array, order: int) -> Array:
        return expressions.evaluate(self.text, t)[order] if order else expressions.values(self.text, t)


@dataclass(frozen=True)
class Function(Signal):
    """Any Python function of time. It is called for one time at a time, and cannot be saved to a file: use Expression
    or Table for that.

    Rates are forward differences of second order with `step` (s), so the function is never called for earlier times.

    >>> import math
    >>> Function(math.cos)([0.0, math.pi])
    array([ 1., -1.])
    """

    units: ClassVar = {"step": "s"}
    opaque: ClassVar[bool] = True

    function: Callable[[float], float]
    step: float = 1e-4

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise checks.refuse("Function", "function", self.function, "a function of time")
        self._set(step=checks.positive("Function", "step", self.step))

    def _at(self, t: Array, order: int) -> Array:
        weights = DIFFERENCES[order]
        samples = [w * self._loop(t + i * self.step) for i, w in enumerate(weights)]
        return np.sum(samples, axis=0) / self.step**order

    def _loop(self, t: Array) -> Array:
        return np.array([self._once(float(time)) for time in t.flat]).reshape(t.shape)

    def _once(self, t: float) -> float:
        try:
            return float(self.function(t))
        except Exception as error:
            raise SignalError(f"{self} failed at t = {t:.9g} s: {type(error).__name__}: {error}") from error

    def __str__(self) -> str:
        return f"Function({getattr(self.function, '__qualname__', repr(self.function))})"


@dataclass(frozen=True)
class Rescaled(Signal):
    """A signal in other units: ``signal(time * t) / value``.

    >>> Rescaled(Sine(10.0, frequency_hz=1.0), value=5.0, time=0.25)([1.0])
    array([2.])
    """

    signal: Signal
    value: float = 1.0
    time: float = 1.0

    @property
    def may_jump(self) -> bool:  # type: ignore[override]
        """Return whether the inner signal may jump."""
        return self.signal.may_jump

    def __post_init__(self) -> None:
        self._set(signal=as_signal(self.signal, "Rescaled", "signal"))
        for key in ("value", "time"):
            self._set(**{key: checks.positive("Rescaled", key, getattr(self, key))})

    @classmethod
    def of(cls, signal: Signal, value: float, time: float) -> Signal:
        """Scale a signal; a constant remains a constant."""
        return Constant(signal.value / value) if isinstance(signal, Constant) else cls(signal, value, time)

    def _at(self, t: Array, order: int) -> Array:
        return self.signal._at(self.time * t, order) * (self.time**order / self.value)


DIFFERENCES = ((1.0,), (-1.5, 2.0, -0.5), (2.0, -5.0, 4.0, -1.0))


def as_signal(value: object, owner: str = "Signal", argument: str = "value") -> Signal:
    """Make a Signal from a number, a Signal or a function of time. Messages name the owner and its argument.

    >>> as_signal(2.5)
    Constant(value=2.5)
    """
    if isinstance(value, Signal):
        return value
    if callable(value):
        return Function(value)
    if isinstance(value, str):
        raise checks.refuse(owner, argument, value, "a number, a Signal or a function", f"Try Expression({value!r}).")
    return Constant(checks.number(owner, argument, value, hint="Or give a Signal, or a function of time."))
