"""Base class of every sampled controller: names, rate, limits, delay, noise, references."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self, TypeAlias

import numpy as np

from pliant.control import checks
from pliant.control.checks import PerName, StartOfStates
from pliant.errors import OptionError
from pliant.model.signals.base import Constant, Signal, SignalLike, as_signal

if TYPE_CHECKING:
    import xarray as xr

    from pliant.control.models.linear_model import LinearModel

# Rows and columns of every array: inputs u, outputs y, references r (and states x of the linear controller).
SHAPES = {"u0": "u", "r0": "r", "low": "u", "high": "u", "rate": "u", "noise": "y", "quantum": "y"}
UNLESS_GIVEN = {"low": -np.inf, "high": np.inf, "rate": np.inf}  # all others: zero


Memory: TypeAlias = Any
"""What a law remembers between samples; nobody else looks into it."""


def none() -> np.ndarray:
    """Return the default for an array that is not given."""
    return np.empty(0)


class Sample(NamedTuple):
    """One sample of a controller: its readings, the inputs it wanted, the inputs issued and applied."""

    time: float
    readings: np.ndarray
    references: np.ndarray
    wanted: np.ndarray
    issued: np.ndarray
    applied: np.ndarray


class ControllerCheck(NamedTuple):
    """A check of a controller, passed if the value is within the limit: part of the outcome of a motion."""

    name: str
    value: float
    limit: float
    unit: str = ""
    advice: str = ""


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class SampledController(ABC):
    """A controller that reads outputs y every `sample_time` and sets inputs u, held until the next time.

        wanted  = decide(t, quantised(y + noise), r(t), memory)
        issued  = wanted, between low and high, at most rate * sample_time away from what was issued last (first: u0)
        applied = what was issued `delay` samples ago (u0 before the first)
        proceed(all of these, memory)

    inputs, outputs   names of the signals it sets and of the outputs it reads (just before the inputs change). The
                      input "reference of <output>" sets the reference of another controller in the same loop: a cascade
    tracked           outputs that follow a reference r; `references` are their signals, in the units of the output
    u0                inputs before the first sample
    low, high, rate   limits of every input (rate per second); infinite: none
    delay             whole samples from issued to applied
    noise, quantum    standard deviation of every reading (of each sample, not a density) and step of every measured
                      output; `seed` makes the noise repeatable

    To write your own law, make a subclass with `decide`. Keep its state in the memory that `begin` makes: a motion may
    be computed several times to estimate its error. An input that drives a joint (a `Motion`) is a set-point: the drive
    arrives there one sample later, with continuous velocity and acceleration.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True, eq=False, kw_only=True, repr=False)
    ... class Relay(SampledController):
    ...     torque: float
    ...
    ...     def decide(self, time, y, r, memory):
    ...         return [self.torque if y[0] < 0.0 else -self.torque]
    >>> Relay(inputs=("motor/torque",), outputs=("angle:arm",), sample_time=0.01, torque=2.0)
    Relay(angle:arm -> motor/torque every 0.01 s)
    """

    SHAPES: ClassVar[Mapping[str, str]] = SHAPES

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    sample_time: float
    tracked: tuple[str, ...] = ()
    references: tuple[Signal, ...] = ()
    u0: np.ndarray = field(default_factory=none)
    r0: np.ndarray = field(default_factory=none)
    low: np.ndarray = field(default_factory=none)
    high: np.ndarray = field(default_factory=none)
    rate: np.ndarray = field(default_factory=none)
    noise: np.ndarray = field(default_factory=none)
    quantum: np.ndarray = field(default_factory=none)
    seed: int = 0
    delay: int = 0

    @abstractmethod
    def decide(self, time: float, y: np.ndarray, r: np.ndarray, memory: Memory) -> Sequence[float] | np.ndarray:
        """Return the wanted inputs from readings and references; each in the order of its names."""

    def begin(self) -> Memory:
        """Return the memory at the start of a motion."""
        return None

    def proceed(self, sample: Sample, memory: Memory) -> None:  # noqa: B027, a law may have nothing to do here
        """Update the memory for the next sample, given the issued and applied inputs."""

    def states(self, memory: Memory) -> np.ndarray:
        """Return the values of `state_names` in the memory, for the result; none by default."""
        return np.empty(0)

    def promises(self, memory: Memory) -> Sequence[ControllerCheck]:
        """Return the checks of the controller in the motion of this memory, for the outcome; none by default."""
        return ()

    @property
    def kind(self) -> str:
        """Return the name of the class in messages."""
        return type(self).__name__

    def __post_init__(self) -> None:
        self._set(**{key: checks.names(self.kind, key, getattr(self, key)) for key in ("inputs", "outputs", "tracked")})
        if not (self.inputs and self.outputs):
            raise OptionError(f"{self.kind}: give at least one input to set and one output to read.")
        self._set(sample_time=checks.positive(self.kind, "sample_time", self.sample_time))
        sizes = {**self._sizes(), "u": len(self.inputs), "y": len(self.outputs), "r": len(self.tracked)}
        for key, axes in self.SHAPES.items():
            self._set(**{key: _array(self.kind, key, getattr(self, key), tuple(sizes[axis] for axis in axes))})
        self._check_limits()
        self._set(**{key: checks.whole(self.kind, key, getattr(self, key)) for key in ("seed", "delay")})
        if not self.references:
            self._set(references=tuple(Constant(value) for value in self.r0.tolist()))
        if len(self.references) != len(self.tracked):
            raise OptionError(
                f"{self.kind}: {len(self.references)} references were given, {len(self.tracked)} are needed."
            )

    def _sizes(self) -> dict[str, int]:
        """Return lengths of axes that a subclass adds to its shapes."""
        return {}

    def __repr__(self) -> str:
        names = (("tracks", self.tracked), ("delay", self.delay and f"{self.delay} samples"))
        others = [f"{word} {what if isinstance(what, str) else ', '.join(what)}" for word, what in names if what]
        limits = zip(self.inputs, self.low, self.high, strict=True)
        others += [f"{name} in [{low:g}, {high:g}]" for name, low, high in limits if low > -np.inf or high < np.inf]
        others += [word for word, array in (("noise", self.noise), ("quantised", self.quantum)) if np.any(array)]
        states = self.states(self.begin()).size
        return (
            f"{self.kind}({', '.join(self.outputs)} -> {', '.join(self.inputs)} every {self.sample_time:g} s"
            f"{f', {states} states' if states else ''}{'; ' if others else ''}{'; '.join(others)})"
        )

    @property
    def state_names(self) -> tuple[str, ...]:
        """Return the names of what `states` returns."""
        return tuple(f"state {k + 1}" for k in range(self.states(self.begin()).size))

    def limited(self, *, low: PerName = None, high: PerName = None, rate: PerName = None) -> Self:
        """Return a copy with limits of the inputs: a number, or numbers for some by name. `rate` is per second."""
        copy: dict[str, Any] = {
            key: checks.per_name(f"{self.kind}.limited", key, value, self.inputs, getattr(self, key))
            for key, value in (("low", low), ("high", high), ("rate", rate))
        }
        return replace(self, **copy)

    def delayed(self, samples: int) -> Self:
        """Return a copy whose inputs take effect a number of samples later. The observer takes the delay into account,
        the gain does not.
        """
        return replace(self, delay=checks.whole(f"{self.kind}.delayed", "samples", samples))

    def with_noise(self, std: PerName, *, seed: int = 0) -> Self:
        """Return a copy that reads outputs with Gaussian noise of this standard deviation at every sample, for all or
        by name. White noise of two-sided density S (unit^2/Hz), averaged over a sample, has sqrt(S / T).
        """
        noise = checks.per_name(f"{self.kind}.with_noise", "std", std, self.outputs, self.noise)
        return replace(self, noise=noise, seed=seed)

    def quantised(self, step: PerName) -> Self:
        """Return a copy that reads the outputs rounded to steps, as an encoder does; one step for all, or by name."""
        owner = f"{self.kind}.quantised"
        return replace(self, quantum=checks.per_name(owner, "step", step, self.outputs, self.quantum))

    def following(self, references: Mapping[str, SignalLike]) -> Self:
        """Return a copy with reference signals of tracked outputs, by name, in the units of the output."""
        owner = f"{self.kind}.following"
        if not isinstance(references, Mapping):
            raise OptionError(f"{owner}: {references!r}: give {{output: signal}}.")
        if not self.tracked:
            raise OptionError(f"{owner}: no output is tracked. Design with integral=[...], or lqg(..., track=[...]).")
        chosen = list(self.references)
        for i, (name, value) in zip(
            checks.positions(owner, "references", references, self.tracked), references.items(), strict=True
        ):
            chosen[i] = as_signal(value, owner, name)
        return replace(self, references=tuple(chosen))

    def simulate(self, model: LinearModel, *, end_time: float, start: StartOfStates = None) -> xr.Dataset:
        """Simulate this controller on a linear model, with limits, delay, noise and references: see `loop.simulate`."""
        from pliant.control.controllers.loop import simulate

        return simulate(self, model, end_time=end_time, start=start)

    def noise_table(self, samples: int) -> np.ndarray:
        """Return the noise of measured outputs: sample by output. A longer table starts with the same samples."""
        return np.random.default_rng(self.seed).standard_normal((samples, len(self.outputs))) * self.noise

    def reference_table(self, times: np.ndarray) -> np.ndarray:
        """Return ``r(t) - r0`` of every tracked output: time by reference."""
        columns = [s(times, name) for s, name in zip(self.references, self.tracked, strict=True)]
        return np.ascontiguousarray(np.reshape(columns, (len(self.tracked), len(times))).T - self.r0)

    def _check_limits(self) -> None:
        for i, name in enumerate(self.inputs):
            low, u0, high, rate = self.low[i], self.u0[i], self.high[i], self.rate[i]
            if not low < high:
                raise OptionError(f"{self.kind}: limits of {name!r}: low = {low:g} must be below high = {high:g}.")
            if not low <= u0 <= high:
                raise OptionError(
                    f"{self.kind}: limits of {name!r}: its value at the operating point, {u0:g}, is not between "
                    f"low = {low:g} and high = {high:g}. Limits are of the whole input, not of its change."
                )
            if not rate > 0.0:
                raise OptionError(f"{self.kind}: rate of {name!r} = {rate:g}: it must be positive.")
        for key in ("noise", "quantum"):
            for name, value in zip(self.outputs, getattr(self, key).tolist(), strict=True):
                checks.not_negative(self.kind, f"{key} of {name!r}", value)

    def _set(self, **values: Any) -> None:
        for key, value in values.items():
            object.__setattr__(self, key, value)


def _array(owner: str, key: str, value: Any, shape: tuple[int, ...]) -> np.ndarray:
    """Return an array of that shape; zero (a limit: infinite) if it is not given."""
    try:
        array = np.array(value, dtype=float, order="C")
    except (TypeError, ValueError):
        raise OptionError(f"{owner}: {key} is no array of numbers.") from None
    if array.size == 0:
        return np.full(shape, UNLESS_GIVEN.get(key, 0.0))
    if array.shape != shape:
        raise OptionError(f"{owner}: {key} has the shape {array.shape}; it must be {shape}.")
    if np.any(np.isnan(array)) or key not in UNLESS_GIVEN and not np.all(np.isfinite(array)):
        raise OptionError(f"{owner}: {key} holds a number that is not finite.")
    return array
