"""Control of PACOMA: LQR and a Kalman filter on the whole robot, from the motors' encoders and the tendons' lengths.

The motors give torques. In orbit nothing holds the platform then: six motions are neutral, six legs creep (0.225 1/s,
the tendon's damper against the leaf), and the leaves vibrate from 12 Hz on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

import pliant as pl
from pliant.control.models.reduction import STABLE
from pliant.results import Result
from pliant_gallery import pacoma, robots

SAMPLE_TIME = 2e-3  # s
FAST = 300.0  # rad/s: neutral motions, creep and both first bendings of the leaves (33 Hz) are slower
PLACE, TURN, TORQUE = 5e-3, 0.03, 0.5  # m, rad, N m: deviations of equal weight
ENCODER, LENGTH = 2e-4, 2e-5  # rad, m: standard deviation of a reading
KICK = 0.02  # N m per root hertz on every motor
MOST = 2.0  # N m of a motor
STIFF, CALM, PATIENT = 12.0, 1.0, 40.0  # N m/rad, N m s/rad of PD; N m/(rad s) of PID in addition
DRIFT = 2.0  # N per second and root hertz of an unknown load
LOADS = ("load/x", "load/y", "load/z")
LEGS = range(1, 7)
DISPLACED = (0.06, 0.02, -0.03, 0.05, 0.0, 0.03)  # rad of the motors: the platform is then 13 mm away
POSE = (*(f"position:{pacoma.PLATFORM}:{axis}" for axis in "xyz"), *(f"rotation:platform:{axis}" for axis in "xyz"))
RATES = (
    *(f"velocity:{pacoma.PLATFORM}:{axis}" for axis in "xyz"),
    *(f"angular_velocity:platform:{axis}" for axis in "xyz"),
)
ENCODERS = tuple(f"joint_angle:pivot {leg}" for leg in LEGS)
LINES = tuple(f"line_length:tendon {leg}" for leg in LEGS)


@dataclass(frozen=True)
class Controlled:
    """The robot with torques at its motors, and designs for it; each is computed at first use.

    >>> robot = Controlled()
    >>> run = robot.released(robot.controller, robot.displaced([0.05] * 6), end_time=0.5)  # doctest: +SKIP
    """

    leg: robots.LegKind = pacoma.LEAF
    gear: robots.GearedDrive | None = None  # `pacoma.GEARED`: motors as built, whose inputs are currents

    @cached_property
    def held(self) -> robots.Standing:
        """Return the robot at rest, motors held."""
        return robots.stand(pacoma.robot(self.leg, gear=self.gear).turned([pacoma.HOME] * 6), elements=pacoma.ELEMENTS)

    @cached_property
    def loose(self) -> robots.Standing:
        """Return the robot at rest, motors giving torques."""
        return robots.loosen(self.held, elements=pacoma.ELEMENTS)

    @cached_property
    def plant(self) -> pl.LinearModel:
        """Return the plant from torques and forces on the platform to pose, rates, encoders, tendons: 876 states."""
        inputs, outputs = [*self.motors, *LOADS], [*POSE, *RATES, *ENCODERS, *LINES]
        told = None if self.gear is None else "free"  # without gear losses, which would hold it
        return pl.linearise(self.loose.system, at=self.loose.rest, inputs=inputs, outputs=outputs, friction=told)

    @property
    def motors(self) -> list[str]:
        """Return the inputs."""
        return list(self.loose.robot.motors)

    @property
    def unit(self) -> float:
        """Return the input that makes 1 N m."""
        return 1.0 if self.gear is None else 1.0 / self.gear.per_ampere

    @property
    def limits(self) -> dict[str, Any]:
        """Return the limits of the inputs."""
        return {"low": -MOST * self.unit, "high": MOST * self.unit}

    @cached_property
    def small(self) -> pl.LinearModel:
        """Return a model of its slow modes: 42 states. Neutral ones that grow by rounding are kept in addition."""
        poles = self.plant.poles()
        slow = poles[(np.abs(poles) < FAST) & (poles.imag >= 0.0)]
        return pl.reduce(self.plant, modes=int(np.sum(slow.real <= STABLE * np.abs(slow))))

    @property
    def costs(self) -> dict[str, Any]:
        """Return weights of the platform's pose, of rates (ten times the pose per second), and of torques."""
        units = [PLACE] * 3 + [TURN] * 3
        weights = dict(zip((*POSE, *RATES), (unit**-2 for unit in (*units, *(10.0 * u for u in units))), strict=True))
        return {
            "outputs": weights,
            "inputs": dict.fromkeys(self.motors, (TORQUE * self.unit) ** -2),
            "sample_time": SAMPLE_TIME,
        }

    @property
    def noises(self) -> dict[str, Any]:
        """Return the noises of motors, encoders and lengths of tendons."""
        noise = {**dict.fromkeys(ENCODERS, ENCODER), **dict.fromkeys(LINES, LENGTH)}
        kicks = dict.fromkeys(self.motors, KICK * self.unit)
        return {"process_noise": kicks, "measurement_noise": noise, "sample_time": SAMPLE_TIME}

    @cached_property
    def gain(self) -> Any:
        """Design the LQR of the platform's pose."""
        return pl.lqr(self.small, **self.costs)

    @cached_property
    def observer(self) -> Any:
        """Design the Kalman filter of encoders and lengths of the tendons."""
        return pl.kalman(self.small, **self.noises)

    @cached_property
    def loaded(self) -> Any:
        """Design a Kalman filter that also estimates an unknown force on the platform."""
        return pl.kalman(self.small, **self.noises, disturbances=dict.fromkeys(LOADS, DRIFT))

    @cached_property
    def worst(self) -> Any:
        """Design H-infinity control with the same weights and noises, a fifth above the least level."""
        return pl.hinf(self.small, **{**self.costs, **self.noises}, slack=1.2)

    @cached_property
    def controller(self) -> pl.Controller:
        """Combine LQR and filter, within the motors' limits; the pose may follow references."""
        return pl.lqg(self.gain, self.observer, track=POSE).limited(**self.limits)

    def single(self) -> pl.Controller:
        """Make PD control of every motor."""
        gains = {
            motor: {f"joint_angle:pivot {leg}": STIFF * self.unit, f"joint_rate:pivot {leg}": CALM * self.unit}
            for leg, motor in zip(LEGS, self.motors, strict=True)
        }
        at = self.standing_at
        return pl.Controller.proportional(
            gains, sample_time=SAMPLE_TIME, output_values={name: at[name] for name in ENCODERS}
        ).limited(**self.limits)

    def patient(self) -> list[pl.SampledController]:
        """Make PID control of every motor separately."""
        gains = {"proportional": STIFF, "integral": PATIENT, "derivative": CALM}
        scaled = {name: gain * self.unit for name, gain in gains.items()}
        return [
            pl.pid(
                encoder, motor, **scaled, filter_time=SAMPLE_TIME,
                sample_time=SAMPLE_TIME, output_value=self.standing_at[encoder],
            ).limited(**self.limits)
            for encoder, motor in zip(ENCODERS, self.motors, strict=True)
        ]  # fmt: skip

    @property
    def standing_at(self) -> dict[str, float]:
        """Return the outputs at rest."""
        return dict(zip(self.plant.output_names, self.plant.output_values.tolist(), strict=True))

    def controllers(self) -> dict[str, Any]:
        """Return six controllers with the same limits and samples."""
        return {
            "PD of every motor": self.single(),
            "PID of every motor": self.patient(),
            "LQG": self.controller,
            "H∞": self.worst.controller.limited(**self.limits),
            "LQG, load estimated": pl.lqg(self.gain, self.loaded, track=POSE).limited(**self.limits),
            "MPC, load estimated": pl.mpc(self.gain, self.loaded, horizon=25, track=POSE, **self.limits),
        }

    def displaced(self, angles: Sequence[float]) -> Result:
        """Find the rest with the motors turned by these angles (rad)."""
        turned = dict(zip(self.held.robot.motors, (pacoma.HOME + angle for angle in angles), strict=True))
        return pl.statics(self.held.system.with_signals(turned), start=self.held.rest)

    def released(
        self,
        controller: pl.SampledController | Sequence[pl.SampledController],
        start: Result,
        *,
        end_time: float,
        load: float = 0.0,
    ) -> Result:
        """Compute the motion released there, under control, while a force pushes the platform along x (N)."""
        pushed = self.loose.system.with_signals({"load/x": load})
        return pl.transient(
            pushed, start=start, end_time=end_time, step=0.25 * SAMPLE_TIME, every=8, controller=controller
        )
