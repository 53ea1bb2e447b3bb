"""Both architectures of the thesis, section 6.4, on the planar six-leg robot and on the 6-RUS.

Motors give torques; what holds the cranks at rest are the torques found by statics. Centralised: one LQR with observer
on the platform and the slow flexible modes of all legs. Decentralised: an LQR for the platform on the rigidified model,
and one for each leg. A leg's counts the rate of its crank against torque alone, which for ``J x'' + k x = u`` makes it
a damper, ``u = -(torque / rate) x'``, whatever J and k are.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

import pliant as pl
from pliant.control.comparison import settling_time
from pliant.control.controllers.controller import Controller
from pliant.control.models.linear_model import LinearModel
from pliant.control.models.platform import PlatformModel
from pliant.results import Result
from pliant_gallery import robots, six_leg

SAMPLE_TIME = 1e-3  # s
PLACE, TURN = 0.01, 0.05  # m, rad of the platform: they weigh as much as the wrench of a study
SLOW = 300.0  # rad/s: modes up to here are kept; the next are at 560 (leaves) and 640 (rods)


@dataclass(frozen=True)
class Study:
    """A robot whose motors give torques, and the scales of its weights.

    force, moment  on the platform, of the same weight as PLACE and TURN (N, N m)
    motor          torque of the same weight (N m); `bound`: the largest it can give
    leg_damping    N m s of a crank's rate; `line_damping`: N s/m of a tendon's, if there are tendons
    displaced      cranks from which the platform starts, less those at rest (rad)
    """

    robot: robots.Robot
    elements: Any
    force: float
    moment: float
    motor: float
    bound: float
    leg_damping: float
    line_damping: float
    displaced: tuple[float, ...]

    @property
    def pose(self) -> tuple[str, ...]:
        """Outputs: place and turn of the platform."""
        if not self.robot.spatial:
            return six_leg.POSE
        return (*(f"position:{six_leg.WHERE}:{a}" for a in "xyz"), *(f"rotation:platform:{a}" for a in "xyz"))

    @property
    def rates(self) -> tuple[str, ...]:
        """Outputs: their rates."""
        if not self.robot.spatial:
            return six_leg.RATES
        return (*(f"velocity:{six_leg.WHERE}:{a}" for a in "xyz"), *(f"angular_velocity:platform:{a}" for a in "xyz"))

    def crank_rate(self, leg: int) -> dict[str, float]:
        """Return outputs that make up the rate of a crank about its motor, and their shares."""
        if not self.robot.spatial:
            return {f"angular_velocity:crank {leg}": 1.0}
        turn = self.robot.legs[leg - 1].turn
        return {f"angular_velocity:crank {leg}:x": np.cos(turn), f"angular_velocity:crank {leg}:y": np.sin(turn)}

    @property
    def legs(self) -> range:
        """Numbers of the legs."""
        return range(1, len(self.robot.legs) + 1)

    @cached_property
    def standing(self) -> robots.Standing:
        """Return the robot at rest, held by torques."""
        return robots.loosen(self.driven, elements=self.elements)

    @cached_property
    def plant(self) -> LinearModel:
        """About the rest: from motors and tendons to pose, rates, rates of the cranks and of the tendons."""
        robot = self.standing.robot
        cranks = [name for leg in self.legs for name in self.crank_rate(leg)]
        lines = [f"line_rate:{name.partition('/')[0]}" for name in robot.tendons]
        inputs, outputs = [*robot.motors, *robot.tendons], [*self.pose, *self.rates, *cranks, *lines]
        return pl.linearise(self.standing.system, at=self.standing.rest, inputs=inputs, outputs=outputs)

    @cached_property
    def platform(self) -> PlatformModel:
        """The rigidified model."""
        return pl.platform_model(self.plant)

    @cached_property
    def small(self) -> LinearModel:
        """The platform's and the legs' slow modes."""
        poles = self.plant.poles()
        kept = (poles.imag >= 0.0) & (np.abs(poles) < SLOW) & (poles.real < 0.0)
        return pl.reduce(self.plant, modes=int(np.sum(kept)))

    @property
    def weights(self) -> dict[str, float]:
        """Return the weights of the platform's pose and rates; a rate of ten times a pose a second weighs as much."""
        half = len(self.pose) - (3 if self.robot.spatial else 1)
        units = [PLACE if i < half else TURN for i in range(len(self.pose))]
        slow = zip((*self.pose, *self.rates), (*units, *(10.0 * u for u in units)), strict=True)
        return {name: unit**-2 for name, unit in slow}

    def platform_gain(self) -> Any:
        """Return the LQR of the rigidified model."""
        loads = {name: (self.force if name[0] == "F" else self.moment) ** -2 for name in self.platform.map.components}
        return pl.lqr(self.platform.linear, outputs=self.weights, inputs=loads, sample_time=SAMPLE_TIME)

    def decentralised(self, *, legs: bool = True) -> Controller:
        """Return platform and legs, or the platform alone."""
        damped = {
            f"motor {leg}/torque": {name: self.leg_damping * share for name, share in self.crank_rate(leg).items()}
            for leg in self.legs
        }
        for name in self.standing.robot.tendons:
            damped[name] = {f"line_rate:{name.partition('/')[0]}": -self.line_damping}
        projected = len(self.plant.input_names) > len(self.pose)
        found = pl.decentralised(
            self.plant,
            self.platform,
            self.platform_gain(),
            sensors=[*self.pose, *self.rates],
            legs=damped if legs else None,
            weights=self.effort,
            projected=projected,
        )
        return self.bounded(found)

    def centralised(self) -> Controller:
        """Return LQR and Kalman's observer of pose and cranks."""
        robot = self.standing.robot
        cranks = [name for leg in self.legs for name in self.crank_rate(leg)]
        inputs = dict(zip(self.plant.input_names, (e**2 for e in self.effort), strict=True))
        calm = dict.fromkeys(cranks, (self.leg_damping / self.motor) ** 2)
        gain = pl.lqr(self.small, outputs={**self.weights, **calm}, inputs=inputs, sample_time=SAMPLE_TIME)
        noise = {**dict.fromkeys(self.pose, 1e-4), **dict.fromkeys(cranks, 1e-2)}
        kicks = dict.fromkeys(robot.motors, 0.5 * self.motor)
        seen = pl.kalman(self.small, process_noise=kicks, measurement_noise=noise, sample_time=SAMPLE_TIME)
        return self.bounded(pl.lqg(gain, seen))

    @property
    def effort(self) -> np.ndarray:
        """Return the weights of the actuators: 1 / scale; 20 N of a tendon weigh as much as the torque of a motor."""
        robot = self.standing.robot
        return np.array([1.0 / self.motor] * len(robot.motors) + [1.0 / 20.0] * len(robot.tendons))

    def bounded(self, controller: Controller) -> Controller:
        """Return the controller within the motors' bounds, and with tendons that keep pulling."""
        names = self.standing.robot.motors
        limited = controller.limited(low=dict.fromkeys(names, -self.bound), high=dict.fromkeys(names, self.bound))
        if not self.standing.robot.tendons:
            return limited
        elastic = self.standing.rest.tension.values
        slack = dict(zip(self.standing.robot.tendons, (-elastic).tolist(), strict=True))
        return limited.limited(low=slack, high=dict.fromkeys(slack, 60.0))

    @cached_property
    def driven(self) -> robots.Standing:
        """Build the robot with its cranks driven."""
        return robots.stand(replace(self.robot, drive="angle"), elements=self.elements)

    def start(self, share: float = 1.0) -> Result:
        """Return the equilibrium with the cranks displaced."""
        angles = [leg.angle + share * d for leg, d in zip(self.robot.legs, self.displaced, strict=True)]
        moved = self.driven.system.with_signals(dict(zip(self.driven.robot.motors, angles, strict=True)))
        return pl.statics(moved, start=self.driven.rest)

    def run(self, controller: Controller, start: Result, *, end_time: float = 1.5) -> Answer:
        """Let go at the start, under control."""
        found = pl.transient(
            self.standing.system, start=start, end_time=end_time, step=0.5 * SAMPLE_TIME, every=2,
            controller=controller, partial=True,
        )  # fmt: skip
        return Answer(self, found)

    def prediction(self, controller: Controller, start: Result, *, end_time: float) -> np.ndarray:
        """Return (time,) size of the platform's deviation as the linear model has it."""
        found = pl.predict(controller, self.plant, start=start, end_time=end_time)
        away = found.y.sel(output=list(self.pose)).values - self.plant.output_values[: len(self.pose)]
        return np.asarray(np.linalg.norm(away * [self.weights[name] ** 0.5 for name in self.pose], axis=1))

    def closed_poles(self, controller: Controller) -> np.ndarray:
        """Return poles (1/s) of a gain without states on the slow modes, the slowest first."""
        sampled, at = self.small.discretise(SAMPLE_TIME), [self.small.output_names.index(n) for n in controller.outputs]
        values = np.linalg.eigvals(sampled.A + sampled.B @ controller.Dy @ self.small.C[at])
        rates = np.log(values.astype(complex)) / SAMPLE_TIME
        return np.asarray(rates[np.argsort(np.abs(rates))])


