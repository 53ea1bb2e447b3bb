"""The sampled linear controller: plain arrays and names, which the compiled time loop and `loop.py` run alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from pliant.control import _checks as checks
from pliant.control._checks import PerName, StartOfStates
from pliant.errors import OptionError
from pliant.model.signals import Constant, Signal, SignalLike, as_signal

if TYPE_CHECKING:
    import xarray as xr

    from pliant.control.linear_model import LinearModel


# Rows and columns of every array: states x, inputs u, outputs y, references r.
SHAPES = {
    **{"A": "xx", "Bu": "xu", "By": "xy", "Br": "xr", "Bw": "xu", "C": "ux", "Dy": "uy", "Dr": "ur"},
    **{"u0": "u", "y0": "y", "r0": "r", "low": "u", "high": "u", "rate": "u", "noise": "y", "quantum": "y"},
}
UNLESS_GIVEN = {"low": -np.inf, "high": np.inf, "rate": np.inf}  # all others: zero


def _none() -> np.ndarray:
    return np.empty(0)


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Controller:
    """A sampled linear controller: every `sample_time` it reads outputs y and sets inputs u, held until the next time.

        d       = quantised(y + noise) - y0          s = r(t) - r0
        wanted  = u0 + C x + Dy d + Dr s
        issued  = wanted, between low and high, at most rate * sample_time away from what was issued last (first: u0)
        applied = what was issued `delay` samples ago (u0 before the first)
        x      <- A x + Bu (applied - u0) + By d + Br s + Bw (issued - wanted)

    inputs, outputs   names of the signals it sets and of the outputs it reads, just before the inputs change
    tracked           outputs that follow a reference r; `references` are their signals, in the units of the output
    low, high, rate   limits of every input (rate per second); infinite: none
    delay             whole samples from issued to applied
    noise, quantum    standard deviation and step of every measured output; `seed` makes the noise repeatable

    Arrays that are not given are zero, and x starts at zero. An observer inside x is driven by what is applied, so
    limits and delay do not mislead it; Bw keeps integrals from winding up.

    >>> gains = {"motor/torque": {"angle:arm": 5.0, "angular_velocity:arm": 1.0}}
    >>> Controller.proportional(gains, sample_time=1e-3).limited(low=-2.0, high=2.0).delayed(1)  # doctest: +ELLIPSIS
    Controller(angle:arm, angular_velocity:arm -> motor/torque every 0.001 s; tracks ...; motor/torque in [-2, 2])
    """

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    sample_time: float
    tracked: tuple[str, ...] = ()
    references: tuple[Signal, ...] = ()
    state_names: tuple[str, ...] = ()
    A: np.ndarray = field(default_factory=_none)
    Bu: np.ndarray = field(default_factory=_none)
    By: np.ndarray = field(default_factory=_none)
    Br: np.ndarray = field(default_factory=_none)
    Bw: np.ndarray = field(default_factory=_none)
    C: np.ndarray = field(default_factory=_none)
    Dy: np.ndarray = field(default_factory=_none)
    Dr: np.ndarray = field(default_factory=_none)
    u0: np.ndarray = field(default_factory=_none)
    y0: np.ndarray = field(default_factory=_none)
    r0: np.ndarray = field(default_factory=_none)
    low: np.ndarray = field(default_factory=_none)
    high: np.ndarray = field(default_factory=_none)
    rate: np.ndarray = field(default_factory=_none)
    noise: np.ndarray = field(default_factory=_none)
    quantum: np.ndarray = field(default_factory=_none)
    seed: int = 0
    delay: int = 0

    def __post_init__(self) -> None:
        self._set(
            **{key: checks.names("Controller", key, getattr(self, key)) for key in ("inputs", "outputs", "tracked")}
        )
        if not (self.inputs and self.outputs):
            raise OptionError("Controller: give at least one input to set and one output to read.")
        self._set(sample_time=checks.positive("Controller", "sample_time", self.sample_time))
        states = np.shape(self.A)[0]
        sizes = {"x": states, "u": len(self.inputs), "y": len(self.outputs), "r": len(self.tracked)}
        for key, axes in SHAPES.items():
            self._set(**{key: _array(key, getattr(self, key), tuple(sizes[axis] for axis in axes))})
        self._check_limits()
        self._set(
            seed=checks.whole("Controller", "seed", self.seed), delay=checks.whole("Controller", "delay", self.delay)
        )
        if not self.references:
            self._set(references=tuple(Constant(value) for value in self.r0.tolist()))
        if not self.state_names:
            self._set(state_names=tuple(f"state {i + 1}" for i in range(states)))
        for what, given, needed in (
            ("references", self.references, self.tracked),
            ("state_names", self.state_names, range(states)),
        ):
            if len(given) != len(needed):
                raise OptionError(f"Controller: {len(given)} {what} were given, {len(needed)} are needed.")

    def __repr__(self) -> str:
        observed = f", {len(self.A)} states" if len(self.A) else ""
        names = (("tracks", self.tracked), ("delay", self.delay and f"{self.delay} samples"))
        others = [f"{word} {what if isinstance(what, str) else ', '.join(what)}" for word, what in names if what]
        limits = zip(self.inputs, self.low, self.high, strict=True)
        others += [f"{name} in [{low:g}, {high:g}]" for name, low, high in limits if low > -np.inf or high < np.inf]
        others += [word for word, array in (("noise", self.noise), ("quantised", self.quantum)) if np.any(array)]
        return (
            f"Controller({', '.join(self.outputs)} -> {', '.join(self.inputs)} every {self.sample_time:g} s{observed}"
            f"{'; ' if others else ''}{'; '.join(others)})"
        )

    @classmethod
    def proportional(
        cls,
        gains: Mapping[str, Mapping[str, float]],
        *,
        sample_time: float,
        input_values: Mapping[str, float] | None = None,
        output_values: Mapping[str, float] | None = None,
    ) -> Controller:
        """``u = input_value - sum of gain (y - r)``, from named outputs: a PD controller reads an angle and its rate.

        gains           {input: {output: gain}}
        input_values    inputs at the operating point; zero where not given
        output_values   outputs there, to which they are brought back unless `following` says otherwise

        >>> Controller.proportional({"motor/torque": {"angle:arm": 5.0}}, sample_time=1e-3).Dy
        array([[-5.]])
        """
        owner = "Controller.proportional"
        if not (isinstance(gains, Mapping) and gains and all(isinstance(row, Mapping) for row in gains.values())):
            raise OptionError(f"{owner}: gains={gains!r}: give {{input: {{output: gain}}}}.")
        inputs, outputs = tuple(gains), tuple(dict.fromkeys(name for row in gains.values() for name in row))
        K = np.zeros((len(inputs), len(outputs)))
        for i, (name, row) in enumerate(gains.items()):
            K[i] = checks.per_name(owner, f"gains of {name!r}", row, outputs, K[i])
        u0 = checks.per_name(owner, "input_values", input_values, inputs, np.zeros(len(inputs)))
        y0 = checks.per_name(owner, "output_values", output_values, outputs, np.zeros(len(outputs)))
        common: dict[str, Any] = {"inputs": inputs, "outputs": outputs, "tracked": outputs}
        return cls(**common, sample_time=sample_time, Dy=-K, Dr=K, u0=u0, y0=y0, r0=y0)

    def limited(self, *, low: PerName = None, high: PerName = None, rate: PerName = None) -> Controller:
        """A copy with limits of the inputs: a number, or a number for some of them by name. `rate` is per second."""
        copy: dict[str, Any] = {
            key: checks.per_name("Controller.limited", key, value, self.inputs, getattr(self, key))
            for key, value in (("low", low), ("high", high), ("rate", rate))
        }
        return replace(self, **copy)

    def delayed(self, samples: int) -> Controller:
        """A copy whose inputs take effect so many samples later. The observer knows of it, the gain does not."""
        return replace(self, delay=checks.whole("Controller.delayed", "samples", samples))

    def with_noise(self, std: PerName, *, seed: int = 0) -> Controller:
        """A copy that reads the outputs with Gaussian noise of this standard deviation, for all or by name."""
        noise = checks.per_name("Controller.with_noise", "std", std, self.outputs, self.noise)
        return replace(self, noise=noise, seed=seed)

    def quantised(self, step: PerName) -> Controller:
        """A copy that reads the outputs in whole steps, as an encoder does; a step for all or by name."""
        return replace(self, quantum=checks.per_name("Controller.quantised", "step", step, self.outputs, self.quantum))

    def following(self, references: Mapping[str, SignalLike]) -> Controller:
        """A copy with reference signals of tracked outputs, by name, in the units of the output."""
        owner = "Controller.following"
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

    def noise_table(self, samples: int) -> np.ndarray:
        """Noise of every measured output at the first samples: sample by output. A longer table starts the same."""
        return np.random.default_rng(self.seed).standard_normal((samples, len(self.outputs))) * self.noise

    def reference_table(self, times: np.ndarray) -> np.ndarray:
        """``r(t) - r0`` of every tracked output: time by reference."""
        columns = [s(times, name) for s, name in zip(self.references, self.tracked, strict=True)]
        return np.ascontiguousarray(np.reshape(columns, (len(self.tracked), len(times))).T - self.r0)

    def simulate(self, model: LinearModel, *, end_time: float, start: StartOfStates = None) -> xr.Dataset:
        """This controller on a linear model, with limits, delay, noise and references: see `loop.simulate`."""
        from pliant.control.loop import simulate

        return simulate(self, model, end_time=end_time, start=start)

    def _check_limits(self) -> None:
        for i, name in enumerate(self.inputs):
            low, u0, high, rate = self.low[i], self.u0[i], self.high[i], self.rate[i]
            if not low < high:
                raise OptionError(f"Controller: limits of {name!r}: low = {low:g} must be below high = {high:g}.")
            if not low <= u0 <= high:
                raise OptionError(
                    f"Controller: limits of {name!r}: its value at the operating point, {u0:g}, is not between "
                    f"low = {low:g} and high = {high:g}. Limits are of the whole input, not of its change."
                )
            if not rate > 0.0:
                raise OptionError(f"Controller: rate of {name!r} = {rate:g}: it must be positive.")
        for key in ("noise", "quantum"):
            for name, value in zip(self.outputs, getattr(self, key).tolist(), strict=True):
                checks.not_negative("Controller", f"{key} of {name!r}", value)

    def _set(self, **values: Any) -> None:
        for key, value in values.items():
            object.__setattr__(self, key, value)


def _array(key: str, value: Any, shape: tuple[int, ...]) -> np.ndarray:
    """An array of that shape; zero (a limit: infinite) if it is not given."""
    try:
        array = np.array(value, dtype=float, order="C")
    except (TypeError, ValueError):
        raise OptionError(f"Controller: {key} is no array of numbers.") from None
    if array.size == 0:
        return np.full(shape, UNLESS_GIVEN.get(key, 0.0))
    if array.shape != shape:
        raise OptionError(f"Controller: {key} has the shape {array.shape}; it must be {shape}.")
    if np.any(np.isnan(array)) or key not in UNLESS_GIVEN and not np.all(np.isfinite(array)):
        raise OptionError(f"Controller: {key} holds a number that is not finite.")
    return array
