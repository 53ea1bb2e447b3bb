"""Tracking: a controller that follows a planned motion or holds an operating point, estimating a nonlinear plant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pliant.control import checks
from pliant.control.controllers.sampled import ControllerCheck, Sample, SampledController
from pliant.control.design.extended_kalman import Estimate, ExtendedKalman
from pliant.control.design.regulator import Gain
from pliant.control.design.trajectory import Trajectory
from pliant.errors import OptionError

SURPRISED = 3.0  # times the size that a filter expects


@dataclass
class TrackingMemory:
    """Memory: the estimate and the number of samples taken."""

    estimate: Estimate
    sample: int = 0


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class TrackingController(SampledController):
    """Feedback of an estimate along a planned motion; `track` makes it."""

    plan: Trajectory | Gain
    estimator: ExtendedKalman
    feedback: bool = True

    def begin(self) -> TrackingMemory:
        """Return the estimate before the first reading."""
        return TrackingMemory(self.estimator.begin())

    def decide(self, time: float, y: np.ndarray, r: np.ndarray, memory: TrackingMemory) -> np.ndarray:
        """Return ``u = u planned - K (estimate - x planned)``."""
        self.estimator.correct(memory.estimate, y)
        x, u, K = self._planned(memory.sample)
        return u - K @ (memory.estimate.x - x) if self.feedback else u

    def proceed(self, sample: Sample, memory: TrackingMemory) -> None:
        """Propagate the estimate with the applied inputs."""
        self.estimator.predict(memory.estimate, sample.applied)
        memory.sample += 1

    def states(self, memory: TrackingMemory) -> np.ndarray:
        """Return the estimate before the reading."""
        return memory.estimate.x

    @property
    def state_names(self) -> tuple[str, ...]:
        """Return the names of the plant's states."""
        return tuple(self.estimator.plant.state_names)

    def promises(self, memory: TrackingMemory) -> Sequence[ControllerCheck]:
        """Return the check that the estimate is as good as its covariance says."""
        rms = float(np.sqrt(memory.estimate.surprise / max(memory.estimate.readings, 1)))
        advice = "The estimate is lost: give it more process noise, the right start, or more steps= a sample."
        return (ControllerCheck("EKF: innovations", rms, SURPRISED, "of what is expected", advice),)

    def _planned(self, sample: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        if isinstance(self.plan, Trajectory):
            return self.plan.at(sample)
        return np.zeros(len(self.state_names)), self.u0, self.plan.K


def track(plan: Trajectory | Gain, estimator: ExtendedKalman, *, feedback: bool = True) -> TrackingController:
    """Make a controller that follows a plan of `follow`, or holds an operating point with a gain of `lqr`; its states
    are estimated by an `ekf`.

    feedback   False: the planned inputs are applied without feedback; the estimate is still computed

    >>> import pliant as pl
    >>> from pliant_gallery.examples import driven_pendulum
    >>> system, inputs, outputs = pl.compile(driven_pendulum()), ["motor/torque"], ["angle:arm"]
    >>> plant = pl.nonlinear(system, inputs=inputs, outputs=outputs)
    >>> gain = pl.lqr(plant.linear, outputs={"angle:arm": 100.0}, inputs={"motor/torque": 1.0}, sample_time=0.02)
    >>> noise = {"process_noise": {"motor/torque": 0.1}, "measurement_noise": {"angle:arm": 1e-3}}
    >>> track(gain, pl.ekf(plant, sample_time=0.02, **noise))
    TrackingController(angle:arm -> motor/torque every 0.02 s, 2 states)
    """
    if not isinstance(plan, Trajectory | Gain) or not isinstance(estimator, ExtendedKalman):
        raise OptionError("track: give a plan of pl.follow or a gain of pl.lqr, and an estimator of pl.ekf.")
    plant = estimator.plant
    if plan.sample_time != estimator.sample_time:
        raise OptionError(
            f"track: the plan is for samples every {plan.sample_time or 0.0:g} s, the estimator for "
            f"{estimator.sample_time:g} s."
        )
    if isinstance(plan, Gain):
        names = tuple(plan.state_names)
        if names != tuple(plant.state_names):
            raise OptionError(f"track: the gain feeds back {', '.join(names)}; the estimate has other states.")
        at = checks.positions("track", "inputs", plan.inputs, plant.input_names)
        if at != list(range(len(plant.input_names))):
            raise OptionError(f"track: the gain must set all inputs of the plant, {', '.join(plant.input_names)}.")
    return TrackingController(
        plan=plan,
        estimator=estimator,
        feedback=feedback,
        inputs=tuple(plant.input_names),
        outputs=estimator.outputs,
        sample_time=estimator.sample_time,
        u0=np.array(plant.input_values, float),
    )