@dataclass(frozen=True)
class Answer:
    """A motion under control."""

    study: Study
    motion: Result

    @property
    def deviation(self) -> np.ndarray:
        """Return the (time,) size of the platform's deviation, in units of PLACE and TURN."""
        rest = self.study.standing.rest
        place = self.motion.position.sel(marker=six_leg.WHERE).values - rest.position.sel(marker=six_leg.WHERE).values
        word = "rotation" if self.study.robot.spatial else "angle"
        turn = _turn(self.motion, word) - _turn(rest, word)
        return np.asarray(np.linalg.norm(np.column_stack([place / PLACE, turn / TURN]), axis=1))

    @property
    def settling(self) -> float:
        """Time (s) until the deviation stays below 5 % of its start."""
        return settling_time(self.motion.time.values, self.deviation)

    @property
    def left(self) -> float:
        """Deviation at the end, of its start."""
        return float(self.deviation[-1] / self.deviation[0])

    @property
    def effort(self) -> float:
        """Integrate the squared changes of the actuators, each over its scale (s)."""
        changes = (self.motion.applied.values - self.study.platform.map.values) * self.study.effort
        return float(np.sum(changes**2) * SAMPLE_TIME)

    @property
    def largest(self) -> float:
        """Torque (N m)."""
        return float(np.max(np.abs(self.motion.applied.values[:, : len(self.study.legs)])))

    @property
    def least_tension(self) -> float:
        """Return the least tension of any tendon (N)."""
        return float(self.motion.tension.min())


def _turn(found: Result, word: str) -> np.ndarray:
    return np.asarray(found.data[word].sel(body="platform").values)


def planar() -> Study:
    """Return six leaf legs in the plane, twelve actuators."""
    start = (0.15, -0.16, 0.0, 0.13, -0.18, -0.1)
    return Study(six_leg.robot(drive="torque"), six_leg.ELEMENTS, 5.0, 0.5, 0.2, 3.0, 0.1, 5.0, start)


def rods() -> Study:
    """Return the 6-RUS with a platform of half a kilogram, weight and cranks of 0.1 kg: six motors, no null space."""
    robot = robots.paired(
        robots.RodLeg(crank_mass=0.1, damping=0.01),
        platform=robots.Platform((0.0, 0.0, 0.5), mass=0.5, inertia=(2e-3, 2e-3, 4e-3)),
        gravity=(0.0, 0.0, -9.81),
        drive="torque",
    )
    start = (0.02, 0.01, -0.01, 0.005, 0.01, -0.02)
    return Study(robot, pl.Exact(2, order=2), 2.0, 0.2, 0.1, 3.0, 0.5, 0.0, start)
