"""PACOMA under control: LQR and a Kalman filter on the whole robot, which read the motors' encoders and the tendons.

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
PLACE, TURN, TORQUE = 5e-3, 0.03, 0.5  # m, rad, N m: what counts as much as each other
ENCODER, LENGTH = 2e-4, 2e-5  # rad, m: standard deviation of a reading
KICK = 0.02  # N m per root hertz on every motor
MOST = 2.0  # N m of a motor
STIFF, CALM, PATIENT = 12.0, 1.0, 40.0  # N m/rad, N m s/rad of PD; N m/(rad s) of PID besides
DRIFT = 2.0  # N per second and root hertz of a load that is not known
LOADS = ("load/x", "load/y", "load/z")
LEGS = range(1, 7)
DISPLACED = (0.06, 0.02, -0.03, 0.05, 0.0, 0.03)  # rad of the motors: the platform 13 mm away
POSE = (*(f"position:{pacoma.PLATFORM}:{axis}" for axis in "xyz"), *(f"rotation:platform:{axis}" for axis in "xyz"))
RATES = (
    *(f"velocity:{pacoma.PLATFORM}:{axis}" for axis in "xyz"),
    *(f"angular_velocity:platform:{axis}" for axis in "xyz"),
)
ENCODERS = tuple(f"joint_angle:pivot {leg}" for leg in LEGS)
LINES = tuple(f"line_length:tendon {leg}" for leg in LEGS)


@dataclass(frozen=True)
class Controlled:
    """The robot with torques at its motors, and designs for it; each is found when first asked for.

    >>> robot = Controlled()
    >>> run = robot.released(robot.controller, robot.displaced([0.05] * 6), end_time=0.5)  # doctest: +SKIP
    """

    leg: robots.LegKind = pacoma.LEAF
    gear: robots.GearedDrive | None = None  # `pacoma.GEARED`: motors as built, whose inputs are currents

    @cached_property
    def held(self) -> robots.Standing:
        """At rest, motors held."""
        return robots.stand(pacoma.robot(self.leg, gear=self.gear).turned([pacoma.HOME] * 6), elements=pacoma.ELEMENTS)

    @cached_property
    def loose(self) -> robots.Standing:
        """At rest, motors giving torques."""
        return robots.loosen(self.held, elements=pacoma.ELEMENTS)

    @cached_property
    def plant(self) -> pl.LinearModel:
        """From torques and forces on the platform to pose, rates, encoders and lengths of the tendons: 876 states."""
        inputs, outputs = [*self.motors, *LOADS], [*POSE, *RATES, *ENCODERS, *LINES]
        told = None if self.gear is None else "free"  # without the losses of its gears, which would hold it
        return pl.linearise(self.loose.system, at=self.loose.rest, inputs=inputs, outputs=outputs, friction=told)

    @property
    def motors(self) -> list[str]:
        """Inputs."""
        return list(self.loose.robot.motors)

    @property
    def unit(self) -> float:
        """Of an input that makes 1 N m."""
        return 1.0 if self.gear is None else 1.0 / self.gear.per_ampere

    @property
    def limits(self) -> dict[str, Any]:
        """Of the inputs."""
        return {"low": -MOST * self.unit, "high": MOST * self.unit}

    @cached_property
    def small(self) -> pl.LinearModel:
        """Its slow modes: 42 states. Neutral ones that grow by rounding are kept uncounted."""
        poles = self.plant.poles()
        slow = poles[(np.abs(poles) < FAST) & (poles.imag >= 0.0)]
        return pl.reduce(self.plant, modes=int(np.sum(slow.real <= STABLE * np.abs(slow))))

    @property
    def costs(self) -> dict[str, Any]:
        """Weights of the platform's pose, of rates (ten times as much a second counts as much), and of torques."""
        units = [PLACE] * 3 + [TURN] * 3
        weights = dict(zip((*POSE, *RATES), (unit**-2 for unit in (*units, *(10.0 * u for u in units))), strict=True))
        return {
            "outputs": weights,
            "inputs": dict.fromkeys(self.motors, (TORQUE * self.unit) ** -2),
            "sample_time": SAMPLE_TIME,
        }

    @property
    def noises(self) -> dict[str, Any]:
        """Of the motors, of encoders and of the lengths of tendons."""
        noise = {**dict.fromkeys(ENCODERS, ENCODER), **dict.fromkeys(LINES, LENGTH)}
        kicks = dict.fromkeys(self.motors, KICK * self.unit)
        return {"process_noise": kicks, "measurement_noise": noise, "sample_time": SAMPLE_TIME}

    @cached_property
    def gain(self) -> Any:
        """LQR of the platform's pose."""
        return pl.lqr(self.small, **self.costs)

    @cached_property
    def observer(self) -> Any:
        """Kalman filter of encoders and lengths of the tendons."""
        return pl.kalman(self.small, **self.noises)

    @cached_property
    def loaded(self) -> Any:
        """The same, which also estimates a force on the platform that nobody knows."""
        return pl.kalman(self.small, **self.noises, disturbances=dict.fromkeys(LOADS, DRIFT))

    @cached_property
    def worst(self) -> Any:
        """H-infinity with the same weights and noises, a fifth above the least level."""
        return pl.hinf(self.small, **{**self.costs, **self.noises}, slack=1.2)

    @cached_property
    def controller(self) -> pl.Controller:
        """LQR and filter, within the motors' limits; the pose may follow references."""
        return pl.lqg(self.gain, self.observer, track=POSE).limited(**self.limits)

    def single(self) -> pl.Controller:
        """PD of every motor."""
        gains = {
            motor: {f"joint_angle:pivot {leg}": STIFF * self.unit, f"joint_rate:pivot {leg}": CALM * self.unit}
            for leg, motor in zip(LEGS, self.motors, strict=True)
        }
        at = self.standing_at
        return pl.Controller.proportional(
            gains, sample_time=SAMPLE_TIME, output_values={name: at[name] for name in ENCODERS}
        ).limited(**self.limits)

    def patient(self) -> list[pl.SampledController]:
        """PID of every motor, each by itself."""
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
        """Outputs at rest."""
        return dict(zip(self.plant.output_names, self.plant.output_values.tolist(), strict=True))

    def controllers(self) -> dict[str, Any]:
        """Six that have the same limits and samples."""
        return {
            "PD of every motor": self.single(),
            "PID of every motor": self.patient(),
            "LQG": self.controller,
            "H∞": self.worst.controller.limited(**self.limits),
            "LQG, load estimated": pl.lqg(self.gain, self.loaded, track=POSE).limited(**self.limits),
            "MPC, load estimated": pl.mpc(self.gain, self.loaded, horizon=25, track=POSE, **self.limits),
        }

    def displaced(self, angles: Sequence[float]) -> Result:
        """At rest with the motors turned by so much (rad)."""
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
        """Let go there, under control, while a force pushes the platform along x (N)."""
        pushed = self.loose.system.with_signals({"load/x": load})
        return pl.transient(
            pushed, start=start, end_time=end_time, step=0.25 * SAMPLE_TIME, every=8, controller=controller
        )
