"""Real-time simulation: a system in step with the clock, with Python functions for sensors and actuators."""

from __future__ import annotations

import gc
import time as clock
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pliant.errors import DeadlineMissed, OptionError, warn
from pliant.results import Result
from pliant.solvers.stepping.methods import numbers
from pliant.system.capabilities import HasMotion
from pliant_io.fmu.stepper import Stepper

Values = Mapping[str, float]
Law = Callable[[float, Values], Values]
AWAKE = 3e-4  # s before a tick: busy waiting from then on


@dataclass(frozen=True, eq=False)
class RealTime:
    """Record of a real-time loop.

    time      (ticks,) of the system (s)
    took      (ticks,) duration of each tick: read, decide, write, one step (s)
    late      (ticks,) delay of the start of each tick (s)
    outputs   (ticks,) by name: measured values
    inputs    (ticks,) by name: commanded values
    period    s
    interrupted  True if it was stopped by Ctrl-C; the record holds the ticks until then

    >>> ticks = np.array([0.0, 1e-3])
    >>> loop = RealTime(ticks, took=np.array([2e-4, 1.4e-3]), late=np.zeros(2), outputs={}, inputs={}, period=1e-3)
    >>> loop.missed, loop.ok
    (array([1]), False)
    """

    time: np.ndarray
    took: np.ndarray
    late: np.ndarray
    outputs: Mapping[str, np.ndarray]
    inputs: Mapping[str, np.ndarray]
    period: float
    interrupted: bool = False

    @property
    def missed(self) -> np.ndarray:
        """Return the numbers of ticks that were not finished when the next one was due."""
        return np.flatnonzero(self.late + self.took > self.period)

    @property
    def ok(self) -> bool:
        """Return whether it ran to its end and met every deadline."""
        return not (self.missed.size or self.interrupted)

    def histogram(self, bins: int = 20) -> tuple[np.ndarray, np.ndarray]:
        """Return a histogram of the durations of ticks: counts, and edges (s)."""
        longest = float(np.max(self.took, initial=self.period))
        counts, edges = np.histogram(self.took, bins=bins, range=(0.0, longest))
        return counts, edges

    def __repr__(self) -> str:
        worst, missed = float(np.max(self.took, initial=0.0)), self.missed.size
        usual = float(np.median(self.took)) if self.took.size else 0.0
        stopped = ", interrupted" if self.interrupted else ""
        return (
            f"RealTime({self.time.size} ticks of {1e3 * self.period:.4g} ms{stopped}, {missed} deadlines missed; a "
            f"tick took {1e3 * usual:.3g} ms, at most {1e3 * worst:.3g} ms)"
        )


