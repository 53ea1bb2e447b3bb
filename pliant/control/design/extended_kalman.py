"""The extended Kalman filter: an estimate that follows the nonlinear plant."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from pliant.control import checks
from pliant.control.models.plant import Plant, sample_step
from pliant.control.models.sampling import integrate_weight
from pliant.errors import OptionError


@dataclass
class Estimate:
    """Memory of a filter: estimate, covariance, inputs applied last, and its innovations so far."""

    x: np.ndarray
    P: np.ndarray
    u: np.ndarray
    surprise: float = 0.0  # squared innovations over their covariances, summed, per output
    readings: int = 0


@dataclass(frozen=True, eq=False, kw_only=True)
class ExtendedKalman:
    """A Kalman filter whose model is linearised at every estimate; `ekf` makes it.

    plant         whose states it estimates; `outputs`: the outputs it reads
    noise         covariance of a reading; `density`: of the white noise on the inputs, per root hertz
    start         initial deviation of the states, with `doubt`, its covariance
    steps         of the prediction, a sample
    """

    plant: Plant
    outputs: tuple[str, ...]
    noise: np.ndarray
    density: np.ndarray
    start: np.ndarray
    doubt: np.ndarray
    sample_time: float
    steps: int

    def begin(self) -> Estimate:
        """Return the estimate before the first reading."""
        return Estimate(self.start.copy(), self.doubt.copy(), np.array(self.plant.input_values, float))

    def correct(self, estimate: Estimate, reading: np.ndarray) -> None:
        """Correct the estimate by a reading, which is taken just before the inputs change."""
        rows = [self.plant.output_names.index(name) for name in self.outputs]
        C = self.plant.output_slopes(estimate.x, estimate.u)[0][rows]
        innovation = reading - self.plant.output(estimate.x, estimate.u)[rows]
        spread = C @ estimate.P @ C.T + self.noise
        L = np.linalg.solve(spread, C @ estimate.P).T
        estimate.surprise += float(innovation @ np.linalg.solve(spread, innovation)) / len(rows)
        estimate.readings += 1
        kept = np.eye(estimate.x.size) - L @ C
        estimate.x = estimate.x + L @ innovation
        estimate.P = kept @ estimate.P @ kept.T + L @ self.noise @ L.T  # Joseph's form stays positive definite

    def predict(self, estimate: Estimate, u: np.ndarray) -> None:
        """Propagate the estimate to the next sample, under the applied inputs."""
        after = sample_step(self.plant, estimate.x, u, self.sample_time, self.steps)
        B = after.B * self.density
        spread = integrate_weight(after.A.T, B @ B.T, self.sample_time)
        estimate.x, estimate.u = after.x, np.array(u, float)
        estimate.P = after.by_state @ estimate.P @ after.by_state.T + spread


def ekf(
    plant: Plant,
    *,
    process_noise: Mapping[str, float],
    measurement_noise: Mapping[str, float],
    sample_time: float,
    start: Mapping[str, float] | np.ndarray | None = None,
    doubt: float | np.ndarray = 0.0,
    steps: int = 1,
) -> ExtendedKalman:
    """Make an extended Kalman filter on a nonlinear plant, for `track`.

    process_noise       {input: density}, per root hertz, as for `kalman`
    measurement_noise   {output: standard deviation of a reading}: the outputs that are read
    start               deviation of the states at the start, by name or all; `doubt`: its variance, one for all or one
                        each
    steps               of the prediction between two samples; take more for strongly nonlinear motion

    For a linear plant it is the time-varying Kalman filter. It checks its innovations: if, over the motion, they are
    more than three times the expected size, the motion is not ok.

    >>> import pliant as pl
    >>> from pliant_gallery.examples import driven_pendulum
    >>> plant = pl.nonlinear(pl.compile(driven_pendulum()), inputs=["motor/torque"], outputs=["angle:arm"])
    >>> seen = ekf(
    ...     plant, process_noise={"motor/torque": 0.1}, measurement_noise={"angle:arm": 1e-3}, sample_time=0.01
    ... )
    >>> seen.outputs
    ('angle:arm',)
    """
    count, T = len(plant.state_names), checks.positive("ekf", "sample_time", sample_time)
    if not (process_noise and measurement_noise):
        raise OptionError("ekf: give process_noise={input: density} and measurement_noise={output: deviation}.")
    density = np.zeros(len(plant.input_names))
    at = checks.positions("ekf", "process_noise", process_noise, plant.input_names)
    density[at] = [checks.not_negative("ekf", f"noise of {k!r}", v) for k, v in process_noise.items()]
    checks.positions("ekf", "measurement_noise", measurement_noise, plant.output_names)
    noise = [checks.positive("ekf", f"noise of {k!r}", v) ** 2 for k, v in measurement_noise.items()]
    if start is None or isinstance(start, Mapping):
        x = checks.per_name("ekf", "start", start, plant.state_names, np.zeros(count))
    else:
        x = np.array(start, float)
    if x.shape != (count,) or checks.whole("ekf", "steps", steps) < 1:
        raise OptionError(f"ekf: give {count} states as start, and one step a sample at least.")
    return ExtendedKalman(
        plant=plant,
        outputs=tuple(measurement_noise),
        noise=np.diag(noise),
        density=density,
        start=x,
        doubt=np.diag(np.broadcast_to(np.asarray(doubt, float), (count,))),
        sample_time=T,
        steps=steps,
    )
