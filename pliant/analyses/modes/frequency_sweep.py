"""Frequency sweep: the steady vibration under a sine, as its frequency goes up and down, for several amplitudes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil
from typing import Any, NamedTuple, Unpack

import numpy as np

from pliant._libraries import xarray as xr
from pliant.analyses.common import Start, numbers, require, result, signal_units, state_of, whole
from pliant.analyses.motion.interpolate import resample
from pliant.analyses.motion.transient import MotionOptions, planned
from pliant.analyses.parallel import Stopped, Tick, in_parallel, processors
from pliant.control.models.outputs import Outputs, output_unit
from pliant.errors import Interrupted, OptionError, PliantError, nearest
from pliant.forces.state_force.callbacks import watched
from pliant.model import Sine
from pliant.results import Check, Outcome, Result
from pliant.solvers.stepping.methods import Index3
from pliant.solvers.stepping.motion import failure
from pliant.system.capabilities import HasMotion
from pliant.system.samples import Samples
from pliant.system.state import State

DIRECTIONS = ("up", "down")
SAMPLES = 64  # a period, at which outputs are read; between them a parabola
STEPS = 100  # of the shortest period, unless a step is given
BLOCK = 3  # periods between two looks at whether the motion repeats
LONGEST = 4  # periods of the force after which it may repeat
CLEARLY = 10.0  # times the distance allowed: what a subharmonic is away from itself after fewer periods
FLOOR = 1e-9  # lengths of the model and rad: below this nothing moves


@watched()
def frequency_sweep(
    system: HasMotion,
    signal: str,
    *,
    frequencies_hz: Sequence[float] | np.ndarray,
    amplitudes: Sequence[float] | np.ndarray,
    outputs: Sequence[str],
    directions: Sequence[str] = DIRECTIONS,
    start: Start = None,
    settled: float = 1e-3,
    most_periods: int = 300,
    workers: int | None = None,
    **options: Unpack[MotionOptions],
) -> Result:
    """Find the steady vibration under an additional signal ``amplitude sin(2 pi f t)``, followed from one frequency to
    the next.

    signal          name of the signal that oscillates about its present, constant value: "push/y"
                    (``system.signal_names``)
    frequencies_hz  in increasing order; the motion at one frequency continues at the next, without a jump of the force
    amplitudes      of the signal, in its unit; each amplitude starts again at ``start``
    outputs         "angle:crank", "position:arm/tip:y", ...; see `control.outputs`
    directions      "up": frequencies as given; "down": backwards, from where "up" ended; or one of them
    start           Result or state to begin at; the assembled configuration unless given
    settled         estimated distance from the periodic motion at which the motion is settled, relative to its largest
                    swing
    most_periods    of the force at one frequency; a motion that has not settled by then has ``repeats`` 0
    workers         threads that share the amplitudes; default: one per processor. Give 1 if the model calls a Python
                    function of state
    options         of the motion: ``step`` (a hundredth of the shortest period unless given), ``accuracy``, ...

    Result over (amplitude, direction, frequency_hz): ``highest``, ``lowest`` and ``mean`` of every ``output`` over one
    cycle, half their difference ``swing``, all in the ``output_unit`` of each; ``repeats``, the number of the force's
    periods in that cycle (2: a subharmonic), and ``periods``, how many it took to settle. `plot_sweep` draws it. The
    outcome counts the points and those that have not settled.

    >>> import pliant as pl
    >>> m = pl.Model("mass on a spring")
    >>> ground, mass = m.add(pl.Ground(), pl.Body("mass", mass=1.0, inertia=1.0, position=(1, 0)))
    >>> parts = m.add(pl.Prismatic(ground.at(0, 0), mass.at()), pl.Force(mass.at(), name="push"))
    >>> ends = ground.at(0, 0), mass.at()
    >>> spring = m.add(pl.Spring("spring", *ends, stiffness=39.478, rest_length=1.0, damping=1.2566))
    >>> swept = {"frequencies_hz": [0.5, 1.0, 2.0], "amplitudes": [1.0], "outputs": ["position:mass(0, 0):x"]}
    >>> found = pl.frequency_sweep(pl.compile(m), "push/x", **swept)
    >>> found.swing.sel(direction="up").values.ravel().round(3)
    array([0.033, 0.127, 0.008])
    """
    require(system, HasMotion, "frequency_sweep")
    frequencies, sizes = _increasing("frequencies_hz", frequencies_hz), _increasing("amplitudes", amplitudes)
    if isinstance(directions, str) or not directions or not set(directions) <= set(DIRECTIONS):
        raise OptionError(f"directions={directions!r}: give ('up', 'down'), or one of them in a list.")
    numbers("settled", settled, 1, "a small positive number such as 1e-3")
    whole("most_periods", most_periods)
    if workers is not None:
        whole("workers", workers)
    if not len(outputs):
        raise OptionError('outputs: give at least one, such as ["angle:crank"].')
    if not settled > 0.0:
        raise OptionError(f"settled={settled!r}: give a small positive number such as 1e-3.")
    seen = system.observed
    if signal not in seen.signal_names:
        raise OptionError(f"signal: there is no signal {signal!r}. {nearest(str(signal), seen.signal_names)}")
    if not ({"step", "accuracy"} & set(options)) and issubclass(system.methods[0], Index3):
        options["step"] = 1.0 / (STEPS * frequencies[-1])
    forced = Forced(system, signal, tuple(outputs), settled, most_periods, options)
    _ = forced.outputs.terms  # unknown names are refused before anything is computed
    begin = replace(state_of(seen, start, driven=True), time=0.0)
    ways = [way for way in DIRECTIONS if way in directions]
    table = _Table(sizes, ways, frequencies, tuple(outputs))

    def follow(k: int, tick: Tick) -> None:
        state = begin
        for way in range(len(ways)):
            order = range(frequencies.size)[:: 1 if ways[way] == "up" else -1]
            for number in order:
                try:
                    tick()
                    steady = forced.settle(float(sizes[k]), float(frequencies[number]), state)
                except Stopped:
                    return
                except PliantError as error:
                    error.add_note(f"At {frequencies[number]:g} Hz, amplitude {sizes[k]:g}, going {ways[way]}.")
                    raise
                table.keep((k, way, number), steady)
                state = steady.state

    tasks = [lambda tick, k=k: follow(k, tick) for k in range(sizes.size)]
    finished = in_parallel(
        f"sweep of {system.model.name}",
        tasks,
        total=table.repeats.size,
        workers=workers or processors(),
    )
    settings = {"signal": signal, "settled": settled, "most_periods": most_periods, **options}
    found = result(system, "sweep", table.dataset(system, signal), table.outcome(finished), settings)
    if not finished:
        raise Interrupted("The sweep was interrupted. What was computed is in this exception's .result.", found)
    return found


class Steady(NamedTuple):
    """A vibration that repeats, or the last of one that does not: extremes and mean of the outputs over a cycle."""

    highest: np.ndarray
    lowest: np.ndarray
    mean: np.ndarray
    repeats: int
    periods: int
    state: State


@dataclass(frozen=True)
class Forced:
    """A system under a sine on one of its signals."""

    system: HasMotion
    signal: str
    names: tuple[str, ...]
    settled: float
    most_periods: int
    options: MotionOptions

    @cached_property
    def outputs(self) -> Outputs:
        """Return the outputs of the motion."""
        return Outputs(self.system.observed.observer(), self.names)

    def settle(self, amplitude: float, frequency_hz: float, begin: State) -> Steady:
        """Simulate from a state until the vibration repeats."""
        seen, period = self.system.observed, 1.0 / frequency_hz
        offset = float(seen.signals(np.zeros(1))[0, seen.signal_number(self.signal)])
        system = self.system.with_signals({self.signal: Sine(amplitude, frequency_hz, offset=offset)})
        options = self.options.copy()
        if step := options.get("step"):  # a whole number of steps a period
            options["step"] = period / ceil(period / step)
        state, strobes, values = begin, [self._strobe(begin.q, begin.v, frequency_hz)], np.empty((0, len(self.names)))
        for done in range(0, self.most_periods, BLOCK):
            count = min(BLOCK, self.most_periods - done)
            times = state.time + period * np.arange(1, count * SAMPLES + 1) / SAMPLES
            samples, state = self._run(system, state, times, options)
            u = system.observed.signals(samples.time)
            values = np.vstack([values, self.outputs.evaluate(samples.q, samples.v, samples.lam, u)])
            values = values[-LONGEST * SAMPLES :]
            strobes += [self._strobe(samples.q[k], samples.v[k], frequency_hz) for k in self._ends(count)]
            swing = float(np.max(np.ptp(self._scaled(samples.q[-SAMPLES:]), axis=0), initial=0.0))
            repeats = _repeats(strobes, self.settled * swing, seen.angular)
            if repeats:
                break
        cycle = values[-(repeats or LONGEST) * SAMPLES :]
        extremes = (_peak(cycle), -_peak(-cycle), cycle.mean(axis=0))
        return Steady(*extremes, repeats, done + count, replace(state, time=0.0))

    @staticmethod
    def _run(system: HasMotion, begin: State, times: np.ndarray, options: MotionOptions) -> tuple[Samples, State]:
        motion = system.move(begin, replace(planned(system, end_time=float(times[-1]), **options), times=times))
        if motion.interrupted:
            raise KeyboardInterrupt
        if not motion.ok:
            raise failure(motion)
        samples = Samples.along(motion, system.observed.size)
        same = np.array_equal(times, motion.time)
        return samples if same else resample(samples, times, system.observed.space), motion.last

    def _scaled(self, q: np.ndarray) -> np.ndarray:
        """Return coordinates in lengths of the model and radians."""
        return np.asarray(q[..., : self.system.observed.freedoms] * self.system.observed.weight)

    def _strobe(self, q: np.ndarray, v: np.ndarray, frequency_hz: float) -> np.ndarray:
        """Return the state at the end of a period in one unit: velocities are divided by the angular frequency of the
        force.
        """
        return np.array([self._scaled(q), self._scaled(v) / (2.0 * np.pi * frequency_hz)])

    @staticmethod
    def _ends(count: int) -> range:
        return range(SAMPLES - 1, count * SAMPLES, SAMPLES)


def _repeats(strobes: list[np.ndarray], allowed: float, angular: np.ndarray) -> int:
    """Return the number of periods after which the motion repeats, up to LONGEST; 0 if it does not yet.

    Two distances show how fast it settles, and thereby the remaining distance: ``d (1 + r + r^2 + ...)``. A
    subharmonic is only what is clearly another motion a period later.
    """
    shortest = np.inf
    for lag in range(1, min(LONGEST, (len(strobes) - 1) // 2) + 1):
        now, before = (_distance(strobes[-1 - k], strobes[-1 - k - lag], angular) for k in (0, lag))
        close = now <= FLOOR or now < before and now <= allowed * (1.0 - now / before)
        if close and shortest >= CLEARLY * allowed:
            return lag
        shortest = min(shortest, now)
    return 0


def _distance(one: np.ndarray, other: np.ndarray, angular: np.ndarray) -> float:
    """Return the largest difference of two states; whole turns do not count."""
    apart = one - other
    apart[0, angular] = 2.0 * np.sin(0.5 * apart[0, angular])
    return float(np.max(np.abs(apart), initial=0.0))


def _peak(cycle: np.ndarray) -> np.ndarray:
    """Return the highest value of every column of a cycle, by the parabola through the highest sample and its
    neighbours.
    """
    top, columns = np.argmax(cycle, axis=0), np.arange(cycle.shape[1])
    before, at, after = (cycle[(top + k) % len(cycle), columns] for k in (-1, 0, 1))
    bend = before - 2.0 * at + after
    return np.asarray(at - np.where(bend < 0.0, (after - before) ** 2 / (8.0 * np.minimum(bend, -1e-300)), 0.0))


class _Table:
    """The results of the sweep, point by point."""

    def __init__(self, sizes: np.ndarray, ways: list[str], frequencies: np.ndarray, outputs: tuple[str, ...]) -> None:
        self.coordinates: dict[str, Any] = {
            "amplitude": sizes,
            "direction": ways,
            "frequency_hz": frequencies,
            "output": list(outputs),
        }
        shape = (sizes.size, len(ways), frequencies.size)
        self.highest, self.lowest, self.mean = np.full((3, *shape, len(outputs)), np.nan)
        self.repeats, self.periods = np.zeros((2, *shape), int)

    def keep(self, place: tuple[int, int, int], steady: Steady) -> None:
        """Store one point of the sweep."""
        for name in ("highest", "lowest", "mean", "repeats", "periods"):
            getattr(self, name)[place] = getattr(steady, name)

    def outcome(self, finished: bool) -> Outcome:
        """Return how many vibrations were found, and how many of them had not settled."""
        computed, unsettled = int(np.sum(self.periods > 0)), int(np.sum((self.periods > 0) & (self.repeats == 0)))
        message = (
            f"{computed} vibrations" if finished else f"interrupted after {computed} of {self.periods.size} points"
        )
        if unsettled:
            message += f", {unsettled} of them not settled"
        subharmonic = int(np.sum(self.repeats > 1))
        figures = {"points": computed, "unsettled": unsettled, "subharmonic": subharmonic}
        return Outcome(finished, message, figures, (Check("vibrations not settled", unsettled, 0),))

    def dataset(self, system: HasMotion, signal: str) -> xr.Dataset:
        """Return all points, labelled."""
        point = ("amplitude", "direction", "frequency_hz")
        nan = {"nan_means": "interrupted before this point"}
        data = xr.Dataset(
            {name: ((*point, "output"), getattr(self, name), nan) for name in ("highest", "lowest", "mean")}
            | {"swing": ((*point, "output"), 0.5 * (self.highest - self.lowest), nan)}
            | {name: (point, getattr(self, name)) for name in ("repeats", "periods")},
            coords=self.coordinates,
        )
        units = [output_unit(name) for name in self.coordinates["output"]]
        data = data.assign_coords(output_unit=("output", units))
        if len(set(units)) == 1:
            for name in ("highest", "lowest", "mean", "swing"):
                data[name].attrs["units"] = units[0]
        data["amplitude"].attrs["units"] = signal_units(system.observed, signal) or "1"
        data["frequency_hz"].attrs["units"] = "Hz"
        return data


def _increasing(name: str, values: Any) -> np.ndarray:
    array = np.atleast_1d(np.asarray(values, float)) if np.ndim(values) <= 1 else np.empty(0)
    if not array.size or not np.all(np.isfinite(array)) or np.any(np.diff(array) <= 0.0) or not array[0] > 0.0:
        raise OptionError(f"{name}={values!r:.60}: give positive numbers that increase.")
    return array