def realtime(
    system: HasMotion,
    controller: Law,
    *,
    rate: float,
    end_time: float,
    inputs: Sequence[str],
    outputs: Sequence[str],
    start: Result | None = None,
    sensors: Law | None = None,
    actuators: Callable[[float, Values], None] | None = None,
) -> RealTime:
    """Run a system in real time: at every tick read, decide, write, and advance by one step.

    controller  function of the time (s) and the measured values (a mapping by name) that returns the inputs (a mapping
                by name); inputs left out keep their values
    rate        ticks per second (Hz)
    inputs      names of signals that the controller sets: torques, forces, tensions, but no drives of joints
    outputs     measured values, as in `control.outputs`: "angle:arm", "tension:cable"
    start       Result to start from; default: assembled and at rest
    sensors     function of the time and the computed outputs that returns the measured ones; read real sensors here
    actuators   function of the time and the inputs; write to real actuators here

    A late tick begins at once; none is skipped. Ticks that were not finished in time are counted, with a warning
    (DeadlineMissed). Ctrl-C ends the loop and returns the ticks done so far. Python's garbage collector is off during
    the loop. With ``sensors`` and ``actuators`` of hardware the system runs in parallel as its twin; without them it
    replaces the hardware.

    >>> import pliant as pl
    >>> m = pl.Model("wheel")
    >>> ground, wheel = m.add(pl.Ground(), pl.Body("wheel", mass=1.0, inertia=0.5))
    >>> parts = m.add(pl.Revolute(ground.at(0, 0), wheel.at()), pl.Motor("motor", ground.at(0, 0), wheel.at(), 0.0))
    >>> def brake(time, measured):
    ...     return {"motor/torque": 0.5 - 2.0 * measured["angular_velocity:wheel"]}
    >>> run = pl.realtime(
    ...     pl.compile(m), brake, rate=50, end_time=0.1, inputs=["motor/torque"], outputs=["angular_velocity:wheel"]
    ... )
    >>> run.time.size  # run.ok says whether every tick came in time, which a busy machine may miss
    5
    """
    numbers("rate", rate, 1, "ticks a second")
    numbers("end_time", end_time, 1, "a time (s)")
    if rate <= 0.0 or end_time <= 0.0:
        raise OptionError(f"rate={rate!r}, end_time={end_time!r}: give positive numbers (Hz, s).")
    period, count = 1.0 / rate, max(1, round(end_time * rate))
    stepper = Stepper(system, inputs, outputs, step=period, start=start)
    measured, commanded = np.zeros((count, len(outputs))), np.zeros((count, len(inputs)))
    time, took, late = np.zeros((3, count))
    _rehearse(stepper, period)
    collecting, done = gc.isenabled(), 0
    gc.collect()
    gc.disable()
    try:
        begin = clock.perf_counter()
        for k in range(count):
            _wait(begin + k * period)
            now = clock.perf_counter()
            late[k], time[k] = now - begin - k * period, stepper.time
            values = stepper.values()
            values = values if sensors is None else _read(sensors, stepper.time, values, outputs)
            wanted = controller(stepper.time, values)
            _set(stepper, wanted)
            if actuators is not None:
                actuators(stepper.time, dict(stepper.inputs))
            stepper.advance(period)
            measured[k], commanded[k] = [values[name] for name in outputs], list(stepper.inputs.values())
            took[k] = clock.perf_counter() - now
            done = k + 1
    except KeyboardInterrupt:
        pass  # the partial record is returned, marked as interrupted
    finally:
        if collecting:
            gc.enable()
    rows = dict(zip(outputs, measured[:done].T, strict=True)), dict(zip(inputs, commanded[:done].T, strict=True))
    run = RealTime(time[:done], took[:done], late[:done], *rows, period, done < count)
    if run.missed.size:
        worst = int(np.argmax(run.took))
        warn(
            DeadlineMissed,
            f"{run.missed.size} of {done} ticks of {1e3 * period:.3g} ms were not done in time, the first at t = "
            f"{time[run.missed[0]]:.4g} s; the slowest took {1e3 * took[worst]:.3g} ms, at t = {time[worst]:.4g} s. "
            "Try a lower rate=, fewer elements, or a quieter machine.",
        )
    return run


def _read(sensors: Law, time: float, told: Values, outputs: Sequence[str]) -> Values:
    """Return the values from sensors, checked to be complete and finite."""
    values = sensors(time, told)
    for name in outputs:
        if name not in values:
            raise OptionError(f"sensors: they return no {name!r} at t = {time:.6g} s; it is one of the outputs.")
        if not np.isfinite(values[name]):
            raise OptionError(f"sensors: {name!r} is {values[name]!r} at t = {time:.6g} s. Give finite numbers.")
    return values


def _set(stepper: Stepper, wanted: Values) -> None:
    """Check and set the controller's inputs."""
    for name, value in wanted.items():
        if name not in stepper.inputs:
            raise OptionError(f"controller: it set {name!r}; inputs are {', '.join(stepper.inputs)}.")
        if not np.isfinite(value):
            raise OptionError(f"controller: {name!r} is {value!r} at t = {stepper.time:.6g} s. Give finite numbers.")
        stepper.inputs[name] = float(value)


def _rehearse(stepper: Stepper, period: float) -> None:
    """Take one step and undo it: compilation must not delay a tick."""
    kept = stepper.state
    stepper.advance(period)
    stepper.values()
    stepper.state = kept
    stepper.ready(period)


def _wait(until: float) -> None:
    """Wait until an instant of the clock."""
    left = until - clock.perf_counter()
    if left > AWAKE:
        clock.sleep(left - AWAKE)
    while clock.perf_counter() < until:
        pass
